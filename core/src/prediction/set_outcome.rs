//! What warnings about StatefulSets and DaemonSets have in common.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{Outcome, PendingPods, WarningKind, WorkloadChange};
use super::options::Assumptions;
use super::probe_budget::probe_warnings;
use crate::object::{PodTemplateSpec, Time};
use crate::timeline::Series;

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

    /// That not all of its pods come to be ready. `why`: the sentence if the API server takes them.
    pub(super) fn never_complete(&self, why: impl FnOnce() -> String) -> Option<(WarningKind, String)> {
        let message = || self.refusal.clone().unwrap_or_else(why);
        self.outcome.complete.is_none().then(|| (WarningKind::NeverComplete, message()))
    }
}
