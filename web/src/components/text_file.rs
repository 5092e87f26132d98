//! Texts that the user opens, drops or pastes.

use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ClipboardEvent, DragEvent, File};

use crate::number::count_to_f64;

/// The most bytes of a text: with more, the page would stop for a moment whenever it hands the text on.
const MAX_BYTES: usize = 4 << 20;

/// The text of a file.
///
/// # Errors
/// Why it is not taken, as a sentence.
pub async fn read_text(file: &File) -> Result<String, String> {
    let name = file.name();
    if file.size() > count_to_f64(MAX_BYTES) {
        return Err(too_long(&name));
    }
    let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string());
    match text {
        None => Err(format!("{name}: can't be read")),
        // Bytes that are no UTF-8 are read as this character.
        Some(text) if text.contains(['\0', '\u{fffd}']) => {
            Err(format!("{name}: must be text, as YAML or JSON: nothing was changed"))
        }
        Some(text) => Ok(text),
    }
}

/// A text that the user pastes.
pub struct PastedText {
    /// Why it is not taken; none if it is.
    pub problem: Option<String>,
    /// Whether it has a `uid`, as every object of a running cluster.
    pub has_uid: bool,
}

impl PastedText {
    /// What an event brings.
    pub fn of(event: &ClipboardEvent) -> Self {
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok()).unwrap_or_default();
        Self { problem: problem_of_text("The pasted text", &text), has_uid: text.contains("uid") }
    }
}

/// Why a text is not taken; none if it is.
pub fn problem_of_text(name: &str, text: &str) -> Option<String> {
    (text.len() > MAX_BYTES).then(|| too_long(name))
}

/// Whether the user drags files, not a text.
pub fn drags_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&JsValue::from_str("Files"), 0))
}

/// The file that the user drops; none if it is a text, which goes where the browser puts it.
pub fn dropped_file(event: &DragEvent) -> Option<File> {
    event.data_transfer()?.files()?.get(0)
}

fn too_long(name: &str) -> String {
    format!(
        "{name}: must be at most 4 MB: leave out namespaces that don't matter, or use “changeover explain”, which reads \
         files of any size"
    )
}
