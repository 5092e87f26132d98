//! What `explain` says of each cause for which a rollout gets stuck: docs/stuck-rollouts.md has the table. `UPDATE_DOCUMENTATION=1`
//! writes it.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use changeover_core::object::Time;
use changeover_core::prediction::{Assumptions, Outlook, PredictOptions};
use changeover_core::scenario::newest_time;
use serde_json::{Value, json};

const PAGE: &str = "docs/stuck-rollouts.md";

/// The lines of the page around the table.
const HEAD: &str = "| the objects say | `explain` says | and advises |\n|---|---|---|\n";

/// When the objects are read: the time of new pods to start is over.
const NOW: &str = "2026-11-26T10:46:00Z";

const NEW_REPLICA_SET: &str = "web-55f8cf7ffc";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn objects(path: &str) -> Vec<Value> {
    let text = fs::read_to_string(root().join(path)).unwrap();
    changeover_text::parse(&text).unwrap().into_iter().map(|document| document.value).collect()
}

/// RFC 7396.
fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let target = target.as_object_mut().unwrap();
    for (key, value) in patch {
        match value {
            Value::Null => drop(target.remove(key)),
            value => merge(target.entry(key.clone()).or_insert(Value::Null), value),
        }
    }
}

/// The objects of a workload that is stuck: recorded ones, or those of a rollout, changed so that they show a cause.
fn state(cause: &Value) -> Vec<Value> {
    if let Some(recorded) = cause["recorded"].as_str() {
        return objects(&format!("tests/controlplane/{recorded}.yaml"));
    }
    let mut objects = objects("tests/controlplane/states/stuck-image.yaml");
    let is_new = |object: &Value| object["metadata"]["name"].as_str().unwrap().starts_with(NEW_REPLICA_SET);
    let is = |object: &Value, kind: &str| object["kind"] == kind;
    if let Some(message) = cause.get("refused") {
        objects.retain(|object| !(is(object, "Pod") && is_new(object)));
        let condition =
            json!({ "type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message });
        let replica_set = objects.iter_mut().find(|object| is(object, "ReplicaSet") && is_new(object)).unwrap();
        replica_set["status"] = json!({ "replicas": 0, "observedGeneration": 1, "conditions": [condition] });
    }
    let mut events = Vec::new();
    for object in &mut objects {
        let patches = match (object["kind"].as_str().unwrap(), is_new(object)) {
            ("Deployment", _) => [Some("deployment"), None],
            ("Pod", true) => [Some("pod"), None],
            ("ReplicaSet", true) => [Some("replicaSet"), None],
            ("Pod", false) if object["metadata"]["name"] == "web-75f9f985d6-5tt25" => [Some("oldPod"), None],
            _ => [None, None],
        };
        if is(object, "Pod") && is_new(object) {
            if let Some(container) = cause.get("container") {
                let mut status =
                    json!({ "name": "web", "image": "web:2", "imageID": "", "ready": false, "restartCount": 0 });
                merge(&mut status, container);
                object["status"]["containerStatuses"] = json!([status]);
            }
            if let Some(message) = cause.get("pending") {
                let condition =
                    json!({ "type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message });
                object["status"] = json!({ "phase": "Pending", "conditions": [condition] });
                object["spec"].as_object_mut().unwrap().remove("nodeName");
            }
            if let Some(event) = cause.get("event") {
                let involved = json!({ "kind": "Pod", "namespace": object["metadata"]["namespace"], "name": object["metadata"]["name"] });
                let mut shown = json!({ "kind": "Event", "apiVersion": "v1", "type": "Warning", "lastTimestamp": NOW, "involvedObject": involved });
                merge(&mut shown, event);
                events.push(shown);
            }
        }
        for patch in patches.into_iter().flatten() {
            merge(object, cause.get(patch).unwrap_or(&json!({})));
        }
    }
    objects.extend(events);
    objects.extend(cause.get("objects").and_then(Value::as_array).into_iter().flatten().cloned());
    objects
}

/// The first thing that `explain` says of the state, and what it advises.
fn answer(cause: &Value) -> (String, String) {
    let objects = state(cause);
    let now = if cause["recorded"].is_null() { Time::parse(NOW) } else { newest_time(&objects) };
    let assumptions = Assumptions { now, ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    let outlook = Outlook::of(&objects, &options).unwrap();
    let of_rollouts = outlook.rollouts().flat_map(|rollout| rollout.obstacles);
    let mut obstacles = of_rollouts.chain(outlook.jobs().flat_map(|job| job.obstacles));
    let obstacle = obstacles.next().unwrap_or_else(|| panic!("{cause}: nothing is said"));
    (obstacle.why, obstacle.remedy.unwrap_or_default())
}

#[test]
fn each_cause_has_its_sentence_and_its_remedy() {
    let causes = objects("tests/cli/causes.yaml").remove(0);
    let in_cell = |text: &str| text.replace('|', "\\|").replace('<', "&lt;");
    let rows = causes["causes"].as_array().unwrap().iter().map(|cause| {
        let (why, remedy) = answer(cause);
        let recorded = if cause["recorded"].is_null() { "" } else { " (recorded)" };
        format!("| {}{recorded} | {} | {} |\n", cause["signs"].as_str().unwrap(), in_cell(&why), in_cell(&remedy))
    });
    let table: String = rows.collect();
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let (before, rest) = page.split_once(HEAD).unwrap();
    let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
    let updated = format!("{before}{HEAD}{table}\n{after}");
    if env::var_os("UPDATE_DOCUMENTATION").is_some() {
        fs::write(root().join(PAGE), updated).unwrap();
    } else {
        assert_eq!(page, updated, "{PAGE} (UPDATE_DOCUMENTATION=1 updates it)");
    }
}
