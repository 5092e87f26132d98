//! A scaling event, and every sync of a paused Deployment.

use core::cmp::Reverse;

use super::{
    Unknown, active_ones, complete_notes, complete_rule, limit, old_ones, places, read, resize, sum_of_specs, surge,
};
use crate::world::{Set, Strategy, World};

/// Some active ReplicaSet's desired-replicas can be read and differs from n; under the complete rule also: some active
/// ReplicaSet carries replicaset-replicas-before-scale.
pub fn is_scaling_event(world: &World) -> bool {
    let mut active = world.sets.iter().filter(|set| set.spec > 0);
    noted_otherwise(world) || (complete_rule(world) && active.any(|set| set.notes.before.is_some()))
}

/// Some active ReplicaSet's desired-replicas can be read and differs from n: the old controller's scaling event.
pub fn noted_otherwise(world: &World) -> bool {
    let active = world.sets.iter().filter(|set| set.spec > 0);
    active.filter_map(|set| read(set.notes.desired.as_ref())).any(|desired| desired != i64::from(world.n))
}

/// Sizes and annotations of all ReplicaSets, for n.
pub fn scale(world: &mut World) -> Result<(), Unknown> {
    if world.sets.is_empty() {
        return Ok(());
    }
    let active = active_ones(world);
    if active.len() <= 1 {
        let newest_old = old_ones(world).last().copied();
        return scale_one(world, active.first().copied().or(world.new).or(newest_old).unwrap());
    }
    if world.new.is_some_and(|new| is_saturated(world, &world.sets[new])) {
        for index in active {
            if Some(index) != world.new {
                resize(world, index, 0);
            }
        }
        return Ok(());
    }
    if world.strategy == Strategy::Recreate {
        scale_none(world);
        return Ok(());
    }
    scale_many(world)
}

/// room = max(0, limit - sum(spec) - T - sum(surge pods)).
pub fn room(world: &World) -> Result<i64, Unknown> {
    Ok((limit(world) - places(&world.sets)?).max(0))
}

fn scale_one(world: &mut World, index: usize) -> Result<(), Unknown> {
    let (n, spec) = (i64::from(world.n), i64::from(world.sets[index].spec));
    if spec == n {
        // The old controller writes nothing. What only the KEP knows is written even when the size does not change: an
        // unfinished scaling is over, and under the complete rule every scaling event ends, or it would last for ever.
        let unfinished = world.policy_gate && world.sets[index].notes.before.is_some();
        if unfinished || (complete_rule(world) && noted_otherwise(world)) {
            world.sets[index].notes = complete_notes(world, &world.sets[index]);
        }
        return Ok(());
    }
    let size = if complete_rule(world) && spec < n { n.min(spec + room(world)?) } else { n };
    // One that wants no pods and gets none stays inactive: it is not touched.
    if (spec, size) != (0, 0) {
        settle(world, index, size, n);
    }
    Ok(())
}

/// spec = n, desired-replicas = n, available = n. Here desired-replicas is read as Go's Atoi reads, and cut to 32 bits.
fn is_saturated(world: &World, new: &Set) -> bool {
    let desired = new.notes.desired.as_ref().and_then(|text| text.parse::<i64>().ok());
    new.spec == world.n && desired.map(wrapped) == Some(i64::from(world.n)) && new.available == world.n
}

/// What a walk gives to a ReplicaSet.
#[derive(Clone, Debug)]
pub struct Given {
    /// What those before it have left.
    pub left: i64,
    /// Its share of that.
    pub share: i64,
    /// What all shares leave, for the first.
    pub leftover: i64,
    /// Its size then.
    pub size: i64,
}

/// What a ReplicaSet gets in a step of a scaling.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which one it is.
    pub index: usize,
    /// What it gets now.
    pub now: Given,
    /// Its size when the scaling is finished.
    pub full: i64,
}

/// limit - sum(spec).
pub fn to_add(world: &World) -> i64 {
    limit(world) - sum_of_specs(&world.sets)
}

/// What each active ReplicaSet gets, in their order.
pub fn spread(world: &World) -> Result<Vec<Part>, Unknown> {
    let mut active = active_ones(world);
    let to_add = to_add(world);
    let of = |index: &usize| &world.sets[*index];
    if to_add > 0 {
        active.sort_by_key(|index| Reverse((of(index).spec, of(index).created, of(index).name.clone())));
    } else {
        active.sort_by_key(|index| (Reverse(of(index).spec), of(index).created, of(index).name.clone()));
    }
    let full = walk(world, &active, to_add, to_add > 0);
    let now = if complete_rule(world) && to_add > 0 { walk(world, &active, room(world)?, true) } else { full.clone() };
    let parts = active.into_iter().zip(now).zip(full);
    Ok(parts.map(|((index, now), full)| Part { index, now, full: full.size }).collect())
}

/// Recreate shares nothing out. So nothing is owed, and a partial scaling is over, as far as n is what is noted.
fn scale_none(world: &mut World) {
    if world.policy_gate && !noted_otherwise(world) {
        for index in active_ones(world) {
            if world.sets[index].notes.before.is_some() {
                world.sets[index].notes = complete_notes(world, &world.sets[index]);
            }
        }
    }
}

fn scale_many(world: &mut World) -> Result<(), Unknown> {
    for part in spread(world)? {
        settle(world, part.index, part.now.size, part.full);
    }
    Ok(())
}

/// Walks in order; each gets its share but not more than is left; what is left over then goes to the first.
fn walk(world: &World, order: &[usize], amount: i64, adding: bool) -> Vec<Given> {
    let mut left = amount;
    let mut given = Vec::new();
    for index in order {
        let set = &world.sets[*index];
        let mut whole = share(world, set);
        if complete_rule(world) {
            whole = if adding { whole.max(0) } else { whole.min(0) };
        }
        let share = match () {
            () if left == 0 => 0,
            () if adding => whole.min(left),
            () => whole.max(left),
        };
        given.push(Given { left, share, leftover: 0, size: wrapped(i64::from(set.spec) + share) });
        left = wrapped(left - share);
    }
    given[0].leftover = left;
    given[0].size = wrapped(given[0].size + left).max(0);
    given
}

/// round(base * (n + surge) / before) - spec, half away from zero; n = 0: -spec.
pub fn share(world: &World, set: &Set) -> i64 {
    let spec = i64::from(set.spec);
    if world.n == 0 {
        return -spec;
    }
    let before = before(world, set);
    if before == 0 {
        return 0;
    }
    // Kubernetes multiplies in 32 bits.
    let product = wrapped(base(world, set) * (i64::from(world.n) + surge(world)));
    // Half away from zero: twice as large, one more, halved.
    let rounded = (2 * product.abs() + before) / (2 * before) * product.signum();
    wrapped(rounded - spec)
}

/// Its max-replicas annotation; missing, unparsable or 0: the Deployment's status.replicas.
pub fn before(world: &World, set: &Set) -> i64 {
    read(set.notes.max.as_ref()).filter(|max| *max != 0).unwrap_or(i64::from(world.status_replicas))
}

/// Its replicas-before-scale annotation if present and the gate is on, else spec.
pub fn base(world: &World, set: &Set) -> i64 {
    read(set.notes.before.as_ref()).filter(|_| world.policy_gate).unwrap_or(i64::from(set.spec))
}

/// As a 32-bit number, the way Go cuts it.
fn wrapped(number: i64) -> i64 {
    let cut = number.rem_euclid(1 << 32);
    if cut >= 1 << 31 { cut - (1 << 32) } else { cut }
}

/// Partial while its size is below its full size, else complete; written even when the size does not change.
fn settle(world: &mut World, index: usize, size: i64, full: i64) {
    if size >= full {
        return resize(world, index, size);
    }
    let set = &mut world.sets[index];
    if read(set.notes.before.as_ref()).is_none() {
        set.notes.before = Some(set.spec.to_string());
    }
    set.spec = i32::try_from(size).unwrap();
}
