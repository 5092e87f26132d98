//! Plays a recorded scenario in the simulated cluster, with the same commands at the same times, and the same durations
//! for pods. Both timelines are measured in the same way.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::cluster::decision::{Decision, UserDecision};
use changeover_core::controller::Verb as ClientVerb;
use changeover_core::json::decode;
use changeover_core::object::{ConditionStatus, Kind, Object, ObjectKey, Pod, PodCondition, PodPhase, Time};
use changeover_core::scenario::{
    Action, Cascade, ControllerManager, Delay, Delete, Drain, Duration, LabelNode, Limits, Mode, Node, NodeName,
    NumberRanges, Scenario, TaintNode, TimedAction, Timing, UntaintNode,
};
use changeover_core::timeline::{Actor, Change, End, EndReason, Point, Series, State, Step, Timeline, Totals};
use changeover_core::workload::job::controller::get_completion_index;
use serde_json::{Map, Value, json};

use crate::recording::{Answer, Recording, Request, Stored, Verb};
use crate::request_times::{mean, request_times};

/// The CPUs of the nodes of a scenario whose pods don't fit, and whose recordings are of an earlier version: without its nodes.
const CPU: [(&str, &str); 1] = [("no-room", "130")];

/// The label with the ordinal of a StatefulSet's pod.
const POD_INDEX: &str = "apps.kubernetes.io/pod-index";

/// The kinds whose rollouts are compared.
const ROLLED_OUT: [Kind; 3] = [Kind::Deployment, Kind::StatefulSet, Kind::DaemonSet];

/// The figures of a rollout's pods, from the first change after the creation of its Deployment, StatefulSet or DaemonSet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The maximum number of pods that held resources.
    pub peak: i32,
    /// The minimum number of available pods.
    pub lowest_available: i32,
    /// How often a ReplicaSet was resized; none for other kinds than Deployments.
    pub size_changes: Option<i32>,
    /// Nanoseconds until the controller reported the rollout as complete; none if it never did.
    pub complete: Option<i64>,
    /// Whether the object is gone in the end.
    pub is_deleted: bool,
    /// Nanoseconds until the last change of the pod counts.
    pub settled: i64,
}

impl Figures {
    fn of(timeline: &Timeline, key: &ObjectKey, from: Time) -> Self {
        let points = points(timeline, key);
        let Some(last) = points.last() else { return Self::default() };
        let Totals { peak, lowest_available, complete, .. } = Totals::of(&points, from, last.time);
        let resizes = timeline.steps.iter().filter(|step| step.time >= from && is_resize(step, key));
        let changes = timeline.steps.iter().filter_map(|step| step.change.as_ref());
        let changes: Vec<&Change> = changes.filter(|change| *change.key == *key).collect();
        let mut counts = points.windows(2).filter_map(|pair| match pair {
            [before, after] if before.counts != after.counts => Some(after.time),
            _ => None,
        });
        Self {
            peak,
            lowest_available,
            size_changes: (key.kind == Kind::Deployment).then(|| i32::try_from(resizes.count()).unwrap_or(i32::MAX)),
            complete,
            is_deleted: changes.last().is_some_and(|change| change.after.is_none()),
            settled: counts.next_back().map_or(0, |time| time.since(from)).max(0),
        }
    }
}

/// The counts of a workload's pods.
fn points(timeline: &Timeline, key: &ObjectKey) -> Vec<Point> {
    let mut all = Series::of_workloads(timeline).into_iter();
    all.find(|(its, _)| its == key).map_or_else(Vec::new, |(_, series)| series.points)
}

/// The figures of a Job's pods, from the first change after its creation; if there is none, from its creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobFigures {
    /// The maximum number of pods that held resources.
    pub peak: i32,
    /// Nanoseconds until the controller reported the Job as complete or failed; none if it never did.
    pub finished: Option<i64>,
}

impl JobFigures {
    fn of(timeline: &Timeline, job: &ObjectKey, from: Time) -> Self {
        let totals = timeline.job_totals(&job.namespace, &job.name, from);
        Self { peak: totals.peak, finished: totals.finished }
    }
}

/// The figures of a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkloadFigures {
    /// Those of a Deployment, a StatefulSet or a DaemonSet.
    Rollout(Figures),
    /// Those of a Job.
    Job(JobFigures),
}

/// Whether the step resizes a ReplicaSet of the Deployment.
fn is_resize(step: &Step, deployment: &ObjectKey) -> bool {
    let Some(Change { before: Some(Object::ReplicaSet(before)), after: Some(Object::ReplicaSet(after)), .. }) =
        &step.change
    else {
        return false;
    };
    let owner = after.metadata.controller_key(Kind::Deployment);
    before.spec.replicas != after.spec.replicas && owner.as_ref() == Some(deployment)
}

/// How long a simulated request of a controller takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestTime {
    /// What the mode assumes of any machine.
    Assumed,
    /// The mean of the run's requests: what this machine took while it was recorded.
    Recorded,
}

/// A recording that is ready to be simulated.
pub struct Rehearsal {
    /// The recorded timeline.
    recorded: Timeline,
    /// The Deployments, StatefulSets and DaemonSets.
    rolled_out: BTreeSet<ObjectKey>,
    /// The Jobs.
    jobs: BTreeSet<ObjectKey>,
    /// The cluster and the durations of its pods.
    scenario: Scenario,
    /// The user's actions with their recorded times, split at the waits for rollouts.
    parts: Vec<Vec<TimedAction>>,
    /// The mean time that a request of a controller took.
    request_time: Duration,
}

impl Rehearsal {
    /// Converts a recording to a scenario.
    pub fn new(recording: &Recording) -> Self {
        let recorded = timeline(recording);
        let [rolled_out, jobs] = [&ROLLED_OUT[..], &[Kind::Job]].map(|kinds| keys(&recorded, kinds));
        let requests = recording.requests.iter().filter(|request| request.user == "admin");
        let mut actions: Vec<TimedAction> = requests.filter_map(|request| action(recording, request)).collect();
        actions.extend(drains(recording));
        actions.extend(other_actions(recording));
        // A recording may end with a command, before its effects.
        let end = recorded.time_at(recorded.len()).since(recording.start);
        actions.retain(|action| action.at.0 <= end);
        actions.sort_by_key(|action| action.at.0);
        let scenario = Scenario {
            start: recording.start,
            objects: surroundings(recording).collect(),
            nodes: nodes(recording),
            kubelet: timings(recording),
            limits: Limits { time: limit(&recorded), ..Limits::default() },
            ..Scenario::default()
        };
        let request_times: Vec<i64> = request_times(recording).collect();
        let request_time = Duration(mean(&request_times).unwrap_or_default());
        Self { recorded, rolled_out, jobs, scenario, parts: parts(recording, actions), request_time }
    }

    /// The recorded figures of each workload.
    pub fn recorded(&self) -> BTreeMap<ObjectKey, WorkloadFigures> {
        let parts: Vec<&[TimedAction]> = self.parts.iter().map(Vec::as_slice).collect();
        self.figures(&self.recorded, &parts)
    }

    /// The simulated figures of each workload. The simulated user waits for rollouts where the recorded one
    /// did, and then leaves the same time until the next command.
    ///
    /// # Errors
    /// With what is wrong with the scenario.
    pub fn simulated(
        &self,
        mode: Mode,
        request_time: RequestTime,
    ) -> Result<BTreeMap<ObjectKey, WorkloadFigures>, String> {
        let mut played: Vec<Vec<TimedAction>> = Vec::new();
        for part in &self.parts {
            let later = match part.first() {
                Some(first) if !played.is_empty() => {
                    let here = self.complete(&self.play(&played, mode, request_time)?, Duration(i64::MAX));
                    here.saturating_sub(self.complete(&self.recorded, first.at))
                }
                _ => 0,
            };
            let at = |action: &TimedAction| Duration(action.at.0.saturating_add(later));
            played.push(
                part.iter().map(|action| TimedAction { at: at(action), action: action.action.clone() }).collect(),
            );
        }
        let timeline = self.play(&played, mode, request_time)?;
        let parts: Vec<&[TimedAction]> = played.iter().map(Vec::as_slice).collect();
        Ok(self.figures(&timeline, &parts))
    }

    fn play(&self, parts: &[Vec<TimedAction>], mode: Mode, request_time: RequestTime) -> Result<Timeline, String> {
        let actions = parts.concat();
        let controller_manager = match request_time {
            RequestTime::Assumed => None,
            RequestTime::Recorded => {
                Some(ControllerManager { request_time: Some(self.request_time), ..ControllerManager::default() })
            }
        };
        let scenario = Scenario { mode: Some(mode), actions, controller_manager, ..self.scenario.clone() };
        Timeline::run(scenario).map_err(|problem| problem.to_string())
    }

    /// When the last rollout that began before a time was complete, in nanoseconds since the start.
    fn complete(&self, timeline: &Timeline, before: Duration) -> i64 {
        let start = timeline.scenario.start;
        let of_workload = |key: &ObjectKey| {
            let points = points(timeline, key);
            let mut points = points.iter().filter(|point| point.time < start.plus(before.0)).rev();
            points.by_ref().take_while(|point| point.rollout.complete).last().map(|point| point.time.since(start))
        };
        self.rolled_out.iter().filter_map(of_workload).max().unwrap_or(0)
    }

    fn figures(&self, timeline: &Timeline, parts: &[&[TimedAction]]) -> BTreeMap<ObjectKey, WorkloadFigures> {
        let is_change = |action: &&TimedAction| !matches!(&action.action, Action::Create(_));
        let first = match parts {
            [creation] => creation.iter().find(is_change).or(creation.first()),
            [_, change, ..] => change.first(),
            [] => None,
        };
        let from = timeline.scenario.start.plus(first.map_or(0, |first| first.at.0));
        let rollout = |key: &ObjectKey| WorkloadFigures::Rollout(Figures::of(timeline, key, from));
        let job = |key: &ObjectKey| WorkloadFigures::Job(JobFigures::of(timeline, key, from));
        let rollouts = self.rolled_out.iter().map(|key| (key.clone(), rollout(key)));
        rollouts.chain(self.jobs.iter().map(|key| (key.clone(), job(key)))).collect()
    }
}

/// The objects of some kinds that a timeline changes.
fn keys(timeline: &Timeline, kinds: &[Kind]) -> BTreeSet<ObjectKey> {
    let keys = timeline.steps.iter().filter_map(|step| Some(&*step.change.as_ref()?.key));
    keys.filter(|key| kinds.contains(&key.kind)).cloned().collect()
}

/// How long a scenario is simulated: a quarter longer than the recording.
fn limit(recorded: &Timeline) -> Duration {
    let length = recorded.time_at(recorded.len()).since(recorded.scenario.start);
    Duration(length.saturating_add(length.div_euclid(4)))
}

/// The actions, split at the waits for rollouts.
fn parts(recording: &Recording, actions: Vec<TimedAction>) -> Vec<Vec<TimedAction>> {
    let waits =
        recording.commands.iter().filter(|command| command.arguments.starts_with(&["rollout".into(), "status".into()]));
    let mut waits = waits.map(|command| command.at.since(recording.start)).peekable();
    let mut parts = vec![Vec::new()];
    for action in actions {
        let mut waited = false;
        while waits.next_if(|wait| *wait < action.at.0).is_some() {
            waited = true;
        }
        match parts.last_mut() {
            Some(part) if !waited || part.is_empty() => part.push(action),
            _ => parts.push(vec![action]),
        }
    }
    parts
}

/// The recorded versions as the steps of a timeline.
pub fn timeline(recording: &Recording) -> Timeline {
    let mut versions: Vec<(i64, Time, Change)> = Vec::new();
    for stored in recording.stored.values() {
        let mut before: Option<Object> = None;
        for Stored { version, at, object, .. } in stored {
            let Some(key) = object.as_ref().or(before.as_ref()).map(Object::key) else { continue };
            let change =
                Change { verb: ClientVerb::Patch, key: Rc::new(key), before: before.take(), after: object.clone() };
            before.clone_from(object);
            versions.push((*version, *at, change));
        }
    }
    versions.sort_by_key(|(version, ..)| *version);
    let mut time = recording.start;
    let steps = versions.into_iter().map(|(_, at, change)| {
        // Watches of different kinds have different delays.
        time = time.max(at);
        let decision = UserDecision::Delete { object: (*change.key).clone() };
        Step {
            time,
            actor: Actor::User,
            about: change.key.clone(),
            change: Some(change),
            events: Vec::new(),
            decision: Decision::from(decision),
        }
    });
    Timeline {
        scenario: Rc::new(Scenario { start: recording.start, ..Scenario::default() }),
        initial: Rc::new(State::default()),
        steps: steps.collect(),
        end: End { reason: EndReason::Quiet, message: String::new() },
    }
}

/// The scenario action for a user's request.
fn action(recording: &Recording, request: &Request) -> Option<TimedAction> {
    let at = Duration(request.received.since(recording.start));
    let (kind, name) = request.object.split_once('/')?;
    let api_version = match kind {
        "Job" => "batch/v1",
        "Pod" => "v1",
        _ => "apps/v1",
    };
    // Keep the nulls in a merge patch: they remove fields of the object.
    let object = |content: Value| {
        let Value::Object(mut object) = content else { return Rc::new(content) };
        if let Value::Object(metadata) = object.entry("metadata").or_insert_with(|| json!({})) {
            metadata.insert("name".into(), name.into());
            metadata.insert("namespace".into(), recording.name.as_str().into());
        }
        object.insert("apiVersion".into(), api_version.into());
        object.insert("kind".into(), kind.into());
        Rc::new(Value::Object(object))
    };
    let action = match (kind, request.verb, &request.answer) {
        ("Deployment" | "StatefulSet" | "DaemonSet", Verb::Create, Answer::Written(version)) => {
            Action::Create(object(written(recording.at(&request.object, *version)?.value.as_ref()?)))
        }
        // A stored Job has a selector and labels that a user must not set.
        ("Job", Verb::Create, Answer::Written(_)) => Action::Create(object(written(&request.sent))),
        (
            "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "Pod",
            Verb::Patch,
            Answer::Written(version),
        ) if kind != "Pod" || has_fixed_name(recording, request) => {
            let [before, after] =
                [recording.before(&request.object, *version)?, recording.at(&request.object, *version)?]
                    .map(|stored| stored.value.as_ref().map(written));
            Action::Apply(object(difference(&before?, &after?)))
        }
        // Scaling goes through the subresource.
        ("Deployment" | "ReplicaSet" | "StatefulSet", Verb::Other, _) => Action::Apply(object(request.sent.clone())),
        (_, Verb::Delete, _) => Action::Delete(Delete {
            kind: kind.into(),
            // Pods have other names, but for those of StatefulSets. This is the oldest of the remaining ones.
            name: if kind == "Pod" && !has_fixed_name(recording, request) { "web/0".into() } else { name.into() },
            namespace: recording.name.clone(),
            cascade: cascade(&request.sent),
            grace_period_seconds: None,
        }),
        _ => return None,
    };
    Some(TimedAction { at, action })
}

/// Whether the request is about a pod of a StatefulSet, which has the same name in each run.
fn has_fixed_name(recording: &Recording, request: &Request) -> bool {
    let Some(Object::Pod(pod)) = recording.at_time(&request.object, request.received) else { return false };
    pod.metadata.labels.contains_key(POD_INDEX)
}

/// What the options of a deletion say about the objects that the deleted object owns.
fn cascade(options: &Value) -> Cascade {
    match options.get("propagationPolicy").and_then(Value::as_str) {
        Some("Foreground") => Cascade::Foreground,
        Some("Orphan") => Cascade::Orphan,
        _ => Cascade::Background,
    }
}

/// The part of an object that a user writes.
fn written(object: &Value) -> Value {
    let metadata =
        |key| object.pointer("/metadata").and_then(|metadata| metadata.get(key)).cloned().unwrap_or_else(|| json!({}));
    json!({
        "metadata": { "labels": metadata("labels"), "annotations": metadata("annotations") },
        "spec": object.get("spec"),
    })
}

/// The merge patch (RFC 7396) between two values.
fn difference(before: &Value, after: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return after.clone() };
    let removed = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
    let changed = changed.map(|(key, value)| (key.clone(), difference(before.get(key).unwrap_or(&Value::Null), value)));
    Value::Object(removed.chain(changed).collect::<Map<_, _>>())
}

/// `kubectl drain`, at the time of its first eviction.
fn drains(recording: &Recording) -> Option<TimedAction> {
    let drain = recording.commands.iter().find_map(|command| match command.arguments.as_slice() {
        [verb, node, ..] if verb == "drain" => Some(node.clone()),
        _ => None,
    })?;
    let is_eviction = |request: &&Rc<Request>| {
        request.user == "admin" && request.object.starts_with("Pod/") && request.verb == Verb::Other
    };
    let first = recording.requests.iter().find(is_eviction)?;
    let at = Duration(first.received.since(recording.start));
    Some(TimedAction { at, action: Action::Drain(Drain { name: drain, ..Drain::default() }) })
}

/// The commands about nodes, which are in no namespace, and about quotas: their requests are not recorded.
fn other_actions(recording: &Recording) -> impl Iterator<Item = TimedAction> {
    recording.commands.iter().flat_map(|command| {
        let arguments: Vec<&str> = command.arguments.iter().map(String::as_str).collect();
        let named = |name: &str| NodeName { name: name.into() };
        let actions = match *arguments {
            ["lose", node] => vec![Action::LoseNode(named(node))],
            ["return", node] => vec![Action::ReturnNode(named(node))],
            ["delete", "node", node] => vec![Action::DeleteNode(named(node))],
            ["delete", "resourcequota", name] => vec![Action::Delete(Delete {
                kind: "ResourceQuota".into(),
                name: name.into(),
                namespace: recording.name.clone(),
                cascade: Cascade::Background,
                grace_period_seconds: None,
            })],
            ["cordon", node] => vec![Action::Cordon(named(node))],
            ["uncordon", node] => vec![Action::Uncordon(named(node))],
            ["join", node] => recorded_node(recording, node).map(Action::AddNode).into_iter().collect(),
            ["label", "node", ref nodes @ .., label] => nodes.iter().map(|node| label_node(node, label)).collect(),
            ["taint", "node", ref nodes @ .., taint] => nodes.iter().map(|node| taint_node(node, taint)).collect(),
            _ => Vec::new(),
        };
        let at = Duration(command.at.since(recording.start));
        actions.into_iter().map(move |action| TimedAction { at, action })
    })
}

/// `kubectl label node NAME KEY=VALUE` or `KEY-`.
fn label_node(name: &str, label: &str) -> Action {
    let label = match label.split_once('=') {
        Some((key, value)) => (key.to_owned(), Some(value.to_owned())),
        None => (label.trim_end_matches('-').to_owned(), None),
    };
    Action::LabelNode(LabelNode { name: name.into(), labels: [label].into_iter().collect() })
}

/// `kubectl taint node NAME KEY=VALUE:EFFECT` or `KEY-`.
fn taint_node(name: &str, taint: &str) -> Action {
    match taint.rsplit_once(':') {
        Some((key, effect)) => {
            let (key, value) = key.split_once('=').unwrap_or((key, ""));
            let (key, value, effect) = (key.to_owned(), value.to_owned(), effect.to_owned());
            Action::Taint(TaintNode { name: name.into(), key, value, effect })
        }
        None => {
            Action::Untaint(UntaintNode { name: name.into(), key: taint.trim_end_matches('-').into(), effect: None })
        }
    }
}

/// The quotas, Services and volumes, and the classes of the pods' priorities.
fn surroundings(recording: &Recording) -> impl Iterator<Item = Value> {
    let of_kind = |kind: &'static str, api_version: &'static str| {
        let stored = recording.stored.iter().filter(move |(key, _)| key.split('/').next() == Some(kind));
        stored.filter_map(move |(_, versions)| {
            let first = versions.first()?.value.as_ref()?;
            Some(json!({
                "apiVersion": api_version,
                "kind": kind,
                "metadata": { "name": first.pointer("/metadata/name")?, "namespace": first.pointer("/metadata/namespace") },
                "spec": first.get("spec")?,
            }))
        })
    };
    let of_pod = |(_, pod, _): (PodNumber, Rc<Pod>, Stages)| {
        let field = |name: &str| pod.spec.fields.unknown.get(name).cloned();
        Some((field("priorityClassName")?.as_str()?.to_owned(), field("priority")?))
    };
    let classes: BTreeMap<String, Value> = numbered_pods(recording).into_iter().filter_map(of_pod).collect();
    let class = |(name, value): (String, Value)| json!({ "apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": { "name": name }, "value": value });
    let objects =
        ["ResourceQuota", "Service", "PersistentVolume"].into_iter().flat_map(move |kind| of_kind(kind, "v1"));
    objects.chain(classes.into_iter().map(class))
}

fn versions(stored: &[Stored]) -> Vec<(Time, Option<Rc<Pod>>)> {
    let pod = |stored: &Stored| match &stored.object {
        Some(Object::Pod(pod)) => Some(pod.clone()),
        _ => None,
    };
    stored.iter().map(|stored| (stored.at, pod(stored))).collect()
}

/// The nodes at the start: those of the scenario, or else those that pods were bound to.
fn nodes(recording: &Recording) -> Vec<Node> {
    let joins = |name: &str| recording.commands.iter().any(|command| command.arguments == ["join", name]);
    let own = recording.stored.keys().filter_map(|key| key.strip_prefix("Node/")).filter(|name| !joins(name));
    let own: Vec<Node> = own.filter_map(|name| recorded_node(recording, name)).collect();
    if !own.is_empty() {
        return own;
    }
    let of_kind = recording.stored.iter().filter(|(key, _)| key.starts_with("Pod/"));
    let used = of_kind.flat_map(|(_, stored)| versions(stored)).filter_map(|(_, pod)| pod?.spec.node_name.clone());
    let names: BTreeSet<Rc<str>> = used.collect();
    let limit = CPU.into_iter().find(|(scenario, _)| recording.scenario() == *scenario);
    let cpu = limit.map(|(_, cpu)| Value::from(cpu));
    names.iter().map(|name| Node { name: String::from(&**name), cpu: cpu.clone(), ..Node::default() }).collect()
}

/// A node as it was when it joined, and ready.
fn recorded_node(recording: &Recording, name: &str) -> Option<Node> {
    let first = recording.stored.get(&format!("Node/{name}"))?.first()?.value.as_ref()?;
    let mut resources = first.pointer("/status/allocatable")?.as_object()?.clone();
    let pods = resources.remove("pods").and_then(|pods| pods.as_str()?.parse::<u32>().ok());
    let (cpu, memory) = (resources.remove("cpu"), resources.remove("memory"));
    let taints = first.pointer("/spec/taints").and_then(Value::as_array).into_iter().flatten();
    let of_controller = |taint: &&Value| {
        let key = taint.get("key").and_then(Value::as_str);
        key.is_some_and(|key| key.starts_with("node.kubernetes.io/"))
    };
    let node = json!({
        "name": name,
        "pods": pods,
        "cpu": cpu,
        "memory": memory,
        "resources": resources,
        "labels": first.pointer("/metadata/labels"),
        "taints": taints.filter(|taint| !of_controller(taint)).collect::<Vec<_>>(),
    });
    decode(&node, "").ok()
}

/// How long a stage of a pod's life took, in nanoseconds.
#[derive(Clone, Copy, Default)]
enum Stage {
    /// The pod did not get that far before the recording ended.
    #[default]
    Unknown,
    /// The pod was deleted in this stage.
    AtLeast(i64),
    Took(i64),
}

impl Stage {
    fn of(from: Option<Time>, to: Option<Time>, deleted: Option<Time>) -> Self {
        match (from, to, deleted) {
            (Some(from), Some(to), _) => Self::Took(to.since(from)),
            (Some(from), None, Some(deleted)) => Self::AtLeast(deleted.since(from)),
            _ => Self::Unknown,
        }
    }

    const fn took(self) -> Option<i64> {
        match self {
            Self::Took(time) => Some(time),
            Self::Unknown | Self::AtLeast(_) => None,
        }
    }

    /// A time that is long enough for a pod that was deleted in this stage, if no pod has completed it.
    fn longer(self) -> Option<Duration> {
        match self {
            Self::AtLeast(least) => Some(Duration(least.saturating_mul(2))),
            Self::Took(_) | Self::Unknown => None,
        }
    }

    /// The stage's time in the simulation; the mean of the other pods if it is not known.
    fn time(self, mean: Self) -> Option<Duration> {
        let mean = mean.took();
        let time = match self {
            Self::Took(time) => Some(time),
            Self::AtLeast(least) => mean.map(|mean| mean.max(least)),
            Self::Unknown => mean,
        };
        time.map(Duration)
    }
}

/// The stages of a pod's life.
#[derive(Clone, Copy, Default)]
struct Stages {
    schedule: Stage,
    start: Stage,
    ready: Stage,
    /// The containers of a Job's pod ran until they ended with exit code 0.
    run: Stage,
    /// They ran until one of them failed.
    crash: Stage,
    terminate: Stage,
}

impl Stages {
    fn of(versions: &[(Time, Option<Rc<Pod>>)]) -> Self {
        let time_of = |reached: &dyn Fn(&Pod) -> bool| {
            versions.iter().find(|(_, pod)| pod.as_deref().is_some_and(reached)).map(|(at, _)| *at)
        };
        let created = time_of(&|_| true);
        let bound = time_of(&|pod| pod.spec.node_name.is_some());
        let running = time_of(&|pod| pod.status.phase == PodPhase::Running);
        let deleted = time_of(&|pod| pod.metadata.deletion_timestamp.is_some());
        let is_refused = |condition: &PodCondition| {
            &*condition.type_ == "PodScheduled" && condition.status == ConditionStatus::False
        };
        let found_no_node = time_of(&|pod| pod.status.conditions.iter().any(is_refused)).is_some();
        let is_kept = |pod: &Pod| pod.metadata.deletion_timestamp.is_none();
        let ended_as = |phase: PodPhase| time_of(&|pod| pod.status.phase == phase && is_kept(pod));
        Self {
            // The simulated scheduler lets a pod wait by itself.
            schedule: if found_no_node { Stage::Unknown } else { Stage::of(created, bound, deleted) },
            start: Stage::of(bound, running, deleted),
            ready: Stage::of(running, time_of(&Pod::is_ready), deleted),
            run: Stage::of(running, ended_as(PodPhase::Succeeded), deleted),
            crash: Stage::of(running, ended_as(PodPhase::Failed), deleted),
            terminate: Stage::of(running.and(deleted), time_of(&Pod::is_terminal), None),
        }
    }

    /// The mean of each stage over the pods that completed it.
    fn mean(pods: &[Self]) -> Self {
        let mean_stage = |stage: fn(&Self) -> Stage| {
            let times: Vec<i64> = pods.iter().filter_map(|pod| stage(pod).took()).collect();
            mean(&times).map_or(Stage::Unknown, Stage::Took)
        };
        Self {
            schedule: mean_stage(|pod| pod.schedule),
            start: mean_stage(|pod| pod.start),
            ready: mean_stage(|pod| pod.ready),
            run: mean_stage(|pod| pod.run),
            crash: mean_stage(|pod| pod.crash),
            terminate: mean_stage(|pod| pod.terminate),
        }
    }

    fn timing(self, image: &str, mean: Self) -> Timing {
        let crash = self.crash.took().map(Duration);
        let run = self.run.time(mean.run).filter(|_| crash.is_none());
        Timing {
            image: Some(image.into()),
            schedule: self.schedule.time(mean.schedule).or(self.schedule.longer()).unwrap_or_default(),
            start: self.start.time(mean.start).or(self.start.longer()).unwrap_or_default(),
            ready: Some(self.ready.time(mean.ready).map_or(Delay::Never, Delay::After)),
            run: Some(run.map_or(Delay::Never, Delay::After)),
            crash,
            terminate: self.terminate.time(mean.terminate),
            ..Timing::default()
        }
    }
}

/// The durations of the recorded pods: the first simulated pod of an image takes as long as the first recorded one, and
/// so on; in an Indexed Job, this applies to each index. Additional pods take the mean.
fn timings(recording: &Recording) -> Vec<Timing> {
    let mut images: BTreeMap<String, BTreeMap<PodNumber, Stages>> = BTreeMap::new();
    for (number, pod, stages) in numbered_pods(recording) {
        let Some(container) = pod.spec.fields.containers.first() else { continue };
        images.entry(container.image.clone()).or_default().entry(number).or_insert(stages);
    }
    let mut timings = Vec::new();
    for (image, pods) in &images {
        let mean = Stages::mean(&pods.values().copied().collect::<Vec<_>>());
        let only = |number: i64| NumberRanges::parse(&number.to_string());
        let of_pod = |(number, stages): (&PodNumber, &Stages)| Timing {
            indexes: number.index.and_then(only),
            attempts: only(number.attempt),
            ..stages.timing(image, mean)
        };
        timings.extend(pods.iter().map(of_pod));
        timings.push(mean.timing(image, mean));
    }
    timings
}

/// Which one of its owner's pods a pod is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct PodNumber {
    /// Its completion index, in an Indexed Job.
    index: Option<i64>,
    /// Its number within its owner and index, in order of creation, from 1.
    attempt: i64,
}

/// The pods in order of creation, each with its number.
fn numbered_pods(recording: &Recording) -> Vec<(PodNumber, Rc<Pod>, Stages)> {
    let of_kind = recording.stored.iter().filter(|(key, _)| key.starts_with("Pod/"));
    // The pods of a StatefulSet have the names of those before them.
    let lives = of_kind.flat_map(|(_, stored)| stored.split_inclusive(|stored| stored.value.is_none()));
    let mut created: Vec<(i64, Rc<Pod>, Stages)> = lives
        .filter_map(|stored| {
            let versions = versions(stored);
            let first = versions.first()?.1.clone()?;
            Some((stored.first()?.version, first, Stages::of(&versions)))
        })
        .collect();
    created.sort_by_key(|(version, ..)| *version);
    let mut counts: BTreeMap<(Rc<str>, Option<i64>), i64> = BTreeMap::new();
    let numbered = |(_, pod, stages): (i64, Rc<Pod>, Stages)| {
        let owner = pod.metadata.controller().map_or_else(|| Rc::from(""), |owner| owner.uid.clone());
        let index = get_completion_index(&pod);
        let attempt = counts.entry((owner, index)).or_default();
        *attempt = attempt.saturating_add(1);
        (PodNumber { index, attempt: *attempt }, pod, stages)
    };
    created.into_iter().map(numbered).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The timing of a Job's pod that gets a node at once, runs after 1 s, and then is in these phases; the time is in
    /// seconds, and the pod is terminating if that is true.
    fn timing(ends: &[(i64, &str, bool)], mean: Stages) -> Timing {
        let deleted = |is_deleted: bool| is_deleted.then_some("2026-03-02T12:00:00Z");
        let pod = |(second, phase, is_deleted): &(i64, &str, bool)| {
            let pod = json!({
                "metadata": { "name": "task-a", "deletionTimestamp": deleted(*is_deleted) },
                "spec": { "nodeName": "node-1" },
                "status": { "phase": phase },
            });
            let pod: Pod = serde_json::from_value(pod).unwrap();
            (Time(0).plus_seconds(*second), Some(Rc::new(pod)))
        };
        let begin = [(0, "Pending", false), (1, "Running", false)];
        let versions: Vec<_> = begin.iter().chain(ends).map(pod).collect();
        Stages::of(&versions).timing("task:1", mean)
    }

    #[test]
    fn the_containers_of_a_job_run_as_long_as_the_recorded_ones() {
        let Timing { run, crash, .. } = timing(&[(4, "Succeeded", false)], Stages::default());
        assert_eq!((run, crash), (Some(Delay::After(Duration::seconds(3))), None));
    }

    #[test]
    fn a_pod_that_failed_fails_again() {
        let mean = Stages { run: Stage::Took(Time::SECOND), ..Stages::default() };
        let Timing { run, crash, .. } = timing(&[(3, "Failed", false)], mean);
        assert_eq!((run, crash), (Some(Delay::Never), Some(Duration::seconds(2))));
    }

    #[test]
    fn a_deleted_pod_would_have_run_at_least_until_then() {
        let ends = [(6, "Running", true), (8, "Succeeded", true)];
        let mean = |seconds: i64| Stages { run: Stage::Took(Duration::seconds(seconds).0), ..Stages::default() };
        assert_eq!(timing(&ends, mean(2)).run, Some(Delay::After(Duration::seconds(5))));
        assert_eq!(timing(&ends, mean(9)).run, Some(Delay::After(Duration::seconds(9))));
        assert_eq!(timing(&ends, Stages::default()).run, Some(Delay::Never));
    }
}
