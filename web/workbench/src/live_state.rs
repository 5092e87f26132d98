//! What the text lacks of a running cluster's state, and what was edited in it.

use std::collections::{BTreeMap, BTreeSet};

use changeover_core::object::{Kind, controller_of};
use changeover_core::scenario::{MissingNode, missing_nodes};
use changeover_core::workload::replica_set::{POD_TEMPLATE_HASH, revision_of};
use changeover_text::Document;
use changeover_wire::{LineProblem, ManifestText, Severity, UNKNOWN_STATE};
use serde_json::Value;

use crate::documents::{is_live_pod, is_of_kind, is_stored, located, namespace};

/// Warnings about Deployments and pods whose ReplicaSets the text lacks: nobody knows which of the pods are new.
pub(crate) fn missing_replica_sets(documents: &[Document], text: ManifestText) -> Vec<LineProblem> {
    let replica_sets = || documents.iter().map(|it| &it.value).filter(|value| is_of_kind(value, "ReplicaSet"));
    let uids: BTreeSet<&str> = replica_sets().map(|value| string(value, "/metadata/uid")).collect();
    let owners: BTreeSet<(&str, &str)> = replica_sets()
        .filter_map(|value| Some((namespace(value), string(controller_of(value, Kind::Deployment)?, "/name"))))
        .collect();
    let key = |value: &Value| (namespace(value).to_owned(), string(value, "/metadata/name").to_owned());
    let mut warnings = Vec::new();
    let mut unknown: BTreeSet<(String, String)> = BTreeSet::new();
    for document in documents.iter().filter(|it| is_of_kind(&it.value, "Deployment") && has_pods(&it.value)) {
        let (namespace, name) = key(&document.value);
        if !owners.contains(&(namespace.as_str(), name.as_str())) {
            warnings.push(unknown_state(text, document, &format!("ReplicaSets of {name}")));
            unknown.insert((namespace, name));
        }
    }
    let mut missing: BTreeSet<&str> = BTreeSet::new();
    for document in documents.iter().filter(|it| is_of_kind(&it.value, "Pod") && is_stored(&it.value)) {
        let Some(owner) = controller_of(&document.value, Kind::ReplicaSet) else { continue };
        let (uid, name) = (string(owner, "/uid"), string(owner, "/name"));
        // Its name is that of its Deployment and a hash.
        let deployment = name.rsplit_once('-').map_or(name, |(deployment, _)| deployment);
        let is_known =
            uids.contains(uid) || unknown.contains(&(namespace(&document.value).to_owned(), deployment.to_owned()));
        if !is_known && missing.insert(uid) {
            warnings.push(unknown_state(text, document, &format!("ReplicaSet {name} of this pod")));
        }
    }
    warnings
}

/// Warnings about ReplicaSets that have pods, but none in the text: at most one for each Deployment. If only some pods are
/// missing, there is no warning, because the status can lag behind the pods.
pub(crate) fn missing_pods(documents: &[Document], text: ManifestText) -> Vec<LineProblem> {
    let pods = documents.iter().map(|it| &it.value).filter(|value| is_of_kind(value, "Pod"));
    let owners: BTreeSet<&str> =
        pods.filter_map(|pod| Some(string(controller_of(pod, Kind::ReplicaSet)?, "/uid"))).collect();
    let mut warnings = Vec::new();
    let mut deployments: BTreeSet<&str> = BTreeSet::new();
    for document in documents.iter().filter(|it| is_of_kind(&it.value, "ReplicaSet") && is_stored(&it.value)) {
        let replica_set = &document.value;
        let uid = string(replica_set, "/metadata/uid");
        let deployment = controller_of(replica_set, Kind::Deployment).map_or(uid, |owner| string(owner, "/uid"));
        if has_some(replica_set, "replicas") && !owners.contains(uid) && deployments.insert(deployment) {
            let missing = format!("pods of {}", string(replica_set, "/metadata/name"));
            warnings.push(unknown_state(text, document, &missing));
        }
    }
    warnings
}

/// A warning that a text lacks objects without which the state of this one is unknown.
fn unknown_state(text: ManifestText, document: &Document, missing: &str) -> LineProblem {
    let namespace = namespace(&document.value);
    let message = format!(
        "The text has no {missing}, {UNKNOWN_STATE}: paste the output of kubectl get deploy,rs,pods --namespace {namespace} -o yaml"
    );
    located(Severity::Warning, text, document, "", message)
}

/// Warnings about nodes of a running cluster's pods that the text lacks although it has others.
pub(crate) fn missing_node_warnings(documents: &[Document], text: ManifestText) -> impl Iterator<Item = LineProblem> {
    let values = || documents.iter().map(|it| &it.value);
    let given = values().filter(|value| is_of_kind(value, "Node")).map(|node| string(node, "/metadata/name"));
    missing_nodes(values(), given).into_iter().filter_map(move |missing| {
        let pod = documents.get(missing.pod)?;
        Some(located(Severity::Warning, text, pod, MissingNode::FIELD, missing.message()))
    })
}

/// A warning if a text has the state of a running cluster, but the rollout starts from another text, which lacks it.
pub(crate) fn ignored_state(before: &[Document], text: &[Document]) -> Option<LineProblem> {
    let uid = |document: &Document| string(&document.value, "/metadata/uid").to_owned();
    let is_live = |document: &&Document| is_live_pod(&document.value);
    let known: BTreeSet<String> = before.iter().filter(is_live).map(uid).collect();
    let ignored = text.iter().filter(is_live).find(|document| !known.contains(&uid(document)))?;
    let message = "This cluster state is ignored, because you saved what runs now: choose “Remove what runs now” to start from this state";
    Some(located(Severity::Warning, ManifestText::Text, ignored, "", message.to_owned()))
}

/// The Deployments of a running cluster whose template or selector was edited in the text, each as it was before: with the
/// template and the selector of its newest ReplicaSet. The result has an entry for each document.
pub(crate) fn edited_deployments(documents: &[Document]) -> Vec<Option<Value>> {
    let mut newest: BTreeMap<&str, &Value> = BTreeMap::new();
    for replica_set in documents.iter().map(|it| &it.value).filter(|value| is_of_kind(value, "ReplicaSet")) {
        let Some(owner) = controller_of(replica_set, Kind::Deployment) else { continue };
        let known = newest.entry(string(owner, "/uid")).or_insert(replica_set);
        if revision_of(replica_set) > revision_of(known) {
            *known = replica_set;
        }
    }
    let before = |deployment: &Value| {
        let replica_set = newest.get(deployment.pointer("/metadata/uid")?.as_str()?)?;
        let mut before = deployment.clone();
        for (field, labels) in [("selector", "/matchLabels"), ("template", "/metadata/labels")] {
            let left = without_hash(replica_set.pointer(&format!("/spec/{field}"))?, labels);
            before.get_mut("spec")?.as_object_mut()?.insert(field.to_owned(), left);
        }
        (before != *deployment).then_some(before)
    };
    let deployments = documents.iter().map(|it| Some(&it.value).filter(|value| is_of_kind(value, "Deployment")));
    deployments.map(|deployment| deployment.and_then(before)).collect()
}

/// A selector or a template of a ReplicaSet without the label that tells it from others.
fn without_hash(value: &Value, labels: &str) -> Value {
    let mut left = value.clone();
    let Some(map) = left.pointer_mut(labels).and_then(Value::as_object_mut) else { return left };
    map.remove(POD_TEMPLATE_HASH);
    let is_empty = map.is_empty();
    // A selector may have had only expressions.
    if let Some(selector) = left.as_object_mut().filter(|_| is_empty) {
        selector.remove("matchLabels");
    }
    left
}

/// Whether the status of a Deployment has pods, or says that it lacks some.
fn has_pods(deployment: &Value) -> bool {
    is_stored(deployment) && ["replicas", "unavailableReplicas"].into_iter().any(|field| has_some(deployment, field))
}

/// Whether a count in the status of an object is more than 0.
fn has_some(object: &Value, field: &str) -> bool {
    let count = object.get("status").and_then(|status| status.get(field)?.as_u64());
    count.is_some_and(|count| count > 0)
}

fn string<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
