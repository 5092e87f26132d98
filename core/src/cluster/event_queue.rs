//! What will happen, by virtual time and then in the order in which it was planned.

use alloc::collections::BinaryHeap;
use alloc::rc::Rc;
use core::cmp::Ordering;

use super::controllers::Queue;
use super::decision::{ContainersEnd, ProbeSuccess};
use super::pod_groups::{PodId, PodStage};
use super::step::{Actor, Change};
use super::store::Id;
use crate::object::{ObjectKey, Time};

/// Something that will happen in the simulation. (An event of Kubernetes is a [`crate::controller::Event`].)
#[derive(Clone, Debug)]
pub(super) enum SimEvent {
    /// The user carries out an action of the scenario.
    UserAction(usize),
    /// The scheduler looks for a node.
    Schedule(Id),
    /// The scheduler looks again at the pods that have waited for long.
    FlushUnschedulable,
    /// The kubelet has started the pod's containers.
    StartContainers(Id),
    /// The kubelet waits before it pulls an image again.
    BackOffImagePull(Id),
    /// The first container ends with this exit code, an error.
    CrashContainer(Id, i32),
    /// The containers end by themselves, if the first one has not been started again since: it had been started again this
    /// often.
    EndContainers(Id, i32),
    /// The kubelet starts a crashed container again.
    RestartContainer(Id),
    /// The preStop hook has ended; that many seconds of the grace period are left.
    EndPreStopHook(Id, i64),
    /// The pod becomes ready.
    MarkPodReady(Id),
    /// The probe succeeds with which the pod becomes ready.
    SucceedProbe(Id, ProbeSuccess),
    /// The first container has failed its startup probe that many times in a row.
    FailStartupProbe(Id, i64),
    /// The containers of a terminating pod have ended.
    RemovePod(Id, ContainersEnd),
    /// The kubelet learns that a pod is to terminate.
    NoticeDeletion(Id),
    /// The kubelet reports again that a pod is ready, since that time.
    RestorePodReady(Id, Option<Time>),
    /// The node lifecycle controller looks for nodes that do not report any more.
    MonitorNodeHealth,
    /// The node lifecycle controller may taint one more node.
    TaintNode,
    /// `kubectl drain` asks again for a pod's eviction.
    RetryEviction(Id),
    /// The attach-detach controller does not wait any longer for a lost node to unmount a volume.
    ForceDetach,
    /// The autoscaler looks for pods that wait for a node.
    ScaleUp,
    /// A node that the autoscaler has ordered is ready.
    AddNode,
    /// The autoscaler looks for empty nodes.
    ScaleDown,
    /// A pod's toleration of its node's taint may have run out.
    EvictByTaint(Id),
    /// The pod garbage collector runs.
    CollectPods,
    /// A controller looks at an object, aside from its queues.
    #[cfg_attr(not(feature = "jobs"), allow(dead_code, reason = "only controllers of Jobs have a memory and timers"))]
    Wake(Actor, ObjectKey),
    /// A controller syncs an object of its queue again.
    Sync(&'static Queue, ObjectKey),
    /// The request that a sync waits to send may be sent.
    ResumeSync(&'static Queue, ObjectKey),
    /// The watches of the controllers tell them of a change that this actor wrote.
    Watch(Actor, Change),
    /// The watches of the controllers tell them that a pod of this group has changed, or is gone.
    WatchPod {
        /// The group.
        group: usize,
        /// Whether the pod is gone.
        is_gone: bool,
    },
    /// A pod that is no object of the store comes to its next stage, if it is still in this one.
    EndPodStage(PodId, PodStage),
    /// A controller has sent an event, and may send the next one.
    EventSent(Actor),
    /// The garbage collector looks for the objects of an owner that is gone.
    CollectGarbage {
        /// The owner's uid.
        uid: Rc<str>,
        /// The owner.
        owner: Rc<ObjectKey>,
    },
}

#[derive(Debug, Default)]
pub(super) struct EventQueue {
    planned: BinaryHeap<Planned>,
    count: u64,
}

#[derive(Debug)]
struct Planned {
    time: Time,
    number: u64,
    event: SimEvent,
}

impl EventQueue {
    pub(super) fn push(&mut self, time: Time, event: SimEvent) {
        self.count = self.count.saturating_add(1);
        self.planned.push(Planned { time, number: self.count, event });
    }

    pub(super) fn pop(&mut self) -> Option<(Time, SimEvent)> {
        self.planned.pop().map(|planned| (planned.time, planned.event))
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
