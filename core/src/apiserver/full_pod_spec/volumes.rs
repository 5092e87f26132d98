//! A pod's volumes.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::environment::{validate_object_field_selector, validate_resource_field_selector};
use super::{Allowed, require, validate_dns1123_label, validate_dns1123_subdomain, validate_no_backsteps};
use crate::apiserver::validation::{FieldError, names};
use crate::go;
use crate::object::quantity;
use crate::object::unstructured::{field, integer, list, string};
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go validVolumeDownwardAPIFieldPathExpressions`
const FIELDS: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];

/// The types of a volume in the order in which upstream looks at them, `emptyDir` first: its field, and what the error about a second
/// type calls it.
const SOURCES: [(&str, &str); 30] = [
    ("hostPath", "hostPath"),
    ("gitRepo", "gitRepo"),
    ("gcePersistentDisk", "gcePersistentDisk"),
    ("awsElasticBlockStore", "awsElasticBlockStore"),
    ("secret", "secret"),
    ("nfs", "nfs"),
    ("iscsi", "iscsi"),
    ("glusterfs", "glusterfs"),
    ("flocker", "flocker"),
    ("persistentVolumeClaim", "persistentVolumeClaim"),
    ("rbd", "rbd"),
    ("cinder", "cinder"),
    ("cephfs", "cephFS"),
    ("quobyte", "quobyte"),
    ("downwardAPI", "downwarAPI"),
    ("fc", "fc"),
    ("flexVolume", "flexVolume"),
    ("configMap", "configMap"),
    ("azureFile", "azureFile"),
    ("vsphereVolume", "vsphereVolume"),
    ("photonPersistentDisk", "photonPersistentDisk"),
    ("portworxVolume", "portworxVolume"),
    ("azureDisk", "azureDisk"),
    ("storageos", "storageos"),
    ("projected", "projected"),
    ("scaleIO", "scaleIO"),
    ("csi", "csi"),
    ("ephemeral", "ephemeral"),
    ("image", "image"),
    ("emptyDir", "emptyDir"),
];

/// Upstream: `pkg/apis/core/validation/validation.go supportedHostPathTypes`
const HOST_PATH_TYPES: [&str; 8] =
    ["", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"];

/// The volumes that containers can mount: those without errors.
pub(super) struct Mountable<'a>(Vec<&'a Value>);

impl<'a> Mountable<'a> {
    pub(super) fn get(&self, name: &str) -> Option<&'a Value> {
        self.0.iter().find(|volume| string(volume, "name") == name).copied()
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateVolumes`
pub(super) fn validate<'a>(
    spec: &'a Value,
    pod_name: Option<&str>,
    path: &Path<'_>,
    allowed: Allowed,
    errors: &mut Vec<FieldError>,
) -> Mountable<'a> {
    let mut mountable = Mountable(Vec::new());
    let volumes = list(spec, "volumes");
    let pod_name = pod_name.filter(|name| !name.is_empty());
    for (index, volume) in volumes.iter().enumerate() {
        let path = path.index(index);
        let (name, name_path, mut found) = (string(volume, "name"), path.child("name"), Vec::new());
        validate_source(volume, &path, allowed, &mut found);
        require(volume, "name", &path, &mut found);
        if !name.is_empty() {
            validate_dns1123_label(name, &name_path, &mut found);
        }
        if mountable.get(name).is_some() {
            found.push(FieldError::duplicate(&name_path, go::quoted(name)));
        }
        // `pod` says which claim of an ephemeral volume can't have its name.
        let is_named = pod_name.is_none_or(|pod| {
            field(volume, "ephemeral").is_none() || names::is_name(&format!("{pod}-{name}")) || name.is_empty()
        });
        if found.is_empty() && is_named {
            mountable.0.push(volume);
        }
        errors.append(&mut found);
        let created = |pod: &str, claim: &str| {
            let mut ephemeral = volumes.iter().filter(|volume| field(volume, "ephemeral").is_some());
            ephemeral.any(|volume| format!("{pod}-{}", string(volume, "name")) == claim)
        };
        if let (Some(pod), Some(claim)) = (pod_name, field(volume, "persistentVolumeClaim")) {
            let claim = string(claim, "claimName");
            if created(pod, claim) {
                let path = path.child("persistentVolumeClaim");
                let detail = "must not reference a PVC that gets created for an ephemeral volume";
                errors.push(FieldError::invalid_string(&path.child("claimName"), claim, detail));
            }
        }
    }
    mountable
}

/// Upstream: `pkg/apis/core/validation/validation.go validateVolumeSource`, without the types of single vendors
fn validate_source(volume: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    let mut is_found = false;
    if let Some(source) = field(volume, "emptyDir") {
        is_found = true;
        let path = path.child("emptyDir");
        if field(source, "sizeLimit").and_then(quantity::nanos).is_some_and(|nanos| nanos < 0) {
            let detail = "SizeLimit field must be a valid resource quantity";
            errors.push(FieldError::forbidden(&path.child("sizeLimit"), detail));
        }
    }
    for (key, name) in SOURCES.iter().filter(|(key, _)| *key != "emptyDir") {
        let Some(source) = field(volume, key) else { continue };
        if is_found {
            errors.push(FieldError::forbidden(&path.child(name), "may not specify more than 1 volume type"));
            continue;
        }
        is_found = true;
        validate_one_source(key, source, &path.child(key), allowed, errors);
    }
    if !is_found {
        errors.push(FieldError::required(path, "must specify a volume type"));
    }
}

fn validate_one_source(key: &str, source: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    match key {
        "hostPath" => validate_host_path(source, path, errors),
        "secret" | "configMap" => {
            require(source, if key == "secret" { "secretName" } else { "name" }, path, errors);
            validate_mode(source, "defaultMode", path, errors);
            validate_items(source, path, errors);
        }
        "nfs" => {
            require(source, "server", path, errors);
            require(source, "path", path, errors);
            let exported = string(source, "path");
            if !exported.starts_with('/') {
                errors.push(FieldError::invalid_string(&path.child("path"), exported, "must be an absolute path"));
            }
        }
        "persistentVolumeClaim" => require(source, "claimName", path, errors),
        "downwardAPI" => {
            validate_mode(source, "defaultMode", path, errors);
            for file in list(source, "items") {
                validate_downward_api_file(file, path, errors);
            }
        }
        "projected" => {
            validate_mode(source, "defaultMode", path, errors);
            validate_projection_sources(source, path, allowed, errors);
        }
        "csi" => validate_csi(source, path, errors),
        "image" => {
            if !allowed.empty_image_reference {
                require(source, "reference", path, errors);
            }
            super::validate_choice(source, "pullPolicy", &["Always", "IfNotPresent", "Never"], path, errors);
        }
        _ => {}
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateHostPathVolumeSource`
fn validate_host_path(source: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let host_path = string(source, "path");
    if host_path.is_empty() {
        errors.push(FieldError::required(&path.child("path"), ""));
        return;
    }
    validate_no_backsteps(host_path, &path.child("path"), errors);
    super::validate_choice(source, "type", &HOST_PATH_TYPES, path, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateCSIVolumeSource` and `ValidateCSIDriverName`
fn validate_csi(source: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let (driver, driver_path) = (string(source, "driver"), path.child("driver"));
    require(source, "driver", path, errors);
    if driver.len() > 63 {
        errors.push(FieldError::too_long(&driver_path, 63));
    }
    for text in names::is_dns1123_subdomain(&go::to_lower(driver)).into_iter().filter(|_| !driver.is_empty()) {
        errors.push(FieldError::invalid_string(&driver_path, driver, text));
    }
    if let Some(reference) = field(source, "nodePublishSecretRef") {
        let name = string(reference, "name");
        if name.is_empty() {
            require(reference, "name", &path.child("nodePublishSecretRef"), errors);
        } else {
            validate_dns1123_subdomain(name, &path.child("name"), errors);
        }
    }
}

fn validate_mode(source: &Value, key: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if let Some(mode) = integer(source, key).filter(|mode| !(0..=0o777).contains(mode)) {
        let detail = "must be a number between 0 and 0777 (octal), both inclusive";
        errors.push(FieldError::invalid_number(&path.child(key), mode, detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateKeyToPath`
fn validate_items(source: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let path = path.child("items");
    for (index, item) in list(source, "items").iter().enumerate() {
        let path = path.index(index);
        require(item, "key", &path, errors);
        require(item, "path", &path, errors);
        validate_local_non_reserved_path(string(item, "path"), &path.child("path"), errors);
        validate_mode(item, "mode", &path, errors);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateDownwardAPIVolumeFile`
fn validate_downward_api_file(file: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    require(file, "path", path, errors);
    validate_local_non_reserved_path(string(file, "path"), &path.child("path"), errors);
    match (field(file, "fieldRef"), field(file, "resourceFieldRef")) {
        (Some(reference), resource) => {
            validate_object_field_selector(reference, &FIELDS, &path.child("fieldRef"), errors);
            if resource.is_some() {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errors.push(FieldError::invalid_string(path, "resource", detail));
            }
        }
        (None, Some(reference)) => {
            validate_resource_field_selector(reference, true, &path.child("resourceFieldRef"), errors);
        }
        (None, None) => {
            errors.push(FieldError::required(path, "one of fieldRef and resourceFieldRef is required"));
        }
    }
    validate_mode(file, "mode", path, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateProjectionSources`, without trust bundles and certificates
fn validate_projection_sources(projected: &Value, path: &Path<'_>, allowed: Allowed, errors: &mut Vec<FieldError>) {
    let mut taken: Vec<&str> = Vec::new();
    let sources_path = path.child("sources");
    for (index, source) in list(projected, "sources").iter().enumerate() {
        let source_path = sources_path.index(index);
        for key in ["secret", "configMap", "downwardAPI"] {
            let Some(projection) = field(source, key) else { continue };
            let projection_path = source_path.child(key);
            let items = list(projection, "items");
            if key == "downwardAPI" {
                items.iter().for_each(|file| validate_downward_api_file(file, &projection_path, errors));
            } else {
                require(projection, "name", &projection_path, errors);
                validate_items(projection, &projection_path, errors);
            }
            for file in items.iter().map(|item| string(item, "path")).filter(|file| !file.is_empty()) {
                if taken.contains(&file) {
                    let shown = if key == "downwardAPI" { file } else { string(projection, "name") };
                    errors.push(FieldError::invalid_string(path, shown, "conflicting duplicate paths"));
                } else {
                    taken.push(file);
                }
            }
        }
        if let Some(token) = field(source, "serviceAccountToken") {
            validate_token(token, &source_path.child("serviceAccountToken"), path, allowed, errors);
        }
        if source.as_object().is_some_and(|source| source.values().filter(|value| !value.is_null()).count() > 1) {
            let detail = "may not specify more than 1 volume type per source";
            errors.push(FieldError::forbidden(&source_path, detail));
        }
    }
}

fn validate_token(
    token: &Value,
    path: &Path<'_>,
    volume_path: &Path<'_>,
    allowed: Allowed,
    errors: &mut Vec<FieldError>,
) {
    const LONGEST: i64 = 1 << 32;
    let expiration_path = path.child("expirationSeconds");
    match integer(token, "expirationSeconds") {
        None => errors.push(FieldError::required(&expiration_path, "")),
        Some(seconds) if seconds < 600 => {
            let detail = "may not specify a duration less than 10 minutes";
            errors.push(FieldError::invalid_number(&expiration_path, seconds, detail));
        }
        Some(seconds) if seconds > LONGEST => {
            let detail = "may not specify a duration larger than 2^32 seconds";
            errors.push(FieldError::invalid_number(&expiration_path, seconds, detail));
        }
        Some(_) => {}
    }
    require(token, "path", volume_path, errors);
    if !allowed.non_local_token_path {
        validate_local_non_reserved_path(string(token, "path"), &volume_path.child("path"), errors);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateLocalDescendingPath`
pub(super) fn validate_local_descending_path(target: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if target.starts_with('/') {
        errors.push(FieldError::invalid_string(path, target, "must be a relative path"));
    }
    validate_no_backsteps(target, path, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateLocalNonReservedPath`
fn validate_local_non_reserved_path(target: &str, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_local_descending_path(target, path, errors);
    if target.starts_with("..") && !target.starts_with("../") {
        errors.push(FieldError::invalid_string(path, target, "must not start with '..'"));
    }
}

/// Upstream: `pkg/api/pod/util.go hasNonLocalProjectedTokenPath`
pub(super) fn has_non_local_token_path(spec: &Value) -> bool {
    let mut errors = Vec::new();
    for volume in list(spec, "volumes") {
        for source in field(volume, "projected").into_iter().flat_map(|projected| list(projected, "sources")) {
            if let Some(token) = field(source, "serviceAccountToken") {
                validate_local_non_reserved_path(string(token, "path"), &Path::Root("path"), &mut errors);
            }
        }
    }
    !errors.is_empty()
}

/// Upstream: `pkg/api/pod/util.go hasEmptyImageVolumeReference`
pub(super) fn has_empty_image_reference(spec: &Value) -> bool {
    let mut images = list(spec, "volumes").iter().filter_map(|volume| field(volume, "image"));
    images.any(|image| string(image, "reference").is_empty())
}
