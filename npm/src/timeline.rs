//! `Timeline`: a simulated scenario for JavaScript.

use changeover_core::json::{ToJson, decode, must_be};
use changeover_core::object::{Object, ObjectKey, ObjectName};
use changeover_core::scenario::{Action, Duration, Scenario};
use changeover_core::timeline::{Cursor, End, StepOut, Timeline as CoreTimeline, TotalsOnly};
use changeover_core::{Path, Pause, Problem};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, Failure, parse_at, parse_json, to_error, to_json, to_problem_error};
use crate::objects::{Sources, parse_fields};

/// A timeline, and a cursor at the frame that was read last.
#[wasm_bindgen]
pub struct Timeline {
    timeline: CoreTimeline,
    cursor: Cursor,
}

/// A whole timeline: its scenario, every step, and why it ends.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "TimelineExport"))]
#[serde(rename_all = "camelCase")]
pub struct TimelineOut<'a> {
    /// The scenario that was simulated.
    pub scenario: &'a Scenario,
    /// Every step of the timeline.
    pub steps: Vec<StepOut>,
    /// Why the simulation stopped.
    pub end: &'a End,
}

/// Simulates a scenario.
fn run<T>(scenario: &str, simulate: fn(Scenario) -> Result<T, Problem>, pause: Pause) -> Result<T, Failure> {
    let mut value = parse_json(ErrorCode::InvalidScenario, scenario)?;
    if value.is_string() {
        let problem = must_be(&value, &Path::Root(""), "a map: to simulate a manifest, use scenario()");
        return Err(to_problem_error(ErrorCode::InvalidScenario, &problem));
    }
    let mut sources = Sources::default();
    parse_fields(ErrorCode::InvalidScenario, "", &mut value, &["objects"], &mut sources)?;
    let simulated = Scenario::from_value(&value).and_then(|scenario| simulate(Scenario { pause, ..scenario }));
    simulated.map_err(|problem| sources.error(ErrorCode::InvalidScenario, &problem))
}

/// The totals of a Deployment's pods in a scenario, from a time after the start.
///
/// # Errors
/// The first problem of the scenario; if the Deployment is not found, or if the duration is invalid.
#[wasm_bindgen]
pub fn totals(scenario: &str, deployment: &str, from: &str) -> Result<String, Failure> {
    totals_with(scenario, deployment, from, Pause::default())
}

/// The same, with what JavaScript does meanwhile.
pub fn totals_with(scenario: &str, deployment: &str, from: &str, pause: Pause) -> Result<String, Failure> {
    let simulated = run(scenario, TotalsOnly::run, pause)?;
    let key = find(ErrorCode::InvalidDeployment, "deployment", simulated.deployments(), deployment)?;
    let from = simulated.start().plus(parse_duration("from", from)?.0);
    let totals = simulated.totals(&key, from);
    totals.map(|totals| to_json(&totals)).map_err(|problem| to_problem_error(ErrorCode::InvalidScenario, &problem))
}

/// The whole timeline of a scenario, as [`TimelineOut`] is written.
///
/// # Errors
/// The first problem of the scenario.
pub fn export_with(scenario: &str, pause: Pause) -> Result<String, Failure> {
    run(scenario, CoreTimeline::run, pause).and_then(|timeline| export(&timeline))
}

/// The whole timeline, as [`TimelineOut`] is written.
///
/// # Errors
/// More bytes than JavaScript may have in a string.
pub fn export(timeline: &CoreTimeline) -> Result<String, Failure> {
    let (end, scenario) = (to_json(&timeline.end), to_json(&*timeline.scenario));
    let mut text = format!("{{\"end\":{end},\"scenario\":{scenario},\"steps\":[");
    // As one value, the steps would take several times their text.
    for (index, step) in (0..timeline.len()).filter_map(|index| Some((index, timeline.step_out(index)?))) {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&to_json(&step));
        if text.len() > MOST_BYTES {
            let message = format!(
                "The timeline takes more than {} MB of JSON (after {index} of {} steps): read it with steps(), or lower limits.steps",
                MOST_BYTES >> 20,
                timeline.len()
            );
            return Err(to_error(ErrorCode::OutOfMemory, "", &message));
        }
    }
    text.push_str("]}");
    Ok(text)
}

#[wasm_bindgen]
impl Timeline {
    /// Plays a scenario.
    ///
    /// # Errors
    /// The first problem of the scenario.
    #[wasm_bindgen(constructor)]
    pub fn new(scenario: &str) -> Result<Timeline, Failure> {
        run(scenario, CoreTimeline::run, Pause::default()).map(Self::of)
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

    /// What was played.
    pub fn scenario(&self) -> String {
        to_json(&*self.timeline.scenario)
    }

    /// The marks and counts after this many steps; past the end, after the last. JavaScript checks the number.
    pub fn summary(&mut self, index: usize) -> String {
        self.cursor.seek(&self.timeline, index);
        to_json(&self.timeline.summary_out(&self.cursor))
    }

    /// A part of the list of the objects after this many steps, from an index on; empty at its end.
    pub fn objects(&mut self, index: usize, from: usize) -> String {
        self.cursor.seek(&self.timeline, index);
        part(self.cursor.state().objects().skip(from).map(Object::to_value))
    }

    /// A part of the list of steps, from an index on, and up to another.
    pub fn steps(&self, from: usize, to: usize) -> String {
        part((from..to).filter_map(|index| self.timeline.step_out(index)))
    }

    /// A part of the list of the steps' sentences, from an index on.
    pub fn sentences(&self, from: usize, to: usize) -> String {
        part((from..to).filter_map(|index| self.timeline.sentence_out(index)))
    }

    /// The counts of a Deployment for each change of them.
    ///
    /// # Errors
    /// If the Deployment is not found.
    pub fn series(&self, deployment: &str) -> Result<String, Failure> {
        let points = self.timeline.series_out(&self.deployment(deployment)?);
        Ok(to_json(&points))
    }

    /// The totals of a Deployment's pods, from a time after the start.
    ///
    /// # Errors
    /// If the Deployment is not found, or if the duration is invalid.
    pub fn totals(&self, deployment: &str, from: &str) -> Result<String, Failure> {
        let key = self.deployment(deployment)?;
        let from = parse_duration("from", from)?;
        let from = self.timeline.scenario.start.plus(from.0);
        Ok(to_json(&self.timeline.totals(&key.namespace, &key.name, from)))
    }

    /// The counts of a Job for each change of them.
    ///
    /// # Errors
    /// If the Job is not found.
    #[wasm_bindgen(js_name = jobSeries)]
    pub fn job_series(&self, job: &str) -> Result<String, Failure> {
        let points = self.timeline.job_series_out(&self.job(job)?);
        Ok(to_json(&points))
    }

    /// The totals of a Job's pods, from a time after the start.
    ///
    /// # Errors
    /// If the Job is not found, or if the duration is invalid.
    #[wasm_bindgen(js_name = jobTotals)]
    pub fn job_totals(&self, job: &str, from: &str) -> Result<String, Failure> {
        let key = self.job(job)?;
        let from = parse_duration("from", from)?;
        let from = self.timeline.scenario.start.plus(from.0);
        Ok(to_json(&self.timeline.job_totals(&key.namespace, &key.name, from)))
    }

    fn deployment(&self, named: &str) -> Result<ObjectKey, Failure> {
        find(ErrorCode::InvalidDeployment, "deployment", self.timeline.deployments(), named)
    }

    fn job(&self, named: &str) -> Result<ObjectKey, Failure> {
        find(ErrorCode::InvalidJob, "job", self.timeline.jobs(), named)
    }

    /// The last frame that is not later than this duration after the start.
    ///
    /// # Errors
    /// If the duration is invalid.
    pub fn seek(&self, at: &str) -> Result<usize, Failure> {
        let at = parse_duration("at", at)?;
        Ok(self.timeline.frame_at(self.timeline.scenario.start.plus(at.0)))
    }

    /// Another timeline, with one more action after a frame.
    ///
    /// # Errors
    /// A problem of the action.
    pub fn fork(&self, index: usize, action: &str) -> Result<Timeline, Failure> {
        let action = parse_json(ErrorCode::InvalidAction, action)?;
        if action.get("at").is_some() {
            let message = "at: Forbidden: the action happens at the time of the frame";
            return Err(to_error(ErrorCode::InvalidAction, "at", message));
        }
        let forked = decode(&action, "").and_then(|action: Action| self.timeline.fork(index, action));
        forked.map(Self::of).map_err(|problem| to_problem_error(ErrorCode::InvalidAction, &problem))
    }
}

/// Reads a duration.
fn parse_duration(argument: &str, text: &str) -> Result<Duration, Failure> {
    parse_at(ErrorCode::InvalidTime, argument, text)
}

/// The object of that name (`name` or `namespace/name`); null means the only one.
fn find(code: ErrorCode, argument: &str, all: Vec<ObjectKey>, named: &str) -> Result<ObjectKey, Failure> {
    let named: Option<String> = parse_at(code, argument, named)?;
    let written = named.as_deref().map(|named| ObjectName::parse(named, &[]));
    let is_meant =
        |key: &&ObjectKey| written.is_none_or(|written| written.matches(key.kind, &key.namespace, &key.name));
    if let [only] = *all.iter().filter(is_meant).collect::<Vec<_>>() {
        return Ok(only.clone());
    }
    if all.is_empty() {
        let kind = if code == ErrorCode::InvalidJob { "Job" } else { "Deployment" };
        let message = format!("{argument}: Not found: the timeline has no {kind}");
        return Err(to_error(code, argument, &message));
    }
    let names: Vec<String> = all.iter().map(|key| format!("\"{}/{}\"", key.namespace, key.name)).collect();
    let names = names.join(", ");
    let message = named.map_or_else(
        || format!("{argument}: Required value: must be one of {names}"),
        |given| format!("{argument}: Unsupported value: {given:?}: supported values: {names}"),
    );
    Err(to_error(code, argument, &message))
}

/// How many bytes a part of a list has before it ends.
const PART: usize = 4 << 20;

/// The most bytes of a whole timeline, as in `js/timeline.js`.
const MOST_BYTES: usize = 256 << 20;

/// The first of some items as a JSON list: at least one, if there is any, so that a long list crosses the border in parts.
fn part<T: ToJson>(items: impl Iterator<Item = T>) -> String {
    let mut text = String::from("[");
    for item in items {
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(&to_json(&item));
        if text.len() > PART {
            break;
        }
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_ends_after_the_item_that_fills_a_part() {
        let long = "x".repeat(PART);
        assert_eq!(part([1, 2].into_iter()), "[1,2]");
        assert_eq!(part([long.clone(), long.clone()].into_iter()), format!("[\"{long}\"]"));
        assert_eq!(part(core::iter::empty::<i32>()), "[]");
    }
}
