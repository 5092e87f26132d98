//! Texts that the user opens, drops or pastes.

use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{ClipboardEvent, DragEvent, File, FileList, TextDecoder};

use crate::number::count_to_f64;

/// The most bytes of a text: with more, the page would stop for a moment whenever it hands the text on.
pub const MAX_BYTES: usize = 4 << 20;

/// Several texts, joined into one.
#[derive(Debug, PartialEq, Eq)]
pub struct JoinedTexts {
    /// One YAML stream, in which each text begins a new document; JSON is valid YAML.
    pub text: String,
    /// How many texts are in it: empty ones are left out.
    pub count: usize,
}

/// The texts of files, joined.
///
/// # Errors
/// Why the files are refused, as a sentence.
pub async fn read_texts(files: &[File]) -> Result<JoinedTexts, String> {
    let name = || match files {
        [file] => file.name(),
        _ => format!("The {} files together", files.len()),
    };
    let size: f64 = files.iter().map(|file| file.size()).sum();
    if size > count_to_f64(MAX_BYTES) {
        return Err(too_long(&name()));
    }
    let mut texts = Vec::new();
    for file in files {
        texts.push(read_text(file).await?);
    }
    let joined = joined(&texts);
    // A file in UTF-16 may have fewer bytes than its text.
    problem_of_text(&name(), &joined.text).map_or(Ok(joined), Err)
}

fn joined(texts: &[String]) -> JoinedTexts {
    let (mut joined, mut count) = (String::new(), 0_usize);
    for text in texts.iter().filter(|text| !text.trim().is_empty()) {
        if !joined.is_empty() {
            let end = if joined.ends_with('\n') { "" } else { "\n" };
            joined.push_str(end);
            joined.push_str("---\n");
        }
        joined.push_str(text);
        count = count.saturating_add(1);
    }
    JoinedTexts { text: joined, count }
}

async fn read_text(file: &File) -> Result<String, String> {
    let name = file.name();
    let bytes = JsFuture::from(file.array_buffer()).await.ok().map(|buffer| Uint8Array::new(&buffer));
    match bytes.and_then(|bytes| decoded(&bytes)) {
        None => Err(format!("{name}: can't be read")),
        // Bytes that are no text are read as this character.
        Some(text) if text.contains(['\0', '\u{fffd}']) => {
            Err(format!("{name}: must be text, as YAML or JSON: nothing was changed"))
        }
        Some(text) => Ok(text),
    }
}

/// The text of bytes in UTF-8, or in UTF-16 if they begin with its byte order mark: that is how Windows PowerShell 5.1 writes
/// files. The text has no such mark.
fn decoded(bytes: &Uint8Array) -> Option<String> {
    let label = match [bytes.get_index(0), bytes.get_index(1)] {
        [0xff, 0xfe] => "utf-16le",
        [0xfe, 0xff] => "utf-16be",
        _ => "utf-8",
    };
    TextDecoder::new_with_label(label).ok()?.decode_with_js_u8_array(bytes).ok()
}

/// A text that the user pastes.
pub struct PastedText {
    /// Why it is refused; none if it is accepted.
    pub problem: Option<String>,
    /// The text if it may be the state of a cluster, in which every object has a `uid`. Its lines end as in the editor.
    pub cluster_state: Option<String>,
}

impl PastedText {
    /// The text of a paste event.
    pub fn of(event: &ClipboardEvent) -> Self {
        let text = event.clipboard_data().and_then(|data| data.get_data("text/plain").ok()).unwrap_or_default();
        let problem = problem_of_text("The pasted text", &text);
        let cluster_state = (problem.is_none() && text.contains("uid")).then(|| with_editor_line_ends(text));
        Self { problem, cluster_state }
    }
}

fn with_editor_line_ends(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

/// Why a text is not taken; none if it is.
pub fn problem_of_text(name: &str, text: &str) -> Option<String> {
    (text.len() > MAX_BYTES).then(|| too_long(name))
}

/// Whether the user drags files, not a text.
pub fn drags_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|transfer| transfer.types().includes(&JsValue::from_str("Files"), 0))
}

/// The files that the user drops; none if the user drops text, which the browser inserts by itself.
pub fn dropped_files(event: &DragEvent) -> Vec<File> {
    event.data_transfer().and_then(|transfer| transfer.files()).map(|files| all_of(&files)).unwrap_or_default()
}

/// All files of a list.
pub fn all_of(files: &FileList) -> Vec<File> {
    (0..files.length()).filter_map(|index| files.get(index)).collect()
}

/// What the page says of a text that is too long.
pub fn too_long(name: &str) -> String {
    format!(
        "{name}: must be at most 4 MB: leave out namespaces that don't matter, or use “changeover explain”, which reads \
         files of any size"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_an_editor() {
        for text in ["a: b\r\nc: d\re: f\n", "a: b\nc: d\ne: f\n"] {
            assert_eq!(with_editor_line_ends(String::from(text)), "a: b\nc: d\ne: f\n");
        }
    }

    #[test]
    fn texts_are_joined_as_documents() {
        for (texts, text, count) in [
            (&["a: b"][..], "a: b", 1),
            (&["a: b\n", "{\"c\": 1}", "e: f\n"], "a: b\n---\n{\"c\": 1}\n---\ne: f\n", 3),
            (&["", "a: b\n", " \n", "c: d\n", ""], "a: b\n---\nc: d\n", 2),
            (&["", "\n"], "", 0),
        ] {
            let texts: Vec<String> = texts.iter().copied().map(String::from).collect();
            assert_eq!(joined(&texts), JoinedTexts { text: String::from(text), count });
        }
    }
}
