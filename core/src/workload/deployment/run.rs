//! The Deployment controller in the simulated cluster.

use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;

use crate::cluster::controllers::{Controller, Desk, Queue, Retry, Seen, SyncResult, Workers};
use crate::cluster::seen_pods::PodSource;
use crate::cluster::step::{Actor, Change};
use crate::cluster::store::Store;
use crate::cluster::workload::{Rollback, RolledBack, Start, UserVerb, Workload};
use crate::controller::Client;
use crate::feature_gates::{Feature, FeatureGates};
use crate::json::LiteMap;
use crate::object::{Duration, Kind, Object, ObjectKey, Pod, Time};
use crate::scenario::{Release, Undo};
use crate::workload::deployment::controller::{
    REVISION, equal_ignore_hash, last_revision, set_deployment_annotations_to, set_from_replica_set_template,
};
use crate::workload::deployment::{Deployment, controller};
use crate::workload::replica_set::ReplicaSet;

/// Upstream: `pkg/controller/deployment/deployment_controller.go maxRetries`
const MAX_RETRIES: u32 = 15;

/// Upstream: `pkg/controller/deployment/config/v1alpha1/defaults.go RecommendedDefaultDeploymentControllerConfiguration`
static DEPLOYMENTS: Queue = Queue {
    controller: &DeploymentController,
    kind: Kind::Deployment,
    workers: Workers::DEFAULT,
    retry: Retry { times: Some(MAX_RETRIES), ..Retry::DEFAULT },
};

/// Deployments in the simulated cluster.
pub(crate) struct DeploymentKind;

impl Workload for DeploymentKind {
    fn kind(&self) -> Kind {
        Kind::Deployment
    }

    fn controllers(&self) -> &'static [&'static dyn Controller] {
        &[&DeploymentController]
    }

    fn start(&self) -> Option<Start> {
        Some(Start::AtRest)
    }

    fn field_of(&self, verb: UserVerb) -> Option<&'static str> {
        match verb {
            UserVerb::Scale => Some("replicas"),
            UserVerb::Suspend => None,
            UserVerb::Resume => Some("paused"),
        }
    }

    /// Everything else of a stored Deployment is valid and has its defaults, and no rule depends on the size.
    fn scaled(&self, object: &Object, replicas: i32) -> Option<Object> {
        let Object::Deployment(deployment) = object else { return None };
        let mut deployment = deployment.clone();
        Rc::make_mut(&mut Rc::make_mut(&mut deployment).spec).replicas = replicas;
        Some(Object::Deployment(deployment))
    }

    fn rollback(&self) -> Option<Rollback> {
        Some(rollback)
    }

    /// Upstream: `pkg/registry/apps/deployment/strategy.go dropDisabledStatusFields`
    fn drop_disabled_status_fields(&self, object: &mut Object, old: &Object, gates: FeatureGates) {
        if let (Object::Deployment(new), Object::Deployment(old)) = (object, old)
            && !gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas)
            && old.status.terminating_replicas.is_none()
        {
            Rc::make_mut(new).status.terminating_replicas = None;
        }
    }

    fn numbered_pods(&self, store: &Store, owner: &ObjectKey) -> Option<Vec<Rc<Pod>>> {
        let replica_sets = store.owned_by(&store.typed::<Deployment>(owner)?.metadata.uid);
        let pods = replica_sets.iter().flat_map(|object| store.pods_owned_by(&object.metadata().uid));
        Some(pods.cloned().collect())
    }
}

/// The template and the annotations of an older ReplicaSet.
///
/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go DeploymentRollbacker.Rollback`
fn rollback(store: &Store, object: &Object, undo: &Undo, gates: FeatureGates) -> Result<RolledBack, String> {
    let deployment = object.typed::<Deployment>().ok_or_else(String::new)?;
    let owned = store.owned_by(&deployment.metadata.uid);
    let found = revision_to_undo_to(deployment, owned.iter().filter_map(Object::typed), undo.to_revision)?;
    let mut rolled_back = (**deployment).clone();
    set_from_replica_set_template(&mut rolled_back, &found.spec.template);
    // kubectl has no such gate: one that knows the annotation never takes it along.
    let gates = gates.with(Feature::DeploymentPodReplacementPolicy, !undo.older_kubectl);
    set_deployment_annotations_to(&mut rolled_back, &found, gates);
    let revision = found.metadata.annotation(REVISION).unwrap_or_default().into();
    Ok(RolledBack { object: rolled_back.into(), revision })
}

/// The ReplicaSet of that revision (0: of the one before), or why kubectl does not go back to it.
///
/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go deploymentRevision`
fn revision_to_undo_to<'a>(
    deployment: &Deployment,
    owned: impl Iterator<Item = &'a Rc<ReplicaSet>>,
    wanted: i64,
) -> Result<Rc<ReplicaSet>, String> {
    let owned: Vec<Rc<ReplicaSet>> = owned.cloned().collect();
    let revision = if wanted == 0 { last_revision(&owned) } else { wanted }.to_string();
    let found = owned.into_iter().find(|owned| owned.metadata.annotation(REVISION) == Some(&revision));
    match found {
        None if wanted == 0 => Err(format!("no rollout history found for deployment \"{}\"", deployment.metadata.name)),
        None => Err(format!("unable to find specified revision {wanted} in history")),
        Some(_) if deployment.spec.paused => {
            let why =
                "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again";
            Err(why.into())
        }
        Some(found) if equal_ignore_hash(&found.spec.template, &deployment.spec.template) => {
            Err(format!("skipped rollback (current template already matches revision {wanted})"))
        }
        Some(found) => Ok(found),
    }
}

/// Upstream: `pkg/controller/deployment/deployment_controller.go DeploymentController`
#[derive(Debug)]
pub(crate) struct DeploymentController;

impl Controller for DeploymentController {
    fn actor(&self) -> Actor {
        Actor::DeploymentController
    }

    fn queues(&self) -> &'static [&'static Queue] {
        const { &[&DEPLOYMENTS] }
    }

    fn watches(&self) -> &'static [Kind] {
        &[Kind::Deployment, Kind::ReplicaSet, Kind::Pod]
    }

    fn observe(&self, desk: &mut dyn Desk, _: Actor, change: &Change) {
        match (&change.before, &change.after) {
            (Some(Object::Pod(pod)), None) => {
                if let Some(replica_set) = pod.metadata.controller_key(Kind::ReplicaSet) {
                    delete_pod(desk, &replica_set);
                }
            }
            _ if change.key.kind == Kind::Deployment => desk.enqueue(&DEPLOYMENTS, (*change.key).clone()),
            _ if change.key.kind == Kind::ReplicaSet => desk.enqueue_owners(&DEPLOYMENTS, change),
            _ => {}
        }
    }

    /// The controller sees Deployments and ReplicaSets as its caches show them, and pods as they are.
    fn see(&self, desk: &dyn Desk, key: &ObjectKey) -> Option<Box<dyn Seen>> {
        let cache = desk.cache();
        let object = cache.typed::<Deployment>(key)?.clone();
        let replica_sets = cache.replica_sets_for(&object);
        Some(Box::new(SeenDeployment { object, replica_sets, pods: desk.pods(), running: RefCell::default() }))
    }

    /// Upstream adds a second to a Deployment's deadline, so that it has passed for certain.
    fn pause(&self, asked: Duration) -> Duration {
        Duration(asked.0.saturating_add(Time::SECOND))
    }
}

/// A pod of a ReplicaSet is gone. A Deployment with the strategy Recreate waits for pods themselves, not only for what ReplicaSets
/// say of them.
///
/// Up to 1.36 only the deletion of its last pod queues it, and pods that have failed or succeeded count: beside one of
/// them a rollout stalled until the progress deadline (kubernetes #128798).
///
/// Upstream: `pkg/controller/deployment/deployment_controller.go deletePod`
pub(crate) fn delete_pod(desk: &mut dyn Desk, replica_set: &ObjectKey) {
    if let Some(key) = deployment_of_pod(desk, replica_set) {
        desk.enqueue(&DEPLOYMENTS, key);
    }
}

/// The Deployment that waits for a pod of this ReplicaSet.
fn deployment_of_pod(desk: &dyn Desk, replica_set: &ObjectKey) -> Option<ObjectKey> {
    let store = desk.store();
    let key = store.typed::<ReplicaSet>(replica_set)?.metadata.controller_key(Kind::Deployment)?;
    let deployment = store.typed::<Deployment>(&key)?;
    let has_pods = || {
        let sets = store.replica_sets_for(deployment);
        let mut owned = sets.iter().filter(|set| set.metadata.is_controlled_by(&deployment.metadata));
        owned.any(|set| store.pods_owned_by(&set.metadata.uid).next().is_some())
    };
    let is_queued = deployment.spec.strategy.type_ == "Recreate"
        && match desk.release() {
            Release::V1_36 => !has_pods(),
            Release::V1_37 => true,
        };
    is_queued.then_some(key)
}

/// What a Deployment's sync has seen.
struct SeenDeployment {
    object: Rc<Deployment>,
    replica_sets: Vec<Rc<ReplicaSet>>,
    pods: Rc<dyn PodSource>,
    /// Pods that have not ended, by the uid of their ReplicaSet.
    running: RefCell<LiteMap<Rc<str>, i32>>,
}

impl Seen for SeenDeployment {
    fn objects(&self) -> Vec<Object> {
        let replica_sets = self.replica_sets.iter().cloned().map(Object::ReplicaSet);
        replica_sets.chain([Object::Deployment(self.object.clone())]).collect()
    }

    fn sync(&self, client: &mut dyn Client) -> SyncResult {
        let running = |replica_set: &ReplicaSet| self.running(replica_set);
        let view = controller::View { deployment: &self.object, replica_sets: &self.replica_sets, running: &running };
        controller::sync_deployment(client, &view)
    }
}

impl SeenDeployment {
    /// The pods of a ReplicaSet that have not ended, as they were when the sync first counted them.
    fn running(&self, replica_set: &ReplicaSet) -> i32 {
        let uid = &replica_set.metadata.uid;
        let counted = self.running.borrow().get(uid).copied();
        counted.unwrap_or_else(|| {
            let count = self.pods.not_ended(replica_set);
            self.running.borrow_mut().insert(uid.clone(), count);
            count
        })
    }
}
