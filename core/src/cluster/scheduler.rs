//! The scheduler: which node a pod gets, or why none.

use alloc::borrow::Cow;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use rand_core::Rng;
use rand_pcg::Pcg32;
use serde_json::{Map, Value};

use super::aux_objects::AuxSpec;
use super::event_queue::SimEvent;
use super::kubelet::timing::Stage;
use super::node_state::{NodeCondition, NodeState};
use super::preemption::{nominated_node, put_nominated_node};
use super::state::{Cluster, Nomination, SchedulingFailure, WaitingPod};
use super::step::Actor;
use super::store::Id;
use crate::cluster::decision::SchedulerDecision;
use crate::collect_tree::CollectTree;
use crate::controller::{Event, Verb};
use crate::json::decode;
use crate::object::unstructured::at;
use crate::object::{ConditionStatus, Kind, LabelSelector, ObjectKey, Pod, PodCondition, Time};
use crate::scenario::{EqualNodes, Node};
use crate::scheduler::{
    ANTI_AFFINITY, CLAIM_IN_USE, CORDONED, Claim, Code, EXISTING_ANTI_AFFINITY, FULL, FitError, INSUFFICIENT,
    NO_AFFINITY, NO_DOMAIN, NO_NODES, NO_VOLUMES, NOT_NAMED, NOT_SELECTED, NodeReport, OTHER_NODES, OTHER_ZONE, Owner,
    PORTS_TAKEN, Placement, Plugin, Shape, Snapshot, Status, TAINTED, UNEVEN, has_potential_victims, helps_once_bound,
    helps_once_gone, is_counted, said_without_victims, schedule_pod,
};
use crate::workload::daemon_set::controller::get_target_node_name;

/// Why a pod with scheduling gates waits.
const GATED: &str = "Scheduling is blocked due to non-empty scheduling gates";

/// How long a pod waits for an event before it is tried again without one.
///
/// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go DefaultPodMaxInUnschedulablePodsDuration`
const MAX_WAIT: i64 = 300 * Time::SECOND;

/// How often the scheduler looks for pods that have waited that long.
///
/// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go PriorityQueue.Run`
const FLUSH_PERIOD: i64 = 30 * Time::SECOND;

/// The field with a pod's scheduling gates.
const GATES: &str = "schedulingGates";

/// The reasons that the simulated scheduler knows, besides resources of which there is too little.
const KNOWN_REASONS: [&str; 12] = [
    CORDONED,
    PORTS_TAKEN,
    FULL,
    CLAIM_IN_USE,
    NO_NODES,
    NOT_SELECTED,
    NOT_NAMED,
    UNEVEN,
    NO_DOMAIN,
    NO_AFFINITY,
    ANTI_AFFINITY,
    EXISTING_ANTI_AFFINITY,
];

/// The reasons that it knows where the volumes are given; until 1.33, the first one had other words.
const VOLUME_REASONS: [&str; 4] = [OTHER_NODES, "node(s) had volume node affinity conflict", OTHER_ZONE, NO_VOLUMES];

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
    /// The scheduler begins to look at the nodes. Where they stand for any number of nodes, it does not.
    pub(super) fn start_scheduling(&mut self) {
        if !cfg!(feature = "nodes") || (self.scenario.nodes.is_empty() && self.scenario.autoscaler.is_none()) {
            return;
        }
        self.scheduling.conditions = self.nodes.iter().map(NodeState::condition).collect();
        self.scheduling.changes = self.nodes.changes();
        self.scheduling.snapshot = Some(Snapshot::of_nodes(self.nodes.iter().map(NodeState::node)));
    }

    /// Adds a node.
    pub(super) fn add_node_state(&mut self, node: NodeState) {
        if let Some(snapshot) = self.scheduling.snapshot() {
            snapshot.add_node(node.node());
            self.scheduling.conditions.push(node.condition());
        }
        self.nodes.push(node);
    }

    /// Looks for a node: of the best ones, the first, unless the scenario says otherwise.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go Scheduler.schedulePod`
    pub(super) fn schedule(&mut self, id: Id) -> Scheduled {
        let Some(pod) = self.pod(id).filter(|pod| pod.spec.node_name.is_none()) else { return Scheduled::Unchanged };
        if is_gated(&pod) && !self.scheduling.ignores_gates {
            return self.report_gated(id, pod);
        }
        let Some(mut snapshot) = self.scheduling.take_snapshot() else { return self.schedule_anywhere(id, pod) };
        self.update_snapshot(&mut snapshot, &pod);
        let shape = snapshot.shape_of(&pod);
        // Many pods of one template wait together, and they all fit or none does.
        let same = |failure: &&Rc<SchedulingFailure>| failure.time == self.now && failure.shape == Some(shape.id);
        let nominated = nominated_node(&snapshot, &pod);
        let known = self.scheduling.failure.as_ref().filter(same).filter(|_| nominated.is_none()).cloned();
        if let Some(failure) = known {
            self.scheduling.snapshot = Some(snapshot);
            return self.report_unschedulable(id, pod, &failure, Some(shape));
        }
        let found = schedule_pod(&snapshot, &shape, &pod.metadata.uid, nominated);
        let report = self.node_report(&snapshot, &shape, &found);
        let chosen = found.as_ref().ok().and_then(|placement| self.one_of(placement.best(), id));
        let Some(node) = chosen.and_then(|index| self.nodes.get(index)).map(|node| node.name.clone()) else {
            let error = found.err().unwrap_or_default();
            return self.make_room(id, pod, shape, snapshot, (&error, report));
        };
        self.scheduling.snapshot = Some(snapshot);
        self.count_on_node(&node, &pod, 1);
        self.bind(id, &node, report);
        // A pod that waits for company has it now, and the domain with the fewest pods may have one more.
        let Some(snapshot) = self.scheduling.take_snapshot() else { return Scheduled::Bound };
        let namespaces = &snapshot.surroundings.namespaces;
        self.wake_waiting(|waiting| {
            waiting
                .shape
                .as_ref()
                .is_some_and(|its| helps_once_bound(&its.shape, &waiting.failure.plugins, &shape.shape, namespaces))
        });
        self.scheduling.snapshot = Some(snapshot);
        Scheduled::Bound
    }

    /// One of several that are equally good for a pod.
    pub(super) fn one_of<T>(&self, mut equal: impl Iterator<Item = T>, id: Id) -> Option<T> {
        match self.scenario.equal_nodes.unwrap_or_default() {
            EqualNodes::First => equal.next(),
            EqualNodes::Last => equal.last(),
            EqualNodes::Random => {
                let mut equal: Vec<T> = equal.collect();
                // Pods of the same number of two workloads take different ones.
                let stream = u64::try_from(id.0).unwrap_or(u64::MAX);
                let random = Pcg32::new(self.scenario.seed, stream).next_u32();
                let index = usize::try_from(random).unwrap_or(0).checked_rem(equal.len())?;
                Some(equal.swap_remove(index))
            }
        }
    }

    /// What the scheduler makes of each node, where details are kept.
    fn node_report(
        &self,
        snapshot: &Snapshot,
        shape: &Shape,
        found: &Result<Placement, FitError>,
    ) -> Option<Rc<NodeReport>> {
        let rejected = match found {
            Ok(placement) => &placement.rejected,
            Err(error) => &error.statuses,
        };
        let keeps_details = !self.recorder.omits_details();
        let report = || NodeReport::new(snapshot, &shape.shape, found.as_ref().ok(), rejected);
        keeps_details.then(report).map(Rc::new)
    }

    /// Lets less important pods go for one that no node takes, if that helps.
    fn make_room(
        &mut self,
        id: Id,
        pod: Rc<Pod>,
        shape: Shape,
        mut snapshot: Snapshot,
        (error, report): (&FitError, Option<Rc<NodeReport>>),
    ) -> Scheduled {
        let nominated = nominated_node(&snapshot, &pod);
        if nominated.is_none() && !has_potential_victims(&snapshot, &shape.shape, error) {
            self.scheduling.snapshot = Some(snapshot);
            let failure = self.failure(&pod, error, Some(&shape), report);
            return self.report_unschedulable(id, pod, &failure, Some(shape));
        }
        let found = self.find_victims(&mut snapshot, (id, &pod), &shape, nominated, error);
        self.scheduling.snapshot = Some(snapshot);
        let nodes_message = error.message();
        let failure = Rc::new(SchedulingFailure {
            time: self.now,
            fields: pod.spec.fields.clone(),
            shape: Some(shape.id),
            plugins: error.plugins(),
            message: format!("{nodes_message} {}", found.message),
            nodes_message,
            nomination: found.nomination,
            report,
        });
        let scheduled = self.report_unschedulable(id, pod.clone(), &failure, Some(shape.clone()));
        if let Some(victims) = found.victims {
            self.preempt_victims(victims, &pod, &shape);
        }
        scheduled
    }

    /// Tells the scheduler what has changed about the nodes, which claims there are, and which pods the controller of a pod selects.
    fn update_snapshot(&mut self, snapshot: &mut Snapshot, pod: &Pod) {
        if core::mem::replace(&mut self.scheduling.changes, self.nodes.changes()) != self.nodes.changes() {
            for (index, (node, known)) in self.nodes.iter().zip(&mut self.scheduling.conditions).enumerate() {
                let condition: NodeCondition = node.condition();
                if condition != *known {
                    *known = condition;
                    snapshot.update_node(index, node.node(), condition.exists);
                }
            }
        }
        if let Some(reference) = pod.metadata.controller() {
            let (kind, namespace, name) =
                (reference.kind.clone(), pod.metadata.namespace.clone(), reference.name.clone());
            let owner = Owner { kind, namespace, name };
            let owners = &mut snapshot.surroundings.owners;
            if !owners.iter().any(|(known, _)| *known == owner) {
                let selector = self.selector_of(&owner).unwrap_or_default();
                owners.push((owner, selector));
            }
        }
        let store = self.store.borrow();
        let claims = || store.all_of(Kind::PersistentVolumeClaim);
        if snapshot.surroundings.claims.len() != claims().count() {
            snapshot.surroundings.claims = claims().map(|claim| Claim::of(&claim.to_value())).collect();
        }
    }

    /// Tells the scheduler which objects there are that bear on where pods run.
    pub(super) fn note_surroundings(&mut self) {
        let Some(snapshot) = self.scheduling.snapshot() else { return };
        let of_scheduler = self.aux_objects.iter().filter_map(|object| match &object.spec {
            AuxSpec::Surrounding(surrounding) => Some(surrounding),
            _ => None,
        });
        snapshot.replace_surroundings(of_scheduler);
        self.retry_unschedulable();
    }

    /// The pods that a controller selects.
    fn selector_of(&self, owner: &Owner) -> Option<LabelSelector> {
        let kind = Kind::from_name(&owner.kind)?;
        let object = self.find(&ObjectKey::new(kind, owner.namespace.clone(), owner.name.clone()))?.to_value();
        let selector = at(&object, &["spec", "selector"])?;
        match kind {
            Kind::ReplicationController => {
                Some(LabelSelector { match_labels: decode(selector, "").ok()?, ..LabelSelector::default() })
            }
            _ => decode(selector, "").ok(),
        }
    }

    /// Looks for a node where the nodes stand for any number of nodes: of those that take pods, the one with the fewest.
    fn schedule_anywhere(&mut self, id: Id, pod: Rc<Pod>) -> Scheduled {
        let same = |failure: &&Rc<SchedulingFailure>| {
            failure.time == self.now && Rc::ptr_eq(&failure.fields, &pod.spec.fields)
        };
        if let Some(failure) = self.scheduling.failure.as_ref().filter(same).cloned() {
            return self.report_unschedulable(id, pod, &failure, None);
        }
        if let Some(node) = get_target_node_name(&pod).filter(|node| self.find_node(node).is_some()) {
            self.count_on_node(&node, &pod, 1);
            self.bind(id, &node, None);
            return Scheduled::Bound;
        }
        let in_use = self.has_claims() && self.is_claim_in_use(&pod);
        let mut error = FitError::default();
        let mut best: Option<&NodeState> = None;
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.exists()) {
            error.nodes = error.nodes.saturating_add(1);
            let of = |plugin, code, reason: &'static str| Status {
                plugin: Some(plugin),
                code,
                reasons: Vec::from([Cow::Borrowed(reason)]),
            };
            if node.cordoned {
                let code = Code::UnschedulableAndUnresolvable;
                error.statuses.push((index, of(Plugin::NodeUnschedulable, code, CORDONED)));
            } else if node.is_tainted() {
                let code = Code::UnschedulableAndUnresolvable;
                error.statuses.push((index, of(Plugin::TaintToleration, code, TAINTED)));
            } else if in_use {
                error.statuses.push((index, of(Plugin::VolumeRestrictions, Code::Unschedulable, CLAIM_IN_USE)));
            } else if best.is_none_or(|best| (node.pods, &node.name) < (best.pods, &best.name)) {
                best = Some(node);
            }
        }
        if let Some(node) = best.map(|node| node.name.clone()) {
            self.count_on_node(&node, &pod, 1);
            self.bind(id, &node, None);
            return Scheduled::Bound;
        }
        let failure = self.failure(&pod, &error, None, None);
        self.report_unschedulable(id, pod, &failure, None)
    }

    fn has_claims(&self) -> bool {
        self.store.borrow().all_of(Kind::PersistentVolumeClaim).next().is_some()
    }

    /// Remembers why a pod has no node.
    fn failure(
        &mut self,
        pod: &Pod,
        error: &FitError,
        shape: Option<&Shape>,
        report: Option<Rc<NodeReport>>,
    ) -> Rc<SchedulingFailure> {
        let nodes_message = error.message();
        let mut message = nodes_message.clone();
        if error.nodes > 0 {
            let never_preempts = shape.is_some_and(|shape| shape.shape.never_preempts);
            message.push_str(&format!(" {}", said_without_victims(error, never_preempts)));
        }
        let fields = pod.spec.fields.clone();
        let plugins = error.plugins();
        let shape = shape.map(|shape| shape.id);
        let nomination = Nomination::Cleared;
        let time = self.now;
        let failure = SchedulingFailure { time, fields, shape, plugins, nodes_message, message, nomination, report };
        let failure = Rc::new(failure);
        self.scheduling.failure = Some(failure.clone());
        failure
    }

    /// Gives a pod its node.
    pub(super) fn bind(&mut self, id: Id, node: &Rc<str>, report: Option<Rc<NodeReport>>) {
        let Some(pod) = self.pod(id).filter(|pod| pod.spec.node_name.is_none()) else { return };
        let mut bound = (*pod).clone();
        bound.spec.node_name = Some(node.clone());
        remove_gates(&mut bound);
        // Until now it had none but that it waits for a node.
        bound.status.conditions.clear();
        put_nominated_node(&mut bound, None);
        self.nominate(&pod, None, &Nomination::Cleared);
        let decision = SchedulerDecision::Bind { pod: pod.metadata.name.clone(), node: node.clone(), report };
        self.plan_stage(id, &bound, Stage::Start, self.now, SimEvent::StartContainers(id));
        self.plan_eviction_of_bound(id, &pod, node);
        self.commit_pod(Actor::Scheduler, Verb::Update, id, pod, Some(bound), decision);
    }

    /// Counts a pod that comes to a node (1) or leaves it (-1). A node that the scenario does not name is not counted.
    pub(super) fn count_on_node(&mut self, name: &str, pod: &Pod, by: i32) {
        self.scheduling.failure = None;
        let Some(index) = self.position_of_node(name) else { return };
        self.nodes.count_pod(index, by);
        if let Some(snapshot) = self.scheduling.snapshot() {
            let shape = snapshot.shape_of(pod);
            let is_terminating = pod.metadata.deletion_timestamp.is_some();
            match by {
                1.. => snapshot.add_pod(index, &shape, is_terminating),
                _ => snapshot.remove_pod(index, &shape, is_terminating),
            }
        }
    }

    /// A pod on a node begins to terminate, or gets other labels. No waiting pod is woken by that.
    pub(super) fn recount(&mut self, before: &Pod, after: &Pod) {
        if self.scheduling.snapshot.is_none() {
            return;
        }
        let same_end = before.metadata.deletion_timestamp.is_some() == after.metadata.deletion_timestamp.is_some();
        let same_labels = Rc::ptr_eq(&before.metadata.labels, &after.metadata.labels)
            || before.metadata.labels == after.metadata.labels;
        if let (Some(node), Some(_), false) = (&before.spec.node_name, &after.spec.node_name, same_end && same_labels) {
            self.count_on_node(node, before, -1);
            self.count_on_node(node, after, 1);
            self.plan_flush(before);
        }
    }

    /// A pod whose gates somebody has removed waits no longer.
    ///
    /// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go PriorityQueue.Update`
    pub(super) fn schedule_without_gates(&mut self, id: Id, before: &Pod, after: &Pod) {
        if is_gated(before) && !is_gated(after) && after.spec.node_name.is_none() {
            self.plan(0, SimEvent::Schedule(id));
        }
    }

    /// Writes into the pod's condition and an event why it has no node, unless the condition says so already.
    ///
    /// Upstream: `pkg/scheduler/schedule_one.go Scheduler.handleSchedulingFailure`
    fn report_unschedulable(
        &mut self,
        id: Id,
        pod: Rc<Pod>,
        failure: &Rc<SchedulingFailure>,
        shape: Option<Shape>,
    ) -> Scheduled {
        let SchedulingFailure { nodes_message, message, nomination, report, .. } = &**failure;
        self.nominate(&pod, shape.as_ref(), nomination);
        self.scheduling.unschedulable.push(WaitingPod { id, shape, failure: failure.clone(), is_flushed: false });
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
        match nomination {
            Nomination::Kept => {}
            Nomination::Cleared => put_nominated_node(&mut waiting, None),
            Nomination::Node(index) => {
                put_nominated_node(&mut waiting, self.nodes.get(*index).map(|node| &*node.name));
            }
        }
        let misfits = nodes_message.trim_end_matches('.').into();
        let decision =
            SchedulerDecision::Unschedulable { pod: pod.metadata.name.clone(), misfits, report: report.clone() };
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
        let pod_name = pod.metadata.name.clone();
        let decision = SchedulerDecision::Unschedulable { pod: pod_name, misfits: GATED.into(), report: None };
        self.commit_pod(Actor::Scheduler, Verb::UpdateStatus, id, pod, Some(waiting), decision);
        Scheduled::Unchanged
    }

    /// The scheduler looks again at all pods that wait for a node, because something about the nodes has changed. Upstream, each plugin
    /// that has rejected a pod is asked whether the event could help.
    pub(super) fn retry_unschedulable(&mut self) {
        self.scheduling.failure = None;
        self.wake_waiting(|_| true);
    }

    /// A pod is gone: the scheduler looks again at those that this may help.
    pub(super) fn retry_without(&mut self, gone: &Pod) {
        self.scheduling.failure = None;
        if self.scheduling.unschedulable.is_empty() {
            return;
        }
        let snapshot = if gone.spec.node_name.is_some() { self.scheduling.take_snapshot() } else { None };
        let Some(mut snapshot) = snapshot else { return self.retry_unschedulable() };
        let gone = snapshot.shape_of(gone);
        let namespaces = &snapshot.surroundings.namespaces;
        self.wake_waiting(|WaitingPod { shape, failure, .. }| {
            shape.as_ref().is_none_or(|its| helps_once_gone(&its.shape, &failure.plugins, &gone.shape, namespaces))
        });
        self.scheduling.snapshot = Some(snapshot);
    }

    /// A pod begins to terminate, or gets other labels. Topology spread no longer counts it, but no event says so: pods that this
    /// may help are tried again once they have waited for long.
    fn plan_flush(&mut self, changed: &Pod) {
        if self.scheduling.unschedulable.is_empty() {
            return;
        }
        let Some(snapshot) = self.scheduling.snapshot() else { return };
        let changed = snapshot.shape_of(changed);
        let helps = |WaitingPod { shape, failure, is_flushed, .. }: &&mut WaitingPod| {
            let counts_it = shape.as_ref().is_some_and(|its| is_counted(&its.shape, &changed.shape));
            !*is_flushed && counts_it && failure.plugins.contains(&Plugin::PodTopologySpread)
        };
        for waiting in self.scheduling.unschedulable.iter_mut().filter(helps) {
            waiting.is_flushed = true;
            let waits_until = waiting.failure.time.since(self.scenario.start).saturating_add(MAX_WAIT);
            let periods = waits_until.checked_div(FLUSH_PERIOD).unwrap_or(0).saturating_add(1);
            let at = self.scenario.start.plus(periods.saturating_mul(FLUSH_PERIOD));
            self.events.push(at.max(self.now), SimEvent::FlushUnschedulable);
        }
    }

    /// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go PriorityQueue.flushUnschedulableEntitiesLeftover`
    pub(super) fn flush_unschedulable(&mut self) {
        let now = self.now;
        self.wake_waiting(|waiting| waiting.is_flushed && now.since(waiting.failure.time) > MAX_WAIT);
    }

    /// The scheduler looks again at some of the pods that wait, the most important first.
    ///
    /// Upstream: `pkg/scheduler/backend/queue/scheduling_queue.go PriorityQueue.moveAllToActiveOrBackoffQueue`
    fn wake_waiting(&mut self, helps: impl Fn(&WaitingPod) -> bool) {
        if self.scheduling.unschedulable.is_empty() {
            return;
        }
        let waiting = core::mem::take(&mut self.scheduling.unschedulable);
        let (mut woken, others): (Vec<_>, Vec<_>) = waiting.into_iter().partition(helps);
        self.scheduling.unschedulable = others;
        woken.sort_by_key(|pod| core::cmp::Reverse(pod.shape.as_ref().map_or(0, |shape| shape.shape.priority)));
        for pod in woken {
            self.plan(0, SimEvent::Schedule(pod.id));
        }
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
        fields.unknown = others.map(|(key, value)| (key.clone(), value.clone())).collect_tree::<Map<_, _>>().into();
    }
}

/// Whether a scheduler's message names a reason that is not simulated, such as a volume in another zone that is not given.
pub(super) fn names_other_reason(message: &str, has_volumes: bool) -> bool {
    unschedulable_reasons(message).any(|(_, what)| {
        // Until 1.34, the scheduler named the taint.
        let is_simulated = KNOWN_REASONS.contains(&what)
            || (has_volumes && VOLUME_REASONS.contains(&what))
            || what.starts_with(INSUFFICIENT)
            || what.starts_with("node(s) had untolerated taint");
        !is_simulated
    })
}

/// Whether a scheduler's message is older than what is known of all these nodes: it is about fewer of them, or calls more of them
/// cordoned than are now.
pub(crate) fn is_outdated(message: &str, nodes: &[Node]) -> bool {
    let cordoned = nodes.iter().filter(|node| node.cordoned).count();
    let number = message.strip_prefix("0/").and_then(|rest| rest.split_once(" nodes are available")?.0.parse().ok());
    match number.map_or(Ordering::Greater, |number: usize| number.cmp(&nodes.len())) {
        Ordering::Less => true,
        Ordering::Equal => unschedulable_reasons(message)
            .any(|(count, what)| what == CORDONED && count.is_some_and(|count| count > cordoned)),
        // Some of its nodes are not given.
        Ordering::Greater => false,
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What kubectl printed in the scenario `no-room`: one node is full, and the pod selects none of the others.
    const RECORDED: &str = include_str!("../../../tests/controlplane/states/stuck-no-room.yaml");

    #[test]
    fn the_message_is_the_recorded_one_of_kube_scheduler() {
        let status = |plugin, code, reason: &'static str| Status {
            plugin: Some(plugin),
            code,
            reasons: Vec::from([reason.into()]),
        };
        let full = || status(Plugin::NodeResourcesFit, Code::Unschedulable, "Insufficient cpu");
        let other_name = || status(Plugin::NodeAffinity, Code::UnschedulableAndUnresolvable, NOT_SELECTED);
        let statuses = [other_name(), full(), other_name(), other_name()].into_iter().enumerate().collect();
        let error = FitError { nodes: 4, statuses, ..FitError::default() };
        let message = format!("{} {}", error.message(), said_without_victims(&error, false));
        // YAML breaks long lines, and doubles quotes in quoted texts.
        let recorded = RECORDED.split_whitespace().collect::<Vec<_>>().join(" ").replace("''", "'");
        assert!(recorded.contains(&format!("message: '{message}'")), "{message}");
    }

    #[test]
    fn a_message_about_all_nodes_as_they_are_is_not_old() {
        let nodes = |cordoned: &[bool]| -> Vec<Node> {
            cordoned.iter().map(|cordoned| Node { cordoned: *cordoned, ..Node::default() }).collect()
        };
        let message = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable. preemption: 0/2";
        assert!(is_outdated(message, &nodes(&[false, false])));
        assert!(!is_outdated(message, &nodes(&[false, true])));
        // The cordoned node may be the one that is not given.
        assert!(!is_outdated(message, &nodes(&[false])));
        let message = "0/2 nodes are available: 2 Insufficient cpu.";
        assert!(!is_outdated(message, &nodes(&[false, false])));
        assert!(is_outdated(message, &nodes(&[false, false, false])));
        assert!(!is_outdated("pod has unbound immediate PersistentVolumeClaims", &nodes(&[false])));
    }

    #[test]
    fn reasons_that_are_not_simulated_are_found() {
        for (message, expected) in [
            ("0/4 nodes are available: 1 Insufficient memory, 1 Too many pods, 3 Insufficient cpu.", false),
            ("0/1 nodes are available: 1 Too many pods. preemption: 0/1 nodes are available: 1 No preemption.", false),
            ("0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.", false),
            ("no nodes available to schedule pods", false),
            (
                "0/4 nodes are available: 1 Insufficient cpu, 3 node(s) didn't match Pod's node affinity/selector.",
                false,
            ),
            ("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", false),
            ("0/3 nodes are available: 3 node(s) had volume node affinity conflict.", false),
            ("0/3 nodes are available: 3 node(s) exceed max volume count.", true),
            ("0/3 nodes are available: 3 node(s) had untolerated taint {a: b}. preemption: 0/3", false),
            ("0/2 nodes are available: 2 Insufficient nvidia.com/gpu.", false),
            ("0/2 nodes are available: 1 node(s) had untolerated taint(s), 1 Too many pods.", false),
            ("0/2 nodes are available: 2 node(s) had untolerated taint(s).", false),
            ("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.", true),
            ("Scheduling is blocked due to non-empty scheduling gates", true),
            ("0/1 nodes are available: 1 Too many pods. no new claims to deallocate, preemption: 0/1", false),
        ] {
            assert_eq!(names_other_reason(message, true), expected, "{message}");
        }
        assert!(names_other_reason("0/3 nodes are available: 3 node(s) had volume node affinity conflict.", false));
    }
}
