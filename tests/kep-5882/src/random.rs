//! Random worlds: most of them are states that controllers leave behind, some are states that only users can create.

use std::env;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::Config;

use crate::second_reading::Spec;
use crate::second_reading::status::calculate_status;
use crate::settlement::Settlements;
use crate::world::{
    Amount, Condition, ConditionStatus, Gates, Pods, Policy, Reason, ReplicaSet, ScalingAnnotations, Status,
    Strategy as Rollout, World,
};

/// The number of cases: `KEP_5882_CASES`, or `default`.
pub fn cases(default: u32) -> Config {
    let cases = env::var("KEP_5882_CASES").ok().and_then(|text| text.parse().ok());
    Config { cases: cases.unwrap_or(default), failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() }
}

/// The time of every random world, in seconds.
const NOW: i64 = 100_000;

/// A Deployment of up to 60,000 pods with up to five ReplicaSets, mostly of few pods.
pub fn any_world() -> impl Strategy<Value = World> {
    let most = prop_oneof![4 => Just(6), 4 => Just(20), 2 => Just(150), 1 => Just(60_000)];
    (most, 0..=5_usize).prop_flat_map(|(most, count)| world_of(most, count))
}

/// A world with the strategy RollingUpdate and a new ReplicaSet.
pub fn rolling_world() -> impl Strategy<Value = World> {
    let most = prop_oneof![4 => Just(6), 4 => Just(20), 2 => Just(150), 1 => Just(60_000)];
    let world = (most, 1..=5_usize).prop_flat_map(|(most, count)| (world_of(most, count), rolling_update(most)));
    (world, any::<prop::sample::Index>()).prop_map(|((world, strategy), index)| {
        let new = world.new.unwrap_or_else(|| index.index(world.sets.len()));
        World { strategy, new: Some(new), ..world }
    })
}

/// A Deployment with the strategy Recreate in a rollout: not paused, and not in the middle of a scaling. Most old
/// ReplicaSets are already scaled down, because few worlds would otherwise reach the waits.
pub fn recreate_world() -> impl Strategy<Value = World> {
    (any_world(), prop::bool::weighted(0.8)).prop_map(|(world, is_scaled_down)| {
        let mut world = World { strategy: Rollout::Recreate, paused: false, ..world };
        let new = world.new;
        for (index, set) in world.sets.iter_mut().enumerate() {
            if is_scaled_down && new != Some(index) {
                (set.replicas, set.status_replicas) = (0, (set.status_replicas - set.replicas).max(0));
            }
            set.annotations.desired = Some(world.replicas.to_string());
            set.annotations.before = set.annotations.before.take().filter(|_| set.replicas == 0);
        }
        world
    })
}

fn world_of(most: i32, count: usize) -> BoxedStrategy<World> {
    let deployment = (
        prop_oneof![1 => Just(0), 8 => 0..=most],
        strategy(most),
        select(vec![Policy::Nil, Policy::Started, Policy::Complete, Policy::Complete, Policy::Complete]),
        gates(),
        prop::bool::weighted(0.15),
    );
    // The size before the scaling event, as the annotations record it.
    let before = (0..=most, prop_oneof![3 => Just(None), 1 => (0..=most / 2).prop_map(Some)], any::<bool>());
    (deployment, before)
        .prop_flat_map(move |(deployment, before)| {
            let (replicas, strategy, policy, gates, paused) = deployment;
            let (earlier, surge, scaled) = before;
            let earlier = if scaled { earlier } else { replicas };
            let surge = surge.unwrap_or_else(|| surge_of(strategy, earlier));
            let new = if count == 0 { Just(None).boxed() } else { prop::option::weighted(0.8, 0..count).boxed() };
            let scaled_down = any::<bool>();
            let sets = vec(set(most, replicas, earlier, surge), count);
            (sets, new, scaled_down, limits(), stored(most)).prop_map(
                move |(mut sets, new, scaled_down, limits, stored)| {
                    for (index, set) in sets.iter_mut().enumerate() {
                        // A Recreate rollout that has scaled the old ReplicaSets down: few worlds would otherwise reach
                        // its waits.
                        if scaled_down && strategy == Rollout::Recreate && new != Some(index) {
                            set.replicas = 0;
                        }
                        set.name = format!("payments-gateway-{}-7d9c5b6f48", ["a", "b", "c", "d", "e"][index]);
                    }
                    let (progress_deadline_seconds, revision_history_limit) = limits;
                    let world = World {
                        replicas: i64::from(replicas),
                        strategy,
                        policy,
                        gates,
                        paused,
                        progress_deadline_seconds,
                        revision_history_limit,
                        generation: 2,
                        status: Status::default(),
                        sets,
                        new,
                        now: NOW,
                        nanoseconds: stored.nanoseconds,
                        settlements: Settlements::All,
                    };
                    World { status: stored.status(&world), ..world }
                },
            )
        })
        .boxed()
}

/// No component starts with the policy's gate alone (`check_gates`), so no world has that combination.
fn gates() -> impl Strategy<Value = Gates> {
    let gates = |terminating_replicas, pod_replacement_policy| Gates { terminating_replicas, pod_replacement_policy };
    prop_oneof![8 => Just(gates(true, true)), 1 => Just(gates(true, false)), 1 => Just(gates(false, false))]
}

fn surge_of(strategy: Rollout, replicas: i32) -> i32 {
    match strategy {
        Rollout::RollingUpdate { surge: Amount::Pods(pods), .. } => pods,
        Rollout::RollingUpdate { surge: Amount::Percent(percent), .. } => (replicas * percent + 99) / 100,
        Rollout::Recreate => 0,
    }
}

fn strategy(most: i32) -> impl Strategy<Value = Rollout> {
    prop_oneof![6 => rolling_update(most), 1 => Just(Rollout::Recreate)]
}

fn rolling_update(most: i32) -> impl Strategy<Value = Rollout> {
    let amount = prop_oneof![
        (0..=most / 3 + 1).prop_map(Amount::Pods),
        select(vec![0, 1, 10, 25, 33, 50, 100]).prop_map(Amount::Percent),
    ];
    (amount.clone(), amount).prop_map(|(surge, unavailable)| Rollout::RollingUpdate { surge, unavailable })
}

/// `progressDeadlineSeconds` and `revisionHistoryLimit`.
fn limits() -> impl Strategy<Value = (Option<i64>, Option<i64>)> {
    // In Kubernetes, the largest int32 means "no limit".
    let unlimited = Some(i64::from(i32::MAX));
    (
        select(vec![Some(600), Some(600), Some(600), Some(1), None, unlimited]),
        select(vec![Some(0), Some(1), Some(2), Some(10), None, unlimited]),
    )
}

/// A random stored status: mostly what the controller wrote when the ReplicaSets had the same numbers, sometimes with
/// other counts.
#[derive(Clone, Debug)]
struct Stored {
    /// Added to the counts.
    changes: [i64; 6],
    terminating_known: bool,
    observed: i64,
    progressing: Option<(Reason, Option<ConditionStatus>, i64, i64)>,
    /// The nanoseconds of the current time.
    nanoseconds: i64,
}

impl Stored {
    fn status(&self, world: &World) -> Status {
        let now = calculate_status(world);
        let [replicas, updated, ready, available, unavailable, terminating] = self.changes;
        let add = |count: i64, change: i64| (count + change).max(0);
        let terminating = |count| add(count, terminating);
        Status {
            observed_generation: self.observed,
            replicas: add(now.replicas, replicas),
            updated: add(now.updated, updated),
            ready: add(now.ready, ready),
            available: add(now.available, available),
            unavailable: add(now.unavailable, unavailable),
            terminating: now.terminating.or(Some(0)).filter(|_| self.terminating_known).map(terminating),
            progressing: self.progressing.map(|(reason, status, age, older)| Condition {
                status: status.unwrap_or(match reason {
                    Reason::ProgressDeadlineExceeded | Reason::ReplicaSetCreateError => ConditionStatus::False,
                    Reason::DeploymentPaused | Reason::DeploymentResumed => ConditionStatus::Unknown,
                    _ => ConditionStatus::True,
                }),
                reason,
                last_update: world.now - age,
                last_transition: world.now - age - older,
            }),
        }
    }
}

fn stored(most: i32) -> BoxedStrategy<Stored> {
    let most = i64::from(most);
    let change = || prop_oneof![6 => Just(0), 2 => -2..=2_i64, 1 => -most..=most];
    let same = Just([0; 6]);
    let other = (change(), change(), change(), change(), change(), change()).prop_map(<[i64; 6]>::from);
    // A status that was never written has zeros. Without annotations, shares are computed from `status.replicas`.
    let unwritten = Just([i64::from(i32::MIN); 6]);
    let replicas = (-most..=most).prop_map(|change| [change, 0, 0, 0, 0, 0]);
    let changes = prop_oneof![4 => same, 10 => other, 3 => unwritten, 2 => replicas];
    let reason = select(vec![
        Reason::NewReplicaSetCreated,
        Reason::FoundNewReplicaSet,
        Reason::ReplicaSetUpdated,
        Reason::ReplicaSetUpdated,
        Reason::NewReplicaSetAvailable,
        Reason::NewReplicaSetAvailable,
        Reason::ProgressDeadlineExceeded,
        Reason::ReplicaSetCreateError,
        Reason::DeploymentPaused,
        Reason::DeploymentResumed,
    ]);
    // The status that the controller sets for a reason, or one that only another client can have written.
    let status = prop_oneof![
        9 => Just(None),
        1 => select(vec![ConditionStatus::True, ConditionStatus::False, ConditionStatus::Unknown]).prop_map(Some),
    ];
    // Around the deadlines of 1 and 600 seconds.
    let age = prop_oneof![2 => 0..=3_i64, 3 => 598..=602_i64, 1 => 0..=1_200_i64];
    let condition = prop::option::weighted(0.9, (reason, status, age, 0..=2_i64));
    let observed = prop_oneof![9 => Just(2), 1 => Just(1)];
    let nanoseconds = prop_oneof![2 => Just(0), 1 => 0..1_000_000_000_i64];
    (changes, prop::bool::weighted(0.9), observed, condition, nanoseconds)
        .prop_map(|(changes, terminating_known, observed, progressing, nanoseconds)| Stored {
            changes,
            terminating_known,
            observed,
            progressing,
            nanoseconds,
        })
        .boxed()
}

fn set(most: i32, replicas: i32, earlier: i32, surge: i32) -> BoxedStrategy<ReplicaSet> {
    let spec = prop_oneof![1 => Just(0), 1 => Just(replicas), 5 => 0..=most];
    let drift = prop_oneof![4 => Just(0), 1 => -most..=most];
    let terminating = prop_oneof![3 => Just(Some(0)), 4 => (0..=most / 2 + 1).prop_map(Some), 1 => Just(None)];
    // Mostly up to date; never observed; or one write behind.
    let observed = prop_oneof![1 => Just((1, 0)), 5 => Just((2, 2)), 1 => Just((2, 1))];
    let missing = prop_oneof![4 => Just(0), 2 => 0..=most, 1 => -1..=1];
    let pods = (prop_oneof![2 => Just(None), 1 => (0..3_i32).prop_map(Some)], 0..3_i32);
    let order = (0..4_i64, 0..4_i64, prop::bool::weighted(0.05));
    let annotations = annotations(most, replicas, earlier, surge);
    (spec, drift, terminating, observed, missing, pods, order, annotations)
        .prop_map(|(spec, drift, terminating, observed, missing, pods, order, annotations)| {
            let status_replicas = (spec + drift).max(0);
            let available = (status_replicas - missing).max(0);
            let (created, revision, being_deleted) = order;
            // The lister mostly agrees with the status.
            let (running, listed) = match pods {
                (None, _) => (status_replicas, terminating.unwrap_or(0)),
                (Some(running), terminating) => (running, terminating),
            };
            ReplicaSet {
                name: String::new(),
                created,
                revision,
                replicas: i64::from(spec),
                status_replicas: i64::from(status_replicas),
                ready: i64::from(available.max(status_replicas - missing.max(0) / 2)),
                available: i64::from(available),
                terminating: terminating.map(i64::from),
                generation: observed.0,
                observed_generation: observed.1,
                being_deleted,
                pods: Pods { running: i64::from(running), terminating: i64::from(listed) },
                annotations,
            }
        })
        .boxed()
}

fn annotations(most: i32, replicas: i32, earlier: i32, surge: i32) -> impl Strategy<Value = ScalingAnnotations> {
    let text = |number: i32| Some(number.to_string());
    let finished = prop_oneof![Just(earlier), Just(replicas)].prop_map(move |desired| ScalingAnnotations {
        desired: text(desired),
        max: text(desired + surge),
        before: None,
    });
    let partial = (0..=most).prop_map(move |before| ScalingAnnotations {
        desired: text(earlier),
        max: text(earlier + surge),
        before: text(before),
    });
    let odd = prop_oneof![
        2 => Just(None),
        2 => (0..=most).prop_map(text),
        1 => select(vec!["", "x", "+2", "-1", "007", "0", "2147483648", "4294967298", "12345678901234567890", " 3"])
            .prop_map(|text| Some(text.to_owned())),
    ];
    let odd =
        (odd.clone(), odd.clone(), odd).prop_map(|(desired, max, before)| ScalingAnnotations { desired, max, before });
    prop_oneof![5 => finished, 3 => partial, 2 => odd]
}

/// A spec that a user sends, sometimes with invalid values.
pub fn any_spec() -> impl Strategy<Value = Spec> {
    let number = || prop_oneof![6 => 0..=4_i64, 1 => Just(-1_i64), 1 => Just(600)];
    let amount = || {
        prop_oneof![
            (-1..=3_i32).prop_map(Amount::Pods),
            select(vec![-1, 0, 1, 25, 100, 101, 250]).prop_map(Amount::Percent),
        ]
    };
    let rolling = (amount(), amount()).prop_map(|(surge, unavailable)| Rollout::RollingUpdate { surge, unavailable });
    let policy = prop::option::weighted(
        0.7,
        select(vec![
            "TerminationStarted",
            "TerminationStarted",
            "TerminationComplete",
            "TerminationComplete",
            "",
            "Failed",
            "terminationComplete",
            "\"<\u{e9}\n",
        ]),
    );
    let strategy = prop_oneof![3 => rolling, 1 => Just(Rollout::Recreate)];
    let limits = (prop::option::of(number()), prop::option::of(number()));
    (number(), strategy, policy, number(), limits).prop_map(
        |(replicas, strategy, policy, min_ready_seconds, (revision_history_limit, progress_deadline_seconds))| Spec {
            replicas,
            strategy,
            pod_replacement_policy: policy.map(str::to_owned),
            min_ready_seconds,
            revision_history_limit,
            progress_deadline_seconds,
        },
    )
}

/// The gates of an API server, a spec that is sent, and the stored spec.
pub fn any_admission() -> impl Strategy<Value = (Gates, Spec, Option<Spec>)> {
    (gates_of_api_server(), any_spec(), prop::option::of(any_spec()))
}

fn gates_of_api_server() -> impl Strategy<Value = Gates> {
    let gates = |terminating_replicas, pod_replacement_policy| Gates { terminating_replicas, pod_replacement_policy };
    select(vec![gates(true, true), gates(true, false), gates(false, false)])
}
