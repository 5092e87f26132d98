//! What the scheduler made of each node: the scores of those that take a pod, and what is in the way on the others.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::cycle::Placement;
use super::inter_pod_affinity::{ANTI_AFFINITY, NO_AFFINITY};
use super::node::Node;
use super::node_info::NodeInfo;
use super::node_resources::{FULL, INSUFFICIENT};
use super::pod_shape::PodShape;
use super::pod_topology_spread::NO_DOMAIN;
use super::snapshot::Snapshot;
use super::status::{Plugin, Status};
use super::taint_toleration::first_untolerated;
use super::volume_binding::NO_VOLUMES;
use crate::apiserver::is_huge_pages;
use crate::object::quantity::{ONE, written_like};

/// How many nodes that take the pod are listed, and how many that don't: a timeline keeps such a list for each pod.
const LISTED: usize = 12;

/// What the scheduler made of the nodes when it looked for one for a pod.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeReport {
    /// The plugins that scored the nodes; none if only one node takes the pod.
    pub plugins: Vec<Plugin>,
    /// Nodes that take the pod, the best first.
    pub scored: Vec<ScoredNode>,
    /// Nodes that don't.
    pub rejected: Vec<RejectedNode>,
    /// How many nodes are not listed.
    pub others: usize,
}

/// A node that takes a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredNode {
    /// The name.
    pub name: Rc<str>,
    /// What each plugin adds: its score from 0 to 100, times its weight.
    pub scores: Vec<i64>,
    /// The sum.
    pub total: i64,
}

/// A node that does not take a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RejectedNode {
    /// The name.
    pub name: Rc<str>,
    /// The reasons, in the scheduler's words.
    pub said: String,
    /// The same in plain words, about this node and this pod.
    pub why: String,
    /// What would make the node take the pod.
    pub helps: String,
}

impl NodeReport {
    /// What was made of the nodes of a snapshot.
    pub(crate) fn new(
        snapshot: &Snapshot,
        shape: &PodShape,
        placement: Option<&Placement>,
        rejected: &[(usize, Status)],
    ) -> Self {
        let name = |index: usize| snapshot.node(index).map(|info| info.node.name.clone());
        let feasible = placement.map_or(&[][..], |placement| &placement.feasible);
        let totals = placement.map_or(&[][..], |placement| &placement.totals);
        let plugins = placement.map_or(&[][..], |placement| &placement.scores);
        let scored = |position: usize| {
            let score = |its: &super::PluginScores| {
                its.normalized.get(position).copied().unwrap_or(0).saturating_mul(its.plugin.weight())
            };
            Some(ScoredNode {
                name: name(*feasible.get(position)?)?,
                scores: plugins.iter().map(score).collect(),
                total: totals.get(position).copied()?,
            })
        };
        let obstacle = |(index, status): &(usize, Status)| {
            let info = snapshot.node(*index)?;
            let Obstacle { why, helps } = Obstacle::of(shape, info, status);
            Some(RejectedNode { name: info.node.name.clone(), said: status.reasons.join(", "), why, helps })
        };
        Self {
            plugins: plugins.iter().map(|its| its.plugin).collect(),
            scored: best(totals).into_iter().filter_map(scored).collect(),
            rejected: rejected.iter().take(LISTED).filter_map(obstacle).collect(),
            others: [feasible.len(), rejected.len()].iter().map(|count| count.saturating_sub(LISTED)).sum(),
        }
    }
}

/// The positions of the highest totals, the highest first, and of equal ones the first.
fn best(totals: &[i64]) -> Vec<usize> {
    let mut positions: Vec<usize> = (0..totals.len()).collect();
    let order = |position: &usize| (Reverse(totals.get(*position).copied()), *position);
    if positions.len() > LISTED {
        positions.select_nth_unstable_by_key(LISTED, order);
        positions.truncate(LISTED);
    }
    positions.sort_unstable_by_key(order);
    positions
}

/// What is in the way on a node.
struct Obstacle {
    why: String,
    helps: String,
}

impl Obstacle {
    fn new(why: impl Into<String>, helps: impl Into<String>) -> Self {
        Self { why: why.into(), helps: helps.into() }
    }

    fn of(shape: &PodShape, info: &NodeInfo, status: &Status) -> Self {
        let node = &info.node;
        let says = |reason: &str| status.reasons.iter().any(|its| its == reason);
        match status.plugin {
            None => Self::new("the pod names other nodes", ""),
            Some(Plugin::NodeUnschedulable) => Self::new("it is cordoned", "uncordon it"),
            Some(Plugin::TaintToleration) => {
                let taint = first_untolerated(&node.taints, &shape.tolerations).map(ToString::to_string);
                let why = format!("the pod doesn't tolerate its taint {}", taint.unwrap_or_default());
                Self::new(why, "tolerate the taint, or remove it")
            }
            Some(Plugin::NodeAffinity) => Self::new(
                "the pod's nodeSelector or node affinity selects other nodes",
                "label the node, or change what the pod selects",
            ),
            Some(Plugin::NodePorts) => {
                let clashes = |port: &&super::HostPort| info.ports().iter().any(|taken| port.clashes_with(taken));
                let ports: Vec<String> = shape.ports.iter().filter(clashes).map(ToString::to_string).collect();
                Self::new(format!("another pod uses {}", ports.join(", ")), "do without the host port")
            }
            Some(Plugin::VolumeRestrictions) => Self::new("another pod uses the volume", "let that pod go first"),
            Some(Plugin::VolumeBinding) if says(NO_VOLUMES) => {
                Self::new("the pod's volume can't be provisioned there", "use another StorageClass, or add a node")
            }
            Some(Plugin::VolumeBinding) => Self::new("the pod's volume is on other nodes", ""),
            Some(Plugin::VolumeZone) => Self::new("the pod's volume is in another zone", ""),
            Some(Plugin::PodTopologySpread) if says(NO_DOMAIN) => {
                let lacks = |key: &&str| node.label(key).is_none();
                let keys: Vec<&str> = shape.spread.iter().map(|its| its.topology_key.as_str()).filter(lacks).collect();
                let label = keys.first().copied().unwrap_or_default();
                Self::new(format!("it lacks the label {label}, by which the pods are spread"), "label it")
            }
            Some(Plugin::PodTopologySpread) => Self::new(
                "with one more pod there, the spread would be more uneven than maxSkew allows",
                "add a node where fewer of them run, or raise maxSkew",
            ),
            Some(Plugin::InterPodAffinity) if says(NO_AFFINITY) => {
                Self::new("the pods that it has to be near to are elsewhere", "only prefer the affinity")
            }
            Some(Plugin::InterPodAffinity) if says(ANTI_AFFINITY) => {
                Self::new("a pod is there that it has to keep away from", "let that pod go first")
            }
            Some(Plugin::InterPodAffinity) => {
                Self::new("the anti-affinity of a pod there keeps it away", "let that pod go first")
            }
            Some(Plugin::NodeResourcesFit) => Self::of_resources(shape, info, status),
            Some(Plugin::NodeResourcesBalancedAllocation | Plugin::ImageLocality) => Self::new("", ""),
        }
    }

    fn of_resources(shape: &PodShape, info: &NodeInfo, status: &Status) -> Self {
        let mut fits_alone = true;
        let mut why = |reason: &str| {
            if reason == FULL {
                return format!("it takes {} pods, and has {}", info.node.allocatable.pods, info.pods);
            }
            let resource = reason.strip_prefix(INSUFFICIENT).unwrap_or(reason);
            let Amounts { requested, allocatable, taken } = Amounts::of(shape, info, resource);
            fits_alone &= requested <= allocatable;
            let [requested, free, allocatable] = [requested, allocatable.saturating_sub(taken).max(0), allocatable]
                .map(|amount| written(resource, amount));
            format!("the pod requests {requested} {resource}, and the node has {free} of {allocatable} left")
        };
        let why: Vec<String> = status.reasons.iter().map(|reason| why(reason)).collect();
        let helps = if fits_alone { "let a pod there go first, or request less" } else { "request less" };
        Self::new(why.join("; "), helps)
    }
}

/// Of a resource: what the pod requests, what the node has for pods, and what its pods take of that.
struct Amounts {
    requested: i64,
    allocatable: i64,
    taken: i64,
}

impl Amounts {
    fn of(shape: &PodShape, info: &NodeInfo, resource: &str) -> Self {
        let NodeInfo { node, requested: taken, .. } = info;
        let all: [&super::Resources; 3] = [&shape.requests, &node.allocatable, taken];
        let [requested, allocatable, taken] = match resource {
            "cpu" => all.map(|its| its.milli_cpu),
            "memory" => all.map(|its| its.memory),
            "ephemeral-storage" => all.map(|its| its.ephemeral_storage),
            name => {
                let amount = |its: &super::Resources| its.scalar(name).unwrap_or(0);
                [amount(&shape.requests), Node::scalar(node, name), amount(taken)]
            }
        };
        Self { requested, allocatable, taken }
    }
}

/// An amount as people write it.
fn written(resource: &str, amount: i64) -> String {
    const MILLI: i128 = 1_000_000;
    match resource {
        "cpu" => written_like(i128::from(amount).saturating_mul(MILLI), &"1".into()),
        name if name == "memory" || name == "ephemeral-storage" || is_huge_pages(name) => {
            written_like(i128::from(amount).saturating_mul(ONE), &"1Ki".into())
        }
        _ => amount.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_come_first_and_of_equal_ones_the_first() {
        assert!(best(&[]).is_empty());
        assert_eq!(best(&[3, 7, 7, 1]), [1, 2, 0, 3]);
        let many: Vec<i64> = (0..40).map(|number| number % 20).collect();
        assert_eq!(best(&many), [19, 39, 18, 38, 17, 37, 16, 36, 15, 35, 14, 34]);
    }

    #[test]
    fn amounts_are_written_as_people_do() {
        for (resource, amount, expected) in [
            ("cpu", 500, "500m"),
            ("cpu", 4_000, "4"),
            ("memory", 16 << 30, "16Gi"),
            ("hugepages-2Mi", 4 << 20, "4Mi"),
            ("nvidia.com/gpu", 2, "2"),
        ] {
            assert_eq!(written(resource, amount), expected);
        }
    }
}
