//! The RollingUpdate strategy.

use alloc::rc::Rc;

use super::progress::sync_rollout_status;
use super::revision::{Found, get_all_replica_sets_and_sync_revision, key};
use super::scale::scale_replica_set;
use super::sync::cleanup_deployment;
use super::util::{
    ReplicaSets, by_creation_timestamp, complete_rule, deployment_complete, filter_active, get_available_replica_count,
    get_replica_count, get_terminating_replica_count, held, limit, max_unavailable, new_rs_new_replicas, note_no_size,
};
use crate::controller::{Client, Error};
use crate::object::{Deployment, Kind, ReplicaSet};
use crate::reason::{Reason, deployment as rule};

/// Upstream: `pkg/controller/deployment/rolling.go rolloutRolling`
pub(super) fn rollout_rolling(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
    found: Option<Found>,
) -> Result<Option<i64>, Error> {
    let (new, mut all) = match found {
        Some(found) => found,
        None => get_all_replica_sets_and_sync_revision(client, deployment, replica_sets, true)?,
    };
    let Some(new) = new else { return Ok(None) };
    all.push(new);
    let Some((new, old)) = all.split_last() else { return Ok(None) };

    if reconcile_new_replica_set(client, &all, new, deployment)? {
        return sync_rollout_status(client, &all, Some(new), deployment);
    }
    if reconcile_old_replica_sets(client, &all, filter_active(old), new, deployment)? {
        return sync_rollout_status(client, &all, Some(new), deployment);
    }
    if deployment_complete(deployment, &deployment.status, client.gates()) {
        cleanup_deployment(client, old, deployment)?;
    }
    sync_rollout_status(client, &all, Some(new), deployment)
}

/// Scales the new ReplicaSet, as far as the limit lets it; whether it did.
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
    let (from, desired) = (new.spec.replicas, deployment.spec.replicas);
    if from == desired {
        return Ok(false);
    }
    let name = || (&new.metadata.name).into();
    if from > desired {
        let reason = Reason::new(&rule::NEW_DOWN, [name(), from.into(), desired.into()]);
        return Ok(scale_replica_set(client, new, desired, deployment, false, reason)?.0);
    }
    let gates = client.gates();
    let to = new_rs_new_replicas(deployment, all, new, gates).inspect_err(|_| note_no_size(client, deployment, all))?;
    let reason = if complete_rule(deployment, gates) {
        let (held, terminating) = (held(all), get_terminating_replica_count(all).unwrap_or(0));
        let taken = held.wrapping_add(terminating);
        if to == from {
            let values = [name(), from.into(), limit(deployment).into(), held.into(), terminating.into(), taken.into()];
            Reason::new(&rule::NEW_WAIT_COMPLETE, values)
        } else {
            let values = [
                name(),
                from.into(),
                limit(deployment).into(),
                held.into(),
                terminating.into(),
                taken.into(),
                to.into(),
                desired.into(),
            ];
            Reason::new(&rule::NEW_UP_COMPLETE, values)
        }
    } else {
        let wanted = get_replica_count(all);
        if to == from {
            Reason::new(&rule::NEW_WAIT, [name(), from.into(), limit(deployment).into(), wanted.into()])
        } else {
            let values = [name(), from.into(), to.into(), desired.into(), limit(deployment).into(), wanted.into()];
            Reason::new(&rule::NEW_UP, values)
        }
    };
    if to == from {
        client.note(&new.metadata.key(Kind::ReplicaSet), reason);
        return Ok(false);
    }
    Ok(scale_replica_set(client, new, to, deployment, false, reason)?.0)
}

/// Scales the old ReplicaSets down, unhealthy pods first; whether it did.
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
    if get_replica_count(&old) == 0 {
        return Ok(false);
    }
    let all_pods = get_replica_count(all);
    let min_available = deployment.spec.replicas.wrapping_sub(max_unavailable(deployment));
    let new_unavailable = new.spec.replicas.wrapping_sub(new.status.available_replicas);
    let max_scaled_down = all_pods.wrapping_sub(min_available).wrapping_sub(new_unavailable);
    if max_scaled_down <= 0 {
        let reason = Reason::new(
            &rule::OLD_WAIT,
            [(&deployment.metadata.name).into(), all_pods.into(), min_available.into(), new_unavailable.into()],
        );
        client.note(&key(deployment), reason);
        return Ok(false);
    }
    let Ok((old, cleaned)) = cleanup_unhealthy_replicas(client, old, deployment, max_scaled_down) else {
        return Ok(false);
    };
    let all: ReplicaSets = old.iter().chain([new]).cloned().collect();
    let Ok(scaled_down) = scale_down_old_replica_sets_for_rolling_update(client, &all, old, deployment) else {
        return Ok(false);
    };
    Ok(cleaned.wrapping_add(scaled_down) > 0)
}

/// Takes pods that are not available from the old ReplicaSets, oldest first: the ReplicaSets as they are then, and how
/// many went.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/rolling.go cleanupUnhealthyReplicas`
pub fn cleanup_unhealthy_replicas(
    client: &mut dyn Client,
    mut old: ReplicaSets,
    deployment: &Deployment,
    max_cleanup: i32,
) -> Result<(ReplicaSets, i32), Error> {
    old.sort_by(|a, b| by_creation_timestamp(a, b));
    let mut total = 0_i32;
    for target in &mut old {
        if total >= max_cleanup {
            break;
        }
        let (from, available) = (target.spec.replicas, target.status.available_replicas);
        if from == 0 || from == available {
            continue;
        }
        let budget = max_cleanup.wrapping_sub(total);
        let unhealthy = from.wrapping_sub(available);
        let count = budget.min(unhealthy);
        let to = from.wrapping_sub(count);
        if to > from {
            let values = [(&target.metadata.name).into(), from.into(), available.into()];
            client.note(&target.metadata.key(Kind::ReplicaSet), Reason::new(&rule::OLD_SURPLUS, values));
            return Err(invalid_scale_down("cleaning up unhealthy replicas", target, to));
        }
        let reason = Reason::new(
            &rule::OLD_UNHEALTHY,
            [(&target.metadata.name).into(), from.into(), to.into(), available.into(), unhealthy.into(), budget.into()],
        );
        *target = scale_replica_set(client, target, to, deployment, false, reason)?.1;
        total = total.wrapping_add(count);
    }
    Ok((old, total))
}

/// Takes available pods from the old ReplicaSets, oldest first, down to the minimum; how many went.
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
    let available = get_available_replica_count(all);
    if available <= min_available {
        return Ok(0);
    }
    old.sort_by(|a, b| by_creation_timestamp(a, b));
    let mut total = 0_i32;
    let may_go = available.wrapping_sub(min_available);
    for target in &old {
        if total >= may_go {
            break;
        }
        let from = target.spec.replicas;
        if from == 0 {
            continue;
        }
        let count = from.min(may_go.wrapping_sub(total));
        let to = from.wrapping_sub(count);
        if to > from {
            return Err(invalid_scale_down("scaling down old RS", target, to));
        }
        let reason = Reason::new(
            &rule::OLD_DOWN,
            [
                (&target.metadata.name).into(),
                from.into(),
                to.into(),
                available.into(),
                min_available.into(),
                may_go.into(),
                total.into(),
            ],
        );
        scale_replica_set(client, target, to, deployment, false, reason)?;
        total = total.wrapping_add(count);
    }
    Ok(total)
}

fn invalid_scale_down(when: &str, target: &ReplicaSet, to: i32) -> Error {
    Error::Other(alloc::format!(
        "when {when}, got invalid request to scale down {}/{} {} -> {to}",
        target.metadata.namespace,
        target.metadata.name,
        target.spec.replicas
    ))
}
