//! Validation of a changed Pod.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::validation::{validate_annotation_updates, validate_images, validate_metadata_and_spec};
use crate::apiserver::equality::{equal_field, semantic_equal};
use crate::apiserver::meta::validate_object_meta_update;
use crate::apiserver::pod_spec::PodValidationOptions;
use crate::apiserver::validation::FieldError;
use crate::go;
use crate::object::unstructured::{at, field, integer, list, map, map_in, set_or_remove, string};
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodUpdate`
pub(super) fn validate_pod_update(
    object: &Value,
    old: &Value,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    validate_object_meta_update(object, old, errors);
    validate_metadata_and_spec(object, options, errors);
    validate_annotation_updates(object, old, options, errors);
    let (spec, old) = (field(object, "spec").unwrap_or(&Value::Null), field(old, "spec").unwrap_or(&Value::Null));
    let path = Path::Root("spec");
    for key in ["containers", "initContainers"] {
        if list(spec, key).len() != list(old, key).len() {
            errors.push(FieldError::forbidden(&path.child(key), "pod updates may not add or remove containers"));
            return;
        }
        let path = path.child(key);
        for (index, container) in list(spec, key).iter().enumerate() {
            if string(container, "image").is_empty() {
                let path = path.index(index);
                errors.push(FieldError::required(&path.child("image"), ""));
            }
        }
        validate_images(spec, key, &Path::Root("spec"), errors);
    }
    if !validate_active_deadline(spec, old, &path, errors) {
        return;
    }
    validate_only_added_tolerations(spec, old, &path.child("tolerations"), errors);
    validate_only_deleted_scheduling_gates(spec, old, &path.child("schedulingGates"), errors);
    if !list(old, "schedulingGates").is_empty() {
        validate_node_selector_mutation(spec, old, &path.child("nodeSelector"), errors);
        validate_node_affinity_mutation(spec, old, &path, errors);
    }
    let munged = munged(spec, old);
    if !semantic_equal(Some(&munged), Some(old)) {
        let mut detail = String::from(
            "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)",
        );
        detail.push_str(&options.printer.difference(old, &munged));
        errors.push(FieldError::forbidden(&path, detail));
    }
}

/// The deadline may come, and may become shorter. Says whether the rest is looked at.
fn validate_active_deadline(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) -> bool {
    let path = path.child("activeDeadlineSeconds");
    match (integer(spec, "activeDeadlineSeconds"), integer(old, "activeDeadlineSeconds")) {
        (Some(new), _) if !(0..=i64::from(i32::MAX)).contains(&new) => {
            let detail = "must be between 0 and 2147483647, inclusive";
            errors.push(FieldError::invalid_number(&path, new, detail));
            return false;
        }
        (Some(new), Some(old)) if old < new => {
            errors.push(FieldError::invalid_number(&path, new, "must be less than or equal to previous value"));
            return false;
        }
        (None, Some(_)) => {
            let detail = "must not update from a positive integer to nil value";
            errors.push(FieldError::invalid(&path, "null".into(), detail));
        }
        _ => {}
    }
    true
}

/// Upstream: `pkg/apis/core/validation/validation.go validateOnlyAddedTolerations`, without what makes one valid
fn validate_only_added_tolerations(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "tolerations";
    let same = |a: &Value, b: &Value| {
        ["key", "operator", "value", "effect"].iter().all(|key| equal_field(key, field(a, key), field(b, key)))
    };
    if !list(old, key).iter().all(|old| list(spec, key).iter().any(|new| same(new, old))) {
        let detail = "existing toleration can not be modified except its tolerationSeconds";
        errors.push(FieldError::forbidden(path, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateOnlyDeletedSchedulingGates`
fn validate_only_deleted_scheduling_gates(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "schedulingGates";
    let known = |name: &str| list(old, key).iter().any(|gate| string(gate, "name") == name);
    let gates = list(spec, key);
    for (index, gate) in gates.iter().enumerate() {
        let name = string(gate, "name");
        // Of several with one name, upstream reports the last.
        let is_last = !gates.iter().skip(index.saturating_add(1)).any(|gate| string(gate, "name") == name);
        if is_last && !known(name) {
            let detail = format!("only deletion is allowed, but found new scheduling gate '{name}'");
            let path = path.index(index);
            errors.push(FieldError::forbidden(&path.child("name"), detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateNodeSelectorMutation`
fn validate_node_selector_mutation(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "nodeSelector";
    let new = map(spec, key);
    let kept = |(key, value): (&String, &Value)| new.and_then(|new| new.get(key)) == Some(value);
    if !map(old, key).into_iter().flatten().all(kept) {
        let value = go::json(field(spec, key).unwrap_or(&Value::Null));
        let detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)";
        errors.push(FieldError::invalid(path, value, detail));
    }
}

/// All terms may not be taken away. What else becomes of them is not looked at, as affinity is not.
/// Upstream: `pkg/apis/core/validation/validation.go validateNodeAffinityMutation`, this part alone
fn validate_node_affinity_mutation(spec: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let field_path =
        ["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"];
    let [affinity, node, required, terms] = field_path;
    let had = at(old, &field_path).and_then(Value::as_array).is_some_and(|terms| !terms.is_empty());
    if had && at(spec, &field_path).is_none() {
        let path = path.child(affinity);
        let path = path.child(node);
        let path = path.child(required);
        let detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed";
        errors.push(FieldError::invalid(&path.child(terms), "null".into(), detail));
    }
}

/// The spec with the old one's values where an update may change them.
/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodUpdate`
fn munged(spec: &Value, old: &Value) -> Value {
    let mut munged = spec.clone();
    let Some(map) = munged.as_object_mut() else { return munged };
    for key in ["containers", "initContainers"] {
        let containers = map.get_mut(key).and_then(Value::as_array_mut);
        if containers.as_ref().is_some_and(|containers| containers.is_empty()) {
            map.remove(key);
            continue;
        }
        for (container, old) in containers.into_iter().flatten().zip(list(old, key)) {
            if let Some(container) = container.as_object_mut() {
                set_or_remove(container, "image", field(old, "image"));
            }
        }
    }
    for key in ["activeDeadlineSeconds", "schedulingGates", "tolerations"] {
        set_or_remove(map, key, field(old, key));
    }
    // What was negative may become 1.
    let grace_period = "terminationGracePeriodSeconds";
    if integer(old, grace_period).is_some_and(|seconds| seconds < 0)
        && map.get(grace_period).and_then(Value::as_i64) == Some(1)
    {
        set_or_remove(map, grace_period, field(old, grace_period));
    }
    if !list(old, "schedulingGates").is_empty() {
        set_or_remove(map, "nodeSelector", field(old, "nodeSelector"));
        keep_node_affinity(map, field(old, "affinity"));
    }
    munged
}

/// A gated Pod may get another node affinity, but only more of it.
fn keep_node_affinity(spec: &mut Map<String, Value>, old: Option<&Value>) {
    let key = "nodeAffinity";
    let (new, old_node) = (spec.get("affinity").cloned(), old.and_then(|old| field(old, key)));
    let new = new.filter(|new| !new.is_null());
    if semantic_equal(new.as_ref().and_then(|new| field(new, key)), old_node) {
        return;
    }
    let alone =
        new.as_ref().is_none_or(|new| ["podAffinity", "podAntiAffinity"].iter().all(|key| field(new, key).is_none()));
    if new.is_some() && old.is_none() && alone {
        spec.remove("affinity");
    } else if let Some(affinity) = map_in(spec, "affinity") {
        set_or_remove(affinity, key, old_node);
    }
}
