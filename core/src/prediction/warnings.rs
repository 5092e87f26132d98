//! Warnings about rollouts that get stuck, take too long, or interrupt a service, and about unknown fields and nodes.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::answer::{Outcome, PendingPods, Warning, WarningKind};
use super::given_objects::{GivenObject, name, namespace};
use super::measure::Measures;
use super::requests::Requests;
use super::rollout_plan::RolloutPlan;
use super::single_node_volumes::blocking_claim;
use crate::controller::deployment::{is_rolling_update, max_surge, max_unavailable, progress_deadline};
use crate::json::decode;
use crate::object::unstructured::{field, remove_nulls};
use crate::object::{Deployment, IntOrString, LabelSelector, ObjectKey, PodDisruptionBudgetSpec, Rounding};
use crate::scenario::Duration;
use crate::timeline::{Series, Timeline};

/// A changed Deployment, and the outcome of its rollout.
struct Subject<'a> {
    key: &'a ObjectKey,
    before: Option<&'a Deployment>,
    after: &'a Deployment,
    /// Whether its pods are replaced.
    rollout: bool,
    /// When it reports that its deadline has passed.
    exceeded: Option<i64>,
    outcome: &'a Outcome,
    series: &'a Series,
}

/// The same rollouts where the quotas refuse what exceeds them.
#[derive(Debug)]
pub(super) struct Limited<'a> {
    pub(super) requests: Requests<'a>,
    pub(super) measures: &'a Measures,
}

/// The warnings about the rollouts of a timeline, about what the quotas add to them, about fields that Kubernetes does not
/// know, and about nodes that are not given.
pub(super) fn warnings(
    plan: &RolloutPlan,
    timeline: &Timeline,
    requests: &Requests<'_>,
    measures: &Measures,
    limited: Option<&Limited<'_>>,
    pending: &[PendingPods],
) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = requests
        .not_started
        .iter()
        .map(|key| {
            let message = String::from("It never starts, because an earlier rollout never completes.");
            warning(key, WarningKind::NotStarted, message)
        })
        .collect();
    for ((key, outcome), series) in measures.deployments.iter().zip(&measures.outcomes).zip(&measures.series) {
        let Some(after) = requests.after(key) else { continue };
        warnings.extend(budget_warnings(plan, key, after));
        let Some(change) = requests.change(key) else { continue };
        let exceeded = requests.deadline_exceeded(key);
        let subject =
            Subject { key, before: requests.before(key), after, rollout: change.rollout, exceeded, outcome, series };
        let found = [
            subject.ending(pending),
            limited.and_then(|limited| subject.deadline_with_quotas(limited)),
            subject.grace_above_deadline(),
            subject.recreate_gap(timeline),
            subject.volume_of_one_node(plan),
        ];
        warnings.extend(found.into_iter().flatten().map(|(kind, message)| warning(key, kind, message)));
    }
    warnings
        .extend(plan.unknown_fields.iter().chain(plan.missing_nodes.values()).chain(&plan.assumed_namespaces).cloned());
    warnings.sort();
    warnings
}

fn warning(key: &ObjectKey, kind: WarningKind, message: String) -> Warning {
    Warning { object: key.to_string(), kind, message }
}

/// `1 new pod`, `3 pods`
fn pods_of(count: i32, which: &str) -> String {
    format!("{count} {which}pod{}", if count == 1 { "" } else { "s" })
}

impl Subject<'_> {
    /// Why the rollout is never complete, or takes longer than its deadline.
    fn ending(&self, pending: &[PendingPods]) -> Option<(WarningKind, String)> {
        let spec = &self.after.spec;
        if self.outcome.complete.is_some() {
            let at = Duration(self.exceeded?).briefly_in_words();
            let deadline = spec.progress_deadline_seconds.unwrap_or_default();
            let message = format!(
                "It reports ProgressDeadlineExceeded after {at}, and completes later: progressDeadlineSeconds is {deadline}, \
                 minReadySeconds {}.",
                spec.min_ready_seconds
            );
            return Some((WarningKind::DeadlineExceeded, message));
        }
        if spec.paused {
            let message = String::from("It is paused: no pod is replaced until it is resumed.");
            return self.rollout.then_some((WarningKind::Paused, message));
        }
        let (surge, unavailable) = (max_surge(self.after), max_unavailable(self.after));
        let stays = |pods: &&PendingPods| {
            pods.stay > 0 && pods.workload.as_ref().is_some_and(|workload| *workload == self.key.to_string())
        };
        if let Some(pods) = pending.iter().find(stays)
            && is_rolling_update(self.after)
            && unavailable == 0
        {
            let written = |value: Option<&IntOrString>| value.map_or_else(String::new, |value| format!(" ({value})"));
            let rolling = spec.strategy.rolling_update.as_ref();
            let message = format!(
                "Deadlock: maxSurge is {surge}{}, maxUnavailable {unavailable}{}, and there is no node for {}: no old pod may \
                 go first. Allow 1 unavailable pod, or add a node.",
                written(rolling.and_then(|rolling| rolling.max_surge.as_ref())),
                written(rolling.and_then(|rolling| rolling.max_unavailable.as_ref())),
                pods_of(pods.stay, "new ")
            );
            return Some((WarningKind::Deadlock, message));
        }
        let reported = self.exceeded.map_or_else(String::new, |at| {
            format!(" It reports ProgressDeadlineExceeded after {}.", Duration(at).briefly_in_words())
        });
        Some((WarningKind::NeverComplete, format!("The rollout never completes.{reported}")))
    }

    /// That the rollout exceeds its deadline because of the quotas, or at another time than without them.
    fn deadline_with_quotas(&self, limited: &Limited<'_>) -> Option<(WarningKind, String)> {
        let at = limited.requests.deadline_exceeded(self.key).filter(|at| Some(*at) != self.exceeded)?;
        let ends = limited.measures.outcome(self.key)?.complete.map_or("never completes", |_| "completes later");
        let message = format!(
            "With the quotas, it reports ProgressDeadlineExceeded after {}, and {ends}: progressDeadlineSeconds is {}.",
            Duration(at).briefly_in_words(),
            self.after.spec.progress_deadline_seconds.unwrap_or_default()
        );
        Some((WarningKind::DeadlineExceeded, message))
    }

    fn grace_above_deadline(&self) -> Option<(WarningKind, String)> {
        let template = self.before.filter(|_| self.rollout)?.spec.template.spec.fields.clone();
        let grace = template.termination_grace_period_seconds.unwrap_or_default();
        let deadline = progress_deadline(self.after)?;
        let message = format!(
            "terminationGracePeriodSeconds is {grace}, progressDeadlineSeconds only {deadline}: a rollout that waits for \
             terminating pods can be reported as failed while it is still in progress."
        );
        (grace > i64::from(deadline)).then_some((WarningKind::GraceAboveDeadline, message))
    }

    fn volume_of_one_node(&self, plan: &RolloutPlan) -> Option<(WarningKind, String)> {
        let claim = blocking_claim(plan, &self.key.namespace, self.after).filter(|_| self.rollout)?;
        let message = format!(
            "PersistentVolumeClaim {claim} is ReadWriteOnce: a new pod on another node waits for the volume, and the old pod \
             stays until the new one is ready. Use the strategy Recreate, or allow 1 unavailable pod."
        );
        Some((WarningKind::VolumeOfOneNode, message))
    }

    fn recreate_gap(&self, timeline: &Timeline) -> Option<(WarningKind, String)> {
        if is_rolling_update(self.after) || !self.rollout || self.after.spec.replicas == 0 {
            return None;
        }
        let end = timeline.time_at(timeline.len());
        let next = self.series.points.iter().skip(1).map(|point| point.time).chain([end]);
        let spans = self.series.points.iter().zip(next).filter(|(point, _)| point.counts.available == 0);
        let gap = spans.map(|(point, next)| next.since(point.time)).fold(0_i64, i64::saturating_add);
        let gap_in_words = Duration(gap).briefly_in_words();
        let message =
            format!("Recreate stops all pods before it starts new ones: none is available for {gap_in_words}.");
        (gap > 0).then_some((WarningKind::RecreateGap, message))
    }
}

/// Budgets that never allow an eviction of this Deployment's pods, even if all are healthy.
fn budget_warnings(plan: &RolloutPlan, key: &ObjectKey, deployment: &Deployment) -> Vec<Warning> {
    let desired = deployment.spec.replicas;
    let labels = &deployment.spec.template.metadata.labels;
    let mut warnings = Vec::new();
    for GivenObject { object: manifest, .. } in &plan.auxiliary {
        let (name, namespace) = (name(manifest), namespace(manifest));
        let Some(spec) = field(manifest, "spec").filter(|_| namespace == Some(&*key.namespace) && desired > 0) else {
            continue;
        };
        let mut spec = spec.clone();
        remove_nulls(&mut spec);
        // Its types have been checked: the simulated cluster took it. Other kinds have no such field.
        let Ok(spec) = decode::<PodDisruptionBudgetSpec>(&spec, "") else { continue };
        let selects = LabelSelector::to_selector(spec.selector.as_ref()).is_ok_and(|selector| selector.matches(labels));
        let count = |bound: &IntOrString| bound.scaled(desired, Rounding::Up).unwrap_or_default();
        let (bound, allowed) = match (&spec.max_unavailable, &spec.min_available) {
            (Some(most), _) => (format!("maxUnavailable {most}"), count(most)),
            (None, Some(least)) => (format!("minAvailable {least}"), i64::from(desired).saturating_sub(count(least))),
            (None, None) => continue,
        };
        if selects && allowed <= 0 {
            let message = format!(
                "PodDisruptionBudget {name} ({bound}) never allows an eviction of its {}: draining their nodes hangs. \
                 Rollouts are not affected.",
                pods_of(desired, "")
            );
            warnings.push(warning(key, WarningKind::BudgetAllowsNothing, message));
        }
    }
    warnings
}
