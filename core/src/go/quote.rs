//! Strings as Go's `%q` prints them.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A string as Go's `strconv.Quote` writes it.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().saturating_add(2));
    out.push('"');
    for c in text.chars() {
        let escape = match c {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\u{7}' => "\\a",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{b}' => "\\v",
            c if is_printable(c) => {
                out.push(c);
                continue;
            }
            c => {
                let code = u32::from(c);
                out.push_str(&match code {
                    0..0x80 => format!("\\x{code:02x}"),
                    0x80..0x1_0000 => format!("\\u{code:04x}"),
                    _ => format!("\\U{code:08x}"),
                });
                continue;
            }
        };
        out.push_str(escape);
    }
    out.push('"');
    out
}

/// Go's `strconv.IsPrint` without its tables of letters: what is not a control, a space other than U+0020, a format
/// character or for private use. (Code points that Unicode has not assigned count as printable.)
fn is_printable(c: char) -> bool {
    if c.is_ascii() {
        return c == ' ' || c.is_ascii_graphic();
    }
    let invisible = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}'..='\u{ffff}' | '\u{e0000}'..='\u{10ffff}');
    !(c.is_control() || c.is_whitespace() || invisible)
}

/// Strings, each quoted, as error messages list the supported values.
pub(crate) fn quoted_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(quoted).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_go_quotes_them() {
        assert_eq!(quoted("+10"), "\"+10\"");
        assert_eq!(quoted("a\"\\\n\t\u{0}\u{7f}"), r#""a\"\\\n\t\x00\x7f""#);
        assert_eq!(quoted("ä \u{a0}\u{200b}\u{1f600}"), "\"ä \\u00a0\\u200b\u{1f600}\"");
    }
}
