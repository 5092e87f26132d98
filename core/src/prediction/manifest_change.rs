//! Changes of manifests as YAML, for people who change files instead of the cluster.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::collect_tree::CollectTree;
use crate::object::unstructured::string;

/// Words that YAML does not read as texts.
const NO_TEXTS: [&str; 10] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~"];

/// The fields of a patch as YAML, those that it removes as comments.
pub(super) fn to_yaml(patch: &Value, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let entry = |(name, value): (&String, &Value)| match value {
        Value::Object(map) if !map.is_empty() => {
            format!("{margin}{}:\n{}", scalar(name), to_yaml(value, indent.saturating_add(2)))
        }
        Value::Array(items) if !items.is_empty() => {
            let items: String = items.iter().map(|item| list_item(item, indent)).collect();
            format!("{margin}{}:\n{items}", scalar(name))
        }
        Value::Null => format!("{margin}# without {}\n", scalar(name)),
        Value::String(text) => format!("{margin}{}: {}\n", scalar(name), scalar(text)),
        other => format!("{margin}{}: {other}\n", scalar(name)),
    };
    patch.as_object().into_iter().flatten().map(entry).collect()
}

fn list_item(item: &Value, indent: usize) -> String {
    let margin = " ".repeat(indent);
    match item {
        Value::Object(map) if !map.is_empty() => {
            format!("{margin}- {}", to_yaml(item, indent.saturating_add(2)).trim_start())
        }
        Value::String(text) => format!("{margin}- {}\n", scalar(text)),
        other => format!("{margin}- {other}\n"),
    }
}

/// A text, quoted unless every YAML parser reads it as this text.
fn scalar(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@%".contains(c);
    // A port or a tag follows a colon: with a space after it, it would end a key.
    let is_text = text.chars().all(|c| is_plain(c) || c == ':') && !text.ends_with(':');
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "-+.".contains(c))
        && text.chars().all(|c| c.is_ascii_hexdigit() || "xo._:-".contains(c));
    let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric() || "/.".contains(c));
    if begins && is_text && !is_number && !NO_TEXTS.contains(&&*text.to_ascii_lowercase()) {
        return text.into();
    }
    Value::from(text).to_string()
}

/// What to write into a manifest so that a part of it becomes another one: the fields that differ, with the names of the list's
/// items that have them. None if nothing differs.
pub(super) fn change(from: &Value, to: &Value) -> Option<Value> {
    match (from, to) {
        _ if from == to => None,
        (Value::Object(from), Value::Object(to)) => {
            let changed = to.iter().filter_map(|(key, value)| {
                let change = from.get(key).map_or_else(|| Some(value.clone()), |old| change(old, value))?;
                Some((key.clone(), change))
            });
            let removed = from.keys().filter(|key| !to.contains_key(*key)).map(|key| (key.clone(), Value::Null));
            Some(Value::Object(changed.chain(removed).collect_tree()))
        }
        (Value::Array(from), Value::Array(to)) if have_the_same_names(from, to) => {
            let changed = to.iter().filter_map(|item| {
                let name = string(item, "name");
                let old = from.iter().find(|old| string(old, "name") == name)?;
                let mut change = change(old, item)?.as_object().cloned().unwrap_or_else(Map::new);
                change.insert("name".to_string(), name.into());
                Some(Value::Object(change))
            });
            Some(changed.collect())
        }
        _ => Some(to.clone()),
    }
}

/// Whether two lists have items with the same names, so that a name says which item is meant.
fn have_the_same_names(from: &[Value], to: &[Value]) -> bool {
    let names = |list: &[Value]| list.iter().map(|item| string(item, "name").to_string()).collect::<Vec<_>>();
    names(from) == names(to) && from.iter().all(|item| !string(item, "name").is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_change_has_only_what_differs() {
        let containers = |image: &str, command: Value| {
            json!({ "spec": { "containers": [
                { "name": "web", "image": image, "command": command },
                { "name": "log", "image": "log:1" },
            ] } })
        };
        let (from, mut to) = (containers("web:2", json!(["serve"])), containers("web:1", json!(["serve", "yes"])));
        to["spec"]["nodeSelector"] = json!({ "disk": "1" });
        let mut with_gone = from.clone();
        with_gone["spec"]["priorityClassName"] = json!("gold");
        let yaml = "spec:\n  containers:\n  - command:\n    - serve\n    - \"yes\"\n    image: web:1\n    name: web\n  \
                    nodeSelector:\n    disk: \"1\"\n";
        assert_eq!(change(&from, &to).map(|change| to_yaml(&change, 0)).as_deref(), Some(yaml));
        let without = "spec:\n  # without priorityClassName\n";
        assert_eq!(change(&with_gone, &from).map(|change| to_yaml(&change, 0)).as_deref(), Some(without));
        assert_eq!(change(&from, &from), None);
    }

    #[test]
    fn what_yaml_would_read_as_something_else_is_quoted() {
        for (text, expected) in [
            ("web:1", "web:1"),
            ("25%", "25%"),
            ("128Mi", "128Mi"),
            ("registry.example.com:5000/shop/web@sha256:ab", "registry.example.com:5000/shop/web@sha256:ab"),
            ("1.20", "\"1.20\""),
            ("1e3", "\"1e3\""),
            ("No", "\"No\""),
            ("", "\"\""),
            ("a: b", "\"a: b\""),
            ("- a", "\"- a\""),
            ("a\nb", "\"a\\nb\""),
            ("a#", "\"a#\""),
        ] {
            assert_eq!(scalar(text), expected);
        }
    }
}
