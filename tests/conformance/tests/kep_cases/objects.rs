//! The objects of the cases, with only the fields that matter: a shop, and its ReplicaSets.

use serde_json::{Value, json};

/// The clock of all cases.
pub const NOW: &str = "2026-03-02T12:00:00Z";

const BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";
const DESIRED: &str = "deployment.kubernetes.io/desired-replicas";
const MAX: &str = "deployment.kubernetes.io/max-replicas";

/// The feature gates of a case.
pub fn gates(terminating_replicas: bool, policy: bool) -> Value {
    json!({"DeploymentReplicaSetTerminatingReplicas": terminating_replicas, "DeploymentPodReplacementPolicy": policy})
}

/// A case; `note` may be empty.
pub fn case(op: &str, name: &str, source: &str, gates: &Value, input: Value, expected: Value) -> Value {
    let mut case = json!({"name": name, "op": op, "source": source, "now": NOW, "input": input, "expected": expected});
    if gates.as_object().is_some_and(|gates| !gates.is_empty()) {
        case["gates"] = gates.clone();
    }
    case
}

/// The case with a note.
pub fn noted(mut case: Value, note: &str) -> Value {
    case["note"] = note.into();
    case
}

/// A Deployment with this maxSurge, and the same maxUnavailable.
pub fn deployment(replicas: i32, surge: i32, policy: Option<&str>) -> Value {
    let mut deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "shop", "namespace": "store", "uid": "uid-shop", "generation": 7,
            "creationTimestamp": "2026-03-01T08:00:00Z",
        },
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "shop"}},
            "template": template("blue"),
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": surge, "maxUnavailable": surge}},
        },
        "status": {"observedGeneration": 7},
    });
    if let Some(policy) = policy {
        deployment["spec"]["podReplacementPolicy"] = policy.into();
    }
    deployment
}

/// The same Deployment with the Recreate strategy.
pub fn recreate(mut deployment: Value) -> Value {
    deployment["spec"]["strategy"] = json!({"type": "Recreate"});
    deployment
}

/// The pod template of a color.
pub fn template(color: &str) -> Value {
    json!({
        "metadata": {"labels": {"app": "shop"}},
        "spec": {"containers": [{"name": "till", "image": format!("shop:{color}")}]},
    })
}

/// A ReplicaSet of the shop, by color. Its pods are all available unless set otherwise.
#[derive(Clone)]
pub struct ReplicaSet {
    pub color: &'static str,
    pub replicas: i32,
    /// How many surplus pods still exist.
    pub lagging: i32,
    /// None: not reported.
    pub terminating: Option<i32>,
    pub observed: bool,
    pub annotations: Annotations,
}

/// The annotations that scaling leaves on a ReplicaSet.
#[derive(Clone, Copy)]
pub struct Annotations {
    pub desired: i32,
    pub max: i32,
    pub before_scale: Option<i32>,
}

impl Annotations {
    /// The annotations after a finished scaling to `desired` pods.
    pub const fn complete(desired: i32, surge: i32) -> Self {
        Self { desired, max: desired + surge, before_scale: None }
    }

    /// The annotations during an unfinished scaling.
    pub const fn partial(desired: i32, surge: i32, before_scale: i32) -> Self {
        Self { desired, max: desired + surge, before_scale: Some(before_scale) }
    }

    fn value(self) -> Value {
        let mut map = json!({DESIRED: self.desired.to_string(), MAX: self.max.to_string()});
        if let Some(before) = self.before_scale {
            map[BEFORE_SCALE] = before.to_string().into();
        }
        map
    }
}

/// A ReplicaSet that has all the pods it wants.
pub const fn replica_set(color: &'static str, replicas: i32, annotations: Annotations) -> ReplicaSet {
    ReplicaSet { color, replicas, lagging: 0, terminating: Some(0), observed: true, annotations }
}

impl ReplicaSet {
    pub const fn terminating(self, terminating: Option<i32>) -> Self {
        Self { terminating, ..self }
    }

    pub const fn lagging(self, lagging: i32) -> Self {
        Self { lagging, ..self }
    }

    pub const fn unobserved(self) -> Self {
        Self { observed: false, terminating: None, ..self }
    }

    pub fn name(&self) -> String {
        format!("shop-{}", self.color)
    }

    /// The object. Red is the oldest, then green, then blue; grey is older than all, amber and violet are newer.
    pub fn value(&self) -> Value {
        let age =
            ["grey", "red", "green", "blue", "amber", "violet"].iter().position(|color| *color == self.color).unwrap();
        let there = self.replicas + self.lagging;
        let mut template = template(self.color);
        template["metadata"]["labels"]["pod-template-hash"] = self.color.into();
        let mut status = json!({
            "replicas": there, "fullyLabeledReplicas": there, "readyReplicas": there, "availableReplicas": there,
        });
        if self.observed {
            status["observedGeneration"] = 3.into();
        }
        if let Some(terminating) = self.terminating {
            status["terminatingReplicas"] = terminating.into();
        }
        json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": self.name(), "namespace": "store", "uid": format!("uid-{}", self.color), "generation": 3,
                "creationTimestamp": format!("2026-03-02T0{age}:00:00Z"),
                "labels": {"app": "shop", "pod-template-hash": self.color},
                "annotations": self.annotations.value(),
                "ownerReferences": [{
                    "apiVersion": "apps/v1", "kind": "Deployment", "name": "shop", "uid": "uid-shop",
                    "controller": true, "blockOwnerDeletion": true,
                }],
            },
            "spec": {
                "replicas": self.replicas,
                "selector": {"matchLabels": {"app": "shop", "pod-template-hash": self.color}},
                "template": template,
            },
            "status": status,
        })
    }
}

/// The input of most operations on Deployments. The last ReplicaSet is the new one if it is blue.
pub fn rollout(mut deployment: Value, replica_sets: &[ReplicaSet]) -> Value {
    let there: i32 = replica_sets.iter().map(|replica_set| replica_set.replicas + replica_set.lagging).sum();
    deployment["status"]["replicas"] = there.into();
    let (new, old): (Vec<_>, Vec<_>) = replica_sets.iter().partition(|replica_set| replica_set.color == "blue");
    let old: Vec<Value> = old.into_iter().map(ReplicaSet::value).collect();
    json!({
        "deployment": deployment,
        "newReplicaSet": new.first().map_or(Value::Null, |new| new.value()),
        "oldReplicaSets": old,
    })
}

/// The expected sizes of the ReplicaSets afterward.
pub fn sizes(replica_sets: &[ReplicaSet]) -> Value {
    replica_sets
        .iter()
        .map(|set| (set.name(), json!({"replicas": set.replicas, "annotations": set.annotations.value()})))
        .collect()
}
