//! Scaling: the only ReplicaSet at once, several in proportion.

use core::fmt;

use super::super::operands::{DEPLOYMENT_NAME, DESIRED, LIMIT, REPLICA_SET_NAME, SURPLUS, TERMINATING, WANTED};
use super::super::{OperandValue, Operands, Reason, Rule, RuleText};
use super::{KEP_SCALING, Resized};
use crate::controller::decision::deployment::{Room, Share};

const SCALE_GO: &str = "pkg/controller/deployment/sync.go scale";
const FIND_ACTIVE: &str = "pkg/controller/deployment/util/deployment_util.go FindActiveOrLatest";
const FRACTION: &str = "pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction";

/// Explains the size of the only ReplicaSet.
pub(super) fn explain_only(resized: Resized<'_>, desired: i32) -> Reason {
    match resized.from {
        0 => ScaleLatest { resized, desired }.reason(),
        _ => Scale { resized, desired }.reason(),
    }
}

/// Explains the size of the only ReplicaSet under the complete rule.
pub(super) fn explain_only_in_room(resized: Resized<'_>, desired: i32, room: Room) -> Reason {
    let Room { limit, wanted, terminating, surplus, free: room } = room;
    if resized.from == resized.to {
        ScaleWait { resized, desired, limit, wanted, terminating, surplus, room }.reason()
    } else {
        ScaleComplete { resized, desired, limit, wanted, terminating, surplus, room }.reason()
    }
}

/// Explains what a ReplicaSet gets when several are scaled in proportion.
pub(super) fn explain_share(resized: Resized<'_>, share: &Share) -> Reason {
    let scaled = Scaled::new(resized, share);
    let unknown = share.fraction.max_before == 0;
    if scaled.owed > 0 && unknown {
        return ScalePartialLeftover { scaled }.reason();
    }
    if share.room.is_some() && !unknown {
        return match scaled.owed {
            1.. if scaled.from == scaled.to => ScalePartialWait { scaled }.reason(),
            1.. => ScalePartial { scaled }.reason(),
            _ if scaled.from == scaled.to => ScaleKept { scaled }.reason(),
            _ => ScaleWhole { scaled }.reason(),
        };
    }
    match share {
        _ if scaled.from == scaled.to => {
            ScaleAnnotations { resized, desired: share.desired, limit: share.max }.reason()
        }
        Share { desired: 0, .. } if scaled.to == 0 => ScaleZero { resized }.reason(),
        _ if unknown => ScaleLeftover { scaled }.reason(),
        Share { to_add: ..0, .. } => ScaleProportionalDown { scaled }.reason(),
        _ => ScaleProportional { scaled }.reason(),
    }
}

/// The only ReplicaSet with pods is scaled to the Deployment's size.
#[derive(Rule)]
#[rule(
    id = "deployment.scale",
    upstream = FIND_ACTIVE,
    sentence = "{replica_set} is the only ReplicaSet with pods: it goes from {from} to the desired {desired} at once.",
    formula = ["size = desired = {desired}"],
)]
struct Scale<'a> {
    #[operands]
    resized: Resized<'a>,
    #[operand(DESIRED)]
    desired: i32,
}

/// No ReplicaSet has pods: the new one, or else the newest, is scaled.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.latest",
    upstream = FIND_ACTIVE,
    sentence = "No ReplicaSet has pods: {replica_set} goes from {from} to the desired {desired} at once.",
    formula = ["size = desired = {desired}"],
)]
struct ScaleLatest<'a> {
    #[operands]
    resized: Resized<'a>,
    #[operand(DESIRED)]
    desired: i32,
}

/// The only ReplicaSet has its size already, but notes another desired number: every sync takes it for scaling.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.stuck",
    upstream = "pkg/controller/deployment/sync.go isScalingEvent",
    sentence = "{replica_set} has the desired {desired} pod(s), but its annotation says {noted}: each sync treats that as a scaling event and does nothing else."
)]
pub(super) struct ScaleStuck<'a> {
    #[operand(REPLICA_SET_NAME)]
    pub(super) replica_set: &'a str,
    #[operand(DESIRED)]
    pub(super) desired: i32,
    #[operand(source = "annotation deployment.kubernetes.io/desired-replicas of the ReplicaSet")]
    pub(super) noted: i32,
}

/// Several ReplicaSets have pods, none is whole, and the strategy is no rolling update: none is scaled.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.none",
    upstream = SCALE_GO,
    sentence = "Deployment {deployment} is scaled to {desired}, but with the Recreate strategy, no ReplicaSet is resized while several have pods.",
)]
pub(super) struct ScaleNone<'a> {
    #[operand(DEPLOYMENT_NAME)]
    pub(super) deployment: &'a str,
    #[operand(DESIRED)]
    pub(super) desired: i32,
}

/// One ReplicaSet grows under the complete rule.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.complete",
    section = KEP_SCALING,
    sentence = "{replica_set} grows from {from} to {to} of {desired}: {wanted} wanted, {terminating} terminating and {surplus} surplus pods leave {room} of {limit} slots.",
    formula = [
        "room = limit − wanted − terminating − surplus = {limit} − {wanted} − {terminating} − {surplus} = {room}, not below 0",
        "new size = min(desired, size + room) = min({desired}, {from} + {room}) = {to}",
    ],
)]
struct ScaleComplete<'a> {
    #[operands]
    resized: Resized<'a>,
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
}

/// One ReplicaSet has no room to grow under the complete rule.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.wait",
    section = KEP_SCALING,
    sentence = "{replica_set} waits at {from} of {desired}: {wanted} wanted, {terminating} terminating and {surplus} surplus pods leave {room} of {limit} slots.",
    formula = [
        "room = limit − wanted − terminating − surplus = {limit} − {wanted} − {terminating} − {surplus} = {room}, not below 0",
    ],
)]
struct ScaleWait<'a> {
    #[operands]
    resized: Resized<'a>,
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
}

/// The new ReplicaSet is saturated: the old ones go.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.saturated",
    upstream = SCALE_GO,
    sentence = "The new ReplicaSet has all {desired} pod(s) available: {replica_set} goes from {from} to 0.",
    formula = ["old = 0"],
)]
pub(super) struct ScaleSaturated<'a> {
    #[operands]
    pub(super) resized: Resized<'a>,
    #[operand(DESIRED)]
    pub(super) desired: i32,
}

/// What the rules of proportional scaling may name.
#[derive(Clone, Copy, Operands)]
struct Scaled<'a> {
    #[operand(source = "a ReplicaSet with pods, the biggest first", mark = ReplicaSet)]
    replica_set: &'a str,
    #[operand(source = "its spec.replicas", mark = ReplicaSet)]
    from: i32,
    #[operand(source = "its new size", mark = ReplicaSet)]
    to: i32,
    #[operand(source = "spec.replicas + maxSurge, or 0", mark = Limit)]
    limit: i32,
    #[operand(source = "sum of spec.replicas of the ReplicaSets with pods", mark = Total)]
    wanted: i32,
    #[operand(source = "limit − wanted")]
    to_add: i32,
    #[operand(source = "annotation replicaset-replicas-before-scale, else its spec.replicas")]
    base: i32,
    #[operand(source = "annotation deployment.kubernetes.io/max-replicas, else status.replicas")]
    before: i32,
    #[operand(source = "limit ÷ limit before")]
    ratio: Thousandths,
    #[operand(source = "base × ratio, rounded, less its spec.replicas")]
    whole_share: i32,
    #[operand(source = "what the ReplicaSets before it left")]
    left: i32,
    #[operand(source = "its whole share, but not more than was left")]
    share: i32,
    #[operand(source = "what remains after all shares; the first ReplicaSet gets it")]
    leftover: i32,
    #[operand(TERMINATING)]
    terminating: Option<i32>,
    #[operand(SURPLUS)]
    surplus: Option<i32>,
    #[operand(source = "what may be added now, not below 0")]
    room: Option<i32>,
    #[operand(source = "its size once the scaling is finished")]
    full: i32,
    #[operand(source = "its size once the scaling is finished − its size now")]
    owed: i32,
}

impl<'a> Scaled<'a> {
    fn new(resized: Resized<'a>, share: &Share) -> Self {
        Self {
            replica_set: resized.replica_set,
            from: resized.from,
            to: resized.to,
            limit: share.limit,
            wanted: share.wanted,
            to_add: share.to_add,
            base: share.fraction.base,
            before: share.fraction.max_before,
            ratio: Thousandths(share.fraction.ratio),
            whole_share: share.fraction.pods,
            left: share.left,
            share: share.share,
            leftover: share.leftover,
            terminating: share.room.map(|room| room.terminating),
            surplus: share.room.map(|room| room.surplus),
            room: share.room.map(|room| room.free),
            full: share.full,
            owed: share.owed,
        }
    }
}

/// A ratio, as the KEP's tables have it: `1.182`.
#[derive(Clone, Copy)]
struct Thousandths(Option<i64>);

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

impl From<Thousandths> for OperandValue {
    fn from(ratio: Thousandths) -> Self {
        Self::from(alloc::format!("{ratio}").as_str())
    }
}

/// Pods are added to ReplicaSets in proportion.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.proportional",
    upstream = SCALE_GO,
    sentence = "Scaling up during a rollout: {replica_set} goes from {from} to {to}. Its share of the {to_add} new pod(s) is {share}, plus a leftover of {leftover}.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
        "share = {share}: the whole share, capped at what is left ({left})",
        "new size = max(0, size + share + leftover) = max(0, {from} + {share} + {leftover}) = {to}",
    ],
)]
struct ScaleProportional<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// Pods are taken from ReplicaSets in proportion.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.proportional.down",
    upstream = SCALE_GO,
    sentence = "Scaling down during a rollout: {replica_set} goes from {from} to {to}. Its share of the change of {to_add} is {share}, plus a leftover of {leftover}.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
        "share = {share}: the whole share, capped at what is left ({left})",
        "new size = max(0, size + share + leftover) = max(0, {from} + {share} + {leftover}) = {to}",
    ],
)]
struct ScaleProportionalDown<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// Nothing is desired any more.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.zero",
    upstream = FRACTION,
    sentence = "No pods are desired: {replica_set} goes from {from} to 0.",
    formula = ["size = 0"],
)]
struct ScaleZero<'a> {
    #[operands]
    resized: Resized<'a>,
}

/// The limit before is not known: the ReplicaSet has no share, but as the first one it gets the leftover.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.leftover",
    upstream = FRACTION,
    sentence = "The previous limit is unknown, so {replica_set} gets only the leftover, {leftover} of {to_add}: it goes from {from} to {to}.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "new size = max(0, size + leftover) = max(0, {from} + {leftover}) = {to}",
    ],
)]
struct ScaleLeftover<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// As [`ScaleLeftover`], in a step under the complete rule that does not give it all that it is owed.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.partial.leftover",
    section = KEP_SCALING,
    sentence = "The previous limit is unknown, so {replica_set} gets only the leftover of {leftover} for now: that makes {to}, and it is still owed {owed}.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "room = to add − terminating − surplus = {to_add} − {terminating} − {surplus} = {room}, not below 0",
        "new size = size + leftover = {from} + {leftover} = {to}",
        "owed = full size − new size = {full} − {to} = {owed}",
    ],
)]
struct ScalePartialLeftover<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// A step of proportional scaling up under the complete rule: this ReplicaSet does not get all that it is owed.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.partial",
    section = KEP_SCALING,
    sentence = "{replica_set} goes from {from} to {to} for now and is still owed {owed}: terminating and surplus pods leave room for {room} of {to_add}.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "room = to add − terminating − surplus = {to_add} − {terminating} − {surplus} = {room}, not below 0",
        "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
        "share = min(max(whole share, 0), left) = min(max({whole_share}, 0), {left}) = {share}",
        "new size = size + share + leftover = {from} + {share} + {leftover} = {to}",
        "owed = full size − new size = {full} − {to} = {owed}",
    ],
)]
struct ScalePartial<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// As [`ScalePartial`], but this ReplicaSet gets nothing of what it is owed.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.partial.wait",
    section = KEP_SCALING,
    sentence = "{replica_set} stays at {from} pod(s) for now and is still owed {owed}: terminating and surplus pods leave room for {room} of {to_add}.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "room = to add − terminating − surplus = {to_add} − {terminating} − {surplus} = {room}, not below 0",
        "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
        "share = min(max(whole share, 0), left) = min(max({whole_share}, 0), {left}) = {share}",
        "new size = size + share + leftover = {from} + {share} + {leftover} = {to}",
        "owed = full size − new size = {full} − {to} = {owed}",
    ],
)]
struct ScalePartialWait<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// As [`ScalePartial`], but this ReplicaSet gets all that it is owed.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.whole",
    section = KEP_SCALING,
    sentence = "{replica_set} goes from {from} to {to}, its full size: {terminating} terminating and {surplus} surplus pods leave room for {room} of {to_add}.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "room = to add − terminating − surplus = {to_add} − {terminating} − {surplus} = {room}, not below 0",
        "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
        "share = min(max(whole share, 0), left) = min(max({whole_share}, 0), {left}) = {share}",
        "new size = size + share + leftover = {from} + {share} + {leftover} = {to}",
        "owed = full size − new size = {full} − {to} = {owed}",
    ],
)]
struct ScaleWhole<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// As [`ScaleWhole`], but its full size is the one that it has.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.kept",
    section = KEP_SCALING,
    sentence = "{replica_set} keeps its {from} pod(s): that is already its share.",
    formula = [
        "to add = limit − wanted = {limit} − {wanted} = {to_add}",
        "room = to add − terminating − surplus = {to_add} − {terminating} − {surplus} = {room}, not below 0",
        "whole share = round(base × limit ÷ limit before) − size = round({base} × {limit} ÷ {before}) − {from} = {whole_share}, ratio {ratio}",
        "share = min(max(whole share, 0), left) = min(max({whole_share}, 0), {left}) = {share}",
        "new size = size + share + leftover = {from} + {share} + {leftover} = {to}",
        "owed = full size − new size = {full} − {to} = {owed}",
    ],
)]
struct ScaleKept<'a> {
    #[operands]
    scaled: Scaled<'a>,
}

/// Only the annotations of a ReplicaSet are brought up to date.
#[derive(Rule)]
#[rule(
    id = "deployment.scale.annotations",
    upstream = "pkg/controller/deployment/sync.go scaleReplicaSet",
    sentence = "{replica_set} keeps its {from} pod(s); its annotations now say {desired} desired and {limit} at most."
)]
pub(super) struct ScaleAnnotations<'a> {
    #[operands]
    pub(super) resized: Resized<'a>,
    #[operand(DESIRED)]
    pub(super) desired: i32,
    #[operand(LIMIT)]
    pub(super) limit: i32,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Scale::TEXT,
    ScaleLatest::TEXT,
    ScaleStuck::TEXT,
    ScaleNone::TEXT,
    ScaleComplete::TEXT,
    ScaleWait::TEXT,
    ScaleSaturated::TEXT,
    ScaleProportional::TEXT,
    ScaleProportionalDown::TEXT,
    ScaleZero::TEXT,
    ScaleLeftover::TEXT,
    ScalePartialLeftover::TEXT,
    ScalePartial::TEXT,
    ScalePartialWait::TEXT,
    ScaleWhole::TEXT,
    ScaleKept::TEXT,
    ScaleAnnotations::TEXT,
];
