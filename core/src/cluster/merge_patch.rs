//! Merging a change into an object.

use alloc::string::String;

use serde_json::Value;

/// RFC 7386: maps are merged, null removes, everything else is replaced.
pub(crate) fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(serde_json::Map::new());
    }
    let Some(target) = target.as_object_mut() else { return };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(key);
        } else {
            merge(target.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}

/// The patch that [`merge`] turns one manifest into another with, as `kubectl apply` computes it from the last one.
fn merge_diff(old: &Value, new: &Value) -> Value {
    let (Value::Object(old), Value::Object(new)) = (old, new) else { return new.clone() };
    let mut patch = serde_json::Map::new();
    for key in old.keys().filter(|key| !new.contains_key(*key)) {
        patch.insert(key.clone(), Value::Null);
    }
    for (key, value) in new {
        match old.get(key) {
            Some(before) if before == value => {}
            Some(before) => drop(patch.insert(key.clone(), merge_diff(before, value))),
            None => drop(patch.insert(key.clone(), value.clone())),
        }
    }
    Value::Object(patch)
}

/// The patch that `kubectl apply` sends for a changed manifest, as [`merge`] reads it.
///
/// A Deployment's strategy has the patch strategy `retainKeys`: a strategy of another type also loses the parameters
/// that the API server has defaulted.
///
/// Upstream: `k8s.io/apimachinery/pkg/util/strategicpatch/patch.go CreateThreeWayMergePatch`
pub(crate) fn apply_diff(old: &Value, new: &Value) -> Value {
    let mut patch = merge_diff(old, new);
    if new.get("kind").and_then(Value::as_str) == Some("Deployment")
        && new.pointer("/spec/strategy/rollingUpdate").is_none()
        && strategy_type(old) != strategy_type(new)
        && let Some(change) = patch.pointer_mut("/spec/strategy").and_then(Value::as_object_mut)
    {
        change.insert(String::from("rollingUpdate"), Value::Null);
    }
    patch
}

/// The type of a Deployment's strategy, by default RollingUpdate.
fn strategy_type(deployment: &Value) -> &str {
    deployment.pointer("/spec/strategy/type").and_then(Value::as_str).unwrap_or("RollingUpdate")
}

/// As [`merge`], but containers are merged by name, as a strategic merge patch does; a container without a name is the
/// first.
pub(super) fn merge_template(template: &mut Value, patch: &Value) {
    let mut rest = patch.clone();
    let containers = rest.get_mut("spec").and_then(Value::as_object_mut).and_then(|spec| spec.remove("containers"));
    merge(template, &rest);
    let (Some(Value::Array(changes)), Some(Value::Array(there))) =
        (containers, template.pointer_mut("/spec/containers"))
    else {
        return;
    };
    for change in changes {
        let position = match change.get("name") {
            None => Some(0),
            name => there.iter().position(|container| container.get("name") == name),
        };
        match position.and_then(|position| there.get_mut(position)) {
            Some(container) => merge(container, &change),
            None => there.push(change),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_difference_leads_from_one_manifest_to_the_other() {
        let old = json!({"a": {"b": 1, "c": [1]}, "d": "e", "f": {"g": 1}});
        let new = json!({"a": {"b": 2, "c": [1, 2]}, "f": {"g": 1}, "h": {"i": null}});
        let patch = merge_diff(&old, &new);
        assert_eq!(patch, json!({"a": {"b": 2, "c": [1, 2]}, "d": null, "h": {"i": null}}));
        let mut merged = old;
        merge(&mut merged, &patch);
        assert_eq!(merged, json!({"a": {"b": 2, "c": [1, 2]}, "f": {"g": 1}, "h": {}}));
    }

    #[test]
    fn a_changed_strategy_loses_what_the_new_manifest_leaves_out() {
        let deployment = |spec: Value| json!({"kind": "Deployment", "spec": spec});
        let recreate = deployment(json!({"strategy": {"type": "Recreate"}}));
        for old in [json!({}), json!({"strategy": {"type": "RollingUpdate"}})] {
            let patch = apply_diff(&deployment(old), &recreate);
            assert_eq!(patch, json!({"spec": {"strategy": {"type": "Recreate", "rollingUpdate": null}}}));
        }
        assert_eq!(apply_diff(&recreate, &recreate), json!({}));
        let rolling = deployment(json!({"strategy": {"type": "RollingUpdate"}}));
        assert_eq!(
            apply_diff(&deployment(json!({})), &rolling),
            json!({"spec": {"strategy": {"type": "RollingUpdate"}}})
        );
        assert_eq!(apply_diff(&recreate, &deployment(json!({}))), json!({"spec": {"strategy": null}}));
    }
}
