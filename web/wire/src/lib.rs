//! The messages between the page and its workers: the player, which simulates, and the workbench, which knows manifests.
//!
//! Messages are JSON; an unknown or a missing field is an error that names it. Beside the JSON are the playback track, a list of
//! numbers for everything that a lane will ever show ([`playback_track`]), and the user's texts, which may be large ([`LargeText`]).

mod advice;
mod clock;
mod inspection;
mod judgment;
mod large_text;
mod link_content;
mod manifests;
mod number;
mod outlook;
mod play;
pub mod playback_track;
mod recording;
mod review;
mod workbench;
mod worst_cases;
mod yaml;

use serde::{Deserialize, Serialize};

pub use advice::{
    Advice, AdviceQuestion, AdvisedSetting, AskedRollout, Range, Relaxation, Runs, RunsQuestion, SimulatedChange,
};
pub use clock::{ClockFormat, format_clock, format_clock_column, format_clocks};
pub use inspection::{
    Explanation, InspectRequest, Inspection, KnownSteps, LaneInspection, LastStep, MAX_WAVE, Mark, Operand, Segment,
    StepLevel, StepRef, Table, TableRow,
};
pub use judgment::{Judgment, JudgmentResult};
pub use large_text::LargeText;
pub use link_content::LinkContent;
pub use manifests::{
    FieldValue, KindFields, LineProblem, LinkTexts, MAX_NODES, MAX_OTHER_DEPLOYMENTS, ManifestChange, ManifestObject,
    ManifestText, Manifests, OtherDeployment, PreStopHooks, ReadAt, Reading, Severity, UNKNOWN_STATE, Variation,
};
pub use number::{group_digits, with_grouped_digits};
pub use outlook::{
    JobOutlook, JobStanding, NextStep, Obstacle, Outlook, Remedy, RolloutOutlook, Standing, StandstillQuestion,
};
pub use play::{
    ColumnMeaning, FORK_PATH_PREFIX, Fork, ForkOutcome, JobOutcome, LaneSource, Pin, PlayRequest, PlayedLane,
    PodIdentity, Problem, Refusal, Totals, WorkloadKind, WorkloadName,
};
pub use recording::{PinnedTables, RecordedChapter, RecordedLane, Recording, StoryVersion};
pub use review::{FieldChange, PolicySetting, Review, ReviewQuestion, ReviewedObject, SettingInput, Verdict};
pub use workbench::{Answer, Asked, Question, Reply};
pub use worst_cases::{WorstCase, WorstCases};
pub use yaml::to_yaml;

/// A request of the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Request {
    /// Plays a lane.
    Play(PlayRequest),
    /// Explains where the lanes are.
    Inspect(InspectRequest),
}

/// The player's response.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Response {
    /// The lane was played. Its track comes with the message.
    Played(Box<PlayedLane>),
    /// The lane can't be played.
    Refused(Refusal),
    /// What the lanes show.
    Inspected(Inspection),
}
