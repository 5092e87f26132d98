//! Manifests as YAML, as kubectl prints them.

use serde_json::Value;

/// A manifest as YAML: blocks in the order of the keys.
pub fn yaml(value: &Value) -> String {
    let mut text = String::new();
    write_block(value, 0, &mut text);
    text
}

/// Writes a value as lines. The first one is not indented: it may stand behind a dash.
fn write_block(value: &Value, indent: usize, text: &mut String) {
    let indentation = " ".repeat(indent);
    let mut is_first = true;
    let mut begin_line = |text: &mut String| {
        if !std::mem::take(&mut is_first) {
            text.push_str(&indentation);
        }
    };
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                begin_line(text);
                text.push_str(&scalar(&Value::from(key.as_str())));
                text.push(':');
                match value {
                    Value::Object(below) if !below.is_empty() => {
                        let indent = indent.saturating_add(2);
                        text.push_str(&format!("\n{}", " ".repeat(indent)));
                        write_block(value, indent, text);
                    }
                    // Items stand below their key, as kubectl writes them.
                    Value::Array(below) if !below.is_empty() => {
                        text.push_str(&format!("\n{indentation}"));
                        write_block(value, indent, text);
                    }
                    value => text.push_str(&format!(" {}\n", scalar(value))),
                }
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                begin_line(text);
                text.push_str("- ");
                write_block(item, indent.saturating_add(2), text);
            }
        }
        value => text.push_str(&format!("{}\n", scalar(value))),
    }
}

/// A value on one line. Every JSON value is a YAML value; words that can't be taken for anything else have no quotes.
fn scalar(value: &Value) -> String {
    match value {
        Value::String(word) if is_plain(word) => word.clone(),
        value => value.to_string(),
    }
}

/// Whether a word is a string without quotes: it begins with a letter, and no version of YAML takes it for a boolean or null.
fn is_plain(word: &str) -> bool {
    const RESERVED: [&str; 9] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let has_plain_letters =
        word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/'));
    let is_reserved = RESERVED.iter().any(|reserved| word.eq_ignore_ascii_case(reserved));
    word.starts_with(|first: char| first.is_ascii_alphabetic()) && has_plain_letters && !is_reserved
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_manifest_is_written_as_kubectl_prints_it() {
        let manifest = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "web", "labels": {}},
            "spec": {
                "replicas": 3,
                "strategy": {"rollingUpdate": {"maxSurge": "25%"}},
                "template": {"spec": {"containers": [{"name": "web", "args": ["a: b", "no", "1", "-x"]}, "y", [1, []]]}},
            },
        });
        let expected = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  labels: {}
  name: web
spec:
  replicas: 3
  strategy:
    rollingUpdate:
      maxSurge: "25%"
  template:
    spec:
      containers:
      - args:
        - "a: b"
        - "no"
        - "1"
        - "-x"
        name: web
      - "y"
      - - 1
        - []
"#;
        assert_eq!(yaml(&manifest), expected);
    }
}
