use gloo_events::EventListener;
use web_sys::MediaQueryList;
use yew::{hook, use_effect_with, use_memo, use_state_eq};

/// Whether a media query applies, such as `(max-width: 47rem)`.
#[hook]
pub fn use_media(query: &'static str) -> bool {
    let list =
        use_memo(query, |query| -> Option<MediaQueryList> { web_sys::window()?.match_media(query).ok().flatten() });
    let applies = use_state_eq(|| list.as_ref().as_ref().is_some_and(MediaQueryList::matches));
    use_effect_with(query, {
        let applies = applies.setter();
        move |_| {
            let listener = list.as_ref().as_ref().map(|list| {
                let changed = list.clone();
                EventListener::new(list, "change", move |_| applies.set(changed.matches()))
            });
            move || drop(listener)
        }
    });
    *applies
}
