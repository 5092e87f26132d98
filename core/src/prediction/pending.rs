//! Pods that wait for a node.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::answer::PendingPods;
use crate::cluster::Decision;
use crate::cluster::decision::SchedulerDecision;
use crate::collect_tree::CollectTree;
use crate::object::{ConditionStatus, Kind, Object, ObjectKey, Pod, PodCondition};
use crate::scenario::{StuckCause, StuckPod};
#[cfg(feature = "explain")]
use crate::timeline::Timeline;
use crate::timeline::{State, Step};

/// The Deployment, Job, StatefulSet or DaemonSet that is the object's controller.
pub(super) fn workload_of(object: &Object) -> Option<ObjectKey> {
    let owner = object.metadata().controller()?;
    let kind = Kind::from_name(&owner.kind).filter(|kind| kind.is_predicted())?;
    object.metadata().controller_key(kind)
}

/// Whether the scheduler has found no node for the pod.
fn is_waiting(object: Option<&Object>) -> bool {
    let unscheduled =
        |pod| scheduled_condition(pod).is_some_and(|condition| condition.status == ConditionStatus::False);
    matches!(object, Some(Object::Pod(pod)) if pod.spec.node_name.is_none() && unscheduled(pod))
}

fn scheduled_condition(pod: &Pod) -> Option<&PodCondition> {
    pod.status.conditions.iter().find(|condition| &*condition.type_ == "PodScheduled")
}

/// What people know a pod by that is of none of these: its other controller, the object that it is an estimate for, or itself.
fn other_owner(pod: &Object, estimated: &BTreeMap<String, String>) -> String {
    let metadata = pod.metadata();
    if let Some(owner) = metadata.controller() {
        return format!("{}/{}/{}", owner.kind, metadata.namespace, owner.name);
    }
    let key = pod.key().to_string();
    estimated.get(&key).cloned().unwrap_or(key)
}

/// The workloads of what stands between them and their pods, by its uid.
#[derive(Default)]
pub(super) struct PodOwners(BTreeMap<Rc<str>, ObjectKey>);

impl PodOwners {
    /// Notes whose pods an object owns.
    pub(super) fn observe(&mut self, object: &Object) {
        if object.kind() != Kind::Pod
            && let uid = &object.metadata().uid
            && let Some(workload) = workload_of(object)
            && self.0.get(uid) != Some(&workload)
        {
            self.0.insert(uid.clone(), workload);
        }
    }

    /// The workload of a pod.
    pub(super) fn workload_of(&self, pod: &Object) -> Option<ObjectKey> {
        workload_of(pod).or_else(|| self.0.get(&pod.metadata().controller()?.uid).cloned())
    }
}

/// Follows the pods that wait while the steps are made.
pub(super) struct PendingTracker<'a> {
    /// The workloads of pods that are estimates, by `Pod/namespace/name`.
    estimated: &'a BTreeMap<String, String>,
    /// The namespaces and names of pods that wait until they are deleted: the real scheduler finds no node for them, although the
    /// simulated one finds one.
    without_node: BTreeSet<(&'a str, &'a str)>,
    waiting: BTreeMap<(Rc<str>, String), PendingPods>,
}

impl<'a> PendingTracker<'a> {
    /// Those at the start. `estimated` names the workloads of pods that are estimates, by `Pod/namespace/name`; `stuck` are the pods that
    /// never start.
    pub(super) fn new(
        initial: &State,
        estimated: &'a BTreeMap<String, String>,
        stuck: &'a [StuckPod],
        owners: &PodOwners,
    ) -> Self {
        let without_node = stuck.iter().filter(|pod| matches!(pod.cause, StuckCause::NoNode { .. }));
        let without_node = without_node.map(|pod| (&*pod.deployment.namespace, pod.name.as_str())).collect_tree();
        let mut tracker = Self { estimated, without_node, waiting: BTreeMap::new() };
        for object in initial.objects() {
            tracker.count([None, Some(object)], owners, 0, "");
        }
        tracker
    }

    /// The next step, that long after the start.
    pub(super) fn observe(&mut self, step: &Step, owners: &PodOwners, time: i64) {
        let Some(change) = &step.change else { return };
        let why = match &step.decision {
            Decision::Scheduler(SchedulerDecision::Unschedulable { misfits, .. }) => misfits,
            _ => "",
        };
        self.count([change.before.as_ref(), change.after.as_ref()], owners, time, why);
    }

    fn count(&mut self, [before, after]: [Option<&Object>; 2], owners: &PodOwners, time: i64, why: &str) {
        let is_stuck = |object: &Object| {
            let metadata = object.metadata();
            object.kind() == Kind::Pod && self.without_node.contains(&(&*metadata.namespace, &*metadata.name))
        };
        let waits = |object: Option<&Object>| is_waiting(object) || object.is_some_and(is_stuck);
        let (was, is) = (waits(before), waits(after));
        let Some(pod) = after.or(before).filter(|_| was || is) else { return };
        let owner = owners.workload_of(pod);
        let owner = owner.map_or_else(|| other_owner(pod, self.estimated), |owner| owner.to_string());
        let namespace = &pod.metadata().namespace;
        let entry = self.waiting.entry((namespace.clone(), owner.clone())).or_insert_with(|| PendingPods {
            namespace: String::from(&**namespace),
            workload: owner,
            most: 0,
            stay: 0,
            at: time,
            message: String::new(),
        });
        entry.stay = entry.stay.saturating_add(i32::from(is)).saturating_sub(i32::from(was));
        entry.most = entry.most.max(entry.stay);
        if !why.is_empty() {
            entry.message = why.into();
        } else if entry.message.is_empty()
            && let Object::Pod(pod) = pod
        {
            // What the real scheduler has said of a pod that already waited.
            let message = scheduled_condition(pod).and_then(|condition| condition.unknown.get("message")?.as_str());
            // What it says of preemption comes in later sentences.
            let message = message.unwrap_or_default();
            entry.message = message.split_once(". ").map_or(message, |(nodes, _)| nodes).trim_end_matches('.').into();
        }
    }

    /// The pods that wait at some time, by what they belong to.
    pub(super) fn finish(self) -> Vec<PendingPods> {
        self.waiting.into_values().collect()
    }
}

/// The pods that wait at some time of a timeline, by what they belong to. `estimated` names the workloads of pods that are estimates, by
/// `Pod/namespace/name`.
#[cfg(feature = "explain")]
pub(super) fn pending_pods(timeline: &Timeline, estimated: &BTreeMap<String, String>) -> Vec<PendingPods> {
    let mut owners = PodOwners::default();
    timeline.initial.objects().for_each(|object| owners.observe(object));
    let mut tracker = PendingTracker::new(&timeline.initial, estimated, &[], &owners);
    for step in &timeline.steps {
        if let Some(object) = step.change.as_ref().and_then(|change| change.after.as_ref()) {
            owners.observe(object);
        }
        tracker.observe(step, &owners, step.time.since(timeline.scenario.start));
    }
    tracker.finish()
}
