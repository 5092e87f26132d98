//! The player: what runs in the worker. It plays scenarios, keeps their timelines and tells what there is to see at a
//! moment. The page never waits for it.

use changeover_core::Problem;
use changeover_core::cluster::{Changes, settled};
use changeover_core::json::{ToJson, decode};
use changeover_core::object::{Object, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Cursor, EndReason, Step, Timeline};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::look;
use crate::walk::Walk;
use crate::wire::{Ask, AskLook, AskPlay, Pin, Played, Seen};

/// A lane that was played.
pub(crate) struct Kept {
    generation: i64,
    lane: i64,
    /// What happened.
    pub timeline: Timeline,
    /// What was seen in one pass through it.
    pub walk: Walk,
    /// Where it was looked at last.
    pub cursor: Cursor,
    /// When the picture begins.
    pub begin: Time,
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
        let value: Value = serde_json::from_str(question).unwrap_or_default();
        let Ok(ask) = decode::<Ask>(&value, "") else { return String::new() };
        if let Some(play) = &ask.play {
            return self.play(play).to_json().to_string();
        }
        ask.look.map_or_else(String::new, |look| self.look(&look).to_json().to_string())
    }

    /// The film of what was played last, once.
    pub fn film(&mut self) -> Vec<i32> {
        std::mem::take(&mut self.film)
    }
}

impl Player {
    fn play(&mut self, ask: &AskPlay) -> Played {
        let mut played = Played { generation: ask.generation, lane: ask.lane, ..Played::default() };
        let timeline = match scenario(ask).and_then(Timeline::run) {
            Ok(timeline) => timeline,
            Err(problem) => {
                played.problem = vec![problem.path, problem.message];
                return played;
            }
        };
        let begin = timeline.scenario.start.plus(ask.begin);
        let mut walk = Walk::of(&timeline, begin, ask.by_node);
        self.film = std::mem::take(&mut walk.film);
        played.name = walk.deployment.as_ref().map_or_else(String::new, |ours| String::from(&*ours.metadata.name));
        played.sets = walk.sets.iter().map(|(_, name)| String::from(&**name)).collect();
        played.rows = if ask.by_node {
            walk.nodes.iter().map(|name| String::from(&**name)).collect()
        } else {
            played.sets.clone()
        };
        if timeline.end.reason != EndReason::Quiet {
            played.cut.clone_from(&timeline.end.message);
        }
        played.pins = ask.pins.iter().map(|pin| find(&timeline.steps, pin, begin)).collect();
        let cursor = timeline.cursor();
        // Of a lane, only the generation that is shown is kept, and the one that comes.
        self.lanes.retain(|kept| kept.generation.saturating_add(1) >= ask.generation);
        self.lanes.push(Kept { generation: ask.generation, lane: ask.lane, timeline, walk, cursor, begin });
        played
    }

    fn look(&mut self, ask: &AskLook) -> Seen {
        self.lanes.retain(|kept| kept.generation >= ask.generation);
        let mut seen = Seen { generation: ask.generation, ..Seen::default() };
        for (lane, frame) in (0_i64..).zip(&ask.frames) {
            let kept = self.lanes.iter_mut().find(|kept| (kept.generation, kept.lane) == (ask.generation, lane));
            let Some(kept) = kept else { continue };
            kept.cursor.seek(&kept.timeline, usize::try_from(*frame).unwrap_or(0));
            seen.lanes.push(look::look(kept, ask, lane));
            if let [of, pod] = ask.pod.as_slice()
                && *of == lane
            {
                seen.pod = look::pod(kept, *pod);
            }
        }
        seen
    }
}

/// What is asked to be played.
fn scenario(ask: &AskPlay) -> Result<Scenario, Problem> {
    if ask.deployment.is_null() {
        return Scenario::from_value(&ask.scenario);
    }
    let changes = Changes::from_value(&ask.changes);
    changes.and_then(|changes| settled(&ask.deployment, &changes)).map_err(|problem| {
        // The manifest is all that is there: its paths are those of its fields.
        let Problem { path, message } = problem;
        let short = ["deployment.", "changes."].into_iter().find_map(|part| path.strip_prefix(part)).map(String::from);
        Problem::new(short.unwrap_or(path), message)
    })
}

/// The step of a pin, from a time on; −1 if there is none.
fn find(steps: &[Step], pin: &Pin, begin: Time) -> i64 {
    let fits = |step: &&Step| step.time >= begin && step.reason.rule.id == pin.rule && is_about(step, &pin.about);
    let nth = usize::try_from(pin.nth.saturating_sub(1)).unwrap_or(0);
    let mut found = steps.iter().enumerate().filter(|(_, step)| fits(step));
    found.nth(nth).and_then(|(index, _)| i64::try_from(index).ok()).unwrap_or(-1)
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
pub(crate) fn family(kept: &Kept) -> Vec<Object> {
    let state = kept.cursor.state();
    let name = kept.walk.deployment.as_ref().map(|ours| ours.metadata.uid.clone());
    let Some(ours) = state.deployments().find(|it| Some(&it.metadata.uid) == name.as_ref()) else { return Vec::new() };
    let mut family = vec![Object::Deployment(ours.clone())];
    family.extend(state.replica_sets_of(ours).into_iter().cloned().map(Object::ReplicaSet));
    family
}
