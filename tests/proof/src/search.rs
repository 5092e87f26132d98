//! Looks for what a controller had seen when it wrote: positions of its caches at which the core writes the same.

use std::collections::BTreeMap;
use std::rc::Rc;

use changeover_core::controller::Error;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::Time;

use crate::recording::{Recording, Request};
use crate::replay::{Mismatch, Pace, Replay, Said};

/// The search for one explanation gives up after this number of syncs.
const PATIENCE: usize = 400_000;

/// What a controller has seen when a sync begins: how many changes of each kind, and what time it is.
#[derive(Clone, Copy, Debug)]
pub struct Caches {
    /// Of the kind that it syncs.
    pub own: usize,
    /// Of the kind that stands below: the ReplicaSets of a Deployment, the Jobs of a CronJob.
    pub owned: usize,
    /// Of Pods.
    pub pods: usize,
    /// Its clock.
    pub now: Time,
}

/// A controller that syncs one object.
pub trait Controller {
    /// What it remembers between syncs.
    type Memory: Clone + Default + PartialEq;

    /// All caches with which a sync may have begun whose first write is this request: none older than those of the sync
    /// before, none newer than the request. The oldest come first.
    fn attempts<'a>(
        &'a self,
        before: &Caches,
        memory: &Self::Memory,
        first: &Request,
        horizon: i64,
    ) -> Box<dyn Iterator<Item = Caches> + 'a>;

    /// One sync.
    fn sync(&self, caches: &Caches, memory: &mut Self::Memory, client: &mut Replay<'_>) -> Result<(), Error>;
}

/// A sync that explains requests.
#[derive(Clone, Debug)]
pub struct Sync<M> {
    /// The first of them.
    pub first: usize,
    /// How many they are.
    pub count: usize,
    /// What the controller had seen of the sync before.
    pub before: Caches,
    /// What it remembered.
    pub memory: M,
    /// Whether it chose between pods where the rules leave that open.
    pub open_choice: bool,
    /// The events that the core records.
    pub events: Vec<Said>,
}

/// A request that no sync explains.
#[derive(Clone, Debug)]
pub struct Unexplained {
    /// Which one.
    pub index: usize,
    /// The sync that came closest.
    pub nearest: Option<Box<Mismatch>>,
    /// Whether the search was given up.
    pub gave_up: bool,
}

/// The requests that were sent for one object, and how to explain them.
pub struct Search<'a, C> {
    /// The recording.
    pub recording: &'a Recording,
    /// The controller of the object.
    pub controller: &'a C,
    /// What it sent, in the order in which it was received.
    pub requests: &'a [Rc<Request>],
    /// For each request a resource version that was made later than it.
    pub horizons: &'a [i64],
    /// The feature gates.
    pub gates: FeatureGates,
}

/// A sync that is tried with one cache after the other.
struct Frame<'a, M> {
    first: usize,
    before: Caches,
    memory: M,
    attempts: Box<dyn Iterator<Item = Caches> + 'a>,
}

impl Caches {
    /// Whether none of them has seen less than the other's.
    fn is_at_least(&self, other: &Self) -> bool {
        self.own >= other.own && self.owned >= other.owned && self.pods >= other.pods && self.now >= other.now
    }
}

impl<'a, C: Controller> Search<'a, C> {
    /// Explains the requests from `first` up to `goal`. A sync may go on beyond.
    ///
    /// # Errors
    /// The request that is not explained.
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
        // Where nothing was found, nothing is found with less to choose from.
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
            let rest = self.requests.get(frame.first..).unwrap_or_default();
            if frame.first > farthest.index {
                farthest = Unexplained { index: frame.first, nearest: None, gave_up: false };
            }
            let mut paces = [Pace::Prompt, Pace::Throttled].into_iter();
            let explained = loop {
                let Some(pace) = paces.next() else { break None };
                tried = tried.saturating_add(1);
                let mut client = Replay::new(self.recording, rest, caches.now, pace, self.gates);
                let mut memory = frame.memory.clone();
                // An error is the answer to a request that was refused; the sync is tried again later.
                let _ = self.controller.sync(&caches, &mut memory, &mut client);
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
            let before = Caches { now: last.max(caches.now), ..caches };
            let known = hopeless.get(&next).map(Vec::as_slice).unwrap_or_default();
            if known.iter().any(|(least, known)| *known == memory && before.is_at_least(least)) {
                continue;
            }
            let events = std::mem::take(&mut client.events);
            let sync = Sync {
                first: frame.first,
                count,
                before: frame.before,
                memory: frame.memory.clone(),
                open_choice: client.open_choice,
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

    fn frame(&self, first: usize, before: Caches, memory: C::Memory) -> Frame<'a, C::Memory> {
        let attempts = match (self.requests.get(first), self.horizons.get(first)) {
            (Some(request), Some(horizon)) => self.controller.attempts(&before, &memory, request, *horizon),
            _ => Box::new(std::iter::empty()),
        };
        Frame { first, before, memory, attempts }
    }
}

/// Remembers the sync that came farthest; among those that came as far, one that differs in a value.
fn note(farthest: &mut Unexplained, first: usize, mismatch: Option<Mismatch>) {
    // A sync that writes nothing is no explanation, and nothing to learn from.
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

/// How finely times are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Stored times are whole seconds, so what is decided changes from second to second.
    Seconds,
    /// The choice between pods compares the magnitudes of their ages, the powers of 2 of nanoseconds: 1.07 s, 2.15 s, 4.29 s
    /// and so on.
    Ages,
}

/// The times at which a request may have been decided: when it was received, and before.
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

/// Every combination of positions and times; the latest time first, the oldest positions first.
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
            owned
                .clone()
                .into_iter()
                .flat_map(move |owned| pods.clone().into_iter().map(move |pods| Caches { own, owned, pods, now }))
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
