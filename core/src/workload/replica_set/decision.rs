//! What the ReplicaSet controller decides: values with the numbers that were used, for the write and for its explanation.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::boxed::Box;
use alloc::rc::Rc;

use changeover_derive::{Decision, Operands};

use crate::controller::rank::{Chosen, Criterion, DeletionRanking};
#[cfg(feature = "explain")]
use crate::rule::operands::POD_NAME;
#[cfg(feature = "explain")]
use crate::rule::{Mark, OperandSource};

#[cfg(feature = "explain")]
pub(crate) const REPLICA_SET_NAME: OperandSource = OperandSource::marked("the ReplicaSet", Mark::ReplicaSet);

#[cfg(feature = "explain")]
mod source {
    pub(super) const MANAGE: &str = "pkg/controller/replicaset/replica_set.go manageReplicas";
    pub(super) const CALCULATE: &str = "pkg/controller/replicaset/replica_set_utils.go calculateStatus";
    pub(super) const RANKS: &str = "pkg/controller/controller_utils.go ActivePodsWithRanks";
    pub(super) const KEP_RANKS: &str = "KEP-2255, Design Details";
}

/// A decision of the ReplicaSet controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// A pod is missing.
    #[rule(
        next_step,
        id = "replicaset.create",
        upstream = source::MANAGE,
        sentence = "{replica_set} wants {wanted} pod(s) and had {active}, so it creates {missing}.",
        formula = ["missing = wanted − active = {wanted} − {active} = {missing}; terminating pods are not active"],
    )]
    Create(Missing),
    /// More pods are missing than one sync creates.
    #[rule(
        next_step,
        id = "replicaset.create.burst",
        upstream = "pkg/controller/replicaset/replica_set.go BurstReplicas",
        sentence = "{replica_set} wants {wanted} pod(s) and had {active}: it creates {count}, the most per sync.",
        formula = [
            "missing = wanted − active = {wanted} − {active} = {missing}; terminating pods are not active",
            "count = min(missing, 500) = min({missing}, 500) = {count}",
        ],
    )]
    CreateBurst {
        #[operands]
        missing_pods: Missing,
        #[operand(source = "the missing pods that this sync creates, at most 500")]
        count: i32,
    },
    /// A pod is deleted, as all are. The rules below differ only in the criterion, which `why` words.
    #[rule(
        id = "replicaset.delete",
        upstream = source::MANAGE,
        section = source::KEP_RANKS,
        sentence = "{replica_set} wants {wanted} pod(s) and had {active}: {pod} is deleted, {why}.",
        formula = [
            "surplus = active − wanted = {active} − {wanted} = {surplus}",
            "count = min(surplus, 500) = min({surplus}, 500) = {count}",
        ],
    )]
    Delete(Box<Deletion>),
    /// It is on no node.
    #[rule(id = "replicaset.delete.unassigned", upstream = source::RANKS, like = Delete)]
    DeleteUnassigned(Box<Deletion>),
    /// Its phase comes first.
    #[rule(id = "replicaset.delete.phase", upstream = source::RANKS, like = Delete)]
    DeletePhase(Box<Deletion>),
    /// It is not ready.
    #[rule(id = "replicaset.delete.unready", upstream = source::RANKS, like = Delete)]
    DeleteUnready(Box<Deletion>),
    /// Its deletion cost is lower.
    #[rule(id = "replicaset.delete.cost", upstream = source::RANKS, like = Delete)]
    DeleteCost(Box<Deletion>),
    /// More related pods are on its node.
    #[rule(id = "replicaset.delete.related", upstream = source::RANKS, like = Delete)]
    DeleteRelated(Box<Deletion>),
    /// It has been ready for less time.
    #[rule(id = "replicaset.delete.ready-time", upstream = source::RANKS, like = Delete)]
    DeleteReadyTime(Box<Deletion>),
    /// It has been ready about as long, and its uid is lower.
    #[rule(id = "replicaset.delete.ready-uid", upstream = source::RANKS, like = Delete)]
    DeleteReadyUid(Box<Deletion>),
    /// It restarted more often.
    #[rule(id = "replicaset.delete.restarts", upstream = source::RANKS, like = Delete)]
    DeleteRestarts(Box<Deletion>),
    /// Its sidecars restarted more often.
    #[rule(id = "replicaset.delete.sidecar-restarts", upstream = source::RANKS, like = Delete)]
    DeleteSidecarRestarts(Box<Deletion>),
    /// It is younger.
    #[rule(id = "replicaset.delete.created", upstream = source::RANKS, like = Delete)]
    DeleteCreated(Box<Deletion>),
    /// It is about as old, and its uid is lower.
    #[rule(id = "replicaset.delete.created-uid", upstream = source::RANKS, like = Delete)]
    DeleteCreatedUid(Box<Deletion>),
    /// No rule tells them apart, or the sort left them so.
    #[rule(id = "replicaset.delete.equal", upstream = source::RANKS, like = Delete)]
    DeleteEqual(Box<Deletion>),
    /// A pod without a controller is adopted.
    #[rule(
        id = "replicaset.adopt",
        upstream = "pkg/controller/controller_ref_manager.go AdoptPod",
        sentence = "{replica_set} adopts {pod}, which has no controller and whose labels match."
    )]
    Adopt {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
    },
    /// A pod that no longer matches is released.
    #[rule(
        id = "replicaset.release",
        upstream = "pkg/controller/controller_ref_manager.go ReleasePod",
        sentence = "{replica_set} releases {pod} and will replace it: the pod's labels no longer match the selector."
    )]
    Release {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
    },
    /// The selector can't be read.
    #[rule(
        id = "replicaset.selector-unreadable",
        upstream = "pkg/controller/replicaset/replica_set.go syncReplicaSet",
        sentence = "The selector of {replica_set} is invalid, so the controller does nothing."
    )]
    SelectorUnreadable {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
    },
    /// The status follows the pods.
    #[rule(
        id = "replicaset.status",
        upstream = source::CALCULATE,
        sentence = "{replica_set} counts its pods: {replicas} active, {ready} ready, {available} available, {terminating} terminating.",
    )]
    Status {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
        replicas: i32,
        #[operand(source = "pods whose Ready condition is True")]
        ready: i32,
        #[operand(source = "pods ready for minReadySeconds", mark = Available)]
        available: i32,
        #[operand(source = "pods being deleted that have not ended; unknown with the gate off", mark = Terminating)]
        terminating: Option<i32>,
    },
    /// A new spec was seen, and no count changed.
    #[rule(
        id = "replicaset.status.observed",
        upstream = "pkg/controller/replicaset/replica_set_utils.go updateReplicaSetStatus",
        sentence = "The controller has observed generation {generation} of {replica_set}; its counts are unchanged."
    )]
    Observed {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "metadata.generation of the ReplicaSet")]
        generation: i64,
    },
    /// Pods could not be created.
    #[rule(
        id = "replicaset.failure.create",
        upstream = source::CALCULATE,
        sentence = "{replica_set} wants {wanted} pod(s), has {active} and could not create more: its ReplicaFailure condition now says so.",
    )]
    CreateFailed(Counted),
    /// Pods could not be deleted.
    #[rule(
        id = "replicaset.failure.delete",
        upstream = source::CALCULATE,
        sentence = "{replica_set} wants {wanted} pod(s), has {active} and could not delete any: its ReplicaFailure condition now says so.",
    )]
    DeleteFailed(Counted),
    /// Nothing failed this time.
    #[rule(
        id = "replicaset.failure.over",
        upstream = source::CALCULATE,
        sentence = "{replica_set} wants {wanted} pod(s), has {active} and nothing failed: its ReplicaFailure condition is removed.",
    )]
    FailureOver(Counted),
}

impl Decision {
    /// Deletes a pod, for the criterion that decided.
    pub fn delete(deletion: Deletion) -> Self {
        let comparison = deletion.why.as_ref().map(|chosen| &chosen.comparison);
        let criterion =
            comparison.map(|comparison| if comparison.less { comparison.criterion } else { Criterion::Equal });
        let variant = match criterion {
            None => Self::Delete,
            Some(Criterion::Assigned) => Self::DeleteUnassigned,
            Some(Criterion::Phase) => Self::DeletePhase,
            Some(Criterion::Ready) => Self::DeleteUnready,
            Some(Criterion::DeletionCost) => Self::DeleteCost,
            Some(Criterion::RelatedPods) => Self::DeleteRelated,
            Some(Criterion::ReadyTime) => Self::DeleteReadyTime,
            Some(Criterion::ReadyTimeUid) => Self::DeleteReadyUid,
            Some(Criterion::Restarts) => Self::DeleteRestarts,
            Some(Criterion::SidecarRestarts) => Self::DeleteSidecarRestarts,
            Some(Criterion::Created) => Self::DeleteCreated,
            Some(Criterion::CreatedUid) => Self::DeleteCreatedUid,
            Some(Criterion::Equal) => Self::DeleteEqual,
        };
        variant(Box::new(deletion))
    }

    /// The pod that goes, if one does.
    pub fn deletion(&self) -> Option<&Deletion> {
        match self {
            Self::Delete(deletion)
            | Self::DeleteUnassigned(deletion)
            | Self::DeletePhase(deletion)
            | Self::DeleteUnready(deletion)
            | Self::DeleteCost(deletion)
            | Self::DeleteRelated(deletion)
            | Self::DeleteReadyTime(deletion)
            | Self::DeleteReadyUid(deletion)
            | Self::DeleteRestarts(deletion)
            | Self::DeleteSidecarRestarts(deletion)
            | Self::DeleteCreated(deletion)
            | Self::DeleteCreatedUid(deletion)
            | Self::DeleteEqual(deletion) => Some(deletion),
            _ => None,
        }
    }
}

/// Operands of rules that create the missing pods.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Missing {
    #[operand(REPLICA_SET_NAME)]
    #[subject]
    pub replica_set: Rc<str>,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    pub wanted: i32,
    // Many creations of one decision are spread over seconds: by then, the picture shows more pods.
    #[operand(source = "its pods that had not ended and were not terminating when this was decided")]
    pub active: i32,
    #[operand(source = "wanted − active")]
    pub missing: i32,
}

/// A pod that goes.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Deletion {
    #[operand(REPLICA_SET_NAME)]
    pub replica_set: Rc<str>,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    pub wanted: i32,
    // Many deletions of one decision are spread over seconds: by then, the picture shows fewer pods.
    #[operand(source = "its pods that had not ended and were not terminating when this was decided")]
    pub active: i32,
    #[operand(POD_NAME)]
    #[subject]
    pub pod: Rc<str>,
    /// What decided between it and the first pod that stays; none if all pods go.
    #[clause]
    pub why: Option<Chosen>,
    #[operand(source = "active − wanted")]
    pub surplus: i32,
    #[operand(source = "the surplus pods that this sync deletes, at most 500")]
    pub count: i32,
    /// The ranking that the pods of this choice share; none if all pods go or compare equal.
    #[operand(skip)]
    pub ranking: Option<Rc<DeletionRanking>>,
}

/// Operands of rules that compare the wanted pods with the active ones.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Counted {
    #[operand(REPLICA_SET_NAME)]
    #[subject]
    pub replica_set: Rc<str>,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    pub wanted: i32,
    #[operand(source = "its pods that have not ended and are not terminating", mark = Total)]
    pub active: i32,
}

/// A change of the condition ReplicaFailure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Pods could not be created.
    CreateFailed,
    /// Pods could not be deleted.
    DeleteFailed,
    /// Nothing failed this time.
    Over,
}
