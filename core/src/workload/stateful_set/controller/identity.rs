//! Ordinals, names, labels and volumes: what makes a pod the one with its number.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::collect_tree::CollectTree;
use crate::controller::pod_control::get_pod_from_template;
use crate::object::unstructured::{at, string};
use crate::object::{IntOrString, Kind, ObjectMeta, OwnerReference, Pod, PodPhase, PodSpecFields, Rounding};
use crate::workload::stateful_set::{
    ClaimTemplate, POD_INDEX_LABEL, STATEFUL_SET_POD_NAME_LABEL, STATEFUL_SET_REVISION_LABEL, StatefulSet,
    UpdateStrategyType,
};

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getParentNameAndOrdinal`
fn get_parent_name_and_ordinal(pod_name: &str) -> (&str, Option<i32>) {
    let numbered = pod_name
        .rsplit_once('-')
        .filter(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
    numbered.map_or(("", None), |(parent, number)| (parent, number.parse().ok()))
}

/// The pod's ordinal; none if its name has none.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getOrdinal`
pub fn get_ordinal(pod: &Pod) -> Option<i32> {
    get_parent_name_and_ordinal(&pod.metadata.name).1
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go isMemberOf`
pub(super) fn is_member_of(set: &StatefulSet, pod: &Pod) -> bool {
    get_parent_name_and_ordinal(&pod.metadata.name).0 == &*set.metadata.name
}

/// The position of an ordinal among the replicas; none outside of their range.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go podInOrdinalRange`
pub(super) fn index_in_range(set: &StatefulSet, ordinal: i32) -> Option<usize> {
    let index = i64::from(ordinal).saturating_sub(set.start_ordinal().into());
    if index >= set.spec.replicas.into() { None } else { usize::try_from(index).ok() }
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go podInOrdinalRange`
pub(super) fn pod_in_ordinal_range(pod: &Pod, set: &StatefulSet) -> bool {
    get_ordinal(pod).is_some_and(|ordinal| index_in_range(set, ordinal).is_some())
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getPodName`
fn get_pod_name(set: &StatefulSet, ordinal: i64) -> String {
    format!("{}-{ordinal}", set.metadata.name)
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go identityMatches`
pub(super) fn identity_matches(set: &StatefulSet, pod: &Pod) -> bool {
    let (parent, ordinal) = get_parent_name_and_ordinal(&pod.metadata.name);
    let name = &pod.metadata.name;
    ordinal.is_some_and(|ordinal| get_pod_name(set, ordinal.into()) == **name)
        && parent == &*set.metadata.name
        && pod.metadata.namespace == set.metadata.namespace
        && pod.metadata.labels.get(STATEFUL_SET_POD_NAME_LABEL).is_some_and(|label| **label == **name)
}

fn volumes(pod: &Pod) -> &[Value] {
    pod.spec.fields.unknown.get("volumes").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getPersistentVolumeClaimName`
pub(super) fn get_persistent_volume_claim_name(set: &StatefulSet, claim: &ClaimTemplate, ordinal: i32) -> String {
    format!("{}-{}-{ordinal}", claim.metadata.name, set.metadata.name)
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go storageMatches`
pub(super) fn storage_matches(set: &StatefulSet, pod: &Pod) -> bool {
    let Some(ordinal) = get_ordinal(pod) else { return false };
    let volumes: BTreeMap<&str, &Value> =
        volumes(pod).iter().map(|volume| (string(volume, "name"), volume)).collect_tree();
    set.spec.volume_claim_templates.iter().all(|claim| {
        let name = get_persistent_volume_claim_name(set, claim, ordinal);
        let claim_name = volumes
            .get(&*claim.metadata.name)
            .and_then(|volume| at(volume, &["persistentVolumeClaim", "claimName"]).and_then(Value::as_str));
        claim_name == Some(&*name)
    })
}

/// The volumes of the claims come first, by name: upstream's order is that of a Go map.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go updateStorage`
pub(super) fn update_storage(set: &StatefulSet, pod: &mut Pod) {
    let ordinal = get_ordinal(pod).unwrap_or(-1);
    let templates = &set.spec.volume_claim_templates;
    let names: BTreeMap<&str, String> = templates
        .iter()
        .map(|claim| (&*claim.metadata.name, get_persistent_volume_claim_name(set, claim, ordinal)))
        .collect_tree();
    let mut new_volumes: Vec<Value> = names
        .iter()
        .map(|(name, claim)| json!({ "name": name, "persistentVolumeClaim": { "claimName": claim } }))
        .collect();
    let kept = volumes(pod).iter().filter(|volume| !names.contains_key(string(volume, "name")));
    new_volumes.extend(kept.cloned());
    if !new_volumes.is_empty() {
        set_field(pod, "volumes", new_volumes);
    }
}

fn set_field(pod: &mut Pod, name: &str, value: impl Into<Value>) {
    let fields: &mut PodSpecFields = Rc::make_mut(&mut pod.spec.fields);
    fields.unknown = fields.unknown.with(name, value);
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go updateIdentity`
pub(super) fn update_identity(set: &StatefulSet, pod: &mut Pod) {
    let ordinal = get_ordinal(pod).map_or(-1, i64::from);
    let name: Rc<str> = get_pod_name(set, ordinal).into();
    let metadata: &mut ObjectMeta = Rc::make_mut(&mut pod.metadata);
    metadata.namespace = set.metadata.namespace.clone();
    let labels = Rc::make_mut(&mut metadata.labels);
    labels.insert(STATEFUL_SET_POD_NAME_LABEL.into(), (*name).into());
    labels.insert(POD_INDEX_LABEL.into(), format!("{ordinal}"));
    metadata.name = name;
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go isRunningAndReady`
pub(super) fn is_running_and_ready(pod: &Pod) -> bool {
    pod.status.phase == PodPhase::Running && pod.is_ready()
}

/// The name of the revision that the pod was made from; empty if it has none.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getPodRevision`
pub fn get_pod_revision(pod: &Pod) -> &str {
    pod.metadata.labels.get(STATEFUL_SET_REVISION_LABEL).map_or("", String::as_str)
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go newStatefulSetPod`
fn new_stateful_set_pod(set: &StatefulSet, ordinal: i64, revision: &str) -> Pod {
    let owner = OwnerReference::controller(Kind::StatefulSet.api_version(), Kind::StatefulSet.name(), &set.metadata);
    let mut pod = get_pod_from_template(&set.spec.template, &set.metadata, owner);
    Rc::make_mut(&mut pod.metadata).name = get_pod_name(set, ordinal).into();
    update_identity(set, &mut pod);
    let name = Value::from(&*pod.metadata.name);
    set_field(&mut pod, "hostname", name);
    if !set.spec.service_name.is_empty() {
        set_field(&mut pod, "subdomain", &*set.spec.service_name);
    }
    update_storage(set, &mut pod);
    let metadata: &mut ObjectMeta = Rc::make_mut(&mut pod.metadata);
    Rc::make_mut(&mut metadata.labels).insert(STATEFUL_SET_REVISION_LABEL.into(), revision.into());
    pod
}

/// The first ordinal that is not created at the current revision.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go newVersionedStatefulSetPod`, its condition
pub(crate) fn first_updated_ordinal(set: &StatefulSet) -> i64 {
    let strategy = &set.spec.update_strategy;
    let kept = match &strategy.rolling_update {
        None if strategy.type_ == UpdateStrategyType::RollingUpdate => set.status.current_replicas,
        None => return i64::MIN,
        Some(rolling_update) => rolling_update.partition.unwrap_or(0),
    };
    i64::from(set.start_ordinal()).saturating_add(kept.into())
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go newVersionedStatefulSetPod`
pub(super) fn new_versioned_stateful_set_pod(
    current_set: &StatefulSet,
    update_set: &StatefulSet,
    current_revision: &str,
    update_revision: &str,
    ordinal: i64,
) -> Pod {
    if ordinal < first_updated_ordinal(current_set) {
        new_stateful_set_pod(current_set, ordinal, current_revision)
    } else {
        new_stateful_set_pod(update_set, ordinal, update_revision)
    }
}

/// How many pods may be unavailable: at least 1, percentages of the replicas rounded down.
///
/// # Errors
/// The text of upstream's error, where the string is not a percentage.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getStatefulSetMaxUnavailable`
pub(crate) fn get_stateful_set_max_unavailable(
    max_unavailable: Option<&IntOrString>,
    replica_count: i32,
) -> Result<i64, String> {
    let scaled = max_unavailable.map_or(Ok(1), |value| value.scaled(replica_count, Rounding::Down))?;
    Ok(scaled.max(1))
}

#[cfg(test)]
mod tests {
    use super::get_parent_name_and_ordinal;

    #[test]
    fn a_name_ends_with_its_ordinal() {
        for (name, parent, ordinal) in [
            ("web-0", "web", Some(0)),
            ("web-01", "web", Some(1)),
            ("web-1-20", "web-1", Some(20)),
            ("web-2147483648", "web", None),
            ("web", "", None),
            ("web-", "", None),
            ("web-x", "", None),
            ("-7", "", Some(7)),
        ] {
            assert_eq!(get_parent_name_and_ordinal(name), (parent, ordinal), "{name}");
        }
    }
}
