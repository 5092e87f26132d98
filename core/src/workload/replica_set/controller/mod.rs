//! The ReplicaSet controller: how many pods, and which one goes first.

mod manage;
mod status;
mod view;
mod write;

use alloc::rc::Rc;
use alloc::vec::Vec;

pub use manage::slow_start_batch;
pub use status::{CalculatedStatus, calculate_status};
pub(crate) use view::for_neighbors;
pub use view::{PodCounts, Pods, View, get_indirectly_related_pods};
pub(crate) use write::write_replica_set;

use crate::controller::controller_ref::{Claim, adopted, aggregate, can_adopt, claim_object, released};
use crate::controller::{Client, Error, Write};
use crate::object::{Duration, Kind, LabelSelector, ObjectMeta, OwnerReference, Pod};
use crate::workload::replica_set::decision::Decision;

/// One sync. Returns after what time to look again, because a pod becomes available then.
///
/// # Errors
/// A refused write; the sync is tried again.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go syncReplicaSet`
pub fn sync_replica_set(client: &mut dyn Client, view: &View<'_>) -> Result<Option<Duration>, Error> {
    sync_as(client, view, Kind::ReplicaSet)
}

/// One sync of an object that owns pods as this kind: a ReplicaSet, or a ReplicationController in the shape of one.
///
/// Upstream's rsNeedsSync is always true here: there are no expectations (see `manage.rs`).
///
/// Upstream: `pkg/controller/replicaset/replica_set.go syncReplicaSet`
pub(crate) fn sync_as(client: &mut dyn Client, view: &View<'_>, owner: Kind) -> Result<Option<Duration>, Error> {
    let replica_set = view.replica_set;
    let Ok(selector) = LabelSelector::to_selector(replica_set.spec.selector.as_deref()) else {
        client.note(Decision::SelectorUnreadable { replica_set: replica_set.metadata.name.clone() }.into());
        return Ok(None);
    };
    let mut pods = view.pods.counts(replica_set, client.now());
    let adopted_pods = claim_pods(client, view, owner, |labels| selector.matches(labels))?;
    for pod in &adopted_pods {
        pods.count(pod, replica_set, client.now());
    }
    let managed = if replica_set.metadata.deletion_timestamp.is_none() {
        manage::manage_replicas(client, view, owner, pods.active, &adopted_pods)
    } else {
        Ok(())
    };
    let manage_replicas_error = managed.as_ref().err();
    let new_status = calculate_status(replica_set, &pods, manage_replicas_error, client.gates(), client.now());
    // The status is written even if pods could not be created or deleted.
    let updated = status::update_replica_set_status(client, replica_set, new_status)?;
    managed?;
    let waits =
        updated.spec.min_ready_seconds > 0 && updated.status.ready_replicas != updated.status.available_replicas;
    let next_sync = waits.then(|| {
        let fallback = Duration::seconds(updated.spec.min_ready_seconds.into());
        pods.next_available_in.map_or(fallback, Duration)
    });
    Ok(next_sync)
}

fn pod_owner(owner: Kind, metadata: &ObjectMeta) -> OwnerReference {
    OwnerReference::controller(owner.api_version(), owner.name(), metadata)
}

/// Adopts and releases pods. Returns the adopted ones; the others that it keeps are counted without being listed.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go claimPods`
fn claim_pods(
    client: &mut dyn Client,
    view: &View<'_>,
    owner: Kind,
    matches: impl Fn(&crate::object::Strings) -> bool,
) -> Result<Vec<Rc<Pod>>, Error> {
    let metadata = &view.replica_set.metadata;
    let (mut claimed, mut errors) = (Vec::new(), Vec::new());
    let mut may_adopt = None;
    for pod in view.pods.unclaimed(view.replica_set) {
        let name = &pod.metadata.name;
        let claim = claim_object(metadata, &pod.metadata, matches(&pod.metadata.labels));
        let (patched, decision) = match claim {
            Claim::Ignore | Claim::Keep => continue,
            Claim::Release => (
                released(&pod.metadata, metadata),
                Decision::Release { pod: name.clone(), replica_set: metadata.name.clone() },
            ),
            Claim::Adopt => {
                let key = view.replica_set.key();
                let allowed = may_adopt.get_or_insert_with(|| can_adopt(client, &key, metadata));
                if let Err(error) = allowed {
                    errors.push(Error::Other(alloc::format!(
                        "can't adopt Pod {}/{name} ({}): {error}",
                        pod.metadata.namespace,
                        pod.metadata.uid
                    )));
                    continue;
                }
                (
                    adopted(&pod.metadata, pod_owner(owner, metadata)),
                    Decision::Adopt { pod: name.clone(), replica_set: metadata.name.clone() },
                )
            }
        };
        let object = Pod { metadata: Rc::new(patched), ..(*pod).clone() };
        match client.write(Write::Patch(object.into()), decision.into()) {
            Ok(_) if claim == Claim::Adopt => claimed.push(pod),
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            // The object has been released already, or was replaced by another of its name.
            Err(error) if claim == Claim::Release && error.is_invalid() => {}
            Err(error) => errors.push(error.into()),
        }
    }
    aggregate(errors)?;
    Ok(claimed)
}
