//! The Recreate strategy: old pods go before new ones come.

use super::super::operands::{DEPLOYMENT_NAME, DESIRED, TAKEN};
use super::super::{Reason, Rule, RuleText};
use super::{KEP_ROLLOUT, Resized};
use crate::controller::decision::deployment::{Held, OldPods};

const OLD_PODS_RUNNING: &str = "pkg/controller/deployment/recreate.go oldPodsRunning";

/// Explains which old pods a rollout waits for.
pub(super) fn explain_wait(deployment: &str, pods: OldPods) -> Reason {
    match pods {
        OldPods::Counted(counted) => RecreateWait { deployment, counted }.reason(),
        OldPods::NotTerminating(counted) => RecreateWaitStarted { deployment, counted }.reason(),
        OldPods::Running(running) => RecreateWaitEnding { deployment, running }.reason(),
    }
}

/// Explains the size of the new ReplicaSet under the complete rule.
pub(super) fn explain_up(resized: Resized<'_>, desired: i32, slots: Held, room: Option<i32>) -> Reason {
    let Held { held, terminating, taken } = slots;
    match room {
        Some(room) => RecreateUpComplete { resized, desired, held, terminating, taken, room }.reason(),
        None => RecreateUpWait { resized, desired, held, terminating, taken }.reason(),
    }
}

/// The old pods all go.
#[derive(Rule)]
#[rule(
    id = "deployment.recreate.down",
    upstream = "pkg/controller/deployment/recreate.go scaleDownOldReplicaSetsForRecreate",
    sentence = "Recreate: {replica_set} shrinks from {from} to 0 before any new pod is created.",
    formula = ["old = 0"],
)]
pub(super) struct RecreateDown<'a> {
    #[operands]
    pub(super) resized: Resized<'a>,
}

/// It waits while old pods are counted.
#[derive(Rule)]
#[rule(
    id = "deployment.recreate.wait",
    upstream = OLD_PODS_RUNNING,
    sentence = "Recreate: Deployment {deployment} waits, because its old ReplicaSets still report {counted} pod(s).",
    formula = ["wait while counted = {counted} > 0"],
)]
struct RecreateWait<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(source = "sum of status.replicas of the old ReplicaSets")]
    counted: i32,
}

/// It waits for every old pod, terminating ones included.
#[derive(Rule)]
#[rule(
    id = "deployment.recreate.wait.ending",
    upstream = OLD_PODS_RUNNING,
    sentence = "Recreate: Deployment {deployment} waits for {running} old pod(s) to end; terminating pods count too.",
    formula = ["wait while running = {running} > 0"],
)]
struct RecreateWaitEnding<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(source = "old pods that are neither Succeeded nor Failed", mark = Total)]
    running: i32,
}

/// With TerminationStarted it waits until the old pods terminate.
#[derive(Rule)]
#[rule(
    id = "deployment.recreate.wait.started",
    section = KEP_ROLLOUT,
    sentence = "Recreate: Deployment {deployment} waits for {counted} old pod(s) to start terminating.",
    formula = ["wait while counted = {counted} > 0"],
)]
struct RecreateWaitStarted<'a> {
    #[operand(DEPLOYMENT_NAME)]
    deployment: &'a str,
    #[operand(source = "sum of status.replicas of the old ReplicaSets")]
    counted: i32,
}

/// The new ReplicaSet gets its size.
#[derive(Rule)]
#[rule(
    id = "deployment.recreate.up",
    upstream = "pkg/controller/deployment/recreate.go scaleUpNewReplicaSetForRecreate",
    sentence = "Recreate: there are no old pods to wait for, so {replica_set} goes from {from} to the desired {desired}.",
    formula = ["new = desired = {desired}"],
)]
pub(super) struct RecreateUp<'a> {
    #[operands]
    pub(super) resized: Resized<'a>,
    #[operand(DESIRED)]
    pub(super) desired: i32,
}

/// Under the complete rule the new ReplicaSet grows as its own pods leave room.
#[derive(Rule)]
#[rule(
    id = "deployment.recreate.up.complete",
    section = KEP_ROLLOUT,
    sentence = "Recreate: {replica_set} grows from {from} to {to}: {taken} of {desired} slots are taken, {held} by itself and {terminating} by its terminating pods.",
    formula = [
        "taken = held + terminating = {held} + {terminating} = {taken}",
        "room = desired − taken = {desired} − {taken} = {room}",
        "new = size + min(desired − size, room) = {from} + min({desired} − {from}, {room}) = {to}",
    ],
)]
struct RecreateUpComplete<'a> {
    #[operands]
    resized: Resized<'a>,
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
}

/// Under the complete rule the new ReplicaSet's own pods may leave no room.
#[derive(Rule)]
#[rule(
    id = "deployment.recreate.up.wait",
    section = KEP_ROLLOUT,
    sentence = "Recreate: {replica_set} waits at {from}: {taken} of {desired} slots are taken, {held} by itself and {terminating} by its terminating pods.",
    formula = [
        "taken = held + terminating = {held} + {terminating} = {taken}",
        "room = desired − taken = {desired} − {taken} ≤ 0",
    ],
)]
struct RecreateUpWait<'a> {
    #[operands]
    resized: Resized<'a>,
    #[operand(DESIRED)]
    desired: i32,
    #[operand(source = "max(spec.replicas, status.replicas) of this ReplicaSet", mark = ReplicaSet)]
    held: i32,
    #[operand(source = "its status.terminatingReplicas", mark = Terminating)]
    terminating: i32,
    #[operand(TAKEN)]
    taken: i32,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    RecreateDown::TEXT,
    RecreateWait::TEXT,
    RecreateWaitEnding::TEXT,
    RecreateWaitStarted::TEXT,
    RecreateUp::TEXT,
    RecreateUpComplete::TEXT,
    RecreateUpWait::TEXT,
];
