//! The simulated cluster: a store, virtual time with a queue of what will happen, and models of what surrounds the
//! controllers (scheduler, kubelet, garbage collector, the user).
//!
//! After each happening the controllers run at the same instant, in rounds, until none of them writes.

mod api;
mod collector;
mod controllers;
mod kubelet;
pub(crate) mod merge;
mod queue;
mod random;
mod rehearsal;
mod store;
mod tally;
mod user;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use serde_json::Value;

use crate::Problem;
use crate::feature_gates::Gates;
use crate::json::decode;
use crate::object::{Kind, Object, ObjectKey, Pod, Time};
use crate::reason::Reason;
use crate::scenario::Scenario;
use crate::timeline::{End, EndReason, Step, Timeline};
use queue::{Happening, PodId, Queue};
use random::Random;
pub(crate) use rehearsal::rehearse;
use store::Store;

/// Everything that a simulation is made of.
struct Cluster {
    scenario: Rc<Scenario>,
    gates: Gates,
    /// How the scenario's actions are carried out.
    act: Act,
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
    unschedulable: Vec<PodId>,
    /// What is known of each pod besides its object, by uid.
    pods: BTreeMap<Rc<str>, PodState>,
    /// Objects whose foreground deletion waits for their dependents.
    foreground: Vec<ObjectKey>,
    stop: Option<Stop>,
}

/// Carries out the action of that number. Whoever has no actions need not carry the code for them.
type Act = fn(&mut Cluster, usize) -> Result<(), Problem>;

/// What is remembered of the controller of an object.
struct Memory {
    about: ObjectKey,
    /// How often in a row its sync failed.
    failures: u32,
    /// Since when it has asked each time to be looked at again at once.
    restless: Option<Time>,
    /// What was last said without a write, of each rule.
    said: Vec<Reason>,
}

/// A node, and how many pods are on it.
struct NodeState {
    name: Rc<str>,
    room: Option<u32>,
    pods: u32,
}

/// What is known of a pod besides its object.
#[derive(Clone, Copy)]
struct PodState {
    /// Its number among the pods of its owner, from 1.
    number: u64,
    /// When it was first told to stop.
    asked_to_stop: Option<Time>,
}

/// A limit that was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    Time,
    Steps,
    Pods,
}

/// Plays a scenario to its end.
///
/// # Errors
/// What is wrong with the scenario, with its path.
pub(crate) fn run(scenario: Scenario) -> Result<Timeline, Problem> {
    let mut cluster = Cluster::new(scenario)?;
    let initial = Rc::new(cluster.store.borrow().state());
    cluster.wake_all();
    cluster.settle();
    cluster.play()?;
    let end = cluster.end();
    Ok(Timeline { scenario: cluster.scenario, initial, steps: cluster.steps, end })
}

impl Cluster {
    fn new(scenario: Scenario) -> Result<Self, Problem> {
        let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(|problems| {
            problems.into_iter().next().unwrap_or_else(|| Problem::new("featureGates", "can't be read"))
        })?;
        let mut cluster = Self::bare(scenario, gates, Self::act);
        for index in 0..cluster.scenario.objects.len() {
            cluster.place(index)?;
        }
        for index in 0..cluster.scenario.actions.len() {
            let Some(action) = cluster.scenario.actions.get(index) else { continue };
            cluster.queue.push(cluster.now.plus(action.at.0), Happening::Act(index));
        }
        Ok(cluster)
    }

    /// A cluster without objects.
    fn bare(scenario: Scenario, gates: Gates, act: Act) -> Self {
        Self {
            gates,
            act,
            keeps_notes: true,
            now: scenario.start,
            store: Rc::default(),
            queue: Queue::default(),
            random: Random::new(scenario.seed),
            steps: Vec::new(),
            dirty: Vec::new(),
            memories: Vec::new(),
            nodes: Self::nodes_of(&scenario),
            unschedulable: Vec::new(),
            pods: BTreeMap::new(),
            foreground: Vec::new(),
            stop: None,
            scenario: Rc::new(scenario),
        }
    }

    /// Puts an object of the scenario's beginning into the store.
    fn place(&mut self, index: usize) -> Result<(), Problem> {
        let scenario = self.scenario.clone();
        let Some(manifest) = scenario.objects.get(index) else { return Ok(()) };
        let path = format!("objects[{index}]");
        let uid = self.random.uid();
        let start = self.now.truncated();
        let old = manifest.get("metadata");
        let text = |key: &str| old.and_then(|old| old.get(key)).and_then(Value::as_str);
        let number = |key: &str| old.and_then(|old| old.get(key)).and_then(Value::as_i64);
        let mut object = self.admitted(manifest, &path)?.with_metadata(|metadata| {
            metadata.uid = text("uid").map_or(uid, Into::into);
            metadata.creation_timestamp = Some(text("creationTimestamp").and_then(Time::parse).unwrap_or(start));
            metadata.deletion_timestamp = text("deletionTimestamp").and_then(Time::parse);
            metadata.deletion_grace_period_seconds = number("deletionGracePeriodSeconds");
            metadata.generation = number("generation").unwrap_or(1);
        });
        if let Some(status) = manifest.get("status").filter(|status| !status.is_null()) {
            let path = format!("{path}.status");
            match &mut object {
                Object::Deployment(object) => Rc::make_mut(object).status = decode(status, &path)?,
                Object::ReplicaSet(object) => Rc::make_mut(object).status = decode(status, &path)?,
                Object::Pod(object) => Rc::make_mut(object).status = decode(status, &path)?,
            }
        }
        if let Object::Pod(pod) = &mut object {
            self.share(Rc::make_mut(pod));
        }
        let key = object.key();
        if self.store.borrow().get(&key).is_some() {
            let message = format!("Duplicate value: \"{}\": a {} of this name is given already", key.name, key.kind);
            return Err(Problem::new(format!("{path}.metadata.name"), message));
        }
        if let Object::Pod(pod) = &object
            && let Some(node) = &pod.spec.node_name
        {
            self.count_on_node(&node.clone(), 1);
        }
        self.store.borrow_mut().put(&key, Some(object.clone()));
        self.queue_scheduling(&key, Some(&object));
        if self.store.borrow().pod_count() > self.scenario.limits.pods {
            let message = format!("Too many: at most {} pods (limits.pods)", self.scenario.limits.pods);
            return Err(Problem::new("objects", message));
        }
        Ok(())
    }

    /// Lets a pod share with its ReplicaSet's template what is equal, as pods that the ReplicaSet creates do.
    fn share(&self, pod: &mut Pod) {
        let Some(owner) = pod.metadata.controller() else { return };
        let namespace = pod.metadata.namespace.clone();
        let key = ObjectKey { kind: Kind::ReplicaSet, namespace, name: owner.name.clone() };
        let store = self.store.borrow();
        let Some(replica_set) = store.replica_set(&key) else { return };
        let template = &replica_set.spec.template;
        if pod.metadata.labels == template.metadata.labels {
            pod.metadata.labels = template.metadata.labels.clone();
        }
        if pod.spec.fields == template.spec.fields {
            pod.spec.fields = template.spec.fields.clone();
        }
    }

    /// Lets everything happen that is planned, until nothing is left or a limit is met.
    fn play(&mut self) -> Result<(), Problem> {
        self.play_until(self.scenario.start.plus(self.scenario.limits.time.0))
    }

    fn play_until(&mut self, last: Time) -> Result<(), Problem> {
        while self.stop.is_none() {
            let Some(next) = self.queue.next_time() else { return Ok(()) };
            if next > last {
                self.stop = Some(Stop::Time);
                return Ok(());
            }
            let Some((time, happening)) = self.queue.pop() else { return Ok(()) };
            self.now = time;
            self.happen(happening)?;
            self.settle();
        }
        Ok(())
    }

    fn happen(&mut self, happening: Happening) -> Result<(), Problem> {
        match happening {
            Happening::Act(index) => return (self.act)(self, index),
            Happening::Bind(id) => self.bind(id),
            Happening::Start(id) => self.start(id),
            Happening::Ready(id) => self.ready(id),
            Happening::Gone(id) => self.gone(id),
            Happening::Sync(key) => self.touch(key),
            Happening::Collect { uid, owner } => self.collect(&uid, &owner),
        }
        Ok(())
    }

    /// What is remembered of an object's controller.
    fn memory(&mut self, about: &ObjectKey) -> &mut Memory {
        let index = self.memories.iter().position(|memory| memory.about == *about).unwrap_or(self.memories.len());
        if index == self.memories.len() {
            self.memories.push(Memory { about: about.clone(), failures: 0, restless: None, said: Vec::new() });
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
            Some(Stop::Pods) => {
                (EndReason::Pods, format!("More than {} pods at once are not simulated (limits.pods).", limits.pods))
            }
        };
        End { reason, message }
    }
}
