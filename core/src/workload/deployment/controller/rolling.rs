//! The RollingUpdate strategy.

use alloc::rc::Rc;

use super::progress::sync_rollout_status;
use super::revision::{NewAndOld, get_or_create_all_replica_sets};
use super::scale::{Annotations, scale_replica_set};
use super::sync::cleanup_deployment;
use super::util::{
    ReplicaSets, by_creation_timestamp, complete_rule, deployment_complete, filter_active, get_available_replica_count,
    get_replica_count, max_unavailable, new_rs_new_replicas, resized, sort_replica_sets,
};
use crate::controller::{Client, Error};
use crate::object::Duration;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::decision::Decision;
use crate::workload::replica_set::ReplicaSet;

/// The part of a sync for the strategy RollingUpdate. `found` are the new ReplicaSet and the old ones, if the check for a
/// scaling event has found them already; otherwise they are looked for here, and a new one that is not there is created.
///
/// Upstream: `pkg/controller/deployment/rolling.go rolloutRolling`
pub(super) fn rollout_rolling(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
    found: Option<NewAndOld>,
) -> Result<Option<Duration>, Error> {
    let (new, old) = match found {
        Some(found) => found,
        None => get_or_create_all_replica_sets(client, deployment, replica_sets)?,
    };
    let all: ReplicaSets = old.iter().chain([&new]).cloned().collect();

    // Scale up, if the limit allows it.
    if reconcile_new_replica_set(client, &all, &new, deployment)? {
        return sync_rollout_status(client, &all, Some(&new), deployment);
    }
    // Scale down, if enough pods stay available.
    if reconcile_old_replica_sets(client, &all, filter_active(&old), &new, deployment)? {
        return sync_rollout_status(client, &all, Some(&new), deployment);
    }
    let complete_rule = complete_rule(deployment, client.gates());
    if deployment_complete(deployment, &deployment.status, complete_rule) {
        cleanup_deployment(client, &old, deployment)?;
    }
    sync_rollout_status(client, &all, Some(&new), deployment)
}

/// Scales the new ReplicaSet as far as the limit allows. Returns whether its size changed.
///
/// # Errors
/// A refused write, or (under the complete rule) an unknown number of terminating pods.
///
/// Upstream: `pkg/controller/deployment/rolling.go reconcileNewReplicaSet`
pub fn reconcile_new_replica_set(
    client: &mut dyn Client,
    all: &[Rc<ReplicaSet>],
    new: &Rc<ReplicaSet>,
    deployment: &Deployment,
) -> Result<bool, Error> {
    let desired = deployment.spec.replicas;
    if new.spec.replicas == desired {
        return Ok(false);
    }
    if new.spec.replicas > desired {
        let decision = Decision::NewDown { resized: resized(new, desired), desired };
        return Ok(scale_replica_set(client, new, desired, deployment, Annotations::WithSize, decision)?.is_some());
    }
    let size = new_rs_new_replicas(deployment, all, new, client.gates()).map_err(|error| error.report(client))?;
    let new_replicas_count = size.replicas();
    let decision = size.resize(resized(new, new_replicas_count));
    Ok(scale_replica_set(client, new, new_replicas_count, deployment, Annotations::WithSize, decision)?.is_some())
}

/// Scales the old ReplicaSets down, unhealthy pods first. Returns whether a size changed.
///
/// Pods may go in two cases: an old ReplicaSet has pods that are not available, which nothing depends on; or the new
/// ReplicaSet has grown and its pods have become available. Pods of the new ReplicaSet that are not available count
/// against the old ones, so that they don't cause more to go:
///
/// `max_scaled_down = all_pods_count − min_available − new_rs_unavailable_pod_count`
///
/// For example with 10 replicas, maxUnavailable 2 and maxSurge 3:
///
/// 1. The new ReplicaSet is created with 3 pods, the old one is scaled down to 8, the new one grows to 5. Its pods crash
///    and never become available. All pods are 13, 8 must be available, 5 new ones are not. A node fails and one old pod
///    is not available any more: 13 − 8 − 5 = 0, so the old ReplicaSet stays. The user rolls back: now 1 pod of the new
///    ReplicaSet (the good one) is not available, 13 − 8 − 1 = 4, and 4 of the crashing pods go. 9 pods are left, and the
///    new ReplicaSet can grow to 10.
/// 2. The same, but the user pushes another template instead: the new ReplicaSet starts with 0 pods, since there are 13
///    already. It has no unavailable pods, so 13 − 8 − 0 = 5 pods may go, and then it can grow by 5.
///
/// # Errors
/// None: like upstream, a refused write counts as "not scaled", and the next sync tries again.
///
/// Upstream: `pkg/controller/deployment/rolling.go reconcileOldReplicaSets`
pub fn reconcile_old_replica_sets(
    client: &mut dyn Client,
    all: &[Rc<ReplicaSet>],
    old: ReplicaSets,
    new: &Rc<ReplicaSet>,
    deployment: &Deployment,
) -> Result<bool, Error> {
    let old_pods_count = get_replica_count(&old);
    if old_pods_count == 0 {
        return Ok(false);
    }
    let all_pods_count = get_replica_count(all);
    let min_available = deployment.spec.replicas.wrapping_sub(max_unavailable(deployment));
    let new_rs_unavailable_pod_count = new.spec.replicas.wrapping_sub(new.status.available_replicas);
    let max_scaled_down = all_pods_count.wrapping_sub(min_available).wrapping_sub(new_rs_unavailable_pod_count);
    if max_scaled_down <= 0 {
        let keep_old = Decision::OldWait {
            deployment: deployment.metadata.name.clone(),
            wanted: all_pods_count,
            min_available,
            unavailable: new_rs_unavailable_pod_count,
            max_scaled_down,
        };
        client.note(keep_old.into());
        return Ok(false);
    }
    // Pods that are not available go first: otherwise they would block the rollout until its deadline is over
    // (kubernetes #16737).
    let Ok((old, cleanup_count)) = cleanup_unhealthy_replicas(client, old, deployment, max_scaled_down) else {
        return Ok(false);
    };
    let all: ReplicaSets = old.iter().chain([new]).cloned().collect();
    let Ok(scaled_down_count) = scale_down_old_replica_sets_for_rolling_update(client, &all, old, deployment) else {
        return Ok(false);
    };
    let total_scaled_down = cleanup_count.wrapping_add(scaled_down_count);
    Ok(total_scaled_down > 0)
}

/// Takes pods that are not available from the old ReplicaSets, oldest first, at most `max_cleanup_count` of them. Returns
/// the ReplicaSets as they are then, and how many pods went.
///
/// This makes no more pods unavailable: a ReplicaSet deletes pods that are not scheduled, pending or not ready before
/// others.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas`
pub fn cleanup_unhealthy_replicas(
    client: &mut dyn Client,
    mut old: ReplicaSets,
    deployment: &Deployment,
    max_cleanup_count: i32,
) -> Result<(ReplicaSets, i32), Error> {
    sort_replica_sets(&mut old, by_creation_timestamp);
    let mut total_scaled_down = 0_i32;
    for target in &mut old {
        if total_scaled_down >= max_cleanup_count {
            break;
        }
        let (size, available) = (target.spec.replicas, target.status.available_replicas);
        if size == 0 || size == available {
            continue;
        }
        let remaining = max_cleanup_count.wrapping_sub(total_scaled_down);
        let unhealthy = size.wrapping_sub(available);
        let scaled_down_count = remaining.min(unhealthy);
        let new_replicas_count = size.wrapping_sub(scaled_down_count);
        if new_replicas_count > size {
            let replica_set = target.metadata.name.clone();
            client.note(Decision::OldSurplus { replica_set, size, available }.into());
            return Err(invalid_scale_down("cleaning up unhealthy replicas", target, new_replicas_count));
        }
        let decision = Decision::OldUnhealthy {
            resized: resized(target, new_replicas_count),
            available,
            unhealthy,
            max_cleanup: max_cleanup_count,
            gone: total_scaled_down,
            budget: remaining,
        };
        let updated =
            scale_replica_set(client, target, new_replicas_count, deployment, Annotations::WithSize, decision)?;
        if let Some(updated) = updated {
            *target = updated;
        }
        total_scaled_down = total_scaled_down.wrapping_add(scaled_down_count);
    }
    Ok((old, total_scaled_down))
}

/// Takes available pods from the old ReplicaSets, oldest first, down to the minimum. Returns how many went.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/rolling.go scaleDownOldReplicaSetsForRollingUpdate`
pub fn scale_down_old_replica_sets_for_rolling_update(
    client: &mut dyn Client,
    all: &[Rc<ReplicaSet>],
    mut old: ReplicaSets,
    deployment: &Deployment,
) -> Result<i32, Error> {
    let min_available = deployment.spec.replicas.wrapping_sub(max_unavailable(deployment));
    let available_pod_count = get_available_replica_count(all);
    if available_pod_count <= min_available {
        return Ok(0);
    }
    sort_replica_sets(&mut old, by_creation_timestamp);
    let mut total_scaled_down = 0_i32;
    let total_scale_down_count = available_pod_count.wrapping_sub(min_available);
    for target in &old {
        if total_scaled_down >= total_scale_down_count {
            break;
        }
        let size = target.spec.replicas;
        if size == 0 {
            continue;
        }
        let scale_down_count = size.min(total_scale_down_count.wrapping_sub(total_scaled_down));
        let new_replicas_count = size.wrapping_sub(scale_down_count);
        if new_replicas_count > size {
            return Err(invalid_scale_down("scaling down old RS", target, new_replicas_count));
        }
        let decision = Decision::OldDown {
            resized: resized(target, new_replicas_count),
            available: available_pod_count,
            min_available,
            budget: total_scale_down_count,
            gone: total_scaled_down,
        };
        scale_replica_set(client, target, new_replicas_count, deployment, Annotations::WithSize, decision)?;
        total_scaled_down = total_scaled_down.wrapping_add(scale_down_count);
    }
    Ok(total_scaled_down)
}

/// The error of both functions above if a ReplicaSet would grow.
fn invalid_scale_down(when: &str, target: &ReplicaSet, new_replicas_count: i32) -> Error {
    Error::Other(alloc::format!(
        "when {when}, got invalid request to scale down {}/{} {} -> {new_replicas_count}",
        target.metadata.namespace,
        target.metadata.name,
        target.spec.replicas
    ))
}
