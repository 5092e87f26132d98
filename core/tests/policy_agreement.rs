//! The policy's forecast and `predict` give the same answers for the same objects: peak, available pods, time and verdict.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "a test may panic")]

use std::fs;
use std::path::Path;

use changeover_core::apiserver::ExistingObjects;
use changeover_core::prediction::{PredictOptions, Prediction, predict};
use changeover_core::review::{Verdict, admission_request, review_in_cluster, validate_settings};
use changeover_core::scenario::Duration;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use serde_json::{Value, json};

/// A changed Deployment, and the quota of its namespace, in which nothing else is.
#[derive(Clone, Debug)]
struct Changed {
    old: Value,
    new: Value,
    /// How many pods, and how much CPU, if there is a quota.
    quota: Option<(i64, i64)>,
    ready_after: Option<&'static str>,
    stop_after: Option<&'static str>,
    has_policy: bool,
}

impl Changed {
    fn replicas(object: &Value) -> i64 {
        object["spec"]["replicas"].as_i64().unwrap_or(1)
    }

    fn is_rollout(&self) -> bool {
        self.old["spec"]["template"] != self.new["spec"]["template"]
    }

    /// As the quota controller has counted it.
    fn quota(&self) -> Option<Value> {
        let (pods, cpu) = self.quota?;
        let hard = json!({ "pods": pods, "requests.cpu": cpu });
        let used = Self::replicas(&self.old);
        Some(json!({
            "apiVersion": "v1", "kind": "ResourceQuota", "metadata": { "name": "team", "namespace": "default" },
            "spec": { "hard": hard },
            "status": { "hard": hard, "used": { "pods": used, "requests.cpu": used } },
        }))
    }

    fn review(&self) -> Verdict {
        let settings = validate_settings(&json!({
            "forecast": true, "context": true, "quota": "deny",
            "ready_after": self.ready_after, "stop_after": self.stop_after,
            "feature_gates": { "DeploymentPodReplacementPolicy": self.has_policy },
        }));
        let quotas: Vec<Value> = self.quota().into_iter().collect();
        let request = admission_request(&self.new, Some(&self.old), "jane");
        review_in_cluster(&request, &settings.unwrap(), &ExistingObjects::of(&quotas))
    }

    /// None for what the API server refuses.
    fn predict(&self) -> Option<Prediction> {
        let mut assumptions = json!({});
        for (key, value) in [("readyAfter", self.ready_after), ("stopAfter", self.stop_after)] {
            if let Some(value) = value {
                assumptions[key] = json!(value);
            }
        }
        let mut quotas: Vec<Value> = self.quota().into_iter().collect();
        for quota in &mut quotas {
            quota.as_object_mut().unwrap().remove("status");
        }
        let options = PredictOptions::from_value(&json!({ "quotas": quotas, "assumptions": assumptions })).unwrap();
        let predicted = predict(std::slice::from_ref(&self.old), std::slice::from_ref(&self.new), &options);
        predicted.ok().map(|predicted| predicted.prediction)
    }
}

fn strategies() -> impl Strategy<Value = Value> {
    let number = || prop_oneof![(0_i64..6).prop_map(Value::from), (0_i64..=100).prop_map(|n| format!("{n}%").into())];
    let rolling = (number(), number()).prop_map(
        |(surge, unavailable)| json!({ "type": "RollingUpdate", "rollingUpdate": { "maxSurge": surge, "maxUnavailable": unavailable } }),
    );
    prop_oneof![5 => rolling, 1 => Just(json!({ "type": "Recreate" }))]
}

fn containers() -> impl Strategy<Value = Value> {
    let probe = |delays: i64| {
        (0..delays, 1_i64..12, 1_i64..3).prop_map(
            |(delay, period, successes)| json!({ "tcpSocket": { "port": 80 }, "initialDelaySeconds": delay, "periodSeconds": period, "successThreshold": successes }),
        )
    };
    let startup = (0_i64..5, 1_i64..12).prop_map(
        |(delay, period)| json!({ "tcpSocket": { "port": 80 }, "initialDelaySeconds": delay, "periodSeconds": period }),
    );
    let sleep = (1_i64..40).prop_map(|seconds| json!({ "preStop": { "sleep": { "seconds": seconds } } }));
    (prop::option::of(probe(20)), prop::option::weighted(0.3, startup), prop::option::weighted(0.3, sleep)).prop_map(
        |(readiness, startup, lifecycle)| {
            let mut container = json!({ "name": "app", "image": "web:1", "resources": { "requests": { "cpu": 1 } } });
            for (key, value) in [("readinessProbe", readiness), ("startupProbe", startup), ("lifecycle", lifecycle)] {
                if let Some(value) = value {
                    container[key] = value;
                }
            }
            json!([container])
        },
    )
}

prop_compose! {
    fn changed()(
        before in prop_oneof![5 => 1_i64..12, 1 => 12_i64..40],
        (replicas, image) in prop_oneof![
            4 => Just((None, Some("web:2"))),
            2 => (0_i64..16).prop_map(|replicas| (Some(replicas), None)),
            1 => (1_i64..16).prop_map(|replicas| (Some(replicas), Some("web:2"))),
        ],
        strategy in strategies(),
        containers in containers(),
        (grace, min_ready) in (prop_oneof![1 => 0_i64..3, 4 => 3_i64..60], prop_oneof![Just(0_i64), 0_i64..20]),
        (pods, cpu) in (-3_i64..12, -3_i64..12),
        ready_after in prop::option::weighted(0.2, prop::sample::select(vec!["3s", "45s"])),
        stop_after in prop::option::weighted(0.2, prop::sample::select(vec!["1s", "9s"])),
        has_policy in prop::bool::weighted(0.2),
    ) -> Changed {
        let mut old = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "default" },
            "spec": {
                "replicas": before, "minReadySeconds": min_ready, "strategy": strategy,
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "terminationGracePeriodSeconds": grace, "containers": containers },
                },
            },
        });
        let mut new = old.clone();
        if let Some(replicas) = replicas {
            new["spec"]["replicas"] = json!(replicas);
        }
        if let Some(image) = image {
            new["spec"]["template"]["spec"]["containers"][0]["image"] = json!(image);
        }
        if has_policy {
            old["spec"]["podReplacementPolicy"] = json!("TerminationComplete");
            new["spec"]["podReplacementPolicy"] = json!("TerminationComplete");
        }
        let most = before.max(replicas.unwrap_or(before));
        Changed { old, new, quota: Some((most + pods, most + cpu)), ready_after, stop_after, has_policy }
    }
}

/// The number after a word.
fn number_after(text: &str, word: &str) -> i64 {
    let rest = text.split_once(word).unwrap_or_else(|| panic!("{text}: {word}")).1;
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

fn rounded(nanoseconds: i64) -> Duration {
    Duration::seconds(((nanoseconds + 500_000_000) / 1_000_000_000).max(1))
}

/// Whether the forecast is exact; none if there is none.
fn agree(changed: &Changed) -> Option<bool> {
    let prediction = changed.predict()?;
    let verdict = changed.review();
    let [workload] = prediction.workloads.as_slice() else { return None };
    let today = match changed.has_policy {
        true => workload.proposed.as_ref().unwrap_or(&workload.today),
        false => &workload.today,
    };
    let context = format!("{changed:?}\n{verdict:?}\n{workload:?}\n{:?}", prediction.quotas);
    let fits = prediction.quotas.iter().all(|quota| match changed.has_policy {
        true => quota.proposed.as_ref().unwrap_or(&quota.today).fits,
        false => quota.today.fits,
    });
    // `predict` plays the quotas with today's policy only.
    let limited = workload.with_quotas.as_ref().unwrap_or(&workload.today).complete;
    let find = |start: &str| verdict.warnings.iter().find(|text| text.starts_with(start));
    let Some(rollout) = find("rollout: ") else {
        if verdict.allowed {
            // Nothing changes.
            assert!(
                changed.old["spec"]["replicas"] == changed.new["spec"]["replicas"] && !changed.is_rollout(),
                "{context}"
            );
            return None;
        }
        assert!(!fits, "{context}");
        if changed.is_rollout() {
            assert!(changed.has_policy || limited.is_none(), "{context}");
        }
        return Some(true);
    };
    let (peak, available) = (i64::from(today.peak), i64::from(today.lowest_available));
    if rollout.contains("bounds: ") {
        assert!(peak <= number_after(rollout, "at most "), "{context}");
        assert!(available >= number_after(rollout, "at least "), "{context}");
        return Some(false);
    }
    assert_eq!((number_after(rollout, "peak "), number_after(rollout, "at least ")), (peak, available), "{context}");
    if changed.is_rollout() {
        let time = match today.complete {
            Some(complete) => format!("complete after about {}", rounded(complete)),
            None => String::from("not complete within 24h"),
        };
        assert!(rollout.ends_with(&time), "{time}: {context}");
    }
    if let Some(quota) = find("quota: ") {
        assert_eq!(quota.starts_with("quota: fits"), fits, "{context}");
        if !fits && changed.is_rollout() && !changed.has_policy {
            assert!(quota.contains(&format!("complete after about {}", rounded(limited.unwrap()))), "{context}");
        }
    } else {
        assert!(fits, "{context}");
    }
    Some(true)
}

#[test]
fn five_hundred_random_deployments_get_the_same_answers() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut exact, mut bounds) = (0, 0);
    while exact < 500 {
        let changed = changed().new_tree(&mut runner).unwrap().current();
        match agree(&changed) {
            Some(true) => exact += 1,
            Some(false) => bounds += 1,
            None => {}
        }
    }
    // Else the test would say little.
    assert!(bounds < 100, "{bounds}");
}

/// The changes of Deployments in the policy's own cases.
#[test]
fn the_cases_of_the_policy_get_the_same_answers() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/conformance/cases/policy");
    let mut exact = 0;
    for file in fs::read_dir(folder).unwrap() {
        let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        for case in cases {
            let (request, settings) = (&case["input"]["request"], &case["input"]["settings"]);
            let [mut old, mut new] = [&request["oldObject"], &request["object"]].map(Clone::clone);
            let has_policy = settings["feature_gates"]["DeploymentPodReplacementPolicy"] == true;
            let is_today = !has_policy || new["spec"]["podReplacementPolicy"] == "TerminationComplete";
            // What is in the cluster in the middle of a rollout is unknown, and so is what a paused Deployment has.
            let is_settled = old["spec"]["paused"] != true
                && (old["status"].is_null() || old["status"]["updatedReplicas"] == old["spec"]["replicas"]);
            if old["kind"] != "Deployment"
                || !old["spec"].is_object()
                || !new["spec"].is_object()
                || !is_today
                || !is_settled
                || request["subResource"] == "scale"
            {
                continue;
            }
            for object in [&mut old, &mut new] {
                object["metadata"] = json!({ "name": "web", "namespace": "default" });
                object.as_object_mut().unwrap().remove("status");
                if !has_policy {
                    object["spec"].as_object_mut().unwrap().remove("podReplacementPolicy");
                }
            }
            let changed = Changed { old, new, quota: None, ready_after: None, stop_after: None, has_policy };
            exact += i32::from(agree(&changed) == Some(true));
        }
    }
    assert!(exact > 30, "{exact}");
}
