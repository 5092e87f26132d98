//! A sync of a Recreate rollout.

use super::rolling::create_new;
use super::{Unknown, complete_rule, old_ones, places, resize};
use crate::world::{Policy, World};

/// Old ones to 0, the waits, the new one.
pub fn recreate(world: &mut World) -> Result<(), Unknown> {
    let old = old_ones(world);
    let mut wrote = false;
    for index in &old {
        if world.sets[*index].spec > 0 {
            resize(world, *index, 0);
            wrote = true;
        }
    }
    if wrote || must_wait(world, &old) {
        return Ok(());
    }
    create_new(world, new_size)?;
    let size = new_size(world)?;
    let index = world.new.unwrap();
    if size != i64::from(world.sets[index].spec) {
        resize(world, index, size);
    }
    Ok(())
}

/// With TerminationStarted until the old ones count no pods. Otherwise (TerminationComplete is "current behaviour") also
/// until all of their pods have ended: what they say of terminating pods does not matter.
fn must_wait(world: &World, old: &[usize]) -> bool {
    let old = || old.iter().map(|index| &world.sets[*index]);
    let started = world.terminating_gate && world.policy_gate && world.policy == Policy::Started;
    old().any(|set| set.stat > 0) || (!started && old().any(|set| set.running > 0))
}

/// n; under the complete rule the rolling formula applied to the new ReplicaSet alone, limit n.
pub fn new_size(world: &World) -> Result<i64, Unknown> {
    let (n, new) = (i64::from(world.n), &world.sets[world.new.unwrap()]);
    let spec = i64::from(new.spec);
    if !complete_rule(world) || spec >= n {
        return Ok(n);
    }
    let taken = places([new])?;
    if taken >= n { Ok(spec) } else { Ok(spec + (n - taken)) }
}
