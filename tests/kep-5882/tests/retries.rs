//! How often a failed sync is retried. A retry writes nothing, so no case can show it, but a timeline doesn't end
//! before the last retry.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use changeover_core::scenario::Scenario;
use changeover_core::timeline::{EndReason, Timeline};
use serde_json::{Value, json};

/// Why the timeline ends if the user annotates the Deployment at these seconds and the time is limited.
///
/// From 30 s on, the API server's gates are off, so it stores no count of terminating pods for a new ReplicaSet. From
/// 60 s on, when the template changes, the controller needs that count.
fn ends(annotated: &[u32], limit: &str) -> EndReason {
    let containers = |image: &str| json!([{"name": "app", "image": image}]);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": 3,
            "podReplacementPolicy": "TerminationComplete",
            // No deadline: it would cause another sync.
            "progressDeadlineSeconds": 2_147_483_647,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers("web:v1")}},
        },
    });
    let gates = |on: bool| json!({"DeploymentReplicaSetTerminatingReplicas": on, "DeploymentPodReplacementPolicy": on});
    let turn_off = json!({"at": "30s", "featureGates": {"apiserver": gates(false)}});
    let template = json!({"spec": {"containers": containers("web:v2")}});
    let roll_out = json!({"at": "60s", "setTemplate": {"name": "web", "template": template}});
    let annotate = |seconds: &u32| {
        // An annotation that isn't copied to the ReplicaSets: a change of theirs would be another event.
        let annotations = json!({"kubectl.kubernetes.io/last-applied-configuration": seconds.to_string()});
        json!({"at": format!("{seconds}s"), "annotate": {"kind": "Deployment", "name": "web", "annotations": annotations}})
    };
    let actions: Vec<Value> = [turn_off, roll_out].into_iter().chain(annotated.iter().map(annotate)).collect();
    let scenario = json!({
        "version": 1,
        "featureGates": gates(true),
        "objects": [deployment],
        "actions": actions,
        "limits": {"time": limit},
    });
    Scenario::from_value(&scenario).and_then(Timeline::run).unwrap().end.reason
}

/// 5 ms, doubled 14 times: the last retry is 163.835 s after the first failure. The next event starts again at 5 ms.
#[test]
fn a_deployment_is_retried_15_times() {
    assert_eq!(ends(&[1_000], "1163834ms"), EndReason::Time);
    assert_eq!(ends(&[1_000], "1163836ms"), EndReason::Quiet);
    assert_eq!(ends(&[1_000, 2_000], "2163834ms"), EndReason::Time);
    assert_eq!(ends(&[1_000, 2_000], "2163836ms"), EndReason::Quiet);
}
