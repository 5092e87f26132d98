//! Where a container mounts its volumes.

use alloc::vec::Vec;

use serde_json::Value;

use super::volumes::{Mountable, validate_local_descending_path};
use super::{is_true, require};
use crate::apiserver::validation::FieldError;
use crate::go;
use crate::object::unstructured::{at, field, list, string};
use crate::path::Path;

pub(super) fn validate(container: &Value, volumes: &Mountable<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_volume_mounts(container, volumes, &path.child("volumeMounts"), errors);
    validate_volume_devices(container, volumes, &path.child("volumeDevices"), errors);
}

/// The paths of mounts or devices, the last one of each name.
fn paths_by_name<'a>(items: &'a [Value], path_key: &str) -> Vec<(&'a str, &'a str)> {
    let mut paths: Vec<(&str, &str)> = Vec::new();
    for item in items {
        let name = string(item, "name");
        paths.retain(|(known, _)| *known != name);
        paths.push((name, string(item, path_key)));
    }
    paths
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateVolumeMounts`, without the options of bind mounts
fn validate_volume_mounts(container: &Value, volumes: &Mountable<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let devices = paths_by_name(list(container, "volumeDevices"), "devicePath");
    let mut mounted: Vec<&str> = Vec::new();
    for (index, mount) in list(container, "volumeMounts").iter().enumerate() {
        let item = path.index(index);
        let (name_path, mount_path_path) = (item.child("name"), item.child("mountPath"));
        let (name, mount_path) = (string(mount, "name"), string(mount, "mountPath"));
        require(mount, "name", &item, errors);
        if volumes.get(name).is_none() {
            errors.push(FieldError::not_found(&name_path, go::quoted(name), ""));
        }
        require(mount, "mountPath", &item, errors);
        if mounted.contains(&mount_path) {
            errors.push(FieldError::invalid_string(&mount_path_path, mount_path, "must be unique"));
        }
        mounted.push(mount_path);
        if devices.iter().any(|(device, _)| *device == name) {
            errors.push(FieldError::invalid_string(&name_path, name, "must not already exist in volumeDevices"));
        }
        if devices.iter().any(|(_, device_path)| *device_path == mount_path) {
            let detail = "must not already exist as a path in volumeDevices";
            errors.push(FieldError::invalid_string(&mount_path_path, mount_path, detail));
        }
        let (sub_path, expression) = (string(mount, "subPath"), string(mount, "subPathExpr"));
        validate_local_descending_path(sub_path, &path.child("subPath"), errors);
        if !expression.is_empty() && !sub_path.is_empty() {
            let detail = "subPathExpr and subPath are mutually exclusive";
            errors.push(FieldError::invalid_string(&item.child("subPathExpr"), expression, detail));
        }
        validate_local_descending_path(expression, &path.child("subPathExpr"), errors);
        validate_mount_propagation(mount, container, path, errors);
        validate_recursive_read_only(mount, path, errors);
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateMountPropagation`
fn validate_mount_propagation(mount: &Value, container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    super::validate_choice(mount, "mountPropagation", &["Bidirectional", "HostToContainer", "None"], path, errors);
    let is_privileged = at(container, &["securityContext", "privileged"]) == Some(&Value::Bool(true));
    if string(mount, "mountPropagation") == "Bidirectional" && !is_privileged {
        let detail = "Bidirectional mount propagation is available only to privileged containers";
        errors.push(FieldError::forbidden(&path.child("mountPropagation"), detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateMountRecursiveReadOnly`
fn validate_recursive_read_only(mount: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    const KEY: &str = "recursiveReadOnly";
    super::validate_choice(mount, KEY, &["Disabled", "Enabled", "IfPossible"], path, errors);
    if !matches!(string(mount, KEY), "Enabled" | "IfPossible") {
        return;
    }
    if !is_true(mount, "readOnly") {
        errors.push(FieldError::forbidden(&path.child(KEY), "may only be specified when readOnly is true"));
    }
    if field(mount, "mountPropagation").is_some() && string(mount, "mountPropagation") != "None" {
        let detail = "may only be specified when mountPropagation is None or not specified";
        errors.push(FieldError::forbidden(&path.child(KEY), detail));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateVolumeDevices`
fn validate_volume_devices(container: &Value, volumes: &Mountable<'_>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mounts = paths_by_name(list(container, "volumeMounts"), "mountPath");
    let (mut names, mut paths): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for (index, device) in list(container, "volumeDevices").iter().enumerate() {
        let item = path.index(index);
        let (name_path, path_path) = (item.child("name"), item.child("devicePath"));
        let (name, device_path) = (string(device, "name"), string(device, "devicePath"));
        require(device, "name", &item, errors);
        if names.contains(&name) {
            errors.push(FieldError::invalid_string(&name_path, name, "must be unique"));
        }
        match volumes.get(name) {
            None => errors.push(FieldError::not_found(&name_path, go::quoted(name), "")),
            Some(volume)
                if field(volume, "persistentVolumeClaim").is_none() && field(volume, "ephemeral").is_none() =>
            {
                let detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
                errors.push(FieldError::invalid_string(&name_path, name, detail));
            }
            Some(_) => {}
        }
        require(device, "devicePath", &item, errors);
        if paths.contains(&device_path) {
            errors.push(FieldError::invalid_string(&path_path, device_path, "must be unique"));
        }
        if device_path.split('/').any(|part| part == "..") {
            let detail = "can not contain backsteps ('..')";
            errors.push(FieldError::invalid_string(&path_path, device_path, detail));
        } else {
            paths.push(device_path);
        }
        if mounts.iter().any(|(mount, _)| *mount == name) {
            errors.push(FieldError::invalid_string(&name_path, name, "must not already exist in volumeMounts"));
        }
        if mounts.iter().any(|(_, mount_path)| *mount_path == device_path) {
            let detail = "must not already exist as a path in volumeMounts";
            errors.push(FieldError::invalid_string(&path_path, device_path, detail));
        }
        if !name.is_empty() {
            names.push(name);
        }
    }
}
