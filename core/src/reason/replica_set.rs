//! What the ReplicaSet controller decides.

use super::Mark::{Available, ReplicaSet, Terminating, Total};
use super::operands::{POD, REPLICA_SET};
use super::{Operand, Rule, marked, operand};

const MANAGE: Option<&str> = Some("pkg/controller/replicaset/replica_set.go manageReplicas");
const CALCULATE: Option<&str> = Some("pkg/controller/replicaset/replica_set_utils.go calculateStatus");

/// A pod is missing.
pub static CREATE: Rule = Rule {
    id: "replicaset.create",
    upstream: MANAGE,
    section: None,
    sentence: "{0} wants {1} pod(s) and has {2}, so it creates {3}. Terminating pods are not counted.",
    formula: &["missing = wants − has = {1} − {2} = {3}"],
    operands: &[&REPLICA_SET, &WANTED, &ACTIVE, &MISSING],
};

/// More pods are missing than one sync creates.
pub static CREATE_BURST: Rule = Rule {
    id: "replicaset.create.burst",
    upstream: Some("pkg/controller/replicaset/replica_set.go BurstReplicas"),
    section: None,
    sentence: "{0} wants {1} pod(s) and has {2}: it creates {3}, the most at once. Terminating pods are not counted.",
    formula: &["missing = min(wants − has, 500) = min({1} − {2}, 500) = {3}"],
    operands: &[&REPLICA_SET, &WANTED, &ACTIVE, &MISSING],
};

static WANTED: Operand = marked("wanted", "its spec.replicas", ReplicaSet);
static ACTIVE: Operand = marked("active", "its pods that neither ended nor terminate", Total);
static MISSING: Operand = operand("missing", "the difference, at most 500 at once");

const fn deletion(id: &'static str) -> Rule {
    Rule {
        id,
        upstream: Some("pkg/controller/controller_utils.go ActivePodsWithRanks"),
        section: Some("KEP-2255, Design Details"),
        sentence: "{0} wants {1} pod(s) and has {2}: {3} goes, {4}.",
        formula: &["surplus = has − wants = {2} − {1}"],
        operands: DELETION,
    }
}

const DELETION: &[&Operand] = &[&REPLICA_SET, &WANTED, &ACTIVE, &POD, &WHY];

static WHY: Operand = operand("why", "the comparison with the first pod that stays");

/// All pods go.
pub static DELETE: Rule = Rule { upstream: MANAGE, ..deletion("replicaset.delete") };
/// It is on no node.
pub static DELETE_UNASSIGNED: Rule = deletion("replicaset.delete.unassigned");
/// Its phase comes first.
pub static DELETE_PHASE: Rule = deletion("replicaset.delete.phase");
/// It is not ready.
pub static DELETE_UNREADY: Rule = deletion("replicaset.delete.unready");
/// Its deletion cost is lower.
pub static DELETE_COST: Rule = deletion("replicaset.delete.cost");
/// More related pods are on its node.
pub static DELETE_RELATED: Rule = deletion("replicaset.delete.related");
/// It has been ready for less time.
pub static DELETE_READY_TIME: Rule = deletion("replicaset.delete.ready-time");
/// It has been ready about as long: its uid is lower.
pub static DELETE_READY_UID: Rule = deletion("replicaset.delete.ready-uid");
/// It restarted more often.
pub static DELETE_RESTARTS: Rule = deletion("replicaset.delete.restarts");
/// Its sidecars restarted more often.
pub static DELETE_SIDECAR_RESTARTS: Rule = deletion("replicaset.delete.sidecar-restarts");
/// It is younger.
pub static DELETE_CREATED: Rule = deletion("replicaset.delete.created");
/// It is about as old: its uid is lower.
pub static DELETE_CREATED_UID: Rule = deletion("replicaset.delete.created-uid");
/// No rule tells them apart, or the sort left them so.
pub static DELETE_EQUAL: Rule = deletion("replicaset.delete.equal");

/// A pod without an owner is taken over.
pub static ADOPT: Rule = Rule {
    id: "replicaset.adopt",
    upstream: Some("pkg/controller/controller_ref_manager.go AdoptPod"),
    section: None,
    sentence: "{0} has no controller and its labels match: {1} adopts it.",
    formula: &[],
    operands: &[&POD, &REPLICA_SET],
};

/// A pod that no longer matches is let go.
pub static RELEASE: Rule = Rule {
    id: "replicaset.release",
    upstream: Some("pkg/controller/controller_ref_manager.go ReleasePod"),
    section: None,
    sentence: "The labels of {0} no longer match the selector: {1} lets it go and will replace it.",
    formula: &[],
    operands: &[&POD, &REPLICA_SET],
};

/// The status follows the pods.
pub static STATUS: Rule = Rule {
    id: "replicaset.status",
    upstream: CALCULATE,
    section: None,
    sentence: "{0} counts its pods: {1} there, {2} ready, {3} available, {4} terminating.",
    formula: &[],
    operands: &[&REPLICA_SET, &REPLICAS, &READY, &AVAILABLE, &TERMINATING],
};

static REPLICAS: Operand = marked("replicas", "pods that neither ended nor terminate", Total);
static READY: Operand = operand("ready", "pods whose Ready condition is True");
static AVAILABLE: Operand = marked("available", "pods ready for minReadySeconds", Available);
static TERMINATING: Operand =
    marked("terminating", "pods being deleted that have not ended; unknown with the gate off", Terminating);

/// A new spec was seen, and no count changed.
pub static OBSERVED: Rule = Rule {
    id: "replicaset.status.observed",
    upstream: Some("pkg/controller/replicaset/replica_set_utils.go updateReplicaSetStatus"),
    section: None,
    sentence: "{0} has seen generation {1} of its spec; its counts are as they were.",
    formula: &[],
    operands: &[&REPLICA_SET, &GENERATION],
};

static GENERATION: Operand = operand("generation", "metadata.generation of the ReplicaSet");

/// Pods could not be created.
pub static CREATE_FAILED: Rule = Rule {
    id: "replicaset.failure.create",
    upstream: CALCULATE,
    section: None,
    sentence: "{0} wants {1} pod(s), has {2} and was refused more: its ReplicaFailure condition says so.",
    formula: &[],
    operands: PODS,
};

/// Pods could not be deleted.
pub static DELETE_FAILED: Rule = Rule {
    id: "replicaset.failure.delete",
    upstream: CALCULATE,
    section: None,
    sentence: "{0} wants {1} pod(s), has {2} and could not delete: its ReplicaFailure condition says so.",
    formula: &[],
    operands: PODS,
};

/// Nothing failed this time.
pub static FAILURE_OVER: Rule = Rule {
    id: "replicaset.failure.over",
    upstream: CALCULATE,
    section: None,
    sentence: "{0} wants {1} pod(s), has {2} and nothing failed: its ReplicaFailure condition goes.",
    formula: &[],
    operands: PODS,
};

/// The selector can't be read: nothing is done.
pub static SELECTOR_UNREADABLE: Rule = Rule {
    id: "replicaset.selector-unreadable",
    upstream: Some("pkg/controller/replicaset/replica_set.go syncReplicaSet"),
    section: None,
    sentence: "The selector of {0} can't be read: nothing is done.",
    formula: &[],
    operands: &[&REPLICA_SET],
};

const PODS: &[&Operand] = &[&REPLICA_SET, &WANTED, &ACTIVE];

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &CREATE,
    &CREATE_BURST,
    &DELETE,
    &DELETE_UNASSIGNED,
    &DELETE_PHASE,
    &DELETE_UNREADY,
    &DELETE_COST,
    &DELETE_RELATED,
    &DELETE_READY_TIME,
    &DELETE_READY_UID,
    &DELETE_RESTARTS,
    &DELETE_SIDECAR_RESTARTS,
    &DELETE_CREATED,
    &DELETE_CREATED_UID,
    &DELETE_EQUAL,
    &ADOPT,
    &RELEASE,
    &SELECTOR_UNREADABLE,
    &STATUS,
    &OBSERVED,
    &CREATE_FAILED,
    &DELETE_FAILED,
    &FAILURE_OVER,
];
