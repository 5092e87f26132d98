//! What the rest of the simulated cluster does: scheduler, kubelet, node controller, garbage collectors.

use super::operands::{NODE_NAME, POD_NAME};
use super::{Rule, RuleText};

/// A pod gets its node.
#[derive(Rule)]
#[rule(
    id = "scheduler.bind",
    upstream = "pkg/scheduler/schedule_one.go bind",
    sentence = "The scheduler binds {pod} to {node}."
)]
pub(super) struct Bind<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "here the node with the fewest pods; the real scheduler scores nodes")]
    node: &'a str,
}

/// No node takes a pod.
#[derive(Rule)]
#[rule(
    id = "scheduler.unschedulable",
    upstream = "pkg/scheduler/schedule_one.go Scheduler.handleSchedulingFailure",
    sentence = "{pod} stays Pending: {misfits}."
)]
pub(super) struct Unschedulable<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "how many nodes refuse the pod for which reason, as the scheduler says it")]
    misfits: &'a str,
}

/// The containers have started.
#[derive(Rule)]
#[rule(
    id = "kubelet.started",
    upstream = "pkg/kubelet/kubelet_pods.go generateAPIPodStatus",
    sentence = "The containers of {pod} run on {node}; it is not ready yet."
)]
pub(super) struct Started<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// The pod is ready.
#[derive(Rule)]
#[rule(
    id = "kubelet.ready",
    upstream = "pkg/kubelet/status/generate.go GeneratePodReadyCondition",
    sentence = "{pod} is ready."
)]
pub(super) struct Ready<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// An image can't be pulled.
#[derive(Rule)]
#[rule(
    id = "kubelet.pull-failed",
    upstream = "pkg/kubelet/images/image_manager.go imageManager.pullImage",
    sentence = "{pod} can't start: its image {image} can't be pulled (ErrImagePull)."
)]
pub(super) struct PullFailed<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the image of its first container")]
    image: &'a str,
}

/// The kubelet waits before it pulls again.
#[derive(Rule)]
#[rule(
    id = "kubelet.pull-back-off",
    upstream = "pkg/kubelet/images/image_manager.go imageManager.pullImage",
    sentence = "{pod} waits {back_off} before its image {image} is pulled again (ImagePullBackOff)."
)]
pub(super) struct PullBackOff<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the image of its first container")]
    image: &'a str,
    #[operand(source = "10 s, doubling each time up to 300 s")]
    back_off: &'a str,
}

/// A container has crashed, and waits before it is started again.
#[derive(Rule)]
#[rule(
    id = "kubelet.crashed",
    upstream = "pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.doBackOff",
    sentence = "{pod} is not ready: container {container} has crashed ({crashes} in all) and is started again after {back_off} (CrashLoopBackOff)."
)]
pub(super) struct Crashed<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(source = "how often it has crashed")]
    crashes: i32,
    #[operand(source = "10 s, doubling each time up to 300 s")]
    back_off: &'a str,
}

/// A container that crashed is started again.
#[derive(Rule)]
#[rule(
    id = "kubelet.restarted",
    upstream = "pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.computePodActions",
    sentence = "Container {container} of {pod} had crashed and is started again: restart {restarts}."
)]
pub(super) struct Restarted<'a> {
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "restarts of the container")]
    restarts: i32,
}

/// The preStop hook is over.
#[derive(Rule)]
#[rule(
    id = "kubelet.pre-stop",
    upstream = "pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.killContainer",
    sentence = "The preStop hook of {pod} has taken {seconds} s: now its containers are told to stop and have {left} s left."
)]
pub(super) struct PreStopped<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "time since its deletion was asked for")]
    seconds: i32,
    #[operand(source = "what is left of the grace period; 2 s in any case")]
    left: i32,
}

/// The pod is gone.
#[derive(Rule)]
#[rule(
    id = "kubelet.gone",
    upstream = "pkg/kubelet/status/status_manager.go syncPod",
    sentence = "{pod} has ended after {seconds} of at most {grace} seconds of grace: it is gone."
)]
pub(super) struct Gone<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "time since its deletion was asked for")]
    seconds: i32,
    #[operand(source = "its terminationGracePeriodSeconds, and 2 s in any case")]
    grace: i32,
}

/// An object of a deleted owner goes with it.
#[derive(Rule)]
#[rule(
    id = "garbage-collector.delete",
    upstream = "pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem",
    sentence = "{object} goes, because its owner {owner} is deleted."
)]
pub(super) struct Collected<'a> {
    #[operand(source = "the object")]
    object: &'a str,
    #[operand(source = "its owner")]
    owner: &'a str,
}

/// An object stays when its owner goes.
#[derive(Rule)]
#[rule(
    id = "garbage-collector.orphan",
    upstream = "pkg/controller/garbagecollector/garbagecollector.go orphanDependents",
    sentence = "{object} stays without an owner: {owner} was deleted alone."
)]
pub(super) struct Orphaned<'a> {
    #[operand(source = "the object")]
    object: &'a str,
    #[operand(source = "its owner")]
    owner: &'a str,
}

/// An owner goes after everything it owned.
#[derive(Rule)]
#[rule(
    id = "garbage-collector.foreground",
    upstream = "pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem",
    sentence = "Everything that {object} owned is gone: now it goes too."
)]
pub(super) struct Foreground<'a> {
    #[operand(source = "the object")]
    object: &'a str,
}

/// The pod's kubelet, which is heard of again, never took it for anything but ready.
#[derive(Rule)]
#[rule(
    id = "kubelet.ready-again",
    upstream = "pkg/kubelet/status/status_manager.go needsReconcile",
    sentence = "{pod} is ready, as it was all the time: its kubelet is heard of again."
)]
pub(super) struct ReadyAgain<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// A node's kubelet was not heard of for too long.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.unreachable",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth",
    sentence = "{node} was not heard of for {seconds} seconds: nobody knows whether it is ready, and it gets no more pods."
)]
pub(super) struct Unreachable<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "the node controller's node-monitor-grace-period")]
    seconds: i32,
}

/// The pods of such a node count as not ready.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.not-ready",
    upstream = "pkg/controller/util/node/controller_utils.go MarkPodsNotReady",
    sentence = "{pod} counts as not ready, because {node} is unreachable."
)]
pub(super) struct NotReady<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// Such a node is tainted: its pods go once they tolerate it no more.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.taint",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass",
    sentence = "{node} gets the taint {taint}: its pods go once they tolerate it no more."
)]
pub(super) struct Tainted<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "key and effect of the taint")]
    taint: &'a str,
}

/// So many nodes are unreachable that the fault may lie elsewhere.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.no-evictions",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption",
    sentence = "{unready} of {nodes} nodes are unreachable: the fault may lie elsewhere, so no further pods have to go.",
    formula = ["none are tainted where all nodes are unreachable, or 55 % of at most 50: {unready} of {nodes}"],
)]
pub(super) struct NoEvictions {
    #[operand(source = "nodes that are unreachable")]
    unready: i32,
    #[operand(source = "all nodes")]
    nodes: i32,
}

/// A node is heard of again.
#[derive(Rule)]
#[rule(
    id = "node-lifecycle.reachable",
    upstream = "pkg/controller/nodelifecycle/node_lifecycle_controller.go markNodeAsReachable",
    sentence = "{node} is ready again: its pods need not go."
)]
pub(super) struct Reachable<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// A pod does not tolerate its node's taint any more.
#[derive(Rule)]
#[rule(
    id = "taint-eviction.delete",
    upstream = "pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod",
    sentence = "{pod} has to go: it tolerates for {seconds} seconds that {node} is {taint}."
)]
pub(super) struct Evicted<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "tolerationSeconds of its toleration; 300 unless it has one, 0 for out-of-service")]
    seconds: i32,
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "the node's taint")]
    taint: &'a str,
}

/// A terminating pod of a node that is out of service is removed by force.
#[derive(Rule)]
#[rule(
    id = "pod-gc.out-of-service",
    upstream = "pkg/controller/podgc/gc_controller.go gcTerminating",
    sentence = "{pod} terminates on {node}, which is out of service: it is removed."
)]
pub(super) struct OutOfService<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// A pod of a node that no longer exists is removed by force.
#[derive(Rule)]
#[rule(
    id = "pod-gc.orphaned",
    upstream = "pkg/controller/podgc/gc_controller.go gcOrphaned",
    sentence = "{pod} is removed: its node {node} does not exist any more."
)]
pub(super) struct OrphanedPod<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// Another node has the pod's volume.
#[derive(Rule)]
#[rule(
    id = "attach-detach.multi-attach",
    upstream = "pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reportMultiAttachError",
    sentence = "{pod} can't have its volume {volume}: it is still attached to {other_node}, and only one node at a time may have it."
)]
pub(super) struct MultiAttach<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the volume of its PersistentVolumeClaim")]
    volume: &'a str,
    #[operand(source = "the node of the pods that have it, or had it until its kubelet is heard of")]
    other_node: &'a str,
}

/// The pod waits for it.
#[derive(Rule)]
#[rule(
    id = "kubelet.container-creating",
    upstream = "pkg/kubelet/kubelet_pods.go Kubelet.convertToAPIContainerStatuses",
    sentence = "{pod} stays in ContainerCreating until it has its volume {volume}."
)]
pub(super) struct ContainerCreating<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the volume of its PersistentVolumeClaim")]
    volume: &'a str,
}

/// The volume has become free.
#[derive(Rule)]
#[rule(
    id = "attach-detach.attached",
    upstream = "pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.attachDesiredVolumes",
    sentence = "The volume {volume} has become free: it is attached to {node} for {pod}."
)]
pub(super) struct Attached<'a> {
    #[operand(source = "the volume of its PersistentVolumeClaim")]
    volume: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// The autoscaler orders nodes.
#[derive(Rule)]
#[rule(
    id = "cluster-autoscaler.scale-up",
    sentence = "{pod} has waited {waited} for a node: the autoscaler orders {ordered}, from {before} to {after} nodes."
)]
pub(super) struct ScaleUp<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "how long a pod must wait, as the scenario says")]
    waited: &'a str,
    #[operand(source = "as many nodes as take the pods that wait and that no ordered node takes")]
    ordered: &'a str,
    #[operand(source = "nodes that are there or ordered")]
    before: i32,
    #[operand(source = "nodes with the new ones")]
    after: i32,
}

/// It does not, as that would not help.
#[derive(Rule)]
#[rule(id = "cluster-autoscaler.no-scale-up", sentence = "The autoscaler orders no node for {pod}: {why_not}.")]
pub(super) struct NoScaleUp<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "why a new node would not take it, or may not come")]
    why_not: &'a str,
}

/// A node has come.
#[derive(Rule)]
#[rule(id = "cluster-autoscaler.node-ready", sentence = "{node}, which the autoscaler ordered, is ready.")]
pub(super) struct NodeComes<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// It removes a node.
#[derive(Rule)]
#[rule(id = "cluster-autoscaler.scale-down", sentence = "{node} has been empty for {idle}: the autoscaler removes it.")]
pub(super) struct ScaleDown<'a> {
    #[operand(NODE_NAME)]
    node: &'a str,
    #[operand(source = "how long a node must be empty, as the scenario says")]
    idle: &'a str,
}

/// A budget needs the pod.
#[derive(Rule)]
#[rule(
    id = "eviction.refused",
    upstream = "pkg/registry/core/pod/storage/eviction.go EvictionREST.checkAndDecrement",
    sentence = "{pod} may not be evicted: the disruption budget {budget} needs {needed} healthy pods and has {healthy}.",
    formula = [
        "Cannot evict pod as it would violate the pod's disruption budget.",
        "The disruption budget {budget} needs {needed} healthy pods and has {healthy} currently",
    ],
)]
pub(super) struct BudgetRefuses<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the PodDisruptionBudget")]
    budget: i32,
    #[operand(source = "its minAvailable, or the desired pods less its maxUnavailable")]
    needed: i32,
    #[operand(source = "ready pods that it selects, without those that terminate")]
    healthy: i32,
}

/// The eviction is impossible for another reason.
#[derive(Rule)]
#[rule(
    id = "eviction.impossible",
    upstream = "pkg/registry/core/pod/storage/eviction.go EvictionREST.Create",
    sentence = "{pod} may not be evicted: {why_not}"
)]
pub(super) struct NotEvicted<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the API server's words")]
    why_not: &'a str,
}

/// A quota leaves no room for what a controller wants to create.
#[derive(Rule)]
#[rule(
    id = "quota.exceeded",
    upstream = "k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest",
    sentence = "{creator} can't create a {kind} ({requested}): quota {quota} allows {limited}, of which {used} is used. The next try is in {next_try}.",
    formula = ["{used} + {requested} > {limited}"],
)]
pub(super) struct QuotaExceeded<'a> {
    #[operand(source = "whose controller creates it")]
    creator: &'a str,
    #[operand(source = "what it creates")]
    kind: &'a str,
    #[operand(source = "what it would use of the quota's resources")]
    requested: &'a str,
    #[operand(source = "the ResourceQuota")]
    quota: &'a str,
    #[operand(source = "spec.hard of the ResourceQuota")]
    limited: &'a str,
    #[operand(source = "what is there in the namespace: terminating pods too, until twice their grace period is over")]
    used: &'a str,
    #[operand(source = "the queue's back-off after so many failures: 5 ms, doubling up to 1000 s")]
    next_try: &'a str,
}

/// A quota wants containers to say what they need.
#[derive(Rule)]
#[rule(
    id = "quota.unspecified",
    upstream = "pkg/quota/v1/evaluator/core/pods.go podEvaluator.Constraints",
    sentence = "{creator} can't create a pod: quota {quota} wants its containers to say {unspecified}. The next try is in {next_try}."
)]
pub(super) struct QuotaUnspecified<'a> {
    #[operand(source = "whose controller creates it")]
    creator: &'a str,
    #[operand(source = "the ResourceQuota")]
    quota: &'a str,
    #[operand(source = "resources in spec.hard that containers do not name")]
    unspecified: &'a str,
    #[operand(source = "the queue's back-off after so many failures: 5 ms, doubling up to 1000 s")]
    next_try: &'a str,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Bind::TEXT,
    Unschedulable::TEXT,
    Started::TEXT,
    Ready::TEXT,
    PullFailed::TEXT,
    PullBackOff::TEXT,
    Crashed::TEXT,
    Restarted::TEXT,
    PreStopped::TEXT,
    Gone::TEXT,
    Collected::TEXT,
    Orphaned::TEXT,
    Foreground::TEXT,
    ReadyAgain::TEXT,
    Unreachable::TEXT,
    NotReady::TEXT,
    Tainted::TEXT,
    NoEvictions::TEXT,
    Reachable::TEXT,
    Evicted::TEXT,
    OutOfService::TEXT,
    OrphanedPod::TEXT,
    MultiAttach::TEXT,
    ContainerCreating::TEXT,
    Attached::TEXT,
    ScaleUp::TEXT,
    NoScaleUp::TEXT,
    NodeComes::TEXT,
    ScaleDown::TEXT,
    BudgetRefuses::TEXT,
    NotEvicted::TEXT,
    QuotaExceeded::TEXT,
    QuotaUnspecified::TEXT,
];

// TRANSITIONAL
/// See the rule.
pub static BIND: RuleText = *Bind::TEXT;
/// See the rule.
pub static UNSCHEDULABLE: RuleText = *Unschedulable::TEXT;
/// See the rule.
pub static STARTED: RuleText = *Started::TEXT;
/// See the rule.
pub static READY: RuleText = *Ready::TEXT;
/// See the rule.
pub static PULL_FAILED: RuleText = *PullFailed::TEXT;
/// See the rule.
pub static PULL_BACK_OFF: RuleText = *PullBackOff::TEXT;
/// See the rule.
pub static CRASHED: RuleText = *Crashed::TEXT;
/// See the rule.
pub static RESTARTED: RuleText = *Restarted::TEXT;
/// See the rule.
pub static PRE_STOPPED: RuleText = *PreStopped::TEXT;
/// See the rule.
pub static GONE: RuleText = *Gone::TEXT;
/// See the rule.
pub static COLLECTED: RuleText = *Collected::TEXT;
/// See the rule.
pub static ORPHANED: RuleText = *Orphaned::TEXT;
/// See the rule.
pub static FOREGROUND: RuleText = *Foreground::TEXT;
/// See the rule.
pub static READY_AGAIN: RuleText = *ReadyAgain::TEXT;
/// See the rule.
pub static UNREACHABLE: RuleText = *Unreachable::TEXT;
/// See the rule.
pub static NOT_READY: RuleText = *NotReady::TEXT;
/// See the rule.
pub static TAINTED: RuleText = *Tainted::TEXT;
/// See the rule.
pub static NO_EVICTIONS: RuleText = *NoEvictions::TEXT;
/// See the rule.
pub static REACHABLE: RuleText = *Reachable::TEXT;
/// See the rule.
pub static EVICTED: RuleText = *Evicted::TEXT;
/// See the rule.
pub static OUT_OF_SERVICE: RuleText = *OutOfService::TEXT;
/// See the rule.
pub static ORPHANED_POD: RuleText = *OrphanedPod::TEXT;
/// See the rule.
pub static MULTI_ATTACH: RuleText = *MultiAttach::TEXT;
/// See the rule.
pub static CONTAINER_CREATING: RuleText = *ContainerCreating::TEXT;
/// See the rule.
pub static ATTACHED: RuleText = *Attached::TEXT;
/// See the rule.
pub static SCALE_UP: RuleText = *ScaleUp::TEXT;
/// See the rule.
pub static NO_SCALE_UP: RuleText = *NoScaleUp::TEXT;
/// See the rule.
pub static NODE_COMES: RuleText = *NodeComes::TEXT;
/// See the rule.
pub static SCALE_DOWN: RuleText = *ScaleDown::TEXT;
/// See the rule.
pub static BUDGET_REFUSES: RuleText = *BudgetRefuses::TEXT;
/// See the rule.
pub static NOT_EVICTED: RuleText = *NotEvicted::TEXT;
/// See the rule.
pub static QUOTA_EXCEEDED: RuleText = *QuotaExceeded::TEXT;
/// See the rule.
pub static QUOTA_UNSPECIFIED: RuleText = *QuotaUnspecified::TEXT;
