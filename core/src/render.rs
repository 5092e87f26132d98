//! How Go prints the values in error messages: `%q` for strings, `encoding/json` for the rest.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

use serde_json::Value;

use crate::json;

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
                let written = match code {
                    0..0x80 => write!(out, "\\x{code:02x}"),
                    0x80..0x1_0000 => write!(out, "\\u{code:04x}"),
                    _ => write!(out, "\\U{code:08x}"),
                };
                debug_assert!(written.is_ok(), "a String takes everything");
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

/// A value as Go's `encoding/json` writes it: keys sorted, and `<`, `>`, `&` escaped.
pub(crate) fn json(value: &Value) -> String {
    let text = json::text(value);
    if !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}']) {
        return text;
    }
    // In JSON text these stand only inside strings.
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// A string as Go's `encoding/json` writes it. Values of named string types (restart policies, operators ...) are
/// printed like this, and not by [`quoted`].
pub(crate) fn json_string(text: &str) -> String {
    json(&Value::from(text))
}

/// Names that are possible, quoted.
pub(crate) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = names.map(quoted).collect();
    quoted.join(", ")
}

/// A value of a wrong type, which may be of any size: cut after a few words.
pub(crate) fn shortened(value: &Value) -> String {
    const MOST: usize = 64;
    let text = match value {
        Value::Object(map) if map.len() > 4 => "a map".into(),
        Value::Array(items) if items.len() > 8 => "a list".into(),
        Value::String(text) if text.len() > MOST => {
            return format!("{}...", quoted(&text.chars().take(MOST).collect::<String>()));
        }
        other => json(other),
    };
    if text.chars().count() <= MOST {
        return text;
    }
    let start: String = text.chars().take(MOST).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use serde_json::json;

    use super::*;

    #[test]
    fn strings_are_quoted_as_go_quotes_them() {
        assert_eq!(quoted("+10"), "\"+10\"");
        assert_eq!(quoted("a\"\\\n\t\u{0}\u{7f}"), r#""a\"\\\n\t\x00\x7f""#);
        assert_eq!(quoted("ä \u{a0}\u{200b}\u{1f600}"), "\"ä \\u00a0\\u200b\u{1f600}\"");
    }

    #[test]
    fn json_is_written_as_go_writes_it() {
        assert_eq!(json(&json!({"b": "<&>", "a": 1})), r#"{"a":1,"b":"\u003c\u0026\u003e"}"#);
    }

    #[test]
    fn long_values_are_cut() {
        assert_eq!(shortened(&json!("x".repeat(1000))).len(), 69);
        assert_eq!(shortened(&json!(vec![1; 1000])), "a list");
    }
}
