//! The scheduler: which node a pod gets, or why none.

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::event_queue::SimEvent;
use super::host_ports::{HostPort, host_ports};
use super::kubelet::timing::Stage;
use super::node_state::{NodeState, Shortage};
use super::pod_resources::requests_of_pod;
use super::state::{Cluster, SchedulingFailure};
use super::step::Actor;
use super::store::Id;
use crate::cluster::decision::SchedulerDecision;
use crate::controller::{Event, Verb};
use crate::object::{ConditionStatus, Pod, PodCondition};
use crate::scenario::Node;

/// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go ErrReasonReadWriteOncePodConflict`
const CLAIM_IN_USE: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/// The other reasons why a node does not take a pod.
const CORDONED: &str = "node(s) were unschedulable";
const TAINTED: &str = "node(s) had untolerated taint(s)";
const PORTS_TAKEN: &str = "node(s) didn't have free ports for the requested pod ports";
const FULL: &str = "Too many pods";
const INSUFFICIENT: &str = "Insufficient ";

/// Why a pod with scheduling gates waits.
const GATED: &str = "Scheduling is blocked due to non-empty scheduling gates";

/// The field with a pod's scheduling gates.
const GATES: &str = "schedulingGates";

/// What the scheduler says without any node.
const NO_NODES: &str = "no nodes available to schedule pods";

/// Why a node does not take a pod.
#[derive(Default)]
pub(super) struct Misfit {
    pub(super) reasons: Vec<Cow<'static, str>>,
    /// Whether it would not, were its pods gone.
    unresolvable: bool,
}

/// A pod that looks for a node, and what it asks for.
pub(super) struct Candidate<'a> {
    pod: &'a Pod,
    requests: Vec<(&'a str, i128)>,
    ports: Vec<HostPort>,
}

impl<'a> Candidate<'a> {
    pub(super) fn new(pod: &'a Pod) -> Self {
        Self { pod, requests: requests_of_pod(pod), ports: host_ports(pod) }
    }
}

/// What comes of looking for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheduled {
    /// The pod has its node now.
    Bound,
    /// There is no node for the pod, which its condition says from now on.
    Unschedulable,
    /// The pod does not wait for a node, or its condition says already why there is none.
    Unchanged,
}

impl Cluster {
    /// Looks for a node: of those with room the one with the fewest pods. Without one the pod waits.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go schedulePod`
    pub(super) fn schedule(&mut self, id: Id) -> Scheduled {
        let Some(pod) = self.pod(id).filter(|pod| pod.spec.node_name.is_none()) else { return Scheduled::Unchanged };
        if is_gated(&pod) && !self.scheduling.ignores_gates {
            return self.report_gated(id, pod);
        }
        // Many pods of one template wait together, and they all fit or none does.
        let same = |failure: &&Rc<SchedulingFailure>| {
            failure.time == self.now && Rc::ptr_eq(&failure.fields, &pod.spec.fields)
        };
        if let Some(failure) = self.scheduling.failure.as_ref().filter(same).cloned() {
            return self.report_unschedulable(id, pod, &failure);
        }
        let candidate = Candidate::new(&pod);
        let mut best: Option<&NodeState> = None;
        let mut misfits = Vec::new();
        for node in self.nodes.iter().filter(|node| node.exists()) {
            let misfit = self.misfit(node, &candidate);
            if !misfit.reasons.is_empty() {
                misfits.push(misfit);
            } else if best.is_none_or(|best| (node.pods, &node.name) < (best.pods, &best.name)) {
                best = Some(node);
            }
        }
        if let Some(node) = best.map(|node| node.name.clone()) {
            self.count_on_node(&node, &pod, 1);
            self.bind(id, &node);
            return Scheduled::Bound;
        }
        let nodes_message = fit_error(&misfits);
        let mut message = nodes_message.clone();
        if !misfits.is_empty() {
            message.push_str(&preemption(&pod, &misfits));
        }
        let fields = pod.spec.fields.clone();
        let failure = Rc::new(SchedulingFailure { time: self.now, fields, nodes_message, message });
        self.scheduling.failure = Some(failure.clone());
        self.report_unschedulable(id, pod, &failure)
    }

    /// Gives a pod its node.
    pub(super) fn bind(&mut self, id: Id, node: &Rc<str>) {
        let Some(pod) = self.pod(id).filter(|pod| pod.spec.node_name.is_none()) else { return };
        let mut bound = (*pod).clone();
        bound.spec.node_name = Some(node.clone());
        remove_gates(&mut bound);
        // Until now it had none but that it waits for a node.
        bound.status.conditions.clear();
        let decision = SchedulerDecision::Bind { pod: pod.metadata.name.clone(), node: node.clone() };
        self.plan_stage(id, &bound, Stage::Start, self.now, SimEvent::StartContainers(id));
        self.commit_pod(Actor::Scheduler, Verb::Update, id, pod, Some(bound), decision);
    }

    /// Counts a pod that comes to a node (1) or leaves it (-1). A node that the scenario does not name is not counted.
    pub(super) fn count_on_node(&mut self, name: &str, pod: &Pod, by: i32) {
        self.scheduling.failure = None;
        if let Some(node) = self.nodes.iter_mut().find(|node| *node.name == *name) {
            node.count(pod, by);
        }
    }

    /// Writes into the pod's condition and an event why it has no node, unless the condition says so already.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go Scheduler.handleSchedulingFailure`
    fn report_unschedulable(&mut self, id: Id, pod: Rc<Pod>, failure: &SchedulingFailure) -> Scheduled {
        let SchedulingFailure { nodes_message, message, .. } = failure;
        self.scheduling.unschedulable.push(id);
        let before = pod.status.conditions.iter().find(|condition| &*condition.type_ == "PodScheduled");
        let last = before.and_then(|condition| condition.unknown.get("message")).and_then(Value::as_str);
        if last == Some(message) {
            return Scheduled::Unchanged;
        }
        let since = before.and_then(|condition| condition.last_transition_time).unwrap_or(self.now.truncated());
        let mut details = Map::new();
        details.insert("reason".into(), "Unschedulable".into());
        details.insert("message".into(), message.as_str().into());
        let mut waiting = (*pod).clone();
        waiting.status.conditions = Vec::from([PodCondition {
            type_: "PodScheduled".into(),
            status: ConditionStatus::False,
            last_transition_time: Some(since),
            unknown: details.into(),
        }]);
        let misfits = nodes_message.trim_end_matches('.').into();
        let decision = SchedulerDecision::Unschedulable { pod: pod.metadata.name.clone(), misfits };
        let key = pod.key();
        self.commit_pod(Actor::Scheduler, Verb::UpdateStatus, id, pod, Some(waiting), decision);
        self.event(&key, Event::warning("FailedScheduling", message));
        Scheduled::Unschedulable
    }

    /// Writes into the pod's condition that it waits for somebody to remove its gates. The API server does so when it creates the pod.
    ///
    /// Upstream: `pkg/registry/core/pod/strategy.go applySchedulingGatedCondition`
    fn report_gated(&mut self, id: Id, pod: Rc<Pod>) -> Scheduled {
        if !pod.status.conditions.is_empty() {
            return Scheduled::Unchanged;
        }
        let mut details = Map::new();
        details.insert("reason".into(), "SchedulingGated".into());
        details.insert("message".into(), GATED.into());
        let mut waiting = (*pod).clone();
        waiting.status.conditions = Vec::from([PodCondition {
            type_: "PodScheduled".into(),
            status: ConditionStatus::False,
            last_transition_time: Some(self.now.truncated()),
            unknown: details.into(),
        }]);
        let decision = SchedulerDecision::Unschedulable { pod: pod.metadata.name.clone(), misfits: GATED.into() };
        self.commit_pod(Actor::Scheduler, Verb::UpdateStatus, id, pod, Some(waiting), decision);
        Scheduled::Unchanged
    }

    /// The scheduler looks again at the pods that wait for a node.
    pub(super) fn retry_unschedulable(&mut self) {
        self.scheduling.failure = None;
        for id in core::mem::take(&mut self.scheduling.unschedulable) {
            self.plan(0, SimEvent::Schedule(id));
        }
    }

    /// What of a node keeps the pod from it. A filter is only asked if those before it let the pod pass.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go NodeUnschedulable.Filter`,
    /// `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go TaintToleration.Filter`,
    /// `pkg/scheduler/framework/plugins/nodeports/node_ports.go NodePorts.Filter`,
    /// `pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest`
    pub(super) fn misfit(&self, node: &NodeState, candidate: &Candidate<'_>) -> Misfit {
        let of = |reason: &'static str, unresolvable| Misfit { reasons: Vec::from([reason.into()]), unresolvable };
        if node.cordoned {
            return of(CORDONED, true);
        }
        if node.is_tainted() {
            return of(TAINTED, true);
        }
        if node.has_taken(&candidate.ports) {
            return of(PORTS_TAKEN, false);
        }
        let mut misfit = Misfit::default();
        if node.is_full() {
            misfit.reasons.push(FULL.into());
        }
        for (resource, requested) in &candidate.requests {
            if let Some(shortage) = node.shortage(resource, *requested) {
                misfit.reasons.push(format!("{INSUFFICIENT}{resource}").into());
                misfit.unresolvable |= shortage == Shortage::Never;
            }
        }
        if misfit.reasons.is_empty() && self.is_claim_in_use(candidate.pod) {
            misfit.reasons.push(CLAIM_IN_USE.into());
        }
        misfit
    }
}

/// Whether somebody has to remove gates from the pod before it can be scheduled.
///
/// Upstream: `pkg/scheduler/framework/plugins/schedulinggates/scheduling_gates.go SchedulingGates.PreEnqueue`
fn is_gated(pod: &Pod) -> bool {
    pod.spec.fields.unknown.get(GATES).and_then(Value::as_array).is_some_and(|gates| !gates.is_empty())
}

/// Removes the gates of a pod that gets a node: it can have none any more.
fn remove_gates(pod: &mut Pod) {
    if is_gated(pod) {
        let fields = Rc::make_mut(&mut pod.spec.fields);
        let others = fields.unknown.iter().filter(|(key, _)| *key != GATES);
        fields.unknown = others.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>().into();
    }
}

/// Whether a scheduler's message names a reason that is not simulated, such as a node selector or the taint of a node. Nodes that no
/// longer report are tainted: there are that many.
pub(super) fn names_other_reason(message: &str, lost_nodes: usize) -> bool {
    unschedulable_reasons(message).any(|(count, what)| {
        let is_of_lost_node = what == TAINTED && count.is_some_and(|count| count <= lost_nodes);
        let is_simulated =
            [CORDONED, PORTS_TAKEN, FULL, CLAIM_IN_USE, NO_NODES].contains(&what) || what.starts_with(INSUFFICIENT);
        !is_simulated && !is_of_lost_node
    })
}

/// Whether a scheduler's message is older than what is known of all these nodes: it calls more of them cordoned than are now.
pub(crate) fn is_before_uncordon(message: &str, nodes: &[Node]) -> bool {
    let cordoned = nodes.iter().filter(|node| node.cordoned).count();
    message.starts_with(&format!("0/{} nodes are available: ", nodes.len()))
        && unschedulable_reasons(message)
            .any(|(count, what)| what == CORDONED && count.is_some_and(|count| count > cordoned))
}

/// The reasons that a scheduler's message names, each with the number of nodes, if it is about nodes. What the message says of
/// claims and of preemption comes in later sentences.
pub(crate) fn unschedulable_reasons(message: &str) -> impl Iterator<Item = (Option<usize>, &str)> {
    let (nodes, _) = message.split_once(". ").unwrap_or((message, ""));
    let reasons = nodes.split_once(" nodes are available: ").map_or(nodes, |(_, reasons)| reasons);
    reasons.trim_end_matches('.').split(", ").map(|reason| {
        let count = reason.split(' ').next().and_then(|count| count.parse().ok());
        (count, reason.trim_start_matches(|letter: char| letter.is_ascii_digit()).trim_start())
    })
}

/// Upstream: `pkg/scheduler/framework/types.go FitError.Error`
fn fit_error(misfits: &[Misfit]) -> String {
    if misfits.is_empty() {
        return NO_NODES.into();
    }
    let mut reasons: Vec<&str> = Vec::new();
    for misfit in misfits {
        reasons.extend(misfit.reasons.iter().map(|reason| &**reason));
    }
    histogram(misfits.len(), &reasons)
}

/// What the scheduler says of pods that could make room: none here is worth less than another.
///
/// Upstream: `pkg/scheduler/framework/preemption/preemption.go Evaluator.Preempt`,
/// `pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go DefaultPreemption.PodEligibleToPreemptOthers`
fn preemption(pod: &Pod, misfits: &[Misfit]) -> String {
    let policy = pod.spec.fields.unknown.get("preemptionPolicy").and_then(Value::as_str);
    if policy == Some("Never") {
        return " preemption: not eligible due to preemptionPolicy=Never.".into();
    }
    let mut reasons = Vec::new();
    for misfit in misfits {
        reasons.push(match misfit.unresolvable {
            true => "Preemption is not helpful for scheduling",
            false => "No preemption victims found for incoming pod",
        });
    }
    format!(" preemption: {}", histogram(misfits.len(), &reasons))
}

fn histogram(nodes: usize, reasons: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (index, reason) in reasons.iter().enumerate() {
        let (before, _) = reasons.split_at_checked(index).unwrap_or_default();
        if !before.contains(reason) {
            let count = reasons.iter().filter(|other| *other == reason).count();
            lines.push(format!("{count} {reason}"));
        }
    }
    lines.sort();
    format!("0/{nodes} nodes are available: {}.", lines.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What kubectl printed in the scenario `no-room`: one node is full, and the pod selects none of the others.
    const RECORDED: &str = include_str!("../../../tests/controlplane/states/stuck-no-room.yaml");

    #[test]
    fn the_message_is_the_recorded_one_of_kube_scheduler() {
        let pod = json!({ "spec": { "preemptionPolicy": "PreemptLowerPriority" } });
        let pod: Pod = serde_json::from_value(pod).unwrap();
        let affinity = "node(s) didn't match Pod's node affinity/selector";
        let full = Misfit { reasons: Vec::from(["Insufficient cpu".into()]), unresolvable: false };
        let other_name = || Misfit { reasons: Vec::from([affinity.into()]), unresolvable: true };
        let misfits = [other_name(), full, other_name(), other_name()];
        let message = fit_error(&misfits) + &preemption(&pod, &misfits);
        // YAML breaks long lines, and doubles quotes in quoted texts.
        let recorded = RECORDED.split_whitespace().collect::<Vec<_>>().join(" ").replace("''", "'");
        assert!(recorded.contains(&format!("message: '{message}'")), "{message}");
    }

    #[test]
    fn a_message_about_fewer_cordoned_nodes_than_there_are_is_not_old() {
        let nodes = |cordoned: &[bool]| -> Vec<Node> {
            cordoned.iter().map(|cordoned| Node { cordoned: *cordoned, ..Node::default() }).collect()
        };
        let message = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. preemption: 0/2";
        assert!(is_before_uncordon(message, &nodes(&[false, false])));
        assert!(!is_before_uncordon(message, &nodes(&[false, true])));
        // The cordoned node may be the one that is not given.
        assert!(!is_before_uncordon(message, &nodes(&[false])));
        assert!(!is_before_uncordon("0/2 nodes are available: 2 Insufficient cpu.", &nodes(&[false, false])));
    }

    #[test]
    fn reasons_that_are_not_simulated_are_found() {
        for (message, expected) in [
            ("0/4 nodes are available: 1 Insufficient memory, 1 Too many pods, 3 Insufficient cpu.", false),
            ("0/1 nodes are available: 1 Too many pods. preemption: 0/1 nodes are available: 1 No preemption.", false),
            ("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.", false),
            ("no nodes available to schedule pods", false),
            ("0/4 nodes are available: 1 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector.", true),
            ("0/2 nodes are available: 2 Insufficient nvidia.com/gpu.", false),
            ("0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 Too many pods.", false),
            ("0/2 nodes are available: 2 node(s) had untolerated taint(s).", true),
            ("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.", true),
            ("Scheduling is blocked due to non-empty scheduling gates", true),
            ("0/1 nodes are available: 1 Too many pods. no new claims to deallocate, preemption: 0/1", false),
        ] {
            assert_eq!(names_other_reason(message, 1), expected, "{message}");
        }
    }
}
