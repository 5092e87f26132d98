//! The Recreate strategy: old pods go before new ones come.

use super::super::operands::{DEPLOYMENT, DESIRED, FROM, REPLICA_SET, TO, TO_DESIRED};
use super::super::{Mark, Operand, Rule, marked, operand};
use super::KEP_ROLLOUT;

const OLD_PODS_RUNNING: Option<&str> = Some("pkg/controller/deployment/recreate.go oldPodsRunning");

/// The old pods all go.
pub static RECREATE_DOWN: Rule = Rule {
    id: "deployment.recreate.down",
    upstream: Some("pkg/controller/deployment/recreate.go scaleDownOldReplicaSetsForRecreate"),
    section: None,
    sentence: "Recreate: {0} shrinks from {1} to 0 before anything new is created.",
    formula: &["old = 0"],
    operands: &[&REPLICA_SET, &FROM],
};

/// Without a policy it waits while old pods are counted.
pub static RECREATE_WAIT: Rule = Rule {
    id: "deployment.recreate.wait",
    upstream: OLD_PODS_RUNNING,
    section: None,
    sentence: "Recreate: Deployment {0} waits, since its old ReplicaSets still count {1} pod(s).",
    formula: &["wait while counted = {1} > 0"],
    operands: &[&DEPLOYMENT, &COUNTED],
};

/// Without a policy it waits for every old pod, those included that nothing counts any more.
pub static RECREATE_WAIT_ENDING: Rule = Rule {
    id: "deployment.recreate.wait.ending",
    upstream: OLD_PODS_RUNNING,
    section: None,
    sentence: "Recreate: Deployment {0} waits, since {1} old pod(s) did not end yet, terminating ones included.",
    formula: &["wait while not ended = {1} > 0"],
    operands: &[&DEPLOYMENT, &RUNNING],
};

static RUNNING: Operand = marked("running", "old pods that are neither Succeeded nor Failed", Mark::Total);

/// With TerminationStarted it waits until the old pods terminate.
pub static RECREATE_WAIT_STARTED: Rule = Rule {
    id: "deployment.recreate.wait.started",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate: Deployment {0} waits, since {1} old pod(s) did not begin to terminate yet.",
    formula: &["wait while counted = {1} > 0"],
    operands: &[&DEPLOYMENT, &COUNTED],
};

/// With TerminationComplete it waits until the old pods are gone.
pub static RECREATE_WAIT_COMPLETE: Rule = Rule {
    id: "deployment.recreate.wait.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate: Deployment {0} waits, since {1} old pod(s) did not begin to terminate yet, and terminating are {2}.",
    formula: &["wait while counted + terminating = {1} + {2} > 0"],
    operands: &[&DEPLOYMENT, &COUNTED, &OLD_TERMINATING],
};

/// With TerminationComplete it waits for the old pods that run, also where nobody knows how many terminate.
pub static RECREATE_WAIT_COUNTED: Rule = Rule {
    id: "deployment.recreate.wait.counted",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate: Deployment {0} waits, since {1} old pod(s) did not begin to terminate yet; how many are terminating is not known.",
    formula: &["wait while counted = {1} > 0"],
    operands: &[&DEPLOYMENT, &COUNTED],
};

static COUNTED: Operand = operand("counted", "sum of status.replicas of the old ReplicaSets");
static OLD_TERMINATING: Operand =
    marked("terminating", "sum of status.terminatingReplicas of the old ReplicaSets", Mark::Terminating);

/// The new ReplicaSet gets its size.
pub static RECREATE_UP: Rule = Rule {
    id: "deployment.recreate.up",
    upstream: Some("pkg/controller/deployment/recreate.go scaleUpNewReplicaSetForRecreate"),
    section: None,
    sentence: "Recreate: no old pod is in the way, {0} goes from {1} to the desired {2}.",
    formula: &["new = desired = {2}"],
    operands: &[&REPLICA_SET, &FROM, &TO_DESIRED],
};

/// Under the complete rule the new ReplicaSet grows as its own pods leave room.
pub static RECREATE_UP_COMPLETE: Rule = Rule {
    id: "deployment.recreate.up.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate: {0} may grow from {1} to {6}: of {2} places it takes {5}, {3} itself and {4} by its terminating pods.",
    formula: &[
        TAKEN_LINE,
        "new = wants + min(desired − wants, desired − taken) = {1} + min({2} − {1}, {2} − {5}) = {6}",
    ],
    operands: &[&REPLICA_SET, &FROM, &DESIRED, &ITS_HELD, &ITS_TERMINATING, &TAKEN, &TO],
};

/// Under the complete rule the new ReplicaSet's own pods may leave no room.
pub static RECREATE_UP_WAIT: Rule = Rule {
    id: "deployment.recreate.up.wait",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate: {0} waits at {1}: of {2} places it takes {5}, {3} itself and {4} by its terminating pods.",
    formula: &[TAKEN_LINE, "room = desired − taken = {2} − {5} ≤ 0"],
    operands: &[&REPLICA_SET, &FROM, &DESIRED, &ITS_HELD, &ITS_TERMINATING, &TAKEN],
};

static ITS_HELD: Operand = marked("held", "max(spec.replicas, status.replicas) of this ReplicaSet", Mark::ReplicaSet);
static ITS_TERMINATING: Operand = marked("terminating", "its status.terminatingReplicas", Mark::Terminating);
static TAKEN: Operand = marked("taken", "both together", Mark::Total);

const TAKEN_LINE: &str = "taken = max(wants, has) + terminating = {3} + {4} = {5}";

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &RECREATE_DOWN,
    &RECREATE_WAIT,
    &RECREATE_WAIT_ENDING,
    &RECREATE_WAIT_STARTED,
    &RECREATE_WAIT_COMPLETE,
    &RECREATE_WAIT_COUNTED,
    &RECREATE_UP,
    &RECREATE_UP_COMPLETE,
    &RECREATE_UP_WAIT,
];
