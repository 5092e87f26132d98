//! The StatefulSet controller: pods with ordinals, which are created, replaced and deleted in order.

mod applied_template;
mod claims;
mod control;
mod identity;
mod known;
mod pod_control;
mod revisions;
mod state;
mod update;

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

pub use applied_template::apply_revision;
#[cfg(feature = "explain")]
pub(crate) use identity::first_updated_ordinal;
pub(crate) use identity::get_stateful_set_max_unavailable;
pub use identity::{get_ordinal, get_pod_revision};
pub use known::Found;
pub use revisions::revision_of_template;

use crate::controller::controller_ref::{ControllerRefManager, adopted, can_adopt};
use crate::controller::history::{adopt_controller_revision, list_controller_revisions};
use crate::controller::pod_control::next_pod_availability_check;
use crate::controller::{Client, Error};
use crate::object::{
    ControllerRevision, Duration, Kind, LabelSelector, ObjectKey, ObjectMeta, OwnerReference, PersistentVolumeClaim,
    Pod, Selector,
};
use crate::workload::stateful_set::StatefulSet;
use crate::workload::stateful_set::decision::Decision;
use known::KnownPods;
use state::Sync;

/// What a sync of a StatefulSet sees.
pub struct View<'a> {
    /// The StatefulSet.
    pub set: &'a Rc<StatefulSet>,
    /// The pods that it owns by name, then those of its namespace that have no controller, by name.
    pub pods: &'a [Rc<Pod>],
    /// The revisions of its namespace.
    pub revisions: &'a [Rc<ControllerRevision>],
    /// The claim of its namespace with this key.
    pub claim: &'a dyn Fn(&ObjectKey) -> Option<Rc<PersistentVolumeClaim>>,
    /// What earlier syncs have found out.
    pub found: &'a Found,
}

/// One sync. Returns after what time to look again, because a pod becomes available then.
///
/// # Errors
/// A refused write; the sync is tried again.
///
/// Upstream: `pkg/controller/statefulset/stateful_set.go sync`
pub fn sync_stateful_set(client: &mut dyn Client, view: &View<'_>) -> Result<Option<Duration>, Error> {
    let Ok(selector) = LabelSelector::to_selector(view.set.spec.selector.as_deref()) else {
        client.note(Decision::SelectorUnreadable { set: view.set.metadata.name.clone() }.into());
        return Ok(None);
    };
    let revisions = list_controller_revisions(&view.set.metadata, Kind::StatefulSet, &selector, view.revisions);
    adopt_orphan_revisions(client, view.set, &revisions)?;
    let mut pods = view.found.pods.borrow_mut();
    get_pods_for_stateful_set(client, view, &selector, &mut pods)?;
    let now = client.now();
    let status = Sync::new(client, view).update_stateful_set(&pods, revisions)?;
    let seconds = view.set.spec.min_ready_seconds;
    if seconds <= 0 || status.ready_replicas == status.available_replicas {
        return Ok(None);
    }
    let ready = pods.iter().filter(|known| known.pod.is_ready());
    let next = ready.filter_map(|known| next_pod_availability_check(&known.pod, seconds, now));
    Ok(Some(next.min().map_or_else(|| Duration::seconds(seconds.into()), Duration)))
}

/// Upstream: `pkg/controller/statefulset/stateful_set.go adoptOrphanRevisions`
fn adopt_orphan_revisions(
    client: &mut dyn Client,
    set: &Rc<StatefulSet>,
    revisions: &[Rc<ControllerRevision>],
) -> Result<(), Error> {
    let orphans = revisions.iter().filter(|revision| revision.metadata.controller().is_none());
    let mut may_adopt = None;
    for revision in orphans {
        let allowed = may_adopt.get_or_insert_with(|| can_adopt(client, &set.key(), &set.metadata));
        if let Err(error) = allowed {
            return Err(Error::Other(format!("can't adopt ControllerRevisions: {error}")));
        }
        let name = revision.metadata.name.clone();
        let decision = Decision::AdoptRevision { revision: name, set: set.metadata.name.clone() };
        adopt_controller_revision(client, &set.metadata, Kind::StatefulSet, revision, decision.into())?;
    }
    Ok(())
}

/// The StatefulSet's pods: those that match and have one of its names. Others that it owns are released, and matching ones
/// without an owner adopted.
///
/// Upstream: `pkg/controller/statefulset/stateful_set.go getPodsForStatefulSet`
fn get_pods_for_stateful_set(
    client: &mut dyn Client,
    view: &View<'_>,
    selector: &Selector<'_>,
    known: &mut KnownPods,
) -> Result<(), Error> {
    known.see(view.found, view.set, selector, view.pods);
    if known.are_kept() {
        return Ok(());
    }
    let controller = &view.set.metadata;
    let matches = |pod: &Pod| selector.matches(&pod.metadata.labels) && identity::is_member_of(view.set, pod);
    let pods = view.pods.iter().map(|pod| (pod.clone(), matches(pod)));
    let decide = |adopts: bool, pod: &mut ObjectMeta| {
        let (pod, set) = (pod.name.clone(), controller.name.clone());
        if adopts { Decision::Adopt { pod, set } } else { Decision::Release { pod, set } }.into()
    };
    let key = view.set.key();
    let manager = ControllerRefManager { key, controller, kind: Kind::StatefulSet, decide: &decide };
    let claimed = manager.claim(client, pods)?;
    // A pod that was just adopted has its owner. In upstream's cache it has none yet: an update of it is refused, and sent again.
    let owner = OwnerReference::controller(Kind::StatefulSet.api_version(), Kind::StatefulSet.name(), controller);
    let owned = claimed.into_iter().map(|pod| match pod.metadata.controller() {
        Some(_) => pod,
        None => Rc::new(Pod { metadata: Rc::new(adopted(&pod.metadata, owner.clone())), ..(*pod).clone() }),
    });
    known.see(view.found, view.set, selector, &owned.collect::<Vec<_>>());
    Ok(())
}
