//! What the simulated cluster decides, as values: the decision behind each step.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::mem::discriminant;

use changeover_derive::{Clause, Decision, Operands};

use crate::controller;
use crate::object::{Duration, Kind, ObjectKey};
#[cfg(feature = "explain")]
use crate::rule::operands::{NODE_NAME, POD_NAME};
use crate::scheduler::NodeReport;

#[cfg(feature = "explain")]
mod source {
    use crate::rule::OperandSource;

    pub(super) const CREATOR: OperandSource = OperandSource::new("the object whose controller creates it");
    pub(super) const QUOTA: OperandSource = OperandSource::new("the ResourceQuota");
    pub(super) const NEXT_TRY: OperandSource = OperandSource::new(
        "the queue's back-off after its failures: 5 ms, doubling up to 1000 s; for a Job 1 s, doubling up to 60 s",
    );
}

/// A decision: the reason of a step.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum Decision {
    /// A controller's.
    Controller(controller::Decision),
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
    /// What the user does, and what kubectl makes of it.
    User(Box<UserDecision>),
    /// Of a controller's client, before it sends a request.
    Throttling(ThrottlingDecision),
}

impl Decision {
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

/// A request that waits, since its controller has sent as many as it may. Those that follow in the same sync wait too.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[rule(
    id = "controller-manager.throttled",
    upstream = "k8s.io/client-go/util/flowcontrol/throttle.go tokenBucketRateLimiter.Wait",
    sentence = "The next request for {name} waits {wait}: the {kind} controller may send {qps} requests a second, and its burst of {burst} is used up."
)]
pub struct ThrottlingDecision {
    #[operand(source = "the kind that is synced: each controller has its own limit")]
    pub kind: Kind,
    #[operand(source = "the object that is synced")]
    pub name: Rc<str>,
    #[operand(source = "until the token bucket has a token; each request and each event takes one")]
    pub wait: Duration,
    #[operand(source = "kube-controller-manager --kube-api-qps")]
    pub qps: u32,
    #[operand(source = "kube-controller-manager --kube-api-burst")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Clause)]
pub enum ContainersEnd {
    /// None of them ran.
    #[clause("ended")]
    NotRunning,
    /// They stopped in time, after their SIGTERM.
    #[clause("stopped")]
    Stopped,
    /// Their grace period was over: they got a SIGKILL.
    #[clause("was killed")]
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

/// What the user does, and what kubectl and the API server make of it.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum UserDecision {
    /// `kubectl create`
    #[rule(id = "user.create", sentence = "You create {object}{limits}.")]
    Create {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[clause]
        limits: ObjectLimits,
    },
    /// `kubectl apply`
    #[rule(id = "user.apply", sentence = "You apply {object}{limits}.")]
    Apply {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[clause]
        limits: ObjectLimits,
    },
    /// `kubectl create job --from`
    #[rule(
        id = "user.create-job",
        upstream = "k8s.io/kubectl/pkg/cmd/create/create_job.go createJobFromCronJob",
        sentence = "You create {object} from the template of CronJob {cron_job}, which then owns it."
    )]
    CreateJob {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the CronJob of the action")]
        cron_job: Rc<str>,
    },
    /// `kubectl scale`
    #[rule(id = "user.scale", sentence = "You scale {object} to {replicas}.")]
    Scale {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the desired pods")]
        replicas: i64,
    },
    /// `kubectl set image`, or any change of the pod template
    #[rule(id = "user.set-template", sentence = "You change the pod template of {object}{image}.")]
    SetTemplate {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[clause]
        image: NewImage,
    },
    /// `kubectl annotate`
    #[rule(id = "user.annotate", sentence = "You annotate {object}: {annotations}.")]
    Annotate {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the annotations that are set or removed")]
        annotations: Rc<str>,
    },
    /// `kubectl rollout pause`
    #[rule(id = "user.pause", sentence = "You pause {object}.")]
    Pause {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// A patch of `spec.suspend`
    #[rule(id = "user.suspend", sentence = "You suspend {object}.")]
    Suspend {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// `kubectl rollout resume`, or a patch of `spec.suspend`
    #[rule(id = "user.resume", sentence = "You resume {object}.")]
    Resume {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// `kubectl rollout restart`
    #[rule(
        id = "user.rollout-restart",
        sentence = "You restart {object}: its pod template gets the time as an annotation."
    )]
    RestartRollout {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// kubectl does not restart.
    #[rule(id = "user.not-restarted", sentence = "kubectl does not restart {object}: {message}")]
    NotRestarted {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "kubectl's message")]
        message: Rc<str>,
    },
    /// `kubectl rollout undo`
    #[rule(id = "user.undo", sentence = "You roll {object} back to revision {revision}.")]
    Undo {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the revision that kubectl found")]
        revision: Rc<str>,
    },
    /// kubectl does not roll back.
    #[rule(id = "user.not-undone", sentence = "kubectl does not roll {object} back: {message}")]
    NotUndone {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "kubectl's message")]
        message: Rc<str>,
    },
    /// `kubectl delete`
    #[rule(id = "user.delete", sentence = "You delete {object}.")]
    Delete {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// An eviction, as `kubectl drain` asks for it
    #[rule(id = "user.evict", sentence = "You evict {object}.")]
    Evict {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// A preemption that is not possible
    #[rule(
        id = "user.not-preempted",
        sentence = "{object} is not preempted: only a pod that runs on a node can be preempted."
    )]
    NotPreempted {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// `kubectl cordon`
    #[rule(id = "user.cordon", sentence = "You cordon {object}: it gets no new pods.")]
    Cordon {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// A node joins the cluster.
    #[rule(id = "user.add-node", sentence = "You add {object}.")]
    AddNode {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// `kubectl taint`
    #[rule(id = "user.taint", sentence = "You taint {object}: {taint}.")]
    Taint {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the taint that the action names")]
        taint: Rc<str>,
    },
    /// `kubectl taint` with a minus sign
    #[rule(id = "user.untaint", sentence = "You remove the taint {taint} from {object}.")]
    Untaint {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the taint that the action names")]
        taint: Rc<str>,
    },
    /// `kubectl label`
    #[rule(id = "user.label-node", sentence = "You label {object}: {labels}.")]
    LabelNode {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the labels that the action names")]
        labels: Rc<str>,
    },
    /// `kubectl uncordon`
    #[rule(id = "user.uncordon", sentence = "You uncordon {object}: it may get new pods again.")]
    Uncordon {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// `kubectl drain`
    #[rule(id = "user.drain", sentence = "You drain {object}: it gets no new pods, and its pods are evicted.")]
    Drain {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// The drain evicts a pod.
    #[rule(id = "user.drain-evict", sentence = "{object} is evicted from Node {node}, which is being drained.")]
    DrainEvicts {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the node that is drained")]
        node: Rc<str>,
    },
    /// The drain deletes a pod.
    #[rule(id = "user.drain-delete", sentence = "{object} is deleted from Node {node}, which is being drained.")]
    DrainDeletes {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the node that is drained")]
        node: Rc<str>,
    },
    /// The drain stops.
    #[rule(id = "user.drain-stops", sentence = "{object} stays cordoned and is not drained: {message}")]
    DrainStops {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "kubectl's message")]
        message: Rc<str>,
    },
    /// The drain is done.
    #[rule(id = "user.drained", sentence = "{object} is drained: its pods are gone.")]
    Drained {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// A component starts again with other feature gates.
    #[rule(id = "user.restart", sentence = "You restart {components} with {gates}.")]
    Restart {
        #[clause]
        components: Components,
        #[clause]
        gates: NewGates,
    },
    /// The node's kubelet reports no more.
    #[rule(id = "user.lose-node", sentence = "You disconnect {object} from the network.")]
    LoseNode {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// The node's kubelet reports again.
    #[rule(id = "user.return-node", sentence = "You reconnect {object} to the network.")]
    ReturnNode {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// `kubectl delete node`
    #[rule(id = "user.delete-node", sentence = "You delete {object}.")]
    DeleteNode {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// `kubectl taint nodes NAME node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`
    #[rule(id = "user.taint-out-of-service", sentence = "You taint {object} as out of service.")]
    TaintOutOfService {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// The same with a minus at its end.
    #[rule(id = "user.untaint-out-of-service", sentence = "You remove the out-of-service taint from {object}.")]
    UntaintOutOfService {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
    },
    /// The API server refuses.
    #[rule(id = "user.refused", sentence = "The API server refuses your request for {object}: {message}")]
    Refused {
        #[operand(source = "the object of the action")]
        object: ObjectKey,
        #[operand(source = "the API server's message")]
        message: Rc<str>,
    },
}

/// What a quota or budget limits.
#[derive(Clone, Debug, PartialEq, Eq, Clause)]
pub enum ObjectLimits {
    /// The object is of another kind.
    #[clause("")]
    Absent,
    /// It limits something.
    #[clause(": {limits}")]
    Listed {
        #[operand(source = "what a quota or budget limits")]
        limits: Rc<str>,
    },
}

/// The image in a new pod template.
#[derive(Clone, Debug, PartialEq, Eq, Clause)]
pub enum NewImage {
    /// It is the image that was there.
    #[clause("")]
    Unchanged,
    /// It is another one.
    #[clause(": image {image}")]
    Changed {
        #[operand(source = "the first container's new image")]
        image: Rc<str>,
    },
}

/// Components of the control plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Clause)]
pub enum Components {
    /// kube-apiserver
    #[clause("the API server")]
    ApiServer,
    /// kube-controller-manager
    #[clause("the controller manager")]
    ControllerManager,
    /// Both.
    #[clause("the API server and the controller manager")]
    Both,
}

/// The feature gates after a restart.
#[derive(Clone, Debug, PartialEq, Eq, Clause)]
pub enum NewGates {
    /// They are those of before.
    #[clause("the same feature gates")]
    Same,
    /// Some differ.
    #[clause("{gates}")]
    Changed {
        #[operand(source = "the feature gates that differ")]
        gates: Rc<str>,
    },
}

/// What the scheduler decides.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum SchedulerDecision {
    /// A pod gets its node.
    #[rule(
        id = "scheduler.bind",
        upstream = "pkg/scheduler/schedule_one.go bind",
        sentence = "The scheduler binds {pod} to Node {node}."
    )]
    Bind {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the best node that takes the pod; if no nodes are given, the one with the fewest pods")]
        node: Rc<str>,
        /// What it makes of each node; none if no nodes are given.
        #[operand(skip)]
        report: Option<Rc<NodeReport>>,
    },
    /// A pod goes to make room.
    #[rule(
        id = "scheduler.preempt",
        upstream = "pkg/scheduler/framework/preemption/executor.go NewExecutor",
        sentence = "{pod} is preempted on Node {node}: it gets the condition DisruptionTarget (PreemptionByScheduler) and is deleted."
    )]
    Preempt {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the node where a pod of a higher priority needs room")]
        node: Rc<str>,
    },
    /// A pod is preempted by one with a higher priority.
    #[rule(
        id = "scheduler.make-room",
        upstream = "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go DefaultPreemption.SelectVictimsOnNode",
        sentence = "{pod} (priority {lower}) is preempted for {preemptor} (priority {priority}): it gets the condition DisruptionTarget and is deleted."
    )]
    MakeRoom {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "spec.priority, which the pod's PriorityClass gives it; 0 without one")]
        lower: i32,
        #[operand(source = "metadata.name of the more important pod")]
        preemptor: Rc<str>,
        #[operand(source = "spec.priority of the more important pod")]
        priority: i32,
    },
    /// A pod loses the node that it is nominated for.
    #[rule(
        id = "scheduler.nomination-cleared",
        upstream = "pkg/scheduler/framework/preemption/executor.go Executor.prepareCandidateAsync",
        sentence = "{pod} loses its nominatedNodeName, since a more important pod needs the node, and looks for another one."
    )]
    NoRoomAnyMore {
        #[operand(POD_NAME)]
        pod: Rc<str>,
    },
    /// No node takes a pod.
    #[rule(
        id = "scheduler.unschedulable",
        upstream = "pkg/scheduler/schedule_one.go Scheduler.handleSchedulingFailure",
        sentence = "{pod} stays Pending: {misfits}."
    )]
    Unschedulable {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "how many nodes refuse the pod, and why, in the scheduler's words")]
        misfits: Rc<str>,
        /// What it makes of each node; none if it looked at none.
        #[operand(skip)]
        report: Option<Rc<NodeReport>>,
    },
}

/// What a kubelet does to a pod.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum KubeletDecision {
    /// The containers have started.
    #[rule(
        id = "kubelet.started",
        upstream = "pkg/kubelet/kubelet_pods.go generateAPIPodStatus",
        sentence = "The containers of {pod} run on Node {node}; the pod is not ready yet."
    )]
    Started {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(NODE_NAME)]
        node: Rc<str>,
    },
    /// The pod is ready.
    #[rule(
        id = "kubelet.ready",
        upstream = "pkg/kubelet/status/generate.go GeneratePodReadyCondition",
        sentence = "{pod} is ready."
    )]
    Ready {
        #[operand(POD_NAME)]
        pod: Rc<str>,
    },
    /// The pod is ready at the probe that it needed.
    #[rule(
        id = "kubelet.ready.probe",
        upstream = "pkg/kubelet/prober/worker.go worker.doProbe",
        sentence = "{pod} is ready {after} after its start: its containers take {answers} to answer probes, and this probe reaches the successThreshold."
    )]
    ProbedReady {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(
            source = "from the start of its containers to the probe: period, initial delay and the successes needed are set in the pod template"
        )]
        after: Duration,
        #[operand(source = "how long its containers take until they answer, as the scenario says")]
        answers: Duration,
    },
    /// A container does not answer its startup probe in time.
    #[rule(
        id = "kubelet.startup-failed",
        upstream = "pkg/kubelet/prober/worker.go worker.doProbe",
        sentence = "Container {container} of {pod} failed its startup probe {failures} time(s) in a row: the kubelet kills and restarts it."
    )]
    StartupFailed {
        #[operand(source = "its first container")]
        container: Rc<str>,
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "how many failures in a row the startup probe allows, as the pod template says")]
        failures: i64,
    },
    /// The same, in a pod that starts no container again.
    #[rule(
        id = "kubelet.startup-failed.for-good",
        upstream = "pkg/kubelet/prober/worker.go worker.doProbe",
        sentence = "Container {container} of {pod} failed its startup probe {failures} time(s) in a row: the kubelet kills it."
    )]
    StartupFailedForGood {
        #[operand(source = "its first container")]
        container: Rc<str>,
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "how many failures in a row the startup probe allows, as the pod template says")]
        failures: i64,
    },
    /// The pod's kubelet, which is heard of again, never took it for anything but ready.
    #[rule(
        id = "kubelet.ready-again",
        upstream = "pkg/kubelet/status/status_manager.go needsReconcile",
        sentence = "{pod} is ready, as it has been all along: its kubelet reports again."
    )]
    ReadyAgain {
        #[operand(POD_NAME)]
        pod: Rc<str>,
    },
    /// An image can't be pulled.
    #[rule(
        id = "kubelet.pull-failed",
        upstream = "pkg/kubelet/images/image_manager.go imageManager.pullImage",
        sentence = "{pod} can't start: its image {image} can't be pulled (ErrImagePull)."
    )]
    PullFailed {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the image of its first container")]
        image: Rc<str>,
    },
    /// The kubelet waits before it pulls again.
    #[rule(
        id = "kubelet.pull-back-off",
        upstream = "pkg/kubelet/images/image_manager.go imageManager.pullImage",
        sentence = "{pod} waits {back_off} before the kubelet pulls its image {image} again (ImagePullBackOff)."
    )]
    PullBackOff {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the image of its first container")]
        image: Rc<str>,
        #[operand(source = "10 s, doubling each time up to 300 s")]
        back_off: Duration,
    },
    /// A container has crashed, and waits before it is started again.
    #[rule(
        id = "kubelet.crashed",
        upstream = "pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.doBackOff",
        sentence = "{pod} is not ready: container {container} has crashed {crashes} time(s) and restarts after {back_off} (CrashLoopBackOff)."
    )]
    Crashed {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "its first container")]
        container: Rc<str>,
        #[operand(source = "how often it has crashed")]
        crashes: u32,
        #[operand(source = "10 s, doubling each time up to 300 s")]
        back_off: Duration,
    },
    /// A container that crashed is started again.
    #[rule(
        id = "kubelet.restarted",
        upstream = "pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.computePodActions",
        sentence = "Container {container} of {pod} restarts: its restartCount is now {restarts}."
    )]
    Restarted {
        #[operand(source = "its first container")]
        container: Rc<str>,
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "restarts of the container")]
        restarts: i32,
    },
    /// The pod has done what it was for.
    #[rule(
        id = "kubelet.succeeded",
        upstream = "pkg/kubelet/kubelet_pods.go getPhase",
        sentence = "{pod} has succeeded: all its containers ended with exit code 0."
    )]
    Succeeded {
        #[operand(POD_NAME)]
        pod: Rc<str>,
    },
    /// The pod has failed.
    #[rule(
        id = "kubelet.failed",
        upstream = "pkg/kubelet/kubelet_pods.go getPhase",
        sentence = "{pod} has failed: container {container} ended with exit code {exit_code}, and no container is restarted."
    )]
    Failed {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the first container that ended with an error")]
        container: Rc<str>,
        #[operand(source = "its exit code")]
        exit_code: i32,
    },
    /// A container has failed, and the pod runs on.
    #[rule(
        id = "kubelet.container-failed",
        upstream = "pkg/kubelet/kubelet_pods.go getPhase",
        sentence = "Container {container} of {pod} ended with exit code {exit_code} and is not restarted: the pod fails once the others have ended."
    )]
    ContainerFailed {
        #[operand(source = "its first container")]
        container: Rc<str>,
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "its exit code")]
        exit_code: i32,
    },
    /// The pod waits for it.
    #[rule(
        id = "kubelet.container-creating",
        upstream = "pkg/kubelet/kubelet_pods.go Kubelet.convertToAPIContainerStatuses",
        sentence = "{pod} stays in ContainerCreating until it has its volume {volume}."
    )]
    ContainerCreating {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the volume of its PersistentVolumeClaim")]
        volume: Rc<str>,
    },
    /// The preStop hook is over.
    #[rule(
        id = "kubelet.pre-stop",
        upstream = "pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.killContainer",
        sentence = "The preStop hook of {pod} took {seconds} s: now its containers get the stop signal and have {left} s left."
    )]
    PreStopped {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "time since the request to delete it")]
        seconds: i64,
        #[operand(source = "what is left of the grace period, at least 2 s")]
        left: i64,
    },
    /// The pod is gone.
    #[rule(
        id = "kubelet.gone",
        upstream = "pkg/kubelet/status/status_manager.go syncPod",
        sentence = "{pod} {end} after {seconds} s (grace period: {grace} s) and is gone."
    )]
    Gone {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[clause]
        end: ContainersEnd,
        #[operand(source = "time since the request to delete it")]
        seconds: i64,
        #[operand(source = "its terminationGracePeriodSeconds, at least 2 s")]
        grace: i64,
    },
    /// The pod has ended, and stays until its finalizers are gone.
    #[rule(
        id = "kubelet.held",
        upstream = "pkg/kubelet/status/status_manager.go TerminatePod",
        sentence = "{pod} {end} after {seconds} s (grace period: {grace} s): it has failed, and stays until its finalizer is removed."
    )]
    Held {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[clause]
        end: ContainersEnd,
        #[operand(source = "time since the request to delete it")]
        seconds: i64,
        #[operand(source = "its terminationGracePeriodSeconds, at least 2 s")]
        grace: i64,
    },
}

/// What the controllers decide that watch over nodes and their pods.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum NodeDecision {
    /// A node's kubelet was not heard of for too long.
    #[rule(
        id = "node-lifecycle.unreachable",
        upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth",
        sentence = "Node {node} has not reported for {seconds} s: its state is unknown, and it gets no more pods."
    )]
    Unreachable {
        #[operand(NODE_NAME)]
        node: Rc<str>,
        #[operand(source = "the node controller's node-monitor-grace-period")]
        seconds: i64,
    },
    /// The pods of such a node count as not ready.
    #[rule(
        id = "node-lifecycle.not-ready",
        upstream = "pkg/controller/util/node/controller_utils.go MarkPodsNotReady",
        sentence = "{pod} is marked as not ready, because Node {node} is unreachable."
    )]
    NotReady {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(NODE_NAME)]
        node: Rc<str>,
    },
    /// Such a node is tainted: its pods go once they tolerate it no more.
    #[rule(
        id = "node-lifecycle.taint",
        upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass",
        sentence = "Node {node} gets the taint {taint}: its pods are evicted once they no longer tolerate it."
    )]
    Taint {
        #[operand(NODE_NAME)]
        node: Rc<str>,
        #[operand(source = "key and effect of the taint")]
        taint: Rc<str>,
    },
    /// Most nodes of the zone are unreachable, so the cause may lie elsewhere.
    #[rule(
        id = "node-lifecycle.no-evictions",
        upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption",
        sentence = "Unreachable nodes: {unready} of {nodes}. The cause may lie elsewhere, so no further nodes are tainted for eviction.",
        formula = ["none are tainted if all nodes are unreachable, or, of up to 50 nodes, more than 2 and at least 55%: {unready} of {nodes}"],
    )]
    NoEvictions {
        #[operand(source = "nodes that are unreachable")]
        unready: i64,
        #[operand(source = "all nodes")]
        nodes: i64,
    },
    /// A node is heard of again.
    #[rule(
        id = "node-lifecycle.reachable",
        upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go markNodeAsReachable",
        sentence = "Node {node} is ready again: its pods can stay."
    )]
    Reachable {
        #[operand(NODE_NAME)]
        node: Rc<str>,
    },
    /// A pod does not tolerate its node's taint any more.
    #[rule(
        id = "taint-eviction.delete",
        upstream = "pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod",
        sentence = "{pod} is evicted: Node {node} is {taint}, which the pod tolerates for only {seconds} s."
    )]
    Evict {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "tolerationSeconds of its toleration; 300 unless it has one, 0 for out-of-service")]
        seconds: i64,
        #[operand(NODE_NAME)]
        node: Rc<str>,
        #[operand(source = "the node's taint")]
        taint: Rc<str>,
    },
    /// A terminating pod of a node that is out of service is removed by force.
    #[rule(
        id = "pod-gc.out-of-service",
        upstream = "pkg/controller/podgc/gc_controller.go gcTerminating",
        sentence = "{pod} {fate}: it is terminating on Node {node}, which is out of service."
    )]
    OutOfService {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[clause]
        fate: Fate,
        #[operand(NODE_NAME)]
        node: Rc<str>,
    },
    /// A terminating pod without a node fails.
    #[rule(
        id = "pod-gc.unscheduled",
        upstream = "pkg/controller/podgc/gc_controller.go gcUnscheduledTerminating",
        sentence = "{pod} is marked as failed: it is terminating without a node, so no kubelet can report its end."
    )]
    Unscheduled {
        #[operand(POD_NAME)]
        pod: Rc<str>,
    },
    /// A pod of a node that no longer exists is removed by force.
    #[rule(
        id = "pod-gc.orphaned",
        upstream = "pkg/controller/podgc/gc_controller.go gcOrphaned",
        sentence = "{pod} {fate}: its Node {node} no longer exists."
    )]
    Orphaned {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[clause]
        fate: Fate,
        #[operand(NODE_NAME)]
        node: Rc<str>,
    },
}

/// What becomes of a pod that the pod garbage collector deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Clause)]
pub enum Fate {
    /// A finalizer keeps it.
    #[clause("is marked as failed")]
    Failed,
    /// It has no finalizer.
    #[clause("is removed")]
    Removed,
}

/// What the garbage collector decides.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum GarbageCollectorDecision {
    /// An object of a deleted owner goes with it.
    #[rule(
        id = "garbage-collector.delete",
        upstream = "pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem",
        sentence = "{object} is deleted with its owner {owner}."
    )]
    Collect {
        #[operand(source = "the object")]
        object: Rc<ObjectKey>,
        #[operand(source = "its owner")]
        owner: Rc<ObjectKey>,
    },
    /// An object stays when its owner goes.
    #[rule(
        id = "garbage-collector.orphan",
        upstream = "pkg/controller/garbagecollector/garbagecollector.go orphanDependents",
        sentence = "{object} stays without an owner: only {owner} was deleted."
    )]
    Orphan {
        #[operand(source = "the object")]
        object: Rc<ObjectKey>,
        #[operand(source = "its owner")]
        owner: Rc<ObjectKey>,
    },
    /// An owner goes after everything it owned.
    #[rule(
        id = "garbage-collector.foreground",
        upstream = "pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem",
        sentence = "Everything that {object} owned is gone: now it is deleted too."
    )]
    Foreground {
        #[operand(source = "the object")]
        object: Rc<ObjectKey>,
    },
}

/// What the controller decides that attaches volumes to nodes.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum VolumeDecision {
    /// Another node has the pod's volume.
    #[rule(
        id = "attach-detach.multi-attach",
        upstream = "pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reportMultiAttachError",
        sentence = "{pod} can't use its volume {volume}: it is still attached to Node {other_node}, and only one node may use it at a time."
    )]
    MultiAttach {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the volume of its PersistentVolumeClaim")]
        volume: Rc<str>,
        #[operand(source = "the node that the volume is still attached to")]
        other_node: Rc<str>,
    },
    /// The volume has become free.
    #[rule(
        id = "attach-detach.attached",
        upstream = "pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.attachDesiredVolumes",
        sentence = "The volume {volume} is free: it is attached to Node {node} for {pod}."
    )]
    Attach {
        #[operand(source = "the volume of its PersistentVolumeClaim")]
        volume: Rc<str>,
        #[operand(NODE_NAME)]
        node: Rc<str>,
        #[operand(POD_NAME)]
        pod: Rc<str>,
    },
    /// A deleted claim is not used any more.
    #[rule(
        id = "pvc-protection.release",
        upstream = "pkg/controller/volume/pvcprotection/pvc_protection_controller.go processPVCsByNamespace",
        sentence = "{claim} has been deleted, and no pod uses it any more: it goes."
    )]
    Release {
        #[operand(source = "the PersistentVolumeClaim")]
        claim: Rc<str>,
    },
}

/// What the node autoscaler decides.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum AutoscalerDecision {
    /// The autoscaler orders nodes.
    #[rule(
        id = "cluster-autoscaler.scale-up",
        sentence = "{pod} has waited {waited} for a node: the autoscaler adds {ordered}, from {before} to {after} nodes."
    )]
    ScaleUp {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "how long a pod must wait, as the scenario says")]
        waited: Duration,
        #[operand(source = "enough nodes for the waiting pods that don't fit on nodes on their way")]
        ordered: u32,
        #[operand(source = "nodes that exist or are on their way")]
        before: u32,
        #[operand(source = "nodes including the new ones")]
        after: u32,
    },
    /// It does not, as that would not help.
    #[rule(id = "cluster-autoscaler.no-scale-up", sentence = "The autoscaler adds no node for {pod}: {why_not}.")]
    NoScaleUp {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "why the pod would not fit on a new node, or why none can be added")]
        why_not: Rc<str>,
    },
    /// A node has come.
    #[rule(id = "cluster-autoscaler.node-ready", sentence = "Node {node}, added by the autoscaler, is ready.")]
    NodeReady {
        #[operand(NODE_NAME)]
        node: Rc<str>,
    },
    /// It removes a node.
    #[rule(
        id = "cluster-autoscaler.scale-down",
        sentence = "Node {node} has been empty for {idle}: the autoscaler removes it."
    )]
    ScaleDown {
        #[operand(NODE_NAME)]
        node: Rc<str>,
        #[operand(source = "how long a node must be empty, as the scenario says")]
        idle: Duration,
    },
}

/// What the API server answers to an eviction.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum EvictionDecision {
    /// A budget needs the pod.
    #[rule(
        id = "eviction.refused",
        upstream = "pkg/registry/core/pod/storage/eviction.go EvictionREST.checkAndDecrement",
        sentence = "{pod} can't be evicted: the disruption budget {budget} needs {needed} healthy pods and has {healthy}.",
        formula = [
            "Cannot evict pod as it would violate the pod's disruption budget.",
            "The disruption budget {budget} needs {needed} healthy pods and has {healthy} currently",
        ],
    )]
    BudgetRefuses {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the PodDisruptionBudget")]
        budget: Rc<str>,
        #[operand(source = "its minAvailable, or the desired pods less its maxUnavailable")]
        needed: i64,
        #[operand(source = "ready pods that it selects, except terminating ones")]
        healthy: i64,
    },
    /// The eviction is impossible for another reason.
    #[rule(
        id = "eviction.impossible",
        upstream = "pkg/registry/core/pod/storage/eviction.go EvictionREST.Create",
        sentence = "{pod} can't be evicted: {why_not}"
    )]
    Impossible {
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[operand(source = "the API server's message")]
        why_not: Rc<str>,
    },
}

/// What the API server answers to a creation that a ResourceQuota forbids.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
pub enum QuotaDecision {
    /// A quota leaves no room for what a controller wants to create.
    #[rule(
        id = "quota.exceeded",
        upstream = "k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest",
        sentence = "{creator} can't create a {kind} ({requested}): quota {quota} allows {limited}, and {used} is used. The next try is in {next_try}.",
        formula = ["{used} + {requested} > {limited}"],
    )]
    Exceeded {
        #[operands]
        exceeded: Exceeded,
        #[operand(source::NEXT_TRY)]
        next_try: Duration,
    },
    /// The same, and the controller has tried too often.
    #[rule(
        id = "quota.exceeded.given-up",
        upstream = "pkg/controller/deployment/deployment_controller.go handleErr",
        sentence = "{creator} can't create a {kind} ({requested}): quota {quota} allows {limited}, and {used} is used. No more tries until something changes.",
        formula = ["{used} + {requested} > {limited}"],
    )]
    ExceededGivenUp(Exceeded),
    /// A quota wants containers to say what they need.
    #[rule(
        id = "quota.unspecified",
        upstream = "pkg/quota/v1/evaluator/core/pods.go podEvaluator.Constraints",
        sentence = "{creator} can't create a pod: quota {quota} requires its containers to specify {unspecified}. The next try is in {next_try}."
    )]
    Unspecified {
        #[operand(source::CREATOR)]
        creator: Rc<str>,
        #[operand(source::QUOTA)]
        quota: Rc<str>,
        #[operand(source = "resources in spec.hard that the containers do not specify")]
        unspecified: Rc<str>,
        #[operand(source::NEXT_TRY)]
        next_try: Duration,
    },
}

/// What a quota leaves no room for.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Exceeded {
    #[operand(source::CREATOR)]
    pub creator: Rc<str>,
    #[operand(source = "what it creates")]
    pub kind: Kind,
    #[operand(source = "what it would add to the quota's usage")]
    pub requested: Rc<str>,
    #[operand(source::QUOTA)]
    pub quota: Rc<str>,
    #[operand(source = "spec.hard of the ResourceQuota")]
    pub limited: Rc<str>,
    #[operand(source = "what the namespace uses: terminating pods too, until twice their grace period is over")]
    pub used: Rc<str>,
}
