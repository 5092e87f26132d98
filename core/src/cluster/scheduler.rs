//! The scheduler: which node a pod gets, or why none.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::Cluster;
use super::node::NodeState;
use super::resources::{List, of_pod};
use crate::Problem;
use crate::apiserver::quantity::nanos;
use crate::controller::{Event, Verb};
use crate::object::{ConditionStatus, Object, Pod, PodCondition, PodSpecFields, Time};
use crate::problem::shortened;
use crate::reason::{Reason, cluster as rule};
use crate::scenario::Node;
use crate::timeline::{Actor, Id};

/// What nodes have a limit of, besides pods.
const RESOURCES: [&str; 2] = ["cpu", "memory"];

/// Amounts of [`RESOURCES`], in billionths.
pub(super) type Amounts = [Option<i128>; 2];

/// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go ErrReasonReadWriteOncePodConflict`
const CLAIM_IN_USE: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/// Why a node does not take a pod.
#[derive(Default)]
pub(super) struct Misfit {
    pub(super) reasons: Vec<&'static str>,
    /// Whether it would not, were its pods gone.
    unresolvable: bool,
}

/// Why the scheduler had no node for pods of one template, until it may have one.
pub(super) struct Refusal {
    time: Time,
    fields: Rc<PodSpecFields>,
    /// What it says of the nodes.
    first: String,
    /// And all that it says.
    message: String,
}

impl Cluster {
    /// Looks for a node: of those with room the one with the fewest pods. Without one the pod waits.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go schedulePod`
    pub(super) fn schedule(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.spec.node_name.is_none()) else { return };
        // Many pods of one template wait together: what holds for one holds for the next.
        let same = |refusal: &&Rc<Refusal>| refusal.time == self.now && Rc::ptr_eq(&refusal.fields, &pod.spec.fields);
        if let Some(refusal) = self.refusal.as_ref().filter(same).cloned() {
            self.say_unschedulable(id, pod, &refusal);
            return;
        }
        let mut best: Option<&NodeState> = None;
        let mut misfits = Vec::new();
        for node in self.nodes.iter().filter(|node| node.exists()) {
            let misfit = self.misfit(node, &pod);
            if !misfit.reasons.is_empty() {
                misfits.push(misfit);
            } else if best.is_none_or(|best| (node.pods, &node.name) < (best.pods, &best.name)) {
                best = Some(node);
            }
        }
        if let Some(node) = best.map(|node| node.name.clone()) {
            self.bind(id, &node);
            self.attach_volumes(id);
            return;
        }
        let first = fit_error(&misfits);
        let mut message = first.clone();
        if !misfits.is_empty() {
            message.push_str(&preemption(&pod, &misfits));
        }
        let refusal = Rc::new(Refusal { time: self.now, fields: pod.spec.fields.clone(), first, message });
        self.refusal = Some(refusal.clone());
        self.say_unschedulable(id, pod, &refusal);
    }

    /// Says in the pod's condition and in an event why it has no node, unless that has been said.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go Scheduler.handleSchedulingFailure`
    fn say_unschedulable(&mut self, id: Id, pod: Rc<Pod>, Refusal { first, message, .. }: &Refusal) {
        self.unschedulable.push(id);
        let before = pod.status.conditions.iter().find(|condition| &*condition.type_ == "PodScheduled");
        let said = before.and_then(|condition| condition.unknown.get("message")).and_then(Value::as_str);
        if said == Some(message) {
            return;
        }
        let since = before.and_then(|condition| condition.last_transition_time).unwrap_or(self.now.truncated());
        let mut told = Map::new();
        told.insert("reason".into(), "Unschedulable".into());
        told.insert("message".into(), message.as_str().into());
        let mut waiting = (*pod).clone();
        waiting.status.conditions = Vec::from([PodCondition {
            type_: "PodScheduled".into(),
            status: ConditionStatus::False,
            last_transition_time: Some(since),
            unknown: told.into(),
        }]);
        let reason =
            Reason::new(&rule::UNSCHEDULABLE, [(&pod.metadata.name).into(), first.trim_end_matches('.').into()]);
        let key = Object::Pod(pod.clone()).key();
        self.commit_pod(id, (Actor::Scheduler, Verb::UpdateStatus), pod, Some(waiting), reason);
        self.event(&key, Event::warning("FailedScheduling", message));
        self.plan_scale_up();
    }

    /// What of a node keeps the pod from it. A filter is only asked if those before it let the pod pass.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/nodeunschedulable/node_unschedulable.go NodeUnschedulable.Filter`,
    /// `pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go TaintToleration.Filter`,
    /// `pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest`
    pub(super) fn misfit(&self, node: &NodeState, pod: &Pod) -> Misfit {
        if node.cordoned {
            return Misfit { reasons: Vec::from(["node(s) were unschedulable"]), unresolvable: true };
        }
        if node.is_tainted() {
            return Misfit { reasons: Vec::from(["node(s) had untolerated taint(s)"]), unresolvable: true };
        }
        let mut misfit = Misfit::default();
        if node.is_full() {
            misfit.reasons.push("Too many pods");
        }
        let names = ["Insufficient cpu", "Insufficient memory"];
        let resources = RESOURCES.into_iter().zip(names).zip(node.allocatable).zip(node.reserved);
        for (((resource, name), limit), reserved) in resources {
            let Some(limit) = limit else { continue };
            let requested = of_pod(pod, List::Requests, resource);
            if requested > 0 && requested.saturating_add(reserved) > limit {
                misfit.reasons.push(name);
                misfit.unresolvable |= requested > limit;
            }
        }
        if misfit.reasons.is_empty() && self.is_claim_in_use(pod) {
            misfit.reasons.push(CLAIM_IN_USE);
        }
        misfit
    }

    /// Takes over what the scenario's nodes have of each resource.
    pub(super) fn equip_nodes(&mut self) -> Result<(), Problem> {
        let scenario = self.scenario.clone();
        for (index, (node, state)) in scenario.nodes.iter().zip(&mut self.nodes).enumerate() {
            state.allocatable = amounts(node, &format!("nodes[{index}]"))?;
        }
        Ok(())
    }
}

/// Counts what a pod asks for on its node (1), or no more (-1).
pub(super) fn reserve(node: &mut NodeState, pod: &Pod, by: i32) {
    for ((resource, limit), reserved) in RESOURCES.into_iter().zip(node.allocatable).zip(&mut node.reserved) {
        if limit.is_some() {
            let amount = of_pod(pod, List::Requests, resource).saturating_mul(i128::from(by));
            *reserved = reserved.saturating_add(amount);
        }
    }
}

/// What a node of the scenario has of each resource; none: as much as it takes.
pub(super) fn amounts(node: &Node, path: &str) -> Result<Amounts, Problem> {
    let mut amounts = [None; 2];
    for ((name, given), amount) in RESOURCES.into_iter().zip([&node.cpu, &node.memory]).zip(&mut amounts) {
        let Some(given) = given else { continue };
        *amount = nanos(given).filter(|amount| *amount >= 0);
        if amount.is_none() {
            let message = format!("Invalid value: {}: must be an amount like 4, 500m or 16Gi", shortened(given));
            return Err(Problem::new(format!("{path}.{name}"), message));
        }
    }
    Ok(amounts)
}

/// Upstream: `pkg/scheduler/framework/types.go FitError.Error`
fn fit_error(misfits: &[Misfit]) -> String {
    if misfits.is_empty() {
        return "no nodes available to schedule pods".into();
    }
    let mut reasons: Vec<&str> = Vec::new();
    for misfit in misfits {
        reasons.extend(&misfit.reasons);
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
