use alloc::collections::BTreeSet;

use super::index::Id;
use crate::object::Time;

/// Ready pods that are not available yet, by the time at which they will be.
#[derive(Debug, Default)]
pub(crate) struct AvailabilityQueue(BTreeSet<(Time, Id)>);

impl AvailabilityQueue {
    pub(crate) fn insert(&mut self, time: Time, id: Id) {
        self.0.insert((time, id));
    }

    /// Takes a pod out; whether it was there.
    pub(crate) fn remove(&mut self, time: Time, id: Id) -> bool {
        self.0.remove(&(time, id))
    }

    /// The time of the first pod.
    pub(crate) fn next(&self) -> Option<Time> {
        self.0.first().map(|(time, _)| *time)
    }

    /// Takes out the first pod, if its time has come.
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Time, Id)> {
        self.next().filter(|time| *time <= now)?;
        self.0.pop_first()
    }
}
