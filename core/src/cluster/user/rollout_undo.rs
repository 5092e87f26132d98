//! `kubectl rollout undo`.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::request::ActionError;
use crate::cluster::decision::UserDecision;
use crate::cluster::state::Cluster;
use crate::feature_gates::Feature;
use crate::object::Object;
use crate::scenario::Undo;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{
    REVISION, equal_ignore_hash, last_revision, set_deployment_annotations_to, set_from_replica_set_template,
};
use crate::workload::replica_set::ReplicaSet;

impl Cluster {
    /// The template and the annotations of an older ReplicaSet, unless kubectl is against it.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go DeploymentRollbacker.Rollback`
    pub(super) fn undo(&mut self, undo: &Undo) -> Result<(), ActionError> {
        let object = self.target("Deployment", &undo.namespace, &undo.name, "undo")?;
        let Object::Deployment(deployment) = &object else { return Ok(()) };
        let key = object.key();
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
