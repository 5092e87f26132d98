use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, hook, use_context, use_effect_with, use_memo};

use super::use_on_leave;
use crate::dom;
use crate::share::{ShareTools, SharedState, keep_as_left, keep_text_as_left};

/// Writing more text than this at every change would cost frames.
const LARGE: usize = 64 << 10;

/// A large state is kept once nothing has changed for this many milliseconds.
const QUIET: u32 = 300;

/// Keeps what was set in the tab, so that the page is as it was left when a link leads back to it. It needs no player, so that
/// however soon somebody leaves, nothing is lost. `state`: none while it can't be said. `left`: what was set, at any time; it is kept
/// when the page is left. `default`: how the page is at first.
#[hook]
pub fn use_state_in_tab(state: Option<SharedState>, left: SharedState, default: SharedState) {
    // When this page is gone, the address is already that of the next one.
    let path = use_memo((), |()| dom::site_path());
    let latest = use_memo((), |()| RefCell::new((left.clone(), default.clone())));
    latest.replace((left, default.clone()));
    let tools = use_context::<ShareTools>();
    // The large state that the tab already keeps, packed: when the user leaves the page, there is no time to pack it.
    let kept = use_memo((), |()| RefCell::new(None::<SharedState>));
    let on_leave = {
        let (path, latest, kept) = (path.clone(), latest.clone(), kept.clone());
        Callback::from(move |()| {
            let (left, default) = &*latest.borrow();
            if kept.borrow().as_ref() != Some(left) {
                keep_as_left(&path, left, default);
            }
        })
    };
    use_on_leave(on_leave.clone());
    // Opening a file, Back and Forward may show another page in the same document.
    use_effect_with((), move |()| move || on_leave.emit(()));
    use_effect_with((state, default), move |(state, default)| {
        let is_current = Rc::new(Cell::new(true));
        let timeout = state.clone().zip(tools).and_then(|(state, tools)| {
            if state.text_size() <= LARGE {
                kept.replace(None);
                keep_as_left(&path, &state, default);
                return None;
            }
            let is_current = is_current.clone();
            Some(Timeout::new(QUIET, move || {
                spawn_local(async move {
                    let text = tools.text_to_keep(&state).await;
                    if is_current.get() {
                        kept.replace(keep_text_as_left(&path, &text).then_some(state));
                    }
                });
            }))
        });
        move || {
            is_current.set(false);
            drop(timeout);
        }
    });
}
