//! What the rest of the simulated cluster does: scheduler, kubelet, node controller, garbage collectors.

use super::{Rule, operand};

/// A pod gets its node.
pub static BIND: Rule = Rule {
    id: "scheduler.bind",
    upstream: Some("pkg/scheduler/schedule_one.go bind"),
    section: None,
    sentence: "The scheduler binds {pod} to {node}, the node with the fewest pods.",
    formula: &[],
    operands: &[operand("pod", "a pod without a node"), operand("node", "a node with room")],
};

/// The containers have started.
pub static STARTED: Rule = Rule {
    id: "kubelet.started",
    upstream: Some("pkg/kubelet/kubelet_pods.go generateAPIPodStatus"),
    section: None,
    sentence: "The containers of {pod} run on {node}; it is not ready yet.",
    formula: &[],
    operands: &[operand("pod", "the pod"), operand("node", "its node")],
};

/// The pod is ready.
pub static READY: Rule = Rule {
    id: "kubelet.ready",
    upstream: Some("pkg/kubelet/status/generate.go GeneratePodReadyCondition"),
    section: None,
    sentence: "{pod} is ready.",
    formula: &[],
    operands: &[operand("pod", "the pod")],
};

/// The pod is gone.
pub static GONE: Rule = Rule {
    id: "kubelet.gone",
    upstream: Some("pkg/kubelet/status/status_manager.go syncPod"),
    section: None,
    sentence: "{pod} has ended after {seconds} of at most {grace} seconds of grace: it is gone.",
    formula: &[],
    operands: &[
        operand("pod", "the pod"),
        operand("seconds", "time since its deletion was asked for"),
        operand("grace", "its terminationGracePeriodSeconds"),
    ],
};

/// An object of a deleted owner goes with it.
pub static COLLECTED: Rule = Rule {
    id: "garbage-collector.delete",
    upstream: Some("pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem"),
    section: None,
    sentence: "{object} goes, because its owner {owner} is deleted.",
    formula: &[],
    operands: &[operand("object", "an object with an owner"), operand("owner", "its only owner")],
};

/// An object stays when its owner goes.
pub static ORPHANED: Rule = Rule {
    id: "garbage-collector.orphan",
    upstream: Some("pkg/controller/garbagecollector/garbagecollector.go orphanDependents"),
    section: None,
    sentence: "{object} stays without an owner: {owner} was deleted alone.",
    formula: &[],
    operands: &[operand("object", "an object with an owner"), operand("owner", "its owner")],
};

/// An owner goes after everything it owned.
pub static FOREGROUND: Rule = Rule {
    id: "garbage-collector.foreground",
    upstream: Some("pkg/controller/garbagecollector/garbagecollector.go processDeletingDependentsItem"),
    section: None,
    sentence: "Everything that {object} owned is gone: now it goes too.",
    formula: &[],
    operands: &[operand("object", "the object that was deleted")],
};

/// The pod's kubelet, which is heard of again, never took it for anything but ready.
pub static READY_AGAIN: Rule = Rule {
    id: "kubelet.ready-again",
    upstream: Some("pkg/kubelet/status/status_manager.go needsReconcile"),
    section: None,
    sentence: "{pod} is ready, as it was all the time: its kubelet is heard of again.",
    formula: &[],
    operands: &[operand("pod", "the pod")],
};

/// A node's kubelet was not heard of for too long.
pub static UNREACHABLE: Rule = Rule {
    id: "node-lifecycle.unreachable",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go tryUpdateNodeHealth"),
    section: None,
    sentence: "{node} was not heard of for {seconds} seconds: nobody knows whether it is ready, and it gets no more pods.",
    formula: &[],
    operands: &[operand("node", "the node"), operand("seconds", "the node controller's node-monitor-grace-period")],
};

/// The pods of such a node count as not ready.
pub static NOT_READY: Rule = Rule {
    id: "node-lifecycle.not-ready",
    upstream: Some("pkg/controller/util/node/controller_utils.go MarkPodsNotReady"),
    section: None,
    sentence: "{pod} counts as not ready, because {node} is unreachable.",
    formula: &[],
    operands: &[operand("pod", "a pod that was ready"), operand("node", "its node")],
};

/// Such a node is tainted: its pods go once they tolerate it no more.
pub static TAINTED: Rule = Rule {
    id: "node-lifecycle.taint",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass"),
    section: None,
    sentence: "{node} gets the taint {taint}: its pods go once they tolerate it no more.",
    formula: &[],
    operands: &[operand("node", "an unreachable node"), operand("taint", "key and effect of the taint")],
};

/// So many nodes are unreachable that the fault may lie elsewhere.
pub static NO_EVICTIONS: Rule = Rule {
    id: "node-lifecycle.no-evictions",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption"),
    section: None,
    sentence: "{unready} of {nodes} nodes are unreachable: the fault may lie elsewhere, so no further pods have to go.",
    formula: &[],
    operands: &[operand("unready", "nodes that are unreachable"), operand("nodes", "all nodes")],
};

/// A node is heard of again.
pub static REACHABLE: Rule = Rule {
    id: "node-lifecycle.reachable",
    upstream: Some("pkg/controller/nodelifecycle/node_lifecycle_controller.go markNodeAsReachable"),
    section: None,
    sentence: "{node} is ready again: its pods need not go.",
    formula: &[],
    operands: &[operand("node", "the node")],
};

/// A pod does not tolerate its node's taint any more.
pub static EVICTED: Rule = Rule {
    id: "taint-eviction.delete",
    upstream: Some("pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod"),
    section: None,
    sentence: "{pod} has to go: it tolerates for {seconds} seconds that {node} is {taint}.",
    formula: &[],
    operands: &[
        operand("pod", "the pod"),
        operand("seconds", "tolerationSeconds of its toleration; 300 unless it has one, 0 for out-of-service"),
        operand("node", "its node"),
        operand("taint", "the node's taint"),
    ],
};

/// A terminating pod of a node that is out of service is removed by force.
pub static OUT_OF_SERVICE: Rule = Rule {
    id: "pod-gc.out-of-service",
    upstream: Some("pkg/controller/podgc/gc_controller.go gcTerminating"),
    section: None,
    sentence: "{pod} terminates on {node}, which is out of service: it is removed.",
    formula: &[],
    operands: &[operand("pod", "a terminating pod"), operand("node", "an unreachable node with the taint")],
};

/// A pod of a node that no longer exists is removed by force.
pub static ORPHANED_POD: Rule = Rule {
    id: "pod-gc.orphaned",
    upstream: Some("pkg/controller/podgc/gc_controller.go gcOrphaned"),
    section: None,
    sentence: "{pod} is removed: its node {node} does not exist any more.",
    formula: &[],
    operands: &[operand("pod", "the pod"), operand("node", "a node that was deleted")],
};

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &BIND,
    &STARTED,
    &READY,
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
];
