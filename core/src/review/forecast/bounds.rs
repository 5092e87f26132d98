//! Bounds for a change, whatever the pods do in the meantime.

use super::change::Change;
use super::limit;
use super::outcome::{Bounded, Outcome};
use crate::cluster::PodTimes;
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
pub(super) fn of(start: &Start, new: &Deployment, change: &Change, why: Bounded) -> Outcome {
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
    let available = match pods {
        PodChange::Rolled => {
            // Available pods may go before those that are ready and not yet available.
            let not_yet_available = if new.spec.min_ready_seconds > 0 { grown } else { 0 };
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
    Outcome {
        peak,
        peak_moments: peak_moments(there.saturating_add(scaled).min(peak), peak, pods),
        limit: most,
        available: available.max(0),
        took: change.pod_times().map(|times| {
            let seconds = seconds(new, times, pods, first_waves).saturating_add(seconds_of_requests(moves));
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

/// The seconds until a change is complete. The pods change in waves, of which the first may complete what is in progress or
/// add pods. In each wave new pods become available, and may first wait until old ones have terminated.
fn seconds(new: &Deployment, times: PodTimes, pods: PodChange, first_waves: i64) -> i64 {
    let in_seconds =
        |nanoseconds: i64| nanoseconds.saturating_add(Time::SECOND.saturating_sub(1)).div_euclid(Time::SECOND);
    let grace = in_seconds(times.stop.0);
    let terminating = if is_complete(new) { grace } else { 0 };
    let available = in_seconds(times.ready.0).saturating_add(new.spec.min_ready_seconds.into());
    let (waves, wave, end) = match pods {
        PodChange::Scaled => (0, available, terminating),
        PodChange::Recreated => (1, available.saturating_add(grace), 0),
        PodChange::Rolled => (rolling_waves(new), available.saturating_add(terminating), terminating),
    };
    let wave = wave.saturating_add(LATENCY);
    wave.saturating_mul(waves.saturating_add(first_waves)).saturating_add(end).saturating_add(LATENCY)
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
