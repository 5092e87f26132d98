//! What must not leave the page with a pasted manifest.

use serde_json::{Map, Value};

/// Holds the whole manifest as text, values included.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What the name of an argument has in it whose value is secret, without dashes and underscores.
const SECRET_WORDS: [&str; 8] = ["pass", "pwd", "token", "secret", "credential", "apikey", "accesskey", "privatekey"];

/// Empties everything in a manifest that may be secret: the values of Secrets and ConfigMaps, the `value`s of environment variables
/// and of the HTTP headers of probes and hooks, the queries of their paths, the values of arguments like `--password=...`, the
/// passwords of URLs in arguments, and the annotation in which kubectl keeps the whole manifest. The names stay.
pub fn remove_secrets(manifest: &mut Value) {
    // A list instead of recursion: a manifest may be nested deeper than the stack is high.
    let mut rest = vec![(manifest, false)];
    while let Some((value, is_of_data)) = rest.pop() {
        match value {
            Value::Object(map) => {
                let kind = map.get("kind").and_then(Value::as_str).unwrap_or_default();
                // The items of a typed list have no kind of their own.
                let has_data = matches!(kind, "SecretList" | "ConfigMapList");
                if is_of_data || matches!(kind, "Secret" | "ConfigMap") {
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
                if let Some(Value::String(path)) = map.get_mut("httpGet").and_then(|get| get.get_mut("path"))
                    && let Some(query) = path.find('?')
                {
                    path.truncate(query);
                }
                for arguments in ["command", "args"] {
                    if let Some(Value::Array(arguments)) = map.get_mut(arguments) {
                        empty_arguments(arguments);
                    }
                }
                rest.extend(map.iter_mut().map(|(key, value)| (value, has_data && key == "items")));
            }
            // The items of a list are what the list is.
            Value::Array(items) => rest.extend(items.iter_mut().map(|item| (item, is_of_data))),
            _ => {}
        }
    }
}

/// Empties the values of a Secret or ConfigMap.
fn empty_data(object: &mut Map<String, Value>) {
    for field in ["data", "stringData", "binaryData"] {
        match object.get_mut(field) {
            Some(Value::Object(data)) => data.values_mut().for_each(|value| *value = Value::from("")),
            // No map: whatever it is, it is not shared.
            Some(other) => *other = Value::Null,
            None => {}
        }
    }
}

/// Empties the values of arguments whose name says that they are secret: `--password=...`, or `--password` and what follows; also
/// among the words of a script, and the passwords of URLs.
fn empty_arguments(arguments: &mut [Value]) {
    let mut next = Next::Any;
    for argument in arguments {
        let Value::String(text) = argument else { continue };
        let is_script = text.contains(char::is_whitespace);
        if is_script && next == Next::Any {
            *text = without_secret_words(text);
        } else {
            let (word, after) = without_secret(text, next);
            // The quotes of an argument are a part of it.
            next = if after == Next::Secret { after } else { Next::Any };
            *text = word;
        }
    }
}

/// What a word of arguments or of a script is, going by those before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Any,
    /// The value of a flag or a header that is secret.
    Secret,
    /// A part of such a value, up to this quote.
    SecretUntil(char),
}

/// A script without the values of the secret words in it.
fn without_secret_words(script: &str) -> String {
    let mut left = String::with_capacity(script.len());
    let mut next = Next::Any;
    for piece in script.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end();
        if !word.is_empty() {
            let (word, after) = without_secret(word, next);
            left.push_str(&word);
            next = after;
        }
        left.push_str(piece.strip_prefix(word).unwrap_or_default());
    }
    left
}

/// A word without a value that is secret, and what the next word is.
fn without_secret(word: &str, next: Next) -> (String, Next) {
    match next {
        Next::SecretUntil(quote) => (String::new(), if word.ends_with(quote) { Next::Any } else { next }),
        Next::Secret if !word.starts_with('-') => (String::new(), after_value(word)),
        Next::Any | Next::Secret => {
            let mut equals_signs =
                word.match_indices('=').filter_map(|(at, _)| word.split_at_checked(at.checked_add(1)?));
            match equals_signs.find(|(name, _)| is_secret(name)) {
                Some((name, value)) => (without_url_password(name), after_value(value)),
                None => (without_url_password(word), if announces_secret(word) { Next::Secret } else { Next::Any }),
            }
        }
    }
}

/// What follows the beginning of a value. One that begins with a quote ends with one.
fn after_value(value: &str) -> Next {
    match value.chars().next() {
        Some(quote @ ('"' | '\'')) if value.len() == 1 || !value.ends_with(quote) => Next::SecretUntil(quote),
        _ => Next::Any,
    }
}

/// Whether a secret value follows a word: `--token`, `X-Auth-Token:` or `Bearer`.
fn announces_secret(word: &str) -> bool {
    let word = word.trim_matches(['"', '\'']);
    let is_name = word.starts_with('-') || word.ends_with(':');
    (is_name && is_secret(word)) || ["bearer", "basic"].contains(&word.to_lowercase().as_str())
}

/// Whether the name of a value says that it is secret.
fn is_secret(name: &str) -> bool {
    let name: String = name.chars().filter(|letter| !matches!(letter, '-' | '_')).collect();
    let name = name.to_lowercase();
    SECRET_WORDS.iter().any(|word| name.contains(word))
}

/// A word in which the password of a URL is empty: `https://user:password@host/`.
fn without_url_password(word: &str) -> String {
    let without = || {
        let (scheme, rest) = word.split_once("://")?;
        let end = rest.find(['/', '?', '#', '"', '\'']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end)?;
        let (user_info, host) = authority.rsplit_once('@')?;
        let (user, _) = user_info.split_once(':')?;
        Some(format!("{scheme}://{user}:@{host}{path}"))
    };
    without().unwrap_or_else(|| word.to_owned())
}
