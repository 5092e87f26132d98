//! Pods of a Job that are evicted, or whose node is gone, in a simulated cluster: what the kubelet and the pod garbage
//! collector do, and what the Job does then.

use serde_json::{Value, json};

use super::super::objects::case;
use super::{FAILED, RISKS, STORY, TERMINATING_OR_FAILED, UPGRADES, off};

pub fn cases() -> Vec<Value> {
    [deleted_nodes(), evictions(), manual_tests(), scarce_nodes()].concat()
}

/// A Job with one pod that runs for five minutes and needs a minute to stop.
fn job(policy: &str) -> Value {
    let template = json!({"spec": {
        "restartPolicy": "Never", "terminationGracePeriodSeconds": 60, "containers": [{"name": "app", "image": "train:v1"}],
    }});
    let spec = json!({"backoffLimit": 2, "podReplacementPolicy": policy, "template": template});
    json!({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train"}, "spec": spec})
}

/// A scenario with that Job and one disruption after 30 seconds; `rest` has what else belongs to it.
fn disrupted(policy: &str, disruption: Value, rest: Value) -> Value {
    let mut action = json!({"at": "30s"});
    merge(&mut action, disruption);
    let mut scenario = json!({
        "version": 1,
        "kubelet": [{"run": "5m", "terminate": "60s"}],
        "actions": [{"create": job(policy)}, action],
    });
    merge(&mut scenario, rest);
    scenario
}

fn merge(into: &mut Value, from: Value) {
    let (Value::Object(into), Value::Object(from)) = (into, from) else { return };
    into.extend(from);
}

fn run(name: &str, source: &str, scenario: Value, rules: &[&str], mut expected: Value) -> Value {
    expected["error"] = false.into();
    let mut case =
        case("timeline.run", name, source, &Value::Null, json!({"scenario": scenario, "rules": rules}), expected);
    case["now"] = "2026-01-01T00:00:00Z".into();
    case
}

fn evict() -> Value {
    json!({"evict": {"name": "train/0"}})
}

fn status(at: &str, status: Value) -> Value {
    json!({"time": at, "objects": {"Job/train": {"status": status}}})
}

/// The pod garbage collector notices after 40 to 60 seconds that the node is gone.
fn deleted_nodes() -> Vec<Value> {
    let cases = [(FAILED, "job.create.after-failure"), (TERMINATING_OR_FAILED, "job.create")].map(|(policy, create)| {
        let nodes = json!({"nodes": [{"name": "a"}, {"name": "b"}]});
        let gone = json!({"deleteNode": {"name": "a"}});
        run(
            &format!("a pod on a deleted node is active until the pod garbage collector marks it as failed [{policy}]"),
            RISKS,
            disrupted(policy, gone, nodes),
            &["pod-gc.", "job.create", "job.count"],
            json!({
                "steps": [
                    format!("0s {create}"), "1m20s pod-gc.orphaned", "1m21s job.count.failed", format!("1m30s {create}"),
                    "6m32s job.count.succeeded",
                ],
                "at": [
                    status("79s", json!({"active": 1, "terminating": 0, "failed": null})),
                    {"time": "80s", "conditions": ["Pod DisruptionTarget=True DeletionByPodGC: PodGC: node no longer exists"]},
                    status("81s", json!({"active": null, "terminating": 0, "failed": 1})),
                ],
            }),
        )
    });
    cases.to_vec()
}

/// The kubelet sets the phase before the pod is gone: its finalizer keeps it until the Job has counted it.
fn evictions() -> Vec<Value> {
    let target = "Pod DisruptionTarget=True EvictionByEvictionAPI: Eviction API: evicting";
    let cases = [
        (
            FAILED,
            [
                "0s job.create.after-failure",
                "1m30s kubelet.held",
                "1m31s job.count.failed",
                "1m40s job.create.after-failure",
            ],
        ),
        (TERMINATING_OR_FAILED, ["0s job.create", "31s job.count.failed", "40s job.create", "1m30s kubelet.gone"]),
    ]
    .map(|(policy, steps)| {
        run(
            &format!("an evicted pod gets its phase from the kubelet before it is gone [{policy}]"),
            RISKS,
            disrupted(policy, evict(), json!({"limits": {"time": "2m"}})),
            &["job.create", "job.count", "kubelet.held", "kubelet.gone"],
            json!({"steps": steps, "at": [{"time": "35s", "conditions": [target]}]}),
        )
    });
    cases.to_vec()
}

/// The steps that the KEP's authors took by hand: a pod is deleted with the gate on, off, and on again.
fn manual_tests() -> Vec<Value> {
    let test = |name: &str, gates: Value, expected: Value| {
        let rest = json!({"limits": {"time": "2m"}, "featureGates": gates});
        run(name, UPGRADES, disrupted(FAILED, evict(), rest), &["job.create"], expected)
    };
    vec![
        test(
            "a pod is deleted, terminates, and is replaced then [Failed]",
            json!({}),
            json!({
                "steps": ["0s job.create.after-failure", "1m40s job.create.after-failure"],
                "at": [status("60s", json!({"active": null, "terminating": 1})), {"time": "60s", "pods": 1}],
            }),
        ),
        test(
            "a pod is deleted, and replaced before it has terminated [Failed, gate off]",
            off(),
            json!({
                "steps": ["0s job.create", "40s job.create"],
                "at": [status("60s", json!({"active": 1, "terminating": null})), {"time": "60s", "pods": 2}],
            }),
        ),
    ]
}

/// There is one slot: a replacement waits for the pod before it, or for a node that would not be needed.
fn scarce_nodes() -> Vec<Value> {
    let nodes = || json!({"nodes": [{"name": "gpu", "pods": 1}], "limits": {"time": "3m"}});
    let autoscaled = || {
        let mut rest = nodes();
        rest["autoscaler"] = json!({"node": {"name": "added", "pods": 1}});
        rest
    };
    vec![
        run(
            "a replacement finds no node until the pod before it has ended [TerminatingOrFailed]",
            STORY,
            disrupted(TERMINATING_OR_FAILED, evict(), nodes()),
            &["job.create", "scheduler."],
            json!({"steps": ["0s job.create", "0s scheduler.bind", "40s job.create", "40s scheduler.unschedulable", "1m30s scheduler.bind"]}),
        ),
        run(
            "a replacement makes the cluster grow [TerminatingOrFailed]",
            STORY,
            disrupted(TERMINATING_OR_FAILED, evict(), autoscaled()),
            &["job.create", "cluster-autoscaler.scale-up"],
            json!({"steps": ["0s job.create", "40s job.create", "50s cluster-autoscaler.scale-up"]}),
        ),
        run(
            "a replacement that comes later does not make the cluster grow [Failed]",
            STORY,
            disrupted(FAILED, evict(), autoscaled()),
            &["job.create", "cluster-autoscaler.scale-up"],
            json!({"steps": ["0s job.create.after-failure", "1m40s job.create.after-failure"]}),
        ),
    ]
}
