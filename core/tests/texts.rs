//! Every error has the same form: the path, what is wrong with the value, what would be right (CONTRIBUTING.md, Texts).
#![expect(clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use changeover_core::Problem;
use changeover_core::apiserver::{self, dry_run};
use changeover_core::cluster::{Changes, steady_state};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::Kind;
use changeover_core::review::{SETTINGS, SettingType, validate_settings};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::Timeline;
use serde_json::{Map, Value, json};

/// The possible beginnings of an error after the path.
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
    "strict decoding error: unknown field ",
];

/// The API server's errors that do not show the value, and those that need no more than the path.
const WITHOUT_DETAIL: [&str; 3] = ["Required value", "Duplicate value: ", "Invalid value: "];

fn check(problem: &Problem, input: &Value) {
    let text = problem.to_string();
    let sentence = text.lines().next().unwrap_or_default();
    let message = problem.message.lines().next().unwrap_or_default();
    let begins = BEGINNINGS.iter().find(|beginning| message.starts_with(**beginning));
    let Some(begins) = begins else { panic!("{sentence:?} does not say what is wrong, for {input}") };
    let right = message.strip_prefix(*begins).unwrap_or_default();
    assert!(WITHOUT_DETAIL.contains(begins) || !right.is_empty(), "{sentence:?} does not say what would be right");
    assert!(!sentence.ends_with(['.', ' ', ':']), "{sentence:?} has an ending that upstream's messages never have");
    for code in ["::", "Some(", "None", "Error(", "invalid type", " struct ", "Option<"] {
        // A dnsPolicy may be None.
        assert!(
            !message.replace("\"None\"", "").contains(code) || message.contains("dnsPolicy"),
            "{sentence:?} shows code"
        );
    }
}

/// Copies of the value, each with one field below it changed, for each field and each way to change it.
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
            "readinessProbe": {"periodSeconds": 5, "tcpSocket": {"port": 80}},
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

/// A template of pods that end.
fn once() -> Value {
    let mut template = template();
    template["spec"]["restartPolicy"] = "Never".into();
    template["spec"]["initContainers"] = json!([{"name": "b", "image": "b:1", "restartPolicy": "Always"}]);
    template
}

fn job_spec() -> Value {
    json!({
        "completions": 3, "parallelism": 2, "completionMode": "Indexed", "backoffLimitPerIndex": 1,
        "maxFailedIndexes": 1, "ttlSecondsAfterFinished": 60, "activeDeadlineSeconds": 60, "managedBy": "a.io/b",
        "podFailurePolicy": {"rules": [
            {"action": "Ignore", "onPodConditions": [{"type": "A", "status": "True"}]},
            {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1, 2], "containerName": "a"}},
        ]},
        "successPolicy": {"rules": [{"succeededIndexes": "0-1", "succeededCount": 1}]},
        "podReplacementPolicy": "Failed", "template": once(),
    })
}

/// An object of each kind, with most of the fields that are checked.
fn objects() -> Vec<Value> {
    let owner = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": true});
    let selector = json!({
        "matchLabels": {"app": "web"}, "matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}],
    });
    let pod_spec = json!({
        "containers": [{"name": "a", "image": "a:1", "livenessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 1}}],
        "hostNetwork": true, "nodeSelector": {"a": "b"}, "schedulingGates": [{"name": "a.io/b"}],
        "readinessGates": [{"conditionType": "a.io/b"}], "activeDeadlineSeconds": 5, "hostname": "a", "subdomain": "b",
        "serviceAccountName": "robot", "priorityClassName": "high", "preemptionPolicy": "Never",
        "dnsPolicy": "Default", "tolerations": [{"key": "a", "operator": "Exists"}],
    });
    let specs = [
        (
            "batch/v1",
            "CronJob",
            json!({
                "schedule": "*/5 * * * *", "timeZone": "Europe/Berlin", "concurrencyPolicy": "Forbid",
                "startingDeadlineSeconds": 10, "suspend": false, "successfulJobsHistoryLimit": 1,
                "jobTemplate": {"spec": job_spec()},
            }),
        ),
        (
            "apps/v1",
            "DaemonSet",
            json!({
                "minReadySeconds": 1, "selector": selector, "template": template(),
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            }),
        ),
        ("batch/v1", "Job", job_spec()),
        ("v1", "Pod", pod_spec),
        ("apps/v1", "ReplicaSet", json!({"replicas": 2, "selector": selector, "template": template()})),
        (
            "v1",
            "ReplicationController",
            json!({
                "replicas": 2, "minReadySeconds": 1, "selector": {"app": "web"}, "template": template(),
            }),
        ),
        (
            "apps/v1",
            "StatefulSet",
            json!({
                "replicas": 2, "serviceName": "web", "selector": selector, "template": template(),
                "podManagementPolicy": "Parallel", "ordinals": {"start": 1}, "revisionHistoryLimit": 3,
                "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}},
                "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Delete", "whenScaled": "Retain"},
            }),
        ),
    ];
    let metadata = json!({
        "name": "web", "labels": {"a": "b"}, "finalizers": ["a.io/b"], "ownerReferences": [owner],
        "annotations": {"controller.kubernetes.io/pod-deletion-cost": "1"},
    });
    let mut objects = vec![
        deployment(),
        json!({"apiVersion": "v1", "kind": "PodTemplate", "metadata": metadata, "template": template()}),
    ];
    objects.extend(
        specs.map(
            |(version, kind, spec)| json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}),
        ),
    );
    objects
}

#[test]
fn of_objects() {
    let gates = FeatureGates::default();
    let objects = objects();
    for kind in apiserver::ALL.iter().map(|strategy| strategy.kind()) {
        let object = objects.iter().find(|object| Kind::of(object) == Some(kind)).unwrap();
        let admitted = dry_run(object, None, &gates);
        assert_eq!(admitted.errors, [], "{}", kind.name());
        let stored = admitted.object.unwrap();
        for broken in broken(object) {
            for old in [None, Some(&stored)] {
                for error in dry_run(&broken, old, &gates).errors {
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
        if let Err(problem) = Changes::from_value(&changes).and_then(|changes| steady_state(&deployment(), &changes)) {
            check(&problem, &changes);
        }
    }
    let first = Changes::from_value(&json!({"image": "web:2"})).unwrap();
    for deployment in broken(&deployment()) {
        if let Err(problem) = steady_state(&deployment, &first) {
            check(&problem, &deployment);
        }
    }
    let scenario = json!({
        "version": 1, "featureGates": {"PodDeletionCost": true}, "limits": {"pods": 5, "steps": 50},
        "objects": [
            deployment(),
            {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hard": {"pods": 9}}},
            {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "l"}, "spec": {"limits": [{
                "type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "100m"}, "max": {"memory": "1Gi"},
                "min": {"memory": "1Mi"},
            }]}},
            {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"},
                "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "v"}},
            {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}, "spec": {
                "minAvailable": "50%", "unhealthyPodEvictionPolicy": "AlwaysAllow",
                "selector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
            }},
        ],
        "nodes": [
            {"name": "a", "pods": 9, "cpu": "4", "memory": "9Gi"},
            {"name": "b", "cordoned": true, "lost": true, "taintedFor": "9s"},
        ],
        "autoscaler": {"node": {"name": "n", "cpu": 1}, "after": "1s", "min": 1, "max": 2},
        "kubelet": [{"pull": "1s", "crash": "9s", "crashes": 1, "preStop": "2s"}],
        "actions": [
            {"at": "1s", "scale": {"name": "web", "replicas": 1}},
            {"at": "2s", "drain": {"name": "a", "force": true}},
        ],
    });
    for scenario in broken(&scenario) {
        if let Err(problem) = Scenario::from_value(&scenario).and_then(Timeline::run) {
            check(&problem, &scenario);
        }
    }
}

/// A valid value of a setting.
fn setting_value(type_: SettingType) -> Value {
    match type_ {
        SettingType::Bool => json!(true),
        SettingType::Int32 => json!(5),
        SettingType::Duration => json!("30s"),
        SettingType::Word(words) | SettingType::Policy(words) => json!(words[0]),
        SettingType::PolicyByStrategy(policies) => json!({"rolling_update": policies[0], "recreate": policies[0]}),
        SettingType::Policies(policies) => json!([policies[0]]),
        SettingType::UserNames | SettingType::Namespaces => json!(["a", "b*"]),
        SettingType::Labels => json!({"a": "b"}),
        SettingType::Replicas => json!(2),
        SettingType::NumberOrPercentage => json!("25%"),
        SettingType::FeatureGates => json!({"DeploymentPodReplacementPolicy": true, "PodDeletionCost": true}),
    }
}

/// All settings of the policy.
fn settings() -> Value {
    let mut settings = json!({});
    for setting in SETTINGS {
        let value = setting.path.rsplit('.').fold(setting_value(setting.type_), |value, key| json!({ key: value }));
        json_patch::merge(&mut settings, &value);
    }
    settings
}

#[test]
fn of_settings() {
    let settings = settings();
    assert!(validate_settings(&settings).is_ok(), "{settings}");
    for settings in broken(&settings) {
        for problem in validate_settings(&settings).err().unwrap_or_default() {
            check(&problem, &settings);
        }
    }
}
