//! Compares an operation's result with the expected one, by the rules of the case format. The tests below state the
//! rules.

use serde_json::{Map, Value};

/// The first difference.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// Where it is, as an RFC 6901 pointer.
    pub pointer: String,
    /// The expected value, if any.
    pub expected: Option<Value>,
    /// The actual value, if any.
    pub got: Option<Value>,
}

/// The rules for comparing two values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// All keys of both. In a map, `null`, an empty map and an empty list count as absent.
    Whole,
    /// As `Whole`, but only the expected keys.
    Given,
    /// All keys of both, and `null` is a value: a merge patch removes the key.
    Patch,
}

/// The first difference in the expected keys.
pub fn difference(expected: &Map<String, Value>, got: &Map<String, Value>) -> Option<Difference> {
    expected.iter().find_map(|(key, expected)| {
        let pointer = format!("/{}", escape(key));
        let got = got.get(key);
        match expected {
            // A Boolean expects that it fails or succeeds, with any message.
            Value::Bool(fails) if key == "error" => {
                let failed = got.is_some_and(|got| !matches!(got, Value::Null | Value::Bool(false)));
                (failed != *fails).then(|| report(&pointer, Some(expected), got))
            }
            _ => compare(&pointer, Some(expected), got, rules_below(Rules::Whole, &Map::new(), key, expected)),
        }
    })
}

fn compare(pointer: &str, expected: Option<&Value>, got: Option<&Value>, rules: Rules) -> Option<Difference> {
    // If a status is expected with absent keys only, the status itself may be present.
    if let (Rules::Given, Some(Value::Object(wanted)), None | Some(Value::Object(_))) = (rules, expected, got)
        && !wanted.is_empty()
    {
        let found = got.and_then(Value::as_object).cloned().unwrap_or_default();
        return compare_maps(pointer, wanted, &found, rules);
    }
    let (expected, got) = match rules {
        Rules::Patch => (expected, got),
        Rules::Whole | Rules::Given => {
            (expected.filter(|value| !is_absent(value)), got.filter(|value| !is_absent(value)))
        }
    };
    match (expected, got) {
        (None, None) => None,
        (Some(Value::Object(expected)), Some(Value::Object(got))) => compare_maps(pointer, expected, got, rules),
        (Some(Value::Array(wanted)), Some(Value::Array(found))) if wanted.len() == found.len() => {
            let mut pairs = wanted.iter().zip(found).enumerate();
            pairs.find_map(|(index, (wanted, found))| {
                compare(&format!("{pointer}/{index}"), Some(wanted), Some(found), rules)
            })
        }
        (Some(wanted), Some(found)) if wanted == found => None,
        (expected, got) => Some(report(pointer, expected, got)),
    }
}

fn compare_maps(
    pointer: &str,
    expected: &Map<String, Value>,
    got: &Map<String, Value>,
    rules: Rules,
) -> Option<Difference> {
    let child = |key: &str| format!("{pointer}/{}", escape(key));
    let wanted = expected.iter().find_map(|(key, wanted)| {
        compare(&child(key), Some(wanted), got.get(key), rules_below(rules, expected, key, wanted))
    });
    if wanted.is_some() || rules == Rules::Given {
        return wanted;
    }
    let mut unexpected = got.iter().filter(|(key, _)| !expected.contains_key(*key));
    unexpected.find_map(|(key, found)| compare(&child(key), None, Some(found), rules))
}

/// The rules for the value of a key: a write's `change` is a patch, and any other `status` is compared only in its
/// expected keys.
fn rules_below(rules: Rules, parent: &Map<String, Value>, key: &str, value: &Value) -> Rules {
    match (rules, key) {
        (Rules::Patch, _) => Rules::Patch,
        (_, "change") if parent.contains_key("verb") => Rules::Patch,
        (_, "status") if value.is_object() => Rules::Given,
        // In a timeline's frame, only the expected keys of the objects count.
        (_, "objects") if parent.contains_key("time") || parent.contains_key("step") => Rules::Given,
        _ => rules,
    }
}

/// Whether the value counts as absent.
fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.values().all(is_absent),
        _ => false,
    }
}

/// The value without the parts that count as absent.
pub fn without_absent(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_absent).collect(),
        Value::Object(map) => {
            let present = map.iter().filter(|(_, value)| !is_absent(value));
            present.map(|(key, value)| (key.clone(), without_absent(value))).collect()
        }
        other => other.clone(),
    }
}

fn report(pointer: &str, expected: Option<&Value>, got: Option<&Value>) -> Difference {
    Difference { pointer: pointer.into(), expected: expected.cloned(), got: got.cloned() }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Where two values differ.
    fn differs(expected: Value, got: Value) -> Option<String> {
        difference(expected.as_object().unwrap(), got.as_object().unwrap()).map(|difference| difference.pointer)
    }

    fn at(pointer: &str) -> Option<String> {
        Some(pointer.into())
    }

    #[test]
    fn only_expected_keys_are_compared() {
        assert_eq!(differs(json!({"result": true}), json!({"result": true, "more": 1})), None);
        assert_eq!(differs(json!({"result": true}), json!({})), at("/result"));
    }

    #[test]
    fn below_expected_keys_all_keys_are_compared() {
        assert_eq!(differs(json!({"object": {"a": 1}}), json!({"object": {"a": 1, "b": 2}})), at("/object/b"));
        assert_eq!(differs(json!({"object": {"a": 1, "b": 2}}), json!({"object": {"a": 1}})), at("/object/b"));
        assert_eq!(differs(json!({"object": {"a": {"b": 1}}}), json!({"object": {"a": {"b": 2}}})), at("/object/a/b"));
    }

    #[test]
    fn null_and_empty_are_absent_at_any_depth() {
        assert_eq!(differs(json!({"name": null}), json!({})), None);
        assert_eq!(differs(json!({"writes": []}), json!({})), None);
        assert_eq!(differs(json!({"name": null}), json!({"name": "web"})), at("/name"));
        let full = json!({"object": {"a": 1, "b": {"c": null, "d": {}}, "e": []}});
        assert_eq!(differs(full.clone(), json!({"object": {"a": 1}})), None);
        assert_eq!(differs(json!({"object": {"a": 1}}), full), None);
        assert_eq!(differs(json!({"object": {"a": 1}}), json!({"object": {"a": 1, "b": ""}})), at("/object/b"));
        assert_eq!(differs(json!({"object": {"a": 1}}), json!({"object": {"a": 1, "b": [{}]}})), at("/object/b"));
    }

    #[test]
    fn lists_have_an_order_and_a_length() {
        assert_eq!(differs(json!({"names": ["a", "b"]}), json!({"names": ["b", "a"]})), at("/names/0"));
        assert_eq!(differs(json!({"names": ["a"]}), json!({"names": ["a", "b"]})), at("/names"));
    }

    #[test]
    fn numbers_strings_and_booleans_differ() {
        assert_eq!(differs(json!({"count": 1}), json!({"count": "1"})), at("/count"));
        assert_eq!(differs(json!({"count": 0}), json!({})), at("/count"));
        assert_eq!(differs(json!({"result": false}), json!({})), at("/result"));
    }

    #[test]
    fn a_change_is_compared_exactly() {
        let write = |change: Value| json!({"writes": [{"verb": "update", "change": change}]});
        let change = json!({"metadata": {"annotations": {"a": null}}, "status": {"replicas": null}});
        assert_eq!(differs(write(change.clone()), write(change.clone())), None);
        assert_eq!(
            differs(
                write(change.clone()),
                write(json!({"metadata": {"annotations": {}}, "status": {"replicas": null}}))
            ),
            at("/writes/0/change/metadata/annotations/a")
        );
        assert_eq!(differs(write(change), write(json!({}))), at("/writes/0/change/metadata"));
        assert_eq!(differs(write(json!({})), write(json!({"spec": null}))), at("/writes/0/change/spec"));
        assert_eq!(differs(write(json!({})), write(json!({"spec": {}}))), at("/writes/0/change/spec"));
        assert_eq!(differs(write(json!({})), json!({"writes": [{"verb": "update"}]})), at("/writes/0/change"));
    }

    #[test]
    fn in_the_status_of_a_change_every_key_is_compared() {
        let write = |change: Value| json!({"writes": [{"verb": "updateStatus", "change": change}]});
        assert_eq!(
            differs(
                write(json!({"status": {"replicas": 1}})),
                write(json!({"status": {"replicas": 1, "readyReplicas": 1}}))
            ),
            at("/writes/0/change/status/readyReplicas")
        );
    }

    #[test]
    fn in_any_other_status_only_expected_keys_are_compared() {
        let status = |conditions: Value| json!({"status": {"replicas": 1, "conditions": conditions}});
        let got = json!([{"type": "A", "status": "True", "reason": "R"}, {"type": "B", "status": "True"}]);
        assert_eq!(differs(status(json!([{"type": "A"}, {"type": "B"}])), status(got.clone())), None);
        assert_eq!(
            differs(status(json!([{"type": "B"}, {"type": "A"}])), status(got.clone())),
            at("/status/conditions/0/type")
        );
        assert_eq!(differs(status(json!([{"type": "A"}])), status(got.clone())), at("/status/conditions"));
        assert_eq!(
            differs(json!({"status": {"readyReplicas": null}}), json!({"status": {"readyReplicas": 1}})),
            at("/status/readyReplicas")
        );
        assert_eq!(
            differs(json!({"object": {"status": {"a": 1}}}), json!({"object": {"status": {"a": 1, "b": 2}}})),
            None
        );
        // An expected empty status has no contents.
        let object = |status: Value| json!({"object": {"name": "web", "status": status}});
        assert_eq!(differs(object(json!({})), object(json!({"a": 1}))), at("/object/status"));
        // A condition's status is a string.
        assert_eq!(
            differs(json!({"condition": {"status": "True"}}), json!({"condition": {"status": "False"}})),
            at("/condition/status")
        );
        assert_eq!(
            differs(json!({"condition": {"status": "True"}}), json!({"condition": {"status": "True", "reason": "R"}})),
            at("/condition/reason")
        );
    }

    #[test]
    fn an_expected_error_is_any_error_or_a_text() {
        assert_eq!(differs(json!({"error": true}), json!({"error": "too bad"})), None);
        assert_eq!(differs(json!({"error": true}), json!({"error": null})), at("/error"));
        assert_eq!(differs(json!({"error": false}), json!({})), None);
        assert_eq!(differs(json!({"error": false}), json!({"error": "too bad"})), at("/error"));
        assert_eq!(differs(json!({"error": "too bad"}), json!({"error": "too bad"})), None);
        assert_eq!(differs(json!({"error": "too bad"}), json!({"error": "worse"})), at("/error"));
        assert_eq!(differs(json!({"error": "too bad"}), json!({})), at("/error"));
    }

    #[test]
    fn in_a_frame_only_expected_keys_of_objects_are_compared() {
        let at_step = |objects: Value| json!({"at": [{"step": 3, "objects": objects}]});
        let got = at_step(json!({"ReplicaSet/web-1": {"replicas": 3, "more": 1}, "ReplicaSet/web-2": {"replicas": 1}}));
        assert_eq!(differs(at_step(json!({"ReplicaSet/web-1": {"replicas": 3}})), got.clone()), None);
        assert_eq!(
            differs(at_step(json!({"ReplicaSet/web-1": {"replicas": 2}})), got),
            at("/at/0/objects/ReplicaSet~1web-1/replicas")
        );
    }
}
