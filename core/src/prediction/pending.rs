//! Pods that wait for a node.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::answer::PendingPods;
use crate::cluster::Decision;
use crate::cluster::decision::SchedulerDecision;
use crate::object::{ConditionStatus, Kind, Object, ObjectKey, Pod};
use crate::timeline::Timeline;

/// What the answer names as the owner of pods.
const WORKLOADS: [Kind; 2] = [Kind::Deployment, Kind::Job];

/// The Deployment or Job that is the object's controller.
fn workload_of(object: &Object) -> Option<ObjectKey> {
    let owner = object.metadata().controller()?;
    let kind = WORKLOADS.into_iter().find(|kind| *kind.name() == *owner.kind)?;
    object.metadata().controller_key(kind)
}

/// Whether the scheduler has found no node for the pod.
fn is_waiting(object: Option<&Object>) -> bool {
    let unscheduled = |pod: &Pod| {
        let mut conditions = pod.status.conditions.iter();
        conditions.any(|condition| &*condition.type_ == "PodScheduled" && condition.status == ConditionStatus::False)
    };
    matches!(object, Some(Object::Pod(pod)) if pod.spec.node_name.is_none() && unscheduled(pod))
}

/// The pods that wait at some time, by namespace and Deployment or Job.
pub(super) fn pending_pods(timeline: &Timeline) -> Vec<PendingPods> {
    // The workloads of what stands between them and their pods, by its uid.
    let mut workloads: BTreeMap<Rc<str>, ObjectKey> = BTreeMap::new();
    let mut waiting: BTreeMap<(Rc<str>, Option<ObjectKey>), PendingPods> = BTreeMap::new();
    let mut observe = |key: &ObjectKey, before: Option<&Object>, after: Option<&Object>, time: i64, why: &str| {
        if let Some(object) = after.filter(|object| object.kind() != Kind::Pod)
            && let Some(workload) = workload_of(object)
        {
            workloads.insert(object.metadata().uid.clone(), workload);
        }
        let (was, is) = (is_waiting(before), is_waiting(after));
        let Some(pod) = after.or(before).filter(|_| was || is) else { return };
        let indirect = || workloads.get(&pod.metadata().controller()?.uid).cloned();
        let owner = workload_of(pod).or_else(indirect);
        let entry = waiting.entry((key.namespace.clone(), owner.clone())).or_insert_with(|| PendingPods {
            namespace: String::from(&*key.namespace),
            workload: owner.map(|owner| owner.to_string()),
            most: 0,
            stay: 0,
            at: time,
            message: String::new(),
        });
        entry.stay = entry.stay.saturating_add(i32::from(is)).saturating_sub(i32::from(was));
        entry.most = entry.most.max(entry.stay);
        if !why.is_empty() {
            entry.message = why.into();
        }
    };
    for object in timeline.initial.objects() {
        observe(&object.key(), None, Some(object), 0, "");
    }
    for step in &timeline.steps {
        let Some(change) = &step.change else { continue };
        let why = match &step.decision {
            Decision::Scheduler(SchedulerDecision::Unschedulable { misfits, .. }) => misfits,
            _ => "",
        };
        let time = step.time.since(timeline.scenario.start);
        observe(&change.key, change.before.as_ref(), change.after.as_ref(), time, why);
    }
    waiting.into_values().collect()
}
