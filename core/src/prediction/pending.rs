//! Pods that wait for a node.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::answer::PendingPods;
use crate::cluster::Decision;
use crate::cluster::decision::SchedulerDecision;
use crate::object::{ConditionStatus, Kind, Object, ObjectKey, Pod, PodCondition};
use crate::timeline::Timeline;

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

/// The pods that wait at some time, by what they belong to. `estimated` names the workloads of pods that are estimates, by
/// `Pod/namespace/name`.
pub(super) fn pending_pods(timeline: &Timeline, estimated: &BTreeMap<String, String>) -> Vec<PendingPods> {
    // The workloads of what stands between them and their pods, by its uid.
    let mut workloads: BTreeMap<Rc<str>, ObjectKey> = BTreeMap::new();
    let mut waiting: BTreeMap<(Rc<str>, String), PendingPods> = BTreeMap::new();
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
        let owner = owner.map_or_else(|| other_owner(pod, estimated), |owner| owner.to_string());
        let entry = waiting.entry((key.namespace.clone(), owner.clone())).or_insert_with(|| PendingPods {
            namespace: String::from(&*key.namespace),
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
            entry.message = message.unwrap_or_default().into();
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
