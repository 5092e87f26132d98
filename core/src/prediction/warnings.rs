//! Warnings that save an evening.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::answer::{Outcome, PendingPods, Warning, WarningKind};
use super::measure::{Measures, change_of, requested};
use super::world::World;
use crate::controller::deployment::{
    get_deployment_condition, has_progress_deadline, is_rolling_update, max_surge, max_unavailable,
};
use crate::json::decode;
use crate::object::unstructured::field;
use crate::object::{
    Deployment, IntOrString, LabelSelector, Object, ObjectKey, PodDisruptionBudgetSpec, Rounding, Time,
};
use crate::scenario::Duration;
use crate::timeline::{Series, Timeline};

/// A Deployment of which something changes, and what comes of it.
struct Subject<'a> {
    key: &'a ObjectKey,
    before: Option<&'a Deployment>,
    after: &'a Deployment,
    /// Whether its pods are replaced.
    rollout: bool,
    outcome: &'a Outcome,
    series: &'a Series,
}

/// The warnings about the rollouts of a timeline.
pub(super) fn warnings(
    world: &World,
    timeline: &Timeline,
    measures: &Measures,
    pending: &[PendingPods],
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let all = measures.deployments.iter().zip(&measures.outcomes).zip(&measures.series);
    for ((key, outcome), series) in all {
        let Some(after) = requested(timeline, key) else {
            if world.changed().any(|changed| changed == key) {
                warnings.push(warning(key, WarningKind::NotStarted, not_started()));
            }
            continue;
        };
        warnings.extend(budget_warnings(world, key, after));
        let Some(change) = change_of(timeline, key) else {
            if outcome.complete.is_none() && world.changed().any(|changed| changed == key) {
                warnings.push(warning(key, WarningKind::NotStarted, not_started()));
            }
            continue;
        };
        let before = match timeline.initial.get(key) {
            Some(Object::Deployment(before)) => Some(&**before),
            _ => None,
        };
        let subject = Subject { key, before, after, rollout: change.rollout, outcome, series };
        let found = [subject.ending(timeline, pending), subject.grace_above_deadline(), subject.recreate_gap(timeline)];
        warnings.extend(found.into_iter().flatten().map(|(kind, message)| warning(key, kind, message)));
    }
    // A Deployment that is created late has no object at the start, and none at all if its turn never comes.
    for key in world.changed().filter(|key| !measures.deployments.contains(key)) {
        warnings.push(warning(key, WarningKind::NotStarted, not_started()));
    }
    warnings.sort();
    warnings.dedup();
    warnings
}

fn warning(key: &ObjectKey, kind: WarningKind, message: String) -> Warning {
    Warning { object: key.to_string(), kind, message }
}

/// `1 new pod`, `3 pods`
fn pods_of(count: i32, which: &str) -> String {
    format!("{count} {which}pod{}", if count == 1 { "" } else { "s" })
}

fn not_started() -> String {
    String::from("It never starts: a rollout before it is never complete.")
}

impl Subject<'_> {
    /// Why the rollout is never complete, or takes longer than its deadline.
    fn ending(&self, timeline: &Timeline, pending: &[PendingPods]) -> Option<(WarningKind, String)> {
        let spec = &self.after.spec;
        let exceeded = deadline_exceeded(timeline, self.key);
        if self.outcome.complete.is_some() {
            let at = Duration(exceeded?);
            let deadline = spec.progress_deadline_seconds.unwrap_or_default();
            let message = format!(
                "It reports ProgressDeadlineExceeded after {at}, and completes later: progressDeadlineSeconds is {deadline}, \
                 minReadySeconds {}.",
                spec.min_ready_seconds
            );
            return Some((WarningKind::DeadlineExceeded, message));
        }
        if spec.paused {
            let message = String::from("It is paused: no pod is replaced until somebody resumes it.");
            return self.rollout.then_some((WarningKind::Paused, message));
        }
        let (surge, unavailable) = (max_surge(self.after), max_unavailable(self.after));
        let stays = |pods: &&PendingPods| {
            pods.stay > 0 && *pods.namespace == *self.key.namespace && pods.workload.as_deref() == Some(&*self.key.name)
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
        let reported = exceeded
            .map_or_else(String::new, |at| format!(" It reports ProgressDeadlineExceeded after {}.", Duration(at)));
        Some((WarningKind::NeverComplete, format!("The rollout is never complete.{reported}")))
    }

    fn grace_above_deadline(&self) -> Option<(WarningKind, String)> {
        let template = self.before.filter(|_| self.rollout)?.spec.template.spec.fields.clone();
        let grace = template.termination_grace_period_seconds.unwrap_or_default();
        let deadline = self.after.spec.progress_deadline_seconds.filter(|_| has_progress_deadline(self.after))?;
        let message = format!(
            "terminationGracePeriodSeconds is {grace}, progressDeadlineSeconds only {deadline}: a rollout that waits for \
             terminating pods can be reported as failed while it goes on."
        );
        (grace > i64::from(deadline)).then_some((WarningKind::GraceAboveDeadline, message))
    }

    fn recreate_gap(&self, timeline: &Timeline) -> Option<(WarningKind, String)> {
        if is_rolling_update(self.after) || !self.rollout || self.after.spec.replicas == 0 {
            return None;
        }
        let end = timeline.time_at(timeline.len());
        let next = self.series.points.iter().skip(1).map(|point| point.time).chain([end]);
        let spans = self.series.points.iter().zip(next).filter(|(point, _)| point.counts.available == 0);
        let gap = spans.map(|(point, next)| next.since(point.time)).fold(0_i64, i64::saturating_add);
        let message =
            format!("Recreate stops all pods before it starts new ones: none is available for {}.", Duration(gap));
        (gap > 0).then_some((WarningKind::RecreateGap, message))
    }
}

/// When the Deployment reports that its deadline has passed, for the first time.
fn deadline_exceeded(timeline: &Timeline, key: &ObjectKey) -> Option<i64> {
    let mut changes = timeline.steps.iter().filter_map(|step| Some((step.time, step.change.as_ref()?)));
    let found = changes.find(|(_, change)| match &change.after {
        Some(Object::Deployment(deployment)) if *change.key == *key => {
            get_deployment_condition(&deployment.status, "Progressing")
                .is_some_and(|condition| &*condition.reason == "ProgressDeadlineExceeded")
        }
        _ => false,
    });
    let (time, _): (Time, _) = found?;
    Some(time.since(timeline.scenario.start))
}

/// Budgets that never allow an eviction of this Deployment's pods, even if all are healthy.
fn budget_warnings(world: &World, key: &ObjectKey, deployment: &Deployment) -> Vec<Warning> {
    let desired = deployment.spec.replicas;
    let labels = &deployment.spec.template.metadata.labels;
    let mut warnings = Vec::new();
    for manifest in &world.budgets {
        let (name, namespace) = (super::sources::name(manifest), super::sources::namespace(manifest));
        let Some(spec) = field(manifest, "spec").filter(|_| namespace == Some(&*key.namespace) && desired > 0) else {
            continue;
        };
        // Its types have been checked: the simulated cluster took it. Other kinds have no such field.
        let Ok(spec) = decode::<PodDisruptionBudgetSpec>(spec, "") else { continue };
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
                 Rollouts don't ask it.",
                pods_of(desired, "")
            );
            warnings.push(warning(key, WarningKind::BudgetAllowsNothing, message));
        }
    }
    warnings
}
