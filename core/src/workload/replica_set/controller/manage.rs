//! How many pods a ReplicaSet creates or deletes.
//!
//! Upstream's expectations (ExpectCreations, DeletionObserved and so on) are missing: they would always be satisfied, because
//! a sync sees the pods as they are stored. `cluster/informers.rs` and `core/DEVIATIONS.md` say more.

use alloc::rc::Rc;

use super::View;
use crate::controller::pod_control::{create_pod, delete_pod, get_pod_from_template};
use crate::controller::rank::{Choice, Chosen, choose_pods_to_delete, get_pods_to_delete};
use crate::controller::{Client, Error};
use crate::object::{Kind, OwnerReference, Pod};
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replica_set::decision::{Decision, Deletion, Missing};

/// Upstream: `pkg/controller/replicaset/replica_set.go BurstReplicas`
const BURST_REPLICAS: i32 = 500;
/// Upstream: `pkg/controller/controller_utils.go SlowStartInitialBatchSize`
const SLOW_START_INITIAL_BATCH_SIZE: i32 = 1;

/// Creates the pods that are missing, or deletes those that are too many.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go manageReplicas`
pub(super) fn manage_replicas(
    client: &mut dyn Client,
    view: &View<'_>,
    owner: Kind,
    active: i32,
    adopted: &[Rc<Pod>],
) -> Result<(), Error> {
    let replica_set = view.replica_set;
    // Go subtracts ints here, which do not wrap.
    let diff = i64::from(active).saturating_sub(i64::from(replica_set.spec.replicas));
    let diff_size = i32::try_from(diff.saturating_abs()).unwrap_or(i32::MAX);
    match diff {
        0 => Ok(()),
        ..0 => create_missing(client, replica_set, owner, active, diff_size),
        _ => delete_surplus(client, view, active, adopted, diff_size),
    }
}

/// Creates pods in batches, at most [`BURST_REPLICAS`] in a sync. After a refusal the rest of them is left to the next sync.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go manageReplicas`, the branch for too few pods
fn create_missing(
    client: &mut dyn Client,
    replica_set: &Rc<ReplicaSet>,
    owner: Kind,
    active: i32,
    missing: i32,
) -> Result<(), Error> {
    let count = missing.min(BURST_REPLICAS);
    let reference = OwnerReference::controller(owner.api_version(), owner.name(), &replica_set.metadata);
    let pod = get_pod_from_template(&replica_set.spec.template, &replica_set.metadata, reference);
    let about = replica_set.key();
    let (_, error) = slow_start_batch(count, SLOW_START_INITIAL_BATCH_SIZE, |batch_size| {
        send_at_once(client, batch_size, core::iter::repeat(()), |client, ()| {
            let name = replica_set.metadata.name.clone();
            let missing_pods = Missing { replica_set: name, wanted: replica_set.spec.replicas, active, missing };
            let decision = match count < missing {
                true => Decision::CreateBurst { missing_pods, count },
                false => Decision::Create(missing_pods),
            };
            match create_pod(client, &about, pod.clone(), decision.into()) {
                // Every creation in a namespace that is being deleted would fail.
                Err(Error::Api(error)) if error.is_namespace_terminating() => Ok(()),
                result => result,
            }
        })
    });
    error.map_or(Ok(()), Err)
}

/// Sends requests at once: the first `count`. Returns how many succeeded, and the first error.
///
/// If the client has a rate limit, the sync stops where a request has to wait, and runs again from its start once that may
/// be sent. The client says then how many requests of this batch it has sent in earlier runs. They are skipped and count as
/// successes; if one of them was refused, the client repeats all answers instead.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go manageReplicas` and `slowStartBatch`, their goroutines
fn send_at_once<T>(
    client: &mut dyn Client,
    count: i32,
    requests: impl Iterator<Item = T>,
    mut send: impl FnMut(&mut dyn Client, T) -> Result<(), Error>,
) -> (i32, Option<Error>) {
    let to_send = client.in_batch(count);
    let sent_before = usize::try_from(to_send.start).unwrap_or(0);
    let mut successes = to_send.start;
    let mut first_error = None;
    for (_, request) in to_send.zip(requests.skip(sent_before)) {
        match send(client, request) {
            Ok(()) => successes = successes.saturating_add(1),
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    (successes, first_error)
}

/// The `count` pods to delete. If all pods compare equal, the sort keeps their order, so only the first ones are read;
/// otherwise all are ranked: by what is kept of them, or after reading them all.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go manageReplicas`, where it calls `getIndirectlyRelatedPods` and
/// `getPodsToDelete`
fn choose(client: &dyn Client, view: &View<'_>, adopted: &[Rc<Pod>], count: usize) -> Choice {
    let (now, gates) = (client.now(), client.gates());
    if adopted.is_empty() {
        if let Some(alike) = view.pods.first_alike(view.replica_set, count.saturating_add(1)) {
            return Choice { deletions: get_pods_to_delete(&alike, &[], count, now, gates), ranking: None };
        }
        if let Some(choice) = view.pods.choose_to_delete(view.replica_set, count, now, gates) {
            return choice;
        }
    }
    let mut pods = view.pods.active(view.replica_set);
    pods.extend(adopted.iter().cloned());
    let related = view.pods.related(view.replica_set);
    choose_pods_to_delete(&pods, &related, count, now, gates)
}

/// Deletes pods, at most [`BURST_REPLICAS`] in a sync. One that is gone already is no error.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go manageReplicas`, the branch for too many pods
fn delete_surplus(
    client: &mut dyn Client,
    view: &View<'_>,
    active: i32,
    adopted: &[Rc<Pod>],
    surplus: i32,
) -> Result<(), Error> {
    let replica_set = view.replica_set;
    let count = surplus.min(BURST_REPLICAS);
    let about = replica_set.key();
    // A sync that has to wait between two deletions must not choose again.
    let choice = view.pods.remember_choice(&|| choose(client, view, adopted, usize::try_from(count).unwrap_or(0)));
    let chosen = i32::try_from(choice.deletions.len()).unwrap_or(i32::MAX);
    let (_, error) = send_at_once(client, chosen, choice.deletions.iter(), |client, deletion| {
        let name = &deletion.pod.metadata.name;
        let why = deletion
            .why
            .as_ref()
            .map(|(stays, comparison)| Chosen { stays: stays.metadata.name.clone(), comparison: comparison.clone() });
        let decision = Decision::delete(Deletion {
            replica_set: replica_set.metadata.name.clone(),
            wanted: replica_set.spec.replicas,
            active,
            pod: name.clone(),
            why,
            surplus,
            count,
            ranking: choice.ranking.clone(),
        });
        match delete_pod(client, &about, &deletion.pod, decision.into()) {
            Err(Error::Api(error)) if error.is_not_found() => Ok(()),
            result => result,
        }
    });
    error.map_or(Ok(()), Err)
}

/// Sends up to `count` requests, in batches that double as long as all requests of a batch succeed. `send` sends a batch of
/// that size, and returns how many of it succeeded, and its first error. Returns the same of all.
///
/// With an initial size of 1 the batches are 1, 2, 4, 8, ... requests, with 10 they are 10, 20, 40, 80, ... If, for example,
/// a quota forbids the pods, the first batch fails and the other creations are not tried.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go slowStartBatch`
pub fn slow_start_batch(
    count: i32,
    initial_batch_size: i32,
    mut send: impl FnMut(i32) -> (i32, Option<Error>),
) -> (i32, Option<Error>) {
    let mut remaining = count;
    let mut successes = 0_i32;
    let mut batch_size = remaining.min(initial_batch_size);
    while batch_size > 0 {
        let (current_successes, error) = send(batch_size);
        successes = successes.saturating_add(current_successes);
        if error.is_some() {
            return (successes, error);
        }
        remaining = remaining.saturating_sub(batch_size);
        batch_size = batch_size.saturating_mul(2).min(remaining);
    }
    (successes, None)
}
