//! Bounds for a change, whatever the pods do in the meantime.

use super::outcome::{Bounded, Outcome};
use super::pods::{Heights, Pods};
use super::simulation::Change;
use crate::cluster::MINIMUM_GRACE_PERIOD;
use crate::controller::deployment::{is_rolling_update, max_surge, max_unavailable};
use crate::object::Deployment;
use crate::object::DeploymentPodReplacementPolicy::{TerminationComplete, TerminationStarted};

/// The pods that are there.
pub(super) struct Start {
    /// Those that are not terminating, at most.
    pub(super) pods: i64,
    pub(super) available: i64,
    pub(super) terminating: i64,
}

/// The bounds of a change. Under the complete rule all pods together stay below the limit, and a Recreate without a policy
/// waits until the old ones are gone; else every pod that goes may terminate until the last one has come.
pub(super) fn of(start: &Start, new: &Deployment, change: &Change<'_>, why: Bounded) -> Outcome {
    let in_progress = why == Bounded::InProgress;
    let rollout = change.rollout || in_progress;
    let (desired, most) = (i64::from(new.spec.replicas), most(new));
    let there = start.pods.saturating_add(start.terminating);
    // What the present ReplicaSets may grow by before the rollout goes on: in proportion, several share the surge.
    let scaled = if in_progress { most } else { desired }.saturating_sub(start.pods).max(0);
    let replaced = if rollout { desired } else { 0 };
    let started = new.spec.pod_replacement_policy == Some(TerminationStarted);
    let rolling = is_rolling_update(new);
    let peak = match is_complete(new) {
        true => there.max(most),
        false if rolling || started => there.saturating_add(scaled).saturating_add(replaced),
        false => there.saturating_add(scaled),
    };
    let removed = start.pods.saturating_sub(most).max(0);
    let unavailable = i64::from(max_unavailable(new));
    let available = match (rollout, rolling) {
        (true, true) => desired.saturating_sub(unavailable).min(start.available.saturating_sub(removed)),
        (true, false) => 0,
        (false, _) => desired.min(start.available),
    };
    Outcome {
        peak,
        heights: heights(there.saturating_add(scaled).min(peak), peak, rollout),
        limit: most,
        available: available.max(0),
        seconds: seconds(new, change, in_progress, rollout, scaled > 0),
        bounded: Some(why),
    }
}

/// Nobody knows which of the pods are new when there are the most: at least those beyond the old template's, at most all.
fn heights(old: i64, peak: i64, rollout: bool) -> Heights {
    let present = Pods { old, new: peak.saturating_sub(old) };
    let replaced = Pods { old: 0, new: peak };
    if rollout { [present, replaced].into_iter().collect() } else { [Pods { old: peak, new: 0 }].into_iter().collect() }
}

/// The pods go in waves: each replaces as many as surge and unavailable pods allow, and takes as long as a pod needs
/// to become available; under the complete rule it also waits for those that terminate.
fn seconds(new: &Deployment, change: &Change<'_>, in_progress: bool, rollout: bool, scaled: bool) -> i64 {
    let complete = is_complete(new);
    let grace = new.spec.template.spec.fields.termination_grace_period_seconds.unwrap_or(30).max(MINIMUM_GRACE_PERIOD);
    let available = change.start_up().saturating_add(new.spec.min_ready_seconds.into());
    let waits_at_the_end = if complete { grace } else { 0 };
    if !rollout {
        return available.saturating_mul(i64::from(scaled)).saturating_add(waits_at_the_end);
    }
    let more = i64::from(in_progress || scaled);
    if !is_rolling_update(new) {
        return available.saturating_add(grace).saturating_mul(more.saturating_add(1));
    }
    let batch = i64::from(max_surge(new)).saturating_add(max_unavailable(new).into()).max(1);
    let desired = i64::from(new.spec.replicas);
    let waves = desired.saturating_add(batch.saturating_sub(1)).div_euclid(batch).saturating_add(more);
    available.saturating_add(waits_at_the_end).saturating_mul(waves).saturating_add(waits_at_the_end)
}

/// The limit; unlike the controller's own it does not wrap.
pub(super) fn most(deployment: &Deployment) -> i64 {
    match deployment.spec.replicas {
        0 => 0,
        desired => i64::from(desired).saturating_add(max_surge(deployment).into()),
    }
}

/// Whether terminating pods count toward the limit.
fn is_complete(deployment: &Deployment) -> bool {
    deployment.spec.pod_replacement_policy == Some(TerminationComplete)
}
