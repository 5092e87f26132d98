//! Warnings about StatefulSets: updates that never complete or leave pods as they are, moments without an available pod, and claims
//! that go.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::WarningKind;
use super::measured_run::MeasuredRun;
use super::outage::{longest_span, none_available};
use super::set_outcome::{STAY_ON_DELETE, SetOutcome, names_of};
use crate::cluster::decision::VolumeDecision;
use crate::collect_tree::CollectTree;
use crate::object::{Kind, ObjectKey};
use crate::workload::stateful_set::controller::{get_ordinal, get_stateful_set_max_unavailable};
use crate::workload::stateful_set::{ClaimRetention, ClaimTemplate, StatefulSet, UpdateStrategyType};

/// A StatefulSet, and what comes of it.
pub(super) struct SetSubject<'a> {
    pub(super) set: &'a StatefulSet,
    /// As it is before the change; none for a new one.
    pub(super) before: Option<&'a StatefulSet>,
    pub(super) outcome: &'a SetOutcome<'a>,
}

impl SetSubject<'_> {
    pub(super) fn warnings(&self, run: &MeasuredRun) -> Vec<(WarningKind, String)> {
        let mut warnings = Vec::from_iter(self.outage());
        warnings.extend(self.outcome.probe_warnings(&self.set.spec.template));
        warnings.extend(self.outcome.never_complete(|| self.why_incomplete(run)));
        warnings.extend(self.old_pods());
        warnings.extend(self.later_deleted_claims());
        warnings
    }

    /// Why not all of its pods come to be ready, or those that are not wanted any more don't go.
    fn why_incomplete(&self, run: &MeasuredRun) -> String {
        let is_ordered = !self.set.allows_burst();
        let (is_rollout, is_scaling) = self.outcome.change.map_or((true, false), |change| {
            let is_scaling = !change.rollout && !change.created && change.replicas != change.replicas_before;
            (!change.created && !is_scaling, is_scaling)
        });
        let what = if is_scaling { "The scaling" } else { "The rollout" };
        let pods = self.unready_pods(run);
        let pod = pods.first();
        if let Some(pending) = self.outcome.staying {
            let why = pending.message.trim_end_matches('.');
            let way_out = match pod {
                Some(pod) if is_ordered && is_rollout => {
                    format!(" OrderedReady keeps {pod}, even after a rollback: to recover, roll back and delete {pod}.")
                }
                _ => String::new(),
            };
            return format!("{what} never completes, because no node takes a pod: {why}.{way_out}");
        }
        let key_of = |pod: &Rc<str>| ObjectKey::new(Kind::Pod, self.set.metadata.namespace.clone(), pod.clone());
        match pod {
            Some(pod)
                if let Some(VolumeDecision::MultiAttach { volume, other_node, .. }) =
                    run.multi_attached.get(&key_of(pod)) =>
            {
                format!(
                    "{what} never completes: {pod} waits for volume {volume}, which stays attached to node {other_node}. Find \
                     out which pod uses it there."
                )
            }
            Some(first) if is_ordered && let Some(blocked) = self.blocked(&pods) => format!(
                "{what} never completes: OrderedReady does not delete {blocked} while {first}, with a lower ordinal, is not \
                 available either. Delete {blocked}."
            ),
            Some(pod) if is_ordered && is_rollout => format!(
                "{what} never completes: {pod} never becomes ready, and OrderedReady replaces no pod while one is not ready, \
                 not even after a rollback. To recover, roll back and delete {pod}."
            ),
            Some(pod) if is_ordered => format!(
                "{what} never completes: {pod} never becomes ready, and until then OrderedReady creates and deletes no other pod."
            ),
            Some(pod) => format!("{what} never completes: {pod} never becomes ready."),
            None => format!("{what} never completes."),
        }
    }

    /// Of the pods that are not ready, sorted, those that are not wanted any more and stay because of the first one.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go processCondemned`
    fn blocked(&self, unready: &[Rc<str>]) -> Option<String> {
        let start = i64::from(self.set.start_ordinal());
        let wanted = start..start.saturating_add(self.set.spec.replicas.into());
        let is_wanted = |pod: &Rc<str>| {
            let ordinal = pod.rsplit_once('-').and_then(|(_, ordinal)| ordinal.parse().ok());
            ordinal.is_none_or(|ordinal: i64| wanted.contains(&ordinal))
        };
        let (_, others) = unready.split_first()?;
        let others = names_of(others.iter().filter(|pod| !is_wanted(pod)).cloned());
        (!others.is_empty()).then_some(others)
    }

    /// That the change deletes claims, with the data on their volumes.
    pub(super) fn deleted_claims(&self, run: &MeasuredRun, is_pruned: bool) -> Option<(WarningKind, String)> {
        let set = self.before.unwrap_or(self.set);
        let is_its = |key: &ObjectKey| {
            let of_template = |template: &ClaimTemplate| {
                let name = key.name.strip_prefix(&*template.metadata.name)?.strip_prefix('-')?;
                name.strip_prefix(&*set.metadata.name)?.strip_prefix('-')?.parse::<u32>().ok()
            };
            key.namespace == set.metadata.namespace
                && set.spec.volume_claim_templates.iter().any(|template| of_template(template).is_some())
        };
        let its = run.deleted_claims.iter().filter(|key| is_its(key));
        let names: BTreeSet<Rc<str>> = its.map(|key| key.name.clone()).collect_tree();
        let are_deleted = match names.len() {
            0 => return None,
            1 => "is deleted with its data",
            _ => "are deleted with their data",
        };
        let field = if is_pruned { "whenDeleted" } else { "whenScaled" };
        let message = format!(
            "{} {are_deleted}, because persistentVolumeClaimRetentionPolicy.{field} is Delete. To keep the data, set it to Retain \
             before.",
            names_of(names.into_iter())
        );
        Some((WarningKind::ClaimsDeleted, message))
    }

    /// That the change lets claims be deleted later.
    fn later_deleted_claims(&self) -> Option<(WarningKind, String)> {
        let policies = [self.before?, self.set].map(StatefulSet::claim_retention_policy);
        let [before, after] = policies;
        let becomes = |before: ClaimRetention, after: ClaimRetention| {
            before == ClaimRetention::Retain && after == ClaimRetention::Delete
        };
        let set = self.before?;
        let (fields, with) =
            match (becomes(before.when_deleted, after.when_deleted), becomes(before.when_scaled, after.when_scaled)) {
                (false, false) => return None,
                (true, false) => ("whenDeleted becomes Delete", "if the StatefulSet is deleted"),
                (false, true) => ("whenScaled becomes Delete", "if their pods are scaled away"),
                (true, true) => (
                    "whenDeleted and whenScaled become Delete",
                    "if the StatefulSet is deleted or their pods are scaled away",
                ),
            };
        let start = i64::from(set.start_ordinal());
        let ordinals = start..start.saturating_add(set.spec.replicas.into());
        let names = ordinals.flat_map(move |ordinal| {
            let of_template = move |template: &ClaimTemplate| -> Rc<str> {
                format!("{}-{}-{ordinal}", template.metadata.name, set.metadata.name).as_str().into()
            };
            set.spec.volume_claim_templates.iter().map(of_template)
        });
        let names = Some(names_of(names)).filter(|names| !names.is_empty())?;
        let message = format!("{fields}: from now on, claims and their data go {with}. They are {names}.");
        Some((WarningKind::ClaimsDeleted, message))
    }

    /// The pods that are not ready at the end, by ordinal.
    fn unready_pods(&self, run: &MeasuredRun) -> Vec<Rc<str>> {
        let mut pods = run.pods_of(&self.set.metadata);
        pods.sort_by_key(|pod| get_ordinal(pod));
        pods.iter().filter(|pod| !pod.is_ready()).map(|pod| pod.metadata.name.clone()).collect()
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
            _ if spec.replicas == 1 && change.rollout && change.replicas_before <= 1 => {
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
