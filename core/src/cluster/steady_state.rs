//! Deployments that have come to rest, and then are changed.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::merge_patch::merge;
use super::recorder::too_many_pods;
use super::simulation::Simulation;
use super::step::EndReason;
use crate::Problem;
use crate::go::quoted;
use crate::json::{FromJson, ToJson, decode};
use crate::object::{Object, Time};
use crate::scenario::{
    Action, ControllerManager, Duration, Limits, Node, Scale, Scenario, SetTemplate, TimedAction, Timing,
};

/// What happens to a Deployment that has come to rest.
#[derive(Clone, Debug, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Changes {
    /// A new image for the first container: a rollout.
    #[json(omitempty)]
    pub image: Option<String>,
    /// Another number of replicas, through the scale subresource.
    #[json(omitempty)]
    pub replicas: Option<i64>,
    /// Anything else: merged into the Deployment (RFC 7386), as `kubectl patch --type merge` does.
    #[json(omitempty)]
    pub patch: Option<Value>,
    /// When it happens, after the start.
    pub at: Duration,
    /// As in a scenario. Not given, and with a `podReplacementPolicy` in the Deployment or the patch, the proposed gate
    /// DeploymentPodReplacementPolicy is on: without it an API server would drop the field.
    #[json(omitempty)]
    pub feature_gates: Value,
    /// As in a scenario.
    #[json(omitempty)]
    pub nodes: Vec<Node>,
    /// As in a scenario.
    #[json(omitempty)]
    pub kubelet: Vec<Timing>,
    /// As in a scenario.
    #[json(omitempty)]
    pub controller_manager: Option<ControllerManager>,
    /// As in a scenario.
    pub seed: u64,
    /// As in a scenario.
    pub limits: Limits,
}

impl Default for Changes {
    fn default() -> Self {
        Self {
            image: None,
            replicas: None,
            patch: None,
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
    let mut manifest = deployment.clone();
    if let Some(map) = manifest.as_object_mut() {
        map.remove("status");
    }
    let kind = deployment.get("kind").and_then(Value::as_str).unwrap_or_default();
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
        ..Scenario::default()
    };
    scenario.objects = at_rest(&scenario, manifest)?;
    scenario.actions = actions(deployment, changes);
    Ok(scenario)
}

/// The objects of a Deployment that came to rest before the scenario's start.
fn at_rest(scenario: &Scenario, manifest: Value) -> Result<Vec<Value>, Problem> {
    // Without simulating the pods first.
    let wanted =
        manifest.pointer("/spec/replicas").and_then(Value::as_i64).and_then(|wanted| u32::try_from(wanted).ok());
    if wanted.is_some_and(|wanted| wanted > scenario.limits.pods && i32::try_from(wanted).is_ok()) {
        return Err(Problem::new("deployment.spec.replicas", too_many_pods(scenario.limits.pods)));
    }
    let before = Scenario {
        start: scenario.start.plus_seconds(-3600),
        // Whatever is to happen, at rest all pods are ready, however long that took.
        kubelet: Vec::new(),
        controller_manager: None,
        actions: Vec::from([TimedAction { at: Duration(0), action: Action::Create(manifest) }]),
        // The steps of this past are thrown away: they may take more room than those that are kept.
        limits: Limits {
            time: Duration::seconds(1800),
            bytes: scenario.limits.bytes.saturating_mul(2),
            ..scenario.limits.clone()
        },
        ..scenario.clone()
    };
    let of_manifest = |problem: Problem| {
        let path = problem.path.replacen("actions[0].create", "deployment", 1);
        Problem::new(path, problem.message)
    };
    let mut simulation = Simulation::start(before).map_err(of_manifest)?;
    simulation.run_until(Time(i64::MAX)).map_err(of_manifest)?;
    let end = simulation.end();
    if matches!(end.reason, EndReason::Pods | EndReason::Steps | EndReason::Bytes) {
        return Err(Problem::new("deployment.spec.replicas", end.message));
    }
    Ok(simulation.objects().iter().map(Object::to_value).collect())
}

fn gates(deployment: &Value, changes: &Changes) -> Value {
    if !changes.feature_gates.is_null() {
        return changes.feature_gates.clone();
    }
    let has_policy =
        |value: &Value| value.pointer("/spec/podReplacementPolicy").is_some_and(|policy| !policy.is_null());
    if has_policy(deployment) || changes.patch.as_ref().is_some_and(has_policy) {
        json!({ "DeploymentPodReplacementPolicy": true })
    } else {
        Value::Null
    }
}

fn actions(deployment: &Value, changes: &Changes) -> Vec<TimedAction> {
    let text = |pointer: &str, default: &str| {
        String::from(deployment.pointer(pointer).and_then(Value::as_str).unwrap_or(default))
    };
    let name = text("/metadata/name", "");
    let namespace = text("/metadata/namespace", "default");
    let at = changes.at;
    let mut actions = Vec::new();
    if let Some(patch) = &changes.patch {
        // Its nulls stay: they remove fields of the Deployment.
        let mut object = patch.clone();
        let target = json!({
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": name, "namespace": namespace },
        });
        merge(&mut object, &target);
        actions.push(TimedAction { at, action: Action::Apply(object) });
    }
    if let Some(image) = &changes.image {
        let template = json!({ "spec": { "containers": [{ "image": image }] } });
        let set = SetTemplate { name: name.clone(), namespace: namespace.clone(), template };
        actions.push(TimedAction { at, action: Action::SetTemplate(set) });
    }
    if let Some(replicas) = changes.replicas {
        let scale = Scale { kind: String::from("Deployment"), name, namespace, replicas };
        actions.push(TimedAction { at, action: Action::Scale(scale) });
    }
    actions
}
