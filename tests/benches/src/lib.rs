//! Code that several benchmarks share: see `benches`.
#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark may panic")]

mod cpu_time;
mod live_state;

use std::fs;
use std::time::Duration as Span;

use changeover_core::cluster::{Changes, steady_state};
use changeover_core::scenario::{Duration, Limits, Scenario};
use criterion::Criterion;
use serde_json::{Value, json};

pub use cpu_time::{CpuTime, cpu_time};
pub use live_state::{fleet, live_state};

/// Settings for criterion: long enough for these benchmarks, whose differences exceed its noise.
#[must_use]
pub fn criterion() -> Criterion<CpuTime> {
    let (warm_up, measurement) = (Span::from_secs(1), Span::from_secs(3));
    Criterion::default().with_measurement(CpuTime).warm_up_time(warm_up).measurement_time(measurement)
}

/// maxSurge 1, maxUnavailable 0: pods are replaced one at a time.
pub fn one_by_one(replicas: i32, nodes: usize) -> Scenario {
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": replicas,
            "strategy": { "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
            },
        },
    });
    let limits = Limits { time: Duration::seconds(1_000_000), steps: 10_000_000, pods: u32::MAX, bytes: u64::MAX };
    let node = |index| serde_json::from_value(json!({ "name": format!("node-{index}") })).expect("a node");
    let nodes = (0..nodes).map(node).collect();
    let changes = Changes { image: Some("web:v2".into()), nodes, limits, ..Changes::default() };
    steady_state(&deployment, &changes).expect("the manifest is valid")
}

/// A surge of 25% onto nodes in three zones: pods keep to the zones evenly, and away from those of other workloads.
pub fn spread_over_nodes(replicas: i32, nodes: usize) -> Scenario {
    let selector = json!({ "matchLabels": { "app": "web" } });
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": replicas,
            "selector": selector,
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": {
                    "containers": [{
                        "name": "app", "image": "web:v1", "resources": { "requests": { "cpu": "500m", "memory": "1Gi" } },
                    }],
                    "topologySpreadConstraints": [{
                        "maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": "DoNotSchedule",
                        "labelSelector": selector,
                    }],
                    "affinity": { "podAntiAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": [{
                            "labelSelector": { "matchLabels": { "app": "other" } }, "topologyKey": "kubernetes.io/hostname",
                        }],
                        "preferredDuringSchedulingIgnoredDuringExecution": [{ "weight": 100, "podAffinityTerm": {
                            "labelSelector": selector, "topologyKey": "kubernetes.io/hostname",
                        } }],
                    } },
                },
            },
        },
    });
    let limits = Limits { time: Duration::seconds(1_000_000), steps: 10_000_000, pods: u32::MAX, bytes: u64::MAX };
    let node = |index: usize| {
        let zone = ["a", "b", "c"][index % 3];
        json!({
            "kind": "Node",
            "metadata": { "name": format!("node-{index}"), "labels": { "topology.kubernetes.io/zone": zone } },
            "status": { "allocatable": { "cpu": "8", "memory": "32Gi", "pods": "110" } },
        })
    };
    let nodes = (0..nodes).map(node).collect();
    let changes = Changes { image: Some("web:v2".into()), nodes, limits, ..Changes::default() };
    steady_state(&deployment, &changes).expect("the manifest is valid")
}

/// A StatefulSet that replaces a pod after the other.
pub fn stateful_set(replicas: i32) -> Scenario {
    updated(&json!({ "kind": "StatefulSet", "spec": { "replicas": replicas, "serviceName": "set" } }), 0)
}

/// A DaemonSet that replaces its pods on a share of the nodes at once.
pub fn daemon_set(nodes: usize, max_unavailable: &str) -> Scenario {
    let strategy = json!({ "type": "RollingUpdate", "rollingUpdate": { "maxUnavailable": max_unavailable } });
    updated(&json!({ "kind": "DaemonSet", "spec": { "updateStrategy": strategy } }), nodes)
}

/// A set of pods at rest that gets a new image.
fn updated(set: &Value, nodes: usize) -> Scenario {
    let mut manifest = json!({
        "apiVersion": "apps/v1",
        "kind": set["kind"],
        "metadata": { "name": "set" },
        "spec": {
            "selector": { "matchLabels": { "app": "set" } },
            "template": {
                "metadata": { "labels": { "app": "set" } },
                "spec": { "containers": [{ "name": "app", "image": "set:v1" }] },
            },
        },
    });
    for (key, value) in set["spec"].as_object().expect("a map") {
        manifest["spec"][key] = value.clone();
    }
    let limits = Limits { time: Duration::seconds(1_000_000), steps: 10_000_000, pods: u32::MAX, bytes: u64::MAX };
    let node = |index| serde_json::from_value(json!({ "name": format!("node-{index}") })).expect("a node");
    let nodes = (0..nodes).map(node).collect();
    let changes = Changes { image: Some("set:v2".into()), nodes, limits, ..Changes::default() };
    steady_state(&manifest, &changes).expect("the manifest is valid")
}

/// A Job whose pods run for 20 seconds, or up to 30 with jitter.
pub fn job(completions: i32, parallelism: i32, completion_mode: &str, jitter_percent: u32) -> Scenario {
    let scenario = json!({
        "version": 1,
        "kubelet": [{ "run": "20s", "jitterPercent": jitter_percent }],
        "actions": [{ "create": {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": { "name": "train" },
            "spec": {
                "completions": completions,
                "parallelism": parallelism,
                "completionMode": completion_mode,
                "template": { "spec": { "restartPolicy": "Never", "containers": [{ "name": "app", "image": "train:v1" }] } },
            },
        } }],
    });
    Scenario::from_value(&scenario).expect("the scenario is valid")
}

/// The peak resident memory of the process in bytes, if the system reports it.
pub fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}
