//! The core makes the same decisions as the second reading of KEP-5882, in all small worlds: up to 4 replicas, 3
//! ReplicaSets and 4 terminating pods.
//!
//! No rule looks at every number, and testing every combination is not feasible. So each test tries all values of the
//! numbers that some rules look at, and leaves the others at their usual values. `make test` uses smaller worlds. The
//! full size takes half an hour or more:
//!
//!     KEP_5882_WHOLE=1 cargo test --release -p changeover-kep-5882 --test small_worlds
#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

use changeover_kep_5882::comparison::compare;
use changeover_kep_5882::controller::Operation;
use changeover_kep_5882::second_reading::status::calculate_status;
use changeover_kep_5882::second_reading::{numbers, sample};
use changeover_kep_5882::world::{
    Condition, ConditionStatus, Gates, Pods, Policy, Reason, ReplicaSet, ScalingAnnotations, Status, Strategy, World,
};

/// The largest numbers of a family of worlds.
struct Size {
    replicas: i64,
    sets: usize,
    terminating: i64,
    surges: i64,
}

/// The size for `make test`.
const SLICE: Size = Size { replicas: 2, sets: 2, terminating: 2, surges: 1 };

/// The size for `KEP_5882_WHOLE=1`.
const WHOLE: Size = Size { replicas: 4, sets: 3, terminating: 4, surges: 2 };

/// Called with each world.
type Visit<'a> = &'a mut dyn FnMut(&World);

/// Visits all worlds of a family.
fn enumerate(family: fn(&Size, Visit<'_>), at_least: u64) {
    let size = if std::env::var_os("KEP_5882_WHOLE").is_some() { &WHOLE } else { &SLICE };
    let mut count = 0_u64;
    family(size, &mut |world| {
        compare(Operation::Sync, world).unwrap();
        count += 1;
    });
    println!("{count} small worlds");
    assert!(count >= at_least, "{count}");
}

/// All lists of `count` numbers that are each at most `each` and add up to at most `sum`.
fn lists(count: usize, each: i64, sum: i64) -> Vec<Vec<i64>> {
    let Some(fewer) = count.checked_sub(1) else { return vec![Vec::new()] };
    let longer = |list: &Vec<i64>| {
        let left = (sum - list.iter().sum::<i64>()).min(each);
        (0..=left).map(|number| list.iter().copied().chain([number]).collect()).collect::<Vec<_>>()
    };
    lists(fewer, each, sum).iter().flat_map(longer).collect()
}

/// All ways to give each ReplicaSet a size and a second number.
fn each(count: usize, size: i64, other: i64) -> impl Iterator<Item = (Vec<i64>, Vec<i64>)> {
    let with =
        move |specs: Vec<i64>| lists(count, other, i64::MAX).into_iter().map(move |other| (specs.clone(), other));
    lists(count, size, i64::MAX).into_iter().flat_map(with)
}

/// All rows of numbers, each within its own limit.
fn grid<const N: usize>(limits: [i64; N]) -> Vec<[i64; N]> {
    let mut rows = vec![[0; N]];
    for (position, limit) in limits.into_iter().enumerate() {
        let up_to = |row: [i64; N]| {
            (0..=limit).map(move |number| {
                let mut row = row;
                row[position] = number;
                row
            })
        };
        rows = rows.into_iter().flat_map(up_to).collect();
    }
    rows
}

/// A ReplicaSet with all its pods and without annotations.
fn set(index: usize, replicas: i64) -> ReplicaSet {
    let created = i64::try_from(index).unwrap();
    ReplicaSet {
        name: format!("shop-{index}"),
        created,
        revision: created + 1,
        replicas,
        status_replicas: replicas,
        ready: replicas,
        available: replicas,
        terminating: Some(0),
        generation: 1,
        observed_generation: 1,
        being_deleted: false,
        pods: Pods { running: replicas, terminating: 0 },
        annotations: ScalingAnnotations::default(),
    }
}

fn annotated(desired: i64, surge: i64, before: Option<i64>) -> ScalingAnnotations {
    let text = |number: i64| Some(number.to_string());
    ScalingAnnotations { desired: text(desired), max: text(desired + surge), before: before.and_then(text) }
}

/// Rolling updates of these ReplicaSets under TerminationComplete: with no new ReplicaSet, and with each of them as the
/// new one.
///
/// The stored status is current except for one additional terminating pod, so that the progress deadline moves too.
fn rolling(replicas: i64, surge: i64, unavailable: i64, sets: Vec<ReplicaSet>) -> impl Iterator<Item = World> {
    let amounts = (i32::try_from(surge).unwrap(), i32::try_from(unavailable).unwrap());
    let world = World {
        strategy: sample::rolling(amounts.0, amounts.1),
        revision_history_limit: Some(1),
        ..sample::world(replicas, sets)
    };
    let updated = Condition {
        status: ConditionStatus::True,
        reason: Reason::ReplicaSetUpdated,
        last_update: world.now - 601,
        last_transition: world.now - 601,
    };
    let new = [None].into_iter().chain((0..world.sets.len()).map(Some));
    new.map(move |new| {
        let world = World { new, ..world.clone() };
        let status = calculate_status(&world);
        let terminating = status.terminating.map(|terminating| terminating + 1);
        World { status: Status { terminating, progressing: Some(updated), ..status }, ..world }
    })
}

/// The count of terminating pods in the status, and the pods.
fn with_pods(running: i64, terminating: i64) -> (Option<i64>, Pods) {
    (Some(terminating), Pods { running, terminating })
}

fn with_policy(world: &World, policy: Policy) -> World {
    World { policy, ..world.clone() }
}

/// Visits the world, the same world paused, and the same world with the strategy Recreate.
fn visit_variants(world: &World, visit: Visit<'_>) {
    visit(world);
    visit(&World { paused: true, ..world.clone() });
    // Recreate has no surge: the other values would only repeat it.
    if numbers::max_surge(world) == 0 {
        visit(&World { strategy: Strategy::Recreate, ..world.clone() });
    }
}

/// Terminating pods, and a first ReplicaSet with one pod too many, in every scaling and every rollout; the other
/// policies in rolling updates without surge.
fn counts(size: &Size, visit: Visit<'_>) {
    for count in 0..=size.sets {
        let all_terms = lists(count, size.terminating, size.terminating);
        for (specs, partial) in each(count, size.replicas, 1) {
            for terms in &all_terms {
                for [n, earlier, surge, lag] in grid([size.replicas, size.replicas, size.surges, 1]) {
                    let sets = (0..count).map(|index| {
                        let stat = specs[index] + if index == 0 { lag } else { 0 };
                        let annotations = annotated(earlier, surge, (partial[index] == 1).then(|| specs[index] / 2));
                        let (terminating, pods) = with_pods(stat, terms[index]);
                        let set = set(index, specs[index]);
                        ReplicaSet { status_replicas: stat, terminating, pods, annotations, ..set }
                    });
                    for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                        visit_variants(&world, visit);
                        if surge == 0 {
                            visit(&with_policy(&world, Policy::Started));
                            visit(&with_policy(&world, Policy::Nil));
                        }
                    }
                }
            }
        }
    }
}

/// Each ReplicaSet with all its pods, one too few or one too many, in every scaling and every rollout. The ReplicaSets
/// may have the same age.
fn lagging(size: &Size, visit: Visit<'_>) {
    for count in 1..=size.sets {
        for (specs, more) in each(count, size.replicas, 2) {
            for [n, earlier, surge, terminating, twins] in
                grid([size.replicas, size.replicas, size.surges, size.terminating, 1])
            {
                let sets = (0..count).map(|index| {
                    let stat = (specs[index] + more[index] - 1).max(0);
                    let (terminating, pods) = with_pods(stat, if index == 0 { terminating } else { 0 });
                    let available = stat.min(specs[index]);
                    let created = if twins == 1 { 0 } else { i64::try_from(index).unwrap() };
                    let annotations = annotated(earlier, surge, None);
                    let set = set(index, specs[index]);
                    ReplicaSet { created, status_replicas: stat, available, pods, terminating, annotations, ..set }
                });
                for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                    visit(&world);
                }
            }
        }
    }
}

/// Each count of terminating pods known, unknown, or never reported.
fn unknown(size: &Size, visit: Visit<'_>) {
    for count in 1..=size.sets {
        for (specs, partial) in each(count, size.replicas, 1) {
            for known in lists(count, 2, i64::MAX) {
                for [n, earlier, surge] in grid([size.replicas, size.replicas, size.surges]) {
                    let sets = (0..count).map(|index| {
                        let annotations = annotated(earlier, surge, (partial[index] == 1).then(|| specs[index] / 2));
                        let (terminating, observed_generation) = match known[index] {
                            0 => (Some(1), 1),
                            1 => (None, 1),
                            _ => (None, 0),
                        };
                        ReplicaSet { terminating, observed_generation, annotations, ..set(index, specs[index]) }
                    });
                    for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                        visit_variants(&world, visit);
                    }
                }
            }
        }
    }
}

/// ReplicaSets before, in the middle of and after a scaling; the new one may lack a pod.
fn half_scaled(size: &Size, visit: Visit<'_>) {
    for count in 1..=size.sets {
        for (specs, state) in each(count, size.replicas, 2) {
            for [n, earlier, surge, half] in grid([size.replicas, size.replicas, size.surges, 1]) {
                let sets = (0..count).map(|index| {
                    let annotations = match state[index] {
                        0 => annotated(earlier, surge, None),
                        1 => annotated(earlier, surge, Some(specs[index] / 2)),
                        _ => annotated(n, surge, None),
                    };
                    let terminating = Some(if index == 0 { half * size.terminating / 2 } else { 0 });
                    ReplicaSet { terminating, annotations, ..set(index, specs[index]) }
                });
                for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                    visit(&world);
                    visit(&with_policy(&world, Policy::Nil));
                    if let Some(new) = world.new.filter(|new| specs[*new] > 0) {
                        let mut world = world;
                        world.sets[new].available -= 1;
                        visit(&world);
                    }
                }
            }
        }
    }
}

/// Unavailable pods, and available pods beyond the size, in every rollout under every policy.
fn health(size: &Size, visit: Visit<'_>) {
    for count in 1..=size.sets {
        for (specs, available) in each(count, size.replicas, size.replicas + 1) {
            for [n, surge, unavailable, half] in grid([size.replicas, size.surges, size.surges, 1]) {
                let sets = (0..count).map(|index| {
                    let (stat, available) = (specs[index].max(available[index]), available[index]);
                    let terminating = Some(if index == 0 { half * size.terminating / 2 } else { 0 });
                    let annotations = annotated(n, surge, None);
                    let set = set(index, specs[index]);
                    ReplicaSet { status_replicas: stat, available, terminating, annotations, ..set }
                });
                for world in rolling(n, surge, unavailable, sets.collect()) {
                    for policy in [Policy::Complete, Policy::Started, Policy::Nil] {
                        visit(&with_policy(&world, policy));
                    }
                }
            }
        }
    }
}

/// Recreate under every policy, in rollouts and in scalings, for everything it may wait for: counted replicas, counted
/// terminating pods, or pods that have not ended.
fn recreates(size: &Size, visit: Visit<'_>) {
    for count in 0..=size.sets {
        let all_terms = lists(count, size.terminating, size.terminating);
        for (specs, state) in each(count, size.replicas, 2) {
            for terms in &all_terms {
                for [n, more] in grid([size.replicas, 1]) {
                    let sets = (0..count).map(|index| {
                        let spec = specs[index];
                        let (status_replicas, pods) = match state[index] {
                            0 => (spec, Pods { running: spec, terminating: terms[index] }),
                            1 => (spec, Pods::default()),
                            _ => (spec + 1, Pods { running: spec + 1, terminating: 0 }),
                        };
                        let (terminating, annotations) = (Some(terms[index]), annotated(n + more, 0, None));
                        ReplicaSet { status_replicas, pods, terminating, annotations, ..set(index, spec) }
                    });
                    for world in rolling(n, 0, 1, sets.collect()) {
                        let world = World { strategy: Strategy::Recreate, ..world };
                        for policy in [Policy::Complete, Policy::Started, Policy::Nil] {
                            visit(&with_policy(&world, policy));
                        }
                    }
                }
            }
        }
    }
}

/// The policy's gate off, or both gates off: rollouts and scalings, some half done, with known or unknown counts.
fn gates(size: &Size, visit: Visit<'_>) {
    for count in 1..=size.sets {
        for (specs, partial) in each(count, size.replicas, 1) {
            for [n, earlier, surge, known] in grid([size.replicas, size.replicas, size.surges, 1]) {
                let sets = (0..count).map(|index| {
                    let annotations = annotated(earlier, surge, (partial[index] == 1).then(|| specs[index] / 2));
                    let terms = if index == 0 { size.terminating / 2 } else { 0 };
                    let (terminating, pods) = with_pods(specs[index], terms);
                    let terminating = terminating.filter(|_| known == 1);
                    ReplicaSet { terminating, pods, annotations, ..set(index, specs[index]) }
                });
                for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                    for terminating_replicas in [true, false] {
                        let gates = Gates { terminating_replicas, pod_replacement_policy: false };
                        let world = World { gates, ..world.clone() };
                        visit_variants(&world, visit);
                        visit_variants(&with_policy(&world, Policy::Started), visit);
                    }
                }
            }
        }
    }
}

#[test]
fn by_what_recreate_waits_for() {
    enumerate(recreates, 5_000);
}

#[test]
fn with_a_gate_off() {
    enumerate(gates, 5_000);
}

#[test]
fn by_terminating_pods() {
    enumerate(counts, 5_000);
}

#[test]
fn by_missing_and_surplus_pods() {
    enumerate(lagging, 5_000);
}

#[test]
fn by_unknown_counts() {
    enumerate(unknown, 5_000);
}

#[test]
fn in_the_middle_of_scaling() {
    enumerate(half_scaled, 5_000);
}

#[test]
fn by_availability() {
    enumerate(health, 5_000);
}
