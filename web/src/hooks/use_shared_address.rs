use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo_timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::{Callback, hook, use_context, use_effect_with, use_memo, use_mut_ref, use_state_eq};

use super::use_on_leave;
use crate::dom::{self, HistoryEntry};
use crate::share::{ShareTools, SharedState, forget_unwritten, keep_at_address, keep_unwritten};

/// The address is written once nothing has changed for this many milliseconds: browsers allow few writes, and a number that is
/// typed should be one entry of the history.
const QUIET: u32 = 500;

/// The content of the address.
#[derive(Clone, Debug, PartialEq)]
pub struct AddressContent {
    /// Everything that was set. The tab keeps it.
    pub whole: SharedState,
    /// The part that the address contains; if it is too large, the address only says that the tab keeps the state. None if the
    /// page can't tell which.
    pub shared: Option<SharedState>,
}

impl From<SharedState> for AddressContent {
    /// A state in which only the actions that the user added have objects.
    fn from(whole: SharedState) -> Self {
        Self { shared: Some(whole.clone().with_reduced_forks()), whole }
    }
}

/// Where the address opens what was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressReach {
    /// Everywhere.
    #[default]
    Everywhere,
    /// Only in this tab.
    ThisTab(KeptBecause),
    /// Nowhere: it is too large even for the tab.
    Nowhere,
}

/// Why only the tab keeps a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptBecause {
    /// It is too large for an address.
    TooLarge,
    /// Its text can't be read.
    Unreadable,
    /// The history has no room for what the address leaves out.
    NoRoomInHistory,
}

/// An entry of the browser's history.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    fragment: String,
    /// Everything that was set, if the fragment leaves some of it out.
    text: Option<String>,
}

impl AddressContent {
    /// The entry of the history, and where its address opens what was set. `is_current`: whether nothing else was set in the
    /// meantime; otherwise, the tab doesn't keep this state.
    async fn entry(&self, tools: &ShareTools, default: &SharedState, is_current: &Cell<bool>) -> (Entry, AddressReach) {
        let Self { whole, shared } = self;
        let (packed, because) = match shared {
            Some(shared) if shared == default => (Some(String::new()), KeptBecause::TooLarge),
            Some(shared) => (tools.fragment(shared).await.ok().flatten(), KeptBecause::TooLarge),
            None => (None, KeptBecause::Unreadable),
        };
        if let Some(fragment) = packed {
            let is_whole = shared.as_ref() == Some(whole);
            let text = if is_whole { None } else { Some(tools.text_to_keep(whole).await) };
            return (Entry { fragment, text }, AddressReach::Everywhere);
        }
        let text = tools.text_to_keep(whole).await;
        let kept = if is_current.get() { keep_at_address(&text) } else { None };
        let reach = kept.map_or(AddressReach::Nowhere, |_| AddressReach::ThisTab(because));
        (Entry { fragment: String::from(kept.unwrap_or_default()), text: None }, reach)
    }
}

/// Keeps what was set in the address, so that it can be loaded again and shared. Other inputs make a new entry of the history;
/// another moment does not. `content`: none while it changes by itself. `left`: what was set, at any time; if the page is left
/// before the address says so, the tab keeps it. `default`: how it is at first, which needs no address.
#[hook]
pub fn use_shared_address(
    content: Option<AddressContent>,
    left: Option<SharedState>,
    default: SharedState,
) -> AddressReach {
    let tools = use_context::<ShareTools>();
    let written = use_memo((), |()| RefCell::new(None::<SharedState>));
    let first = use_memo((), |()| RefCell::new(None::<SharedState>));
    let latest = use_mut_ref(|| None::<SharedState>);
    latest.replace(left.filter(|left| *left != default || !dom::fragment().is_empty()));
    use_on_leave({
        let (tools, written) = (tools.clone(), written.clone());
        Callback::from(move |()| {
            let latest = latest.borrow();
            let is_written =
                |left: &SharedState| written.borrow().as_ref().is_some_and(|written| written.has_same_inputs(left));
            // An address that is being read takes precedence.
            let is_reading = tools.as_ref().is_some_and(ShareTools::is_reading);
            if let Some(left) = latest.as_ref().filter(|left| !is_reading && !is_written(left)) {
                keep_unwritten(left);
            }
        })
    });
    let reach = use_state_eq(AddressReach::default);
    use_effect_with((content, default), {
        let reach = reach.setter();
        move |(content, default)| {
            // What the address brought. Until it is written again, the user may change a setting.
            if let Some(content) = content {
                first.borrow_mut().get_or_insert_with(|| content.whole.clone());
            }
            let is_current = Rc::new(Cell::new(true));
            let timeout = content.clone().zip(tools).map(|(content, tools)| {
                let (is_current, default) = (is_current.clone(), default.clone());
                Timeout::new(QUIET, move || {
                    spawn_local(async move {
                        let (entry, reached) = content.entry(&tools, &default, &is_current).await;
                        // Back and Forward have changed the address: what it says comes first.
                        if is_current.get() && !tools.is_reading() {
                            let before = written.borrow().clone().or_else(|| {
                                // The default address may not be written yet, to which Back leads.
                                if dom::fragment().is_empty() { Some(default) } else { first.borrow().clone() }
                            });
                            let has_other_inputs = before.is_some_and(|before| !before.has_same_inputs(&content.whole));
                            let reached = write(&entry, reached, has_other_inputs);
                            // What nothing loads again is kept when the page is left, if it can be.
                            if reached != AddressReach::Nowhere {
                                written.replace(Some(content.whole));
                            }
                            reach.set(reached);
                        }
                    });
                })
            });
            move || {
                is_current.set(false);
                drop(timeout);
            }
        }
    });
    *reach
}

/// Writes an entry; a new one for other inputs than before. `reached`: what the page loads again if the browser keeps it. Returns
/// what the page does load again.
fn write(entry: &Entry, reached: AddressReach, has_other_inputs: bool) -> AddressReach {
    forget_unwritten();
    let Entry { fragment, text } = entry;
    if dom::fragment() == *fragment && dom::text_of_entry() == *text {
        return reached;
    }
    let place = if has_other_inputs { HistoryEntry::New } else { HistoryEntry::Same };
    if dom::set_fragment(fragment, text.as_deref(), place) {
        return reached;
    }
    // The tab may have room for the text.
    let kept = text.as_deref().and_then(keep_at_address);
    let is_written = dom::set_fragment(kept.unwrap_or(fragment), None, place);
    match kept {
        Some(_) if is_written => AddressReach::ThisTab(KeptBecause::NoRoomInHistory),
        _ => AddressReach::Nowhere,
    }
}

#[cfg(test)]
mod tests {
    use changeover_wire::Fork;
    use serde_json::json;

    use super::*;
    use crate::share::SharedFork;

    #[test]
    fn the_secret_of_an_action_stays_in_the_tab() {
        let secret = json!({ "kind": "Secret", "metadata": { "name": "db" }, "stringData": { "password": "hunter2" } });
        let fork = Fork { at: 1, action: json!({ "apply": secret }), target: None };
        let state = SharedState { forks: vec![SharedFork::from(&fork)], ..SharedState::default() };
        let AddressContent { whole, shared } = AddressContent::from(state.clone());
        assert_eq!(whole, state);
        assert_eq!(shared, Some(state.with_reduced_forks()));
        assert_ne!(shared, Some(whole));
    }
}
