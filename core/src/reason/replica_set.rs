//! What the ReplicaSet controller decides.

use super::Mark::{Available, ReplicaSet, Terminating, Total};
use super::{Rule, marked, operand};

/// A pod is missing.
pub static CREATE: Rule = Rule {
    id: "replicaset.create",
    upstream: Some("pkg/controller/replicaset/replica_set.go manageReplicas"),
    section: None,
    sentence: "{replicaSet} wants {wanted} pods and has {active}, so it creates {missing}. Terminating pods are not counted.",
    formula: &["missing = wants − has = {wanted} − {active} = {missing}"],
    operands: &[
        marked("replicaSet", "the ReplicaSet", ReplicaSet),
        marked("wanted", "its spec.replicas", ReplicaSet),
        marked("active", "its pods that neither ended nor terminate", Total),
        operand("missing", "the difference, at most 500 at once"),
    ],
};

/// A pod is too many.
pub static DELETE: Rule = Rule {
    id: "replicaset.delete",
    upstream: Some("pkg/controller/controller_utils.go ActivePodsWithRanks"),
    section: Some("KEP-2255, Design Details"),
    sentence: "{replicaSet} wants {wanted} pods and has {active}: {pod} goes, {why}.",
    formula: &["surplus = has − wants = {active} − {wanted}"],
    operands: &[
        marked("replicaSet", "the ReplicaSet", ReplicaSet),
        marked("wanted", "its spec.replicas", ReplicaSet),
        marked("active", "its pods that neither ended nor terminate", Total),
        operand("pod", "the first in the order of deletion"),
        operand("why", "the comparison with the first pod that stays"),
    ],
};

/// A pod without an owner is taken over.
pub static ADOPT: Rule = Rule {
    id: "replicaset.adopt",
    upstream: Some("pkg/controller/controller_ref_manager.go AdoptPod"),
    section: None,
    sentence: "{pod} has no controller and its labels match: {replicaSet} adopts it.",
    formula: &[],
    operands: &[
        operand("pod", "a pod without a controller"),
        marked("replicaSet", "the ReplicaSet whose selector matches its labels", ReplicaSet),
    ],
};

/// A pod that no longer matches is let go.
pub static RELEASE: Rule = Rule {
    id: "replicaset.release",
    upstream: Some("pkg/controller/controller_ref_manager.go ReleasePod"),
    section: None,
    sentence: "The labels of {pod} no longer match the selector: {replicaSet} lets it go and will replace it.",
    formula: &[],
    operands: &[operand("pod", "a pod of the ReplicaSet"), marked("replicaSet", "its owner", ReplicaSet)],
};

/// The status follows the pods.
pub static STATUS: Rule = Rule {
    id: "replicaset.status",
    upstream: Some("pkg/controller/replicaset/replica_set_utils.go calculateStatus"),
    section: None,
    sentence: "{replicaSet} counts its pods: {replicas} there, {ready} ready, {available} available, {terminating} terminating.",
    formula: &[],
    operands: &[
        marked("replicaSet", "the ReplicaSet", ReplicaSet),
        marked("replicas", "pods that neither ended nor terminate", Total),
        operand("ready", "pods whose Ready condition is True"),
        marked("available", "pods ready for minReadySeconds", Available),
        marked(
            "terminating",
            "pods with a deletionTimestamp that have not ended; unknown with the gate off",
            Terminating,
        ),
    ],
};

/// All rules of this file.
pub(super) static ALL: &[&Rule] = &[&CREATE, &DELETE, &ADOPT, &RELEASE, &STATUS];
