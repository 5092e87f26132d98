//! The Recreate strategy.

use alloc::rc::Rc;

use super::progress::sync_rollout_status;
use super::revision::{get_all_replica_sets_and_sync_revision, key};
use super::scale::scale_replica_set;
use super::sync::cleanup_deployment;
use super::util::{
    ReplicaSets, complete_rule, deployment_complete, filter_active, get_actual_replica_count, held,
    need_terminating_replica_count, new_rs_new_replicas, note_unknown_terminating, policy,
};
use crate::controller::{Client, Error};
use crate::object::{Deployment, DeploymentPodReplacementPolicy, Kind, ReplicaSet};
use crate::reason::{Reason, deployment as rule};

/// Upstream: `pkg/controller/deployment/recreate.go rolloutRecreate`; KEP-5882, Deployment Behavior Changes
pub(super) fn rollout_recreate(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
    running: &dyn Fn(&ReplicaSet) -> i32,
) -> Result<Option<i64>, Error> {
    // Not created here: first the old pods go.
    let (mut new, mut old) = get_all_replica_sets_and_sync_revision(client, deployment, replica_sets, false)?;
    let mut all: ReplicaSets = old.iter().chain(&new).cloned().collect();
    if scale_down_old_replica_sets_for_recreate(client, filter_active(&old), deployment)? {
        return sync_rollout_status(client, &all, new.as_ref(), deployment);
    }
    if let Some(reason) = must_wait(client, deployment, new.as_ref(), &old, replica_sets, running)? {
        client.note(&key(deployment), reason);
        return sync_rollout_status(client, &all, new.as_ref(), deployment);
    }
    if new.is_none() {
        (new, old) = get_all_replica_sets_and_sync_revision(client, deployment, replica_sets, true)?;
        all = old.iter().chain(&new).cloned().collect();
    }
    let Some(new) = new else { return Ok(None) };
    scale_up_new_replica_set_for_recreate(client, &new, deployment)?;
    if deployment_complete(deployment, &deployment.status, client.gates()) {
        cleanup_deployment(client, &old, deployment)?;
    }
    sync_rollout_status(client, &all, Some(&new), deployment)
}

/// Scales the old ReplicaSets to 0; whether it did.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/recreate.go scaleDownOldReplicaSetsForRecreate`
pub fn scale_down_old_replica_sets_for_recreate(
    client: &mut dyn Client,
    old: ReplicaSets,
    deployment: &Deployment,
) -> Result<bool, Error> {
    let mut scaled = false;
    for replica_set in &old {
        let from = replica_set.spec.replicas;
        if from == 0 {
            continue;
        }
        let reason = Reason::new(&rule::RECREATE_DOWN, [(&replica_set.metadata.name).into(), from.into()]);
        scaled |= scale_replica_set(client, replica_set, 0, deployment, false, reason)?.0;
    }
    Ok(scaled)
}

/// Why the new ReplicaSet has to wait, if it has.
fn must_wait(
    client: &mut dyn Client,
    deployment: &Deployment,
    new: Option<&Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
    replica_sets: &[Rc<ReplicaSet>],
    running: &dyn Fn(&ReplicaSet) -> i32,
) -> Result<Option<Reason>, Error> {
    let counted = get_actual_replica_count(old);
    let name = (&deployment.metadata.name).into();
    match policy(deployment, client.gates()) {
        None => {
            let of_others = running_of_others(new, replica_sets, running);
            Ok(match old_pods_running(counted, of_others) {
                false => None,
                true if counted > 0 => Some(Reason::new(&rule::RECREATE_WAIT, [name, counted.into()])),
                true => Some(Reason::new(&rule::RECREATE_WAIT_ENDING, [name, of_others.into()])),
            })
        }
        Some(DeploymentPodReplacementPolicy::TerminationStarted) => {
            Ok((counted > 0).then(|| Reason::new(&rule::RECREATE_WAIT_STARTED, [name, counted.into()])))
        }
        Some(DeploymentPodReplacementPolicy::TerminationComplete) => {
            let terminating =
                need_terminating_replica_count(old).inspect_err(|_| note_unknown_terminating(client, deployment, old));
            // A pod that still runs is reason enough to wait, whatever else is known.
            match terminating {
                Err(_) if counted > 0 => Ok(Some(Reason::new(&rule::RECREATE_WAIT_COUNTED, [name, counted.into()]))),
                Err(error) => Err(error),
                Ok(terminating) => {
                    let wait = counted > 0 || terminating > 0;
                    let values = [name, counted.into(), terminating.into()];
                    Ok(wait.then(|| Reason::new(&rule::RECREATE_WAIT_COMPLETE, values)))
                }
            }
        }
    }
}

/// Pods, terminating ones included, of all ReplicaSets but the new one.
fn running_of_others(
    new: Option<&Rc<ReplicaSet>>,
    replica_sets: &[Rc<ReplicaSet>],
    running: &dyn Fn(&ReplicaSet) -> i32,
) -> i32 {
    replica_sets
        .iter()
        .filter(|replica_set| new.is_none_or(|new| new.metadata.uid != replica_set.metadata.uid))
        .fold(0, |total: i32, replica_set| total.saturating_add(running(replica_set)))
}

/// Whether old pods run: the old ReplicaSets count some, or pods of other ReplicaSets than the new one (terminating ones
/// included) have not ended.
///
/// Upstream: `pkg/controller/deployment/recreate.go oldPodsRunning`
pub const fn old_pods_running(counted_by_old: i32, not_ended_of_others: i32) -> bool {
    counted_by_old > 0 || not_ended_of_others > 0
}

/// Upstream: `pkg/controller/deployment/recreate.go scaleUpNewReplicaSetForRecreate`
fn scale_up_new_replica_set_for_recreate(
    client: &mut dyn Client,
    new: &Rc<ReplicaSet>,
    deployment: &Deployment,
) -> Result<bool, Error> {
    let gates = client.gates();
    let only = core::slice::from_ref(new);
    let from = new.spec.replicas;
    let to = new_rs_new_replicas(deployment, only, new, gates)
        .inspect_err(|_| note_unknown_terminating(client, deployment, only))?;
    let name = (&new.metadata.name).into();
    let desired = deployment.spec.replicas;
    let reason = if complete_rule(deployment, gates) && from < desired {
        let (held, terminating) = (held(only), need_terminating_replica_count(only)?);
        let taken = held.wrapping_add(terminating).into();
        let (held, terminating) = (held.into(), terminating.into());
        if from == to {
            let values = [name, from.into(), desired.into(), held, terminating, taken];
            client.note(&new.metadata.key(Kind::ReplicaSet), Reason::new(&rule::RECREATE_UP_WAIT, values));
            return Ok(false);
        }
        let values = [name, from.into(), desired.into(), held, terminating, taken, to.into()];
        Reason::new(&rule::RECREATE_UP_COMPLETE, values)
    } else {
        Reason::new(&rule::RECREATE_UP, [name, from.into(), to.into()])
    };
    Ok(scale_replica_set(client, new, to, deployment, false, reason)?.0)
}
