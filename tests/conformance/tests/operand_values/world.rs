//! The state of the simulated cluster at each step, followed from the outside.

use std::collections::BTreeMap;

use changeover_core::object::{Kind, Object, ObjectKey, Time};
use changeover_core::scenario::{Action, Scenario, TimedAction};
use changeover_core::timeline::{Actor, Change, Cursor, Step, Timeline};
use serde_json::Value;

use crate::kubelets::Life;
use crate::nodes::Node;
use crate::queues::Queue;

/// The kinds whose objects a timeline's frames don't include.
const CONSTRAINTS: [&str; 4] = ["ResourceQuota", "LimitRange", "PodDisruptionBudget", "PersistentVolumeClaim"];

pub struct World<'a> {
    timeline: &'a Timeline,
    /// The state before the step.
    cursor: Cursor,
    /// The time of the step.
    pub now: Time,
    pub nodes: Vec<Node>,
    /// The nodes that the autoscaler has ordered and that are not there yet.
    pub upcoming: i64,
    /// The pods that wait for a node, in the order in which they began to wait.
    pub unschedulable: Vec<ObjectKey>,
    lives: BTreeMap<ObjectKey, Life>,
    queues: BTreeMap<ObjectKey, Queue>,
    /// The object whose controller took the last step.
    syncing: Option<ObjectKey>,
    /// Quotas, budgets and claims, in order of creation.
    constraints: Vec<Value>,
    /// The user's remaining actions on them; the next one is last.
    actions: Vec<(&'static str, Value)>,
}

impl<'a> World<'a> {
    pub fn new(timeline: &'a Timeline) -> Self {
        let scenario = &*timeline.scenario;
        let start = scenario.start;
        let mut world = World {
            timeline,
            cursor: timeline.cursor(),
            now: start,
            nodes: Node::of_scenario(scenario),
            upcoming: 0,
            unschedulable: Vec::new(),
            lives: BTreeMap::new(),
            queues: BTreeMap::new(),
            syncing: None,
            constraints: scenario
                .objects
                .iter()
                .map(|manifest| manifest.to_value().into_owned())
                .filter(is_constraint)
                .collect(),
            actions: actions(scenario),
        };
        for object in timeline.initial.objects() {
            world.change(&object.key(), None, Some(object), start);
        }
        world.nodes.iter_mut().for_each(|node| node.look(start));
        world
    }

    pub fn scenario(&self) -> &'a Scenario {
        &self.timeline.scenario
    }

    /// The objects of a kind in a namespace.
    pub fn objects(&self, kind: Kind, namespace: &str) -> impl Iterator<Item = Value> {
        let of_kind = self.cursor.state().objects().filter(move |object| object.kind() == kind);
        of_kind.filter(move |object| *object.metadata().namespace == *namespace).map(Object::to_value)
    }

    pub fn object(&self, key: &ObjectKey) -> Value {
        self.cursor.state().get(key).map_or(Value::Null, Object::to_value)
    }

    /// The controller of an object.
    pub fn owner(&self, object: &Value) -> Value {
        let owners = object["metadata"]["ownerReferences"].as_array().into_iter().flatten();
        let Some(owner) = owners.clone().find(|owner| owner["controller"] == true) else { return Value::Null };
        let kind = match owner["kind"].as_str().unwrap() {
            "Deployment" => Kind::Deployment,
            "ReplicaSet" => Kind::ReplicaSet,
            _ => return Value::Null,
        };
        let namespace = object["metadata"]["namespace"].as_str().unwrap().into();
        self.object(&ObjectKey { kind, namespace, name: owner["name"].as_str().unwrap().into() })
    }

    /// The quotas, budgets or claims of a namespace.
    pub fn constraints(&self, kind: &str, namespace: &str) -> impl Iterator<Item = &Value> {
        self.constraints.iter().filter(move |object| object["kind"] == kind && namespace_of(object) == namespace)
    }

    pub fn node(&self, name: &str) -> &Node {
        self.nodes.iter().find(|node| node.name == name).unwrap()
    }

    pub fn life(&self, pod: &ObjectKey) -> &Life {
        &self.lives[pod]
    }

    pub fn queue(&self, controller: &ObjectKey) -> &Queue {
        &self.queues[controller]
    }

    /// Updates the state before a step is checked.
    pub fn begin(&mut self, step: &Step) {
        self.now = step.time;
        let controllers = [Actor::DeploymentController, Actor::ReplicaSetController, Actor::JobController];
        let syncing = controllers.contains(&step.actor).then(|| (*step.about).clone());
        // The steps of a sync follow each other.
        if let Some(queue) =
            self.syncing.take_if(|last| Some(&*last) != syncing.as_ref()).and_then(|last| self.queues.get_mut(&last))
        {
            queue.finish();
        }
        if let Some(controller) = &syncing {
            self.queues.entry(controller.clone()).or_default().begin(step);
        }
        self.syncing = syncing;
    }

    /// Updates the state after a step was checked.
    pub fn end(&mut self, step: &Step) {
        let id = step.reason().rule.id;
        if let Some(change) = &step.change {
            self.change(&change.key, change.before.as_ref(), change.after.as_ref(), step.time);
        }
        if let Some(job) = step.change.as_ref().and_then(gathered_for) {
            self.queues.entry(job).or_default().gather(step.time);
        }
        match step.about.kind {
            Kind::Node => self.node_step(step),
            Kind::Pod if id == "user.restart" && &*step.about.name == "kube-controller-manager" => self.queues.clear(),
            Kind::Pod => {
                if let Some(life) = self.lives.get_mut(&step.about) {
                    life.step(step);
                }
                if id == "scheduler.unschedulable" && !self.unschedulable.contains(&step.about) {
                    self.unschedulable.push((*step.about).clone());
                }
                if id == "cluster-autoscaler.scale-up" {
                    self.upcoming += step.reason().value("ordered").unwrap().to_string().parse::<i64>().unwrap();
                }
            }
            kind if CONSTRAINTS.contains(&kind.name()) && step.actor == Actor::User => self.constraint_step(step),
            _ => {}
        }
        self.cursor.seek(self.timeline, self.cursor.frame() + 1);
        self.nodes.iter_mut().for_each(|node| node.look(step.time));
    }

    fn node_step(&mut self, step: &Step) {
        if step.reason().rule.id == "cluster-autoscaler.node-ready" {
            self.upcoming -= 1;
            self.nodes.push(Node::added(self.scenario(), &step.about.name));
        }
        let all_unreachable = self.nodes.iter().filter(|node| node.exists).all(|node| node.unreachable);
        for node in &mut self.nodes {
            if step.reason().rule.id == "node-lifecycle.no-evictions" && all_unreachable {
                node.tainted = None;
            }
            if node.name == *step.about.name {
                node.step(step);
            }
        }
        if step.reason().rule.id == "user.return-node" {
            // The kubelet learns which pods must stop.
            for life in self.lives.values_mut().filter(|life| life.node.as_deref() == Some(&*step.about.name)) {
                life.ask_to_stop(step.time);
            }
        }
    }

    /// Updates the counts of pods.
    fn change(&mut self, key: &ObjectKey, before: Option<&Object>, after: Option<&Object>, time: Time) {
        if key.kind != Kind::Pod {
            return;
        }
        let (before, after) = (before.map(Object::to_value), after.map(Object::to_value));
        for (pod, by) in [(&before, -1), (&after, 1)] {
            let Some(pod) = pod else { continue };
            let name = pod["spec"]["nodeName"].as_str();
            if let Some(node) = self.nodes.iter_mut().find(|node| Some(&*node.name) == name) {
                node.count(pod, by);
            }
        }
        let Some(after) = after else {
            self.lives.remove(key);
            return;
        };
        let life = self.lives.entry(key.clone()).or_insert_with(|| Life::of(&after));
        life.node = after["spec"]["nodeName"].as_str().map(str::to_owned);
        life.terminating = after["metadata"]["deletionTimestamp"].is_string();
        let lost = self.nodes.iter().any(|node| life.node.as_ref() == Some(&node.name) && node.lost.is_some());
        if !lost {
            life.ask_to_stop(time);
        }
    }

    /// Applies the user's action on a quota, a budget or a claim, unless it was rejected.
    fn constraint_step(&mut self, step: &Step) {
        let (verb, wanted) = self.actions.pop().unwrap();
        if step.reason().rule.id == "user.refused" {
            return;
        }
        let place = self.constraints.iter().position(|there| is_same(there, &wanted));
        match (verb, place) {
            ("delete", Some(place)) => drop(self.constraints.remove(place)),
            ("apply", Some(place)) => json_patch::merge(&mut self.constraints[place], &wanted),
            _ => self.constraints.push(wanted),
        }
    }
}

/// The Job whose controller batches this change with others.
fn gathered_for(change: &Change) -> Option<ObjectKey> {
    let pod = match (&change.before, &change.after) {
        (Some(Object::Job(_)), Some(Object::Job(_))) => return Some((*change.key).clone()),
        (_, Some(Object::Pod(pod))) | (Some(Object::Pod(pod)), None) => pod,
        _ => return None,
    };
    let owner = pod.metadata.controller().filter(|owner| &*owner.kind == "Job")?;
    Some(ObjectKey::new(Kind::Job, pod.metadata.namespace.clone(), owner.name.clone()))
}

fn is_constraint(object: &Value) -> bool {
    CONSTRAINTS.iter().any(|kind| object["kind"] == *kind)
}

fn namespace_of(object: &Value) -> &str {
    object["metadata"]["namespace"].as_str().unwrap_or("default")
}

fn is_same(a: &Value, b: &Value) -> bool {
    a["kind"] == b["kind"] && a["metadata"]["name"] == b["metadata"]["name"] && namespace_of(a) == namespace_of(b)
}

/// The user's actions on quotas, budgets and claims; the first one is last.
fn actions(scenario: &Scenario) -> Vec<(&'static str, Value)> {
    let mut actions: Vec<_> = scenario.actions.iter().collect();
    actions.sort_by_key(|action| action.at);
    let constraints = actions.into_iter().filter_map(|TimedAction { action, .. }| {
        let (verb, object) = match action {
            Action::Create(object) => ("create", Value::clone(object)),
            Action::Apply(object) => ("apply", Value::clone(object)),
            Action::Delete(delete) => {
                let metadata = serde_json::json!({ "name": delete.name, "namespace": delete.namespace });
                ("delete", serde_json::json!({ "kind": delete.kind, "metadata": metadata }))
            }
            _ => return None,
        };
        is_constraint(&object).then_some((verb, object))
    });
    let mut constraints: Vec<_> = constraints.collect();
    constraints.reverse();
    constraints
}
