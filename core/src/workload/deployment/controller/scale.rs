//! Scaling: when `spec.replicas` changed, or while the Deployment is paused.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::ToString;
use alloc::vec::Vec;

use super::util::{
    Fraction, Proportion, REPLICAS_BEFORE_SCALE, ReplicaSetOrder, ReplicaSets, SizeError, allowed_size,
    by_creation_timestamp, by_size_newer, by_size_older, complete_rule, filter_active, find_active_or_latest,
    get_desired_replicas_annotation, get_replica_count, get_replica_set_proportion, held, is_rolling_update,
    is_saturated, max_replicas, need_terminating_replica_count, replicas_annotations_need_update,
    replicas_before_scale, resized, set_replicas_annotations, sort_replica_sets,
};
use super::writes::update_replica_set;
use crate::controller::client::record;
use crate::controller::{Client, Error, Event};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::annotations_mut;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::decision::{Decision, Scaled};
use crate::workload::replica_set::ReplicaSet;

/// What to write into a ReplicaSet's annotations along with its size: the two modes of upstream's scaleReplicaSet, and a
/// third one for a scaling in steps.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Annotations {
    /// The scaling is finished: desired and greatest number are those of now. Written only with a new size (upstream:
    /// without forceUpdate).
    WithSize,
    /// The same, written also if the size stays (upstream: with forceUpdate).
    Complete {
        /// The greatest number: spec.replicas + maxSurge of the Deployment.
        max: i32,
    },
    /// The scaling is unfinished: the annotations keep their old values, and another one keeps the size before it.
    Partial,
}

/// Scales the only ReplicaSet at once, and several in proportion to their sizes.
///
/// In proportion, since growing only the new ReplicaSet, or shrinking only the old ones, would hasten the rollout: more
/// pods would be unavailable if its template turns out to be broken.
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
    let active_or_latest = find_active_or_latest(new, old);
    // The order in which upstream's FindActiveOrLatest leaves them.
    let mut old = old.to_vec();
    sort_replica_sets(&mut old, by_creation_timestamp);
    old.reverse();
    let all: ReplicaSets = old.iter().chain(new).cloned().collect();
    let desired = deployment.spec.replicas;
    // One ReplicaSet has pods, or none has: that one, or the newest, gets all of them.
    if let Some(active_or_latest) = active_or_latest {
        if active_or_latest.spec.replicas == desired {
            return keep_only(client, active_or_latest, deployment);
        }
        return scale_only(client, active_or_latest, deployment, &all);
    }
    // Old ReplicaSets still have pods, for example because they were adopted.
    if is_saturated(deployment, new) {
        for replica_set in &filter_active(&old) {
            let decision = Decision::ScaleSaturated { resized: resized(replica_set, 0), desired };
            scale_replica_set(client, replica_set, 0, deployment, Annotations::WithSize, decision)?;
        }
        return Ok(());
    }
    // Several ReplicaSets have pods, and the new one is not saturated.
    if is_rolling_update(deployment) {
        let sizes = proportional_sizes(deployment, &all, client.gates()).map_err(|error| error.report(client))?;
        // The writes of upstream's second loop.
        let max = max_replicas(deployment);
        for (replica_set, scaled) in sizes {
            let annotations = if scaled.owed > 0 { Annotations::Partial } else { Annotations::Complete { max } };
            let new_scale = scaled.to;
            let decision = scale_in_proportion(&replica_set, scaled, desired, max);
            scale_replica_set(client, &replica_set, new_scale, deployment, annotations, decision)?;
        }
        return Ok(());
    }
    scale_none(client, deployment, &filter_active(&all))
}

/// The annotation's desired replicas, if they differ from the current ones.
pub(super) fn outdated_desired_replicas(replica_set: &ReplicaSet, desired: i32) -> Option<i32> {
    get_desired_replicas_annotation(replica_set).filter(|noted| *noted != desired)
}

/// Whether the ReplicaSet was scaled only in part.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
pub(super) fn is_partial(replica_set: &ReplicaSet, gates: FeatureGates) -> bool {
    gates.enabled(Feature::DeploymentPodReplacementPolicy)
        && replica_set.metadata.annotation(REPLICAS_BEFORE_SCALE).is_some()
}

/// Scales none of several ReplicaSets: under Recreate they have no shares. So no scaling stays unfinished.
fn scale_none(client: &mut dyn Client, deployment: &Deployment, active: &[Rc<ReplicaSet>]) -> Result<(), Error> {
    let desired = deployment.spec.replicas;
    if active.iter().any(|replica_set| outdated_desired_replicas(replica_set, desired).is_some()) {
        let deployment = deployment.metadata.name.clone();
        client.note(Decision::ScaleNone { deployment, desired }.into());
        return Ok(());
    }
    for replica_set in active {
        if is_partial(replica_set, client.gates()) {
            finish_scaling(client, replica_set, deployment)?;
        }
    }
    Ok(())
}

/// Ends the scaling of the only ReplicaSet, which has the desired size already.
///
/// Upstream writes nothing here. An unfinished scaling must be completed. Under the complete rule, where the only ReplicaSet
/// often has its size while old pods end, any other one must be completed too, or else the rollout would never continue.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
fn keep_only(client: &mut dyn Client, only: &Rc<ReplicaSet>, deployment: &Deployment) -> Result<(), Error> {
    let (gates, desired) = (client.gates(), deployment.spec.replicas);
    let noted = if desired > 0 { outdated_desired_replicas(only, desired) } else { None };
    match noted {
        _ if is_partial(only, gates) => finish_scaling(client, only, deployment),
        Some(_) if complete_rule(deployment, gates) => finish_scaling(client, only, deployment),
        Some(noted) => {
            let replica_set = only.metadata.name.clone();
            client.note(Decision::ScaleStuck { replica_set, desired, noted }.into());
            Ok(())
        }
        None => Ok(()),
    }
}

/// Writes annotations that mark the scaling as finished with the current size.
fn finish_scaling(client: &mut dyn Client, replica_set: &Rc<ReplicaSet>, deployment: &Deployment) -> Result<(), Error> {
    let (size, desired) = (replica_set.spec.replicas, deployment.spec.replicas);
    let max = max_replicas(deployment);
    let resized = resized(replica_set, size);
    let decision = Decision::ScaleAnnotations { resized, desired, limit: max, share: None };
    scale_replica_set(client, replica_set, size, deployment, Annotations::Complete { max }, decision)?;
    Ok(())
}

/// Gives the only ReplicaSet the Deployment's size, under the complete rule as far as there is room.
fn scale_only(
    client: &mut dyn Client,
    only: &Rc<ReplicaSet>,
    deployment: &Deployment,
    all: &[Rc<ReplicaSet>],
) -> Result<(), Error> {
    let (from, desired) = (only.spec.replicas, deployment.spec.replicas);
    if from > desired || !complete_rule(deployment, client.gates()) {
        let resized = resized(only, desired);
        let decision = match from {
            0 => Decision::ScaleLatest { resized, desired },
            _ => Decision::Scale { resized, desired },
        };
        scale_replica_set(client, only, desired, deployment, Annotations::WithSize, decision)?;
        return Ok(());
    }
    let max = max_replicas(deployment);
    let room = scaling_room(allowed_size(desired, max), all).map_err(|error| error.report(client))?;
    let new_scale = desired.min(from.wrapping_add(room.free));
    let annotations = match new_scale {
        // It stays inactive, and so untouched.
        0 => Annotations::WithSize,
        _ if new_scale < desired => Annotations::Partial,
        _ => Annotations::Complete { max },
    };
    let (resized, Room { limit, wanted, terminating, surplus, free: room }) = (resized(only, new_scale), room);
    let decision = match from == new_scale {
        true => Decision::ScaleWait { resized, desired, limit, wanted, terminating, surplus, room },
        false => Decision::ScaleComplete { resized, desired, limit, wanted, terminating, surplus, room },
    };
    scale_replica_set(client, only, new_scale, deployment, annotations, decision)?;
    Ok(())
}

/// The slots that are free for a scaling event under the complete rule.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
#[derive(Clone, Copy)]
struct Room {
    /// desired + maxSurge; 0 if nothing is desired.
    limit: i32,
    /// Sum of spec.replicas of all ReplicaSets.
    wanted: i32,
    /// Sum of status.terminatingReplicas of all ReplicaSets.
    terminating: i32,
    /// Pods above spec.replicas that were not deleted yet.
    surplus: i32,
    /// limit − wanted − terminating − surplus, not below 0.
    free: i32,
}

/// The slots that are left of the limit once every pod that takes one is counted.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
fn scaling_room(limit: i32, all: &[Rc<ReplicaSet>]) -> Result<Room, SizeError> {
    let terminating = need_terminating_replica_count(all)?;
    let wanted = get_replica_count(all);
    let surplus = held(all).wrapping_sub(wanted);
    let free = limit.saturating_sub(wanted).saturating_sub(terminating).saturating_sub(surplus).max(0);
    Ok(Room { limit, wanted, terminating, surplus, free })
}

/// The part of the pods to add that a ReplicaSet gets.
#[derive(Clone, Copy)]
struct Part {
    proportion: Proportion,
    /// What all shares leave over, for the first ReplicaSet; 0 for the others.
    leftover: i32,
    /// The size with both: upstream's nameToSize.
    size: i32,
}

/// Shares pods out to the ReplicaSets in their order, the biggest first: `deployment_replicas_to_add` of them, negative to
/// remove pods.
///
/// Upstream: `pkg/controller/deployment/sync.go scale`, its two loops without the writes
fn share_out(
    replica_sets: &[Rc<ReplicaSet>],
    deployment: &Deployment,
    deployment_replicas_to_add: i32,
    gates: FeatureGates,
) -> Vec<Part> {
    // Upstream's first loop estimates the proportions.
    let mut deployment_replicas_added = 0_i32;
    let mut proportions = Vec::with_capacity(replica_sets.len());
    for replica_set in replica_sets {
        let proportion =
            scaling_proportion(replica_set, deployment, deployment_replicas_to_add, deployment_replicas_added, gates);
        deployment_replicas_added = deployment_replicas_added.wrapping_add(proportion.share);
        proportions.push(proportion);
    }
    // The second one adds the leftover to the first ReplicaSet.
    let parts = replica_sets.iter().zip(proportions).enumerate().map(|(index, (replica_set, proportion))| {
        let size = replica_set.spec.replicas;
        let shared = size.wrapping_add(proportion.share);
        let leftover = if index == 0 { deployment_replicas_to_add.wrapping_sub(deployment_replicas_added) } else { 0 };
        let size = match index {
            // With nothing to add, sizes stay as they are.
            _ if deployment_replicas_to_add == 0 => size,
            // Upstream cuts below 0 only where it adds the leftover.
            0 => shared.wrapping_add(leftover).max(0),
            _ => shared,
        };
        Part { proportion, leftover, size }
    });
    parts.collect()
}

/// A ReplicaSet's proportion. Under the complete rule, the share of a ReplicaSet whose scaling is unfinished may have the
/// opposite sign; then it counts as 0.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetReplicaSetProportion`; KEP-5882, Deployment Scaling
/// Changes
fn scaling_proportion(
    replica_set: &ReplicaSet,
    deployment: &Deployment,
    deployment_replicas_to_add: i32,
    deployment_replicas_added: i32,
    gates: FeatureGates,
) -> Proportion {
    let proportion = get_replica_set_proportion(
        replica_set,
        deployment,
        deployment_replicas_to_add,
        deployment_replicas_added,
        gates,
    );
    let share = match deployment_replicas_to_add {
        _ if !complete_rule(deployment, gates) => proportion.share,
        1.. => proportion.share.max(0),
        _ => proportion.share.min(0),
    };
    Proportion { share, ..proportion }
}

/// The sizes of the active ReplicaSets when the Deployment is scaled in the middle of a rollout.
///
/// Under the complete rule, growing, the pods are shared out twice: once for the sizes when the scaling is finished, and
/// once for what there is room for now.
///
/// Upstream: `pkg/controller/deployment/sync.go scale`, the part for a rolling update; KEP-5882, Deployment Scaling Changes
fn proportional_sizes(
    deployment: &Deployment,
    all: &[Rc<ReplicaSet>],
    gates: FeatureGates,
) -> Result<Vec<(Rc<ReplicaSet>, Scaled)>, SizeError> {
    let mut active = filter_active(all);
    let all_rs_replicas = get_replica_count(&active);
    let limit = allowed_size(deployment.spec.replicas, max_replicas(deployment));
    let deployment_replicas_to_add = limit.wrapping_sub(all_rs_replicas);
    // From the biggest to the smallest. Of equal ones the newer grows first, and the older shrinks first.
    let by_size: ReplicaSetOrder = if deployment_replicas_to_add > 0 { by_size_newer } else { by_size_older };
    if deployment_replicas_to_add != 0 {
        sort_replica_sets(&mut active, by_size);
    }
    let full = share_out(&active, deployment, deployment_replicas_to_add, gates);
    let grows_in_steps = complete_rule(deployment, gates) && deployment_replicas_to_add > 0;
    let room = if grows_in_steps { Some(scaling_room(limit, all)?) } else { None };
    let now = room.map_or_else(|| full.clone(), |room| share_out(&active, deployment, room.free, gates));
    let sizes = active.iter().zip(now).zip(full).map(|((replica_set, now), full)| {
        let Fraction { base, max_before, ratio, pods } = now.proportion.fraction;
        let scaled = Scaled {
            replica_set: replica_set.metadata.name.clone(),
            from: replica_set.spec.replicas,
            to: now.size,
            limit,
            wanted: all_rs_replicas,
            to_add: deployment_replicas_to_add,
            base,
            before: max_before,
            ratio,
            whole_share: pods,
            left: now.proportion.allowed,
            share: now.proportion.share,
            leftover: now.leftover,
            terminating: room.map(|room| room.terminating),
            surplus: room.map(|room| room.surplus),
            room: room.map(|room| room.free),
            full: full.size,
            owed: full.size.saturating_sub(now.size),
        };
        (replica_set.clone(), scaled)
    });
    Ok(sizes.collect())
}

/// What a ReplicaSet gets when several are scaled in proportion.
fn scale_in_proportion(replica_set: &ReplicaSet, scaled: Scaled, desired: i32, max: i32) -> Decision {
    let (unknown, stays) = (scaled.before == 0, scaled.from == scaled.to);
    let (resized, scaled) = (resized(replica_set, scaled.to), Box::new(scaled));
    if scaled.owed > 0 && unknown {
        return Decision::ScalePartialLeftover(scaled);
    }
    if scaled.room.is_some() && !unknown {
        return match (scaled.owed, stays) {
            (1.., true) => Decision::ScalePartialWait(scaled),
            (1.., false) => Decision::ScalePartial(scaled),
            (_, true) => Decision::ScaleKept(scaled),
            (_, false) => Decision::ScaleWhole(scaled),
        };
    }
    match *scaled {
        _ if stays => Decision::ScaleAnnotations { resized, desired, limit: max, share: Some(scaled) },
        Scaled { to: 0, .. } if desired == 0 => Decision::ScaleZero { resized, share: scaled },
        _ if unknown => Decision::ScaleLeftover(scaled),
        Scaled { to_add: ..0, .. } => Decision::ScaleProportionalDown(scaled),
        _ => Decision::ScaleProportional(scaled),
    }
}

/// Writes a ReplicaSet's size and annotations, where either differs. Returns the ReplicaSet as it is then, if its size
/// changed.
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
    annotations: Annotations,
    decision: Decision,
) -> Result<Option<Rc<ReplicaSet>>, Error> {
    let gates = client.gates();
    let (old_scale, desired) = (replica_set.spec.replicas, deployment.spec.replicas);
    let size_needs_update = old_scale != new_scale;
    let annotations_need_update = match annotations {
        Annotations::WithSize => size_needs_update,
        Annotations::Complete { max } => replicas_annotations_need_update(replica_set, desired, max, gates),
        Annotations::Partial => replicas_before_scale(replica_set).is_none(),
    };
    if !size_needs_update && !annotations_need_update {
        if decision.waits_for_room() {
            client.note(decision.into());
        }
        return Ok(None);
    }
    let mut updated = replica_set.clone();
    let copy = Rc::make_mut(&mut updated);
    Rc::make_mut(&mut copy.spec).replicas = new_scale;
    match annotations {
        Annotations::WithSize => set_replicas_annotations(copy, desired, max_replicas(deployment), gates),
        Annotations::Complete { max } => set_replicas_annotations(copy, desired, max, gates),
        // The size from which the scaling started stays through its later steps.
        Annotations::Partial if annotations_need_update => {
            annotations_mut(&mut copy.metadata).insert(REPLICAS_BEFORE_SCALE.to_string(), old_scale.to_string());
        }
        Annotations::Partial => {}
    }
    let updated = update_replica_set(client, updated, decision)?;
    if !size_needs_update {
        return Ok(None);
    }
    record(client, &deployment.key(), || {
        let scaling_operation = if old_scale < new_scale { "up" } else { "down" };
        let name = &updated.metadata.name;
        let message = alloc::format!("Scaled {scaling_operation} replica set {name} from {old_scale} to {new_scale}");
        Event::normal("ScalingReplicaSet", &message)
    });
    Ok(Some(updated))
}
