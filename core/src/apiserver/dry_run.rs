//! Everything the API server says about an object, without a store, as `kubectl apply --dry-run=server` shows it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::api_types::{registered_kinds, stable_version_of};
use super::conversion::decoded;
use super::create::prepared_create;
use super::decoding_refusal::decoding_errors;
use super::internal_version::Printer;
use super::operation::Operation;
use super::prepare::set_defaults;
use super::recognize::recognize;
use super::registry::ALL;
use super::strategy::Strategy;
use super::unknown_fields::{UnknownField, meant, take_unknown_fields};
use super::unvalidated::{all_fields, unvalidated_fields};
use super::update::prepared_update;
use super::validate::{full_pod_spec_errors, refusals};
use super::validation::FieldError;
use super::warnings::warnings;
use crate::feature_gates::FeatureGates;
use crate::go;
use crate::object::Kind;
use crate::object::unstructured::{at, map_at, set_default, string};
use crate::path::Path;
use crate::workload::job::strategy::generate_selector_if_needed;

/// What the API server makes of an object, and everything it says about it.
#[derive(Clone, Debug)]
pub struct DryRun {
    /// The object with its defaults, prepared as it would be stored; none where it can't be read, or is of a kind that is
    /// not validated.
    pub object: Option<Value>,
    /// The validation errors.
    pub errors: Vec<FieldError>,
    /// The warnings. A client sees them only if there are no errors.
    pub warnings: Vec<String>,
    /// The fields that Kubernetes does not know. kubectl asks for strict field validation: then the API server refuses the object
    /// because of them. Other clients get a warning for each, and the object is stored without them.
    pub unknown: Vec<UnknownField>,
    /// The paths of the known fields that were not validated: they may be valid or not.
    pub unvalidated: Vec<String>,
}

impl DryRun {
    /// The outcome for an object of which nothing is validated.
    fn unvalidated(object: &Value, errors: Vec<FieldError>) -> Self {
        Self { object: None, errors, warnings: Vec::new(), unknown: Vec::new(), unvalidated: all_fields(object) }
    }
}

/// Whether the object is of a kind that is not validated here: it is neither refused nor called valid. Custom resources have
/// a dot in the name of their group.
fn is_foreign(object: &Value) -> bool {
    let name = string(object, "kind");
    let is_custom = string(object, "apiVersion").split_once('/').is_some_and(|(group, _)| group.contains('.'));
    !name.is_empty() && (is_custom || ALL.iter().all(|strategy| strategy.kind().name() != name))
}

/// Why the API server refuses an object whose kind no release has; none for custom resources, and for kinds that are validated, of
/// which it refuses the version.
///
/// Upstream: `k8s.io/apimachinery/pkg/runtime/error.go notRegisteredErr.Error`, without the place in the source
pub(crate) fn not_registered(object: &Value) -> Option<FieldError> {
    if !is_foreign(object) {
        return None;
    }
    let (version, kind) = (string(object, "apiVersion"), string(object, "kind"));
    let known = registered_kinds(version).filter(|known| !version.is_empty() && !known.contains(&kind))?;
    let mut detail = format!("no kind {} is registered for version {}", go::quoted(kind), go::quoted(version));
    if let Some(meant) = meant(kind, &known) {
        detail.push_str(&format!(": did you mean {}?", go::quoted(&meant)));
    } else if let Some(version) = stable_version_of(kind, version) {
        detail.push_str(&format!(": use {}", go::quoted(version)));
    }
    Some(FieldError::invalid_string(&Path::Root("kind"), kind, detail))
}

/// The fields of an object of a validated kind whose types no API server can read.
pub(crate) fn unreadable_fields(object: &Value) -> Vec<FieldError> {
    if is_foreign(object) {
        return Vec::new();
    }
    Kind::of(object).map(|kind| decoding_errors(object, kind)).unwrap_or_default()
}

/// Creates the object, or replaces `old` with it, without a store. Values that only the store knows are made up:
/// five `x` at the end of a generated name, and a UID of zeros for a Job, whose selector is made of it.
pub fn dry_run(object: &Value, old: Option<&Value>, gates: &FeatureGates) -> DryRun {
    if object.is_object() && is_foreign(object) {
        return DryRun::unvalidated(object, not_registered(object).into_iter().collect());
    }
    let wrong_types = Kind::of(object).map(|kind| decoding_errors(object, kind)).unwrap_or_default();
    let recognized = if wrong_types.is_empty() { recognize(object, ALL) } else { Err(wrong_types) };
    let (mut read, strategy) = match recognized {
        Ok(recognized) => recognized,
        Err(errors) => return DryRun::unvalidated(object, errors),
    };
    let unknown = take_unknown_fields(&mut read, strategy.kind(), *gates);
    let unvalidated = unvalidated_fields(object, strategy);
    let stored = old.map(|old| stored(decoded(old, strategy), uid(&read), strategy, *gates));
    let (operation, prepared) = match &stored {
        None => (Operation::Create, prepared_create(with_system_fields(read, strategy.kind()), strategy, *gates)),
        Some(old) => (Operation::Update(old), prepared_update(with_generated(read, old), old, strategy, *gates)),
    };
    let more = full_pod_spec_errors(&prepared, strategy, stored.as_ref(), *gates);
    DryRun {
        errors: refusals(&prepared, strategy, stored.as_ref(), *gates, Printer::Full, more),
        warnings: warnings(&prepared, strategy, operation),
        unknown,
        unvalidated,
        object: Some(prepared),
    }
}

fn uid(object: &Value) -> &str {
    at(object, &["metadata", "uid"]).and_then(Value::as_str).unwrap_or_default()
}

/// The old object, as the store has it. Without a UID it is a manifest, which was created first, with the UID that the new
/// object has.
fn stored(mut old: Value, new_uid: &str, strategy: &dyn Strategy, gates: FeatureGates) -> Value {
    if let Some(metadata) = map_at(&mut old, &["metadata"]) {
        set_default(metadata, "namespace", "default");
    }
    if uid(&old).is_empty() {
        let mut with_system_fields = with_system_fields(old, strategy.kind());
        if let Some(metadata) = map_at(&mut with_system_fields, &["metadata"]).filter(|_| !new_uid.is_empty()) {
            metadata.insert("uid".into(), new_uid.into());
        }
        return prepared_create(with_system_fields, strategy, gates);
    }
    set_defaults(&mut old, strategy, gates);
    old
}

/// A manifest as `kubectl apply` changes the object: a Job keeps the selector and the labels that the API server generated.
/// What has a UID or a resource version is a whole object, which replaces the old one; so is what has no name.
fn with_generated(mut manifest: Value, old: &Value) -> Value {
    let has = |key| at(&manifest, &["metadata", key]).is_some();
    let is_manifest = has("name") && !has("uid") && !has("resourceVersion");
    let has_selector = at(&manifest, &["spec", "selector"]).is_some();
    if !is_manifest
        || !Kind::of(old).is_some_and(Kind::has_uid_in_spec)
        || has_selector
        || at(old, &["spec", "selector"]).is_none()
    {
        return manifest;
    }
    if let Some(metadata) = map_at(&mut manifest, &["metadata"]) {
        set_default(metadata, "uid", uid(old));
    }
    generate_selector_if_needed(&mut manifest);
    manifest
}

/// The object with the fields that the store sets.
/// Upstream: `k8s.io/apiserver/pkg/registry/rest/meta.go FillObjectMetaSystemFields`, `WipeObjectMetaSystemFields`, and
/// `k8s.io/apiserver/pkg/storage/names/generate.go GenerateName`
fn with_system_fields(mut object: Value, kind: Kind) -> Value {
    const LONGEST_BASE: usize = 58;
    let Some(metadata) = map_at(&mut object, &["metadata"]) else { return object };
    for key in ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        metadata.remove(key);
    }
    if kind.has_uid_in_spec() {
        metadata.insert("uid".into(), "00000000-0000-0000-0000-000000000000".into());
    }
    let text = |key: &str| metadata.get(key).and_then(Value::as_str).unwrap_or_default();
    let base: String = text("generateName").chars().take(LONGEST_BASE).collect();
    if text("name").is_empty() && !base.is_empty() {
        metadata.insert("name".into(), format!("{base}xxxxx").into());
    }
    object
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::json;

    use super::*;

    fn run(object: &Value, old: Option<&Value>) -> DryRun {
        dry_run(object, old, &FeatureGates::default())
    }

    fn texts(result: &DryRun) -> Vec<String> {
        result.errors.iter().map(ToString::to_string).collect()
    }

    fn job(completions: i32) -> Value {
        json!({
            "apiVersion": "batch/v1", "kind": "Job", "metadata": {"generateName": "import-"},
            "spec": {"completions": completions, "template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "a", "image": "a:1", "tty": true}]
            }}},
        })
    }

    #[test]
    fn system_fields_are_made_up() {
        let result = run(&job(3), None);
        assert_eq!(result.errors, []);
        let object = result.object.unwrap();
        assert_eq!(object["metadata"]["name"], "import-xxxxx");
        assert_eq!(
            object["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"],
            object["metadata"]["uid"]
        );
        assert_eq!(result.unvalidated, [""; 0]);
    }

    #[test]
    fn updates_and_creations_differ() {
        let old = run(&job(3), None).object.unwrap();
        let mut new = old.clone();
        assert_eq!(run(&new, Some(&old)).errors, []);
        new["spec"]["completions"] = 4.into();
        assert_eq!(texts(&run(&new, Some(&old))), ["spec.completions: Invalid value: 4: field is immutable"]);
    }

    #[test]
    fn an_old_manifest_is_created_first() {
        let pods = |name: &str, replicas| {
            json!({
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
                "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": {
                    "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "a", "image": "a:1"}]},
                }},
            })
        };
        let result = run(&pods("web", 5), Some(&pods("web", 3)));
        assert_eq!(texts(&result), [""; 0]);
        assert_eq!(result.object.unwrap()["metadata"]["generation"], 2);
        let changed = texts(&run(&pods("other", 3), Some(&pods("web", 3))));
        assert_eq!(changed, [r#"spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable"#]);
    }

    #[test]
    fn an_old_manifest_gets_the_uid_of_the_new_object() {
        let mut manifest = job(3);
        manifest["metadata"] = json!({"name": "import"});
        let stored = run(&manifest, None).object.unwrap().to_string();
        let stored = stored.replace("00000000-0000-0000-0000-000000000000", "1f7c2e9a");
        let stored = serde_json::from_str(&stored).unwrap();
        assert_eq!(texts(&run(&stored, Some(&manifest))), [""; 0]);
    }

    #[test]
    fn a_job_keeps_what_the_api_server_generated() {
        let old = run(&job(3), None).object.unwrap();
        let mut manifest = job(3);
        manifest["metadata"] = json!({"name": old["metadata"]["name"]});
        assert_eq!(texts(&run(&manifest, Some(&old))), [""; 0]);
        assert_eq!(texts(&run(&manifest, Some(&manifest))), [""; 0]);
        manifest["spec"]["template"]["spec"]["containers"][0]["nonsense"] = 1.into();
        assert_eq!(texts(&run(&manifest, Some(&old))), [""; 0]);
        manifest["spec"]["template"]["spec"]["containers"][0]["tty"] = false.into();
        let changed = texts(&run(&manifest, Some(&old)));
        assert!(
            changed[0].starts_with("spec.template: Invalid value: ") && changed[0].ends_with(": field is immutable")
        );
    }

    #[test]
    fn each_error_is_reported_once() {
        let old = run(&job(3), None).object.unwrap();
        let mut new = old.clone();
        new["spec"]["parallelism"] = (-1).into();
        let expected = ["spec.parallelism: Invalid value: -1: must be greater than or equal to 0"];
        assert_eq!(texts(&run(&new, Some(&old))), expected);
    }

    #[test]
    fn unknown_fields_are_listed_apart() {
        let mut job = job(3);
        job["spec"]["completion"] = 3.into();
        let result = run(&job, None);
        assert_eq!(texts(&result), [""; 0]);
        let unknown: Vec<String> = result.unknown.iter().map(ToString::to_string).collect();
        assert_eq!(unknown, [r#"unknown field "spec.completion""#]);
        assert_eq!(result.unvalidated, [""; 0]);
        assert!(result.object.unwrap()["spec"].get("completion").is_none());
    }

    #[test]
    fn other_kinds_are_not_called_valid() {
        let result = run(&json!({"apiVersion": "v1", "kind": "Service", "spec": {"type": "No"}}), None);
        assert!(result.object.is_none() && result.errors.is_empty());
        assert_eq!(result.unvalidated, ["apiVersion", "kind", "spec"]);
        let added = run(&json!({"apiVersion": "apps.kruise.io/v1beta1", "kind": "StatefulSet"}), None);
        assert!(added.object.is_none() && added.errors.is_empty());
        assert_eq!(added.unvalidated, ["apiVersion", "kind"]);
        let old_version = run(&json!({"apiVersion": "apps/v1beta1", "kind": "Deployment"}), None);
        assert_eq!(old_version.errors.len(), 1);
        assert_eq!(old_version.unvalidated, ["apiVersion", "kind"]);
        let unversioned = run(&json!({"kind": "Job"}), None);
        assert_eq!(texts(&unversioned), [r#"apiVersion: Required value: must be "batch/v1""#]);
        let misspelled = run(&json!({"apiVersion": "apps/v1", "kind": "Deploymnt"}), None);
        let expected = r#"kind: Invalid value: "Deploymnt": no kind "Deploymnt" is registered for version "apps/v1": did you mean "Deployment"?"#;
        assert_eq!(texts(&misspelled), [expected]);
        let numbered = run(&json!({"apiVersion": 1, "kind": "Deployment"}), None);
        assert_eq!(texts(&numbered), ["apiVersion: Invalid value: 1: must be a string"]);
    }

    #[test]
    fn unreadable_objects_are_not_validated() {
        let mut job = job(3);
        job["spec"]["podFailurePolicy"] = json!({"rules": [{"action": 3}]});
        job["spec"]["template"]["spec"]["containers"][0]["env"] = json!([{"name": "PORT", "value": 8080}]);
        let result = run(&job, None);
        let expected = [
            "spec.podFailurePolicy.rules[0].action: Invalid value: 3: must be a string",
            "spec.template.spec.containers[0].env[0].value: Invalid value: 8080: must be a string",
        ];
        assert_eq!(texts(&result), expected);
        assert_eq!(result.unvalidated, ["apiVersion", "kind", "metadata", "spec"]);
    }
}
