//! Bounds for a change, whatever the pods do in the meantime.

use super::change::Change;
use super::limit;
use super::outcome::{Bounded, ForecastFigures};
use crate::cluster::{AT_REST_AFTER, PodTimes};
use crate::object::Time;
use crate::peak_moments::{PeakMoments, PodMoment};
use crate::scenario::ControllerManager;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::DeploymentPodReplacementPolicy::{TerminationComplete, TerminationStarted};
use crate::workload::deployment::controller::{is_rolling_update, max_surge, max_unavailable};

/// Seconds that the requests of a wave take, one after the other, and the caches until they show them.
const LATENCY: i64 = 1;

/// How many events about one object are sent in a row.
const MAX_EVENTS: i64 = 25;

/// The pods that are there.
pub(super) struct Start {
    /// Those that are not terminating, at most.
    pub(super) pods: i64,
    pub(super) available: i64,
    pub(super) terminating: i64,
}

/// What a change does to the pods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PodChange {
    /// Some are added or removed, if any.
    Scaled,
    /// A Recreate replaces them.
    Recreated,
    /// A rolling update replaces them.
    Rolled,
}

impl PodChange {
    fn of(new: &Deployment, change: &Change, why: Bounded) -> Self {
        match change.rollout || why == Bounded::InProgress {
            false => Self::Scaled,
            true if is_rolling_update(new) => Self::Rolled,
            true => Self::Recreated,
        }
    }
}

/// The bounds of a change. Under the complete rule all pods together stay below the limit, unless the old ReplicaSet grows
/// first; and a Recreate without a policy waits until the old ones are gone. Else every pod that goes may terminate until the
/// last one has come. [`crate::worst_case`] has the reasons.
pub(super) fn of(start: &Start, new: &Deployment, change: &Change, why: Bounded) -> ForecastFigures {
    let in_progress = why == Bounded::InProgress;
    let pods = PodChange::of(new, change, why);
    let (desired, most) = (i64::from(new.spec.replicas), limit(new));
    let there = start.pods.saturating_add(start.terminating);
    // What the present ReplicaSets may grow by before the rollout goes on: in proportion, several share the surge.
    let scaled = if in_progress { most } else { desired }.saturating_sub(start.pods).max(0);
    let replaced = if pods == PodChange::Scaled { 0 } else { desired };
    let started = new.spec.pod_replacement_policy == Some(TerminationStarted);
    // By how many the old ReplicaSet grows before it makes way.
    let grown = desired.saturating_sub(change.before.spec.replicas.into()).max(0);
    let peak = match is_complete(new) && (grown == 0 || pods == PodChange::Scaled) {
        true => there.max(most),
        false if is_rolling_update(new) || started => there.saturating_add(scaled).saturating_add(replaced),
        false => there.saturating_add(scaled),
    };
    let removed = start.pods.saturating_sub(most).max(0);
    let unavailable = i64::from(max_unavailable(new));
    let [old_min_ready, new_min_ready] = [&change.before, new].map(|deployment| deployment.spec.min_ready_seconds);
    // It is unknown how long the pods have been ready. Those of a settled Deployment have been for at least AT_REST_AFTER.
    let may_become_unavailable =
        new_min_ready > old_min_ready && (in_progress || i64::from(new_min_ready) > AT_REST_AFTER);
    let available = match pods {
        _ if may_become_unavailable => 0,
        PodChange::Rolled => {
            // Available pods may go before those that are ready and not yet available. The old ReplicaSet keeps its minReadySeconds.
            let not_yet_available = if new_min_ready.max(old_min_ready) > 0 { grown } else { 0 };
            let kept = desired.saturating_sub(unavailable).saturating_sub(not_yet_available);
            kept.min(start.available.saturating_sub(removed))
        }
        PodChange::Recreated => 0,
        PodChange::Scaled => desired.min(start.available),
    };
    let first_waves = i64::from(in_progress || scaled > 0);
    let moves = match pods {
        PodChange::Scaled => scaled.saturating_add(removed),
        PodChange::Recreated | PodChange::Rolled => there.saturating_add(scaled).saturating_add(replaced),
    };
    ForecastFigures {
        peak,
        peak_moments: peak_moments(there.saturating_add(scaled).min(peak), peak, pods),
        limit: most,
        available: available.max(0),
        took: change.pod_times().map(|times| {
            let min_ready = if first_waves > 0 { new_min_ready.max(old_min_ready) } else { new_min_ready };
            let waves = Waves { first: first_waves, min_ready };
            let seconds = seconds(new, times, pods, waves).saturating_add(seconds_of_requests(moves));
            seconds.saturating_mul(Time::SECOND)
        }),
        is_stuck: false,
        bounded: Some(why),
    }
}

/// It is not known how many of the pods are new when there are the most: at least those beyond the old template's, at most
/// all.
fn peak_moments(old: i64, peak: i64, pods: PodChange) -> PeakMoments {
    match pods {
        PodChange::Scaled => [PodMoment { old: peak, new: 0 }].into_iter().collect(),
        PodChange::Recreated | PodChange::Rolled => {
            [PodMoment { old, new: peak.saturating_sub(old) }, PodMoment { old: 0, new: peak }].into_iter().collect()
        }
    }
}

/// What the waves of a change have in common.
struct Waves {
    /// How many there are before those of the change itself.
    first: i64,
    /// The longest minReadySeconds of their pods.
    min_ready: i32,
}

/// The seconds until a change is complete. The pods change in waves, of which the first may complete what is in progress or
/// add pods. In each wave new pods become available, and may first wait until old ones have terminated.
fn seconds(new: &Deployment, times: PodTimes, pods: PodChange, waves: Waves) -> i64 {
    let in_seconds =
        |nanoseconds: i64| nanoseconds.saturating_add(Time::SECOND.saturating_sub(1)).div_euclid(Time::SECOND);
    let grace = in_seconds(times.stop.0);
    let terminating = if is_complete(new) { grace } else { 0 };
    let available = in_seconds(times.ready.0).saturating_add(waves.min_ready.into());
    let (more, wave, end) = match pods {
        PodChange::Scaled => (0, available, terminating),
        PodChange::Recreated => (1, available.saturating_add(grace), 0),
        PodChange::Rolled => (rolling_waves(new), available.saturating_add(terminating), terminating),
    };
    let wave = wave.saturating_add(LATENCY);
    wave.saturating_mul(waves.first.saturating_add(more)).saturating_add(end).saturating_add(LATENCY)
}

/// How long the ReplicaSet controller's requests wait for their turn, where that many pods come or go. With each goes at most
/// one status, and events about two ReplicaSets until their limit.
fn seconds_of_requests(pods: i64) -> i64 {
    let requests = pods.saturating_mul(2).saturating_add(2 * MAX_EVENTS);
    requests.div_euclid(ControllerManager::default().qps.into())
}

/// Each wave replaces as many pods as may surge and be unavailable.
fn rolling_waves(new: &Deployment) -> i64 {
    let batch = i64::from(max_surge(new)).saturating_add(max_unavailable(new).into()).max(1);
    i64::from(new.spec.replicas).saturating_add(batch.saturating_sub(1)).div_euclid(batch)
}

/// Whether terminating pods count toward the limit.
fn is_complete(deployment: &Deployment) -> bool {
    deployment.spec.pod_replacement_policy == Some(TerminationComplete)
}
