//! A change of a Deployment, played by the simulated cluster as a prediction plays it.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::{Cell, RefCell};

use serde_json::{Value, json};

use super::outcome::{Bounded, ForecastFigures};
use super::{TEMPLATE, is_paused, limit};
use crate::Problem;
use crate::apiserver::semantic_equal;
use crate::cluster::{PlayedRollout, PodTimes, PodTotals, SettledRollout, Unplayable, pod_times};
use crate::feature_gates::FeatureGates;
use crate::json::decode;
use crate::object::ResourceQuotaSpec;
use crate::object::unstructured::{at, field, map_at, remove_nulls};
use crate::peak_moments::PodMoment;
use crate::prediction::{Assumptions, Setting};
use crate::timeline::time_until;
use crate::workload::deployment::figures::completions;
use crate::workload::deployment::strategy::default_deployment;
use crate::workload::deployment::{
    Deployment, DeploymentPodReplacementPolicy, DeploymentStrategy, RollingUpdateDeployment,
};

/// How many steps are simulated at most for one review, whatever it asks: what fits into about 20 ms in the host of BENCHMARKS.md.
const MAX_STEPS: u32 = 25_000;

/// How many JSON values of a template make no step slower. With twice as many, half as many steps fit.
const USUAL_VALUES: u32 = 200;

/// A template with more values takes too long by itself.
const MAX_VALUES: u32 = 5_000;

/// What the simulated cluster does not read of pods and containers.
const UNREAD: [&str; 15] = [
    "affinity",
    "args",
    "command",
    "dnsConfig",
    "env",
    "envFrom",
    "hostAliases",
    "imagePullSecrets",
    "resizePolicy",
    "securityContext",
    "tolerations",
    "topologySpreadConstraints",
    "volumeDevices",
    "volumeMounts",
    "volumes",
];

/// The fewest steps that a pod takes to be there at rest, to start, and to end. Without a grace period it ends with its
/// deletion.
const MIN_SETTLED_STEPS: i64 = 1;
const MIN_START_STEPS: i64 = 4;
const MIN_TERMINATION_STEPS: i64 = 2;
const MIN_IMMEDIATE_TERMINATION_STEPS: i64 = 1;

/// The label of all pods, and of their Deployment's selector: a workload that is scaled is read without its selector.
const LABEL: &str = "changeover";

/// The quotas of a namespace, with their names.
pub(in crate::review) type Quotas = Vec<(Rc<str>, ResourceQuotaSpec)>;

/// A Deployment before and after, and how fast its pods are.
pub(super) struct Change {
    /// At rest its policy makes no difference.
    pub(super) before: Deployment,
    after: Deployment,
    /// Whether the pods are replaced.
    pub(super) rollout: bool,
    assumptions: Assumptions,
    /// How many steps are left.
    steps: Cell<u32>,
    /// What was played so far: nothing is played twice.
    played: RefCell<Vec<Played>>,
}

/// A change that was played: the Deployment after it, the feature gates, the quotas, and what came of it.
struct Played {
    after: Deployment,
    gates: FeatureGates,
    quotas: Quotas,
    outcome: Result<ForecastFigures, Bounded>,
}

impl Change {
    /// # Errors
    /// What can't be read in one of the objects.
    pub(super) fn of(old: &Value, new: &Value, assumptions: Assumptions) -> Result<Self, Problem> {
        let rollout = !is_paused(new) && !semantic_equal(at(old, &TEMPLATE), at(new, &TEMPLATE));
        Self::new(old, new, rollout, assumptions)
    }

    /// A paused Deployment whose pods are of an earlier template, and which is resumed.
    ///
    /// # Errors
    /// As [`Change::of`].
    pub(super) fn resumed(old: &Value, new: &Value, assumptions: Assumptions) -> Result<Self, Problem> {
        Self::new(old, new, true, assumptions)
    }

    fn new(old: &Value, new: &Value, rollout: bool, assumptions: Assumptions) -> Result<Self, Problem> {
        let [old, new] = [(old, "before"), (new, "after")].map(|(object, mark)| read_part(object, mark));
        let steps = Cell::new(max_steps(values(&old).max(values(&new))));
        let (mut before, mut after) = (typed(old)?, typed(new)?);
        let spec = Rc::make_mut(&mut before.spec);
        // Else it would have no pods.
        spec.paused = false;
        spec.pod_replacement_policy = None;
        if !rollout {
            let spec = Rc::make_mut(&mut after.spec);
            // A paused Deployment is scaled like any other, with the pods that it has, but reports no progress.
            spec.paused = false;
            spec.template = before.spec.template.clone();
        }
        Ok(Self { before, after, rollout, assumptions, steps, played: RefCell::default() })
    }

    /// The Deployment after, under a policy.
    pub(super) fn after(&self, policy: Option<DeploymentPodReplacementPolicy>) -> Deployment {
        let mut after = self.after.clone();
        Rc::make_mut(&mut after.spec).pod_replacement_policy = policy;
        after
    }

    /// The Deployment after, with a setting of its strategy.
    pub(super) fn with_setting(&self, policy: Option<DeploymentPodReplacementPolicy>, setting: &Setting) -> Deployment {
        let mut after = self.after(policy);
        let spec = Rc::make_mut(&mut after.spec);
        let rolling_update = RollingUpdateDeployment {
            max_surge: setting.max_surge.clone(),
            max_unavailable: setting.max_unavailable.clone(),
        };
        spec.strategy = DeploymentStrategy {
            type_: setting.strategy.clone(),
            rolling_update: setting.max_surge.is_some().then_some(rolling_update),
        };
        spec.min_ready_seconds = setting.min_ready_seconds;
        after
    }

    /// How long new pods take to become ready, and the present ones to stop; none where that is not known.
    pub(super) fn pod_times(&self) -> Option<PodTimes> {
        let timing = self.assumptions.timing();
        let new = pod_times(&self.after.spec.template, &timing)?;
        let old = pod_times(&self.before.spec.template, &timing)?;
        Some(PodTimes { stop: old.stop, ..new })
    }

    /// Plays the change to a Deployment, with these feature gates and quotas; once, however often it is asked.
    ///
    /// # Errors
    /// It takes too many steps, or can't be played.
    pub(super) fn play(
        &self,
        after: Deployment,
        gates: FeatureGates,
        quotas: Quotas,
    ) -> Result<ForecastFigures, Bounded> {
        let is_same = |played: &&Played| played.after == after && played.gates == gates && played.quotas == quotas;
        if let Some(same) = self.played.borrow().iter().find(is_same) {
            return same.outcome.clone();
        }
        let outcome = self.simulate(after.clone(), gates, quotas.clone());
        self.played.borrow_mut().push(Played { after, gates, quotas, outcome: outcome.clone() });
        outcome
    }

    /// How many steps are left for what was not played yet.
    #[cfg(test)]
    pub(super) const fn steps_left(&self) -> u32 {
        self.steps.get()
    }

    fn simulate(&self, after: Deployment, gates: FeatureGates, quotas: Quotas) -> Result<ForecastFigures, Bounded> {
        let (before, max_steps) = (self.before.clone(), self.steps.get());
        if fewest_steps(self.rollout, &before, &after) > i64::from(max_steps) {
            return Err(Bounded::TooLarge);
        }
        let limit = limit(&after);
        let (timing, mode) = (self.assumptions.timing(), self.assumptions.mode());
        let simulation = SettledRollout { before, after, timing, gates, mode, quotas, max_steps };
        let played = simulation.start().and_then(|rollout| rollout.play()).map_err(|why| {
            // How many steps it took is not known: as if all.
            self.steps.set(0);
            match why {
                Unplayable::TooLarge => Bounded::TooLarge,
                Unplayable::Ranked => Bounded::Ranked,
                Unplayable::Unknown => Bounded::NotSimulated,
            }
        })?;
        let taken = u32::try_from(played.step_count).unwrap_or(u32::MAX);
        self.steps.set(max_steps.saturating_sub(taken));
        Ok(self.outcome(&played, limit))
    }

    fn outcome(&self, played: &PlayedRollout, limit: i64) -> ForecastFigures {
        let moments = played.pods.iter().zip(played.pods.iter().skip(1));
        let creations = moments.filter(|(before, after)| after.old > before.old || after.new > before.new);
        let creations = creations.map(|(_, pods)| PodMoment { old: pods.old.into(), new: pods.new.into() });
        let took = time_until(completions(played).into_iter(), played.start);
        ForecastFigures {
            peak: played.pods.iter().map(PodTotals::holding).max().unwrap_or_default().into(),
            peak_moments: creations.collect(),
            limit,
            available: played.lowest_available().into(),
            took,
            is_stuck: took.is_none() && played.is_over,
            bounded: None,
        }
    }
}

/// Fewer steps can't be enough, so that nothing needs to be tried.
pub(super) fn fewest_steps(rollout: bool, before: &Deployment, after: &Deployment) -> i64 {
    let at_once = before.spec.template.spec.fields.termination_grace_period_seconds == Some(0);
    let to_go = if at_once { MIN_IMMEDIATE_TERMINATION_STEPS } else { MIN_TERMINATION_STEPS };
    let (before, after) = (i64::from(before.spec.replicas), i64::from(after.spec.replicas));
    let (come, go) = if rollout {
        (after, before)
    } else {
        (after.saturating_sub(before).max(0), before.saturating_sub(after).max(0))
    };
    let settled = MIN_SETTLED_STEPS.saturating_mul(before);
    settled.saturating_add(MIN_START_STEPS.saturating_mul(come)).saturating_add(to_go.saturating_mul(go))
}

/// How many steps fit into the time, for a spec of that many values.
fn max_steps(values: u32) -> u32 {
    if values > MAX_VALUES {
        return 0;
    }
    MAX_STEPS.saturating_mul(USUAL_VALUES).checked_div(values.max(USUAL_VALUES)).unwrap_or_default()
}

/// How many JSON values there are in one, itself included.
fn values(value: &Value) -> u32 {
    let parts: u32 = match value {
        Value::Object(map) => map.values().map(values).fold(0, u32::saturating_add),
        Value::Array(items) => items.iter().map(values).fold(0, u32::saturating_add),
        _ => 0,
    };
    parts.saturating_add(1)
}

/// The spec of a request's Deployment, as far as the simulated cluster reads it. The mark tells templates apart that differ in the rest.
fn read_part(object: &Value, mark: &str) -> Value {
    let labels = json!({ LABEL: "" });
    let mut spec = field(object, "spec").cloned().unwrap_or_else(|| json!({}));
    if let Some(template) = map_at(&mut spec, &["template"]) {
        template.insert(String::from("metadata"), json!({ "labels": labels, "annotations": { LABEL: mark } }));
    }
    if let Some(pod) = map_at(&mut spec, &["template", "spec"]) {
        pod.retain(|key, _| !UNREAD.contains(&key.as_str()));
        for key in ["initContainers", "containers"] {
            let containers = pod.get_mut(key).and_then(Value::as_array_mut).into_iter().flatten();
            for container in containers.filter_map(Value::as_object_mut) {
                container.retain(|key, _| !UNREAD.contains(&key.as_str()));
            }
        }
    }
    if let Some(spec) = spec.as_object_mut() {
        spec.insert(String::from("selector"), json!({ "matchLabels": labels }));
    }
    spec
}

/// A Deployment with the API server's defaults. It is alone, so that its name makes no difference.
fn typed(spec: Value) -> Result<Deployment, Problem> {
    let metadata = json!({ "name": "web", "namespace": "default" });
    let mut deployment = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec });
    default_deployment(&mut deployment);
    remove_nulls(&mut deployment);
    decode(&deployment, "")
}
