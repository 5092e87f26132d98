//! The player: what runs in the worker. It plays scenarios, keeps their timelines and tells what there is to see at a
//! moment. The page never waits for it.

mod fork;
mod look;
mod walk;
mod why;

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::cluster::{Changes, settled};
use changeover_core::object::{Object, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Cursor, EndReason, Step, Timeline};
use changeover_wire::{get, int, list, number, object, place, text, words};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::walk::Walk;

#[cfg(target_family = "wasm")]
#[global_allocator]
static ALLOCATOR: changeover_allocator::Allocator = changeover_allocator::allocator();

/// A lane that was played.
struct Kept {
    generation: i64,
    lane: i64,
    /// What happened.
    timeline: Timeline,
    /// What was seen in one pass through it.
    walk: Walk,
    /// Where it was looked at last.
    cursor: Cursor,
    /// When the picture begins.
    begin: Time,
}

/// See the module.
#[wasm_bindgen]
#[derive(Default)]
pub struct Player {
    lanes: Vec<Kept>,
    film: Vec<i32>,
}

#[wasm_bindgen]
impl Player {
    /// A player that has played nothing.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers a question of the page; both are JSON.
    pub fn answer(&mut self, question: &str) -> String {
        let question: Value = serde_json::from_str(question).unwrap_or_default();
        let play = get(&question, "play");
        let answer = if play.is_null() { self.look(get(&question, "look")) } else { self.play(play) };
        answer.to_string()
    }

    /// The film of what was played last, once.
    pub fn film(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.film)
    }
}

impl Player {
    fn play(&mut self, ask: &Value) -> Value {
        let (generation, lane) = (int(ask, "generation"), int(ask, "lane"));
        let mut answer = vec![("generation", generation.into()), ("lane", lane.into())];
        let (shown, forks) = (int(ask, "shown"), list(ask, "forks"));
        let before = self.lanes.iter().find(|kept| (kept.generation, kept.lane) == (shown, lane));
        let deployment = before.and_then(|kept| kept.walk.deployment.as_deref());
        let played = scenario(ask).and_then(|scenario| fork::run(scenario, int(ask, "begin"), forks, deployment));
        let mut timeline = match played {
            Ok(timeline) => timeline,
            Err(problem) => {
                answer.push(("problem", words(&[problem.path, problem.message])));
                return object(answer);
            }
        };
        let begin = timeline.scenario.start.plus(int(ask, "begin"));
        let by_node = get(ask, "byNode") == &Value::Bool(true);
        let mut walk = Walk::of(&timeline, begin, by_node);
        self.film = std::mem::take(&mut walk.film);
        let names: Vec<_> = walk.sets.iter().map(|(_, name)| name.clone()).collect();
        answer.push(("sets", words(&names)));
        answer.push(("rows", words(if by_node { &walk.nodes } else { &names })));
        if timeline.end.reason != EndReason::Quiet {
            answer.push(("cut", timeline.end.message.as_str().into()));
        }
        answer.push(("nodes", words(&walk.nodes_of_pods())));
        answer.push(("forks", fork::said(&timeline, begin, forks)));
        let pins = list(ask, "pins").iter().map(|pin| find(&timeline.steps, pin, begin));
        answer.push(("pins", Value::Array(pins.collect())));
        let cursor = timeline.cursor();
        // Of a lane, only the generation that is shown is kept, and the one that comes.
        self.lanes.retain(|kept| kept.generation == shown || kept.generation == generation);
        // The start is in the timeline's first frame: as JSON, too, it would take as much as the course of many pods.
        if let Some(scenario) = Rc::get_mut(&mut timeline.scenario) {
            scenario.objects = Vec::new();
        }
        self.lanes.push(Kept { generation, lane, timeline, walk, cursor, begin });
        object(answer)
    }

    fn look(&mut self, ask: &Value) -> Value {
        let generation = int(ask, "generation");
        self.lanes.retain(|kept| kept.generation >= generation);
        let asked = list(ask, "pod");
        let mut pod = Vec::new();
        let mut lanes = Vec::new();
        for (index, frame) in (0_i64..).zip(list(ask, "frames")) {
            let kept = self.lanes.iter_mut().find(|kept| (kept.generation, kept.lane) == (generation, index));
            let Some(kept) = kept else { continue };
            let frame = frame.as_i64().and_then(|frame| usize::try_from(frame).ok());
            kept.cursor.seek(&kept.timeline, frame.unwrap_or(0));
            lanes.push(look::look(kept, ask, lanes.len()));
            let number = place(asked, 1).filter(|_| place(asked, 0) == Some(lanes.len().saturating_sub(1)));
            if let Some(named) = number.and_then(|number| look::pod(kept, number)) {
                pod = [asked, &named].concat();
            }
        }
        object(vec![("generation", generation.into()), ("lanes", Value::Array(lanes)), ("pod", Value::Array(pod))])
    }
}

/// What is asked to be played.
fn scenario(ask: &Value) -> Result<Scenario, Problem> {
    let deployment = get(ask, "deployment");
    if deployment.is_null() {
        return Scenario::from_value(get(ask, "scenario"));
    }
    let changes = Changes::from_value(get(ask, "changes"));
    changes.and_then(|changes| settled(deployment, &changes)).map_err(|problem| {
        // The manifest is all that is there: its paths are those of its fields.
        let Problem { path, message } = problem;
        let short = ["deployment.", "changes."].into_iter().find_map(|part| path.strip_prefix(part)).map(String::from);
        Problem::new(short.unwrap_or(path), message)
    })
}

/// The step of a pin, from a time on; −1 if there is none.
fn find(steps: &[Step], pin: &Value, begin: Time) -> Value {
    let (rule, about) = (text(pin, "rule"), text(pin, "about"));
    let mut left = int(pin, "nth");
    for (index, step) in steps.iter().enumerate() {
        if step.time >= begin && step.reason.rule.id == rule && is_about(step, about) {
            left = left.saturating_sub(1);
            if left <= 0 {
                return number(index);
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
    let named = [Some(&step.about), written].into_iter().flatten();
    let mut named = named.map(|key| key.kind.name() == about || key.name.starts_with(about));
    named.any(|fits| fits) || step.reason.values.iter().any(|value| value.to_string() == about)
}

/// The objects of a Deployment: itself and its ReplicaSets.
fn family(kept: &Kept) -> Vec<Object> {
    let state = kept.cursor.state();
    let name = kept.walk.deployment.as_ref().map(|ours| ours.metadata.uid.clone());
    let Some(ours) = state.deployments().find(|it| Some(&it.metadata.uid) == name.as_ref()) else { return Vec::new() };
    let mut family = vec![Object::Deployment(ours.clone())];
    family.extend(state.replica_sets_of(ours).into_iter().cloned().map(Object::ReplicaSet));
    family
}
