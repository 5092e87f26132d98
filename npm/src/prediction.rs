//! `predict`, `advise` and `explain`: what a change takes, which settings meet the constraints, and what holds up a rollout.

use changeover_core::prediction::{
    AdviseOptions, Assumptions, Constraints, Outlook, PredictOptions, RolloutOutlook, advise as core_advise,
    is_of_running_cluster, predict as core_predict, predicted_scenario as core_predicted_scenario,
};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::Timeline;
use changeover_core::{Path, Pause, Problem};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, Failure, parse_at, parse_json, reading_time_or, to_json, to_problem_error, write_time};
use crate::objects::{Sources, parse_argument_objects, parse_fields, parse_sources};
use crate::timeline::export;

/// What a change from the old objects to the new ones takes. If the new ones are null, old ones without a uid are a new application.
/// Objects of a running cluster were read at the time `now`, unless they are older or the options say when.
///
/// # Errors
/// A problem of the objects or the options.
#[wasm_bindgen]
pub fn predict(old: &str, manifest: &str, options: &str, now: &str) -> Result<String, Failure> {
    predict_with(old, manifest, options, now, Pause::default())
}

/// The same, with what JavaScript does meanwhile.
pub fn predict_with(old: &str, manifest: &str, options: &str, now: &str, pause: Pause) -> Result<String, Failure> {
    let Change { old, new, mut options, sources } = Change::read(old, manifest, options, now)?;
    options.assumptions.pause = pause;
    let predicted = core_predict(&old, &new, &options).map_err(|problem| to_error(&problem, &sources))?;
    Ok(to_json(&predicted.prediction))
}

/// The arguments of a prediction.
struct Change {
    old: Vec<Value>,
    new: Vec<Value>,
    options: PredictOptions,
    sources: Sources,
}

impl Change {
    fn read(old: &str, manifest: &str, options: &str, now: &str) -> Result<Self, Failure> {
        let mut sources = Sources::default();
        let manifest = parse_json(ErrorCode::InvalidManifest, manifest)?;
        let old = parse_sources(ErrorCode::InvalidObjects, "old", parse_json(ErrorCode::InvalidObjects, old)?)?;
        let (old, new) = match manifest {
            // Manifests alone are a new application.
            Value::Null if !old.iter().any(|source| is_of_running_cluster(&source.document.value)) => (Vec::new(), old),
            Value::Null => (old, Vec::new()),
            manifest => (old, parse_sources(ErrorCode::InvalidManifest, "new", manifest)?),
        };
        let (old, new) = (sources.add("old", old), sources.add("new", new));
        let mut options = parse_predict_options(options, &mut sources)?;
        set_reading_time(&mut options.assumptions, &old, now)?;
        Ok(Self { old, new, options, sources })
    }
}

/// The scenario of one of the outcomes of a prediction, with the same arguments as [`predict`].
///
/// # Errors
/// A problem of the objects or the options.
#[wasm_bindgen(js_name = predictedScenario)]
pub fn predicted_scenario(
    old: &str,
    manifest: &str,
    options: &str,
    now: &str,
    outcome: &str,
) -> Result<String, Failure> {
    read_predicted_scenario(old, manifest, options, now, outcome, Pause::default()).map(|scenario| to_json(&scenario))
}

/// What the rollouts wait for that are never complete in one of the outcomes of a prediction, and what completes them, with the same
/// arguments as [`predicted_scenario`].
///
/// # Errors
/// A problem of the objects or the options, or if the simulation is too large to come to rest.
#[wasm_bindgen(js_name = predictedObstacles)]
pub fn predicted_obstacles(
    old: &str,
    manifest: &str,
    options: &str,
    now: &str,
    outcome: &str,
) -> Result<String, Failure> {
    obstacles_with(old, manifest, options, now, outcome, Pause::default())
}

/// The same, with what JavaScript does meanwhile.
pub fn obstacles_with(
    old: &str,
    manifest: &str,
    options: &str,
    now: &str,
    outcome: &str,
    pause: Pause,
) -> Result<String, Failure> {
    let scenario = read_predicted_scenario(old, manifest, options, now, outcome, pause)?;
    let refused = |problem: Problem| to_error(&problem, &Sources::default());
    let Some(outlook) = Outlook::at_standstill(scenario).map_err(refused)? else {
        let message = "The simulation reaches a limit of its size before the rollouts stand still";
        return Err(to_problem_error(ErrorCode::InvalidOptions, &Problem::new("", message)));
    };
    let held_up = outlook.rollouts().filter(|rollout| rollout.complete.is_none());
    // What comes after the end is more of the same.
    let held_up = held_up.map(|rollout| RolloutOutlook { next: Vec::new(), ..rollout });
    Ok(to_json(&outlook.report(held_up, Vec::new(), &mut |_, _| {}, &mut |_, _| {}).map_err(refused)?.rollouts))
}

/// The whole timeline of one of the outcomes of a prediction, with the same arguments as [`predicted_scenario`].
pub fn timeline_with(
    old: &str,
    manifest: &str,
    options: &str,
    now: &str,
    outcome: &str,
    pause: Pause,
) -> Result<String, Failure> {
    let scenario = read_predicted_scenario(old, manifest, options, now, outcome, pause)?;
    let timeline = Timeline::run(scenario).map_err(|problem| to_error(&problem, &Sources::default()))?;
    export(&timeline)
}

fn read_predicted_scenario(
    old: &str,
    manifest: &str,
    options: &str,
    now: &str,
    outcome: &str,
    pause: Pause,
) -> Result<Scenario, Failure> {
    let Change { old, new, mut options, sources } = Change::read(old, manifest, options, now)?;
    let outcome = parse_at(ErrorCode::InvalidOptions, "outcome", outcome)?;
    options.assumptions.pause = pause;
    let scenario = core_predicted_scenario(&old, &new, &options, outcome);
    scenario.map(|scenario| Scenario { pause, ..scenario }).map_err(|problem| to_error(&problem, &sources))
}

/// The settings of a Deployment that meet the constraints, where the objects of a running cluster were read as in [`predict`].
///
/// # Errors
/// A problem of the objects, the constraints or the options.
#[wasm_bindgen]
pub fn advise(manifest: &str, constraints: &str, options: &str, now: &str) -> Result<String, Failure> {
    advise_with(manifest, constraints, options, now, Pause::default())
}

/// The same, with what JavaScript does meanwhile.
pub fn advise_with(
    manifest: &str,
    constraints: &str,
    options: &str,
    now: &str,
    pause: Pause,
) -> Result<String, Failure> {
    let mut sources = Sources::default();
    let objects = parse_argument_objects(ErrorCode::InvalidManifest, "objects", manifest, &mut sources)?;
    let constraints = parse_json(ErrorCode::InvalidConstraints, constraints)?;
    let options = parse_options(options, &mut sources)?;
    let to_error = |problem: Problem| to_error(&problem, &sources);
    let constraints = Constraints::from_value(&constraints).map_err(to_error)?;
    let mut options = AdviseOptions::from_value(&options).map_err(to_error)?;
    set_reading_time(&mut options.assumptions, &objects, now)?;
    options.assumptions.pause = pause;
    Ok(to_json(&core_advise(&objects, &constraints, &options).map_err(to_error)?))
}

/// The state of each rollout of a running cluster, and what unblocks it. The objects were read as in [`predict`].
///
/// # Errors
/// A problem of the objects or the options.
#[wasm_bindgen]
pub fn explain(objects: &str, options: &str, now: &str) -> Result<String, Failure> {
    explain_with(objects, options, now, Pause::default())
}

/// The same, with what JavaScript does meanwhile.
pub fn explain_with(objects: &str, options: &str, now: &str, pause: Pause) -> Result<String, Failure> {
    let mut sources = Sources::default();
    let objects = parse_argument_objects(ErrorCode::InvalidObjects, "", objects, &mut sources)?;
    let mut options = parse_predict_options(options, &mut sources)?;
    set_reading_time(&mut options.assumptions, &objects, now)?;
    options.assumptions.pause = pause;
    // The objects have no name of their own: `[1].spec.replicas`.
    let to_objects_error = |problem: Problem| {
        let is_of_objects = problem.path.starts_with("old");
        let problem = problem.map_paths(&|path| path.strip_prefix("old").unwrap_or(path).to_owned());
        match is_of_objects {
            true => sources.error(ErrorCode::InvalidObjects, &problem),
            false => to_error(&problem, &sources),
        }
    };
    let outlook = Outlook::of(&objects, &options).map_err(to_objects_error)?;
    let jobs = outlook.jobs_in_report().collect();
    let report = outlook.report(outlook.rollouts(), jobs, &mut |_, _| {}, &mut |_, _| {}).map_err(to_objects_error)?;
    Ok(to_json(&report))
}

fn parse_predict_options(options: &str, sources: &mut Sources) -> Result<PredictOptions, Failure> {
    let options = parse_options(options, sources)?;
    PredictOptions::from_value(&options).map_err(|problem| to_error(&problem, sources))
}

/// Assumes the time at which the objects of a running cluster were read, unless the options name it.
fn set_reading_time(assumptions: &mut Assumptions, objects: &[Value], now: &str) -> Result<(), Failure> {
    assumptions.now = Some(reading_time_or(assumptions.now, objects, now)?);
    Ok(())
}

/// The options, with objects in place of text.
fn parse_options(options: &str, sources: &mut Sources) -> Result<Value, Failure> {
    let mut options = parse_json(ErrorCode::InvalidOptions, options)?;
    if let Some(assumptions) = options.get_mut("assumptions") {
        write_time(assumptions, &Path::Root("assumptions"))?;
    }
    parse_fields(ErrorCode::InvalidOptions, "", &mut options, &["quotas", "nodes"], sources)?;
    Ok(options)
}

/// An error with the code of the argument that is wrong, and where in its text.
fn to_error(problem: &Problem, sources: &Sources) -> Failure {
    let argument = problem.path.split(['.', '[']).next().unwrap_or_default();
    let code = match argument {
        "old" => ErrorCode::InvalidObjects,
        "new" | "objects" => ErrorCode::InvalidManifest,
        "constraints" => ErrorCode::InvalidConstraints,
        _ => ErrorCode::InvalidOptions,
    };
    sources.error(code, problem)
}
