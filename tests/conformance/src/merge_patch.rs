//! The difference of two objects, as an RFC 7386 merge patch.

use serde_json::{Map, Value};

/// The patch that turns `before` into `after`: maps key by key, everything else as a whole, `null` for a removed key.
pub fn between(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter_map(|(key, after)| {
        let change = match (before.get(key), after) {
            (Some(before), after) if before == after => return None,
            (Some(Value::Object(before)), Value::Object(after)) => Value::Object(between(before, after)),
            _ => after.clone(),
        };
        Some((key.clone(), change))
    });
    gone.chain(changed).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn maps_by_key_and_lists_whole() {
        let before = json!({"a": 1, "b": {"c": 1, "d": 2}, "e": [1, 2], "f": {"g": 1}});
        let after = json!({"b": {"c": 1, "d": 3}, "e": [1], "f": {"g": 1}, "h": {"i": {}}});
        let change = between(before.as_object().unwrap(), after.as_object().unwrap());
        assert_eq!(Value::Object(change), json!({"a": null, "b": {"d": 3}, "e": [1], "h": {"i": {}}}));
    }
}
