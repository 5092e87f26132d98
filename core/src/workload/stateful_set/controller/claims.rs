//! The claims of a pod: their names, and who owns them.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::identity::{get_ordinal, get_persistent_volume_claim_name, pod_in_ordinal_range};
use crate::collect_tree::CollectTree;
use crate::json::decode;
use crate::object::{
    Kind, ObjectKey, ObjectMeta, OwnerReference, PersistentVolumeClaim, PersistentVolumeClaimStatus, Pod,
};
use crate::workload::stateful_set::decision::ClaimFate;
use crate::workload::stateful_set::{ClaimRetention, ClaimRetentionPolicy, ClaimTemplate, StatefulSet};

/// The key of a claim of a pod.
pub(super) fn claim_key(set: &StatefulSet, claim: &ClaimTemplate, pod: &Pod) -> ObjectKey {
    let name = get_persistent_volume_claim_name(set, claim, get_ordinal(pod).unwrap_or(-1));
    ObjectKey::new(Kind::PersistentVolumeClaim, set.metadata.namespace.clone(), name)
}

/// The claims of a pod, by the names of their templates: upstream's order is that of a Go map.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getPersistentVolumeClaims`
pub(super) fn get_persistent_volume_claims(set: &StatefulSet, pod: &Pod) -> Vec<PersistentVolumeClaim> {
    let match_labels = set.spec.selector.as_deref().map(|selector| &selector.match_labels);
    let claims: BTreeMap<&str, PersistentVolumeClaim> = set
        .spec
        .volume_claim_templates
        .iter()
        .map(|template| {
            let key = claim_key(set, template, pod);
            let mut metadata = template.metadata.clone();
            (metadata.name, metadata.namespace) = (key.name, key.namespace);
            let labels = Rc::make_mut(&mut metadata.labels);
            for (label, value) in match_labels.into_iter().flat_map(|labels| labels.iter()) {
                labels.insert(label.clone(), value.clone());
            }
            let spec = template.unknown.get("spec").and_then(|spec| decode(spec, "spec").ok()).unwrap_or_default();
            let status = PersistentVolumeClaimStatus::default();
            (&*template.metadata.name, PersistentVolumeClaim { metadata: Rc::new(metadata), spec, status })
        })
        .collect_tree();
    claims.into_values().collect()
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go matchesRef`
fn matches_ref(reference: &OwnerReference, object: &ObjectMeta, kind: Kind) -> bool {
    *reference.api_version == *kind.api_version() && *reference.kind == *kind.name() && reference.name == object.name
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go hasUnexpectedController`
pub(super) fn has_unexpected_controller(claim: &PersistentVolumeClaim, set: &StatefulSet, pod: &Pod) -> bool {
    if set.claim_retention_policy() == ClaimRetentionPolicy::default() {
        return false;
    }
    claim.metadata.owner_references.iter().any(|owner| {
        for (object, kind) in [(&set.metadata, Kind::StatefulSet), (&pod.metadata, Kind::Pod)] {
            if matches_ref(owner, object, kind) {
                return owner.uid != object.uid;
            }
        }
        owner.controller == Some(true)
    })
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go hasNonControllerOwner`
fn has_non_controller_owner(claim: &PersistentVolumeClaim, set: &StatefulSet, pod: &Pod) -> bool {
    claim
        .metadata
        .owner_references
        .iter()
        .any(|owner| (owner.uid == set.metadata.uid || owner.uid == pod.metadata.uid) && owner.controller != Some(true))
}

/// What the policy wants of a pod's claims.
fn fate(set: &StatefulSet, pod: &Pod) -> ClaimFate {
    let ClaimRetentionPolicy { when_deleted, when_scaled } = set.claim_retention_policy();
    match (when_scaled, when_deleted) {
        (ClaimRetention::Retain, ClaimRetention::Retain) => ClaimFate::Stays,
        (ClaimRetention::Retain, ClaimRetention::Delete) => ClaimFate::GoesWithSet,
        (ClaimRetention::Delete, _) if !pod_in_ordinal_range(pod, set) => ClaimFate::GoesWithPod,
        (ClaimRetention::Delete, ClaimRetention::Delete) => ClaimFate::GoesWithSet,
        (ClaimRetention::Delete, ClaimRetention::Retain) => ClaimFate::Stays,
    }
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go isClaimOwnerUpToDate`
pub(super) fn is_claim_owner_up_to_date(claim: &PersistentVolumeClaim, set: &StatefulSet, pod: &Pod) -> bool {
    if has_stale_owner_ref(claim, &set.metadata, Kind::StatefulSet)
        || has_stale_owner_ref(claim, &pod.metadata, Kind::Pod)
    {
        // A former object of that name owns it.
        return true;
    }
    let has_set = has_owner_ref(claim, &set.metadata);
    let has_pod = has_owner_ref(claim, &pod.metadata);
    if has_unexpected_controller(claim, set, pod) {
        return !has_set && !has_pod;
    }
    if has_non_controller_owner(claim, set, pod) {
        return false;
    }
    match fate(set, pod) {
        ClaimFate::Stays => !has_set && !has_pod,
        ClaimFate::GoesWithSet => has_set && !has_pod,
        ClaimFate::GoesWithPod => !has_set && has_pod,
    }
}

/// The claim with the owners that the policy wants, and what becomes of it.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go updateClaimOwnerRefForSetAndPod`
pub(super) fn update_claim_owner_ref_for_set_and_pod(
    claim: &PersistentVolumeClaim,
    set: &StatefulSet,
    pod: &Pod,
) -> (PersistentVolumeClaim, ClaimFate) {
    let has_other_controller = has_unexpected_controller(claim, set, pod);
    let mut claim = claim.clone();
    let metadata: &mut ObjectMeta = Rc::make_mut(&mut claim.metadata);
    let owners: &mut Vec<OwnerReference> = Rc::make_mut(&mut metadata.owner_references);
    owners.retain(|owner| {
        !matches_ref(owner, &set.metadata, Kind::StatefulSet) && !matches_ref(owner, &pod.metadata, Kind::Pod)
    });
    let fate = if has_other_controller { ClaimFate::Stays } else { fate(set, pod) };
    let owner = match fate {
        ClaimFate::Stays => None,
        ClaimFate::GoesWithSet => Some((&set.metadata, Kind::StatefulSet)),
        ClaimFate::GoesWithPod => Some((&pod.metadata, Kind::Pod)),
    };
    if let Some((object, kind)) = owner
        && !owners.iter().any(|owner| owner.uid == object.uid)
    {
        owners.push(OwnerReference::controller(kind.api_version(), kind.name(), object));
    }
    (claim, fate)
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go hasOwnerRef`
fn has_owner_ref(claim: &PersistentVolumeClaim, owner: &ObjectMeta) -> bool {
    claim.metadata.owner_references.iter().any(|reference| reference.uid == owner.uid)
}

/// Whether the claim belongs to a former object of that name.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go hasStaleOwnerRef`
pub(super) fn has_stale_owner_ref(claim: &PersistentVolumeClaim, object: &ObjectMeta, kind: Kind) -> bool {
    let reference = claim.metadata.owner_references.iter().find(|reference| matches_ref(reference, object, kind));
    reference.is_some_and(|reference| reference.uid != object.uid)
}
