//! All that the API server says about an object, for those who ask before they send it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::admit::{prepared_create, prepared_update, read, refused};
use super::convert::decoded;
use super::field::FieldError;
use super::go_print::EXACT;
use super::kind::Kind;
use super::not_looked_at::{everything, not_looked_at};
use super::operation::Operation;
use super::prepare::default_with;
use super::strategy::{ALL, Strategy};
use super::value::{field, map_at, set_default, string};
use super::warnings::warnings;
use crate::feature_gates::FeatureGates;

/// What the API server makes of an object, and all that it says about it.
#[derive(Clone, Debug)]
pub struct Admission {
    /// The object with its defaults, prepared as it would be stored; none where it can't be read, or is of a kind that is
    /// not looked at.
    pub object: Option<Value>,
    /// What is refused.
    pub errors: Vec<FieldError>,
    /// What is let through with a word; said to a client only where nothing is refused.
    pub warnings: Vec<String>,
    /// The paths of what is there but was not looked at: it may be valid or not.
    pub not_looked_at: Vec<String>,
}

/// Whether something is of a kind that somebody else looks at: it is neither refused nor said to be valid. Whoever adds kinds
/// to Kubernetes has a group with a dot in its name.
fn is_foreign(object: &Value) -> bool {
    let name = string(object, "kind");
    let is_added = string(object, "apiVersion").split_once('/').is_some_and(|(group, _)| group.contains('.'));
    !name.is_empty() && (is_added || Kind::ALL.into_iter().all(|kind| kind.name() != name))
}

/// Asks what would become of an object that is created, or that replaces `old`. What only the store can know is made up:
/// five `x` at the end of a generated name, and a UID of zeros for a Job, whose selector is made of it.
pub fn admission(object: &Value, old: Option<&Value>, gates: &FeatureGates) -> Admission {
    if object.is_object() && is_foreign(object) {
        return Admission { object: None, errors: Vec::new(), warnings: Vec::new(), not_looked_at: everything(object) };
    }
    let (read, strategy) = match read(object, ALL) {
        Ok(read) => read,
        Err(errors) => {
            return Admission { object: None, errors, warnings: Vec::new(), not_looked_at: everything(object) };
        }
    };
    let kind = strategy.kind;
    let read = decoded(&read, kind);
    let uid = field(&read, "metadata").map(|metadata| string(metadata, "uid")).unwrap_or_default();
    let stored = old.map(|old| stored(decoded(old, kind), uid, strategy, *gates));
    let (operation, prepared) = match &stored {
        None => (Operation::Create, prepared_create(filled(read, kind), strategy, *gates)),
        Some(old) => (Operation::Update(old), prepared_update(read, old, strategy, *gates)),
    };
    Admission {
        errors: refused(&prepared, strategy, stored.as_ref(), *gates, EXACT),
        warnings: warnings(&prepared, kind, operation),
        not_looked_at: not_looked_at(object, kind),
        object: Some(prepared),
    }
}

/// The object of before, as the store has it. Without a UID it is a manifest, which was created first, with the UID that the
/// object has now.
fn stored(mut old: Value, new_uid: &str, strategy: &Strategy, gates: FeatureGates) -> Value {
    if let Some(metadata) = map_at(&mut old, &["metadata"]) {
        set_default(metadata, "namespace", "default");
    }
    let uid = field(&old, "metadata").map(|metadata| string(metadata, "uid")).unwrap_or_default();
    if uid.is_empty() {
        let mut filled = filled(old, strategy.kind);
        if let Some(metadata) = map_at(&mut filled, &["metadata"]).filter(|_| !new_uid.is_empty()) {
            metadata.insert("uid".into(), new_uid.into());
        }
        return prepared_create(filled, strategy, gates);
    }
    default_with(&mut old, strategy, gates);
    old
}

/// What the store gives a new object.
/// Upstream: `k8s.io/apiserver/pkg/registry/rest/meta.go FillObjectMetaSystemFields`, `WipeObjectMetaSystemFields`, and
/// `k8s.io/apiserver/pkg/storage/names/generate.go GenerateName`
fn filled(mut object: Value, kind: Kind) -> Value {
    const LONGEST_BASE: usize = 58;
    let Some(metadata) = map_at(&mut object, &["metadata"]) else { return object };
    for key in ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        metadata.remove(key);
    }
    if kind == Kind::Job {
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

    fn admitted(object: &Value, old: Option<&Value>) -> Admission {
        admission(object, old, &FeatureGates::default())
    }

    fn texts(admission: &Admission) -> Vec<String> {
        admission.errors.iter().map(ToString::to_string).collect()
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
    fn what_the_store_gives_is_made_up() {
        let admission = admitted(&job(3), None);
        assert_eq!(admission.errors, []);
        let object = admission.object.unwrap();
        assert_eq!(object["metadata"]["name"], "import-xxxxx");
        assert_eq!(
            object["spec"]["selector"]["matchLabels"]["batch.kubernetes.io/controller-uid"],
            object["metadata"]["uid"]
        );
        assert_eq!(admission.not_looked_at, ["spec.template.spec.containers[0].tty"]);
    }

    #[test]
    fn an_update_is_told_from_a_creation() {
        let old = admitted(&job(3), None).object.unwrap();
        let mut new = old.clone();
        assert_eq!(admitted(&new, Some(&old)).errors, []);
        new["spec"]["completions"] = 4.into();
        assert_eq!(texts(&admitted(&new, Some(&old))), ["spec.completions: Invalid value: 4: field is immutable"]);
    }

    #[test]
    fn what_was_never_stored_is_created_first() {
        let pods = |name: &str, replicas| {
            json!({
                "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"},
                "spec": {"replicas": replicas, "selector": {"matchLabels": {"app": name}}, "template": {
                    "metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "a", "image": "a:1"}]},
                }},
            })
        };
        let admission = admitted(&pods("web", 5), Some(&pods("web", 3)));
        assert_eq!(texts(&admission), [""; 0]);
        assert_eq!(admission.object.unwrap()["metadata"]["generation"], 2);
        let changed = texts(&admitted(&pods("other", 3), Some(&pods("web", 3))));
        assert_eq!(changed, [r#"spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable"#]);
    }

    #[test]
    fn a_manifest_of_before_has_the_uid_of_what_replaces_it() {
        let mut manifest = job(3);
        manifest["metadata"] = json!({"name": "import"});
        let stored = admitted(&manifest, None).object.unwrap().to_string();
        let stored = stored.replace("00000000-0000-0000-0000-000000000000", "1f7c2e9a");
        let stored = serde_json::from_str(&stored).unwrap();
        assert_eq!(texts(&admitted(&stored, Some(&manifest))), [""; 0]);
    }

    #[test]
    fn one_error_is_told_once() {
        let old = admitted(&job(3), None).object.unwrap();
        let mut new = old.clone();
        new["spec"]["parallelism"] = (-1).into();
        let expected = ["spec.parallelism: Invalid value: -1: must be greater than or equal to 0"];
        assert_eq!(texts(&admitted(&new, Some(&old))), expected);
    }

    #[test]
    fn other_kinds_are_not_said_to_be_valid() {
        let admission = admitted(&json!({"apiVersion": "v1", "kind": "Service", "spec": {"type": "No"}}), None);
        assert!(admission.object.is_none() && admission.errors.is_empty());
        assert_eq!(admission.not_looked_at, ["apiVersion", "kind", "spec"]);
        let added = admitted(&json!({"apiVersion": "apps.kruise.io/v1beta1", "kind": "StatefulSet"}), None);
        assert!(added.object.is_none() && added.errors.is_empty());
        assert_eq!(added.not_looked_at, ["apiVersion", "kind"]);
        let old_version = admitted(&json!({"apiVersion": "apps/v1beta1", "kind": "Deployment"}), None);
        assert_eq!(old_version.errors.len(), 1);
        assert_eq!(old_version.not_looked_at, ["apiVersion", "kind"]);
        let unversioned = admitted(&json!({"kind": "Job"}), None);
        assert_eq!(texts(&unversioned), [r#"apiVersion: Required value: must be "batch/v1""#]);
        let numbered = admitted(&json!({"apiVersion": 1, "kind": "Deployment"}), None);
        assert_eq!(texts(&numbered), ["apiVersion: Invalid value: 1: must be a string"]);
    }

    #[test]
    fn of_what_cannot_be_read_nothing_is_looked_at() {
        let mut job = job(3);
        job["spec"]["podFailurePolicy"] = json!({"rules": [{"action": 3}]});
        let admission = admitted(&job, None);
        let expected = "spec.podFailurePolicy.rules[0].action: Invalid value: 3: must be a string";
        assert_eq!(texts(&admission), [expected]);
        assert_eq!(admission.not_looked_at, ["apiVersion", "kind", "metadata", "spec"]);
    }
}
