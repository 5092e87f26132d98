//! What a Deployment's status says, and why it says it now.

use super::super::operands::{ALL_AVAILABLE, DEADLINE, DEPLOYMENT, MIN_AVAILABLE, REPLICA_SET, TERMINATING};
use super::super::{Mark, Operand, Rule, marked, operand};
use super::KEP_PROGRESS;

const CALCULATE: Option<&str> = Some("pkg/controller/deployment/sync.go calculateStatus");
const ROLLOUT_STATUS: Option<&str> = Some("pkg/controller/deployment/progress.go syncRolloutStatus");
const COMPLETE_GO: Option<&str> = Some("pkg/controller/deployment/util/deployment_util.go DeploymentComplete");
const PAUSED_GO: Option<&str> = Some("pkg/controller/deployment/sync.go checkPausedConditions");
const COMPLETE_LINE: &str = "new = all = available = desired = {1}";

/// The status follows the ReplicaSets, and nothing else is to be said.
pub static STATUS: Rule = Rule {
    id: "deployment.status",
    upstream: CALCULATE,
    section: None,
    sentence: "Deployment {0} counts its ReplicaSets: {1} pod(s), {2} new, {3} ready, {4} available.",
    formula: &[],
    operands: COUNTS,
};

/// The Deployment is being deleted: it still counts.
pub static STATUS_DELETED: Rule = Rule {
    id: "deployment.status.deleted",
    upstream: Some("pkg/controller/deployment/sync.go syncStatusOnly"),
    section: None,
    sentence: "Deployment {0} is being deleted and only counts: {1} pod(s), {2} new, {3} ready, {4} available.",
    formula: &[],
    operands: COUNTS,
};

/// The rollout had been complete before.
pub static STATUS_SETTLED: Rule = Rule {
    id: "deployment.status.settled",
    upstream: ROLLOUT_STATUS,
    section: None,
    sentence: "Deployment {0} has no rollout to watch: {1} pod(s), {2} new, {3} ready, {4} available.",
    formula: &[],
    operands: COUNTS,
};

/// Nothing has moved on, and the deadline has not passed.
pub static STATUS_WAITING: Rule = Rule {
    id: "deployment.status.waiting",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go DeploymentTimedOut"),
    section: None,
    sentence: "Deployment {0} made no progress yet, and its {5} s are not over: {1} pod(s), {2} new, {3} ready, {4} available.",
    formula: &[],
    operands: COUNTS_AND_DEADLINE,
};

/// The rollout is complete.
pub static COMPLETE: Rule = Rule {
    id: "deployment.complete",
    upstream: COMPLETE_GO,
    section: None,
    sentence: "The rollout of Deployment {0} is complete: {1} pod(s), all {2} new, {3} ready and {4} available.",
    formula: &[COMPLETE_LINE],
    operands: COUNTS,
};

/// The rollout is complete, and no pod is terminating any more.
pub static COMPLETE_COMPLETE: Rule = Rule {
    id: "deployment.complete.complete",
    upstream: None,
    section: KEP_PROGRESS,
    sentence: "The rollout of Deployment {0} is complete: {1} pod(s), all {2} new, {3} ready and {4} available, none terminating.",
    formula: &[COMPLETE_LINE, "terminating = 0"],
    operands: COUNTS,
};

/// The rollout is stuck.
pub static TIMED_OUT: Rule = Rule {
    id: "deployment.timed-out",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go DeploymentTimedOut"),
    section: None,
    sentence: "Deployment {0} made no progress for {5} s: {1} pod(s), {2} new, {3} ready, {4} available.",
    formula: &[],
    operands: COUNTS_AND_DEADLINE,
};

/// As [`STATUS_WAITING`], under the complete rule, which waits for pods that terminate.
pub static STATUS_WAITING_COMPLETE: Rule = Rule {
    id: "deployment.status.waiting.complete",
    upstream: None,
    section: KEP_PROGRESS,
    sentence: "Deployment {0} made no progress yet, and its {5} s are not over: {1} pod(s), {2} new, {3} ready, {4} available; terminating: {6}.",
    formula: &[],
    operands: COUNTS_DEADLINE_TERMINATING,
};

/// As [`TIMED_OUT`], under the complete rule.
pub static TIMED_OUT_COMPLETE: Rule = Rule {
    id: "deployment.timed-out.complete",
    upstream: None,
    section: KEP_PROGRESS,
    sentence: "Deployment {0} made no progress for {5} s: {1} pod(s), {2} new, {3} ready, {4} available; terminating: {6}.",
    formula: &[],
    operands: COUNTS_DEADLINE_TERMINATING,
};

const COUNTS_DEADLINE_TERMINATING: &[&Operand] =
    &[&DEPLOYMENT, &REPLICAS, &UPDATED, &READY, &ALL_AVAILABLE, &DEADLINE, &TERMINATING];

const COUNTS: &[&Operand] = &[&DEPLOYMENT, &REPLICAS, &UPDATED, &READY, &ALL_AVAILABLE];
const COUNTS_AND_DEADLINE: &[&Operand] = &[&DEPLOYMENT, &REPLICAS, &UPDATED, &READY, &ALL_AVAILABLE, &DEADLINE];

/// The rollout has moved on.
pub static PROGRESSING: Rule = Rule {
    id: "deployment.progressing",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go DeploymentProgressing"),
    section: None,
    sentence: "Deployment {0} made progress: {1} pod(s) (before: {5}), {2} new ({6}), {3} ready ({7}), {4} available ({8}).",
    formula: &[],
    operands: &[
        &DEPLOYMENT,
        &REPLICAS,
        &UPDATED,
        &READY,
        &ALL_AVAILABLE,
        &REPLICAS_BEFORE,
        &UPDATED_BEFORE,
        &READY_BEFORE,
        &AVAILABLE_BEFORE,
    ],
};

/// As [`PROGRESSING`], under the complete rule: it is progress, too, that fewer pods terminate.
pub static PROGRESSING_COMPLETE: Rule = Rule {
    id: "deployment.progressing.complete",
    upstream: None,
    section: KEP_PROGRESS,
    sentence: "Deployment {0} made progress: {1} pod(s) (before: {5}), {2} new ({6}), {3} ready ({7}), {4} available ({8}); terminating: {9} ({10}).",
    formula: &[],
    operands: &[
        &DEPLOYMENT,
        &REPLICAS,
        &UPDATED,
        &READY,
        &ALL_AVAILABLE,
        &REPLICAS_BEFORE,
        &UPDATED_BEFORE,
        &READY_BEFORE,
        &AVAILABLE_BEFORE,
        &TERMINATING,
        &TERMINATING_BEFORE,
    ],
};

static REPLICAS: Operand = marked("replicas", "sum of status.replicas of all ReplicaSets", Mark::Total);
static UPDATED: Operand = operand("updated", "status.replicas of the new ReplicaSet");
static READY: Operand = operand("ready", "sum of status.readyReplicas of all ReplicaSets");
static REPLICAS_BEFORE: Operand = operand("replicasBefore", BEFORE);
static UPDATED_BEFORE: Operand = operand("updatedBefore", BEFORE);
static READY_BEFORE: Operand = operand("readyBefore", BEFORE);
static AVAILABLE_BEFORE: Operand = operand("availableBefore", BEFORE);
static TERMINATING_BEFORE: Operand = operand("terminatingBefore", BEFORE);
const BEFORE: &str = "what the status said before";

/// Enough pods have become available.
pub static AVAILABLE: Rule = Rule {
    id: "deployment.available",
    upstream: CALCULATE,
    section: None,
    sentence: "Deployment {0} has {1} available pods and needs {2}: it is available.",
    formula: &["{1} ≥ {2}"],
    operands: AVAILABILITY,
};

/// Too few pods are available.
pub static UNAVAILABLE: Rule = Rule {
    id: "deployment.unavailable",
    upstream: CALCULATE,
    section: None,
    sentence: "Deployment {0} has {1} available pods and needs {2}: it is not available.",
    formula: &["{1} < {2}"],
    operands: AVAILABILITY,
};

const AVAILABILITY: &[&Operand] = &[&DEPLOYMENT, &ALL_AVAILABLE, &MIN_AVAILABLE];

/// A ReplicaSet says that its pods could not be created or deleted.
pub static FAILURE: Rule = Rule {
    id: "deployment.failure",
    upstream: Some("pkg/controller/deployment/progress.go getReplicaFailures"),
    section: None,
    sentence: "{0} could not create or delete pods: Deployment {1} says so too.",
    formula: &[],
    operands: &[&REPLICA_SET, &DEPLOYMENT],
};

/// No ReplicaSet says that any more.
pub static FAILURE_OVER: Rule = Rule {
    id: "deployment.failure.over",
    upstream: Some("pkg/controller/deployment/progress.go getReplicaFailures"),
    section: None,
    sentence: "No ReplicaSet of Deployment {0} fails to create or delete pods any more.",
    formula: &[],
    operands: &[&DEPLOYMENT],
};

/// Without a deadline there is no Progressing condition.
pub static NO_DEADLINE: Rule = Rule {
    id: "deployment.no-deadline",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go HasProgressDeadline"),
    section: None,
    sentence: "Deployment {0} has no deadline any more: its Progressing condition goes.",
    formula: &[],
    operands: &[&DEPLOYMENT],
};

/// The Progressing condition says that the Deployment is paused.
pub static PAUSED: Rule = Rule {
    id: "deployment.paused",
    upstream: PAUSED_GO,
    section: None,
    sentence: "Deployment {0} is paused, so no deadline runs.",
    formula: &[],
    operands: &[&DEPLOYMENT],
};

/// The Progressing condition says that the Deployment goes on.
pub static RESUMED: Rule = Rule {
    id: "deployment.resumed",
    upstream: PAUSED_GO,
    section: None,
    sentence: "Deployment {0} is resumed: its deadline of {1} s starts again.",
    formula: &[],
    operands: &[&DEPLOYMENT, &DEADLINE],
};

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &STATUS,
    &STATUS_DELETED,
    &STATUS_SETTLED,
    &STATUS_WAITING,
    &COMPLETE,
    &COMPLETE_COMPLETE,
    &TIMED_OUT,
    &STATUS_WAITING_COMPLETE,
    &TIMED_OUT_COMPLETE,
    &PROGRESSING_COMPLETE,
    &PROGRESSING,
    &AVAILABLE,
    &UNAVAILABLE,
    &FAILURE,
    &FAILURE_OVER,
    &NO_DEADLINE,
    &PAUSED,
    &RESUMED,
];
