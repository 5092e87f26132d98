use std::cell::RefCell;
use std::rc::Rc;

use yew::{Callback, hook, use_callback};

use crate::sandbox_inputs::SandboxInputs;

/// The inputs after a change of one of them.
pub type InputChange<T> = fn(&SandboxInputs, T) -> SandboxInputs;

/// Changes the latest inputs. The callback stays the same, so that the forms are not drawn again for every frame.
#[hook]
pub fn use_input_change<T: 'static>(
    latest: &Rc<RefCell<SandboxInputs>>,
    on_change: &Callback<SandboxInputs>,
    change: InputChange<T>,
) -> Callback<T> {
    let latest = latest.clone();
    use_callback(on_change.clone(), move |value, on_change| {
        let changed = change(&latest.borrow(), value);
        on_change.emit(changed);
    })
}
