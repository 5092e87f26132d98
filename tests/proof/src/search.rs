//! Searches for what a controller had seen when it wrote: positions of its caches at which the core writes the same.

use std::collections::BTreeMap;
use std::rc::Rc;

use changeover_core::controller::Error;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::Time;

use crate::pod_choice::PodChoice;
use crate::recording::{Recording, Request};
use crate::replay::{Mismatch, Pace, RecordedEvent, Replay};

/// The maximum number of syncs in a search for one explanation.
const PATIENCE: usize = 400_000;

/// What a controller has seen when a sync begins: the number of changes of each kind, and the time.
#[derive(Clone, Copy, Debug)]
pub struct Caches {
    /// Changes of the kind that it syncs.
    pub own: usize,
    /// Changes of the owned kind: the ReplicaSets of a Deployment, the Jobs of a CronJob.
    pub owned: usize,
    /// Changes of Pods.
    pub pods: usize,
    /// Of these, the ones that the controller's event handlers have also seen, which run after the cache has changed. Its
    /// expectations follow them.
    pub handled: usize,
    /// Changes of Pods when the same sync lists them again, after it has written one.
    pub later: usize,
    /// Its clock.
    pub now: Time,
}

/// A controller that syncs one object.
pub trait Controller {
    /// Its memory between syncs.
    type Memory: Clone + Default + PartialEq;

    /// All possible caches at the beginning of a sync whose first write is this request: not older than those of the
    /// previous sync, and not newer than the request. The oldest come first.
    fn attempts<'a>(
        &'a self,
        before: &Caches,
        memory: &Self::Memory,
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a>;

    /// Runs one sync.
    fn sync(&self, caches: &Caches, memory: &mut Self::Memory, client: &mut Replay<'_>) -> Result<(), Error>;
}

/// A sync that explains requests.
#[derive(Clone, Debug)]
pub struct Sync<M> {
    /// The first request.
    pub first: usize,
    /// The number of requests.
    pub count: usize,
    /// The caches of the previous sync.
    pub before: Caches,
    /// The caches at its beginning.
    pub caches: Caches,
    /// The memory at its beginning.
    pub memory: M,
    /// The pods from which it chose those to delete.
    pub choice: Option<PodChoice>,
    /// The events that the core records.
    pub events: Vec<RecordedEvent>,
}

/// A request that no sync explains.
#[derive(Clone, Debug)]
pub struct Unexplained {
    /// The index of the request.
    pub index: usize,
    /// The sync that came closest.
    pub nearest: Option<Box<Mismatch>>,
    /// Whether the search exceeded its limit.
    pub gave_up: bool,
}

/// Searches for explanations of the requests that were sent for one object.
pub struct Search<'a, C> {
    /// The recording.
    pub recording: &'a Recording,
    /// The controller of the object.
    pub controller: &'a C,
    /// The requests, in the order in which they were received.
    pub requests: &'a [Rc<Request>],
    /// For each request, a resource version that was created after it.
    pub horizons: &'a [i64],
    /// The feature gates.
    pub gates: FeatureGates,
}

/// A sync that is tried with one set of caches after the other.
struct Frame<'a, M> {
    first: usize,
    before: Caches,
    memory: M,
    attempts: Box<dyn Iterator<Item = Caches> + 'a>,
}

impl Caches {
    /// Whether these caches have seen at least as much as the others, in each kind.
    fn is_at_least(&self, other: &Self) -> bool {
        self.own >= other.own
            && self.owned >= other.owned
            && self.pods >= other.pods
            && self.handled >= other.handled
            && self.now >= other.now
    }
}

impl<'a, C: Controller> Search<'a, C> {
    /// Explains the requests from `first` up to `goal`. The last sync may explain more.
    ///
    /// # Errors
    /// With the request that is not explained.
    pub fn explain(
        &self,
        first: usize,
        goal: usize,
        before: Caches,
        memory: C::Memory,
    ) -> Result<Vec<Sync<C::Memory>>, Unexplained> {
        let mut found: Vec<Sync<C::Memory>> = Vec::new();
        let mut frames = vec![self.frame(first, before, memory)];
        let mut farthest = Unexplained { index: first, nearest: None, gave_up: false };
        // If nothing was found from some caches, nothing will be found from newer ones.
        let mut hopeless: BTreeMap<usize, Vec<(Caches, C::Memory)>> = BTreeMap::new();
        let mut tried = 0_usize;
        while let Some(frame) = frames.last_mut() {
            let Some(caches) = frame.attempts.next().filter(|_| tried < PATIENCE) else {
                if let Some(Frame { first, before, memory, .. }) = frames.pop() {
                    hopeless.entry(first).or_default().push((before, memory));
                }
                found.pop();
                continue;
            };
            if frame.first > farthest.index {
                farthest = Unexplained { index: frame.first, nearest: None, gave_up: false };
            }
            let mut paces = Pace::ALL.into_iter();
            let explained = loop {
                let Some(pace) = paces.next() else { break None };
                tried = tried.saturating_add(1);
                let (client, memory) = self.run(frame.first, &caches, &frame.memory, pace);
                if let Some(count) = client.explained().filter(|count| *count > 0) {
                    break Some((client, memory, count));
                }
                // The pace matters only after the first request.
                let began = client.used().next().is_some();
                note(&mut farthest, frame.first, client.mismatch);
                if !began {
                    break None;
                }
            };
            let Some((mut client, memory, count)) = explained else { continue };
            let last = client.used().map(|request| request.answered).max().unwrap_or(caches.now);
            let next = frame.first.saturating_add(count);
            let before = Caches { now: last.max(caches.now), pods: caches.later, ..caches };
            let known = hopeless.get(&next).map(Vec::as_slice).unwrap_or_default();
            if known.iter().any(|(least, known)| *known == memory && before.is_at_least(least)) {
                continue;
            }
            let events = std::mem::take(&mut client.events);
            let sync = Sync {
                first: frame.first,
                count,
                before: frame.before,
                caches,
                memory: frame.memory.clone(),
                choice: client.choice.take(),
                events,
            };
            found.push(sync);
            if next >= goal {
                return Ok(found);
            }
            frames.push(self.frame(next, before, memory));
        }
        farthest.gave_up = tried >= PATIENCE;
        Err(farthest)
    }

    /// The sync from these caches, if it explains the requests from `first` up to `goal`.
    pub fn explain_at(&self, first: usize, goal: usize, caches: &Caches, memory: &C::Memory) -> Option<Replay<'a>> {
        let reaches_goal = |client: &Replay<'_>| {
            client.explained().is_some_and(|count| count > 0 && first.saturating_add(count) >= goal)
        };
        Pace::ALL.into_iter().map(|pace| self.run(first, caches, memory, pace).0).find(reaches_goal)
    }

    /// The API server and the controller's memory after a sync from these caches.
    fn run(&self, first: usize, caches: &Caches, memory: &C::Memory, pace: Pace) -> (Replay<'a>, C::Memory) {
        let rest = self.requests.get(first..).unwrap_or_default();
        let mut client = Replay::new(self.recording, rest, caches.now, pace, self.gates);
        let mut memory = memory.clone();
        // An error is the response to a refused request; the controller retries the sync later.
        let _ = self.controller.sync(caches, &mut memory, &mut client);
        (client, memory)
    }

    fn frame(&self, first: usize, before: Caches, memory: C::Memory) -> Frame<'a, C::Memory> {
        let attempts = match (self.requests.get(first), self.horizons.get(first)) {
            (Some(request), Some(horizon)) => self.controller.attempts(&before, &memory, request, *horizon),
            _ => Box::new(std::iter::empty()),
        };
        Frame { first, before, memory, attempts }
    }
}

/// Keeps the sync that explained the most requests; among equals, one that differs in a value.
fn note(farthest: &mut Unexplained, first: usize, mismatch: Option<Mismatch>) {
    // A sync that writes nothing explains nothing, and its mismatch is no help.
    let Some(mismatch) = mismatch else { return };
    let index = first.saturating_add(mismatch.after);
    let better = index > farthest.index
        || (index == farthest.index
            && farthest
                .nearest
                .as_ref()
                .is_none_or(|nearest| nearest.difference.is_none() && mismatch.difference.is_some()));
    if better {
        *farthest = Unexplained { index, nearest: Some(Box::new(mismatch)), gave_up: false };
    }
}

/// The resolution at which times are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Stored times are whole seconds, so decisions change from second to second.
    Seconds,
    /// The choice between pods compares the magnitudes of their ages, in powers of 2 of nanoseconds: 1.07 s, 2.15 s,
    /// 4.29 s and so on.
    Ages,
}

/// The times at which a request may have been decided: when it was received, or earlier.
pub fn times(not_before: Time, received: Time, clock: Clock) -> Vec<Time> {
    let (step, offset) = match clock {
        Clock::Seconds => (Time::SECOND, Time::SECOND / 2),
        Clock::Ages => (Time::SECOND / 20, Time::SECOND / 50),
    };
    let mut times = vec![received];
    let mut time = received.truncated().plus(Time::SECOND).plus(offset);
    while time.plus(step) > not_before && times.len() < 400 {
        if time < received {
            times.push(time.max(not_before));
        }
        time = time.plus(step.saturating_neg());
    }
    times
}

/// Every combination of positions and times, with the latest times and the oldest positions first. The event handlers have seen
/// what the cache shows.
pub fn combinations<'a>(
    times: Vec<Time>,
    own: Vec<usize>,
    owned: Vec<usize>,
    pods: Vec<usize>,
) -> Box<dyn Iterator<Item = Caches> + 'a> {
    Box::new(times.into_iter().flat_map(move |now| {
        let (owned, pods) = (owned.clone(), pods.clone());
        own.clone().into_iter().flat_map(move |own| {
            let pods = pods.clone();
            owned.clone().into_iter().flat_map(move |owned| {
                pods.clone().into_iter().map(move |pods| Caches { own, owned, pods, handled: pods, later: pods, now })
            })
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_go_back_from_the_request_to_the_answer_before() {
        let (before, received) = (Time(10_900_000_000), Time(13_200_000_000));
        let seconds = [13_200_000_000, 12_500_000_000, 11_500_000_000, 10_900_000_000].map(Time);
        assert_eq!(times(before, received, Clock::Seconds), seconds);
        let ages = times(before, received, Clock::Ages);
        assert!(ages.len() > 40 && ages.iter().all(|time| (before..=received).contains(time)));
    }
}
