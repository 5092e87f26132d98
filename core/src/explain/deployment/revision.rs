//! The ReplicaSets of a Deployment: adopted, created, given a revision, rolled back to, deleted.

use super::super::operands::{
    DEADLINE, DEPLOYMENT_NAME, DESIRED, HELD, LIMIT, REPLICA_SET_NAME, REVISION, TAKEN, TERMINATING, WANTED,
};
use super::super::{Reason, Rule, RuleText};
use super::{KEP_ROLLOUT, NEW_REPLICAS};
use crate::controller::decision::deployment::{NewSize, SyncNew, Taken};

const GET_NEW: &str = "pkg/controller/deployment/sync.go getNewReplicaSet";
const ROLLBACK_GO: &str = "pkg/controller/deployment/rollback.go rollback";

/// Explains the size with which a ReplicaSet is created.
pub(super) fn explain_create(replica_set: &str, size: NewSize) -> Reason {
    match size {
        NewSize::Desired { desired: 0 } => CreateNone { replica_set }.reason(),
        NewSize::Desired { desired: size } | NewSize::Limited { replicas: size, taken: Taken::HeldByNew(_), .. } => {
            CreateRecreate { replica_set, size }.reason()
        }
        NewSize::Limited { replicas: size, desired, limit, taken: Taken::Held(slots), .. } => {
            let (held, terminating, taken) = (slots.held, slots.terminating, slots.taken);
            CreateComplete { replica_set, size, desired, limit, taken, terminating, held }.reason()
        }
        NewSize::Limited { replicas: size, desired, limit, taken: Taken::Wanted(wanted), room } => match room {
            Some(room) => Create { replica_set, size, desired, limit, wanted, room }.reason(),
            None => CreateFull { replica_set, size, desired, limit, wanted }.reason(),
        },
    }
}

/// Explains what changes in the new ReplicaSet: the first of revision, minReadySeconds and annotations.
pub(super) fn explain_sync(sync: &SyncNew) -> Reason {
    let SyncNew { deployment, replica_set, .. } = sync;
    let revision = sync.revision.as_deref().unwrap_or("none");
    let (before, seconds) = sync.min_ready_seconds;
    match sync.above {
        Some(highest) => SyncNewRevision { replica_set, revision, highest }.reason(),
        None if before != seconds => NewMinReady { replica_set, deployment, before, seconds }.reason(),
        None => NewAnnotations { replica_set, deployment, revision }.reason(),
    }
}

/// A ReplicaSet without an owner is taken over.
#[derive(Rule)]
#[rule(
    id = "deployment.adopt",
    upstream = "pkg/controller/controller_ref_manager.go AdoptReplicaSet",
    sentence = "Deployment {deployment} adopts {replica_set}, which has no controller and whose labels match."
)]
pub(super) struct Adopt<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
}

/// A ReplicaSet that no longer matches is let go.
#[derive(Rule)]
#[rule(
    id = "deployment.release",
    upstream = "pkg/controller/controller_ref_manager.go ReleaseReplicaSet",
    sentence = "Deployment {deployment} releases {replica_set}: its labels no longer match the selector."
)]
pub(super) struct Release<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
}

/// The selector takes everything: nothing is done.
#[derive(Rule)]
#[rule(
    id = "deployment.selecting-all",
    upstream = "pkg/controller/deployment/deployment_controller.go syncDeployment",
    sentence = "The selector of Deployment {deployment} is empty, which would select every pod, so the controller only emits a warning."
)]
pub(super) struct SelectingAll<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
}

/// The selector can't be read: nothing is done.
#[derive(Rule)]
#[rule(
    id = "deployment.selector-unreadable",
    upstream = "pkg/controller/deployment/deployment_controller.go getReplicaSetsForDeployment",
    sentence = "The selector of Deployment {deployment} is invalid, so the controller does nothing."
)]
pub(super) struct SelectorUnreadable<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
}

/// An unknown strategy: nothing is done.
#[derive(Rule)]
#[rule(
    id = "deployment.strategy-unknown",
    upstream = "pkg/controller/deployment/deployment_controller.go syncDeployment",
    sentence = "Deployment {deployment} has the unknown strategy {strategy}, so its sync fails."
)]
pub(super) struct StrategyUnknown<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(source = "spec.strategy.type")]
    pub(super) strategy: &'a str,
}

/// The ReplicaSet of a new pod template is created.
#[derive(Rule)]
#[rule(
    id = "deployment.create",
    upstream = GET_NEW,
    sentence = "{replica_set} is created with {size} of {desired} pod(s): the other ReplicaSets want {wanted}, and the limit is {limit}.",
    formula = [
        "room = limit − wanted = {limit} − {wanted} = {room}",
        "new = min(desired, room) = min({desired}, {room}) = {size}",
    ],
)]
struct Create<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
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
}

/// As [`Create`], but the other ReplicaSets leave no room.
#[derive(Rule)]
#[rule(
    id = "deployment.create.full",
    upstream = NEW_REPLICAS,
    sentence = "{replica_set} is created with {size} of {desired} pod(s): the other ReplicaSets already want {wanted}, and the limit is {limit}.",
    formula = ["room = limit − wanted = {limit} − {wanted} ≤ 0"],
)]
struct CreateFull<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "its new number of pods", mark = ReplicaSet)]
    size: i32,
    #[operand(DESIRED)]
    desired: i32,
    #[operand(LIMIT)]
    limit: i32,
    #[operand(WANTED)]
    wanted: i32,
}

/// As [`Create`], counting terminating pods.
#[derive(Rule)]
#[rule(
    id = "deployment.create.complete",
    section = KEP_ROLLOUT,
    sentence = "{replica_set} is created with {size} of {desired} pod(s): {taken} of {limit} slots are taken, {held} by ReplicaSets and {terminating} by terminating pods.",
    formula = [
        "taken = held + terminating = {held} + {terminating} = {taken}",
        "room = limit − taken = {limit} − {taken}",
        "new = min(desired, room) = min({desired}, {limit} − {taken}) = {size}, not below 0",
    ],
)]
struct CreateComplete<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
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
}

/// The ReplicaSet of a new pod template is created for a Deployment that wants no pods.
#[derive(Rule)]
#[rule(
    id = "deployment.create.none",
    upstream = GET_NEW,
    sentence = "{replica_set} is created without pods, because none are desired.",
)]
struct CreateNone<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
}

/// The ReplicaSet of the new pod template is created for a Recreate rollout.
#[derive(Rule)]
#[rule(
    id = "deployment.create.recreate",
    upstream = GET_NEW,
    sentence = "Recreate: there are no old pods to wait for, so {replica_set} is created with all {size} pod(s).",
    formula = ["new = desired = {size}"],
)]
struct CreateRecreate<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(source = "its new number of pods", mark = ReplicaSet)]
    size: i32,
}

/// Another object has the new ReplicaSet's name.
#[derive(Rule)]
#[rule(
    id = "deployment.collision",
    upstream = GET_NEW,
    sentence = "The name {replica_set} is taken: the controller raises the collision count to {count} and tries another hash.",
)]
pub(super) struct Collision<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(source = "status.collisionCount of the Deployment")]
    pub(super) count: i32,
}

/// The new ReplicaSet could not be created.
#[derive(Rule)]
#[rule(
    id = "deployment.create.failed",
    upstream = GET_NEW,
    sentence = "The API server refused to create {replica_set}: the Progressing condition now says so.",
)]
pub(super) struct CreateFailed<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
}

/// The new ReplicaSet has been created: the Deployment says so.
#[derive(Rule)]
#[rule(
    id = "deployment.created",
    upstream = GET_NEW,
    sentence = "{replica_set} was created as revision {revision} of Deployment {deployment}: the progress deadline of {deadline} s starts.",
)]
pub(super) struct Created<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(REVISION)]
    pub(super) revision: &'a str,
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(DEADLINE)]
    pub(super) deadline: i32,
}

/// A ReplicaSet of the wanted template was there, and the Deployment did not say how its rollout goes.
#[derive(Rule)]
#[rule(
    id = "deployment.found",
    upstream = GET_NEW,
    sentence = "{replica_set}, revision {revision}, has the pod template of Deployment {deployment}: the progress deadline of {deadline} s starts.",
)]
pub(super) struct Found<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(REVISION)]
    pub(super) revision: &'a str,
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(DEADLINE)]
    pub(super) deadline: i32,
}

/// The new ReplicaSet gets the newest revision.
#[derive(Rule)]
#[rule(
    id = "deployment.new.sync",
    upstream = "pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations",
    sentence = "{replica_set} becomes revision {revision}, because the highest revision of the other ReplicaSets is {highest}.",
    formula = ["revision = highest + 1 = {highest} + 1 = {revision}"],
)]
struct SyncNewRevision<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(REVISION)]
    revision: &'a str,
    #[operand(source = "the highest revision of the other ReplicaSets")]
    highest: i64,
}

/// The new ReplicaSet takes over annotations, and nothing else.
#[derive(Rule)]
#[rule(
    id = "deployment.new.annotations",
    upstream = "pkg/controller/deployment/util/deployment_util.go copyDeploymentAnnotationsToReplicaSet",
    sentence = "{replica_set} gets the annotations of Deployment {deployment} and stays at revision {revision}."
)]
struct NewAnnotations<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(REVISION)]
    revision: &'a str,
}

/// The new ReplicaSet takes over minReadySeconds.
#[derive(Rule)]
#[rule(
    id = "deployment.new.min-ready",
    upstream = GET_NEW,
    sentence = "{replica_set} gets the minReadySeconds of Deployment {deployment}: {seconds} s instead of {before} s.",
)]
struct NewMinReady<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(source = "spec.minReadySeconds of the ReplicaSet")]
    before: i32,
    #[operand(source = "spec.minReadySeconds of the Deployment")]
    seconds: i32,
}

/// The Deployment takes over the revision of its new ReplicaSet.
#[derive(Rule)]
#[rule(
    id = "deployment.revision",
    upstream = "pkg/controller/deployment/util/deployment_util.go SetDeploymentRevision",
    sentence = "Deployment {deployment} is now at revision {revision}, the revision of {replica_set}."
)]
pub(super) struct TakeOverRevision<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(REVISION)]
    pub(super) revision: &'a str,
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
}

/// An old ReplicaSet beyond the history limit is deleted.
#[derive(Rule)]
#[rule(
    id = "deployment.cleanup",
    upstream = "pkg/controller/deployment/sync.go cleanupDeployment",
    sentence = "{replica_set} is deleted: revisionHistoryLimit keeps {limit} of {old} old ReplicaSets, and the lowest revisions go first.",
    formula = ["to delete = old − limit = {old} − {limit} = {surplus}"],
)]
pub(super) struct Cleanup<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(source = "old ReplicaSets that are not being deleted")]
    pub(super) old: i32,
    #[operand(source = "spec.revisionHistoryLimit")]
    pub(super) limit: i32,
    #[operand(source = "old − limit")]
    pub(super) surplus: i32,
}

/// The Deployment's template goes back to that of an older revision.
#[derive(Rule)]
#[rule(
    id = "deployment.rollback",
    upstream = "pkg/controller/deployment/rollback.go rollbackToTemplate",
    sentence = "Deployment {deployment} rolls back to the template of {replica_set}, revision {revision}: its annotation asks for revision {asked}."
)]
pub(super) struct Rollback<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(source = "the requested revision, or the second highest for 0")]
    pub(super) revision: i64,
    #[operand(source = "annotation deprecated.deployment.rollback.to; 0 means the previous revision")]
    pub(super) asked: i64,
}

/// The revision that was asked for has the template that is there.
#[derive(Rule)]
#[rule(
    id = "deployment.rollback.same",
    upstream = "pkg/controller/deployment/rollback.go rollbackToTemplate",
    sentence = "Deployment {deployment} already has the template of {replica_set}, revision {revision}, so only the annotation that asks for {asked} is removed."
)]
pub(super) struct RollbackSame<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(source = "the requested revision, or the second highest for 0")]
    pub(super) revision: i64,
    #[operand(source = "annotation deprecated.deployment.rollback.to; 0 means the previous revision")]
    pub(super) asked: i64,
}

/// There is no such revision.
#[derive(Rule)]
#[rule(
    id = "deployment.rollback.unknown",
    upstream = ROLLBACK_GO,
    sentence = "Deployment {deployment} has no revision {asked}, so only the annotation that asks for it is removed.",
)]
pub(super) struct RollbackUnknown<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(source = "annotation deprecated.deployment.rollback.to; 0 means the previous revision")]
    pub(super) asked: i64,
}

/// There is no revision before the last one.
#[derive(Rule)]
#[rule(
    id = "deployment.rollback.none",
    upstream = "pkg/controller/deployment/util/deployment_util.go LastRevision",
    sentence = "Deployment {deployment} has no previous revision, so only the annotation that asks for it is removed."
)]
pub(super) struct RollbackNone<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Adopt::TEXT,
    Release::TEXT,
    SelectingAll::TEXT,
    SelectorUnreadable::TEXT,
    StrategyUnknown::TEXT,
    Create::TEXT,
    CreateFull::TEXT,
    CreateComplete::TEXT,
    CreateNone::TEXT,
    CreateRecreate::TEXT,
    Collision::TEXT,
    CreateFailed::TEXT,
    Created::TEXT,
    Found::TEXT,
    SyncNewRevision::TEXT,
    NewAnnotations::TEXT,
    NewMinReady::TEXT,
    TakeOverRevision::TEXT,
    Cleanup::TEXT,
    Rollback::TEXT,
    RollbackSame::TEXT,
    RollbackUnknown::TEXT,
    RollbackNone::TEXT,
];
