//! A node autoscaler: it adds nodes for pods that have waited long enough, and removes nodes that nobody uses.
//!
//! It looks around when there may be something to see, where the real one does so every 10 s.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::Cluster;
use super::node::{NodeState, node_key};
use super::queue::Happening;
use super::scheduler::{Misfit, amounts, reserve};
use crate::Problem;
use crate::controller::Event;
use crate::object::{Kind, Pod, Time};
use crate::reason::{Reason, cluster as rule};
use crate::scenario::{Autoscaler, Scenario};
use crate::timeline::Actor;

/// What the autoscaler knows besides the nodes.
#[derive(Default)]
pub(super) struct Scaling {
    /// Nodes that it has ordered, and that have not come yet.
    upcoming: u32,
    /// How many it has ordered so far.
    ordered: u32,
    /// When it looks for pods that wait.
    planned: Option<Time>,
}

impl Cluster {
    fn nodes_there(&self) -> u32 {
        u32::try_from(self.nodes.iter().filter(|node| node.exists()).count()).unwrap_or(u32::MAX)
    }

    /// Whether an added node could be as the scenario says.
    pub(super) fn check_autoscaler(&self) -> Result<(), Problem> {
        let Some(autoscaler) = &self.scenario.autoscaler else { return Ok(()) };
        amounts(&autoscaler.node, "autoscaler.node")?;
        if autoscaler.node.name.is_empty() {
            return Err(Problem::new(
                "autoscaler.node.name",
                "Required value: must be what the names of added nodes begin with",
            ));
        }
        Ok(())
    }

    /// A pod has no node from now on.
    pub(super) fn plan_scale_up(&mut self) {
        let Some(autoscaler) = &self.scenario.autoscaler else { return };
        let time = self.now.plus(autoscaler.after.0);
        if self.scaling.planned.replace(time) != Some(time) {
            self.queue.push(time, Happening::ScaleUp);
        }
    }

    /// Orders as many nodes as the pods need that have waited long enough, and that no node takes which is on its way.
    pub(super) fn scale_up(&mut self) {
        let scenario = self.scenario.clone();
        let Some(autoscaler) = &scenario.autoscaler else { return };
        let size = self.nodes_there().saturating_add(self.scaling.upcoming);
        let mut bins: Vec<NodeState> = Vec::new();
        bins.resize_with(usize::try_from(self.scaling.upcoming).unwrap_or(0), || added(autoscaler, ""));
        let (mut ordered, mut pods) = (0_u32, Vec::new());
        for pod in self.waiting_pods(autoscaler) {
            let on_its_way = bins.len();
            let fits = |misfit: &Misfit| misfit.reasons.is_empty();
            let place = bins.iter().position(|bin| fits(&self.misfit(bin, &pod)));
            let empty = added(autoscaler, "");
            let misfit = self.misfit(&empty, &pod);
            let why_not = match (place, misfit.reasons.first()) {
                (Some(_), _) => None,
                (None, Some(reason)) => Some(*reason),
                (None, None) if size.saturating_add(ordered) >= autoscaler.max => Some("max node group size reached"),
                (None, None) => {
                    bins.push(empty);
                    ordered = ordered.saturating_add(1);
                    None
                }
            };
            if let Some(why_not) = why_not {
                self.say_not_triggered(&pod, why_not);
                continue;
            }
            let place = place.unwrap_or(on_its_way);
            if let Some(bin) = bins.get_mut(place) {
                bin.pods = bin.pods.saturating_add(1);
                reserve(bin, &pod, 1);
            }
            if place >= usize::try_from(self.scaling.upcoming).unwrap_or(usize::MAX) {
                pods.push(pod);
            }
        }
        self.order(autoscaler, size, ordered, &pods);
    }

    /// The pods that have waited long enough.
    fn waiting_pods(&self, autoscaler: &Autoscaler) -> Vec<Rc<Pod>> {
        let mut pods = Vec::new();
        for id in &self.unschedulable {
            let Some(pod) = self.current(*id).filter(|pod| pod.spec.node_name.is_none()) else { continue };
            let since = pod.status.conditions.first().and_then(|condition| condition.last_transition_time);
            if since.is_some_and(|since| since.plus(autoscaler.after.0) <= self.now) {
                pods.push(pod);
            }
        }
        pods
    }

    fn order(&mut self, autoscaler: &Autoscaler, size: u32, ordered: u32, pods: &[Rc<Pod>]) {
        let Some(first) = pods.first().filter(|_| ordered > 0) else { return };
        let after = size.saturating_add(ordered);
        let values = [
            (&first.metadata.name).into(),
            autoscaler.after.to_string().into(),
            i64::from(ordered).into(),
            i64::from(size).into(),
            i64::from(after).into(),
        ];
        self.tell(Actor::ClusterAutoscaler, &first.metadata.key(Kind::Pod), Reason::new(&rule::SCALE_UP, values));
        // The group of the nodes that it adds has none of those that the scenario names.
        let others = self.nodes.iter().take(given_nodes(&self.scenario)).filter(|node| node.exists()).count();
        let others = u32::try_from(others).unwrap_or(u32::MAX);
        let [size, after, max] = [size, after, autoscaler.max].map(|nodes| nodes.saturating_sub(others));
        let group = &autoscaler.node.name;
        let message = format!("pod triggered scale-up: [{{{group} {size}->{after} (max: {max})}}]");
        for pod in pods {
            self.event(&pod.metadata.key(Kind::Pod), Event::normal("TriggeredScaleUp", &message));
        }
        self.scaling.upcoming = self.scaling.upcoming.saturating_add(ordered);
        for _ in 0..ordered {
            self.queue.push(self.now.plus(autoscaler.startup.0), Happening::NodeComes);
        }
    }

    fn say_not_triggered(&mut self, pod: &Pod, why: &str) {
        let (key, steps) = (pod.metadata.key(Kind::Pod), self.steps.len());
        let reason = Reason::new(&rule::NO_SCALE_UP, [(&pod.metadata.name).into(), why.into()]);
        self.note(Actor::ClusterAutoscaler, &key, reason);
        if self.steps.len() > steps {
            let message = format!("pod didn't trigger scale-up: 1 {why}");
            self.event(&key, Event::normal("NotTriggerScaleUp", &message));
        }
    }

    /// A node that was ordered is ready.
    pub(super) fn node_comes(&mut self) {
        let scenario = self.scenario.clone();
        let Some(autoscaler) = &scenario.autoscaler else { return };
        self.scaling.upcoming = self.scaling.upcoming.saturating_sub(1);
        let name = loop {
            self.scaling.ordered = self.scaling.ordered.saturating_add(1);
            let name = format!("{}-{}", autoscaler.node.name, self.scaling.ordered);
            if !self.nodes.iter().any(|node| *node.name == *name) {
                break name;
            }
        };
        self.nodes.push(added(autoscaler, &name));
        let reason = Reason::new(&rule::NODE_COMES, [name.as_str().into()]);
        self.tell(Actor::ClusterAutoscaler, &node_key(&name), reason);
        self.retry_unschedulable();
    }

    /// Notices which nodes are empty, and since when.
    pub(super) fn look_at_idle_nodes(&mut self) {
        let Some(autoscaler) = &self.scenario.autoscaler else { return };
        for node in &mut self.nodes {
            if node.pods > 0 || !node.exists() {
                node.idle = None;
            } else if node.idle.is_none() {
                node.idle = Some(self.now);
                self.queue.push(self.now.plus(autoscaler.idle.0), Happening::ScaleDown);
            }
        }
    }

    /// Removes the nodes that have been empty for long enough, the newest first.
    pub(super) fn scale_down(&mut self) {
        let scenario = self.scenario.clone();
        let Some(autoscaler) = &scenario.autoscaler else { return };
        let least = autoscaler.min.unwrap_or(u32::try_from(scenario.nodes.len()).unwrap_or(u32::MAX));
        for index in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get_mut(index) else { continue };
            let due = node.exists() && node.idle.is_some_and(|since| since.plus(autoscaler.idle.0) <= self.now);
            let name = node.name.clone();
            if !due || self.nodes_there() <= least {
                continue;
            }
            let values = [(&name).into(), autoscaler.idle.to_string().into()];
            self.tell(Actor::ClusterAutoscaler, &node_key(&name), Reason::new(&rule::SCALE_DOWN, values));
            let event = Event::normal("ScaleDown", "marked the node as toBeDeleted/unschedulable");
            self.event(&node_key(&name), event);
            self.delete_node(index);
        }
    }
}

/// How many nodes there are before it adds any.
fn given_nodes(scenario: &Scenario) -> usize {
    scenario.nodes.len().max(1)
}

fn added(autoscaler: &Autoscaler, name: &str) -> NodeState {
    let mut node = NodeState::new(name, autoscaler.node.pods);
    node.allocatable = amounts(&autoscaler.node, "").unwrap_or_default();
    node
}
