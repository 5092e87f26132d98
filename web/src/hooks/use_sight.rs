use gloo_events::EventListener;
use yew::{hook, use_effect_with, use_state_eq};

use crate::dom::is_in_sight;

/// Whether the user sees a part of an element that one of these selectors matches. `layout`: once it has changed, the elements
/// may be elsewhere.
#[hook]
pub fn use_sight(selectors: &'static [&'static str], layout: Option<String>) -> bool {
    let sees_one = use_state_eq(|| false);
    use_effect_with(layout, {
        let sees_one = sees_one.setter();
        move |_| {
            let look = move || sees_one.set(selectors.iter().any(|selector| is_in_sight(selector)));
            look();
            let listeners = web_sys::window().map(|window| {
                ["scroll", "resize"].map(|event| {
                    let look = look.clone();
                    EventListener::new(&window, event, move |_| look())
                })
            });
            move || drop(listeners)
        }
    });
    *sees_one
}
