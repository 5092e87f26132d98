//! What happens outside a rollout: scaling events, a paused Deployment, one that is being deleted; and the clean-up of
//! its history.

use alloc::rc::Rc;

use super::condition::{
    PROGRESSING, get_deployment_condition, new_deployment_condition, reason as why, set_deployment_condition,
};
use super::progress::sync_scaling_progress;
use super::revision::{NewAndOld, get_all_replica_sets_and_sync_revision, revision};
use super::rollback::get_rollback_to;
use super::scale::{is_partial, outdated_desired_replicas, scale};
use super::status::{RolloutCheck, calculate_status, sync_deployment_status};
use super::util::{ReplicaSets, by_creation_timestamp, complete_rule, progress_deadline, sort_replica_sets};
use super::writes::update_deployment_status;
use crate::controller::{Client, DeletionPropagation, Error, Write};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::ConditionStatus;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::decision::Decision;
use crate::workload::replica_set::ReplicaSet;

/// A sync of a Deployment that is being deleted: no size changes.
///
/// Upstream: `pkg/controller/deployment/sync.go syncStatusOnly`
pub(super) fn sync_status_only(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
) -> Result<(), Error> {
    let (new, old) = get_all_replica_sets_and_sync_revision(client, deployment, replica_sets)?;
    let all: ReplicaSets = old.iter().chain(&new).cloned().collect();
    let calculated = calculate_status(&all, new.as_ref(), deployment, client.gates(), client.now());
    sync_deployment_status(client, deployment, calculated, RolloutCheck::Deleting)
}

/// A sync for a scaling event, or of a paused Deployment.
///
/// Upstream: `pkg/controller/deployment/sync.go sync`
pub(super) fn sync(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
) -> Result<(), Error> {
    let (new, mut old) = get_all_replica_sets_and_sync_revision(client, deployment, replica_sets)?;
    scale(client, deployment, new.as_ref(), &old)?;
    if deployment.spec.paused && get_rollback_to(deployment).is_none() {
        // Newest first, as upstream's FindActiveOrLatest has left them.
        old.reverse();
        cleanup_deployment(client, &old, deployment)?;
    }
    let all: ReplicaSets = old.iter().chain(&new).cloned().collect();
    let (gates, now) = (client.gates(), client.now());
    let mut calculated = calculate_status(&all, new.as_ref(), deployment, gates, now);
    let rollout = sync_scaling_progress(&mut calculated.status, new.as_ref(), deployment, gates, now);
    sync_deployment_status(client, deployment, calculated, rollout)
}

/// Writes down that the Deployment was paused or resumed, so that the time in between does not count.
///
/// Upstream: `pkg/controller/deployment/sync.go checkPausedConditions`
pub(super) fn check_paused_conditions(client: &mut dyn Client, deployment: &mut Rc<Deployment>) -> Result<(), Error> {
    let Some(deadline) = progress_deadline(deployment) else { return Ok(()) };
    let reason = get_deployment_condition(&deployment.status, PROGRESSING).map(|condition| condition.reason.clone());
    // A reported lack of progress stays.
    if reason.as_deref() == Some(why::TIMED_OUT) {
        return Ok(());
    }
    let paused_condition_exists = reason.as_deref() == Some(why::PAUSED);
    let name = deployment.metadata.name.clone();
    let (reason, message, decision) = match (deployment.spec.paused, paused_condition_exists) {
        (true, false) => (why::PAUSED, "Deployment is paused", Decision::Paused { deployment: name }),
        (false, true) => (why::RESUMED, "Deployment is resumed", Decision::Resumed { deployment: name, deadline }),
        _ => return Ok(()),
    };
    let condition = new_deployment_condition(PROGRESSING, ConditionStatus::Unknown, reason, message, client.now());
    set_deployment_condition(&mut Rc::make_mut(deployment).status, condition);
    Ok(update_deployment_status(client, deployment, decision)?)
}

/// Whether a ReplicaSet with pods was last scaled for another number of replicas, or (under the complete rule) only in
/// part; and the new ReplicaSet and the old ones, if nothing was changed to find them: upstream looks for them again then,
/// and finds the same.
///
/// A partial scaling is unfinished even if the number of replicas is again what it was before: the pods that the
/// ReplicaSets got since then must be removed.
///
/// Upstream: `pkg/controller/deployment/sync.go isScalingEvent`; KEP-5882, Deployment Scaling Changes
pub(super) fn is_scaling_event(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
) -> Result<(bool, Option<NewAndOld>), Error> {
    let before = deployment.clone();
    let (new, old) = get_all_replica_sets_and_sync_revision(client, deployment, replica_sets)?;
    let (complete, desired) = (complete_rule(deployment, client.gates()), deployment.spec.replicas);
    let scaling = old.iter().chain(&new).filter(|replica_set| replica_set.spec.replicas > 0).any(|replica_set| {
        outdated_desired_replicas(replica_set, desired).is_some()
            || (complete && is_partial(replica_set, client.gates()))
    });
    let is_there = |new: &Rc<ReplicaSet>| replica_sets.iter().any(|there| Rc::ptr_eq(there, new));
    let found = new.filter(|new| Rc::ptr_eq(&before, deployment) && is_there(new));
    Ok((scaling, found.map(|new| (new, old))))
}

/// Deletes the oldest ReplicaSets beyond the history limit, those without pods.
///
/// # Errors
/// A refused deletion.
///
/// Upstream: `pkg/controller/deployment/sync.go cleanupDeployment`; KEP-5882 (terminating pods)
pub fn cleanup_deployment(
    client: &mut dyn Client,
    old: &[Rc<ReplicaSet>],
    deployment: &Deployment,
) -> Result<(), Error> {
    let Some(history) = deployment.spec.revision_history_limit.filter(|limit| *limit != i32::MAX) else {
        return Ok(());
    };
    let mut cleanable: ReplicaSets =
        old.iter().filter(|replica_set| replica_set.metadata.deletion_timestamp.is_none()).cloned().collect();
    let count = i32::try_from(cleanable.len()).unwrap_or(i32::MAX);
    let diff = count.saturating_sub(history);
    let Ok(to_delete) = usize::try_from(diff) else { return Ok(()) };
    sort_replica_sets(&mut cleanable, by_revision);
    for replica_set in cleanable.iter().take(to_delete) {
        if !is_deletable(replica_set, client.gates()) {
            continue;
        }
        let name = replica_set.metadata.name.clone();
        let decision = Decision::Cleanup { replica_set: name, old: count, limit: history, surplus: diff };
        let delete = Write::Delete { key: replica_set.key(), propagation: DeletionPropagation::Background };
        match client.write(delete, decision.into()) {
            Err(error) if !error.is_not_found() => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// Whether an old ReplicaSet can be deleted: it has no pods, and its status is up to date.
///
/// Upstream: `pkg/controller/deployment/sync.go cleanupDeployment`, in its loop; KEP-5882 (terminating pods)
fn is_deletable(replica_set: &ReplicaSet, gates: FeatureGates) -> bool {
    let counts_terminating = gates.enabled(Feature::DeploymentPodReplacementPolicy)
        && gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas);
    replica_set.status.replicas == 0
        && replica_set.spec.replicas == 0
        && replica_set.metadata.generation <= replica_set.status.observed_generation
        && (!counts_terminating || replica_set.status.terminating_replicas == Some(0))
}

/// Lowest revision first, then oldest. With a revision that is not a number the comparison is inconsistent: then Go's
/// sort and the order of the list decide what is deleted.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go ReplicaSetsByRevision`
fn by_revision(a: &Rc<ReplicaSet>, b: &Rc<ReplicaSet>) -> core::cmp::Ordering {
    match (revision(a), revision(b)) {
        (Ok(first), Ok(second)) if first != second => first.cmp(&second),
        _ => by_creation_timestamp(a, b),
    }
}
