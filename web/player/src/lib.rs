//! The player, a WebAssembly module that runs in a worker: it simulates scenarios, keeps their timelines and answers the
//! page's requests.

mod explanation;
mod fork;
mod inspection;
mod track_recorder;

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::cluster::{Changes, steady_state};
use changeover_core::object::{Object, Time};
use changeover_core::scenario::{Manifests, Scenario};
use changeover_core::timeline::{Cursor, EndReason, Step, Timeline};
use changeover_wire::{field, i64_field, index_at, index_value, list_field, object, str_field, str_list};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::track_recorder::TrackRecorder;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: changeover_allocator::Allocator = changeover_allocator::allocator();

/// A lane and its timeline.
struct PlayedLane {
    generation: i64,
    lane: i64,
    timeline: Timeline,
    /// What the page needs to play it.
    recording: TrackRecorder,
    /// Where it was inspected last.
    cursor: Cursor,
    /// The page's time 0.
    begin: Time,
}

/// The player as JavaScript sees it.
#[wasm_bindgen]
#[derive(Default)]
pub struct Player {
    lanes: Vec<PlayedLane>,
    /// The track of the lane that was played last.
    track: Vec<i32>,
}

#[wasm_bindgen]
impl Player {
    /// A player without timelines.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a request of the page; request and response are JSON.
    pub fn answer(&mut self, request: &str) -> String {
        let request: Value = serde_json::from_str(request).unwrap_or_default();
        let play = field(&request, "play");
        let response = if play.is_null() { self.inspect(field(&request, "inspect")) } else { self.play(play) };
        response.to_string()
    }

    /// The playback track of the lane that was played last. A second call returns an empty one.
    #[wasm_bindgen(js_name = takeTrack)]
    pub fn take_track(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.track)
    }
}

impl Player {
    fn play(&mut self, request: &Value) -> Value {
        let (generation, lane) = (i64_field(request, "generation"), i64_field(request, "lane"));
        let mut response = vec![("generation", generation.into()), ("lane", lane.into())];
        let (shown, forks) = (i64_field(request, "shown"), list_field(request, "forks"));
        let before = self.lanes.iter().find(|played_lane| (played_lane.generation, played_lane.lane) == (shown, lane));
        let deployment = before.and_then(|played_lane| played_lane.recording.deployment.as_deref());
        let played = requested_scenario(request)
            .and_then(|scenario| fork::run_with_forks(scenario, i64_field(request, "begin"), forks, deployment));
        let mut timeline = match played {
            Ok(timeline) => timeline,
            Err(problem) => {
                response.push(("problem", str_list(&[problem.path, problem.message])));
                return object(response);
            }
        };
        let begin = timeline.scenario.start.plus(i64_field(request, "begin"));
        let by_node = field(request, "byNode") == &Value::Bool(true);
        let mut recording = TrackRecorder::record(&timeline, begin, by_node);
        self.track = std::mem::take(&mut recording.track);
        let names: Vec<_> = recording.replica_sets.iter().map(|(_, name)| name.clone()).collect();
        response.push(("replicaSets", str_list(&names)));
        response.push(("rows", str_list(if by_node { &recording.nodes } else { &names })));
        if timeline.end.reason != EndReason::Quiet {
            response.push(("cutReason", timeline.end.message.as_str().into()));
        }
        response.push(("nodes", str_list(&recording.nodes_of_pods())));
        response.push(("forks", fork::fork_outcomes(&timeline, begin, forks)));
        let pins = list_field(request, "pins").iter().map(|pin| find_pinned_step(&timeline.steps, pin, begin));
        response.push(("pins", Value::Array(pins.collect())));
        let cursor = timeline.cursor();
        // Only two generations of a lane are kept: the one on the page and the new one.
        self.lanes.retain(|played_lane| played_lane.generation == shown || played_lane.generation == generation);
        // The timeline's first frame has the objects; keeping them as JSON too would double the memory.
        if let Some(scenario) = Rc::get_mut(&mut timeline.scenario) {
            scenario.objects = Manifests::default();
        }
        self.lanes.push(PlayedLane { generation, lane, timeline, recording, cursor, begin });
        object(response)
    }

    fn inspect(&mut self, request: &Value) -> Value {
        let generation = i64_field(request, "generation");
        self.lanes.retain(|played_lane| played_lane.generation >= generation);
        let requested_pod = list_field(request, "pod");
        let mut pod = Vec::new();
        let mut lanes = Vec::new();
        for (index, frame) in (0_i64..).zip(list_field(request, "frames")) {
            let played_lane = self
                .lanes
                .iter_mut()
                .find(|played_lane| (played_lane.generation, played_lane.lane) == (generation, index));
            let Some(played_lane) = played_lane else { continue };
            let frame = frame.as_i64().and_then(|frame| usize::try_from(frame).ok());
            played_lane.cursor.seek(&played_lane.timeline, frame.unwrap_or(0));
            lanes.push(inspection::inspect(played_lane, request, lanes.len()));
            let number = index_at(requested_pod, 1)
                .filter(|_| index_at(requested_pod, 0) == Some(lanes.len().saturating_sub(1)));
            if let Some(name_and_node) = number.and_then(|number| inspection::pod_name_and_node(played_lane, number)) {
                pod = [requested_pod, &name_and_node].concat();
            }
        }
        object(vec![("generation", generation.into()), ("lanes", Value::Array(lanes)), ("pod", Value::Array(pod))])
    }
}

/// The scenario that a `play` request asks for.
fn requested_scenario(request: &Value) -> Result<Scenario, Problem> {
    let deployment = field(request, "deployment");
    if deployment.is_null() {
        return Scenario::from_value(field(request, "scenario"));
    }
    let changes = Changes::from_value(field(request, "changes"));
    changes.and_then(|changes| steady_state(deployment, &changes)).map_err(|problem| {
        // The user sees only the manifest, so paths begin at its fields.
        let Problem { path, message } = problem;
        let stripped =
            ["deployment.", "changes."].into_iter().find_map(|part| path.strip_prefix(part)).map(String::from);
        Problem::new(stripped.unwrap_or(path), message)
    })
}

/// The step that a pin names, at or after a time; −1 if there is none.
fn find_pinned_step(steps: &[Step], pin: &Value, begin: Time) -> Value {
    let (rule, about) = (str_field(pin, "rule"), str_field(pin, "about"));
    let mut left = i64_field(pin, "nth");
    for (index, step) in steps.iter().enumerate() {
        if step.time >= begin && step.reason().rule.id == rule && is_about(step, about) {
            left = left.saturating_sub(1);
            if left <= 0 {
                return index_value(index);
            }
        }
    }
    Value::from(-1)
}

fn is_about(step: &Step, about: &str) -> bool {
    if about.is_empty() {
        return true;
    }
    let written = step.change.as_ref().map(|change| &change.key);
    let keys = [Some(&step.about), written].into_iter().flatten();
    let mut matches = keys.map(|key| key.kind.name() == about || key.name.starts_with(about));
    matches.any(|matches| matches) || step.reason().values.iter().any(|value| value.to_string() == about)
}

/// The recorded Deployment and its ReplicaSets, at the cursor.
fn deployment_and_replica_sets(played_lane: &PlayedLane) -> Vec<Object> {
    let state = played_lane.cursor.state();
    let uid = played_lane.recording.deployment.as_ref().map(|deployment| deployment.metadata.uid.clone());
    let Some(deployment) = state.deployments().find(|deployment| Some(&deployment.metadata.uid) == uid.as_ref()) else {
        return Vec::new();
    };
    let mut objects = vec![Object::Deployment(deployment.clone())];
    objects.extend(state.replica_sets_of(deployment).into_iter().cloned().map(Object::ReplicaSet));
    objects
}
