//! "Deployment Completion and Progress Changes".

use serde_json::{Value, json};

use super::super::objects::{Annotations, NOW, ReplicaSet, case, deployment, replica_set, rollout};
use super::{COMPLETE, NONE, POLICIES, STARTED, on};

const SOURCE: &str = "KEP-5882, Deployment Completion and Progress Changes";
const ALL: i32 = 3;

pub fn cases() -> Vec<Value> {
    [complete(), progressing(), conditions(), scaling()].concat()
}

/// A status in which all pods are updated and available.
fn status(terminating: Option<i32>) -> Value {
    let mut status = json!({
        "observedGeneration": 7,
        "replicas": ALL, "updatedReplicas": ALL, "readyReplicas": ALL, "availableReplicas": ALL,
    });
    if let Some(terminating) = terminating {
        status["terminatingReplicas"] = terminating.into();
    }
    status
}

fn complete() -> Vec<Value> {
    let is = |name: &str, policy, terminating, result: bool| {
        let input = json!({"deployment": deployment(ALL, 1, policy), "newStatus": status(terminating)});
        case("deployment.complete", name, SOURCE, &on(), input, json!({"result": result}))
    };
    vec![
        is("complete while 2 pods are terminating [no policy]", NONE, Some(2), true),
        is("complete while 2 pods are terminating [TerminationStarted]", STARTED, Some(2), true),
        is("not complete while 2 pods are terminating [TerminationComplete]", COMPLETE, Some(2), false),
        is("not complete while terminatingReplicas are unknown [TerminationComplete]", COMPLETE, None, false),
        is("complete once no pod is terminating [TerminationComplete]", COMPLETE, Some(0), true),
    ]
}

fn progressing() -> Vec<Value> {
    let is = |name: &str, policy, before, after, result: bool| {
        let mut deployment = deployment(ALL, 1, policy);
        deployment["status"] = status(Some(before));
        let input = json!({"deployment": deployment, "newStatus": status(Some(after))});
        case("deployment.progressing", name, SOURCE, &on(), input, json!({"result": result}))
    };
    vec![
        is("fewer terminating pods are progress [TerminationComplete]", COMPLETE, 3, 2, true),
        is("as many terminating pods are no progress [TerminationComplete]", COMPLETE, 3, 3, false),
        is("more terminating pods are no progress [TerminationComplete]", COMPLETE, 2, 3, false),
        is("fewer terminating pods are no progress [TerminationStarted]", STARTED, 3, 2, false),
        is("fewer terminating pods are no progress [no policy]", NONE, 3, 2, false),
    ]
}

/// The Progressing condition of a rollout that only waits for terminating pods.
fn conditions() -> Vec<Value> {
    const STARTED_AT: &str = "2026-03-02T11:50:00Z";
    const UPDATED_AT: &str = "2026-03-02T11:58:00Z";
    let condition = |reason: &str, message: &str, updated: &str| {
        json!({
            "type": "Progressing", "status": "True", "reason": reason, "message": message,
            "lastUpdateTime": updated, "lastTransitionTime": STARTED_AT,
        })
    };
    let under_way = |updated| condition("ReplicaSetUpdated", "ReplicaSet \"shop-blue\" is progressing.", updated);
    let done = || condition("NewReplicaSetAvailable", "ReplicaSet \"shop-blue\" has successfully progressed.", NOW);
    let sync = |name: String, policy, before, after, expected: Value| {
        let mut deployment = deployment(ALL, 1, policy);
        deployment["spec"]["progressDeadlineSeconds"] = 600.into();
        let annotations = Annotations::complete(ALL, 1);
        let sets = [replica_set("red", 0, annotations).terminating(Some(after)), replica_set("blue", ALL, annotations)];
        deployment["status"] = status(Some(before));
        deployment["status"]["conditions"] = json!([under_way(UPDATED_AT)]);
        let input = rollout(deployment, &sets);
        case("deployment.syncRolloutStatus", &name, SOURCE, &on(), input, json!({"condition": expected}))
    };
    let mut cases = vec![
        sync("not done while pods are terminating [TerminationComplete]".into(), COMPLETE, 2, 2, under_way(UPDATED_AT)),
        sync("one pod fewer: the deadline restarts [TerminationComplete]".into(), COMPLETE, 2, 1, under_way(NOW)),
        sync("done while pods are terminating [no policy]".into(), NONE, 2, 2, done()),
        sync("done while pods are terminating [TerminationStarted]".into(), STARTED, 2, 2, done()),
    ];
    for (word, policy) in POLICIES {
        cases.push(sync(format!("done once no pod is terminating [{word}]"), policy, 1, 0, done()));
    }
    cases
}

/// A scaling in the middle of a rollout. It waits, so only the status is written.
fn scaling() -> Vec<Value> {
    const REVISION: &str = "deployment.kubernetes.io/revision";
    const STARTED_AT: &str = "2026-03-02T11:50:00Z";
    let condition = |reason: &str, status: &str, updated: &str| {
        json!({
            "type": "Progressing", "status": status, "reason": reason,
            "message": "ReplicaSet \"shop-blue\" is progressing.",
            "lastUpdateTime": updated, "lastTransitionTime": STARTED_AT,
        })
    };
    let available = json!({
        "type": "Available", "status": "True", "reason": "MinimumReplicasAvailable",
        "message": "Deployment has minimum availability.", "lastUpdateTime": STARTED_AT, "lastTransitionTime": STARTED_AT,
    });
    let updated = || condition("ReplicaSetUpdated", "True", "2026-03-02T11:52:00Z");
    let sync = |name: &str, policy, paused: bool, [before, after]: [i32; 2], given: Value, expected: Option<Value>| {
        let mut deployment = deployment(20, 10, policy);
        deployment["metadata"]["annotations"] = json!({REVISION: "3"});
        deployment["spec"]["progressDeadlineSeconds"] = 600.into();
        deployment["spec"]["paused"] = paused.into();
        let owed = |color, replicas| replica_set(color, replicas, Annotations::partial(10, 10, replicas));
        let sets = match policy {
            COMPLETE => [owed("red", 8).terminating(Some(after)), owed("blue", 5)],
            // Nothing waits: the only ReplicaSet has its size, and Kubernetes takes its annotation for a scaling
            // forever.
            _ => [
                replica_set("red", 0, Annotations::complete(10, 10)).terminating(Some(after)),
                replica_set("blue", 20, Annotations::complete(10, 10)),
            ],
        };
        let replicas: i32 = sets.iter().map(|set| set.replicas).sum();
        let blue = sets[1].replicas;
        deployment["status"] = json!({
            "observedGeneration": 7, "replicas": replicas, "updatedReplicas": blue, "readyReplicas": replicas,
            "availableReplicas": replicas, "terminatingReplicas": before, "conditions": [given, available],
        });
        let mut sets: Vec<Value> = sets.iter().map(ReplicaSet::value).collect();
        sets[1]["metadata"]["annotations"][REVISION] = "3".into();
        let mut status = json!({"terminatingReplicas": after});
        if let Some(condition) = expected {
            status["conditions"] = json!([available, condition]);
        }
        let writes =
            json!([{"verb": "updateStatus", "resource": "deployments", "name": "shop", "change": {"status": status}}]);
        let input = json!({"deployment": deployment, "replicaSets": sets, "pods": []});
        case("deployment.sync", name, SOURCE, &on(), input, json!({"error": false, "writes": writes, "events": []}))
    };
    let restarted = || Some(condition("ReplicaSetUpdated", "True", NOW));
    let timed_out = condition("ProgressDeadlineExceeded", "False", "2026-03-02T11:59:00Z");
    vec![
        sync(
            "scaling, one terminating pod fewer: the deadline restarts [TerminationComplete]",
            COMPLETE,
            false,
            [19, 18],
            updated(),
            restarted(),
        ),
        sync(
            "scaling, one terminating pod more: no progress [TerminationComplete]",
            COMPLETE,
            false,
            [18, 19],
            updated(),
            None,
        ),
        sync(
            "scaling, one terminating pod fewer after the deadline: it restarts [TerminationComplete]",
            COMPLETE,
            false,
            [19, 18],
            timed_out,
            Some(json!({
                "type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated",
                "message": "ReplicaSet \"shop-blue\" is progressing.", "lastUpdateTime": NOW, "lastTransitionTime": NOW,
            })),
        ),
        sync(
            "paused, one terminating pod fewer: no deadline applies [TerminationComplete]",
            COMPLETE,
            true,
            [19, 18],
            condition("DeploymentPaused", "Unknown", "2026-03-02T11:52:00Z"),
            None,
        ),
        sync("scaling, one terminating pod fewer: no progress [no policy]", NONE, false, [19, 18], updated(), None),
        sync(
            "scaling, one terminating pod fewer: no progress [TerminationStarted]",
            STARTED,
            false,
            [19, 18],
            updated(),
            None,
        ),
    ]
}
