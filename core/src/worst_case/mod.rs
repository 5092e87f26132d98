//! The worst that any legal order of events can do to a settled Deployment that is changed once: a new template, size or
//! strategy.
//!
//! A simulation plays one order. Real controllers combine events, wait, and see caches that are behind. [`explore`] visits
//! every state that any order reaches, and returns the most pods at once, the fewest available ones, the orders that lead
//! there, and the longest time. For Deployments that are too large, [`bound()`] proves numbers for every order without visiting
//! any.
//!
//! # States
//!
//! A state is what the API server stores, and what the controllers may still see of it:
//!
//! - the versions of the two ReplicaSets, the old template's and the new one's, that some cache may still show, and the
//!   oldest version that each controller may see;
//! - how many pods of each are starting, ready, available and terminating. Pods in the same stage are alike.
//!
//! A state is followed by
//!
//! - a sync of the Deployment or of a ReplicaSet, from each version that its cache may show. The sync is the real function
//!   of [`crate::controller`], run once for each different view;
//! - a pod that becomes ready, becomes available, or ends.
//!
//! As in the API server, an update of a ReplicaSet is refused unless the controller has seen the current version. A refused
//! status of a ReplicaSet is written again over the current version. Caches never go backwards, and with
//! StaleControllerConsistencyReplicaSet, the cache of the ReplicaSet controller is not older than its own last write.
//!
//! # What is bounded
//!
//! - A cache is at most [`ExplorationLimits::lag`] versions of a ReplicaSet behind.
//! - Pods take the times of [`PodTimes`]. Only their order is explored: if a terminating pod ends in less time than another
//!   pod takes to become ready, it is gone before a pod that was created after its deletion is ready.
//! - A controller may be late by any amount of time: only pods have times.
//! - All requests of a sync arrive together.
//! - Pods don't fail, and nothing else writes: no quota, no eviction, no autoscaler.
//!
//! # What is left out because it doesn't change the result
//!
//! - The pods' cache is never behind. A run in which it is behind has the same decisions as one in which the pod becomes
//!   ready, or ends, at the moment when the cache shows it. That run has at least as many pods and at most as many available
//!   ones at each moment, and it is explored. So a pod's times include that delay. Creations and deletions are seen at once,
//!   because until they are seen, expectations keep the ReplicaSet controller from creating or deleting other pods.
//! - The Deployment's own status: no size depends on it.
//! - In a rolling update of today's releases, availableReplicas is the only count of a ReplicaSet's status on which a size
//!   depends. So the other counts are left out of the versions, and terminating pods last until their time is over, which gives
//!   the most pods (a persistent set of one: the end of such a pod commutes with every other step).
//! - A step that changes nothing. The state before it allows each order that the state after it allows.
//!
//! # The longest time
//!
//! The states for the longest time also contain the time that each pod may still take. Controllers and caches take no time:
//! they may act in any of the orders above, but they finish before time passes. Otherwise, the longest time would only show
//! how late they may be. [`Longest`] visits the runs in which time passes until the next pod must finish. These are enough:
//!
//! 1. For each order of steps, there is a run in which every step happens at its latest time. Each limit says that a step comes at
//!    most a certain time after an earlier step, or at the same time, or not after the next step. The smallest sum of such limits is
//!    the latest time of a step, and these times satisfy all limits.
//! 2. When nothing more can happen until time passes, only the pods that are in the middle of something limit the next step. So its
//!    latest time is when the first of these pods must finish.
//!
//! Pods may be faster in these runs than [`PodTimes::ready_min`] and minReadySeconds allow, so the longest time may be too long, but
//! never too short. If no pod is too fast in the order that takes it, that order is the longest of the legal ones and is returned. This
//! was so in all tests.

mod bound;
mod caches;
mod controllers;
mod longest;
mod pods;
mod replica_sets;
mod search;
mod state_space;
mod step;
mod syncs;
#[cfg(test)]
mod tests;
mod versions;

pub use bound::{Bound, bound};
pub use longest::{Longest, TimedStep};
pub use replica_sets::{Pair, Side};
pub use search::Extreme;
pub use state_space::PodTimes;
pub use step::{OrderStep, SizeChange};

use crate::Pause;
use crate::feature_gates::FeatureGates;
pub use crate::peak_moments::{PeakMoments, PodMoment};
use crate::workload::deployment::Deployment;
use state_space::StateSpace;
use versions::Reads;

/// There are more pods, versions or states than are explored.
#[derive(Debug)]
struct TooLarge;

/// The most replicas, before or after the change, whose orders are explored.
pub const MAX_REPLICAS: i32 = 6;

/// What is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplorationLimits {
    /// How many versions of a ReplicaSet a controller's cache may be behind; at most 3.
    pub lag: u8,
    /// The most states to visit.
    pub states: usize,
    /// The most states to visit for the longest time.
    pub timed_states: usize,
    /// What the host does meanwhile.
    pub pause: Pause,
}

impl Default for ExplorationLimits {
    fn default() -> Self {
        Self { lag: 2, states: 1_000_000, timed_states: 200_000, pause: Pause::default() }
    }
}

/// The worst of all orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorstCase {
    /// The most pods at once, terminating ones included.
    pub peak: Extreme,
    /// The fewest available pods.
    pub lowest_available: Extreme,
    /// The moments with the most old and new pods.
    pub peak_moments: PeakMoments,
    /// The longest time. None if pods may never become ready, if some order never completes the change, or if there are too
    /// many states: then [`bound()`] says what can be proved.
    pub longest: Option<Longest>,
    /// Whether each order in which all pods become ready leads to the end of the change.
    pub always_completes: bool,
    /// How many states were visited.
    pub states: usize,
}

/// Explores all orders of a change of a settled Deployment; none if there are too many replicas or states: then [`bound()`]
/// says what can be proved.
pub fn explore(
    before: &Deployment,
    after: &Deployment,
    gates: FeatureGates,
    times: PodTimes,
    limits: ExplorationLimits,
) -> Option<WorstCase> {
    explore_reduced(before, after, gates, times, limits, Reads::of(after, gates))
}

/// The same with another reduction of the states: with [`Reads::AllCounts`], there is none.
fn explore_reduced(
    before: &Deployment,
    after: &Deployment,
    gates: FeatureGates,
    times: PodTimes,
    limits: ExplorationLimits,
    reads: Reads,
) -> Option<WorstCase> {
    let desired = after.spec.replicas;
    if before.spec.replicas.max(desired) > MAX_REPLICAS {
        return None;
    }
    let (mut space, first) = StateSpace::new(before, after, gates, times, limits.lag, reads)?;
    let visited = search::visit(&mut space, first, desired, limits).ok()?;
    Some(WorstCase {
        peak: visited.peak,
        lowest_available: visited.lowest_available,
        peak_moments: visited.peak_moments,
        longest: longest::longest(before, after, gates, times, limits, reads),
        always_completes: visited.always_completes,
        states: visited.states,
    })
}
