//! The Deployment controller, a file for each of upstream's in `pkg/controller/deployment`.

mod condition;
mod new_size;
mod progress;
mod recreate;
mod revision;
mod rollback;
mod rolling;
mod scale;
mod status;
mod sync;
mod template;
mod util;
mod writes;

use alloc::rc::Rc;

pub use condition::get_deployment_condition;
pub use new_size::{Held, NewSize, Taken};
pub use progress::{deployment_timed_out, requeue_stuck_deployment, sync_rollout_status};
pub(crate) use progress::{has_all_pods, has_just_created_replica_set, is_reported_complete};
pub use recreate::{old_pods_running, scale_down_old_replica_sets_for_recreate};
pub(crate) use revision::last_revision;
pub use revision::{generate_replica_set_name, set_deployment_annotations_to};
pub(crate) use rollback::set_from_replica_set_template;
pub use rolling::{
    cleanup_unhealthy_replicas, reconcile_new_replica_set, reconcile_old_replica_sets,
    scale_down_old_replica_sets_for_rolling_update,
};
pub use scale::scale;
pub use status::{Availability, CalculatedStatus, calculate_status};
pub use sync::cleanup_deployment;
pub use template::{equal_ignore_hash, find_new_replica_set, find_old_replica_sets};
pub use util::{
    DESIRED_REPLICAS, Fraction, MAX_REPLICAS, REPLICAS_BEFORE_SCALE, ReplicaSets, SizeError, complete_rule,
    deployment_complete, deployment_progressing, filter_active, get_actual_replica_count, get_replica_count,
    get_replica_set_fraction, get_terminating_replica_count, is_saturated, limit, max_surge, max_unavailable,
    min_available, new_rs_new_replicas, progress_deadline, resolve_fenceposts,
};
pub(crate) use util::{has_progress_deadline, is_rolling_update, sort_replica_sets};

use crate::controller::client::record;
use crate::controller::controller_ref::ControllerRefManager;
use crate::controller::{Client, Error, Event};
use crate::object::{Duration, Kind, LabelSelector, ObjectMeta};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::decision::Decision;
pub use crate::workload::replica_set::REVISION;
use crate::workload::replica_set::ReplicaSet;
use writes::update_deployment_status;

/// What a sync of a Deployment sees.
pub struct View<'a> {
    /// The Deployment.
    pub deployment: &'a Rc<Deployment>,
    /// All ReplicaSets of its namespace, by name.
    pub replica_sets: &'a [Rc<ReplicaSet>],
    /// How many pods of a ReplicaSet have not ended, terminating ones included. Asked only for Recreate.
    pub running: &'a dyn Fn(&ReplicaSet) -> i32,
}

/// One sync. Returns after what time to look again, where nothing else would make it look (0: at once, at the queue's pace).
///
/// # Errors
/// A refused write, or a number that is missing; the sync is tried again.
///
/// Upstream: `pkg/controller/deployment/deployment_controller.go syncDeployment`
pub fn sync_deployment(client: &mut dyn Client, view: &View<'_>) -> Result<Option<Duration>, Error> {
    // Cloned only if something changes.
    let mut deployment = view.deployment.clone();
    let selects_all = deployment
        .spec
        .selector
        .as_deref()
        .is_some_and(|selector| selector.match_labels.is_empty() && selector.match_expressions.is_empty());
    if selects_all {
        selecting_all(client, &mut deployment);
        return Ok(None);
    }
    let replica_sets = claim_replica_sets(client, &deployment, view.replica_sets)?;
    // A Deployment that is being deleted is neither scaled nor rolled out.
    if deployment.metadata.deletion_timestamp.is_some() {
        sync::sync_status_only(client, &mut deployment, &replica_sets)?;
        return Ok(None);
    }
    sync::check_paused_conditions(client, &mut deployment)?;
    if deployment.spec.paused {
        sync::sync(client, &mut deployment, &replica_sets)?;
        return Ok(None);
    }
    // The rollback ends the sync: the next one finds the annotation gone and rolls out.
    if let Some(asked) = rollback::get_rollback_to(&deployment) {
        rollback::rollback(client, &mut deployment, &replica_sets, asked)?;
        return Ok(None);
    }
    let (scaling, found) = sync::is_scaling_event(client, &mut deployment, &replica_sets)?;
    if scaling {
        sync::sync(client, &mut deployment, &replica_sets)?;
        return Ok(None);
    }
    match deployment.spec.strategy.type_.as_str() {
        "Recreate" => recreate::rollout_recreate(client, &mut deployment, &replica_sets, view.running),
        "RollingUpdate" => rolling::rollout_rolling(client, &mut deployment, &replica_sets, found),
        strategy => {
            let deployment = deployment.metadata.name.clone();
            client.note(Decision::StrategyUnknown { deployment, strategy: strategy.into() }.into());
            Err(Error::Other(alloc::format!("unexpected deployment strategy type: {strategy}")))
        }
    }
}

/// The end of a sync whose selector takes everything.
///
/// Upstream: `pkg/controller/deployment/deployment_controller.go syncDeployment`
fn selecting_all(client: &mut dyn Client, deployment: &mut Rc<Deployment>) {
    record(client, &deployment.key(), || {
        let message = "This deployment is selecting all pods. A non-empty selector is required.";
        Event::warning("SelectingAll", message)
    });
    let decision = Decision::SelectingAll { deployment: deployment.metadata.name.clone() };
    if deployment.status.observed_generation < deployment.metadata.generation {
        Rc::make_mut(deployment).status.observed_generation = deployment.metadata.generation;
        // Upstream ignores this write's error too.
        let _ = update_deployment_status(client, deployment, decision);
    } else {
        client.note(decision.into());
    }
}

/// The ReplicaSets that are the Deployment's: those it owns and whose labels match, and those it adopts.
///
/// Upstream: `pkg/controller/deployment/deployment_controller.go getReplicaSetsForDeployment`
fn claim_replica_sets(
    client: &mut dyn Client,
    deployment: &Deployment,
    replica_sets: &[Rc<ReplicaSet>],
) -> Result<ReplicaSets, Error> {
    let controller = &deployment.metadata;
    let selector = LabelSelector::to_selector(deployment.spec.selector.as_deref()).map_err(|error| {
        let (namespace, name) = (&controller.namespace, &controller.name);
        client.note(Decision::SelectorUnreadable { deployment: name.clone() }.into());
        Error::Other(alloc::format!("deployment {namespace}/{name} has invalid label selector: {error}"))
    })?;
    let matches = |replica_set: &ReplicaSet| selector.matches(&replica_set.metadata.labels);
    let replica_sets = replica_sets.iter().map(|replica_set| (replica_set.clone(), matches(replica_set)));
    let decide = |adopts: bool, replica_set: &mut ObjectMeta| {
        let (replica_set, deployment) = (replica_set.name.clone(), controller.name.clone());
        match adopts {
            true => Decision::Adopt { replica_set, deployment }.into(),
            false => Decision::Release { replica_set, deployment }.into(),
        }
    };
    let key = deployment.key();
    ControllerRefManager { key, controller, kind: Kind::Deployment, decide: &decide }.claim(client, replica_sets)
}
