//! When the policy forecasts a change, and what it says.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use changeover_core::review::{review, validate_settings};
use serde_json::{Value, json};

/// A Deployment as an API server would store it, with more fields than the forecast uses.
fn web() -> Value {
    let probe = json!({ "httpGet": { "path": "/", "port": 80 }, "initialDelaySeconds": 7, "periodSeconds": 10 });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web", "namespace": "shop", "generation": 3, "labels": { "app": "web" } },
        "spec": {
            "replicas": 10,
            "minReadySeconds": 3,
            "progressDeadlineSeconds": 600,
            "revisionHistoryLimit": 10,
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } },
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web", "team": "red" }, "annotations": { "a": "b" } },
                "spec": {
                    "terminationGracePeriodSeconds": 45,
                    "nodeSelector": { "disk": "ssd" },
                    "containers": [
                        { "name": "app", "image": "web:1", "readinessProbe": probe, "startupProbe": { "exec": {}, "initialDelaySeconds": 2 } },
                        { "name": "side", "image": "side:1", "env": [{ "name": "A", "value": "1" }] },
                    ],
                },
            },
        },
        "status": { "observedGeneration": 3, "replicas": 10, "updatedReplicas": 10, "readyReplicas": 10, "availableReplicas": 10, "terminatingReplicas": 0 },
    })
}

fn forecast(old: &Value, new: &Value, gates: Value) -> Vec<String> {
    let request = json!({
        "operation": "UPDATE",
        "kind": { "group": "apps", "version": "v1", "kind": "Deployment" },
        "object": new,
        "oldObject": old,
    });
    let settings = validate_settings(&json!({ "forecast": true, "feature_gates": gates })).unwrap();
    let verdict = review(&request, &settings);
    assert!(verdict.allowed, "{:?}", verdict.message);
    verdict.warnings.into_iter().filter(|text| text.starts_with("rollout: ") || text.starts_with("with ")).collect()
}

#[test]
fn is_silent_if_no_pods_will_change() {
    let forecast_of = |change: &dyn Fn(&mut Value)| {
        let mut new = web();
        change(&mut new);
        forecast(&web(), &new, json!({}))
    };
    assert!(forecast_of(&|_| {}).is_empty());
    assert!(forecast_of(&|new| new["metadata"]["labels"]["x"] = json!("y")).is_empty());
    assert!(forecast_of(&|new| new["spec"]["minReadySeconds"] = json!(9)).is_empty());
    assert!(forecast_of(&|new| new["spec"]["template"]["metadata"]["creationTimestamp"] = Value::Null).is_empty());
    assert!(!forecast_of(&|new| new["spec"]["replicas"] = json!(9)).is_empty());
    let paused = |new: &mut Value| {
        new["spec"]["paused"] = json!(true);
        new["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:2");
        new["spec"]["strategy"] = json!({ "type": "Recreate" });
    };
    assert!(forecast_of(&paused).is_empty());
    // It is still scaled, with the pods that it has.
    let scaled = forecast_of(&|new| new["spec"]["replicas"] = json!(5));
    let scaled_and_paused = forecast_of(&|new| {
        new["spec"]["paused"] = json!(true);
        new["spec"]["replicas"] = json!(5);
        new["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = json!(600);
    });
    assert_eq!(scaled_and_paused, scaled);
}

#[test]
fn gives_bounds_if_it_can_not_simulate() {
    let warnings = |status: Value, replicas: i64| {
        let (mut old, mut new) = (web(), web());
        json_patch::merge(&mut old["status"], &status);
        old["spec"]["replicas"] = json!(replicas);
        new["spec"]["replicas"] = json!(replicas);
        new["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:2");
        forecast(&old, &new, json!({}))
    };
    let progress =
        ["rollout: peak at most 25 pods (limit 13; bounds: in progress), at least 8 available, done in perhaps 48s"];
    assert_eq!(warnings(json!({ "terminatingReplicas": 2 }), 10), progress);
    for status in [
        json!({ "observedGeneration": 2 }),
        json!({ "updatedReplicas": 9 }),
        json!({ "replicas": 11 }),
        json!({ "updatedReplicas": null }),
        json!({ "availableReplicas": 9 }),
    ] {
        assert!(warnings(status.clone(), 10)[0].contains("; bounds: in progress)"), "{status}");
    }
    let whole = json!({ "replicas": 20000, "updatedReplicas": 20000, "availableReplicas": 20000 });
    let large = [
        "rollout: peak at most 40000 pods (limit 25000; bounds: too large), at least 15000 available, done in perhaps 1h7m11s",
    ];
    assert_eq!(warnings(whole, 20_000), large);
}

/// The status of a Deployment whose pods are all of an earlier template.
fn with_pending_rollout(mut deployment: Value, pods: i64) -> Value {
    deployment["spec"]["paused"] = json!(true);
    deployment["status"] = json!({ "observedGeneration": 3, "replicas": pods, "availableReplicas": pods });
    deployment
}

#[test]
fn a_resumed_deployment_is_forecast_like_the_change_that_waited() {
    let mut new = web();
    new["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:2");
    let rollout = forecast(&web(), &new, json!({}));
    assert!(rollout[0].starts_with("rollout: peak "), "{rollout:?}");
    assert_eq!(forecast(&with_pending_rollout(new.clone(), 10), &new, json!({})), rollout);
    // It was created paused.
    let created = forecast(&with_pending_rollout(new.clone(), 0), &new, json!({}));
    assert_eq!(created, ["rollout: peak 10 pods (limit 13), at least 0 available, complete after about 13s"]);
    // Nothing waited.
    let mut paused = web();
    paused["spec"]["paused"] = json!(true);
    assert!(forecast(&paused, &web(), json!({})).is_empty());
    paused["status"]["availableReplicas"] = json!(9);
    assert!(forecast(&paused, &web(), json!({})).is_empty());
    // It was paused halfway, or its status is older; then it is not known which pods there are.
    for status in [json!({ "updatedReplicas": 4 }), json!({ "replicas": 12 }), json!({ "observedGeneration": 2 })] {
        let mut paused = with_pending_rollout(new.clone(), 10);
        json_patch::merge(&mut paused["status"], &status);
        let warnings = forecast(&paused, &new, json!({}));
        assert!(warnings[0].contains("; bounds: in progress)"), "{status} {warnings:?}");
    }
    // Another template at the same time may be the earlier one.
    let warnings = forecast(&with_pending_rollout(new, 10), &web(), json!({}));
    assert!(warnings[0].contains("; bounds: in progress)"), "{warnings:?}");
}

#[test]
fn is_silent_about_negative_replicas() {
    let mut new = web();
    new["spec"]["replicas"] = json!(-2);
    let request = json!({
        "operation": "UPDATE",
        "subResource": "",
        "kind": { "group": "apps", "version": "v1", "kind": "Deployment" },
        "object": new,
        "oldObject": web(),
    });
    let verdict = review(&request, &validate_settings(&json!({ "forecast": true })).unwrap());
    assert!(verdict.warnings.is_empty() && verdict.audit_annotations.is_empty(), "{verdict:?}");
}

#[test]
fn a_rollout_of_a_century_is_not_complete_within_a_day() {
    let mut new = web();
    new["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = json!(i64::MAX);
    let mut old = new.clone();
    old["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:0");
    let warnings = forecast(&old, &new, json!({ "DeploymentPodReplacementPolicy": true }));
    assert!(warnings[1].ends_with(", not complete within 24h"), "{warnings:?}");
}
