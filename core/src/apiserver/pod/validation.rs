//! Validation of a new Pod, and what that of an update shares with it.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::meta::{NameRule, validate_object_meta};
use crate::apiserver::pod_spec::{
    MIRROR_POD, PodValidationOptions, validate_host_network, validate_mirror, validate_pod_spec,
    validate_pod_specific_annotations,
};
use crate::apiserver::validation::{FieldError, names, validate_nonnegative_field};
use crate::go;
use crate::object::unstructured::{at, field, list, string};
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go validatePodMetadataAndSpec`
pub(super) fn validate_metadata_and_spec(object: &Value, options: PodValidationOptions, errors: &mut Vec<FieldError>) {
    validate_object_meta(object, NameRule::DnsSubdomain, errors);
    validate_pod_annotations(object, options, errors);
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let path = Path::Root("spec");
    validate_pod_spec(spec, &[], &path, options, errors);
    validate_host_network(spec, true, &path, options, errors);
    validate_nonnegative_field(spec, "terminationGracePeriodSeconds", &path, errors);
    for key in ["containers", "initContainers"] {
        validate_images(spec, key, &path, errors);
    }
    let name = at(object, &["metadata", "name"]).and_then(Value::as_str).unwrap_or_default();
    validate_claim_names(spec, name, &path.child("volumes"), errors);
}

/// An ephemeral volume has a claim, named after the Pod and itself.
/// Upstream: `pkg/apis/core/validation/validation.go validateVolumeSource`, this part alone
fn validate_claim_names(spec: &Value, pod: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (index, volume) in list(spec, "volumes").iter().enumerate() {
        let name = string(volume, "name");
        if field(volume, "ephemeral").is_none() || is_of_another_type(volume) || name.is_empty() || pod.is_empty() {
            continue;
        }
        let claim = format!("{pod}-{name}");
        for text in names::is_dns1123_subdomain(&claim) {
            let path = path.index(index);
            let detail = format!("PVC name {}: {text}", go::quoted(&claim));
            errors.push(FieldError::invalid_string(&path.child("name"), name, detail));
        }
    }
}

/// Of a volume of several types upstream looks at the first, and `image` comes last.
fn is_of_another_type(volume: &Value) -> bool {
    let others = volume.as_object().into_iter().flatten();
    others.filter(|(_, value)| !value.is_null()).any(|(key, _)| !["name", "ephemeral", "image"].contains(&key.as_str()))
}

fn validate_pod_annotations(object: &Value, options: PodValidationOptions, errors: &mut Vec<FieldError>) {
    let annotations = at(object, &["metadata", "annotations"]).and_then(Value::as_object);
    let metadata = Path::Root("metadata");
    let path = metadata.child("annotations");
    validate_pod_specific_annotations(annotations, &path, options, errors);
    validate_mirror(annotations, field(object, "spec").unwrap_or(&Value::Null), &path, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodSpecificAnnotationUpdates`, without AppArmor's
pub(super) fn validate_annotation_updates(
    object: &Value,
    old: &Value,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    let mirror = |object| at(object, &["metadata", "annotations", MIRROR_POD]);
    let detail = match (mirror(object), mirror(old)) {
        (new, Some(old)) if new != Some(old) => Some("may not remove or update mirror pod annotation"),
        (Some(_), None) => Some("may not add mirror pod annotation"),
        _ => None,
    };
    if let Some(detail) = detail {
        let metadata = Path::Root("metadata");
        let path = metadata.child("annotations");
        errors.push(FieldError::forbidden(&path.key(MIRROR_POD), detail));
    }
    validate_pod_annotations(object, options, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateContainersOnlyForPod`
pub(super) fn validate_images(spec: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let path = path.child(key);
    for (index, container) in list(spec, key).iter().enumerate() {
        let image = string(container, "image");
        if image.trim().len() != image.len() {
            let path = path.index(index);
            let detail = "must not have leading or trailing whitespace";
            errors.push(FieldError::invalid_string(&path.child("image"), image, detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidatePodCreate`
pub(super) fn validate_pod_create(object: &Value, options: PodValidationOptions, errors: &mut Vec<FieldError>) {
    validate_metadata_and_spec(object, options, errors);
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let path = Path::Root("spec");
    if !list(spec, "ephemeralContainers").is_empty() {
        errors.push(FieldError::forbidden(&path.child("ephemeralContainers"), "cannot be set on create"));
    }
    if !string(spec, "nodeName").is_empty() && !list(spec, "schedulingGates").is_empty() {
        let detail = "cannot be set until all schedulingGates have been cleared";
        errors.push(FieldError::forbidden(&path.child("nodeName"), detail));
    }
}
