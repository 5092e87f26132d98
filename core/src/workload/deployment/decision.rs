//! What the Deployment controller decides: values with the numbers that were used, for the write and for its explanation.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::fmt;

use changeover_derive::{Decision, Operands};

#[cfg(feature = "explain")]
use crate::workload::replica_set::decision::REPLICA_SET_NAME;
#[cfg(feature = "explain")]
use operand::{
    ALL_AVAILABLE, DEADLINE, DEPLOYMENT_NAME, DESIRED, HELD, LIMIT, MIN_AVAILABLE, REVISION, SURPLUS, TAKEN,
    TERMINATING, WANTED,
};

#[cfg(feature = "explain")]
mod operand {
    use crate::rule::Mark::{Available, Desired, Limit, MinAvailable, Terminating, Total};
    use crate::rule::OperandSource;

    pub(super) const DEPLOYMENT_NAME: OperandSource = OperandSource::new("the Deployment");
    pub(super) const DESIRED: OperandSource = OperandSource::marked("spec.replicas of the Deployment", Desired);
    pub(super) const LIMIT: OperandSource = OperandSource::marked("spec.replicas + maxSurge", Limit);
    pub(super) const WANTED: OperandSource = OperandSource::marked("sum of spec.replicas of all ReplicaSets", Total);
    pub(super) const HELD: OperandSource =
        OperandSource::marked("max(spec.replicas, status.replicas) of each ReplicaSet", Total);
    pub(super) const TERMINATING: OperandSource =
        OperandSource::marked("sum of status.terminatingReplicas of all ReplicaSets", Terminating);
    pub(super) const TAKEN: OperandSource = OperandSource::marked("held + terminating", Total);
    pub(super) const SURPLUS: OperandSource = OperandSource::new("pods beyond spec.replicas that are not deleted yet");
    pub(super) const MIN_AVAILABLE: OperandSource =
        OperandSource::marked("spec.replicas − maxUnavailable", MinAvailable);
    pub(super) const ALL_AVAILABLE: OperandSource =
        OperandSource::marked("sum of status.availableReplicas of all ReplicaSets", Available);
    pub(super) const REVISION: OperandSource =
        OperandSource::new("annotation deployment.kubernetes.io/revision of the ReplicaSet");
    pub(super) const DEADLINE: OperandSource = OperandSource::new("spec.progressDeadlineSeconds of the Deployment");
}

#[cfg(feature = "explain")]
mod source {
    pub(super) const KEP_ROLLOUT: &str = "KEP-5882, Deployment Behavior Changes";
    pub(super) const KEP_SCALING: &str = "KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets";
    pub(super) const KEP_PROGRESS: &str = "KEP-5882, Deployment Completion and Progress Changes";
    pub(super) const GET_NEW: &str = "pkg/controller/deployment/sync.go getNewReplicaSet";
    pub(super) const ROLLBACK_GO: &str = "pkg/controller/deployment/rollback.go rollback";
    pub(super) const NEW_REPLICAS: &str = "pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas";
    pub(super) const OLD_PODS_RUNNING: &str = "pkg/controller/deployment/recreate.go oldPodsRunning";
    pub(super) const SCALE_GO: &str = "pkg/controller/deployment/sync.go scale";
    pub(super) const FIND_ACTIVE: &str = "pkg/controller/deployment/util/deployment_util.go FindActiveOrLatest";
    pub(super) const FRACTION: &str = "pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction";
    pub(super) const CALCULATE: &str = "pkg/controller/deployment/sync.go calculateStatus";
    pub(super) const ROLLOUT_STATUS: &str = "pkg/controller/deployment/progress.go syncRolloutStatus";
    pub(super) const TIMED_OUT: &str = "pkg/controller/deployment/util/deployment_util.go DeploymentTimedOut";
    pub(super) const PAUSED: &str = "pkg/controller/deployment/sync.go checkPausedConditions";
}

/// A decision of the Deployment controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// A ReplicaSet without an owner is taken over.
    #[rule(
        id = "deployment.adopt",
        upstream = "pkg/controller/controller_ref_manager.go AdoptReplicaSet",
        sentence = "Deployment {deployment} adopts {replica_set}, which has no controller and whose labels match."
    )]
    Adopt {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(DEPLOYMENT_NAME)]
        deployment: Rc<str>,
    },
    /// A ReplicaSet that no longer matches is let go.
    #[rule(
        id = "deployment.release",
        upstream = "pkg/controller/controller_ref_manager.go ReleaseReplicaSet",
        sentence = "Deployment {deployment} releases {replica_set}: its labels no longer match the selector."
    )]
    Release {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(DEPLOYMENT_NAME)]
        deployment: Rc<str>,
    },
    /// The selector takes everything: nothing is done.
    #[rule(
        id = "deployment.selecting-all",
        upstream = "pkg/controller/deployment/deployment_controller.go syncDeployment",
        sentence = "The selector of Deployment {deployment} is empty, which would select every pod, so the controller only emits a warning."
    )]
    SelectingAll {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
    },
    /// The selector can't be read: nothing is done.
    #[rule(
        id = "deployment.selector-unreadable",
        upstream = "pkg/controller/deployment/deployment_controller.go getReplicaSetsForDeployment",
        sentence = "The selector of Deployment {deployment} is invalid, so the controller does nothing."
    )]
    SelectorUnreadable {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
    },
    /// An unknown strategy: nothing is done.
    #[rule(
        id = "deployment.strategy-unknown",
        upstream = "pkg/controller/deployment/deployment_controller.go syncDeployment",
        sentence = "Deployment {deployment} has the unknown strategy {strategy}, so its sync fails."
    )]
    StrategyUnknown {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(source = "spec.strategy.type")]
        strategy: Rc<str>,
    },
    /// The ReplicaSet of a new pod template is created.
    #[rule(
        next_step,
        id = "deployment.create",
        upstream = source::GET_NEW,
        sentence = "{replica_set} is created with {size} of {desired} pod(s): the other ReplicaSets want {wanted}, and the limit is {limit}.",
        formula = [
            "room = limit − wanted = {limit} − {wanted} = {room}",
            "new = min(desired, room) = min({desired}, {room}) = {size}",
        ],
    )]
    Create {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "its new number of pods", mark = ReplicaSet)]
        size: i32,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(WANTED)]
        wanted: i32,
        #[operand(source = "limit − wanted")]
        room: i32,
    },
    /// As [`Self::Create`], but the other ReplicaSets leave no room.
    #[rule(
        next_step,
        id = "deployment.create.full",
        upstream = source::NEW_REPLICAS,
        sentence = "{replica_set} is created with {size} of {desired} pod(s): the other ReplicaSets already want {wanted}, and the limit is {limit}.",
        formula = ["room = limit − wanted = {limit} − {wanted} ≤ 0"],
    )]
    CreateFull {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "its new number of pods", mark = ReplicaSet)]
        size: i32,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(WANTED)]
        wanted: i32,
    },
    /// As [`Self::Create`], counting terminating pods.
    #[rule(
        next_step,
        id = "deployment.create.complete",
        section = source::KEP_ROLLOUT,
        sentence = "{replica_set} is created with {size} of {desired} pod(s): before this step, {held} in ReplicaSets and {terminating} terminating made {taken}; the limit is {limit}.",
        formula = [
            "taken = held + terminating = {held} + {terminating} = {taken}",
            "room = limit − taken = {limit} − {taken}",
            "new = min(desired, room) = min({desired}, {limit} − {taken}) = {size}, not below 0",
        ],
    )]
    CreateComplete {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "its new number of pods", mark = ReplicaSet)]
        size: i32,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(TAKEN)]
        taken: i32,
        #[operand(TERMINATING)]
        terminating: i32,
        #[operand(HELD)]
        held: i32,
    },
    /// The ReplicaSet of a new pod template is created for a Deployment that wants no pods.
    #[rule(
        next_step,
        id = "deployment.create.none",
        upstream = source::GET_NEW,
        sentence = "{replica_set} is created without pods, because none are desired.",
    )]
    CreateNone {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
    },
    /// The ReplicaSet of the new pod template is created for a Recreate rollout.
    #[rule(
        next_step,
        id = "deployment.create.recreate",
        upstream = source::GET_NEW,
        sentence = "Recreate: there are no old pods to wait for, so {replica_set} is created with all {size} pod(s).",
        formula = ["new = desired = {size}"],
    )]
    CreateRecreate {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "its new number of pods", mark = ReplicaSet)]
        size: i32,
    },
    /// Another object has the new ReplicaSet's name.
    #[rule(
        id = "deployment.collision",
        upstream = source::GET_NEW,
        sentence = "The name {replica_set} is taken: the controller raises the collision count to {count} and tries another hash.",
    )]
    Collision {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "status.collisionCount of the Deployment")]
        count: i32,
    },
    /// The new ReplicaSet could not be created.
    #[rule(
        next_step,
        id = "deployment.create.failed",
        upstream = source::GET_NEW,
        sentence = "The API server refused to create {replica_set}: the Progressing condition now says so.",
    )]
    CreateFailed {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
    },
    /// The new ReplicaSet has been created: the Deployment says so.
    #[rule(
        next_step,
        id = "deployment.created",
        upstream = source::GET_NEW,
        sentence = "{replica_set} was created as revision {revision} of Deployment {deployment}: the progress deadline of {deadline} s starts.",
    )]
    Created {
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
        #[operand(REVISION)]
        revision: Rc<str>,
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(DEADLINE)]
        deadline: i32,
    },
    /// A ReplicaSet of the wanted template was there, and the Deployment did not say how its rollout goes.
    #[rule(
        id = "deployment.found",
        upstream = source::GET_NEW,
        sentence = "{replica_set}, revision {revision}, has the pod template of Deployment {deployment}: the progress deadline of {deadline} s starts.",
    )]
    Found {
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
        #[operand(REVISION)]
        revision: Rc<str>,
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(DEADLINE)]
        deadline: i32,
    },
    /// The new ReplicaSet gets the newest revision.
    #[rule(
        next_step,
        id = "deployment.new.sync",
        upstream = "pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations",
        sentence = "{replica_set} becomes revision {revision}, because the highest revision of the other ReplicaSets is {highest}.",
        formula = ["revision = highest + 1 = {highest} + 1 = {revision}"],
    )]
    SyncNewRevision {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(REVISION)]
        revision: Rc<str>,
        #[operand(source = "the highest revision of the other ReplicaSets")]
        highest: i64,
    },
    /// The new ReplicaSet takes over annotations, and nothing else.
    #[rule(
        next_step,
        id = "deployment.new.annotations",
        upstream = "pkg/controller/deployment/util/deployment_util.go copyDeploymentAnnotationsToReplicaSet",
        sentence = "{replica_set} gets the annotations of Deployment {deployment} and stays at revision {revision}."
    )]
    NewAnnotations {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(DEPLOYMENT_NAME)]
        deployment: Rc<str>,
        #[operand(REVISION)]
        revision: Rc<str>,
    },
    /// The new ReplicaSet takes over minReadySeconds.
    #[rule(
        next_step,
        id = "deployment.new.min-ready",
        upstream = source::GET_NEW,
        sentence = "{replica_set} gets the minReadySeconds of Deployment {deployment}: {seconds} s instead of {before} s.",
    )]
    NewMinReady {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(DEPLOYMENT_NAME)]
        deployment: Rc<str>,
        #[operand(source = "spec.minReadySeconds of the ReplicaSet")]
        before: i32,
        #[operand(source = "spec.minReadySeconds of the Deployment")]
        seconds: i32,
    },
    /// The Deployment takes over the revision of its new ReplicaSet.
    #[rule(
        id = "deployment.revision",
        upstream = "pkg/controller/deployment/util/deployment_util.go SetDeploymentRevision",
        sentence = "Deployment {deployment} is now at revision {revision}, the revision of {replica_set}."
    )]
    TakeOverRevision {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(REVISION)]
        revision: Rc<str>,
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
    },
    /// An old ReplicaSet beyond the history limit is deleted.
    #[rule(
        id = "deployment.cleanup",
        upstream = "pkg/controller/deployment/sync.go cleanupDeployment",
        sentence = "{replica_set} is deleted: revisionHistoryLimit keeps {limit} of {old} old ReplicaSets, and the lowest revisions go first.",
        formula = ["to delete = old − limit = {old} − {limit} = {surplus}"],
    )]
    Cleanup {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "old ReplicaSets that are not being deleted")]
        old: i32,
        #[operand(source = "spec.revisionHistoryLimit")]
        limit: i32,
        #[operand(source = "old − limit")]
        surplus: i32,
    },
    /// The Deployment's template goes back to that of an older revision.
    #[rule(
        id = "deployment.rollback",
        upstream = "pkg/controller/deployment/rollback.go rollbackToTemplate",
        sentence = "Deployment {deployment} rolls back to the template of {replica_set}, revision {revision}: its annotation asks for revision {asked}."
    )]
    Rollback {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
        #[operand(source = "the requested revision, or the second highest for 0")]
        revision: i64,
        #[operand(source = "annotation deprecated.deployment.rollback.to; 0 means the previous revision")]
        asked: i64,
    },
    /// The revision that was asked for has the template that is there.
    #[rule(
        id = "deployment.rollback.same",
        upstream = "pkg/controller/deployment/rollback.go rollbackToTemplate",
        sentence = "Deployment {deployment} already has the template of {replica_set}, revision {revision}, so only the annotation that asks for {asked} is removed."
    )]
    RollbackSame {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
        #[operand(source = "the requested revision, or the second highest for 0")]
        revision: i64,
        #[operand(source = "annotation deprecated.deployment.rollback.to; 0 means the previous revision")]
        asked: i64,
    },
    /// There is no such revision.
    #[rule(
        id = "deployment.rollback.unknown",
        upstream = source::ROLLBACK_GO,
        sentence = "Deployment {deployment} has no revision {asked}, so only the annotation that asks for it is removed.",
    )]
    RollbackUnknown {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(source = "annotation deprecated.deployment.rollback.to; 0 means the previous revision")]
        asked: i64,
    },
    /// There is no revision before the last one.
    #[rule(
        id = "deployment.rollback.none",
        upstream = "pkg/controller/deployment/util/deployment_util.go LastRevision",
        sentence = "Deployment {deployment} has no previous revision, so only the annotation that asks for it is removed."
    )]
    RollbackNone {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
    },
    /// The new ReplicaSet grows; terminating pods do not count.
    #[rule(
        next_step,
        id = "deployment.new.up",
        upstream = source::NEW_REPLICAS,
        sentence = "{replica_set} grows from {from} to {to} of {desired} pod(s): ReplicaSets wanted {wanted} before this step; the limit is {limit}; terminating pods do not count.",
        formula = [
            "room = limit − wanted = {limit} − {wanted} = {room}",
            "new = size + min(desired − size, room) = {from} + min({desired} − {from}, {room}) = {to}",
        ],
    )]
    NewUp {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(WANTED)]
        wanted: i32,
        #[operand(source = "limit − wanted")]
        room: i32,
    },
    /// The new ReplicaSet grows under the complete rule.
    #[rule(
        next_step,
        id = "deployment.new.up.complete",
        section = source::KEP_ROLLOUT,
        sentence = "{replica_set} grows from {from} to {to} of {desired} pod(s): before this step, {held} in ReplicaSets and {terminating} terminating made {taken}; the limit is {limit}.",
        formula = [
            "taken = held + terminating = {held} + {terminating} = {taken}",
            "room = limit − taken = {limit} − {taken} = {room}",
            "new = size + min(desired − size, room) = {from} + min({desired} − {from}, {room}) = {to}",
        ],
    )]
    NewUpComplete {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(HELD)]
        held: i32,
        #[operand(TERMINATING)]
        terminating: i32,
        #[operand(TAKEN)]
        taken: i32,
        #[operand(source = "limit − taken")]
        room: i32,
    },
    /// No room for the new ReplicaSet; terminating pods do not count.
    #[rule(
        next_step,
        id = "deployment.new.wait",
        upstream = source::NEW_REPLICAS,
        sentence = "{replica_set} stays at {from} pod(s): the ReplicaSets want {wanted}, and the limit is {limit}.",
        formula = ["room = limit − wanted = {limit} − {wanted} ≤ 0"],
    )]
    NewWait {
        #[operands]
        resized: Resized,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(WANTED)]
        wanted: i32,
    },
    /// No room for the new ReplicaSet under the complete rule.
    #[rule(
        next_step,
        id = "deployment.new.wait.complete",
        section = source::KEP_ROLLOUT,
        sentence = "{replica_set} stays at {from} pod(s): the controller counts {taken} ({held} in ReplicaSets, {terminating} terminating), and the limit is {limit}.",
        formula = [
            "taken = held + terminating = {held} + {terminating} = {taken}",
            "room = limit − taken = {limit} − {taken} ≤ 0",
        ],
    )]
    NewWaitComplete {
        #[operands]
        resized: Resized,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(HELD)]
        held: i32,
        #[operand(TERMINATING)]
        terminating: i32,
        #[operand(TAKEN)]
        taken: i32,
    },
    /// The new ReplicaSet has more than desired.
    #[rule(
        next_step,
        id = "deployment.new.down",
        upstream = "pkg/controller/deployment/rolling.go reconcileNewReplicaSet",
        sentence = "{replica_set} shrinks from {from} to the desired {desired} pod(s).",
        formula = ["new = desired = {desired}"],
    )]
    NewDown {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
    },
    /// Unhealthy old pods go first.
    #[rule(
        next_step,
        id = "deployment.old.unhealthy",
        upstream = "pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas",
        sentence = "{replica_set} shrinks from {from} to {to}: before this step, it had {available} available and {unhealthy} unavailable pod(s), and at most {budget} may go.",
        formula = [
            "unhealthy = size − available = {from} − {available} = {unhealthy}",
            "budget = may go − gone = {max_cleanup} − {gone} = {budget}",
            "old = size − min(unhealthy, budget) = {from} − min({unhealthy}, {budget}) = {to}",
        ],
    )]
    OldUnhealthy {
        #[operands]
        resized: Resized,
        #[operand(source = "its status.availableReplicas", mark = Available)]
        available: i32,
        #[operand(source = "its spec.replicas − available")]
        unhealthy: i32,
        #[operand(source = "how many old pods may go: wanted − minimum available − unavailable new pods")]
        max_cleanup: i32,
        #[operand(source = "pods that this step has already taken from older ReplicaSets")]
        gone: i32,
        #[operand(source = "may go − gone")]
        budget: i32,
    },
    /// An old ReplicaSet has not got rid of pods yet: nothing is taken from any.
    #[rule(
        next_step,
        id = "deployment.old.surplus",
        upstream = "pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas",
        sentence = "{replica_set} should have {size} pod(s) but reports {available} available: no old ReplicaSet shrinks until it reports at most {size}."
    )]
    OldSurplus {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(source = "its spec.replicas", mark = ReplicaSet)]
        size: i32,
        #[operand(source = "its status.availableReplicas", mark = Available)]
        available: i32,
    },
    /// Available old pods go as far as the minimum allows.
    #[rule(
        next_step,
        id = "deployment.old.down",
        upstream = "pkg/controller/deployment/rolling.go scaleDownOldReplicaSetsForRollingUpdate",
        sentence = "{replica_set} shrinks from {from} to {to}: before this step, {min_available} of {available} available pod(s) had to stay, so {budget} could go.",
        formula = [
            "budget = available − minimum available = {available} − {min_available} = {budget}",
            "old = size − min(size, budget − gone) = {from} − min({from}, {budget} − {gone}) = {to}",
        ],
    )]
    OldDown {
        #[operands]
        resized: Resized,
        #[operand(
            source = "sum of status.availableReplicas of the new ReplicaSet and of old ones with pods",
            mark = Available
        )]
        available: i32,
        #[operand(MIN_AVAILABLE)]
        min_available: i32,
        #[operand(source = "available − minimum available")]
        budget: i32,
        #[operand(source = "pods that this step has already taken from older ReplicaSets")]
        gone: i32,
    },
    /// No old pod may go yet.
    #[rule(
        next_step,
        id = "deployment.old.wait",
        upstream = "pkg/controller/deployment/rolling.go reconcileOldReplicaSets",
        sentence = "No old pod of Deployment {deployment} may go: the ReplicaSets want {wanted} pod(s), and {min_available} must stay available. Unavailable new pods: {unavailable}.",
        formula = [
            "may go = wanted − minimum available − unavailable new pods = {wanted} − {min_available} − {unavailable} = {max_scaled_down} ≤ 0",
        ],
    )]
    OldWait {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(WANTED)]
        wanted: i32,
        #[operand(MIN_AVAILABLE)]
        min_available: i32,
        #[operand(source = "spec.replicas − status.availableReplicas of the new ReplicaSet")]
        unavailable: i32,
        #[operand(source = "how many old pods may go")]
        max_scaled_down: i32,
    },
    /// A count of terminating pods is missing.
    #[rule(
        id = "deployment.terminating-unknown",
        section = source::KEP_SCALING,
        sentence = "{replica_set} does not report how many of its pods are terminating: the sync ends here, and no ReplicaSet grows until it does.",
    )]
    TerminatingUnknown {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
    },
    /// The surge is neither a number nor a percentage.
    #[rule(
        id = "deployment.surge-unreadable",
        upstream = source::NEW_REPLICAS,
        sentence = "Deployment {deployment} has a maxSurge that is neither a number nor a percentage: the sync ends here.",
    )]
    SurgeUnreadable {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
    },
    /// The old pods all go.
    #[rule(
        next_step,
        next_step,
        id = "deployment.recreate.down",
        upstream = "pkg/controller/deployment/recreate.go scaleDownOldReplicaSetsForRecreate",
        sentence = "Recreate: {replica_set} shrinks from {from} to 0 before any new pod is created.",
        formula = ["old = 0"],
    )]
    RecreateDown(Resized),
    /// A Recreate rollout waits for its old pods.
    WaitForOldPods(OldPods),
    /// The new ReplicaSet gets its size.
    #[rule(
        next_step,
        id = "deployment.recreate.up",
        upstream = "pkg/controller/deployment/recreate.go scaleUpNewReplicaSetForRecreate",
        sentence = "Recreate: there are no old pods to wait for, so {replica_set} goes from {from} to the desired {desired}.",
        formula = ["new = desired = {desired}"],
    )]
    RecreateUp {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
    },
    /// Under the complete rule the new ReplicaSet grows as its own pods leave room.
    #[rule(
        next_step,
        id = "deployment.recreate.up.complete",
        section = source::KEP_ROLLOUT,
        sentence = "Recreate: {replica_set} grows from {from} to {to}: before this step, it counted {taken} ({held} of its own, {terminating} terminating), and {desired} are desired.",
        formula = [
            "taken = held + terminating = {held} + {terminating} = {taken}",
            "room = desired − taken = {desired} − {taken} = {room}",
            "new = size + min(desired − size, room) = {from} + min({desired} − {from}, {room}) = {to}",
        ],
    )]
    RecreateUpComplete {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(source = "max(spec.replicas, status.replicas) of this ReplicaSet", mark = ReplicaSet)]
        held: i32,
        #[operand(source = "its status.terminatingReplicas", mark = Terminating)]
        terminating: i32,
        #[operand(TAKEN)]
        taken: i32,
        #[operand(source = "desired − taken")]
        room: i32,
    },
    /// Under the complete rule the new ReplicaSet's own pods may leave no room.
    #[rule(
        next_step,
        id = "deployment.recreate.up.wait",
        section = source::KEP_ROLLOUT,
        sentence = "Recreate: {replica_set} waits at {from}: it counts {taken} ({held} of its own, {terminating} terminating), and {desired} are desired.",
        formula = [
            "taken = held + terminating = {held} + {terminating} = {taken}",
            "room = desired − taken = {desired} − {taken} ≤ 0",
        ],
    )]
    RecreateUpWait {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(source = "max(spec.replicas, status.replicas) of this ReplicaSet", mark = ReplicaSet)]
        held: i32,
        #[operand(source = "its status.terminatingReplicas", mark = Terminating)]
        terminating: i32,
        #[operand(TAKEN)]
        taken: i32,
    },
    /// The only ReplicaSet with pods is scaled to the Deployment's size.
    #[rule(
        next_step,
        id = "deployment.scale",
        upstream = source::FIND_ACTIVE,
        sentence = "{replica_set} is the only ReplicaSet with pods: it goes from {from} to the desired {desired} at once.",
        formula = ["size = desired = {desired}"],
    )]
    Scale {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
    },
    /// No ReplicaSet has pods: the new one, or else the newest, is scaled.
    #[rule(
        next_step,
        id = "deployment.scale.latest",
        upstream = source::FIND_ACTIVE,
        sentence = "No ReplicaSet has pods: {replica_set} goes from {from} to the desired {desired} at once.",
        formula = ["size = desired = {desired}"],
    )]
    ScaleLatest {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
    },
    /// The only ReplicaSet has its size already, but notes another desired number: every sync takes it for scaling.
    #[rule(
        next_step,
        id = "deployment.scale.stuck",
        upstream = "pkg/controller/deployment/sync.go isScalingEvent",
        sentence = "{replica_set} has the desired {desired} pod(s), but its annotation says {noted}: each sync treats that as a scaling event and does nothing else."
    )]
    ScaleStuck {
        #[operand(REPLICA_SET_NAME)]
        #[subject]
        replica_set: Rc<str>,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(source = "annotation deployment.kubernetes.io/desired-replicas of the ReplicaSet")]
        noted: i32,
    },
    /// Several ReplicaSets have pods, none is whole, and the strategy is no rolling update: none is scaled.
    #[rule(
        next_step,
        id = "deployment.scale.none",
        upstream = source::SCALE_GO,
        sentence = "Deployment {deployment} is scaled to {desired}, but with the Recreate strategy, no ReplicaSet is resized while several have pods.",
    )]
    ScaleNone {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(DESIRED)]
        desired: i32,
    },
    /// One ReplicaSet grows under the complete rule.
    #[rule(
        next_step,
        id = "deployment.scale.complete",
        section = source::KEP_SCALING,
        sentence = "{replica_set} grows from {from} to {to} of {desired}: before this step, {wanted} wanted, {terminating} terminating and {surplus} surplus pods left {room} of {limit} slots.",
        formula = [
            "room = limit − wanted − terminating − surplus = {limit} − {wanted} − {terminating} − {surplus} = {room}, not below 0",
            "new size = min(desired, size + room) = min({desired}, {from} + {room}) = {to}",
        ],
    )]
    ScaleComplete {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(WANTED)]
        wanted: i32,
        #[operand(TERMINATING)]
        terminating: i32,
        #[operand(SURPLUS)]
        surplus: i32,
        #[operand(source = "what may be added now, not below 0")]
        room: i32,
    },
    /// One ReplicaSet has no room to grow under the complete rule.
    #[rule(
        next_step,
        id = "deployment.scale.wait",
        section = source::KEP_SCALING,
        sentence = "{replica_set} waits at {from} of {desired}: {wanted} wanted, {terminating} terminating and {surplus} surplus pods leave {room} of {limit} slots.",
        formula = [
            "room = limit − wanted − terminating − surplus = {limit} − {wanted} − {terminating} − {surplus} = {room}, not below 0",
        ],
    )]
    ScaleWait {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        #[operand(WANTED)]
        wanted: i32,
        #[operand(TERMINATING)]
        terminating: i32,
        #[operand(SURPLUS)]
        surplus: i32,
        #[operand(source = "what may be added now, not below 0")]
        room: i32,
    },
    /// The new ReplicaSet is saturated: the old ones go.
    #[rule(
        next_step,
        id = "deployment.scale.saturated",
        upstream = source::SCALE_GO,
        sentence = "The new ReplicaSet has all {desired} pod(s) available: {replica_set} goes from {from} to 0.",
        formula = ["old = 0"],
    )]
    ScaleSaturated {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
    },
    /// Pods are added to ReplicaSets in proportion.
    #[rule(
        next_step,
        id = "deployment.scale.proportional",
        upstream = source::SCALE_GO,
        sentence = "Scaling up during a rollout: {replica_set} goes from {from} to {to}. That is its share of the {to_add} new pod(s).",
        formula = [
            "to add = limit − wanted = {limit} − {wanted} = {to_add}",
            "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
            "share = {share}: the whole share, capped at what is left ({left})",
            "new size = max(0, size + share + leftover) = max(0, {from} + {share} + {leftover}) = {to}",
        ],
    )]
    ScaleProportional(Box<Scaled>),
    /// Pods are taken from ReplicaSets in proportion.
    #[rule(
        id = "deployment.scale.proportional.down",
        like = ScaleProportional,
        sentence = "Scaling down during a rollout: {replica_set} goes from {from} to {to}. That is its share of the change of {to_add}.",
    )]
    ScaleProportionalDown(Box<Scaled>),
    /// Nothing is desired any more.
    #[rule(
        next_step,
        id = "deployment.scale.zero",
        upstream = source::FRACTION,
        sentence = "No pods are desired: {replica_set} goes from {from} to 0.",
        formula = ["size = 0"],
    )]
    ScaleZero {
        #[operands]
        resized: Resized,
        /// Its share.
        #[operand(skip)]
        share: Box<Scaled>,
    },
    /// The limit before is not known: the ReplicaSet has no share, but as the first one it gets the leftover.
    #[rule(
        next_step,
        id = "deployment.scale.leftover",
        upstream = source::FRACTION,
        sentence = "The previous limit is unknown, so {replica_set} gets only the leftover, {leftover} of {to_add}: it goes from {from} to {to}.",
        formula = [
            "to add = limit − wanted = {limit} − {wanted} = {to_add}",
            "new size = max(0, size + leftover) = max(0, {from} + {leftover}) = {to}",
        ],
    )]
    ScaleLeftover(Box<Scaled>),
    /// As [`Self::ScaleLeftover`], in a step under the complete rule that does not give it all that it still needs.
    #[rule(
        next_step,
        id = "deployment.scale.partial.leftover",
        section = source::KEP_SCALING,
        sentence = "The previous limit is unknown, so {replica_set} gets only what is left over for now: that makes {to}, and it still needs {owed}.",
        formula = [
            "to add = limit − wanted = {limit} − {wanted} = {to_add}",
            "room = to add − terminating − surplus = {to_add} − {terminating} − {surplus} = {room}, not below 0",
            "new size = size + leftover = {from} + {leftover} = {to}",
            "owed = full size − new size = {full} − {to} = {owed}",
        ],
    )]
    ScalePartialLeftover(Box<Scaled>),
    /// A step of proportional scaling up under the complete rule: this ReplicaSet does not get all that it still needs.
    #[rule(
        next_step,
        id = "deployment.scale.partial",
        section = source::KEP_SCALING,
        sentence = "{replica_set} goes from {from} to {to} for now and still needs {owed}: terminating and surplus pods leave room for {room} of {to_add}.",
        formula = [
            "to add = limit − wanted = {limit} − {wanted} = {to_add}",
            "room = to add − terminating − surplus = {to_add} − {terminating} − {surplus} = {room}, not below 0",
            "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
            "share = min(max(whole share, 0), left) = min(max({whole_share}, 0), {left}) = {share}",
            "new size = size + share + leftover = {from} + {share} + {leftover} = {to}",
            "owed = full size − new size = {full} − {to} = {owed}",
        ],
    )]
    ScalePartial(Box<Scaled>),
    /// As [`Self::ScalePartial`], but this ReplicaSet gets nothing of what it still needs.
    #[rule(
        id = "deployment.scale.partial.wait",
        like = ScalePartial,
        sentence = "{replica_set} stays at {from} pod(s) for now and still needs {owed}: terminating and surplus pods leave room for {room} of {to_add}.",
    )]
    ScalePartialWait(Box<Scaled>),
    /// As [`Self::ScalePartial`], but this ReplicaSet gets all that it still needs.
    #[rule(
        id = "deployment.scale.whole",
        like = ScalePartial,
        sentence = "{replica_set} goes from {from} to {to}, its full size: {terminating} terminating and {surplus} surplus pods leave room for {room} of {to_add}.",
    )]
    ScaleWhole(Box<Scaled>),
    /// As [`Self::ScaleWhole`], but its full size is the one that it has.
    #[rule(
        id = "deployment.scale.kept",
        like = ScalePartial,
        sentence = "{replica_set} keeps its {from} pod(s): that is already its share.",
    )]
    ScaleKept(Box<Scaled>),
    /// Only the annotations of a ReplicaSet are brought up to date.
    #[rule(
        next_step,
        id = "deployment.scale.annotations",
        upstream = "pkg/controller/deployment/sync.go scaleReplicaSet",
        sentence = "{replica_set} keeps its {from} pod(s); its annotations now say {desired} desired and {limit} at most."
    )]
    ScaleAnnotations {
        #[operands]
        resized: Resized,
        #[operand(DESIRED)]
        desired: i32,
        #[operand(LIMIT)]
        limit: i32,
        /// Its share, where several ReplicaSets are scaled in proportion.
        #[operand(skip)]
        share: Option<Box<Scaled>>,
    },
    /// The status follows the ReplicaSets.
    #[rule(
        id = "deployment.status",
        upstream = source::CALCULATE,
        sentence = "Deployment {deployment} adds up its ReplicaSets: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
    )]
    StatusCounts(Box<Status>),
    /// The Deployment is being deleted: it still counts.
    #[rule(
        id = "deployment.status.deleted",
        upstream = "pkg/controller/deployment/sync.go syncStatusOnly",
        sentence = "Deployment {deployment} is being deleted, so only its counts change: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available."
    )]
    StatusDeleted(Box<Status>),
    /// The rollout had been complete before.
    #[rule(
        id = "deployment.status.settled",
        upstream = source::ROLLOUT_STATUS,
        sentence = "Deployment {deployment} has no rollout in progress: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
    )]
    StatusSettled(Box<Status>),
    /// No progress, and the deadline has not passed.
    #[rule(
        id = "deployment.status.waiting",
        upstream = source::TIMED_OUT,
        sentence = "Deployment {deployment} hasn't progressed yet (deadline: {deadline} s): {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
    )]
    StatusWaiting {
        #[operands]
        status: Box<Status>,
        #[operand(DEADLINE)]
        deadline: i32,
    },
    /// As [`Self::StatusWaiting`], under the complete rule, which waits for terminating pods.
    #[rule(
        id = "deployment.status.waiting.complete",
        section = source::KEP_PROGRESS,
        sentence = "Deployment {deployment} hasn't progressed yet (deadline: {deadline} s): {replicas} pod(s), {updated} up to date, {ready} ready, {available} available; terminating: {terminating}.",
    )]
    StatusWaitingComplete {
        #[operands]
        status: Box<Status>,
        #[operand(DEADLINE)]
        deadline: i32,
    },
    /// The rollout is complete.
    #[rule(
        next_step,
        id = "deployment.complete",
        upstream = "pkg/controller/deployment/util/deployment_util.go DeploymentComplete",
        sentence = "The rollout of Deployment {deployment} is complete: {replicas} pod(s), all {updated} up to date, {ready} ready and {available} available; terminating pods do not count.",
        formula = ["up to date = all = available = desired = {replicas}"],
    )]
    Complete(Box<Status>),
    /// The rollout is complete, and no pod is terminating any more.
    #[rule(
        next_step,
        id = "deployment.complete.complete",
        section = source::KEP_PROGRESS,
        sentence = "The rollout of Deployment {deployment} is complete: {replicas} pod(s), all {updated} up to date, {ready} ready and {available} available, none terminating.",
        formula = ["up to date = all = available = desired = {replicas}", "terminating = 0"],
    )]
    CompleteComplete(Box<Status>),
    /// The rollout is stuck.
    #[rule(
        next_step,
        id = "deployment.timed-out",
        upstream = source::TIMED_OUT,
        sentence = "Deployment {deployment} made no progress for {deadline} s: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
    )]
    TimedOut {
        #[operands]
        status: Box<Status>,
        #[operand(DEADLINE)]
        deadline: i32,
    },
    /// As [`Self::TimedOut`], under the complete rule.
    #[rule(
        next_step,
        id = "deployment.timed-out.complete",
        section = source::KEP_PROGRESS,
        sentence = "Deployment {deployment} made no progress for {deadline} s: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available; terminating: {terminating}.",
    )]
    TimedOutComplete {
        #[operands]
        status: Box<Status>,
        #[operand(DEADLINE)]
        deadline: i32,
    },
    /// The rollout moves on, which restarts the deadline.
    #[rule(
        id = "deployment.progressing",
        upstream = "pkg/controller/deployment/util/deployment_util.go DeploymentProgressing",
        sentence = "Deployment {deployment} progressed: {replicas} pod(s) ({replicas_before} before), {updated} up to date ({updated_before}), {ready} ready ({ready_before}), {available} available ({available_before})."
    )]
    Progressing(Box<Status>),
    /// As [`Self::Progressing`], under the complete rule: fewer terminating pods are progress too.
    #[rule(
        id = "deployment.progressing.complete",
        section = source::KEP_PROGRESS,
        sentence = "Deployment {deployment} progressed: {replicas} pod(s) ({replicas_before} before), {updated} up to date ({updated_before}), {ready} ready ({ready_before}), {available} available ({available_before}); terminating: {terminating} ({terminating_before}).",
    )]
    ProgressingComplete(Box<Status>),
    /// Without a deadline there is no Progressing condition.
    #[rule(
        id = "deployment.no-deadline",
        upstream = "pkg/controller/deployment/util/deployment_util.go HasProgressDeadline",
        sentence = "Deployment {deployment} no longer has a progress deadline, so its Progressing condition is removed."
    )]
    NoDeadline(Box<Status>),
    /// Enough pods have become available.
    #[rule(
        id = "deployment.available",
        upstream = source::CALCULATE,
        sentence = "Deployment {deployment} had {available} available pod(s) at this step, and its condition Available needs {min_available}: it is available.",
        formula = ["{available} ≥ {min_available}"],
    )]
    Available {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(ALL_AVAILABLE)]
        available: i32,
        #[operand(MIN_AVAILABLE)]
        min_available: i32,
    },
    /// Too few pods are available.
    #[rule(
        id = "deployment.unavailable",
        upstream = source::CALCULATE,
        sentence = "Deployment {deployment} had {available} available pod(s) at this step, and its condition Available needs {min_available}: it is not available.",
        formula = ["{available} < {min_available}"],
    )]
    Unavailable {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(ALL_AVAILABLE)]
        available: i32,
        #[operand(MIN_AVAILABLE)]
        min_available: i32,
    },
    /// A ReplicaSet reports that its pods could not be created or deleted.
    #[rule(
        id = "deployment.failure",
        upstream = "pkg/controller/deployment/progress.go getReplicaFailures",
        sentence = "{replica_set} could not create or delete pods, so Deployment {deployment} also gets the condition ReplicaFailure."
    )]
    FailureBegan {
        #[operand(REPLICA_SET_NAME)]
        replica_set: Rc<str>,
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
    },
    /// No ReplicaSet reports that any more.
    #[rule(
        id = "deployment.failure.over",
        upstream = "pkg/controller/deployment/progress.go getReplicaFailures",
        sentence = "The ReplicaSets of Deployment {deployment} no longer fail to create or delete pods, so its ReplicaFailure condition is removed."
    )]
    FailureOver {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
    },
    /// The Progressing condition reports that the Deployment is paused.
    #[rule(
        id = "deployment.paused",
        upstream = source::PAUSED,
        sentence = "Deployment {deployment} is paused, so its progress deadline does not apply.",
    )]
    Paused {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
    },
    /// The Progressing condition reports that the Deployment goes on.
    #[rule(
        id = "deployment.resumed",
        upstream = source::PAUSED,
        sentence = "Deployment {deployment} is resumed: its progress deadline of {deadline} s starts over.",
    )]
    Resumed {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(DEADLINE)]
        deadline: i32,
    },
}

impl Decision {
    /// Whether a size that stays is a ReplicaSet that waits for room.
    pub(crate) const fn waits_for_room(&self) -> bool {
        matches!(
            self,
            Self::NewWait { .. }
                | Self::NewWaitComplete { .. }
                | Self::RecreateUpWait { .. }
                | Self::ScaleWait { .. }
                | Self::ScalePartialWait(_)
                | Self::ScalePartialLeftover(_)
                | Self::ScaleKept(_)
        )
    }

    /// The share of a ReplicaSet that is scaled in proportion to others.
    pub fn share(&self) -> Option<&Scaled> {
        match self {
            Self::ScaleProportional(scaled)
            | Self::ScaleProportionalDown(scaled)
            | Self::ScaleZero { share: scaled, .. }
            | Self::ScaleLeftover(scaled)
            | Self::ScalePartialLeftover(scaled)
            | Self::ScalePartial(scaled)
            | Self::ScalePartialWait(scaled)
            | Self::ScaleWhole(scaled)
            | Self::ScaleKept(scaled)
            | Self::ScaleAnnotations { share: Some(scaled), .. } => Some(scaled),
            _ => None,
        }
    }
}

/// The old pods that a Recreate rollout waits for.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject, one_topic)]
pub enum OldPods {
    /// It waits while old pods are counted.
    #[rule(
        next_step,
        id = "deployment.recreate.wait",
        upstream = source::OLD_PODS_RUNNING,
        sentence = "Recreate: Deployment {deployment} waits, because its old ReplicaSets still report {counted} pod(s).",
        formula = ["wait while counted = {counted} > 0"],
    )]
    Counted {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(source = "sum of status.replicas of the old ReplicaSets")]
        counted: i32,
    },
    /// It waits for every old pod, terminating ones included.
    #[rule(
        next_step,
        id = "deployment.recreate.wait.ending",
        upstream = source::OLD_PODS_RUNNING,
        sentence = "Recreate: Deployment {deployment} waits for {running} old pod(s) to end; terminating pods count too.",
        formula = ["wait while running = {running} > 0"],
    )]
    Running {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(source = "old pods that are neither Succeeded nor Failed", mark = Total)]
        running: i32,
    },
    /// With TerminationStarted it waits until the old pods terminate.
    #[rule(
        next_step,
        id = "deployment.recreate.wait.started",
        section = source::KEP_ROLLOUT,
        sentence = "Recreate: Deployment {deployment} waits for {counted} old pod(s) to start terminating.",
        formula = ["wait while counted = {counted} > 0"],
    )]
    NotTerminating {
        #[operand(DEPLOYMENT_NAME)]
        #[subject]
        deployment: Rc<str>,
        #[operand(source = "sum of status.replicas of the old ReplicaSets")]
        counted: i32,
    },
}

/// A ReplicaSet whose size is decided.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Resized {
    #[operand(REPLICA_SET_NAME)]
    #[subject]
    pub replica_set: Rc<str>,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    pub from: i32,
    #[operand(source = "its new size", mark = ReplicaSet)]
    pub to: i32,
}

/// A ReplicaSet's share when a Deployment is scaled in the middle of a rollout.
///
/// Under the complete rule, growing, `left`, `share` and `leftover` are of the room that there is now.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Scaled {
    #[operand(source = "a ReplicaSet with pods, the biggest first", mark = ReplicaSet)]
    #[subject]
    pub replica_set: Rc<str>,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    pub from: i32,
    #[operand(source = "its new size", mark = ReplicaSet)]
    pub to: i32,
    #[operand(source = "spec.replicas + maxSurge, or 0", mark = Limit)]
    pub limit: i32,
    #[operand(source = "sum of spec.replicas of the ReplicaSets with pods", mark = Total)]
    pub wanted: i32,
    #[operand(source = "limit − wanted")]
    pub to_add: i32,
    #[operand(source = "annotation replicaset-replicas-before-scale, else its spec.replicas")]
    pub base: i32,
    #[operand(source = "annotation deployment.kubernetes.io/max-replicas, else status.replicas")]
    pub before: i32,
    #[operand(source = "limit ÷ limit before")]
    pub ratio: Thousandths,
    #[operand(source = "base × ratio, rounded, less its spec.replicas")]
    pub whole_share: i32,
    #[operand(source = "what the ReplicaSets before it left")]
    pub left: i32,
    #[operand(source = "its whole share, but not more than was left")]
    pub share: i32,
    #[operand(source = "what remains after all shares; the first ReplicaSet gets it")]
    pub leftover: i32,
    #[operand(TERMINATING)]
    pub terminating: Option<i32>,
    #[operand(SURPLUS)]
    pub surplus: Option<i32>,
    #[operand(source = "what may be added now, not below 0")]
    pub room: Option<i32>,
    #[operand(source = "its size once the scaling is finished")]
    pub full: i32,
    #[operand(source = "its size once the scaling is finished − its size now")]
    pub owed: i32,
}

/// A new status, and the one before.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Status {
    #[operand(DEPLOYMENT_NAME)]
    #[subject]
    pub deployment: Rc<str>,
    #[operand(source = "sum of status.replicas of all ReplicaSets", mark = Total)]
    pub replicas: i32,
    #[operand(source = "status.replicas of the new ReplicaSet")]
    pub updated: i32,
    #[operand(source = "sum of status.readyReplicas of all ReplicaSets")]
    pub ready: i32,
    #[operand(ALL_AVAILABLE)]
    pub available: i32,
    #[operand(TERMINATING)]
    pub terminating: Option<i32>,
    #[operand(source = "the previous value in the status")]
    pub replicas_before: i32,
    #[operand(source = "the previous value in the status")]
    pub updated_before: i32,
    #[operand(source = "the previous value in the status")]
    pub ready_before: i32,
    #[operand(source = "the previous value in the status")]
    pub available_before: i32,
    #[operand(source = "the previous value in the status")]
    pub terminating_before: Option<i32>,
}

/// A ratio, as the KEP's tables have it: `1.182`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thousandths(pub Option<i64>);

impl fmt::Display for Thousandths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(thousandths) => {
                write!(f, "{}.{:03}", thousandths.wrapping_div(1_000), thousandths.wrapping_rem(1_000))
            }
            None => f.write_str("none"),
        }
    }
}

#[cfg(feature = "explain")]
impl crate::rule::ToOperand for Thousandths {
    fn to_operand(&self) -> crate::rule::OperandValue {
        alloc::format!("{self}").as_str().into()
    }
}
