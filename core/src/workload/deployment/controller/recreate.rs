//! The Recreate strategy.

use alloc::rc::Rc;

use super::progress::sync_rollout_status;
use super::revision::{get_all_replica_sets_and_sync_revision, get_or_create_all_replica_sets};
use super::scale::{Annotations, scale_replica_set};
use super::sync::cleanup_deployment;
use super::util::{
    ReplicaSets, complete_rule, deployment_complete, filter_active, get_actual_replica_count, new_rs_new_replicas,
    policy, resized,
};
use crate::controller::{Client, Error};
use crate::feature_gates::FeatureGates;
use crate::object::Duration;
use crate::workload::deployment::decision::{Decision, OldPods};
use crate::workload::deployment::{Deployment, DeploymentPodReplacementPolicy};
use crate::workload::replica_set::ReplicaSet;

/// The part of a sync for the strategy Recreate. `running` tells how many pods of a ReplicaSet have not ended, terminating
/// ones included.
///
/// Upstream: `pkg/controller/deployment/recreate.go rolloutRecreate`; KEP-5882, Deployment Behavior Changes
pub(super) fn rollout_recreate(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
    running: &dyn Fn(&ReplicaSet) -> i32,
) -> Result<Option<Duration>, Error> {
    // The new ReplicaSet is not created here: the old pods go first.
    let (new, mut old) = get_all_replica_sets_and_sync_revision(client, deployment, replica_sets)?;
    let mut all: ReplicaSets = old.iter().chain(&new).cloned().collect();
    if scale_down_old_replica_sets_for_recreate(client, filter_active(&old), deployment)? {
        return sync_rollout_status(client, &all, new.as_ref(), deployment);
    }
    let not_ended = not_ended_of_others(new.as_ref(), replica_sets, running);
    if let Some(pods) = wait_for_old_pods(deployment, &old, not_ended, client.gates()) {
        client.note(Decision::WaitForOldPods(pods).into());
        return sync_rollout_status(client, &all, new.as_ref(), deployment);
    }
    let new = match new {
        Some(new) => new,
        // Now that the old pods are gone, it is.
        None => {
            let (created, others) = get_or_create_all_replica_sets(client, deployment, replica_sets)?;
            old = others;
            all = old.iter().chain([&created]).cloned().collect();
            created
        }
    };
    scale_up_new_replica_set_for_recreate(client, &new, deployment)?;
    let complete_rule = complete_rule(deployment, client.gates());
    if deployment_complete(deployment, &deployment.status, complete_rule) {
        cleanup_deployment(client, &old, deployment)?;
    }
    sync_rollout_status(client, &all, Some(&new), deployment)
}

/// Scales the old ReplicaSets to 0. Returns whether a size changed.
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
        if replica_set.spec.replicas == 0 {
            continue;
        }
        let decision = Decision::RecreateDown(resized(replica_set, 0));
        scaled |= scale_replica_set(client, replica_set, 0, deployment, Annotations::WithSize, decision)?.is_some();
    }
    Ok(scaled)
}

/// The old pods that the new ReplicaSet has to wait for.
///
/// With TerminationStarted that is until the old ReplicaSets count no pods; otherwise, and with TerminationComplete, it is
/// what Kubernetes does today.
///
/// Source: KEP-5882, Deployment Behavior Changes
fn wait_for_old_pods(
    deployment: &Deployment,
    old: &[Rc<ReplicaSet>],
    not_ended: i32,
    gates: FeatureGates,
) -> Option<OldPods> {
    let name = &deployment.metadata.name;
    match policy(deployment, gates) {
        Some(DeploymentPodReplacementPolicy::TerminationStarted) => {
            let replicas = get_actual_replica_count(old);
            (replicas > 0).then(|| OldPods::NotTerminating { deployment: name.clone(), counted: replicas })
        }
        None | Some(DeploymentPodReplacementPolicy::TerminationComplete) => old_pods_running(name, old, not_ended),
    }
}

/// How many pods of other ReplicaSets than the new one have not ended, terminating ones included. A pod in the phase Unknown
/// may still run, so it counts.
///
/// Upstream: `pkg/controller/deployment/recreate.go oldPodsRunning`, its loop
fn not_ended_of_others(
    new: Option<&Rc<ReplicaSet>>,
    replica_sets: &[Rc<ReplicaSet>],
    running: &dyn Fn(&ReplicaSet) -> i32,
) -> i32 {
    replica_sets
        .iter()
        .filter(|replica_set| new.is_none_or(|new| new.metadata.uid != replica_set.metadata.uid))
        .fold(0, |total: i32, replica_set| total.saturating_add(running(replica_set)))
}

/// The old pods that run: those that the old ReplicaSets count, or pods of other ReplicaSets than the new one (terminating
/// ones included) that have not ended.
///
/// Upstream: `pkg/controller/deployment/recreate.go oldPodsRunning`
pub fn old_pods_running(deployment: &Rc<str>, old: &[Rc<ReplicaSet>], not_ended_of_others: i32) -> Option<OldPods> {
    let (deployment, replicas) = (deployment.clone(), get_actual_replica_count(old));
    if replicas > 0 {
        return Some(OldPods::Counted { deployment, counted: replicas });
    }
    (not_ended_of_others > 0).then_some(OldPods::Running { deployment, running: not_ended_of_others })
}

/// Gives the new ReplicaSet the desired size, under the complete rule as far as its own terminating pods leave slots.
/// Returns whether its size changed.
///
/// Upstream: `pkg/controller/deployment/recreate.go scaleUpNewReplicaSetForRecreate`; KEP-5882, Deployment Behavior Changes
fn scale_up_new_replica_set_for_recreate(
    client: &mut dyn Client,
    new: &Rc<ReplicaSet>,
    deployment: &Deployment,
) -> Result<bool, Error> {
    let only = core::slice::from_ref(new);
    let size = new_rs_new_replicas(deployment, only, new, client.gates()).map_err(|error| error.report(client))?;
    let (to, decision) = (size.replicas(), size.resize(resized(new, size.replicas())));
    Ok(scale_replica_set(client, new, to, deployment, Annotations::WithSize, decision)?.is_some())
}
