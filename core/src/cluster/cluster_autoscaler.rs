//! A node autoscaler: it adds nodes for pods that have waited long enough, and removes empty nodes.
//!
//! It runs when it may find something, where the real one runs every 10 s.

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::event_queue::SimEvent;
use super::node_state::NodeState;
use super::state::Cluster;
use super::step::Actor;
use crate::Problem;
use crate::cluster::decision::AutoscalerDecision;
use crate::controller::Event;
use crate::object::Pod;
use crate::scenario::{Autoscaler, Scenario};
use crate::scheduler::{Cycle, Snapshot};

impl Cluster {
    fn node_count(&self) -> u32 {
        u32::try_from(self.nodes.iter().filter(|node| node.exists()).count()).unwrap_or(u32::MAX)
    }

    /// Whether an added node could be as the scenario says.
    pub(super) fn validate_autoscaler(&self) -> Result<(), Problem> {
        let Some(autoscaler) = &self.scenario.autoscaler else { return Ok(()) };
        NodeState::with_capacity("", &autoscaler.node, "autoscaler.node")?;
        if autoscaler.node.name.is_empty() {
            return Err(Problem::new(
                "autoscaler.node.name",
                "Required value: must be the prefix of the names of added nodes",
            ));
        }
        Ok(())
    }

    /// A pod has no node from now on.
    pub(super) fn plan_scale_up(&mut self) {
        let Some(autoscaler) = &self.scenario.autoscaler else { return };
        let time = self.now.plus(autoscaler.after.0);
        if self.autoscaling.planned.replace(time) != Some(time) {
            self.events.push(time, SimEvent::ScaleUp);
        }
    }

    /// Orders as many nodes as the pods need that have waited long enough, and that no node takes which is on its way.
    pub(super) fn scale_up(&mut self) {
        let scenario = self.scenario.clone();
        let Some(autoscaler) = &scenario.autoscaler else { return };
        let size = self.node_count().saturating_add(self.autoscaling.upcoming);
        let Some(mut trial) = self.scheduling.snapshot().cloned() else { return };
        let upcoming = usize::try_from(self.autoscaling.upcoming).unwrap_or(0);
        let first_bin = trial.nodes().len();
        // Each node has its own host name.
        let add_bin =
            |trial: &mut Snapshot| trial.add_node(new_node(autoscaler, &format!("{}", trial.nodes().len())).node());
        (0..upcoming).for_each(|_| add_bin(&mut trial));
        let (mut ordered, mut pods) = (0_u32, Vec::new());
        for pod in self.waiting_pods(autoscaler) {
            let shape = trial.shape_of(&pod);
            let is_on_its_way = |bin: usize| bin < first_bin.saturating_add(upcoming);
            let status = |trial: &Snapshot, bin: usize| match Cycle::new(trial, &shape, "") {
                Ok(cycle) => cycle.status(bin),
                Err(status) => Some(status),
            };
            let known = first_bin..trial.nodes().len();
            let mut chosen = known.clone().find(|bin| status(&trial, *bin).is_none());
            if chosen.is_none() {
                let bin = known.end;
                add_bin(&mut trial);
                let misfit = status(&trial, bin).and_then(|status| status.reasons.into_iter().next());
                let is_full = size.saturating_add(ordered) >= autoscaler.max;
                match misfit.or(is_full.then_some("max node group size reached".into())) {
                    Some(why_not) => {
                        trial.remove_last_node();
                        self.report_not_triggered(&pod, &why_not);
                        continue;
                    }
                    None => ordered = ordered.saturating_add(1),
                }
                chosen = Some(bin);
            }
            let Some(bin) = chosen else { continue };
            trial.add_pod(bin, &shape, false);
            if !is_on_its_way(bin) {
                pods.push(pod);
            }
        }
        self.order(autoscaler, size, ordered, &pods);
    }

    /// The pods that have waited long enough.
    fn waiting_pods(&self, autoscaler: &Autoscaler) -> Vec<Rc<Pod>> {
        let mut pods = Vec::new();
        for waiting in &self.scheduling.unschedulable {
            let Some(pod) = self.pod(waiting.id).filter(|pod| pod.spec.node_name.is_none()) else { continue };
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
        let pod = first.metadata.name.clone();
        let decision = AutoscalerDecision::ScaleUp { pod, waited: autoscaler.after, ordered, before: size, after };
        self.report(Actor::ClusterAutoscaler, &first.key(), decision);
        // The group of the nodes that it adds has none of those that the scenario names.
        let others = self.nodes.iter().take(given_nodes(&self.scenario)).filter(|node| node.exists()).count();
        let others = u32::try_from(others).unwrap_or(u32::MAX);
        let [size, after, max] = [size, after, autoscaler.max].map(|nodes| nodes.saturating_sub(others));
        let group = &autoscaler.node.name;
        let message = format!("pod triggered scale-up: [{{{group} {size}->{after} (max: {max})}}]");
        for pod in pods {
            self.event(&pod.key(), Event::normal("TriggeredScaleUp", &message));
        }
        self.autoscaling.upcoming = self.autoscaling.upcoming.saturating_add(ordered);
        for _ in 0..ordered {
            self.events.push(self.now.plus(autoscaler.startup.0), SimEvent::AddNode);
        }
    }

    fn report_not_triggered(&mut self, pod: &Pod, why: &str) {
        let key = self.store.borrow().shared_key(&pod.key());
        let decision = AutoscalerDecision::NoScaleUp { pod: pod.metadata.name.clone(), why_not: why.into() };
        if self.note(Actor::ClusterAutoscaler, &key, decision) {
            let message = format!("pod didn't trigger scale-up: 1 {why}");
            self.event(&key, Event::normal("NotTriggerScaleUp", &message));
        }
    }

    /// A node that was ordered is ready.
    pub(super) fn add_node(&mut self) {
        let scenario = self.scenario.clone();
        let Some(autoscaler) = &scenario.autoscaler else { return };
        self.autoscaling.upcoming = self.autoscaling.upcoming.saturating_sub(1);
        let name = loop {
            self.autoscaling.ordered = self.autoscaling.ordered.saturating_add(1);
            let name = format!("{}-{}", autoscaler.node.name, self.autoscaling.ordered);
            if !self.nodes.iter().any(|node| *node.name == *name) {
                break name;
            }
        };
        let node = new_node(autoscaler, &name);
        let key = node.key();
        self.add_node_state(node);
        self.report(Actor::ClusterAutoscaler, &key, AutoscalerDecision::NodeReady { node: key.name.clone() });
        self.retry_unschedulable();
    }

    /// Notices which nodes are empty, and since when.
    pub(super) fn mark_idle_nodes(&mut self) {
        let Some(autoscaler) = &self.scenario.autoscaler else { return };
        for node in self.nodes.iter_mut() {
            if node.pods > 0 || !node.exists() {
                node.empty_since = None;
            } else if node.empty_since.is_none() {
                node.empty_since = Some(self.now);
                self.events.push(self.now.plus(autoscaler.idle.0), SimEvent::ScaleDown);
            }
        }
    }

    /// Removes the nodes that have been empty for long enough, the newest first.
    pub(super) fn scale_down(&mut self) {
        let scenario = self.scenario.clone();
        let Some(autoscaler) = &scenario.autoscaler else { return };
        let least = autoscaler.min.unwrap_or(u32::try_from(scenario.nodes.len()).unwrap_or(u32::MAX));
        let is_due = |node: &NodeState| {
            node.exists() && node.empty_since.is_some_and(|since| since.plus(autoscaler.idle.0) <= self.now)
        };
        let nodes = self.nodes.iter().enumerate().rev().filter(|(_, node)| is_due(node));
        let due: Vec<_> = nodes.map(|(index, node)| (index, node.key())).collect();
        for (index, key) in due {
            if self.node_count() <= least {
                break;
            }
            let decision = AutoscalerDecision::ScaleDown { node: key.name.clone(), idle: autoscaler.idle };
            self.report(Actor::ClusterAutoscaler, &key, decision);
            let event = Event::normal("ScaleDown", "marked the node as toBeDeleted/unschedulable");
            self.event(&key, event);
            self.delete_node(index);
        }
    }
}

/// How many nodes there are before it adds any.
fn given_nodes(scenario: &Scenario) -> usize {
    scenario.nodes.len().max(1)
}

fn new_node(autoscaler: &Autoscaler, name: &str) -> NodeState {
    let Autoscaler { node, .. } = autoscaler;
    // It could be read when the simulation began.
    NodeState::with_capacity(name, node, "").unwrap_or_else(|_| NodeState::of_any_size(name))
}
