//! The policy's forecast matches a simulation of the same change.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may panic")]

use changeover_core::cluster::{Changes, steady_state};
use changeover_core::review::{review, validate_settings};
use changeover_core::scenario::{Delay, Duration, Limits, Mode, Timing};
use changeover_core::timeline::Timeline;
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

/// The simulation's figures for a merge patch: peak, limit, minimum available, seconds.
fn simulated(old: &Value, patch: &Value, policy: Option<&str>, gate: bool) -> [i64; 4] {
    let has_template = patch.pointer("/spec/template").is_some();
    let mut patch = patch.clone();
    patch["spec"]["podReplacementPolicy"] = json!(policy);
    let ready = patch.pointer("/spec/template/spec/containers/0/readinessProbe/initialDelaySeconds");
    let ready = ready.and_then(Value::as_i64).unwrap_or(7);
    let timing =
        |revision, ready| Timing { revision, ready: Some(Delay::After(Duration::seconds(ready))), ..Timing::default() };
    let changes = Changes {
        patch: Some(patch),
        kubelet: vec![timing(Some(1), 7), timing(None, ready)],
        feature_gates: json!({ "DeploymentPodReplacementPolicy": gate }),
        mode: Some(Mode::Realistic),
        limits: Limits { time: Duration::seconds(1_000_000), ..Limits::default() },
        ..Changes::default()
    };
    let timeline = Timeline::run(steady_state(old, &changes).unwrap()).unwrap();
    let mut cursor = timeline.cursor();
    let (mut peak, mut available, mut limit, mut complete) = (0, i64::MAX, 0, None);
    for frame in 0..=timeline.len() {
        cursor.seek(&timeline, frame);
        let out = timeline.frame_out(&cursor);
        let summary = &out.summaries[0];
        peak = peak.max(summary.holding.into());
        available = available.min(summary.counts.available.into());
        limit = summary.marks.limit.into();
        let web = out.objects.iter().find(|object| object["kind"] == "Deployment").unwrap();
        let (spec, status) = (&web["spec"], &web["status"]);
        let counted = ["replicas", "updatedReplicas", "availableReplicas"]
            .iter()
            .all(|key| status[key].as_i64().unwrap_or(0) == spec["replicas"].as_i64().unwrap());
        let seen = status["observedGeneration"] == web["metadata"]["generation"];
        let waits = policy == Some("TerminationComplete") && gate && status["terminatingReplicas"] != 0;
        complete = (counted && seen && !waits).then(|| complete.unwrap_or(out.nanoseconds));
    }
    let complete = complete.unwrap() - 5_000_000_000;
    if has_template {
        let totals = timeline.totals("shop", "web", timeline.scenario.start.plus_seconds(5));
        assert_eq!(totals.complete, Some(complete), "the forecast and the totals name the same moment");
    }
    let seconds = (complete + 999_999_999) / 1_000_000_000;
    [peak, limit, available, seconds]
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
fn says_what_the_simulation_shows() {
    let image = |image: &str, delay: i64| {
        let mut containers = web()["spec"]["template"]["spec"]["containers"].clone();
        containers[0]["image"] = json!(image);
        containers[0]["readinessProbe"]["initialDelaySeconds"] = json!(delay);
        json!({ "spec": { "template": { "spec": { "containers": containers } } } })
    };
    let with = |mut patch: Value, more: Value| {
        for (key, value) in more["spec"].as_object().unwrap() {
            patch["spec"][key] = value.clone();
        }
        patch
    };
    let surge = |surge: Value, unavailable: Value| json!({ "spec": { "strategy": { "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } } } });
    let recreate = json!({ "spec": { "strategy": { "type": "Recreate", "rollingUpdate": null } } });
    let patches = [
        image("web:2", 7),
        image("web:2", 40),
        json!({ "spec": { "template": { "metadata": { "annotations": { "restartedAt": "now" } } } } }),
        json!({ "spec": { "replicas": 4 } }),
        json!({ "spec": { "replicas": 17 } }),
        json!({ "spec": { "replicas": 0 } }),
        json!({ "spec": { "replicas": 4, "paused": true } }),
        json!({ "spec": { "replicas": 17, "paused": true } }),
        with(image("web:2", 9), json!({ "spec": { "replicas": 15 } })),
        with(image("web:2", 9), json!({ "spec": { "replicas": 3 } })),
        with(image("web:2", 7), surge(json!(1), json!(0))),
        with(image("web:2", 7), surge(json!(0), json!(3))),
        with(image("web:2", 7), surge(json!("100%"), json!("0%"))),
        with(image("web:2", 7), recreate.clone()),
        json!({ "spec": { "template": { "spec": { "terminationGracePeriodSeconds": 0 } } } }),
        with(image("web:2", 7), json!({ "spec": { "minReadySeconds": 0 } })),
        recreate,
        surge(json!(5), json!(5)),
    ];
    for patch in &patches {
        for (gate, policy) in [
            (false, None),
            (false, Some("TerminationComplete")),
            (true, None),
            (true, Some("TerminationStarted")),
            (true, Some("TerminationComplete")),
        ] {
            let (old, mut new) = (web(), web());
            json_patch::merge(&mut new, patch);
            new["spec"]["podReplacementPolicy"] = json!(policy);
            let other = if gate && policy == Some("TerminationComplete") {
                "TerminationStarted"
            } else {
                "TerminationComplete"
            };
            let [peak, limit, available, seconds] = simulated(&old, patch, policy, gate);
            let [other_peak, _, _, other_seconds] = simulated(&old, patch, Some(other), true);
            let (time, other_time) = (Duration::seconds(seconds), Duration::seconds(other_seconds));
            // "about" where a ReplicaSet chooses between pods, so that other rollouts are possible.
            let expected = [
                [
                    format!("peak {peak} pods (limit {limit}), at least {available} available"),
                    format!("peak about {peak} pods (limit {limit}), about {available} or more available"),
                ]
                .map(|pods| format!("rollout: {pods}, complete after about {time}")),
                ["", "about "].map(|about| format!("with {other}: peak {about}{other_peak}, {other_time}")),
            ];
            let warnings = forecast(&old, &new, json!({ "DeploymentPodReplacementPolicy": gate }));
            assert_eq!(warnings.len(), expected.len(), "{patch} {policy:?} {gate}: {warnings:?}");
            for (warning, expected) in warnings.iter().zip(&expected) {
                assert!(
                    expected.contains(warning),
                    "{patch} {policy:?} {gate}: {warning}, expected one of {expected:?}"
                );
            }
        }
    }
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
    let progress = [
        "rollout: peak at most 25 pods (limit 13; bounds: in progress), at least 8 available, done in perhaps 42s",
        "with TerminationComplete: peak at most 15, perhaps 3m42s",
    ];
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
        "rollout: peak at most 40000 pods (limit 25000; bounds: too large), at least 15000 available, done in perhaps 1h7m7s",
        "with TerminationComplete: peak at most 25000, perhaps 1h9m22s",
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
    assert_eq!(
        created,
        [
            "rollout: peak 10 pods (limit 13), at least 0 available, complete after about 12s",
            "with TerminationComplete: peak 10, 12s"
        ]
    );
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
fn a_rollout_of_a_century_is_never_complete() {
    let mut new = web();
    new["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = json!(i64::MAX);
    let mut old = new.clone();
    old["spec"]["template"]["spec"]["containers"][0]["image"] = json!("web:0");
    let warnings = forecast(&old, &new, json!({}));
    assert!(warnings[1].ends_with(", never complete"), "{warnings:?}");
    // The first counts no terminating pods; bounds do.
    old["status"]["terminatingReplicas"] = json!(1);
    new["spec"]["strategy"] = json!({ "type": "Recreate" });
    let warnings = forecast(&old, &new, json!({}));
    assert!(warnings[0].ends_with(", never done") && warnings[1].ends_with(", never complete"), "{warnings:?}");
}
