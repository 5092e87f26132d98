//! Records the playback track of a timeline in one pass: every change that the page will ever show, so that the page can
//! play and scrub without asking again.

#[cfg(feature = "jobs")]
mod jobs;
#[cfg(feature = "sets")]
mod sets;

use std::cmp::Reverse;
#[cfg(feature = "sets")]
use std::collections::BTreeSet;
use std::collections::{BTreeMap, BinaryHeap};
use std::rc::Rc;

use changeover_core::cluster::decision::{AutoscalerDecision, EvictionDecision, UserDecision};
use changeover_core::cluster::{Decision, Id};
use changeover_core::object::{Kind, Object, ObjectKey, ObjectMeta, Pod, Time};
use changeover_core::timeline::{Actor, Change, Marks, PodState, State, Step, Timeline};
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::deployment::controller::{REVISION, deployment_complete, find_new_replica_set};
use changeover_core::workload::replica_set::ReplicaSet;

use changeover_wire::playback_track::{
    MARKS_KEYFRAME, Milestone, NODE_KEYFRAME, POD_KEYFRAME, POD_QUOTA, REVISION_KEYFRAME, SETBACK, STEP, Setback,
    state_number,
};
use changeover_wire::{ColumnMeaning, Fork, Totals, WorkloadName};
use serde_json::Value;

/// The annotation that ranks pods for deletion.
const DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";

/// The lanes of kinds of workloads besides Deployments. A kind that is not compiled in is not among them.
const LANES: &[&dyn Lanes] = &[
    #[cfg(feature = "sets")]
    &sets::SetLanes,
    #[cfg(feature = "jobs")]
    &jobs::JobLanes,
];

/// What records the lanes of a kind; none for Deployments.
pub(crate) fn lanes_of(kind: Kind) -> Option<&'static dyn Lanes> {
    LANES.iter().find(|lanes| lanes.kinds().contains(&kind)).copied()
}

/// What is recorded and shown of kinds of workloads.
pub(crate) trait Lanes: Sync {
    /// The kinds. If no workload is named, the first one of these that a timeline has is shown.
    fn kinds(&self) -> &'static [Kind];

    /// What the columns of a workload's lane stand for.
    fn columns(&self, workload: &Object) -> ColumnMeaning;

    /// Records an object as it is from now on.
    fn record_object(&self, recorder: &mut TrackRecorder, object: &Object, frame: i32, now: Time);

    /// The number of the ReplicaSet, ControllerRevision or Job of a pod; none for a pod of another workload.
    fn part_of(&self, recorder: &mut TrackRecorder, pod: &Pod) -> Option<i32> {
        recorder.owner_number(&pod.metadata.controller()?.uid)
    }

    /// For how long its pods must be ready.
    fn min_ready_seconds(&self, _: &Object) -> i32 {
        0
    }

    /// Records an object that is gone.
    fn record_gone(&self, _: &mut TrackRecorder, _: &Object, _: i32, _: Time) {}

    /// Whether a step is a milestone, although its rule computes nothing.
    fn is_milestone(&self, _: &Step) -> bool {
        false
    }

    /// Records what the number of a pod is about, which has just appeared.
    fn record_new_pod(&self, recorder: &mut TrackRecorder, pod: &Pod, number: i32, frame: i32, now: Time);

    /// Records what the decision of a step says.
    fn record_step(&self, recorder: &mut TrackRecorder, step: &Step, frame: i32);

    /// Records what is known once all steps are recorded.
    fn record_end(&self, recorder: &mut TrackRecorder, timeline: &Timeline);

    /// Whether a write changes the conditions of a workload.
    fn changes_condition(&self, change: &Change) -> bool;

    /// The objects of the workload in a state, the workload first.
    fn shown_objects(&self, state: &State, workload: &Object) -> Vec<Object>;

    /// What became of the workload from the page's time 0 on. `forks`: what the user does besides.
    fn totals(&self, timeline: &Timeline, workload: &Object, begin: Time, forks: &[Fork]) -> Totals;
}

/// The recording of one workload.
pub(crate) struct TrackRecorder {
    /// The workload in its last state.
    pub workload: Option<Object>,
    /// The uids and the names of its ReplicaSets, ControllerRevisions or Jobs, in the order in which they appear. Of those that are
    /// there at first, the new one is the last.
    pub owners: Vec<(Rc<str>, Rc<str>)>,
    /// The nodes, in the order in which they appear.
    pub nodes: Vec<Rc<str>>,
    /// The track, as `changeover_wire::playback_track` encodes it.
    pub track: Vec<i32>,
    /// Its pods in their last state, in the order in which they appear.
    pub pods: Vec<Rc<Pod>>,
    /// Where the pods are in this order, by uid: two pods may have the same name, one after the other.
    pod_ids: BTreeMap<Rc<str>, Id>,
    pod_records: Vec<PodRecord>,
    /// Ready pods by the time at which they become available, the earliest on top.
    becoming_available: BinaryHeap<Reverse<(Time, Id)>>,
    begin: Time,
    /// The workload to record, if it is not the first one.
    named: Option<WorkloadName>,
    /// Which kind of workload is recorded.
    pub kind: Kind,
    /// What records its lane; none for a Deployment.
    lanes: Option<&'static dyn Lanes>,
    /// The claims of each ordinal of a StatefulSet.
    #[cfg(feature = "sets")]
    claims: BTreeMap<i32, BTreeSet<Rc<str>>>,
}

/// The recorded state of a pod.
struct PodRecord {
    state: Option<PodState>,
    /// The number of its ReplicaSet, ControllerRevision or Job.
    part: i32,
    node: i32,
    cost: i32,
}

/// The kind of the workload that is shown if none is named: a Deployment if there ever is one.
fn shown_kind(timeline: &Timeline) -> Kind {
    let later = timeline.steps.iter().filter_map(|step| step.change.as_ref()).map(|change| change.key.kind);
    let there: Vec<Kind> = timeline.initial.objects().map(Object::kind).chain(later).collect();
    let others = LANES.iter().flat_map(|lanes| lanes.kinds()).copied();
    [Kind::Deployment].into_iter().chain(others).find(|kind| there.contains(kind)).unwrap_or(Kind::Deployment)
}

/// How many pods a ResourceQuota allows, if it counts pods.
fn pod_quota(quota: &Value) -> Option<i32> {
    let hard = quota.get("spec")?.get("hard")?;
    // As text in YAML, or as a number.
    let pods = hard.get("pods").or_else(|| hard.get("count/pods"))?;
    pods.as_str().map_or_else(|| i32::try_from(pods.as_i64()?).ok(), |pods| pods.parse().ok())
}

/// The number of no node.
const NO_NODE: i32 = -1;

impl TrackRecorder {
    /// Records a workload of a timeline; if none is named, the first Deployment, or else the first one of [`LANES`]. `begin` is the
    /// page's time 0.
    pub(crate) fn record(timeline: &Timeline, named: Option<&WorkloadName>, begin: Time) -> Self {
        let kind = named.and_then(|named| Kind::from_name(named.kind.name())).unwrap_or_else(|| shown_kind(timeline));
        let lanes = lanes_of(kind);
        let mut recorder = Self {
            workload: None,
            owners: Vec::new(),
            nodes: Vec::new(),
            track: Vec::new(),
            pods: Vec::new(),
            pod_ids: BTreeMap::new(),
            pod_records: Vec::new(),
            becoming_available: BinaryHeap::new(),
            begin,
            named: named.cloned(),
            kind,
            lanes,
            #[cfg(feature = "sets")]
            claims: BTreeMap::new(),
        };
        let now = timeline.scenario.start;
        for node in &timeline.scenario.nodes {
            recorder.node_number(&node.name, 0, now);
        }
        let first = timeline.initial.deployments().find(|deployment| recorder.may_show(&deployment.metadata));
        if let Some(deployment) = first.filter(|_| recorder.kind == Kind::Deployment) {
            recorder.owners = initial_versions(&timeline.initial, deployment)
                .iter()
                .map(|version| (version.metadata.uid.clone(), version.metadata.name.clone()))
                .collect();
        }
        for object in timeline.initial.objects() {
            recorder.record_object(object, 0, now);
        }
        let quotas = timeline.scenario.objects.iter().filter(|object| object.kind() == Kind::ResourceQuota.name());
        for pods in quotas.filter_map(|quota| pod_quota(&quota.to_value())) {
            recorder.push_entry(POD_QUOTA, now, &[pods]);
        }
        for (index, step) in timeline.steps.iter().enumerate() {
            let frame = to_i32(index);
            recorder.record_time_passing(frame, step.time);
            let later = timeline.steps.get(index.saturating_add(1));
            // Of the writes of one decision, only the last one is a milestone.
            let milestone = milestone(step).filter(|_| !later.is_some_and(|later| same_decision(step, later)));
            recorder.push_entry(STEP, step.time, &[milestone.map_or(0, Milestone::number)]);
            if let Decision::Autoscaler(decision) = &step.decision {
                recorder.record_autoscaled_node(decision, frame.saturating_add(1), step.time);
            }
            if let Some(change) = &step.change {
                recorder.record_change(change, frame.saturating_add(1), step.time);
            }
            if let Some(lanes) = lanes {
                lanes.record_step(&mut recorder, step, frame.saturating_add(1));
            }
            recorder.record_refusal(step);
        }
        if let Some(lanes) = lanes {
            lanes.record_end(&mut recorder, timeline);
        }
        recorder.record_time_passing(to_i32(timeline.steps.len()), Time(i64::MAX));
        recorder
    }

    /// Adds an entry: its type, its time as seconds and nanoseconds, and its numbers.
    pub(crate) fn push_entry(&mut self, entry_type: i32, time: Time, numbers: &[i32]) {
        let [second, nano] = self.time_numbers(time);
        self.track.extend([entry_type, second, nano]);
        self.track.extend(numbers);
    }

    /// A time as seconds and nanoseconds of the page's time.
    pub(crate) fn time_numbers(&self, time: Time) -> [i32; 2] {
        let since = time.since(self.begin);
        let second = i32::try_from(since.div_euclid(Time::SECOND)).unwrap_or(i32::MAX);
        let nano = i32::try_from(since.rem_euclid(Time::SECOND)).unwrap_or(0);
        [second, nano]
    }

    /// Records that the API server refuses something: an object that the workload needs, the eviction of one of its pods, or a
    /// request of the user.
    fn record_refusal(&mut self, step: &Step) {
        let setback = match &step.decision {
            Decision::Quota(_) => self.is_shown(&step.about).then_some(Setback::Creation),
            Decision::Eviction(
                EvictionDecision::BudgetRefuses { pod, .. } | EvictionDecision::Impossible { pod, .. },
            ) => self.pods.iter().any(|known| known.metadata.name == *pod).then_some(Setback::Request),
            Decision::User(decision) => matches!(**decision, UserDecision::Refused { .. }).then_some(Setback::Request),
            _ => None,
        };
        if let Some(setback) = setback {
            self.push_entry(SETBACK, step.time, &[setback.number()]);
        }
    }

    /// Whether an object is the workload, or one of its ReplicaSets, ControllerRevisions or Jobs.
    fn is_shown(&self, key: &ObjectKey) -> bool {
        let is_workload = |workload: &Object| workload.key() == *key;
        let is_owner = || self.owners.iter().any(|(_, name)| *name == key.name);
        let in_namespace = |workload: &Object| workload.metadata().namespace == key.namespace;
        self.workload.as_ref().is_some_and(|workload| is_workload(workload) || (in_namespace(workload) && is_owner()))
    }

    fn record_change(&mut self, change: &Change, frame: i32, now: Time) {
        match (&change.before, &change.after) {
            (Some(Object::Pod(before)), None) => {
                if let Some(id) = self.pod_ids.get(&before.metadata.uid).copied() {
                    self.push_pod_keyframe(id, None, frame, now, 0);
                }
            }
            (before, Some(after)) => {
                if let Object::ReplicaSet(after) = after {
                    let before = match before {
                        Some(Object::ReplicaSet(before)) => Some(before),
                        _ => None,
                    };
                    self.record_version(before, after, now);
                }
                self.record_object(after, frame, now);
            }
            (Some(before), None) => {
                if let Some(lanes) = self.lanes {
                    lanes.record_gone(self, before, frame, now);
                }
            }
            (None, None) => {}
        }
    }

    /// A ReplicaSet of the workload is a version from when it is created, scaled up or rolled back to.
    fn record_version(&mut self, before: Option<&Rc<ReplicaSet>>, after: &Rc<ReplicaSet>, now: Time) {
        let metadata = &after.metadata;
        let is_owned = self.workload.as_ref().is_some_and(|owner| metadata.is_controlled_by(owner.metadata()));
        let is_revised = before.is_none_or(|before| revision(before) != revision(after));
        let is_known = self.owner_number(&metadata.uid).is_some();
        if is_known || !is_owned || !(is_revised || after.spec.replicas > 0) {
            return;
        }
        self.owners.push((metadata.uid.clone(), metadata.name.clone()));
        if let Some(before) = before {
            self.record_revision(before, now);
        }
    }

    fn record_revision(&mut self, replica_set: &ReplicaSet, now: Time) {
        self.push_revision(&replica_set.metadata.uid, revision(replica_set), now);
    }

    /// Records the number that a version of the workload has in the order of all versions.
    pub(crate) fn push_revision(&mut self, uid: &str, revision: i32, now: Time) {
        if let Some(number) = self.owner_number(uid) {
            self.push_entry(REVISION_KEYFRAME, now, &[number, revision]);
        }
    }

    fn record_object(&mut self, object: &Object, frame: i32, now: Time) {
        match object {
            Object::Deployment(object) if self.kind == Kind::Deployment => self.record_deployment(object, frame, now),
            Object::ReplicaSet(object) => self.record_revision(object, now),
            Object::Pod(pod) => self.record_pod(pod, frame, now),
            other => {
                if let Some(lanes) = self.lanes {
                    lanes.record_object(self, other, frame, now);
                }
            }
        }
    }

    fn record_deployment(&mut self, object: &Rc<Deployment>, frame: i32, now: Time) {
        let metadata = &object.metadata;
        if !self.may_show(metadata) {
            return;
        }
        let before = match &self.workload {
            Some(Object::Deployment(before)) if before.metadata.uid != metadata.uid => return,
            Some(Object::Deployment(before)) => Some(Marks::of(before)),
            _ => None,
        };
        let marks = Marks::of(object);
        if before != Some(marks) {
            self.push_entry(MARKS_KEYFRAME, now, &[frame, marks.desired, marks.limit, marks.min_available]);
        }
        self.workload = Some(Object::Deployment(object.clone()));
    }

    /// Whether a workload is the named one, or none is named.
    pub(crate) fn may_show(&self, metadata: &ObjectMeta) -> bool {
        let is_it = |named: &WorkloadName| *named.name == *metadata.name && *named.namespace == *metadata.namespace;
        self.named.as_ref().is_none_or(is_it)
    }

    /// The number of a ReplicaSet, ControllerRevision or Job.
    pub(crate) fn owner_number(&self, uid: &str) -> Option<i32> {
        self.owners.iter().position(|(known, _)| **known == *uid).map(to_i32)
    }

    fn min_ready_seconds(&self) -> i32 {
        match (&self.workload, self.lanes) {
            (Some(Object::Deployment(deployment)), _) => deployment.spec.min_ready_seconds,
            (Some(workload), Some(lanes)) => lanes.min_ready_seconds(workload),
            _ => 0,
        }
    }

    fn record_pod(&mut self, pod: &Rc<Pod>, frame: i32, now: Time) {
        let set = match self.lanes {
            Some(lanes) => lanes.part_of(self, pod),
            None => pod.metadata.controller().and_then(|owner| self.owner_number(&owner.uid)),
        };
        let Some(set) = set else { return };
        let id = match self.pod_ids.get(&pod.metadata.uid) {
            Some(id) => *id,
            None => {
                let id = Id(self.pods.len());
                self.pod_ids.insert(pod.metadata.uid.clone(), id);
                self.pods.push(pod.clone());
                self.pod_records.push(PodRecord { state: None, part: set, node: NO_NODE, cost: i32::MIN });
                if let Some(lanes) = self.lanes {
                    lanes.record_new_pod(self, pod, to_i32(id.0), frame, now);
                }
                id
            }
        };
        let node = pod.spec.node_name.as_deref().map_or(NO_NODE, |node| self.node_number(node, frame, now));
        if let Some(last) = self.pods.get_mut(id.0) {
            *last = pod.clone();
        }
        let min_ready = self.min_ready_seconds();
        let state = PodState::of(pod, min_ready, now);
        let cost = pod.metadata.annotation(DELETION_COST).and_then(|text| text.parse().ok()).unwrap_or(i32::MIN);
        let same = self
            .pod_records
            .get(id.0)
            .is_some_and(|record| record.state == Some(state) && record.node == node && record.cost == cost);
        if same {
            return;
        }
        if let Some(record) = self.pod_records.get_mut(id.0) {
            record.part = set;
            record.node = node;
            record.cost = cost;
        }
        let grace = pod.metadata.deletion_grace_period_seconds.filter(|_| state == PodState::Terminating);
        let grace = i32::try_from(grace.unwrap_or(0)).unwrap_or(i32::MAX);
        self.push_pod_keyframe(id, Some((state, set)), frame, now, grace);
        let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
        if let Some(since) = since.filter(|_| state == PodState::Ready) {
            self.becoming_available.push(Reverse((since.plus_seconds(i64::from(min_ready)), id)));
        }
    }

    /// The number of a node, which is there from now on.
    pub(crate) fn node_number(&mut self, node: &str, frame: i32, now: Time) -> i32 {
        if let Some(number) = self.nodes.iter().position(|name| **name == *node) {
            return to_i32(number);
        }
        let number = to_i32(self.nodes.len());
        self.nodes.push(Rc::from(node));
        self.push_entry(NODE_KEYFRAME, now, &[frame, number, 1]);
        number
    }

    /// A node that the autoscaler adds or removes is shown even if it never gets a pod.
    fn record_autoscaled_node(&mut self, decision: &AutoscalerDecision, frame: i32, now: Time) {
        match decision {
            AutoscalerDecision::NodeReady { node } => {
                self.node_number(node, frame, now);
            }
            AutoscalerDecision::ScaleDown { node, .. } => {
                let node = self.node_number(node, frame, now);
                self.push_entry(NODE_KEYFRAME, now, &[frame, node, 0]);
            }
            AutoscalerDecision::ScaleUp { .. } | AutoscalerDecision::NoScaleUp { .. } => {}
        }
    }

    /// Records the state, node and cost that a pod has from now on; no state means that it is gone.
    fn push_pod_keyframe(&mut self, id: Id, state: Option<(PodState, i32)>, frame: i32, now: Time, grace: i32) {
        let Some(record) = self.pod_records.get_mut(id.0) else { return };
        record.state = state.map(|(state, _)| state);
        let (node, cost) = (record.node, record.cost);
        let (state, set) = state.map_or((-1, 0), |(state, set)| (state_number(state), set));
        self.push_entry(POD_KEYFRAME, now, &[frame, to_i32(id.0), state, set, node, cost, grace]);
    }

    /// Records the pods that became available because time passed.
    fn record_time_passing(&mut self, frame: i32, now: Time) {
        while self.becoming_available.peek().is_some_and(|Reverse((time, _))| *time <= now) {
            let Some(Reverse((time, id))) = self.becoming_available.pop() else { return };
            let ready = self.pod_records.get(id.0).filter(|record| record.state == Some(PodState::Ready));
            if let Some(part) = ready.map(|record| record.part) {
                self.push_pod_keyframe(id, Some((PodState::Available, part)), frame, time, 0);
            }
        }
    }
}

/// The ReplicaSets that a picture begins with: those that have pods, the new one last, whatever their names. Without the
/// latest of the old ones, a new one that is not complete would look like the old version.
fn initial_versions(state: &State, deployment: &Deployment) -> Vec<Rc<ReplicaSet>> {
    let owned: Vec<Rc<ReplicaSet>> = state.replica_sets_of(deployment).into_iter().cloned().collect();
    let new = find_new_replica_set(deployment, &owned);
    let is_new = |version: &Rc<ReplicaSet>| new.is_some_and(|new| new.metadata.uid == version.metadata.uid);
    let is_settled = new.is_some() && deployment_complete(deployment, &deployment.status, false);
    let latest_old = owned.iter().rfind(|version| !is_new(version)).filter(|_| !is_settled);
    let has_pods = |version: &Rc<ReplicaSet>| version.spec.replicas > 0 || state.pods_of(version).next().is_some();
    let is_shown = |version: &&Rc<ReplicaSet>| {
        !is_new(version) && (has_pods(version) || latest_old.is_some_and(|latest| Rc::ptr_eq(latest, version)))
    };
    owned.iter().filter(is_shown).chain(new).cloned().collect()
}

fn revision(replica_set: &ReplicaSet) -> i32 {
    replica_set.metadata.annotation(REVISION).and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// A number of a track; no count comes near the maximum.
pub(crate) fn to_i32(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}

/// Actors on nodes and volumes. They act rarely, and all of it matters.
const NODE_AND_VOLUME_ACTORS: [Actor; 3] =
    [Actor::ClusterAutoscaler, Actor::NodeLifecycleController, Actor::AttachDetachController];

/// Why a step is a milestone: the user acts, a condition changes, it is about nodes and volumes, or its rule computes
/// something, which only the explanation knows.
pub(crate) fn milestone(step: &Step) -> Option<Milestone> {
    if step.actor == Actor::User {
        return Some(Milestone::User);
    }
    if step.change.iter().any(changes_condition) {
        return Some(Milestone::Condition);
    }
    let decides = NODE_AND_VOLUME_ACTORS.contains(&step.actor)
        || !step.reason().rule.formula.is_empty()
        || LANES.iter().any(|lanes| lanes.is_milestone(step));
    decides.then_some(Milestone::Decision)
}

/// Whether two consecutive steps carry out the same decision, such as a ReplicaSet that creates its pods one by one.
pub(crate) fn same_decision(step: &Step, later: &Step) -> bool {
    step.time == later.time && step.about == later.about && std::ptr::eq(step.reason().rule, later.reason().rule)
}

fn changes_condition(change: &Change) -> bool {
    let (Some(Object::Deployment(before)), Some(Object::Deployment(after))) = (&change.before, &change.after) else {
        return LANES.iter().any(|lanes| lanes.changes_condition(change));
    };
    let (before, after) = (&before.status.conditions, &after.status.conditions);
    before.len() != after.len()
        || before.iter().zip(after.iter()).any(|(before, after)| {
            before.type_ != after.type_ || before.status != after.status || before.reason != after.reason
        })
}
