//! How far the workbench is with what takes long, for the page to show.

use std::cell::Cell;

#[cfg(target_family = "wasm")]
#[wasm_bindgen::prelude::wasm_bindgen]
extern "C" {
    /// Defined in `workbench.js`.
    #[wasm_bindgen(js_name = progress)]
    fn show(percent: u32);
}

/// No page shows it.
#[cfg(not(target_family = "wasm"))]
const fn show(_: u32) {}

thread_local! {
    static SHOWN: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Shows how much is done, if the percentage has changed.
pub(crate) fn done(done: usize, of: usize) {
    let percent = done.min(of).saturating_mul(100).checked_div(of).and_then(|percent| u32::try_from(percent).ok());
    if SHOWN.replace(percent) != percent
        && let Some(percent) = percent
    {
        show(percent);
    }
}
