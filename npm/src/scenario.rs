//! `scenario` and `live`: scenarios from manifests, and from a cluster that runs.

use changeover_core::Problem;
use changeover_core::cluster::{Changes, steady_state};
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::Time;
use changeover_core::scenario::{is_simulated, live as core_live};
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_argument, parse_json, time_or, to_json, to_problem_error};
use crate::objects::parse_objects;

/// A scenario that starts with a Deployment at rest or with the creation of a Job or CronJob, which then is changed.
///
/// # Errors
/// A problem of the Deployment, Job or CronJob, or of the changes.
#[wasm_bindgen]
pub fn scenario(manifests: &str, changes: &str) -> Result<String, JsValue> {
    let manifests = parse_json(ErrorCode::InvalidDeployment, manifests)?;
    let manifests = parse_objects(ErrorCode::InvalidDeployment, "deployment", manifests)?;
    let (workload, beside) = one_workload(manifests, "deployment")
        .map_err(|problem| to_problem_error(ErrorCode::InvalidDeployment, &problem))?;
    let mut changes = parse_json(ErrorCode::InvalidChanges, changes)?;
    if let Some(changes) = changes.as_object_mut() {
        read_manifests(changes, beside)?;
    }
    let invalid = |problem: Problem| to_problem_error(ErrorCode::InvalidChanges, &problem);
    let changes = Changes::from_value(&changes).map_err(invalid)?;
    let scenario = steady_state(&workload, &changes).map_err(|problem| {
        let code = match problem.path.split_once('.').map_or(problem.path.as_str(), |(argument, _)| argument) {
            "deployment" => ErrorCode::InvalidDeployment,
            "job" | "cronJob" => ErrorCode::InvalidJob,
            _ => ErrorCode::InvalidChanges,
        };
        to_problem_error(code, &problem)
    })?;
    Ok(to_json(&scenario))
}

/// Reads the manifests among the changes, of which each may be text, and adds the objects that came with the Deployment.
fn read_manifests(changes: &mut Map<String, Value>, beside: Vec<Value>) -> Result<(), JsValue> {
    let mut take = |key: &str| match changes.remove(key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(given) => parse_objects(ErrorCode::InvalidChanges, &format!("changes.{key}"), given),
    };
    let (to, mut objects) = (take("to")?, take("objects")?);
    objects.extend(beside);
    if !objects.is_empty() {
        changes.insert("objects".into(), objects.into());
    }
    if !to.is_empty() {
        let (to, _) =
            one_workload(to, "changes.to").map_err(|problem| to_problem_error(ErrorCode::InvalidChanges, &problem))?;
        changes.insert("to".into(), to);
    }
    Ok(())
}

/// The only Deployment of some manifests, or else the only CronJob, or the only Job; and the other objects that a scenario takes. One object that is
/// alone is taken for it, so that what is wrong with it is found where it is.
fn one_workload(mut manifests: Vec<Value>, path: &str) -> Result<(Value, Vec<Value>), Problem> {
    if let [_] = manifests.as_slice()
        && let Some(only) = manifests.pop()
    {
        return Ok((only, manifests));
    }
    let is_of = |kind: &'static str| move |manifest: &Value| manifest.get("kind").is_some_and(|its| its == kind);
    let kinds = ["Deployment", "CronJob", "Job"];
    let kind = kinds.into_iter().find(|kind| manifests.iter().any(is_of(kind))).unwrap_or("Job");
    let (mut workloads, mut others): (Vec<_>, Vec<_>) = manifests.into_iter().partition(is_of(kind));
    others.retain(is_simulated);
    match (workloads.pop(), workloads.len()) {
        (Some(workload), 0) => Ok((workload, others)),
        (None, _) => Err(Problem::new(path, "Required value: must contain a Deployment, a CronJob or a Job")),
        (Some(_), more) => {
            let count = more.saturating_add(1);
            Err(Problem::new(path, format!("Too many: {count} {kind}s: must be exactly one")))
        }
    }
}

/// Options for the scenario of a cluster that runs.
#[derive(ToJson, FromJson)]
#[serde(deny_unknown_fields)]
struct LiveOptions {
    #[serde(default)]
    now: Option<Time>,
}

/// The scenario of a cluster that runs. Its objects were read at the time `now` unless the options give another.
///
/// # Errors
/// Objects that can't be read; a problem of the options.
#[wasm_bindgen]
pub fn live(list: &str, options: &str, now: &str) -> Result<String, JsValue> {
    let options: LiveOptions = parse_argument(ErrorCode::InvalidOptions, options)?;
    let now = time_or(options.now, now)?;
    let list = parse_json(ErrorCode::InvalidObjects, list)?;
    let list = parse_objects(ErrorCode::InvalidObjects, "", list)?;
    let scenario = core_live(list, now).map_err(|problem| to_problem_error(ErrorCode::InvalidObjects, &problem))?;
    Ok(to_json(&scenario))
}
