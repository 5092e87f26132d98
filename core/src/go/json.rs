//! JSON as Go's `encoding/json` writes it.
//!
//! Ported from the Go standard library (BSD-3-Clause, see NOTICE).

use alloc::string::String;

use serde_json::Value;

/// A value as `json.Marshal` writes it: keys sorted, and `<`, `>`, `&` escaped.
pub(crate) fn json(value: &Value) -> String {
    let text = serde_json::to_string(value).unwrap_or_default();
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

/// A string as `json.Marshal` writes it. Error messages print values of named string types (restart policies,
/// operators ...) like this, and plain strings with [`quoted`](super::quoted).
pub(crate) fn json_string(text: &str) -> String {
    json(&Value::from(text))
}

/// Compact JSON with a line for each value.
/// Upstream: Go `encoding/json/indent.go appendIndent`
pub(crate) fn indented(json: &str) -> String {
    let mut out = String::new();
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        (0..depth).for_each(|_| out.push(' '));
    };
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        if quoted {
            out.push(c);
            (quoted, escaped) = (escaped || c != '"', !escaped && c == '\\');
            continue;
        }
        match c {
            '{' | '[' => {
                out.push(c);
                // An empty map or list stays on its line.
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth = depth.saturating_add(1);
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c => {
                quoted = c == '"';
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn json_is_written_as_go_writes_it() {
        assert_eq!(json(&json!({"b": "<&>", "a": 1})), r#"{"a":1,"b":"\u003c\u0026\u003e"}"#);
    }

    #[test]
    fn json_is_spread_over_lines() {
        assert_eq!(
            indented(r#"{"a":[],"b":{"c":[1,"x:{\"\\"]}}"#),
            "{\n \"a\": [],\n \"b\": {\n  \"c\": [\n   1,\n   \"x:{\\\"\\\\\"\n  ]\n }\n}"
        );
    }
}
