//! A rollback that was asked for by annotation.

use alloc::rc::Rc;
use alloc::string::ToString;

use super::revision::{
    ROLLBACK_TO, get_all_replica_sets_and_sync_revision, key, last_revision, revision, set_deployment_annotations_to,
};
use super::template::equal_ignore_hash;
use super::util::{POD_TEMPLATE_HASH, ReplicaSets};
use crate::controller::client::record;
use crate::controller::{Client, Error, Event, Write};
use crate::object::{Deployment, Object, PodTemplateSpec, ReplicaSet, annotations_mut};
use crate::reason::{OperandValue, Reason, deployment as rule};

/// The revision to go back to; 0 is the one before. An annotation that is no number asks for nothing.
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
    let (new, old) = get_all_replica_sets_and_sync_revision(client, deployment, replica_sets, true)?;
    let all: ReplicaSets = old.iter().chain(&new).cloned().collect();
    let wanted = if asked == 0 { last_revision(&all) } else { asked };
    let name = || (&deployment.metadata.name).into();
    if wanted == 0 {
        record(client, &key(deployment), || {
            Event::warning("DeploymentRollbackRevisionNotFound", "Unable to find last revision.")
        });
        let reason = Reason::new(&rule::ROLLBACK_NONE, [name()]);
        return update_deployment_and_clear_rollback_to(client, deployment, reason);
    }
    let Some(found) = all.iter().find(|replica_set| revision(replica_set) == Ok(wanted)) else {
        record(client, &key(deployment), || {
            let message = "Unable to find the revision to rollback to.";
            Event::warning("DeploymentRollbackRevisionNotFound", message)
        });
        let reason = Reason::new(&rule::ROLLBACK_UNKNOWN, [name(), wanted.into()]);
        return update_deployment_and_clear_rollback_to(client, deployment, reason);
    };
    let values = [name(), (&found.metadata.name).into(), wanted.into(), asked.into()];
    if rollback_to_template(client, deployment, found, values)? {
        record(client, &key(deployment), || {
            let name = &deployment.metadata.name;
            let message = alloc::format!("Rolled back deployment \"{name}\" to revision {wanted}");
            Event::normal("DeploymentRollback", &message)
        });
    }
    Ok(())
}

/// Upstream: `pkg/controller/deployment/rollback.go rollbackToTemplate`
fn rollback_to_template(
    client: &mut dyn Client,
    deployment: &mut Rc<Deployment>,
    to: &ReplicaSet,
    values: [OperandValue; 4],
) -> Result<bool, Error> {
    let differs = !equal_ignore_hash(&deployment.spec.template, &to.spec.template);
    let rule = if differs {
        let deployment = Rc::make_mut(deployment);
        set_from_replica_set_template(deployment, &to.spec.template);
        set_deployment_annotations_to(deployment, to, client.gates());
        &rule::ROLLBACK
    } else {
        record(client, &key(deployment), || {
            let name = &deployment.metadata.name;
            let message =
                alloc::format!("The rollback revision contains the same template as current deployment \"{name}\"");
            Event::warning("DeploymentRollbackTemplateUnchanged", &message)
        });
        &rule::ROLLBACK_SAME
    };
    update_deployment_and_clear_rollback_to(client, deployment, Reason::new(rule, values))?;
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
    reason: Reason,
) -> Result<(), Error> {
    annotations_mut(&mut Rc::make_mut(deployment).metadata).remove(&ROLLBACK_TO.to_string());
    client.write(Write::Update(Object::Deployment(deployment.clone())), reason)?;
    Ok(())
}
