//! What the user does: each action becomes a request that the API server admits or refuses.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::Cluster;
use super::api::refused;
use super::merge::{merge, merge_template};
use super::node::node_key;
use super::others::other_kind;
use crate::Problem;
use crate::apiserver;
use crate::controller::{ApiError, Verb};
use crate::feature_gates::{Feature, Gates};
use crate::go::quoted;
use crate::json::decode;
use crate::object::unstructured::string;
use crate::object::{Kind, Object, ObjectKey, Pod};
use crate::reason::{Reason, Rule, user as rule};
use crate::scenario::{Action, Annotate, Cascade, Delete, DeploymentName, Evict, NodeName, Scale, SetTemplate};
use crate::timeline::Actor;

/// Why an action could not be carried out.
pub(super) enum Refusal {
    /// The scenario is wrong: what, at a path below the action.
    Problem(Problem),
    /// The API server said no, which is something that happens.
    Api(ObjectKey, ApiError),
}

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

/// Where a pod's name may stand for the Nth oldest pod of a Deployment.
const ORDINAL: char = '/';

impl Cluster {
    /// Carries out an action of the scenario.
    pub(super) fn act(&mut self, index: usize) -> Result<(), Problem> {
        let scenario = self.scenario.clone();
        let Some(action) = scenario.actions.get(index) else { return Ok(()) };
        match self.carry_out(&action.action) {
            Ok(()) => Ok(()),
            Err(Refusal::Problem(problem)) => {
                let path = if problem.path.is_empty() { String::new() } else { format!(".{}", problem.path) };
                Err(Problem::new(format!("actions[{index}]{path}"), problem.message))
            }
            Err(Refusal::Api(key, error)) => {
                let reason =
                    Reason::new(&rule::REFUSED, [format!("{} {}", key.kind, key.name).into(), error.message.into()]);
                self.tell(Actor::User, &key, reason);
                Ok(())
            }
        }
    }

    fn carry_out(&mut self, action: &Action) -> Result<(), Refusal> {
        match action {
            Action::Create(object) => self.create(object, "create", &rule::CREATE),
            Action::Apply(object) => self.apply(object),
            Action::Scale(scale) => self.scale(scale),
            Action::SetTemplate(set) => self.set_template(set),
            Action::Annotate(annotate) => self.annotate(annotate),
            Action::Pause(name) => self.set_paused(name, true, "pause", &rule::PAUSE),
            Action::Resume(name) => self.set_paused(name, false, "resume", &rule::RESUME),
            Action::Undo(undo) => self.undo(undo),
            Action::Delete(delete) => self.delete(delete),
            Action::Evict(evict) => self.evict(evict),
            Action::FeatureGates(gates) => self.restart(gates),
            Action::Drain(drain) => self.drain(drain),
            Action::Cordon(node) => self.on_node(node, &rule::CORDON, Self::cordon),
            Action::Uncordon(node) => self.on_node(node, &rule::UNCORDON, Self::uncordon),
            Action::LoseNode(node) => self.on_node(node, &rule::LOSE_NODE, Self::lose_node),
            Action::ReturnNode(node) => self.on_node(node, &rule::RETURN_NODE, Self::return_node),
            Action::DeleteNode(node) => self.on_node(node, &rule::DELETE_NODE, Self::delete_node),
            Action::TaintOutOfService(node) => {
                self.on_node(node, &rule::TAINT_OUT_OF_SERVICE, Self::taint_out_of_service)
            }
            Action::UntaintOutOfService(node) => {
                self.on_node(node, &rule::UNTAINT_OUT_OF_SERVICE, Self::untaint_out_of_service)
            }
        }
    }

    fn on_node(&mut self, node: &NodeName, rule: &'static Rule, act: fn(&mut Self, usize)) -> Result<(), Refusal> {
        let index = self.target_node(&node.name, rule)?;
        act(self, index);
        Ok(())
    }

    /// The node that an action names, having told of the action.
    pub(super) fn target_node(&mut self, name: &str, rule: &'static Rule) -> Result<usize, Refusal> {
        let key = node_key(name);
        let index = self.find_node(name).ok_or_else(|| Refusal::Api(key.clone(), ApiError::not_found(&key)))?;
        self.tell(Actor::User, &key, said(rule, &key, ""));
        Ok(index)
    }

    /// Starts components again with other feature gates. A controller manager that has just started remembers nothing
    /// and looks at everything.
    fn restart(&mut self, gates: &Value) -> Result<(), Refusal> {
        let before = self.gates;
        self.gates = before.restarted(gates, "featureGates").map_err(|problems| {
            problems.into_iter().next().unwrap_or_else(|| Problem::new("featureGates", "can't be read"))
        })?;
        let named = |component| gates.get(component).is_some();
        let (name, component) = match (named("apiserver"), named("controllerManager")) {
            (true, false) => ("kube-apiserver", "the API server"),
            (false, true) => ("kube-controller-manager", "the controller manager"),
            _ => ("kube-controller-manager", "API server and controller manager"),
        };
        let key = ObjectKey { kind: Kind::Pod, namespace: "kube-system".into(), name: name.into() };
        if name == "kube-controller-manager" {
            self.memories.clear();
            self.wake_all();
        }
        let reason = Reason::new(&rule::RESTART, [component.into(), changed(before, self.gates).into()]);
        self.tell(Actor::User, &key, reason);
        Ok(())
    }

    /// The typed object that the API server makes of a manifest.
    pub(super) fn admitted(&self, manifest: &Value, path: &str) -> Result<Object, Problem> {
        let kind = string(manifest, "kind");
        if !kind.is_empty() && kind_of(kind).is_none() {
            return Err(unsupported(kind, path));
        }
        let admitted = apiserver::create(manifest, apiserver::ROLLOUT, &self.gates.apiserver)
            .map_err(|errors| refused(path, &errors))?;
        typed(&admitted, path)
    }

    fn create(&mut self, manifest: &Value, path: &str, rule: &'static Rule) -> Result<(), Refusal> {
        if let Some(kind) = other_kind(string(manifest, "kind")) {
            return self.create_other(kind, manifest, path, rule);
        }
        let object = self.admitted(manifest, path)?;
        let about = object.key();
        let created = self.created(Actor::User, &about, object);
        let (key, object) = created.map_err(|error| Refusal::Api(about, error))?;
        self.commit(Actor::User, &key, Verb::Create, &key, object, said(rule, &key, ""));
        Ok(())
    }

    fn apply(&mut self, manifest: &Value) -> Result<(), Refusal> {
        let kind = string(manifest, "kind");
        if let Some(kind) = other_kind(kind) {
            return self.apply_other(kind, manifest);
        }
        let metadata = manifest.get("metadata");
        let text = |key: &str| metadata.and_then(|metadata| metadata.get(key)).and_then(Value::as_str);
        let namespace = text("namespace").unwrap_or("default");
        let Some(key) = key_of(kind, namespace, text("name").unwrap_or_default()) else {
            return self.create(manifest, "apply", &rule::APPLY);
        };
        let Some(object) = self.find(&key) else {
            return self.create(manifest, "apply", &rule::APPLY);
        };
        self.change(&object, Verb::Patch, "apply", said(&rule::APPLY, &key, ""), |value| merge(value, manifest))
    }

    fn scale(&mut self, scale: &Scale) -> Result<(), Refusal> {
        let object = self.target(&scale.kind, &scale.namespace, &scale.name, "scale")?;
        let reason = said(&rule::SCALE, &object.key(), &scale.replicas.to_string());
        self.change(&object, Verb::Patch, "scale", reason, |value| {
            set(value, "spec", "replicas", scale.replicas.into());
        })
    }

    fn set_template(&mut self, set: &SetTemplate) -> Result<(), Refusal> {
        let object = self.target("Deployment", &set.namespace, &set.name, "setTemplate")?;
        let image = set.template.pointer("/spec/containers/0/image").and_then(Value::as_str);
        let detail = image.map_or_else(String::new, |image| format!(": image {image}"));
        let reason = said(&rule::SET_TEMPLATE, &object.key(), &detail);
        self.change(&object, Verb::Patch, "setTemplate", reason, |value| {
            if let Some(template) = value.pointer_mut("/spec/template") {
                merge_template(template, &set.template);
            }
        })
    }

    fn annotate(&mut self, annotate: &Annotate) -> Result<(), Refusal> {
        let object = self.target(&annotate.kind, &annotate.namespace, &annotate.name, "annotate")?;
        let mut detail = String::new();
        for (key, value) in &annotate.annotations {
            let value = value.as_deref().unwrap_or("(removed)");
            detail.push_str(&format!(" {key}={value}"));
        }
        let reason = said(&rule::ANNOTATE, &object.key(), &format!(":{detail}"));
        let entry =
            |(key, value): (&String, &Option<String>)| (key.clone(), value.clone().map_or(Value::Null, Value::String));
        let mut patch = serde_json::Map::new();
        patch.extend(annotate.annotations.iter().map(entry));
        let patch = Value::Object(patch);
        self.change(&object, Verb::Patch, "annotate", reason, |value| {
            let patch = serde_json::json!({ "metadata": { "annotations": patch } });
            merge(value, &patch);
        })
    }

    fn set_paused(
        &mut self,
        name: &DeploymentName,
        paused: bool,
        path: &str,
        rule: &'static Rule,
    ) -> Result<(), Refusal> {
        let object = self.target("Deployment", &name.namespace, &name.name, path)?;
        self.change(&object, Verb::Patch, path, said(rule, &object.key(), ""), |value| {
            set(value, "spec", "paused", paused.into());
        })
    }

    fn delete(&mut self, delete: &Delete) -> Result<(), Refusal> {
        if let Some(kind) = other_kind(&delete.kind) {
            let (namespace, name) = (delete.namespace.as_str().into(), delete.name.as_str().into());
            return self.delete_other(ObjectKey { kind, namespace, name });
        }
        let object = self.target(&delete.kind, &delete.namespace, &delete.name, "delete")?;
        let key = object.key();
        let reason = said(&rule::DELETE, &key, "");
        if key.kind == Kind::Pod {
            let after = self.deleted(&object, delete.grace_period_seconds);
            self.commit(Actor::User, &key, Verb::Delete, &key, after, reason);
            return Ok(());
        }
        match delete.cascade {
            Cascade::Background => {
                let after = self.deleted(&object, None);
                self.commit(Actor::User, &key, Verb::Delete, &key, after, reason);
            }
            Cascade::Foreground => self.begin_foreground(&object, Actor::User, reason),
            Cascade::Orphan => {
                self.commit(Actor::User, &key, Verb::Delete, &key, None, reason);
                let owner = format!("{} {}", key.kind, key.name);
                self.orphan(&object.metadata().uid, &owner);
            }
        }
        Ok(())
    }

    fn evict(&mut self, evict: &Evict) -> Result<(), Refusal> {
        if let Object::Pod(pod) = self.target("Pod", &evict.namespace, &evict.name, "evict")?
            && let Err(refused) = self.evict_pod(&pod, &rule::EVICT, "")
        {
            self.tell(Actor::User, &pod.metadata.key(Kind::Pod), refused.reason);
        }
        Ok(())
    }

    /// Changes an object through the API server.
    pub(super) fn change(
        &mut self,
        object: &Object,
        verb: Verb,
        path: &str,
        reason: Reason,
        how: impl FnOnce(&mut Value),
    ) -> Result<(), Refusal> {
        let old = object.to_value();
        let mut new = old.clone();
        how(&mut new);
        let admitted = apiserver::update(&new, &old, apiserver::ROLLOUT, &self.gates.apiserver)
            .map_err(|errors| refused(path, &errors))?;
        let key = object.key();
        self.commit(Actor::User, &key, verb, &key, Some(typed(&admitted, path)?), reason);
        Ok(())
    }

    fn find(&self, key: &ObjectKey) -> Option<Object> {
        self.store.borrow().get(key).cloned()
    }

    /// The object that an action names.
    pub(super) fn target(&self, kind: &str, namespace: &str, name: &str, path: &str) -> Result<Object, Refusal> {
        let Some(key) = key_of(kind, namespace, name) else {
            let message = format!("Invalid value: {}: must be Deployment, ReplicaSet or Pod", quoted(kind));
            return Err(Problem::new(format!("{path}.kind"), message).into());
        };
        let found = match name.split_once(ORDINAL) {
            Some((deployment, ordinal)) if key.kind == Kind::Pod => {
                let Ok(ordinal) = ordinal.parse::<usize>() else {
                    let message = format!("Invalid value: {}: must be a pod's name, or DEPLOYMENT/N", quoted(name));
                    return Err(Problem::new(format!("{path}.name"), message).into());
                };
                self.nth_pod(namespace, deployment, ordinal).map(Object::Pod)
            }
            _ => self.find(&key),
        };
        found.ok_or_else(|| Refusal::Api(key.clone(), ApiError::not_found(&key)))
    }

    /// The Nth oldest pod of a Deployment that is not terminating.
    fn nth_pod(&self, namespace: &str, deployment: &str, ordinal: usize) -> Option<Rc<Pod>> {
        let store = self.store.borrow();
        let key = key_of("Deployment", namespace, deployment)?;
        let owner = store.deployment(&key)?;
        let replica_sets = store.owned_by(&owner.metadata.uid);
        let mut pods: Vec<&Rc<Pod>> = replica_sets
            .iter()
            .flat_map(|object| store.pods_owned_by(&object.metadata().uid))
            .filter(|pod| pod.is_active())
            .collect();
        // By creation: pods of one second are told apart by name, as a list would show them.
        let created = |pod: &Rc<Pod>| (pod.metadata.creation_timestamp, pod.metadata.name.clone());
        pods.sort_by_key(|pod| created(pod));
        pods.get(ordinal).map(|pod| (*pod).clone())
    }
}

/// The gates that differ, in words.
fn changed(before: Gates, after: Gates) -> String {
    let mut words = String::new();
    for feature in Feature::all() {
        let on = |gates: Gates| (gates.apiserver.enabled(feature), gates.controller_manager.enabled(feature));
        if on(before) == on(after) {
            continue;
        }
        let is_on = match (on(before), on(after)) {
            ((server, _), (now, _)) if server != now => now,
            (_, (_, now)) => now,
        };
        words.push_str(if words.is_empty() { "" } else { " and " });
        words.push_str(feature.name());
        words.push_str(if is_on { " on" } else { " off" });
    }
    if words.is_empty() { String::from("the feature gates that it had") } else { words }
}

pub(super) fn said(rule: &'static Rule, key: &ObjectKey, detail: &str) -> Reason {
    Reason::new(rule, [format!("{} {}", key.kind, key.name).into(), detail.into()])
}

fn set(value: &mut Value, section: &str, field: &str, to: Value) {
    if let Some(map) = value.get_mut(section).and_then(Value::as_object_mut) {
        map.insert(field.to_string(), to);
    }
}

fn kind_of(name: &str) -> Option<Kind> {
    [Kind::Deployment, Kind::ReplicaSet, Kind::Pod].into_iter().find(|known| known.name() == name)
}

fn key_of(kind: &str, namespace: &str, name: &str) -> Option<ObjectKey> {
    let kind = kind_of(kind)?;
    Some(ObjectKey { kind, namespace: namespace.into(), name: name.into() })
}

/// The typed object of an admitted manifest.
///
/// # Errors
/// A kind that the cluster does not hold, or a field of another type, with its path.
pub(super) fn typed(value: &Value, path: &str) -> Result<Object, Problem> {
    match value.get("kind").and_then(Value::as_str) {
        Some("Deployment") => decode(value, path).map(|object| Object::Deployment(Rc::new(object))),
        Some("ReplicaSet") => decode(value, path).map(|object| Object::ReplicaSet(Rc::new(object))),
        Some("Pod") => decode(value, path).map(|object| Object::Pod(Rc::new(object))),
        kind => Err(unsupported(kind.unwrap_or_default(), path)),
    }
}

fn unsupported(kind: &str, path: &str) -> Problem {
    let supported = "\"Deployment\", \"PersistentVolumeClaim\", \"Pod\", \"PodDisruptionBudget\", \"ReplicaSet\", \"ResourceQuota\"";
    let message = format!("Unsupported value: {}: supported values: {supported}", quoted(kind));
    Problem::new(format!("{path}.kind"), message)
}
