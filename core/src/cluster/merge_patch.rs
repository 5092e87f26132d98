//! Merging a change into an object.

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
