//! The outcome of a timeline, for each Deployment and for all together.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use super::answer::Outcome;
use super::resource_use::{Held, ResourceUse};
use super::world::World;
use crate::object::ObjectKey;
use crate::timeline::{Series, Timeline, Totals};

/// What a timeline comes to.
#[derive(Debug)]
pub(super) struct Measures {
    /// The Deployments, by namespace and name.
    pub(super) deployments: Vec<ObjectKey>,
    /// The counts of their pods.
    pub(super) series: Vec<Series>,
    pub(super) outcomes: Vec<Outcome>,
    pub(super) together: Outcome,
}

impl Measures {
    pub(super) fn of(timeline: &Timeline, world: &World) -> Self {
        let (deployments, series): (Vec<_>, Vec<_>) = Series::of_all(timeline).into_iter().unzip();
        let held = ResourceUse::of(timeline, &deployments);
        let waiting: BTreeSet<&ObjectKey> = world.waiting(timeline.scenario.actions.len()).collect();
        let start = timeline.scenario.start;
        let end = timeline.time_at(timeline.len());
        let outcome = |((key, series), own): ((&ObjectKey, &Series), &Held)| {
            let totals = Totals::of(&series.points, start, end);
            let outcome = Outcome {
                lowest_available: totals.lowest_available,
                complete: totals.complete,
                last_old_pod_gone: totals.last_old_pod_gone,
                ..held_by(&held, own)
            };
            if waiting.contains(key) {
                return Outcome { complete: None, last_old_pod_gone: None, ..outcome };
            }
            outcome
        };
        let outcomes: Vec<Outcome> = deployments.iter().zip(&series).zip(&held.workloads).map(outcome).collect();
        let latest = |time: fn(&Outcome) -> Option<i64>| {
            outcomes.iter().try_fold(0_i64, |latest, outcome| Some(latest.max(time(outcome)?)))
        };
        let together = Outcome {
            lowest_available: lowest_available(&series),
            complete: latest(|outcome| outcome.complete),
            last_old_pod_gone: latest(|outcome| outcome.last_old_pod_gone),
            ..held_by(&held, &held.together)
        };
        Self { deployments, series, outcomes, together }
    }

    /// The outcome of a Deployment.
    pub(super) fn outcome(&self, key: &ObjectKey) -> Option<&Outcome> {
        self.outcomes.get(self.deployments.binary_search(key).ok()?)
    }
}

fn held_by(held: &ResourceUse, own: &Held) -> Outcome {
    Outcome {
        peak: i32::try_from(own.pods.peak).unwrap_or(i32::MAX),
        peak_at: own.pods.peak_at,
        resources: held.demands(own),
        ..Outcome::default()
    }
}

/// The fewest available pods of all Deployments together.
fn lowest_available(series: &[Series]) -> i32 {
    let mut points: Vec<_> = series
        .iter()
        .enumerate()
        .flat_map(|(index, series)| {
            series.points.iter().map(move |point| (point.time, point.frame, index, point.counts.available))
        })
        .collect();
    points.sort_unstable();
    let mut available: Vec<i32> = series.iter().map(|_| 0).collect();
    let (mut sum, mut lowest) = (0_i32, i32::MAX);
    for moment in points.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        for (_, _, index, now) in moment {
            if let Some(before) = available.get_mut(*index) {
                sum = sum.saturating_add(now.saturating_sub(*before));
                *before = *now;
            }
        }
        lowest = lowest.min(sum);
    }
    if points.is_empty() { 0 } else { lowest }
}
