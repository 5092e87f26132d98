//! The worst that any legal order of events can do to a settled Deployment that is changed once: a new template, size or
//! strategy.
//!
//! A simulation plays one order. Real controllers combine events, wait, and see caches that are behind. [`explore`] visits
//! every state that any order reaches, and answers with the most pods at once, the fewest available ones, and the order
//! that leads there, and with the longest time. [`bound()`] proves numbers for every order without visiting one, for Deployments that are too large.
//!
//! # States
//!
//! A state is what the API server stores, and what the controllers may still see of it:
//!
//! - the versions of the two ReplicaSets, the old template's and the new one's, that some cache may still show, and the
//!   oldest version that each controller may see;
//! - how many pods of each are starting, ready, available and terminating. Pods of one stage are alike.
//!
//! The next states of a state come from
//!
//! - a sync of the Deployment or of a ReplicaSet, from each version that its cache may show. The sync is the real function
//!   of [`crate::controller`], run once for each different view;
//! - a pod that becomes ready, becomes available, or ends.
//!
//! An update of a ReplicaSet is refused unless the controller has seen the current version, as in the API server. A status
//! of a ReplicaSet is written again over the current version. Caches never go backwards, and with
//! StaleControllerConsistencyReplicaSet that of the ReplicaSet controller is not older than its own last write.
//!
//! # What is bounded
//!
//! - A cache is at most [`ExplorationLimits::lag`] versions of a ReplicaSet behind.
//! - Pods take the times of [`PodTimes`]. Only their order is explored: if a terminating pod ends in less time than another
//!   pod takes to become ready, it is gone before a pod that was created after its deletion is ready.
//! - A controller may be late by any time: only pods take times.
//! - The requests of one sync arrive together.
//! - Pods don't fail, and nothing else writes: no quota, no eviction, no autoscaler.
//!
//! # What is left out because it changes nothing
//!
//! - The pods' cache is never behind. A run in which it is behind has the same decisions as one in which the pod becomes
//!   ready, or ends, at the moment when the cache shows it. That run has at least as many pods and at most as many available
//!   ones at each moment, and it is explored. So a pod's times include that delay. Creations and deletions are seen at once:
//!   until they are seen, the ReplicaSet controller's expectations keep it from creating or deleting others.
//! - The Deployment's own status: no size depends on it.
//! - In a rolling update of today's releases no size depends on any count of a ReplicaSet's status but availableReplicas. So
//!   the other counts are left out of the versions, and terminating pods last until their time is over: that is when there
//!   are the most pods (a persistent set of one: the end of such a pod commutes with every other step).
//! - A step that changes nothing. The state before it allows each order that the state after it allows.
//!
//! # The longest time
//!
//! The states for the longest time also have the time that each pod may still take. Controllers and caches take no time there:
//! what they are late with, in any of the orders above, they do before time passes. Otherwise the longest time would only say
//! how late they may be. [`Longest`] visits the runs in which time passes until the next pod has to be done. They are enough:
//!
//! 1. Of each order of steps, one run has every step at its latest time: each limit says that a step comes at most so long after
//!    an earlier one, or at the same time, or not after the next one. The smallest of all sums of such limits is the latest time
//!    of a step, and these times keep all limits.
//! 2. The first step after a moment in which nothing else can happen without time is limited by the pods that are then in the
//!    middle of something, and by nothing else. So its latest time is when the first of them has to be done.
//!
//! Pods may be faster in these runs than [`PodTimes::ready_min`] and minReadySeconds allow, so the longest time may only be too
//! long. An order is the answer if no pod in it is too fast, and then it is the longest of the legal orders. It was in all tests.

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
pub use caches::MAX_LAG;
pub use longest::{Longest, TimedStep};
pub use replica_sets::{Pair, Side};
pub use search::Extreme;
pub use state_space::PodTimes;
pub use step::{OrderStep, SizeChange};

use crate::feature_gates::FeatureGates;
use crate::object::Deployment;
pub use crate::peak_moments::{PeakMoments, PodMoment};
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
    /// How many versions of a ReplicaSet a controller's cache may be behind; at most [`MAX_LAG`].
    pub lag: u8,
    /// The most states to visit.
    pub states: usize,
    /// The most states to visit for the longest time.
    pub timed_states: usize,
}

impl Default for ExplorationLimits {
    fn default() -> Self {
        Self { lag: 2, states: 1_000_000, timed_states: 200_000 }
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
    let visited = search::visit(&mut space, first, desired, limits.states).ok()?;
    Some(WorstCase {
        peak: visited.peak,
        lowest_available: visited.lowest_available,
        peak_moments: visited.peak_moments,
        longest: longest::longest(before, after, gates, times, limits, reads),
        always_completes: visited.always_completes,
        states: visited.states,
    })
}
