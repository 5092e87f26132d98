//! What the page and its player say to each other. The player runs in a worker: it simulates, keeps the timelines and
//! answers; the page draws. Everything crosses as JSON, but for the films, which are numbers.

use changeover_core::json::{FromJson, ToJson};
use changeover_core::timeline::Actor;
use serde_json::Value;

/// What the page asks: one of the two.
#[derive(Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Ask {
    /// Play a lane.
    #[json(omitempty)]
    pub play: Option<AskPlay>,
    /// Tell what there is to see at a moment.
    #[json(omitempty)]
    pub look: Option<AskLook>,
}

/// What is to be played.
#[derive(Clone, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AskPlay {
    /// All lanes of a generation are shown together; later ones take the place of earlier ones.
    pub generation: i64,
    /// Which lane.
    pub lane: i64,
    /// A scenario.
    #[json(omitempty)]
    pub scenario: Value,
    /// Or a Deployment's manifest
    #[json(omitempty)]
    pub deployment: Value,
    /// and what is changed about it once it is at rest.
    #[json(omitempty)]
    pub changes: Value,
    /// Nanoseconds after the scenario's start at which the picture begins.
    pub begin: i64,
    /// Whether pods are grouped by node.
    pub by_node: bool,
    /// Steps to find in it.
    pub pins: Vec<Pin>,
}

/// A step, by its rule.
#[derive(Clone, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Pin {
    /// The rule's id; none stands for none of them.
    pub rule: String,
    /// What it is about; empty for anything.
    pub about: String,
    /// Which of them, from 1.
    pub nth: i64,
}

/// A moment.
#[derive(Clone, Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AskLook {
    /// Of which lanes.
    pub generation: i64,
    /// The frame of each lane.
    pub frames: Vec<i64>,
    /// How the playhead came there: 0 by time, 1 by decisions, 2 by writes.
    pub pace: i64,
    /// The lane and the step that is explained, where that is given.
    pub explain: Vec<i64>,
    /// A lane and one of its pods.
    pub pod: Vec<i64>,
    /// The lanes whose facts are open: what takes long is made only for these.
    pub facts: Vec<bool>,
}

/// What was played.
#[derive(Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Played {
    /// As asked.
    pub generation: i64,
    /// As asked.
    pub lane: i64,
    /// What is wrong with it: a path and a sentence. Then there is nothing else.
    pub problem: Vec<String>,
    /// The Deployment's name.
    pub name: String,
    /// Its ReplicaSets' names, in the order in which they appear.
    pub sets: Vec<String>,
    /// The names of the groups of pods.
    pub rows: Vec<String>,
    /// Why it ends before everything is quiet.
    pub cut: String,
    /// The step of each pin; −1 where there is none.
    pub pins: Vec<i64>,
}

/// What there is to see at a moment.
#[derive(Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Seen {
    /// As asked.
    pub generation: i64,
    /// Each lane.
    pub lanes: Vec<SeenLane>,
    /// The pod that was asked for.
    pub pod: Vec<String>,
}

/// A lane at a moment.
#[derive(Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SeenLane {
    /// The step that is explained.
    pub why: Option<Said>,
    /// The last step, where that is another.
    pub since: Option<Said>,
    /// What lies behind the picture, where that is asked for.
    pub sheets: Vec<Sheet>,
    /// What more there is to see of the explained step, in a few words: a ranking, shares.
    pub more: String,
}

/// A table.
#[derive(Clone, Default, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Sheet {
    /// What it tells.
    pub title: String,
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<String>>,
    /// Rows that the explained step is about.
    pub marked: Vec<i64>,
}

/// A step and its reason.
#[derive(Clone, PartialEq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Said {
    /// Its number.
    pub step: i64,
    /// When.
    pub time: i64,
    /// Who.
    pub actor: Actor,
    /// The rule's id.
    pub rule: String,
    /// The values of its operands.
    pub values: Vec<Value>,
}
