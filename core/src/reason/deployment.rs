//! What the Deployment controller decides.

use super::Mark::{Available, Desired, Limit, MinAvailable, ReplicaSet, Terminating, Total};
use super::{Operand, Rule, marked, operand};

const KEP_ROLLOUT: Option<&str> = Some("KEP-5882, Deployment Behavior Changes");
const KEP_SCALING: Option<&str> = Some("KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets");
const KEP_PROGRESS: Option<&str> = Some("KEP-5882, Deployment Completion and Progress Changes");

/// A ReplicaSet without an owner is taken over.
pub static ADOPT: Rule = Rule {
    id: "deployment.adopt",
    upstream: Some("pkg/controller/controller_ref_manager.go AdoptReplicaSet"),
    section: None,
    sentence: "{replicaSet} has no controller and its labels match: Deployment {deployment} adopts it.",
    formula: &[],
    operands: &[
        marked("replicaSet", "a ReplicaSet without a controller", ReplicaSet),
        operand("deployment", "the Deployment whose selector matches its labels"),
    ],
};

/// A ReplicaSet that no longer matches is let go.
pub static RELEASE: Rule = Rule {
    id: "deployment.release",
    upstream: Some("pkg/controller/controller_ref_manager.go ReleaseReplicaSet"),
    section: None,
    sentence: "The labels of {replicaSet} no longer match the selector: Deployment {deployment} lets it go.",
    formula: &[],
    operands: &[
        marked("replicaSet", "a ReplicaSet owned by the Deployment", ReplicaSet),
        operand("deployment", "its owner"),
    ],
};

/// The selector takes everything: nothing is done.
pub static SELECTING_ALL: Rule = Rule {
    id: "deployment.selecting-all",
    upstream: Some("pkg/controller/deployment/deployment_controller.go syncDeployment"),
    section: None,
    sentence: "The selector of Deployment {deployment} is empty and would take every pod: nothing is done.",
    formula: &[],
    operands: &[operand("deployment", "spec.selector")],
};

/// The ReplicaSet of a new pod template is created.
pub static CREATE: Rule = Rule {
    id: "deployment.create",
    upstream: Some("pkg/controller/deployment/sync.go getNewReplicaSet"),
    section: None,
    sentence: "No ReplicaSet has this pod template yet: {replicaSet} is created, with {size} of {desired} pods.",
    formula: &["room = limit − wanted = {limit} − {wanted}", "new = min(desired, room) = {size}"],
    operands: &[
        marked("replicaSet", "the Deployment's name and the hash of its pod template", ReplicaSet),
        marked("size", "the room that is left, at most the desired number", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
        marked("limit", "spec.replicas + maxSurge", Limit),
        marked("wanted", "sum of spec.replicas of the other ReplicaSets", Total),
    ],
};

/// As [`CREATE`], counting terminating pods.
pub static CREATE_COMPLETE: Rule = Rule {
    id: "deployment.create.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "{replicaSet} is created for the new pod template with {size} of {desired} pods: {taken} places are taken, {terminating} by terminating pods.",
    formula: &[
        "taken = Σ max(wants, has) + terminating = {taken}",
        "room = limit − taken = {limit} − {taken}",
        "new = min(desired, room) = {size}",
    ],
    operands: &[
        marked("replicaSet", "the Deployment's name and the hash of its pod template", ReplicaSet),
        marked("size", "the room that is left, at most the desired number", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
        marked("limit", "spec.replicas + maxSurge", Limit),
        marked("taken", "max(spec.replicas, status.replicas) of each ReplicaSet, and its terminating pods", Total),
        marked("terminating", "sum of status.terminatingReplicas of all ReplicaSets", Terminating),
    ],
};

/// The ReplicaSet of the new pod template is created for a Recreate rollout.
pub static CREATE_RECREATE: Rule = Rule {
    id: "deployment.create.recreate",
    upstream: Some("pkg/controller/deployment/sync.go getNewReplicaSet"),
    section: None,
    sentence: "The old pods are out of the way: {replicaSet} is created with all {size} pods.",
    formula: &["new = desired = {size}"],
    operands: &[
        marked("replicaSet", "the Deployment's name and the hash of its pod template", ReplicaSet),
        marked("size", "spec.replicas of the Deployment", Desired),
    ],
};

/// Another object has the new ReplicaSet's name.
pub static COLLISION: Rule = Rule {
    id: "deployment.collision",
    upstream: Some("pkg/controller/deployment/sync.go getNewReplicaSet"),
    section: None,
    sentence: "The name {replicaSet} belongs to another pod template: the collision count rises to {count} and a new hash is tried.",
    formula: &[],
    operands: &[
        operand("replicaSet", "the name which the hash gave"),
        operand("count", "status.collisionCount of the Deployment"),
    ],
};

/// The new ReplicaSet could not be created.
pub static CREATE_FAILED: Rule = Rule {
    id: "deployment.create.failed",
    upstream: Some("pkg/controller/deployment/sync.go getNewReplicaSet"),
    section: None,
    sentence: "The API server refused to create {replicaSet}: the Progressing condition says so, and the sync is tried again.",
    formula: &[],
    operands: &[operand("replicaSet", "the ReplicaSet of the new pod template")],
};

/// Annotations, revision or minReadySeconds are brought to the new ReplicaSet.
pub static SYNC_NEW: Rule = Rule {
    id: "deployment.new.sync",
    upstream: Some("pkg/controller/deployment/sync.go getNewReplicaSet"),
    section: None,
    sentence: "{replicaSet} has the wanted pod template: it becomes revision {revision} and takes over the Deployment's annotations.",
    formula: &["revision = highest old revision + 1 = {revision}"],
    operands: &[
        marked("replicaSet", "the oldest ReplicaSet with the Deployment's pod template", ReplicaSet),
        operand("revision", "the highest revision of the other ReplicaSets, and one"),
    ],
};

/// The Deployment takes over the revision of its new ReplicaSet.
pub static REVISION: Rule = Rule {
    id: "deployment.revision",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go SetDeploymentRevision"),
    section: None,
    sentence: "Deployment {deployment} is at revision {revision}, that of {replicaSet}.",
    formula: &[],
    operands: &[
        operand("deployment", "the Deployment"),
        operand("revision", "annotation deployment.kubernetes.io/revision of the ReplicaSet"),
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
    ],
};

/// The new ReplicaSet grows, the old rule.
pub static NEW_UP: Rule = Rule {
    id: "deployment.new.up",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas"),
    section: None,
    sentence: "{replicaSet} may grow from {from} to {to}: ReplicaSets together want {wanted} of at most {limit}. Terminating pods are not in that sum.",
    formula: &[
        "room = limit − Σ wants = {limit} − {wanted}",
        "new = wants + min(desired − wants, room) = {from} + min({desired} − {from}, {limit} − {wanted}) = {to}",
    ],
    operands: &[
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "what it may want now", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
        marked("limit", "spec.replicas + maxSurge", Limit),
        marked("wanted", "sum of spec.replicas of all ReplicaSets", Total),
    ],
};

/// The new ReplicaSet grows, the complete rule.
pub static NEW_UP_COMPLETE: Rule = Rule {
    id: "deployment.new.up.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "{replicaSet} may grow from {from} to {to}: of {limit} places {taken} are taken, {terminating} of them by terminating pods.",
    formula: &[
        "taken = Σ max(wants, has) + terminating = {held} + {terminating} = {taken}",
        "room = limit − taken = {limit} − {taken}",
        "new = wants + min(desired − wants, room) = {from} + min({desired} − {from}, {limit} − {taken}) = {to}",
    ],
    operands: &[
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "what it may want now", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
        marked("limit", "spec.replicas + maxSurge", Limit),
        marked("held", "max(spec.replicas, status.replicas) of each ReplicaSet", Total),
        marked("terminating", "sum of status.terminatingReplicas of all ReplicaSets", Terminating),
        marked("taken", "both together", Total),
    ],
};

/// No room for the new ReplicaSet, the old rule.
pub static NEW_WAIT: Rule = Rule {
    id: "deployment.new.wait",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas"),
    section: None,
    sentence: "{replicaSet} stays at {from}: ReplicaSets together already want {wanted}, and the limit is {limit}.",
    formula: &["room = limit − Σ wants = {limit} − {wanted} ≤ 0"],
    operands: &[
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("limit", "spec.replicas + maxSurge", Limit),
        marked("wanted", "sum of spec.replicas of all ReplicaSets", Total),
    ],
};

/// No room for the new ReplicaSet, the complete rule.
pub static NEW_WAIT_COMPLETE: Rule = Rule {
    id: "deployment.new.wait.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "{replicaSet} waits at {from}: all {limit} places are taken, {terminating} of them by terminating pods.",
    formula: &[
        "taken = Σ max(wants, has) + terminating = {held} + {terminating} = {taken}",
        "room = limit − taken = {limit} − {taken} ≤ 0",
    ],
    operands: &[
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("limit", "spec.replicas + maxSurge", Limit),
        marked("held", "max(spec.replicas, status.replicas) of each ReplicaSet", Total),
        marked("terminating", "sum of status.terminatingReplicas of all ReplicaSets", Terminating),
        marked("taken", "both together", Total),
    ],
};

/// The new ReplicaSet has more than desired.
pub static NEW_DOWN: Rule = Rule {
    id: "deployment.new.down",
    upstream: Some("pkg/controller/deployment/rolling.go reconcileNewReplicaSet"),
    section: None,
    sentence: "{replicaSet} wants {from}, more than the desired {to}: it shrinks to {to}.",
    formula: &["new = desired = {to}"],
    operands: &[
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "spec.replicas of the Deployment", Desired),
    ],
};

/// Unhealthy old pods go first.
pub static OLD_UNHEALTHY: Rule = Rule {
    id: "deployment.old.unhealthy",
    upstream: Some("pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas"),
    section: None,
    sentence: "{replicaSet} shrinks from {from} to {to}: {unhealthy} of its pods are not available, and nobody misses those.",
    formula: &[
        "unavailable = wants − available = {from} − {available} = {unhealthy}",
        "may go = {budget}",
        "old = wants − min(unavailable, may go) = {to}",
    ],
    operands: &[
        marked("replicaSet", "the oldest ReplicaSet with pods that are not available", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "what it wants now", ReplicaSet),
        marked("available", "its status.availableReplicas", Available),
        operand("unhealthy", "wants − available"),
        operand(
            "budget",
            "Σ wants − minimum available − unavailable pods of the new ReplicaSet, less what went already",
        ),
    ],
};

/// Available old pods go as far as the minimum allows.
pub static OLD_DOWN: Rule = Rule {
    id: "deployment.old.down",
    upstream: Some("pkg/controller/deployment/rolling.go scaleDownOldReplicaSetsForRollingUpdate"),
    section: None,
    sentence: "{replicaSet} shrinks from {from} to {to}: {available} pods are available, {minAvailable} must be, so {budget} may go.",
    formula: &[
        "may go = available − minimum available = {available} − {minAvailable} = {budget}",
        "old = wants − min(wants, may go) = {to}",
    ],
    operands: &[
        marked("replicaSet", "the oldest ReplicaSet with pods", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "what it wants now", ReplicaSet),
        marked("available", "sum of status.availableReplicas of all ReplicaSets", Available),
        marked("minAvailable", "spec.replicas − maxUnavailable", MinAvailable),
        operand("budget", "available − minimum available"),
    ],
};

/// No old pod may go yet.
pub static OLD_WAIT: Rule = Rule {
    id: "deployment.old.wait",
    upstream: Some("pkg/controller/deployment/rolling.go reconcileOldReplicaSets"),
    section: None,
    sentence: "No old pod may go yet: {wanted} wanted less {unavailable} new ones not available leave no more than the minimum of {minAvailable}.",
    formula: &[
        "may go = Σ wants − minimum available − unavailable new = {wanted} − {minAvailable} − {unavailable} ≤ 0",
    ],
    operands: &[
        marked("wanted", "sum of spec.replicas of all ReplicaSets", Total),
        marked("minAvailable", "spec.replicas − maxUnavailable", MinAvailable),
        operand("unavailable", "spec.replicas − status.availableReplicas of the new ReplicaSet"),
    ],
};

/// Recreate: the old pods all go.
pub static RECREATE_DOWN: Rule = Rule {
    id: "deployment.recreate.down",
    upstream: Some("pkg/controller/deployment/recreate.go scaleDownOldReplicaSetsForRecreate"),
    section: None,
    sentence: "Recreate: {replicaSet} shrinks from {from} to 0 before anything new is created.",
    formula: &["old = 0"],
    operands: &[marked("replicaSet", "an old ReplicaSet", ReplicaSet), marked("from", "its spec.replicas", ReplicaSet)],
};

/// Recreate without a policy waits for every old pod.
pub static RECREATE_WAIT: Rule = Rule {
    id: "deployment.recreate.wait",
    upstream: Some("pkg/controller/deployment/recreate.go oldPodsRunning"),
    section: None,
    sentence: "Recreate waits: {counted} old pods are counted and {running} have not ended, terminating ones included.",
    formula: &["wait while counted + not ended > 0"],
    operands: &[
        operand("counted", "sum of status.replicas of the old ReplicaSets"),
        marked("running", "pods of the old ReplicaSets that are neither Succeeded nor Failed", Total),
    ],
};

/// Recreate with TerminationStarted waits until the old pods terminate.
pub static RECREATE_WAIT_STARTED: Rule = Rule {
    id: "deployment.recreate.wait.started",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate waits: {counted} old pods have not begun to terminate yet.",
    formula: &["wait while counted > 0"],
    operands: &[operand("counted", "sum of status.replicas of the old ReplicaSets")],
};

/// Recreate with TerminationComplete waits until the old pods are gone.
pub static RECREATE_WAIT_COMPLETE: Rule = Rule {
    id: "deployment.recreate.wait.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate waits: {counted} old pods still run and {terminating} are terminating.",
    formula: &["wait while counted + terminating > 0"],
    operands: &[
        operand("counted", "sum of status.replicas of the old ReplicaSets"),
        marked("terminating", "sum of status.terminatingReplicas of the old ReplicaSets", Terminating),
    ],
};

/// Recreate: the new ReplicaSet gets its size.
pub static RECREATE_UP: Rule = Rule {
    id: "deployment.recreate.up",
    upstream: Some("pkg/controller/deployment/recreate.go scaleUpNewReplicaSetForRecreate"),
    section: None,
    sentence: "Recreate: no old pod is in the way, {replicaSet} goes from {from} to the desired {to}.",
    formula: &["new = desired = {to}"],
    operands: &[
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "spec.replicas of the Deployment", Desired),
    ],
};

/// Recreate under the complete rule: the new ReplicaSet grows as its own pods leave room.
pub static RECREATE_UP_COMPLETE: Rule = Rule {
    id: "deployment.recreate.up.complete",
    upstream: None,
    section: KEP_ROLLOUT,
    sentence: "Recreate: {replicaSet} may grow from {from} to {to}: of {desired} places its own pods take {taken}.",
    formula: &[
        "taken = max(wants, has) + terminating = {taken}",
        "new = wants + min(desired − wants, desired − taken) = {to}",
    ],
    operands: &[
        marked("replicaSet", "the ReplicaSet with the Deployment's pod template", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "what it may want now", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
        marked("taken", "max(spec.replicas, status.replicas) and status.terminatingReplicas of this ReplicaSet", Total),
    ],
};

/// One ReplicaSet is scaled to the Deployment's size.
pub static SCALE: Rule = Rule {
    id: "deployment.scale",
    upstream: Some("pkg/controller/deployment/sync.go scale"),
    section: None,
    sentence: "{replicaSet} is the only one to scale: it goes from {from} to the desired {to} at once.",
    formula: &["size = desired = {to}"],
    operands: &[
        marked("replicaSet", "the only ReplicaSet with pods, or the newest", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "spec.replicas of the Deployment", Desired),
    ],
};

/// One ReplicaSet grows under the complete rule.
pub static SCALE_COMPLETE: Rule = Rule {
    id: "deployment.scale.complete",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{replicaSet} grows from {from} to {to} of the desired {desired}: room for {room}, since {terminating} pods are terminating.",
    formula: &[
        "room = limit − Σ wants − terminating − surplus = {limit} − {wanted} − {terminating} − {surplus} = {room}",
        "size = min(desired, wants + room) = min({desired}, {from} + {room}) = {to}",
    ],
    operands: &[
        marked("replicaSet", "the only ReplicaSet with pods, or the newest", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("to", "what it may want now", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
        marked("limit", "spec.replicas + maxSurge", Limit),
        marked("wanted", "sum of spec.replicas of all ReplicaSets", Total),
        marked("terminating", "sum of status.terminatingReplicas of all ReplicaSets", Terminating),
        marked("surplus", "pods above spec.replicas that were not deleted yet, of each ReplicaSet", Total),
        operand("room", "what is left of the limit, not below 0"),
    ],
};

/// The new ReplicaSet is whole: the old ones go.
pub static SCALE_SATURATED: Rule = Rule {
    id: "deployment.scale.saturated",
    upstream: Some("pkg/controller/deployment/sync.go scale"),
    section: None,
    sentence: "The new ReplicaSet has all {desired} pods available: {replicaSet} goes from {from} to 0.",
    formula: &["old = 0"],
    operands: &[
        marked("replicaSet", "an old ReplicaSet", ReplicaSet),
        marked("from", "its spec.replicas", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
    ],
};

/// ReplicaSets are scaled in proportion.
pub static SCALE_PROPORTIONAL: Rule = Rule {
    id: "deployment.scale.proportional",
    upstream: Some("pkg/controller/deployment/sync.go scale"),
    section: None,
    sentence: "Scaling in the middle of a rollout: {replicaSet} goes from {from} to {to}, its share of {toAdd} to spread and {leftover} left over.",
    formula: &[
        "to spread = limit − Σ wants = {limit} − {wanted} = {toAdd}",
        "whole share = round(base × limit ÷ limit before) − wants = round({base} × {limit} ÷ {before}) − {from} = {wholeShare}",
        "share = {share}: the whole share, as far as it goes with {left} left",
        "size = wants + share + left over = {from} + {share} + {leftover} = {to}",
    ],
    operands: &[
        SCALED,
        SCALED_FROM,
        SCALED_TO,
        SCALED_LIMIT,
        SCALED_WANTED,
        TO_ADD,
        BASE,
        BEFORE,
        RATIO,
        WHOLE_SHARE,
        LEFT,
        SHARE,
        LEFTOVER,
    ],
};

/// A part of the proportional scaling, under the complete rule.
pub static SCALE_PARTIAL: Rule = Rule {
    id: "deployment.scale.partial",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{replicaSet} goes from {from} to {to} for now and is owed {owed}: terminating pods leave room for {room} of {toAdd}.",
    formula: &[
        "to spread = limit − Σ wants = {limit} − {wanted} = {toAdd}",
        "room = to spread − terminating − surplus = {toAdd} − {terminating} − {surplus} = {room}, not below 0",
        "whole share = round(base × limit ÷ limit before) − wants = round({base} × {limit} ÷ {before}) − {from} = {wholeShare}, ratio {ratio}",
        "share = min(whole share, left) = min({wholeShare}, {left}) = {share}",
        "size = wants + share + left over = {from} + {share} + {leftover} = {to}",
        "owed = whole size − size = {full} − {to} = {owed}",
    ],
    operands: &[
        SCALED,
        SCALED_FROM,
        SCALED_TO,
        SCALED_LIMIT,
        SCALED_WANTED,
        TO_ADD,
        marked("terminating", "sum of status.terminatingReplicas of all ReplicaSets", Terminating),
        marked("surplus", "pods above spec.replicas that were not deleted yet, of each ReplicaSet", Total),
        operand("room", "what may be added now, not below 0"),
        BASE,
        BEFORE,
        RATIO,
        WHOLE_SHARE,
        LEFT,
        SHARE,
        LEFTOVER,
        operand("full", "its size once the scaling is finished, what is left over included"),
        operand("owed", "its whole size − its size now"),
    ],
};

const SCALED: Operand = marked("replicaSet", "a ReplicaSet with pods, the biggest first", ReplicaSet);
const SCALED_FROM: Operand = marked("from", "its spec.replicas", ReplicaSet);
const SCALED_TO: Operand = marked("to", "what it wants now", ReplicaSet);
const SCALED_LIMIT: Operand = marked("limit", "spec.replicas + maxSurge, 0 when spec.replicas is 0", Limit);
const SCALED_WANTED: Operand = marked("wanted", "sum of spec.replicas of the ReplicaSets with pods", Total);
const TO_ADD: Operand = operand("toAdd", "limit − wanted");
const BASE: Operand =
    operand("base", "its spec.replicas when the scaling began: annotation replicaset-replicas-before-scale, else now");
const BEFORE: Operand =
    operand("before", "the limit before: annotation deployment.kubernetes.io/max-replicas, else status.replicas");
const RATIO: Operand = operand("ratio", "limit ÷ limit before");
const WHOLE_SHARE: Operand = operand("wholeShare", "what it lacks of base × ratio; the wrong sign counts as 0");
const LEFT: Operand = operand("left", "what the ReplicaSets before it have left");
const SHARE: Operand = operand("share", "its whole share, but not more than was left");
const LEFTOVER: Operand = operand("leftover", "what is left over after all shares; the first ReplicaSet gets it");

/// Only the annotations of a ReplicaSet are brought up to date.
pub static SCALE_ANNOTATIONS: Rule = Rule {
    id: "deployment.scale.annotations",
    upstream: Some("pkg/controller/deployment/sync.go scaleReplicaSet"),
    section: None,
    sentence: "{replicaSet} keeps its {size} pods; its annotations now say {desired} desired and {limit} at most.",
    formula: &[],
    operands: &[
        marked("replicaSet", "a ReplicaSet with pods", ReplicaSet),
        marked("size", "its spec.replicas", ReplicaSet),
        marked("desired", "spec.replicas of the Deployment", Desired),
        marked("limit", "spec.replicas + maxSurge", Limit),
    ],
};

/// A count of terminating pods is missing.
pub static TERMINATING_UNKNOWN: Rule = Rule {
    id: "deployment.terminating-unknown",
    upstream: None,
    section: KEP_SCALING,
    sentence: "{replicaSet} does not say how many of its pods are terminating: nothing grows until it does.",
    formula: &[],
    operands: &[marked("replicaSet", "a ReplicaSet whose status lacks terminatingReplicas", ReplicaSet)],
};

/// An old ReplicaSet beyond the history limit is deleted.
pub static CLEANUP: Rule = Rule {
    id: "deployment.cleanup",
    upstream: Some("pkg/controller/deployment/sync.go cleanupDeployment"),
    section: None,
    sentence: "{old} old ReplicaSets are kept and the history limit is {limit}: {replicaSet}, the lowest revision, is deleted.",
    formula: &["to delete = old − limit = {old} − {limit}"],
    operands: &[
        marked("replicaSet", "the old ReplicaSet with the lowest revision, without pods", ReplicaSet),
        operand("old", "old ReplicaSets that are not being deleted"),
        operand("limit", "spec.revisionHistoryLimit"),
    ],
};

/// The Deployment's template goes back to that of an older revision.
pub static ROLLBACK: Rule = Rule {
    id: "deployment.rollback",
    upstream: Some("pkg/controller/deployment/rollback.go rollback"),
    section: None,
    sentence: "The rollback annotation of Deployment {deployment} is carried out and removed; it asked for revision {revision}.",
    formula: &[],
    operands: &[
        operand("deployment", "the Deployment"),
        operand("revision", "annotation deprecated.deployment.rollback.to, 0: the one before"),
    ],
};

/// The status follows the ReplicaSets.
pub static STATUS: Rule = Rule {
    id: "deployment.status",
    upstream: Some("pkg/controller/deployment/sync.go calculateStatus"),
    section: None,
    sentence: "Deployment {deployment} counts its ReplicaSets: {replicas} pods, {updated} new, {ready} ready, {available} available.",
    formula: &[],
    operands: STATUS_COUNTS,
};

/// The rollout is complete.
pub static COMPLETE: Rule = Rule {
    id: "deployment.complete",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go DeploymentComplete"),
    section: None,
    sentence: "The rollout of Deployment {deployment} is complete: {replicas} pods, all {updated} new and {available} available.",
    formula: &["new = all = available = desired = {replicas}"],
    operands: STATUS_COUNTS,
};

/// The rollout is complete, and no pod is terminating any more.
pub static COMPLETE_COMPLETE: Rule = Rule {
    id: "deployment.complete.complete",
    upstream: None,
    section: KEP_PROGRESS,
    sentence: "The rollout of Deployment {deployment} is complete: {replicas} pods, all {updated} new and {available} available, none terminating.",
    formula: &["new = all = available = desired = {replicas}", "terminating = 0"],
    operands: STATUS_COUNTS,
};

/// The rollout has moved on.
pub static PROGRESSING: Rule = Rule {
    id: "deployment.progressing",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go DeploymentProgressing"),
    section: None,
    sentence: "Deployment {deployment} makes progress: {replicas} pods, {updated} new, {ready} ready, {available} available. The deadline starts again.",
    formula: &[],
    operands: STATUS_COUNTS,
};

/// The rollout is stuck.
pub static TIMED_OUT: Rule = Rule {
    id: "deployment.timed-out",
    upstream: Some("pkg/controller/deployment/util/deployment_util.go DeploymentTimedOut"),
    section: None,
    sentence: "Deployment {deployment} made no progress for its deadline: {replicas} pods, {updated} new, {ready} ready, {available} available.",
    formula: &[],
    operands: STATUS_COUNTS,
};

const STATUS_COUNTS: &[Operand] = &[
    operand("deployment", "the Deployment"),
    marked("replicas", "sum of status.replicas of all ReplicaSets", Total),
    operand("updated", "status.replicas of the new ReplicaSet"),
    operand("ready", "sum of status.readyReplicas"),
    marked("available", "sum of status.availableReplicas", Available),
];

/// The Progressing condition says that the Deployment is paused.
pub static PAUSED: Rule = Rule {
    id: "deployment.paused",
    upstream: Some("pkg/controller/deployment/sync.go checkPausedConditions"),
    section: None,
    sentence: "Deployment {deployment} is paused: its Progressing condition becomes Unknown, and no deadline runs.",
    formula: &[],
    operands: &[operand("deployment", "spec.paused of the Deployment")],
};

/// The Progressing condition says that the Deployment goes on.
pub static RESUMED: Rule = Rule {
    id: "deployment.resumed",
    upstream: Some("pkg/controller/deployment/sync.go checkPausedConditions"),
    section: None,
    sentence: "Deployment {deployment} is resumed: the deadline starts again.",
    formula: &[],
    operands: &[operand("deployment", "spec.paused of the Deployment")],
};

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[
    &ADOPT,
    &RELEASE,
    &SELECTING_ALL,
    &CREATE,
    &CREATE_COMPLETE,
    &CREATE_RECREATE,
    &COLLISION,
    &CREATE_FAILED,
    &SYNC_NEW,
    &REVISION,
    &NEW_UP,
    &NEW_UP_COMPLETE,
    &NEW_WAIT,
    &NEW_WAIT_COMPLETE,
    &NEW_DOWN,
    &OLD_UNHEALTHY,
    &OLD_DOWN,
    &OLD_WAIT,
    &RECREATE_DOWN,
    &RECREATE_WAIT,
    &RECREATE_WAIT_STARTED,
    &RECREATE_WAIT_COMPLETE,
    &RECREATE_UP,
    &RECREATE_UP_COMPLETE,
    &SCALE,
    &SCALE_COMPLETE,
    &SCALE_SATURATED,
    &SCALE_PROPORTIONAL,
    &SCALE_PARTIAL,
    &SCALE_ANNOTATIONS,
    &TERMINATING_UNKNOWN,
    &CLEANUP,
    &ROLLBACK,
    &STATUS,
    &COMPLETE,
    &COMPLETE_COMPLETE,
    &PROGRESSING,
    &TIMED_OUT,
    &PAUSED,
    &RESUMED,
];
