//! The reference and the core decide alike in small worlds: up to 4 replicas, 3 ReplicaSets and 4 terminating pods.
//!
//! No rule looks at everything at once, and all of everything would be far too much: so each test goes through all that
//! some rules look at, and leaves the rest as it mostly is. `make test` goes through smaller worlds. All of it takes
//! half an hour or more:
//!
//!     KEP_5882_WHOLE=1 cargo test --release -p changeover-kep-5882 --test small_worlds
#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

use changeover_kep_5882::agree::agree;
use changeover_kep_5882::asked::Question;
use changeover_kep_5882::reference;
use changeover_kep_5882::world::{Amount, Notes, Policy, Set, Strategy, World};

/// How small a world is.
struct Size {
    replicas: i32,
    sets: usize,
    terminating: i32,
    surges: i32,
}

/// What `make test` goes through.
const SLICE: Size = Size { replicas: 2, sets: 2, terminating: 2, surges: 1 };

/// What `KEP_5882_WHOLE=1` goes through.
const WHOLE: Size = Size { replicas: 4, sets: 3, terminating: 4, surges: 2 };

/// What is done with each world.
type Look<'a> = &'a mut dyn FnMut(&World);

/// Goes through all worlds of a family.
fn enumerate(family: fn(&Size, Look<'_>), at_least: u64) {
    let size = if std::env::var_os("KEP_5882_WHOLE").is_some() { &WHOLE } else { &SLICE };
    let mut count = 0_u64;
    family(size, &mut |world| {
        agree(Question::Sync, world).unwrap();
        count += 1;
    });
    println!("{count} small worlds");
    assert!(count >= at_least, "{count}");
}

/// All lists of so many numbers, each up to `each`, together up to `together`.
fn lists(count: usize, each: i32, together: i32) -> Vec<Vec<i32>> {
    let Some(fewer) = count.checked_sub(1) else { return vec![Vec::new()] };
    let longer = |list: &Vec<i32>| {
        let left = (together - list.iter().sum::<i32>()).min(each);
        (0..=left).map(|number| list.iter().copied().chain([number]).collect()).collect::<Vec<_>>()
    };
    lists(fewer, each, together).iter().flat_map(longer).collect()
}

/// A size for each ReplicaSet and something else for each, in all ways.
fn each(count: usize, size: i32, other: i32) -> impl Iterator<Item = (Vec<i32>, Vec<i32>)> {
    let with =
        move |specs: Vec<i32>| lists(count, other, i32::MAX).into_iter().map(move |other| (specs.clone(), other));
    lists(count, size, i32::MAX).into_iter().flat_map(with)
}

/// All rows of numbers, each up to its own limit.
fn grid<const N: usize>(limits: [i32; N]) -> Vec<[i32; N]> {
    let mut rows = vec![[0; N]];
    for (place, limit) in limits.into_iter().enumerate() {
        let up_to = |row: [i32; N]| {
            (0..=limit).map(move |number| {
                let mut row = row;
                row[place] = number;
                row
            })
        };
        rows = rows.into_iter().flat_map(up_to).collect();
    }
    rows
}

/// A ReplicaSet that has what it wants, without annotations.
fn set(index: usize, spec: i32) -> Set {
    Set {
        name: format!("shop-{index}"),
        created: i64::try_from(index).unwrap(),
        spec,
        stat: spec,
        term: Some(0),
        available: spec,
        observed: 1,
        running: spec,
        notes: Notes::default(),
    }
}

fn noted(desired: i32, surge: i32, before: Option<i32>) -> Notes {
    let text = |number: i32| Some(number.to_string());
    Notes { desired: text(desired), max: text(desired + surge), before: before.and_then(text) }
}

/// Rolling updates of these under the complete rule: none is new, or any is.
fn rolling(n: i32, surge: i32, unavailable: i32, sets: Vec<Set>) -> impl Iterator<Item = World> {
    let world = World {
        n,
        strategy: Strategy::RollingUpdate { surge: Amount::Pods(surge), unavailable: Amount::Pods(unavailable) },
        policy: Policy::Complete,
        terminating_gate: true,
        policy_gate: true,
        paused: false,
        status_replicas: sets.iter().map(|set| set.stat).sum(),
        new: None,
        sets,
    };
    let new = [None].into_iter().chain((0..world.sets.len()).map(Some));
    new.map(move |new| World { new, ..world.clone() })
}

fn with_policy(world: &World, policy: Policy) -> World {
    World { policy, ..world.clone() }
}

/// The world itself; where scaling would not go on anyway, paused; and without surge, under the Recreate strategy.
fn look_at(world: &World, look: Look<'_>) {
    look(world);
    if !reference::is_scaling_event(world) {
        look(&World { paused: true, ..world.clone() });
    }
    if reference::surge(world) == 0 {
        look(&World { strategy: Strategy::Recreate, ..world.clone() });
    }
}

/// What terminates, and what the first has more than it wants, in every scaling and every rollout; the other policies in
/// the rolling updates without surge.
fn counts(size: &Size, look: Look<'_>) {
    for count in 0..=size.sets {
        let terms = lists(count, size.terminating, size.terminating);
        for (specs, partial) in each(count, size.replicas, 1) {
            for term in &terms {
                for [n, earlier, surge, lag] in grid([size.replicas, size.replicas, size.surges, 1]) {
                    let sets = (0..count).map(|index| {
                        let stat = specs[index] + if index == 0 { lag } else { 0 };
                        let notes = noted(earlier, surge, (partial[index] == 1).then(|| specs[index] / 2));
                        let (term, running) = (Some(term[index]), stat + term[index]);
                        Set { stat, term, running, notes, ..set(index, specs[index]) }
                    });
                    for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                        look_at(&world, look);
                        if surge == 0 {
                            look(&with_policy(&world, Policy::Started));
                            look(&with_policy(&world, Policy::Nil));
                        }
                    }
                }
            }
        }
    }
}

/// Each has what it wants, or a pod less, or one more: in every scaling and every rollout. All may be of one age.
fn lagging(size: &Size, look: Look<'_>) {
    for count in 1..=size.sets {
        for (specs, more) in each(count, size.replicas, 2) {
            for [n, earlier, surge, terminating, twins] in
                grid([size.replicas, size.replicas, size.surges, size.terminating, 1])
            {
                let sets = (0..count).map(|index| {
                    let stat = (specs[index] + more[index] - 1).max(0);
                    let term = if index == 0 { terminating } else { 0 };
                    let (available, running) = (stat.min(specs[index]), stat + term);
                    let created = if twins == 1 { 0 } else { i64::try_from(index).unwrap() };
                    let notes = noted(earlier, surge, None);
                    Set { created, stat, available, running, term: Some(term), notes, ..set(index, specs[index]) }
                });
                for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                    look(&world);
                }
            }
        }
    }
}

/// Each count is known, unknown, or was never reported.
fn unknown(size: &Size, look: Look<'_>) {
    for count in 1..=size.sets {
        for (specs, partial) in each(count, size.replicas, 1) {
            for known in lists(count, 2, i32::MAX) {
                for [n, earlier, surge] in grid([size.replicas, size.replicas, size.surges]) {
                    let sets = (0..count).map(|index| {
                        let notes = noted(earlier, surge, (partial[index] == 1).then(|| specs[index] / 2));
                        let (term, observed) = match known[index] {
                            0 => (Some(1), 1),
                            1 => (None, 1),
                            _ => (None, 0),
                        };
                        Set { term, observed, notes, ..set(index, specs[index]) }
                    });
                    for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                        look_at(&world, look);
                    }
                }
            }
        }
    }
}

/// Some have not begun a scaling, some are in the middle of it and some have finished; the new one may lack a pod.
fn half_scaled(size: &Size, look: Look<'_>) {
    for count in 1..=size.sets {
        for (specs, state) in each(count, size.replicas, 2) {
            for [n, earlier, surge, half] in grid([size.replicas, size.replicas, size.surges, 1]) {
                let sets = (0..count).map(|index| {
                    let notes = match state[index] {
                        0 => noted(earlier, surge, None),
                        1 => noted(earlier, surge, Some(specs[index] / 2)),
                        _ => noted(n, surge, None),
                    };
                    let term = Some(if index == 0 { half * size.terminating / 2 } else { 0 });
                    Set { term, notes, ..set(index, specs[index]) }
                });
                for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                    look(&world);
                    look(&with_policy(&world, Policy::Nil));
                    if let Some(new) = world.new.filter(|new| specs[*new] > 0) {
                        let mut world = world;
                        world.sets[new].available -= 1;
                        look(&world);
                    }
                }
            }
        }
    }
}

/// Pods that are not available, and pods that are though they are not wanted any more: in every rollout under every
/// policy, whatever may be missing.
fn health(size: &Size, look: Look<'_>) {
    for count in 1..=size.sets {
        for (specs, available) in each(count, size.replicas, size.replicas + 1) {
            if specs.iter().zip(&available).any(|(spec, available)| *available > spec + 1) {
                continue;
            }
            for [n, surge, unavailable, half] in grid([size.replicas, size.surges, size.surges, 1]) {
                let sets = (0..count).map(|index| {
                    let (stat, available) = (specs[index].max(available[index]), available[index]);
                    let term = Some(if index == 0 { half * size.terminating / 2 } else { 0 });
                    Set { stat, available, term, notes: noted(n, surge, None), ..set(index, specs[index]) }
                });
                for world in rolling(n, surge, unavailable, sets.collect()) {
                    for policy in [Policy::Complete, Policy::Started, Policy::Nil] {
                        look(&with_policy(&world, policy));
                    }
                }
            }
        }
    }
}

/// Recreate under every policy, in rollouts and in scalings, by what it waits for: pods that are counted, that are said to
/// terminate, or that have not ended.
fn recreates(size: &Size, look: Look<'_>) {
    for count in 0..=size.sets {
        let terms = lists(count, size.terminating, size.terminating);
        for (specs, state) in each(count, size.replicas, 2) {
            for term in &terms {
                for [n, more] in grid([size.replicas, 1]) {
                    let sets = (0..count).map(|index| {
                        let spec = specs[index];
                        let (stat, running) = match state[index] {
                            0 => (spec, spec + term[index]),
                            1 => (spec, 0),
                            _ => (spec + 1, spec + 1),
                        };
                        Set {
                            stat,
                            running,
                            term: Some(term[index]),
                            notes: noted(n + more, 0, None),
                            ..set(index, spec)
                        }
                    });
                    for world in rolling(n, 0, 1, sets.collect()) {
                        let world = World { strategy: Strategy::Recreate, ..world };
                        for policy in [Policy::Complete, Policy::Started, Policy::Nil] {
                            look(&with_policy(&world, policy));
                        }
                    }
                }
            }
        }
    }
}

/// The policy's gate off, or both: rollouts and scalings, some in the middle, whether or not the counts are known.
fn gates(size: &Size, look: Look<'_>) {
    for count in 1..=size.sets {
        for (specs, partial) in each(count, size.replicas, 1) {
            for [n, earlier, surge, known] in grid([size.replicas, size.replicas, size.surges, 1]) {
                let sets = (0..count).map(|index| {
                    let notes = noted(earlier, surge, (partial[index] == 1).then(|| specs[index] / 2));
                    let terminating = if index == 0 { size.terminating / 2 } else { 0 };
                    let running = specs[index] + terminating;
                    Set { term: (known == 1).then_some(terminating), running, notes, ..set(index, specs[index]) }
                });
                for world in rolling(n, surge, 1 - surge.min(1), sets.collect()) {
                    for (terminating_gate, policy_gate) in [(true, false), (false, false)] {
                        let world = World { terminating_gate, policy_gate, ..world.clone() };
                        look_at(&world, look);
                        look_at(&with_policy(&world, Policy::Started), look);
                    }
                }
            }
        }
    }
}

#[test]
fn by_what_a_recreate_waits_for() {
    enumerate(recreates, 5_000);
}

#[test]
fn with_a_gate_off() {
    enumerate(gates, 5_000);
}

#[test]
fn by_what_terminates() {
    enumerate(counts, 5_000);
}

#[test]
fn by_what_each_lacks_or_has_more() {
    enumerate(lagging, 5_000);
}

#[test]
fn by_what_is_unknown() {
    enumerate(unknown, 5_000);
}

#[test]
fn in_the_middle_of_scaling() {
    enumerate(half_scaled, 5_000);
}

#[test]
fn by_what_is_available() {
    enumerate(health, 5_000);
}
