//! The reference and the core decide alike, on random worlds and on all small ones.
//!
//! `make test` tries a few thousand of the random worlds and the small ones of `SLICE`. All of it, in some minutes:
//!
//!     KEP_5882_CASES=1000000 KEP_5882_WHOLE=1 cargo test --release -p changeover-kep-5882 --test second_opinion
#![expect(clippy::arithmetic_side_effects, clippy::indexing_slicing, clippy::unwrap_used, reason = "a test may panic")]

use changeover_kep_5882::asked::{Question, ask};
use changeover_kep_5882::random::{any_world, cases};
use changeover_kep_5882::reference;
use changeover_kep_5882::world::{Amount, Left, Notes, Policy, Set, Strategy, World};
use proptest::prelude::{TestCaseError, prop_assert, proptest};

fn expected(question: Question, world: &World) -> Left {
    let mut after = world.clone();
    match question {
        Question::Scale => {
            let result = reference::scale(&mut after);
            reference::left(&after, result)
        }
        Question::New => {
            let result = reference::reconcile_new(&mut after);
            reference::left(&after, result)
        }
        Question::Old => {
            reference::reconcile_old(&mut after);
            after.unchanged()
        }
        Question::Sync => reference::sync(world),
    }
}

/// Whether the core agrees.
fn agree(question: Question, world: &World) -> Result<(), TestCaseError> {
    let (expected, got) = (expected(question, world), ask(question, world).left);
    prop_assert!(got == expected, "{question:?} of {world}\n the reference: {expected:?}\n the core: {got:?}");
    Ok(())
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn of_random_worlds(world in any_world()) {
        agree(Question::Scale, &world)?;
        agree(Question::Sync, &world)?;
        if world.new.is_some() && world.strategy != Strategy::Recreate {
            agree(Question::New, &world)?;
            agree(Question::Old, &world)?;
        }
    }
}

/// How small a world is.
struct Size {
    replicas: i32,
    sets: usize,
    terminating: i32,
    surges: i32,
    /// The first ReplicaSet has as many pods more than it wants.
    lags: i32,
    /// The new ReplicaSet is one of these.
    new: &'static [Option<usize>],
}

/// What `make test` enumerates.
const SLICE: Size = Size { replicas: 3, sets: 2, terminating: 2, surges: 1, lags: 0, new: &[Some(1), None] };

/// What `KEP_5882_WHOLE=1` enumerates.
const WHOLE: Size = Size { replicas: 4, sets: 3, terminating: 4, surges: 2, lags: 1, new: &[Some(0), Some(2), None] };

/// All lists of so many numbers, each up to `each`, together up to `together`.
fn lists(count: usize, each: i32, together: i32) -> Vec<Vec<i32>> {
    let Some(fewer) = count.checked_sub(1) else { return vec![Vec::new()] };
    let longer = |list: &Vec<i32>| {
        let left = (together - list.iter().sum::<i32>()).min(each);
        (0..=left).map(|number| list.iter().copied().chain([number]).collect()).collect::<Vec<_>>()
    };
    lists(fewer, each, together).iter().flat_map(longer).collect()
}

/// All worlds of that size, by what all their ReplicaSets have in common.
fn small_worlds(size: &Size, mut look: impl FnMut(&World)) {
    for sets in 0..=size.sets {
        let splits = lists(sets, size.terminating, size.terminating);
        for specs in lists(sets, size.replicas, i32::MAX) {
            for notes in lists(sets, 1, i32::MAX) {
                for terms in &splits {
                    for n in 0..=size.replicas {
                        for earlier in 0..=size.replicas {
                            for surge in 0..=size.surges {
                                for lag in 0..=size.lags {
                                    for new in size.new.iter().filter(|new| new.is_none_or(|new| new < sets)) {
                                        let mut world = small(n, earlier, surge, &specs, &notes, terms, lag);
                                        world.new = *new;
                                        look(&world);
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn small(n: i32, earlier: i32, surge: i32, specs: &[i32], notes: &[i32], terms: &[i32], lag: i32) -> World {
    let set = |index: usize| {
        let spec = specs[index];
        let there = if index == 0 { spec + lag } else { spec };
        // A scaling that is under way has begun from less.
        let before = (notes[index] == 1).then(|| (spec / 2).to_string());
        Set {
            name: format!("shop-{index}"),
            created: i64::try_from(index).unwrap(),
            spec,
            stat: there,
            term: Some(terms[index]),
            available: spec,
            observed: 1,
            running: there + terms[index],
            notes: Notes { desired: Some(earlier.to_string()), max: Some((earlier + surge).to_string()), before },
        }
    };
    World {
        n,
        strategy: Strategy::RollingUpdate { surge: Amount::Pods(surge), unavailable: Amount::Pods(1 - surge.min(1)) },
        policy: Policy::Complete,
        terminating_gate: true,
        policy_gate: true,
        paused: false,
        status_replicas: specs.iter().sum::<i32>() + lag,
        sets: (0..specs.len()).map(set).collect(),
        new: None,
    }
}

/// The complete rule in every small world; and in those without surge, the Recreate strategy, and the old rule under the
/// other policies.
#[test]
fn of_all_small_worlds() {
    let whole = std::env::var_os("KEP_5882_WHOLE").is_some();
    let mut count = 0_u64;
    small_worlds(if whole { &WHOLE } else { &SLICE }, |world| {
        let mut ask = |world: &World| {
            agree(Question::Sync, world).unwrap();
            count += 1;
        };
        ask(world);
        ask(&World { paused: true, ..world.clone() });
        if matches!(world.strategy, Strategy::RollingUpdate { surge: Amount::Pods(0), .. }) {
            ask(&World { strategy: Strategy::Recreate, ..world.clone() });
            ask(&World { policy: Policy::Started, ..world.clone() });
            ask(&World { policy: Policy::Nil, ..world.clone() });
        }
    });
    println!("{count} small worlds");
    assert!(count > 20_000, "{count}");
}
