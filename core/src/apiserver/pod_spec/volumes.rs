//! The defaults of volumes and of the claims for them. They bear on nothing here, but an object that lacks them is not
//! the one which the API server stores.

use alloc::string::String;

use serde_json::{Map, Value};

use super::image;
use crate::object::quantity;
use crate::object::unstructured::{map_in, set_default, set_default_string};

/// Upstream: `pkg/apis/core/v1/zz_generated.defaults.go SetObjectDefaults_PodTemplate`, the part for volumes
pub(crate) fn set_defaults(volume: &mut Map<String, Value>) {
    if volume.iter().all(|(key, value)| key == "name" || value.is_null()) {
        volume.insert("emptyDir".into(), Value::Object(Map::new()));
    }
    for (key, source) in volume.iter_mut() {
        let Some(source) = source.as_object_mut() else { continue };
        match key.as_str() {
            "secret" | "configMap" | "downwardAPI" => set_default(source, "defaultMode", 0o644),
            "projected" => {
                set_default(source, "defaultMode", 0o644);
                items(source, "sources").for_each(set_defaults_projection);
            }
            "emptyDir" => canonicalize(source, "sizeLimit"),
            "hostPath" => set_default(source, "type", ""),
            "iscsi" => {
                set_default_string(source, "iscsiInterface", "default");
                // Not a pointer: an absent field is written as 0.
                set_default(source, "lun", 0);
            }
            "rbd" => {
                set_default_string(source, "pool", "rbd");
                set_default_string(source, "user", "admin");
                set_default_string(source, "keyring", "/etc/ceph/keyring");
            }
            "azureDisk" => {
                set_default(source, "cachingMode", "ReadWrite");
                set_default(source, "fsType", "ext4");
                set_default(source, "readOnly", false);
                set_default(source, "kind", "Shared");
            }
            "scaleIO" => {
                set_default_string(source, "storageMode", "ThinProvisioned");
                set_default_string(source, "fsType", "xfs");
            }
            "image" => {
                let reference = source.get("reference").and_then(Value::as_str).unwrap_or_default();
                let pull_policy = image::default_pull_policy(reference);
                set_default_string(source, "pullPolicy", pull_policy);
            }
            "ephemeral" => {
                if let Some(template) = source.get_mut("volumeClaimTemplate").and_then(Value::as_object_mut) {
                    set_defaults_claim_spec(template);
                }
            }
            _ => {}
        }
        if key == "downwardAPI" {
            set_defaults_field_refs(source);
        }
    }
}

fn set_defaults_projection(source: &mut Map<String, Value>) {
    if let Some(downward) = source.get_mut("downwardAPI").and_then(Value::as_object_mut) {
        set_defaults_field_refs(downward);
    }
    if let Some(token) = source.get_mut("serviceAccountToken").and_then(Value::as_object_mut) {
        set_default(token, "expirationSeconds", 3600);
    }
}

fn set_defaults_field_refs(source: &mut Map<String, Value>) {
    items(source, "items").for_each(set_defaults_field_ref);
}

/// What a variable or a file is filled from.
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_ObjectFieldSelector`
pub(crate) fn set_defaults_field_ref(holder: &mut Map<String, Value>) {
    if let Some(field_ref) = holder.get_mut("fieldRef").and_then(Value::as_object_mut) {
        set_default_string(field_ref, "apiVersion", "v1");
    }
    if let Some(resource) = holder.get_mut("resourceFieldRef").and_then(Value::as_object_mut) {
        // Not a pointer: an absent field is written as an empty string.
        set_default(resource, "divisor", "0");
        canonicalize(resource, "divisor");
    }
}

fn items<'a>(map: &'a mut Map<String, Value>, key: &str) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    map.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut)
}

/// A claim in a StatefulSet.
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_PersistentVolumeClaim`
pub(crate) fn set_defaults_claim(claim: &mut Map<String, Value>) {
    if let Some(status) = map_in(claim, "status") {
        set_default_string(status, "phase", "Pending");
    }
    set_defaults_claim_spec(claim);
}

fn set_defaults_claim_spec(claim: &mut Map<String, Value>) {
    if let Some(spec) = map_in(claim, "spec") {
        set_default(spec, "volumeMode", "Filesystem");
        set_defaults_resources(spec);
    }
}

/// The amounts in the `resources` of a container, a pod or a claim.
pub(crate) fn set_defaults_resources(holder: &mut Map<String, Value>) {
    let Some(resources) = holder.get_mut("resources").and_then(Value::as_object_mut) else { return };
    for key in ["limits", "requests"] {
        set_defaults_resource_list(resources, key);
    }
}

/// Rounds amounts up to thousandths, and writes all amounts in their canonical form.
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_ResourceList`
pub(crate) fn set_defaults_resource_list(holder: &mut Map<String, Value>, key: &str) {
    let amounts = holder.get_mut(key).and_then(Value::as_object_mut);
    for (_, amount) in amounts.into_iter().flatten() {
        if let Some(rounded) = quantity::rounded_up_to_milli(amount) {
            *amount = rounded.into();
        }
    }
}

/// An amount that is not rounded.
fn canonicalize(holder: &mut Map<String, Value>, key: &str) {
    if let Some(amount) = holder.get_mut(key)
        && let Some(canonical) = quantity::canonical(amount)
    {
        *amount = canonical.into();
    }
}
