//! What pods hold over a timeline: how many there are, and what they request.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::ResourceDemand;
use crate::cluster::{List, PlayedRollout, of_pod};
use crate::object::quantity::written_like;
use crate::object::unstructured::map;
use crate::object::{Kind, Object, ObjectKey, Pod, PodSpecFields, Time};
use crate::timeline::{PodState, State};

/// How much of something there is, and was at most.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Level {
    before: i128,
    now: i128,
    pub(super) peak: i128,
    pub(super) peak_at: i64,
}

impl Level {
    fn add(&mut self, amount: i128) {
        self.now = self.now.saturating_add(amount);
    }

    fn begin(&mut self) {
        (self.before, self.peak, self.peak_at) = (self.now, self.now, 0);
    }

    /// How much there is.
    pub(super) const fn now(&self) -> i128 {
        self.now
    }

    const fn observe(&mut self, time: i64) {
        if self.now > self.peak {
            (self.peak, self.peak_at) = (self.now, time);
        }
    }
}

/// What some pods hold.
#[derive(Clone, Debug, Default)]
pub(super) struct HeldResources {
    pub(super) pods: Level,
    /// Of each resource, in the order of [`ResourceUse::resources`].
    resources: Vec<Level>,
}

impl HeldResources {
    /// Of each resource, in the order of [`ResourceUse::requested`].
    pub(super) fn resources(&self) -> impl Iterator<Item = &Level> {
        self.resources.iter()
    }
}

/// What all pods hold, and those of each workload.
#[derive(Debug)]
pub(super) struct ResourceUse {
    /// The resources that pods request, each with an amount as it is written.
    resources: Vec<(String, Value)>,
    pub(super) together: HeldResources,
    workloads: Vec<HeldResources>,
    /// The number of each workload.
    numbers: BTreeMap<ObjectKey, usize>,
}

/// A pod that holds resources.
struct Holder {
    workload: Option<usize>,
    amounts: Rc<[i128]>,
}

/// Follows what pods hold, from write to write.
pub(super) struct ResourceTracker {
    held: ResourceUse,
    /// The workload of a ReplicaSet, a StatefulSet, a DaemonSet or a Job, by the uid.
    owners: BTreeMap<Rc<str>, usize>,
    pods: BTreeMap<Rc<ObjectKey>, Holder>,
    /// What a pod requests, by the address of its template's fields, which stay where they are as long as this has them.
    requests: BTreeMap<usize, (Rc<PodSpecFields>, Rc<[i128]>)>,
}

impl ResourceTracker {
    /// The pods at the start.
    pub(super) fn new(initial: &State) -> Self {
        let mut tracker = Self {
            held: ResourceUse::new(Vec::new(), 0),
            owners: BTreeMap::new(),
            pods: BTreeMap::new(),
            requests: BTreeMap::new(),
        };
        for object in initial.objects() {
            tracker.observe(&Rc::new(object.key()), Some(object), 0);
        }
        tracker.held.each(&mut Level::begin);
        tracker
    }

    /// An object is like this from a time on, in nanoseconds after the start. Returns whether that may change what pods hold.
    pub(super) fn observe(&mut self, key: &Rc<ObjectKey>, object: Option<&Object>, time: i64) -> bool {
        match object {
            Some(Object::ReplicaSet(replica_set)) => {
                // A Deployment's old ReplicaSet keeps its pods when it is deleted.
                if let Some(owner) = replica_set.metadata.controller_key(Kind::Deployment) {
                    let workload = self.held.number_of(&owner);
                    self.owners.insert(replica_set.metadata.uid.clone(), workload);
                }
            }
            Some(object) if object.kind().is_predicted() => {
                let workload = self.held.number_of(key);
                self.owners.insert(object.metadata().uid.clone(), workload);
            }
            Some(Object::Pod(pod)) => {
                let is_holding = PodState::of(pod, 0, Time(i64::MAX)).holds();
                let owner = pod.metadata.controller();
                let workload = owner.and_then(|owner| self.owners.get(&owner.uid).copied());
                let amounts = self.requests_of(pod);
                return self.replace(key, is_holding.then_some(Holder { workload, amounts }), time);
            }
            None if key.kind == Kind::Pod => return self.replace(key, None, time),
            _ => {}
        }
        false
    }

    fn replace(&mut self, key: &Rc<ObjectKey>, holder: Option<Holder>, time: i64) -> bool {
        let before = match &holder {
            // Most writes of a pod change nothing here.
            Some(holder) => {
                let same = |before: &&Holder| {
                    before.workload == holder.workload && Rc::ptr_eq(&before.amounts, &holder.amounts)
                };
                if self.pods.get(key).as_ref().is_some_and(same) {
                    return false;
                }
                self.pods.remove(key)
            }
            None => self.pods.remove(key),
        };
        for (holder, sign) in [(&before, -1), (&holder, 1)] {
            let Some(holder) = holder else { continue };
            let workload = holder.workload.and_then(|workload| self.held.workloads.get_mut(workload));
            for held in core::iter::once(&mut self.held.together).chain(workload) {
                held.pods.add(sign);
                if held.resources.len() < holder.amounts.len() {
                    held.resources.resize(holder.amounts.len(), Level::default());
                }
                for (level, amount) in held.resources.iter_mut().zip(&*holder.amounts) {
                    level.add(amount.saturating_mul(sign));
                }
            }
        }
        let workload = holder.as_ref().and_then(|holder| holder.workload);
        let workload = workload.and_then(|workload| self.held.workloads.get_mut(workload));
        for held in core::iter::once(&mut self.held.together).chain(workload) {
            held.pods.observe(time);
            held.resources.iter_mut().for_each(|level| level.observe(time));
        }
        if let Some(holder) = holder {
            self.pods.insert(key.clone(), holder);
        }
        true
    }

    /// What all pods hold together.
    pub(super) const fn together(&self) -> &HeldResources {
        &self.held.together
    }

    fn requests_of(&mut self, pod: &Pod) -> Rc<[i128]> {
        let fields = &pod.spec.fields;
        let address = Rc::as_ptr(fields).addr();
        if let Some((_, amounts)) = self.requests.get(&address) {
            return amounts.clone();
        }
        for (name, sample) in requested_by(pod) {
            if !self.held.resources.iter().any(|(known, _)| known == name) {
                self.held.resources.push((name.clone(), sample.clone()));
            }
        }
        let amounts: Rc<[i128]> =
            self.held.resources.iter().map(|(name, _)| of_pod(pod, List::Requests, name)).collect();
        self.requests.insert(address, (fields.clone(), amounts.clone()));
        amounts
    }

    pub(super) fn finish(self) -> ResourceUse {
        self.held
    }
}

impl ResourceUse {
    /// What the pods of a workload hold.
    pub(super) fn of_workload(&self, key: &ObjectKey) -> HeldResources {
        let number = self.numbers.get(key);
        number.and_then(|number| self.workloads.get(*number)).cloned().unwrap_or_default()
    }

    fn number_of(&mut self, key: &ObjectKey) -> usize {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        let number = self.workloads.len();
        self.workloads.push(HeldResources::default());
        self.numbers.insert(key.clone(), number);
        number
    }

    /// Follows the pods of a rollout that was played in groups: those of one workload.
    pub(super) fn of_played(played: &PlayedRollout) -> Self {
        let mut held = Self::new(requested_resources(played.models.iter().map(|model| &model.pod)), 1);
        let amounts = |is_old: bool| -> Vec<i128> {
            let model = played.models.iter().find(|model| model.is_old == is_old);
            let amount =
                |(name, _): &(String, Value)| model.map_or(0, |model| of_pod(&model.pod, List::Requests, name));
            held.resources.iter().map(amount).collect()
        };
        let (old, new) = (amounts(true), amounts(false));
        let mut before = None;
        for totals in &played.pods {
            let is_start = before.is_none();
            let (old_before, new_before) = before.replace((totals.old, totals.new)).unwrap_or_default();
            let (more_old, more_new) = (totals.old.saturating_sub(old_before), totals.new.saturating_sub(new_before));
            let time = totals.time.since(played.start);
            for held in core::iter::once(&mut held.together).chain(&mut held.workloads) {
                held.pods.add(i128::from(more_old).saturating_add(more_new.into()));
                for (level, (old, new)) in held.resources.iter_mut().zip(old.iter().zip(&new)) {
                    level.add(old.saturating_mul(more_old.into()).saturating_add(new.saturating_mul(more_new.into())));
                }
            }
            held.each(&mut |level| if is_start { level.begin() } else { level.observe(time) });
        }
        held
    }

    fn new(resources: Vec<(String, Value)>, workloads: usize) -> Self {
        let none =
            HeldResources { pods: Level::default(), resources: resources.iter().map(|_| Level::default()).collect() };
        Self { together: none.clone(), workloads: alloc::vec![none; workloads], resources, numbers: BTreeMap::new() }
    }

    fn each(&mut self, change: &mut dyn FnMut(&mut Level)) {
        for held in core::iter::once(&mut self.together).chain(&mut self.workloads) {
            change(&mut held.pods);
            held.resources.iter_mut().for_each(&mut *change);
        }
    }

    /// The resources that pods request, each with an amount as it is written.
    pub(super) fn requested(&self) -> &[(String, Value)] {
        &self.resources
    }

    /// What is requested of each resource, by its name.
    pub(super) fn demands(&self, held: &HeldResources) -> Vec<ResourceDemand> {
        let all = self.resources.iter().zip(&held.resources);
        let used = all.filter(|(_, level)| level.peak != 0);
        let mut demands: Vec<ResourceDemand> = used
            .map(|((resource, sample), level)| ResourceDemand {
                resource: resource.clone(),
                before: written_like(level.before, sample),
                peak: written_like(level.peak, sample),
                peak_at: level.peak_at,
                after: written_like(level.now, sample),
            })
            .collect();
        demands.sort_unstable_by(|a, b| a.resource.cmp(&b.resource));
        demands
    }
}

/// The resources that a pod requests, each with an amount as it is written.
fn requested_by(pod: &Pod) -> impl Iterator<Item = (&String, &Value)> {
    let fields = &pod.spec.fields;
    let containers = fields.containers.iter().chain(&fields.init_containers).map(|container| &container.unknown);
    containers.chain([&fields.unknown]).flat_map(|holder| {
        // A limit is a request where there is none.
        let lists = holder
            .get("resources")
            .into_iter()
            .flat_map(|resources| ["requests", "limits"].into_iter().filter_map(|list| map(resources, list)));
        let overhead = holder.get("overhead").and_then(Value::as_object);
        lists.chain(overhead).flatten()
    })
}

/// The resources that any of these pods requests.
fn requested_resources<'a>(pods: impl Iterator<Item = &'a Rc<Pod>>) -> Vec<(String, Value)> {
    let mut resources: BTreeMap<String, Value> = BTreeMap::new();
    for (name, amount) in pods.flat_map(|pod| requested_by(pod)) {
        resources.entry(name.clone()).or_insert_with(|| amount.clone());
    }
    resources.into_iter().collect()
}
