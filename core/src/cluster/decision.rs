//! What the simulated cluster decides, as values: the decision behind each step.
//!
//! [`crate::explain`] words them.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem::discriminant;

use crate::controller;
use crate::feature_gates::Feature;
use crate::object::{Kind, ObjectKey};
use crate::scenario::Duration;

/// A decision: the reason of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// A controller's.
    Controller(controller::Decision),
    /// What the user does, and what kubectl makes of it.
    User(Box<UserDecision>),
    /// The scheduler's.
    Scheduler(SchedulerDecision),
    /// A kubelet's.
    Kubelet(KubeletDecision),
    /// Of the controllers that watch over nodes and their pods.
    Node(Box<NodeDecision>),
    /// The garbage collector's.
    GarbageCollector(GarbageCollectorDecision),
    /// Of the controller that attaches volumes.
    Volume(VolumeDecision),
    /// The node autoscaler's.
    Autoscaler(AutoscalerDecision),
    /// The API server's answer to an eviction.
    Eviction(EvictionDecision),
    /// The API server's answer to a creation that a ResourceQuota forbids.
    Quota(Box<QuotaDecision>),
    /// Of a controller's client, before it sends a request.
    Throttling(ThrottlingDecision),
}

impl Decision {
    /// Whether this says what another decision said that many nanoseconds ago.
    pub(super) fn repeats(&self, earlier: &Self, nanoseconds: i64) -> bool {
        match (self, earlier) {
            (Self::Controller(one), Self::Controller(earlier)) => one.repeats(earlier, nanoseconds),
            _ => self == earlier,
        }
    }

    /// Whether both are about the same question and the same object, perhaps with other numbers.
    pub(super) fn has_topic_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Controller(one), Self::Controller(other)) => one.has_topic_of(other),
            (Self::Autoscaler(one), Self::Autoscaler(other)) => discriminant(one) == discriminant(other),
            (Self::Eviction(one), Self::Eviction(other)) => discriminant(one) == discriminant(other),
            _ => false,
        }
    }
}

impl From<controller::Decision> for Decision {
    fn from(decision: controller::Decision) -> Self {
        Self::Controller(decision)
    }
}

impl From<UserDecision> for Decision {
    fn from(decision: UserDecision) -> Self {
        Self::User(Box::new(decision))
    }
}

impl From<SchedulerDecision> for Decision {
    fn from(decision: SchedulerDecision) -> Self {
        Self::Scheduler(decision)
    }
}

impl From<KubeletDecision> for Decision {
    fn from(decision: KubeletDecision) -> Self {
        Self::Kubelet(decision)
    }
}

impl From<NodeDecision> for Decision {
    fn from(decision: NodeDecision) -> Self {
        Self::Node(Box::new(decision))
    }
}

impl From<GarbageCollectorDecision> for Decision {
    fn from(decision: GarbageCollectorDecision) -> Self {
        Self::GarbageCollector(decision)
    }
}

impl From<VolumeDecision> for Decision {
    fn from(decision: VolumeDecision) -> Self {
        Self::Volume(decision)
    }
}

impl From<AutoscalerDecision> for Decision {
    fn from(decision: AutoscalerDecision) -> Self {
        Self::Autoscaler(decision)
    }
}

impl From<EvictionDecision> for Decision {
    fn from(decision: EvictionDecision) -> Self {
        Self::Eviction(decision)
    }
}

impl From<QuotaDecision> for Decision {
    fn from(decision: QuotaDecision) -> Self {
        Self::Quota(Box::new(decision))
    }
}

impl From<ThrottlingDecision> for Decision {
    fn from(decision: ThrottlingDecision) -> Self {
        Self::Throttling(decision)
    }
}

/// A request that waits, since its controller has sent as many as it may. Those that follow in the same sync wait too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThrottlingDecision {
    /// The object that is synced.
    pub object: ObjectKey,
    /// How long the first request waits.
    pub wait: Duration,
    /// Requests a second.
    pub qps: u32,
    /// Requests that may be sent at once after a rest.
    pub burst: u32,
}

/// The probe with which a pod becomes ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeSuccess {
    /// How long after their start the containers answer.
    pub answers: Duration,
    /// How long after their start the probe comes.
    pub after: Duration,
}

/// How the containers of a terminating pod end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainersEnd {
    /// None of them ran.
    NotRunning,
    /// They stopped in time, after their SIGTERM.
    Stopped,
    /// Their grace period was over: they got a SIGKILL.
    Killed,
}

impl ContainersEnd {
    /// The exit code of containers that end so: 128 and the signal's number.
    pub(super) const fn exit_code(self) -> i32 {
        match self {
            Self::Stopped => 143,
            Self::NotRunning | Self::Killed => 137,
        }
    }
}

/// What the user does to an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserDecision {
    /// The object.
    pub object: ObjectKey,
    /// The action, or its result.
    pub action: UserAction,
}

/// What the user does, and what kubectl and the API server make of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserAction {
    /// `kubectl create`
    Create {
        /// What a quota or budget limits, and to how much; empty for other kinds.
        limits: Vec<(String, String)>,
    },
    /// `kubectl apply`
    Apply {
        /// What a quota or budget limits, and to how much; empty for other kinds.
        limits: Vec<(String, String)>,
    },
    /// `kubectl create job --from`
    CreateJob {
        /// The CronJob's name.
        cron_job: Rc<str>,
    },
    /// `kubectl scale`
    Scale {
        /// The desired pods.
        replicas: i64,
    },
    /// `kubectl set image`, or any change of the pod template.
    SetTemplate {
        /// The first container's new image, if it changes.
        image: Option<Rc<str>>,
    },
    /// `kubectl annotate`
    Annotate {
        /// The annotations; none removes one.
        annotations: Vec<(String, Option<String>)>,
    },
    /// `kubectl rollout pause`
    Pause,
    /// `kubectl patch` of a Job or a CronJob with `spec.suspend: true`
    Suspend,
    /// `kubectl rollout resume`; of a Job or a CronJob, `kubectl patch` with `spec.suspend: false`
    Resume,
    /// `kubectl rollout undo`
    Undo {
        /// The revision that it goes back to.
        revision: Rc<str>,
    },
    /// kubectl does not roll back.
    NotUndone {
        /// What it says.
        message: Rc<str>,
    },
    /// `kubectl delete`
    Delete,
    /// An eviction.
    Evict,
    /// The pod can't be preempted: it does not run on a node.
    NotPreempted,
    /// `kubectl cordon`
    Cordon,
    /// `kubectl uncordon`
    Uncordon,
    /// `kubectl drain`
    Drain,
    /// The drain evicts this pod.
    DrainEvicts {
        /// The node that is drained.
        node: Rc<str>,
    },
    /// The drain stops.
    DrainStops {
        /// What kubectl says.
        message: Rc<str>,
    },
    /// The drain is done.
    Drained,
    /// Components start again with other feature gates.
    Restart {
        /// Which components.
        components: Components,
        /// The gates that differ, and whether they are on now.
        gates: Vec<(Feature, bool)>,
    },
    /// The node is taken off the network.
    LoseNode,
    /// The node is brought back to the network.
    ReturnNode,
    /// `kubectl delete node`
    DeleteNode,
    /// `kubectl taint nodes NAME node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`
    TaintOutOfService,
    /// The same with a minus at its end.
    UntaintOutOfService,
    /// The API server refuses it.
    Refused {
        /// What it says.
        message: Rc<str>,
    },
}

/// Components of the control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Components {
    /// kube-apiserver
    ApiServer,
    /// kube-controller-manager
    ControllerManager,
    /// Both.
    Both,
}

/// What the scheduler decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchedulerDecision {
    /// Binds a pod to a node.
    Bind {
        /// The pod's name.
        pod: Rc<str>,
        /// The node's name.
        node: Rc<str>,
    },
    /// Deletes a pod to make room for a pod of a higher priority.
    Preempt {
        /// The pod's name.
        pod: Rc<str>,
        /// The node's name.
        node: Rc<str>,
    },
    /// Finds no node for a pod.
    Unschedulable {
        /// The pod's name.
        pod: Rc<str>,
        /// How many nodes refuse it for which reason, as the scheduler says it.
        misfits: Rc<str>,
    },
}

/// What a kubelet does to a pod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KubeletDecision {
    /// Its containers have started.
    Started {
        /// The pod's name.
        pod: Rc<str>,
        /// The node's name.
        node: Rc<str>,
    },
    /// Its readiness probe succeeds.
    Ready {
        /// The pod's name.
        pod: Rc<str>,
    },
    /// The probe succeeds that it needed.
    ProbedReady {
        /// The pod's name.
        pod: Rc<str>,
        /// The probe.
        success: ProbeSuccess,
    },
    /// Its first container fails its startup probe for good: it is killed.
    StartupFailed {
        /// The pod's name.
        pod: Rc<str>,
        /// The container's name.
        container: Rc<str>,
        /// How often in a row it failed.
        failures: i64,
        /// Whether its pod lets it start again.
        restarts: bool,
    },
    /// Its node is back on the network, and it is ready, as it was all the time.
    ReadyAgain {
        /// The pod's name.
        pod: Rc<str>,
    },
    /// Its image can't be pulled.
    PullFailed {
        /// The pod's name.
        pod: Rc<str>,
        /// The image of its first container.
        image: Rc<str>,
    },
    /// It waits before its image is pulled again.
    PullBackOff {
        /// The pod's name.
        pod: Rc<str>,
        /// The image of its first container.
        image: Rc<str>,
        /// How long it waits.
        back_off: Duration,
    },
    /// A container has crashed, and waits before it is started again.
    Crashed {
        /// The pod's name.
        pod: Rc<str>,
        /// The container's name.
        container: Rc<str>,
        /// How often it has crashed.
        crashes: u32,
        /// How long it waits.
        back_off: Duration,
    },
    /// A container that crashed is started again.
    Restarted {
        /// The pod's name.
        pod: Rc<str>,
        /// The container's name.
        container: Rc<str>,
        /// Its restarts.
        restarts: i32,
    },
    /// All its containers have ended with exit code 0.
    Succeeded {
        /// The pod's name.
        pod: Rc<str>,
    },
    /// All its containers have ended, and this one with an error.
    Failed {
        /// The pod's name.
        pod: Rc<str>,
        /// The container's name.
        container: Rc<str>,
        /// Its exit code.
        exit_code: i32,
    },
    /// A container has ended with an error and is not started again; others still run.
    ContainerFailed {
        /// The pod's name.
        pod: Rc<str>,
        /// The container's name.
        container: Rc<str>,
        /// Its exit code.
        exit_code: i32,
    },
    /// It waits for its volume.
    ContainerCreating {
        /// The pod's name.
        pod: Rc<str>,
        /// The volume's name.
        volume: Rc<str>,
    },
    /// Its preStop hook is over.
    PreStopped {
        /// The pod's name.
        pod: Rc<str>,
        /// Seconds since its deletion.
        seconds: i64,
        /// Seconds that are left of its grace period.
        left: i64,
    },
    /// It has ended.
    Gone {
        /// The pod's name.
        pod: Rc<str>,
        /// How its containers ended.
        end: ContainersEnd,
        /// Seconds since its deletion.
        seconds: i64,
        /// Its grace period, in seconds.
        grace: i64,
    },
    /// It has ended after its deletion, and its finalizers keep it.
    Held {
        /// The pod's name.
        pod: Rc<str>,
        /// How its containers ended.
        end: ContainersEnd,
        /// Seconds since its deletion.
        seconds: i64,
        /// Its grace period, in seconds.
        grace: i64,
    },
}

/// What the controllers decide that watch over nodes and their pods.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeDecision {
    /// The node's kubelet has not reported for too long.
    Unreachable {
        /// The node's name.
        node: Rc<str>,
        /// For how many seconds.
        seconds: i64,
    },
    /// The node's kubelet reports again.
    Reachable {
        /// The node's name.
        node: Rc<str>,
    },
    /// A pod of an unreachable node counts as not ready.
    NotReady {
        /// The pod's name.
        pod: Rc<str>,
        /// The node's name.
        node: Rc<str>,
    },
    /// The node gets a taint.
    Taint {
        /// The node's name.
        node: Rc<str>,
        /// Key and effect.
        taint: Rc<str>,
    },
    /// Most nodes are unreachable, so no further one is tainted.
    NoEvictions {
        /// Nodes that are unreachable.
        unready: i64,
        /// All nodes.
        nodes: i64,
    },
    /// A pod does not tolerate its node's taint any more.
    Evict {
        /// The pod's name.
        pod: Rc<str>,
        /// For how many seconds it tolerates the taint.
        seconds: i64,
        /// The node's name.
        node: Rc<str>,
        /// The taint's key, without its domain.
        taint: Rc<str>,
    },
    /// A terminating pod is removed by force, since its node is out of service.
    OutOfService {
        /// The pod's name.
        pod: Rc<str>,
        /// The node's name.
        node: Rc<str>,
        /// Whether finalizers keep it: then it has failed.
        held: bool,
    },
    /// A terminating pod without a node fails, since no kubelet ends it.
    Unscheduled {
        /// The pod's name.
        pod: Rc<str>,
    },
    /// A pod is removed by force, since its node does not exist any more.
    Orphaned {
        /// The pod's name.
        pod: Rc<str>,
        /// The node's name.
        node: Rc<str>,
        /// Whether finalizers keep it: then it has failed.
        held: bool,
    },
}

/// What the garbage collector decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GarbageCollectorDecision {
    /// An object goes with its owner.
    Collect {
        /// The object.
        object: Rc<ObjectKey>,
        /// Its owner.
        owner: Rc<ObjectKey>,
    },
    /// An object stays when its owner goes.
    Orphan {
        /// The object.
        object: Rc<ObjectKey>,
        /// Its owner.
        owner: Rc<ObjectKey>,
    },
    /// An owner goes after everything that it owned.
    Foreground {
        /// The object.
        object: Rc<ObjectKey>,
    },
}

/// What the controller decides that attaches volumes to nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VolumeDecision {
    /// Another node has the pod's volume.
    MultiAttach {
        /// The pod's name.
        pod: Rc<str>,
        /// The volume's name.
        volume: Rc<str>,
        /// The node that has it.
        other_node: Rc<str>,
    },
    /// The volume is attached to the pod's node.
    Attach {
        /// The volume's name.
        volume: Rc<str>,
        /// The node's name.
        node: Rc<str>,
        /// The pod's name.
        pod: Rc<str>,
    },
}

/// What the node autoscaler decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AutoscalerDecision {
    /// Orders nodes.
    ScaleUp {
        /// The first pod that waits.
        pod: Rc<str>,
        /// How long a pod must wait.
        waited: Duration,
        /// How many nodes are ordered.
        ordered: u32,
        /// Nodes that are there or ordered.
        before: u32,
        /// The same with the new ones.
        after: u32,
    },
    /// Orders no node for a pod.
    NoScaleUp {
        /// The pod's name.
        pod: Rc<str>,
        /// Why a new node would not take it, or may not come.
        why_not: Rc<str>,
    },
    /// A node that was ordered is ready.
    NodeReady {
        /// The node's name.
        node: Rc<str>,
    },
    /// Removes a node.
    ScaleDown {
        /// The node's name.
        node: Rc<str>,
        /// How long a node must be empty.
        idle: Duration,
    },
}

/// What the API server answers to an eviction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvictionDecision {
    /// A budget needs the pod.
    BudgetRefuses {
        /// The pod's name.
        pod: Rc<str>,
        /// The budget's name.
        budget: Rc<str>,
        /// Healthy pods that it needs.
        needed: i64,
        /// Healthy pods that it has.
        healthy: i64,
    },
    /// It is impossible for another reason.
    Impossible {
        /// The pod's name.
        pod: Rc<str>,
        /// The API server's words.
        why_not: Rc<str>,
    },
}

/// What the API server answers to a creation that a ResourceQuota forbids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotaDecision {
    /// The quota leaves no room.
    Exceeded {
        /// Whose controller creates it.
        creator: Rc<str>,
        /// What it creates.
        kind: Kind,
        /// What it would use of the quota's resources.
        requested: Rc<str>,
        /// The quota's name.
        quota: Rc<str>,
        /// What it allows.
        limited: Rc<str>,
        /// The amounts that are used.
        used: Rc<str>,
        /// When the controller tries again.
        next_try: NextTry,
    },
    /// The quota wants containers to say what they need.
    Unspecified {
        /// Whose controller creates it.
        creator: Rc<str>,
        /// The quota's name.
        quota: Rc<str>,
        /// Resources that containers do not name.
        unspecified: Rc<str>,
        /// The delay until the next try. A controller gives up only Deployments, which create no pods.
        next_try: Duration,
    },
}

/// When a controller tries again what a ResourceQuota forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextTry {
    /// After this time.
    In(Duration),
    /// Not until something changes.
    GivenUp,
}
