//! Which fields validation does not look at: about these it never says that they are valid.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::api_types::{Content, Fields, Type, content, type_of_kind};
use super::decoding_refusal::decoding_errors;
use super::pod_spec::pod_holder;
use super::strategy::Strategy;
use crate::object::unstructured::at;
use crate::path::Path;

/// The fields whose validation is not mirrored, or not completely, by the struct that they are in. The API server checks of all
/// other fields no more than their type, or what is mirrored.
const UNVALIDATED: &[(Type, &str)] = &[
    ("v1.Container", "resizePolicy"),
    ("v1.Container", "restartPolicyRules"),
    ("v1.ConfigMapVolumeSource", "defaultUser"),
    ("v1.DownwardAPIVolumeFile", "user"),
    ("v1.DownwardAPIVolumeSource", "defaultUser"),
    ("v1.EmptyDirVolumeSource", "mode"),
    ("v1.GRPCAction", "mode"),
    ("v1.HTTPGetAction", "protocol"),
    ("v1.JobSpec", "scheduling"),
    ("v1.KeyToPath", "user"),
    ("v1.Lifecycle", "stopSignal"),
    ("v1.ObjectMeta", "managedFields"),
    ("v1.PersistentVolumeClaimSpec", "dataSource"),
    ("v1.PersistentVolumeClaimSpec", "dataSourceRef"),
    ("v1.PodSecurityContext", "appArmorProfile"),
    ("v1.PodSecurityContext", "seLinuxChangePolicy"),
    ("v1.PodSecurityContext", "windowsOptions"),
    ("v1.PodSpec", "dnsConfig"),
    ("v1.PodSpec", "ephemeralContainers"),
    ("v1.PodSpec", "evictionResponders"),
    ("v1.PodSpec", "hostAliases"),
    ("v1.PodSpec", "hostnameOverride"),
    ("v1.PodSpec", "os"),
    ("v1.PodSpec", "overhead"),
    ("v1.PodSpec", "resourceClaims"),
    ("v1.PodSpec", "resources"),
    ("v1.PodSpec", "schedulingGroup"),
    ("v1.PodStatus", "allocatedResources"),
    ("v1.PodStatus", "containerStatuses"),
    ("v1.PodStatus", "ephemeralContainerStatuses"),
    ("v1.PodStatus", "extendedResourceClaimStatus"),
    ("v1.PodStatus", "hostIP"),
    ("v1.PodStatus", "hostIPs"),
    ("v1.PodStatus", "initContainerStatuses"),
    ("v1.PodStatus", "nodeAllocatableResourceClaimStatuses"),
    ("v1.PodStatus", "podIP"),
    ("v1.PodStatus", "podIPs"),
    ("v1.PodStatus", "resize"),
    ("v1.PodStatus", "resourceClaimStatuses"),
    ("v1.PodStatus", "resources"),
    ("v1.PodStatus", "volumeHealth"),
    ("v1.ProjectedVolumeSource", "defaultUser"),
    ("v1.SeccompProfile", "localhostProfile"),
    ("v1.SecretVolumeSource", "defaultUser"),
    ("v1.SecurityContext", "appArmorProfile"),
    ("v1.SecurityContext", "windowsOptions"),
    ("v1.ServiceAccountTokenProjection", "user"),
    ("v1.Volume", "awsElasticBlockStore"),
    ("v1.Volume", "azureDisk"),
    ("v1.Volume", "azureFile"),
    ("v1.Volume", "cephfs"),
    ("v1.Volume", "cinder"),
    ("v1.Volume", "ephemeral"),
    ("v1.Volume", "fc"),
    ("v1.Volume", "flexVolume"),
    ("v1.Volume", "flocker"),
    ("v1.Volume", "gcePersistentDisk"),
    ("v1.Volume", "gitRepo"),
    ("v1.Volume", "glusterfs"),
    ("v1.Volume", "iscsi"),
    ("v1.Volume", "photonPersistentDisk"),
    ("v1.Volume", "portworxVolume"),
    ("v1.Volume", "quobyte"),
    ("v1.Volume", "rbd"),
    ("v1.Volume", "scaleIO"),
    ("v1.Volume", "storageos"),
    ("v1.Volume", "vsphereVolume"),
    ("v1.VolumeMount", "bindMountOptions"),
    ("v1.VolumeProjection", "clusterTrustBundle"),
    ("v1.VolumeProjection", "podCertificate"),
];

/// Annotations of pods that stand for something else: keys, and prefixes of keys.
const ANNOTATIONS: [&str; 4] = [
    "container.apparmor.security.beta.kubernetes.io/",
    "container.seccomp.security.alpha.kubernetes.io/",
    "scheduler.alpha.kubernetes.io/tolerations",
    "seccomp.security.alpha.kubernetes.io/pod",
];

/// The paths of the fields that are there but were not validated, in the order of the object, annotations last. If the object can't
/// be read, these are all of its fields. A new or changed object has no status of its own.
pub fn unvalidated_fields(object: &Value, strategy: &dyn Strategy) -> Vec<String> {
    let kind = strategy.kind();
    if !decoding_errors(object, kind).is_empty() {
        return all_fields(object);
    }
    let mut paths = unvalidated_in(object, strategy, |field| field != "status");
    let annotations = pod_holder(object, kind).and_then(|holder| at(holder, &["metadata", "annotations"]));
    for key in annotations.and_then(Value::as_object).into_iter().flat_map(Map::keys) {
        if ANNOTATIONS.iter().any(|start| key.starts_with(start)) {
            let template = kind.pod_template().unwrap_or_default().join(".");
            let root = Path::Root(&template);
            let metadata = root.child("metadata");
            let annotations = metadata.child("annotations");
            paths.push(annotations.key(key).to_string());
        }
    }
    if let Some(key) = strategy.unreadable_annotation(object) {
        paths.push(format!("metadata.annotations[{key}]"));
    }
    paths
}

/// The same for an update of the status, which changes nothing but the status and the metadata.
pub fn unvalidated_status_fields(object: &Value, strategy: &dyn Strategy) -> Vec<String> {
    if !decoding_errors(object, strategy.kind()).is_empty() {
        return all_fields(object);
    }
    unvalidated_in(object, strategy, |field| matches!(field, "metadata" | "status"))
}

/// All fields of an object.
pub(super) fn all_fields(object: &Value) -> Vec<String> {
    object.as_object().into_iter().flat_map(Map::keys).cloned().collect()
}

/// The paths of unvalidated fields below those of an object that are written.
fn unvalidated_in(object: &Value, strategy: &dyn Strategy, is_written: impl Fn(&str) -> bool) -> Vec<String> {
    let mut paths = Vec::new();
    if let Some(type_) = type_of_kind(strategy.kind().name()) {
        let fields = Fields::of(type_);
        for (key, value) in object.as_object().into_iter().flatten().filter(|(key, _)| is_written(key)) {
            if let Some(member) = fields.member(key) {
                walk(value, member, &Path::Root(key), &mut paths);
            }
        }
    }
    paths
}

fn walk(value: &Value, type_: Type, path: &Path<'_>, paths: &mut Vec<String>) {
    match (content(type_), value) {
        (Content::Pointer(below), value) => walk(value, below, path, paths),
        (Content::Struct(fields), Value::Object(map)) => {
            for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
                let path = path.child(key);
                if UNVALIDATED.contains(&(type_, key)) {
                    paths.push(path.to_string());
                } else if let Some(member) = fields.member(key) {
                    walk(value, member, &path, paths);
                }
            }
        }
        (Content::List(item), Value::Array(items)) => {
            for (index, value) in items.iter().enumerate() {
                walk(value, item, &path.index(index), paths);
            }
        }
        (Content::Map(item), Value::Object(map)) => {
            for (key, value) in map {
                walk(value, item, &path.key(key), paths);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unvalidated_field_is_one_of_its_type() {
        for (struct_, name) in UNVALIDATED {
            assert!(Fields::of(struct_).member(name).is_some(), "{struct_} {name}");
        }
    }
}
