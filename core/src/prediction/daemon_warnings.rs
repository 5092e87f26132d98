//! Warnings about DaemonSets: updates that never complete or leave pods as they are.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{Outcome, PendingPods, WarningKind, WorkloadChange};
use super::options::Assumptions;
use super::outage::{longest_span, none_available};
use super::probe_budget::{hopeless_probe, unresolved_ports};
use crate::object::Time;
use crate::timeline::Series;
use crate::workload::daemon_set::{DaemonSet, UpdateStrategyType};

/// A DaemonSet, and the outcome of its update.
pub(super) struct DaemonSubject<'a> {
    pub(super) set: &'a DaemonSet,
    pub(super) change: Option<&'a WorkloadChange>,
    pub(super) outcome: &'a Outcome,
    pub(super) series: &'a Series,
    pub(super) start: Time,
    /// Its pods that never find room on their nodes.
    pub(super) staying: Option<&'a PendingPods>,
    /// Why the API server refuses its pods, in one sentence.
    pub(super) refusal: Option<String>,
}

impl DaemonSubject<'_> {
    /// The warnings. `is_open`: nothing says when its pods are ready but their probes.
    pub(super) fn warnings(&self, assumptions: &Assumptions, is_open: bool) -> Vec<(WarningKind, String)> {
        let mut warnings = Vec::new();
        if let Some(change) = self.change.filter(|change| change.created || change.rollout) {
            let fields = &self.set.spec.template.spec.fields;
            let ports = unresolved_ports(fields).map(|(is_stuck, message)| match is_stuck {
                true => (WarningKind::UnresolvedPort, message),
                false => (WarningKind::IdleProbe, message),
            });
            warnings.extend(ports);
            let hopeless = hopeless_probe(fields, assumptions, self.outcome.complete.is_none()).filter(|_| is_open);
            warnings.extend(hopeless.map(|message| (WarningKind::HopelessProbe, message)));
            let is_on_delete = self.set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete;
            let stays = "Its update strategy is OnDelete: each pod keeps the old template until somebody deletes it.";
            warnings.extend((is_on_delete && change.rollout).then(|| (WarningKind::OldPodsStay, stays.into())));
        }
        warnings.extend(self.never_complete());
        warnings.extend(self.outage());
        warnings.extend(self.no_node());
        warnings
    }

    /// That no node should have a pod.
    fn no_node(&self) -> Option<(WarningKind, String)> {
        self.change.filter(|change| change.replicas == 0)?;
        let message = "No node matches its nodeSelector, affinity and tolerations, so it runs no pods.";
        Some((WarningKind::NoNode, message.into()))
    }

    /// That no pod is available at some moment.
    fn outage(&self) -> Option<(WarningKind, String)> {
        let change = self.change.filter(|change| change.rollout && change.replicas > 0)?;
        let (from, until) = longest_span(self.series, self.start)?;
        let gap = none_available(from, until);
        let message = match change.replicas {
            1 => format!(
                "Its only pod stops before the new one is available: {gap}. To start the new one first, set maxUnavailable to 0 and \
                 maxSurge to 1."
            ),
            pods => format!("All {pods} pods stop before new ones are available: {gap}. Lower maxUnavailable."),
        };
        Some((WarningKind::NothingAvailable, message))
    }

    /// That not all of its pods become available.
    fn never_complete(&self) -> Option<(WarningKind, String)> {
        if self.outcome.complete.is_some() {
            return None;
        }
        if let Some(refusal) = &self.refusal {
            return Some((WarningKind::NeverComplete, refusal.clone()));
        }
        let message = match self.staying {
            Some(pods) => {
                let why = pods.message.trim_end_matches('.');
                let find = match pods.stay {
                    1 => String::from("1 pod finds no room on its node"),
                    count => format!("{count} pods find no room on their nodes"),
                };
                let beside = if self.set.allows_surge() && self.change.is_some_and(|change| change.rollout) {
                    " With maxSurge, a new pod needs room on its node beside the old one: use maxUnavailable instead."
                } else {
                    ""
                };
                format!("The rollout never completes, because {find}: {why}.{beside}")
            }
            None => String::from("The rollout never completes."),
        };
        Some((WarningKind::NeverComplete, message))
    }
}
