//! Compares what the core writes with what was sent.

use serde_json::Value;

/// The first place in which two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it is, as an RFC 6901 pointer.
    pub pointer: String,
    /// What was sent.
    pub sent: Value,
    /// What the core would send.
    pub core: Value,
}

/// A value without null, empty lists, empty maps and (at the top) the type, which make no difference.
pub fn normal(value: &Value) -> Value {
    let mut value = without_empty(value);
    if let Value::Object(map) = &mut value {
        map.remove("apiVersion");
        map.remove("kind");
    }
    value
}

/// An object in the form in which creations are compared: the URL contains its namespace, and its status is ignored.
pub fn as_created(mut object: Value) -> Value {
    if let Value::Object(map) = &mut object {
        map.remove("status");
        if let Some(Value::Object(metadata)) = map.get_mut("metadata") {
            metadata.remove("namespace");
        }
    }
    object
}

fn without_empty(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.iter().map(|(key, value)| (key.clone(), without_empty(value)));
            Value::Object(kept.filter(|(_, value)| !is_empty(value)).collect())
        }
        Value::Array(items) => items.iter().map(without_empty).collect(),
        other => other.clone(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// The first difference between two normal values.
pub fn difference(sent: &Value, core: &Value) -> Option<Difference> {
    at(String::new(), sent, core)
}

fn at(pointer: String, sent: &Value, core: &Value) -> Option<Difference> {
    match (sent, core) {
        (Value::Object(sent), Value::Object(core)) => {
            let below = |key: &str| format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
            let of_sent =
                sent.iter().find_map(|(key, value)| at(below(key), value, core.get(key).unwrap_or(&Value::Null)));
            of_sent.or_else(|| {
                let more = core.iter().find(|(key, _)| !sent.contains_key(*key))?;
                Some(Difference { pointer: below(more.0), sent: Value::Null, core: more.1.clone() })
            })
        }
        (Value::Array(sent), Value::Array(core)) if sent.len() == core.len() => {
            let pairs = sent.iter().zip(core).enumerate();
            pairs.into_iter().find_map(|(index, (sent, core))| at(format!("{pointer}/{index}"), sent, core))
        }
        (sent, core) if sent == core => None,
        (sent, core) => Some(Difference { pointer, sent: sent.clone(), core: core.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn empty_values_are_no_difference() {
        let sent = json!({"kind": "Pod", "metadata": {"creationTimestamp": null, "labels": {}}, "spec": {"a": [1]}});
        assert_eq!(difference(&normal(&sent), &normal(&json!({"spec": {"a": [1]}}))), None);
    }

    #[test]
    fn the_first_difference_has_both_values() {
        let (sent, core) = (json!({"spec": {"replicas": 3}}), json!({"spec": {"replicas": 4}}));
        let expected = Difference { pointer: "/spec/replicas".into(), sent: 3.into(), core: 4.into() };
        assert_eq!(difference(&sent, &core), Some(expected));
    }

    #[test]
    fn a_field_that_only_the_core_has_is_a_difference() {
        let found = difference(&json!({}), &json!({"status": {"a/b": 1}})).unwrap();
        assert_eq!((&*found.pointer, found.sent), ("/status", Value::Null));
    }
}
