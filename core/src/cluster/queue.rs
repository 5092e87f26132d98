//! What will happen, by virtual time and then in the order in which it was planned.

use alloc::collections::BinaryHeap;
use alloc::rc::Rc;
use alloc::string::String;
use core::cmp::Ordering;

use crate::object::{ObjectKey, Time};
use crate::timeline::Id;

/// Something that will happen.
#[derive(Clone, Debug)]
pub(super) enum Happening {
    /// The user acts.
    Act(usize),
    /// The scheduler looks for a node.
    Bind(Id),
    /// The containers run.
    Start(Id),
    /// The kubelet waits before it pulls an image again.
    BackOffPull(Id),
    /// A container ends with an error.
    Crash(Id),
    /// It is started again.
    Restart(Id),
    /// The preStop hook has ended; so many seconds are left.
    PreStopped(Id, i64),
    /// The readiness probe succeeds.
    Ready(Id),
    /// The containers have ended after a deletion.
    Gone(Id),
    /// The kubelet learns that a pod is to end.
    Stop(Id),
    /// The kubelet says again that a pod is ready, since then.
    ReadyAgain(Id, Option<Time>),
    /// The node controller looks for nodes that are not heard of any more.
    Monitor,
    /// The node controller may taint one more node.
    Taint,
    /// Who drains a node asks again for a pod's eviction.
    RetryEviction(Id),
    /// Those who look around find something that depends on the time.
    LookAround,
    /// The autoscaler looks for pods that wait for a node.
    ScaleUp,
    /// A node that it has ordered is ready.
    NodeComes,
    /// It looks for empty nodes.
    ScaleDown,
    /// A pod's toleration of its node's taint may have run out.
    Evict(Id),
    /// The pod garbage collector looks around.
    CollectPods,
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

#[derive(Debug, Default)]
pub(super) struct Queue {
    planned: BinaryHeap<Planned>,
    count: u64,
}

#[derive(Debug)]
struct Planned {
    time: Time,
    number: u64,
    happening: Happening,
}

impl Queue {
    pub(super) fn push(&mut self, time: Time, happening: Happening) {
        self.count = self.count.saturating_add(1);
        self.planned.push(Planned { time, number: self.count, happening });
    }

    pub(super) fn pop(&mut self) -> Option<(Time, Happening)> {
        self.planned.pop().map(|planned| (planned.time, planned.happening))
    }

    pub(super) fn next_time(&self) -> Option<Time> {
        self.planned.peek().map(|planned| planned.time)
    }
}

impl Ord for Planned {
    /// The heap gives out the greatest, so what comes first is greater.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.time, other.number).cmp(&(self.time, self.number))
    }
}

impl PartialOrd for Planned {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Planned {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for Planned {}
