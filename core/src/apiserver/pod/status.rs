//! The status of a Pod.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value, json};

use super::qos::compute_pod_qos;
use super::restart::validate_container_state_transition;
use super::validation::validate_annotation_updates;
use crate::apiserver::meta::validate_object_meta_update;
use crate::apiserver::strategy::StatusWrite;
use crate::apiserver::validation::{FieldError, names, validate_immutable};
use crate::feature_gates::Feature;
use crate::go;
use crate::object::unstructured::{at, field, integer, list, map_at, string};
use crate::path::Path;

/// The status of a new Pod.
/// Upstream: `pkg/registry/core/pod/strategy.go PrepareForCreate`
pub(super) fn initial(object: &Value) -> Value {
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let mut status = Map::new();
    status.insert("phase".into(), "Pending".into());
    status.insert("qosClass".into(), compute_pod_qos(spec).into());
    if !list(spec, "schedulingGates").is_empty() {
        // Upstream: `pkg/registry/core/pod/strategy.go applySchedulingGatedCondition`
        let condition = json!({
            "type": "PodScheduled",
            "status": "False",
            "reason": "SchedulingGated",
            "message": "Scheduling is blocked due to non-empty scheduling gates",
        });
        status.insert("conditions".into(), json!([condition]));
    }
    Value::Object(status)
}

/// What an update of the status may not write.
/// Upstream: `pkg/registry/core/pod/strategy.go podStatusStrategy.PrepareForUpdate`
pub(super) fn prepare(object: &mut Value, old: &Value) {
    if let Some(metadata) = map_at(object, &["metadata"]) {
        metadata.remove("deletionTimestamp");
        metadata.remove("ownerReferences");
        if let Some(owners) = at(old, &["metadata", "ownerReferences"]) {
            metadata.insert("ownerReferences".into(), owners.clone());
        }
    }
    let old = field(old, "status").unwrap_or(&Value::Null);
    let Some(status) = map_at(object, &["status"]) else { return };
    if status.get("qosClass").and_then(Value::as_str).unwrap_or_default().is_empty()
        && let Some(class) = field(old, "qosClass")
    {
        status.insert("qosClass".into(), class.clone());
    }
    preserve_old_observed_generation(status, old);
}

/// Upstream: `pkg/registry/core/pod/strategy.go preserveOldObservedGeneration`
fn preserve_old_observed_generation(status: &mut Map<String, Value>, old: &Value) {
    let key = "observedGeneration";
    let keep = |new: &mut Map<String, Value>, old: Option<&Value>| {
        let unset = new.get(key).and_then(Value::as_i64).unwrap_or_default() == 0;
        if unset && let Some(generation) = old.and_then(|old| field(old, key)) {
            new.insert(key.into(), generation.clone());
        }
    };
    keep(status, Some(old));
    let mut rest: Vec<&Value> = list(old, "conditions").iter().collect();
    for condition in status.get_mut("conditions").and_then(Value::as_array_mut).into_iter().flatten() {
        let same = |other: &&Value| string(other, "type") == string(condition, "type");
        let found = rest.iter().position(same).map(|index| rest.remove(index));
        if let Some(condition) = condition.as_object_mut() {
            keep(condition, found);
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodStatusUpdate`, without addresses, resources and claims
pub(super) fn validate(write: &StatusWrite<'_>, errors: &mut Vec<FieldError>) {
    let StatusWrite { object, old, options, gates } = *write;
    validate_object_meta_update(object, old, errors);
    validate_annotation_updates(object, old, options, errors);
    let path = Path::Root("status");
    let (spec, old_spec) = (field(object, "spec").unwrap_or(&Value::Null), field(old, "spec").unwrap_or(&Value::Null));
    let (status, old) = (write.status(), write.old_status());
    let conditions = path.child("conditions");
    for (index, condition) in list(status, "conditions").iter().enumerate() {
        let path = conditions.index(index);
        validate_observed_generation(condition, &path, errors);
        let name = string(condition, "type");
        if !["PodScheduled", "Ready", "Initialized"].contains(&name) {
            for text in names::is_label_key(name) {
                errors.push(FieldError::invalid_string(&path.child("Type"), name, text));
            }
        }
    }
    if string(spec, "nodeName") != string(old_spec, "nodeName") {
        errors.push(FieldError::forbidden(&path.child("nodeName"), "may not be changed directly"));
    }
    let key = "nominatedNodeName";
    let nominated = string(status, key);
    if nominated != string(old, key) && !nominated.is_empty() {
        for text in names::is_dns1123_subdomain(nominated) {
            errors.push(FieldError::invalid_string(&path.child(key), nominated, text));
        }
        if gates.enabled(Feature::ClearingNominatedNodeNameAfterBinding) && !string(old_spec, "nodeName").is_empty() {
            let detail = "may not be set on pods that are already bound to a node";
            errors.push(FieldError::forbidden(&path.child(key), detail));
        }
    }
    validate_observed_generation(status, &path, errors);
    let printed = |class: Option<&Value>| go::json_string(class.and_then(Value::as_str).unwrap_or_default());
    validate_immutable(status, old, "qosClass", &path, printed, errors);
    validate_container_state_transition(status, old, old_spec, &path, options, errors);
}

fn validate_observed_generation(value: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let key = "observedGeneration";
    let generation = integer(value, key).unwrap_or_default();
    if generation < 0 {
        errors.push(FieldError::invalid_number(&path.child(key), generation, "must be a non-negative integer"));
    }
}
