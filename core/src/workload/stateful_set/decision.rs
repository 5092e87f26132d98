//! What the StatefulSet controller decides: values with the numbers that were used, for the write and for its explanation.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::rc::Rc;

use changeover_derive::{Clause, Decision, Operands};

#[cfg(feature = "explain")]
use crate::rule::OperandSource;
#[cfg(feature = "explain")]
use crate::rule::operands::POD_NAME;

#[cfg(feature = "explain")]
pub(crate) const SET_NAME: OperandSource = OperandSource::new("the StatefulSet");
#[cfg(feature = "explain")]
const CLAIM_NAME: OperandSource = OperandSource::new("the PersistentVolumeClaim");
#[cfg(feature = "explain")]
const REVISION_NAME: OperandSource = OperandSource::new("the ControllerRevision");

#[cfg(feature = "explain")]
mod source {
    pub(super) const PROCESS_REPLICA: &str = "pkg/controller/statefulset/stateful_set_control.go processReplica";
    pub(super) const PROCESS_CONDEMNED: &str = "pkg/controller/statefulset/stateful_set_control.go processCondemned";
    pub(super) const UPDATE: &str = "pkg/controller/statefulset/stateful_set_control.go updateStatefulSet";
    pub(super) const ROLL: &str =
        "pkg/controller/statefulset/stateful_set_control.go updateStatefulSetAfterInvariantEstablished";
    pub(super) const RECREATE: &str = "pkg/controller/statefulset/stateful_set_control.go recreateDeleteAndWait";
    pub(super) const REVISIONS: &str = "pkg/controller/statefulset/stateful_set_control.go getStatefulSetRevisions";
    pub(super) const VERSIONED: &str = "pkg/controller/statefulset/stateful_set_utils.go newVersionedStatefulSetPod";
    pub(super) const CLAIM_OWNER: &str =
        "pkg/controller/statefulset/stateful_set_utils.go updateClaimOwnerRefForSetAndPod";
}

/// A decision of the StatefulSet controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// A pod without a controller is adopted.
    #[rule(
        id = "statefulset.adopt",
        upstream = "pkg/controller/controller_ref_manager.go AdoptPod",
        sentence = "{set} adopts {pod}, which has no controller, one of its names, and labels that match."
    )]
    Adopt {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(SET_NAME)]
        set: Rc<str>,
    },
    /// A pod that no longer fits is released.
    #[rule(
        id = "statefulset.release",
        upstream = "pkg/controller/controller_ref_manager.go ReleasePod",
        sentence = "{set} releases {pod}: the pod's labels no longer match the selector, or its name is not one of the StatefulSet's."
    )]
    Release {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(SET_NAME)]
        set: Rc<str>,
    },
    /// A revision without a controller is adopted.
    #[rule(
        id = "statefulset.revision.adopt",
        upstream = "pkg/controller/statefulset/stateful_set.go adoptOrphanRevisions",
        sentence = "{set} adopts {revision}, which has no controller and whose labels match."
    )]
    AdoptRevision {
        #[operand(REVISION_NAME)]
        #[subject]
        revision: Rc<str>,
        #[operand(SET_NAME)]
        set: Rc<str>,
    },
    /// The selector can't be read.
    #[rule(
        id = "statefulset.selector-unreadable",
        upstream = "pkg/controller/statefulset/stateful_set.go sync",
        sentence = "The selector of {set} is invalid, so the controller does nothing."
    )]
    SelectorUnreadable {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
    },
    /// The template is new.
    #[rule(
        id = "statefulset.revision.create",
        upstream = source::REVISIONS,
        sentence = "The pod template of {set} is new: {revision} keeps it, as number {number}."
    )]
    CreateRevision {
        #[operand(SET_NAME)]
        set: Rc<str>,
        #[operand(REVISION_NAME)]
        #[subject]
        revision: Rc<str>,
        #[operand(source = "one more than the last revision's")]
        number: i64,
    },
    /// The template is one of before.
    #[rule(
        id = "statefulset.revision.again",
        upstream = source::REVISIONS,
        sentence = "The pod template of {set} is the one that {revision} keeps: its number rises from {from} to {number}."
    )]
    ReuseRevision {
        #[operand(SET_NAME)]
        set: Rc<str>,
        #[operand(REVISION_NAME)]
        #[subject]
        revision: Rc<str>,
        #[operand(source = "its old number")]
        from: i64,
        #[operand(source = "one more than the last revision's")]
        number: i64,
    },
    /// There are more revisions than the limit.
    #[rule(
        id = "statefulset.revision.delete",
        upstream = "pkg/controller/statefulset/stateful_set_control.go truncateHistory",
        sentence = "{revision} is deleted: {set} has {unused} revision(s) that no pod has, and keeps {limit}."
    )]
    DeleteRevision {
        #[operand(REVISION_NAME)]
        #[subject]
        revision: Rc<str>,
        #[operand(SET_NAME)]
        set: Rc<str>,
        #[operand(source = "its revisions that neither its status nor a pod names")]
        unused: i64,
        #[operand(source = "its spec.revisionHistoryLimit")]
        limit: i32,
    },
    /// A pod is missing, and those before it are available.
    #[rule(
        next_step,
        id = "statefulset.create",
        upstream = source::PROCESS_REPLICA,
        sentence = "{set} creates {pod}, at the new revision: all pods with a lower ordinal are available."
    )]
    Create(NewPod),
    /// A pod below the partition is missing.
    #[rule(
        next_step,
        id = "statefulset.create.current",
        upstream = source::VERSIONED,
        sentence = "{set} creates {pod}, at the old revision: ordinal {ordinal} is below the partition, {bound}."
    )]
    CreateAtCurrent {
        #[operands]
        new: NewPod,
        #[operand(source = "the number at the end of its name")]
        ordinal: i32,
        #[operand(source = "the first ordinal that is updated")]
        bound: i32,
    },
    /// A pod is missing, and waits for no other.
    #[rule(
        next_step,
        id = "statefulset.create.parallel",
        upstream = source::PROCESS_REPLICA,
        sentence = "{set} creates {pod}, at the new revision. Its podManagementPolicy is Parallel, so no pod waits for another."
    )]
    CreateInParallel(NewPod),
    /// A claim is missing.
    #[rule(
        id = "statefulset.claim.create",
        upstream = "pkg/controller/statefulset/stateful_pod_control.go createPersistentVolumeClaims",
        sentence = "{set} creates {claim} for {pod}: each pod has claims of its own."
    )]
    CreateClaim {
        #[operand(SET_NAME)]
        set: Rc<str>,
        #[operand(CLAIM_NAME)]
        #[subject]
        claim: Rc<str>,
        #[operand(POD_NAME)]
        pod: Rc<str>,
    },
    /// A claim that is missing for a pod is being deleted.
    #[rule(
        id = "statefulset.claim.wait.deleted",
        upstream = "pkg/controller/statefulset/stateful_pod_control.go createPersistentVolumeClaims",
        sentence = "{pod} waits: {claim} is being deleted, and can be created again only when it is gone."
    )]
    WaitForClaim {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(CLAIM_NAME)]
        claim: Rc<str>,
    },
    /// A claim belongs to the former pod of the name.
    #[rule(
        id = "statefulset.claim.wait.stale",
        upstream = "pkg/controller/statefulset/stateful_pod_control.go PodClaimIsStale",
        sentence = "{pod} waits: {claim} is to go with the former pod of that name, as whenScaled says."
    )]
    WaitForStaleClaim {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(CLAIM_NAME)]
        claim: Rc<str>,
    },
    /// A claim gets other owners.
    #[rule(
        id = "statefulset.claim.owner",
        upstream = source::CLAIM_OWNER,
        sentence = "{claim} of {pod} {fate}, as the persistentVolumeClaimRetentionPolicy of {set} says."
    )]
    ClaimOwner {
        #[operand(CLAIM_NAME)]
        #[subject]
        claim: Rc<str>,
        #[operand(POD_NAME)]
        pod: Rc<str>,
        #[clause]
        fate: ClaimFate,
        #[operand(SET_NAME)]
        set: Rc<str>,
    },
    /// A pod has not the labels or the volumes that it should have.
    #[rule(
        next_step,
        id = "statefulset.update-pod",
        upstream = "pkg/controller/statefulset/stateful_pod_control.go UpdateStatefulPod",
        sentence = "{set} corrects {pod}: its name, its labels, its volumes or its claims are not those of ordinal {ordinal}."
    )]
    UpdatePod {
        #[operand(SET_NAME)]
        set: Rc<str>,
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(source = "the number at the end of its name")]
        ordinal: i32,
    },
    /// A pod has ended.
    #[rule(
        id = "statefulset.delete.ended",
        upstream = source::PROCESS_REPLICA,
        sentence = "{pod} has ended: {set} deletes it, and creates it again when it is gone."
    )]
    DeleteEnded(WaitedFor),
    /// A pod terminates.
    #[rule(
        next_step,
        id = "statefulset.wait.terminating",
        upstream = source::PROCESS_REPLICA,
        sentence = "{set} waits until {pod} is gone, before it creates it again and looks at any other pod."
    )]
    WaitForTermination(WaitedFor),
    /// A pod is not ready.
    #[rule(
        next_step,
        id = "statefulset.wait.ready",
        upstream = source::PROCESS_REPLICA,
        sentence = "{set} waits until {pod} is running and ready. Until then it creates, updates and deletes no other pod."
    )]
    WaitForReady(WaitedFor),
    /// A pod has been ready for too short a time.
    #[rule(
        next_step,
        id = "statefulset.wait.available",
        upstream = source::PROCESS_REPLICA,
        sentence = "{set} waits until {pod} has been ready for {seconds} s, its minReadySeconds, before it looks at any other pod."
    )]
    WaitForAvailable {
        #[operands]
        waited: WaitedFor,
        #[operand(source = "its spec.minReadySeconds")]
        seconds: i32,
    },
    /// An ordinal is not wanted any more.
    #[rule(
        next_step,
        id = "statefulset.scale-down",
        upstream = source::PROCESS_CONDEMNED,
        sentence = "{set} deletes {pod}: it keeps {replicas} pod(s) from ordinal {start} on."
    )]
    ScaleDown {
        #[operands]
        waited: WaitedFor,
        #[operand(source = "its spec.replicas")]
        replicas: i32,
        #[operand(source = "its spec.ordinals.start, 0 if absent")]
        start: i32,
    },
    /// A pod that goes terminates.
    #[rule(
        next_step,
        id = "statefulset.scale-down.wait.terminating",
        upstream = source::PROCESS_CONDEMNED,
        sentence = "{set} waits until {pod} is gone, before it deletes the next pod."
    )]
    ScaleDownWaits(WaitedFor),
    /// A pod that is to go is unavailable, and another one is before it.
    #[rule(
        next_step,
        id = "statefulset.scale-down.wait.unavailable",
        upstream = source::PROCESS_CONDEMNED,
        sentence = "{set} does not delete {pod}, which is not available: another unavailable pod, with a lower ordinal, comes first."
    )]
    ScaleDownBlocked(WaitedFor),
    /// An available pod has an old revision.
    #[rule(
        next_step,
        id = "statefulset.update",
        upstream = source::ROLL,
        sentence = "{set} deletes {pod}, which has an old revision: {unavailable} of at most {limit} pod(s) were unavailable.",
        formula = ["budget = maxUnavailable − unavailable = {limit} − {unavailable} = {budget}"],
    )]
    Update {
        #[operands]
        waited: WaitedFor,
        #[operand(source = "its spec.updateStrategy.rollingUpdate.maxUnavailable as a number, at least 1")]
        limit: i32,
        #[operand(source = "its pods that were not available when this was decided")]
        unavailable: i32,
        #[operand(source = "limit − unavailable")]
        budget: i32,
    },
    /// An unavailable pod has an old revision.
    #[rule(
        next_step,
        id = "statefulset.update.unavailable",
        upstream = source::ROLL,
        sentence = "{set} deletes {pod}, which has an old revision and is not available: that costs nothing of maxUnavailable."
    )]
    UpdateUnavailable(WaitedFor),
    /// With the gate off: the highest pod with an old revision.
    #[rule(
        next_step,
        id = "statefulset.update.one",
        upstream = source::UPDATE,
        sentence = "{set} deletes {pod}, which has an old revision: all pods with a higher ordinal are updated and available."
    )]
    UpdateOne(WaitedFor),
    /// With the gate off: a pod that is updated is not available.
    #[rule(
        next_step,
        id = "statefulset.update.wait",
        upstream = source::UPDATE,
        sentence = "{set} waits until {pod}, which is updated, is available, before it deletes the next pod."
    )]
    UpdateWaits(WaitedFor),
    /// As many pods as may be are unavailable.
    #[rule(
        next_step,
        id = "statefulset.update.wait.budget",
        upstream = source::ROLL,
        sentence = "{set} deletes no available pod for the update. Unavailable pods: {unavailable}; at most {limit} may be.",
    )]
    UpdateWaitsForBudget {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "its spec.updateStrategy.rollingUpdate.maxUnavailable as a number, at least 1")]
        limit: i32,
        #[operand(source = "its pods that are not available")]
        unavailable: i32,
    },
    /// A user has to delete pods.
    #[rule(
        next_step,
        id = "statefulset.update.on-delete",
        upstream = source::UPDATE,
        sentence = "{set} has {old} pod(s) of an old revision. Its update strategy is OnDelete, so each stays until somebody deletes it."
    )]
    UpdateOnDelete {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "its pods whose revision is not that of the template")]
        old: i32,
    },
    /// Only pods below the partition have an old revision.
    #[rule(
        next_step,
        id = "statefulset.update.partition",
        upstream = source::ROLL,
        sentence = "{set} leaves {old} pod(s) at an old revision: its partition is {partition}."
    )]
    UpdateEndsAtPartition {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "its pods whose revision is not that of the template")]
        old: i32,
        #[operand(source = "its spec.updateStrategy.rollingUpdate.partition")]
        partition: i32,
    },
    /// Recreate: an old pod goes.
    #[rule(
        next_step,
        id = "statefulset.recreate",
        upstream = source::RECREATE,
        sentence = "{set} deletes {pod}, which has an old revision: with Recreate, all old pods go at once."
    )]
    Recreate(WaitedFor),
    /// Recreate: old pods are still there.
    #[rule(
        next_step,
        id = "statefulset.recreate.wait",
        upstream = source::RECREATE,
        sentence = "{set} creates no pod as long as {old} pod(s) of an old revision are there."
    )]
    RecreateWaits {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
        #[operand(source = "its pods whose revision is not that of the template, terminating ones too")]
        old: i32,
    },
    /// Recreate is not known with its gate off.
    #[rule(
        next_step,
        id = "statefulset.recreate.disabled",
        upstream = source::UPDATE,
        sentence = "{set} has the update strategy Recreate, whose feature gate is off: the controller does nothing."
    )]
    RecreateDisabled {
        #[operand(SET_NAME)]
        #[subject]
        set: Rc<str>,
    },
    /// The status follows the pods.
    #[rule(
        id = "statefulset.status",
        upstream = "pkg/controller/statefulset/stateful_set_control.go updateStatus",
        sentence = "{set} counts its pods: {replicas} in all, {ready} ready, {available} available, {updated} updated."
    )]
    Status(StatusCounts),
    /// All pods have the new revision.
    #[rule(
        next_step,
        id = "statefulset.complete",
        upstream = "pkg/controller/statefulset/stateful_set_utils.go completeUpdate",
        sentence = "The update of {set} to {revision} is complete: {replicas} pod(s) in all, {ready} ready, {available} available, {updated} updated."
    )]
    Complete {
        #[operands]
        counts: StatusCounts,
        #[operand(REVISION_NAME)]
        revision: Rc<str>,
    },
}

impl Decision {
    /// The pod that the controller waits for, if that is what was decided.
    pub const fn awaited_pod(&self) -> Option<&Rc<str>> {
        match self {
            Self::WaitForTermination(waited)
            | Self::WaitForReady(waited)
            | Self::WaitForAvailable { waited, .. }
            | Self::ScaleDownWaits(waited)
            | Self::UpdateWaits(waited) => Some(&waited.pod),
            _ => None,
        }
    }
}

/// What becomes of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Clause)]
pub enum ClaimFate {
    /// No owner.
    #[clause("stays")]
    Stays,
    /// The StatefulSet is its owner.
    #[clause("goes with the StatefulSet")]
    GoesWithSet,
    /// The pod is its owner.
    #[clause("goes with the pod")]
    GoesWithPod,
}

/// Operands of rules that create a pod.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct NewPod {
    #[operand(SET_NAME)]
    pub set: Rc<str>,
    #[operand(POD_NAME)]
    #[subject]
    pub pod: Rc<str>,
}

/// Operands of rules about a pod that is there.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct WaitedFor {
    #[operand(SET_NAME)]
    pub set: Rc<str>,
    #[operand(POD_NAME)]
    #[subject]
    pub pod: Rc<str>,
}

/// Operands of rules that write the status.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct StatusCounts {
    #[operand(SET_NAME)]
    #[subject]
    pub set: Rc<str>,
    #[operand(source = "its pods, terminating ones too", mark = Total)]
    pub replicas: i32,
    #[operand(source = "running pods whose Ready condition is True")]
    pub ready: i32,
    #[operand(source = "pods ready for minReadySeconds", mark = Available)]
    pub available: i32,
    #[operand(source = "pods of the template's revision that are not terminating")]
    pub updated: i32,
}
