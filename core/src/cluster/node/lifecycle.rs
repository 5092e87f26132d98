//! The node lifecycle controller: nodes that do not report are unreachable, their pods not ready, and one after the other gets
//! a taint.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::taint_eviction::UNREACHABLE;
use crate::cluster::decision::NodeDecision;
use crate::cluster::event_queue::SimEvent;
use crate::cluster::node_state::{GRACE_PERIOD, NodeState, unreported_since};
use crate::cluster::pod_status::ready_condition;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::controller::{Event, Verb};
use crate::object::{ConditionStatus, Pod, Time};

/// From one node's taint to the next.
///
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: node-eviction-rate, 0.1 a second
const TAINT_PACE: i64 = 10 * Time::SECOND;
/// The same while most nodes of a large cluster are unreachable.
///
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: secondary-node-eviction-rate, 0.01 a
/// second
const SLOW_TAINT_PACE: i64 = 100 * Time::SECOND;
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: large-cluster-size-threshold
const LARGE_CLUSTER: usize = 50;
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: unhealthy-zone-threshold, in percent
const UNHEALTHY: usize = 55;

/// How many nodes are unreachable, as the node lifecycle controller sees it.
///
/// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go ZoneState`
#[derive(Clone, Copy, PartialEq, Eq)]
enum ZoneState {
    Normal,
    PartialDisruption,
    FullDisruption,
}

impl Cluster {
    /// The controllers know the nodes that are lost at the start, and evict the pods of those that are tainted. Without any,
    /// nothing is planned.
    pub(crate) fn notice_nodes_lost_at_start(&mut self) {
        if !self.nodes.iter().any(NodeState::is_lost) {
            return;
        }
        self.monitor_node_health();
        let tainted = |(index, node): (usize, &NodeState)| Some((index, node.unreachable_taint?));
        let tainted: Vec<(usize, Time)> = self.nodes.iter().enumerate().filter_map(tainted).collect();
        for (index, since) in tainted {
            self.plan_evictions(index, &UNREACHABLE, since);
        }
    }

    pub(crate) fn lose_node(&mut self, index: usize) {
        // The scenario's pods may say that the controller has noticed it before.
        let is_noticed = self.pods_on(index).iter().any(|(_, pod)| is_marked_not_ready(pod));
        let since = if is_noticed { unreported_since(self.now) } else { self.now };
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.lost.get_or_insert(since);
        if is_noticed {
            self.monitor_node_health();
        } else {
            self.events.push(self.now.plus_seconds(GRACE_PERIOD), SimEvent::MonitorNodeHealth);
        }
    }

    pub(crate) fn return_node(&mut self, index: usize) {
        let before = self.zone_state();
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.lost = None;
        for event in core::mem::take(&mut node.held_back) {
            self.events.push(self.now, event);
        }
        if core::mem::take(&mut node.unreachable) {
            node.unreachable_taint = None;
            let key = node.key();
            let decision = NodeDecision::Reachable { node: node.name.clone() };
            self.report(Actor::NodeLifecycleController, &key, decision);
            self.handle_disruption(before);
            self.retry_unschedulable();
        }
    }

    pub(crate) fn delete_node(&mut self, index: usize) {
        let before = self.zone_state();
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.deleted = Some(self.now);
        self.plan_pod_collection();
        self.handle_disruption(before);
    }

    /// Nodes that have not reported for too long become unreachable, and their pods not ready.
    ///
    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go monitorNodeHealth`
    pub(crate) fn monitor_node_health(&mut self) {
        let before = self.zone_state();
        let limit = unreported_since(self.now);
        for index in 0..self.nodes.len() {
            let Some(node) = self.nodes.get_mut(index) else { continue };
            if node.unreachable || !node.exists() || node.lost.is_none_or(|lost| lost > limit) {
                continue;
            }
            node.unreachable = true;
            let key = node.key();
            let decision = NodeDecision::Unreachable { node: key.name.clone(), seconds: GRACE_PERIOD };
            self.report(Actor::NodeLifecycleController, &key, decision);
            self.mark_pods_not_ready(index);
        }
        self.plan_pod_collection();
        self.handle_disruption(before);
    }

    /// Upstream: `pkg/controller/util/node/controller_utils.go MarkPodsNotReady`
    fn mark_pods_not_ready(&mut self, index: usize) {
        for (id, pod) in self.pods_on(index).into_iter().filter(|(_, pod)| pod.is_ready()) {
            let Some(node) = self.nodes.get_mut(index) else { return };
            let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
            node.hold_back(SimEvent::RestorePodReady(id, since));
            let (key, node) = (pod.key(), node.key());
            let mut marked = (*pod).clone();
            for condition in marked.status.conditions.iter_mut().filter(|condition| &*condition.type_ == "Ready") {
                *condition = ready_condition(ConditionStatus::False, self.now);
            }
            // Its kubelet's last report stays: a pod that is not ready yet has none.
            for status in &mut marked.status.container_statuses {
                status.unknown = status.unknown.with("ready", true);
            }
            let decision = NodeDecision::NotReady { pod: pod.metadata.name.clone(), node: node.name.clone() };
            let actor = Actor::NodeLifecycleController;
            self.commit(actor, &node, Verb::UpdateStatus, &key, Some(marked.into()), decision);
            self.event(&key, Event::warning("NodeNotReady", "Node is not ready"));
        }
    }

    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go ComputeZoneState`, with one zone
    fn zone_state(&self) -> ZoneState {
        let (unready, nodes) = self.count_unready();
        if unready > 0 && unready == nodes {
            ZoneState::FullDisruption
        } else if unready > 2 && unready.saturating_mul(100) >= nodes.saturating_mul(UNHEALTHY) {
            ZoneState::PartialDisruption
        } else {
            ZoneState::Normal
        }
    }

    fn count_unready(&self) -> (usize, usize) {
        let nodes = || self.nodes.iter().filter(|node| node.exists());
        (nodes().filter(|node| node.unreachable).count(), nodes().count())
    }

    /// How long the node controller lets pass from one taint to the next; none: it taints no node.
    fn taint_pace(&self) -> Option<i64> {
        match self.zone_state() {
            ZoneState::Normal => Some(TAINT_PACE),
            ZoneState::PartialDisruption if self.count_unready().1 > LARGE_CLUSTER => Some(SLOW_TAINT_PACE),
            ZoneState::PartialDisruption | ZoneState::FullDisruption => None,
        }
    }

    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption`
    fn handle_disruption(&mut self, before: ZoneState) {
        let after = self.zone_state();
        if after == ZoneState::FullDisruption {
            self.nodes.iter_mut().filter(|node| node.exists()).for_each(|node| node.unreachable_taint = None);
        }
        if let Some(pace) = self.taint_pace() {
            if before != ZoneState::Normal && after != before {
                self.next_taint = self.now.plus(pace);
            }
            self.events.push(self.now.max(self.next_taint), SimEvent::TaintNode);
        } else if after != before {
            let (unready, nodes) = self.count_unready();
            let [unready, nodes] = [unready, nodes].map(|count| i64::try_from(count).unwrap_or(i64::MAX));
            let Some(node) = self.nodes.iter().rfind(|node| node.unreachable) else { return };
            let key = node.key();
            self.report(Actor::NodeLifecycleController, &key, NodeDecision::NoEvictions { unready, nodes });
        }
    }

    /// Taints the node that has been lost for longest.
    ///
    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass`
    pub(crate) fn taint_next_node(&mut self) {
        let Some(pace) = self.taint_pace().filter(|_| self.now >= self.next_taint) else { return };
        let waits = |node: &NodeState| node.unreachable && node.unreachable_taint.is_none() && node.exists();
        let nodes = self.nodes.iter().enumerate().filter(|(_, node)| waits(node));
        let Some((index, _)) = nodes.min_by_key(|(_, node)| node.lost) else { return };
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.unreachable_taint = Some(self.now);
        let key = node.key();
        let taint = format!("{}:NoExecute", UNREACHABLE.key).into();
        let decision = NodeDecision::Taint { node: node.name.clone(), taint };
        self.report(Actor::NodeLifecycleController, &key, decision);
        self.plan_evictions(index, &UNREACHABLE, self.now);
        self.next_taint = self.now.plus(pace);
        self.events.push(self.next_taint, SimEvent::TaintNode);
    }
}

/// Whether the node lifecycle controller has marked the pod as not ready, while its kubelet's last report says that its
/// containers are. With readiness gates, a kubelet writes that, too.
fn is_marked_not_ready(pod: &Pod) -> bool {
    let has = |of_type: &str, status: ConditionStatus| {
        pod.status.conditions.iter().any(|condition| &*condition.type_ == of_type && condition.status == status)
    };
    let has_gates = pod.spec.fields.unknown.get("readinessGates").and_then(Value::as_array);
    let has_gates = has_gates.is_some_and(|gates| !gates.is_empty());
    has("Ready", ConditionStatus::False) && has("ContainersReady", ConditionStatus::True) && !has_gates
}
