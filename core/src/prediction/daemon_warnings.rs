//! Warnings about DaemonSets: updates that never complete or leave pods as they are.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::WarningKind;
use super::outage::{longest_span, none_available};
use super::set_outcome::{STAY_ON_DELETE, SetOutcome};
use crate::workload::daemon_set::{DaemonSet, UpdateStrategyType};

/// A DaemonSet, and the outcome of its update.
pub(super) struct DaemonSubject<'a> {
    pub(super) set: &'a DaemonSet,
    pub(super) outcome: &'a SetOutcome<'a>,
}

impl DaemonSubject<'_> {
    pub(super) fn warnings(&self) -> Vec<(WarningKind, String)> {
        let is_on_delete = self.set.spec.update_strategy.type_ == UpdateStrategyType::OnDelete;
        let is_rollout = self.outcome.change.is_some_and(|change| change.rollout);
        let mut warnings = self.outcome.probe_warnings(&self.set.spec.template);
        warnings.extend((is_on_delete && is_rollout).then(|| (WarningKind::OldPodsStay, STAY_ON_DELETE.into())));
        warnings.extend(self.outcome.never_complete(|| self.why_incomplete()));
        warnings.extend(self.outage());
        warnings.extend(self.no_node());
        warnings
    }

    /// That no node should have a pod.
    fn no_node(&self) -> Option<(WarningKind, String)> {
        self.outcome.change.filter(|change| change.replicas == 0)?;
        let message = "No node matches its nodeSelector, affinity and tolerations, so it runs no pods.";
        Some((WarningKind::NoNode, message.into()))
    }

    /// That no pod is available at some moment.
    fn outage(&self) -> Option<(WarningKind, String)> {
        let change = self.outcome.change.filter(|change| change.rollout && change.replicas > 0)?;
        let (from, until) = longest_span(self.outcome.series, self.outcome.start)?;
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

    /// Why not all of its pods become available.
    fn why_incomplete(&self) -> String {
        let Some(pods) = self.outcome.staying else { return String::from("The rollout never completes.") };
        let why = pods.message.trim_end_matches('.');
        let find = match pods.stay {
            1 => String::from("1 pod finds no room on its node"),
            count => format!("{count} pods find no room on their nodes"),
        };
        let beside = if self.set.allows_surge() && self.outcome.change.is_some_and(|change| change.rollout) {
            " With maxSurge, a new pod needs room on its node beside the old one: use maxUnavailable instead."
        } else {
            ""
        };
        format!("The rollout never completes, because {find}: {why}.{beside}")
    }
}
