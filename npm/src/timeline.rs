use changeover_core::json::ToJson;
use changeover_core::scenario::{Duration, Scenario, TimedAction};
use changeover_core::timeline::{Cursor, End, StepOut, Timeline as Played};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{Code, read, refused, value, write};

/// A timeline, and the frame that was read last: the next one is reached from there.
#[wasm_bindgen]
pub struct Timeline {
    played: Played,
    cursor: Cursor,
}

/// A whole timeline, for those who keep it: the scenario that it comes from, every step, and why it ends.
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
    /// What is wrong with the scenario.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &str) -> Result<Timeline, JsValue> {
        let value = value(Code::InvalidScenario, scenario)?;
        let scenario = Scenario::from_value(&value);
        let played = scenario.and_then(Played::run).map_err(|problem| refused(Code::InvalidScenario, &problem))?;
        Ok(Self::of(played))
    }

    fn of(played: Played) -> Self {
        let cursor = played.cursor();
        Self { played, cursor }
    }

    /// How many steps there are.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.played.len()
    }

    /// Why it ends.
    pub fn end(&self) -> String {
        write(&self.played.end)
    }

    /// The state after so many steps; past the end, the last. JavaScript checks the number.
    pub fn frame(&mut self, index: usize) -> String {
        self.cursor.seek(&self.played, index);
        write(&self.played.frame_out(&self.cursor))
    }

    /// A step; none past the end.
    pub fn step(&self, index: usize) -> Option<String> {
        self.played.step_out(index).map(|step| write(&step))
    }

    /// The last frame that is not later than a span of time after the start.
    ///
    /// # Errors
    /// When that is not how a span of time is written.
    pub fn seek(&self, at: &str) -> Result<usize, JsValue> {
        let at: Duration = read(Code::InvalidTime, at)?;
        Ok(self.played.frame_at(self.played.scenario.start.plus(at.0)))
    }

    /// Another timeline, with one more action after a frame.
    ///
    /// # Errors
    /// What is wrong with the action.
    pub fn fork(&self, index: usize, action: &str) -> Result<Timeline, JsValue> {
        let action: TimedAction = read(Code::InvalidAction, action)?;
        let played =
            self.played.fork(index, action.action).map_err(|problem| refused(Code::InvalidAction, &problem))?;
        Ok(Self::of(played))
    }

    /// The whole timeline.
    pub fn export(&self) -> String {
        let steps = (0..self.played.len()).filter_map(|index| self.played.step_out(index)).collect();
        write(&TimelineOut { scenario: &self.played.scenario, steps, end: &self.played.end })
    }
}
