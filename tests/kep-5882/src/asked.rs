//! The core, asked about a world.

use std::rc::Rc;
use std::sync::LazyLock;

use changeover_core::controller::Error;
use changeover_core::controller::deployment::{self as controller, View};
use changeover_core::explain::Reason;
use changeover_core::feature_gates::{Feature, FeatureGates};
use changeover_core::object::{
    ConditionStatus, Deployment, DeploymentCondition, DeploymentPodReplacementPolicy, DeploymentStrategy, IntOrString,
    LabelSelector, ObjectMeta, OwnerReference, PodTemplateMeta, PodTemplateSpec, ReplicaSet, RollingUpdateDeployment,
    StringMap, Strings, Time,
};

use crate::store::Store;
use crate::world::{Amount, Left, Notes, Policy, Set, Strategy, World};

/// What the core made of a world, and why.
pub struct Answer {
    /// Sizes and annotations.
    pub left: Left,
    /// The reasons of its writes, and of writing nothing.
    pub reasons: Vec<Reason>,
}

/// The functions of the core that are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    /// `scale`.
    Scale,
    /// `reconcileNewReplicaSet`, of a rolling update with a new one.
    New,
    /// `reconcileOldReplicaSets`, of the same.
    Old,
    /// `syncDeployment`.
    Sync,
}

/// Asks the core.
pub fn ask(question: Question, world: &World) -> Answer {
    let gates = gates(world);
    let deployment = Rc::new(deployment(world));
    let all: Vec<Rc<ReplicaSet>> = (0..world.sets.len()).map(|index| Rc::new(replica_set(world, index))).collect();
    let new = world.new.map(|index| all[index].clone());
    let indexes = 0..world.sets.len();
    let old: Vec<_> = indexes.filter(|index| Some(*index) != world.new).map(|index| all[index].clone()).collect();
    let mut store = Store::new(gates, deployment.clone(), all.clone());
    let failed = match question {
        Question::Scale => controller::scale(&mut store, &deployment, new.as_ref(), &old).is_err(),
        Question::New => controller::reconcile_new_replica_set(&mut store, &all, &new.unwrap(), &deployment).is_err(),
        Question::Old => {
            let active = controller::filter_active(&old);
            controller::reconcile_old_replica_sets(&mut store, &all, active, &new.unwrap(), &deployment).is_err()
        }
        Question::Sync => sync(world, &mut store).is_err(),
    };
    Answer { left: left(world, &store, failed), reasons: store.reasons }
}

fn sync(world: &World, store: &mut Store) -> Result<Option<i64>, Error> {
    let running = |set: &ReplicaSet| {
        world.sets.iter().find(|known| *known.name == *set.metadata.name).map_or(0, |set| set.running)
    };
    let mut by_name = store.replica_sets.clone();
    by_name.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let deployment = store.deployment.clone();
    let view = View { deployment: &deployment, replica_sets: by_name, running: &running };
    controller::sync_deployment(store, &view)
}

/// A Deployment around which nothing moves: no ReplicaSet, no pod.
pub struct Still {
    /// The Deployment, once it has been looked at until nothing more was written, and again after its deadline.
    pub deployment: Rc<Deployment>,
    /// Sizes and annotations of its ReplicaSets then.
    pub left: Left,
    /// Whether one of them is new.
    pub has_new: bool,
}

/// Syncs as long as they write. Nothing, where one fails, or where they never stop.
pub fn stand_still(world: &World, progressing: Option<&str>, deadline: i32) -> Option<Still> {
    const ENOUGH: usize = 60;
    let all: Vec<Rc<ReplicaSet>> = (0..world.sets.len()).map(|index| Rc::new(replica_set(world, index))).collect();
    let mut deployment = deployment(world);
    Rc::make_mut(&mut deployment.spec).progress_deadline_seconds = Some(deadline);
    let condition = progressing.map(|reason| DeploymentCondition {
        type_: "Progressing".into(),
        status: ConditionStatus::True,
        reason: reason.into(),
        last_update_time: Some(Time::default()),
        last_transition_time: Some(Time::default()),
        message: "".into(),
    });
    deployment.status.conditions = Rc::new(condition.into_iter().collect());
    let mut store = Store::new(gates(world), Rc::new(deployment), all);
    // The second look is after the deadline of whatever the first has begun.
    for seconds in [0, i64::from(deadline) + 2] {
        store.now = Time(seconds * 1_000_000_000);
        let mut looked = 0;
        loop {
            let before = (store.deployment.clone(), store.replica_sets.clone());
            sync(world, &mut store).ok()?;
            if before == (store.deployment.clone(), store.replica_sets.clone()) {
                break;
            }
            looked += 1;
            if looked == ENOUGH {
                return None;
            }
        }
    }
    let has_new = controller::find_new_replica_set(&store.deployment, &store.replica_sets).is_some();
    Some(Still { left: left(world, &store, false), has_new, deployment: store.deployment })
}

fn left(world: &World, store: &Store, failed: bool) -> Left {
    let of = |set: &ReplicaSet| {
        let note = |key| set.metadata.annotation(key).map(str::to_owned);
        let notes = Notes {
            desired: note(controller::DESIRED_REPLICAS),
            max: note(controller::MAX_REPLICAS),
            before: note(controller::REPLICAS_BEFORE_SCALE),
        };
        (set.spec.replicas, notes)
    };
    // The store keeps the order, and puts what is created last.
    let sets = Left::Sets(store.replica_sets.iter().map(|set| of(set)).collect());
    if failed && sets == world.unchanged() { Left::Error } else { sets }
}

/// The controller manager's gates.
pub fn gates(world: &World) -> FeatureGates {
    FeatureGates::default()
        .with(Feature::DeploymentReplicaSetTerminatingReplicas, world.terminating_gate)
        .with(Feature::DeploymentPodReplacementPolicy, world.policy_gate)
}

/// What is the same in all worlds.
struct Shared {
    labels: StringMap,
    selector: Rc<LabelSelector>,
    new: Rc<PodTemplateSpec>,
    old: Rc<PodTemplateSpec>,
    owners: Rc<Vec<OwnerReference>>,
}

fn shared() -> Shared {
    let labels: StringMap = Rc::new(Strings::from_iter([(String::from("app"), String::from("shop"))]));
    let template = |colour: &str| {
        let colour = Strings::from_iter([(String::from("colour"), String::from(colour))]);
        let metadata = PodTemplateMeta { labels: labels.clone(), annotations: Rc::new(colour), ..Default::default() };
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

const fn amount(amount: Amount) -> Option<i32> {
    match amount {
        Amount::Pods(pods) => Some(pods),
        Amount::Percent(_) => None,
    }
}

fn int_or_string(given: Amount) -> IntOrString {
    match (given, amount(given)) {
        (_, Some(pods)) => IntOrString::Int(pods),
        (Amount::Percent(number) | Amount::Pods(number), None) => IntOrString::String(format!("{number}%")),
    }
}

/// The Deployment as an object.
pub fn deployment(world: &World) -> Deployment {
    SHARED.with(|shared| {
        let mut deployment = Deployment { metadata: Rc::new(named("shop")), ..Default::default() };
        let spec = Rc::make_mut(&mut deployment.spec);
        spec.replicas = world.n;
        spec.selector = Some(shared.selector.clone());
        spec.template = shared.new.clone();
        spec.paused = world.paused;
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
        deployment.status.replicas = world.status_replicas;
        deployment
    })
}

fn replica_set(world: &World, index: usize) -> ReplicaSet {
    let Set { name, created, spec, stat, term, available, observed, running: _, notes } = &world.sets[index];
    SHARED.with(|shared| {
        let mut set = ReplicaSet { metadata: Rc::new(named(name)), ..Default::default() };
        let metadata = Rc::make_mut(&mut set.metadata);
        metadata.creation_timestamp = Some(Time(created * 1_000_000_000));
        metadata.labels = shared.labels.clone();
        metadata.owner_references = shared.owners.clone();
        let notes = [
            (controller::DESIRED_REPLICAS, &notes.desired),
            (controller::MAX_REPLICAS, &notes.max),
            (controller::REPLICAS_BEFORE_SCALE, &notes.before),
        ];
        let notes = notes.into_iter().filter_map(|(key, note)| note.clone().map(|note| (key.to_owned(), note)));
        metadata.annotations = Rc::new(notes.collect());
        let wanted = Rc::make_mut(&mut set.spec);
        wanted.replicas = *spec;
        wanted.selector = Some(shared.selector.clone());
        wanted.template = if Some(index) == world.new { shared.new.clone() } else { shared.old.clone() };
        set.status.replicas = *stat;
        set.status.terminating_replicas = *term;
        set.status.available_replicas = *available;
        set.status.observed_generation = *observed;
        set
    })
}
