//! What a player says of a story, recorded when the page is built: all that a reader sees who changes nothing. So a reader needs
//! a player only for what-ifs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::inspection::KnownSteps;
use crate::playback_track::{pack, unpack};
use crate::{Explanation, InspectRequest, Inspection, LaneInspection, PlayedLane, Table};

/// A version of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StoryVersion {
    /// What happened.
    Original,
    /// What would have helped.
    Remedy,
}

/// The recording of a story.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Recording {
    /// Each explanation once, at time 0: their times are those of their steps.
    pub explanations: Vec<Explanation>,
    /// Each table once.
    pub tables: Vec<Table>,
    /// The numbers of tables that stand together, each list once.
    pub table_lists: Vec<Vec<usize>>,
    /// The chapters of both versions.
    pub chapters: Vec<RecordedChapter>,
}

/// The lanes of a chapter.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedChapter {
    /// The version of the story.
    pub version: StoryVersion,
    /// The number of the chapter.
    pub chapter: usize,
    /// The lanes from top to bottom.
    pub lanes: Vec<RecordedLane>,
}

/// All that a player says of a lane.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordedLane {
    /// What it is.
    pub played: PlayedLane,
    /// Its track.
    #[serde(serialize_with = "write_track", deserialize_with = "read_track")]
    pub track: Vec<i32>,
    /// How many steps are before the page's time 0. Nobody sees why they happened.
    pub earlier_steps: usize,
    /// For each other step, the number of its explanation.
    #[serde(serialize_with = "write_differences", deserialize_with = "read_differences")]
    pub explanations: Vec<usize>,
    /// For each frame from time 0 on, how many steps before the last one the explained step is, if whole waves are shown.
    #[serde(serialize_with = "write_differences", deserialize_with = "read_differences")]
    pub explained_back: Vec<usize>,
    /// For each of these frames, the number of the list of tables behind that step.
    #[serde(serialize_with = "write_differences", deserialize_with = "read_differences")]
    pub wave_tables: Vec<usize>,
    /// The same for its last step.
    #[serde(serialize_with = "write_differences", deserialize_with = "read_differences")]
    pub write_tables: Vec<usize>,
    /// The same for the steps that captions explain.
    pub pinned_tables: Vec<PinnedTables>,
}

/// The tables behind a step that a caption explains.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PinnedTables {
    /// The frame that is shown.
    pub frame: usize,
    /// The explained step.
    pub step: usize,
    /// The number of the list.
    pub tables: usize,
}

impl Recording {
    /// The number of a chapter; none if it was not recorded.
    #[must_use]
    pub fn position(&self, version: StoryVersion, chapter: usize) -> Option<usize> {
        self.chapters.iter().position(|recorded| recorded.version == version && recorded.chapter == chapter)
    }

    /// What the lanes of a chapter show. `time`: when a step of a lane happens.
    #[must_use]
    pub fn inspect(
        &self,
        chapter: &RecordedChapter,
        request: &InspectRequest,
        time: impl Fn(usize, usize) -> i64,
    ) -> Inspection {
        let lanes = request.frames.iter().enumerate().map(|(number, frame)| {
            let Some(lane) = chapter.lanes.get(number) else { return LaneInspection::default() };
            let time = |step: usize| time(number, step);
            request.inspect(number, *frame, &RecordedFrame { recording: self, lane, frame: *frame, time: &time })
        });
        Inspection { generation: request.generation, lanes: lanes.collect() }
    }
}

/// A frame of a recorded lane.
struct RecordedFrame<'a> {
    recording: &'a Recording,
    lane: &'a RecordedLane,
    frame: usize,
    time: &'a dyn Fn(usize) -> i64,
}

impl RecordedFrame<'_> {
    /// Its entry in a list with one for each frame from time 0 on.
    fn entry(&self, of_frames: &[usize]) -> Option<usize> {
        of_frames.get(self.frame.checked_sub(self.lane.first_frame())?).copied()
    }
}

impl KnownSteps for RecordedFrame<'_> {
    fn explained_in_wave(&self, last: usize) -> usize {
        last.saturating_sub(self.entry(&self.lane.explained_back).unwrap_or(0))
    }

    fn explanation(&self, step: usize) -> Option<Explanation> {
        let later = step.checked_sub(self.lane.earlier_steps)?;
        let explanation = self.recording.explanations.get(*self.lane.explanations.get(later)?)?;
        Some(Explanation { time: (self.time)(step), ..explanation.clone() })
    }

    fn tables(&self, step: usize) -> Vec<Table> {
        let last = self.frame.saturating_sub(1);
        let is_pinned = |pinned: &&PinnedTables| pinned.frame == self.frame && pinned.step == step;
        let list = if step == self.explained_in_wave(last) {
            self.entry(&self.lane.wave_tables)
        } else if step == last {
            self.entry(&self.lane.write_tables)
        } else {
            self.lane.pinned_tables.iter().find(is_pinned).map(|pinned| pinned.tables)
        };
        let list = list.and_then(|list| self.recording.table_lists.get(list));
        list.into_iter().flatten().filter_map(|table| self.recording.tables.get(*table)).cloned().collect()
    }
}

impl RecordedLane {
    /// A lane without what it shows at its frames.
    #[must_use]
    pub fn new(played: PlayedLane, track: Vec<i32>, earlier_steps: usize) -> Self {
        Self {
            played,
            track,
            earlier_steps,
            explanations: Vec::new(),
            explained_back: Vec::new(),
            wave_tables: Vec::new(),
            write_tables: Vec::new(),
            pinned_tables: Vec::new(),
        }
    }

    /// The first frame that is shown: frame 0 has nothing to explain.
    #[must_use]
    pub fn first_frame(&self) -> usize {
        self.earlier_steps.max(1)
    }
}

fn write_track<S: Serializer>(track: &[i32], serializer: S) -> Result<S::Ok, S::Error> {
    pack(track).serialize(serializer)
}

fn read_track<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<i32>, D::Error> {
    Ok(unpack(&Vec::deserialize(deserializer)?))
}

/// Numbers that are close to the ones before them take few bytes as differences.
fn write_differences<S: Serializer>(numbers: &[usize], serializer: S) -> Result<S::Ok, S::Error> {
    let before = [0].iter().chain(numbers);
    serializer.collect_seq(numbers.iter().zip(before).map(|(number, before)| {
        let [number, before] = [number, before].map(|number| i64::try_from(*number).unwrap_or(i64::MAX));
        number.saturating_sub(before)
    }))
}

fn read_differences<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<usize>, D::Error> {
    let differences: Vec<i64> = Vec::deserialize(deserializer)?;
    let sum = |before: &mut i64, difference: i64| {
        *before = before.saturating_add(difference);
        Some(usize::try_from(*before).unwrap_or(0))
    };
    Ok(differences.into_iter().scan(0, sum).collect())
}
