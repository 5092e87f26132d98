//! Where things are in a list, by key; and which of them wait for their time.

use alloc::collections::{BTreeMap, VecDeque};

use crate::object::{ObjectKey, Time};

/// A place in a list that only grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id(pub usize);

/// Where things are, by key. One type of map for all who need one, since each type costs some 9 kB of WebAssembly.
pub type Index = BTreeMap<ObjectKey, Id>;

/// Ready pods that are not available yet, by the time at which they will be.
#[derive(Debug, Default)]
pub(crate) struct Waiting(VecDeque<(Time, Id)>);

impl Waiting {
    pub(crate) fn insert(&mut self, time: Time, id: Id) {
        // Most often the last.
        let place = self.0.partition_point(|there| *there < (time, id));
        self.0.insert(place, (time, id));
    }

    /// Takes one out; whether it was there.
    pub(crate) fn remove(&mut self, time: Time, id: Id) -> bool {
        let found = self.0.binary_search(&(time, id));
        found.is_ok_and(|place| self.0.remove(place).is_some())
    }

    /// The time of the first.
    pub(crate) fn next(&self) -> Option<Time> {
        self.0.front().map(|(time, _)| *time)
    }

    /// Takes out the first whose time has come.
    pub(crate) fn pop(&mut self, now: Time) -> Option<(Time, Id)> {
        self.next().filter(|time| *time <= now)?;
        self.0.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;

    use proptest::prelude::*;

    use super::{Id, Waiting};
    use crate::object::Time;

    proptest! {
        #[test]
        fn it_is_a_sorted_set(changes in prop::collection::vec((0_i64..9, 0_usize..9, 0_u8..4), 0..60)) {
            let (mut waiting, mut set) = (Waiting::default(), BTreeSet::new());
            for (time, id, what) in changes {
                match what {
                    0 => prop_assert_eq!(waiting.remove(Time(time), Id(id)), set.remove(&(time, id))),
                    1 => {
                        let first = set.first().copied().filter(|(first, _)| *first <= time);
                        first.map(|first| set.remove(&first));
                        prop_assert_eq!(waiting.pop(Time(time)).map(|(time, id)| (time.0, id.0)), first);
                    }
                    _ if set.insert((time, id)) => waiting.insert(Time(time), Id(id)),
                    _ => {}
                }
                prop_assert_eq!(waiting.next().map(|time| time.0), set.first().map(|(time, _)| *time));
            }
        }
    }
}
