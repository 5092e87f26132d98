//! The numbers: surge, limits, sums and shares. Sums wrap like Go's int32.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt;

use super::new_size::{Held, NewSize, Taken};
use crate::controller::{Client, Error};
use crate::feature_gates::{Feature, FeatureGates};
use crate::go;
use crate::object::{IntOrString, Rounding, annotations_mut};
use crate::workload::deployment::decision::{Decision, Resized, Thousandths};
use crate::workload::deployment::{Deployment, DeploymentPodReplacementPolicy, DeploymentStatus};
use crate::workload::replica_set::ReplicaSet;

/// The revisions it had before it was rolled back to.
pub(crate) const REVISION_HISTORY: &str = "deployment.kubernetes.io/revision-history";
/// spec.replicas of the Deployment when the ReplicaSet was last scaled.
pub const DESIRED_REPLICAS: &str = "deployment.kubernetes.io/desired-replicas";
/// spec.replicas + surge of the Deployment when the ReplicaSet was last scaled.
pub const MAX_REPLICAS: &str = "deployment.kubernetes.io/max-replicas";
/// KEP-5882: spec.replicas of the ReplicaSet when a scaling began that is not finished.
pub const REPLICAS_BEFORE_SCALE: &str = "deployment.kubernetes.io/replicaset-replicas-before-scale";

/// ReplicaSets as they go through a sync.
pub type ReplicaSets = Vec<Rc<ReplicaSet>>;

/// An order of ReplicaSets.
pub(crate) type ReplicaSetOrder = fn(&Rc<ReplicaSet>, &Rc<ReplicaSet>) -> Ordering;

/// Whether terminating pods keep their slots: both gates on, and the policy is TerminationComplete.
///
/// Source: KEP-5882, Deployment Behavior Changes
pub fn complete_rule(deployment: &Deployment, gates: FeatureGates) -> bool {
    policy(deployment, gates) == Some(DeploymentPodReplacementPolicy::TerminationComplete)
}

/// The policy, where the gates let it be read.
pub(super) fn policy(deployment: &Deployment, gates: FeatureGates) -> Option<DeploymentPodReplacementPolicy> {
    deployment.spec.pod_replacement_policy.filter(|_| {
        gates.enabled(Feature::DeploymentPodReplacementPolicy)
            && gates.enabled(Feature::DeploymentReplicaSetTerminatingReplicas)
    })
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go IsRollingUpdate`
pub(crate) fn is_rolling_update(deployment: &Deployment) -> bool {
    deployment.spec.strategy.type_ == "RollingUpdate"
}

/// Surge and unavailable pods of the desired ones. If both come to 0, one pod may be unavailable.
///
/// | desired | maxUnavailable | maxSurge | what a rollout does |
/// |---|---|---|---|
/// | 2 | 1% | 0% | old −1, new +1, old −1, new +1 |
/// | 1 | 1% | 0% | old −1, new +1 |
/// | 2 | 25% | 1% | new +1, old −1, new +1, old −1 |
/// | 1 | 25% | 1% | new +1, old −1 |
/// | 2 | 0% | 1% | new +1, old −1, new +1, old −1 |
/// | 1 | 0% | 1% | new +1, old −1 |
///
/// # Errors
/// A string that is no percentage.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go ResolveFenceposts`
pub fn resolve_fenceposts(
    max_surge: Option<&IntOrString>,
    max_unavailable: Option<&IntOrString>,
    desired: i32,
) -> Result<(i32, i32), String> {
    let surge = max_surge.map_or(Ok(0), |value| value.scaled(desired, Rounding::Up))?;
    let unavailable = max_unavailable.map_or(Ok(0), |value| value.scaled(desired, Rounding::Down))?;
    Ok((to_int32(surge), if surge == 0 && unavailable == 0 { 1 } else { to_int32(unavailable) }))
}

/// Go's `int32(value)`: the low 32 bits.
fn to_int32(value: i64) -> i32 {
    // The remainder is below 2^32.
    u32::try_from(value.rem_euclid(1 << 32)).map_or(0, u32::cast_signed)
}

fn fenceposts(deployment: &Deployment) -> (i32, i32) {
    let rolling = deployment.spec.strategy.rolling_update.as_ref();
    let surge = rolling.and_then(|rolling| rolling.max_surge.as_ref());
    let unavailable = rolling.and_then(|rolling| rolling.max_unavailable.as_ref());
    // Validation has seen to it that they can be resolved; upstream ignores the error too.
    resolve_fenceposts(surge, unavailable, deployment.spec.replicas).unwrap_or((0, 0))
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go MaxSurge`
pub fn max_surge(deployment: &Deployment) -> i32 {
    if is_rolling_update(deployment) { fenceposts(deployment).0 } else { 0 }
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go MaxUnavailable`
pub fn max_unavailable(deployment: &Deployment) -> i32 {
    if !is_rolling_update(deployment) || deployment.spec.replicas == 0 {
        return 0;
    }
    fenceposts(deployment).1.min(deployment.spec.replicas)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go MinAvailable`
pub fn min_available(deployment: &Deployment) -> i32 {
    if !is_rolling_update(deployment) {
        return 0;
    }
    deployment.spec.replicas.wrapping_sub(max_unavailable(deployment))
}

fn sum<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>, count: impl Fn(&ReplicaSet) -> i32) -> i32 {
    replica_sets.into_iter().fold(0, |total, replica_set| total.wrapping_add(count(replica_set)))
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetReplicaCountForReplicaSets`
pub fn get_replica_count<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>) -> i32 {
    sum(replica_sets, |replica_set| replica_set.spec.replicas)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetActualReplicaCountForReplicaSets`
pub fn get_actual_replica_count<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>) -> i32 {
    sum(replica_sets, |replica_set| replica_set.status.replicas)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetReadyReplicaCountForReplicaSets`
pub(crate) fn get_ready_replica_count<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>) -> i32 {
    sum(replica_sets, |replica_set| replica_set.status.ready_replicas)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetAvailableReplicaCountForReplicaSets`
pub(crate) fn get_available_replica_count<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>) -> i32 {
    sum(replica_sets, |replica_set| replica_set.status.available_replicas)
}

/// The terminating pods of all ReplicaSets; none where one that was synced does not report them.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetTerminatingReplicaCountForReplicaSets`
pub fn get_terminating_replica_count<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>) -> Option<i32> {
    count_terminating(replica_sets).ok()
}

/// As [`get_terminating_replica_count`]; the error is the first ReplicaSet that does not report them.
fn count_terminating<'a>(
    replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>,
) -> Result<i32, &'a Rc<ReplicaSet>> {
    replica_sets.into_iter().try_fold(0_i32, |total, replica_set| match replica_set.status.terminating_replicas {
        None if replica_set.status.observed_generation == 0 => Ok(total),
        None => Err(replica_set),
        Some(terminating) => Ok(total.wrapping_add(terminating)),
    })
}

/// As [`get_terminating_replica_count`], for a decision that needs it.
///
/// Source: KEP-5882, and `docs/kep-5882.md` for the case that it leaves open.
pub(super) fn need_terminating_replica_count(replica_sets: &[Rc<ReplicaSet>]) -> Result<i32, SizeError> {
    count_terminating(replica_sets)
        .map_err(|unknown| SizeError::TerminatingUnknown { replica_set: unknown.metadata.name.clone() })
}

/// A ReplicaSet that gets this size.
pub(super) fn resized(replica_set: &ReplicaSet, to: i32) -> Resized {
    Resized { replica_set: replica_set.metadata.name.clone(), from: replica_set.spec.replicas, to }
}

/// Why a size can't be decided: the sync fails, and is tried again.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SizeError {
    /// A count of terminating pods is needed and unknown.
    TerminatingUnknown {
        /// The ReplicaSet that does not report it.
        replica_set: Rc<str>,
    },
    /// maxSurge is missing, or neither a number nor a percentage.
    SurgeUnreadable {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// What upstream says of it.
        message: String,
    },
    /// There is no such strategy.
    StrategyUnknown {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// spec.strategy.type
        strategy: Rc<str>,
    },
}

impl core::error::Error for SizeError {}

impl SizeError {
    /// Reports the decision to the client, and returns the error of the sync.
    pub(super) fn report(self, client: &mut dyn Client) -> Error {
        let message = self.to_string();
        let decision = match self {
            Self::TerminatingUnknown { replica_set } => Decision::TerminatingUnknown { replica_set },
            Self::SurgeUnreadable { deployment, .. } => Decision::SurgeUnreadable { deployment },
            Self::StrategyUnknown { deployment, strategy } => Decision::StrategyUnknown { deployment, strategy },
        };
        client.note(decision.into());
        Error::Other(message)
    }
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TerminatingUnknown { replica_set } => write!(
                f,
                "cannot count the terminating pods: ReplicaSet {replica_set} does not report status.terminatingReplicas"
            ),
            Self::SurgeUnreadable { message, .. } => f.write_str(message),
            Self::StrategyUnknown { strategy, .. } => write!(f, "deployment type {strategy} isn't supported"),
        }
    }
}

/// The pods above the desired ones; an error where the field is missing (defaulting sets it) or can't be read.
fn surge(deployment: &Deployment) -> Result<i32, SizeError> {
    let rolling = deployment.spec.strategy.rolling_update.as_ref();
    let surge = rolling.and_then(|rolling| rolling.max_surge.as_ref());
    let scaled = surge
        .ok_or_else(|| String::from("nil value for IntOrString"))
        .and_then(|surge| surge.scaled(deployment.spec.replicas, Rounding::Up));
    scaled.map(to_int32).map_err(|message| SizeError::SurgeUnreadable {
        deployment: deployment.metadata.name.clone(),
        message: message.to_string(),
    })
}

/// The slots that ReplicaSets take with pods that are not terminating: each its spec.replicas or its status.replicas,
/// whichever is more.
///
/// Source: KEP-5882, Deployment Behavior Changes
pub(super) fn held<'a>(replica_sets: impl IntoIterator<Item = &'a Rc<ReplicaSet>>) -> i32 {
    sum(replica_sets, |replica_set| replica_set.spec.replicas.max(replica_set.status.replicas))
}

/// spec.replicas + maxSurge: what upstream writes into the annotation max-replicas.
pub(super) fn max_replicas(deployment: &Deployment) -> i32 {
    deployment.spec.replicas.wrapping_add(max_surge(deployment))
}

/// desired + surge; 0 when nothing is desired.
pub fn limit(deployment: &Deployment) -> i32 {
    allowed_size(deployment.spec.replicas, max_replicas(deployment))
}

/// The limit, where desired + surge is known already.
///
/// Upstream: `pkg/controller/deployment/sync.go scale`
pub(super) const fn allowed_size(desired: i32, max: i32) -> i32 {
    if desired > 0 { max } else { 0 }
}

/// Upstream: `pkg/controller/controller_utils.go FilterActiveReplicaSets`
pub fn filter_active(replica_sets: &[Rc<ReplicaSet>]) -> ReplicaSets {
    replica_sets.iter().filter(|replica_set| replica_set.spec.replicas > 0).cloned().collect()
}

/// Upstream: `pkg/controller/controller_utils.go ReplicaSetsByCreationTimestamp`
pub(crate) fn by_creation_timestamp(a: &Rc<ReplicaSet>, b: &Rc<ReplicaSet>) -> Ordering {
    let (a, b) = (&a.metadata, &b.metadata);
    a.creation_timestamp.cmp(&b.creation_timestamp).then_with(|| a.name.cmp(&b.name))
}

/// Sorts ReplicaSets with Go's `sort.Sort`, as upstream does.
pub(crate) fn sort_replica_sets(replica_sets: &mut ReplicaSets, order: ReplicaSetOrder) {
    // Most often they are in order.
    if replica_sets.len() <= go::sort::MAX_INSERTION && replica_sets.is_sorted_by(|a, b| order(b, a).is_ge()) {
        return;
    }
    let sorted = go::sort::order(replica_sets.len(), &|a, b| match (replica_sets.get(a), replica_sets.get(b)) {
        (Some(a), Some(b)) => order(a, b).is_lt(),
        _ => false,
    });
    *replica_sets = sorted.into_iter().filter_map(|index| replica_sets.get(index).cloned()).collect();
}

/// Upstream: `pkg/controller/controller_utils.go ReplicaSetsBySizeNewer`
pub(super) fn by_size_newer(a: &Rc<ReplicaSet>, b: &Rc<ReplicaSet>) -> Ordering {
    b.spec.replicas.cmp(&a.spec.replicas).then_with(|| by_creation_timestamp(b, a))
}

/// Upstream: `pkg/controller/controller_utils.go ReplicaSetsBySizeOlder`
pub(super) fn by_size_older(a: &Rc<ReplicaSet>, b: &Rc<ReplicaSet>) -> Ordering {
    b.spec.replicas.cmp(&a.spec.replicas).then_with(|| by_creation_timestamp(a, b))
}

/// The only ReplicaSet to scale: the one active, or with none active the new one, else the newest. None where several
/// are active.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go FindActiveOrLatest`
pub(crate) fn find_active_or_latest<'a>(
    new: Option<&'a Rc<ReplicaSet>>,
    old: &'a [Rc<ReplicaSet>],
) -> Option<&'a Rc<ReplicaSet>> {
    let mut active = old.iter().chain(new).filter(|replica_set| replica_set.spec.replicas > 0);
    match (active.next(), active.next()) {
        (None, _) => new.or_else(|| old.iter().max_by(|a, b| by_creation_timestamp(a, b))),
        (Some(only), None) => Some(only),
        (Some(_), Some(_)) => None,
    }
}

/// A count in an annotation: an unsigned decimal up to 2^31 − 1.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go getNonNegativeInt32FromAnnotation`
pub(super) fn get_non_negative_int32_from_annotation(replica_set: &ReplicaSet, key: &str) -> Option<i32> {
    let text = replica_set.metadata.annotation(key)?;
    // Rust takes a sign, Go's ParseUint does not.
    text.parse::<i32>().ok().filter(|_| !text.starts_with(['+', '-']))
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetDesiredReplicasAnnotation`
pub(crate) fn get_desired_replicas_annotation(replica_set: &ReplicaSet) -> Option<i32> {
    get_non_negative_int32_from_annotation(replica_set, DESIRED_REPLICAS)
}

/// Whether the new ReplicaSet is whole: its size, its annotation and its available pods all are the desired number.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go IsSaturated`
pub fn is_saturated(deployment: &Deployment, replica_set: Option<&Rc<ReplicaSet>>) -> bool {
    let Some(replica_set) = replica_set else { return false };
    // Atoi takes a sign, and the cast to int32 cuts.
    let Some(desired) = replica_set.metadata.annotation(DESIRED_REPLICAS).and_then(|text| text.parse::<i64>().ok())
    else {
        return false;
    };
    let replicas = deployment.spec.replicas;
    replica_set.spec.replicas == replicas
        && to_int32(desired) == replicas
        && replica_set.status.available_replicas == replicas
}

/// The size from which an unfinished scaling started.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
pub(super) fn replicas_before_scale(replica_set: &ReplicaSet) -> Option<i32> {
    get_non_negative_int32_from_annotation(replica_set, REPLICAS_BEFORE_SCALE)
}

/// The size that a ReplicaSet is scaled from.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
fn scale_base(replica_set: &ReplicaSet, gates: FeatureGates) -> i32 {
    let noted = gates.enabled(Feature::DeploymentPodReplacementPolicy).then(|| replicas_before_scale(replica_set));
    noted.flatten().unwrap_or(replica_set.spec.replicas)
}

/// The limit that a ReplicaSet's base belongs to; 0 if it is unknown.
///
/// Someone may have removed the annotation or set it to 0. Then the Deployment's current size stands in for it: not exact,
/// but [`get_replica_set_proportion`] keeps the result within the limit.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction`, its
/// deploymentMaxReplicasBeforeScale
fn max_replicas_before_scale(replica_set: &ReplicaSet, deployment: &Deployment) -> i32 {
    get_non_negative_int32_from_annotation(replica_set, MAX_REPLICAS)
        .filter(|before| *before != 0)
        .unwrap_or(deployment.status.replicas)
}

/// A ReplicaSet's whole share when a Deployment is scaled in the middle of a rollout.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// The size that the share is computed from.
    pub base: i32,
    /// The limit that the base belongs to; 0 if unknown.
    pub max_before: i32,
    /// limit ÷ limit before; none if the limit before is unknown, or nothing is desired.
    pub ratio: Thousandths,
    /// The share: round(base × limit ÷ limit before) − size.
    pub pods: i32,
}

/// How many pods a ReplicaSet should gain or lose when the Deployment is scaled in the middle of a rollout.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction`
pub fn get_replica_set_fraction(replica_set: &ReplicaSet, deployment: &Deployment, gates: FeatureGates) -> Fraction {
    let (size, desired) = (replica_set.spec.replicas, deployment.spec.replicas);
    let base = scale_base(replica_set, gates);
    let max_before = max_replicas_before_scale(replica_set, deployment);
    if desired == 0 {
        return Fraction { base, max_before, ratio: Thousandths(None), pods: size.wrapping_neg() };
    }
    // Rare: the annotation is missing, and no pods could be created.
    if max_before == 0 {
        return Fraction { base, max_before, ratio: Thousandths(None), pods: 0 };
    }
    let deployment_max_replicas = max_replicas(deployment);
    let new_rs_size = f64::from(base.wrapping_mul(deployment_max_replicas)) / f64::from(max_before);
    let pods = round_to_int32(new_rs_size).wrapping_sub(size);
    Fraction { base, max_before, ratio: thousandths(deployment_max_replicas, max_before), pods }
}

/// The ratio of two limits, rounded; none if the second is 0.
fn thousandths(limit: i32, before: i32) -> Thousandths {
    let (limit, before) = (i64::from(limit), i64::from(before));
    Thousandths(limit.saturating_mul(2_000).saturating_add(before).checked_div(before.saturating_mul(2)))
}

/// Rounds half away from zero. One quotient of two int32 does not fit, -2^31 / -1: in Go on amd64 it becomes -2^31.
///
/// Upstream: `k8s.io/utils/integer/integer.go RoundToInt32`
#[expect(clippy::as_conversions, reason = "a float64 is cut to a whole number here, as Go does")]
fn round_to_int32(value: f64) -> i32 {
    to_int32((if value < 0.0 { value - 0.5 } else { value + 0.5 }) as i64)
}

/// A ReplicaSet's share of the pods to add.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Proportion {
    /// Its whole share.
    pub fraction: Fraction,
    /// The pods that are left for it.
    pub allowed: i32,
    /// The whole share, cut to what is allowed.
    pub share: i32,
}

/// The share of a ReplicaSet in the pods to add, of which those before it got `deployment_replicas_added`. Both are
/// negative if pods are removed.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go GetReplicaSetProportion`
pub(super) fn get_replica_set_proportion(
    replica_set: &ReplicaSet,
    deployment: &Deployment,
    deployment_replicas_to_add: i32,
    deployment_replicas_added: i32,
    gates: FeatureGates,
) -> Proportion {
    let fraction = get_replica_set_fraction(replica_set, deployment, gates);
    let allowed = deployment_replicas_to_add.wrapping_sub(deployment_replicas_added);
    let share = match deployment_replicas_to_add {
        _ if replica_set.spec.replicas == 0 || deployment_replicas_to_add == 0 || allowed == 0 => 0,
        1.. => fraction.pods.min(allowed),
        _ => fraction.pods.max(allowed),
    };
    Proportion { fraction, allowed, share }
}

/// How many pods the new ReplicaSet should have.
///
/// # Errors
/// An unknown strategy, no surge or one that is no percentage, or (under the complete rule) an unknown number of
/// terminating pods.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas`; KEP-5882, Deployment Behavior Changes
pub fn new_rs_new_replicas(
    deployment: &Deployment,
    all: &[Rc<ReplicaSet>],
    new: &Rc<ReplicaSet>,
    gates: FeatureGates,
) -> Result<NewSize, SizeError> {
    let (size, desired) = (new.spec.replicas, deployment.spec.replicas);
    let complete = complete_rule(deployment, gates);
    let (max_total_pods, taken) = match deployment.spec.strategy.type_.as_str() {
        // Nothing is added, so the number of terminating pods is not needed.
        "RollingUpdate" if complete && size == desired => return Ok(NewSize::Desired { desired }),
        "RollingUpdate" => {
            let max_total_pods = desired.wrapping_add(surge(deployment)?);
            // Upstream's currentPodCount; under the complete rule, terminating pods keep their slots.
            let taken = if complete { Taken::Held(slots_held(all)?) } else { Taken::Wanted(get_replica_count(all)) };
            (max_total_pods, taken)
        }
        "Recreate" if complete && size < desired => {
            (desired, Taken::HeldByNew(slots_held(core::slice::from_ref(new))?))
        }
        "Recreate" => return Ok(NewSize::Desired { desired }),
        strategy => {
            let deployment = deployment.metadata.name.clone();
            return Err(SizeError::StrategyUnknown { deployment, strategy: strategy.into() });
        }
    };
    let room = (taken.slots() < max_total_pods).then(|| max_total_pods.wrapping_sub(taken.slots()));
    // Not more than the desired number.
    let scale_up_count = room.map_or(0, |room| room.min(desired.wrapping_sub(size)));
    let replicas = size.wrapping_add(scale_up_count);
    Ok(NewSize::Limited { replicas, desired, limit: max_total_pods, taken, room })
}

/// The slots that ReplicaSets and terminating pods take under the complete rule.
///
/// Source: KEP-5882, Deployment Behavior Changes
fn slots_held(replica_sets: &[Rc<ReplicaSet>]) -> Result<Held, SizeError> {
    let (held, terminating) = (held(replica_sets), need_terminating_replica_count(replica_sets)?);
    Ok(Held { held, terminating, taken: held.wrapping_add(terminating) })
}

/// Whether all desired pods are updated and available, and no old pods are left; under the complete rule, no terminating ones
/// either.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go DeploymentComplete`; KEP-5882, Deployment Completion and
/// Progress Changes
pub fn deployment_complete(deployment: &Deployment, status: &DeploymentStatus, complete_rule: bool) -> bool {
    let desired = deployment.spec.replicas;
    status.updated_replicas == desired
        && status.replicas == desired
        && status.available_replicas == desired
        && status.observed_generation >= deployment.metadata.generation
        && (!complete_rule || status.terminating_replicas == Some(0))
}

/// Whether the rollout moved on since the last status: more pods are updated, ready or available, or fewer old ones are left;
/// under the complete rule also if fewer are terminating.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go DeploymentProgressing`; KEP-5882, Deployment Completion
/// and Progress Changes
pub fn deployment_progressing(deployment: &Deployment, new: &DeploymentStatus, complete_rule: bool) -> bool {
    let old = &deployment.status;
    let old_pods = |status: &DeploymentStatus| status.replicas.wrapping_sub(status.updated_replicas);
    new.updated_replicas > old.updated_replicas
        || old_pods(new) < old_pods(old)
        || new.ready_replicas > old.ready_replicas
        || new.available_replicas > old.available_replicas
        || (complete_rule && fewer_terminating(deployment, new))
}

/// Whether fewer pods are terminating than the last status says: under the complete rule, that is progress.
///
/// Source: KEP-5882, Deployment Completion and Progress Changes
pub(super) fn fewer_terminating(deployment: &Deployment, new: &DeploymentStatus) -> bool {
    let old = deployment.status.terminating_replicas;
    old.zip(new.terminating_replicas).is_some_and(|(old, new)| new < old)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go HasProgressDeadline`
pub(crate) fn has_progress_deadline(deployment: &Deployment) -> bool {
    progress_deadline(deployment).is_some()
}

/// spec.progressDeadlineSeconds, where it is a deadline.
pub fn progress_deadline(deployment: &Deployment) -> Option<i32> {
    deployment.spec.progress_deadline_seconds.filter(|seconds| *seconds != i32::MAX)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go ReplicasAnnotationsNeedUpdate`; KEP-5882 for the one that
/// is removed once a scaling is finished
pub(super) fn replicas_annotations_need_update(
    replica_set: &ReplicaSet,
    desired: i32,
    max: i32,
    gates: FeatureGates,
) -> bool {
    !annotation_equals(replica_set, DESIRED_REPLICAS, desired)
        || !annotation_equals(replica_set, MAX_REPLICAS, max)
        || (gates.enabled(Feature::DeploymentPodReplacementPolicy)
            && replica_set.metadata.annotation(REPLICAS_BEFORE_SCALE).is_some())
}

/// Whether an annotation is that number, spelt as Go's `strconv.Itoa` spells it. Asked in every sync: nothing is copied.
fn annotation_equals(replica_set: &ReplicaSet, key: &str, number: i32) -> bool {
    let Some(text) = replica_set.metadata.annotation(key) else { return false };
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_plain = text == "0" || digits.bytes().next().is_some_and(|first| matches!(first, b'1'..=b'9'));
    is_plain && text.parse() == Ok(number)
}

/// Upstream: `pkg/controller/deployment/util/deployment_util.go SetReplicasAnnotations`; KEP-5882 for the one that is removed
pub(super) fn set_replicas_annotations(replica_set: &mut ReplicaSet, desired: i32, max: i32, gates: FeatureGates) {
    // Most often they are what they were: then the map stays shared.
    if !replicas_annotations_need_update(replica_set, desired, max, gates) {
        return;
    }
    let annotations = annotations_mut(&mut replica_set.metadata);
    annotations.insert(DESIRED_REPLICAS.to_string(), desired.to_string());
    annotations.insert(MAX_REPLICAS.to_string(), max.to_string());
    if gates.enabled(Feature::DeploymentPodReplacementPolicy) {
        annotations.remove(REPLICAS_BEFORE_SCALE);
    }
}

#[cfg(test)]
mod tests {
    use super::{DESIRED_REPLICAS, annotation_equals};
    use crate::object::annotations_mut;
    use crate::workload::replica_set::ReplicaSet;

    #[test]
    fn an_annotation_is_a_number_only_as_go_spells_it() {
        let cases = [("7", 7, true), ("0", 0, true), ("-3", -3, true), ("07", 7, false), ("+7", 7, false)];
        let broken =
            [("-0", 0, false), ("", 0, false), ("7 ", 7, false), ("2147483648", i32::MIN, false), ("7", 8, false)];
        for (text, number, same) in cases.into_iter().chain(broken) {
            let mut replica_set = ReplicaSet::default();
            annotations_mut(&mut replica_set.metadata).insert(DESIRED_REPLICAS.into(), text.into());
            assert_eq!(annotation_equals(&replica_set, DESIRED_REPLICAS, number), same, "{text:?} and {number}");
        }
    }
}
