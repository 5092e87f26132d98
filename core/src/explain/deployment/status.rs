//! What a Deployment's status says, and why it says it now.

use super::super::operands::{ALL_AVAILABLE, DEADLINE, DEPLOYMENT_NAME, MIN_AVAILABLE, REPLICA_SET_NAME, TERMINATING};
use super::super::{Operands, Reason, Rule, RuleText};
use super::KEP_PROGRESS;
use crate::controller::decision::deployment::{Availability, Failure, Progress, RolloutCheck, StatusUpdate};

const CALCULATE: &str = "pkg/controller/deployment/sync.go calculateStatus";
const ROLLOUT_STATUS: &str = "pkg/controller/deployment/progress.go syncRolloutStatus";
const TIMED_OUT: &str = "pkg/controller/deployment/util/deployment_util.go DeploymentTimedOut";
const PAUSED: &str = "pkg/controller/deployment/sync.go checkPausedConditions";

/// Explains a new status by its most important change.
pub(super) fn explain(update: &StatusUpdate) -> Reason {
    let conditions = if is_news(update.rollout) { None } else { explain_conditions(update) };
    conditions.unwrap_or_else(|| explain_rollout(update.rollout, Status::of(update)))
}

/// Whether what the sync found of the rollout is more important than the conditions Available and ReplicaFailure.
const fn is_news(rollout: RolloutCheck) -> bool {
    match rollout {
        RolloutCheck::NotWatched | RolloutCheck::Deleting | RolloutCheck::Settled => false,
        RolloutCheck::DeadlineRemoved => true,
        RolloutCheck::Watched { progress, .. } => !matches!(progress, Progress::Waiting | Progress::StillTimedOut),
    }
}

fn explain_rollout(rollout: RolloutCheck, status: Status<'_>) -> Reason {
    match rollout {
        RolloutCheck::NotWatched => StatusCounts { status }.reason(),
        RolloutCheck::Deleting => StatusDeleted { status }.reason(),
        RolloutCheck::Settled => StatusSettled { status }.reason(),
        RolloutCheck::DeadlineRemoved => NoDeadline { status }.reason(),
        RolloutCheck::Watched { progress, deadline, complete_rule } => match (progress, complete_rule) {
            (Progress::Complete, false) => Complete { status }.reason(),
            (Progress::Complete, true) => CompleteComplete { status }.reason(),
            (Progress::Made, false) => Progressing { status }.reason(),
            (Progress::Made, true) => ProgressingComplete { status }.reason(),
            (Progress::Waiting, false) => StatusWaiting { status, deadline }.reason(),
            (Progress::Waiting, true) => StatusWaitingComplete { status, deadline }.reason(),
            (Progress::TimedOut | Progress::StillTimedOut, false) => TimedOut { status, deadline }.reason(),
            (Progress::TimedOut | Progress::StillTimedOut, true) => TimedOutComplete { status, deadline }.reason(),
        },
    }
}

/// Explains the conditions Available and ReplicaFailure, if they changed.
fn explain_conditions(update: &StatusUpdate) -> Option<Reason> {
    let (deployment, available) = (&*update.deployment, update.after.available);
    match (&update.failure, update.availability) {
        (Some(Failure::Began { replica_set }), _) => Some(FailureBegan { replica_set, deployment }.reason()),
        (Some(Failure::Over), _) => Some(FailureOver { deployment }.reason()),
        (None, Some(Availability { enough: true, needed })) => {
            Some(Available { deployment, available, min_available: needed }.reason())
        }
        (None, Some(Availability { enough: false, needed })) => {
            Some(Unavailable { deployment, available, min_available: needed }.reason())
        }
        (None, None) => None,
    }
}

/// What the rules of a status may name.
#[derive(Clone, Copy, Operands)]
struct Status<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(source = "sum of status.replicas of all ReplicaSets", mark = Total)]
    replicas: i32,
    #[operand(source = "status.replicas of the new ReplicaSet")]
    updated: i32,
    #[operand(source = "sum of status.readyReplicas of all ReplicaSets")]
    ready: i32,
    #[operand(ALL_AVAILABLE)]
    available: i32,
    #[operand(TERMINATING)]
    terminating: Option<i32>,
    #[operand(source = "the previous value in the status")]
    replicas_before: i32,
    #[operand(source = "the previous value in the status")]
    updated_before: i32,
    #[operand(source = "the previous value in the status")]
    ready_before: i32,
    #[operand(source = "the previous value in the status")]
    available_before: i32,
    #[operand(source = "the previous value in the status")]
    terminating_before: Option<i32>,
}

impl<'a> Status<'a> {
    fn of(update: &'a StatusUpdate) -> Self {
        let (before, after) = (update.before, update.after);
        Self {
            deployment: &update.deployment,
            replicas: after.replicas,
            updated: after.updated,
            ready: after.ready,
            available: after.available,
            terminating: after.terminating,
            replicas_before: before.replicas,
            updated_before: before.updated,
            ready_before: before.ready,
            available_before: before.available,
            terminating_before: before.terminating,
        }
    }
}

/// The status follows the ReplicaSets.
#[derive(Rule)]
#[rule(
    id = "deployment.status",
    upstream = CALCULATE,
    sentence = "Deployment {deployment} adds up its ReplicaSets: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
)]
struct StatusCounts<'a> {
    #[operands]
    status: Status<'a>,
}

/// The Deployment is being deleted: it still counts.
#[derive(Rule)]
#[rule(
    id = "deployment.status.deleted",
    upstream = "pkg/controller/deployment/sync.go syncStatusOnly",
    sentence = "Deployment {deployment} is being deleted, so only its counts change: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available."
)]
struct StatusDeleted<'a> {
    #[operands]
    status: Status<'a>,
}

/// The rollout had been complete before.
#[derive(Rule)]
#[rule(
    id = "deployment.status.settled",
    upstream = ROLLOUT_STATUS,
    sentence = "Deployment {deployment} has no rollout in progress: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
)]
struct StatusSettled<'a> {
    #[operands]
    status: Status<'a>,
}

/// No progress, and the deadline has not passed.
#[derive(Rule)]
#[rule(
    id = "deployment.status.waiting",
    upstream = TIMED_OUT,
    sentence = "Deployment {deployment} hasn't progressed yet (deadline: {deadline} s): {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
)]
struct StatusWaiting<'a> {
    #[operands]
    status: Status<'a>,
    #[operand(DEADLINE)]
    deadline: i32,
}

/// As [`StatusWaiting`], under the complete rule, which waits for terminating pods.
#[derive(Rule)]
#[rule(
    id = "deployment.status.waiting.complete",
    section = KEP_PROGRESS,
    sentence = "Deployment {deployment} hasn't progressed yet (deadline: {deadline} s): {replicas} pod(s), {updated} up to date, {ready} ready, {available} available; terminating: {terminating}.",
)]
struct StatusWaitingComplete<'a> {
    #[operands]
    status: Status<'a>,
    #[operand(DEADLINE)]
    deadline: i32,
}

/// The rollout is complete.
#[derive(Rule)]
#[rule(
    id = "deployment.complete",
    upstream = "pkg/controller/deployment/util/deployment_util.go DeploymentComplete",
    sentence = "The rollout of Deployment {deployment} is complete: {replicas} pod(s), all {updated} up to date, {ready} ready and {available} available.",
    formula = ["up to date = all = available = desired = {replicas}"],
)]
struct Complete<'a> {
    #[operands]
    status: Status<'a>,
}

/// The rollout is complete, and no pod is terminating any more.
#[derive(Rule)]
#[rule(
    id = "deployment.complete.complete",
    section = KEP_PROGRESS,
    sentence = "The rollout of Deployment {deployment} is complete: {replicas} pod(s), all {updated} up to date, {ready} ready and {available} available, none terminating.",
    formula = ["up to date = all = available = desired = {replicas}", "terminating = 0"],
)]
struct CompleteComplete<'a> {
    #[operands]
    status: Status<'a>,
}

/// The rollout is stuck.
#[derive(Rule)]
#[rule(
    id = "deployment.timed-out",
    upstream = TIMED_OUT,
    sentence = "Deployment {deployment} made no progress for {deadline} s: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available.",
)]
struct TimedOut<'a> {
    #[operands]
    status: Status<'a>,
    #[operand(DEADLINE)]
    deadline: i32,
}

/// As [`TimedOut`], under the complete rule.
#[derive(Rule)]
#[rule(
    id = "deployment.timed-out.complete",
    section = KEP_PROGRESS,
    sentence = "Deployment {deployment} made no progress for {deadline} s: {replicas} pod(s), {updated} up to date, {ready} ready, {available} available; terminating: {terminating}.",
)]
struct TimedOutComplete<'a> {
    #[operands]
    status: Status<'a>,
    #[operand(DEADLINE)]
    deadline: i32,
}

/// The rollout moves on, which restarts the deadline.
#[derive(Rule)]
#[rule(
    id = "deployment.progressing",
    upstream = "pkg/controller/deployment/util/deployment_util.go DeploymentProgressing",
    sentence = "Deployment {deployment} progressed: {replicas} pod(s) ({replicas_before} before), {updated} up to date ({updated_before}), {ready} ready ({ready_before}), {available} available ({available_before})."
)]
struct Progressing<'a> {
    #[operands]
    status: Status<'a>,
}

/// As [`Progressing`], under the complete rule: fewer terminating pods are progress too.
#[derive(Rule)]
#[rule(
    id = "deployment.progressing.complete",
    section = KEP_PROGRESS,
    sentence = "Deployment {deployment} progressed: {replicas} pod(s) ({replicas_before} before), {updated} up to date ({updated_before}), {ready} ready ({ready_before}), {available} available ({available_before}); terminating: {terminating} ({terminating_before}).",
)]
struct ProgressingComplete<'a> {
    #[operands]
    status: Status<'a>,
}

/// Without a deadline there is no Progressing condition.
#[derive(Rule)]
#[rule(
    id = "deployment.no-deadline",
    upstream = "pkg/controller/deployment/util/deployment_util.go HasProgressDeadline",
    sentence = "Deployment {deployment} no longer has a progress deadline, so its Progressing condition is removed."
)]
struct NoDeadline<'a> {
    #[operands]
    status: Status<'a>,
}

/// Enough pods have become available.
#[derive(Rule)]
#[rule(
    id = "deployment.available",
    upstream = CALCULATE,
    sentence = "Deployment {deployment} has {available} available pod(s) and needs {min_available}: it is available.",
    formula = ["{available} ≥ {min_available}"],
)]
struct Available<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(ALL_AVAILABLE)]
    available: i32,
    #[operand(MIN_AVAILABLE)]
    min_available: i32,
}

/// Too few pods are available.
#[derive(Rule)]
#[rule(
    id = "deployment.unavailable",
    upstream = CALCULATE,
    sentence = "Deployment {deployment} has {available} available pod(s) and needs {min_available}: it is not available.",
    formula = ["{available} < {min_available}"],
)]
struct Unavailable<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(ALL_AVAILABLE)]
    available: i32,
    #[operand(MIN_AVAILABLE)]
    min_available: i32,
}

/// A ReplicaSet reports that its pods could not be created or deleted.
#[derive(Rule)]
#[rule(
    id = "deployment.failure",
    upstream = "pkg/controller/deployment/progress.go getReplicaFailures",
    sentence = "{replica_set} could not create or delete pods, so Deployment {deployment} also gets the condition ReplicaFailure."
)]
struct FailureBegan<'a> {
    #[operand(REPLICA_SET_NAME)]
    replica_set: &'a str,
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
}

/// No ReplicaSet reports that any more.
#[derive(Rule)]
#[rule(
    id = "deployment.failure.over",
    upstream = "pkg/controller/deployment/progress.go getReplicaFailures",
    sentence = "The ReplicaSets of Deployment {deployment} no longer fail to create or delete pods, so its ReplicaFailure condition is removed."
)]
struct FailureOver<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
}

/// The Progressing condition reports that the Deployment is paused.
#[derive(Rule)]
#[rule(
    id = "deployment.paused",
    upstream = PAUSED,
    sentence = "Deployment {deployment} is paused, so its progress deadline does not apply.",
)]
pub(super) struct Paused<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
}

/// The Progressing condition reports that the Deployment goes on.
#[derive(Rule)]
#[rule(
    id = "deployment.resumed",
    upstream = PAUSED,
    sentence = "Deployment {deployment} is resumed: its progress deadline of {deadline} s starts over.",
)]
pub(super) struct Resumed<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(DEADLINE)]
    pub(super) deadline: i32,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    StatusCounts::TEXT,
    StatusDeleted::TEXT,
    StatusSettled::TEXT,
    StatusWaiting::TEXT,
    StatusWaitingComplete::TEXT,
    Complete::TEXT,
    CompleteComplete::TEXT,
    TimedOut::TEXT,
    TimedOutComplete::TEXT,
    Progressing::TEXT,
    ProgressingComplete::TEXT,
    NoDeadline::TEXT,
    Available::TEXT,
    Unavailable::TEXT,
    FailureBegan::TEXT,
    FailureOver::TEXT,
    Paused::TEXT,
    Resumed::TEXT,
];
