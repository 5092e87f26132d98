//! Bounds that hold in every order, without visiting one.

use super::world::PodTimes;
use crate::controller::deployment::{complete_rule, equal_ignore_hash, is_rolling_update, max_surge, max_unavailable};
use crate::feature_gates::FeatureGates;
use crate::object::{Deployment, DeploymentPodReplacementPolicy, Time};

/// What no order exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The most pods at once, terminating ones included.
    pub peak: i64,
    /// The fewest available pods.
    pub lowest_available: i64,
    /// The longest time that pods take, in nanoseconds, beside the time that controllers take; none if a pod may never become ready.
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
    let started = after.spec.pod_replacement_policy == Some(DeploymentPodReplacementPolicy::TerminationStarted);
    let all = there.max(desired).saturating_add(if is_rollout { desired } else { 0 });
    let peak = if is_rollout && !is_complete && (is_rolling || started) { all } else { there.max(limit) };
    let lowest_available = match (is_rollout, is_rolling) {
        (true, true) => desired.saturating_sub(max_unavailable(after).into()).min(there),
        (true, false) => 0,
        (false, _) => desired.min(there),
    };
    let min_ready = i64::from(after.spec.min_ready_seconds).saturating_mul(Time::SECOND);
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
