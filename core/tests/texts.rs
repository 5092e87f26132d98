//! Every error reads alike: the path, what is wrong with the value, what would be right (CONTRIBUTING.md, Texts).
#![expect(clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use changeover_core::Problem;
use changeover_core::apiserver::admission;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::review::validate_settings;
use changeover_core::scenario::{Changes, Scenario, settled};
use changeover_core::timeline::Timeline;
use serde_json::{Map, Value, json};

/// What a sentence says first, after the path.
const BEGINNINGS: [&str; 10] = [
    "Duplicate value: ",
    "Forbidden: ",
    "Internal error: ",
    "Invalid value: ",
    "Required value",
    "Too long: ",
    "Too many: ",
    "Unsupported value: ",
    "missing field ",
    "unknown ",
];

/// The API server's errors that do not show the value, and those which the path alone explains.
const WITHOUT_DETAIL: [&str; 3] = ["Required value", "Duplicate value: ", "Invalid value: "];

fn check(problem: &Problem, input: &Value) {
    let text = problem.to_string();
    let sentence = text.lines().next().unwrap_or_default();
    let message = problem.message.lines().next().unwrap_or_default();
    let begins = BEGINNINGS.iter().find(|beginning| message.starts_with(**beginning));
    let Some(begins) = begins else { panic!("{sentence:?} does not say what is wrong, for {input}") };
    let right = message.strip_prefix(*begins).unwrap_or_default();
    assert!(WITHOUT_DETAIL.contains(begins) || !right.is_empty(), "{sentence:?} does not say what would be right");
    assert!(!sentence.ends_with(['.', ' ', ':']), "{sentence:?} ends as none of upstream's does");
    for code in ["::", "Some(", "None", "Error(", "invalid type", " struct ", "Option<"] {
        assert!(!message.contains(code) || message.contains("dnsPolicy"), "{sentence:?} shows code");
    }
}

/// The value with one place below it changed, for each place and each way to change it.
fn broken(value: &Value) -> Vec<Value> {
    let mut all: Vec<Value> =
        [json!(null), json!(true), json!(-1), json!("?"), json!(1.5), json!([]), json!({}), json!([{"x": 1}])].into();
    match value {
        Value::Object(map) => {
            for (key, below) in map {
                let with = |below: Option<Value>| {
                    let mut map: Map<String, Value> = map.clone();
                    match below {
                        Some(below) => map.insert(key.clone(), below),
                        None => map.remove(key),
                    };
                    Value::Object(map)
                };
                all.push(with(None));
                all.extend(broken(below).into_iter().map(|below| with(Some(below))));
            }
            let mut more = map.clone();
            more.insert("nonsense".into(), json!(1));
            all.push(Value::Object(more));
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                for below in broken(item) {
                    let mut items = items.clone();
                    items[index] = below;
                    all.push(Value::Array(items));
                }
            }
        }
        _ => {}
    }
    all
}

fn template() -> Value {
    json!({
        "metadata": {"labels": {"app": "web"}, "annotations": {"controller.kubernetes.io/pod-deletion-cost": "1"}},
        "spec": {"terminationGracePeriodSeconds": 5, "restartPolicy": "Always", "containers": [{
            "name": "a", "image": "a:1", "ports": [{"containerPort": 80, "hostPort": 80}],
            "readinessProbe": {"periodSeconds": 5},
        }]},
    })
}

fn deployment() -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "labels": {"a": "b"}},
        "spec": {
            "replicas": 2, "minReadySeconds": 1, "progressDeadlineSeconds": 60,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": "25%"}},
            "selector": {"matchLabels": {"app": "web"}}, "template": template(),
        },
    })
}

#[test]
fn of_objects() {
    let once = |mut template: Value| {
        template["spec"]["restartPolicy"] = "Never".into();
        template
    };
    let job = json!({
        "apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"},
        "spec": {
            "completions": 3, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 1,
            "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "A", "status": "True"}]}]},
            "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 1}]},
            "podReplacementPolicy": "Failed", "template": once(template()),
        },
    });
    let gates = FeatureGates::default();
    for object in [deployment(), job] {
        let stored = admission(&object, None, &gates).object.unwrap();
        for broken in broken(&object) {
            for old in [None, Some(&stored)] {
                for error in admission(&broken, old, &gates).errors {
                    check(&Problem::from(error), &broken);
                }
            }
        }
    }
}

#[test]
fn of_scenarios() {
    let changes = json!({"image": "web:2", "replicas": 3, "patch": {"spec": {"paused": false}}});
    for changes in broken(&changes) {
        if let Err(problem) = Changes::from_value(&changes).and_then(|changes| settled(&deployment(), &changes)) {
            check(&problem, &changes);
        }
    }
    let first = Changes::from_value(&json!({"image": "web:2"})).unwrap();
    for deployment in broken(&deployment()) {
        if let Err(problem) = settled(&deployment, &first) {
            check(&problem, &deployment);
        }
    }
    let scenario = json!({
        "version": 1, "featureGates": {"PodDeletionCost": true}, "limits": {"pods": 5, "steps": 50},
        "objects": [deployment()],
        "actions": [{"at": "1s", "scale": {"name": "web", "replicas": 1}}],
    });
    for scenario in broken(&scenario) {
        if let Err(problem) = Scenario::from_value(&scenario).and_then(Timeline::run) {
            check(&problem, &scenario);
        }
    }
}

#[test]
fn of_settings() {
    let settings = json!({
        "pod_replacement_policy": {
            "deployments": {"allowed": ["TerminationStarted"], "default": "TerminationStarted"},
            "jobs": {"default": "Failed"},
        },
        "pod_deletion_cost": {"min": 0, "max": 10, "allowed_users": ["a"]},
        "feature_gates": {"PodDeletionCost": true},
    });
    for settings in broken(&settings) {
        for problem in validate_settings(&settings).err().unwrap_or_default() {
            check(&problem, &settings);
        }
    }
}
