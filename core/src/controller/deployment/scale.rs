//! Scaling: when `spec.replicas` changed, or while the Deployment is paused.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::revision::key;
use super::util::{
    REPLICAS_BEFORE_SCALE, ReplicaSets, by_creation_timestamp, by_size_newer, by_size_older, complete_rule,
    filter_active, find_active_or_latest, get_desired_replicas_annotation, get_replica_count, get_replica_set_fraction,
    get_replica_set_proportion, held, is_rolling_update, is_saturated, limit, max_replicas_before_scale, max_surge,
    need_terminating_replica_count, note_unknown_terminating, replicas_annotations_need_update, replicas_before_scale,
    scale_base, set_replicas_annotations,
};
use crate::controller::client::{record, update_replica_set};
use crate::controller::{Client, Error, Event};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::{Deployment, Kind, ReplicaSet, annotations_mut};
use crate::reason::{Reason, deployment as rule};

/// What a scaled ReplicaSet's annotations say afterwards.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Annotations {
    /// The scaling is finished: desired and greatest number are those of now.
    Complete,
    /// It is owed pods: they stay those of before, and the size from which it started is kept.
    Partial,
}

/// What the terminating pods leave for a scaling event.
struct Room {
    terminating: i32,
    surplus: i32,
    room: i32,
}

/// Scales the only ReplicaSet at once, and several in proportion, which mitigates the risk of a rollout that is going on.
///
/// # Errors
/// A refused write, or (under the complete rule) an unknown number of terminating pods.
///
/// Upstream: `pkg/controller/deployment/sync.go scale`; KEP-5882, Deployment Scaling Changes
pub fn scale(
    client: &mut dyn Client,
    deployment: &Deployment,
    new: Option<&Rc<ReplicaSet>>,
    old: &[Rc<ReplicaSet>],
) -> Result<(), Error> {
    let only = find_active_or_latest(new, old);
    // The order in which upstream's FindActiveOrLatest has left them.
    let mut old = old.to_vec();
    old.sort_by(|a, b| by_creation_timestamp(b, a));
    let all: ReplicaSets = old.iter().chain(new).cloned().collect();
    if let Some(only) = only {
        return scale_only(client, deployment, only, &all);
    }
    if is_saturated(deployment, new) {
        for replica_set in &filter_active(&old) {
            let reason = Reason::new(
                &rule::SCALE_SATURATED,
                [
                    (&replica_set.metadata.name).into(),
                    replica_set.spec.replicas.into(),
                    deployment.spec.replicas.into(),
                ],
            );
            scale_replica_set(client, replica_set, 0, deployment, false, reason)?;
        }
        return Ok(());
    }
    if is_rolling_update(deployment) {
        return scale_proportionally(client, deployment, &all);
    }
    let desired = deployment.spec.replicas;
    if filter_active(&all).iter().any(|replica_set| noted_otherwise(replica_set, desired).is_some()) {
        let reason = Reason::new(&rule::SCALE_NONE, [(&deployment.metadata.name).into(), desired.into()]);
        client.note(&key(deployment), reason);
    }
    Ok(())
}

/// What the annotation says was desired, if that is not so any more.
fn noted_otherwise(replica_set: &ReplicaSet, desired: i32) -> Option<i32> {
    get_desired_replicas_annotation(replica_set).filter(|noted| *noted != desired)
}

/// The only ReplicaSet to scale gets the Deployment's size, as far as there is room.
fn scale_only(
    client: &mut dyn Client,
    deployment: &Deployment,
    only: &Rc<ReplicaSet>,
    all: &[Rc<ReplicaSet>],
) -> Result<(), Error> {
    let (from, desired) = (only.spec.replicas, deployment.spec.replicas);
    if from == desired {
        // Upstream writes nothing. A scaling that was not finished must be, and under the complete rule, where the only
        // ReplicaSet often has the size already while old pods end, every other one too: the rollout would stand still
        // for ever.
        let gates = client.gates();
        let unfinished = only.metadata.annotation(REPLICAS_BEFORE_SCALE).is_some()
            && gates.enabled(Feature::DeploymentPodReplacementPolicy);
        let event = if from > 0 { noted_otherwise(only, desired) } else { None };
        if unfinished || (event.is_some() && complete_rule(deployment, gates)) {
            let reason = annotations_reason(only, deployment);
            scale_replica_set(client, only, from, deployment, true, reason)?;
        } else if let Some(noted) = event {
            let values = [(&only.metadata.name).into(), desired.into(), noted.into()];
            client.note(&only.metadata.key(Kind::ReplicaSet), Reason::new(&rule::SCALE_STUCK, values));
        }
        return Ok(());
    }
    let name = (&only.metadata.name).into();
    if from > desired || !complete_rule(deployment, client.gates()) {
        let rule = if from > 0 { &rule::SCALE } else { &rule::SCALE_LATEST };
        let reason = Reason::new(rule, [name, from.into(), desired.into()]);
        scale_replica_set(client, only, desired, deployment, false, reason)?;
        return Ok(());
    }
    let room = room(client, deployment, all)?;
    let to = desired.min(from.wrapping_add(room.room));
    let [limit, wanted] = [limit(deployment).into(), get_replica_count(all).into()];
    let [terminating, surplus, left] = [room.terminating.into(), room.surplus.into(), room.room.into()];
    let from_value = from.into();
    let reason = if from == to {
        let values = [name, from_value, desired.into(), limit, wanted, terminating, surplus, left];
        Reason::new(&rule::SCALE_WAIT, values)
    } else {
        let values = [name, from_value, desired.into(), limit, wanted, terminating, surplus, left, to.into()];
        Reason::new(&rule::SCALE_COMPLETE, values)
    };
    if to == 0 {
        // It stays inactive, and so untouched.
        client.note(&only.metadata.key(Kind::ReplicaSet), reason);
        return Ok(());
    }
    let annotations = if to < desired { Annotations::Partial } else { Annotations::Complete };
    write_size(client, only, to, deployment, annotations, reason)?;
    Ok(())
}

/// What is left of the limit once every pod that holds a place is counted.
fn room(client: &mut dyn Client, deployment: &Deployment, all: &[Rc<ReplicaSet>]) -> Result<Room, Error> {
    let terminating =
        need_terminating_replica_count(all).inspect_err(|_| note_unknown_terminating(client, deployment, all))?;
    let wanted = get_replica_count(all);
    let surplus = held(all).wrapping_sub(wanted);
    let room = limit(deployment).saturating_sub(wanted).saturating_sub(terminating).saturating_sub(surplus).max(0);
    Ok(Room { terminating, surplus, room })
}

/// What each ReplicaSet gets of so many pods: its share, and for the first what is left over.
struct Walk {
    amount: i32,
    shares: Vec<i32>,
    leftover: i32,
}

impl Walk {
    /// Walks over the ReplicaSets in their order and gives out `amount` of the `to_add` pods.
    fn new(replica_sets: &[Rc<ReplicaSet>], share: impl Fn(&ReplicaSet, i32) -> i32, amount: i32) -> Self {
        let mut added = 0_i32;
        let shares = replica_sets
            .iter()
            .map(|replica_set| {
                let share = share(replica_set, added);
                added = added.wrapping_add(share);
                share
            })
            .collect();
        Self { amount, shares, leftover: amount.wrapping_sub(added) }
    }

    fn share(&self, index: usize) -> i32 {
        self.shares.get(index).copied().unwrap_or(0)
    }

    /// What those before it have left.
    fn left(&self, index: usize) -> i32 {
        self.shares.iter().take(index).fold(self.amount, |left, share| left.wrapping_sub(*share))
    }

    fn leftover(&self, index: usize) -> i32 {
        if index == 0 { self.leftover } else { 0 }
    }

    fn size(&self, index: usize, replica_set: &ReplicaSet) -> i32 {
        let size = replica_set.spec.replicas.wrapping_add(self.share(index));
        // Upstream cuts below 0 only where it adds the leftover.
        if index == 0 { size.wrapping_add(self.leftover).max(0) } else { size }
    }
}

/// Spreads what is to be added or removed over the ReplicaSets with pods, in proportion to their sizes.
fn scale_proportionally(client: &mut dyn Client, deployment: &Deployment, all: &[Rc<ReplicaSet>]) -> Result<(), Error> {
    let gates = client.gates();
    let complete = complete_rule(deployment, gates);
    let mut active = filter_active(all);
    let wanted = get_replica_count(&active);
    let to_add = limit(deployment).wrapping_sub(wanted);
    match to_add {
        1.. => active.sort_by(|a, b| by_size_newer(a, b)),
        0 => {}
        _ => active.sort_by(|a, b| by_size_older(a, b)),
    }
    // A ReplicaSet that is owed pods may have a share of the other sign: under the complete rule it counts as 0.
    let clamp = |share: i32| match to_add {
        _ if !complete => share,
        1.. => share.max(0),
        _ => share.min(0),
    };
    let full = Walk::new(
        &active,
        |replica_set, added| clamp(get_replica_set_proportion(replica_set, deployment, to_add, added, gates)),
        to_add,
    );
    let whole_at_once = !complete || to_add <= 0;
    let places =
        if whole_at_once { Room { terminating: 0, surplus: 0, room: to_add } } else { room(client, deployment, all)? };
    let Room { terminating, surplus, room } = places;
    let now = if whole_at_once {
        None
    } else {
        Some(Walk::new(
            &active,
            |replica_set, added| clamp(get_replica_set_proportion(replica_set, deployment, room, added, gates)),
            room,
        ))
    };
    let now = now.as_ref().unwrap_or(&full);
    for (index, replica_set) in active.iter().enumerate() {
        // With nothing to add, sizes stay as they are, whatever the shares would be.
        let size = |walk: &Walk| if to_add == 0 { replica_set.spec.replicas } else { walk.size(index, replica_set) };
        let (to, whole) = (size(now), size(&full));
        let owed = whole.wrapping_sub(to);
        let partial = owed > 0;
        let before = max_replicas_before_scale(replica_set, deployment);
        let [name, from, to_value, limit, ratio] = [
            (&replica_set.metadata.name).into(),
            replica_set.spec.replicas.into(),
            to.into(),
            limit(deployment).into(),
            ratio(limit(deployment), before).into(),
        ];
        let base = scale_base(replica_set, gates).into();
        let whole_share = get_replica_set_fraction(replica_set, deployment, gates).into();
        let (left, share, leftover) = (now.left(index).into(), now.share(index).into(), now.leftover(index).into());
        // Under the complete rule each ReplicaSet says what it gets of the room, also one that gets all that is its.
        let reason = if partial && before == 0 {
            let values = [
                name,
                from,
                to_value,
                limit,
                wanted.into(),
                to_add.into(),
                leftover,
                terminating.into(),
                surplus.into(),
                room.into(),
                whole.into(),
                owed.into(),
            ];
            Reason::new(&rule::SCALE_PARTIAL_LEFTOVER, values)
        } else if !whole_at_once && before != 0 {
            let values = [
                name,
                from,
                to_value,
                limit,
                wanted.into(),
                to_add.into(),
                base,
                before.into(),
                ratio,
                whole_share,
                left,
                share,
                leftover,
                terminating.into(),
                surplus.into(),
                room.into(),
                whole.into(),
                owed.into(),
            ];
            let rule = match owed {
                1.. => &rule::SCALE_PARTIAL,
                _ if to == replica_set.spec.replicas => &rule::SCALE_KEPT,
                _ => &rule::SCALE_WHOLE,
            };
            Reason::new(rule, values)
        } else if to == replica_set.spec.replicas {
            annotations_reason(replica_set, deployment)
        } else if deployment.spec.replicas == 0 && to == 0 {
            Reason::new(&rule::SCALE_ZERO, [name, from])
        } else if before == 0 {
            let values = [name, from, to_value, limit, wanted.into(), to_add.into(), leftover];
            Reason::new(&rule::SCALE_LEFTOVER, values)
        } else {
            let values = [
                name,
                from,
                to_value,
                limit,
                wanted.into(),
                to_add.into(),
                base,
                before.into(),
                ratio,
                whole_share,
                left,
                share,
                leftover,
            ];
            let rule = if to_add < 0 { &rule::SCALE_PROPORTIONAL_DOWN } else { &rule::SCALE_PROPORTIONAL };
            Reason::new(rule, values)
        };
        if partial {
            write_size(client, replica_set, to, deployment, Annotations::Partial, reason)?;
        } else if whole_at_once || to != replica_set.spec.replicas || annotations_differ(replica_set, deployment, gates)
        {
            scale_replica_set(client, replica_set, to, deployment, true, reason)?;
        } else {
            client.note(&replica_set.metadata.key(Kind::ReplicaSet), reason);
        }
    }
    Ok(())
}

/// The new limit by that of before, as the KEP's tables have it: `1.182`.
fn ratio(limit: i32, before: i32) -> String {
    let thousandths = i64::from(limit).saturating_mul(2_000).saturating_add(i64::from(before));
    let Some(thousandths) = thousandths.checked_div(i64::from(before).saturating_mul(2)) else {
        return String::from("none");
    };
    alloc::format!("{}.{:03}", thousandths.wrapping_div(1_000), thousandths.wrapping_rem(1_000))
}

/// Whether the annotations are not those of a finished scaling.
fn annotations_differ(replica_set: &ReplicaSet, deployment: &Deployment, gates: FeatureGates) -> bool {
    let desired = deployment.spec.replicas;
    replicas_annotations_need_update(replica_set, desired, desired.wrapping_add(max_surge(deployment)), gates)
}

fn annotations_reason(replica_set: &ReplicaSet, deployment: &Deployment) -> Reason {
    let desired = deployment.spec.replicas;
    Reason::new(
        &rule::SCALE_ANNOTATIONS,
        [
            (&replica_set.metadata.name).into(),
            replica_set.spec.replicas.into(),
            desired.into(),
            desired.wrapping_add(max_surge(deployment)).into(),
        ],
    )
}

/// Gives a ReplicaSet its size; without `force_update` only where the size differs. Whether it was scaled, and the
/// ReplicaSet as it is then.
///
/// # Errors
/// A refused write.
///
/// Upstream: `pkg/controller/deployment/sync.go scaleReplicaSet`
pub(super) fn scale_replica_set(
    client: &mut dyn Client,
    replica_set: &Rc<ReplicaSet>,
    new_scale: i32,
    deployment: &Deployment,
    force_update: bool,
    reason: Reason,
) -> Result<(bool, Rc<ReplicaSet>), Error> {
    if !force_update && replica_set.spec.replicas == new_scale {
        return Ok((false, replica_set.clone()));
    }
    write_size(client, replica_set, new_scale, deployment, Annotations::Complete, reason)
}

/// Writes size and annotations, where either differs.
fn write_size(
    client: &mut dyn Client,
    replica_set: &Rc<ReplicaSet>,
    to: i32,
    deployment: &Deployment,
    annotations: Annotations,
    reason: Reason,
) -> Result<(bool, Rc<ReplicaSet>), Error> {
    let gates = client.gates();
    let from = replica_set.spec.replicas;
    let annotations_differ = match annotations {
        Annotations::Complete => annotations_differ(replica_set, deployment, gates),
        Annotations::Partial => replicas_before_scale(replica_set).is_none(),
    };
    if from == to && !annotations_differ {
        if annotations == Annotations::Partial {
            client.note(&replica_set.metadata.key(Kind::ReplicaSet), reason);
        }
        return Ok((false, replica_set.clone()));
    }
    let mut updated = replica_set.clone();
    let copy = Rc::make_mut(&mut updated);
    Rc::make_mut(&mut copy.spec).replicas = to;
    match annotations {
        Annotations::Complete => {
            let desired = deployment.spec.replicas;
            set_replicas_annotations(copy, desired, desired.wrapping_add(max_surge(deployment)), gates);
        }
        Annotations::Partial => {
            // The size from which the scaling started stays through its later steps, if it can be read.
            if annotations_differ {
                annotations_mut(&mut copy.metadata).insert(REPLICAS_BEFORE_SCALE.to_string(), from.to_string());
            }
        }
    }
    let updated = update_replica_set(client, updated, reason)?;
    if from == to {
        return Ok((false, updated));
    }
    record(client, &key(deployment), || {
        let (direction, name) = (if from < to { "up" } else { "down" }, &updated.metadata.name);
        let (from, to) = (from.to_string(), to.to_string());
        let message = ["Scaled ", direction, " replica set ", name, " from ", &from, " to ", &to].concat();
        Event::normal("ScalingReplicaSet", &message)
    });
    Ok((true, updated))
}
