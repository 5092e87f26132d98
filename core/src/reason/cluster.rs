//! What the rest of the simulated cluster does: scheduler, kubelet, garbage collector.

use super::operands::{NODE, POD};
use super::{Operand, Rule, operand};

/// A pod gets its node.
pub static BIND: Rule = Rule {
    id: "scheduler.bind",
    upstream: Some("pkg/scheduler/schedule_one.go bind"),
    section: None,
    sentence: "The scheduler binds {0} to {1}, the node with the fewest pods.",
    formula: &[],
    operands: &[&POD, &NODE],
};

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
static GRACE: Operand = operand("grace", "its terminationGracePeriodSeconds");

/// An object of a deleted owner goes with it.
pub static COLLECTED: Rule = Rule {
    id: "garbage-collector.delete",
    upstream: Some("pkg/controller/garbagecollector/garbagecollector.go attemptToDeleteItem"),
    section: None,
    sentence: "{0} goes, because its owner {1} is deleted.",
    formula: &[],
    operands: &[&OBJECT, &OWNER],
};

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

static OBJECT: Operand = operand("object", "the object");
static OWNER: Operand = operand("owner", "its owner");

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[&BIND, &STARTED, &READY, &GONE, &COLLECTED, &ORPHANED, &FOREGROUND];
