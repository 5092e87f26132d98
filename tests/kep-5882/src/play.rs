//! Random scenarios about one Deployment, and the syncs of their timelines.

use std::collections::BTreeMap;
use std::rc::Rc;

use changeover_core::feature_gates::{Feature, Gates};
use changeover_core::object::{IntOrString, ObjectKey, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Actor, State, Step, Timeline};
use changeover_core::workload::deployment::controller::{REVISION, find_new_replica_set};
use changeover_core::workload::deployment::{Deployment, DeploymentPodReplacementPolicy};
use changeover_core::workload::replica_set;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use crate::controller;
use crate::settlement::Settlements;
use crate::world::{self, Amount, Pods, Policy, ReplicaSet, Strategy as Rollout, World};

/// A Deployment and what happens to it.
#[derive(Clone, Debug)]
pub struct Play {
    /// `spec.replicas` at the start.
    pub replicas: i32,
    /// maxSurge and maxUnavailable, or Recreate.
    pub strategy: Rollout,
    /// Its policy.
    pub policy: Policy,
    /// `spec.progressDeadlineSeconds`.
    pub deadline: i32,
    /// How long pods take to become ready, in seconds.
    pub ready: i32,
    /// How long pods take to terminate, in seconds.
    pub terminate: i32,
    /// How much longer some pods take, in percent.
    pub jitter: i32,
    /// The seed for the jitter.
    pub seed: u32,
    /// The number of pods that the only node can run.
    pub room: Option<i32>,
    /// The user's actions, each with the seconds since the one before.
    pub acts: Vec<(i32, Act)>,
}

/// An action of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Scales.
    Scale(i32),
    /// Sets an image. The pods of the last image never become ready.
    Image(usize),
    /// Pauses or resumes.
    Pause(bool),
    /// Rolls back.
    Undo,
    /// Deletes a pod.
    Delete(i32),
    /// Evicts a pod.
    Evict(i32),
    /// Sets another strategy.
    Strategy(Rollout),
    /// Sets another policy.
    Policy(Policy),
    /// Restarts components with these gates: DeploymentReplicaSetTerminatingReplicas, DeploymentPodReplacementPolicy.
    Gates(Component, bool, bool),
}

/// The components that are restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// The API server.
    Server,
    /// The controller manager.
    Controllers,
    /// Both.
    Both,
}

const IMAGES: [&str; 4] = ["web:v1", "web:v2", "web:v3", "web:broken"];

/// Any play.
pub fn any_play() -> impl Strategy<Value = Play> {
    let policy = select(vec![Policy::Complete, Policy::Complete, Policy::Complete, Policy::Nil, Policy::Started]);
    let numbers = (0..=12_i32, select(vec![30, 600]), 1..=20_i32, 0..=60_i32, select(vec![0, 0, 30, 200]), 0..4_u32);
    let room = prop_oneof![6 => Just(None), 1 => (4..=14_i32).prop_map(Some)];
    (numbers, rollout(), policy, room, vec(scene(), 0..6)).prop_map(
        |((replicas, deadline, ready, terminate, jitter, seed), strategy, policy, room, acts)| Play {
            replicas,
            strategy,
            policy,
            deadline,
            ready,
            terminate,
            jitter,
            seed,
            room,
            acts: acts.concat(),
        },
    )
}

/// A new template, often one whose pods never become ready, and then an autoscaler that scales up and back down twice,
/// mostly while pods terminate.
pub fn autoscaled() -> impl Strategy<Value = Play> {
    let image = prop_oneof![0..3_usize, Just(3)];
    let pauses = [0..=10_i32, 0..=40, 0..=20, 0..=20, 0..=20];
    let numbers = (2..=12_i32, 1..=20_i32, 20..=60_i32);
    (any_play(), image, numbers, pauses).prop_map(|(play, image, (low, more, terminate), pauses)| {
        let scalings = [low + more, low, low + more, low].map(Act::Scale);
        let acts = [Act::Image(image)].into_iter().chain(scalings);
        Play { replicas: low, terminate, acts: pauses.into_iter().zip(acts).collect(), ..play }
    })
}

fn rollout() -> impl Strategy<Value = Rollout> {
    let amount = || {
        prop_oneof![
            (1..=4_i32).prop_map(Amount::Pods),
            select(vec![10, 25, 50, 100]).prop_map(Amount::Percent),
            Just(Amount::Pods(0)),
        ]
    };
    let rolling = (amount(), amount()).prop_map(|(surge, unavailable)| match (surge, unavailable) {
        // The API server rejects 0 and 0 (`second_reading::validate`), so use Recreate instead.
        (Amount::Pods(0), Amount::Pods(0)) => Rollout::RollingUpdate { surge: Amount::Pods(1), unavailable },
        _ => Rollout::RollingUpdate { surge, unavailable },
    });
    prop_oneof![5 => rolling, 1 => Just(Rollout::Recreate)]
}

/// One action at a random time, or a scaling in the middle of a rollout.
fn scene() -> impl Strategy<Value = Vec<(i32, Act)>> {
    let one = (prop_oneof![0..=8_i32, 0..=70_i32], act()).prop_map(|act| vec![act]);
    let scaled = (0..=40_i32, 0..3_usize, 1..=12_i32, 6..=24_i32);
    let scaled = scaled
        .prop_map(|(after, image, later, replicas)| vec![(after, Act::Image(image)), (later, Act::Scale(replicas))]);
    prop_oneof![3 => one, 1 => scaled]
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        6 => prop_oneof![1 => Just(0), 5 => 1..=16_i32].prop_map(Act::Scale),
        5 => prop_oneof![6 => 0..3_usize, 1 => Just(3)].prop_map(Act::Image),
        1 => any::<bool>().prop_map(Act::Pause),
        1 => Just(Act::Undo),
        2 => (0..12_i32).prop_map(Act::Delete),
        1 => (0..12_i32).prop_map(Act::Evict),
        1 => rollout().prop_map(Act::Strategy),
        1 => select(vec![Policy::Nil, Policy::Started, Policy::Complete]).prop_map(Act::Policy),
        1 => gates(),
    ]
}

/// Mostly turns the policy's gate off and on. No component starts with that gate alone, so it is never set alone.
fn gates() -> impl Strategy<Value = Act> {
    let component = select(vec![Component::Server, Component::Controllers, Component::Both, Component::Both]);
    let gates = prop_oneof![2 => Just((true, true)), 2 => Just((true, false)), 1 => Just((false, false))];
    (component, gates).prop_map(|(component, (count, policy))| Act::Gates(component, count, policy))
}

/// The policy as the value of the field.
pub fn policy_value(policy: Policy) -> Value {
    match policy {
        Policy::Nil => Value::Null,
        Policy::Started => "TerminationStarted".into(),
        Policy::Complete => "TerminationComplete".into(),
    }
}

fn amount_value(amount: Amount) -> Value {
    match amount {
        Amount::Pods(pods) => pods.into(),
        Amount::Percent(percent) => format!("{percent}%").into(),
    }
}

fn strategy_value(strategy: Rollout) -> Value {
    match strategy {
        Rollout::Recreate => json!({"type": "Recreate", "rollingUpdate": null}),
        Rollout::RollingUpdate { surge, unavailable } => json!({
            "type": "RollingUpdate",
            "rollingUpdate": {"maxSurge": amount_value(surge), "maxUnavailable": amount_value(unavailable)},
        }),
    }
}

impl Play {
    /// The scenario.
    pub fn scenario(&self) -> Value {
        let mut spec = json!({
            "replicas": self.replicas,
            "strategy": strategy_value(self.strategy),
            "progressDeadlineSeconds": self.deadline,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [{"name": "app", "image": IMAGES[0]}], "terminationGracePeriodSeconds": 3600},
            },
        });
        if self.policy != Policy::Nil {
            spec["podReplacementPolicy"] = policy_value(self.policy);
        }
        let name = || json!({"name": "web"});
        let apply = |spec: Value| json!({"apply": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": name(), "spec": spec}});
        let mut seconds = 0;
        let actions = self.acts.iter().map(|(after, act)| {
            seconds += after;
            let mut action = match act {
                Act::Scale(replicas) => json!({"scale": {"name": "web", "replicas": replicas}}),
                Act::Image(index) => {
                    let containers = json!([{"name": "app", "image": IMAGES[*index]}]);
                    json!({"setTemplate": {"name": "web", "template": {"spec": {"containers": containers}}}})
                }
                Act::Pause(true) => json!({"pause": name()}),
                Act::Pause(false) => json!({"resume": name()}),
                Act::Undo => json!({"undo": name()}),
                Act::Delete(pod) => json!({"delete": {"kind": "Pod", "name": format!("web/{pod}")}}),
                Act::Evict(pod) => json!({"evict": {"name": format!("web/{pod}")}}),
                Act::Strategy(strategy) => apply(json!({"strategy": strategy_value(*strategy)})),
                Act::Policy(policy) => apply(json!({"podReplacementPolicy": policy_value(*policy)})),
                Act::Gates(component, count, policy) => {
                    let gates = json!({
                        "DeploymentReplicaSetTerminatingReplicas": count, "DeploymentPodReplacementPolicy": policy,
                    });
                    match component {
                        Component::Server => json!({"featureGates": {"apiserver": gates}}),
                        Component::Controllers => json!({"featureGates": {"controllerManager": gates}}),
                        Component::Both => json!({"featureGates": gates}),
                    }
                }
            };
            action["at"] = format!("{seconds}s").into();
            action
        });
        let actions: Vec<Value> = actions.collect();
        let mut scenario = json!({
            "version": 1,
            "seed": self.seed,
            "featureGates": {"DeploymentPodReplacementPolicy": true},
            "objects": [{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": name(), "spec": spec}],
            "kubelet": [
                {"image": IMAGES[3], "ready": "never", "terminate": format!("{}s", self.terminate)},
                {
                    "ready": format!("{}s", self.ready), "terminate": format!("{}s", self.terminate),
                    "jitterPercent": self.jitter,
                },
            ],
            "actions": actions,
            "limits": {"time": "3h"},
        });
        if let Some(room) = self.room {
            scenario["nodes"] = json!([{"name": "node", "pods": room}]);
        }
        scenario
    }

    /// The timeline.
    pub fn run(&self) -> Timeline {
        let scenario = self.scenario();
        Scenario::from_value(&scenario)
            .and_then(Timeline::run)
            .unwrap_or_else(|problem| panic!("{problem}: {scenario}"))
    }
}

/// A sync of the Deployment that wrote something, or reported why it waits.
pub struct Sync<'a> {
    /// The time of the sync.
    pub time: Time,
    /// The state before the sync.
    pub before: State,
    /// The state after the sync.
    pub after: State,
    /// The steps of the sync.
    pub steps: &'a [Step],
    /// The gates at that time.
    pub gates: Gates,
}

/// The rules of status updates. A status update is the last write of a sync.
const LAST: [&str; 16] = [
    "deployment.status",
    "deployment.status.deleted",
    "deployment.status.settled",
    "deployment.status.waiting",
    "deployment.status.waiting.complete",
    "deployment.complete",
    "deployment.complete.complete",
    "deployment.progressing",
    "deployment.progressing.complete",
    "deployment.timed-out",
    "deployment.timed-out.complete",
    "deployment.available",
    "deployment.unavailable",
    "deployment.failure",
    "deployment.failure.over",
    "deployment.no-deadline",
];

/// The syncs of a timeline: consecutive steps of the Deployment controller, up to and including a status update.
pub fn syncs(timeline: &Timeline) -> Vec<Sync<'_>> {
    let by_deployment = |step: &Step| step.actor == Actor::DeploymentController;
    let mut cursor = timeline.cursor();
    let mut found = Vec::new();
    let mut from = 0;
    let mut gates = Gates::parse(&timeline.scenario.feature_gates, "featureGates").unwrap();
    let mut restarts = timeline.scenario.actions.iter().filter_map(|action| action.action.feature_gates());
    let goes_on = |step: &Step, next: &Step| {
        by_deployment(step) && by_deployment(next) && step.time == next.time && !LAST.contains(&step.reason().rule.id)
    };
    for steps in timeline.steps.chunk_by(goes_on) {
        if steps[0].reason().rule.id == "user.restart" {
            gates = gates.restarted(restarts.next().unwrap(), "featureGates").unwrap();
        }
        let before = by_deployment(&steps[0]).then(|| cursor.state().clone());
        from += steps.len();
        cursor.seek(timeline, from);
        if let Some(before) = before {
            found.push(Sync { time: steps[0].time, before, after: cursor.state().clone(), steps, gates });
        }
    }
    found
}

/// The state after the last step.
pub fn last_state(timeline: &Timeline) -> State {
    let mut cursor = timeline.cursor();
    cursor.seek(timeline, timeline.len());
    cursor.state().clone()
}

/// The Deployment.
pub fn deployment(state: &State) -> Rc<Deployment> {
    state.deployments().next().unwrap().clone()
}

/// The gates after the last step.
pub fn last_gates(timeline: &Timeline) -> Gates {
    let restarts = timeline.scenario.actions.iter().filter_map(|action| action.action.feature_gates());
    [&timeline.scenario.feature_gates]
        .into_iter()
        .chain(restarts)
        .fold(Gates::default(), |gates, given| gates.restarted(given, "featureGates").unwrap())
}

/// The state as numbers.
pub fn world_of(gates: Gates, time: Time, state: &State) -> World {
    let deployment = deployment(state);
    let gates = gates.controller_manager;
    let owned: Vec<Rc<replica_set::ReplicaSet>> = state.replica_sets_of(&deployment).into_iter().cloned().collect();
    let new = find_new_replica_set(&deployment, &owned).map(|new| new.metadata.name.clone());
    let set = |set: &Rc<replica_set::ReplicaSet>| {
        let annotation = |key| set.metadata.annotation(key).map(str::to_owned);
        let pods: Vec<_> = state.pods_of(set).filter(|pod| !pod.is_terminal()).collect();
        let terminating = pods.iter().filter(|pod| pod.metadata.deletion_timestamp.is_some()).count();
        let count = |count: usize| i64::try_from(count).unwrap();
        ReplicaSet {
            name: set.metadata.name.to_string(),
            created: set.metadata.creation_timestamp.unwrap().0 / Time::SECOND,
            revision: annotation(REVISION).map_or(0, |revision| revision.parse().unwrap()),
            replicas: i64::from(set.spec.replicas),
            status_replicas: i64::from(set.status.replicas),
            ready: i64::from(set.status.ready_replicas),
            available: i64::from(set.status.available_replicas),
            terminating: set.status.terminating_replicas.map(i64::from),
            generation: set.metadata.generation,
            observed_generation: set.status.observed_generation,
            being_deleted: set.metadata.deletion_timestamp.is_some(),
            pods: Pods { running: count(pods.len() - terminating), terminating: count(terminating) },
            annotations: controller::annotations(set),
        }
    };
    let amount = |given: Option<&IntOrString>| match given {
        Some(IntOrString::Int(pods)) => Amount::Pods(*pods),
        Some(IntOrString::String(text)) => Amount::Percent(text.strip_suffix('%').unwrap().parse().unwrap()),
        None => Amount::Pods(0),
    };
    let rolling = deployment.spec.strategy.rolling_update.as_ref();
    World {
        replicas: i64::from(deployment.spec.replicas),
        strategy: if deployment.spec.strategy.type_ == "Recreate" {
            Rollout::Recreate
        } else {
            Rollout::RollingUpdate {
                surge: amount(rolling.and_then(|rolling| rolling.max_surge.as_ref())),
                unavailable: amount(rolling.and_then(|rolling| rolling.max_unavailable.as_ref())),
            }
        },
        policy: match deployment.spec.pod_replacement_policy {
            None => Policy::Nil,
            Some(DeploymentPodReplacementPolicy::TerminationStarted) => Policy::Started,
            Some(DeploymentPodReplacementPolicy::TerminationComplete) => Policy::Complete,
        },
        gates: world::Gates {
            terminating_replicas: gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas),
            pod_replacement_policy: gates.enabled(Feature::DeploymentPodReplacementPolicy),
        },
        paused: deployment.spec.paused,
        progress_deadline_seconds: deployment.spec.progress_deadline_seconds.map(i64::from),
        revision_history_limit: deployment.spec.revision_history_limit.map(i64::from),
        generation: deployment.metadata.generation,
        status: controller::status(&deployment.status),
        new: new.and_then(|new| owned.iter().position(|set| set.metadata.name == new)),
        sets: owned.iter().map(set).collect(),
        now: time.0 / Time::SECOND,
        nanoseconds: time.0 % Time::SECOND,
        settlements: Settlements::All,
    }
}

/// The state after the last step, as numbers.
pub fn last_world(timeline: &Timeline) -> World {
    world_of(last_gates(timeline), timeline.time_at(timeline.len()), &last_state(timeline))
}

/// Sizes by name.
pub fn sizes(state: &State) -> BTreeMap<String, i32> {
    state.replica_sets().map(|set| (set.metadata.name.to_string(), set.spec.replicas)).collect()
}

/// All objects by their keys, as text.
pub fn print(state: &State) -> BTreeMap<ObjectKey, String> {
    state.objects().map(|object| (object.key(), object.to_value().to_string())).collect()
}
