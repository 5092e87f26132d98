//! What must not leave the page with a pasted manifest.

use serde_json::{Map, Value};

/// Holds the whole manifest as text, values included.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What the name of an argument has in it whose value is secret, without dashes and underscores.
const SECRET_WORDS: [&str; 8] =
    ["password", "passwd", "passphrase", "token", "secret", "credential", "apikey", "privatekey"];

/// Empties everything in a manifest that may be secret: the values of `data` and `stringData` of Secrets, the `value`s of
/// environment variables and of the HTTP headers of probes and hooks, those of arguments like `--password=...`, and the annotation
/// in which kubectl keeps the whole manifest. The names stay.
pub fn remove_secrets(manifest: &mut Value) {
    // A list instead of recursion: a manifest may be nested deeper than the stack is high.
    let mut rest = vec![(manifest, false)];
    while let Some((value, is_secret)) = rest.pop() {
        match value {
            Value::Object(map) => {
                let kind = map.get("kind").and_then(Value::as_str).unwrap_or_default();
                // The items of a typed list have no kind of their own.
                let has_secrets = kind == "SecretList";
                if is_secret || kind == "Secret" {
                    empty_data(map);
                }
                map.remove(LAST_APPLIED);
                if let Some(Value::Array(variables)) = map.get_mut("env") {
                    variables.iter_mut().filter_map(Value::as_object_mut).for_each(|variable| {
                        variable.remove("value");
                    });
                }
                if let Some(Value::Array(headers)) = map.get_mut("httpHeaders") {
                    headers.iter_mut().filter_map(|header| header.get_mut("value")).for_each(|value| {
                        *value = Value::from("");
                    });
                }
                for arguments in ["command", "args"] {
                    if let Some(Value::Array(arguments)) = map.get_mut(arguments) {
                        empty_arguments(arguments);
                    }
                }
                rest.extend(map.iter_mut().map(|(key, value)| (value, has_secrets && key == "items")));
            }
            // The items of a list are what the list is.
            Value::Array(items) => rest.extend(items.iter_mut().map(|item| (item, is_secret))),
            _ => {}
        }
    }
}

/// Empties the values of a Secret.
fn empty_data(secret: &mut Map<String, Value>) {
    for field in ["data", "stringData"] {
        match secret.get_mut(field) {
            Some(Value::Object(data)) => data.values_mut().for_each(|value| *value = Value::from("")),
            // No map: whatever it is, it is not shared.
            Some(other) => *other = Value::Null,
            None => {}
        }
    }
}

/// Empties the values of arguments whose name says that they are secret: `--password=...`, or `--password` and what follows.
fn empty_arguments(arguments: &mut [Value]) {
    let mut is_value = false;
    for argument in arguments {
        let Value::String(text) = argument else { continue };
        let is_flag = text.starts_with('-');
        if is_value && !is_flag {
            text.clear();
        }
        let name_and_value = text.split_once('=').map(|(name, _)| name).filter(|name| is_secret(name));
        is_value = is_flag && !text.contains('=') && is_secret(text);
        if let Some(name) = name_and_value {
            *text = format!("{name}=");
        }
    }
}

/// Whether the value of an argument is secret. A name has no spaces; the scripts of a shell have.
fn is_secret(name: &str) -> bool {
    let name: String = name.chars().filter(|letter| !matches!(letter, '-' | '_')).collect();
    let name = name.to_lowercase();
    !name.contains(char::is_whitespace) && SECRET_WORDS.iter().any(|word| name.contains(word))
}
