//! The metadata of an object: its fields, what they must be, and what must not change.

use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::annotations::validate_annotations;
use super::labels::validate_labels;
use crate::apiserver::schema::Field;
use crate::apiserver::schema::Shape::{self, Bool, Int64, List, Object, StringMap, Text, Time};
use crate::apiserver::validation::{FieldError, names, validate_immutable_field, validate_nonnegative_field};
use crate::go;
use crate::object::unstructured::{field, integer, list, map, string};
use crate::path::Path;

const OWNER_REFERENCE: Shape = Object(&[
    ("apiVersion", Text),
    ("kind", Text),
    ("name", Text),
    ("uid", Text),
    ("controller", Bool),
    ("blockOwnerDeletion", Bool),
]);

/// The field `metadata` of every object and every template.
pub(crate) const METADATA: Field = (
    "metadata",
    Object(&[
        ("name", Text),
        ("generateName", Text),
        ("namespace", Text),
        ("uid", Text),
        ("resourceVersion", Text),
        ("generation", Int64),
        ("creationTimestamp", Time),
        ("deletionTimestamp", Time),
        ("deletionGracePeriodSeconds", Int64),
        ("labels", StringMap),
        ("annotations", StringMap),
        ("ownerReferences", List(&OWNER_REFERENCE)),
        ("finalizers", List(&Text)),
    ]),
);

/// How a kind's objects may be named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRule {
    /// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go NameIsDNSSubdomain`
    DnsSubdomain,
    /// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go NameIsDNSLabel`
    DnsLabel,
    /// A subdomain too, in other words, and `generateName` is not looked at.
    /// Upstream: `k8s.io/apimachinery/pkg/api/validate/strfmt.go LongName`
    LongName,
    /// What every name must be.
    /// Upstream: `k8s.io/apiserver/pkg/registry/rest/create.go validatePathSegment`
    PathSegment,
}

impl NameRule {
    /// A prefix is what names are generated from.
    fn check(self, name: &str, prefix: bool) -> Vec<String> {
        let masked = if prefix { mask_trailing_dash(name) } else { name.into() };
        match self {
            Self::DnsSubdomain => names::is_dns1123_subdomain(&masked),
            Self::DnsLabel => names::is_dns1123_label(&masked),
            Self::LongName if prefix => Vec::new(),
            Self::LongName => names::is_long_name(name),
            Self::PathSegment => names::is_path_segment_name(name, prefix),
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go ValidateObjectMeta`, for a namespaced object.
/// Managed fields are not looked at.
pub(crate) fn validate_object_meta(object: &Value, rule: NameRule, errors: &mut Vec<FieldError>) {
    let metadata = field(object, "metadata").unwrap_or(&Value::Null);
    let path = Path::Root("metadata");
    let generate_name = string(metadata, "generateName");
    if !generate_name.is_empty() {
        for text in rule.check(generate_name, true) {
            errors.push(FieldError::invalid_string(&path.child("generateName"), generate_name, text));
        }
    }
    let name = string(metadata, "name");
    if !generate_name.is_empty() && name.is_empty() && rule == NameRule::LongName {
        let shown = go::quoted(generate_name);
        let detail = alloc::format!("generateName was specified ({shown}), but no name was generated");
        errors.push(FieldError::internal(&path.child("name"), detail));
    }
    if name.is_empty() {
        errors.push(FieldError::required(&path.child("name"), "name or generateName is required"));
    } else {
        for text in rule.check(name, false) {
            errors.push(FieldError::invalid_string(&path.child("name"), name, text));
        }
    }
    let namespace = string(metadata, "namespace");
    if namespace.is_empty() {
        errors.push(FieldError::required(&path.child("namespace"), ""));
    } else {
        for text in names::is_dns1123_label(namespace) {
            errors.push(FieldError::invalid_string(&path.child("namespace"), namespace, text));
        }
    }
    validate_nonnegative_field(metadata, "generation", &path, errors);
    validate_labels(map(metadata, "labels"), &path.child("labels"), errors);
    validate_annotations(map(metadata, "annotations"), &path.child("annotations"), errors);
    validate_owner_references(list(metadata, "ownerReferences"), &path.child("ownerReferences"), errors);
    validate_finalizers(list(metadata, "finalizers"), &path.child("finalizers"), errors);
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateOwnerReferences`
fn validate_owner_references(references: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut first_controller: Option<String> = None;
    for (index, reference) in references.iter().enumerate() {
        validate_owner_reference(reference, &path.index(index), errors);
        if field(reference, "controller") == Some(&Value::Bool(true)) {
            let current = alloc::format!("{}/{}", string(reference, "kind"), string(reference, "name"));
            match &first_controller {
                None => first_controller = Some(current),
                Some(first) => {
                    let value: Vec<String> = references.iter().map(printed_owner).collect();
                    let value = alloc::format!("[{}]", value.join(","));
                    let detail = alloc::format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {current}"
                    );
                    errors.push(FieldError::invalid(path, value, detail));
                }
            }
        }
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go validateOwnerReference`
fn validate_owner_reference(reference: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let api_version = string(reference, "apiVersion");
    let version = api_version.split_once('/').map_or(api_version, |(_, version)| version);
    // Two slashes are no group and version at all.
    if !api_version.is_empty() && (version.is_empty() || version.contains('/')) {
        let detail = "must be <group>/<version> or <version>";
        errors.push(FieldError::invalid_string(&path.child("apiVersion"), api_version, detail));
    }
    for key in ["apiVersion", "kind", "name", "uid"] {
        if string(reference, key).is_empty() {
            errors.push(FieldError::required(&path.child(key), "must not be empty"));
        }
    }
    if matches!(api_version, "v1" | "/v1") && string(reference, "kind") == "Event" {
        let detail = "/v1, Kind=Event is disallowed from being an owner";
        errors.push(FieldError::invalid(path, printed_owner(reference), detail));
    }
}

/// An owner reference as Go prints it.
fn printed_owner(reference: &Value) -> String {
    let mut parts: Vec<String> = Vec::new();
    for key in ["apiVersion", "kind", "name", "uid"] {
        parts.push(alloc::format!("\"{key}\":{}", go::json_string(string(reference, key))));
    }
    for key in ["controller", "blockOwnerDeletion"] {
        if let Some(value) = field(reference, key).and_then(Value::as_bool) {
            parts.push(alloc::format!("\"{key}\":{value}"));
        }
    }
    alloc::format!("{{{}}}", parts.join(","))
}

const STANDARD_FINALIZERS: [&str; 3] = ["kubernetes", "orphan", "foregroundDeletion"];

/// Upstream: `pkg/apis/core/validation/validation.go validateKubeFinalizerName`
fn validate_kube_finalizer_names(finalizers: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for (index, finalizer) in finalizers.iter().enumerate() {
        let finalizer = finalizer.as_str().unwrap_or_default();
        if !finalizer.contains('/') && !STANDARD_FINALIZERS.contains(&finalizer) {
            let detail = "name is neither a standard finalizer name nor is it fully qualified";
            errors.push(FieldError::invalid_string(&path.index(index), finalizer, detail));
        }
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateFinalizers`
fn validate_finalizers(finalizers: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let texts: Vec<&str> = finalizers.iter().map(|finalizer| finalizer.as_str().unwrap_or_default()).collect();
    validate_kube_finalizer_names(finalizers, path, errors);
    for finalizer in &texts {
        for text in names::is_label_key(finalizer) {
            errors.push(FieldError::invalid_string(path, finalizer, text));
        }
    }
    if texts.contains(&"orphan") && texts.contains(&"foregroundDeletion") {
        let value = go::json(&Value::Array(finalizers.to_vec()));
        let detail = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid(path, value, detail));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateObjectMetaUpdate`
pub(crate) fn validate_object_meta_update(object: &Value, old: &Value, errors: &mut Vec<FieldError>) {
    let metadata = field(object, "metadata").unwrap_or(&Value::Null);
    let old = field(old, "metadata").unwrap_or(&Value::Null);
    let path = Path::Root("metadata");
    if string(metadata, "resourceVersion").is_empty() {
        errors.push(FieldError::invalid_string(&path.child("resourceVersion"), "", "must be specified for an update"));
    }
    validate_nonnegative_field(metadata, "generation", &path, errors);
    let generation = integer(metadata, "generation").unwrap_or_default();
    if generation < integer(old, "generation").unwrap_or_default() {
        let value = go::json(&Value::from(generation));
        errors.push(FieldError::invalid(&path.child("generation"), value, "must not be decremented"));
    }
    for key in ["name", "namespace", "uid"] {
        if string(metadata, key) != string(old, key) {
            let value = go::json_string(string(metadata, key));
            errors.push(FieldError::invalid(&path.child(key), value, "field is immutable"));
        }
    }
    for key in ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        validate_immutable_field(metadata, old, key, &path, errors);
    }
    if field(old, "deletionTimestamp").is_some() {
        validate_no_new_finalizers(metadata, old, &path.child("finalizers"), errors);
    }
    validate_labels(map(metadata, "labels"), &path.child("labels"), errors);
    validate_annotations(map(metadata, "annotations"), &path.child("annotations"), errors);
    validate_owner_references(list(metadata, "ownerReferences"), &path.child("ownerReferences"), errors);
    validate_kube_finalizer_names(list(metadata, "finalizers"), &path.child("finalizers"), errors);
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/objectmeta.go ValidateNoNewFinalizers`
fn validate_no_new_finalizers(metadata: &Value, old: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let known = list(old, "finalizers");
    let mut extra: Vec<String> = list(metadata, "finalizers")
        .iter()
        .filter(|finalizer| !known.contains(finalizer))
        .map(|finalizer| go::quoted(finalizer.as_str().unwrap_or_default()))
        .collect();
    extra.sort_unstable();
    extra.dedup();
    if !extra.is_empty() {
        let detail = alloc::format!(
            "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
            extra.join(", ")
        );
        errors.push(FieldError::forbidden(path, detail));
    }
}

/// Upstream: `k8s.io/apimachinery/pkg/api/validation/generic.go maskTrailingDash`
/// (It replaces the last two characters, and so does this.)
fn mask_trailing_dash(name: &str) -> String {
    let mut masked = String::from(name);
    if masked.len() > 1 && masked.pop() == Some('-') {
        masked.pop();
        masked.push('a');
        return masked;
    }
    String::from(name)
}
