//! How often a sync that fails is tried again. A retry writes nothing, so that no case can show it; but a timeline does not
//! end before the last.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use changeover_core::scenario::Scenario;
use changeover_core::timeline::{EndReason, Timeline};
use serde_json::{Value, json};

/// The API server stores no count of terminating pods, and the controllers need one from the new template at 60 s on.
/// What the user does after that, and when nothing more is looked at.
fn ends(later: Option<Value>, limit: &str) -> EndReason {
    let containers = |image: &str| json!([{"name": "app", "image": image}]);
    let deployment = json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": 3,
            "podReplacementPolicy": "TerminationComplete",
            // No deadline, for which it would be looked at again too.
            "progressDeadlineSeconds": 2_147_483_647,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": containers("web:v1")}},
        },
    });
    let gates =
        |count: bool| json!({"DeploymentReplicaSetTerminatingReplicas": count, "DeploymentPodReplacementPolicy": true});
    let template = json!({"spec": {"containers": containers("web:v2")}});
    let roll_out = json!({"at": "60s", "setTemplate": {"name": "web", "template": template}});
    let actions: Vec<Value> = [roll_out].into_iter().chain(later).collect();
    let scenario = json!({
        "version": 1,
        "featureGates": {"apiserver": gates(false), "controllerManager": gates(true)},
        "objects": [deployment],
        "actions": actions,
        "limits": {"time": limit},
    });
    Scenario::from_value(&scenario).and_then(Timeline::run).unwrap().end.reason
}

/// 5 ms, doubling 14 times: the last retry is 163.835 s after the first failure. The next event begins anew.
#[test]
fn a_deployment_is_tried_again_15_times() {
    assert_eq!(ends(None, "223834ms"), EndReason::Time);
    assert_eq!(ends(None, "223836ms"), EndReason::Quiet);
    let annotate = json!({"at": "1000s", "annotate": {"kind": "Deployment", "name": "web", "annotations": {"a": "b"}}});
    assert_eq!(ends(Some(annotate.clone()), "1163834ms"), EndReason::Time);
    assert_eq!(ends(Some(annotate), "1163836ms"), EndReason::Quiet);
}
