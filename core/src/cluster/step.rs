//! What a simulation leaves behind: steps, each with its time, its actor, what was written and why.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::decision::Decision;
use crate::controller::{Event, Verb};
use crate::json::{FromJson, ToJson};
use crate::object::{Object, ObjectKey, Time};

/// The component that acts in a step, or the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Actor {
    /// The user.
    User,
    /// The Deployment controller.
    DeploymentController,
    /// The ReplicaSet controller.
    ReplicaSetController,
    /// The Job controller.
    JobController,
    /// The CronJob controller.
    CronJobController,
    /// The StatefulSet controller.
    StatefulSetController,
    /// The DaemonSet controller.
    DaemonSetController,
    /// The replication manager, the controller of ReplicationControllers.
    ReplicationManager,
    /// The TTL-after-finished controller.
    TtlAfterFinishedController,
    /// The scheduler.
    Scheduler,
    /// A node's kubelet.
    Kubelet,
    /// The garbage collector.
    GarbageCollector,
    /// The node lifecycle controller, which monitors nodes.
    NodeLifecycleController,
    /// The taint eviction controller, which deletes pods that don't tolerate a taint of their node.
    TaintEvictionController,
    /// The pod garbage collector, which removes pods that no kubelet removes.
    PodGarbageCollector,
    /// The cluster autoscaler, which adds and removes nodes.
    ClusterAutoscaler,
    /// The attach/detach controller, which attaches volumes to nodes.
    AttachDetachController,
}

#[cfg(feature = "explain")]
impl Actor {
    /// Its name at the start of a line; the user is the reader.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "You",
            Self::DeploymentController => "Deployment controller",
            Self::ReplicaSetController => "ReplicaSet controller",
            Self::JobController => "Job controller",
            Self::CronJobController => "CronJob controller",
            Self::StatefulSetController => "StatefulSet controller",
            Self::DaemonSetController => "DaemonSet controller",
            Self::ReplicationManager => "Replication manager",
            Self::TtlAfterFinishedController => "TTL controller",
            Self::Scheduler => "Scheduler",
            Self::Kubelet => "Kubelet",
            Self::GarbageCollector => "Garbage collector",
            Self::NodeLifecycleController => "Node controller",
            Self::TaintEvictionController => "Taint eviction",
            Self::PodGarbageCollector => "Pod garbage collector",
            Self::ClusterAutoscaler => "Cluster autoscaler",
            Self::AttachDetachController => "Volume controller",
        }
    }
}

/// One write, with the object before and after it. Neighboring changes of an object share the version between them.
#[derive(Clone, Debug)]
pub struct Change {
    /// The verb.
    pub verb: Verb,
    /// Which object.
    pub key: Rc<ObjectKey>,
    /// The object before; none if it did not exist.
    pub before: Option<Object>,
    /// The object after; none if it is gone.
    pub after: Option<Object>,
}

/// One step: a write with its reason, or the reason why nothing was written.
#[derive(Clone, Debug)]
pub struct Step {
    /// When.
    pub time: Time,
    /// The actor.
    pub actor: Actor,
    /// Which object the actor was busy with (a controller's own object; the pod for scheduler and kubelet).
    pub about: Rc<ObjectKey>,
    /// What was written; nothing, where the decision was to wait.
    pub change: Option<Change>,
    /// The events recorded after it, each with the object that it is about.
    pub events: Vec<(Rc<ObjectKey>, Event)>,
    /// The decision behind it.
    pub decision: Decision,
}

/// A timeline keeps up to hundreds of thousands of steps, so decisions with many numbers box them.
const _: () = assert!(size_of::<Step>() <= 160, "a step should take at most 160 bytes");

/// Why a timeline ends where it does.
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct End {
    /// What ended the timeline: nothing was left to happen, or a limit was reached.
    pub reason: EndReason,
    /// Why the timeline ends, in one sentence.
    pub message: String,
}

/// What ended a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum EndReason {
    /// Nothing more happens.
    Quiet,
    /// limits.time was reached.
    Time,
    /// limits.steps was reached.
    Steps,
    /// limits.pods was reached.
    Pods,
    /// limits.bytes was reached.
    Bytes,
}
