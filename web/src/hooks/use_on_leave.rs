use gloo_events::EventListener;
use yew::{Callback, hook, use_effect_with};

/// Calls back when the document may be left. A phone may end a page that is hidden without telling it. `on_leave`: that of the
/// first render.
#[hook]
pub fn use_on_leave(on_leave: Callback<()>) {
    use_effect_with((), move |()| {
        let listeners = web_sys::window().map(|window| {
            ["pagehide", "visibilitychange"].map(|event| {
                let on_leave = on_leave.clone();
                EventListener::new(&window, event, move |_| on_leave.emit(()))
            })
        });
        move || drop(listeners)
    });
}
