use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::Date;
use web_sys::KeyboardEvent;
use yew::{Callback, hook, use_callback, use_mut_ref};

use crate::dom;
use crate::sandbox_inputs::SandboxInputs;

/// Changes that follow each other within this time are one, as those of a drag are: in milliseconds.
const ONE_DRAG: f64 = 1000.0;

/// How many drags can be undone.
const MAX_DRAGS: usize = 50;

/// Where Ctrl+Z undoes what was typed.
const TEXTS: &str = "input, textarea, yaml-editor";

/// What undoes the drags of handles.
pub struct Undo {
    /// Keeps what was set before a handle changes it.
    pub keep: Callback<()>,
    /// Ctrl+Z brings back what was set before the last drag.
    pub on_key: Callback<KeyboardEvent>,
}

/// Undoes the drags of handles. `latest`: what is set now.
#[hook]
pub fn use_undo(latest: &Rc<RefCell<SandboxInputs>>, on_change: &Callback<SandboxInputs>) -> Undo {
    // The latest one first, and when a handle was moved last.
    let drags = use_mut_ref(|| (VecDeque::<SandboxInputs>::new(), f64::MIN));
    let keep = use_callback((), {
        let (drags, latest) = (drags.clone(), latest.clone());
        move |(), ()| {
            let (drags, last) = &mut *drags.borrow_mut();
            let now = Date::now();
            if now - *last > ONE_DRAG {
                drags.truncate(MAX_DRAGS.saturating_sub(1));
                drags.push_front(latest.borrow().clone());
            }
            *last = now;
        }
    });
    let on_change = on_change.clone();
    let on_key = Callback::from(move |event: KeyboardEvent| {
        let is_undo = event.key() == "z" && (event.ctrl_key() || event.meta_key()) && !event.shift_key();
        if !is_undo || dom::is_within(&event, TEXTS) {
            return;
        }
        let before = {
            let (drags, last) = &mut *drags.borrow_mut();
            *last = f64::MIN;
            drags.pop_front()
        };
        if let Some(before) = before {
            event.prevent_default();
            on_change.emit(before);
        }
    });
    Undo { keep, on_key }
}
