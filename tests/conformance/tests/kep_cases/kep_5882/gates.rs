//! Feature gates, version skew and the API: what is read, kept, counted and rejected.

use serde_json::{Value, json};

use super::super::objects::{Annotations, ReplicaSet, case, deployment, gates, replica_set, rollout, template};
use super::{COMPLETE, NONE, STARTED, on, scale};

const BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";
const SKEW: &str = "KEP-5882, kubectl Skew";
const TESTS: &str = "KEP-5882, Unit tests";
const ENABLEMENT: &str = "KEP-5882, Feature Enablement and Rollback";
const SURGE: i32 = 10;

pub fn cases() -> Vec<Value> {
    [before_scale(), not_copied(), status(), api()].concat()
}

const fn of(color: &'static str, replicas: i32, desired: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::complete(desired, SURGE))
}

const fn owed(color: &'static str, replicas: i32, before: i32) -> ReplicaSet {
    replica_set(color, replicas, Annotations::partial(100, SURGE, before))
}

/// A scaling that is half done when the policy is removed or the gate is turned off.
fn before_scale() -> Vec<Value> {
    let before = [owed("red", 59, 50).terminating(Some(15)), of("green", 35, 120), owed("blue", 21, 20)];
    let finished = [of("red", 71, 120), of("green", 35, 120), of("blue", 24, 120)];
    // 59 * 130 / 110 = 69.7, and 21 * 130 / 110 = 24.8: the annotation is not read, and stays.
    let stale = |color, replicas, before| {
        replica_set(color, replicas, Annotations { before_scale: Some(before), ..Annotations::complete(120, SURGE) })
    };
    let unread = [stale("red", 70, 50), of("green", 35, 120), stale("blue", 25, 20)];
    let go = |name: &str, policy, gates: &Value, after: &[ReplicaSet]| {
        scale(name, ENABLEMENT, gates, deployment(120, SURGE, policy), &before, after)
    };
    vec![
        go("the policy is removed during a scaling: it finishes at once", NONE, &on(), &finished),
        go("the policy is relaxed during a scaling: it finishes at once", STARTED, &on(), &finished),
        go(
            "the gate is turned off during a scaling: the annotation is ignored",
            COMPLETE,
            &gates(true, false),
            &unread,
        ),
    ]
}

/// An older kubectl has rolled back and left the annotation on the Deployment.
fn not_copied() -> Vec<Value> {
    let settled = || {
        let mut deployment = deployment(3, 1, COMPLETE);
        deployment["metadata"]["annotations"] = json!({BEFORE_SCALE: "8", "deployment.kubernetes.io/revision": "2"});
        deployment["spec"]["progressDeadlineSeconds"] = 600.into();
        deployment["spec"]["template"] = template("blue");
        deployment["status"] = json!({
            "observedGeneration": 7, "replicas": 3, "updatedReplicas": 3, "readyReplicas": 3, "availableReplicas": 3,
            "terminatingReplicas": 0,
            "conditions": [
                {
                    "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
                    "message": "Deployment has minimum availability.",
                    "lastUpdateTime": "2026-03-02T03:00:00Z", "lastTransitionTime": "2026-03-02T03:00:00Z",
                },
                {
                    "type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable",
                    "message": "ReplicaSet \"shop-blue\" has successfully progressed.",
                    "lastUpdateTime": "2026-03-02T03:00:00Z", "lastTransitionTime": "2026-03-02T03:00:00Z",
                },
            ],
        });
        deployment
    };
    let revision = |set: ReplicaSet, revision: &str| {
        let mut set = set.value();
        set["metadata"]["annotations"]["deployment.kubernetes.io/revision"] = revision.into();
        set
    };
    // The deprecated annotation makes the controller itself roll back to red.
    let rolled_back = |name: &str, gates: &Value, copied: Option<&str>| {
        const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";
        let mut deployment = settled();
        deployment["metadata"]["annotations"] = json!({ROLLBACK_TO: "1", "deployment.kubernetes.io/revision": "2"});
        let red = replica_set("red", 1, Annotations::partial(3, 1, 8));
        let sets = [revision(red, "1"), revision(replica_set("blue", 2, Annotations::complete(3, 1)), "2")];
        let mut change = json!({
            "metadata": {"annotations": {ROLLBACK_TO: null}},
            "spec": {"template": {"spec": {"containers": template("red")["spec"]["containers"]}}},
        });
        if let Some(before) = copied {
            change["metadata"]["annotations"][BEFORE_SCALE] = before.into();
        }
        let writes = json!([{"verb": "update", "resource": "deployments", "name": "shop", "change": change}]);
        let events = json!(["Normal DeploymentRollback Rolled back deployment \"shop\" to revision 1"]);
        let input = json!({"deployment": deployment, "replicaSets": sets, "pods": []});
        case("deployment.sync", name, SKEW, gates, input, json!({"error": false, "writes": writes, "events": events}))
    };
    let sync = |name: &str, gates: &Value, changes: &[Value]| {
        let blue = revision(replica_set("blue", 3, Annotations::complete(3, 1)), "2");
        let input = json!({"deployment": settled(), "replicaSets": [blue], "pods": []});
        let writes: Vec<Value> = changes
            .iter()
            .map(|change| json!({"verb": "update", "resource": "replicasets", "name": "shop-blue", "change": change}))
            .collect();
        case("deployment.sync", name, SKEW, gates, input, json!({"error": false, "writes": writes, "events": []}))
    };
    vec![
        sync("the Deployment's annotation is not copied to the ReplicaSet", &on(), &[]),
        // Upstream looks twice in one sync, both times at the old copy.
        sync(
            "with the gate off, the size annotation has no special meaning",
            &gates(true, false),
            &[json!({"metadata": {"annotations": {BEFORE_SCALE: "8"}}}), json!({})],
        ),
        rolled_back("the controller's rollback doesn't copy the size annotation", &on(), None),
        rolled_back(
            "with the gate off, the controller's rollback copies the size annotation",
            &gates(true, false),
            Some("8"),
        ),
    ]
}

/// `status.terminatingReplicas`, on which the policy depends.
fn status() -> Vec<Value> {
    let is = |name: &str, gates: &Value, terminating: Option<i32>, expected: Value| {
        let sets = [of("red", 4, 10).terminating(Some(2)), of("blue", 6, 10).terminating(terminating)];
        let expected = json!({"status": {"replicas": 10, "terminatingReplicas": expected}});
        case("deployment.status", name, TESTS, gates, rollout(deployment(10, 3, NONE), &sets), expected)
    };
    vec![
        is("terminatingReplicas is the sum over all ReplicaSets", &on(), Some(1), json!(3)),
        is("terminatingReplicas is absent with its gate off", &gates(false, false), Some(1), Value::Null),
        is("terminatingReplicas is absent while one ReplicaSet does not report it", &on(), None, Value::Null),
    ]
}

/// A Deployment with defaults.
fn shop(policy: Option<&str>) -> Value {
    let mut shop = deployment(3, 1, policy);
    shop["metadata"].as_object_mut().unwrap().remove("creationTimestamp");
    shop["spec"]["revisionHistoryLimit"] = 10.into();
    shop["spec"]["progressDeadlineSeconds"] = 600.into();
    shop["spec"]["template"]["spec"] = json!({
        "containers": [{
            "name": "till", "image": "shop:blue", "imagePullPolicy": "IfNotPresent", "resources": {},
            "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
        }],
        "restartPolicy": "Always", "terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst",
        "securityContext": {}, "schedulerName": "default-scheduler",
    });
    shop["status"] = json!({});
    shop
}

/// The API server's part.
fn api() -> Vec<Value> {
    const API: &str = "KEP-5882, API";
    const SERVER: &str = "KEP-5882, Version Skew Strategy";
    const STRATEGY: &str = "kubernetes pull request 123430, TestDeploymentStrategy";
    const INVALID: Option<&str> = Some("Invalid");
    let validate = |name: &str, policy, errors: Value| {
        let input = json!({"object": shop(policy)});
        case("apiserver.validate", name, API, &on(), input, json!({"errors": errors}))
    };
    let without_room = |name: &str, none: &Value| {
        let mut object = shop(COMPLETE);
        object["spec"]["strategy"]["rollingUpdate"] = json!({"maxSurge": none, "maxUnavailable": none});
        let quoted = none.as_str().map_or_else(|| none.to_string(), |text| format!("{text:?}"));
        let errors = json!([format!(
            "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: {quoted}: may not be 0 when `maxSurge` is 0"
        )]);
        let source = "KEP-5882, as settled in docs/kep-5882.md";
        case("apiserver.validate", name, source, &on(), json!({"object": object}), json!({"errors": errors}))
    };
    let unsupported = |value: &str| {
        let supported = "\"TerminationComplete\", \"TerminationStarted\"";
        format!("spec.podReplacementPolicy: Unsupported value: {value:?}: supported values: {supported}")
    };
    let prepare = |name: &str, gates: &Value, new, old: Option<Option<&str>>, after: Option<&str>| {
        let mut input = json!({"object": shop(new)});
        let mut expected = shop(after);
        expected["metadata"]["generation"] = 1.into();
        if let Some(old) = old {
            let mut old = shop(old);
            old["metadata"]["resourceVersion"] = "41".into();
            input["object"]["metadata"]["resourceVersion"] = "41".into();
            // Only the policy may differ, and only a change of it increases the generation.
            let changed = old["spec"].get("podReplacementPolicy") != expected["spec"].get("podReplacementPolicy");
            expected["metadata"]["generation"] = if changed { 8 } else { 7 }.into();
            expected["metadata"]["resourceVersion"] = "41".into();
            input["old"] = old;
        }
        case("apiserver.prepare", name, SERVER, gates, input, json!({"object": expected}))
    };
    let update = |name: &str, gates: &Value, new, old, errors: Value| {
        let mut input = json!({"object": shop(new), "old": shop(old)});
        for object in ["object", "old"] {
            input[object]["metadata"]["resourceVersion"] = "41".into();
        }
        let name = format!("the author's figures: {name}");
        case("apiserver.validate", &name, STRATEGY, gates, input, json!({"errors": errors}))
    };
    let off = gates(true, false);
    let mixed = json!({"apiserver": off, "controllerManager": on()});
    let none = json!({"apiserver": gates(false, false), "controllerManager": on()});
    vec![
        validate("TerminationStarted is a policy", STARTED, json!([])),
        validate("TerminationComplete is a policy", COMPLETE, json!([])),
        validate("no policy is needed", NONE, json!([])),
        {
            let mut object = shop(COMPLETE);
            object["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure".into();
            let errors = json!([
                "spec.template.spec.restartPolicy: Unsupported value: \"OnFailure\": supported values: \"Always\""
            ]);
            let (op, name) = ("apiserver.validate", "the restartPolicy of a Deployment's pods is Always");
            case(op, name, "KEP-5882, Proposal", &on(), json!({"object": object}), json!({"errors": errors}))
        },
        without_room("surge 0 and unavailable 0 are refused [numbers]", &json!(0)),
        without_room("surge 0 and unavailable 0 are refused [percentages]", &json!("0%")),
        validate("Fast is not a policy", Some("Fast"), json!([unsupported("Fast")])),
        validate("a Job's policy is not a Deployment's", Some("Failed"), json!([unsupported("Failed")])),
        validate("names are case-sensitive", Some("terminationComplete"), json!([unsupported("terminationComplete")])),
        prepare("a new Deployment keeps its policy", &on(), COMPLETE, None, COMPLETE),
        prepare("the API server's gate is off: no policy for new workloads", &mixed, COMPLETE, None, NONE),
        prepare("the gate is off: no policy for a Deployment without one", &off, COMPLETE, Some(NONE), NONE),
        prepare("the gate is off: a Deployment that has a policy keeps it", &off, COMPLETE, Some(COMPLETE), COMPLETE),
        prepare("the gate is off: an existing policy may be changed", &off, STARTED, Some(COMPLETE), STARTED),
        prepare("the gate is off: an existing policy may be removed", &off, NONE, Some(COMPLETE), NONE),
        prepare("the author's figures: an unknown policy is dropped, the policy's gate off", &off, INVALID, None, NONE),
        prepare("the author's figures: an unknown policy is dropped, both gates off", &none, INVALID, None, NONE),
        prepare("the author's figures: an unknown policy is dropped from an update", &off, INVALID, Some(NONE), NONE),
        prepare("the author's figures: a policy may be changed", &on(), STARTED, Some(COMPLETE), STARTED),
        update("an unknown policy in an update is refused", &on(), INVALID, NONE, json!([unsupported("Invalid")])),
        update(
            "an unknown policy in place of one is refused, the policy's gate off",
            &off,
            INVALID,
            COMPLETE,
            json!([unsupported("Invalid")]),
        ),
        update(
            "an unknown policy in place of one is refused, both gates off",
            &none,
            INVALID,
            COMPLETE,
            json!([unsupported("Invalid")]),
        ),
        prepare("both gates are off: no policy for new workloads", &none, COMPLETE, None, NONE),
        prepare(
            "both gates are off: a Deployment that has a policy keeps it",
            &none,
            COMPLETE,
            Some(COMPLETE),
            COMPLETE,
        ),
        prepare("both gates are off: an existing policy may be changed", &none, STARTED, Some(COMPLETE), STARTED),
        prepare("both gates are off: an existing policy may be removed", &none, NONE, Some(COMPLETE), NONE),
        prepare("the gate is off by default: no policy for new workloads", &json!({}), COMPLETE, None, NONE),
        {
            let (op, name) = ("apiserver.default", "no policy is set by default");
            case(op, name, API, &on(), json!({"object": shop(NONE)}), json!({"object": shop(NONE)}))
        },
    ]
}
