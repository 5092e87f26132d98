//! Deployments that have come to rest, and then are changed.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::aux_objects::aux_kind;
use super::merge_patch::{apply_diff, merge};
use super::recorder::too_many_pods;
use super::simulation::Simulation;
use super::step::EndReason;
use crate::Problem;
use crate::go::quoted;
use crate::json::{FromJson, ToJson, decode};
use crate::object::unstructured::string;
use crate::object::{Object, Time};
use crate::problem::shortened;
use crate::scenario::{
    Action, ControllerManager, Delay, Duration, Limits, Node, Scale, Scenario, SetTemplate, TimedAction, Timing,
};

/// Changes of a Deployment that has come to rest, and the surroundings in which they happen.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Changes {
    /// A new image for the first container, which starts a rollout.
    #[json(omitempty)]
    pub image: Option<String>,
    /// Another number of replicas, through the scale subresource.
    #[json(omitempty)]
    pub replicas: Option<i64>,
    /// Anything else: merged into the Deployment (RFC 7386), as `kubectl patch --type merge` does.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::Manifest>"))]
    pub patch: Option<Value>,
    /// The whole new manifest of the Deployment, as `kubectl apply` applies it: fields that only the first manifest has
    /// are removed.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::scenario::schema::Manifest>"))]
    pub to: Option<Value>,
    /// Objects that exist beside the Deployment: ResourceQuotas, PodDisruptionBudgets, other Deployments and whatever else
    /// a scenario takes.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub objects: Vec<Value>,
    /// How long after the start the changes happen; `5s` by default.
    pub at: Duration,
    /// Feature gates that differ from the defaults. Without any, the proposed gate DeploymentPodReplacementPolicy is on where
    /// a manifest has a `podReplacementPolicy`, since an API server without the gate would drop the field.
    #[cfg_attr(feature = "schema", schemars(with = "crate::scenario::schema::FeatureGates"))]
    #[json(omitempty)]
    pub feature_gates: Value,
    /// The nodes of the cluster; one without bounds by default.
    #[json(omitempty)]
    pub nodes: Vec<Node>,
    /// How fast pods start and end; the first entry that fits a pod is used.
    #[json(omitempty)]
    pub kubelet: Vec<Timing>,
    /// How many requests a second kube-controller-manager's controllers may send; any number by default.
    #[json(omitempty)]
    pub controller_manager: Option<ControllerManager>,
    /// The seed of all randomness, such as names and jitter; 0 by default.
    pub seed: u64,
    /// Where the simulation stops at the latest.
    pub limits: Limits,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            image: None,
            replicas: None,
            patch: None,
            to: None,
            objects: Vec::new(),
            at: Duration::seconds(5),
            feature_gates: Value::Null,
            nodes: Vec::new(),
            kubelet: Vec::new(),
            controller_manager: None,
            seed: 0,
            limits: Limits::default(),
        }
    }
}

impl Changes {
    /// Reads changes.
    ///
    /// # Errors
    /// An unknown key or a wrong type, with its path.
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        if value.is_null() { Ok(Self::default()) } else { decode(value, "changes") }
    }
}

/// A scenario in which a Deployment of which only the manifest is given has come to rest long ago, with its ReplicaSet
/// and its pods, and then is changed. The controllers themselves bring it to rest, an hour before the start.
///
/// # Errors
/// The first problem of the manifest, below `deployment`, or of the changes, below `changes`.
pub fn steady_state(deployment: &Value, changes: &Changes) -> Result<Scenario, Problem> {
    let kind = string(deployment, "kind");
    if kind != "Deployment" {
        let message = format!("Unsupported value: {}: supported values: \"Deployment\"", quoted(kind));
        return Err(Problem::new("deployment.kind", message));
    }
    let mut scenario = Scenario {
        seed: changes.seed,
        feature_gates: gates(deployment, changes),
        nodes: changes.nodes.clone(),
        kubelet: changes.kubelet.clone(),
        controller_manager: changes.controller_manager,
        limits: changes.limits.clone(),
        objects: changes.objects.iter().cloned().collect(),
        ..Scenario::default()
    };
    let requests = requests(deployment, changes)?;
    let mut simulation = come_to_rest(&scenario, without_status(deployment))?;
    let auxiliary = changes.objects.iter().filter(|manifest| is_auxiliary(manifest)).cloned();
    scenario.objects = auxiliary.chain(simulation.objects().iter().map(Object::to_value)).collect();
    scenario.actions = requests.iter().map(|request| request.action.clone()).collect();
    simulation.try_actions(&scenario.actions).map_err(|problem| {
        problem.map_paths(&|path| {
            let parts = path.strip_prefix("actions[").and_then(|rest| rest.split_once(']'));
            let request = parts.and_then(|(index, below)| Some((requests.get(index.parse::<usize>().ok()?)?, below)));
            request.map_or_else(|| String::from(path), |(request, below)| request.path_of(below))
        })
    })?;
    Ok(scenario)
}

fn without_status(manifest: &Value) -> Value {
    let mut manifest = manifest.clone();
    if let Some(map) = manifest.as_object_mut() {
        map.remove("status");
    }
    manifest
}

/// Whether an object is not in the store, so that coming to rest does not change it.
pub(crate) fn is_auxiliary(manifest: &Value) -> bool {
    aux_kind(string(manifest, "kind")).is_some()
}

/// Lets a Deployment come to rest before the scenario's start.
fn come_to_rest(scenario: &Scenario, manifest: Value) -> Result<Simulation, Problem> {
    // Without simulating the pods first.
    let wanted =
        manifest.pointer("/spec/replicas").and_then(Value::as_i64).and_then(|wanted| u32::try_from(wanted).ok());
    if wanted.is_some_and(|wanted| wanted > scenario.limits.pods && i32::try_from(wanted).is_ok()) {
        return Err(Problem::new("deployment.spec.replicas", too_many_pods(scenario.limits.pods)));
    }
    let to_argument = |path: &str| match path.strip_prefix("actions[0].create") {
        Some(below) => format!("deployment{below}"),
        None => format!("changes.{path}"),
    };
    let of_argument = |problem: Problem| problem.map_paths(&to_argument);
    let create = TimedAction { at: Duration(0), action: Action::Create(manifest) };
    let simulation = settle(scenario, Vec::from([create])).map_err(of_argument)?;
    match too_large(&simulation) {
        Some(message) => Err(Problem::new("deployment.spec.replicas", message)),
        None => Ok(simulation),
    }
}

/// What becomes of a scenario's objects before its start if nobody does anything, with all pods ready: Deployments,
/// ReplicaSets and Pods.
///
/// # Errors
/// The first problem of the scenario, with its path, or a limit that is met, at `objects`.
pub(crate) fn at_rest(scenario: &Scenario) -> Result<Vec<Object>, Problem> {
    let simulation = settle(scenario, Vec::new())?;
    match too_large(&simulation) {
        Some(message) => Err(Problem::new("objects", message)),
        None => Ok(simulation.objects()),
    }
}

/// Simulates an hour before the scenario's start, in which the actions happen and all pods become ready.
fn settle(scenario: &Scenario, actions: Vec<TimedAction>) -> Result<Simulation, Problem> {
    let before = Scenario {
        start: scenario.start.plus_seconds(-3600),
        // Whatever is to happen, at rest all pods are ready, however long that took.
        kubelet: Vec::from([Timing { ready: Some(Delay::After(Timing::START_UP)), ..Timing::default() }]),
        controller_manager: None,
        actions,
        // The caller's limits are for what follows: these steps are thrown away.
        limits: Limits {
            time: Duration::seconds(1800),
            steps: u32::MAX,
            pods: scenario.limits.pods,
            bytes: Limits::default().bytes.saturating_mul(2),
        },
        ..scenario.clone()
    };
    let mut simulation = Simulation::start(before)?;
    simulation.run_until(Time(i64::MAX))?;
    Ok(simulation)
}

/// The limit of size that a simulation met.
fn too_large(simulation: &Simulation) -> Option<String> {
    let end = simulation.end();
    matches!(end.reason, EndReason::Pods | EndReason::Steps | EndReason::Bytes).then_some(end.message)
}

fn gates(deployment: &Value, changes: &Changes) -> Value {
    if !changes.feature_gates.is_null() {
        return changes.feature_gates.clone();
    }
    let has_policy =
        |value: &Value| value.pointer("/spec/podReplacementPolicy").is_some_and(|policy| !policy.is_null());
    let changed = [&changes.patch, &changes.to].into_iter().flatten();
    if has_policy(deployment) || changed.into_iter().any(has_policy) {
        json!({ "DeploymentPodReplacementPolicy": true })
    } else {
        Value::Null
    }
}

/// What the user asks of the API server, and which of the changes it comes from.
struct Request {
    change: Change,
    action: TimedAction,
}

/// One of the changes.
#[derive(Clone, Copy)]
enum Change {
    Patch,
    To,
    Image,
    Replicas,
}

impl Request {
    /// The path of a field of the changes, from one of the action's.
    fn path_of(&self, below: &str) -> String {
        let in_object = |change: &str| format!("changes.{change}{}", below.strip_prefix(".apply").unwrap_or(below));
        match self.change {
            Change::Patch => in_object("patch"),
            Change::To => in_object("to"),
            Change::Image => String::from("changes.image"),
            Change::Replicas => String::from("changes.replicas"),
        }
    }
}

fn requests(deployment: &Value, changes: &Changes) -> Result<Vec<Request>, Problem> {
    let text = |pointer: &str, default: &str| {
        String::from(deployment.pointer(pointer).and_then(Value::as_str).unwrap_or(default))
    };
    let name = text("/metadata/name", "");
    let namespace = text("/metadata/namespace", "default");
    let target = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "namespace": namespace },
    });
    let mut requests = Vec::new();
    let mut request = |change, action| {
        requests.push(Request { change, action: TimedAction { at: changes.at, action } });
    };
    if let Some(to) = &changes.to {
        expect_same_object(to, &target, "changes.to")?;
        let mut patch = apply_diff(&without_status(deployment), &without_status(to));
        merge(&mut patch, &target);
        request(Change::To, Action::Apply(patch));
    }
    if let Some(patch) = &changes.patch {
        expect_same_object(patch, &target, "changes.patch")?;
        // Its nulls stay: they remove fields of the Deployment.
        let mut object = patch.clone();
        merge(&mut object, &target);
        request(Change::Patch, Action::Apply(object));
    }
    if let Some(image) = &changes.image {
        let template = json!({ "spec": { "containers": [{ "image": image }] } });
        let set = SetTemplate { name: name.clone(), namespace: namespace.clone(), template };
        request(Change::Image, Action::SetTemplate(set));
    }
    if let Some(replicas) = changes.replicas {
        let scale = Scale { kind: String::from("Deployment"), name, namespace, replicas };
        request(Change::Replicas, Action::Scale(scale));
    }
    Ok(requests)
}

/// Refuses a manifest or patch of another object.
fn expect_same_object(manifest: &Value, target: &Value, path: &str) -> Result<(), Problem> {
    if !manifest.is_object() {
        return Err(Problem::new(path, format!("Invalid value: {}: must be a map", shortened(manifest))));
    }
    for field in ["/apiVersion", "/kind", "/metadata/name", "/metadata/namespace"] {
        let (given, expected) = (manifest.pointer(field), target.pointer(field).unwrap_or(&Value::Null));
        if let Some(given) = given.filter(|given| !given.is_null() && *given != expected) {
            let message = format!("Invalid value: {}: must be {expected}, as in the Deployment", shortened(given));
            return Err(Problem::new(format!("{path}{}", field.replace('/', ".")), message));
        }
    }
    Ok(())
}
