//! A change of a Deployment, run by the simulated cluster.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::outcome::{Bounded, Certainty, Outcome};
use super::{TEMPLATE, ties};
use crate::apiserver::semantic_equal;
use crate::cluster::{PodTotals, RolloutSimulation, SimulatedRollout};
use crate::controller::deployment::{is_reported_complete, is_rolling_update, limit};
use crate::feature_gates::FeatureGates;
use crate::object::DeploymentPodReplacementPolicy::{TerminationComplete, TerminationStarted};
use crate::object::unstructured::{at, field, integer, list, string};
use crate::object::{
    Container, Deployment, DeploymentPodReplacementPolicy, DeploymentSpec, DeploymentStrategy, IntOrString,
    LabelSelector, Object, ObjectMeta, PodSpec, PodSpecFields, PodTemplateMeta, PodTemplateSpec,
    RollingUpdateDeployment, Strings, Time,
};
use crate::peak_moments::{PeakMoments, PodMoment};
use crate::scenario::{Delay, Duration, Mode, Timing};

/// How many steps are simulated at most under each policy, until the Deployment is at rest and until its change is
/// complete. They bound the time that a review takes: two times as many stay below 100 ms, also in a host of half the speed of
/// the machine in BENCHMARKS.md.
pub(super) const MAX_STEPS: u32 = 22_000;

/// The fewest steps that a pod takes to be there at rest, to start, and to end. Without a grace period it ends with its
/// deletion.
const MIN_SETTLED_STEPS: i64 = 1;
const MIN_START_STEPS: i64 = 2;
const MIN_TERMINATION_STEPS: i64 = 2;
const MIN_IMMEDIATE_TERMINATION_STEPS: i64 = 1;

/// The images of the simulated templates.
const OLD_IMAGE: &str = "old";
const NEW_IMAGE: &str = "new";

/// A Deployment before and after.
pub(super) struct Change<'a> {
    old: &'a Value,
    new: &'a Value,
    /// Whether the pods are replaced.
    pub(super) rollout: bool,
}

impl<'a> Change<'a> {
    pub(super) fn of(old: &'a Value, new: &'a Value) -> Self {
        Self { old, new, rollout: !semantic_equal(at(old, &TEMPLATE), at(new, &TEMPLATE)) }
    }

    /// A paused Deployment whose pods are of an earlier template, and which is resumed.
    pub(super) const fn resumed(old: &'a Value, new: &'a Value) -> Self {
        Self { old, new, rollout: true }
    }

    /// The Deployment before. At rest its policy makes no difference.
    pub(super) fn before(&self) -> Deployment {
        deployment(self.old, OLD_IMAGE, None)
    }

    /// The Deployment after, under a policy.
    pub(super) fn after(&self, policy: Option<DeploymentPodReplacementPolicy>) -> Deployment {
        deployment(self.new, if self.rollout { NEW_IMAGE } else { OLD_IMAGE }, policy)
    }

    /// Whether new pods come only when others are gone, so that these can't end later than those come: under the complete rule,
    /// unless the old ReplicaSet grows first, and in a Recreate without a policy.
    fn waits_for_ends(&self, after: &Deployment) -> bool {
        match after.spec.pod_replacement_policy {
            Some(TerminationComplete) => !self.rollout || after.spec.replicas <= self.before().spec.replicas,
            Some(TerminationStarted) => false,
            None => !is_rolling_update(after),
        }
    }

    /// Seconds from the creation of a new pod to its readiness.
    pub(super) fn start_up(&self) -> i64 {
        ready_after(self.new).saturating_add(Timing::default().start.0.div_euclid(Time::SECOND))
    }
}

/// A Deployment with all that bears on how many pods there are when. The rest of a template is only an image here: it
/// would be copied for each pod.
fn deployment(object: &Value, image: &str, policy: Option<DeploymentPodReplacementPolicy>) -> Deployment {
    const NAME: &str = "web";
    let spec = field(object, "spec").unwrap_or(&Value::Null);
    let strategy = field(spec, "strategy").unwrap_or(&Value::Null);
    let rolling_update = field(strategy, "rollingUpdate").unwrap_or(&Value::Null);
    let type_ = match string(strategy, "type") {
        "" => "RollingUpdate",
        given => given,
    };
    let rolling_update = (type_ == "RollingUpdate").then(|| RollingUpdateDeployment {
        max_unavailable: Some(int_or_string(rolling_update, "maxUnavailable")),
        max_surge: Some(int_or_string(rolling_update, "maxSurge")),
    });
    let grace = at(spec, &["template", "spec", "terminationGracePeriodSeconds"]).and_then(Value::as_i64);
    let mut labels = Strings::default();
    labels.insert(String::from("app"), String::from(NAME));
    let container = Container { name: NAME.into(), image: image.into(), ..Container::default() };
    let fields = PodSpecFields {
        containers: Vec::from([container]),
        termination_grace_period_seconds: Some(grace.unwrap_or(30)),
        ..PodSpecFields::default()
    };
    let template = PodTemplateSpec {
        metadata: PodTemplateMeta { labels: Rc::new(labels.clone()), ..PodTemplateMeta::default() },
        spec: PodSpec { node_name: None, fields: Rc::new(fields) },
    };
    Deployment {
        metadata: Rc::new(ObjectMeta { name: NAME.into(), namespace: "default".into(), ..ObjectMeta::default() }),
        spec: Rc::new(DeploymentSpec {
            replicas: int32(spec, "replicas").unwrap_or(1),
            selector: Some(Rc::new(LabelSelector { match_labels: labels, ..LabelSelector::default() })),
            template: Rc::new(template),
            strategy: DeploymentStrategy { type_: type_.into(), rolling_update },
            min_ready_seconds: int32(spec, "minReadySeconds").unwrap_or_default(),
            progress_deadline_seconds: Some(int32(spec, "progressDeadlineSeconds").unwrap_or(600)),
            pod_replacement_policy: policy,
            ..DeploymentSpec::default()
        }),
        ..Deployment::default()
    }
}

fn int32(map: &Value, key: &str) -> Option<i32> {
    i32::try_from(integer(map, key)?).ok()
}

fn int_or_string(map: &Value, key: &str) -> IntOrString {
    // The API server's own default.
    let text = || field(map, key).and_then(Value::as_str).unwrap_or("25%").into();
    int32(map, key).map_or_else(|| IntOrString::String(text()), IntOrString::Int)
}

/// Seconds from running containers to readiness: a probe can't succeed before its initialDelaySeconds.
fn ready_after(object: &Value) -> i64 {
    let delay = |container: &Value, probe: &str| {
        field(container, probe).and_then(|probe| integer(probe, "initialDelaySeconds")).unwrap_or_default()
    };
    let pod = at(object, &["spec", "template", "spec"]).unwrap_or(&Value::Null);
    let delays = list(pod, "containers")
        .iter()
        .map(|container| delay(container, "readinessProbe").max(delay(container, "startupProbe")));
    delays.max().unwrap_or_default()
}

fn timing(object: &Value, revision: Option<i64>) -> Timing {
    Timing { revision, ready: Some(Delay::After(Duration::seconds(ready_after(object)))), ..Timing::default() }
}

/// What comes of a change under a policy.
///
/// # Errors
/// It takes too many steps.
pub(super) fn simulate(
    change: &Change<'_>,
    policy: Option<DeploymentPodReplacementPolicy>,
    gates: FeatureGates,
    mode: Mode,
) -> Result<Outcome, Bounded> {
    let simulated = play(change, policy, gates, mode)?;
    let after = change.after(policy);
    let limit = limit(&after).into();
    let pods = |totals: &PodTotals| PodMoment { old: totals.old.into(), new: totals.new.into() };
    let simulated_moments: PeakMoments = simulated.pods.iter().map(pods).collect();
    let peak = simulated_moments.peak().unwrap_or_default();
    let [certain, peak_moments] = if simulated.has_ranked {
        [PeakMoments::default(), simulated_moments]
    } else if change.waits_for_ends(&after) {
        [simulated_moments.clone(), simulated_moments]
    } else {
        [ties::least(&simulated.pods), ties::most(&simulated.pods)]
    };
    let available = simulated.pods.iter().map(|totals| totals.available).min().unwrap_or_default();
    let mut complete = None;
    for step in &simulated.steps {
        if let Some(Object::Deployment(deployment)) = step.change.as_ref().and_then(|change| change.after.as_ref()) {
            let is_complete = is_reported_complete(deployment, gates);
            complete = is_complete.then(|| complete.unwrap_or(step.time));
        }
    }
    let took = complete.ok_or(Bounded::TooLarge)?.since(simulated.changed);
    let seconds = took.saturating_add(Time::SECOND.saturating_sub(1)).div_euclid(Time::SECOND);
    let is_exact = certain.peak() == peak_moments.peak();
    let certainty = if is_exact { Certainty::Exact } else { Certainty::OneOfSeveral };
    Ok(Outcome { peak, peak_moments, certain, limit, available: available.into(), seconds, certainty })
}

/// Plays a change under a policy.
///
/// # Errors
/// It takes too many steps.
fn play(
    change: &Change<'_>,
    policy: Option<DeploymentPodReplacementPolicy>,
    gates: FeatureGates,
    mode: Mode,
) -> Result<SimulatedRollout, Bounded> {
    let (before, after) = (change.before(), change.after(policy));
    if fewest_steps(change, &before, &after) > i64::from(MAX_STEPS) {
        return Err(Bounded::TooLarge);
    }
    // The first revision is the one at rest.
    let kubelet = Vec::from([timing(change.old, Some(1)), timing(change.new, None)]);
    let rollout = RolloutSimulation { before, after, kubelet, gates, mode, max_steps: MAX_STEPS };
    rollout.simulate().ok_or(Bounded::TooLarge)
}

/// Fewer steps can't be enough, so that nothing needs to be tried.
pub(super) fn fewest_steps(change: &Change<'_>, before: &Deployment, after: &Deployment) -> i64 {
    let at_once = before.spec.template.spec.fields.termination_grace_period_seconds == Some(0);
    let to_go = if at_once { MIN_IMMEDIATE_TERMINATION_STEPS } else { MIN_TERMINATION_STEPS };
    let (before, after) = (i64::from(before.spec.replicas), i64::from(after.spec.replicas));
    let (come, go) = if change.rollout {
        (after, before)
    } else {
        (after.saturating_sub(before).max(0), before.saturating_sub(after).max(0))
    };
    let settled = MIN_SETTLED_STEPS.saturating_mul(before);
    settled.saturating_add(MIN_START_STEPS.saturating_mul(come)).saturating_add(to_go.saturating_mul(go))
}
