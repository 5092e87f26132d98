//! The worst that any legal order of events can do to a small Deployment.

mod bound;
mod caches;
mod controllers;
mod heights;
mod pods;
mod search;
mod side;
mod step;
#[cfg(test)]
mod tests;
mod versions;
mod world;

pub use bound::{Bound, bound};
pub use caches::MAX_LAG;
pub use heights::Heights;
pub use search::Extreme;
pub use side::{Pair, Side};
pub use step::{Resize, Step};
pub use world::PodTimes;

use crate::feature_gates::FeatureGates;
use crate::object::Deployment;
use world::World;

/// The most replicas, before or after the change, whose orders are explored.
pub const MAX_REPLICAS: i32 = 6;

/// What is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many versions of a ReplicaSet a controller's cache may be behind; at most [`MAX_LAG`].
    pub lag: u8,
    /// The most states to visit.
    pub states: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { lag: 2, states: 400_000 }
    }
}

/// The worst of all orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorstCase {
    /// The most pods at once, terminating ones included.
    pub peak: Extreme,
    /// The fewest available pods.
    pub lowest_available: Extreme,
    /// The most old and new pods at once.
    pub heights: Heights,
    /// Whether each order in which all pods become ready leads to the end of the change.
    pub always_completes: bool,
    /// How many states were visited.
    pub states: usize,
}

/// Explores all orders of a change of a settled Deployment; none if there are too many replicas or states: then [`bound`]
/// says what can be proved.
pub fn explore(
    before: &Deployment,
    after: &Deployment,
    gates: FeatureGates,
    times: PodTimes,
    limits: Limits,
) -> Option<WorstCase> {
    let desired = after.spec.replicas;
    if before.spec.replicas.max(desired) > MAX_REPLICAS {
        return None;
    }
    let (mut world, first) = World::new(before, after, gates, times, limits.lag)?;
    let visited = search::visit(&mut world, first, desired, limits.states).ok()?;
    Some(WorstCase {
        peak: visited.peak,
        lowest_available: visited.lowest_available,
        heights: visited.heights,
        always_completes: visited.always_completes,
        states: visited.states,
    })
}
