//! `kubectl rollout undo`.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::request::ActionError;
use crate::Problem;
use crate::cluster::decision::UserDecision;
use crate::cluster::state::Cluster;
use crate::controller::history::{revision_data, template_of};
use crate::feature_gates::Feature;
use crate::go::quoted;
use crate::object::{ControllerRevision, Object, PodTemplateSpec};
use crate::scenario::Undo;
use crate::workload::daemon_set::DaemonSet;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{
    REVISION, equal_ignore_hash, last_revision, set_deployment_annotations_to, set_from_replica_set_template,
};
use crate::workload::replica_set::ReplicaSet;
use crate::workload::stateful_set::controller::apply_revision;

impl Cluster {
    /// The template and the annotations of an older ReplicaSet, unless kubectl is against it.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go DeploymentRollbacker.Rollback`
    pub(super) fn undo(&mut self, undo: &Undo) -> Result<(), ActionError> {
        let object = self.target(&undo.kind, &undo.namespace, &undo.name, "undo")?;
        let key = object.key();
        let deployment = match &object {
            Object::Deployment(deployment) => deployment,
            Object::StatefulSet(set) => {
                let restore = |found: &ControllerRevision| Object::StatefulSet(apply_revision(set, found));
                return self.undo_set(undo, &object, &set.spec.template, restore);
            }
            Object::DaemonSet(set) => {
                let restore = |found: &ControllerRevision| Object::DaemonSet(with_template_of(set, found));
                return self.undo_set(undo, &object, &set.spec.template, restore);
            }
            _ => {
                let kind = quoted(&undo.kind);
                let message = format!(
                    "Unsupported value: {kind}: supported values: \"DaemonSet\", \"Deployment\", \"StatefulSet\""
                );
                return Err(Problem::new("undo.kind", message).into());
            }
        };
        let found = match self.revision_to_undo_to(deployment, undo.to_revision) {
            Ok(found) => found,
            Err(why) => {
                self.report_user_action(&key, |object| UserDecision::NotUndone { object, message: why.into() });
                return Ok(());
            }
        };
        let mut rolled_back = (**deployment).clone();
        set_from_replica_set_template(&mut rolled_back, &found.spec.template);
        // kubectl has no such gate: one that knows the annotation never takes it along.
        let knows = !undo.older_kubectl;
        let gates = self.gates.controller_manager.with(Feature::DeploymentPodReplacementPolicy, knows);
        set_deployment_annotations_to(&mut rolled_back, &found, gates);
        let target = Object::from(rolled_back).to_value();
        let revision = found.metadata.annotation(REVISION).unwrap_or_default().into();
        self.patch(&object, "undo", |object| UserDecision::Undo { object, revision }, |value| *value = target)
    }

    /// The template that an older revision keeps, unless kubectl is against it.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go StatefulSetRollbacker.Rollback` and
    /// `DaemonSetRollbacker.Rollback`
    fn undo_set(
        &mut self,
        undo: &Undo,
        object: &Object,
        template: &PodTemplateSpec,
        restore: impl Fn(&ControllerRevision) -> Object,
    ) -> Result<(), ActionError> {
        let found = self.history_to_undo_to(&object.metadata().uid, template, undo.to_revision);
        let found = match found {
            Ok(found) => found,
            Err(why) => {
                self.report_user_action(&object.key(), |object| UserDecision::NotUndone {
                    object,
                    message: why.into(),
                });
                return Ok(());
            }
        };
        let target = restore(&found).to_value();
        let revision = found.spec.revision.to_string().as_str().into();
        self.patch(object, "undo", |object| UserDecision::Undo { object, revision }, |value| *value = target)
    }

    /// The revision of that number (0: the one before), or why kubectl does not go back to it.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go findHistory`
    fn history_to_undo_to(
        &self,
        uid: &str,
        template: &PodTemplateSpec,
        wanted: i64,
    ) -> Result<Rc<ControllerRevision>, String> {
        let mut owned = Vec::new();
        for object in self.store.borrow().owned_by(uid) {
            if let Object::ControllerRevision(revision) = object {
                owned.push(revision);
            }
        }
        owned.sort_by_key(|revision| revision.spec.revision);
        if wanted == 0 && owned.len() <= 1 {
            return Err("no last revision to roll back to".into());
        }
        let found = match wanted {
            0 => owned.into_iter().rev().nth(1),
            _ => owned.into_iter().find(|revision| revision.spec.revision == wanted),
        };
        match found {
            None => Err(format!("unable to find specified revision {wanted} in history")),
            Some(found) if found.spec.data == revision_data(template) => {
                Err(format!("skipped rollback (current template already matches revision {wanted})"))
            }
            Some(found) => Ok(found),
        }
    }

    /// The ReplicaSet of that revision (0: of the one before), or why kubectl does not go back to it.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go deploymentRevision`
    fn revision_to_undo_to(&self, deployment: &Deployment, wanted: i64) -> Result<Rc<ReplicaSet>, String> {
        let mut owned = Vec::new();
        for object in self.store.borrow().owned_by(&deployment.metadata.uid) {
            if let Object::ReplicaSet(replica_set) = object {
                owned.push(replica_set);
            }
        }
        let revision = if wanted == 0 { last_revision(&owned) } else { wanted }.to_string();
        let found = owned.into_iter().find(|owned| owned.metadata.annotation(REVISION) == Some(&revision));
        match found {
            None if wanted == 0 => {
                Err(format!("no rollout history found for deployment \"{}\"", deployment.metadata.name))
            }
            None => Err(format!("unable to find specified revision {wanted} in history")),
            Some(_) if deployment.spec.paused => Err(
                "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
                    .into(),
            ),
            Some(found) if equal_ignore_hash(&found.spec.template, &deployment.spec.template) => {
                Err(format!("skipped rollback (current template already matches revision {wanted})"))
            }
            Some(found) => Ok(found),
        }
    }
}

/// The DaemonSet with the template that a revision keeps.
fn with_template_of(set: &Rc<DaemonSet>, revision: &ControllerRevision) -> Rc<DaemonSet> {
    let Some(template) = template_of(revision) else { return set.clone() };
    let mut restored = (**set).clone();
    Rc::make_mut(&mut restored.spec).template = Rc::new(template);
    Rc::new(restored)
}
