//! The worst that any order of events can do to a changed Deployment, beside the order that is simulated.

use alloc::rc::Rc;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{NotExplored, Outcome, WorstCases, WorstOrder, WorstOutcome, WorstProof, WorstResource};
use super::options::Assumptions;
use super::pre_stop_hooks::pre_stop_time;
use crate::cluster::{LimitRanges, List, MINIMUM_GRACE_PERIOD, has_probes, of_pod, share_grace_period};
#[cfg(feature = "explain")]
use crate::explain::{explain_order, explain_timed_order};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::quantity::written_like;
use crate::object::{Object, Pod, PodTemplateSpec, Time};
use crate::scenario::{Delay, Timing};
use crate::workload::deployment::controller::equal_ignore_hash;
use crate::workload::deployment::{Deployment, DeploymentPodReplacementPolicy};
use crate::worst_case::{ExplorationLimits, Pair, PeakMoments, PodMoment, PodTimes, bound, explore};

/// The most pods of a changed Deployment at once, in today's releases.
#[derive(Debug)]
pub(super) struct WorstPods {
    pub(super) pods: Pair<Object>,
    pub(super) peak_moments: PeakMoments,
    pub(super) proof: WorstProof,
}

/// The worst of a change, in today's releases and, if asked, with the proposed policy; none if a settled Deployment does not change.
///
/// # Errors
/// Why it is not explored.
pub(super) fn worst_cases(
    before: Option<&Deployment>,
    after: Option<&Deployment>,
    outcome: &Outcome,
    assumptions: &Assumptions,
    limit_ranges: &LimitRanges,
    adds_proposed: bool,
) -> Result<Option<(WorstCases, WorstPods)>, NotExplored> {
    let before = before.ok_or(NotExplored::New)?;
    if !is_settled(before) {
        return Err(NotExplored::InProgress);
    }
    let Some(after) = after else { return Ok(None) };
    let gates = FeatureGates::default();
    let pods = Pair { old: pod(before, limit_ranges), new: pod(after, limit_ranges) };
    let (today, peak_moments) = worst(before, after, &pods, gates, outcome, assumptions);
    let proposed = adds_proposed.then(|| {
        let mut with_policy = after.clone();
        let spec = Rc::make_mut(&mut with_policy.spec);
        spec.pod_replacement_policy.get_or_insert(DeploymentPodReplacementPolicy::TerminationComplete);
        let gates = gates.with(Feature::DeploymentPodReplacementPolicy, true);
        let (proposed, _) = worst(before, &with_policy, &pods, gates, outcome, assumptions);
        proposed
    });
    let pods = WorstPods {
        pods: Pair { old: Object::Pod(Rc::new(pods.old)), new: Object::Pod(Rc::new(pods.new)) },
        peak_moments,
        proof: today.proof,
    };
    Ok(Some((WorstCases { proposed: proposed.filter(|proposed| *proposed != today), outcome: today }, pods)))
}

/// Whether [`worst_cases`] explores a Deployment, which may take seconds: one that was settled, and changes.
pub(super) fn is_explored(before: Option<&Deployment>, after: Option<&Deployment>) -> bool {
    before.is_some_and(is_settled) && after.is_some()
}

/// Whether the Deployment has all its pods, and no others.
fn is_settled(deployment: &Deployment) -> bool {
    let (desired, status) = (deployment.spec.replicas, &deployment.status);
    [status.replicas, status.updated_replicas, status.available_replicas].into_iter().all(|count| count == desired)
        && status.terminating_replicas.unwrap_or(0) == 0
}

fn worst(
    before: &Deployment,
    after: &Deployment,
    pods: &Pair<Pod>,
    gates: FeatureGates,
    outcome: &Outcome,
    assumptions: &Assumptions,
) -> (WorstOutcome, PeakMoments) {
    let times = times(before, after, assumptions);
    let bound = bound(before, after, gates, times);
    let is_rollout = !equal_ignore_hash(&before.spec.template, &after.spec.template);
    let limits = ExplorationLimits { pause: assumptions.pause, ..ExplorationLimits::default() };
    match explore(before, after, gates, times, limits) {
        Some(worst) => {
            let order = |number: &str, steps| WorstOrder { number: number.into(), steps };
            let mut orders = Vec::from([
                order("peak", explain_order(&worst.peak.order)),
                order("lowestAvailable", explain_order(&worst.lowest_available.order)),
            ]);
            orders.extend(worst.longest.iter().map(|longest| order("longest", explain_timed_order(&longest.order))));
            let outcome = WorstOutcome {
                proof: WorstProof::AllOrders,
                peak: worst.peak.pods.into(),
                lowest_available: worst.lowest_available.pods.into(),
                resources: resources(outcome, pods, &worst.peak_moments),
                longest: worst.longest.map(|longest| longest.time).or(bound.longest),
                always_completes: Some(worst.always_completes),
                lag: Some(limits.lag.into()),
                states: Some(u32::try_from(worst.states).unwrap_or(u32::MAX)),
                orders,
            };
            (outcome, worst.peak_moments)
        }
        None => {
            let all = bound.peak;
            let new = if is_rollout { after.spec.replicas.into() } else { 0 };
            // However many of them are new: at most all that are desired.
            let moments = [PodMoment { old: all, new: 0 }, PodMoment { old: all.saturating_sub(new), new }];
            let peak_moments: PeakMoments = moments.into_iter().collect();
            let outcome = WorstOutcome {
                proof: WorstProof::Bound,
                peak: bound.peak,
                lowest_available: bound.lowest_available,
                resources: resources(outcome, pods, &peak_moments),
                longest: bound.longest,
                always_completes: None,
                lag: None,
                states: None,
                orders: Vec::new(),
            };
            (outcome, peak_moments)
        }
    }
}

/// The times of pods: those that are assumed, and otherwise any that the grace period allows.
fn times(before: &Deployment, after: &Deployment, assumptions: &Assumptions) -> PodTimes {
    let grace = |template: &PodTemplateSpec| template.spec.fields.termination_grace_period_seconds.unwrap_or(30);
    let grace = grace(&before.spec.template).max(grace(&after.spec.template)).max(MINIMUM_GRACE_PERIOD);
    let hook = [before, after].iter().map(|it| pre_stop_time(&it.spec.template, assumptions)).max().unwrap_or_default();
    let (hook, left) = share_grace_period(grace.saturating_mul(Time::SECOND), hook);
    let has_probes = [before, after].iter().any(|it| has_probes(&it.spec.template.spec.fields));
    let (ready_min, ready_max) = match assumptions.ready_after {
        None => (0, longest_ready(&assumptions.kubelet, has_probes)),
        Some(Delay::Never) => (0, None),
        Some(Delay::After(after)) => (after.0, Some(longer(after.0, assumptions.jitter))),
    };
    let stop = assumptions.stop_after.map_or(left, |stop| longer(stop.0, assumptions.jitter).min(left));
    let stop_max = hook.saturating_add(stop);
    PodTimes { ready_min, ready_max, stop_max }
}

/// How long any of these pods may take from its creation to its readiness; none if one may never become ready, or if its
/// probes decide.
fn longest_ready(kubelet: &[Timing], has_probes: bool) -> Option<i64> {
    let last = kubelet.last()?;
    let is_for_all = *last == Timing { deployment: None, job: None, indexes: None, attempts: None, ..last.clone() }
        && last.revision.is_none()
        && last.image.is_none();
    let times = kubelet.iter().map(|timing| {
        let ready = timing.ready.filter(|_| timing.ignores_probes(has_probes));
        let (Delay::After(pull), Some(Delay::After(ready)), None) = (timing.pull, ready, timing.crash) else {
            return None;
        };
        let stages = [timing.schedule, pull, timing.start, ready];
        let time = stages.into_iter().fold(0_i64, |time, stage| time.saturating_add(stage.0));
        Some(longer(time, timing.jitter_percent))
    });
    times.collect::<Option<Vec<_>>>().filter(|_| is_for_all)?.into_iter().max()
}

/// A time, stretched by a jitter in percent.
fn longer(time: i64, jitter: u32) -> i64 {
    let more = i128::from(time).saturating_mul(jitter.into()).div_euclid(100);
    time.saturating_add(i64::try_from(more).unwrap_or(i64::MAX))
}

/// A pod of a Deployment, as the API server admits it.
fn pod(deployment: &Deployment, limit_ranges: &LimitRanges) -> Pod {
    let mut spec = deployment.spec.template.spec.clone();
    limit_ranges.fill_in(&deployment.metadata.namespace, &mut spec.fields);
    Pod { spec, ..Pod::default() }
}

/// The most that the pods of these moments request.
fn resources(outcome: &Outcome, pods: &Pair<Pod>, peak_moments: &PeakMoments) -> Vec<WorstResource> {
    let peak = |resource: &str| {
        let amount = |pod: &Pod, count: i64| of_pod(pod, List::Requests, resource).saturating_mul(count.into());
        let at = |moment: PodMoment| amount(&pods.old, moment.old).saturating_add(amount(&pods.new, moment.new));
        peak_moments.iter().map(at).max().unwrap_or_default()
    };
    let demands = outcome.resources.iter();
    let worst = demands.map(|demand| WorstResource {
        resource: demand.resource.clone(),
        peak: written_like(peak(&demand.resource), &Value::from(&*demand.peak)),
    });
    worst.collect()
}

/// A build without explanations has no words for the steps of an order.
#[cfg(not(feature = "explain"))]
const fn explain_order(_: &[crate::worst_case::OrderStep]) -> Vec<alloc::string::String> {
    Vec::new()
}

#[cfg(not(feature = "explain"))]
const fn explain_timed_order(_: &[crate::worst_case::TimedStep]) -> Vec<alloc::string::String> {
    Vec::new()
}
