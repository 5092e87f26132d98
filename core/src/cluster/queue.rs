//! What will happen, by virtual time and then in the order in which it was planned.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;

use crate::object::{ObjectKey, Time};

/// Something that will happen.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    /// The user acts.
    Act(usize),
    /// The scheduler looks for a node.
    Bind(PodId),
    /// The containers run.
    Start(PodId),
    /// The readiness probe succeeds.
    Ready(PodId),
    /// The containers have ended after a deletion.
    Gone(PodId),
    /// A controller looks at its object again.
    Sync(ObjectKey),
    /// The garbage collector looks for the objects of an owner that is gone.
    Collect {
        /// The owner's uid.
        uid: Rc<str>,
        /// Its kind and name.
        owner: String,
    },
}

/// A pod, and not another one that has its name later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PodId {
    pub(super) key: ObjectKey,
    pub(super) uid: Rc<str>,
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    planned: BTreeMap<(Time, u64), Happening>,
    count: u64,
}

impl Queue {
    pub(super) fn push(&mut self, time: Time, happening: Happening) {
        self.count = self.count.saturating_add(1);
        self.planned.insert((time, self.count), happening);
    }

    pub(super) fn pop(&mut self) -> Option<(Time, Happening)> {
        self.planned.pop_first().map(|((time, _), happening)| (time, happening))
    }

    pub(super) fn next_time(&self) -> Option<Time> {
        self.planned.first_key_value().map(|((time, _), _)| *time)
    }
}
