//! What a change takes.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{
    JobOutcome, JobPrediction, NotExplored, Outcome, Prediction, QuotaDemand, QuotaPrediction, Ranges, TotalPrediction,
    Warning, WorkloadPrediction, WorstCases,
};
use super::course::{Shard, ShardPart};
use super::deciding_defaults::{at_max_replicas, deciding_defaults};
use super::equal_nodes::with_other_nodes;
use super::judgment::{CAUSES, judge};
use super::measure::Measures;
use super::measured_run::{MeasuredRun, Steps};
use super::options::{Assumptions, PredictOptions, RolloutStart};
use super::quota_demand::{Quota, not_explored, worst_of_quota};
use super::requests::Requests;
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use super::unrelated::{MOMENTS, unrelated, untouched};
use super::verdict::Verdict;
use super::warnings::warnings;
use super::worst_outcome::{WorstPods, is_explored, worst_cases};
use crate::Problem;
use crate::cluster::{LimitRanges, overdue_since};
use crate::collect_tree::CollectTree;
use crate::json::FromJson;
use crate::object::{Kind, Object, ObjectKey};
use crate::scenario::{EqualNodes, Scenario};
use crate::timeline::{End, Series, Timeline};
use crate::workload::job::JobSeries;

/// The version of the answer's format.
const VERSION: u32 = 3;

/// An answer, and the timelines that it comes from, with their steps if these are kept.
#[derive(Debug)]
pub struct Predicted {
    /// The answer.
    pub prediction: Prediction,
    /// The counts of the pods of each of its workloads, in the same order, in `today`.
    pub series: Vec<Series>,
    /// The same of its Jobs.
    pub job_series: Vec<JobSeries>,
    /// The change in today's releases, without quotas.
    pub today: Timeline,
    /// Whether a Deployment of the running cluster has the proposed policy; false if that is not asked.
    #[cfg_attr(not(feature = "explain"), expect(dead_code, reason = "only the outlook asks"))]
    pub(super) stores_proposed_policy: bool,
    /// The same as `today` with the quotas; none if they refuse nothing.
    pub with_quotas: Option<Timeline>,
}

/// How far a prediction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PredictProgress {
    /// Some of the runs with other seeds are done.
    Runs {
        /// How many.
        done: usize,
        /// How many there are.
        of: usize,
    },
    /// The exploration of the worst case of a Deployment begins.
    Exploring {
        /// Which of the explored Deployments it is, from 1 on.
        number: usize,
        /// How many are explored.
        of: usize,
    },
}

/// Which of a prediction's outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromJson)]
#[serde(rename_all = "camelCase")]
pub enum PredictedOutcome {
    /// That of today's releases, while quotas refuse nothing.
    Outcome,
    /// The same with the quotas.
    WithQuotas,
    /// That with the proposed policy, while quotas refuse nothing.
    Proposed,
}

/// Predicts what a change from the old objects to the new ones takes: manifests, `List`s' items, or what kubectl prints of a
/// running cluster. Without new objects, the answer is what comes next by itself. The timelines have no steps.
///
/// # Errors
/// The first problem of the objects or the options, with its path, as [`RolloutPlan::new`] has it.
pub fn predict(old: &[Value], new: &[Value], options: &PredictOptions) -> Result<Predicted, Problem> {
    predict_plan(&RolloutPlan::new(old, new, options)?, options, Steps::Dropped, &mut |_| {})
}

/// The scenario of one of a prediction's outcomes, to see each of its steps. All rollouts start together.
///
/// # Errors
/// As [`predict()`]; if not all rollouts start together.
pub fn predicted_scenario(
    old: &[Value],
    new: &[Value],
    options: &PredictOptions,
    outcome: PredictedOutcome,
) -> Result<Scenario, Problem> {
    if options.assumptions.concurrent.is_some() {
        let message = "Forbidden: a timeline shows rollouts that start together";
        return Err(Problem::new("assumptions.concurrent", message));
    }
    let (policy, quotas) = match outcome {
        PredictedOutcome::Outcome => (PodReplacementPolicies::Today, Quotas::Ignored),
        PredictedOutcome::WithQuotas => (PodReplacementPolicies::Today, Quotas::Enforced),
        PredictedOutcome::Proposed => (PodReplacementPolicies::Proposed, Quotas::Ignored),
    };
    RolloutPlan::new(old, new, options)?.with_stored_objects().scenario(policy, quotas)
}

/// Predicts what a plan takes, which was made with these options. The objects that it was made from are no longer needed.
///
/// # Errors
/// As [`predict`].
pub fn predict_plan(
    plan: &RolloutPlan,
    options: &PredictOptions,
    steps: Steps,
    watch: &mut dyn FnMut(PredictProgress),
) -> Result<Predicted, Problem> {
    let quotas = plan.counted_quotas()?;
    let plan = &*plan.with_stored_objects();
    let mut predicted = judged(plan, options, &quotas, steps, watch)?;
    let prediction = &mut predicted.prediction;
    let untouched = untouched(plan, prediction);
    if !untouched.is_empty()
        && let Some(unchanged) = plan.without_change()
    {
        let assumptions = Assumptions { runs: 1, ..options.assumptions.clone() };
        let options = PredictOptions { worst: false, proposed: Some(false), assumptions, ..options.clone() };
        let without =
            judged(&unchanged, &options, &unchanged.counted_quotas()?, Steps::Dropped, &mut |_| {})?.prediction;
        prediction.leave_out(unrelated(prediction, &without, &untouched));
        prediction.verdict = judge(prediction, plan.not_judged.clone());
    }
    let scaled_up = at_max_replicas(plan, &quotas, prediction)?;
    if !scaled_up.is_empty() {
        prediction.verdict = judge(prediction, [plan.not_judged.as_slice(), &scaled_up].concat());
    }
    prediction.verdict.defaults = deciding_defaults(plan, &options.assumptions, &quotas, prediction)?;
    let elsewhere = with_other_nodes(plan, options.assumptions.seed, &quotas, prediction)?;
    if !elsewhere.is_empty() {
        prediction.verdict = judge(prediction, [plan.not_judged.as_slice(), &scaled_up, &elsewhere].concat());
    }
    Ok(predicted)
}

/// A plan's prediction with a verdict that compares it with nothing.
fn judged(
    plan: &RolloutPlan,
    options: &PredictOptions,
    quotas: &[Quota],
    steps: Steps,
    watch: &mut dyn FnMut(PredictProgress),
) -> Result<Predicted, Problem> {
    // The first of the two simulations is over before the second one takes its memory.
    let adds_proposed = adds_proposed(plan, options);
    let proposed = if adds_proposed { Some(ProposedMeasures::of(plan, quotas)?) } else { None };
    let of_proposed = proposed.as_ref().map(|proposed| &proposed.measures);
    // What others use of a quota at most is known only once the Deployments are explored.
    let of_today = if options.worst && !quotas.is_empty() { Steps::Kept } else { steps };
    let run = plan.measure(PodReplacementPolicies::Today, Quotas::Ignored, quotas, of_today)?;
    // Quotas that refuse nothing change nothing.
    let refuses = run.demands.iter().any(|today| !today.fits);
    let limited = if refuses {
        Some(plan.measure(PodReplacementPolicies::Today, Quotas::Enforced, quotas, steps)?)
    } else {
        None
    };
    let MeasuredRun { timeline, measures, requests, pending, demands, .. } = &run;
    let other_policy = with_other_policy(plan, measures)?;
    let of_limited = limited.as_ref().map(|limited| &limited.measures);
    let runs = runs(plan, options, quotas, watch)?;
    let ranges = |of: &dyn Fn(&Run) -> Option<Outcome>| ranges(&runs, of);
    let mut exploration = Exploration::of(plan, options, requests, measures)?;
    let workload = |(key, outcome): (&ObjectKey, &Outcome)| {
        let (worst, not_explored) = match exploration.of_deployment(key, outcome, watch) {
            Ok(cases) => (cases, None),
            Err(reason) => (None, Some(reason)),
        };
        WorkloadPrediction {
            kind: key.kind.name().into(),
            namespace: String::from(&*key.namespace),
            name: String::from(&*key.name),
            change: if plan.prunes(key) { requests.deletion(key) } else { requests.change(key) },
            outcome: outcome.clone(),
            proposed: other(of_proposed.and_then(|measures| measures.outcome(key)), outcome),
            with_quotas: other(of_limited.and_then(|measures| measures.outcome(key)), outcome),
            ranges: ranges(&|run| run.measures.outcome(key).cloned()),
            worst,
            not_explored,
        }
    };
    let job = |(key, outcome): &(ObjectKey, JobOutcome)| {
        let differing = |measures: Option<&Measures>| other(measures?.job(key), outcome);
        JobPrediction {
            namespace: String::from(&*key.namespace),
            name: String::from(&*key.name),
            change: if plan.prunes(key) { requests.job_deletion(key) } else { requests.job_change(key) },
            outcome: outcome.clone(),
            other_policy: differing(other_policy.as_ref()),
            with_quotas: differing(of_limited),
        }
    };
    let workloads = measures.workloads.iter().zip(&measures.outcomes).map(workload).collect();
    let refusals = |index: usize| limited.as_ref()?.refusals.get(index)?.clone();
    let quota = |(index, (quota, demand)): (usize, (&Quota, &QuotaDemand))| QuotaPrediction {
        refusals: refusals(index),
        fits_in_runs: fits_in_runs(&runs, index),
        proposed: other(proposed.as_ref().and_then(|proposed| proposed.demands.get(index)), demand),
        ..quota_prediction(quota, demand, timeline, &exploration.pods)
    };
    let start = if plan.changes_any() { RolloutStart::Changed } else { RolloutStart::Unordered };
    let mut assumed = plan.assumed(&options.assumptions, plan.has_jobs() || !measures.jobs.is_empty(), start);
    assumed.push_str(&overdue_pods(timeline));
    let mut prediction = Prediction {
        verdict: Verdict::default(),
        version: VERSION,
        workloads,
        jobs: measures.jobs.iter().map(job).collect(),
        total: TotalPrediction {
            proposed: other(of_proposed.map(|proposed| &proposed.together), &measures.together),
            with_quotas: other(of_limited.map(|limited| &limited.together), &measures.together),
            ranges: ranges(&|run| Some(run.measures.together.clone())),
            outcome: measures.together.clone(),
        },
        quotas: quotas.iter().zip(demands).enumerate().map(quota).collect(),
        warnings: warnings(plan, &run, limited.as_ref(), &options.assumptions),
        pending: plan.has_nodes.then(|| pending.clone()),
        estimates: plan.estimates.clone(),
        not_modeled: Vec::new(),
        only_in_old: plan.only_in_old.clone(),
        assumptions: options.assumptions.used(plan.now()),
        assumed,
        end: End { message: without_field(&timeline.end.message), ..timeline.end.clone() },
        shard: shard_part(plan, measures, of_proposed, of_limited),
    };
    let quiet = prediction.quiet_workloads();
    prediction.not_modeled = plan.not_modeled_where(&|object| !quiet.contains(object));
    prediction.verdict = judge(&prediction, plan.not_judged.clone());
    let MeasuredRun { timeline: mut today, measures: Measures { series, job_series, .. }, .. } = run;
    if steps == Steps::Dropped {
        today.steps = Vec::new();
    }
    let with_quotas = limited.map(|limited| limited.timeline);
    let stores_proposed_policy = proposed.is_some_and(|proposed| proposed.is_stored);
    Ok(Predicted { prediction, series, job_series, today, stores_proposed_policy, with_quotas })
}

/// The same with the other podReplacementPolicy of each Job; none without Jobs.
fn with_other_policy(plan: &RolloutPlan, today: &Measures) -> Result<Option<Measures>, Problem> {
    if today.jobs.is_empty() {
        return Ok(None);
    }
    let other = plan.measure(PodReplacementPolicies::OtherOfJobs, Quotas::Ignored, &[], Steps::Dropped)?;
    Ok(Some(other.measures.without_points()))
}

fn ranges(runs: &[Run], of: &dyn Fn(&Run) -> Option<Outcome>) -> Option<Ranges> {
    let outcomes: Vec<Outcome> = runs.iter().filter_map(of).collect();
    Ranges::of(&outcomes.iter().collect::<Vec<_>>())
}

/// What the plan's part of a divided change comes to.
fn shard_part(
    plan: &RolloutPlan,
    measures: &Measures,
    proposed: Option<&Measures>,
    limited: Option<&Measures>,
) -> Option<ShardPart> {
    let (Shard { index, count }, outcome) = (plan.shard()?, measures.course.clone()?);
    Some(ShardPart {
        index,
        count,
        proposed: other(proposed.and_then(|measures| measures.course.as_ref()), &outcome),
        with_quotas: limited.and_then(|measures| measures.course.clone()),
        outcome,
    })
}

/// Another result, if it differs.
fn other<T: Clone + PartialEq>(result: Option<&T>, from: &T) -> Option<T> {
    result.filter(|result| *result != from).cloned()
}

/// What a quota comes to, without what other timelines say.
fn quota_prediction(
    quota: &Quota,
    demand: &QuotaDemand,
    today: &Timeline,
    worst: &BTreeMap<ObjectKey, Option<WorstPods>>,
) -> QuotaPrediction {
    QuotaPrediction {
        namespace: quota.namespace.clone(),
        name: quota.name.clone(),
        used_by_others: quota.used_by_others(today),
        refusals: None,
        fits_in_runs: None,
        proposed: None,
        worst: worst_of_quota(quota, today, worst),
        not_explored: not_explored(quota, worst),
        demand: demand.clone(),
    }
}

/// In how many of the runs the change fits a quota; none without runs.
fn fits_in_runs(runs: &[Run], quota: usize) -> Option<u32> {
    let fits = runs.iter().filter(|run| run.fits.get(quota) == Some(&true)).count();
    (!runs.is_empty()).then(|| u32::try_from(fits).unwrap_or(u32::MAX))
}

/// Whether the prediction is also one with the proposed policy.
fn adds_proposed(plan: &RolloutPlan, options: &PredictOptions) -> bool {
    options.proposed.unwrap_or(true) && plan.has_deployments()
}

/// The search for the worst cases of one Deployment after the other.
struct Exploration<'a> {
    requests: &'a Requests,
    options: &'a PredictOptions,
    limit_ranges: LimitRanges,
    adds_proposed: bool,
    /// How many Deployments are explored, and how many of them so far.
    to_explore: usize,
    explored: usize,
    /// The most pods of each Deployment; none of one that is not explored.
    pods: BTreeMap<ObjectKey, Option<WorstPods>>,
}

impl<'a> Exploration<'a> {
    fn of(
        plan: &RolloutPlan,
        options: &'a PredictOptions,
        requests: &'a Requests,
        measures: &Measures,
    ) -> Result<Self, Problem> {
        let is_explored = |key: &&ObjectKey| is_explored(requests.before(key), requests.changed(key));
        Ok(Self {
            requests,
            options,
            limit_ranges: plan.limit_ranges()?,
            adds_proposed: adds_proposed(plan, options),
            to_explore: measures.workloads.iter().filter(is_explored).count(),
            explored: 0,
            pods: BTreeMap::new(),
        })
    }

    /// The worst cases of a Deployment; none without a change, of another kind, or if they are not asked.
    fn of_deployment(
        &mut self,
        key: &ObjectKey,
        outcome: &Outcome,
        watch: &mut dyn FnMut(PredictProgress),
    ) -> Result<Option<WorstCases>, NotExplored> {
        if !self.options.worst || key.kind != Kind::Deployment {
            return Ok(None);
        }
        let (before, after) = (self.requests.before(key), self.requests.changed(key));
        if is_explored(before, after) {
            self.explored = self.explored.saturating_add(1);
            watch(PredictProgress::Exploring { number: self.explored, of: self.to_explore });
        }
        let assumptions = &self.options.assumptions;
        match worst_cases(before, after, outcome, assumptions, &self.limit_ranges, self.adds_proposed) {
            Ok(None) => Ok(None),
            Ok(Some((cases, pods))) => {
                self.pods.insert(key.clone(), Some(pods));
                Ok(Some(cases))
            }
            Err(reason) => {
                self.pods.insert(key.clone(), None);
                Err(reason)
            }
        }
    }
}

/// What the change comes to with the proposed policy.
struct ProposedMeasures {
    measures: Measures,
    demands: Vec<QuotaDemand>,
    /// Whether a Deployment has the policy at the start.
    is_stored: bool,
}

impl ProposedMeasures {
    fn of(plan: &RolloutPlan, quotas: &[Quota]) -> Result<Self, Problem> {
        let measured = |policy| plan.measure(policy, Quotas::Ignored, quotas, Steps::Dropped);
        let run = match measured(PodReplacementPolicies::Proposed) {
            Ok(run) => run,
            Err(problem) => {
                // If the plan fails without the proposed policy too, return that problem: it doesn't name the policy.
                measured(PodReplacementPolicies::Today)?;
                return Err(problem);
            }
        };
        let mut stored = run.timeline.initial.deployments();
        Ok(Self {
            is_stored: stored.any(|stored| stored.spec.pod_replacement_policy.is_some()),
            measures: run.measures.without_points(),
            demands: run.demands,
        })
    }
}

impl Prediction {
    /// Says of these objects only that what is wrong with them is unrelated to the change.
    fn leave_out(&mut self, unrelated: Vec<Warning>) {
        let is_said = |warning: &Warning| {
            (CAUSES.contains(&warning.kind) || MOMENTS.contains(&warning.kind))
                && unrelated.iter().any(|unrelated| unrelated.object == warning.object)
        };
        self.warnings.retain(|warning| !is_said(warning));
        self.warnings.extend(unrelated);
        self.warnings.sort();
    }

    /// The Deployments to which nothing happens, as `Kind/namespace/name`.
    fn quiet_workloads(&self) -> BTreeSet<String> {
        let is_quiet =
            |workload: &&WorkloadPrediction| workload.change.is_none() && workload.outcome.complete == Some(0);
        let quiet = self.workloads.iter().filter(is_quiet);
        quiet.map(WorkloadPrediction::object).collect()
    }
}

/// Why a simulation ended, without the scenario's field that limits it, which no caller sets: ` (limits.time)`.
fn without_field(message: &str) -> String {
    match message.split_once(" (limits.") {
        Some((words, field)) => [words, field.split_once(')').map_or("", |(_, rest)| rest)].concat(),
        None => String::from(message),
    }
}

/// That terminating pods stay that should have been gone, as a sentence with a space before it; empty if there are none.
fn overdue_pods(timeline: &Timeline) -> String {
    let nodes: BTreeSet<&str> = timeline
        .initial
        .objects()
        .filter_map(|object| match object {
            Object::Pod(pod) if overdue_since(pod, timeline.scenario.start).is_some() => pod.spec.node_name.as_deref(),
            _ => None,
        })
        .collect_tree();
    if nodes.is_empty() {
        return String::new();
    }
    let nodes = nodes.into_iter().collect::<Vec<_>>().join(", ");
    format!(" Terminating pods that should have ended stay on their nodes: {nodes}.")
}

/// A run with another seed.
struct Run {
    measures: Measures,
    /// Whether it fits each quota.
    fits: Vec<bool>,
}

/// The runs for the ranges; none without several.
fn runs(
    plan: &RolloutPlan,
    options: &PredictOptions,
    quotas: &[Quota],
    watch: &mut dyn FnMut(PredictProgress),
) -> Result<Vec<Run>, Problem> {
    let count = options.assumptions.runs;
    let mut runs = Vec::new();
    if count < 2 {
        return Ok(runs);
    }
    for run in 0..count {
        let seed = options.assumptions.seed.wrapping_add(run.into());
        let (policy, enforced) = (PodReplacementPolicies::Today, Quotas::Ignored);
        // Of equally good nodes, each run takes others, too.
        let plan = match plan.has_nodes {
            true => Cow::Owned(plan.with_equal_nodes(EqualNodes::Random, seed)?),
            false => Cow::Borrowed(plan),
        };
        let run = plan.measure_seed(policy, enforced, quotas, Steps::Dropped, Some(seed))?;
        let fits = run.demands.iter().map(|demand| demand.fits).collect();
        runs.push(Run { measures: run.measures.without_points(), fits });
        watch(PredictProgress::Runs { done: runs.len(), of: usize::try_from(count).unwrap_or(usize::MAX) });
    }
    Ok(runs)
}
