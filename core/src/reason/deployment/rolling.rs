//! A rolling update: how far the new ReplicaSet may grow, and what the old ones may lose.

use super::super::operands::{
    DEPLOYMENT, DESIRED, FROM, HELD, LIMIT, MIN_AVAILABLE, REPLICA_SET, TERMINATING, TO, TO_DESIRED, WANTED,
};
use super::super::{Mark, Operand, Rule, marked, operand};
use super::{KEP_ROLLOUT, KEP_SCALING, NEW_REPLICAS};

const TAKEN_LINE: &str = "taken = Σ max(wants, has) + terminating = {3} + {4} = {5}";

/// The new ReplicaSet grows, the old rule.
pub static NEW_UP: Rule = Rule {
    id: "deployment.new.up",
    upstream: NEW_REPLICAS,
    section: None,
    sentence: "{0} may grow from {1} to {2} of {3}: ReplicaSets together want {5} of at most {4}, terminating pods not counted.",
    formula: &[
        "room = limit − Σ wants = {4} − {5}",
        "new = wants + min(desired − wants, room) = {1} + min({3} − {1}, {4} − {5}) = {2}",
    ],
    operands: &[&REPLICA_SET, &FROM, &TO, &DESIRED, &LIMIT, &WANTED],
};

/// The new ReplicaSet grows, the complete rule.
pub static NEW_UP_COMPLETE: Rule = Rule {
    id: "deployment.new.up.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "{0} may grow from {1} to {6} of {7}: {5} of {2} places are taken, {3} by ReplicaSets and {4} by terminating pods.",
    formula: &[
        TAKEN_LINE,
        "room = limit − taken = {2} − {5}",
        "new = wants + min(desired − wants, room) = {1} + min({7} − {1}, {2} − {5}) = {6}",
    ],
    operands: &[&REPLICA_SET, &FROM, &LIMIT, &HELD, &TERMINATING, &TAKEN, &TO, &DESIRED],
};

/// No room for the new ReplicaSet, the old rule.
pub static NEW_WAIT: Rule = Rule {
    id: "deployment.new.wait",
    upstream: NEW_REPLICAS,
    section: None,
    sentence: "{0} stays at {1}: ReplicaSets together want {3}, and the limit is {2}.",
    formula: &["room = limit − Σ wants = {2} − {3} ≤ 0"],
    operands: &[&REPLICA_SET, &FROM, &LIMIT, &WANTED],
};

/// No room for the new ReplicaSet, the complete rule.
pub static NEW_WAIT_COMPLETE: Rule = Rule {
    id: "deployment.new.wait.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "{0} waits at {1}: {5} of {2} places are taken, {3} by ReplicaSets and {4} by terminating pods.",
    formula: &[TAKEN_LINE, "room = limit − taken = {2} − {5} ≤ 0"],
    operands: &[&REPLICA_SET, &FROM, &LIMIT, &HELD, &TERMINATING, &TAKEN],
};

static TAKEN: Operand = marked("taken", "both together", Mark::Total);

/// The new ReplicaSet has more than desired.
pub static NEW_DOWN: Rule = Rule {
    id: "deployment.new.down",
    upstream: Some("pkg/controller/deployment/rolling.go reconcileNewReplicaSet"),
    section: None,
    sentence: "{0} wants {1}, more than the desired {2}: it shrinks to {2}.",
    formula: &["new = desired = {2}"],
    operands: &[&REPLICA_SET, &FROM, &TO_DESIRED],
};

/// Unhealthy old pods go first.
pub static OLD_UNHEALTHY: Rule = Rule {
    id: "deployment.old.unhealthy",
    upstream: Some("pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas"),
    section: None,
    sentence: "{0} shrinks from {1} to {2}: {3} of its pods are available, nobody misses the other {4}, and {5} may go.",
    formula: &[
        "unavailable = wants − available = {1} − {3} = {4}",
        "old = wants − min(unavailable, may go) = {1} − min({4}, {5}) = {2}",
    ],
    operands: &[&REPLICA_SET, &FROM, &TO, &ITS_AVAILABLE, &UNHEALTHY, &CLEANUP_BUDGET],
};

static ITS_AVAILABLE: Operand = marked("available", "its status.availableReplicas", Mark::Available);
static UNHEALTHY: Operand = operand("unhealthy", "wants − available");
static CLEANUP_BUDGET: Operand =
    operand("budget", "Σ wants − minimum available − unavailable new, less what went already");

/// An old ReplicaSet has not got rid of pods yet: nothing is taken from any.
pub static OLD_SURPLUS: Rule = Rule {
    id: "deployment.old.surplus",
    upstream: Some("pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas"),
    section: None,
    sentence: "{0} wants {1} pod(s) and still counts {2} available: no old pod goes until it is down to {1}.",
    formula: &[],
    operands: &[&REPLICA_SET, &FROM, &ITS_AVAILABLE],
};

/// Available old pods go as far as the minimum allows.
pub static OLD_DOWN: Rule = Rule {
    id: "deployment.old.down",
    upstream: Some("pkg/controller/deployment/rolling.go scaleDownOldReplicaSetsForRollingUpdate"),
    section: None,
    sentence: "{0} shrinks from {1} to {2}: of {3} available pod(s) {4} must stay, so {5} may go; {6} went already.",
    formula: &[
        "may go = available − minimum available = {3} − {4} = {5}",
        "old = wants − min(wants, may go − gone) = {1} − min({1}, {5} − {6}) = {2}",
    ],
    operands: &[&REPLICA_SET, &FROM, &TO, &COUNTED_AVAILABLE, &MIN_AVAILABLE, &BUDGET, &GONE],
};

static COUNTED_AVAILABLE: Operand = marked(
    "available",
    "sum of status.availableReplicas of the new ReplicaSet and of old ones that want pods",
    Mark::Available,
);
static BUDGET: Operand = operand("budget", "available − minimum available");
static GONE: Operand = operand("gone", "what older ReplicaSets lost in this step");

/// No old pod may go yet.
pub static OLD_WAIT: Rule = Rule {
    id: "deployment.old.wait",
    upstream: Some("pkg/controller/deployment/rolling.go reconcileOldReplicaSets"),
    section: None,
    sentence: "No old pod of Deployment {0} may go: {1} wanted less {3} new ones not available is within the minimum of {2}.",
    formula: &["may go = Σ wants − minimum available − unavailable new = {1} − {2} − {3} ≤ 0"],
    operands: &[&DEPLOYMENT, &WANTED, &MIN_AVAILABLE, &UNAVAILABLE_NEW],
};

static UNAVAILABLE_NEW: Operand =
    operand("unavailable", "spec.replicas − status.availableReplicas of the new ReplicaSet");

/// A count of terminating pods is missing.
pub static TERMINATING_UNKNOWN: Rule = Rule {
    id: "deployment.terminating-unknown",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{0} does not say how many of its pods are terminating: the sync ends here, and nothing grows until it does.",
    formula: &[],
    operands: &[&REPLICA_SET],
};

/// The surge is neither a number nor a percentage.
pub static SURGE_UNREADABLE: Rule = Rule {
    id: "deployment.surge-unreadable",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas"),
    section: None,
    sentence: "Deployment {0} has a surge that is neither a number nor a percentage: the sync ends here.",
    formula: &[],
    operands: &[&DEPLOYMENT],
};

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &NEW_UP,
    &NEW_UP_COMPLETE,
    &NEW_WAIT,
    &NEW_WAIT_COMPLETE,
    &NEW_DOWN,
    &OLD_UNHEALTHY,
    &OLD_SURPLUS,
    &OLD_DOWN,
    &OLD_WAIT,
    &TERMINATING_UNKNOWN,
    &SURGE_UNREADABLE,
];
