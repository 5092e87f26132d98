//! Forecasts what a change of a Deployment or a Job will do. The pods of a Job are counted. A change of a Deployment is run by
//! the simulated cluster, from a settled Deployment; where that is not possible, the forecast gives bounds.
//!
//! It assumes that a pod runs a second after its creation and is ready after its probes' initialDelaySeconds, that every
//! pod becomes ready, and that each terminates for its whole grace period. When a paused rollout is resumed, the template
//! of the running pods is unknown: it assumes that they are like the new ones.

mod bounds;
mod job;
mod outcome;
mod simulation;
#[cfg(test)]
mod tests;
mod ties;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::request::Request;
use super::settings::Settings;
use crate::apiserver::semantic_equal;
use crate::controller::deployment::{is_rolling_update, max_unavailable};
use crate::feature_gates::{Feature, FeatureGates};
use crate::object::DeploymentPodReplacementPolicy::{self, TerminationComplete, TerminationStarted};
use crate::object::Kind;
use crate::object::unstructured::{at, field, integer, map_at};
use crate::peak_moments::PodMoment;
use crate::scenario::Mode;
use bounds::Start;
pub(super) use job::job_sentences;
use outcome::Bounded;
pub(super) use outcome::Outcome;
use simulation::Change;

const TEMPLATE: [&str; 2] = ["spec", "template"];

/// What a changed Deployment will do, and what it would do under the other policy.
pub(super) struct Forecast {
    pub(super) this: Outcome,
    pub(super) that: Outcome,
    pub(super) other: DeploymentPodReplacementPolicy,
    /// The pods before, terminating ones included.
    pub(super) present: Present,
    /// What there must be at some time, or else the change does not complete.
    pub(super) needed: Vec<PodMoment>,
    /// Whether the pods are replaced.
    pub(super) rollout: bool,
}

/// How many pods there are before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Present {
    /// All of the old template.
    Settled(i64),
    /// All of an earlier template, which is unknown: a rollout was paused before it began.
    Earlier(i64),
    /// Of any template: a rollout is in progress.
    Mixed(i64),
}

impl Forecast {
    /// A sentence for each policy.
    pub(super) fn sentences(&self) -> [String; 2] {
        let (this, other, that) = (self.this.sentence(), self.other.as_str(), self.that.summary());
        [format!("rollout: {this}"), format!("with {other}: {that}")]
    }
}

/// Forecasts a changed Deployment; none if its pods don't change.
pub(super) fn forecast(request: &Request<'_>, object: &Value, settings: &Settings) -> Option<Forecast> {
    // The API server refuses negative replicas.
    let is_forecast = request.kind == Kind::Deployment && replicas(object) >= 0;
    let old = request.old.filter(|old| is_forecast && changes_pods(old, object))?;
    let held = is_paused(object).then(|| with_template_of(old, object));
    let object = held.as_ref().unwrap_or(object);
    let present = present(old, object);
    let with_policy = settings
        .gates
        .with(Feature::DeploymentPodReplacementPolicy, true)
        .with(Feature::DeploymentReplicaSetTerminatingReplicas, true);
    let policy = at(object, &["spec", "podReplacementPolicy"]).and_then(Value::as_str);
    let (policy, other) = match policy.filter(|_| settings.gates == with_policy) {
        Some("TerminationComplete") => (Some(TerminationComplete), TerminationStarted),
        Some(_) => (Some(TerminationStarted), TerminationComplete),
        None => (None, TerminationComplete),
    };
    let earlier = match present {
        Present::Earlier(pods) => Some(with_replicas(old, pods)),
        Present::Settled(_) | Present::Mixed(_) => None,
    };
    let old = earlier.as_ref().unwrap_or(old);
    let change = if earlier.is_some() { Change::resumed(old, object) } else { Change::of(old, object) };
    let why = matches!(present, Present::Mixed(_)).then_some(Bounded::InProgress);
    let this = outcome(old, &change, policy, settings.gates, why);
    // Bounds stand beside bounds, and nothing is tried twice.
    let that = outcome(old, &change, Some(other), with_policy, this.bounded());
    let needed = needed(&change, present);
    Some(Forecast { this, that, other, present, needed, rollout: change.rollout })
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
    Present::Mixed(pods.saturating_add(count(old, "terminatingReplicas")))
}

/// All pods in the end, and the first new pod beside the old ones where none of these may be unavailable.
fn needed(change: &Change<'_>, present: Present) -> Vec<PodMoment> {
    let after = change.after(None);
    let desired = i64::from(after.spec.replicas);
    let end = if change.rollout { PodMoment { old: 0, new: desired } } else { PodMoment { old: desired, new: 0 } };
    let mut needed = Vec::from([end]);
    if let Present::Settled(pods) | Present::Earlier(pods) = present
        && change.rollout
        && desired > 0
        && is_rolling_update(&after)
        && max_unavailable(&after) == 0
    {
        needed.push(PodMoment { old: pods.min(desired), new: 1 });
    }
    needed
}

/// Bounds where there is a reason for them, or where it takes too many steps.
fn outcome(
    old: &Value,
    change: &Change<'_>,
    policy: Option<DeploymentPodReplacementPolicy>,
    gates: FeatureGates,
    why: Option<Bounded>,
) -> Outcome {
    let played = why.map_or_else(|| simulation::simulate(change, policy, gates, Mode::Realistic), Err);
    played.unwrap_or_else(|why| bounds::of(&start(old, change, why), &change.after(policy), change, why))
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

/// The object with the pods that there are.
fn with_template_of(old: &Value, new: &Value) -> Value {
    let mut held = new.clone();
    let template = at(old, &TEMPLATE).cloned().unwrap_or_default();
    if let Some(old) = held.get_mut("spec").and_then(|spec| spec.get_mut("template")) {
        *old = template;
    }
    held
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

fn is_observed(old: &Value) -> bool {
    let generation = at(old, &["metadata", "generation"]).and_then(Value::as_i64).unwrap_or_default();
    count(old, "observedGeneration") >= generation
}

fn has_status(old: &Value) -> bool {
    field(old, "status").and_then(Value::as_object).is_some_and(|status| !status.is_empty())
}

/// A count of the status.
fn count(old: &Value, key: &str) -> i64 {
    field(old, "status").and_then(|status| integer(status, key)).unwrap_or_default()
}

/// The API server's default is 1.
pub(super) fn replicas(object: &Value) -> i64 {
    field(object, "spec").and_then(|spec| integer(spec, "replicas")).unwrap_or(1)
}

/// The pods from which the bounds start.
fn start(old: &Value, change: &Change<'_>, why: Bounded) -> Start {
    let before = change.before();
    let desired = i64::from(before.spec.replicas);
    if why != Bounded::InProgress {
        return Start { pods: desired, available: desired, terminating: 0 };
    }
    let most = bounds::most(&before);
    Start {
        pods: count(old, "replicas").max(most),
        available: count(old, "availableReplicas"),
        // Not counted where the gate is off.
        terminating: at(old, &["status", "terminatingReplicas"]).and_then(Value::as_i64).unwrap_or(most),
    }
}
