//! The StatefulSet controller in the simulated cluster.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cluster::controllers::{Controller, Desk, Memory, Queue, Retry, Seen, SyncResult, Workers};
use crate::cluster::step::{Actor, Change};
use crate::cluster::store::Store;
use crate::cluster::workload::{Rollback, RolledBack, Start, UserVerb, Workload, find_history};
use crate::controller::Client;
use crate::feature_gates::FeatureGates;
use crate::object::{ControllerRevision, Duration, Kind, Object, ObjectKey, PersistentVolumeClaim, Pod};
use crate::scenario::Undo;
use crate::workload::stateful_set::controller::{
    Found, View, apply_revision, get_ordinal, revision_of_template, sync_stateful_set,
};
use crate::workload::stateful_set::{PodManagementPolicy, StatefulSet};

/// Upstream: `pkg/controller/statefulset/config/v1alpha1/defaults.go RecommendedDefaultStatefulSetControllerConfiguration`
static STATEFUL_SETS: Queue = Queue {
    controller: &StatefulSetController,
    kind: Kind::StatefulSet,
    workers: Workers::DEFAULT,
    retry: Retry::DEFAULT,
};

/// StatefulSets in the simulated cluster.
pub(crate) struct StatefulSetKind;

impl Workload for StatefulSetKind {
    fn kind(&self) -> Kind {
        Kind::StatefulSet
    }

    fn controllers(&self) -> &'static [&'static dyn Controller] {
        &[&StatefulSetController]
    }

    fn start(&self) -> Option<Start> {
        Some(Start::AtRest)
    }

    fn field_of(&self, verb: UserVerb) -> Option<&'static str> {
        (verb == UserVerb::Scale).then_some("replicas")
    }

    fn rollback(&self) -> Option<Rollback> {
        Some(rollback)
    }

    /// The revision that the controller has seen.
    fn missing_revision(&self, _: &Store, object: &Object) -> Option<ControllerRevision> {
        let set = object.typed::<StatefulSet>()?;
        let name = set.status.update_revision.clone();
        if name.is_empty() || set.status.observed_generation < set.metadata.generation {
            return None;
        }
        let mut revision = revision_of_template(set, 1);
        let metadata = Rc::make_mut(&mut revision.metadata);
        metadata.name = name;
        metadata.creation_timestamp = set.metadata.creation_timestamp;
        Some(revision)
    }

    fn numbered_pods(&self, store: &Store, owner: &ObjectKey) -> Option<Vec<Rc<Pod>>> {
        Some(store.pods_owned_by(&store.typed::<StatefulSet>(owner)?.metadata.uid).cloned().collect())
    }

    fn pod_number(&self, pod: &Pod) -> Option<i64> {
        get_ordinal(pod).map(i64::from)
    }
}

/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go StatefulSetRollbacker.Rollback`
fn rollback(store: &Store, object: &Object, undo: &Undo, _: FeatureGates) -> Result<RolledBack, String> {
    let set = object.typed::<StatefulSet>().ok_or_else(String::new)?;
    let found = find_history(store, &set.metadata.uid, &set.spec.template, undo.to_revision)?;
    let revision = found.spec.revision.to_string().into();
    Ok(RolledBack { object: apply_revision(set, &found).into(), revision })
}

/// Upstream: `pkg/controller/statefulset/stateful_set.go StatefulSetController`
#[derive(Debug)]
pub(crate) struct StatefulSetController;

impl Controller for StatefulSetController {
    fn actor(&self) -> Actor {
        Actor::StatefulSetController
    }

    fn queues(&self) -> &'static [&'static Queue] {
        const { &[&STATEFUL_SETS] }
    }

    /// Neither revisions nor claims.
    fn watches(&self) -> &'static [Kind] {
        &[Kind::StatefulSet, Kind::Pod]
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set.go addPod`, `updatePod` and `deletePod`
    fn observe(&self, desk: &mut dyn Desk, _: Actor, change: &Change) {
        if change.key.kind == Kind::StatefulSet {
            if change.after.is_none() {
                desk.memory_mut(&STATEFUL_SETS, &change.key).set(Rc::<Found>::default());
            }
            desk.enqueue(&STATEFUL_SETS, (*change.key).clone());
            return;
        }
        desk.enqueue_owners(&STATEFUL_SETS, change);
        let (Some(Object::Pod(old)), Some(Object::Pod(new))) = (&change.before, &change.after) else { return };
        if old.is_ready() || !new.is_ready() {
            return;
        }
        let waiting = desk.store().controller_of::<StatefulSet>(new).map(|set| (set.key(), set.spec.min_ready_seconds));
        if let Some((key, seconds)) = waiting.filter(|(_, seconds)| *seconds > 0) {
            desk.enqueue_after(&STATEFUL_SETS, &key, Duration::seconds(seconds.into()));
        }
    }

    fn see(&self, desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        let store = desk.store();
        let mut object = store.typed::<StatefulSet>(key)?.clone();
        if desk.hurries() {
            // All pods at once, and available as soon as they are ready: neither is part of a revision.
            let spec = Rc::make_mut(&mut Rc::make_mut(&mut object).spec);
            spec.pod_management_policy = PodManagementPolicy::Parallel;
            spec.min_ready_seconds = 0;
        }
        let pods = store.pods_for(&object.metadata);
        let revisions = store.all_in(&key.namespace).cloned().collect();
        let mut claims = BTreeMap::new();
        if !object.spec.volume_claim_templates.is_empty() {
            let all = store.all_in::<PersistentVolumeClaim>(&key.namespace);
            claims.extend(all.map(|claim| (claim.metadata.name.clone(), claim.clone())));
        }
        let found = desk.memory(&STATEFUL_SETS, key).map(Memory::get).unwrap_or_default();
        Some(Box::new(SeenStatefulSet { object, pods, revisions, claims, found }))
    }
}

/// What a StatefulSet's sync has seen.
struct SeenStatefulSet {
    object: Rc<StatefulSet>,
    pods: Rc<Vec<Rc<Pod>>>,
    revisions: Vec<Rc<ControllerRevision>>,
    claims: BTreeMap<Rc<str>, Rc<PersistentVolumeClaim>>,
    found: Rc<Found>,
}

impl Seen for SeenStatefulSet {
    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::StatefulSet(self.object.clone())])
    }

    fn find(&self, key: &ObjectKey) -> Option<Object> {
        match key.kind {
            Kind::Pod => self.pods.iter().find(|pod| pod.metadata.name == key.name).cloned().map(Object::Pod),
            Kind::PersistentVolumeClaim => self.claims.get(&key.name).cloned().map(Object::PersistentVolumeClaim),
            _ => None,
        }
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let claim = |key: &ObjectKey| self.claims.get(&key.name).cloned();
        let Self { object, pods, revisions, found, .. } = self;
        sync_stateful_set(client, &View { set: object, pods, revisions, claim: &claim, found })
    }

    /// Upstream remembers nothing of a StatefulSet but which revisions are equal, which saves time, too.
    fn remember(&self, memory: &mut Memory) {
        memory.set(self.found.clone());
    }
}
