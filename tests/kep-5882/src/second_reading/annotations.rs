//! The annotations that scaling leaves on ReplicaSets: how they are read, written, and excluded from copying.

use super::numbers::{deployment_max_replicas, int32};
use crate::world::{ReplicaSet, World};

/// The annotation that the KEP adds.
pub const REPLICAS_BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";

/// A number from zero to the largest int32, in decimal digits.
///
/// Today: `getNonNegativeInt32FromAnnotation` (deployment_util.go).
pub fn non_negative_int32(text: Option<&String>) -> Option<i64> {
    let text = text?;
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse::<i32>().ok().map(i64::from)
}

/// Today: `strconv.Atoi` and then `int32` in `IsSaturated` (deployment_util.go), which allows a sign and wraps.
pub fn wrapped_int32(text: Option<&String>) -> Option<i64> {
    text?.parse::<i64>().ok().map(int32)
}

/// Writes a size that finishes the ReplicaSet's scaling, or that a rollout chose. Returns true if the size changed.
///
/// Today: `scaleReplicaSet` and `SetReplicasAnnotations` with `forceUpdate` set.
///
/// KEP: "This annotation will be removed once the partial scaling is complete. This annotation will be added and
/// managed by the deployment controller." While the gate is off, the controller doesn't know the annotation and leaves
/// it alone.
pub fn write_whole(world: &World, set: &mut ReplicaSet, size: i64) -> bool {
    let scaled = set.replicas != size;
    set.replicas = size;
    set.annotations.desired = Some(world.replicas.to_string());
    set.annotations.max = Some(deployment_max_replicas(world).to_string());
    if world.gates.allow_policy() {
        set.annotations.before = None;
    }
    scaled
}

/// Writes a size only if it differs from the current one. Returns true if it does.
///
/// Today: `scaleReplicaSet` (sync.go) without `forceUpdate`: "it will only act when the replicas where changed."
pub fn write_if_resized(world: &World, set: &mut ReplicaSet, size: i64) -> bool {
    set.replicas != size && write_whole(world, set, size)
}

/// Writes a size that is one step of a partial scaling.
///
/// KEP: "we need to keep the old Deployment max replicas value in the annotation until the partial scale for a
/// ReplicaSet is complete." "`deployment.kubernetes.io/replicaset-replicas-before-scale`, which will be added to the
/// Deployment's ReplicaSets that are being partially scaled." And of `desired-replicas` too: "So their annotations
/// still point to the T1 state."
pub fn write_part(set: &mut ReplicaSet, size: i64) {
    if non_negative_int32(set.annotations.before.as_ref()).is_none() {
        set.annotations.before = Some(set.replicas.to_string());
    }
    set.replicas = size;
}

/// True if an annotation is not copied between a Deployment and its ReplicaSets.
///
/// Today: `annotationsToSkip` (deployment_util.go).
///
/// KEP: "The deployment controller then synchronizes Deployment annotations back to the ReplicaSet. This is done by the
/// Deployment controller, which will ignore this new annotations if the feature gate is on." The KEP also says "we have
/// to remove" the annotation "from annotationsToSkip", "similar to deployment.kubernetes.io/max-replicas". That one is
/// in the list, so this reads as "add it to".
pub fn is_skipped(key: &str, policy_gate: bool) -> bool {
    let today = [
        "kubectl.kubernetes.io/last-applied-configuration",
        "deployment.kubernetes.io/revision",
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to",
    ];
    today.contains(&key) || (policy_gate && key == REPLICAS_BEFORE_SCALE)
}

#[cfg(test)]
mod tests {
    use super::{REPLICAS_BEFORE_SCALE, is_skipped, non_negative_int32, wrapped_int32};

    #[test]
    fn numbers_are_read_as_go_reads_them() {
        let cases = [
            ("", None, None),
            ("x", None, None),
            (" 3", None, None),
            ("0", Some(0), Some(0)),
            ("007", Some(7), Some(7)),
            ("+2", None, Some(2)),
            ("-1", None, Some(-1)),
            ("2147483647", Some(2_147_483_647), Some(2_147_483_647)),
            ("2147483648", None, Some(-2_147_483_648)),
            ("4294967298", None, Some(2)),
            ("12345678901234567890", None, None),
        ];
        for (text, plain, wrapped) in cases {
            let annotation = text.to_owned();
            assert_eq!(non_negative_int32(Some(&annotation)), plain, "{text:?}");
            assert_eq!(wrapped_int32(Some(&annotation)), wrapped, "{text:?}");
        }
        assert_eq!(non_negative_int32(None), None);
    }

    #[test]
    fn the_new_annotation_is_skipped_while_the_gate_is_on() {
        assert!(is_skipped("deployment.kubernetes.io/max-replicas", false));
        assert!(is_skipped(REPLICAS_BEFORE_SCALE, true));
        assert!(!is_skipped(REPLICAS_BEFORE_SCALE, false));
        assert!(!is_skipped("example.com/owner", true));
    }
}
