//! Compares an operation's result with the expected one, by the rules of the case format. The tests below are its
//! sentences.

use serde_json::{Map, Value};

/// The first difference.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// Where: an RFC 6901 pointer.
    pub pointer: String,
    /// The expected value, if any.
    pub expected: Option<Value>,
    /// The actual value, if any.
    pub got: Option<Value>,
}

/// How two values are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// All keys of both; `null`, an empty map and an empty list in a map count as absent.
    Whole,
    /// As `Whole`, but only the keys that are expected.
    Given,
    /// All keys of both, and `null` is a value: in a merge patch it removes.
    Patch,
}

/// The first difference, looking only at the keys that are expected.
pub fn difference(expected: &Map<String, Value>, got: &Map<String, Value>) -> Option<Difference> {
    expected.iter().find_map(|(key, expected)| {
        let pointer = format!("/{}", escape(key));
        let got = got.get(key);
        match expected {
            // Whether it fails, whatever the text.
            Value::Bool(fails) if key == "error" => {
                let failed = got.is_some_and(|got| !matches!(got, Value::Null | Value::Bool(false)));
                (failed != *fails).then(|| report(&pointer, Some(expected), got))
            }
            _ => compare(&pointer, Some(expected), got, rules_below(Rules::Whole, &Map::new(), key, expected)),
        }
    })
}

fn compare(pointer: &str, expected: Option<&Value>, got: Option<&Value>, rules: Rules) -> Option<Difference> {
    // A status of which only absent keys are given need not be absent itself.
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

/// The rules for the value of a key: a write's `change` is a patch, a `status` elsewhere has only what is of interest.
fn rules_below(rules: Rules, parent: &Map<String, Value>, key: &str, value: &Value) -> Rules {
    match (rules, key) {
        (Rules::Patch, _) => Rules::Patch,
        (_, "change") if parent.contains_key("verb") => Rules::Patch,
        (_, "status") if value.is_object() => Rules::Given,
        // Of a timeline's frame, the objects' keys that are of interest.
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

/// The value without parts that count as absent.
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

    /// Where the first difference is.
    fn differs(expected: Value, got: Value) -> Option<String> {
        difference(expected.as_object().unwrap(), got.as_object().unwrap()).map(|difference| difference.pointer)
    }

    fn at(pointer: &str) -> Option<String> {
        Some(pointer.into())
    }

    #[test]
    fn only_expected_keys_are_looked_at() {
        assert_eq!(differs(json!({"result": true}), json!({"result": true, "more": 1})), None);
        assert_eq!(differs(json!({"result": true}), json!({})), at("/result"));
    }

    #[test]
    fn but_below_them_all_keys_are() {
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
    fn numbers_strings_and_booleans_are_different_things() {
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
    fn in_any_other_status_only_the_given_keys_are() {
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
        // A status that is given as empty has nothing in it.
        let object = |status: Value| json!({"object": {"name": "web", "status": status}});
        assert_eq!(differs(object(json!({})), object(json!({"a": 1}))), at("/object/status"));
        // A condition's status is a word.
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
    fn an_error_is_any_error_or_that_text() {
        assert_eq!(differs(json!({"error": true}), json!({"error": "too bad"})), None);
        assert_eq!(differs(json!({"error": true}), json!({"error": null})), at("/error"));
        assert_eq!(differs(json!({"error": false}), json!({})), None);
        assert_eq!(differs(json!({"error": false}), json!({"error": "too bad"})), at("/error"));
        assert_eq!(differs(json!({"error": "too bad"}), json!({"error": "too bad"})), None);
        assert_eq!(differs(json!({"error": "too bad"}), json!({"error": "worse"})), at("/error"));
        assert_eq!(differs(json!({"error": "too bad"}), json!({})), at("/error"));
    }

    #[test]
    fn of_a_frame_only_the_given_keys_of_objects() {
        let at_step = |objects: Value| json!({"at": [{"step": 3, "objects": objects}]});
        let got = at_step(json!({"ReplicaSet/web-1": {"replicas": 3, "more": 1}, "ReplicaSet/web-2": {"replicas": 1}}));
        assert_eq!(differs(at_step(json!({"ReplicaSet/web-1": {"replicas": 3}})), got.clone()), None);
        assert_eq!(
            differs(at_step(json!({"ReplicaSet/web-1": {"replicas": 2}})), got),
            at("/at/0/objects/ReplicaSet~1web-1/replicas")
        );
    }
}
