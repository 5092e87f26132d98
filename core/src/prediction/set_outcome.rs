//! What warnings about StatefulSets, DaemonSets and ReplicationControllers have in common.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{Outcome, PendingPods, WarningKind, WorkloadChange};
use super::options::Assumptions;
use super::probe_budget::probe_warnings;
use crate::object::{PodTemplateSpec, Time};
use crate::timeline::Series;
use crate::workload::replication_controller::ReplicationController;

/// That pods get a new template only once they are deleted.
pub(super) const STAY_ON_DELETE: &str =
    "Its update strategy is OnDelete: each pod keeps the old template until somebody deletes it.";

/// What comes of a set.
pub(super) struct SetOutcome<'a> {
    pub(super) change: Option<&'a WorkloadChange>,
    pub(super) outcome: &'a Outcome,
    pub(super) series: &'a Series,
    pub(super) start: Time,
    /// Its pods that find no node for good.
    pub(super) staying: Option<&'a PendingPods>,
    /// Why the API server refuses its pods, in one sentence.
    pub(super) refusal: Option<String>,
    pub(super) assumptions: &'a Assumptions,
}

/// The first few names, and how many more there are.
pub(super) fn names_of(names: impl Iterator<Item = Rc<str>>) -> String {
    const NAMED: usize = 4;
    let names: Vec<Rc<str>> = names.collect();
    let (first, others) = names.split_at_checked(NAMED).unwrap_or((&names, &[]));
    let more = if others.is_empty() { String::new() } else { format!(" and {} more", others.len()) };
    format!("{}{more}", first.join(", "))
}

impl SetOutcome<'_> {
    /// The warnings about the probes of pods that start.
    pub(super) fn probe_warnings(&self, template: &PodTemplateSpec) -> Vec<(WarningKind, String)> {
        let is_stuck = self.outcome.complete.is_none();
        // Otherwise, it is given when its pods are ready.
        let is_open = self.assumptions.kubelet.is_empty();
        match self.change.filter(|change| change.created || change.rollout) {
            Some(_) => probe_warnings(&template.spec.fields, self.assumptions, is_stuck, is_open).collect(),
            None => Vec::new(),
        }
    }

    /// Those about a ReplicationController.
    pub(super) fn controller_warnings(
        &self,
        before: Option<&ReplicationController>,
        after: &ReplicationController,
    ) -> impl Iterator<Item = (WarningKind, String)> {
        let has_new_template = before.is_some_and(|before| before.spec.template != after.spec.template);
        let old_pods = has_new_template.then(|| {
            let message =
                "A ReplicationController replaces no pods: each keeps the old template until somebody deletes it.";
            (WarningKind::OldPodsStay, String::from(message))
        });
        let incomplete = self.change.and_then(|_| self.never_complete(|| self.why_incomplete()));
        self.probe_warnings(&after.spec.template).into_iter().chain(old_pods).chain(incomplete)
    }

    fn why_incomplete(&self) -> String {
        self.staying.map_or_else(
            || String::from("Not all of its pods become available."),
            |pods| {
                let reason = pods.message.trim_end_matches('.');
                format!("No node takes {} of its pods: {reason}.", pods.stay)
            },
        )
    }

    /// That not all of its pods come to be ready. `why`: the sentence if the API server takes them.
    pub(super) fn never_complete(&self, why: impl FnOnce() -> String) -> Option<(WarningKind, String)> {
        let message = || self.refusal.clone().unwrap_or_else(why);
        self.outcome.complete.is_none().then(|| (WarningKind::NeverComplete, message()))
    }
}
