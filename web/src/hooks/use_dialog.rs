use web_sys::HtmlDialogElement;
use yew::{NodeRef, hook, use_effect_with, use_node_ref};

/// The reference of a modal dialog that is open while `is_open`.
#[hook]
pub fn use_dialog(is_open: bool) -> NodeRef {
    let dialog = use_node_ref();
    use_effect_with((is_open, dialog.clone()), |(is_open, dialog)| {
        if let Some(dialog) = dialog.cast::<HtmlDialogElement>() {
            match (*is_open, dialog.open()) {
                // Fails only if the dialog is open already or not in the document.
                (true, false) => drop(dialog.show_modal()),
                (false, true) => dialog.close(),
                _ => {}
            }
        }
    });
    dialog
}
