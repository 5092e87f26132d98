//! A rollback that was asked for by annotation.

use alloc::rc::Rc;
use alloc::string::ToString;

use super::revision::{
    ROLLBACK_TO, get_or_create_all_replica_sets, last_revision, revision, set_deployment_annotations_to,
};
use super::template::equal_ignore_hash;
use super::util::ReplicaSets;
use crate::controller::client::record;
use crate::controller::{Client, Error, Event, Write};
use crate::object::{Object, PodTemplateSpec, annotations_mut};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::decision::Decision;
use crate::workload::replica_set::{POD_TEMPLATE_HASH, ReplicaSet};

/// The revision to go back to; 0 means the previous one. None if the annotation is not a number.
///
/// Upstream: `pkg/controller/deployment/rollback.go getRollbackTo`
pub(super) fn get_rollback_to(deployment: &Deployment) -> Option<i64> {
    deployment.metadata.annotation(ROLLBACK_TO)?.parse().ok()
}

/// Upstream: `pkg/controller/deployment/rollback.go rollback`
pub(super) fn rollback(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    replica_sets: &[Rc<ReplicaSet>],
    asked: i64,
) -> Result<(), Error> {
    let (new, old) = get_or_create_all_replica_sets(client, deployment, replica_sets)?;
    let all: ReplicaSets = old.iter().chain([&new]).cloned().collect();
    let wanted = if asked == 0 { last_revision(&all) } else { asked };
    let name = deployment.metadata.name.clone();
    if wanted == 0 {
        record(client, &deployment.key(), || {
            Event::warning("DeploymentRollbackRevisionNotFound", "Unable to find last revision.")
        });
        return update_deployment_and_clear_rollback_to(
            client,
            deployment,
            Decision::RollbackNone { deployment: name },
        );
    }
    let Some(found) = all.iter().find(|replica_set| revision(replica_set) == Ok(wanted)) else {
        record(client, &deployment.key(), || {
            let message = "Unable to find the revision to rollback to.";
            Event::warning("DeploymentRollbackRevisionNotFound", message)
        });
        let decision = Decision::RollbackUnknown { deployment: name, asked: wanted };
        return update_deployment_and_clear_rollback_to(client, deployment, decision);
    };
    if rollback_to_template(client, deployment, found, wanted, asked)? {
        record(client, &deployment.key(), || {
            let message = alloc::format!("Rolled back deployment \"{name}\" to revision {wanted}");
            Event::normal("DeploymentRollback", &message)
        });
    }
    Ok(())
}

/// Gives the Deployment the template of the ReplicaSet, and its annotations.
///
/// For example, a Deployment has the old ReplicaSet 1 with the annotation `change-cause: create` and the new ReplicaSet 2
/// with `change-cause: edit`, as has the Deployment, from which both were copied. After a rollback to 1 the Deployment has
/// `change-cause: create`. Without the copy it would keep `change-cause: edit`, and so would ReplicaSet 1, which gets the
/// Deployment's annotations with the next sync.
///
/// Upstream: `pkg/controller/deployment/rollback.go rollbackToTemplate`
fn rollback_to_template(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    to: &ReplicaSet,
    revision: i64,
    asked: i64,
) -> Result<bool, Error> {
    let differs = !equal_ignore_hash(&deployment.spec.template, &to.spec.template);
    if differs {
        let deployment = Rc::make_mut(deployment);
        set_from_replica_set_template(deployment, &to.spec.template);
        set_deployment_annotations_to(deployment, to, client.gates());
    } else {
        record(client, &deployment.key(), || {
            let name = &deployment.metadata.name;
            let message =
                alloc::format!("The rollback revision contains the same template as current deployment \"{name}\"");
            Event::warning("DeploymentRollbackTemplateUnchanged", &message)
        });
    }
    let (name, replica_set) = (deployment.metadata.name.clone(), to.metadata.name.clone());
    let decision = match differs {
        true => Decision::Rollback { deployment: name, replica_set, revision, asked },
        false => Decision::RollbackSame { deployment: name, replica_set, revision, asked },
    };
    update_deployment_and_clear_rollback_to(client, deployment, decision)?;
    Ok(differs)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go SetFromReplicaSetTemplate`
pub(crate) fn set_from_replica_set_template(deployment: &mut Deployment, template: &PodTemplateSpec) {
    let mut template = template.clone();
    Rc::make_mut(&mut template.metadata.labels).remove(POD_TEMPLATE_HASH);
    Rc::make_mut(&mut deployment.spec).template = Rc::new(template);
}

/// Upstream: `pkg/controller/deployment/rollback.go updateDeploymentAndClearRollbackTo`
fn update_deployment_and_clear_rollback_to(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    decision: Decision,
) -> Result<(), Error> {
    annotations_mut(&mut Rc::make_mut(deployment).metadata).remove(&ROLLBACK_TO.to_string());
    client.write(Write::Update(Object::Deployment(deployment.clone())), decision.into())?;
    Ok(())
}
