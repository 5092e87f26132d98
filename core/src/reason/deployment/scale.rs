//! Scaling: the only ReplicaSet at once, several in proportion.

use super::super::operands::{
    DEPLOYMENT, DESIRED, FROM, LIMIT, REPLICA_SET, SIZE, TERMINATING, TO, TO_DESIRED, WANTED,
};
use super::super::{Mark, Operand, Rule, marked, operand};
use super::KEP_SCALING;

const SCALE_GO: Option<&str> = Some("pkg/controller/deployment/sync.go scale");
const FIND_ACTIVE: Option<&str> = Some("pkg/controller/deployment/util/deployment_util.go FindActiveOrLatest");
const IS_SCALING: Option<&str> = Some("pkg/controller/deployment/sync.go isScalingEvent");
const FRACTION: Option<&str> = Some("pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction");
const TO_SPREAD: &str = "to spread = limit − Σ wants = {3} − {4} = {5}";
const WHOLE_SHARE_LINE: &str =
    "whole share = round(base × limit ÷ limit before) − wants = round({6} × {3} ÷ {7}) − {1} = {9}, ratio {8}";
const NEW_SIZE: &str = "size = wants + share + left over = {1} + {11} + {12} = {2}";

/// The only ReplicaSet with pods is scaled to the Deployment's size.
pub static SCALE: Rule = Rule {
    id: "deployment.scale",
    upstream: FIND_ACTIVE,
    section: None,
    sentence: "{0} is the only one with pods: it goes from {1} to the desired {2} at once.",
    formula: &["size = desired = {2}"],
    operands: &[&REPLICA_SET, &FROM, &TO_DESIRED],
};

/// No ReplicaSet has pods: the new one, or else the newest, is scaled.
pub static SCALE_LATEST: Rule = Rule {
    id: "deployment.scale.latest",
    upstream: FIND_ACTIVE,
    section: None,
    sentence: "No ReplicaSet has pods: {0} goes from {1} to the desired {2} at once.",
    formula: &["size = desired = {2}"],
    operands: &[&REPLICA_SET, &FROM, &TO_DESIRED],
};

/// The only ReplicaSet has its size already, but notes another desired number: every sync takes it for scaling.
pub static SCALE_STUCK: Rule = Rule {
    id: "deployment.scale.stuck",
    upstream: IS_SCALING,
    section: None,
    sentence: "{0} has the desired {1} pod(s), but its annotation says {2}: this looks like scaling for ever, and nothing else is done.",
    formula: &[],
    operands: &[&REPLICA_SET, &DESIRED, &NOTED],
};

static NOTED: Operand = operand("noted", "annotation deployment.kubernetes.io/desired-replicas of the ReplicaSet");

/// Several ReplicaSets have pods, none is whole, and the strategy is no rolling update: none is scaled.
pub static SCALE_NONE: Rule = Rule {
    id: "deployment.scale.none",
    upstream: SCALE_GO,
    section: None,
    sentence: "Deployment {0} is scaled to {1}, but under Recreate no ReplicaSet changes while several have pods.",
    formula: &[],
    operands: &[&DEPLOYMENT, &DESIRED],
};

/// One ReplicaSet grows under the complete rule.
pub static SCALE_COMPLETE: Rule = Rule {
    id: "deployment.scale.complete",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{0} grows from {1} to {8} of the desired {2}: {4} wanted, {5} terminating and {6} surplus pods leave {7} of {3} places.",
    formula: &[ROOM_LINE, "size = min(desired, wants + room) = min({2}, {1} + {7}) = {8}"],
    operands: &[&REPLICA_SET, &FROM, &DESIRED, &LIMIT, &WANTED, &TERMINATING, &SURPLUS, &ROOM, &TO],
};

/// One ReplicaSet has no room to grow under the complete rule.
pub static SCALE_WAIT: Rule = Rule {
    id: "deployment.scale.wait",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{0} waits at {1} of the desired {2}: {4} wanted, {5} terminating and {6} surplus pods leave {7} of {3} places.",
    formula: &[ROOM_LINE],
    operands: &[&REPLICA_SET, &FROM, &DESIRED, &LIMIT, &WANTED, &TERMINATING, &SURPLUS, &ROOM],
};

const ROOM_LINE: &str = "room = limit − Σ wants − terminating − surplus = {3} − {4} − {5} − {6} = {7}, not below 0";

/// The new ReplicaSet is whole: the old ones go.
pub static SCALE_SATURATED: Rule = Rule {
    id: "deployment.scale.saturated",
    upstream: SCALE_GO,
    section: None,
    sentence: "The new ReplicaSet has all {2} pod(s) available: {0} goes from {1} to 0.",
    formula: &["old = 0"],
    operands: &[&REPLICA_SET, &FROM, &DESIRED],
};

/// Pods are added to ReplicaSets in proportion.
pub static SCALE_PROPORTIONAL: Rule = Rule {
    id: "deployment.scale.proportional",
    upstream: SCALE_GO,
    section: None,
    sentence: "Scaling up in mid-rollout: {0} goes from {1} to {2}, with {11} of {5} as its share and {12} left over.",
    formula: PROPORTIONAL_FORMULA,
    operands: PROPORTIONAL,
};

/// Pods are taken from ReplicaSets in proportion.
pub static SCALE_PROPORTIONAL_DOWN: Rule = Rule {
    id: "deployment.scale.proportional.down",
    upstream: SCALE_GO,
    section: None,
    sentence: "Scaling down in mid-rollout: {0} goes from {1} to {2}, with {11} of {5} as its share and {12} left over.",
    formula: PROPORTIONAL_FORMULA,
    operands: PROPORTIONAL,
};

const PROPORTIONAL_FORMULA: &[&str] =
    &[TO_SPREAD, WHOLE_SHARE_LINE, "share = {11}: the whole share, as far as it goes with {10} left", NEW_SIZE];

const PROPORTIONAL: &[&Operand] = &[
    &SCALED,
    &FROM,
    &TO,
    &SCALED_LIMIT,
    &SCALED_WANTED,
    &TO_ADD,
    &BASE,
    &BEFORE,
    &RATIO,
    &WHOLE_SHARE,
    &LEFT,
    &SHARE,
    &LEFTOVER,
];

/// Nothing is desired any more.
pub static SCALE_ZERO: Rule = Rule {
    id: "deployment.scale.zero",
    upstream: FRACTION,
    section: None,
    sentence: "No pod is desired any more: {0} goes from {1} to 0.",
    formula: &["size = 0"],
    operands: &[&REPLICA_SET, &FROM],
};

/// The limit before is not known: the ReplicaSet has no share, but as the first it gets what is left over.
pub static SCALE_LEFTOVER: Rule = Rule {
    id: "deployment.scale.leftover",
    upstream: FRACTION,
    section: None,
    sentence: "The limit before is unknown, so {0} has no share: of {3} − {4} = {5} it gets the {6} left over, from {1} to {2}.",
    formula: &[TO_SPREAD, "size = wants + left over = {1} + {6} = {2}"],
    operands: &[&SCALED, &FROM, &TO, &SCALED_LIMIT, &SCALED_WANTED, &TO_ADD, &LEFTOVER],
};

/// As [`SCALE_LEFTOVER`], in a step under the complete rule that does not leave it all that is its.
pub static SCALE_PARTIAL_LEFTOVER: Rule = Rule {
    id: "deployment.scale.partial.leftover",
    upstream: None,
    section: KEP_SCALING,
    sentence: "The limit before is unknown, so {0} has no share: it has {1}, may have {2} for now with the {6} left over, and is owed {11}.",
    formula: &[
        TO_SPREAD,
        "room = to spread − terminating − surplus = {5} − {7} − {8} = {9}, not below 0",
        "size = wants + left over = {1} + {6} = {2}",
        "owed = whole size − size = {10} − {2} = {11}",
    ],
    operands: &[
        &SCALED,
        &FROM,
        &TO,
        &SCALED_LIMIT,
        &SCALED_WANTED,
        &TO_ADD,
        &LEFTOVER,
        &TERMINATING,
        &SURPLUS,
        &ROOM,
        &FULL,
        &OWED,
    ],
};

/// A step of proportional scaling up under the complete rule: this ReplicaSet does not get all that is its.
pub static SCALE_PARTIAL: Rule = Rule {
    id: "deployment.scale.partial",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{0} has {1}, may have {2} for now and is owed {17}: terminating and surplus pods leave room for {15} of {5}.",
    formula: IN_PART_FORMULA,
    operands: IN_PART,
};

/// As [`SCALE_PARTIAL`], but this ReplicaSet gets all that is its.
pub static SCALE_WHOLE: Rule = Rule {
    id: "deployment.scale.whole",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{0} goes from {1} to {2}, all that is its: {13} terminating and {14} surplus pods leave room for {15} of {5}.",
    formula: IN_PART_FORMULA,
    operands: IN_PART,
};

/// As [`SCALE_WHOLE`], but that is what it has.
pub static SCALE_KEPT: Rule = Rule {
    id: "deployment.scale.kept",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{0} keeps its {1} pod(s): its share of this scaling is what it has.",
    formula: IN_PART_FORMULA,
    operands: IN_PART,
};

const IN_PART_FORMULA: &[&str] = &[
    TO_SPREAD,
    "room = to spread − terminating − surplus = {5} − {13} − {14} = {15}, not below 0",
    WHOLE_SHARE_LINE,
    "share = min(max(whole share, 0), left) = min(max({9}, 0), {10}) = {11}",
    NEW_SIZE,
    "owed = whole size − size = {16} − {2} = {17}",
];

const IN_PART: &[&Operand] = &[
    &SCALED,
    &FROM,
    &TO,
    &SCALED_LIMIT,
    &SCALED_WANTED,
    &TO_ADD,
    &BASE,
    &BEFORE,
    &RATIO,
    &WHOLE_SHARE,
    &LEFT,
    &SHARE,
    &LEFTOVER,
    &TERMINATING,
    &SURPLUS,
    &ROOM,
    &FULL,
    &OWED,
];

static SCALED: Operand = marked("replicaSet", "a ReplicaSet with pods, the biggest first", Mark::ReplicaSet);
static SCALED_LIMIT: Operand = marked("limit", "spec.replicas + maxSurge, or 0", Mark::Limit);
static SCALED_WANTED: Operand = marked("wanted", "sum of spec.replicas of the ReplicaSets with pods", Mark::Total);
static TO_ADD: Operand = operand("toAdd", "limit − wanted");
static SURPLUS: Operand = marked("surplus", "pods above spec.replicas that were not deleted yet", Mark::Total);
static ROOM: Operand = operand("room", "what may be added now, not below 0");
static BASE: Operand = operand("base", "annotation replicaset-replicas-before-scale, else its spec.replicas");
static BEFORE: Operand = operand("before", "annotation deployment.kubernetes.io/max-replicas, else status.replicas");
static RATIO: Operand = operand("ratio", "limit ÷ limit before");
static WHOLE_SHARE: Operand = operand("wholeShare", "what it lacks of base × ratio");
static LEFT: Operand = operand("left", "what the ReplicaSets before it have left");
static SHARE: Operand = operand("share", "its whole share, but not more than was left");
static LEFTOVER: Operand = operand("leftover", "what all shares leave; the first ReplicaSet gets it");
static FULL: Operand = operand("full", "its size once the scaling is finished");
static OWED: Operand = operand("owed", "its whole size − its size now");

/// Only the annotations of a ReplicaSet are brought up to date.
pub static SCALE_ANNOTATIONS: Rule = Rule {
    id: "deployment.scale.annotations",
    upstream: Some("pkg/controller/deployment/sync.go scaleReplicaSet"),
    section: None,
    sentence: "{0} keeps its {1} pod(s); its annotations now say {2} desired and {3} at most.",
    formula: &[],
    operands: &[&REPLICA_SET, &SIZE, &DESIRED, &LIMIT],
};

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &SCALE,
    &SCALE_LATEST,
    &SCALE_STUCK,
    &SCALE_NONE,
    &SCALE_COMPLETE,
    &SCALE_WAIT,
    &SCALE_SATURATED,
    &SCALE_PROPORTIONAL,
    &SCALE_PROPORTIONAL_DOWN,
    &SCALE_ZERO,
    &SCALE_LEFTOVER,
    &SCALE_PARTIAL_LEFTOVER,
    &SCALE_PARTIAL,
    &SCALE_WHOLE,
    &SCALE_KEPT,
    &SCALE_ANNOTATIONS,
];
