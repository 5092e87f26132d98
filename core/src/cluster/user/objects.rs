//! What the user does with workloads and pods.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::request::{ActionError, applied};
use crate::Problem;
use crate::cluster::aux_objects::aux_kind;
use crate::cluster::decision::{Decision, NewImage, ObjectLimits, UserDecision};
use crate::cluster::kinds::{self, workload_of};
use crate::cluster::manifest::{admit_create, identified, stored_kind};
use crate::cluster::merge_patch::{merge, merge_template};
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::cluster::workload::{RolledBack, UserVerb, Workload, quoted_names};
use crate::controller::{DeletionPropagation, Verb, Write};
use crate::go::quoted;
use crate::object::unstructured::string;
use crate::object::{Kind, Object, ObjectKey};
use crate::scenario::{
    Annotate, Cascade, Delete, DeploymentName, Evict, Restart, Resume, Scale, SetTemplate, Suspend, Undo,
};

impl Cluster {
    pub(super) fn create(
        &mut self,
        manifest: &Value,
        path: &str,
        decide: fn(ObjectKey, ObjectLimits) -> UserDecision,
    ) -> Result<(), ActionError> {
        if let Some(kind) = aux_kind(string(manifest, "kind")) {
            return self.create_aux(kind, manifest, path, decide);
        }
        let uid = self.names.uid();
        let manifest = identified(manifest, &uid, |prefix| self.names.generate(prefix));
        let object = admit_create(&manifest, path, &self.gates.apiserver)?;
        self.require_named_node(&object, path)?;
        let about = object.key();
        let object = self.apply_limit_ranges(object);
        let created = self.created(Actor::User, &about, object, uid);
        let (key, object) = created.map_err(|error| ActionError::Api(about, error))?;
        let decision = decide(key.clone(), ObjectLimits::Absent);
        self.commit(Actor::User, &key, Verb::Create, &key, Some(object), decision);
        Ok(())
    }

    pub(super) fn apply(&mut self, manifest: &Value) -> Result<(), ActionError> {
        let kind = string(manifest, "kind");
        if let Some(kind) = aux_kind(kind) {
            return self.apply_aux(kind, manifest);
        }
        let key = stored_kind(kind).map(|kind| ObjectKey::of_manifest(kind, manifest));
        match key.and_then(|key| self.find(&key)) {
            Some(object) => self.patch(
                &object,
                "apply",
                |object| applied(object, ObjectLimits::Absent),
                |value| merge(value, manifest),
            ),
            None => self.create(manifest, "apply", applied),
        }
    }

    pub(super) fn scale(&mut self, scale: &Scale) -> Result<(), ActionError> {
        let object = self.target(&scale.kind, &scale.namespace, &scale.name, "scale")?;
        let decide = |object| UserDecision::Scale { object, replicas: scale.replicas };
        let replicas = i32::try_from(scale.replicas).ok().filter(|replicas| *replicas >= 0);
        let workload = workload_of(object.kind().name());
        if let Some(scaled) = workload.zip(replicas).and_then(|(workload, replicas)| workload.scaled(&object, replicas))
        {
            let key = object.key();
            let about = self.store.borrow().shared_key(&key);
            let written = self.write(Actor::User, &about, Write::Patch(scaled), decide(key.clone()));
            return written.map(drop).map_err(|error| ActionError::Api(key, error));
        }
        let field = field_of(&object, UserVerb::Scale, "scale")?;
        self.patch(&object, "scale", decide, |value| set(value, "spec", field, scale.replicas.into()))
    }

    pub(super) fn set_template(&mut self, set: &SetTemplate) -> Result<(), ActionError> {
        let object = self.target(&set.kind, &set.namespace, &set.name, "setTemplate")?;
        let image = set.template.pointer("/spec/containers/0/image").and_then(Value::as_str);
        let image = image.map_or(NewImage::Unchanged, |image| NewImage::Changed { image: image.into() });
        let decide = |object| UserDecision::SetTemplate { object, image };
        self.patch(&object, "setTemplate", decide, |value| {
            let path = object.kind().pod_template().unwrap_or_default();
            if let Some(template) = path.iter().try_fold(value, |value, key| value.get_mut(*key)) {
                merge_template(template, &set.template);
            }
        })
    }

    pub(super) fn annotate(&mut self, annotate: &Annotate) -> Result<(), ActionError> {
        let object = self.target(&annotate.kind, &annotate.namespace, &annotate.name, "annotate")?;
        let text =
            |(key, value): (&String, &Option<String>)| format!("{key}={}", value.as_deref().unwrap_or("(removed)"));
        let annotations = annotate.annotations.iter().map(text).collect::<Vec<_>>().join(" ").into();
        let decide = |object| UserDecision::Annotate { object, annotations };
        let entry =
            |(key, value): (&String, &Option<String>)| (key.clone(), value.clone().map_or(Value::Null, Value::String));
        let mut patch = serde_json::Map::new();
        patch.extend(annotate.annotations.iter().map(entry));
        let patch = Value::Object(patch);
        self.patch(&object, "annotate", decide, |value| {
            let patch = serde_json::json!({ "metadata": { "annotations": patch } });
            merge(value, &patch);
        })
    }

    pub(super) fn pause(&mut self, name: &DeploymentName) -> Result<(), ActionError> {
        let object = self.target("Deployment", &name.namespace, &name.name, "pause")?;
        let decide = |object| UserDecision::Pause { object };
        self.patch(&object, "pause", decide, |value| set(value, "spec", "paused", true.into()))
    }

    pub(super) fn suspend(&mut self, suspend: &Suspend) -> Result<(), ActionError> {
        let object = self.target(&suspend.kind, &suspend.namespace, &suspend.name, "suspend")?;
        let field = field_of(&object, UserVerb::Suspend, "suspend")?;
        let decide = |object| UserDecision::Suspend { object };
        self.patch(&object, "suspend", decide, |value| set(value, "spec", field, true.into()))
    }

    pub(super) fn resume(&mut self, resume: &Resume) -> Result<(), ActionError> {
        let object = self.target(&resume.kind, &resume.namespace, &resume.name, "resume")?;
        let field = field_of(&object, UserVerb::Resume, "resume")?;
        let decide = |object| UserDecision::Resume { object };
        self.patch(&object, "resume", decide, |value| set(value, "spec", field, false.into()))
    }

    /// Goes back to an older revision, unless kubectl is against it.
    pub(super) fn undo(&mut self, undo: &Undo) -> Result<(), ActionError> {
        let object = self.target(&undo.kind, &undo.namespace, &undo.name, "undo")?;
        let roll_back = of_kind(&object, "undo", |workload| workload.rollback())?;
        let rolled_back = roll_back(&self.store.borrow(), &object, undo, self.gates.controller_manager);
        match rolled_back {
            Ok(RolledBack { object: target, revision }) => {
                let target = target.to_value();
                self.patch(&object, "undo", |object| UserDecision::Undo { object, revision }, |value| *value = target)
            }
            Err(why) => {
                let message = why.into();
                self.report_user_action(&object.key(), |object| UserDecision::NotUndone { object, message });
                Ok(())
            }
        }
    }

    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/objectrestarter.go defaultObjectRestarter`
    pub(super) fn restart_rollout(&mut self, restart: &Restart) -> Result<(), ActionError> {
        let object = self.target(&restart.kind, &restart.namespace, &restart.name, "restart")?;
        if !object.kind().rolls_out() {
            let supported = quoted_names(Object::KINDS.iter().copied().filter(|kind| kind.rolls_out()));
            let message = format!("Unsupported value: {}: supported values: {supported}", quoted(&restart.kind));
            return Err(Problem::new("restart.kind", message).into());
        }
        if matches!(&object, Object::Deployment(deployment) if deployment.spec.paused) {
            let message = "can't restart paused deployment (run rollout resume first)".into();
            self.report_user_action(&object.key(), |object| UserDecision::NotRestarted { object, message });
            return Ok(());
        }
        let decide = |object| UserDecision::RestartRollout { object };
        let annotations = serde_json::json!({ "kubectl.kubernetes.io/restartedAt": self.now.to_string() });
        self.patch(&object, "restart", decide, |value| {
            merge(
                value,
                &serde_json::json!({ "spec": { "template": { "metadata": { "annotations": annotations } } } }),
            );
        })
    }

    pub(super) fn delete(&mut self, delete: &Delete) -> Result<(), ActionError> {
        if let Some(kind) = aux_kind(&delete.kind) {
            let namespace = if kind.is_of_cluster() { "" } else { delete.namespace.as_str() };
            return self.delete_aux(ObjectKey::new(kind, namespace, delete.name.as_str()));
        }
        let object = self.target(&delete.kind, &delete.namespace, &delete.name, "delete")?;
        let key = object.key();
        let decision = Decision::from(UserDecision::Delete { object: key.clone() });
        if key.kind == Kind::Pod {
            let after = self.deleted(&object, delete.grace_period_seconds);
            self.commit(Actor::User, &key, Verb::Delete, &key, after, decision);
            return Ok(());
        }
        let propagation = match delete.cascade {
            Cascade::Background => DeletionPropagation::Background,
            Cascade::Foreground => DeletionPropagation::Foreground,
            Cascade::Orphan => DeletionPropagation::Orphan,
        };
        self.delete_owner(Actor::User, &key, &object, propagation, decision);
        Ok(())
    }

    pub(super) fn evict(&mut self, evict: &Evict) -> Result<(), ActionError> {
        if let Object::Pod(pod) = self.target("Pod", &evict.namespace, &evict.name, "evict")?
            && let Err(refused) = self.evict_pod(&pod, None, |object| UserDecision::Evict { object })
        {
            self.report(Actor::User, &pod.key(), refused.decision);
        }
        Ok(())
    }
}

/// The field of the object's spec that an action sets.
fn field_of(object: &Object, verb: UserVerb, action: &str) -> Result<&'static str, ActionError> {
    of_kind(object, action, |workload| workload.field_of(verb))
}

/// What the kind of an object has for an action that not every kind has.
pub(super) fn of_kind<T>(
    object: &Object,
    action: &str,
    of: impl Fn(&'static dyn Workload) -> Option<T>,
) -> Result<T, ActionError> {
    let kind = object.kind().name();
    workload_of(kind).and_then(&of).ok_or_else(|| {
        let supported = kinds::ALL.iter().filter(|workload| of(**workload).is_some());
        let supported = quoted_names(supported.map(|workload| workload.kind()));
        let message = format!("Unsupported value: {}: supported values: {supported}", quoted(kind));
        Problem::new(format!("{action}.kind"), message).into()
    })
}

fn set(value: &mut Value, section: &str, field: &str, to: Value) {
    if let Some(map) = value.get_mut(section).and_then(Value::as_object_mut) {
        map.insert(field.to_string(), to);
    }
}
