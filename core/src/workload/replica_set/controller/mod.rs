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

use crate::controller::controller_ref::ControllerRefManager;
use crate::controller::{Client, Error};
use crate::object::{Duration, Kind, LabelSelector, ObjectMeta, Pod};
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

/// Adopts and releases pods. Returns the adopted ones; the others that it keeps are counted without being listed.
///
/// Upstream: `pkg/controller/replicaset/replica_set.go claimPods`
fn claim_pods(
    client: &mut dyn Client,
    view: &View<'_>,
    owner: Kind,
    matches: impl Fn(&crate::object::Strings) -> bool,
) -> Result<Vec<Rc<Pod>>, Error> {
    let controller = &view.replica_set.metadata;
    let pods = view.pods.unclaimed(view.replica_set).into_iter().map(|pod| {
        let matches = matches(&pod.metadata.labels);
        (pod, matches)
    });
    let decide = |adopts: bool, pod: &mut ObjectMeta| {
        let (pod, replica_set) = (pod.name.clone(), controller.name.clone());
        match adopts {
            true => Decision::Adopt { pod, replica_set }.into(),
            false => Decision::Release { pod, replica_set }.into(),
        }
    };
    let key = view.replica_set.key();
    let mut claimed = ControllerRefManager { key, controller, kind: owner, decide: &decide }.claim(client, pods)?;
    claimed.retain(|pod| pod.metadata.controller().is_none());
    Ok(claimed)
}
