//! The rules of scaling, rolling and Recreate once more, written from the project's settled semantics and the KEP's text,
//! not from the core: slow, with a name for each word of the text. Counts are i64, and wrap only where Kubernetes' do.

mod recreate;
mod rolling;
mod scaling;

pub use recreate::{new_size as recreate_new_size, recreate};
pub use rolling::{add_new, new_size, reconcile_new, reconcile_old, rolling};
pub use scaling::{Given, Part, base, before, is_scaling_event, noted_otherwise, room, scale, share, spread, to_add};

use crate::world::{Amount, Left, Notes, Policy, Set, Strategy, World};

/// The number of terminating pods is unknown, and was needed: there is no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown;

/// One sync of the Deployment controller.
pub fn sync(world: &World) -> Left {
    let mut world = world.clone();
    let result = if world.paused || is_scaling_event(&world) {
        scale(&mut world)
    } else if world.strategy == Strategy::Recreate {
        recreate(&mut world)
    } else {
        rolling(&mut world)
    };
    left(&world, result)
}

/// What is there after a decision.
pub fn left<T>(world: &World, result: Result<T, Unknown>) -> Left {
    if result.is_ok() { world.unchanged() } else { Left::Error }
}

/// maxSurge resolved against n, percentages rounded up; 0 for Recreate.
pub fn surge(world: &World) -> i64 {
    match world.strategy {
        Strategy::Recreate => 0,
        Strategy::RollingUpdate { surge: Amount::Pods(pods), .. } => i64::from(pods),
        Strategy::RollingUpdate { surge: Amount::Percent(percent), .. } => {
            let hundredths = i64::from(percent) * i64::from(world.n);
            if hundredths % 100 == 0 { hundredths / 100 } else { hundredths / 100 + 1 }
        }
    }
}

/// maxUnavailable rounds down; if both come to 0, it is 1. Never more than there are to be.
pub fn unavailable(world: &World) -> i64 {
    let n = i64::from(world.n);
    let resolved = match world.strategy {
        Strategy::Recreate => return 0,
        Strategy::RollingUpdate { unavailable: Amount::Pods(pods), .. } => i64::from(pods),
        Strategy::RollingUpdate { unavailable: Amount::Percent(percent), .. } => i64::from(percent) * n / 100,
    };
    let resolved = if resolved == 0 && surge(world) == 0 { 1 } else { resolved };
    resolved.min(n)
}

/// n + surge, but 0 when n is 0.
pub fn limit(world: &World) -> i64 {
    if world.n == 0 { 0 } else { i64::from(world.n) + surge(world) }
}

/// On when both gates are on and the policy is TerminationComplete.
pub fn complete_rule(world: &World) -> bool {
    world.terminating_gate && world.policy_gate && world.policy == Policy::Complete
}

/// T: the sum over all ReplicaSets. An unknown one counts as 0 if its ReplicaSet was never observed, and spoils the sum
/// otherwise.
pub fn terminating<'a>(sets: impl IntoIterator<Item = &'a Set>) -> Result<i64, Unknown> {
    let mut total = 0;
    for set in sets {
        match set.term {
            Some(term) => total += i64::from(term),
            None if set.observed == 0 => {}
            None => return Err(Unknown),
        }
    }
    Ok(total)
}

/// sum(spec).
pub fn sum_of_specs<'a>(sets: impl IntoIterator<Item = &'a Set>) -> i64 {
    sets.into_iter().map(|set| i64::from(set.spec)).sum()
}

/// Places taken under the complete rule: each takes max(spec, stat) + term.
pub fn places<'a>(sets: impl IntoIterator<Item = &'a Set> + Clone) -> Result<i64, Unknown> {
    let pods: i64 = sets.clone().into_iter().map(|set| i64::from(set.spec.max(set.stat))).sum();
    Ok(pods + terminating(sets)?)
}

/// An unsigned decimal up to 2^31-1.
pub fn read(note: Option<&String>) -> Option<i64> {
    let digits = note.filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))?;
    digits.parse().ok().filter(|number| *number <= i64::from(i32::MAX))
}

/// The form of the annotations when a ReplicaSet has what is its.
pub fn complete_notes(world: &World, set: &Set) -> Notes {
    let n = i64::from(world.n);
    Notes {
        desired: Some(n.to_string()),
        max: Some((n + surge(world)).to_string()),
        before: if world.policy_gate { None } else { set.notes.before.clone() },
    }
}

/// Gives a ReplicaSet a size, and the complete form.
pub fn resize(world: &mut World, index: usize, size: i64) {
    world.sets[index].notes = complete_notes(world, &world.sets[index]);
    world.sets[index].spec = i32::try_from(size).unwrap();
}

/// The ReplicaSets that are not the new one, oldest first, of equal age the lower name first.
pub fn old_ones(world: &World) -> Vec<usize> {
    let mut old: Vec<usize> = (0..world.sets.len()).filter(|index| Some(*index) != world.new).collect();
    old.sort_by_key(|index| (world.sets[*index].created, world.sets[*index].name.clone()));
    old
}

/// Those with spec > 0.
pub fn active_ones(world: &World) -> Vec<usize> {
    (0..world.sets.len()).filter(|index| world.sets[*index].spec > 0).collect()
}
