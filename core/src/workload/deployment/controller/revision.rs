//! The new ReplicaSet: found or created, with its revision and annotations.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::condition::{
    FAILURE_STATUS, PROGRESSING, get_deployment_condition, new_deployment_condition, reason as why,
    set_deployment_condition,
};
use super::template::{all_but, equal_ignore_hash, find_new_replica_set};
use super::util::{
    DESIRED_REPLICAS, MAX_REPLICAS, REPLICAS_BEFORE_SCALE, REVISION_HISTORY, ReplicaSets, has_progress_deadline,
    max_replicas, new_rs_new_replicas, progress_deadline, set_replicas_annotations,
};
use super::writes::{create_replica_set, update_deployment_status, update_replica_set};
use crate::controller::client::record;
use crate::controller::hash::compute_hash;
use crate::controller::{ApiError, Client, Error, Event};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{
    ConditionStatus, Kind, LabelSelector, Object, ObjectMeta, OwnerReference, PodTemplateSpec, Strings, annotations_mut,
};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::decision::Decision;
use crate::workload::replica_set::{POD_TEMPLATE_HASH, REVISION, ReplicaSet, ReplicaSetSpec};

/// The annotation that asks for a rollback.
pub(super) const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Upstream: `pkg/controller/deployment/sync.go maxRevHistoryLengthInChars`
const MAX_REVISION_HISTORY: usize = 2000;

/// The new ReplicaSet, and all old ones.
pub(super) type NewAndOld = (Rc<ReplicaSet>, ReplicaSets);

/// The new ReplicaSet (if there is one) and all old ones, with the revisions brought up to date:
///
/// 1. The new ReplicaSet gets the highest revision of the old ones + 1, if its own is lower.
/// 2. The Deployment takes over the revision of the new ReplicaSet: in the next sync, if the first step wrote anything.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/sync.go getAllReplicaSetsAndSyncRevision`, where it creates none
pub(super) fn get_all_replica_sets_and_sync_revision(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
) -> Result<(Option<Rc<ReplicaSet>>, ReplicaSets), Error> {
    let existing = find_new_replica_set(deployment, replica_sets);
    let old = all_but(existing, replica_sets);
    let new = existing.map(|existing| sync_existing(client, deployment, existing, &old)).transpose()?;
    Ok((new, old))
}

/// As [`get_all_replica_sets_and_sync_revision`], but a new ReplicaSet that is not there is created.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/sync.go getAllReplicaSetsAndSyncRevision`, where it creates the new one
pub(super) fn get_or_create_all_replica_sets(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
) -> Result<NewAndOld, Error> {
    let existing = find_new_replica_set(deployment, replica_sets);
    let old = all_but(existing, replica_sets);
    let new = match existing {
        Some(existing) => sync_existing(client, deployment, existing, &old)?,
        None => create(client, deployment, &old)?,
    };
    Ok((new, old))
}

/// Upstream: `pkg/controller/deployment/sync.go getNewReplicaSet`, the part for a ReplicaSet that is there
fn sync_existing(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    existing: &Rc<ReplicaSet>,
    old: &[Rc<ReplicaSet>],
) -> Result<Rc<ReplicaSet>, Error> {
    let max_old_revision = max_revision(old);
    let new_revision = max_old_revision.wrapping_add(1);
    // Upstream's rsCopy; cloned only if something changes.
    let mut copy = existing.clone();
    let change = set_new_replica_set_annotations(deployment, &mut copy, new_revision, true, client.gates());
    let min_ready_seconds = (copy.spec.min_ready_seconds, deployment.spec.min_ready_seconds);
    let min_ready_seconds_needs_update = min_ready_seconds.0 != min_ready_seconds.1;
    if change != AnnotationChange::None || min_ready_seconds_needs_update {
        Rc::make_mut(&mut Rc::make_mut(&mut copy).spec).min_ready_seconds = deployment.spec.min_ready_seconds;
        let (name, replica_set) = (deployment.metadata.name.clone(), copy.metadata.name.clone());
        let revision = copy.metadata.annotation(REVISION).unwrap_or("none").into();
        let (before, seconds) = min_ready_seconds;
        let decision = match change {
            AnnotationChange::Revision => {
                Decision::SyncNewRevision { replica_set, revision, highest: max_old_revision }
            }
            _ if min_ready_seconds_needs_update => {
                Decision::NewMinReady { replica_set, deployment: name, before, seconds }
            }
            _ => Decision::NewAnnotations { replica_set, deployment: name, revision },
        };
        return Ok(update_replica_set(client, copy, decision)?);
    }
    // Not the new revision: the ReplicaSet may have a higher one.
    let revision = copy.metadata.annotation(REVISION).unwrap_or_default();
    // Without a Progressing condition, the deadline was probably added to a Deployment that was there: it starts now.
    let is_unwatched = get_deployment_condition(&deployment.status, PROGRESSING).is_none();
    if let Some(deadline) = progress_deadline(deployment).filter(|_| is_unwatched) {
        set_deployment_revision(deployment, revision);
        let message = alloc::format!("Found new replica set \"{}\"", copy.metadata.name);
        progressing(client, deployment, ConditionStatus::True, why::FOUND_NEW_RS, &message);
        let decision = Decision::Found {
            replica_set: copy.metadata.name.clone(),
            revision: revision.into(),
            deployment: deployment.metadata.name.clone(),
            deadline,
        };
        update_deployment_status(client, deployment, decision)?;
    } else {
        take_over_revision(client, deployment, revision, &copy)?;
    }
    // Beside a revision that is no number the copied annotations are not written, but go along with the next write.
    Ok(copy)
}

/// Upstream: `pkg/controller/deployment/sync.go getNewReplicaSet`, the part for a template that has no ReplicaSet yet
fn create(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    old: &[Rc<ReplicaSet>],
) -> Result<Rc<ReplicaSet>, Error> {
    let new_revision = max_revision(old).wrapping_add(1);
    let hash = compute_hash(&deployment.spec.template, deployment.status.collision_count);
    let mut new = Rc::new(new_replica_set(deployment, &hash));
    let mut all = old.to_vec();
    all.push(new.clone());
    let gates = client.gates();
    let size = new_rs_new_replicas(deployment, &all, &new, gates).map_err(|error| error.report(client))?;
    let replicas = size.replicas();
    Rc::make_mut(&mut Rc::make_mut(&mut new).spec).replicas = replicas;
    set_new_replica_set_annotations(deployment, &mut new, new_revision, false, gates);
    let about = deployment.key();
    let name = new.metadata.name.clone();
    let created = match create_replica_set(client, &new, size.creation(name.clone())) {
        Ok(created) => created,
        Err(error) if error.is_already_exists() => {
            // Another template's ReplicaSet has this name, or the cache is behind. The cache has seen this sync's own
            // writes by now: a ReplicaSet that it released has no owner.
            let key = new.key();
            let Some(Object::ReplicaSet(there)) = client.get(&key) else {
                return Err(ApiError::not_found(&key).into());
            };
            if there.metadata.is_controlled_by(&deployment.metadata)
                && equal_ignore_hash(&deployment.spec.template, &there.spec.template)
            {
                take_over_revision(client, deployment, &new_revision.to_string(), &there)?;
                return Ok(there);
            }
            let count = deployment.status.collision_count.unwrap_or(0).wrapping_add(1);
            Rc::make_mut(deployment).status.collision_count = Some(count);
            // Whether this write succeeds or not, the creation is tried again.
            let _ = update_deployment_status(client, deployment, Decision::Collision { replica_set: name, count });
            return Err(error.into());
        }
        Err(error) if error.is_namespace_terminating() => return Err(error.into()),
        Err(error) => {
            let message = alloc::format!("Failed to create new replica set \"{name}\": {error}");
            if has_progress_deadline(deployment) {
                progressing(client, deployment, FAILURE_STATUS, why::FAILED_RS_CREATE, &message);
                // The creation's error is the one to report.
                let _ = update_deployment_status(client, deployment, Decision::CreateFailed { replica_set: name });
            }
            record(client, &about, || Event::warning(why::FAILED_RS_CREATE, &message));
            return Err(error.into());
        }
    };
    if replicas > 0 {
        record(client, &about, || {
            let message = alloc::format!("Scaled up replica set {} from 0 to {replicas}", created.metadata.name);
            Event::normal("ScalingReplicaSet", &message)
        });
    }
    let revision = new_revision.to_string();
    if let Some(deadline) = progress_deadline(deployment) {
        set_deployment_revision(deployment, &revision);
        let message = alloc::format!("Created new replica set \"{}\"", created.metadata.name);
        progressing(client, deployment, ConditionStatus::True, why::NEW_REPLICA_SET, &message);
        let decision = Decision::Created {
            replica_set: created.metadata.name.clone(),
            revision: revision.as_str().into(),
            deployment: deployment.metadata.name.clone(),
            deadline,
        };
        update_deployment_status(client, deployment, decision)?;
    } else {
        take_over_revision(client, deployment, &revision, &created)?;
    }
    Ok(created)
}

/// The Deployment takes over the revision of its new ReplicaSet, if it is another one.
///
/// Upstream: `pkg/controller/deployment/sync.go getNewReplicaSet`, where it calls
/// `pkg/controller/deployment/util/deployment_util.go SetDeploymentRevision`
fn take_over_revision(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    revision: &str,
    replica_set: &ReplicaSet,
) -> Result<(), Error> {
    if set_deployment_revision(deployment, revision) {
        let decision = Decision::TakeOverRevision {
            deployment: deployment.metadata.name.clone(),
            revision: revision.into(),
            replica_set: replica_set.metadata.name.clone(),
        };
        update_deployment_status(client, deployment, decision)?;
    }
    Ok(())
}

/// Sets the condition Progressing; the caller writes it.
fn progressing(
    client: &dyn Client,
    deployment: &mut Rc<Deployment>,
    status: ConditionStatus,
    reason: &str,
    message: &str,
) {
    let condition = new_deployment_condition(PROGRESSING, status, reason, message, client.now());
    set_deployment_condition(&mut Rc::make_mut(deployment).status, condition);
}

/// The ReplicaSet of the Deployment's template, without pods.
fn new_replica_set(deployment: &Deployment, hash: &str) -> ReplicaSet {
    let mut labels = deployment.spec.template.metadata.labels.clone();
    Rc::make_mut(&mut labels).insert(POD_TEMPLATE_HASH.to_string(), hash.to_string());
    let mut template: PodTemplateSpec = (*deployment.spec.template).clone();
    template.metadata.labels = labels.clone();
    // Upstream: `pkg/util/labels/labels.go CloneSelectorAndAddLabel`
    let mut selector: LabelSelector = deployment.spec.selector.as_deref().cloned().unwrap_or_default();
    selector.match_labels.insert(POD_TEMPLATE_HASH.to_string(), hash.to_string());
    ReplicaSet {
        metadata: Rc::new(ObjectMeta {
            name: generate_replica_set_name(&deployment.metadata.name, hash).into(),
            namespace: deployment.metadata.namespace.clone(),
            owner_references: Rc::new(Vec::from([OwnerReference::controller(
                Kind::Deployment.api_version(),
                Kind::Deployment.name(),
                &deployment.metadata,
            )])),
            labels,
            ..ObjectMeta::default()
        }),
        spec: Rc::new(ReplicaSetSpec {
            replicas: 0,
            min_ready_seconds: deployment.spec.min_ready_seconds,
            selector: Some(Rc::new(selector)),
            template: Rc::new(template),
            ..ReplicaSetSpec::default()
        }),
        ..ReplicaSet::default()
    }
}

/// The Deployment's name (cut so that the whole fits into 253 bytes) and the hash.
///
/// Upstream: `pkg/controller/deployment/sync.go generateReplicaSetName`
pub fn generate_replica_set_name(deployment: &str, hash: &str) -> String {
    let max_deployment_name_length = 253_usize.saturating_sub(1).saturating_sub(hash.len());
    let name = if deployment.len() > max_deployment_name_length && max_deployment_name_length > 0 {
        deployment.get(..max_deployment_name_length).unwrap_or(deployment)
    } else {
        deployment
    };
    alloc::format!("{name}-{hash}")
}

/// A ReplicaSet's revision; 0 without one.
///
/// # Errors
/// The annotation is no number.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go Revision`
pub(super) fn revision(replica_set: &ReplicaSet) -> Result<i64, core::num::ParseIntError> {
    replica_set.metadata.annotation(REVISION).map_or(Ok(0), str::parse)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go MaxRevision`
pub(super) fn max_revision(replica_sets: &[Rc<ReplicaSet>]) -> i64 {
    replica_sets.iter().filter_map(|replica_set| revision(replica_set).ok()).fold(0, i64::max)
}

/// The second highest revision.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go LastRevision`
pub(crate) fn last_revision<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>) -> i64 {
    let (mut max, mut second) = (0, 0);
    for value in replica_sets.into_iter().filter_map(|replica_set| revision(replica_set).ok()) {
        if value >= max {
            second = max;
            max = value;
        } else if value > second {
            second = value;
        }
    }
    second
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go SetDeploymentRevision`
fn set_deployment_revision(deployment: &mut Rc<Deployment>, revision: &str) -> bool {
    if deployment.metadata.annotation(REVISION).unwrap_or_default() == revision {
        return false;
    }
    annotations_mut(&mut Rc::make_mut(deployment).metadata).insert(REVISION.to_string(), revision.to_string());
    true
}

/// What changed in the annotations of the new ReplicaSet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AnnotationChange {
    /// Nothing that would be written.
    None,
    /// It has the revision of before, but other annotations changed.
    Others,
    /// It got a new revision.
    Revision,
}

/// Brings the new ReplicaSet's annotations up to date.
///
/// Its revision only rises: it is above `new_revision` if ReplicaSets that came between were deleted.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations`
fn set_new_replica_set_annotations(
    deployment: &Deployment,
    new: &mut Rc<ReplicaSet>,
    new_revision: i64,
    exists: bool,
    gates: FeatureGates,
) -> AnnotationChange {
    let mut changed = copy_deployment_annotations_to_replica_set(deployment, new, gates);
    let old_revision = match new.metadata.annotation(REVISION) {
        None | Some("") => 0,
        Some(text) => match text.parse::<i64>() {
            Ok(number) => number,
            // Upstream says "not changed" here, although the copied annotations may have.
            Err(_) => return AnnotationChange::None,
        },
    };
    let revised = old_revision < new_revision;
    if revised {
        let annotations = annotations_mut(&mut Rc::make_mut(new).metadata);
        let old = annotations.insert(REVISION.to_string(), new_revision.to_string());
        if let Some(old) = old {
            // The ReplicaSet had a revision: this is a rollback to it.
            let history = annotations.get(REVISION_HISTORY).cloned().unwrap_or_default();
            if let Some(history) = append_revision(&history, &old) {
                annotations.insert(REVISION_HISTORY.to_string(), history);
            }
        }
    }
    // The annotations of a size: once the ReplicaSet is there, only scaling changes them.
    if !exists {
        let (desired, max) = (deployment.spec.replicas, max_replicas(deployment));
        let before = new.metadata.annotations.clone();
        set_replicas_annotations(Rc::make_mut(new), desired, max, gates);
        changed |= before != new.metadata.annotations;
    }
    match (revised, changed) {
        (true, _) => AnnotationChange::Revision,
        (false, true) => AnnotationChange::Others,
        (false, false) => AnnotationChange::None,
    }
}

/// The history with one more revision, cut to its greatest length; none if it does not fit at all.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go SetNewReplicaSetAnnotations`, the part about a rollback
fn append_revision(history: &str, revision: &str) -> Option<String> {
    let old_revisions: Vec<&str> = history.split(',').collect();
    if old_revisions.first().is_none_or(|first| first.is_empty()) {
        return Some(revision.to_string());
    }
    let mut total_length = history.len().saturating_add(revision.len()).saturating_add(1);
    let mut rest = old_revisions.as_slice();
    while total_length > MAX_REVISION_HISTORY {
        let Some((first, tail)) = rest.split_first() else { break };
        total_length = total_length.saturating_sub(first.len()).saturating_sub(1);
        rest = tail;
    }
    if total_length > MAX_REVISION_HISTORY {
        return None;
    }
    let mut kept: Vec<&str> = rest.to_vec();
    kept.push(revision);
    Some(kept.join(","))
}

/// Whether an annotation stays where it is. KEP-5882 adds its own, once the gate is on.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go skipCopyAnnotation`
fn skip_copy_annotation(key: &str, gates: FeatureGates) -> bool {
    matches!(key, LAST_APPLIED | REVISION | REVISION_HISTORY | DESIRED_REPLICAS | MAX_REPLICAS | ROLLBACK_TO)
        || (key == REPLICAS_BEFORE_SCALE && gates.enabled(Feature::DeploymentPodReplacementPolicy))
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go copyDeploymentAnnotationsToReplicaSet`
fn copy_deployment_annotations_to_replica_set(
    deployment: &Deployment,
    replica_set: &mut Rc<ReplicaSet>,
    gates: FeatureGates,
) -> bool {
    let mut changed = false;
    for (key, value) in &*deployment.metadata.annotations {
        if skip_copy_annotation(key, gates) || replica_set.metadata.annotations.get(key) == Some(value) {
            continue;
        }
        annotations_mut(&mut Rc::make_mut(replica_set).metadata).insert(key.clone(), value.clone());
        changed = true;
    }
    changed
}

/// The Deployment's annotations after a rollback to a ReplicaSet.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go SetDeploymentAnnotationsTo`
pub fn set_deployment_annotations_to(deployment: &mut Deployment, rollback_to: &ReplicaSet, gates: FeatureGates) {
    let own = deployment.metadata.annotations.iter().filter(|(key, _)| skip_copy_annotation(key, gates));
    let copied = rollback_to.metadata.annotations.iter().filter(|(key, _)| !skip_copy_annotation(key, gates));
    let mut annotations = Strings::new();
    for (key, value) in own.chain(copied) {
        annotations.insert(key.clone(), value.clone());
    }
    Rc::make_mut(&mut deployment.metadata).annotations = Rc::new(annotations);
}
