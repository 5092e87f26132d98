//! The settings as a person writes them in YAML.

use serde_json::Value;

use super::Settings;

impl Settings {
    /// The Deployment and the objects beside it, as a person writes them.
    pub fn to_yaml(&self) -> String {
        let documents = [self.deployment(None)].into_iter().chain(self.objects());
        let documents: Vec<String> = documents.map(|document| to_yaml(&document)).collect();
        documents.join("---\n")
    }
}

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

/// An object as a block of YAML, without a namespace that goes without saying.
fn to_yaml(value: &Value) -> String {
    let mut yaml = String::new();
    write_block(&mut yaml, value, 0);
    yaml
}

fn write_block(yaml: &mut String, value: &Value, indentation: usize) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            let rank = |key: &str| ORDER.iter().position(|known| *known == key).unwrap_or(ORDER.len());
            fields.sort_by_key(|(key, _)| rank(key));
            fields.retain(|(key, value)| *key != "namespace" || *value != "default");
            for (key, value) in fields {
                yaml.push_str(&format!("{:indentation$}{key}:", ""));
                write_value(yaml, value, indentation.saturating_add(2));
            }
        }
        Value::Array(items) => {
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
        Value::Object(_) | Value::Array(_) => {
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
    let is_percentage = text.strip_suffix('%').is_some_and(|number| number.parse::<u32>().is_ok());
    // The words that YAML 1.1 reads as something else.
    let is_word = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"].contains(&text.to_lowercase().as_str());
    if (is_plain(text) && !is_word) || is_percentage { text.clone() } else { value.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Field;

    #[test]
    fn it_is_what_a_person_writes() {
        let mut settings = Settings::default();
        settings.set_text(Field::MaxSurge, String::from("1"));
        settings.set_text(Field::MinReadySeconds, String::new());
        settings.set_text(Field::QuotaPods, String::from("20"));
        let expected = "\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 15
  progressDeadlineSeconds: 600
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 25%
  selector:
    matchLabels:
      app: web
  template:
    metadata:
      labels:
        app: web
    spec:
      terminationGracePeriodSeconds: 30
      containers:
        - name: web
          image: example/web:v1
---
apiVersion: v1
kind: ResourceQuota
metadata:
  name: pods
spec:
  hard:
    pods: 20
";
        assert_eq!(settings.to_yaml(), expected);
    }

    #[test]
    fn what_could_mean_something_else_is_quoted() {
        for (text, written) in
            [("Recreate", "Recreate"), ("no", "\"no\""), ("a: b", "\"a: b\""), ("50%", "50%"), ("", "\"\"")]
        {
            assert_eq!(write_scalar(&Value::from(text)), written);
        }
    }
}
