use serde_json::{Value, json};

use super::*;
use crate::feature_gates::Feature;
use crate::json::decode;
use crate::object::{Deployment, Time};

fn deployment(spec: Value) -> Deployment {
    let mut whole = json!({
        "metadata": { "name": "web", "namespace": "default", "uid": "deployment" },
        "spec": {
            "replicas": 2,
            "selector": { "matchLabels": { "app": "web" } },
            "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": "25%", "maxUnavailable": "25%" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:1" }] },
            },
        },
    });
    crate::cluster::merge(&mut whole["spec"], &spec);
    decode(&whole, "").unwrap()
}

const ANY: PodTimes = PodTimes { ready_min: 0, ready_max: None, stop_max: 30 * Time::SECOND };

fn gates() -> FeatureGates {
    FeatureGates::default().with(Feature::DeploymentPodReplacementPolicy, true)
}

#[test]
fn measure() {
    for complete in [false, true] {
        for lag in 0..=3 {
            for replicas in [2, 4, 6] {
                for scaled in [replicas, 2] {
                    let policy = if complete { json!("TerminationComplete") } else { Value::Null };
                    let before = deployment(json!({ "replicas": scaled, "podReplacementPolicy": policy }));
                    let new = json!({ "spec": { "containers": [{ "name": "app", "image": "web:2" }] } });
                    let after =
                        deployment(json!({ "replicas": replicas, "podReplacementPolicy": policy, "template": new }));
                    let start = std::time::Instant::now();
                    let worst = explore(&before, &after, gates(), ANY, Limits { lag, ..Limits::default() });
                    std::println!("complete {complete} lag {lag} {scaled}->{replicas}: {:?} in {:?}; {:?}",
                        worst.map(|worst| (worst.peak.pods, worst.lowest_available.pods, worst.always_completes, worst.states)),
                        start.elapsed(), bound(&before, &after, gates(), ANY));
                }
            }
        }
    }
}
