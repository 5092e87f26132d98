//! Nodes, the node controller and the taint manager.

use changeover_core::object::Time;
use changeover_core::scenario::{self, Scenario};
use changeover_core::timeline::Step;
use serde_json::Value;

use crate::quantity;
use crate::resources::{List, of_pod};
use crate::world::World;
use crate::{Expected, Numbers, count};

/// kube-controller-manager's node-monitor-grace-period, in seconds.
const GRACE_PERIOD: i64 = 50;

/// A node as the node controller sees it.
#[derive(Clone)]
pub struct Node {
    pub name: String,
    pub exists: bool,
    pub cordoned: bool,
    /// Since when its kubelet has been silent.
    pub lost: Option<Time>,
    /// Whether the node controller has noticed.
    pub unreachable: bool,
    /// Since when it has the taint `node.kubernetes.io/unreachable`.
    pub tainted: Option<Time>,
    /// Since when it has the taint `node.kubernetes.io/out-of-service`.
    pub out_of_service: Option<Time>,
    /// Since when it has had no pods.
    pub empty: Option<Time>,
    pub room: Option<u32>,
    pub pods: i64,
    /// The allocatable cpu and memory, each with the sum of its pods' requests.
    pub amounts: [(Option<i128>, i128); 2],
}

pub const RESOURCES: [&str; 2] = ["cpu", "memory"];

impl Node {
    fn new(node: &scenario::Node, name: &str) -> Self {
        let amounts = [&node.cpu, &node.memory].map(|given| (given.as_ref().map(quantity::parse), 0));
        Self {
            name: name.into(),
            exists: true,
            cordoned: false,
            lost: None,
            unreachable: false,
            tainted: None,
            out_of_service: None,
            empty: None,
            room: node.pods,
            pods: 0,
            amounts,
        }
    }

    /// Without nodes in the scenario, there is one that takes every pod.
    pub fn of_scenario(scenario: &Scenario) -> Vec<Self> {
        if scenario.nodes.is_empty() {
            return vec![Self::new(&scenario::Node::default(), "node")];
        }
        scenario.nodes.iter().map(|node| Self::new(node, &node.name)).collect()
    }

    /// A node that the autoscaler adds.
    pub fn added(scenario: &Scenario, name: &str) -> Self {
        Self::new(&scenario.autoscaler.as_ref().unwrap().node, name)
    }

    /// Counts a pod that has come (1) or left (-1).
    pub fn count(&mut self, pod: &Value, by: i8) {
        self.pods += i64::from(by);
        for (resource, (_, requested)) in RESOURCES.into_iter().zip(&mut self.amounts) {
            *requested += i128::from(by) * of_pod(&pod["spec"], List::Requests, resource);
        }
    }

    /// Updates whether it is empty.
    pub fn look(&mut self, now: Time) {
        self.empty = (self.pods == 0).then(|| self.empty.unwrap_or(now));
    }

    /// Updates it after a step.
    pub fn step(&mut self, step: &Step) {
        let now = step.time;
        match step.reason().rule.id {
            "user.cordon" | "user.drain" => self.cordoned = true,
            "user.uncordon" => self.cordoned = false,
            "user.lose-node" => drop(self.lost.get_or_insert(now)),
            "user.return-node" => self.lost = None,
            "user.taint-out-of-service" => drop(self.out_of_service.get_or_insert(now)),
            "user.untaint-out-of-service" => self.out_of_service = None,
            "user.delete-node" | "cluster-autoscaler.scale-down" => self.exists = false,
            "node-lifecycle.unreachable" => self.unreachable = true,
            "node-lifecycle.taint" => self.tainted = Some(now),
            "node-lifecycle.reachable" => (self.unreachable, self.tainted) = (false, None),
            _ => {}
        }
    }
}

pub fn numbers(world: &World<'_>, step: &Step) -> Numbers {
    match step.reason().rule.id {
        "node-lifecycle.unreachable" => {
            let lost = world.node(&step.about.name).lost.unwrap();
            let seconds = world.now.since(lost) / Time::SECOND;
            // A node that was lost again before the node controller checked has been lost for longer than the grace
            // period.
            Numbers::from([("seconds", count(seconds.min(GRACE_PERIOD)))])
        }
        "node-lifecycle.no-evictions" => {
            let nodes = || world.nodes.iter().filter(|node| node.exists);
            let unready = nodes().filter(|node| node.unreachable).count();
            Numbers::from([("unready", count(unready)), ("nodes", count(nodes().count()))])
        }
        "taint-eviction.delete" => evicted(world, step),
        _ => Numbers::new(),
    }
}

/// The first of the node's taints whose toleration by the pod has run out.
fn evicted(world: &World<'_>, step: &Step) -> Numbers {
    let pod = world.object(&step.about);
    let node = world.node(pod["spec"]["nodeName"].as_str().unwrap());
    let taints = [("out-of-service", "nodeshutdown", 0, node.out_of_service), ("unreachable", "", 300, node.tainted)];
    let due = taints.into_iter().find_map(|(taint, value, unsaid, since)| {
        let seconds = tolerated(&pod, &format!("node.kubernetes.io/{taint}"), value, unsaid)?;
        (since?.plus_seconds(seconds) <= world.now).then_some((taint, seconds))
    });
    let (taint, seconds) = due.unwrap_or(("none", -1));
    Numbers::from([
        ("seconds", count(seconds)),
        ("taint", Expected::Text(taint.into())),
        ("node", Expected::Text(node.name.clone())),
    ])
}

/// For how many seconds a pod tolerates a taint with the effect NoExecute; none: forever. `unsaid`: if the toleration
/// doesn't say.
fn tolerated(pod: &Value, key: &str, value: &str, unsaid: i64) -> Option<i64> {
    let is =
        |toleration: &Value, name: &str, any: &[&str]| any.contains(&toleration[name].as_str().unwrap_or_default());
    let tolerations = pod["spec"]["tolerations"].as_array().into_iter().flatten();
    let of_taint: Vec<&Value> =
        tolerations.filter(|it| is(it, "key", &["", key]) && is(it, "effect", &["", "NoExecute"])).collect();
    if of_taint.is_empty() {
        return Some(unsaid);
    }
    let tolerates = |it: &&&Value| {
        is(it, "operator", &["Exists"]) || is(it, "operator", &["", "Equal"]) && is(it, "value", &[value])
    };
    let tolerating: Vec<&&Value> = of_taint.iter().filter(tolerates).collect();
    if tolerating.is_empty() {
        return Some(0);
    }
    tolerating.iter().filter_map(|it| it["tolerationSeconds"].as_i64()).min().map(|seconds| seconds.max(0))
}
