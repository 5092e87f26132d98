//! What will happen, by virtual time and then in the order in which it was planned.

use alloc::collections::BinaryHeap;
use alloc::rc::Rc;
use alloc::string::String;
use core::cmp::Ordering;

use crate::object::{Kind, ObjectKey, Pod, Time};

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
    /// The kubelet learns that a pod is to end.
    Stop(PodId),
    /// The kubelet says again that a pod is ready, since then.
    ReadyAgain(PodId, Option<Time>),
    /// The node controller looks for nodes that are not heard of any more.
    Monitor,
    /// The node controller may taint one more node.
    Taint,
    /// A pod's toleration of its node's taint may have run out.
    Evict(PodId),
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

/// A pod, and not another one that has its name later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PodId {
    pub(super) key: ObjectKey,
    pub(super) uid: Rc<str>,
}

impl PodId {
    pub(super) fn of(pod: &Pod) -> Self {
        let (namespace, name) = (pod.metadata.namespace.clone(), pod.metadata.name.clone());
        Self { key: ObjectKey { kind: Kind::Pod, namespace, name }, uid: pod.metadata.uid.clone() }
    }
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
