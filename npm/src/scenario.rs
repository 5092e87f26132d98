//! `scenario` and `live`: scenarios from manifests, and from a cluster that runs.

use changeover_core::cluster::{Changes, live as core_live, steady_state};
use changeover_core::json::{FromJson, ToJson, must_be, unsupported_key};
use changeover_core::object::{Time, require_kind};
use changeover_core::prediction::{Assumptions, PredictOptions, PredictedOutcome, predicted_scenario};
use changeover_core::scenario::{Mode, Scenario, is_simulated};
use changeover_core::{Path, Pause, Problem};
use serde_json::{Map, Value};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, Failure, parse_json, parse_options, reading_time_or, to_json};
use crate::objects::{Sources, parse_argument_objects, parse_fields, parse_sources};

/// The fields of the core's changes that change something.
pub const CHANGES: [&str; 5] = ["image", "replicas", "patch", "to", "at"];

/// Those that are options here: they describe the cluster and the simulation.
pub const OPTIONS: [&str; 8] =
    ["objects", "nodes", "kubelet", "controllerManager", "mode", "featureGates", "limits", "seed"];

/// A scenario that starts with a Deployment at rest or with the creation of a Job or CronJob, which then is changed.
///
/// # Errors
/// A problem of the manifests, the changes or the options.
#[wasm_bindgen]
pub fn scenario(manifests: &str, changes: &str, options: &str) -> Result<String, Failure> {
    let manifests = parse_json(ErrorCode::InvalidDeployment, manifests)?;
    let read = parse_sources(ErrorCode::InvalidDeployment, "deployment", manifests)?;
    let mut sources = Sources::default();
    let manifests = sources.add("manifest", read.clone());
    let manifests = Manifests::read(manifests).map_err(|problem| to_error(&problem, &sources))?;
    let Manifests { index, workload, beside } = manifests;
    for name in ["deployment", "job", "cronJob"] {
        sources.add(name, read.get(index..=index).unwrap_or_default().to_vec());
    }
    let mut changes = parse_map(ErrorCode::InvalidChanges, changes)?;
    let mut options = parse_map(ErrorCode::InvalidOptions, options)?;
    parse_fields(ErrorCode::InvalidChanges, "changes.", &mut changes, &["to"], &mut sources)?;
    parse_fields(ErrorCode::InvalidOptions, "", &mut options, &["objects", "nodes"], &mut sources)?;
    add_options(&mut changes, options).map_err(|problem| to_error(&problem, &sources))?;
    let paths = changes.as_object_mut().map(|changes| merge_manifests(changes, beside)).unwrap_or_default();
    let scenario = Changes::from_value(&changes).and_then(|changes| steady_state(&workload, &changes));
    let scenario = scenario.map_err(|problem| to_error(&problem.map_paths(&|path| paths.path_of(path)), &sources))?;
    Ok(to_json(&scenario))
}

/// An argument that may be null.
fn parse_map(code: ErrorCode, text: &str) -> Result<Value, Failure> {
    let value = parse_json(code, text)?;
    Ok(if value.is_null() { Value::Object(Map::new()) } else { value })
}

/// Adds the options to the changes.
fn add_options(changes: &mut Value, options: Value) -> Result<(), Problem> {
    if let Some(key) = OPTIONS.into_iter().find(|key| changes.get(key).is_some()) {
        let message = format!("Forbidden: {key} is an option, which the third argument has");
        return Err(Problem::new(format!("changes.{key}"), message));
    }
    require_keys(changes, "changes", &CHANGES)?;
    require_keys(&options, "", &OPTIONS)?;
    if let (Value::Object(changes), Value::Object(options)) = (changes, options) {
        changes.extend(options);
    }
    Ok(())
}

/// Refuses what is no map, or has another key.
fn require_keys(value: &Value, argument: &str, keys: &[&str]) -> Result<(), Problem> {
    let path = Path::Root(argument);
    let Value::Object(map) = value else { return Err(must_be(value, &path, "a map")) };
    match map.keys().find(|key| !keys.contains(&key.as_str())) {
        Some(key) => Err(unsupported_key(&path, key, keys.iter().copied())),
        None => Ok(()),
    }
}

/// An error with the code of the argument that is wrong, and where in its text.
fn to_error(problem: &Problem, sources: &Sources) -> Failure {
    let code = match problem.path.split(['.', '[']).next() {
        Some("deployment") => ErrorCode::InvalidDeployment,
        Some("job" | "cronJob") => ErrorCode::InvalidJob,
        Some("manifest") => ErrorCode::InvalidManifest,
        Some("changes") => ErrorCode::InvalidChanges,
        _ => ErrorCode::InvalidOptions,
    };
    sources.error(code, problem)
}

/// The path of each object and node as the caller gave it: those beside the Deployment came with it.
#[derive(Default)]
struct Paths {
    objects: Vec<String>,
    nodes: Vec<String>,
}

impl Paths {
    fn path_of(&self, path: &str) -> String {
        let given = |list: &str, paths: &[String]| {
            let (index, below) = path.strip_prefix(list)?.split_once(']')?;
            Some(format!("{}{below}", paths.get(index.parse::<usize>().ok()?)?))
        };
        let option = || path.strip_prefix("changes.").filter(|below| OPTIONS.iter().any(|key| begins_with(below, key)));
        given("changes.objects[", &self.objects)
            .or_else(|| given("changes.nodes[", &self.nodes))
            .unwrap_or_else(|| option().unwrap_or(path).to_owned())
    }
}

/// Whether a path is that of a field or of something below it.
fn begins_with(path: &str, field: &str) -> bool {
    path.strip_prefix(field).is_some_and(|below| below.is_empty() || below.starts_with(['.', '[']))
}

/// Adds the objects that came with the Deployment to the changes. The Nodes among all objects are the nodes, unless the
/// options give some.
fn merge_manifests(changes: &mut Map<String, Value>, beside: Vec<(usize, Value)>) -> Paths {
    let mut take = |key: &str| match changes.remove(key) {
        Some(Value::Array(given)) => given,
        _ => Vec::new(),
    };
    let with_paths = |list: &'static str, given: Vec<Value>| {
        given.into_iter().enumerate().map(move |(index, object)| (format!("{list}[{index}]"), object))
    };
    let (objects, given_nodes) = (take("objects"), take("nodes"));
    let beside = beside.into_iter().map(|(index, object)| (format!("manifest[{index}]"), object));
    let (nodes, objects): (Vec<_>, Vec<_>) =
        with_paths("objects", objects).chain(beside).partition(|(_, object)| is_node(object));
    let nodes = if given_nodes.is_empty() { nodes } else { with_paths("nodes", given_nodes).collect() };
    let (object_paths, objects): (_, Vec<Value>) = objects.into_iter().unzip();
    let (node_paths, nodes): (_, Vec<Value>) = nodes.into_iter().unzip();
    // The path of a manifest that is alone has no index.
    if let Some(to) = changes.get_mut("to")
        && let Some([only]) = to.as_array_mut().map(Vec::as_mut_slice)
    {
        *to = only.take();
    }
    changes.insert("objects".into(), objects.into());
    changes.insert("nodes".into(), nodes.into());
    Paths { objects: object_paths, nodes: node_paths }
}

fn is_node(manifest: &Value) -> bool {
    manifest.get("kind").is_some_and(|kind| kind == "Node")
}

/// What a scenario is made of.
struct Manifests {
    /// The position of the workload.
    index: usize,
    /// The only Deployment, or else the only CronJob, or the only Job.
    workload: Value,
    /// The other objects that a scenario takes, and Nodes, each with its position.
    beside: Vec<(usize, Value)>,
}

impl Manifests {
    /// Sorts manifests. One object that is alone is taken for the Deployment, so that what is wrong with it is found where it
    /// is.
    fn read(mut manifests: Vec<Value>) -> Result<Self, Problem> {
        if let [_] = manifests.as_slice()
            && let Some(workload) = manifests.pop()
        {
            return Ok(Self { index: 0, workload, beside: Vec::new() });
        }
        for (index, manifest) in manifests.iter().enumerate() {
            require_kind(manifest, &format!("manifest[{index}]"))?;
        }
        let is_of = |kind: &'static str| move |manifest: &Value| manifest.get("kind").is_some_and(|its| its == kind);
        let kinds = ["Deployment", "CronJob", "Job"];
        let kind = kinds.into_iter().find(|kind| manifests.iter().any(is_of(kind))).unwrap_or("Job");
        let (mut workloads, mut beside): (Vec<_>, Vec<_>) =
            manifests.into_iter().enumerate().partition(|(_, manifest)| is_of(kind)(manifest));
        beside.retain(|(_, manifest)| is_simulated(manifest) || is_node(manifest));
        match (workloads.pop(), workloads.len()) {
            (Some((index, workload)), 0) => Ok(Self { index, workload, beside }),
            (None, _) => {
                Err(Problem::new("deployment", "Required value: must contain a Deployment, a CronJob or a Job"))
            }
            (Some(_), more) => {
                let count = more.saturating_add(1);
                Err(Problem::new("deployment", format!("Too many: {count} {kind}s: must be exactly one")))
            }
        }
    }
}

/// Options for the scenario of a cluster that runs.
#[derive(ToJson, FromJson)]
#[serde(deny_unknown_fields)]
struct LiveOptions {
    #[serde(default)]
    now: Option<Time>,
    /// The manifests that are applied.
    #[serde(default)]
    to: Option<Value>,
    /// How closely the timing of a real control plane is followed.
    #[serde(default)]
    mode: Option<Mode>,
}

/// The scenario of a cluster that runs, and in which manifests are applied if the options have some. Its objects were read at the time
/// `now`, unless they are older or the options say when.
///
/// # Errors
/// Objects that can't be read; a problem of the options.
#[wasm_bindgen]
pub fn live(list: &str, options: &str, now: &str) -> Result<String, Failure> {
    live_with(list, options, now, Pause::default())
}

/// The same, with what JavaScript does meanwhile.
pub fn live_with(list: &str, options: &str, now: &str, pause: Pause) -> Result<String, Failure> {
    let options: LiveOptions = parse_options(options)?;
    let mut sources = Sources::default();
    let list = parse_argument_objects(ErrorCode::InvalidObjects, "", list, &mut sources)?;
    let now = reading_time_or(options.now, &list, now)?;
    let scenario = match options.to {
        None => core_live(list, now).map(|scenario| Scenario { mode: options.mode.or(scenario.mode), ..scenario }),
        Some(to) => {
            let to = sources.add("to", parse_sources(ErrorCode::InvalidOptions, "to", to)?);
            changed(&list, &to, now, options.mode.unwrap_or_default(), pause)
        }
    };
    let scenario = scenario.map_err(|problem| {
        let code = if problem.path.starts_with("to") { ErrorCode::InvalidOptions } else { ErrorCode::InvalidObjects };
        sources.error(code, &problem)
    })?;
    Ok(to_json(&scenario))
}

/// The scenario of a cluster in which manifests are applied.
fn changed(list: &[Value], to: &[Value], now: Time, mode: Mode, pause: Pause) -> Result<Scenario, Problem> {
    let assumptions = Assumptions { mode: Some(mode), now: Some(now), pause, ..Assumptions::default() };
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    predicted_scenario(list, to, &options, PredictedOutcome::WithQuotas).map_err(|problem| {
        problem.map_paths(&|path| match path.strip_prefix("new") {
            Some(below) => format!("to{below}"),
            None => path.strip_prefix("old").unwrap_or(path).to_owned(),
        })
    })
}
