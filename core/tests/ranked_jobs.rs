//! The ranking of pods for deletion: that of a Job's matches the controller.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use changeover_core::cluster::Decision;
use changeover_core::controller;
use changeover_core::deletion_order::RankedObjects;
use changeover_core::explain::{RankedPod, explain_deletion_order};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Object, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Step, Timeline};
use changeover_core::workload::job::decision::Decision as JobDecision;
use proptest::prelude::*;
use serde_json::{Value, json};

fn job(spec: &Value) -> Value {
    let mut job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "train", "uid": "job" },
        "spec": { "template": { "spec": { "restartPolicy": "Never", "containers": [{ "name": "app", "image": "a:1" }] } } },
    });
    job["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    job
}

/// An active pod of the Job, on a node if it has an age.
fn pod(name: &str, index: Option<&str>, is_ready: Option<bool>) -> Value {
    let annotations =
        index.map_or_else(|| json!({}), |index| json!({ "batch.kubernetes.io/job-completion-index": index }));
    let ready = if is_ready == Some(true) { "True" } else { "False" };
    let mut pod = json!({
        "kind": "Pod",
        "metadata": {
            "name": name, "annotations": annotations, "creationTimestamp": "2026-01-01T00:00:00Z",
            "ownerReferences": [{ "apiVersion": "batch/v1", "kind": "Job", "name": "train", "uid": "job", "controller": true }],
        },
        "status": { "phase": "Pending" },
    });
    if is_ready.is_some() {
        pod["spec"] = json!({ "nodeName": "a" });
        pod["status"] = json!({
            "phase": "Running",
            "conditions": [{ "type": "Ready", "status": ready, "lastTransitionTime": "2026-01-01T00:00:05Z" }],
        });
    }
    pod
}

fn rank(objects: &[Value], named: &str, count: Option<u32>) -> Result<Vec<RankedPod>, String> {
    let ranked = RankedObjects::read(objects).map_err(|problem| problem.to_string())?;
    let workload = ranked.find(&named.into()).map_err(|problem| problem.to_string())?;
    Ok(explain_deletion_order(ranked.order(&workload, count, Time(0), FeatureGates::default())))
}

/// The pods with their positions before the ranking, whether they are deleted, and why.
fn order(objects: &[Value], count: Option<u32>) -> Vec<(String, usize, bool, Option<String>)> {
    listed(rank(objects, "job/train", count).unwrap())
}

fn listed(ranking: Vec<RankedPod>) -> Vec<(String, usize, bool, Option<String>)> {
    ranking.into_iter().map(|pod| (pod.name.to_string(), pod.index, pod.deleted, pod.why)).collect()
}

fn entry(name: &str, index: usize, deleted: bool, why: Option<&str>) -> (String, usize, bool, Option<String>) {
    (name.to_owned(), index, deleted, why.map(str::to_owned))
}

#[test]
fn pods_that_are_least_far_along_go_first() {
    let pods = [pod("ready", None, Some(true)), pod("waiting", None, None), pod("started", None, Some(false))];
    let objects = |spec: Value| [[job(&spec)].as_slice(), &pods].concat();
    let two_of_three = [
        entry("waiting", 2, true, Some("since it has no node and started has one")),
        entry("started", 3, true, Some("since it is not ready and ready is")),
        entry("ready", 1, false, None),
    ];
    assert_eq!(order(&objects(json!({ "parallelism": 1 })), None), two_of_three);
    assert_eq!(order(&objects(json!({ "parallelism": 3, "completions": 9 })), Some(2)), two_of_three);
    let all = two_of_three.map(|(name, index, _, why)| (name, index, true, why));
    assert_eq!(order(&objects(json!({ "parallelism": 3, "suspend": true })), None), all);
}

#[test]
fn only_surplus_pods_go() {
    let pods = ["a", "b", "c"].map(|name| pod(name, None, Some(true)));
    let gone = |spec: Value, status: Value| {
        let mut job = job(&spec);
        job["status"] = status;
        order(&[[job].as_slice(), &pods].concat(), None).iter().filter(|(_, _, deleted, _)| *deleted).count()
    };
    assert_eq!(gone(json!({ "parallelism": 2, "completions": 9 }), json!({})), 1);
    assert_eq!(gone(json!({ "parallelism": 3, "completions": 4 }), json!({ "succeeded": 3 })), 2);
    // If a pod of a work queue has succeeded, the others keep running.
    assert_eq!(gone(json!({ "parallelism": 1 }), json!({ "succeeded": 1 })), 0);
    let complete = json!({ "conditions": [{ "type": "Complete", "status": "True" }] });
    assert_eq!(gone(json!({ "parallelism": 3 }), complete), 3);
}

#[test]
fn pods_with_wrong_indexes_always_go() {
    let spec = json!({ "parallelism": 3, "completions": 3, "completionMode": "Indexed" });
    let pods = [
        pod("train-0-a", Some("0"), Some(true)),
        pod("train-0-b", Some("0"), Some(false)),
        pod("train-1-a", Some("1"), Some(true)),
        pod("train-7-a", Some("7"), Some(true)),
        pod("train-x", None, Some(true)),
    ];
    let mut ranking = order(&[[job(&spec)].as_slice(), &pods].concat(), Some(0));
    let stays = ranking.split_off(3);
    ranking.sort();
    assert_eq!(
        ranking,
        [
            entry("train-0-b", 2, true, Some("since train-0-a also has index 0")),
            entry("train-7-a", 4, true, Some("since its index is 7, but the Job only has indexes below 3")),
            entry("train-x", 5, true, Some("since it has no completion index")),
        ]
    );
    assert!(stays.iter().all(|(_, _, deleted, _)| !deleted));
}

#[test]
fn a_name_may_include_kind_and_namespace() {
    let replica_set =
        json!({ "kind": "ReplicaSet", "metadata": { "name": "train", "uid": "rs" }, "spec": { "replicas": 0 } });
    let objects = [replica_set, job(&json!({})), pod("a", None, Some(true))];
    let found = |named: &str| rank(&objects, named, Some(0)).map(|ranking| ranking.len());
    for (named, expected) in [
        ("job/train", Ok(1)),
        ("jobs.batch/default/train", Ok(1)),
        ("rs/train", Ok(0)),
        (
            "train",
            Err(
                "Invalid value: \"train\": must be like rs/namespace/name, job/namespace/name, rc/namespace/name or sts/namespace/name, since several have this name",
            ),
        ),
        ("job/web", Err("Not found: \"job/web\": must be a Job among the objects: \"job/default/train\"")),
        ("rs/web", Err("Not found: \"rs/web\": must be a ReplicaSet among the objects")),
        (
            "web",
            Err(
                "Not found: \"web\": must be a ReplicaSet, Job, ReplicationController or StatefulSet among the objects: \"job/default/train\"",
            ),
        ),
        (
            "shop/train",
            Err(
                "Not found: \"shop/train\": must be a ReplicaSet, Job, ReplicationController or StatefulSet among the objects: \"job/default/train\"",
            ),
        ),
    ] {
        assert_eq!(found(named), expected.map_err(str::to_owned), "{named}");
    }
}

#[test]
fn a_stateful_set_deletes_unwanted_ordinals_first_and_then_the_highest() {
    let owner =
        |kind: &str| json!([{ "apiVersion": "apps/v1", "kind": kind, "name": "db", "uid": "db", "controller": true }]);
    let pod = |name: &str, kind: &str| {
        json!({
            "kind": "Pod", "metadata": { "name": name, "uid": name, "ownerReferences": owner(kind) },
            "spec": { "nodeName": "a" }, "status": { "phase": "Running" },
        })
    };
    let set = json!({
        "kind": "StatefulSet", "metadata": { "name": "db", "uid": "db" },
        "spec": { "replicas": 2, "ordinals": { "start": 1 } },
    });
    let pods = ["db-0", "db-1", "db-2", "db-10"].map(|name| pod(name, "StatefulSet"));
    let objects = [&[set], pods.as_slice()].concat();
    assert_eq!(
        listed(rank(&objects, "sts/db", None).unwrap()),
        [
            entry("db-10", 4, true, Some("since its ordinal, 10, is higher than 0")),
            entry("db-0", 1, true, Some("since the StatefulSet no longer wants a pod with the ordinal 0")),
            entry("db-2", 3, false, Some("since its ordinal, 2, is higher than 1")),
            entry("db-1", 2, false, None),
        ]
    );
    let controller = json!({
        "kind": "ReplicationController", "metadata": { "name": "db", "uid": "db" },
        "spec": { "replicas": 1, "selector": { "app": "db" }, "template": {} },
    });
    let mut waiting = pod("db-b", "ReplicationController");
    waiting["spec"] = json!({});
    let ranking = rank(&[controller, pod("db-a", "ReplicationController"), waiting], "rc/db", None).unwrap();
    let names: Vec<_> = ranking.iter().map(|pod| (&*pod.name, pod.deleted)).collect();
    assert_eq!(names, [("db-b", true), ("db-a", false)]);
}

/// The pod that a step deletes because there are too many.
fn surplus(step: &Step) -> Option<String> {
    match &step.decision {
        Decision::Controller(controller::Decision::Job(JobDecision::DeleteSurplus { gone, .. })) => {
            Some(gone.pod.to_string())
        }
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The controller deletes the pods that the ranking puts first.
    #[test]
    fn a_smaller_job_deletes_what_is_ranked_first(
        parallelism in 1_i32..9,
        fewer in 0_i32..8,
        at in 0_u32..20,
        is_indexed in any::<bool>(),
        seed in 0_u64..1_000,
    ) {
        let mode = if is_indexed { "Indexed" } else { "NonIndexed" };
        let spec = json!({ "parallelism": parallelism, "completions": 20, "completionMode": mode });
        let mut created = job(&spec);
        created["metadata"] = json!({ "name": "train" });
        let scenario = json!({
            "version": 1,
            "nodes": [{ "name": "a", "pods": 6 }],
            "kubelet": [{ "ready": "8s", "run": "10m", "jitterPercent": 80 }],
            "seed": seed,
            "actions": [
                { "at": "0s", "create": created },
                { "at": format!("{at}s"), "scale": { "kind": "Job", "name": "train", "replicas": fewer } },
            ],
            "limits": { "time": "1m" },
        });
        let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
        let Some(first) = timeline.steps.iter().position(|step| surplus(step).is_some()) else { return Ok(()) };
        let deleted: Vec<String> = timeline.steps[first..].iter().filter_map(surplus).collect();
        let mut cursor = timeline.cursor();
        cursor.seek(&timeline, first);
        let objects: Vec<Value> = cursor.state().objects().map(Object::to_value).collect();
        let ranking = rank(&objects, "job/default/train", None).unwrap();
        let going: Vec<String> =
            ranking.iter().filter(|pod| pod.deleted).map(|pod| pod.name.to_string()).collect();
        prop_assert_eq!(going, deleted);
    }
}
