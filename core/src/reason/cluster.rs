//! What the rest of the simulated cluster does: scheduler, kubelet, node controller, garbage collectors.

use super::operands::{NODE, POD};
use super::{Operand, Rule, operand};

/// A pod gets its node.
pub static BIND: Rule = Rule {
    id: "scheduler.bind",
    upstream: Some("pkg/scheduler/schedule_one.go bind"),
    section: None,
    sentence: "The scheduler binds {0} to {1}.",
    formula: &[],
    operands: &[&POD, &CHOSEN],
};

static CHOSEN: Operand = operand("node", "here the node with the fewest pods; the real scheduler scores nodes");

/// No node takes a pod.
pub static UNSCHEDULABLE: Rule = Rule {
    id: "scheduler.unschedulable",
    upstream: Some("pkg/scheduler/schedule_one.go Scheduler.handleSchedulingFailure"),
    section: None,
    sentence: "{0} stays Pending: {1}.",
    formula: &[],
    operands: &[&POD, &MISFITS],
};

static MISFITS: Operand =
    operand("misfits", "how many nodes refuse the pod for which reason, as the scheduler says it");

/// The containers have started.
pub static STARTED: Rule = Rule {
    id: "kubelet.started",
    upstream: Some("pkg/kubelet/kubelet_pods.go generateAPIPodStatus"),
    section: None,
    sentence: "The containers of {0} run on {1}; it is not ready yet.",
    formula: &[],
    operands: &[&POD, &NODE],
};

/// The pod is ready.
pub static READY: Rule = Rule {
    id: "kubelet.ready",
    upstream: Some("pkg/kubelet/status/generate.go GeneratePodReadyCondition"),
    section: None,
    sentence: "{0} is ready.",
    formula: &[],
    operands: &[&POD],
};

/// An image can't be pulled.
pub static PULL_FAILED: Rule = Rule {
    id: "kubelet.pull-failed",
    upstream: Some("pkg/kubelet/images/image_manager.go imageManager.pullImage"),
    section: None,
    sentence: "{0} can't start: its image {1} can't be pulled (ErrImagePull).",
    formula: &[],
    operands: &[&POD, &IMAGE],
};

/// The kubelet waits before it pulls again.
pub static PULL_BACK_OFF: Rule = Rule {
    id: "kubelet.pull-back-off",
    upstream: Some("pkg/kubelet/images/image_manager.go imageManager.pullImage"),
    section: None,
    sentence: "{0} waits {2} before its image {1} is pulled again (ImagePullBackOff).",
    formula: &[],
    operands: &[&POD, &IMAGE, &BACK_OFF],
};

/// A container has crashed, and waits before it is started again.
pub static CRASHED: Rule = Rule {
    id: "kubelet.crashed",
    upstream: Some("pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.doBackOff"),
    section: None,
    sentence: "{0} is not ready: container {1} has crashed ({2} in all) and is started again after {3} (CrashLoopBackOff).",
    formula: &[],
    operands: &[&POD, &CONTAINER, &CRASHES, &BACK_OFF],
};

/// A container that crashed is started again.
pub static RESTARTED: Rule = Rule {
    id: "kubelet.restarted",
    upstream: Some("pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.computePodActions"),
    section: None,
    sentence: "Container {0} of {1} had crashed and is started again: restart {2}.",
    formula: &[],
    operands: &[&CONTAINER, &POD, &RESTARTS],
};

/// The preStop hook is over.
pub static PRE_STOPPED: Rule = Rule {
    id: "kubelet.pre-stop",
    upstream: Some("pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.killContainer"),
    section: None,
    sentence: "The preStop hook of {0} has taken {1} s: now its containers are told to stop and have {2} s left.",
    formula: &[],
    operands: &[&POD, &SECONDS, &LEFT],
};

static IMAGE: Operand = operand("image", "the image of its first container");

static BACK_OFF: Operand = operand("backOff", "10 s, doubling each time up to 300 s");

static CONTAINER: Operand = operand("container", "its first container");

static CRASHES: Operand = operand("crashes", "how often it has crashed");

static RESTARTS: Operand = operand("restarts", "restarts of the container");

static LEFT: Operand = operand("left", "what is left of the grace period; 2 s in any case");

/// The pod is gone.
pub static GONE: Rule = Rule {
    id: "kubelet.gone",
    upstream: Some("pkg/kubelet/status/status_manager.go syncPod"),
    section: None,
    sentence: "{0} has ended after {1} of at most {2} seconds of grace: it is gone.",
    formula: &[],
    operands: &[&POD, &SECONDS, &GRACE],
};

static SECONDS: Operand = operand("seconds", "time since its deletion was asked for");

static GRACE: Operand = operand("grace", "its terminationGracePeriodSeconds, and 2 s in any case");

/// An object of a deleted owner goes with it.
pub static COLLECTED: Rule = Rule {
    id: "garbage-collector.delete",
    upstream: Some("pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem"),
    section: None,
    sentence: "{0} goes, because its owner {1} is deleted.",
    formula: &[],
    operands: &[&OBJECT, &OWNER],
};

static OBJECT: Operand = operand("object", "the object");

static OWNER: Operand = operand("owner", "its owner");

/// An object stays when its owner goes.
pub static ORPHANED: Rule = Rule {
    id: "garbage-collector.orphan",
    upstream: Some("pkg/controller/garbagecollector/garbagecollector.go orphanDependents"),
    section: None,
    sentence: "{0} stays without an owner: {1} was deleted alone.",
    formula: &[],
    operands: &[&OBJECT, &OWNER],
};

/// An owner goes after everything it owned.
pub static FOREGROUND: Rule = Rule {
    id: "garbage-collector.foreground",
    upstream: Some("pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem"),
    section: None,
    sentence: "Everything that {0} owned is gone: now it goes too.",
    formula: &[],
    operands: &[&OBJECT],
};

/// The pod's kubelet, which is heard of again, never took it for anything but ready.
pub static READY_AGAIN: Rule = Rule {
    id: "kubelet.ready-again",
    upstream: Some("pkg/kubelet/status/status_manager.go needsReconcile"),
    section: None,
    sentence: "{0} is ready, as it was all the time: its kubelet is heard of again.",
    formula: &[],
    operands: &[&POD],
};

/// A node's kubelet was not heard of for too long.
pub static UNREACHABLE: Rule = Rule {
    id: "node-lifecycle.unreachable",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth"),
    section: None,
    sentence: "{0} was not heard of for {1} seconds: nobody knows whether it is ready, and it gets no more pods.",
    formula: &[],
    operands: &[&NODE, &UNHEARD],
};

static UNHEARD: Operand = operand("seconds", "the node controller's node-monitor-grace-period");

/// The pods of such a node count as not ready.
pub static NOT_READY: Rule = Rule {
    id: "node-lifecycle.not-ready",
    upstream: Some("pkg/controller/util/node/controller_utils.go MarkPodsNotReady"),
    section: None,
    sentence: "{0} counts as not ready, because {1} is unreachable.",
    formula: &[],
    operands: &[&POD, &NODE],
};

/// Such a node is tainted: its pods go once they tolerate it no more.
pub static TAINTED: Rule = Rule {
    id: "node-lifecycle.taint",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass"),
    section: None,
    sentence: "{0} gets the taint {1}: its pods go once they tolerate it no more.",
    formula: &[],
    operands: &[&NODE, &TAINT],
};

static TAINT: Operand = operand("taint", "key and effect of the taint");

/// So many nodes are unreachable that the fault may lie elsewhere.
pub static NO_EVICTIONS: Rule = Rule {
    id: "node-lifecycle.no-evictions",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption"),
    section: None,
    sentence: "{0} of {1} nodes are unreachable: the fault may lie elsewhere, so no further pods have to go.",
    formula: &["none are tainted where all nodes are unreachable, or 55 % of at most 50: {0} of {1}"],
    operands: &[&UNREADY, &NODES],
};

static UNREADY: Operand = operand("unready", "nodes that are unreachable");

static NODES: Operand = operand("nodes", "all nodes");

/// A node is heard of again.
pub static REACHABLE: Rule = Rule {
    id: "node-lifecycle.reachable",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go markNodeAsReachable"),
    section: None,
    sentence: "{0} is ready again: its pods need not go.",
    formula: &[],
    operands: &[&NODE],
};

/// A pod does not tolerate its node's taint any more.
pub static EVICTED: Rule = Rule {
    id: "taint-eviction.delete",
    upstream: Some("pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod"),
    section: None,
    sentence: "{0} has to go: it tolerates for {1} seconds that {2} is {3}.",
    formula: &[],
    operands: &[&POD, &TOLERATED, &NODE, &ITS_TAINT],
};

static TOLERATED: Operand =
    operand("seconds", "tolerationSeconds of its toleration; 300 unless it has one, 0 for out-of-service");

static ITS_TAINT: Operand = operand("taint", "the node's taint");

/// A terminating pod of a node that is out of service is removed by force.
pub static OUT_OF_SERVICE: Rule = Rule {
    id: "pod-gc.out-of-service",
    upstream: Some("pkg/controller/podgc/gc_controller.go gcTerminating"),
    section: None,
    sentence: "{0} terminates on {1}, which is out of service: it is removed.",
    formula: &[],
    operands: &[&POD, &NODE],
};

/// A pod of a node that no longer exists is removed by force.
pub static ORPHANED_POD: Rule = Rule {
    id: "pod-gc.orphaned",
    upstream: Some("pkg/controller/podgc/gc_controller.go gcOrphaned"),
    section: None,
    sentence: "{0} is removed: its node {1} does not exist any more.",
    formula: &[],
    operands: &[&POD, &NODE],
};

/// Another node has the pod's volume.
pub static MULTI_ATTACH: Rule = Rule {
    id: "attach-detach.multi-attach",
    upstream: Some("pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reportMultiAttachError"),
    section: None,
    sentence: "{0} can't have its volume {1}: it is still attached to {2}, and only one node at a time may have it.",
    formula: &[],
    operands: &[&POD, &VOLUME, &OTHER_NODE],
};

/// The pod waits for it.
pub static CONTAINER_CREATING: Rule = Rule {
    id: "kubelet.container-creating",
    upstream: Some("pkg/kubelet/kubelet_pods.go Kubelet.convertToAPIContainerStatuses"),
    section: None,
    sentence: "{0} stays in ContainerCreating until it has its volume {1}.",
    formula: &[],
    operands: &[&POD, &VOLUME],
};

/// The volume has become free.
pub static ATTACHED: Rule = Rule {
    id: "attach-detach.attached",
    upstream: Some("pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.attachDesiredVolumes"),
    section: None,
    sentence: "The volume {0} has become free: it is attached to {1} for {2}.",
    formula: &[],
    operands: &[&VOLUME, &NODE, &POD],
};

static VOLUME: Operand = operand("volume", "the volume of its PersistentVolumeClaim");

static OTHER_NODE: Operand =
    operand("otherNode", "the node of the pods that have it, or had it until its kubelet is heard of");

/// The autoscaler orders nodes.
pub static SCALE_UP: Rule = Rule {
    id: "cluster-autoscaler.scale-up",
    upstream: None,
    section: None,
    sentence: "{0} has waited {1} for a node: the autoscaler orders {2}, from {3} to {4} nodes.",
    formula: &[],
    operands: &[&POD, &WAITED, &ORDERED, &NODES_BEFORE, &NODES_AFTER],
};

/// It does not, as that would not help.
pub static NO_SCALE_UP: Rule = Rule {
    id: "cluster-autoscaler.no-scale-up",
    upstream: None,
    section: None,
    sentence: "The autoscaler orders no node for {0}: {1}.",
    formula: &[],
    operands: &[&POD, &WHY_NO_NODE],
};

/// A node has come.
pub static NODE_COMES: Rule = Rule {
    id: "cluster-autoscaler.node-ready",
    upstream: None,
    section: None,
    sentence: "{0}, which the autoscaler ordered, is ready.",
    formula: &[],
    operands: &[&NODE],
};

/// It removes a node.
pub static SCALE_DOWN: Rule = Rule {
    id: "cluster-autoscaler.scale-down",
    upstream: None,
    section: None,
    sentence: "{0} has been empty for {1}: the autoscaler removes it.",
    formula: &[],
    operands: &[&NODE, &IDLE],
};

static WAITED: Operand = operand("waited", "how long a pod must wait, as the scenario says");

static ORDERED: Operand = operand("ordered", "as many nodes as take the pods that wait and that no ordered node takes");

static NODES_BEFORE: Operand = operand("before", "nodes that are there or ordered");

static NODES_AFTER: Operand = operand("after", "nodes with the new ones");

static WHY_NO_NODE: Operand = operand("whyNot", "why a new node would not take it, or may not come");

static IDLE: Operand = operand("idle", "how long a node must be empty, as the scenario says");

/// A budget needs the pod.
pub static BUDGET_REFUSES: Rule = Rule {
    id: "eviction.refused",
    upstream: Some("pkg/registry/core/pod/storage/eviction.go EvictionREST.checkAndDecrement"),
    section: None,
    sentence: "{0} may not be evicted: the disruption budget {1} needs {2} healthy pods and has {3}.",
    formula: &[
        "Cannot evict pod as it would violate the pod's disruption budget.",
        "The disruption budget {1} needs {2} healthy pods and has {3} currently",
    ],
    operands: &[&POD, &BUDGET, &NEEDED, &HEALTHY],
};

static BUDGET: Operand = operand("budget", "the PodDisruptionBudget");

static NEEDED: Operand = operand("needed", "its minAvailable, or the desired pods less its maxUnavailable");

static HEALTHY: Operand = operand("healthy", "ready pods that it selects, without those that terminate");

/// The eviction is impossible for another reason.
pub static NOT_EVICTED: Rule = Rule {
    id: "eviction.impossible",
    upstream: Some("pkg/registry/core/pod/storage/eviction.go EvictionREST.Create"),
    section: None,
    sentence: "{0} may not be evicted: {1}",
    formula: &[],
    operands: &[&POD, &WHY_NOT],
};

static WHY_NOT: Operand = operand("whyNot", "the API server's words");

/// A quota leaves no room for what a controller wants to create.
pub static QUOTA_EXCEEDED: Rule = Rule {
    id: "quota.exceeded",
    upstream: Some("k8s.io/apiserver/pkg/admission/plugin/resourcequota/controller.go CheckRequest"),
    section: None,
    sentence: "{0} can't create a {1} ({2}): quota {3} allows {4}, of which {5} is used. The next try is in {6}.",
    formula: &["{5} + {2} > {4}"],
    operands: &[&CREATOR, &KIND, &REQUESTED, &QUOTA, &LIMITED, &USED, &NEXT_TRY],
};

/// A quota wants containers to say what they need.
pub static QUOTA_UNSPECIFIED: Rule = Rule {
    id: "quota.unspecified",
    upstream: Some("pkg/quota/v1/evaluator/core/pods.go podEvaluator.Constraints"),
    section: None,
    sentence: "{0} can't create a pod: quota {1} wants its containers to say {2}. The next try is in {3}.",
    formula: &[],
    operands: &[&CREATOR, &QUOTA, &UNSPECIFIED, &NEXT_TRY],
};

static CREATOR: Operand = operand("creator", "whose controller creates it");

static KIND: Operand = operand("kind", "what it creates");

static REQUESTED: Operand = operand("requested", "what it would use of the quota's resources");

static QUOTA: Operand = operand("quota", "the ResourceQuota");

static LIMITED: Operand = operand("limited", "spec.hard of the ResourceQuota");

static USED: Operand =
    operand("used", "what is there in the namespace: terminating pods too, until twice their grace period is over");

static UNSPECIFIED: Operand = operand("unspecified", "resources in spec.hard that containers do not name");

static NEXT_TRY: Operand =
    operand("nextTry", "the queue's back-off after so many failures: 5 ms, doubling up to 1000 s");

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &BIND,
    &UNSCHEDULABLE,
    &STARTED,
    &READY,
    &PULL_FAILED,
    &PULL_BACK_OFF,
    &CRASHED,
    &RESTARTED,
    &PRE_STOPPED,
    &GONE,
    &COLLECTED,
    &ORPHANED,
    &FOREGROUND,
    &READY_AGAIN,
    &UNREACHABLE,
    &NOT_READY,
    &TAINTED,
    &NO_EVICTIONS,
    &REACHABLE,
    &EVICTED,
    &OUT_OF_SERVICE,
    &ORPHANED_POD,
    &MULTI_ATTACH,
    &CONTAINER_CREATING,
    &ATTACHED,
    &SCALE_UP,
    &NO_SCALE_UP,
    &NODE_COMES,
    &SCALE_DOWN,
    &BUDGET_REFUSES,
    &NOT_EVICTED,
    &QUOTA_EXCEEDED,
    &QUOTA_UNSPECIFIED,
];
