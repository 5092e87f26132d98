//! Warnings about StatefulSets: updates that never complete or leave pods as they are, and moments without an available pod.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::WarningKind;
use super::measured_run::MeasuredRun;
use super::outage::{longest_span, none_available};
use super::set_outcome::{STAY_ON_DELETE, SetOutcome};
use crate::cluster::decision::VolumeDecision;
use crate::workload::stateful_set::controller::{get_ordinal, get_stateful_set_max_unavailable};
use crate::workload::stateful_set::{StatefulSet, UpdateStrategyType};

/// A StatefulSet, and what comes of it.
pub(super) struct SetSubject<'a> {
    pub(super) set: &'a StatefulSet,
    pub(super) outcome: &'a SetOutcome<'a>,
}

impl SetSubject<'_> {
    pub(super) fn warnings(&self, run: &MeasuredRun) -> Vec<(WarningKind, String)> {
        let mut warnings = Vec::from_iter(self.outage());
        warnings.extend(self.outcome.probe_warnings(&self.set.spec.template));
        warnings.extend(self.outcome.never_complete(|| self.why_incomplete(run)));
        warnings.extend(self.old_pods());
        warnings
    }

    /// Why not all of its pods come to be ready.
    fn why_incomplete(&self, run: &MeasuredRun) -> String {
        if let Some(pods) = self.outcome.staying {
            let why = pods.message.trim_end_matches('.');
            return format!("The rollout never completes, because no node takes a pod: {why}.");
        }
        match self.unavailable_pod(run) {
            Some(pod)
                if let Some(VolumeDecision::MultiAttach { volume, other_node, .. }) = run.multi_attached.get(&pod) =>
            {
                format!(
                    "The rollout never completes: {pod} waits for volume {volume}, which stays attached to node {other_node}. Find \
                     out which pod uses it there."
                )
            }
            Some(pod) if !self.set.allows_burst() => format!(
                "The rollout never completes: {pod} never becomes ready, and OrderedReady replaces no pod while one is not ready, \
                 not even after a rollback. To recover, roll back and delete {pod}."
            ),
            Some(pod) => format!("The rollout never completes: {pod} never becomes ready."),
            None => String::from("The rollout never completes."),
        }
    }

    /// The pod with the lowest ordinal that is not ready at the end.
    fn unavailable_pod(&self, run: &MeasuredRun) -> Option<Rc<str>> {
        let its_pods = run.unready.iter().filter(|pod| pod.metadata.is_controlled_by(&self.set.metadata));
        its_pods.min_by_key(|pod| get_ordinal(pod)).map(|pod| pod.metadata.name.clone())
    }

    /// That the update leaves pods at the old template.
    fn old_pods(&self) -> Option<(WarningKind, String)> {
        self.outcome.change.filter(|change| change.rollout && !change.deleted)?;
        let strategy = &self.set.spec.update_strategy;
        let partition = strategy.rolling_update.as_ref().and_then(|rolling| rolling.partition).unwrap_or(0);
        let message = match strategy.type_ {
            UpdateStrategyType::OnDelete => String::from(STAY_ON_DELETE),
            UpdateStrategyType::RollingUpdate if partition > 0 => {
                let first = self.set.start_ordinal().saturating_add(partition);
                format!("Its partition is {partition}: pods with an ordinal below {first} keep the old template.")
            }
            _ => return None,
        };
        Some((WarningKind::OldPodsStay, message))
    }

    /// That no pod is available at some moment.
    fn outage(&self) -> Option<(WarningKind, String)> {
        let (from, until) = longest_span(self.outcome.series, self.outcome.start)?;
        let gap = none_available(from, until);
        let spec = &self.set.spec;
        let change = self.outcome.change?;
        if spec.replicas == 0 {
            let before = change.replicas_before;
            let message = format!(
                "It is scaled from {before} to 0 replicas: {gap}. If you don't mean that, set replicas to at least 1."
            );
            return (before > 0).then_some((WarningKind::ScaledToZero, message));
        }
        let max_unavailable =
            spec.update_strategy.rolling_update.as_ref().and_then(|rolling| rolling.max_unavailable.as_ref());
        let limit = get_stateful_set_max_unavailable(max_unavailable, spec.replicas).unwrap_or(1);
        let message = match spec.update_strategy.type_ {
            UpdateStrategyType::Recreate if change.rollout => {
                let message = format!(
                    "Recreate stops all pods before it starts new ones: {gap}. If two versions may run at once, use RollingUpdate."
                );
                return Some((WarningKind::RecreateGap, message));
            }
            // No setting changes that.
            _ if spec.replicas == 1 => {
                let message = format!(
                    "A StatefulSet stops a pod before it creates the new one, and it has only one: {gap}. If it may run several \
                     pods, use more replicas."
                );
                return Some((WarningKind::RecreateGap, message));
            }
            UpdateStrategyType::RollingUpdate if change.rollout && limit >= i64::from(spec.replicas) => format!(
                "maxUnavailable lets all {} pods stop before new ones are available: {gap}. Set it to less than {}, like 1.",
                spec.replicas, spec.replicas
            ),
            _ => format!("Old pods stop before new ones are available: {gap}."),
        };
        Some((WarningKind::NothingAvailable, message))
    }
}
