//! Pods that go because the change brings more important ones.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{Warning, WarningKind};
use super::pending::PodOwners;
use crate::cluster::Decision;
use crate::cluster::decision::SchedulerDecision;
use crate::object::{Kind, ObjectKey};
use crate::scenario::Duration;
use crate::timeline::Step;

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

/// Follows the pods that are preempted while the steps are made.
#[derive(Default)]
pub(super) struct PreemptionTracker(BTreeMap<ObjectKey, Preempted>);

impl PreemptionTracker {
    /// The next step, that long after the start.
    pub(super) fn observe(&mut self, step: &Step, owners: &PodOwners, time: i64) {
        let (Decision::Scheduler(SchedulerDecision::MakeRoom { preemptor, priority, lower, .. }), Some(change)) =
            (&step.decision, &step.change)
        else {
            return;
        };
        let Some(pod) = &change.before else { return };
        let key = owners.workload_of(pod).unwrap_or_else(|| pod.key());
        let entry = self.0.entry(key).or_insert_with(|| Preempted {
            pods: 0,
            at: time,
            preemptor: preemptor.clone(),
            priority: *priority,
            lower: *lower,
        });
        entry.pods = entry.pods.saturating_add(1);
    }

    /// That pods of workloads are preempted, one warning for each workload.
    pub(super) fn finish(self) -> Vec<Warning> {
        self.0.into_iter().map(|(key, preempted)| preempted.warning(&key)).collect()
    }
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
