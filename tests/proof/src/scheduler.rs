//! kube-scheduler: the node that it binds a pod to is one of the best by the core's filters and scores, and what it says of a pod
//! that finds none is what the core says.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::json::decode;
use changeover_core::object::{LabelSelector, Pod, PodCondition, Time};
use changeover_core::scheduler::{
    Candidate, Claim, Nominated, Occupant, Owner, Preemption, Shape, Snapshot, StorageClass, Surroundings, Volume,
    found, preempt, schedule_pod,
};
use serde_json::Value;

use crate::recording::{Recording, Request, Stored, Verb};
use crate::world::World;

/// The name with which it sends requests.
const USER: &str = "kube-scheduler";

/// The maximum time between a change that an attempt sees and the request that follows from it.
const ATTEMPT: i64 = Time::SECOND;

/// How much later than that of another pod a binding may arrive although it was decided before.
const OVERTAKING: i64 = Time::SECOND / 10;

/// What it has sent.
enum Decision<'a> {
    /// It binds a pod to a node.
    Bind(&'a str),
    /// It reports why a pod finds no node.
    Fail(&'a str),
    /// It deletes a pod, or writes that it will, for one of a higher priority.
    Preempt,
}

impl<'a> Decision<'a> {
    fn of(request: &'a Request) -> Option<Self> {
        let text = |pointer: &str| request.sent.pointer(pointer).and_then(Value::as_str);
        if let Some(node) = text("/target/name") {
            return Some(Self::Bind(node));
        }
        if request.verb == Verb::Delete {
            return Some(Self::Preempt);
        }
        let conditions = request.sent.pointer("/status/conditions")?.as_array()?;
        conditions.iter().find_map(|condition| match condition.get("type")?.as_str()? {
            "PodScheduled" => Some(Self::Fail(condition.get("message")?.as_str()?)),
            "DisruptionTarget" => Some(Self::Preempt),
            _ => None,
        })
    }
}

/// The scheduler's requests, each with whether it is explained, or why not; none without nodes, as in recordings of an earlier
/// version.
pub fn explain<'a>(recording: &'a Recording, world: &World) -> Vec<(&'a Request, Result<(), String>)> {
    if world.nodes.versions().is_empty() {
        return Vec::new();
    }
    let requests: Vec<&Request> =
        recording.requests.iter().map(Rc::as_ref).filter(|request| request.user == USER).collect();
    let explained = |request: &'a Request| {
        let decision = Decision::of(request)?;
        Some((request, Attempt { recording, world, requests: &requests, request }.explain(&decision)))
    };
    requests.iter().copied().filter_map(explained).collect()
}

/// A request, and what the scheduler may have seen when it decided it.
struct Attempt<'a> {
    recording: &'a Recording,
    world: &'a World,
    /// All requests of the scheduler.
    requests: &'a [&'a Request],
    request: &'a Request,
}

impl Attempt<'_> {
    fn explain(&self, decision: &Decision<'_>) -> Result<(), String> {
        let mut others = BTreeSet::new();
        for version in self.versions() {
            for delay in [0, OVERTAKING] {
                let state = self.state(version, delay);
                let found = match decision {
                    Decision::Bind(node) => self.bind(state, node),
                    Decision::Fail(message) => self.fail(state, message),
                    Decision::Preempt => self.preempt(state),
                };
                match found {
                    Ok(()) => return Ok(()),
                    Err(other) => others.extend(other),
                }
            }
        }
        let others: Vec<String> = others.into_iter().collect();
        Err(format!("the core would say: {}", others.join("\n    or: ")))
    }

    /// The resource versions up to which it may have seen changes, the newest first.
    fn versions(&self) -> Vec<i64> {
        let matters =
            |key: &str| ["Pod/", "Node/", "PersistentVolume", "Service/"].iter().any(|prefix| key.starts_with(prefix));
        let stored = self.recording.stored.iter().filter(|(key, _)| matters(key)).flat_map(|(_, versions)| versions);
        let horizon = self.recording.horizon(self.request);
        let mut versions: Vec<(i64, Time)> =
            stored.map(|stored| (stored.version, stored.at)).filter(|(version, _)| *version < horizon).collect();
        versions.sort_unstable();
        let since = self.request.received.plus(-ATTEMPT);
        let first = versions.partition_point(|(_, at)| *at < since).saturating_sub(1);
        versions.split_off(first).into_iter().map(|(version, _)| version).rev().collect()
    }

    /// The nodes and pods at a resource version. Pods count where they were bound before this request, or up to a delay after it.
    fn state(&self, version: i64, delay: i64) -> State {
        let World { nodes, pods, .. } = self.world;
        let mut snapshot = Snapshot::default();
        snapshot.surroundings = self.surroundings(version);
        let mut nodes: Vec<_> = nodes.at(nodes.up_to(version)).iter().map(|stored| stored.node.clone()).collect();
        nodes.sort_by(|first, second| first.name.cmp(&second.name));
        nodes.into_iter().for_each(|node| snapshot.add_node(node));
        let until = self.request.received.plus(delay);
        let is_other = |request: &&&Request| request.object != self.request.object && request.received <= until;
        let bound = self.requests.iter().filter(is_other).filter_map(|request| match Decision::of(request)? {
            Decision::Bind(node) => Some((request.object.strip_prefix("Pod/")?, node)),
            Decision::Fail(_) | Decision::Preempt => None,
        });
        let bound: BTreeMap<&str, &str> = bound.collect();
        let mut state = State { snapshot, occupants: BTreeMap::new(), pending: Vec::new() };
        for pod in pods.at(pods.up_to(version)).iter().filter(|pod| !pod.is_terminal()) {
            let bound = pod.spec.node_name.as_deref().or_else(|| bound.get(&*pod.metadata.name).copied());
            state.add(pod, bound);
        }
        state
    }

    /// The objects besides nodes and pods that matter.
    fn surroundings(&self, version: i64) -> Surroundings {
        let of_kind = |kind: &'static str| {
            let versions = self.recording.stored.iter().filter(move |(key, _)| key.split('/').next() == Some(kind));
            let known = move |stored: &[Stored]| {
                let known = stored.partition_point(|stored| stored.version <= version);
                stored.get(known.checked_sub(1)?)?.value.clone()
            };
            versions.filter_map(move |(_, stored)| known(stored))
        };
        let text = |object: &Value, pointer: &str| -> Rc<str> {
            object.pointer(pointer).and_then(Value::as_str).unwrap_or_default().into()
        };
        let owners = ["ReplicaSet", "StatefulSet"].into_iter().flat_map(|kind| {
            of_kind(kind).filter_map(move |object| {
                let selector: LabelSelector = serde_json::from_value(object.pointer("/spec/selector")?.clone()).ok()?;
                let (namespace, name) = (text(&object, "/metadata/namespace"), text(&object, "/metadata/name"));
                Some((Owner { kind: kind.into(), namespace, name }, selector))
            })
        });
        let service = |object: Value| {
            let selector = object.pointer("/spec/selector").and_then(|selector| decode(selector, "").ok());
            (text(&object, "/metadata/namespace"), selector.unwrap_or_default())
        };
        Surroundings {
            services: of_kind("Service").map(service).collect(),
            owners: owners.collect(),
            claims: of_kind("PersistentVolumeClaim").map(|claim| Claim::of(&claim)).collect(),
            volumes: of_kind("PersistentVolume").map(|volume| Volume::of(&volume)).collect(),
            storage_classes: Vec::<StorageClass>::new(),
            is_complete: true,
            ..Surroundings::default()
        }
    }

    /// Whether the node is one of the best for the pod; otherwise what the core would do.
    fn bind(&self, mut state: State, node: &str) -> Result<(), Option<String>> {
        let (shape, key, nominated) = state.pod(&self.request.object).ok_or(None)?;
        let placement = schedule_pod(&state.snapshot, &shape, &key, nominated);
        let placement = placement.map_err(|error| Some(error.message()))?;
        let name = |index| state.snapshot.node(index).map(|info| &*info.node.name);
        let best: Vec<&str> = placement.best().filter_map(name).collect();
        if best.contains(&node) { Ok(()) } else { Err(Some(format!("the best nodes are {best:?}"))) }
    }

    /// Whether the core gives this reason why the pod finds no node; otherwise the reason that it gives.
    fn fail(&self, mut state: State, message: &str) -> Result<(), Option<String>> {
        let (shape, key, nominated) = state.pod(&self.request.object).ok_or(None)?;
        let Err(error) = schedule_pod(&state.snapshot, &shape, &key, nominated) else {
            return Err(Some("the pod finds a node".into()));
        };
        let said = match preempt(&state.snapshot, &shape, (&key, nominated), &error, &state.occupants, &[]) {
            _ if error.nodes == 0 => Vec::from([String::new()]),
            Preemption::Nothing(said) | Preemption::Ineligible(said) => Vec::from([format!(" {said}")]),
            Preemption::OneOf(candidates) => {
                let said = |candidate: &Candidate| format!(" {}", found(&state.snapshot, candidate));
                candidates.iter().map(said).collect()
            }
        };
        let mut messages = said.iter().map(|said| format!("{}{said}", error.message()));
        if messages.clone().any(|other| other == message) { Ok(()) } else { Err(messages.next()) }
    }

    /// Whether the pod is a victim on one of the nodes that the core would choose for a pod that waits.
    fn preempt(&self, mut state: State) -> Result<(), Option<String>> {
        let victim = self.request.object.strip_prefix("Pod/").unwrap_or_default();
        for pod in std::mem::take(&mut state.pending) {
            let Some((shape, key, nominated)) = state.waiting(&pod) else { continue };
            let Err(error) = schedule_pod(&state.snapshot, &shape, &key, nominated) else { continue };
            let chosen = preempt(&state.snapshot, &shape, (&key, nominated), &error, &state.occupants, &[]);
            let Preemption::OneOf(candidates) = chosen else { continue };
            let is_victim = |candidate: &Candidate| {
                let occupants = state.occupants.get(&candidate.node).map(Vec::as_slice).unwrap_or_default();
                candidate
                    .victims
                    .iter()
                    .filter_map(|index| occupants.get(*index))
                    .any(|occupant| &*occupant.name == victim)
            };
            if candidates.iter().any(is_victim) {
                return Ok(());
            }
        }
        Err(Some("no pod takes its place".into()))
    }
}

/// Nodes and pods as the scheduler sees them.
struct State {
    snapshot: Snapshot,
    occupants: BTreeMap<usize, Vec<Occupant>>,
    /// The pods without a node.
    pending: Vec<Rc<Pod>>,
}

impl State {
    /// Adds a pod, which has a node or waits for one.
    fn add(&mut self, pod: &Rc<Pod>, bound: Option<&str>) {
        let shape = self.snapshot.shape_of(pod);
        let is_terminating = pod.metadata.deletion_timestamp.is_some();
        if let Some(node) = bound.and_then(|node| self.snapshot.find(node)) {
            self.snapshot.add_pod(node, &shape, is_terminating);
            let is_disrupted = |condition: &PodCondition| {
                &*condition.type_ == "DisruptionTarget"
                    && condition.unknown.get("reason").and_then(Value::as_str) == Some("PreemptionByScheduler")
            };
            self.occupants.entry(node).or_default().push(Occupant {
                name: pod.metadata.name.clone(),
                shape,
                is_terminating,
                is_preempted: is_terminating && pod.status.conditions.iter().any(is_disrupted),
                start: pod.status.start_time,
            });
            return;
        }
        self.pending.push(pod.clone());
        if let Some(node) = self.nominated(pod) {
            self.snapshot.nominated.push(Nominated { key: key(pod), shape, node });
        }
    }

    fn nominated(&self, pod: &Pod) -> Option<usize> {
        self.snapshot.find(pod.status.unknown.get("nominatedNodeName")?.as_str()?)
    }

    /// The pod with this kind and name, if it waits for a node.
    fn pod(&mut self, object: &str) -> Option<(Shape, String, Option<usize>)> {
        let pod = self.pending.iter().find(|pod| object.strip_prefix("Pod/") == Some(&*pod.metadata.name))?.clone();
        self.waiting(&pod)
    }

    fn waiting(&mut self, pod: &Rc<Pod>) -> Option<(Shape, String, Option<usize>)> {
        Some((self.snapshot.shape_of(pod), key(pod), self.nominated(pod)))
    }
}

fn key(pod: &Pod) -> String {
    format!("{}/{}", pod.metadata.namespace, pod.metadata.name)
}
