//! Preemption: deletes pods to make room for one with a higher priority.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::aux_objects::AuxSpec;
use super::decision::SchedulerDecision;
use super::disruption_condition::disrupted;
use super::event_queue::SimEvent;
use super::state::{Cluster, Nomination};
use super::step::Actor;
use super::store::Id;
use crate::collect_tree::CollectTree;
use crate::controller::{Event, Verb};
use crate::object::{Object, Pod};
use crate::scheduler::{Budget, FitError, Nominated, Occupant, Preemption, Shape, Snapshot, found, preempt};

/// The reason and the message of the condition of a preempted pod.
///
/// Upstream: `pkg/scheduler/framework/preemption/executor.go NewExecutor`
const BY_SCHEDULER: (&str, &str) =
    ("PreemptionByScheduler", "default-scheduler: preempting to accommodate a higher priority pod");

/// The field with the node that a pod is nominated for.
const NOMINATED_NODE: &str = "nominatedNodeName";

/// Pods to delete, so that another one gets their node.
#[derive(Debug)]
pub(super) struct Victims {
    node: usize,
    pods: Vec<Rc<Pod>>,
}

/// The result of looking for victims.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) nomination: Nomination,
    /// What the scheduler says about it.
    pub(super) message: String,
    pub(super) victims: Option<Victims>,
}

impl Cluster {
    /// Looks for victims of a pod that no node takes. `nominated` is the node that the pod is nominated for.
    ///
    /// Upstream: `pkg/scheduler/framework/preemption/preemption.go Evaluator.Preempt`
    pub(super) fn find_victims(
        &self,
        snapshot: &mut Snapshot,
        (id, pod): (Id, &Pod),
        shape: &Shape,
        nominated: Option<usize>,
        error: &FitError,
    ) -> Found {
        let (occupants, pods) = self.occupants(snapshot);
        let budgets = self.scheduler_budgets();
        let candidates = match preempt(snapshot, shape, (&pod.metadata.uid, nominated), error, &occupants, &budgets) {
            Preemption::Ineligible(message) => {
                return Found { nomination: Nomination::Kept, message, victims: None };
            }
            Preemption::Nothing(message) => {
                return Found { nomination: Nomination::Cleared, message, victims: None };
            }
            Preemption::OneOf(candidates) => candidates,
        };
        let Some(candidate) = self.one_of(candidates.iter(), id) else {
            return Found { nomination: Nomination::Kept, message: String::new(), victims: None };
        };
        let on_node = pods.get(&candidate.node).map_or(&[][..], Vec::as_slice);
        Found {
            nomination: Nomination::Node(candidate.node),
            message: found(snapshot, candidate),
            victims: Some(Victims {
                node: candidate.node,
                pods: candidate.victims.iter().filter_map(|position| on_node.get(*position)).cloned().collect(),
            }),
        }
    }

    /// The pods of the nodes, as the scheduler sees them, and the pods themselves.
    #[expect(clippy::type_complexity, reason = "the same twice")]
    fn occupants(&self, snapshot: &mut Snapshot) -> (BTreeMap<usize, Vec<Occupant>>, BTreeMap<usize, Vec<Rc<Pod>>>) {
        let (mut occupants, mut pods): (BTreeMap<usize, Vec<Occupant>>, BTreeMap<usize, Vec<Rc<Pod>>>) =
            Default::default();
        let indexes: BTreeMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(index, node)| (&*node.name, index)).collect_tree();
        for (_, pod) in self.store.borrow().pods().filter(|(_, pod)| !pod.is_terminal()) {
            let Some(index) = pod.spec.node_name.as_deref().and_then(|name| indexes.get(name)) else { continue };
            let is_terminating = pod.metadata.deletion_timestamp.is_some();
            occupants.entry(*index).or_default().push(Occupant {
                name: pod.metadata.name.clone(),
                shape: snapshot.shape_of(pod),
                is_terminating,
                is_preempted: is_terminating && is_preempted(pod),
                start: pod.status.start_time,
            });
            pods.entry(*index).or_default().push(pod.clone());
        }
        (occupants, pods)
    }

    fn scheduler_budgets(&self) -> Vec<Budget> {
        let budget = |object: &super::aux_objects::AuxObject| match &object.spec {
            AuxSpec::PodDisruptionBudget(budget) => Some(Budget {
                namespace: object.key.namespace.clone(),
                selector: budget.selector.clone(),
                allowed: self.budget_status(&object.key, budget).allowed,
                disrupted: Vec::new(),
            }),
            _ => None,
        };
        self.aux_objects.iter().filter_map(budget).collect()
    }

    /// Deletes the victims of a pod. Less important pods that are nominated for the node look for another one.
    ///
    /// Upstream: `pkg/scheduler/framework/preemption/executor.go Executor.prepareCandidateAsync`
    pub(super) fn preempt_victims(&mut self, victims: Victims, preemptor: &Pod, shape: &Shape) {
        let Some(node) = self.nodes.get(victims.node).map(|node| node.name.clone()) else { return };
        let priority = shape.shape.priority;
        let snapshot = self.scheduling.snapshot();
        let less_important: Vec<String> = snapshot.map_or_else(Vec::new, |snapshot| {
            let is_it = |its: &Nominated| its.node == victims.node && its.shape.shape.priority < priority;
            let keys = snapshot.nominated.iter().filter(|its| is_it(its)).map(|its| its.key.clone()).collect();
            snapshot.nominated.retain(|its| !is_it(its));
            keys
        });
        self.clear_nominations(&less_important);
        for pod in victims.pods {
            // Another pod may have preempted it at the same time.
            if pod.metadata.deletion_timestamp.is_some() {
                continue;
            }
            let lower = self.priority_of(&pod);
            let decision = SchedulerDecision::MakeRoom {
                pod: pod.metadata.name.clone(),
                lower: i32::try_from(lower).unwrap_or(i32::MAX),
                preemptor: preemptor.metadata.name.clone(),
                priority: i32::try_from(priority).unwrap_or(i32::MAX),
            };
            self.delete_preempted(&pod, &preemptor.metadata.uid, &node, decision);
        }
    }

    fn priority_of(&mut self, pod: &Pod) -> i64 {
        self.scheduling.snapshot().map_or(0, |snapshot| snapshot.shape_of(pod).shape.priority)
    }

    /// Deletes a pod that is preempted.
    ///
    /// Upstream: `pkg/scheduler/framework/preemption/executor.go NewExecutor`
    pub(super) fn delete_preempted(&mut self, pod: &Rc<Pod>, preemptor: &str, node: &str, decision: SchedulerDecision) {
        let key = pod.key();
        let after = self.deleted(&Object::Pod(disrupted(pod, BY_SCHEDULER, self.now)), None);
        self.commit(Actor::Scheduler, &key, Verb::Delete, &key, after, decision);
        self.event(&key, Event::normal("Preempted", &format!("Preempted by pod {preemptor} on node {node}")));
    }

    /// Clears the nominations of pods, by their uids, and lets the pods look for another node.
    fn clear_nominations(&mut self, uids: &[String]) {
        let is_meant = |pod: &Pod| uids.iter().any(|uid| **uid == *pod.metadata.uid);
        let found: Vec<(Id, Rc<Pod>)> = if uids.is_empty() {
            Vec::new()
        } else {
            let store = self.store.borrow();
            store.pods().filter(|(_, pod)| is_meant(pod)).map(|(id, pod)| (id, pod.clone())).collect()
        };
        for (id, pod) in found {
            let mut cleared = (*pod).clone();
            put_nominated_node(&mut cleared, None);
            let decision = SchedulerDecision::NoRoomAnyMore { pod: pod.metadata.name.clone() };
            self.commit_pod(Actor::Scheduler, Verb::UpdateStatus, id, pod, Some(cleared), decision);
            self.scheduling.unschedulable.retain(|waiting| waiting.id != id);
            self.plan(0, SimEvent::Schedule(id));
        }
    }

    /// Remembers the node that a pod is nominated for, or forgets it.
    pub(super) fn nominate(&mut self, pod: &Pod, shape: Option<&Shape>, nomination: &Nomination) {
        let Some(snapshot) = self.scheduling.snapshot() else { return };
        if *nomination != Nomination::Kept {
            snapshot.nominated.retain(|its| *its.key != *pod.metadata.uid);
        }
        if let (Nomination::Node(node), Some(shape)) = (nomination, shape) {
            let key = String::from(&*pod.metadata.uid);
            snapshot.nominated.push(Nominated { key, shape: shape.clone(), node: *node });
        }
    }

    /// Reads the nomination of a pod that waits at the start.
    pub(super) fn note_nominated(&mut self, pod: &Pod) {
        let name = pod.status.unknown.get(NOMINATED_NODE).and_then(Value::as_str);
        let index = name.and_then(|name| self.find_node(name)).filter(|_| pod.spec.node_name.is_none());
        if let (Some(index), Some(snapshot)) = (index, self.scheduling.snapshot()) {
            let shape = snapshot.shape_of(pod);
            self.nominate(pod, Some(&shape), &Nomination::Node(index));
        }
    }
}

/// The index of the node that a pod is nominated for.
pub(super) fn nominated_node(snapshot: &Snapshot, pod: &Pod) -> Option<usize> {
    snapshot.nominated.iter().find(|its| *its.key == *pod.metadata.uid).map(|its| its.node)
}

/// Writes a pod's nomination into its status, if it has one.
pub(super) fn put_nominated_node(pod: &mut Pod, node: Option<&str>) {
    let unknown = &pod.status.unknown;
    pod.status.unknown = match node {
        Some(node) => unknown.with(NOMINATED_NODE, node),
        None if unknown.get(NOMINATED_NODE).is_none() => return,
        None => {
            let others = unknown.iter().filter(|(key, _)| *key != NOMINATED_NODE);
            others.map(|(key, value)| (key.clone(), value.clone())).collect_tree::<Map<_, _>>().into()
        }
    };
}

/// Whether a pod terminates because the scheduler has preempted it.
fn is_preempted(pod: &Pod) -> bool {
    pod.status.conditions.iter().any(|condition| {
        let reason = condition.unknown.get("reason").and_then(Value::as_str);
        &*condition.type_ == "DisruptionTarget" && reason == Some(BY_SCHEDULER.0)
    })
}
