//! Which settings meet the constraints? Each candidate is simulated.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::ControlFlow;

use serde_json::{Value, json};

use super::Watch;
use super::answer::{NotModeled, Outcome, QuotaDemand};
use super::constraints::{ConstraintKind, Constraints, Miss};
use super::given_objects::{GivenObject, as_written, name, namespace};
use super::options::{Assumptions, PredictOptions, RolloutStart};
use super::plan_inputs::refuse_duplicates;
use super::pre_stop_hooks::pre_stop_time;
use super::quota_demand::Quota;
use super::rollout_plan::{PodReplacementPolicies, RolloutPlan, restart};
use super::rollout_totals::RolloutTotals;
use super::settings::{Replaced, Setting};
use super::single_node_volumes::blocking_claim;
use crate::Problem;
use crate::cluster::merge;
use crate::go::quoted;
use crate::json::{FromJson, ToJson, decode};
use crate::object::unstructured::{integer, string};
use crate::object::{Kind, ObjectKey, ObjectName, Time};

/// The version of the answer's format.
const VERSION: u32 = 2;

/// How many settings that meet the constraints are listed at most, of today's releases and of those with the proposed policy, and
/// how many that just miss it.
const MAX_TODAY: usize = 6;
const MAX_PROPOSED: usize = 2;
const MAX_CLOSE: usize = 3;

/// The most replicas of a workload whose settings are searched.
const MAX_REPLICAS: i32 = 5_000;

/// The same of a StatefulSet: each sync looks at all of its pods, and each setting is played pod by pod.
const MAX_REPLICAS_OF_STATEFUL_SET: i32 = 500;

/// The kinds whose settings are searched, each with the option that names one of its objects. If no option is given, the
/// first kind counts of which there are objects.
const KINDS: [(Kind, &str); 3] =
    [(Kind::Deployment, "deployment"), (Kind::StatefulSet, "statefulSet"), (Kind::DaemonSet, "daemonSet")];

/// What a search takes into account, and what it assumes.
#[derive(Clone, Debug, Default, PartialEq, ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct AdviseOptions {
    /// The Deployment, as `name` or `namespace/name`; not needed if there is only one.
    #[json(omitempty)]
    pub deployment: Option<String>,
    /// The StatefulSet, in place of a Deployment; not needed if there is only one, and no Deployment.
    #[json(omitempty)]
    pub stateful_set: Option<String>,
    /// The DaemonSet, in place of a Deployment; not needed if there is only one, and no Deployment and no StatefulSet.
    #[json(omitempty)]
    pub daemon_set: Option<String>,
    /// ResourceQuotas that the rollout must fit, as if `constraints.quotas` were set. Those of the cluster are among the objects.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub quotas: Vec<Value>,
    /// The nodes, as Node objects or as a scenario has them, in place of those among the objects. Without nodes, every
    /// pod can be scheduled.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<crate::scenario::schema::Manifest>"))]
    pub nodes: Vec<Value>,
    /// The namespace of objects that don't name one; `default` by default.
    #[json(omitempty)]
    pub namespace: Option<String>,
    /// Assumptions about pods. `runs` and `concurrent` are not used.
    pub assumptions: Assumptions,
}

impl AdviseOptions {
    /// Reads options; null for none.
    ///
    /// # Errors
    /// As [`PredictOptions::from_value`].
    pub fn from_value(value: &Value) -> Result<Self, Problem> {
        if value.is_null() { Ok(Self::default()) } else { decode(value, "") }
    }

    /// The workload that the options name, and the kind and the option that it has.
    ///
    /// # Errors
    /// Two of these options.
    fn named(&self) -> Result<Option<(Kind, &'static str, &str)>, Problem> {
        let written = [&self.deployment, &self.stateful_set, &self.daemon_set];
        let named = KINDS.into_iter().zip(written);
        let mut named = named.filter_map(|((kind, option), written)| Some((kind, option, written.as_deref()?)));
        match (named.next(), named.next()) {
            (Some((_, first, _)), Some((_, second, _))) => {
                Err(Problem::new(second, format!("Forbidden: may not be given together with {first}")))
            }
            (named, _) => Ok(named),
        }
    }

    fn to_predict_options(&self) -> PredictOptions {
        PredictOptions {
            quotas: self.quotas.clone(),
            nodes: self.nodes.clone(),
            namespace: self.namespace.clone(),
            assumptions: Assumptions { concurrent: None, runs: 0, ..self.assumptions.clone() },
            ..PredictOptions::default()
        }
    }
}

/// The settings that meet the constraints, and what each costs.
#[derive(Clone, Debug, PartialEq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Advice {
    /// The version of this format: 2.
    pub version: u32,
    /// The kind of the workload: `Deployment`, `StatefulSet` or `DaemonSet`.
    pub kind: String,
    /// The workload's namespace.
    pub namespace: String,
    /// The workload's name.
    pub name: String,
    /// The workload's desired pods; of a DaemonSet, the nodes that should have one.
    pub replicas: i32,
    /// When the objects of a running cluster were read, as in RFC 3339; absent for manifests.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub now: Option<Time>,
    /// The outcome of the settings as they are now.
    pub current: AdvisedSetting,
    /// Settings that meet the constraints: those of today's releases first, then by time. A setting that another one beats in everything
    /// is left out; of the others, the most available, the fastest and the smallest are always listed.
    pub fits: Vec<AdvisedSetting>,
    /// Settings of today's releases that miss only one constraint, and by the least.
    pub nearest: Vec<AdvisedSetting>,
    /// If no setting of today's releases meets the constraints, what to relax: one constraint per entry or, if none is enough
    /// alone, two per entry, and so on.
    pub relax: Vec<Relaxation>,
    /// How many settings were simulated.
    pub simulated: usize,
    /// Objects that were left out.
    pub not_modeled: Vec<NotModeled>,
    /// The assumptions in one line.
    pub assumed: String,
}

/// A setting and what it costs.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct AdvisedSetting {
    /// The setting that was simulated.
    pub setting: Setting,
    /// Whether the setting needs the proposed field `podReplacementPolicy` (KEP-5882), which no release has.
    pub proposed: bool,
    /// Whether the setting changes the `podManagementPolicy`, which the API server refuses: delete the StatefulSet with
    /// `kubectl delete --cascade=orphan`, which keeps its pods, and apply it again.
    pub needs_new_object: bool,
    /// The outcome of the rollout with the setting, in the cluster as it is: the quotas among the objects may refuse pods. The
    /// quotas of the options, and one that is relaxed, refuse nothing.
    pub outcome: Outcome,
    /// Whether the setting meets the constraints.
    pub fits: bool,
    /// The constraints that the setting does not meet.
    pub misses: Vec<Miss>,
    /// The JSON merge patch from the settings as they are, for `kubectl patch --type merge`; empty if nothing changes.
    #[cfg_attr(feature = "schema", schemars(with = "crate::scenario::schema::Manifest"))]
    pub patch: Value,
    /// The patch as YAML, to commit: the fields to write into the manifest. A field to remove is a comment.
    #[cfg(feature = "explain")]
    pub yaml: String,
}

/// Constraints to relax together, so that the others can be met.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Relaxation {
    /// The constraints to relax: one, or several if no single one is enough.
    pub constraints: Vec<RelaxedConstraint>,
    /// The setting that meets the relaxed constraints.
    pub setting: AdvisedSetting,
}

/// A constraint to relax.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RelaxedConstraint {
    /// The constraint to relax.
    pub constraint: ConstraintKind,
    /// What the setting reaches, like `17` or `1m30s`.
    pub to: String,
}

/// Searches settings of a Deployment, a StatefulSet or a DaemonSet that meet the constraints while all its pods are replaced (as
/// `kubectl rollout restart` does), with the other objects around it. Other workloads don't change.
///
/// # Errors
/// The first problem of the objects, the constraints or the options, with its path: `objects[0].spec...`, `constraints.maxPods`,
/// `deployment`, `statefulSet`, `daemonSet`, `quotas[0]...`, `nodes[0]...` or `assumptions...`.
pub fn advise(objects: &[Value], constraints: &Constraints, options: &AdviseOptions) -> Result<Advice, Problem> {
    advise_watched(objects, constraints, options, &mut |_, _| ControlFlow::Continue(()))
}

/// As [`advise`], for what a plan does to a Deployment: the settings change with the plan's first request, or at its start.
/// [`RolloutPlan::with_restart`] replaces all pods.
///
/// # Errors
/// The first problem of the constraints, as [`advise`], and those of [`RolloutPlan::new`].
pub fn advise_plan(
    plan: RolloutPlan,
    deployment: ObjectKey,
    constraints: &Constraints,
    assumptions: &Assumptions,
) -> Result<Advice, Problem> {
    constraints.validate()?;
    constraints.require_one()?;
    Search::new(plan, deployment, constraints, assumptions, &mut |_, _| ControlFlow::Continue(()))?.advise()
}

/// The outcome of the current settings, once for each seed, as [`advise_plan`] reports it for the same plan and constraints. If
/// the plan has no random delays, each stage of a pod takes up to `jitter_percent` longer.
///
/// # Errors
/// As [`advise_plan`].
pub fn runs_of_plan(
    plan: RolloutPlan,
    deployment: ObjectKey,
    constraints: &Constraints,
    assumptions: &Assumptions,
    jitter_percent: u32,
    seeds: impl Iterator<Item = u64>,
) -> Result<Vec<AdvisedSetting>, Problem> {
    let watch: Watch<'_> = &mut |_, _| ControlFlow::Continue(());
    let search = Search::new(plan, deployment, constraints, assumptions, watch)?;
    let plan = search.plan.with_patch(&search.key, &search.current.patch(search.key.kind));
    let run = |seed: u64| {
        let candidate = search.candidate(&plan.with_random_delays(seed, jitter_percent), &search.current)?;
        Ok(search.advised(&candidate, &search.constraints))
    };
    seeds.map(run).collect()
}

/// As [`advise`], and reports its progress. If it is stopped, the advice covers the settings that were simulated until then.
///
/// # Errors
/// As [`advise`].
pub fn advise_watched(
    objects: &[Value],
    constraints: &Constraints,
    options: &AdviseOptions,
    watch: Watch<'_>,
) -> Result<Advice, Problem> {
    // A quota of the options is there to be fit.
    let constraints = &Constraints { quotas: constraints.quotas || !options.quotas.is_empty(), ..constraints.clone() };
    constraints.validate()?;
    constraints.require_one()?;
    let target = find_target(objects, options)?;
    // The plan reads these objects twice: as the old ones, and one of them as the new one.
    let to_argument = |path: &str| match path.strip_prefix("new[0]") {
        Some(below) => format!("objects[{}]{below}", target.index),
        None => path.strip_prefix("old").map_or_else(|| String::from(path), |below| format!("objects{below}")),
    };
    let advice = restart_plan(objects, &target, options).and_then(|plan| {
        let kind = target.kind.name();
        let missing = || Problem::new("new[0]", format!("Invalid value: must be a {kind} that can be rolled out"));
        let key = plan.applied(target.kind).ok_or_else(missing)?;
        Search::new(plan, key, constraints, &options.assumptions, watch)?.advise()
    });
    let mut advice = advice.map_err(|problem| problem.map_paths(&to_argument))?;
    if KINDS.iter().flat_map(|(kind, _)| of_kind(objects, *kind)).nth(1).is_some() {
        advice.assumed.push_str(" Other workloads don't change.");
    }
    Ok(advice)
}

/// The objects of a kind, and where each one is.
fn of_kind(objects: &[Value], kind: Kind) -> impl Iterator<Item = (usize, &Value)> + Clone {
    objects.iter().enumerate().filter(move |(_, object)| string(object, "kind") == kind.name())
}

/// Whether the rollout of a Deployment is complete at a plan's start, and the plan starts no other one.
///
/// # Errors
/// As [`RolloutPlan::simulate`].
pub fn is_complete(plan: &RolloutPlan, deployment: &ObjectKey) -> Result<bool, Problem> {
    Ok(RolloutTotals::of(plan, PodReplacementPolicies::Today, deployment, &[])?.outcome.complete == Some(0))
}

/// The workload that is meant, and where it is among the objects.
struct Target<'a> {
    kind: Kind,
    index: usize,
    object: &'a Value,
}

fn find_target<'a>(objects: &'a [Value], options: &AdviseOptions) -> Result<Target<'a>, Problem> {
    let default = options.namespace.as_deref().unwrap_or("default");
    let named = options.named()?;
    let given = KINDS.into_iter().find(|(kind, _)| of_kind(objects, *kind).next().is_some());
    let Some((kind, option)) = named.map(|(kind, option, _)| (kind, option)).or(given) else {
        let message = "Required value: must contain a Deployment, a StatefulSet or a DaemonSet";
        return Err(Problem::new("objects", message));
    };
    let all = of_kind(objects, kind);
    let given =
        |(index, object): (usize, &Value)| GivenObject { object: object.clone(), path: format!("objects[{index}]") };
    refuse_duplicates(&all.clone().map(given).collect::<Vec<_>>())?;
    let written = named.map(|(_, _, written)| ObjectName::parse(written, &[]));
    let is_meant = |object: &Value| {
        let namespace = namespace(object).unwrap_or(default);
        written.is_none_or(|written| written.matches(kind, namespace, name(object)))
    };
    let mut meant = all.clone().filter(|(_, object)| is_meant(object));
    if let (Some((index, object)), None) = (meant.next(), meant.next()) {
        let replicas = object.get("spec").and_then(|spec| integer(spec, "replicas")).unwrap_or(1);
        if let Ok(replicas) = i32::try_from(replicas) {
            validate_replicas(kind, replicas, &format!("objects[{index}].spec.replicas"))?;
        }
        let has_nodes = !options.nodes.is_empty() || of_kind(objects, Kind::Node).next().is_some();
        if kind == Kind::DaemonSet && !has_nodes {
            let message = "Required value: without nodes, it is not known how many pods the DaemonSet has";
            return Err(Problem::new("nodes", message));
        }
        return Ok(Target { kind, index, object });
    }
    let names: Vec<String> =
        all.map(|(_, object)| format!("\"{}/{}\"", namespace(object).unwrap_or(default), name(object))).collect();
    if names.is_empty() {
        return Err(Problem::new("objects", format!("Required value: must contain a {kind}")));
    }
    let names = names.join(", ");
    let message = named.map_or_else(
        || format!("Required value: must be one of {names}"),
        |(_, _, written)| format!("Unsupported value: {}: supported values: {names}", quoted(written)),
    );
    Err(Problem::new(option, message))
}

/// Refuses more pods than a search can simulate again and again.
fn validate_replicas(kind: Kind, replicas: i32, path: &str) -> Result<(), Problem> {
    let most = if kind == Kind::StatefulSet { MAX_REPLICAS_OF_STATEFUL_SET } else { MAX_REPLICAS };
    if replicas <= most {
        return Ok(());
    }
    Err(Problem::new(path, format!("Invalid value: {replicas}: must be at most {most} to search settings")))
}

/// The plan that replaces all pods of the workload that is meant.
fn restart_plan(objects: &[Value], target: &Target<'_>, options: &AdviseOptions) -> Result<RolloutPlan, Problem> {
    let mut restarted = as_written(target.object);
    merge(&mut restarted, &restart());
    RolloutPlan::new(objects, core::slice::from_ref(&restarted), &options.to_predict_options())
}

/// A setting that was simulated.
#[derive(Clone)]
struct Candidate {
    setting: Setting,
    /// What the constraints are about: if they are also about the quotas, what the setting needs, and else what it does in
    /// the cluster.
    outcome: Outcome,
    /// What the setting does in the cluster, whose quotas may refuse pods.
    in_cluster: Outcome,
    quotas: Vec<(String, QuotaDemand)>,
    /// Why it may never replace all pods, where the simulation does not show that.
    keeps_pods: Option<String>,
}

impl Candidate {
    /// The constraints that the setting does not meet.
    fn misses(&self, constraints: &Constraints) -> Vec<Miss> {
        self.misses_of(&self.outcome, constraints)
    }

    fn misses_of(&self, outcome: &Outcome, constraints: &Constraints) -> Vec<Miss> {
        let mut misses = constraints.misses(outcome, &self.quotas);
        misses.extend(self.keeps_pods.iter().map(|message| Miss {
            constraint: ConstraintKind::Within,
            by: None,
            message: message.clone(),
        }));
        misses
    }
}

/// The search: what it looks in, and the settings that it has simulated.
struct Search<'a> {
    plan: RolloutPlan,
    key: ObjectKey,
    workload: Replaced,
    quotas: Vec<Quota>,
    /// The constraints, with what they are by default.
    constraints: Constraints,
    assumptions: &'a Assumptions,
    current: Setting,
    /// Seconds that an old pod takes to stop.
    stop: i32,
    candidates: Vec<Candidate>,
    /// Where each setting is among them, by its patch.
    known: BTreeMap<String, usize>,
    watch: Watch<'a>,
    planned: usize,
    is_stopped: bool,
}

impl<'a> Search<'a> {
    fn new(
        plan: RolloutPlan,
        key: ObjectKey,
        constraints: &Constraints,
        assumptions: &'a Assumptions,
        watch: Watch<'a>,
    ) -> Result<Self, Problem> {
        let quotas = plan.counted_quotas()?;
        if constraints.quotas && quotas.is_empty() {
            let message = "Invalid value: true: there must be a ResourceQuota";
            return Err(Problem::new("constraints.quotas", message));
        }
        let missing = || Problem::new("objects", format!("Required value: must contain a {}", key.kind));
        let RolloutTotals { outcome, after, .. } = RolloutTotals::of(&plan, PodReplacementPolicies::Today, &key, &[])?;
        let workload = after.ok_or_else(missing)?;
        let keeps_available = (outcome.lowest_available > 0).then_some(1);
        let constraints =
            Constraints { min_available: constraints.min_available.or(keeps_available), ..constraints.clone() };
        let grace = workload.template().spec.fields.termination_grace_period_seconds.unwrap_or_default();
        let hook = pre_stop_time(workload.template(), assumptions);
        let stop = assumptions.stop_after.map_or(grace, |after| {
            let takes = after.0.saturating_add(hook);
            takes.saturating_add(Time::SECOND.saturating_sub(1)).div_euclid(Time::SECOND).min(grace)
        });
        Ok(Self {
            current: workload.setting(),
            constraints,
            assumptions,
            plan,
            key,
            workload,
            quotas,
            stop: i32::try_from(stop).unwrap_or(i32::MAX),
            candidates: Vec::new(),
            known: BTreeMap::new(),
            watch,
            planned: 0,
            is_stopped: false,
        })
    }

    fn advise(mut self) -> Result<Advice, Problem> {
        validate_replicas(self.key.kind, self.workload.replicas(), "spec.replicas")?;
        let constraints = self.constraints.clone();
        self.run(&constraints)?;
        let relax = self.relaxations(&constraints)?;
        self.into_advice(&constraints, relax)
    }

    /// Simulates the settings that may meet the constraints: first all of today's with the workload's own minReadySeconds; where one
    /// of them only takes too many pods, another minReadySeconds and the proposed policy; where one is only too slow, no
    /// minReadySeconds.
    fn run(&mut self, constraints: &Constraints) -> Result<(), Problem> {
        let current = self.current.clone();
        let min_ready = current.min_ready_seconds;
        let candidates = self.workload.candidates(constraints);
        let today: Vec<Setting> = [current.clone()].into_iter().chain(candidates).collect();
        self.count_new(&today);
        let proposes = self.key.kind == Kind::Deployment;
        let mut more: Vec<Setting> = proposes.then(|| current.proposed()).into_iter().collect();
        for setting in today {
            let Some(candidate) = self.simulate(&setting)? else { break };
            let misses = candidate.misses(constraints);
            let all = |kinds: &[ConstraintKind]| {
                !misses.is_empty() && misses.iter().all(|miss| kinds.contains(&miss.constraint))
            };
            if all(&[ConstraintKind::MaxPods, ConstraintKind::Quotas]) {
                more.extend(proposes.then(|| setting.proposed()));
                // New pods that are ready only when old ones are gone hold the next ones back.
                if setting.max_surge.is_some() && self.stop > min_ready && self.workload.allows_min_ready(self.stop) {
                    more.push(setting.with_min_ready_seconds(self.stop));
                }
            }
            if all(&[ConstraintKind::Within]) && min_ready > 0 {
                more.push(setting.with_min_ready_seconds(0));
            }
        }
        self.count_new(&more);
        for setting in more {
            if self.simulate(&setting)?.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Counts the settings that are not simulated yet.
    fn count_new(&mut self, settings: &[Setting]) {
        let is_new = |setting: &&Setting| !self.known.contains_key(&setting.patch(self.key.kind).to_string());
        self.planned = self.planned.saturating_add(settings.iter().filter(is_new).count());
    }

    /// Simulates a setting, unless it has been; none if the search is stopped.
    fn simulate(&mut self, setting: &Setting) -> Result<Option<Candidate>, Problem> {
        let patch = setting.patch(self.key.kind);
        let text = patch.to_string();
        if let Some(known) = self.known.get(&text).and_then(|index| self.candidates.get(*index)) {
            return Ok(Some(known.clone()));
        }
        // The settings as they are, are always simulated.
        if self.is_stopped && !self.candidates.is_empty() {
            return Ok(None);
        }
        let mut plan = self.plan.with_patch(&self.key, &patch);
        if let Some(policy) = setting.pod_management_policy.filter(|_| setting.needs_new_object(&self.current)) {
            // It was created again before, with the same pods and revisions.
            plan = plan.with_initial_patch(&self.key, &json!({ "spec": { "podManagementPolicy": policy.to_json() } }));
        }
        let candidate = self.candidate(&plan, setting)?;
        self.known.insert(text, self.candidates.len());
        self.candidates.push(candidate.clone());
        self.is_stopped |= (self.watch)(self.candidates.len(), self.planned).is_break();
        Ok(Some(candidate))
    }

    /// The outcome of a plan with a setting.
    fn candidate(&self, plan: &RolloutPlan, setting: &Setting) -> Result<Candidate, Problem> {
        let RolloutTotals { outcome, demands, after } =
            RolloutTotals::of(plan, setting.policy(), &self.key, &self.quotas)?;
        let is_refused = plan.quotas.iter().zip(&demands).any(|(quota, demand)| quota.is_in_cluster() && !demand.fits);
        let in_cluster = if is_refused {
            RolloutTotals::in_cluster(&plan.with_quotas_of_cluster(), setting.policy(), &self.key)?
        } else {
            outcome.clone()
        };
        Ok(Candidate {
            setting: setting.clone(),
            outcome: if self.constraints.quotas { outcome } else { in_cluster.clone() },
            in_cluster,
            quotas: self.quotas.iter().map(|quota| quota.name.clone()).zip(demands).collect(),
            keeps_pods: setting.keeps_pods(self.workload.replicas()).or_else(|| self.blocked_volume(plan, after)),
        })
    }

    /// Why a volume may block the rollout, where no nodes are given: with nodes, the simulation shows whether it does.
    fn blocked_volume(&self, plan: &RolloutPlan, after: Option<Replaced>) -> Option<String> {
        let Replaced::Deployment(deployment) = after.filter(|_| !plan.has_nodes)? else { return None };
        let claim = blocking_claim(plan, &self.key.namespace, &deployment)?;
        Some(format!(
            "may never be complete: PersistentVolumeClaim {claim} is ReadWriteOnce, and the old pod keeps it until the new \
             one is ready"
        ))
    }

    /// If no setting of today's releases meets the constraints: for each constraint what can be reached if only the others are met.
    /// If no setting meets all but one of the constraints, the same for all pairs of constraints, and so on.
    fn relaxations(&mut self, constraints: &Constraints) -> Result<Vec<Relaxation>, Problem> {
        for relaxed in constraints.choices().chunk_by(|a, b| a.len() == b.len()) {
            if self.today_meeting(constraints).next().is_some() {
                break;
            }
            let mut relaxations = Vec::new();
            for kinds in relaxed {
                relaxations.extend(self.relaxation(constraints, kinds)?);
            }
            if !relaxations.is_empty() {
                return Ok(relaxations);
            }
        }
        Ok(Vec::new())
    }

    /// The setting that meets all other constraints and misses these by the least; `None` if no setting meets the others.
    fn relaxation(
        &mut self,
        constraints: &Constraints,
        relaxed: &[ConstraintKind],
    ) -> Result<Option<Relaxation>, Problem> {
        let others = relaxed.iter().fold(constraints.clone(), |others, kind| others.without(*kind));
        self.run(&others)?;
        let miss = |candidate: &Candidate| {
            let misses = candidate.misses(constraints).into_iter();
            misses.fold(0_i64, |sum, miss| sum.saturating_add(miss.by.unwrap_or(i64::MAX)))
        };
        let order = |a: &&Candidate, b: &&Candidate| miss(a).cmp(&miss(b)).then_with(|| self.order(a, b));
        Ok(self.today_meeting(&others).min_by(order).and_then(|best| {
            // With a larger quota, it takes what it needs.
            let setting = self.advised_with(best, &best.outcome, constraints);
            let relaxed = |Miss { constraint, .. }: &Miss| {
                let to = constraint.reached(&best.outcome, &best.quotas)?;
                Some(RelaxedConstraint { constraint: *constraint, to })
            };
            let constraints: Vec<RelaxedConstraint> = setting.misses.iter().map(relaxed).collect::<Option<_>>()?;
            (!constraints.is_empty()).then_some(Relaxation { constraints, setting })
        }))
    }

    /// The simulated settings of today's releases that meet constraints.
    fn today_meeting(&self, constraints: &Constraints) -> impl Iterator<Item = &Candidate> {
        self.candidates.iter().filter(move |candidate| {
            candidate.setting.policy() == PodReplacementPolicies::Today && candidate.misses(constraints).is_empty()
        })
    }

    /// A setting in the cluster as it is.
    fn advised(&self, candidate: &Candidate, constraints: &Constraints) -> AdvisedSetting {
        self.advised_with(candidate, &candidate.in_cluster, constraints)
    }

    fn advised_with(&self, candidate: &Candidate, outcome: &Outcome, constraints: &Constraints) -> AdvisedSetting {
        let misses = candidate.misses_of(outcome, constraints);
        let patch = candidate.setting.patch_from(&self.current, self.key.kind);
        AdvisedSetting {
            proposed: candidate.setting.policy() == PodReplacementPolicies::Proposed,
            needs_new_object: candidate.setting.needs_new_object(&self.current),
            outcome: outcome.clone(),
            fits: misses.is_empty(),
            misses,
            #[cfg(feature = "explain")]
            yaml: super::manifest_change::to_yaml(&patch, 0),
            patch,
            setting: candidate.setting.clone(),
        }
    }

    /// What comes first in a list: today's releases, then what keeps the object, what keeps pods available, the earlier, the smaller,
    /// the more available, what changes less.
    fn order(&self, a: &Candidate, b: &Candidate) -> Ordering {
        let key = |candidate: &Candidate| {
            let (setting, outcome) = (&candidate.setting, &candidate.outcome);
            let changes = [
                setting.strategy != self.current.strategy,
                setting.max_surge != self.current.max_surge,
                setting.max_unavailable != self.current.max_unavailable,
                setting.min_ready_seconds != self.current.min_ready_seconds,
            ];
            (
                setting.policy() == PodReplacementPolicies::Proposed,
                setting.needs_new_object(&self.current),
                self.constraints.min_available != Some(0) && outcome.lowest_available == 0,
                whole_seconds(outcome.complete),
                outcome.peak,
                core::cmp::Reverse(outcome.lowest_available),
                changes.into_iter().filter(|changes| *changes).count(),
            )
        };
        // The patch breaks ties, so that the order never depends on the search.
        let patch = |candidate: &Candidate| candidate.setting.patch(self.key.kind).to_string();
        key(a).cmp(&key(b)).then_with(|| patch(a).cmp(&patch(b)))
    }

    /// Some of the candidates, in their order: these, the best of each sort, and then the first.
    fn listed<'c>(&self, all: &[&'c Candidate], these: &[&'c Candidate], most: usize) -> Vec<&'c Candidate> {
        let best =
            |cost: &dyn Fn(&Outcome) -> i64| all.iter().min_by_key(|candidate| cost(&candidate.outcome)).copied();
        let best = [
            best(&|outcome| i64::from(outcome.lowest_available).saturating_neg()),
            best(&|outcome| whole_seconds(outcome.complete)),
            best(&|outcome| outcome.peak.into()),
        ];
        let mut listed: Vec<&Candidate> = Vec::new();
        for candidate in these.iter().copied().chain(best.into_iter().flatten()).chain(all.iter().copied()) {
            if listed.len() < most && listed.iter().all(|other| other.setting != candidate.setting) {
                listed.push(candidate);
            }
        }
        listed.sort_by(|a, b| self.order(a, b));
        listed
    }

    /// Whether a setting is at least as good as another in everything, and better in something or, if they are equal, listed
    /// before it.
    fn beats(&self, a: &Candidate, b: &Candidate, is_before: bool) -> bool {
        let costs = |candidate: &Candidate| {
            let outcome = &candidate.outcome;
            [
                i64::from(candidate.setting.policy() == PodReplacementPolicies::Proposed),
                i64::from(candidate.setting.needs_new_object(&self.current)),
                outcome.peak.into(),
                i64::from(outcome.lowest_available).saturating_neg(),
                whole_seconds(outcome.complete),
                whole_seconds(outcome.last_old_pod_gone),
            ]
        };
        let (a, b) = (costs(a), costs(b));
        a.iter().zip(&b).all(|(a, b)| a <= b) && (a != b || is_before)
    }

    fn into_advice(self, constraints: &Constraints, relax: Vec<Relaxation>) -> Result<Advice, Problem> {
        let mut all: Vec<&Candidate> = self.candidates.iter().collect();
        all.sort_by(|a, b| self.order(a, b));
        let current = self.candidates.iter().find(|candidate| candidate.setting == self.current);
        let current = current.map(|candidate| self.advised(candidate, constraints));
        let current = current.ok_or_else(|| Problem::new("objects", "Invalid value: must contain the workload"))?;
        let meets = |candidate: &&&Candidate| candidate.misses(constraints).is_empty();
        let fits: Vec<&Candidate> = all.iter().filter(meets).copied().collect();
        let is_beaten = |candidate: &Candidate, place: usize| {
            fits.iter().enumerate().any(|(index, other)| index != place && self.beats(other, candidate, index < place))
        };
        let unbeaten = fits
            .iter()
            .enumerate()
            .filter(|(place, candidate)| candidate.setting != self.current && !is_beaten(candidate, *place));
        let (today, proposed): (Vec<&Candidate>, Vec<&Candidate>) = unbeaten
            .map(|(_, candidate)| *candidate)
            .partition(|candidate| candidate.setting.policy() == PodReplacementPolicies::Today);
        let own = self.current.proposed();
        let own: Vec<&Candidate> = proposed.iter().filter(|candidate| candidate.setting == own).copied().collect();
        let listed = [&self.listed(&today, &[], MAX_TODAY), &self.listed(&proposed, &own, MAX_PROPOSED)];
        let fits = listed.into_iter().flatten().map(|candidate| self.advised(candidate, constraints)).collect();
        let mut nearest: Vec<(i64, AdvisedSetting)> = all
            .iter()
            .filter(|candidate| {
                candidate.setting.policy() == PodReplacementPolicies::Today && candidate.setting != self.current
            })
            .map(|candidate| self.advised(candidate, constraints))
            .filter_map(|advised| match advised.misses.as_slice() {
                [miss] => Some((miss.by?, advised)),
                _ => None,
            })
            .collect();
        nearest.sort_by_cached_key(|(by, _)| *by);
        let mut known: Vec<_> = Vec::new();
        nearest.retain(|(_, advised)| {
            let outcome = &advised.outcome;
            let costs = (outcome.peak, outcome.lowest_available, whole_seconds(outcome.complete));
            let is_new = !known.contains(&costs);
            known.push(costs);
            is_new
        });
        Ok(Advice {
            version: VERSION,
            kind: self.key.kind.name().into(),
            namespace: String::from(&*self.key.namespace),
            name: String::from(&*self.key.name),
            replicas: self.workload.replicas(),
            now: self.plan.now(),
            current,
            fits,
            nearest: nearest.into_iter().take(MAX_CLOSE).map(|(_, advised)| advised).collect(),
            relax,
            simulated: self.candidates.len(),
            not_modeled: self.plan.not_modeled_where(&|_| true),
            assumed: self.plan.assumed(self.assumptions, false, RolloutStart::Unordered),
        })
    }
}

/// A time in seconds: settings that differ by less are equally fast. It is endless for what never happens.
fn whole_seconds(time: Option<i64>) -> i64 {
    time.map_or(i64::MAX, |time| time.div_euclid(Time::SECOND))
}
