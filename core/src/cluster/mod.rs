//! The simulated cluster: a store, virtual time with a queue of what will happen, and models of what surrounds the
//! controllers (scheduler, kubelet, node controller, garbage collectors, the user).
//!
//! After each happening the controllers run at the same instant, in rounds, until none of them writes.

mod api;
mod autoscaler;
mod budget;
mod collector;
mod containers;
mod controllers;
mod disruption;
mod drain;
mod kubelet;
mod merge;
mod node;
mod others;
mod play;
mod queue;
mod quota;
mod random;
mod rehearsal;
mod resources;
mod scheduler;
mod settled;
mod start;
mod store;
mod tally;
mod undo;
mod user;
mod volumes;

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::Problem;
use crate::controller::ApiError;
use crate::feature_gates::Gates;
use crate::object::{Object, ObjectKey, Pod, Time};
use crate::reason::Reason;
use crate::scenario::Scenario;
use crate::timeline::{Actor, End, EndReason, Id, Step};
use autoscaler::Scaling;
use drain::Draining;
pub(crate) use kubelet::MINIMUM_GRACE_PERIOD;
use node::NodeState;
use others::Other;
pub use play::Play;
use queue::{Happening, Queue};
use random::Random;
pub(crate) use rehearsal::rehearse;
use scheduler::Refusal;
pub use settled::{Changes, settled};
use store::Store;
use volumes::Attached;

/// Everything that a simulation is made of.
struct Cluster {
    scenario: Rc<Scenario>,
    gates: Gates,
    around: &'static Surroundings,
    /// Whether decisions that write nothing are steps.
    keeps_notes: bool,
    now: Time,
    store: Rc<RefCell<Store>>,
    queue: Queue,
    random: Random,
    steps: Vec<Step>,
    /// Objects that a controller must look at.
    dirty: Vec<ObjectKey>,
    /// What is remembered of each object's controller.
    memories: Vec<Memory>,
    nodes: Vec<NodeState>,
    /// When the node controller may taint a node again.
    next_taint: Time,
    /// Pods for which there was no node.
    unschedulable: Vec<Id>,
    /// What was said of the last one, until something changes.
    refusal: Option<Rc<Refusal>>,
    /// Objects that bear on pods and are no [`Object`]s.
    others: Vec<Other>,
    drains: Vec<Draining>,
    scaling: Scaling,
    /// Volumes that only one node has at a time, and pods that wait for one.
    attached: Vec<Attached>,
    unattached: Vec<Id>,
    /// Objects whose foreground deletion waits for their dependents.
    foreground: Vec<ObjectKey>,
    stop: Option<Stop>,
    /// What the timeline takes so far, as [`size`] counts.
    bytes: u64,
}

/// What surrounds the controllers. Whoever needs little of it need not carry the code for the rest.
struct Surroundings {
    /// Lets something happen.
    happen: fn(&mut Cluster, Happening) -> Result<(), Problem>,
    /// Whether the API server takes in an object that this actor creates, besides what it always looks at.
    admit: fn(&mut Cluster, Actor, &ObjectKey, &Object) -> Result<(), ApiError>,
    /// Counts a pod that came to its node (1), or left it (-1).
    count: fn(&mut Cluster, &Pod, i32),
    /// Plans the end of a pod that was told to stop within so many seconds.
    terminate: fn(&mut Cluster, Id, &Pod, i64),
    /// Looks around once the controllers are at rest again.
    look: fn(&mut Cluster),
}

/// All of them.
static ALL: Surroundings = Surroundings {
    happen: Cluster::happen,
    admit: Cluster::check_quotas,
    count: Cluster::count_on_node,
    terminate: Cluster::terminate_on_node,
    look: Cluster::look_around,
};

/// What is remembered of the controller of an object.
struct Memory {
    about: ObjectKey,
    /// How often in a row its sync failed.
    failures: u32,
    /// Since when it has asked each time to be looked at again at once.
    restless: Option<Time>,
    /// When it is looked at again.
    planned: Option<Time>,
    /// What was last said without a write, of each rule.
    said: Vec<Reason>,
}

/// A limit that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Time,
    Steps,
    Pods,
    Bytes,
}

/// For how many steps there is room at once: those of a rollout of a hundred pods. To make room for more moves them all.
const ROOM: u16 = 2_000;

impl Cluster {
    fn new(scenario: Scenario) -> Result<Self, Problem> {
        let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(|problems| {
            problems.into_iter().next().unwrap_or_else(|| Problem::new("featureGates", "can't be read"))
        })?;
        let mut cluster = Self::bare(scenario, gates, &ALL);
        cluster.nodes = NodeState::all(&cluster.scenario);
        cluster.equip_nodes()?;
        cluster.check_autoscaler()?;
        cluster.place_all()?;
        cluster.attach_all();
        for index in 0..cluster.scenario.actions.len() {
            let Some(action) = cluster.scenario.actions.get(index) else { continue };
            cluster.queue.push(cluster.now.plus(action.at.0), Happening::Act(index));
        }
        Ok(cluster)
    }

    /// A cluster without objects.
    fn bare(scenario: Scenario, gates: Gates, around: &'static Surroundings) -> Self {
        Self {
            gates,
            around,
            keeps_notes: true,
            now: scenario.start,
            store: Rc::default(),
            queue: Queue::default(),
            random: Random::new(scenario.seed),
            steps: Vec::with_capacity(usize::from(ROOM.min(u16::try_from(scenario.limits.steps).unwrap_or(ROOM)))),
            dirty: Vec::new(),
            memories: Vec::new(),
            nodes: Vec::new(),
            next_taint: scenario.start,
            unschedulable: Vec::new(),
            refusal: None,
            others: Vec::new(),
            drains: Vec::new(),
            scaling: Scaling::default(),
            attached: Vec::new(),
            unattached: Vec::new(),
            foreground: Vec::new(),
            stop: None,
            bytes: 0,
            scenario: Rc::new(scenario),
        }
    }

    /// Lets everything happen that is planned up to that time, until nothing is left or a limit is met.
    fn play(&mut self, until: Time) -> Result<(), Problem> {
        let last = self.scenario.start.plus(self.scenario.limits.time.0);
        while self.stop.is_none() {
            let Some(next) = self.queue.next_time().filter(|next| *next <= until) else { return Ok(()) };
            if next > last {
                self.stop = Some(Stop::Time);
                return Ok(());
            }
            let Some((time, happening)) = self.queue.pop() else { return Ok(()) };
            self.now = time;
            (self.around.happen)(self, happening)?;
            self.settle();
            (self.around.look)(self);
        }
        Ok(())
    }

    fn happen(&mut self, happening: Happening) -> Result<(), Problem> {
        let Some(happening) = self.heard_of(happening) else { return Ok(()) };
        match happening {
            Happening::Act(index) => return self.act(index),
            Happening::Bind(id) => self.schedule(id),
            Happening::Start(id) => self.start_containers(id),
            Happening::BackOffPull(id) => self.back_off_pull(id),
            Happening::Crash(id) => self.crash(id),
            Happening::Restart(id) => self.restart_container(id),
            Happening::PreStopped(id, left) => self.pre_stopped(id, left),
            Happening::Ready(id) => self.ready(id),
            Happening::Gone(id) => self.gone(id),
            Happening::Stop(id) => self.stop(id),
            Happening::ReadyAgain(id, since) => self.ready_again(id, since),
            Happening::Monitor => self.monitor_node_health(),
            // That is done after everything that happens.
            Happening::LookAround => {}
            Happening::ScaleUp => self.scale_up(),
            Happening::NodeComes => self.node_comes(),
            Happening::ScaleDown => self.scale_down(),
            Happening::RetryEviction(id) => self.retry_eviction(id),
            Happening::Taint => self.taint_next_node(),
            Happening::Evict(id) => self.evict_if_not_tolerated(id),
            Happening::CollectPods => self.collect_pods(),
            Happening::Sync(key) => self.look_again(key),
            Happening::Collect { uid, owner } => self.collect(&uid, &owner),
        }
        Ok(())
    }

    /// Those who look around all the time.
    fn look_around(&mut self) {
        self.look_at_volumes();
        self.look_at_drains();
        self.look_at_idle_nodes();
    }

    /// What is remembered of an object's controller.
    fn memory(&mut self, about: &ObjectKey) -> &mut Memory {
        let index = self.memories.iter().position(|memory| memory.about == *about).unwrap_or(self.memories.len());
        if index == self.memories.len() {
            self.memories.push(Memory {
                about: about.clone(),
                failures: 0,
                restless: None,
                planned: None,
                said: Vec::new(),
            });
        }
        // The index is that of the one found, or of the one just pushed.
        #[expect(clippy::indexing_slicing, reason = "see above")]
        &mut self.memories[index]
    }

    /// A controller must look at this object.
    fn touch(&mut self, key: ObjectKey) {
        if !self.dirty.contains(&key) {
            self.dirty.push(key);
        }
    }

    fn end(&self) -> End {
        let limits = &self.scenario.limits;
        let (reason, message) = match self.stop {
            None => (EndReason::Quiet, String::from("Nothing is left to happen.")),
            Some(Stop::Time) => (EndReason::Time, format!("More would happen after {} (limits.time).", limits.time)),
            Some(Stop::Steps) => {
                (EndReason::Steps, format!("More would happen after {} steps (limits.steps).", limits.steps))
            }
            Some(Stop::Pods) => (EndReason::Pods, too_many_pods(limits.pods)),
            Some(Stop::Bytes) => {
                (EndReason::Bytes, format!("The timeline would take more than {} bytes (limits.bytes).", limits.bytes))
            }
        };
        End { reason, message }
    }
}

/// What is said where limits.pods is met.
fn too_many_pods(most: u32) -> String {
    format!("More than {most} pods at once are not simulated (limits.pods).")
}
