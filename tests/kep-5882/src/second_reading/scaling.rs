//! Scaling: how a change of `spec.replicas` reaches the ReplicaSets, and how it waits for terminating pods.

use super::annotations::{non_negative_int32, wrapped_int32, write_if_resized, write_part, write_whole};
use super::numbers::{deployment_max_replicas, int32, round};
use super::order::{active, largest_then_newest, largest_then_oldest, oldest_first};
use super::pods::{room, total_replicas};
use crate::settlement::Settlement;
use crate::world::{Outcome, ReplicaSet, UnknownCount, World};

/// True if `spec.replicas` changed and the ReplicaSets don't have their share yet.
///
/// Today: `isScalingEvent` (sync.go), which compares `desired-replicas` of the active ReplicaSets.
///
/// KEP: "And we have to postpone scaling to the future when terminating pods disappear." "This annotation will be
/// removed once the partial scaling is complete." So the scaling continues while a ReplicaSet has the annotation, even
/// if `spec.replicas` is back at the number in `desired-replicas`.
pub fn is_scaling_event(world: &World) -> bool {
    let is_partial = |set: &ReplicaSet| set.is_active() && set.annotations.before.is_some();
    is_resized(world) || (world.counts_terminating() && world.sets.iter().any(is_partial))
}

/// True if `desired-replicas` of an active ReplicaSet differs from `spec.replicas`: today's scaling event.
pub fn is_resized(world: &World) -> bool {
    world.sets.iter().any(|set| is_set_resized(world, set))
}

fn is_set_resized(world: &World, set: &ReplicaSet) -> bool {
    let desired = non_negative_int32(set.annotations.desired.as_ref());
    set.is_active() && desired.is_some_and(|desired| desired != world.replicas)
}

/// Sizes the ReplicaSets after a change of `spec.replicas`.
///
/// Today: `scale` (sync.go).
///
/// # Errors
///
/// If a ReplicaSet should grow under TerminationComplete and a count of terminating pods is unknown.
pub fn scale(world: &World) -> Outcome {
    if let Some(index) = active_or_latest(world) {
        return scale_only(world, index);
    }
    if is_saturated(world) {
        return Ok(drop_old(world));
    }
    if world.is_rolling() { scale_in_proportion(world) } else { Ok(scale_recreate(world)) }
}

/// Today: `FindActiveOrLatest` (deployment_util.go), "the only active or the latest replica set in case there is at
/// most one active replica set."
fn active_or_latest(world: &World) -> Option<usize> {
    match active(&world.sets).as_slice() {
        [] => world.new.or_else(|| oldest_first(&world.sets, world.old()).last().copied()),
        [only] => Some(*only),
        _ => None,
    }
}

/// Today: `IsSaturated` (deployment_util.go).
fn is_saturated(world: &World) -> bool {
    world.new_set().is_some_and(|new| {
        new.replicas == world.replicas
            && wrapped_int32(new.annotations.desired.as_ref()) == Some(world.replicas)
            && new.available == world.replicas
    })
}

/// Today: in `scale` (sync.go), "If the new replica set is saturated, old replica sets should be fully scaled down."
fn drop_old(world: &World) -> Vec<ReplicaSet> {
    let mut sets = world.sets.clone();
    for index in world.old() {
        write_if_resized(world, &mut sets[index], 0);
    }
    sets
}

/// Scales the only ReplicaSet.
///
/// KEP: "When scaling up across one or more ReplicaSets, we should consider terminating pods of all ReplicaSets as well
/// and not spawn replicas that would be higher than Deployment's .spec.replicas +
/// .spec.strategy.rollingUpdate.maxSurge." "Changing scaling down logic is not necessary, and we can scale down as many
/// pods as we want".
fn scale_only(world: &World, index: usize) -> Outcome {
    let mut sets = world.sets.clone();
    let set = &mut sets[index];
    let missing = world.replicas - set.replicas;
    if missing == 0 {
        // The size is already right. If the ReplicaSet still has the annotation of a partial scaling, remove it.
        if has_to_end(world, set) {
            write_whole(world, set, world.replicas);
        }
        return Ok(sets);
    }
    if missing < 0 || !world.counts_terminating() {
        write_whole(world, set, world.replicas);
        return Ok(sets);
    }
    let room = room(world, &world.sets)?;
    if set.replicas + room == 0 && world.is_settled(Settlement::InactiveReplicaSetIsNotAnnotated) {
        return Ok(sets);
    }
    if room < missing {
        let size = set.replicas + room;
        write_part(set, size);
    } else {
        write_whole(world, set, world.replicas);
    }
    Ok(sets)
}

/// True if the ReplicaSet has its size, but its scaling still needs to be marked as finished.
fn has_to_end(world: &World, set: &ReplicaSet) -> bool {
    let is_counted = world.counts_terminating()
        || (world.gates.allow_policy() && world.is_settled(Settlement::AnnotationCountsUnderEveryPolicy));
    let is_resized = world.counts_terminating() && is_set_resized(world, set);
    (is_counted && set.annotations.before.is_some())
        || (is_resized && world.is_settled(Settlement::ReachedSizeEndsScaling))
}

/// Scales several ReplicaSets of a Deployment with the strategy Recreate. As today, it changes nothing.
fn scale_recreate(world: &World) -> Vec<ReplicaSet> {
    let mut sets = world.sets.clone();
    let ends = world.is_settled(Settlement::RecreateEndsPartialScaling);
    if ends && world.gates.allow_policy() && !is_resized(world) {
        for set in sets.iter_mut().filter(|set| set.is_active() && set.annotations.before.is_some()) {
            let size = set.replicas;
            write_whole(world, set, size);
        }
    }
    sets
}

/// Scales several ReplicaSets in proportion.
///
/// Today: in `scale` (sync.go), "We need to proportionally scale all replica sets (new and old) in case of a rolling
/// deployment."
///
/// KEP: "With the TerminationComplete PodReplacementPolicy, scaling cannot proceed immediately if there are terminating
/// pods present, in order to adhere to the Deployment constraints. We need to scale some ReplicaSets fully and some
/// partially."
fn scale_in_proportion(world: &World) -> Outcome {
    let mut sets = world.sets.clone();
    for Portion { index, size, is_partial, .. } in portions(world)? {
        if is_partial {
            write_part(&mut sets[index], size);
        } else {
            write_whole(world, &mut sets[index], size);
        }
    }
    Ok(sets)
}

/// The result for one ReplicaSet when several are scaled in proportion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Portion {
    /// Its position in the world.
    pub index: usize,
    /// How many replicas are left after the ReplicaSets before it.
    pub left: i64,
    /// Its share of them.
    pub share: i64,
    /// What rounding leaves over from all shares, if this is the largest ReplicaSet.
    pub leftover: i64,
    /// Its size afterward.
    pub size: i64,
    /// Its size if no pods were terminating.
    pub full: i64,
    /// True if it is scaled partially.
    pub is_partial: bool,
}

/// The portion of each active ReplicaSet when several are scaled in proportion, in the order in which they are visited.
///
/// # Errors
///
/// If one should grow under TerminationComplete and a count of terminating pods is unknown.
pub fn portions(world: &World) -> Result<Vec<Portion>, UnknownCount> {
    let visited = active(&world.sets);
    let whole = missing(world);
    let visited = match whole {
        1.. => largest_then_newest(&world.sets, visited),
        0 => visited,
        _ => largest_then_oldest(&world.sets, visited),
    };
    let waits = world.counts_terminating() && whole > 0;
    let to_add = if waits { room(world, &world.sets)? } else { whole };

    let full = sizes_in_proportion(world, &visited, whole);
    let mut portions = sizes_in_proportion(world, &visited, to_add);
    for (portion, full) in portions.iter_mut().zip(full) {
        portion.full = full.size;
    }
    if waits {
        mark_partial(world, &mut portions);
    }
    Ok(portions)
}

/// The total size that all ReplicaSets may have.
pub fn allowed_size(world: &World) -> i64 {
    if world.replicas > 0 { deployment_max_replicas(world) } else { 0 }
}

/// How many replicas the ReplicaSets are short of in total.
pub fn missing(world: &World) -> i64 {
    allowed_size(world) - total_replicas(&world.sets)
}

/// The new sizes of the visited ReplicaSets if they get `to_add` replicas in total.
///
/// KEP: "The leftover pods are added to the largest ReplicaSet".
fn sizes_in_proportion(world: &World, visited: &[usize], to_add: i64) -> Vec<Portion> {
    let mut added = 0;
    let mut portions = Vec::new();
    for index in visited {
        let set = &world.sets[*index];
        let (left, share) = (int32(to_add - added), proportion(world, set, to_add, added));
        let size = int32(set.replicas + share);
        portions.push(Portion { index: *index, left, share, leftover: 0, size, full: size, is_partial: false });
        added = int32(added + share);
    }
    if let Some(largest) = portions.first_mut() {
        largest.leftover = int32(to_add - added);
        if to_add != 0 {
            largest.size = int32(largest.size + largest.leftover).max(0);
        }
    }
    portions
}

/// One ReplicaSet's part of `to_add`.
///
/// Today: `GetReplicaSetProportion` (deployment_util.go).
///
/// KEP: "We still adhere to all deployment constraints". Under TerminationComplete a scale up shrinks no ReplicaSet:
/// another one would get the replicas while their pods still terminate.
fn proportion(world: &World, set: &ReplicaSet, to_add: i64, added: i64) -> i64 {
    if to_add == 0 || to_add == added {
        return 0;
    }
    let fraction = fraction(world, set);
    let allowed = int32(to_add - added);
    if to_add > 0 {
        let fraction = if world.counts_terminating() { fraction.max(0) } else { fraction };
        fraction.min(allowed)
    } else {
        let fraction = if world.counts_terminating() { fraction.min(0) } else { fraction };
        fraction.max(allowed)
    }
}

/// How many replicas separate a ReplicaSet from its proportional size.
///
/// KEP: "newReplicaSetReplicas = replicasBeforeScale * deploymentMaxReplicas / deploymentMaxReplicasBeforeScale. This
/// is currently done in the getReplicaSetFraction function." "These two ReplicaSet annotation will be used to calculate
/// the original scale ratio for the partial scaling."
pub fn fraction(world: &World, set: &ReplicaSet) -> i64 {
    if world.replicas == 0 {
        return -set.replicas;
    }
    let max_before_scale = max_replicas_before_scale(world, set);
    if max_before_scale == 0 {
        return 0;
    }
    let product = int32(replicas_before_scale(world, set) * deployment_max_replicas(world));
    int32(round(product, max_before_scale) - set.replicas)
}

/// `deploymentMaxReplicasBeforeScale` of the KEP's formula.
///
/// Today: in `getReplicaSetFraction`, `status.replicas` of the Deployment if the annotation can't be used.
pub fn max_replicas_before_scale(world: &World, set: &ReplicaSet) -> i64 {
    let annotated = non_negative_int32(set.annotations.max.as_ref()).filter(|max| *max != 0);
    annotated.unwrap_or(world.status.replicas)
}

/// KEP: "`replicasBeforeScale`: The .spec.replicas of the ReplicaSet before the scaling began." If no partial scaling
/// is under way, or its annotation can't be read: the current size.
pub fn replicas_before_scale(world: &World, set: &ReplicaSet) -> i64 {
    let is_read = world.counts_terminating()
        || (world.gates.allow_policy() && world.is_settled(Settlement::AnnotationCountsUnderEveryPolicy));
    let annotated = non_negative_int32(set.annotations.before.as_ref()).filter(|_| is_read);
    annotated.unwrap_or(set.replicas)
}

/// Marks the ReplicaSets that a scale up scales partially.
///
/// KEP: "At T2, a ful scale was done for RS1 with a ratio of 1.182." RS1 has its proportion then, but not the leftover
/// pods that it gets at T3 and T4. So a ReplicaSet is fully scaled once it has its proportion. If all of them have
/// theirs and leftover pods are still missing, the largest ReplicaSet, which gets them, is partially scaled.
fn mark_partial(world: &World, portions: &mut [Portion]) {
    if world.is_settled(Settlement::LeftoverCountsAsOwed) {
        for portion in portions {
            portion.is_partial = portion.size < portion.full;
        }
        return;
    }
    if portions.iter().map(|portion| portion.size).sum::<i64>() >= allowed_size(world) {
        return;
    }
    for portion in portions.iter_mut() {
        let set = &world.sets[portion.index];
        portion.is_partial = portion.size < set.replicas + fraction(world, set);
    }
    if !portions.iter().any(|portion| portion.is_partial)
        && let Some(largest) = portions.first_mut()
    {
        largest.is_partial = true;
    }
}

#[cfg(test)]
mod tests {
    use crate::second_reading::sample::{annotated, partially_scaled, rolling, set, sizes, world};
    use crate::world::{Gates, Policy, ReplicaSet, Strategy, UnknownCount, World};

    use super::{is_scaling_event, scale};

    #[test]
    fn one_replica_set_stops_at_the_limit() {
        let a = annotated(set("a", 5, 4), 5, 7);
        let world = World { strategy: rolling(2, 0), new: Some(0), ..world(10, vec![a]) };
        let sets = scale(&world).unwrap();
        assert_eq!(sizes(&sets), [8]);
        assert_eq!(sets[0].annotations, partially_scaled(annotated(set("a", 0, 0), 5, 7), 5).annotations);

        let ended = World { sets: vec![ReplicaSet { terminating: Some(2), ..sets[0].clone() }], ..world };
        assert!(is_scaling_event(&ended));
        let sets = scale(&ended).unwrap();
        assert_eq!(sizes(&sets), [10]);
        assert_eq!(sets[0].annotations, annotated(set("a", 0, 0), 10, 12).annotations);
    }

    #[test]
    fn recreate_has_no_surge() {
        let a = annotated(set("a", 5, 3), 5, 5);
        let world = World { strategy: Strategy::Recreate, new: Some(0), ..world(8, vec![a]) };
        assert_eq!(sizes(&scale(&world).unwrap()), [5]);
        let started = World { policy: Policy::Started, ..world.clone() };
        assert_eq!(sizes(&scale(&started).unwrap()), [8]);
        let unset = World { policy: Policy::Nil, ..world };
        assert_eq!(sizes(&scale(&unset).unwrap()), [8]);
    }

    #[test]
    fn pods_of_inactive_replica_sets_count() {
        let gone = ReplicaSet { status_replicas: 2, ..set("a", 0, 1) };
        let b = annotated(set("b", 5, 0), 5, 5);
        let world = World { strategy: rolling(0, 1), new: Some(1), ..world(9, vec![gone, b]) };
        assert_eq!(sizes(&scale(&world).unwrap()), [0, 6]);
    }

    #[test]
    fn scaling_down_needs_no_count() {
        let a = ReplicaSet { terminating: None, ..annotated(set("a", 5, 0), 5, 5) };
        let down = World { strategy: rolling(0, 1), new: Some(0), ..world(3, vec![a.clone()]) };
        assert_eq!(sizes(&scale(&down).unwrap()), [3]);
        let up = World { replicas: 7, ..down };
        assert_eq!(scale(&up), Err(UnknownCount));
    }

    #[test]
    fn a_waiting_leftover_is_recorded_on_the_largest() {
        // 40 * 101/100 is 40, and 30 * 101/100 is 30: every ReplicaSet has its proportion, and one pod is left over.
        let sets = vec![annotated(set("a", 40, 1), 100, 100), annotated(set("b", 30, 0), 100, 100)];
        let sets = [sets, vec![annotated(set("c", 30, 0), 100, 100)]].concat();
        let world = World { strategy: rolling(0, 1), new: Some(2), ..world(101, sets) };
        let waiting = scale(&world).unwrap();
        assert_eq!(sizes(&waiting), [40, 30, 30]);
        assert_eq!(waiting[0].annotations, partially_scaled(annotated(set("a", 0, 0), 100, 100), 40).annotations);
        assert_eq!(waiting[1].annotations, annotated(set("b", 0, 0), 101, 101).annotations);

        let mut ended = World { sets: waiting, ..world };
        ended.sets[0].terminating = Some(0);
        assert!(is_scaling_event(&ended));
        let done = scale(&ended).unwrap();
        assert_eq!(sizes(&done), [41, 30, 30]);
        assert!(done.iter().all(|set| set.annotations == annotated(set.clone(), 101, 101).annotations));
    }

    #[test]
    fn a_reverted_scaling_returns_to_the_original_sizes() {
        // 8 replicas, then 16 while 4 pods terminate: the newer ReplicaSet gets its whole share, the older one gets
        // nothing.
        let sets = vec![annotated(set("a", 4, 4), 8, 8), annotated(set("b", 4, 0), 8, 8)];
        let up = World { strategy: rolling(0, 1), new: Some(1), ..world(16, sets) };
        let sets = scale(&up).unwrap();
        assert_eq!(sizes(&sets), [4, 8]);
        assert_eq!(sets[0].annotations, partially_scaled(annotated(set("a", 0, 0), 8, 8), 4).annotations);
        assert_eq!(sets[1].annotations, annotated(set("b", 0, 0), 16, 16).annotations);

        let back = World { replicas: 8, sets, ..up };
        assert!(is_scaling_event(&back));
        let sets = scale(&back).unwrap();
        assert_eq!(sizes(&sets), [4, 4]);
        assert!(sets.iter().all(|set| set.annotations == annotated(set.clone(), 8, 8).annotations));
        assert!(!is_scaling_event(&World { sets, ..back }));
    }

    #[test]
    fn a_reverted_scaling_of_one_replica_set_loses_its_annotation() {
        // 5 replicas, then 9 while 2 pods terminate, then 7: the size is already 7.
        let a = annotated(set("a", 5, 2), 5, 5);
        let up = World { strategy: rolling(0, 1), new: Some(0), ..world(9, vec![a]) };
        let sets = scale(&up).unwrap();
        assert_eq!(sizes(&sets), [7]);
        let back = World { replicas: 7, sets, ..up };
        let sets = scale(&back).unwrap();
        assert_eq!(sets[0].annotations, annotated(set("a", 0, 0), 7, 7).annotations);
    }

    /// The policy is removed between T2 and T3 of the KEP's table 2. Current behavior scales from the current size.
    #[test]
    fn a_partial_scaling_ends_under_another_policy() {
        let sets = vec![
            annotated(set("a", 59, 15), 120, 130),
            annotated(set("b", 35, 0), 120, 130),
            partially_scaled(annotated(set("c", 21, 0), 100, 110), 20),
        ];
        let world = World { policy: Policy::Nil, strategy: rolling(10, 0), new: Some(2), ..world(120, sets) };
        assert!(is_scaling_event(&world));
        let sets = scale(&world).unwrap();
        assert_eq!(sizes(&sets), [70, 35, 25]);
        assert!(sets.iter().all(|set| set.annotations == annotated(set.clone(), 120, 130).annotations));
    }

    #[test]
    fn with_the_gate_off_the_annotation_has_no_effect() {
        let a = partially_scaled(annotated(set("a", 8, 8), 10, 10), 5);
        let off = Gates { terminating_replicas: true, pod_replacement_policy: false };
        let world = World { gates: off, strategy: rolling(0, 1), new: Some(0), ..world(10, vec![a]) };
        assert!(!is_scaling_event(&world));
        let sets = scale(&world).unwrap();
        assert_eq!(sizes(&sets), [10]);
        assert_eq!(sets[0].annotations.before.as_deref(), Some("5"));
    }
}
