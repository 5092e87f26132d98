//! A rolling update: how far the new ReplicaSet may grow, and what the old ones may lose.

use super::super::operands::{
    DEPLOYMENT_NAME, DESIRED, HELD, LIMIT, MIN_AVAILABLE, REPLICA_SET_NAME, TAKEN, TERMINATING, WANTED,
};
use super::super::{Reason, Rule, RuleText};
use super::{KEP_ROLLOUT, NEW_REPLICAS, Resized};
use crate::controller::decision::deployment::Held;

/// Explains the size of the new ReplicaSet; terminating pods do not count.
pub(super) fn explain_up(resized: Resized<'_>, desired: i32, limit: i32, wanted: i32, room: Option<i32>) -> Reason {
    match room {
        Some(room) => NewUp { resized, desired, limit, wanted, room }.reason(),
        None => NewWait { resized, limit, wanted }.reason(),
    }
}

/// Explains the size of the new ReplicaSet under the complete rule.
pub(super) fn explain_up_complete(
    resized: Resized<'_>,
    desired: i32,
    limit: i32,
    slots: Held,
    room: Option<i32>,
) -> Reason {
    let Held { held, terminating, taken } = slots;
    match room {
        Some(room) => NewUpComplete { resized, desired, limit, held, terminating, taken, room }.reason(),
        None => NewWaitComplete { resized, limit, held, terminating, taken }.reason(),
    }
}

/// The new ReplicaSet grows; terminating pods do not count.
#[derive(Rule)]
#[rule(
    id = "deployment.new.up",
    upstream = NEW_REPLICAS,
    sentence = "{replica_set} grows from {from} to {to} of {desired} pod(s): the ReplicaSets want {wanted}, and the limit is {limit}; terminating pods do not count.",
    formula = [
        "room = limit − wanted = {limit} − {wanted} = {room}",
        "new = size + min(desired − size, room) = {from} + min({desired} − {from}, {room}) = {to}",
    ],
)]
pub(super) struct NewUp<'a> {
    #[operands]
    resized: Resized<'a>,
    #[operand(DESIRED)]
    desired: i32,
    #[operand(LIMIT)]
    limit: i32,
    #[operand(WANTED)]
    wanted: i32,
    #[operand(source = "limit − wanted")]
    room: i32,
}

/// The new ReplicaSet grows under the complete rule.
#[derive(Rule)]
#[rule(
    id = "deployment.new.up.complete",
    section = KEP_ROLLOUT,
    sentence = "{replica_set} grows from {from} to {to} of {desired} pod(s): {taken} of {limit} slots are taken, {held} by ReplicaSets and {terminating} by terminating pods.",
    formula = [
        "taken = held + terminating = {held} + {terminating} = {taken}",
        "room = limit − taken = {limit} − {taken} = {room}",
        "new = size + min(desired − size, room) = {from} + min({desired} − {from}, {room}) = {to}",
    ],
)]
pub(super) struct NewUpComplete<'a> {
    #[operands]
    resized: Resized<'a>,
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
}

/// No room for the new ReplicaSet; terminating pods do not count.
#[derive(Rule)]
#[rule(
    id = "deployment.new.wait",
    upstream = NEW_REPLICAS,
    sentence = "{replica_set} stays at {from} pod(s): the ReplicaSets want {wanted}, and the limit is {limit}.",
    formula = ["room = limit − wanted = {limit} − {wanted} ≤ 0"],
)]
pub(super) struct NewWait<'a> {
    #[operands]
    resized: Resized<'a>,
    #[operand(LIMIT)]
    limit: i32,
    #[operand(WANTED)]
    wanted: i32,
}

/// No room for the new ReplicaSet under the complete rule.
#[derive(Rule)]
#[rule(
    id = "deployment.new.wait.complete",
    section = KEP_ROLLOUT,
    sentence = "{replica_set} stays at {from} pod(s): {taken} of {limit} slots are taken, {held} by ReplicaSets and {terminating} by terminating pods.",
    formula = [
        "taken = held + terminating = {held} + {terminating} = {taken}",
        "room = limit − taken = {limit} − {taken} ≤ 0",
    ],
)]
pub(super) struct NewWaitComplete<'a> {
    #[operands]
    resized: Resized<'a>,
    #[operand(LIMIT)]
    limit: i32,
    #[operand(HELD)]
    held: i32,
    #[operand(TERMINATING)]
    terminating: i32,
    #[operand(TAKEN)]
    taken: i32,
}

/// The new ReplicaSet has more than desired.
#[derive(Rule)]
#[rule(
    id = "deployment.new.down",
    upstream = "pkg/controller/deployment/rolling.go reconcileNewReplicaSet",
    sentence = "{replica_set} shrinks from {from} to the desired {desired} pod(s).",
    formula = ["new = desired = {desired}"],
)]
pub(super) struct NewDown<'a> {
    #[operands]
    pub(super) resized: Resized<'a>,
    #[operand(DESIRED)]
    pub(super) desired: i32,
}

/// Unhealthy old pods go first.
#[derive(Rule)]
#[rule(
    id = "deployment.old.unhealthy",
    upstream = "pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas",
    sentence = "{replica_set} shrinks from {from} to {to}: it has {available} available and {unhealthy} unavailable pod(s), and at most {budget} may go now.",
    formula = [
        "unhealthy = size − available = {from} − {available} = {unhealthy}",
        "budget = may go − gone = {max_cleanup} − {gone} = {budget}",
        "old = size − min(unhealthy, budget) = {from} − min({unhealthy}, {budget}) = {to}",
    ],
)]
pub(super) struct OldUnhealthy<'a> {
    #[operands]
    pub(super) resized: Resized<'a>,
    #[operand(source = "its status.availableReplicas", mark = Available)]
    pub(super) available: i32,
    #[operand(source = "its spec.replicas − available")]
    pub(super) unhealthy: i32,
    #[operand(source = "how many old pods may go: wanted − minimum available − unavailable new pods")]
    pub(super) max_cleanup: i32,
    #[operand(source = "pods that this step has already taken from older ReplicaSets")]
    pub(super) gone: i32,
    #[operand(source = "may go − gone")]
    pub(super) budget: i32,
}

/// An old ReplicaSet has not got rid of pods yet: nothing is taken from any.
#[derive(Rule)]
#[rule(
    id = "deployment.old.surplus",
    upstream = "pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas",
    sentence = "{replica_set} should have {size} pod(s) but reports {available} available: no old ReplicaSet shrinks until it reports at most {size}."
)]
pub(super) struct OldSurplus<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    pub(super) size: i32,
    #[operand(source = "its status.availableReplicas", mark = Available)]
    pub(super) available: i32,
}

/// Available old pods go as far as the minimum allows.
#[derive(Rule)]
#[rule(
    id = "deployment.old.down",
    upstream = "pkg/controller/deployment/rolling.go scaleDownOldReplicaSetsForRollingUpdate",
    sentence = "{replica_set} shrinks from {from} to {to}: {min_available} of {available} available pod(s) must stay, so {budget} may go; already gone: {gone}.",
    formula = [
        "budget = available − minimum available = {available} − {min_available} = {budget}",
        "old = size − min(size, budget − gone) = {from} − min({from}, {budget} − {gone}) = {to}",
    ],
)]
pub(super) struct OldDown<'a> {
    #[operands]
    pub(super) resized: Resized<'a>,
    #[operand(
        source = "sum of status.availableReplicas of the new ReplicaSet and of old ones with pods",
        mark = Available
    )]
    pub(super) available: i32,
    #[operand(MIN_AVAILABLE)]
    pub(super) min_available: i32,
    #[operand(source = "available − minimum available")]
    pub(super) budget: i32,
    #[operand(source = "pods that this step has already taken from older ReplicaSets")]
    pub(super) gone: i32,
}

/// No old pod may go yet.
#[derive(Rule)]
#[rule(
    id = "deployment.old.wait",
    upstream = "pkg/controller/deployment/rolling.go reconcileOldReplicaSets",
    sentence = "No old pod of Deployment {deployment} may go: {min_available} of {wanted} pod(s) must stay available. Unavailable new pods: {unavailable}.",
    formula = [
        "may go = wanted − minimum available − unavailable new pods = {wanted} − {min_available} − {unavailable} = {max_scaled_down} ≤ 0",
    ],
)]
pub(super) struct OldWait<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(WANTED)]
    pub(super) wanted: i32,
    #[operand(MIN_AVAILABLE)]
    pub(super) min_available: i32,
    #[operand(source = "spec.replicas − status.availableReplicas of the new ReplicaSet")]
    pub(super) unavailable: i32,
    #[operand(source = "how many old pods may go")]
    pub(super) max_scaled_down: i32,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    NewUp::TEXT,
    NewUpComplete::TEXT,
    NewWait::TEXT,
    NewWaitComplete::TEXT,
    NewDown::TEXT,
    OldUnhealthy::TEXT,
    OldSurplus::TEXT,
    OldDown::TEXT,
    OldWait::TEXT,
];
