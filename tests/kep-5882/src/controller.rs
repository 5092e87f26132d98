//! Runs the core's Deployment controller on a world.

use std::rc::Rc;
use std::sync::LazyLock;

use changeover_core::controller::Error;
use changeover_core::explain::Reason;
use changeover_core::feature_gates::{Feature, FeatureGates};
use changeover_core::object::{
    self, Duration, IntOrString, LabelSelector, ObjectMeta, OwnerReference, PodTemplateMeta, PodTemplateSpec,
    StringMap, Strings, Time,
};
use changeover_core::workload::deployment::controller::{self as core, View};
use changeover_core::workload::deployment::{
    Deployment, DeploymentCondition, DeploymentPodReplacementPolicy, DeploymentStatus, DeploymentStrategy,
    RollingUpdateDeployment,
};
use changeover_core::workload::replica_set;

use crate::store::Store;
use crate::world::{
    Amount, Condition, ConditionStatus, Gates, Policy, Reason as ProgressReason, ReplicaSet, ScalingAnnotations,
    Status, Strategy, UnknownCount, World,
};

/// A part of a sync that can run on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `scale`.
    Scale,
    /// `reconcileNewReplicaSet`, for a world with a new ReplicaSet.
    ReconcileNew,
    /// `reconcileOldReplicaSets`, for a world with a new ReplicaSet.
    ReconcileOld,
    /// `cleanupDeployment`.
    CleanUp,
    /// `syncRolloutStatus`.
    SyncRolloutStatus,
    /// `syncDeployment`: the whole sync.
    Sync,
}

/// What an operation changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// Size and annotations of each remaining ReplicaSet, in the world's order; a new one is the last.
    pub sets: Vec<(i64, ScalingAnnotations)>,
    /// The names of the deleted ReplicaSets, in the world's order.
    pub deleted: Vec<String>,
    /// The stored status of the Deployment.
    pub status: Status,
    /// The nanoseconds until the next sync of the Deployment, if nothing else happens.
    pub check_after: Option<i64>,
}

impl Changes {
    /// The world with these changes.
    pub fn apply(&self, world: &World) -> World {
        let left = world.sets.iter().filter(|set| !self.deleted.contains(&set.name)).cloned();
        let sets: Vec<ReplicaSet> = left
            .chain([world.created_set("created")])
            .zip(&self.sets)
            .map(|(set, (replicas, annotations))| ReplicaSet {
                replicas: *replicas,
                annotations: annotations.clone(),
                ..set
            })
            .collect();
        let new = world.new_set().map_or("created", |new| &new.name);
        let new = sets.iter().position(|set| set.name == *new);
        World { sets, new, status: self.status, ..world.clone() }
    }
}

/// A run of an operation.
pub struct Run {
    /// Its changes. A failed run changes no ReplicaSet.
    pub outcome: Result<Changes, UnknownCount>,
    /// The reasons for its writes, and for its decisions not to write.
    pub reasons: Vec<Reason>,
}

/// Runs an operation of the core.
///
/// # Panics
///
/// If the operation needs a new ReplicaSet and there is none, or if it fails for a reason other than an unknown count.
pub fn run(operation: Operation, world: &World) -> Run {
    let mut store = store(world);
    let deployment = store.deployment.clone();
    let all = store.replica_sets.clone();
    let new = world.new.map(|index| all[index].clone());
    let old: Vec<_> = world.old().into_iter().map(|index| all[index].clone()).collect();
    let result = match operation {
        Operation::Scale => core::scale(&mut store, &deployment, new.as_ref(), &old).map(|()| None),
        Operation::ReconcileNew => {
            core::reconcile_new_replica_set(&mut store, &all, &new.unwrap(), &deployment).map(|_| None)
        }
        Operation::ReconcileOld => {
            let active = core::filter_active(&old);
            core::reconcile_old_replica_sets(&mut store, &all, active, &new.unwrap(), &deployment).map(|_| None)
        }
        Operation::CleanUp => core::cleanup_deployment(&mut store, &old, &deployment).map(|()| None),
        Operation::SyncRolloutStatus => {
            core::sync_rollout_status(&mut store, &all, new.as_ref(), &mut deployment.clone())
        }
        Operation::Sync => sync(world, &mut store),
    };
    let outcome = match result {
        Ok(check_after) => Ok(changes(world, &store, check_after.map(|after| after.0))),
        Err(error) => {
            let text = error.to_string();
            assert!(text.starts_with("cannot count the terminating pods"), "{text}\n{world}");
            assert_eq!(changes(world, &store, None).sets, unchanged(world), "{world}");
            Err(UnknownCount)
        }
    };
    Run { outcome, reasons: store.reasons }
}

/// The current size and annotations of each ReplicaSet.
fn unchanged(world: &World) -> Vec<(i64, ScalingAnnotations)> {
    world.sets.iter().map(|set| (set.replicas, set.annotations.clone())).collect()
}

/// True if the core considers the stored status complete.
pub fn is_complete(world: &World) -> bool {
    let deployment = deployment(world);
    core::deployment_complete(&deployment, &deployment.status, core::complete_rule(&deployment, gates(world)))
}

fn store(world: &World) -> Store {
    let all: Vec<_> = (0..world.sets.len()).map(|index| Rc::new(replica_set(world, index))).collect();
    let new = world.new.map(|index| all[index].clone());
    let mut deployment = deployment(world);
    let now = Time(world.now * Time::SECOND + world.nanoseconds);
    // The condition Available is not part of the KEP: take what the controller calculates from these ReplicaSets.
    let calculated = core::calculate_status(&all, new.as_ref(), &deployment, gates(world), now);
    let available = calculated.status.conditions.iter().find(|condition| &*condition.type_ == "Available").cloned();
    Rc::make_mut(&mut deployment.status.conditions).retain(|condition| &*condition.type_ != "Available");
    Rc::make_mut(&mut deployment.status.conditions).extend(available);
    let mut store = Store::new(gates(world), Rc::new(deployment), all);
    store.now = now;
    store
}

fn sync(world: &World, store: &mut Store) -> Result<Option<Duration>, Error> {
    let running = |set: &replica_set::ReplicaSet| {
        let pods = world.sets.iter().find(|known| *known.name == *set.metadata.name).map(|set| set.pods);
        pods.map_or(0, |pods| int32(pods.running + pods.terminating))
    };
    let mut by_name = store.replica_sets.clone();
    by_name.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let deployment = store.deployment.clone();
    let view = View { deployment: &deployment, replica_sets: &by_name, running: &running };
    core::sync_deployment(store, &view)
}

/// A Deployment at rest: no ReplicaSet reports anything new, and no pod comes or goes.
pub struct Rest {
    /// The Deployment.
    pub deployment: Rc<Deployment>,
    /// The ReplicaSets as numbers.
    pub world: World,
}

/// Syncs until nothing is written, lets the progress deadline pass, and syncs again until nothing is written. Returns
/// nothing if a sync fails, or if the syncs never stop writing.
pub fn sync_until_rest(world: &World) -> Option<Rest> {
    const MOST_SYNCS: usize = 60;
    let mut store = store(world);
    let deadline = world.progress_deadline_seconds.unwrap_or(0);
    for seconds in [world.now, world.now + deadline + 2] {
        store.now = Time(seconds * Time::SECOND);
        let mut syncs = 0;
        loop {
            let before = (store.deployment.clone(), store.replica_sets.clone());
            sync(world, &mut store).ok()?;
            if before == (store.deployment.clone(), store.replica_sets.clone()) {
                break;
            }
            syncs += 1;
            if syncs == MOST_SYNCS {
                return None;
            }
        }
    }
    let sets = store.replica_sets.iter().map(|set| {
        let known = world.sets.iter().find(|known| *known.name == *set.metadata.name);
        let base = known.cloned().unwrap_or_else(|| world.created_set(&set.metadata.name));
        ReplicaSet { replicas: i64::from(set.spec.replicas), annotations: annotations(set), ..base }
    });
    let sets: Vec<ReplicaSet> = sets.collect();
    let new = core::find_new_replica_set(&store.deployment, &store.replica_sets);
    let new = new.and_then(|new| sets.iter().position(|set| *set.name == *new.metadata.name));
    let status = status(&store.deployment.status);
    let world = World { sets, new, now: store.now.0 / Time::SECOND, nanoseconds: 0, status, ..world.clone() };
    Some(Rest { world, deployment: store.deployment })
}

/// The scaling annotations of a ReplicaSet.
pub fn annotations(set: &replica_set::ReplicaSet) -> ScalingAnnotations {
    let annotation = |key| set.metadata.annotation(key).map(str::to_owned);
    ScalingAnnotations {
        desired: annotation(core::DESIRED_REPLICAS),
        max: annotation(core::MAX_REPLICAS),
        before: annotation(core::REPLICAS_BEFORE_SCALE),
    }
}

fn changes(world: &World, store: &Store, check_after: Option<i64>) -> Changes {
    // The store keeps the order and appends new objects.
    let sets = store.replica_sets.iter().map(|set| (i64::from(set.spec.replicas), annotations(set))).collect();
    let is_left = |name: &str| store.replica_sets.iter().any(|set| *set.metadata.name == *name);
    let deleted = world.sets.iter().map(|set| &set.name).filter(|name| !is_left(name)).cloned().collect();
    Changes { sets, deleted, status: status(&store.deployment.status), check_after }
}

/// The status of a Deployment as numbers.
pub fn status(status: &DeploymentStatus) -> Status {
    let progressing = status.conditions.iter().find(|condition| &*condition.type_ == "Progressing");
    Status {
        observed_generation: status.observed_generation,
        replicas: i64::from(status.replicas),
        updated: i64::from(status.updated_replicas),
        ready: i64::from(status.ready_replicas),
        available: i64::from(status.available_replicas),
        unavailable: i64::from(status.unavailable_replicas),
        terminating: status.terminating_replicas.map(i64::from),
        progressing: progressing.map(condition),
    }
}

const REASONS: [(ProgressReason, &str); 8] = [
    (ProgressReason::NewReplicaSetCreated, "NewReplicaSetCreated"),
    (ProgressReason::FoundNewReplicaSet, "FoundNewReplicaSet"),
    (ProgressReason::ReplicaSetUpdated, "ReplicaSetUpdated"),
    (ProgressReason::NewReplicaSetAvailable, "NewReplicaSetAvailable"),
    (ProgressReason::ProgressDeadlineExceeded, "ProgressDeadlineExceeded"),
    (ProgressReason::ReplicaSetCreateError, "ReplicaSetCreateError"),
    (ProgressReason::DeploymentPaused, "DeploymentPaused"),
    (ProgressReason::DeploymentResumed, "DeploymentResumed"),
];

fn condition(condition: &DeploymentCondition) -> Condition {
    let seconds = |time: Option<Time>| time.unwrap().0 / Time::SECOND;
    Condition {
        status: match condition.status {
            object::ConditionStatus::True => ConditionStatus::True,
            object::ConditionStatus::False => ConditionStatus::False,
            object::ConditionStatus::Unknown => ConditionStatus::Unknown,
        },
        reason: REASONS.iter().find(|(_, text)| *text == &*condition.reason).unwrap().0,
        last_update: seconds(condition.last_update_time),
        last_transition: seconds(condition.last_transition_time),
    }
}

/// The controller manager's gates.
pub fn gates(world: &World) -> FeatureGates {
    feature_gates(world.gates)
}

/// The same gates in the core's type.
pub fn feature_gates(gates: Gates) -> FeatureGates {
    FeatureGates::default()
        .with(Feature::DeploymentReplicaSetTerminatingReplicas, gates.terminating_replicas)
        .with(Feature::DeploymentPodReplacementPolicy, gates.pod_replacement_policy)
}

/// True if the controller copies an annotation between a Deployment and its ReplicaSets.
pub fn copies_annotation(key: &str, gates: Gates) -> bool {
    let mut annotated = replica_set::ReplicaSet::default();
    Rc::make_mut(&mut annotated.metadata).annotations = Rc::new(Strings::from_iter([(key.to_owned(), "1".to_owned())]));
    let mut deployment = Deployment::default();
    core::set_deployment_annotations_to(&mut deployment, &annotated, feature_gates(gates));
    deployment.metadata.annotation(key).is_some()
}

/// What all worlds have in common.
struct Shared {
    labels: StringMap,
    selector: Rc<LabelSelector>,
    new: Rc<PodTemplateSpec>,
    old: Rc<PodTemplateSpec>,
    owners: Rc<Vec<OwnerReference>>,
}

fn shared() -> Shared {
    let labels: StringMap = Rc::new(Strings::from_iter([(String::from("app"), String::from("shop"))]));
    let template = |color: &str| {
        let color = Strings::from_iter([(String::from("color"), String::from(color))]);
        let metadata = PodTemplateMeta { labels: labels.clone(), annotations: Rc::new(color), ..Default::default() };
        Rc::new(PodTemplateSpec { metadata, ..Default::default() })
    };
    Shared {
        selector: Rc::new(LabelSelector { match_labels: (*labels).clone(), ..Default::default() }),
        new: template("new"),
        old: template("old"),
        owners: Rc::new(vec![OwnerReference::controller("apps/v1", "Deployment", &named("shop"))]),
        labels,
    }
}

thread_local! {
    static SHARED: LazyLock<Shared> = const { LazyLock::new(shared) };
}

fn named(name: &str) -> ObjectMeta {
    let uid = format!("uid-{name}");
    ObjectMeta { name: name.into(), namespace: "store".into(), uid: uid.as_str().into(), ..Default::default() }
}

fn int32(number: i64) -> i32 {
    i32::try_from(number).unwrap()
}

fn int_or_string(amount: Amount) -> IntOrString {
    match amount {
        Amount::Pods(pods) => IntOrString::Int(pods),
        Amount::Percent(percent) => IntOrString::String(format!("{percent}%")),
    }
}

/// The Deployment as an object.
fn deployment(world: &World) -> Deployment {
    SHARED.with(|shared| {
        let mut metadata = named("shop");
        metadata.generation = world.generation;
        let mut deployment = Deployment { metadata: Rc::new(metadata), ..Default::default() };
        let spec = Rc::make_mut(&mut deployment.spec);
        spec.replicas = int32(world.replicas);
        spec.selector = Some(shared.selector.clone());
        spec.template = shared.new.clone();
        spec.paused = world.paused;
        spec.progress_deadline_seconds = world.progress_deadline_seconds.map(int32);
        spec.revision_history_limit = world.revision_history_limit.map(int32);
        spec.strategy = match world.strategy {
            Strategy::Recreate => DeploymentStrategy { type_: "Recreate".into(), rolling_update: None },
            Strategy::RollingUpdate { surge, unavailable } => DeploymentStrategy {
                type_: "RollingUpdate".into(),
                rolling_update: Some(RollingUpdateDeployment {
                    max_surge: Some(int_or_string(surge)),
                    max_unavailable: Some(int_or_string(unavailable)),
                }),
            },
        };
        spec.pod_replacement_policy = match world.policy {
            Policy::Nil => None,
            Policy::Started => Some(DeploymentPodReplacementPolicy::TerminationStarted),
            Policy::Complete => Some(DeploymentPodReplacementPolicy::TerminationComplete),
        };
        let status = world.status;
        deployment.status = DeploymentStatus {
            observed_generation: status.observed_generation,
            replicas: int32(status.replicas),
            updated_replicas: int32(status.updated),
            ready_replicas: int32(status.ready),
            available_replicas: int32(status.available),
            unavailable_replicas: int32(status.unavailable),
            terminating_replicas: status.terminating.map(int32),
            conditions: Rc::new(status.progressing.map(|it| progressing(world, &it)).into_iter().collect()),
            collision_count: None,
        };
        deployment
    })
}

fn progressing(world: &World, condition: &Condition) -> DeploymentCondition {
    let reason = REASONS.iter().find(|(reason, _)| *reason == condition.reason).unwrap().1;
    // The controller's message for this reason. The worlds have no messages.
    let message = match world.new_set() {
        Some(new) => format!("ReplicaSet \"{}\" is progressing.", new.name),
        None => "Deployment \"shop\" is progressing.".to_owned(),
    };
    DeploymentCondition {
        type_: "Progressing".into(),
        status: match condition.status {
            ConditionStatus::True => object::ConditionStatus::True,
            ConditionStatus::False => object::ConditionStatus::False,
            ConditionStatus::Unknown => object::ConditionStatus::Unknown,
        },
        last_update_time: Some(Time(condition.last_update * Time::SECOND)),
        last_transition_time: Some(Time(condition.last_transition * Time::SECOND)),
        reason: reason.into(),
        message: message.as_str().into(),
    }
}

fn replica_set(world: &World, index: usize) -> replica_set::ReplicaSet {
    let set = &world.sets[index];
    SHARED.with(|shared| {
        let mut object = replica_set::ReplicaSet { metadata: Rc::new(named(&set.name)), ..Default::default() };
        let metadata = Rc::make_mut(&mut object.metadata);
        metadata.creation_timestamp = Some(Time(set.created * Time::SECOND));
        metadata.generation = set.generation;
        metadata.deletion_timestamp = set.being_deleted.then_some(Time(world.now * Time::SECOND));
        metadata.labels = shared.labels.clone();
        metadata.owner_references = shared.owners.clone();
        let revision = (set.revision != 0).then(|| set.revision.to_string());
        let annotations = [
            (core::REVISION, &revision),
            (core::DESIRED_REPLICAS, &set.annotations.desired),
            (core::MAX_REPLICAS, &set.annotations.max),
            (core::REPLICAS_BEFORE_SCALE, &set.annotations.before),
        ];
        let annotations = annotations.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text.clone()?)));
        metadata.annotations = Rc::new(annotations.collect());
        let spec = Rc::make_mut(&mut object.spec);
        spec.replicas = int32(set.replicas);
        spec.selector = Some(shared.selector.clone());
        spec.template = if Some(index) == world.new { shared.new.clone() } else { shared.old.clone() };
        object.status.replicas = int32(set.status_replicas);
        object.status.terminating_replicas = set.terminating.map(int32);
        object.status.ready_replicas = int32(set.ready);
        object.status.available_replicas = int32(set.available);
        object.status.observed_generation = set.observed_generation;
        object
    })
}
