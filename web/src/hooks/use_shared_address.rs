use std::cell::Cell;
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::{hook, use_context, use_effect_with, use_memo};

use crate::dom::{self, HistoryEntry};
use crate::share::{ShareTools, SharedState};

/// The address is written once nothing has changed for this many milliseconds: browsers allow few writes, and a number that is
/// typed should be one entry of the history.
const QUIET: u32 = 500;

/// Keeps what was set in the address, so that it can be loaded again and shared. Other inputs make a new entry of the history;
/// another moment does not. `state`: none while it changes by itself. `default`: how it is at first, which needs no address.
#[hook]
pub fn use_shared_address(state: Option<SharedState>, default: SharedState) {
    let tools = use_context::<ShareTools>();
    let written = use_memo((), |()| Cell::new(None::<SharedState>));
    use_effect_with((state, default), move |(state, default)| {
        let is_current = Rc::new(Cell::new(true));
        let timeout = state.clone().zip(tools).map(|(state, tools)| {
            let (is_current, default) = (is_current.clone(), default.clone());
            Timeout::new(QUIET, move || {
                spawn_local(async move {
                    // What is too large for an address is offered as a file.
                    let fragment = if state == default { None } else { tools.fragment(&state).await.ok().flatten() };
                    // Back and Forward have changed the address: what it says comes first.
                    if is_current.get() && !tools.is_reading() {
                        write(&fragment.unwrap_or_default(), state, default, &written);
                    }
                });
            })
        });
        move || {
            is_current.set(false);
            drop(timeout);
        }
    });
}

fn write(fragment: &str, state: SharedState, default: SharedState, written: &Cell<Option<SharedState>>) {
    // The user may change a setting before the default address is written, to which Back leads.
    let before = written.replace(Some(state.clone())).or_else(|| dom::fragment().is_empty().then_some(default));
    if dom::fragment() == fragment {
        return;
    }
    let has_other_inputs = before.is_some_and(|before| !before.has_same_inputs(&state));
    dom::set_fragment(fragment, if has_other_inputs { HistoryEntry::New } else { HistoryEntry::Same });
}
