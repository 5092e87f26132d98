//! The encodings of files.

use std::borrow::Cow;

use crate::error::{Error, ErrorKind};

/// The text of bytes: in UTF-8, or in UTF-16 if they begin with its byte order mark. That is how Windows PowerShell 5.1 writes
/// what is redirected into a file.
///
/// # Errors
/// If the bytes are in neither.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Error> {
    let not_text = |message: String| Error::new(ErrorKind::NotText, None, message);
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => {
            let text = core::str::from_utf8(bytes)
                .map_err(|error| not_text(format!("Invalid value: byte {}: must be UTF-8", error.valid_up_to())));
            return text.map(Cow::Borrowed);
        }
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let text: Result<String, _> = char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect();
    let text = text.ok().filter(|_| rest.is_empty());
    text.map(Cow::Owned).ok_or_else(|| not_text(String::from("Invalid value: incomplete character: must be UTF-16")))
}
