//! The order in which pods are deleted.

use serde_json::{Value, json};

use super::super::objects::{NOW, case};
use super::{COST, DESIGN};

/// A pod that has run for an hour and was ready all that time, on a node of its own.
#[derive(Clone)]
struct Pod {
    name: &'static str,
    cost: Option<&'static str>,
    node: Option<&'static str>,
    phase: &'static str,
    ready_since: Option<&'static str>,
    created: &'static str,
    restarts: i32,
}

const HOUR_AGO: &str = "2026-03-02T11:00:00Z";
const DAYS_AGO: &str = "2026-02-20T11:00:00Z";
const SECONDS_AGO: &str = "2026-03-02T11:59:55Z";

const fn pod(name: &'static str, cost: Option<&'static str>) -> Pod {
    Pod { name, cost, node: Some(name), phase: "Running", ready_since: Some(HOUR_AGO), created: HOUR_AGO, restarts: 0 }
}

const fn costs(name: &'static str, cost: &'static str) -> Pod {
    pod(name, Some(cost))
}

const fn free(name: &'static str) -> Pod {
    pod(name, None)
}

impl Pod {
    const fn on(self, node: Option<&'static str>) -> Self {
        Self { node, ..self }
    }

    const fn phase(self, phase: &'static str) -> Self {
        Self { phase, ready_since: None, ..self }
    }

    const fn ready(self, ready_since: Option<&'static str>) -> Self {
        Self { ready_since, ..self }
    }

    const fn created(self, created: &'static str) -> Self {
        Self { created, ready_since: Some(created), ..self }
    }

    const fn restarts(self, restarts: i32) -> Self {
        Self { restarts, ..self }
    }

    fn value(&self) -> Value {
        let mut pod = json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": self.name, "namespace": "store", "uid": format!("uid-{}", self.name),
                "creationTimestamp": self.created,
                "labels": {"app": "shop", "pod-template-hash": "blue"},
                "ownerReferences": [{
                    "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "shop-blue", "uid": "uid-blue",
                    "controller": true, "blockOwnerDeletion": true,
                }],
            },
            "spec": {"containers": [{"name": "till", "image": "shop:blue"}]},
            "status": {
                "phase": self.phase,
                "conditions": [{"type": "Ready", "status": if self.ready_since.is_some() { "True" } else { "False" }}],
                "containerStatuses": [{"name": "till", "restartCount": self.restarts}],
            },
        });
        if let Some(cost) = self.cost {
            pod["metadata"]["annotations"] = json!({COST: cost});
        }
        if let Some(node) = self.node {
            pod["spec"]["nodeName"] = node.into();
        }
        if let Some(since) = self.ready_since {
            pod["status"]["conditions"][0]["lastTransitionTime"] = since.into();
        }
        pod
    }
}

impl Pod {
    /// For related pods, only their node and whether they are active matters.
    fn related(&self) -> Value {
        json!({
            "metadata": {"name": self.name, "uid": format!("uid-{}", self.name)},
            "spec": {"nodeName": self.node.unwrap_or_default()},
            "status": {"phase": self.phase},
        })
    }
}

fn order(name: &str, source: &str, gates: &Value, pods: &[Pod], first: &[&str]) -> Value {
    let values: Vec<Value> = pods.iter().map(Pod::value).collect();
    let related: Vec<Value> = pods.iter().map(Pod::related).collect();
    let input = json!({"pods": values, "relatedPods": related, "count": first.len()});
    case("replicaSet.podsToDelete", &format!("order: {name}"), source, gates, input, json!({"names": first}))
}

pub fn cases() -> Vec<Value> {
    [
        by_cost(),
        first_criteria(),
        before_other_criteria(),
        unchanged(),
        gate(),
        magnitudes(),
        stories(),
        pairs(),
        syncs(),
    ]
    .concat()
}

fn of(name: &str, pods: &[Pod], first: &[&str]) -> Value {
    order(name, DESIGN, &Value::Null, pods, first)
}

fn by_cost() -> Vec<Value> {
    let three = [costs("tea", "30"), costs("rum", "-5"), costs("gin", "7")];
    vec![
        of("the lowest cost goes first", &three, &["rum"]),
        of("then the next lowest", &three, &["rum", "gin"]),
        of("when all pods go, their costs do not matter", &three, &["tea", "rum", "gin"]),
        of(
            "the range's ends are ordered too",
            &[costs("tea", "2147483647"), free("gin"), costs("rum", "-2147483648")],
            &["rum", "gin"],
        ),
        of(
            "positive costs: a pod without one goes first",
            &[costs("tea", "1"), costs("rum", "2"), free("gin")],
            &["gin", "tea"],
        ),
        of(
            "negative costs: a pod without one goes last",
            &[free("gin"), costs("tea", "-1"), costs("rum", "-2")],
            &["rum", "tea"],
        ),
        of(
            "an invalid cost counts as 0",
            &[costs("tea", "1"), costs("gin", "+9"), costs("rum", "-1")],
            &["rum", "gin"],
        ),
    ]
}

/// The criteria that apply regardless of the cost.
fn first_criteria() -> Vec<Value> {
    let cheap = || costs("cheap", "-100");
    let dear = || costs("dear", "100");
    vec![
        of(
            "a pod on no node goes first, whatever it costs",
            &[cheap().phase("Pending"), dear().phase("Pending").on(None)],
            &["dear"],
        ),
        of("a pending pod goes first, whatever it costs", &[cheap(), dear().phase("Pending")], &["dear"]),
        of("a pod in an unknown phase goes first, whatever it costs", &[cheap(), dear().phase("Unknown")], &["dear"]),
        of(
            "pending goes before unknown, whatever it costs",
            &[cheap().phase("Unknown"), dear().phase("Pending")],
            &["dear"],
        ),
        of("a pod that is not ready goes first, whatever it costs", &[cheap(), dear().ready(None)], &["dear"]),
    ]
}

/// The cost is compared before each of these criteria; with equal costs, each of them decides.
fn before_other_criteria() -> Vec<Value> {
    let mut cases = Vec::new();
    let mut both = |criterion: &str, first: fn(Pod) -> Pod, pods: &[Pod]| {
        let last = |cost: &'static str| [&[costs("keeps", cost)], pods].concat();
        let goes = first(costs("goes", "3"));
        let with = |cost| {
            let mut pods = last(cost);
            pods.push(goes.clone());
            pods
        };
        cases.push(of(&format!("a lower cost outweighs {criterion}"), &with("2"), &["keeps"]));
        cases.push(of(&format!("with equal costs, what counts is {criterion}"), &with("3"), &["goes"]));
    };
    let neighbour = costs("neighbour", "50").on(Some("shared"));
    both("a shared node", |pod| pod.on(Some("shared")), &[neighbour]);
    both("being ready for less time", |pod| pod.ready(Some(SECONDS_AGO)), &[]);
    both("more restarts", |pod| pod.restarts(4), &[]);
    both("being younger", |pod| pod.created(SECONDS_AGO), &[]);
    cases
}

/// Nothing changes if no pod has a cost, or all costs are equal.
fn unchanged() -> Vec<Value> {
    let with = |cost: Option<&'static str>| {
        let pod = |name| pod(name, cost);
        [
            pod("old").created(DAYS_AGO),
            pod("crashing").created(DAYS_AGO).restarts(2),
            pod("young").created(SECONDS_AGO),
            pod("broken").ready(None),
            pod("waiting").phase("Pending").on(None),
        ]
    };
    let first = ["waiting", "broken", "young", "crashing"];
    let mut mixed = with(None);
    mixed[1].cost = Some("0");
    mixed[3].cost = Some("0");
    vec![
        of("no pod has a cost", &with(None), &first),
        of("all pods have the same cost", &with(Some("11")), &first),
        of("a cost of 0 is no cost", &mixed, &first),
    ]
}

fn gate() -> Vec<Value> {
    const UPGRADE: &str = "KEP-2255, Upgrade / Downgrade Strategy";
    const ENABLEMENT: &str = "KEP-2255, Feature enablement and rollback";
    let gate = |enabled: bool| json!({"PodDeletionCost": enabled});
    let pods = [costs("dear", "80").created(SECONDS_AGO), costs("cheap", "-80").created(DAYS_AGO), free("old")];
    vec![
        order("the gate is off: the youngest first", ENABLEMENT, &gate(false), &pods, &["dear", "old"]),
        order("the gate is on again: the cheapest first", ENABLEMENT, &gate(true), &pods, &["cheap", "old"]),
        order(
            "after a downgrade the cost is not read",
            UPGRADE,
            &json!({"controllerManager": gate(false), "apiserver": {}}),
            &pods,
            &["dear"],
        ),
        order(
            "after an upgrade it is read on pods that had it before",
            UPGRADE,
            &json!({"controllerManager": gate(true), "apiserver": {}}),
            &pods,
            &["cheap"],
        ),
    ]
}

fn stories() -> Vec<Value> {
    // The cost is the pod's load.
    let load = [
        costs("worker-1", "92").created(SECONDS_AGO),
        costs("worker-2", "3").created(DAYS_AGO),
        costs("worker-3", "41").created(SECONDS_AGO),
        costs("worker-4", "7").created(DAYS_AGO),
    ];
    let machines = [
        costs("spot-1", "20").on(Some("spot")).created(SECONDS_AGO),
        costs("standard-1", "10").on(Some("standard")).created(DAYS_AGO),
        costs("spot-2", "20").on(Some("spot")).created(SECONDS_AGO),
        costs("standard-2", "10").on(Some("standard")).created(SECONDS_AGO),
    ];
    vec![
        order(
            "the least used go first, though older",
            "KEP-2255, Story 1",
            &Value::Null,
            &load,
            &["worker-2", "worker-4"],
        ),
        order(
            "pods on expensive machines go first, the younger before the older",
            "KEP-2255, Story 2",
            &Value::Null,
            &machines,
            &["standard-2", "standard-1"],
        ),
        order("only then pods on cheap machines", "KEP-2255, Story 2", &Value::Null, &machines[..3], &["standard-1"]),
    ]
}

/// Pods that were created two seconds apart: whether these ages are equal depends on the gate LogarithmicScaleDown.
fn magnitudes() -> Vec<Value> {
    const DOCS: &str = "Kubernetes documentation, ReplicaSet, Scaling a ReplicaSet";
    let pods = [free("ale").created("2026-03-02T10:59:58Z").ready(Some(HOUR_AGO)), free("gin")];
    let off = json!({"LogarithmicScaleDown": false});
    vec![
        order("ages of one magnitude are equal: the lower uid", DOCS, &Value::Null, &pods, &["ale"]),
        order("LogarithmicScaleDown is off: the younger of the two", DOCS, &off, &pods, &["gin"]),
    ]
}

/// Two pods, compared both ways.
fn pairs() -> Vec<Value> {
    let pair = |name: &str, first: Pod, second: Pod, ranks: [u32; 2], less: [bool; 2]| {
        let input = json!({"pods": [first.value(), second.value()], "ranks": ranks});
        let expected = json!({"less01": less[0], "less10": less[1]});
        case("replicaSet.podLess", &format!("pair: {name}"), DESIGN, &Value::Null, input, expected)
    };
    const BEFORE: [bool; 2] = [true, false];
    vec![
        pair("-1 before none", costs("a", "-1"), free("b"), [1, 1], BEFORE),
        pair("none before 1", free("a"), costs("b", "1"), [1, 1], BEFORE),
        pair("0 and none are the same", costs("a", "0"), free("b"), [1, 1], [false, false]),
        pair("9 before 10: costs are numbers", costs("a", "9"), costs("b", "10"), [1, 1], BEFORE),
        pair("the cost before the pods on the node", costs("a", "1"), costs("b", "2"), [1, 9], BEFORE),
        pair("the pods on the node where costs are equal", costs("a", "2"), costs("b", "2"), [9, 1], BEFORE),
        pair("a pod on no node before the cost", costs("a", "9").on(None), free("b"), [1, 1], BEFORE),
    ]
}

/// Whole syncs: the integration tests of the KEP's test plan.
fn syncs() -> Vec<Value> {
    const TEST_PLAN: &str = "KEP-2255, Test Plan";
    let sync = |name: &str, pods: &[Pod], wanted: usize, gone: &[&str]| {
        let there = pods.len();
        let replica_set = json!({
            "apiVersion": "apps/v1",
            "kind": "ReplicaSet",
            "metadata": {
                "name": "shop-blue", "namespace": "store", "uid": "uid-blue", "generation": 2,
                "creationTimestamp": DAYS_AGO, "labels": {"app": "shop", "pod-template-hash": "blue"},
            },
            "spec": {
                "replicas": wanted,
                "selector": {"matchLabels": {"app": "shop", "pod-template-hash": "blue"}},
                "template": {
                    "metadata": {"labels": {"app": "shop", "pod-template-hash": "blue"}},
                    "spec": {"containers": [{"name": "till", "image": "shop:blue"}]},
                },
            },
            "status": {
                "replicas": there, "fullyLabeledReplicas": there, "readyReplicas": there, "availableReplicas": there,
                "terminatingReplicas": 0, "observedGeneration": 2,
            },
        });
        let pods: Vec<Value> = pods.iter().map(Pod::value).collect();
        let input = json!({"replicaSet": replica_set, "replicaSets": [replica_set], "pods": pods});
        let writes: Vec<Value> =
            gone.iter().map(|name| json!({"verb": "delete", "resource": "pods", "name": name})).collect();
        let events: Vec<String> =
            gone.iter().map(|name| format!("Normal SuccessfulDelete Deleted pod: {name}")).collect();
        let expected = json!({"error": false, "writes": writes, "events": events});
        case("replicaSet.sync", &format!("sync at {NOW}: {name}"), TEST_PLAN, &Value::Null, input, expected)
    };
    vec![
        sync(
            "lower costs are deleted first",
            &[costs("ale", "5"), costs("gin", "1"), costs("rum", "9"), costs("tea", "2")],
            2,
            &["gin", "tea"],
        ),
        sync(
            "no cost: the youngest",
            &[free("ale"), free("gin").created(SECONDS_AGO), free("rum").created(DAYS_AGO)],
            2,
            &["gin"],
        ),
        sync(
            "equal costs: the youngest",
            &[costs("ale", "4"), costs("gin", "4").created(SECONDS_AGO), costs("rum", "4").created(DAYS_AGO)],
            2,
            &["gin"],
        ),
    ]
}
