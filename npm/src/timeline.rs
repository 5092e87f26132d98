//! `Timeline`: a simulated scenario for JavaScript.

use changeover_core::json::ToJson;
use changeover_core::scenario::{Duration, Scenario, TimedAction};
use changeover_core::timeline::{Cursor, End, StepOut, Timeline as CoreTimeline};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_argument, parse_json, to_json, to_problem_error};

/// A timeline, and a cursor at the frame that was read last.
#[wasm_bindgen]
pub struct Timeline {
    timeline: CoreTimeline,
    cursor: Cursor,
}

/// A whole timeline, to keep it: its scenario, every step, and why it ends.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Export"))]
#[serde(rename_all = "camelCase")]
pub struct TimelineOut<'a> {
    /// What was played.
    pub scenario: &'a Scenario,
    /// Every step.
    pub steps: Vec<StepOut>,
    /// Why it ends.
    pub end: &'a End,
}

#[wasm_bindgen]
impl Timeline {
    /// Plays a scenario.
    ///
    /// # Errors
    /// The first problem of the scenario.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &str) -> Result<Timeline, JsValue> {
        let value = parse_json(ErrorCode::InvalidScenario, scenario)?;
        let scenario = Scenario::from_value(&value);
        let timeline = scenario
            .and_then(CoreTimeline::run)
            .map_err(|problem| to_problem_error(ErrorCode::InvalidScenario, &problem))?;
        Ok(Self::of(timeline))
    }

    fn of(timeline: CoreTimeline) -> Self {
        let cursor = timeline.cursor();
        Self { timeline, cursor }
    }

    /// How many steps there are.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.timeline.len()
    }

    /// Why it ends.
    pub fn end(&self) -> String {
        to_json(&self.timeline.end)
    }

    /// The state after this many steps; past the end, the last. JavaScript checks the number.
    pub fn frame(&mut self, index: usize) -> String {
        self.cursor.seek(&self.timeline, index);
        to_json(&self.timeline.frame_out(&self.cursor))
    }

    /// A step; none past the end.
    pub fn step(&self, index: usize) -> Option<String> {
        self.timeline.step_out(index).map(|step| to_json(&step))
    }

    /// The last frame that is not later than a span of time after the start.
    ///
    /// # Errors
    /// When that is not how a span of time is written.
    pub fn seek(&self, at: &str) -> Result<usize, JsValue> {
        let at: Duration = parse_argument(ErrorCode::InvalidTime, at)?;
        Ok(self.timeline.frame_at(self.timeline.scenario.start.plus(at.0)))
    }

    /// Another timeline, with one more action after a frame.
    ///
    /// # Errors
    /// A problem of the action.
    pub fn fork(&self, index: usize, action: &str) -> Result<Timeline, JsValue> {
        let action: TimedAction = parse_argument(ErrorCode::InvalidAction, action)?;
        let timeline = self
            .timeline
            .fork(index, action.action)
            .map_err(|problem| to_problem_error(ErrorCode::InvalidAction, &problem))?;
        Ok(Self::of(timeline))
    }

    /// The whole timeline.
    pub fn export(&self) -> String {
        let steps = (0..self.timeline.len()).filter_map(|index| self.timeline.step_out(index)).collect();
        to_json(&TimelineOut { scenario: &self.timeline.scenario, steps, end: &self.timeline.end })
    }
}
