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
mod store;
mod tally;
mod user;

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::Problem;
use crate::feature_gates::Gates;
use crate::object::{Object, ObjectKey, Time};
use crate::reason::Reason;
use crate::scenario::Scenario;
use crate::timeline::{End, EndReason, Step, Timeline};
use queue::{Happening, PodId, Queue};
use random::Random;
use store::Store;

/// Everything that a simulation is made of.
struct Cluster {
    scenario: Rc<Scenario>,
    gates: Gates,
    now: Time,
    store: Rc<RefCell<Store>>,
    queue: Queue,
    random: Random,
    steps: Vec<Step>,
    /// Objects that a controller must look at.
    dirty: BTreeSet<ObjectKey>,
    /// What was last said of an object without a write, by rule.
    notes: BTreeMap<ObjectKey, BTreeMap<&'static str, Reason>>,
    /// How often in a row the sync of an object failed.
    failures: BTreeMap<ObjectKey, u32>,
    /// Since when the sync of an object has asked each time to be looked at again at once.
    restless: BTreeMap<ObjectKey, Time>,
    nodes: BTreeMap<Rc<str>, Option<u32>>,
    pods_on_node: BTreeMap<Rc<str>, u32>,
    unschedulable: Vec<PodId>,
    /// The number of each pod among those of its owner.
    pod_numbers: BTreeMap<Rc<str>, u64>,
    pods_of_owner: BTreeMap<Rc<str>, u64>,
    asked_to_stop: BTreeMap<Rc<str>, Time>,
    /// Objects whose foreground deletion waits for their dependents.
    foreground: BTreeSet<ObjectKey>,
    stop: Option<Stop>,
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
        let mut cluster = Self {
            gates,
            now: scenario.start,
            store: Rc::default(),
            queue: Queue::default(),
            random: Random::new(scenario.seed),
            steps: Vec::new(),
            dirty: BTreeSet::new(),
            notes: BTreeMap::new(),
            failures: BTreeMap::new(),
            restless: BTreeMap::new(),
            nodes: Self::nodes_of(&scenario),
            pods_on_node: BTreeMap::new(),
            unschedulable: Vec::new(),
            pod_numbers: BTreeMap::new(),
            pods_of_owner: BTreeMap::new(),
            asked_to_stop: BTreeMap::new(),
            foreground: BTreeSet::new(),
            stop: None,
            scenario: Rc::new(scenario),
        };
        for index in 0..cluster.scenario.objects.len() {
            cluster.place(index)?;
        }
        for index in 0..cluster.scenario.actions.len() {
            let Some(action) = cluster.scenario.actions.get(index) else { continue };
            cluster.queue.push(cluster.now.plus(action.at.0), Happening::Act(index));
        }
        Ok(cluster)
    }

    /// Puts an object of the scenario's beginning into the store.
    fn place(&mut self, index: usize) -> Result<(), Problem> {
        let scenario = self.scenario.clone();
        let Some(manifest) = scenario.objects.get(index) else { return Ok(()) };
        let path = format!("objects[{index}]");
        let mut object = self.admitted(manifest, &path)?;
        let uid = self.random.uid();
        let start = self.now.truncated();
        let given = |metadata: &mut crate::object::ObjectMeta, old: Option<&serde_json::Value>| {
            let text = |key: &str| old.and_then(|old| old.get(key)).and_then(serde_json::Value::as_str);
            metadata.uid = text("uid").map_or(uid, Into::into);
            metadata.creation_timestamp = Some(text("creationTimestamp").and_then(Time::parse).unwrap_or(start));
            metadata.deletion_timestamp = text("deletionTimestamp").and_then(Time::parse);
            let number = |key: &str| old.and_then(|old| old.get(key)).and_then(serde_json::Value::as_i64);
            metadata.generation = number("generation").unwrap_or(1);
            metadata.deletion_grace_period_seconds = number("deletionGracePeriodSeconds");
        };
        let status = manifest.get("status").filter(|status| !status.is_null());
        let status_path = format!("{path}.status");
        match &mut object {
            Object::Deployment(object) => {
                let object = Rc::make_mut(object);
                given(&mut object.metadata, manifest.get("metadata"));
                if let Some(status) = status {
                    object.status = crate::scenario::decode(status, &status_path)?;
                }
            }
            Object::ReplicaSet(object) => {
                let object = Rc::make_mut(object);
                given(&mut object.metadata, manifest.get("metadata"));
                if let Some(status) = status {
                    object.status = crate::scenario::decode(status, &status_path)?;
                }
            }
            Object::Pod(object) => {
                let object = Rc::make_mut(object);
                given(&mut object.metadata, manifest.get("metadata"));
                if let Some(status) = status {
                    object.status = crate::scenario::decode(status, &status_path)?;
                }
            }
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

    /// Lets everything happen that is planned, until nothing is left or a limit is met.
    fn play(&mut self) -> Result<(), Problem> {
        let last = self.scenario.start.plus(self.scenario.limits.time.0);
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
            Happening::Act(index) => return self.act(index),
            Happening::Bind(id) => self.bind(id),
            Happening::Start(id) => self.start(id),
            Happening::Ready(id) => self.ready(id),
            Happening::Gone(id) => self.gone(id),
            Happening::Sync(key) => self.wake(key),
            Happening::Collect { uid, owner } => self.collect(&uid, &owner),
        }
        Ok(())
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
