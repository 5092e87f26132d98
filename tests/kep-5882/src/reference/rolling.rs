//! A sync of a rolling update.

use super::{Unknown, complete_rule, limit, old_ones, places, resize, sum_of_specs, unavailable};
use crate::world::{Notes, Set, World};

/// The new ReplicaSet is created if need be, then sized; if that wrote nothing, the old ones are.
pub fn rolling(world: &mut World) -> Result<(), Unknown> {
    create_new(world, new_size)?;
    if !reconcile_new(world)? {
        reconcile_old(world);
    }
    Ok(())
}

/// Creates the new ReplicaSet where there is none.
pub fn create_new(world: &mut World, size: fn(&World) -> Result<i64, Unknown>) -> Result<(), Unknown> {
    if world.new.is_some() {
        return Ok(());
    }
    let index = add_new(world, "created");
    match size(world) {
        Ok(size) => resize(world, index, size),
        Err(unknown) => {
            world.sets.pop();
            return Err(unknown);
        }
    }
    Ok(())
}

/// Adds a new ReplicaSet without pods.
pub fn add_new(world: &mut World, name: &str) -> usize {
    let index = world.sets.len();
    world.sets.push(Set {
        name: name.into(),
        created: i64::MAX,
        spec: 0,
        stat: 0,
        term: None,
        available: 0,
        observed: 0,
        running: 0,
        notes: Notes::default(),
    });
    world.new = Some(index);
    index
}

/// The size of the new ReplicaSet.
pub fn new_size(world: &World) -> Result<i64, Unknown> {
    let (n, spec) = (i64::from(world.n), i64::from(world.sets[world.new.unwrap()].spec));
    if spec >= n {
        return Ok(n);
    }
    let taken = if complete_rule(world) { places(&world.sets)? } else { sum_of_specs(&world.sets) };
    if taken >= limit(world) { Ok(spec) } else { Ok(spec + (limit(world) - taken).min(n - spec)) }
}

/// Sizes the new ReplicaSet; whether that wrote anything.
pub fn reconcile_new(world: &mut World) -> Result<bool, Unknown> {
    let index = world.new.unwrap();
    let size = new_size(world)?;
    let writes = size != i64::from(world.sets[index].spec);
    if writes {
        resize(world, index, size);
    }
    Ok(writes)
}

/// Old ReplicaSets go down: unavailable pods first, then available ones down to min available.
///
/// An old ReplicaSet that says that more pods are available than it wants stops this where it is, without an error, as in
/// Kubernetes.
pub fn reconcile_old(world: &mut World) {
    let new = world.sets[world.new.unwrap()].clone();
    let min_available = i64::from(world.n) - unavailable(world);
    // As in Kubernetes, the pods of an old ReplicaSet that wants none any more are not relied on.
    let counted = (0..world.sets.len()).filter(|index| Some(*index) == world.new || world.sets[*index].spec > 0);
    let available: i64 = counted.map(|index| i64::from(world.sets[index].available)).sum();

    let unavailable_of_new = i64::from(new.spec) - i64::from(new.available);
    let mut may_go = sum_of_specs(&world.sets) - min_available - unavailable_of_new;
    if may_go <= 0 || old_ones(world).iter().all(|index| world.sets[*index].spec == 0) {
        return;
    }
    for index in old_ones(world) {
        let (spec, available) = (i64::from(world.sets[index].spec), i64::from(world.sets[index].available));
        if spec == 0 || may_go == 0 || spec == available {
            continue;
        }
        if available > spec {
            return;
        }
        let going = may_go.min(spec - available);
        may_go -= going;
        resize(world, index, spec - going);
    }

    let mut may_go = available - min_available;
    for index in old_ones(world) {
        let spec = i64::from(world.sets[index].spec);
        let going = may_go.min(spec);
        if going > 0 {
            may_go -= going;
            resize(world, index, spec - going);
        }
    }
}
