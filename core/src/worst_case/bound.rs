//! Bounds that hold in every order, without visiting one. They need no more than four facts, whatever the caches show:
//!
//! 1. A ReplicaSet never has more pods that are not terminating than the largest size that it has had: its controller
//!    creates pods up to a size that it has seen, and waits until it has seen those that it created.
//! 2. After a change of a settled Deployment, the old ReplicaSet only shrinks, but for one growth to the desired size. The
//!    new one only grows, up to the desired size, and none of its pods is deleted. So all pods that ever exist are at most
//!    `max(replicas before, desired) + desired`.
//! 3. An update is refused unless it was made from the current version. So the old ReplicaSet shrinks only from its present
//!    size, and by no more than leaves `desired − maxUnavailable` with the available pods of the new one. An older version
//!    of the new one has fewer of those.
//!    Of the pods that are too many, those that are not ready are deleted first. But one that is ready and not yet available
//!    may stay in place of an available one: with minReadySeconds, the pods by which the old one grew may not be available.
//! 4. Under TerminationComplete the new ReplicaSet grows only by slots that neither a size nor a terminating pod takes.
//!    While the old one does not grow, an older version of it takes no fewer slots than it does now: so all pods stay within
//!    the limit. If it has to grow first, it may still create pods for a size that it had a moment before, and fact 2 is all
//!    that is left.
//!
//! For the longest time: once the pods that were created by then are available and the controllers have synced, the new
//! ReplicaSet is larger than its available pods were by maxSurge + maxUnavailable, or complete. So that many pods more are
//! available after each wave.

use super::state_space::PodTimes;
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::Time;
use crate::workload::deployment::controller::{
    complete_rule, equal_ignore_hash, is_rolling_update, max_surge, max_unavailable,
};
use crate::workload::deployment::{Deployment, DeploymentPodReplacementPolicy};

/// What no order exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The most pods at once, terminating ones included.
    pub peak: i64,
    /// The fewest available pods.
    pub lowest_available: i64,
    /// The longest time that the pods take, in nanoseconds, without the time that controllers take; none if a pod may never
    /// become ready.
    pub longest: Option<i64>,
}

/// The bounds of a change of a settled Deployment.
pub fn bound(before: &Deployment, after: &Deployment, gates: FeatureGates, times: PodTimes) -> Bound {
    let (there, desired) = (i64::from(before.spec.replicas), i64::from(after.spec.replicas));
    let is_rollout = !after.spec.paused && !equal_ignore_hash(&before.spec.template, &after.spec.template);
    let is_rolling = is_rolling_update(after);
    let is_complete = complete_rule(after, gates);
    let scaled = desired.saturating_sub(there).max(0);
    let limit = if desired > 0 { desired.saturating_add(max_surge(after).into()) } else { 0 };
    let started = gates.enabled(Feature::DeploymentPodReplacementPolicy)
        && after.spec.pod_replacement_policy == Some(DeploymentPodReplacementPolicy::TerminationStarted);
    let all = there.max(desired).saturating_add(if is_rollout { desired } else { 0 });
    // Recreate waits for old pods, unless it asks for TerminationStarted.
    let waits = if is_rolling { is_complete } else { !started };
    let peak = match (is_rollout, waits) {
        (true, true) if scaled == 0 => there.max(limit),
        (true, _) => all,
        (false, _) => there.max(desired),
    };
    // The pods by which the old ReplicaSet grows have its own minReadySeconds.
    let old_seconds = if scaled > 0 { before.spec.min_ready_seconds } else { 0 };
    let min_ready_seconds = after.spec.min_ready_seconds.max(old_seconds);
    let not_yet_available = if min_ready_seconds > 0 { scaled } else { 0 };
    let lowest_available = match (is_rollout, is_rolling) {
        (true, true) => {
            let kept = desired.saturating_sub(max_unavailable(after).into());
            kept.saturating_sub(not_yet_available).min(there)
        }
        (true, false) => 0,
        (false, _) => desired.min(there),
    };
    let min_ready = i64::from(min_ready_seconds).saturating_mul(Time::SECOND);
    let longest = times.ready_max.map(|ready| {
        let available = ready.saturating_add(min_ready);
        let stop = if is_complete { times.stop_max } else { 0 };
        let first = i64::from(scaled > 0);
        match (is_rollout, is_rolling) {
            (true, true) => {
                let batch = i64::from(max_surge(after)).saturating_add(max_unavailable(after).into()).max(1);
                let waves = desired.saturating_add(batch.saturating_sub(1)).div_euclid(batch).saturating_add(first);
                available.saturating_add(stop).saturating_mul(waves).saturating_add(stop)
            }
            (true, false) => available.saturating_mul(first.saturating_add(1)).saturating_add(times.stop_max),
            (false, _) => available.saturating_mul(first).saturating_add(stop),
        }
    });
    Bound { peak, lowest_available: lowest_available.max(0), longest }
}
