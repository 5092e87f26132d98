//! What the rest of the simulated cluster does: scheduler, kubelet, garbage collector.

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

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[&BIND, &STARTED, &READY, &GONE, &COLLECTED, &ORPHANED, &FOREGROUND];
