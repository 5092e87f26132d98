//! Pods that go because the change brings more important ones.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{Warning, WarningKind};
use super::pending::workload_of;
use crate::cluster::Decision;
use crate::cluster::decision::SchedulerDecision;
use crate::object::{Kind, ObjectKey};
use crate::scenario::Duration;
use crate::timeline::Timeline;

/// The pods of one workload, or one pod without a workload, that are preempted.
struct Preempted {
    pods: usize,
    /// When the first one is, after the start.
    at: i64,
    /// A pod for which one of them goes, and both priorities.
    preemptor: Rc<str>,
    priority: i32,
    lower: i32,
}

/// That pods of workloads are preempted, one warning for each workload.
pub(super) fn preempted_pods(timeline: &Timeline) -> Vec<Warning> {
    let has_victims = |decision: &Decision| matches!(decision, Decision::Scheduler(SchedulerDecision::MakeRoom { .. }));
    if !timeline.steps.iter().any(|step| has_victims(&step.decision)) {
        return Vec::new();
    }
    let initial = timeline.initial.objects();
    let created = timeline.steps.iter().filter_map(|step| step.change.as_ref()?.after.as_ref());
    // The workloads of what stands between them and their pods, by its uid.
    let mut workloads: BTreeMap<Rc<str>, ObjectKey> = BTreeMap::new();
    for object in initial.chain(created).filter(|object| object.kind() != Kind::Pod) {
        workloads.extend(workload_of(object).map(|workload| (object.metadata().uid.clone(), workload)));
    }
    let mut preempted: BTreeMap<ObjectKey, Preempted> = BTreeMap::new();
    for step in &timeline.steps {
        let (Decision::Scheduler(SchedulerDecision::MakeRoom { preemptor, priority, lower, .. }), Some(change)) =
            (&step.decision, &step.change)
        else {
            continue;
        };
        let Some(pod) = &change.before else { continue };
        let owner = || workloads.get(&pod.metadata().controller()?.uid).cloned();
        let key = workload_of(pod).or_else(owner).unwrap_or_else(|| pod.key());
        let entry = preempted.entry(key).or_insert_with(|| Preempted {
            pods: 0,
            at: step.time.since(timeline.scenario.start),
            preemptor: preemptor.clone(),
            priority: *priority,
            lower: *lower,
        });
        entry.pods = entry.pods.saturating_add(1);
    }
    preempted.into_iter().map(|(key, preempted)| preempted.warning(&key)).collect()
}

impl Preempted {
    fn warning(&self, key: &ObjectKey) -> Warning {
        let Self { pods, at, preemptor, priority, lower } = self;
        let when = match at {
            0 => String::from("at once"),
            _ => format!("after {}", Duration(*at).briefly_in_words()),
        };
        let (who, is) = match (key.kind, pods) {
            (Kind::Pod, _) => (String::from("The pod"), "is preempted"),
            (_, 1) => (String::from("1 pod"), "is preempted"),
            _ => (format!("{pods} pods"), "are preempted, the first"),
        };
        Warning {
            object: format!("{key}"),
            kind: WarningKind::PodsPreempted,
            message: format!(
                "{who} {is} {when}: priority {lower} makes room for {preemptor} with priority {priority}."
            ),
        }
    }
}
