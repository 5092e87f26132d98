//! Manifests as YAML, as a person writes them.

use serde_json::Value;

/// The keys in the order in which people write them; others follow.
const ORDER: [&str; 24] = [
    "apiVersion",
    "kind",
    "metadata",
    "name",
    "namespace",
    "labels",
    "spec",
    "replicas",
    "minReadySeconds",
    "progressDeadlineSeconds",
    "strategy",
    "type",
    "rollingUpdate",
    "minAvailable",
    "hard",
    "selector",
    "template",
    "terminationGracePeriodSeconds",
    "containers",
    "image",
    "resources",
    "startupProbe",
    "readinessProbe",
    "httpGet",
];

/// Objects as documents of YAML.
pub fn to_yaml<'a>(objects: impl IntoIterator<Item = &'a Value>) -> String {
    let documents = objects.into_iter().map(|object| {
        let mut yaml = String::new();
        write_block(&mut yaml, object, 0);
        yaml
    });
    documents.collect::<Vec<_>>().join("---\n")
}

fn write_block(yaml: &mut String, value: &Value, indentation: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let mut fields: Vec<_> = fields.iter().collect();
            let rank = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
            fields.sort_by_key(|(key, _)| rank(key));
            for (key, value) in fields {
                let key = write_scalar(&Value::from(key.as_str()));
                yaml.push_str(&format!("{:indentation$}{key}:", ""));
                write_value(yaml, value, indentation.saturating_add(2));
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let mut block = String::new();
                write_block(&mut block, item, indentation.saturating_add(2));
                yaml.push_str(&format!("{:indentation$}- {}", "", block.trim_start()));
            }
        }
        scalar => yaml.push_str(&format!("{:indentation$}{}\n", "", write_scalar(scalar))),
    }
}

fn write_value(yaml: &mut String, value: &Value, indentation: usize) {
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            yaml.push('\n');
            write_block(yaml, value, indentation);
        }
        Value::Array(items) if !items.is_empty() => {
            yaml.push('\n');
            write_block(yaml, value, indentation);
        }
        scalar => yaml.push_str(&format!(" {}\n", write_scalar(scalar))),
    }
}

/// A scalar: a text is quoted, unless it can only mean itself.
fn write_scalar(value: &Value) -> String {
    let Value::String(text) = value else { return value.to_string() };
    let is_plain = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
            && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "/:.-_".contains(letter))
            && !text.ends_with(':')
    };
    // A percentage, or an amount of CPU or memory.
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_amount = unit.len() < text.len() && ["%", "m", "Ki", "Mi", "Gi"].contains(&unit);
    // The words that YAML 1.1 reads as something else.
    let is_word = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(&text.to_lowercase().as_str());
    if (is_plain(text) && !is_word) || is_amount { text.clone() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_manifest_is_written_as_a_person_writes_it() {
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
  name: web
  labels: {}
spec:
  replicas: 3
  strategy:
    rollingUpdate:
      maxSurge: 25%
  template:
    spec:
      containers:
        - name: web
          args:
            - "a: b"
            - "no"
            - "1"
            - "-x"
        - "y"
        - - 1
          - []
"#;
        assert_eq!(to_yaml([&manifest]), expected);
    }

    #[test]
    fn what_could_mean_something_else_is_quoted() {
        for (text, written) in [
            ("Recreate", "Recreate"),
            ("no", "\"no\""),
            ("a: b", "\"a: b\""),
            ("50%", "50%"),
            ("500m", "500m"),
            ("1Gi", "1Gi"),
            ("1e3", "\"1e3\""),
            ("m", "m"),
            ("", "\"\""),
        ] {
            assert_eq!(write_scalar(&Value::from(text)), written);
        }
    }
}
