//! A recorded scenario, played by the simulated cluster: the same commands at the same times, and pods that take as long. Both
//! timelines are measured alike.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use changeover_core::cluster::decision::{Decision, UserAction, UserDecision};
use changeover_core::controller::Verb as ClientVerb;
use changeover_core::object::{Kind, Object, ObjectKey, Pod, PodPhase, Time};
use changeover_core::scenario::{
    Action, Cascade, Delay, Delete, Drain, Duration, Node, Scenario, TimedAction, Timing,
};
use changeover_core::timeline::{Actor, Change, End, EndReason, Series, State, Step, Timeline, Totals};
use serde_json::{Map, Value, json};

use crate::recording::{Answer, Recording, Request, Stored, Verb};

/// By how much longer than the shortest a stage of a simulated pod's life takes, in percent: `tests/controlplane/nodes` varies
/// each time by 30 % up and down.
const JITTER: u32 = 86;

/// What a Deployment's pods and ReplicaSets went through, from the first change after its creation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The most pods that held resources at once.
    pub peak: i32,
    /// The fewest available pods.
    pub lowest_available: i32,
    /// How often a ReplicaSet got another size.
    pub size_changes: i32,
    /// Nanoseconds until the controller said that the rollout was complete; none if it never did.
    pub complete: Option<i64>,
    /// Nanoseconds until the counts of pods changed for the last time.
    pub settled: i64,
}

impl Figures {
    fn of(timeline: &Timeline, deployment: &ObjectKey, from: Time) -> Self {
        let points = Series::of(timeline, &deployment.namespace, &deployment.name).points;
        let Some(last) = points.last() else { return Self::default() };
        let Totals { peak, lowest_available, complete, .. } = Totals::of(&points, from, last.time);
        let resizes = timeline.steps.iter().filter(|step| step.time >= from && is_resize(step, deployment));
        let counts = points.windows(2).filter_map(|pair| match pair {
            [before, after] if before.counts != after.counts => Some(after.time),
            _ => None,
        });
        Self {
            peak,
            lowest_available,
            size_changes: i32::try_from(resizes.count()).unwrap_or(i32::MAX),
            complete,
            settled: counts.last().map_or(0, |time| time.since(from)),
        }
    }
}

/// Whether the step gives a ReplicaSet of the Deployment another size.
fn is_resize(step: &Step, deployment: &ObjectKey) -> bool {
    let Some(Change { before: Some(Object::ReplicaSet(before)), after: Some(Object::ReplicaSet(after)), .. }) =
        &step.change
    else {
        return false;
    };
    let owner = after.metadata.controller_key(Kind::Deployment);
    before.spec.replicas != after.spec.replicas && owner.as_ref() == Some(deployment)
}

/// A recording that is ready to be played.
pub struct Rehearsal {
    /// The recorded timeline.
    recorded: Timeline,
    /// The Deployments.
    deployments: BTreeSet<ObjectKey>,
    /// When the first of them was changed, or else created.
    from: Time,
    scenario: Scenario,
}

impl Rehearsal {
    /// Makes a scenario of a recording.
    pub fn new(recording: &Recording) -> Self {
        let recorded = timeline(recording);
        let keys = recorded.steps.iter().filter_map(|step| Some((*step.change.as_ref()?.key).clone()));
        let deployments = keys.filter(|key| key.kind == Kind::Deployment).collect();
        let requests = || recording.requests.iter().filter(|request| request.user == "admin");
        let is_change = |request: &&Rc<Request>| request.verb != Verb::Create;
        let first = requests().find(is_change).or_else(|| requests().next());
        let from = first.map_or(recording.start, |request| request.received);
        let mut actions: Vec<TimedAction> = requests().filter_map(|request| action(recording, request)).collect();
        actions.extend(drains(recording));
        actions.sort_by_key(|action| action.at.0);
        let scenario = Scenario {
            start: recording.start,
            objects: quotas(recording).collect(),
            nodes: nodes(recording),
            kubelet: timings(recording),
            actions,
            ..Scenario::default()
        };
        Self { recorded, deployments, from, scenario }
    }

    /// What really happened to each Deployment.
    pub fn recorded(&self) -> BTreeMap<ObjectKey, Figures> {
        self.figures(&self.recorded)
    }

    /// What happens in the simulated cluster.
    ///
    /// # Errors
    /// What is wrong with the scenario.
    pub fn simulated(&self, seed: u64) -> Result<BTreeMap<ObjectKey, Figures>, String> {
        let scenario = Scenario { seed, ..self.scenario.clone() };
        let timeline = Timeline::run(scenario).map_err(|problem| problem.to_string())?;
        Ok(self.figures(&timeline))
    }

    fn figures(&self, timeline: &Timeline) -> BTreeMap<ObjectKey, Figures> {
        self.deployments.iter().map(|key| (key.clone(), Figures::of(timeline, key, self.from))).collect()
    }
}

/// The recorded versions as the steps of a timeline.
fn timeline(recording: &Recording) -> Timeline {
    let mut versions: Vec<(i64, Time, Change)> = Vec::new();
    for stored in recording.stored.values() {
        let mut before: Option<Object> = None;
        for Stored { version, at, object, .. } in stored {
            let Some(key) = object.as_ref().or(before.as_ref()).map(Object::key) else { continue };
            let change = Change {
                verb: ClientVerb::Patch,
                key: Rc::new(key),
                before: before.take(),
                after: object.clone(),
            };
            before.clone_from(object);
            versions.push((*version, *at, change));
        }
    }
    versions.sort_by_key(|(version, ..)| *version);
    let mut time = recording.start;
    let steps = versions.into_iter().map(|(_, at, change)| {
        // Watches of different kinds report at their own pace.
        time = time.max(at);
        let decision = UserDecision { object: (*change.key).clone(), action: UserAction::Delete };
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

/// The action of a scenario that is the request of a user.
fn action(recording: &Recording, request: &Request) -> Option<TimedAction> {
    let at = Duration(request.received.since(recording.start));
    let (kind, name) = request.object.split_once('/')?;
    let apply = |content: Value| {
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": kind, "metadata": { "name": name, "namespace": recording.name },
        });
        json_patch::merge(&mut object, &content);
        Action::Apply(object)
    };
    let action = match (kind, request.verb, &request.answer) {
        ("Deployment", Verb::Create, _) => {
            apply(written(recording.stored.get(&request.object)?.first()?.value.as_ref()?))
        }
        ("Deployment", Verb::Patch, Answer::Written(version)) => {
            let [before, after] = [recording.before(&request.object, *version)?, recording.at(&request.object, *version)?]
                .map(|stored| stored.value.as_ref().map(written));
            apply(difference(&before?, &after?))
        }
        // Scaling goes through the subresource.
        ("Deployment", Verb::Other, _) => apply(request.sent.clone()),
        ("Pod", Verb::Delete, _) => Action::Delete(Delete {
            kind: kind.into(),
            // One of those that are left: the oldest.
            name: "web/0".into(),
            namespace: recording.name.clone(),
            cascade: Cascade::Background,
            grace_period_seconds: None,
        }),
        _ => return None,
    };
    Some(TimedAction { at, action })
}

/// What a user writes of an object.
fn written(object: &Value) -> Value {
    let metadata = |key| object.pointer("/metadata").and_then(|metadata| metadata.get(key)).cloned().unwrap_or_default();
    json!({
        "metadata": { "labels": metadata("labels"), "annotations": metadata("annotations") },
        "spec": object.get("spec"),
    })
}

/// The merge patch (RFC 7396) that makes one value of another.
fn difference(before: &Value, after: &Value) -> Value {
    let (Value::Object(before), Value::Object(after)) = (before, after) else { return after.clone() };
    let removed = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter(|(key, value)| before.get(*key) != Some(value));
    let changed = changed.map(|(key, value)| (key.clone(), difference(before.get(key).unwrap_or(&Value::Null), value)));
    Value::Object(removed.chain(changed).collect::<Map<_, _>>())
}

/// `kubectl drain`, at the time of its first eviction.
fn drains(recording: &Recording) -> Option<TimedAction> {
    let drain = recording.commands.iter().find_map(|command| match command.as_slice() {
        [verb, node, ..] if verb == "drain" => Some(node.clone()),
        _ => None,
    })?;
    let is_eviction = |request: &&Rc<Request>| request.object.starts_with("Pod/") && request.verb == Verb::Other;
    let first = recording.requests.iter().find(is_eviction)?;
    let at = Duration(first.received.since(recording.start));
    Some(TimedAction { at, action: Action::Drain(Drain { name: drain, force: false }) })
}

fn quotas(recording: &Recording) -> impl Iterator<Item = Value> {
    let of_kind = recording.stored.iter().filter(|(key, _)| key.starts_with("ResourceQuota/"));
    of_kind.filter_map(|(_, versions)| {
        let first = versions.first()?.value.as_ref()?;
        Some(json!({
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": { "name": first.pointer("/metadata/name")?, "namespace": recording.name },
            "spec": first.get("spec")?,
        }))
    })
}

fn pods(recording: &Recording) -> impl Iterator<Item = Vec<(Time, Option<Rc<Pod>>)>> {
    let of_kind = recording.stored.iter().filter(|(key, _)| key.starts_with("Pod/"));
    of_kind.map(|(_, versions)| {
        let pod = |stored: &Stored| match &stored.object {
            Some(Object::Pod(pod)) => Some(pod.clone()),
            _ => None,
        };
        versions.iter().map(|stored| (stored.at, pod(stored))).collect()
    })
}

fn nodes(recording: &Recording) -> Vec<Node> {
    let used = pods(recording).flatten().filter_map(|(_, pod)| pod?.spec.node_name.clone());
    let names: BTreeSet<Rc<str>> = used.collect();
    names.iter().map(|name| Node { name: String::from(&**name), ..Node::default() }).collect()
}

/// How long the stages took for the pods of one image.
#[derive(Default)]
struct Stages {
    schedule: Vec<i64>,
    start: Vec<i64>,
    ready: Vec<i64>,
    terminate: Vec<i64>,
}

/// How long the recorded pods of each image took.
fn timings(recording: &Recording) -> Vec<Timing> {
    let mut images: BTreeMap<String, Stages> = BTreeMap::new();
    for versions in pods(recording) {
        let Some((created, Some(first))) = versions.first() else { continue };
        let Some(container) = first.spec.fields.containers.first() else { continue };
        let time_of = |reached: &dyn Fn(&Pod) -> bool| {
            versions.iter().find(|(_, pod)| pod.as_deref().is_some_and(reached)).map(|(at, _)| *at)
        };
        let bound = time_of(&|pod| pod.spec.node_name.is_some());
        let running = time_of(&|pod| pod.status.phase == PodPhase::Running);
        let ready = time_of(&Pod::is_ready);
        let deleted = time_of(&|pod| pod.metadata.deletion_timestamp.is_some());
        let ended = time_of(&Pod::is_terminal);
        let stages = images.entry(container.image.clone()).or_default();
        let mut push = |stage: fn(&mut Stages) -> &mut Vec<i64>, from: Option<Time>, to: Option<Time>| {
            stage(stages).extend(from.zip(to).map(|(from, to)| to.since(from)));
        };
        push(|stages| &mut stages.schedule, Some(*created), bound);
        push(|stages| &mut stages.start, bound, running);
        push(|stages| &mut stages.ready, running, ready);
        push(|stages| &mut stages.terminate, running.and(deleted), ended);
    }
    let shortest = |times: &[i64]| {
        let count = i64::try_from(times.len()).unwrap_or(i64::MAX);
        let mean = times.iter().sum::<i64>().checked_div(count)?;
        Some(mean.saturating_mul(100).saturating_div(100_i64.saturating_add(i64::from(JITTER / 2))))
    };
    let timing = |(image, stages): (String, Stages)| Timing {
        image: Some(image),
        schedule: Duration(shortest(&stages.schedule).unwrap_or_default()),
        start: Duration(shortest(&stages.start).unwrap_or_default()),
        ready: Some(shortest(&stages.ready).map_or(Delay::Never, |ready| Delay::After(Duration(ready)))),
        terminate: shortest(&stages.terminate).map(Duration),
        jitter_percent: JITTER,
        ..Timing::default()
    };
    images.into_iter().map(timing).collect()
}
