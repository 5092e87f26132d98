//! Which ReplicaSets there are: adopted, created, given a revision, deleted.

use super::super::operands::{
    DEADLINE, DEPLOYMENT, DESIRED, HELD, LIMIT, REPLICA_SET, REVISION as REVISION_OPERAND, SIZE, TERMINATING, WANTED,
};
use super::super::{Mark, Operand, Rule, marked, operand};
use super::{KEP_ROLLOUT, NEW_REPLICAS};

const GET_NEW: Option<&str> = Some("pkg/controller/deployment/sync.go getNewReplicaSet");
const ROLLBACK_GO: Option<&str> = Some("pkg/controller/deployment/rollback.go rollback");

/// A ReplicaSet without an owner is taken over.
pub static ADOPT: Rule = Rule {
    id: "deployment.adopt",
    upstream: Some("pkg/controller/controller_ref_manager.go AdoptReplicaSet"),
    section: None,
    sentence: "{0} has no controller and its labels match: Deployment {1} adopts it.",
    formula: &[],
    operands: &[&REPLICA_SET, &DEPLOYMENT],
};

/// A ReplicaSet that no longer matches is let go.
pub static RELEASE: Rule = Rule {
    id: "deployment.release",
    upstream: Some("pkg/controller/controller_ref_manager.go ReleaseReplicaSet"),
    section: None,
    sentence: "The labels of {0} no longer match the selector: Deployment {1} lets it go.",
    formula: &[],
    operands: &[&REPLICA_SET, &DEPLOYMENT],
};

/// The selector takes everything: nothing is done.
pub static SELECTING_ALL: Rule = Rule {
    id: "deployment.selecting-all",
    upstream: Some("pkg/controller/deployment/deployment_controller.go syncDeployment"),
    section: None,
    sentence: "The selector of Deployment {0} is empty and would take every pod: nothing is done.",
    formula: &[],
    operands: &[&DEPLOYMENT],
};

/// The selector can't be read: nothing is done.
pub static SELECTOR_UNREADABLE: Rule = Rule {
    id: "deployment.selector-unreadable",
    upstream: Some("pkg/controller/deployment/deployment_controller.go getReplicaSetsForDeployment"),
    section: None,
    sentence: "The selector of Deployment {0} can't be read: nothing is done.",
    formula: &[],
    operands: &[&DEPLOYMENT],
};

/// A strategy that nobody knows: nothing is done.
pub static STRATEGY_UNKNOWN: Rule = Rule {
    id: "deployment.strategy-unknown",
    upstream: Some("pkg/controller/deployment/deployment_controller.go syncDeployment"),
    section: None,
    sentence: "Deployment {0} has the strategy {1}, which does not exist: nothing is done.",
    formula: &[],
    operands: &[&DEPLOYMENT, &STRATEGY],
};

static STRATEGY: Operand = operand("strategy", "spec.strategy.type");

/// The ReplicaSet of a new pod template is created.
pub static CREATE: Rule = Rule {
    id: "deployment.create",
    upstream: GET_NEW,
    section: None,
    sentence: "{0} is created with {1} of {2} pod(s): the other ReplicaSets want {4} of at most {3}.",
    formula: &["room = limit − wanted = {3} − {4}", "new = min(desired, room) = min({2}, {3} − {4}) = {1}"],
    operands: CREATED_SIZE,
};

/// As [`CREATE`], but the other ReplicaSets leave no room.
pub static CREATE_FULL: Rule = Rule {
    id: "deployment.create.full",
    upstream: NEW_REPLICAS,
    section: None,
    sentence: "{0} is created with {1} of {2} pod(s): the other ReplicaSets already want {4}, and the limit is {3}.",
    formula: &["room = limit − wanted = {3} − {4} ≤ 0"],
    operands: CREATED_SIZE,
};

const CREATED_SIZE: &[&Operand] = &[&REPLICA_SET, &SIZE, &DESIRED, &LIMIT, &WANTED];

/// As [`CREATE`], counting terminating pods.
pub static CREATE_COMPLETE: Rule = Rule {
    id: "deployment.create.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "{0} is created with {1} of {2} pod(s): {4} of {3} places are taken, {6} by ReplicaSets and {5} by terminating pods.",
    formula: &[
        "taken = Σ max(wants, has) + terminating = {6} + {5} = {4}",
        "room = limit − taken = {3} − {4}",
        "new = min(desired, room) = min({2}, {3} − {4}) = {1}, not below 0",
    ],
    operands: &[&REPLICA_SET, &SIZE, &DESIRED, &LIMIT, &TAKEN_BY_ALL, &TERMINATING, &HELD],
};

static TAKEN_BY_ALL: Operand = marked("taken", "both together", Mark::Total);

/// The ReplicaSet of the new pod template is created for a Recreate rollout.
pub static CREATE_RECREATE: Rule = Rule {
    id: "deployment.create.recreate",
    upstream: GET_NEW,
    section: None,
    sentence: "The old pods are out of the way: {0} is created with all {1} pod(s).",
    formula: &["new = desired = {1}"],
    operands: &[&REPLICA_SET, &SIZE],
};

/// Another object has the new ReplicaSet's name.
pub static COLLISION: Rule = Rule {
    id: "deployment.collision",
    upstream: GET_NEW,
    section: None,
    sentence: "The name {0} is taken: the collision count rises to {1}, and a new hash is tried.",
    formula: &[],
    operands: &[&REPLICA_SET, &COUNT],
};

static COUNT: Operand = operand("count", "status.collisionCount of the Deployment");

/// The new ReplicaSet could not be created.
pub static CREATE_FAILED: Rule = Rule {
    id: "deployment.create.failed",
    upstream: GET_NEW,
    section: None,
    sentence: "The API server refused to create {0}: the Progressing condition says so.",
    formula: &[],
    operands: &[&REPLICA_SET],
};

/// The new ReplicaSet has been created: the Deployment says so.
pub static CREATED: Rule = Rule {
    id: "deployment.created",
    upstream: GET_NEW,
    section: None,
    sentence: "{0} is there as revision {1} of Deployment {2}: the deadline of {3} s starts.",
    formula: &[],
    operands: REVISION_AND_DEADLINE,
};

/// A ReplicaSet of the wanted template was there, and the Deployment did not say how its rollout goes.
pub static FOUND: Rule = Rule {
    id: "deployment.found",
    upstream: GET_NEW,
    section: None,
    sentence: "{0}, revision {1}, has the pod template of Deployment {2}: the deadline of {3} s starts.",
    formula: &[],
    operands: REVISION_AND_DEADLINE,
};

const REVISION_AND_DEADLINE: &[&Operand] = &[&REPLICA_SET, &REVISION_OPERAND, &DEPLOYMENT, &DEADLINE];

/// The new ReplicaSet gets the newest revision.
pub static SYNC_NEW: Rule = Rule {
    id: "deployment.new.sync",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations"),
    section: None,
    sentence: "{0} becomes revision {1}, since {2} is the highest of the others.",
    formula: &["revision = highest + 1 = {2} + 1 = {1}"],
    operands: &[&REPLICA_SET, &REVISION_OPERAND, &HIGHEST],
};

static HIGHEST: Operand = operand("highest", "the highest revision of the other ReplicaSets");

/// The new ReplicaSet takes over annotations, and nothing else.
pub static NEW_ANNOTATIONS: Rule = Rule {
    id: "deployment.new.annotations",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go copyDeploymentAnnotationsToReplicaSet"),
    section: None,
    sentence: "{0} takes over the annotations of Deployment {1}; it stays revision {2}.",
    formula: &[],
    operands: &[&REPLICA_SET, &DEPLOYMENT, &REVISION_OPERAND],
};

/// The new ReplicaSet takes over minReadySeconds.
pub static NEW_MIN_READY: Rule = Rule {
    id: "deployment.new.min-ready",
    upstream: GET_NEW,
    section: None,
    sentence: "{0} takes over minReadySeconds of Deployment {1}: {2} s become {3} s.",
    formula: &[],
    operands: &[&REPLICA_SET, &DEPLOYMENT, &SECONDS_BEFORE, &SECONDS],
};

static SECONDS_BEFORE: Operand = operand("before", "spec.minReadySeconds of the ReplicaSet");
static SECONDS: Operand = operand("seconds", "spec.minReadySeconds of the Deployment");

/// The Deployment takes over the revision of its new ReplicaSet.
pub static REVISION: Rule = Rule {
    id: "deployment.revision",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go SetDeploymentRevision"),
    section: None,
    sentence: "Deployment {0} is at revision {1}, that of {2}.",
    formula: &[],
    operands: &[&DEPLOYMENT, &REVISION_OPERAND, &REPLICA_SET],
};

/// An old ReplicaSet beyond the history limit is deleted.
pub static CLEANUP: Rule = Rule {
    id: "deployment.cleanup",
    upstream: Some("pkg/controller/deployment/sync.go cleanupDeployment"),
    section: None,
    sentence: "Of {1} old ReplicaSets {2} are kept: {0}, of the lowest revisions, is deleted.",
    formula: &["to delete = old − limit = {1} − {2}"],
    operands: &[&REPLICA_SET, &OLD, &HISTORY],
};

static OLD: Operand = operand("old", "old ReplicaSets that are not being deleted");
static HISTORY: Operand = operand("limit", "spec.revisionHistoryLimit");

/// The Deployment's template goes back to that of an older revision.
pub static ROLLBACK: Rule = Rule {
    id: "deployment.rollback",
    upstream: Some("pkg/controller/deployment/rollback.go rollbackToTemplate"),
    section: None,
    sentence: "Deployment {0} goes back to {1}, revision {2}; its annotation asked for {3}.",
    formula: &[],
    operands: &[&DEPLOYMENT, &REPLICA_SET, &BACK_TO, &ASKED],
};

/// The revision that was asked for has the template that is there.
pub static ROLLBACK_SAME: Rule = Rule {
    id: "deployment.rollback.same",
    upstream: Some("pkg/controller/deployment/rollback.go rollbackToTemplate"),
    section: None,
    sentence: "Deployment {0} is as {1}, revision {2}, already: only the annotation that asked for {3} goes.",
    formula: &[],
    operands: &[&DEPLOYMENT, &REPLICA_SET, &BACK_TO, &ASKED],
};

/// There is no such revision.
pub static ROLLBACK_UNKNOWN: Rule = Rule {
    id: "deployment.rollback.unknown",
    upstream: ROLLBACK_GO,
    section: None,
    sentence: "Deployment {0} has no revision {1}: only the annotation that asked for it goes.",
    formula: &[],
    operands: &[&DEPLOYMENT, &ASKED],
};

/// There is no revision before the last one.
pub static ROLLBACK_NONE: Rule = Rule {
    id: "deployment.rollback.none",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go LastRevision"),
    section: None,
    sentence: "Deployment {0} has no revision before this one: only the annotation that asked for it goes.",
    formula: &[],
    operands: &[&DEPLOYMENT],
};

static BACK_TO: Operand = operand("revision", "what was asked for; for 0 the second highest");
static ASKED: Operand = operand("asked", "annotation deprecated.deployment.rollback.to; 0: the one before");

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &ADOPT,
    &RELEASE,
    &SELECTING_ALL,
    &SELECTOR_UNREADABLE,
    &STRATEGY_UNKNOWN,
    &CREATE,
    &CREATE_FULL,
    &CREATE_COMPLETE,
    &CREATE_RECREATE,
    &COLLISION,
    &CREATE_FAILED,
    &CREATED,
    &FOUND,
    &SYNC_NEW,
    &NEW_ANNOTATIONS,
    &NEW_MIN_READY,
    &REVISION,
    &CLEANUP,
    &ROLLBACK,
    &ROLLBACK_SAME,
    &ROLLBACK_UNKNOWN,
    &ROLLBACK_NONE,
];
