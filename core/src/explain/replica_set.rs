//! Explains what the ReplicaSet controller decides.

use super::operands::{POD_NAME, REPLICA_SET_NAME};
use super::ranking::Precedence;
use super::{Operands, Reason, Rule, RuleText};
use crate::controller::decision::replica_set::{Counts, Decision, Delete as Deletion, Failure};

const MANAGE: &str = "pkg/controller/replicaset/replica_set.go manageReplicas";
const CALCULATE: &str = "pkg/controller/replicaset/replica_set_utils.go calculateStatus";
const RANKS: &str = "pkg/controller/controller_utils.go ActivePodsWithRanks";
const KEP_RANKS: &str = "KEP-2255, Design Details";

/// Explains a decision.
pub(super) fn explain(decision: &Decision) -> Reason {
    match decision {
        Decision::Adopt { pod, replica_set } => Adopt { pod, replica_set }.reason(),
        Decision::Release { pod, replica_set } => Release { pod, replica_set }.reason(),
        Decision::SelectorUnreadable { replica_set } => SelectorUnreadable { replica_set }.reason(),
        Decision::Create { replica_set, wanted, active, missing, count } => {
            let missing_pods = Missing { replica_set, wanted: *wanted, active: *active, missing: *missing };
            if count < missing {
                CreateBurst { missing_pods, count: *count }.reason()
            } else {
                Create { missing_pods }.reason()
            }
        }
        Decision::Delete(deletion) => explain_deletion(deletion),
        Decision::Status { replica_set, counts, failure } => explain_status(replica_set, *counts, *failure),
        Decision::Observed { replica_set, generation } => Observed { replica_set, generation: *generation }.reason(),
    }
}

/// Explains why a pod goes: the comparison with the first pod that stays.
fn explain_deletion(deletion: &Deletion) -> Reason {
    let Deletion { replica_set, wanted, active, surplus, count, pod, chosen, ranking: _ } = deletion;
    let (wanted, active, surplus, count) = (*wanted, *active, *surplus, *count);
    let why = Precedence::over(chosen.as_ref());
    let rule = match why {
        Precedence::NoneRemains => Delete::TEXT,
        Precedence::Unassigned { .. } => DELETE_UNASSIGNED,
        Precedence::Phase { .. } => DELETE_PHASE,
        Precedence::Unready { .. } => DELETE_UNREADY,
        Precedence::DeletionCost { .. } => DELETE_COST,
        Precedence::RelatedPods { .. } => DELETE_RELATED,
        Precedence::ReadyTime { .. } => DELETE_READY_TIME,
        Precedence::ReadyTimeUid { .. } => DELETE_READY_UID,
        Precedence::Restarts { .. } => DELETE_RESTARTS,
        Precedence::SidecarRestarts { .. } => DELETE_SIDECAR_RESTARTS,
        Precedence::Created { .. } => DELETE_CREATED,
        Precedence::CreatedUid { .. } => DELETE_CREATED_UID,
        Precedence::Equal { .. } => DELETE_EQUAL,
    };
    Reason { rule, values: Delete { replica_set, wanted, active, pod, why, surplus, count }.values() }
}

/// Explains a new status by the first change in its conditions and counts.
fn explain_status(replica_set: &str, counts: Counts, failure: Option<Failure>) -> Reason {
    let Counts { wanted, replicas, ready, available, terminating } = counts;
    let counted = Counted { replica_set, wanted, active: replicas };
    match failure {
        Some(Failure::CreateFailed) => CreateFailed { counted }.reason(),
        Some(Failure::DeleteFailed) => DeleteFailed { counted }.reason(),
        Some(Failure::Over) => FailureOver { counted }.reason(),
        None => Status { replica_set, replicas, ready, available, terminating }.reason(),
    }
}

/// Operands of rules that compare the wanted pods with the active ones.
#[derive(Clone, Copy, Operands)]
struct Counted<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    wanted: i32,
    #[operand(source = "its pods that have not ended and are not terminating", mark = Total)]
    active: i32,
}

/// Operands of rules that create the missing pods.
#[derive(Clone, Copy, Operands)]
struct Missing<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    wanted: i32,
    // Many creations of one decision are spread over seconds: by then, the picture shows more pods.
    #[operand(source = "its pods that had not ended and were not terminating when this was decided")]
    active: i32,
    #[operand(source = "wanted − active")]
    missing: i32,
}

/// A pod is missing.
#[derive(Rule)]
#[rule(
    id = "replicaset.create",
    upstream = MANAGE,
    sentence = "{replica_set} wants {wanted} pod(s) and had {active}, so it creates {missing}. Terminating pods do not count.",
    formula = ["missing = wanted − active = {wanted} − {active} = {missing}"],
)]
struct Create<'a> {
    #[operands]
    missing_pods: Missing<'a>,
}

/// More pods are missing than one sync creates.
#[derive(Rule)]
#[rule(
    id = "replicaset.create.burst",
    upstream = "pkg/controller/replicaset/replica_set.go BurstReplicas",
    sentence = "{replica_set} wants {wanted} pod(s) and had {active}: it creates {count}, the most per sync. Terminating pods do not count.",
    formula = [
        "missing = wanted − active = {wanted} − {active} = {missing}",
        "count = min(missing, 500) = min({missing}, 500) = {count}",
    ],
)]
struct CreateBurst<'a> {
    #[operands]
    missing_pods: Missing<'a>,
    #[operand(source = "the missing pods that this sync creates, at most 500")]
    count: i32,
}

/// A pod is deleted, as all are.
#[derive(Rule)]
#[rule(
    id = "replicaset.delete",
    upstream = MANAGE,
    section = KEP_RANKS,
    sentence = "{replica_set} wants {wanted} pod(s) and had {active}: {pod} is deleted, {why}.",
    formula = [
        "surplus = active − wanted = {active} − {wanted} = {surplus}",
        "count = min(surplus, 500) = min({surplus}, 500) = {count}",
    ],
)]
struct Delete<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    wanted: i32,
    // Many deletions of one decision are spread over seconds: by then, the picture shows fewer pods.
    #[operand(source = "its pods that had not ended and were not terminating when this was decided")]
    active: i32,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[clause]
    why: Precedence<'a>,
    #[operand(source = "active − wanted")]
    surplus: i32,
    #[operand(source = "the surplus pods that this sync deletes, at most 500")]
    count: i32,
}

/// A pod is deleted because of the ranking. The rules for the criteria differ only in their ids, since `why` has the words.
const DELETE_CHOSEN: RuleText = RuleText { upstream: Some(RANKS), ..*Delete::TEXT };

/// It is on no node.
const DELETE_UNASSIGNED: &RuleText = &RuleText { id: "replicaset.delete.unassigned", ..DELETE_CHOSEN };
/// Its phase comes first.
const DELETE_PHASE: &RuleText = &RuleText { id: "replicaset.delete.phase", ..DELETE_CHOSEN };
/// It is not ready.
const DELETE_UNREADY: &RuleText = &RuleText { id: "replicaset.delete.unready", ..DELETE_CHOSEN };
/// Its deletion cost is lower.
const DELETE_COST: &RuleText = &RuleText { id: "replicaset.delete.cost", ..DELETE_CHOSEN };
/// More related pods are on its node.
const DELETE_RELATED: &RuleText = &RuleText { id: "replicaset.delete.related", ..DELETE_CHOSEN };
/// It has been ready for less time.
const DELETE_READY_TIME: &RuleText = &RuleText { id: "replicaset.delete.ready-time", ..DELETE_CHOSEN };
/// It has been ready about as long, and its uid is lower.
const DELETE_READY_UID: &RuleText = &RuleText { id: "replicaset.delete.ready-uid", ..DELETE_CHOSEN };
/// It restarted more often.
const DELETE_RESTARTS: &RuleText = &RuleText { id: "replicaset.delete.restarts", ..DELETE_CHOSEN };
/// Its sidecars restarted more often.
const DELETE_SIDECAR_RESTARTS: &RuleText = &RuleText { id: "replicaset.delete.sidecar-restarts", ..DELETE_CHOSEN };
/// It is younger.
const DELETE_CREATED: &RuleText = &RuleText { id: "replicaset.delete.created", ..DELETE_CHOSEN };
/// It is about as old, and its uid is lower.
const DELETE_CREATED_UID: &RuleText = &RuleText { id: "replicaset.delete.created-uid", ..DELETE_CHOSEN };
/// No rule tells them apart, or the sort left them so.
const DELETE_EQUAL: &RuleText = &RuleText { id: "replicaset.delete.equal", ..DELETE_CHOSEN };

/// A pod without a controller is adopted.
#[derive(Rule)]
#[rule(
    id = "replicaset.adopt",
    upstream = "pkg/controller/controller_ref_manager.go AdoptPod",
    sentence = "{replica_set} adopts {pod}, which has no controller and whose labels match."
)]
struct Adopt<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
}

/// A pod that no longer matches is released.
#[derive(Rule)]
#[rule(
    id = "replicaset.release",
    upstream = "pkg/controller/controller_ref_manager.go ReleasePod",
    sentence = "{replica_set} releases {pod} and will replace it: the pod's labels no longer match the selector."
)]
struct Release<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
}

/// The selector can't be read.
#[derive(Rule)]
#[rule(
    id = "replicaset.selector-unreadable",
    upstream = "pkg/controller/replicaset/replica_set.go syncReplicaSet",
    sentence = "The selector of {replica_set} is invalid, so the controller does nothing."
)]
struct SelectorUnreadable<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
}

/// The status follows the pods.
#[derive(Rule)]
#[rule(
    id = "replicaset.status",
    upstream = CALCULATE,
    sentence = "{replica_set} counts its pods: {replicas} active, {ready} ready, {available} available, {terminating} terminating.",
)]
struct Status<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
    replicas: i32,
    #[operand(source = "pods whose Ready condition is True")]
    ready: i32,
    #[operand(source = "pods ready for minReadySeconds", mark = Available)]
    available: i32,
    #[operand(source = "pods being deleted that have not ended; unknown with the gate off", mark = Terminating)]
    terminating: Option<i32>,
}

/// A new spec was seen, and no count changed.
#[derive(Rule)]
#[rule(
    id = "replicaset.status.observed",
    upstream = "pkg/controller/replicaset/replica_set_utils.go updateReplicaSetStatus",
    sentence = "The controller has observed generation {generation} of {replica_set}; its counts are unchanged."
)]
struct Observed<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "metadata.generation of the ReplicaSet")]
    generation: i64,
}

/// Pods could not be created.
#[derive(Rule)]
#[rule(
    id = "replicaset.failure.create",
    upstream = CALCULATE,
    sentence = "{replica_set} wants {wanted} pod(s), has {active} and could not create more: its ReplicaFailure condition now says so.",
)]
struct CreateFailed<'a> {
    #[operands]
    counted: Counted<'a>,
}

/// Pods could not be deleted.
#[derive(Rule)]
#[rule(
    id = "replicaset.failure.delete",
    upstream = CALCULATE,
    sentence = "{replica_set} wants {wanted} pod(s), has {active} and could not delete any: its ReplicaFailure condition now says so.",
)]
struct DeleteFailed<'a> {
    #[operands]
    counted: Counted<'a>,
}

/// Nothing failed this time.
#[derive(Rule)]
#[rule(
    id = "replicaset.failure.over",
    upstream = CALCULATE,
    sentence = "{replica_set} wants {wanted} pod(s), has {active} and nothing failed: its ReplicaFailure condition is removed.",
)]
struct FailureOver<'a> {
    #[operands]
    counted: Counted<'a>,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Create::TEXT,
    CreateBurst::TEXT,
    Delete::TEXT,
    DELETE_UNASSIGNED,
    DELETE_PHASE,
    DELETE_UNREADY,
    DELETE_COST,
    DELETE_RELATED,
    DELETE_READY_TIME,
    DELETE_READY_UID,
    DELETE_RESTARTS,
    DELETE_SIDECAR_RESTARTS,
    DELETE_CREATED,
    DELETE_CREATED_UID,
    DELETE_EQUAL,
    Adopt::TEXT,
    Release::TEXT,
    SelectorUnreadable::TEXT,
    Status::TEXT,
    Observed::TEXT,
    CreateFailed::TEXT,
    DeleteFailed::TEXT,
    FailureOver::TEXT,
];
