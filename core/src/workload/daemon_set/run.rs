//! The DaemonSet controller in the simulated cluster.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::cluster::controllers::{Controller, Desk, Memory, Queue, Retry, Seen, SyncResult, Workers};
use crate::cluster::step::{Actor, Change};
use crate::cluster::store::Store;
use crate::cluster::workload::{Rollback, RolledBack, Start, UserVerb, Workload, find_history};
use crate::controller::Client;
use crate::controller::history::template_of;
use crate::feature_gates::FeatureGates;
use crate::object::{ControllerRevision, Duration, Kind, Object, ObjectKey, Pod};
use crate::scenario::Undo;
use crate::scheduler::Node;
use crate::workload::daemon_set::controller::{
    self, Found, NodeView, View, get_template_generation, is_pod_updated, revision_of_template, sync_daemon_set,
    sync_node_update,
};
use crate::workload::daemon_set::{DAEMON_SET_UNIQUE_LABEL, DaemonSet};

/// Upstream: `pkg/controller/daemon/config/v1alpha1/defaults.go RecommendedDefaultDaemonSetControllerConfiguration`
static DAEMON_SETS: Queue = Queue {
    controller: &DaemonSetController,
    kind: Kind::DaemonSet,
    workers: Workers { by_default: 2, has_flag: true },
    retry: Retry::DEFAULT,
};

/// DaemonSets in the simulated cluster.
pub(crate) struct DaemonSetKind;

impl Workload for DaemonSetKind {
    fn kind(&self) -> Kind {
        Kind::DaemonSet
    }

    fn controllers(&self) -> &'static [&'static dyn Controller] {
        &[&DaemonSetController]
    }

    fn start(&self) -> Option<Start> {
        Some(Start::AtRest)
    }

    fn field_of(&self, _: UserVerb) -> Option<&'static str> {
        None
    }

    fn rollback(&self) -> Option<Rollback> {
        Some(rollback)
    }

    /// The revision with the hash of a pod that has the template: another release may have made another hash.
    fn missing_revision(&self, store: &Store, object: &Object) -> Option<ControllerRevision> {
        let set = object.typed::<DaemonSet>()?;
        let generation = get_template_generation(set);
        let pod = store.pods_owned_by(&set.metadata.uid).find(|pod| is_pod_updated(pod, "", generation))?;
        let hash = pod.metadata.labels.get(DAEMON_SET_UNIQUE_LABEL)?;
        let mut revision = revision_of_template(set, 1);
        let metadata = Rc::make_mut(&mut revision.metadata);
        metadata.name = format!("{}-{hash}", set.metadata.name).into();
        Rc::make_mut(&mut metadata.labels).insert(DAEMON_SET_UNIQUE_LABEL.into(), hash.clone());
        metadata.creation_timestamp = set.metadata.creation_timestamp;
        Some(revision)
    }

    fn instead_of_replicas(&self) -> Option<&'static str> {
        Some("the nodeSelector of its pod template")
    }
}

/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go DaemonSetRollbacker.Rollback`
fn rollback(store: &Store, object: &Object, undo: &Undo, _: FeatureGates) -> Result<RolledBack, String> {
    let mut set = object.typed::<DaemonSet>().ok_or_else(String::new)?.clone();
    let found = find_history(store, &set.metadata.uid, &set.spec.template, undo.to_revision)?;
    if let Some(template) = template_of(&found) {
        Rc::make_mut(&mut Rc::make_mut(&mut set).spec).template = Rc::new(template);
    }
    Ok(RolledBack { object: set.into(), revision: found.spec.revision.to_string().into() })
}

/// Upstream: `pkg/controller/daemon/daemon_controller.go DaemonSetsController`
#[derive(Debug)]
pub(crate) struct DaemonSetController;

impl Controller for DaemonSetController {
    fn actor(&self) -> Actor {
        Actor::DaemonSetController
    }

    fn queues(&self) -> &'static [&'static Queue] {
        const { &[&DAEMON_SETS] }
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::DaemonSet, Kind::ControllerRevision, Kind::Pod, Kind::Node]
    }

    fn merges_instants(&self) -> bool {
        true
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller.go addPod`, `updatePod`, `deletePod`, `addHistory`, `updateHistory`,
    /// `deleteHistory`, `addNode` and `updateNode`
    fn observe(&self, desk: &mut dyn Desk, _: Actor, change: &Change) {
        match change.key.kind {
            Kind::DaemonSet => {
                if change.after.is_none() {
                    // One of the same name starts over.
                    desk.memory_mut(&DAEMON_SETS, &change.key).set(Remembered::default());
                }
                desk.enqueue(&DAEMON_SETS, (*change.key).clone());
            }
            Kind::Node => observe_node(desk, &change.key),
            // Nobody waits for a new revision.
            Kind::ControllerRevision if change.before.is_none() && has_controller(change) => {}
            Kind::ControllerRevision => desk.enqueue_owners(&DAEMON_SETS, change),
            _ => observe_pod(desk, change),
        }
    }

    fn see(&self, desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        let store = desk.store();
        let mut object = store.typed::<DaemonSet>(key)?.clone();
        if desk.hurries() {
            // Available as soon as they are ready: that is no part of a revision.
            Rc::make_mut(&mut Rc::make_mut(&mut object).spec).min_ready_seconds = 0;
        }
        let pods = store.pods_for(&object.metadata);
        let revisions = store.all_in(&key.namespace).cloned().collect();
        let before = desk.memory(&DAEMON_SETS, key).map(Memory::get).unwrap_or_default();
        let nodes = desk.nodes();
        Some(Box::new(SeenDaemonSet { object, nodes, pods, revisions, before, after: RefCell::default() }))
    }
}

/// What is remembered of a DaemonSet: what upstream's controller remembers, and what saves time.
#[derive(Clone, Default)]
struct Remembered {
    memory: controller::Memory,
    found: Rc<Found>,
}

/// What a DaemonSet's sync has seen, and what was remembered of the DaemonSet.
struct SeenDaemonSet {
    object: Rc<DaemonSet>,
    nodes: Rc<[Rc<Node>]>,
    pods: Rc<Vec<Rc<Pod>>>,
    revisions: Vec<Rc<ControllerRevision>>,
    before: Remembered,
    /// What it remembers after the sync.
    after: RefCell<controller::Memory>,
}

impl Seen for SeenDaemonSet {
    fn objects(&self) -> Vec<Object> {
        Vec::from([Object::DaemonSet(self.object.clone())])
    }

    /// A sync that has to wait runs more than once, each time with what the controller remembered when it began.
    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let Self { object, nodes, pods, revisions, before: Remembered { memory, found }, .. } = self;
        let mut memory = memory.clone();
        let view =
            View { daemon_set: object, nodes, first: &[], pods: &|| pods.clone(), revisions, observe: &|_| (), found };
        let result = sync_daemon_set(client, &view, &mut memory);
        self.after.replace(memory);
        result
    }

    /// The controller has seen all that it has done: its caches are as fresh as the store.
    fn remember(&self, memory: &mut Memory) {
        let after = controller::Memory { expectations: None, ..self.after.borrow().clone() };
        memory.set(Remembered { memory: after, found: self.before.found.clone() });
    }
}

/// A node was added, or has other labels or taints. Upstream has a queue for such nodes, whose workers wait for nothing.
fn observe_node(desk: &mut dyn Desk, key: &ObjectKey) {
    let nodes = desk.nodes();
    let Some(node) = nodes.iter().find(|node| node.name == key.name) else { return };
    let affected = {
        let store = desk.store();
        let daemon_sets: Vec<Rc<DaemonSet>> =
            store.all_of(Kind::DaemonSet).filter_map(Object::typed).cloned().collect();
        let on_node = |pod: &Rc<Pod>| pod.spec.node_name.as_ref() == Some(&node.name);
        let pods: Vec<Rc<Pod>> = store.pods().map(|(_, pod)| pod).filter(|pod| on_node(pod)).cloned().collect();
        sync_node_update(&NodeView { node, daemon_sets: &daemon_sets, pods: &pods })
    };
    for key in affected {
        desk.enqueue(&DAEMON_SETS, key);
    }
}

fn has_controller(change: &Change) -> bool {
    change.after.as_ref().is_some_and(|object| object.metadata().controller().is_some())
}

fn observe_pod(desk: &mut dyn Desk, change: &Change) {
    desk.enqueue_owners(&DAEMON_SETS, change);
    let (Some(Object::Pod(old)), Some(Object::Pod(new))) = (&change.before, &change.after) else { return };
    if old.is_ready() || !new.is_ready() || new.metadata.deletion_timestamp.is_some() {
        return;
    }
    let waiting = desk.store().controller_of::<DaemonSet>(new).map(|set| (set.key(), set.spec.min_ready_seconds));
    if let Some((key, seconds)) = waiting.filter(|(_, seconds)| *seconds > 0) {
        // A second more, because timers are not exact.
        let seconds = i64::from(seconds).saturating_add(1);
        desk.enqueue_after(&DAEMON_SETS, &key, Duration::seconds(seconds));
    }
}
