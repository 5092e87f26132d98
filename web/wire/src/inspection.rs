//! Inspecting the lanes: why the step at the playhead happened, and the tables behind it.

use serde::{Deserialize, Serialize};

/// Asks what the lanes of a generation show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InspectRequest {
    /// The generation on the page.
    pub generation: u32,
    /// The frame of each lane.
    pub frames: Vec<usize>,
    /// Whether the playhead goes from wave to wave or from write to write.
    pub level: StepLevel,
    /// The step to explain, if it is not the one at the playhead.
    #[serde(deserialize_with = "Option::deserialize")]
    pub explain: Option<StepRef>,
    /// Whether the tables are wanted: they take long.
    pub tables: bool,
}

/// How long a wave lasts at most, in nanoseconds. A control plane takes some time to react to an event: its requests wait for each
/// other.
pub const MAX_WAVE: i64 = 250_000_000;

/// In which steps the playhead moves. It decides which step of a wave is explained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StepLevel {
    /// A whole wave: everything that happens within [`MAX_WAVE`].
    #[default]
    Wave,
    /// One API write after the other.
    Write,
}

/// A step of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StepRef {
    /// The lane.
    pub lane: usize,
    /// The number of the step.
    pub step: usize,
}

/// What the lanes show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Inspection {
    /// The generation that was asked for.
    pub generation: u32,
    /// One entry for each lane.
    pub lanes: Vec<LaneInspection>,
}

/// What a lane shows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LaneInspection {
    /// The number of the explained step; none before the first step.
    #[serde(deserialize_with = "Option::deserialize")]
    pub explained: Option<usize>,
    /// Why the explained step happened; none before the page's time 0.
    #[serde(deserialize_with = "Option::deserialize")]
    pub explanation: Option<Explanation>,
    /// The last step, if that is another one.
    #[serde(deserialize_with = "Option::deserialize")]
    pub last_step: Option<LastStep>,
    /// The tables, if they were asked for.
    pub tables: Vec<Table>,
}

/// What is known of a lane at a frame: by a player, or from the recording of one.
pub trait KnownSteps {
    /// The step to explain at the end of a wave whose last step is this one.
    fn explained_in_wave(&self, last: usize) -> usize;

    /// Why a step happened; none for one before the page's time 0.
    fn explanation(&self, step: usize) -> Option<Explanation>;

    /// The tables behind a step.
    fn tables(&self, step: usize) -> Vec<Table>;
}

impl InspectRequest {
    /// What a lane shows at a frame.
    pub fn inspect(&self, lane: usize, frame: usize, known: &impl KnownSteps) -> LaneInspection {
        let Some(last) = frame.checked_sub(1) else { return LaneInspection::default() };
        let given = self.explain.filter(|explain| explain.lane == lane && explain.step <= last);
        let explained = match (given, self.level) {
            (Some(explain), _) => explain.step,
            (None, StepLevel::Write) => last,
            (None, StepLevel::Wave) => known.explained_in_wave(last),
        };
        let explanation = known.explanation(explained);
        let is_another = explanation.is_some() && given.is_none() && explained != last;
        let last_step = is_another.then(|| known.explanation(last)).flatten().map(LastStep::from);
        let tables = if self.tables { known.tables(explained) } else { Vec::new() };
        LaneInspection { explained: Some(explained), explanation, last_step, tables }
    }
}

impl From<Explanation> for LastStep {
    fn from(Explanation { time, sentence, .. }: Explanation) -> Self {
        let words = |segment: Segment| match segment {
            Segment::Text(text) => text,
            Segment::Operand(operand) => operand.value,
        };
        Self { time, sentence: sentence.into_iter().map(words).collect() }
    }
}

/// Why a step happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Explanation {
    /// When, in nanoseconds of the page's time.
    pub time: i64,
    /// Which component acted.
    pub actor: String,
    /// The ReplicaSet it is about, if any.
    #[serde(deserialize_with = "Option::deserialize")]
    pub replica_set: Option<String>,
    /// The upstream function that decides so; none if upstream has none.
    #[serde(deserialize_with = "Option::deserialize")]
    pub upstream: Option<String>,
    /// The KEP's section; none if no KEP is behind it.
    #[serde(deserialize_with = "Option::deserialize")]
    pub section: Option<String>,
    /// The sentence.
    pub sentence: Vec<Segment>,
    /// The lines of the formula.
    pub formula: Vec<Vec<Segment>>,
}

/// A part of a sentence or a formula.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Segment {
    /// Text.
    Text(String),
    /// A number or a name that the decision used.
    Operand(Operand),
}

/// A number or a name that a decision used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Operand {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Where it comes from.
    pub source: String,
    /// The part of the picture that shows it, if any does.
    #[serde(deserialize_with = "Option::deserialize")]
    pub mark: Option<Mark>,
}

/// A part of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    /// The limit.
    Limit,
    /// The desired number of pods.
    Desired,
    /// The fewest pods that must be available.
    MinAvailable,
    /// The terminating pods.
    Terminating,
    /// The available pods.
    Available,
    /// All pods.
    Total,
    /// The pods of one ReplicaSet.
    ReplicaSet,
}

/// The last step, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LastStep {
    /// When, in nanoseconds of the page's time.
    pub time: i64,
    /// What happened.
    pub sentence: String,
}

/// A table of the details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Table {
    /// Its title.
    pub title: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// Its rows.
    pub rows: Vec<TableRow>,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableRow {
    /// A cell for each column.
    pub cells: Vec<String>,
    /// Whether the explained step is about it.
    pub marked: bool,
}
