//! What the text lacks of a running cluster's state, what was edited in it, and how long its pods took to become ready.

use std::collections::{BTreeMap, BTreeSet};

use changeover_core::object::{Kind, POD_TEMPLATE_HASH, Time, controller_of, revision_of};
use changeover_core::scenario::{Duration, MissingNode, Timing, missing_nodes};
use changeover_text::Document;
use changeover_wire::{LineProblem, ManifestText, Severity};
use serde_json::Value;

use crate::documents::{is_live_pod, is_of_kind, is_stored, located, namespace};

/// The API server's default of progressDeadlineSeconds.
const DEFAULT_PROGRESS_DEADLINE: i64 = 600;

/// Warnings about Deployments and pods whose ReplicaSets the text lacks: nobody knows which of the pods are new.
pub(crate) fn missing_replica_sets(documents: &[Document], text: ManifestText) -> Vec<LineProblem> {
    let replica_sets = || documents.iter().map(|it| &it.value).filter(|value| is_of_kind(value, "ReplicaSet"));
    let uids: BTreeSet<&str> = replica_sets().map(|value| string(value, "/metadata/uid")).collect();
    let owners: BTreeSet<(&str, &str)> = replica_sets()
        .filter_map(|value| Some((namespace(value), string(controller_of(value, Kind::Deployment)?, "/name"))))
        .collect();
    let key = |value: &Value| (namespace(value).to_owned(), string(value, "/metadata/name").to_owned());
    let warning = |document: &Document, missing: &str| {
        let message = format!(
            "The text has no {missing}, so its state is unknown: paste the output of kubectl get deploy,rs,pods -o yaml"
        );
        located(Severity::Warning, text, document, "", message)
    };
    let mut warnings = Vec::new();
    let mut unknown: BTreeSet<(String, String)> = BTreeSet::new();
    for document in documents.iter().filter(|it| is_of_kind(&it.value, "Deployment") && has_pods(&it.value)) {
        let (namespace, name) = key(&document.value);
        if !owners.contains(&(namespace.as_str(), name.as_str())) {
            warnings.push(warning(document, &format!("ReplicaSets of {name}")));
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
            warnings.push(warning(document, &format!("ReplicaSet {name} of this pod")));
        }
    }
    warnings
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

/// How long pods of a running cluster took to start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MeasuredStart {
    /// From their start on a node until their containers ran.
    pub containers: Duration,
    /// From their start on a node until they were ready.
    pub ready: Duration,
}

/// How long the ready pods of a Deployment took to start: the medians of their times. None if no pod says so.
pub(crate) fn measured_start<'a>(
    objects: impl Iterator<Item = &'a Value> + Clone,
    deployment: &Value,
) -> Option<MeasuredStart> {
    let uid = deployment.pointer("/metadata/uid")?.as_str()?;
    let replica_sets = objects.clone().filter(|value| is_of_kind(value, "ReplicaSet"));
    let its =
        replica_sets.filter(|value| controller_of(value, Kind::Deployment).is_some_and(|it| string(it, "/uid") == uid));
    let uids: BTreeSet<&str> = its.map(|replica_set| string(replica_set, "/metadata/uid")).collect();
    let pods = objects.filter(|value| is_of_kind(value, "Pod"));
    let its =
        pods.filter(|pod| controller_of(pod, Kind::ReplicaSet).is_some_and(|it| uids.contains(string(it, "/uid"))));
    let deadline = deployment.pointer("/spec/progressDeadlineSeconds").and_then(Value::as_i64);
    // A pod that took longer was ready before, as on a node that was lost for a while.
    let longest = Duration::seconds(deadline.unwrap_or(DEFAULT_PROGRESS_DEADLINE));
    let starts: Vec<MeasuredStart> = its.filter_map(start_of_pod).filter(|start| start.ready <= longest).collect();
    let ready = median(starts.iter().map(|start| start.ready))?;
    let containers = median(starts.iter().map(|start| start.containers))?.min(ready);
    Some(MeasuredStart { containers, ready })
}

/// The middle one of some times, or the longer one of two.
fn median(times: impl Iterator<Item = Duration>) -> Option<Duration> {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len().div_euclid(2)).copied()
}

/// How long a pod took to start. None if it is not ready, or if a container was started again, so that it may have been ready
/// before.
fn start_of_pod(pod: &Value) -> Option<MeasuredStart> {
    let items = |pointer: &str| pod.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
    let is_ready = |condition: &&Value| string(condition, "/type") == "Ready" && string(condition, "/status") == "True";
    let was_restarted =
        |status: &Value| status.get("restartCount").and_then(Value::as_u64).is_some_and(|count| count > 0);
    if items("/status/containerStatuses").any(was_restarted) {
        return None;
    }
    let start = Time::parse(string(pod, "/status/startTime"))?;
    let after_start = |time: Time| Some(Duration(time.since(start))).filter(|time| time.0 >= 0);
    let ready = Time::parse(string(items("/status/conditions").find(is_ready)?, "/lastTransitionTime"))?;
    let ready = after_start(ready)?;
    let running =
        items("/status/containerStatuses").filter_map(|it| Time::parse(string(it, "/state/running/startedAt")));
    let containers = running.max().and_then(after_start).unwrap_or_else(|| Timing::default().start);
    Some(MeasuredStart { containers, ready })
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
    let count = |field: &str| deployment.get("status").and_then(|status| status.get(field)?.as_u64());
    is_stored(deployment) && ["replicas", "unavailableReplicas"].into_iter().any(|it| count(it).unwrap_or(0) > 0)
}

fn string<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn owned_by(kind: &str, uid: &str) -> Value {
        json!([{ "kind": kind, "uid": uid, "controller": true }])
    }

    /// A pod of `web` that was ready this many seconds after its start.
    fn pod(seconds: i64, restarts: u32, status: &str) -> Value {
        let start = Time::parse("2026-01-01T00:00:00Z").unwrap();
        let ready = start.plus_seconds(seconds).to_string();
        json!({
            "kind": "Pod", "metadata": { "ownerReferences": owned_by("ReplicaSet", "web-1") },
            "status": {
                "startTime": start.to_string(),
                "conditions": [
                    { "type": "PodScheduled", "status": "True", "lastTransitionTime": start.to_string() },
                    { "type": "Ready", "status": status, "lastTransitionTime": ready },
                ],
                "containerStatuses": [{
                    "restartCount": restarts,
                    "state": { "running": { "startedAt": start.plus_seconds(3).to_string() } },
                }],
            },
        })
    }

    /// The seconds until the containers of the pods of `web` ran, and until the pods were ready.
    fn measured(pods: &[Value]) -> Option<(i64, i64)> {
        let web = json!({ "kind": "Deployment", "metadata": { "uid": "web" }, "spec": {} });
        let replica_set = |uid: &str, owner: &str| json!({ "kind": "ReplicaSet", "metadata": { "uid": uid, "ownerReferences": owned_by("Deployment", owner) } });
        let replica_sets = [replica_set("web-1", "web"), replica_set("other-1", "other")];
        let MeasuredStart { containers, ready } = measured_start(replica_sets.iter().chain(pods), &web)?;
        Some((containers.0.div_euclid(Time::SECOND), ready.0.div_euclid(Time::SECOND)))
    }

    #[test]
    fn the_median_of_the_pods_that_became_ready_once_is_measured() {
        let mut of_another = pod(90, 0, "True");
        of_another["metadata"]["ownerReferences"] = owned_by("ReplicaSet", "other-1");
        let mut without_time = pod(90, 0, "True");
        without_time["status"]["startTime"] = Value::Null;
        for (pods, expected) in [
            (vec![], None),
            (vec![pod(20, 0, "True")], Some((3, 20))),
            (vec![pod(40, 0, "True"), pod(18, 0, "True"), pod(20, 0, "True")], Some((3, 20))),
            (vec![pod(18, 0, "True"), pod(20, 0, "True")], Some((3, 20))),
            (vec![pod(0, 0, "True")], Some((0, 0))),
            (vec![pod(20, 0, "True"), pod(90, 1, "True"), pod(90, 0, "False")], Some((3, 20))),
            // It was ready before, or its clock is wrong.
            (vec![pod(20, 0, "True"), pod(3600, 0, "True"), pod(-1, 0, "True")], Some((3, 20))),
            (vec![of_another, without_time], None),
        ] {
            assert_eq!(measured(&pods), expected, "{pods:?}");
        }
    }
}
