//! The claims of a StatefulSet.

use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::meta::selector::validate_label_selector;
use crate::apiserver::validation::FieldError;
use crate::go;
use crate::object::quantity;
use crate::object::unstructured::{at, field, list, string};
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go supportedAccessModes`
const ACCESS_MODES: [&str; 4] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/// Those of a new StatefulSet: an update can't change them.
///
/// Upstream: `pkg/apis/apps/validation/validation.go validateVolumeClaimTemplates`
pub(in crate::apiserver) fn validate_claim_templates(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let list_path = path.child("volumeClaimTemplates");
    for (index, claim) in list(spec, "volumeClaimTemplates").iter().enumerate() {
        let path = list_path.index(index);
        validate_claim_spec(field(claim, "spec").unwrap_or(&Value::Null), &path.child("spec"), errors);
    }
}

/// Without the sources of its data.
///
/// Upstream: `pkg/apis/core/validation/validation.go ValidatePersistentVolumeClaimSpec`
fn validate_claim_spec(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (modes, modes_path) = (list(spec, "accessModes"), path.child("accessModes"));
    if modes.is_empty() {
        errors.push(FieldError::required(&modes_path, "at least 1 access mode is required"));
    }
    if let Some(selector) = field(spec, "selector") {
        validate_label_selector(selector, false, &path.child("selector"), errors);
    }
    let (mut is_exclusive, mut is_shared) = (false, false);
    for mode in modes.iter().map(|mode| mode.as_str().unwrap_or_default()) {
        match mode {
            "ReadWriteOncePod" => is_exclusive = true,
            _ if ACCESS_MODES.contains(&mode) => is_shared = true,
            _ => errors.push(FieldError::not_supported(&modes_path, go::json_string(mode), &ACCESS_MODES)),
        }
    }
    if is_exclusive && is_shared {
        let detail = "may not use ReadWriteOncePod with other access modes";
        errors.push(FieldError::forbidden(&modes_path, detail));
    }
    let resources = path.child("resources");
    let storage_path = resources.key("storage");
    match at(spec, &["resources", "requests", "storage"]) {
        None => errors.push(FieldError::required(&storage_path, "")),
        Some(storage) if quantity::nanos(storage).is_some_and(|nanos| nanos <= 0) => {
            let written = quantity::canonical(storage).unwrap_or_default();
            errors.push(FieldError::invalid_string(&storage_path, &written, "must be greater than zero"));
        }
        Some(_) => {}
    }
    for key in ["storageClassName", "volumeAttributesClassName"] {
        let name = string(spec, key);
        if !name.is_empty() {
            super::validate_dns1123_subdomain(name, &path.child(key), errors);
        }
    }
    super::validate_choice(spec, "volumeMode", &["Block", "Filesystem"], path, errors);
}
