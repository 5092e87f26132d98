//! `scenario` and `live`: scenarios from manifests, and from a cluster that runs.

use changeover_core::Problem;
use changeover_core::cluster::{Changes, live as core_live, steady_state};
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{Time, require_kind};
use changeover_core::scenario::is_simulated;
use changeover_text::Document;
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_argument, parse_json, reading_time_or, to_json, to_located_error};
use crate::objects::{parse_argument_objects, parse_fields};

/// A scenario that starts with a Deployment at rest or with the creation of a Job or CronJob, which then is changed.
///
/// # Errors
/// A problem of the manifests or of the changes.
#[wasm_bindgen]
pub fn scenario(manifests: &str, changes: &str) -> Result<String, JsValue> {
    let (manifests, documents) = parse_argument_objects(ErrorCode::InvalidDeployment, "deployment", manifests)?;
    let manifests = Manifests::read(manifests).map_err(|problem| to_error(&problem, &[("manifest", &documents)]))?;
    let Manifests { index, workload, beside } = manifests;
    let subject = documents.get(index..=index).unwrap_or_default();
    let texts: [(&str, &[Document]); 4] =
        [("deployment", subject), ("job", subject), ("cronJob", subject), ("manifest", &documents)];
    let mut changes = parse_json(ErrorCode::InvalidChanges, changes)?;
    if changes.is_null() {
        changes = Value::Object(Map::new());
    }
    parse_fields(ErrorCode::InvalidChanges, "changes.", &mut changes, &["to", "objects", "nodes"])?;
    let paths = changes.as_object_mut().map(|changes| merge_manifests(changes, beside)).unwrap_or_default();
    let scenario = Changes::from_value(&changes).and_then(|changes| steady_state(&workload, &changes));
    let scenario = scenario.map_err(|problem| to_error(&problem.map_paths(&|path| paths.path_of(path)), &texts))?;
    Ok(to_json(&scenario))
}

/// An error with the code of the argument that is wrong, and where in its text.
fn to_error(problem: &Problem, texts: &[(&str, &[Document])]) -> JsValue {
    let code = match problem.path.split(['.', '[']).next() {
        Some("deployment") => ErrorCode::InvalidDeployment,
        Some("job" | "cronJob") => ErrorCode::InvalidJob,
        Some("manifest") => ErrorCode::InvalidManifest,
        _ => ErrorCode::InvalidChanges,
    };
    to_located_error(code, problem, texts)
}

/// The path of each object and node of the changes as the caller gave it: those beside the Deployment came with it.
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
        given("changes.objects[", &self.objects)
            .or_else(|| given("changes.nodes[", &self.nodes))
            .unwrap_or_else(|| path.to_owned())
    }
}

/// Adds the objects that came with the Deployment to the changes. The Nodes among all objects are the nodes, unless the
/// changes give some.
fn merge_manifests(changes: &mut Map<String, Value>, beside: Vec<(usize, Value)>) -> Paths {
    let mut take = |key: &str| match changes.remove(key) {
        Some(Value::Array(given)) => given,
        _ => Vec::new(),
    };
    let with_paths = |list: &'static str, given: Vec<Value>| {
        given.into_iter().enumerate().map(move |(index, object)| (format!("changes.{list}[{index}]"), object))
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
}

/// The scenario of a cluster that runs. Its objects were read at the time `now`, unless they are older or the options say when.
///
/// # Errors
/// Objects that can't be read; a problem of the options.
#[wasm_bindgen]
pub fn live(list: &str, options: &str, now: &str) -> Result<String, JsValue> {
    let options: LiveOptions = parse_argument(ErrorCode::InvalidOptions, options)?;
    let (list, documents) = parse_argument_objects(ErrorCode::InvalidObjects, "", list)?;
    let now = reading_time_or(options.now, &list, now)?;
    let scenario = core_live(list, now)
        .map_err(|problem| to_located_error(ErrorCode::InvalidObjects, &problem, &[("", &documents)]))?;
    Ok(to_json(&scenario))
}
