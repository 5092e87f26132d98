//! Forecasts what a change of a Deployment or a Job will do. The pods of a Job are counted. A change of a Deployment is played by
//! the simulated cluster, from a settled Deployment, as a prediction plays it; where that is not possible, the forecast gives
//! bounds.
//!
//! It assumes what a prediction assumes: by default, pods are ready when their probes succeed, and take their whole grace period
//! to stop. When a paused rollout is resumed, the template of the running pods is unknown: it assumes that they are like the new
//! ones.

mod bounds;
mod change;
mod job;
mod outcome;
#[cfg(test)]
mod tests;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::request::Request;
use super::settings::Settings;
use crate::Problem;
use crate::apiserver::semantic_equal;
use crate::feature_gates::{Feature, FeatureGates};
use crate::go::quoted;
use crate::object::unstructured::{at, field, integer, map_at};
use crate::object::{Kind, Time};
use crate::peak_moments::PodMoment;
use crate::prediction::Setting;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::DeploymentPodReplacementPolicy::{self, TerminationComplete, TerminationStarted};
use crate::workload::deployment::controller::{is_rolling_update, max_surge, max_unavailable};
use bounds::Start;
use change::Change;
pub(super) use change::Quotas;
pub(super) use job::job_sentences;
use outcome::Bounded;
pub(super) use outcome::{ForecastFigures, not_complete, rounded};

const TEMPLATE: [&str; 2] = ["spec", "template"];

/// What a changed Deployment will do.
pub(super) struct Forecast {
    pub(super) this: ForecastFigures,
    /// What it would do under the other policy, where the API server has that field.
    pub(super) that: Option<(DeploymentPodReplacementPolicy, ForecastFigures)>,
    /// The pods before, terminating ones included.
    pub(super) present: Present,
    /// What there must be at some time, or else the change does not complete.
    pub(super) needed: Vec<PodMoment>,
    change: Change,
    policy: Option<DeploymentPodReplacementPolicy>,
    gates: FeatureGates,
}

/// How many pods a rollout may have beside the desired ones, and how many of these may be unavailable.
#[derive(Clone, Copy, Debug)]
pub(super) struct PodLimits {
    pub(super) spare: i64,
    pub(super) unavailable: i64,
}

/// How many pods there are before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Present {
    /// All of the old template.
    Settled(i64),
    /// All of the old template, and others that terminate.
    Ending { pods: i64, terminating: i64 },
    /// All of an earlier template, which is unknown: a rollout was paused before it began.
    Earlier(i64),
    /// Of any template: a rollout is in progress.
    Mixed(i64),
}

impl Present {
    /// Whether all pods are known, but those that the status does not count.
    pub(super) const fn is_settled(self) -> bool {
        matches!(self, Self::Settled(_) | Self::Ending { .. })
    }
}

impl Forecast {
    /// The desired pods before and after.
    pub(super) fn desired(&self) -> [i32; 2] {
        [self.change.before.spec.replicas, self.change.after(self.policy).spec.replicas]
    }

    /// Whether the pods are replaced.
    pub(super) const fn is_rollout(&self) -> bool {
        self.change.rollout
    }

    /// The change where these quotas refuse what exceeds them; none if it can't be played.
    pub(super) fn with_quotas(&self, quotas: Quotas) -> Option<ForecastFigures> {
        self.change.play(self.change.after(self.policy), self.gates, quotas).ok()
    }

    /// The same with another setting of the Deployment.
    pub(super) fn with_setting(&self, setting: &Setting, quotas: Quotas) -> Option<ForecastFigures> {
        self.change.play(self.change.with_setting(self.policy, setting), self.gates, quotas).ok()
    }

    /// The first setting of a rolling update whose outcome is accepted, with the nanoseconds that it takes; none if none is, or
    /// there is no time left to try.
    pub(super) fn find_setting(
        &self,
        limits: PodLimits,
        accepts: &dyn Fn(&ForecastFigures) -> bool,
    ) -> Option<(Setting, i64)> {
        self.frugal_settings(limits).into_iter().find_map(|setting| {
            let outcome = self.with_setting(&setting, Vec::new()).filter(accepts)?;
            Some((setting, outcome.took?))
        })
    }

    /// Settings of a rolling update that may keep to limits, the one that keeps the most pods available first. New pods that become
    /// available only when old ones are gone hold the next ones back.
    fn frugal_settings(&self, limits: PodLimits) -> Vec<Setting> {
        let after = self.change.after(self.policy);
        let (own, Some(times)) = (Setting::of(&after), self.change.pod_times()) else { return Vec::new() };
        let stop = times.stop.0.saturating_add(Time::SECOND.saturating_sub(1)).div_euclid(Time::SECOND);
        let PodLimits { spare, unavailable: most_unavailable } = limits;
        // All pods twice is no limit.
        let is_limited = spare < i64::from(after.spec.replicas);
        let stop = if is_limited { i32::try_from(stop).unwrap_or(i32::MAX) } else { 0 };
        let min_ready = own.min_ready_seconds.max(stop);
        // The API server wants a minReadySeconds that is shorter than the deadline.
        let deadline = after.spec.progress_deadline_seconds.unwrap_or(i32::MAX);
        if !is_rolling_update(&after) || spare < 1 || min_ready >= deadline {
            return Vec::new();
        }
        let within = |most: i64, pods: i64| i32::try_from(pods.clamp(0, most.max(0))).unwrap_or(i32::MAX);
        let (surge, unavailable) =
            (i64::from(max_surge(&after)), i64::from(max_unavailable(&after)).min(most_unavailable));
        // A wave starts as many pods as end in it: the surge of the new ones stands beside that of the old ones.
        let kept = within(surge.max(1), spare.saturating_sub(unavailable).div_euclid(2));
        let replaced = within(after.spec.replicas.into(), spare.min(most_unavailable));
        let kept = (kept > 0 || unavailable > 0 && unavailable <= spare).then_some((kept, within(spare, unavailable)));
        let pairs = kept.into_iter().chain((replaced > 0).then_some((0, replaced)));
        pairs.map(|(surge, unavailable)| Setting::rolling(surge, unavailable, min_ready)).collect()
    }

    /// The settings that need the least room, if nothing else fits, with the Deployment's own minReadySeconds.
    pub(super) fn smallest_settings(&self) -> [Setting; 2] {
        let min_ready = Setting::of(&self.change.after(self.policy)).min_ready_seconds;
        [Setting::rolling(0, 1, min_ready), Setting::recreate(min_ready)]
    }

    /// A sentence for each policy.
    pub(super) fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::from([format!("rollout: {}", self.this.sentence())]);
        if let Some((other, that)) = &self.that {
            sentences.push(format!("with {}: {}", other.as_str(), that.summary()));
        }
        sentences
    }

    /// What is assumed of the pods; none where that is not known.
    pub(super) fn assumed(&self) -> Option<String> {
        let times = self.change.pod_times()?;
        Some(format!(
            "assumed: new pods are ready after {}, old pods stop after {} (settings ready_after, stop_after)",
            rounded(times.ready.0),
            rounded(times.stop.0)
        ))
    }
}

/// Forecasts a changed Deployment; none if its pods don't change.
///
/// # Errors
/// What can't be read in one of the objects.
pub(super) fn forecast(
    request: &Request<'_>,
    object: &Value,
    settings: &Settings,
) -> Result<Option<Forecast>, Problem> {
    // The API server refuses negative replicas.
    let is_forecast = request.kind == Kind::Deployment && replicas(object) >= 0;
    let Some(old) = request.old.filter(|old| is_forecast && changes_pods(old, object)) else { return Ok(None) };
    if let Some(strategy) = [old, object].into_iter().find_map(unknown_strategy) {
        let message = format!("Unsupported value: {}: Kubernetes 1.37 has no such strategy", quoted(strategy));
        return Err(Problem::new("spec.strategy.type", message));
    }
    let present = present(old, object);
    let gates = settings.gates;
    let given = at(object, &["spec", "podReplacementPolicy"]).and_then(Value::as_str);
    let has_policy = gates.enabled(Feature::DeploymentPodReplacementPolicy);
    let (policy, other) = match given.filter(|_| has_policy) {
        Some("TerminationComplete") => (Some(TerminationComplete), TerminationStarted),
        Some(_) => (Some(TerminationStarted), TerminationComplete),
        None => (None, TerminationComplete),
    };
    let assumptions = settings.assumptions();
    let change = match present {
        Present::Earlier(pods) => Change::resumed(&with_replicas(old, pods), object, assumptions),
        Present::Settled(_) | Present::Ending { .. } | Present::Mixed(_) => Change::of(old, object, assumptions),
    }?;
    let why = matches!(present, Present::Ending { .. } | Present::Mixed(_)).then_some(Bounded::InProgress);
    let this = outcome(old, &change, policy, gates, why);
    // Bounds stand beside bounds, and nothing is tried twice.
    let that = has_policy.then(|| (other, outcome(old, &change, Some(other), gates, this.bounded)));
    let needed = needed(&change, present);
    Ok(Some(Forecast { this, that, present, needed, change, policy, gates }))
}

/// The type of a strategy that no controller of 1.37 has.
fn unknown_strategy(object: &Value) -> Option<&str> {
    let strategy = at(object, &["spec", "strategy", "type"]).and_then(Value::as_str)?;
    (!matches!(strategy, "" | "RollingUpdate" | "Recreate")).then_some(strategy)
}

fn present(old: &Value, new: &Value) -> Present {
    if !is_rolling_out(old) {
        return Present::Settled(replicas(old));
    }
    let pods = count(old, "replicas");
    // A Deployment that was created paused has no pods yet.
    let is_at_rest = is_observed(old)
        && (pods == replicas(old) || pods == 0)
        && count(old, "availableReplicas") == pods
        && count(old, "terminatingReplicas") == 0;
    // Else the new template may be the earlier one.
    let is_same_template = semantic_equal(at(old, &TEMPLATE), at(new, &TEMPLATE));
    if is_resumed(old, new) && is_same_template && is_at_rest && count(old, "updatedReplicas") == 0 {
        return Present::Earlier(pods);
    }
    let terminating = count(old, "terminatingReplicas");
    if is_observed(old) && pods == replicas(old) && count(old, "updatedReplicas") == pods && terminating > 0 {
        return Present::Ending { pods, terminating };
    }
    Present::Mixed(pods.saturating_add(terminating))
}

/// Whether terminating pods may be there that the status does not count: the API server counts them only with
/// DeploymentReplicaSetTerminatingReplicas. A manifest that was never in a cluster has no status.
pub(super) fn may_hide_terminating(old: &Value) -> bool {
    has_status(old) && at(old, &["status", "terminatingReplicas"]).is_none()
}

/// All pods in the end, and the first new pod beside the old ones where none of these may be unavailable.
fn needed(change: &Change, present: Present) -> Vec<PodMoment> {
    let after = change.after(None);
    let desired = i64::from(after.spec.replicas);
    let end = if change.rollout { PodMoment { old: 0, new: desired } } else { PodMoment { old: desired, new: 0 } };
    let mut needed = Vec::from([end]);
    if let Present::Settled(pods) | Present::Ending { pods, .. } | Present::Earlier(pods) = present
        && change.rollout
        && desired > 0
        && is_rolling_update(&after)
        && max_unavailable(&after) == 0
    {
        needed.push(PodMoment { old: pods.min(desired), new: 1 });
    }
    needed
}

/// Bounds where there is a reason for them.
fn outcome(
    old: &Value,
    change: &Change,
    policy: Option<DeploymentPodReplacementPolicy>,
    gates: FeatureGates,
    why: Option<Bounded>,
) -> ForecastFigures {
    let played = why.map_or_else(|| change.play(change.after(policy), gates, Vec::new()), Err);
    played.unwrap_or_else(|why| bounds::of(&start(old, change, why), &change.after(policy), change, why))
}

/// The limit; unlike the controller's own it does not wrap.
fn limit(deployment: &Deployment) -> i64 {
    match deployment.spec.replicas {
        0 => 0,
        desired => i64::from(desired).saturating_add(max_surge(deployment).into()),
    }
}

/// Whether the pods are about to change. A paused Deployment is scaled, and rolls nothing out until it is resumed.
fn changes_pods(old: &Value, new: &Value) -> bool {
    let changed = |key: &str| !semantic_equal(at(old, &["spec", key]), at(new, &["spec", key]));
    let rolls_out = || changed("template") || changed("strategy") || is_resumed(old, new) && has_pending_rollout(old);
    changed("replicas") || !is_paused(new) && rolls_out()
}

pub(super) fn is_paused(object: &Value) -> bool {
    at(object, &["spec", "paused"]).and_then(Value::as_bool) == Some(true)
}

fn is_resumed(old: &Value, new: &Value) -> bool {
    is_paused(old) && !is_paused(new)
}

/// Whether not all pods are of the old object's template, as far as its status tells.
fn has_pending_rollout(old: &Value) -> bool {
    let (updated, pods) = (count(old, "updatedReplicas"), count(old, "replicas"));
    !is_observed(old) || has_status(old) && (updated != pods || updated < replicas(old))
}

/// The object with as many replicas as there are pods.
fn with_replicas(object: &Value, pods: i64) -> Value {
    let mut changed = object.clone();
    if let Some(spec) = map_at(&mut changed, &["spec"]) {
        spec.insert(String::from("replicas"), pods.into());
    }
    changed
}

/// What counts all the replicas of a settled Deployment.
const SETTLED: [&str; 3] = ["updatedReplicas", "replicas", "availableReplicas"];

/// Whether the old status shows that the Deployment is not settled. A manifest that was never in a cluster has
/// no generation and no status.
fn is_rolling_out(old: &Value) -> bool {
    // As `deployment_complete` asks for it.
    let is_counted = || SETTLED.iter().all(|key| count(old, key) == replicas(old));
    !is_observed(old) || has_status(old) && !(is_counted() && count(old, "terminatingReplicas") == 0)
}

pub(super) fn is_observed(old: &Value) -> bool {
    let generation = at(old, &["metadata", "generation"]).and_then(Value::as_i64).unwrap_or_default();
    count(old, "observedGeneration") >= generation
}

pub(super) fn has_status(old: &Value) -> bool {
    field(old, "status").and_then(Value::as_object).is_some_and(|status| !status.is_empty())
}

/// A count of the status.
pub(super) fn count(old: &Value, key: &str) -> i64 {
    field(old, "status").and_then(|status| integer(status, key)).unwrap_or_default()
}

/// The API server's default is 1.
pub(super) fn replicas(object: &Value) -> i64 {
    field(object, "spec").and_then(|spec| integer(spec, "replicas")).unwrap_or(1)
}

/// The pods from which the bounds start.
fn start(old: &Value, change: &Change, why: Bounded) -> Start {
    let before = &change.before;
    let desired = i64::from(before.spec.replicas);
    if why != Bounded::InProgress {
        return Start { pods: desired, available: desired, terminating: 0 };
    }
    let most = limit(before);
    Start {
        pods: count(old, "replicas").max(most),
        available: count(old, "availableReplicas"),
        // Not counted where the gate is off.
        terminating: at(old, &["status", "terminatingReplicas"]).and_then(Value::as_i64).unwrap_or(most),
    }
}
