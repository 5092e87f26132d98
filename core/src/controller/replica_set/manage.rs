use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Owner, View};
use crate::controller::client::record;
use crate::controller::decision::replica_set::{Chosen, Decision, Delete};
use crate::controller::rank::{Deletion, get_pods_to_delete};
use crate::controller::{Client, Error, Event, Write};
use crate::object::{ObjectMeta, Pod, PodStatus, ReplicaSet, Unknown};

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
    owner: Owner,
    active: i32,
    adopted: &[Rc<Pod>],
) -> Result<(), Error> {
    let replica_set = view.replica_set;
    // Go subtracts ints here, which do not wrap.
    let diff = i64::from(active).saturating_sub(i64::from(replica_set.spec.replicas));
    let count = i32::try_from(diff.saturating_abs()).unwrap_or(i32::MAX).min(BURST_REPLICAS);
    match diff {
        0 => Ok(()),
        ..0 => create_missing(client, replica_set, owner, active, count),
        _ => delete_surplus(client, view, active, adopted, count),
    }
}

fn create_missing(
    client: &mut dyn Client,
    replica_set: &Rc<ReplicaSet>,
    owner: Owner,
    active: i32,
    count: i32,
) -> Result<(), Error> {
    let template = get_pod_from_template(replica_set, owner);
    let about = replica_set.key();
    let (_, error) = slow_start_batch(count, SLOW_START_INITIAL_BATCH_SIZE, |batch| {
        if let Some(size) = batch {
            client.in_parallel(size);
        }
        if template.metadata.labels.is_empty() {
            return Err(Error::Other(String::from("unable to create pods, no labels")));
        }
        let decision = Decision::Create {
            replica_set: replica_set.metadata.name.clone(),
            wanted: replica_set.spec.replicas,
            active,
            missing: count,
        };
        match client.write(Write::Create(template.clone().into()), decision.into()) {
            Ok(created) => {
                let name = created.as_ref().map_or("", |created| &created.metadata().name);
                record(client, &about, || Event::normal("SuccessfulCreate", &["Created pod: ", name].concat()));
                Ok(())
            }
            // Every creation in a namespace that is being deleted would fail.
            Err(error) if error.is_namespace_terminating() => Ok(()),
            Err(error) => {
                record(client, &about, || Event::warning("FailedCreate", &alloc::format!("Error creating: {error}")));
                Err(error.into())
            }
        }
    });
    error.map_or(Ok(()), Err)
}

/// The `count` pods to delete. If all pods compare equal, the sort keeps their order, so only the first ones are read;
/// otherwise all are ranked.
fn choose(client: &dyn Client, view: &View<'_>, adopted: &[Rc<Pod>], count: usize) -> Vec<Deletion> {
    let (now, gates) = (client.now(), client.gates());
    if adopted.is_empty()
        && let Some(alike) = view.pods.first_alike(view.replica_set, count.saturating_add(1))
    {
        return get_pods_to_delete(&alike, &[], count, now, gates);
    }
    let mut pods = view.pods.active(view.replica_set);
    pods.extend(adopted.iter().cloned());
    let related = view.pods.related(view.replica_set);
    get_pods_to_delete(&pods, &related, count, now, gates)
}

fn delete_surplus(
    client: &mut dyn Client,
    view: &View<'_>,
    active: i32,
    adopted: &[Rc<Pod>],
    count: i32,
) -> Result<(), Error> {
    let replica_set = view.replica_set;
    let count = usize::try_from(count).unwrap_or(0);
    let about = replica_set.key();
    let mut first_error = None;
    let deletions = view.pods.remember_choice(&|| choose(client, view, adopted, count).into());
    client.in_parallel(i32::try_from(deletions.len()).unwrap_or(i32::MAX));
    for deletion in deletions.iter() {
        let name = &deletion.pod.metadata.name;
        let chosen = deletion
            .why
            .as_ref()
            .map(|(stays, comparison)| Chosen { stays: stays.metadata.name.clone(), comparison: comparison.clone() });
        let decision = Decision::Delete(Box::new(Delete {
            replica_set: replica_set.metadata.name.clone(),
            wanted: replica_set.spec.replicas,
            active,
            pod: name.clone(),
            chosen,
        }));
        match client.write(Write::Delete(deletion.pod.key()), decision.into()) {
            Ok(_) => {
                record(client, &about, || Event::normal("SuccessfulDelete", &["Deleted pod: ", name].concat()));
            }
            Err(error) if error.is_not_found() => {}
            Err(error) => {
                record(client, &about, || Event::warning("FailedDelete", &alloc::format!("Error deleting: {error}")));
                first_error.get_or_insert(Error::Other(alloc::format!("unable to delete pods: {error}")));
            }
        }
    }
    first_error.map_or(Ok(()), Err)
}

/// Calls `call` up to `count` times, in batches that double as long as all calls of a batch succeed: how many succeeded,
/// and the first error. The first call of each batch gets the batch's size.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go slowStartBatch`
pub fn slow_start_batch(
    count: i32,
    initial_batch_size: i32,
    mut call: impl FnMut(Option<i32>) -> Result<(), Error>,
) -> (i32, Option<Error>) {
    let mut remaining = count;
    let mut successes = 0_i32;
    let mut batch = remaining.min(initial_batch_size);
    while batch > 0 {
        let mut first_error = None;
        for index in 0..batch {
            match call((index == 0).then_some(batch)) {
                Ok(()) => successes = successes.saturating_add(1),
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        if first_error.is_some() {
            return (successes, first_error);
        }
        remaining = remaining.saturating_sub(batch);
        batch = batch.saturating_mul(2).min(remaining);
    }
    (successes, None)
}

/// The pod that a ReplicaSet creates.
///
/// Upstream: `pkg/controller/controller_utils.go GetPodFromTemplate`
fn get_pod_from_template(replica_set: &ReplicaSet, owner: Owner) -> Pod {
    let template = &replica_set.spec.template;
    let metadata = &replica_set.metadata;
    // One nothing for all: it may be many pods.
    let nothing: Rc<str> = "".into();
    Pod {
        metadata: Rc::new(ObjectMeta {
            name: nothing.clone(),
            generate_name: get_pods_prefix(&metadata.name).into(),
            namespace: metadata.namespace.clone(),
            uid: nothing.clone(),
            generation: 0,
            resource_version: nothing,
            creation_timestamp: None,
            deletion_timestamp: None,
            deletion_grace_period_seconds: None,
            labels: template.metadata.labels.clone(),
            annotations: template.metadata.annotations.clone(),
            owner_references: Rc::new(Vec::from([owner.reference(metadata)])),
            finalizers: template.metadata.finalizers.clone(),
            unknown: Unknown::default(),
        }),
        spec: template.spec.clone(),
        status: PodStatus::default(),
    }
}

/// The name and a dash. Upstream leaves the dash out where no pod's name can begin so, but its check cuts the dash off
/// first: every name that a controller may have passes it.
///
/// Upstream: `pkg/controller/controller_utils.go getPodsPrefix`
fn get_pods_prefix(controller: &str) -> String {
    [controller, "-"].concat()
}
