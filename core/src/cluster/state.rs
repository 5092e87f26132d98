//! Everything that a simulation is made of, and how the cluster's core asks the models around it.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::aux_objects::AuxObject;
use super::client_throttling::ClientThrottling;
use super::controllers::{Queue, Seen};
use super::decision::Decision;
use super::event_queue::{EventQueue, SimEvent};
use super::name_generator::NameGenerator;
use super::node_state::{NodeCondition, NodeState, Nodes};
use super::pod_groups::PodGroups;
use super::recorder::Recorder;
use super::seen_pods::PodSource;
use super::step::Actor;
use super::store::{Id, Store};
use super::sync_log::WriteAnswer;
use super::timing_index::TimingIndex;
use super::work_queue::WorkQueues;
use super::workload::Workload;
use crate::Problem;
use crate::controller::{self, ApiError, DeletionPropagation, Write};
use crate::feature_gates::Gates;
use crate::object::{Kind, Object, ObjectKey, PersistentVolumeClaim, Pod, PodSpecFields, Time};
use crate::scenario::Scenario;
use crate::scheduler::{NodeReport, Plugin, Shape, Snapshot};

/// The simulated cluster. Each part of it is an `impl` of its own: API server, controller manager, kubelet and so on.
pub(super) struct Cluster {
    pub(super) scenario: Rc<Scenario>,
    pub(super) gates: Gates,
    pub(super) environment: &'static dyn Environment,
    /// Whether decisions that write nothing are steps.
    pub(super) keeps_notes: bool,
    /// Whether objects come to rest faster, where that changes nothing of the pods that they have then.
    pub(super) hurries: bool,
    pub(super) now: Time,
    /// Shared with the view of a sync, which reads while its client writes.
    pub(super) store: Rc<RefCell<Store>>,
    /// The pods, where they are no objects of the store.
    pub(super) pod_groups: Rc<RefCell<PodGroups>>,
    /// Where the controllers' syncs find pods.
    pub(super) pods: Rc<dyn PodSource>,
    /// What the Deployment controller's caches show, where they lag behind the store.
    pub(super) lagging_cache: Option<RefCell<Store>>,
    pub(super) events: EventQueue,
    pub(super) names: NameGenerator,
    pub(super) recorder: Recorder,
    pub(super) work_queues: WorkQueues,
    /// The limits of the controllers' clients, if the scenario sets any.
    pub(super) throttling: Option<ClientThrottling>,
    /// Objects whose foreground deletion waits for their dependents.
    pub(super) foreground_deletions: Vec<ForegroundDeletion>,
    /// Objects that bear on pods and are no [`Object`]s.
    pub(super) aux_objects: Vec<AuxObject>,
    /// The fields of the last pod that got requests and limits from LimitRanges.
    pub(super) last_filled_in: Option<Rc<PodSpecFields>>,
    pub(super) nodes: Nodes,
    /// The nodes as the controllers have seen them last.
    #[cfg(feature = "sets")]
    pub(super) observed_nodes: Vec<NodeCondition>,
    /// How often the nodes had changed then.
    #[cfg(feature = "sets")]
    pub(super) observed_changes: u64,
    /// When the node lifecycle controller may taint a node again.
    pub(super) next_taint: Time,
    /// Where the scenario's timings are found; none where none of them is for a Deployment.
    pub(super) timing_index: Option<TimingIndex>,
    pub(super) scheduling: Scheduling,
    pub(super) autoscaling: Autoscaling,
    pub(super) volumes: Volumes,
    pub(super) drains: Vec<Draining>,
}

/// An owner that stays, marked, until the dependents that block its deletion are gone.
pub(super) struct ForegroundDeletion {
    pub(super) key: ObjectKey,
    pub(super) uid: Rc<str>,
    /// Whether a dependent has gone since the garbage collector last looked at the owner.
    pub(super) lost_dependent: bool,
}

/// What surrounds API server and controllers: nodes, volumes, quotas, the limits of clients, the user. The cluster's core
/// reports to it.
pub(super) trait Environment {
    /// Lets something happen.
    ///
    /// # Errors
    /// A problem of one of the scenario's actions, with its path.
    fn handle(&self, cluster: &mut Cluster, event: SimEvent) -> Result<(), Problem>;

    /// The kinds of workloads whose controllers run.
    fn workloads(&self) -> &'static [&'static dyn Workload];

    /// What the cluster knows of a kind of workloads; none for another kind.
    fn workload(&self, kind: Kind) -> Option<&'static dyn Workload> {
        self.workloads().iter().copied().find(|workload| workload.kind() == kind)
    }

    /// Where the controllers' syncs find pods.
    fn pod_source(&self, store: &Rc<RefCell<Store>>, groups: &Rc<RefCell<PodGroups>>) -> Rc<dyn PodSource>;

    /// Runs a controller's sync of an object.
    fn run_sync(&self, cluster: &mut Cluster, queue: &'static Queue, key: &ObjectKey, seen: Box<dyn Seen>);

    /// Carries out a write of a controller.
    ///
    /// # Errors
    /// The API server's refusal.
    fn write(
        &self,
        cluster: &mut Cluster,
        actor: Actor,
        about: &Rc<ObjectKey>,
        write: Write,
        decision: controller::Decision,
    ) -> WriteAnswer;

    /// Whether the creation or deletion of a pod may be refused.
    fn may_refuse_pods(&self) -> bool;

    /// What the API server makes of a new object of a controller, which will have that uid.
    ///
    /// # Errors
    /// The API server's refusal.
    fn complete(&self, cluster: &mut Cluster, object: Object, uid: &str) -> Result<Object, ApiError>;

    /// Whether the API server takes in an object that this actor creates: validation of what admission plugins have changed, and the
    /// plugins that only validate.
    ///
    /// # Errors
    /// The API server's refusal.
    fn admit(&self, cluster: &mut Cluster, actor: Actor, about: &ObjectKey, object: &Object) -> Result<(), ApiError>;

    /// A claim after a request to delete it; none if it is gone.
    fn deleted_claim(&self, cluster: &mut Cluster, claim: &Rc<PersistentVolumeClaim>) -> Option<Object>;

    /// An object that may own others is deleted, before what it owns or without it.
    fn delete_owner(
        &self,
        cluster: &mut Cluster,
        actor: Actor,
        about: &ObjectKey,
        object: &Object,
        propagation: DeletionPropagation,
        decision: Decision,
    );

    /// A pod has been created, or is there at the start.
    fn pod_added(&self, cluster: &mut Cluster, id: Id, pod: &Pod);

    /// A pod was asked to terminate within that many seconds.
    fn pod_terminates(&self, cluster: &mut Cluster, id: Id, pod: &Pod, grace_seconds: i64);

    /// A pod has ended or is gone: it takes nothing of its node any more.
    fn pod_ended(&self, cluster: &mut Cluster, pod: &Pod);

    /// A pod has changed and goes on.
    fn pod_changed(&self, cluster: &mut Cluster, id: Id, before: &Pod, after: &Pod);

    /// Each controller has synced what had changed.
    fn after_round(&self, cluster: &mut Cluster);

    /// The controllers have come to rest after an event.
    fn after_event(&self, cluster: &mut Cluster);
}

/// What the scheduler remembers.
#[derive(Debug, Default)]
pub(super) struct Scheduling {
    /// Pods for which there was no node.
    pub(super) unschedulable: Vec<WaitingPod>,
    /// The last message for them, until something changes.
    pub(super) failure: Option<Rc<SchedulingFailure>>,
    /// Whether pods lose their scheduling gates at once.
    pub(super) ignores_gates: bool,
    /// The nodes and their pods as the scheduler sees them; none where the nodes stand for any number of nodes.
    pub(super) snapshot: Option<Snapshot>,
    /// What the snapshot knows of the condition of each node.
    pub(super) conditions: Vec<NodeCondition>,
    /// How often the nodes had changed then.
    pub(super) changes: u64,
}

impl Scheduling {
    /// The nodes and their pods as the scheduler sees them.
    pub(super) const fn snapshot(&mut self) -> Option<&mut Snapshot> {
        if cfg!(feature = "nodes") { self.snapshot.as_mut() } else { None }
    }

    /// The same, taken out.
    pub(super) const fn take_snapshot(&mut self) -> Option<Snapshot> {
        if cfg!(feature = "nodes") { self.snapshot.take() } else { None }
    }
}

/// A pod that waits for a node.
#[derive(Debug)]
pub(super) struct WaitingPod {
    pub(super) id: Id,
    /// What it asks for, where the scheduler looks at that.
    pub(super) shape: Option<Shape>,
    pub(super) failure: Rc<SchedulingFailure>,
    /// Something has changed that may help it, of which no event tells the scheduler: it is tried again after some time.
    pub(super) is_flushed: bool,
}

/// What becomes of the node that a pod has been promised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Nomination {
    /// It stays.
    Kept,
    /// The pod has none, or has it no more.
    Cleared,
    /// The pod gets this one, by its number.
    Node(usize),
}

/// Why the scheduler had no node for pods of one template at one time.
#[derive(Debug)]
pub(super) struct SchedulingFailure {
    pub(super) time: Time,
    pub(super) fields: Rc<PodSpecFields>,
    /// The shape of the pods, where the scheduler looks at that.
    pub(super) shape: Option<usize>,
    /// The plugins that rejected them.
    pub(super) plugins: Vec<Plugin>,
    /// What it says of the nodes.
    pub(super) nodes_message: String,
    /// And all that it says.
    pub(super) message: String,
    /// What becomes of the node that they have been promised.
    pub(super) nomination: Nomination,
    /// What it makes of each node, where details are kept.
    pub(super) report: Option<Rc<NodeReport>>,
}

/// What the node autoscaler knows besides the nodes.
#[derive(Debug, Default)]
pub(super) struct Autoscaling {
    /// Nodes that it has ordered, and that are not ready yet.
    pub(super) upcoming: u32,
    /// How many it has ordered so far.
    pub(super) ordered: u32,
    /// When it looks for pods that wait.
    pub(super) planned: Option<Time>,
}

/// Volumes that only one node has at a time, and pods that wait for one.
#[derive(Debug, Default)]
pub(super) struct Volumes {
    pub(super) attached: Vec<AttachedVolume>,
    pub(super) waiting: Vec<Id>,
    /// Claims that are deleted, and that a pod still used when it was last looked.
    pub(super) deleted_claims: Vec<ObjectKey>,
}

/// A claim's volume that is attached to a node, for its pods there.
#[derive(Debug)]
pub(super) struct AttachedVolume {
    pub(super) claim: ObjectKey,
    pub(super) node: Rc<str>,
    pub(super) pods: Vec<Id>,
    /// Since when no pod needs it.
    pub(super) unused_since: Option<Time>,
}

/// A node that `kubectl drain` is draining.
#[derive(Debug)]
pub(super) struct Draining {
    pub(super) node: Rc<str>,
    pub(super) since: Time,
    pub(super) pods: Vec<PendingEviction>,
    /// Whether there is a pod that will stay.
    pub(super) failed: bool,
    pub(super) removal: Removal,
}

/// How a drain removes pods.
#[derive(Clone, Copy, Debug)]
pub(super) struct Removal {
    /// Whether it asks for their eviction, and does not delete them.
    pub(super) evicts: bool,
    /// The grace period, in seconds, if it is not that of each pod.
    pub(super) grace: Option<i64>,
}

/// A pod that is to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingEviction {
    pub(super) id: Id,
    /// Whether its eviction has been refused, and is not to be asked for again yet.
    pub(super) refused: bool,
}

impl Cluster {
    /// A cluster without objects and nodes.
    pub(super) fn new(scenario: Scenario, gates: Gates, environment: &'static dyn Environment) -> Self {
        let (store, pod_groups) = (Rc::default(), Rc::default());
        Self {
            gates,
            environment,
            keeps_notes: true,
            hurries: false,
            now: scenario.start,
            pods: environment.pod_source(&store, &pod_groups),
            store,
            pod_groups,
            lagging_cache: None,
            events: EventQueue::default(),
            names: NameGenerator::new(scenario.seed),
            recorder: Recorder::new(&scenario.limits),
            work_queues: WorkQueues::default(),
            throttling: None,
            foreground_deletions: Vec::new(),
            aux_objects: Vec::new(),
            last_filled_in: None,
            nodes: Nodes::default(),
            #[cfg(feature = "sets")]
            observed_nodes: Vec::new(),
            #[cfg(feature = "sets")]
            observed_changes: 0,
            next_taint: scenario.start,
            timing_index: None,
            scheduling: Scheduling::default(),
            autoscaling: Autoscaling::default(),
            volumes: Volumes::default(),
            drains: Vec::new(),
            scenario: Rc::new(scenario),
        }
    }

    /// The object as it is stored.
    pub(super) fn find(&self, key: &ObjectKey) -> Option<Object> {
        self.store.borrow().get(key).cloned()
    }

    /// The pod, if it is still there.
    pub(super) fn pod(&self, id: Id) -> Option<Rc<Pod>> {
        self.store.borrow().pod(id).cloned()
    }

    /// The index of the node of that name, which has not been deleted.
    pub(super) fn find_node(&self, name: &str) -> Option<usize> {
        self.position_of_node(name).filter(|index| self.nodes.get(*index).is_some_and(NodeState::exists))
    }

    /// The index of a node, also of one that is deleted. The scheduler has the same ones, by their names.
    pub(super) fn position_of_node(&self, name: &str) -> Option<usize> {
        match &self.scheduling.snapshot {
            Some(snapshot) => snapshot.find(name),
            None => self.nodes.iter().position(|node| *node.name == *name),
        }
    }

    /// The pods on a node.
    pub(super) fn pods_on(&self, index: usize) -> Vec<(Id, Rc<Pod>)> {
        let Some(node) = self.nodes.get(index) else { return Vec::new() };
        let store = self.store.borrow();
        let on_node = |(_, pod): &(Id, &Rc<Pod>)| pod.spec.node_name.as_ref() == Some(&node.name);
        store.pods().filter(on_node).map(|(id, pod)| (id, pod.clone())).collect()
    }

    /// Plans an event for that many nanoseconds from now.
    pub(super) fn plan(&mut self, after: i64, event: SimEvent) {
        self.events.push(self.now.plus(after), event);
    }
}
