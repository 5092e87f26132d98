//! What is simulated: a cluster, and the requests that change it.

use alloc::borrow::Cow;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::answer::{EstimatedPods, NotModeled, OldObject, Warning, WarningKind};
use super::apply_request::{ApplyRequest, ApplyRun};
use super::course::Shard;
use super::estimates::{Estimates, object_name};
use super::gitops::{instance, is_never_pruned, runs_beside, runs_first, runs_last};
use super::given_objects::{GivenObject, as_written, is_same, is_stored, last_applied, name, namespace};
use super::given_replicas::GivenReplicas;
use super::options::{Assumptions, PredictOptions, RolloutStart};
use super::plan_inputs::PlanInputs;
use super::pod_autoscalers::{AssumedReplicas, PodAutoscaler, assumed_replicas};
#[cfg(feature = "explain")]
use super::pod_templates::pod_template;
use super::pre_stop_hooks::PreStopHooks;
use super::quota_demand::Quota;
use super::still_objects::StillObjects;
use super::unknown_fields::unknown_field_warnings;
use super::verdict::{Reason, ReasonKind};
use crate::Problem;
use crate::apiserver::ExistingObjects;
use crate::cluster::{
    LimitRanges, Simulation, SingleRollout, apply_diff, at_rest, is_auxiliary, merge, still_stuck, stored_objects,
};
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, existing_map, field, integer, list, map_at, set_default, string};
use crate::object::{Kind, Object, ObjectKey, Time};
use crate::scenario::{
    Action, Autoscaler, Cascade, Delete, Duration, EqualNodes, Limits, MAX_PODS, Manifest, Manifests, MeasuredStart,
    MissingNode, NodeForm, Scenario, StuckPod, TimedAction, Timing, live_start, missing_nodes, newest_time,
    pod_timings, read_live, read_node, starts_by_name,
};
#[cfg(feature = "explain")]
use crate::scenario::{Node, stuck_pods};
use crate::timeline::Timeline;

/// Where the steps of a simulation end: five times as many as the rollout of the most pods takes.
const LIMITS: Limits = Limits { steps: 2_000_000, bytes: 2_000_000_000, ..Limits::DEFAULT };

/// The `podReplacementPolicy` of Deployments, which is proposed (KEP-5882), and of Jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodReplacementPolicies {
    /// No Deployment has it, as in every release.
    Today,
    /// Changed Deployments have what their manifests say, or else `TerminationComplete`.
    Proposed,
    /// Deployments as in every release, and each Job with the other one of its two policies, where it may have it.
    OtherOfJobs,
}

/// What the ResourceQuotas do in a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quotas {
    /// They refuse what exceeds them, as in the cluster.
    Enforced,
    /// They refuse nothing, which shows what the change would need of them.
    Ignored,
}

/// The objects of manifests, as they are put into a cluster to come to rest there.
#[derive(Clone, Debug)]
struct WrittenObjects {
    objects: Manifests,
    paths: Vec<String>,
    jobs: Vec<Value>,
    job_paths: Vec<String>,
    paused: BTreeSet<ObjectKey>,
}

impl WrittenObjects {
    /// Those of manifests, and what is around them.
    fn of(auxiliary: &[GivenObject], written: Vec<GivenObject>) -> Self {
        let (jobs, written): (Vec<GivenObject>, Vec<GivenObject>) =
            written.into_iter().partition(|source| is_job(&source.object));
        let paused = written.iter().map(|source| &source.object).filter(|object| is_paused(object));
        let paused = paused.map(|object| ObjectKey::of_manifest(Kind::Deployment, object)).collect_tree();
        let paths = auxiliary.iter().chain(&written).map(|source| source.path.clone()).collect();
        let all = auxiliary.iter().cloned().chain(written);
        let (jobs, job_paths) = jobs.into_iter().map(|source| (as_written(&source.object), source.path)).unzip();
        Self {
            objects: all.map(|source| resumed(as_written(&source.object))).collect(),
            paths,
            jobs,
            job_paths,
            paused,
        }
    }
}

/// A Deployment to which an autoscaler may give more replicas than are simulated.
pub(super) struct MoreReplicas<'a> {
    pub(super) deployment: ObjectKey,
    /// Those that are simulated.
    pub(super) replicas: i32,
    /// The most that it may have before the change.
    most_before: i32,
    /// What scales it once the change is applied.
    pub(super) autoscaler: &'a PodAutoscaler,
}

/// A cluster with the objects of `old`, and the changes that lead to `new`.
#[derive(Clone, Debug)]
pub struct RolloutPlan {
    /// The cluster before the change, without quotas.
    scenario: Scenario,
    /// What of it has come to rest, and how many objects are before that; none without nodes, or if everything is stored.
    written: Option<(usize, Rc<WrittenObjects>)>,
    /// Where the first objects of the scenario came from.
    origins: Vec<String>,
    /// Where the first nodes of the scenario came from, and how they were given.
    node_origins: Vec<(String, NodeForm)>,
    pub(super) quotas: Vec<GivenObject>,
    /// What the objects that are not played use of the quotas.
    pub(super) still_objects: StillObjects,
    pub(super) auxiliary: Vec<GivenObject>,
    /// The claims that are given, old and new.
    pub(super) claims: Vec<GivenObject>,
    /// The ones that start no rollout come first, and deletions last.
    requests: Vec<ApplyRequest>,
    request_paths: Vec<String>,
    concurrent: Option<usize>,
    pub(super) has_nodes: bool,
    /// Whether the old objects are of a running cluster, and not manifests.
    is_state: bool,
    /// Whether that state shows what runs, and not only what is wanted.
    is_live: bool,
    /// Whether it is known what comes of the cluster without the change: there is one, and it leaves alone what limits workloads.
    is_comparable: bool,
    /// The pods of a running cluster that are assumed never to become ready.
    stuck_pods: Vec<StuckPod>,
    /// How long the ready pods of a running cluster took to start, by the name of their Deployment, if new ones take as long.
    measured_starts: BTreeMap<String, MeasuredStart>,
    /// The preStop hooks of the workloads' pods, before the change and after it.
    pre_stop_hooks: PreStopHooks,
    /// The replicas of Deployments that leave them to an autoscaler, before the change and after it.
    assumed_replicas: Vec<AssumedReplicas>,
    /// What scales the Deployments, those after the change first.
    pod_autoscalers: Vec<PodAutoscaler>,
    /// What scales them before the change.
    former_autoscalers: Vec<PodAutoscaler>,
    /// The Jobs that Helm or Argo CD completes before it applies the rest, in any shard.
    first_hooks: BTreeSet<ObjectKey>,
    /// The hooks that Argo CD runs once the rest is healthy.
    last_hooks: BTreeSet<ObjectKey>,
    /// The hooks that Helm runs after the rest, for which it does not wait.
    hooks_beside: BTreeSet<ObjectKey>,
    /// What the change does to the replicas of Deployments.
    given_replicas: BTreeMap<ObjectKey, GivenReplicas>,
    /// The fields of the given objects that Kubernetes does not know.
    pub(super) unknown_fields: Vec<Warning>,
    /// The nodes of a running cluster's pods that are not among the given nodes, each with its warning. In the scenario, they come
    /// after those that are given.
    pub(super) missing_nodes: BTreeMap<String, Warning>,
    pub(super) not_modeled: Vec<NotModeled>,
    /// The fields of the given objects that decide and are not modeled; those that decide about nodes only with nodes.
    pub(super) deciding_fields: Vec<NotModeled>,
    /// How many pods count as estimates.
    pub(super) estimates: Vec<EstimatedPods>,
    /// The workload of each of those pods, both as `Kind/namespace/name`.
    pub(super) estimated: BTreeMap<String, String>,
    /// The objects without pods that only the old manifests have.
    pub(super) only_in_old: Vec<OldObject>,
    /// Why the change is not judged, as far as the objects alone say it.
    pub(super) not_judged: Vec<Reason>,
    /// The quotas whose namespace is that of all objects, which name none.
    pub(super) assumed_namespaces: Vec<Warning>,
    /// The shard that is simulated; none: everything is.
    shard: Option<Shard>,
    /// Whether a Job is given, in any shard.
    has_jobs: bool,
    /// Whether the change starts a rollout in any shard.
    starts_rollout: bool,
}

/// A plan that no longer needs the objects that it was made from. The workloads of manifests are not settled yet, which takes as
/// much memory as the objects do: drop them before.
#[derive(Clone, Debug)]
pub struct UnsettledPlan {
    plan: RolloutPlan,
    /// What comes to rest.
    written: Vec<GivenObject>,
}

impl UnsettledPlan {
    /// As [`RolloutPlan::new`].
    ///
    /// # Errors
    /// Those of [`RolloutPlan::new`] that the objects alone lead to.
    pub fn new<'a>(
        old: impl IntoIterator<Item = &'a Value>,
        new: impl IntoIterator<Item = &'a Value>,
        options: &PredictOptions,
    ) -> Result<Self, Problem> {
        Self::of(&old.into_iter().collect::<Vec<_>>(), &new.into_iter().collect::<Vec<_>>(), options)
    }

    fn of(old: &[&Value], new: &[&Value], options: &PredictOptions) -> Result<Self, Problem> {
        let inputs = PlanInputs::read(old, new, options)?;
        let estimates = inputs.estimates()?;
        let not_judged = inputs.not_judged(old, new, &estimates);
        let mut plan = RolloutPlan::without_cluster(&inputs, &estimates, not_judged);
        plan.plan_changes(&inputs, &estimates);
        plan.put_cluster(&inputs)?;
        let PlanInputs { old, share, is_live, .. } = inputs;
        let is_written = |source: &GivenObject| {
            let is_mine = || share.as_ref().is_none_or(|share| share.has(&source.object));
            !(is_auxiliary(&source.object) || is_live && is_stored(&source.object)) && is_mine()
        };
        let written = old.simulated.into_iter().filter(is_written).chain(estimates.pods).collect();
        Ok(Self { plan, written })
    }

    /// The plan with its settled workloads.
    ///
    /// # Errors
    /// The other problems of [`RolloutPlan::new`].
    pub fn settle(self) -> Result<RolloutPlan, Problem> {
        let Self { mut plan, written } = self;
        if !plan.is_live || !written.is_empty() {
            plan.put_written(WrittenObjects::of(&plan.auxiliary, written))?;
        }
        plan.validate_quotas()?;
        Ok(plan)
    }
}

impl RolloutPlan {
    /// The plan that leads from the old objects to the new ones. Objects of a running cluster (those with a uid, if a ReplicaSet,
    /// a Pod or a Job is among them) keep their state; the workloads of manifests are settled, with all their pods.
    ///
    /// # Errors
    /// The first problem of the objects or the options, with its path: `old[0].spec.replicas`, `new[1]...`, `quotas[0]...`,
    /// `nodes[0]...` or `assumptions...`.
    pub fn new<'a>(
        old: impl IntoIterator<Item = &'a Value>,
        new: impl IntoIterator<Item = &'a Value>,
        options: &PredictOptions,
    ) -> Result<Self, Problem> {
        UnsettledPlan::new(old, new, options)?.settle()
    }

    /// The plan without its cluster and its requests.
    fn without_cluster(inputs: &PlanInputs<'_>, estimates: &Estimates, not_judged: Vec<Reason>) -> Self {
        let PlanInputs { options, old, new, nodes, quotas, scaling, .. } = inputs;
        let simulated = || old.simulated.iter().chain(&new.simulated);
        let mine = |given: &[GivenObject]| given.iter().filter(|source| inputs.is_mine(source)).cloned().collect();
        let claims = simulated().filter(|source| string(&source.object, "kind") == Kind::PersistentVolumeClaim.name());
        let mut plan = Self {
            scenario: Scenario::default(),
            written: None,
            origins: Vec::new(),
            node_origins: Vec::new(),
            quotas: mine(quotas),
            still_objects: inputs.still_objects.clone(),
            auxiliary: mine(&inputs.auxiliary),
            claims: claims.cloned().collect(),
            requests: Vec::new(),
            request_paths: Vec::new(),
            concurrent: concurrency(&options.assumptions),
            has_nodes: !nodes.is_empty(),
            is_state: inputs.is_state,
            is_live: inputs.is_live,
            is_comparable: inputs.is_comparable(),
            stuck_pods: Vec::new(),
            measured_starts: BTreeMap::new(),
            pre_stop_hooks: PreStopHooks::of(simulated()),
            assumed_replicas: scaling.assumed(),
            pod_autoscalers: scaling.autoscalers.clone(),
            former_autoscalers: inputs.old.pod_autoscalers.clone(),
            first_hooks: BTreeSet::new(),
            last_hooks: BTreeSet::new(),
            hooks_beside: BTreeSet::new(),
            given_replicas: BTreeMap::new(),
            unknown_fields: unknown_field_warnings(simulated()),
            missing_nodes: BTreeMap::new(),
            not_modeled: inputs.not_modeled(),
            deciding_fields: inputs.deciding_fields(),
            estimates: estimates.answer.clone(),
            estimated: estimates.workloads.clone(),
            only_in_old: inputs.only_in_old.clone(),
            not_judged,
            assumed_namespaces: inputs.assumed_namespaces(),
            shard: options.shard,
            has_jobs: inputs.all().any(|source| is_job(&source.object)),
            starts_rollout: false,
        };
        keep_newest(&mut plan.not_modeled);
        plan
    }

    /// Plans the requests of the change.
    fn plan_changes(&mut self, inputs: &PlanInputs<'_>, estimates: &Estimates) {
        let PlanInputs { options, old, new, is_live, scaling, .. } = inputs;
        let is_owned = |source: &GivenObject| at(&source.object, &["metadata", "ownerReferences"]).is_some();
        let is_changed = |source: &&GivenObject| !is_auxiliary(&source.object) && !is_owned(source);
        let new_objects = ExistingObjects::of(new.simulated.iter().map(|source| &source.object));
        let is_kept = |old: &GivenObject| new_objects.named(&old.object).iter().any(|new| is_same(new, &old.object));
        // Of a running cluster, it is not known what the tool that prunes has applied.
        let is_written = |old: &GivenObject| !is_stored(&old.object) && !name(&old.object).is_empty();
        let is_pruned = |old: &&GivenObject| {
            options.prune && is_written(old) && is_changed(old) && !is_kept(old) && !is_never_pruned(&old.object)
        };
        let removed = estimates.removed.iter().filter(|removed| options.prune && !is_never_pruned(&removed.object));
        let pruned = old.simulated.iter().filter(is_pruned).chain(removed);
        let old_objects = ExistingObjects::of(old.simulated.iter().map(|source| &source.object));
        self.plan_requests(new.simulated.iter().filter(is_changed), pruned, &old_objects, *is_live);
        // No manifest names those.
        self.given_replicas.retain(|deployment, _| !scaling.after.iter().any(|assumed| assumed.is_of(deployment)));
        let outside = scaling.within_new_bounds.iter().filter_map(AssumedReplicas::outside);
        self.given_replicas
            .extend(outside.map(|(deployment, named)| (deployment, GivenReplicas::OutOfBounds { named })));
        self.starts_rollout = self.changed().next().is_some() || self.changes_set();
        if options.shard.is_some() {
            let mine = inputs.all().filter(|source| inputs.is_mine(source));
            let mine: BTreeSet<&str> = mine.map(|source| source.path.as_str()).collect_tree();
            let requests = self.requests.drain(..).zip(self.request_paths.drain(..));
            (self.requests, self.request_paths) = requests.filter(|(_, path)| mine.contains(path.as_str())).unzip();
        }
        self.add_estimates(&estimates.more);
    }

    /// Puts the cluster before the change into the plan: the state of a running one. What manifests come to at rest is left.
    fn put_cluster(&mut self, inputs: &PlanInputs<'_>) -> Result<(), Problem> {
        let options = inputs.options;
        let stored = inputs.old.simulated.iter().filter(|source| !is_auxiliary(&source.object));
        let live: Vec<&GivenObject> = stored.filter(|source| inputs.is_live && is_stored(&source.object)).collect();
        if inputs.is_live {
            self.put_state(inputs, &live)?;
        } else {
            let objects = self.auxiliary.iter().map(|source| source.object.clone()).collect();
            self.scenario = Scenario { objects, limits: LIMITS, ..Scenario::default() };
            if inputs.is_state {
                let state: Vec<Value> = inputs.old.simulated.iter().map(|source| source.object.clone()).collect();
                self.scenario.start = live_start(&state, time_of_reading(&options.assumptions, &state));
            }
        }
        // The proposed policy is simulated separately.
        self.scenario.feature_gates = Value::Null;
        self.scenario.seed = options.assumptions.seed;
        self.scenario.pause = options.assumptions.pause;
        self.scenario.mode = Some(options.assumptions.mode());
        self.scenario.controller_manager = options.assumptions.controller_manager;
        let (nodes, read_at) = (&inputs.nodes, self.now());
        self.scenario.nodes =
            nodes.iter().map(|node| read_node(&node.object, &node.path, read_at)).collect::<Result<_, _>>()?;
        self.node_origins = nodes.iter().map(|node| (node.path.clone(), NodeForm::of(&node.object))).collect();
        self.add_missing_nodes(&live);
        self.put_timings(inputs, &live);
        let mine = |source: &&&GivenObject| inputs.is_mine(source);
        let of_state = live.iter().filter(mine).map(|source| source.path.clone());
        self.origins = self.auxiliary.iter().map(|source| source.path.clone()).chain(of_state).collect();
        Ok(())
    }

    /// Puts the state of a running cluster into the plan.
    fn put_state(&mut self, inputs: &PlanInputs<'_>, live: &[&GivenObject]) -> Result<(), Problem> {
        let assumptions = &inputs.options.assumptions;
        let given = self.auxiliary.iter().chain(live.iter().copied()).inspect(|_| assumptions.pause.take());
        let objects: Vec<Value> = given.map(|source| source.object.clone()).collect();
        let now = time_of_reading(assumptions, &objects);
        let mut state = read_live(objects, now, self.has_nodes)?;
        if let Some(share) = &inputs.share {
            let mine = state.scenario.objects.iter().map(Manifest::to_value).filter(|object| share.has(object));
            state.scenario.objects = mine.map(Cow::into_owned).collect();
        }
        let assumes_readiness = assumptions.ready_after.is_some();
        let has_its_quota = |pod: &StuckPod| inputs.quotas.iter().any(|quota| pod.is_refused_by(&quota.object));
        // Pods that don't exist can't be assumed to be ready.
        let stays = |pod: &StuckPod| (pod.is_refused() || !assumes_readiness) && !has_its_quota(pod);
        self.stuck_pods = state.stuck_pods.into_iter().filter(stays).collect();
        self.scenario = Scenario { limits: LIMITS, ..state.scenario };
        Ok(())
    }

    /// Puts in how long pods take.
    fn put_timings(&mut self, inputs: &PlanInputs<'_>, live: &[&GivenObject]) {
        let assumptions = &inputs.options.assumptions;
        self.stuck_pods = still_stuck(core::mem::take(&mut self.stuck_pods), &self.scenario);
        let new_objects = ExistingObjects::of(inputs.new.simulated.iter().map(|source| &source.object));
        let live_objects = live.iter().map(|source| &source.object);
        self.measured_starts = starts_by_name(live_objects, |stored| keeps_probes(stored, &new_objects));
        self.measured_starts.retain(|deployment, _| assumptions.leaves_start_open(deployment));
        self.scenario.kubelet.clone_from(&assumptions.kubelet);
        self.scenario.kubelet.extend(self.pod_timings(&assumptions.timing()));
    }

    /// Adds what manifests come to at rest.
    fn put_written(&mut self, written: WrittenObjects) -> Result<(), Problem> {
        if self.has_nodes {
            self.written = Some((self.scenario.objects.iter().len(), Rc::new(written.clone())));
        }
        let WrittenObjects { objects, paths, jobs, job_paths, paused } = written;
        // The objects of the simulation are those that are written.
        let origins = core::mem::replace(&mut self.origins, paths);
        // The uids that the seed gives may be those of the running cluster, if it was simulated too.
        let seed = self.scenario.seed.wrapping_add(self.is_live.into());
        let settled = Scenario { objects, seed, ..self.scenario.clone() };
        let rest = at_rest(&settled, &jobs).map_err(|problem| {
            self.locate(problem.map_paths(&|path| {
                let job = indexed(path, "jobs").and_then(|(index, below)| Some((job_paths.get(index)?, below)));
                job.map_or_else(|| String::from(path), |(job, below)| format!("{job}{below}"))
            }))
        })?;
        self.scenario.objects.extend(rest.into_iter().map(|object| Manifest::Stored(paused_again(object, &paused))));
        self.origins = origins;
        Ok(())
    }

    /// The same plan, where the scheduler takes others of equally good nodes, before the change and after it.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub(super) fn with_equal_nodes(&self, equal_nodes: EqualNodes, seed: u64) -> Result<Self, Problem> {
        let mut plan = self.clone();
        plan.scenario.equal_nodes = Some(equal_nodes);
        plan.scenario.seed = seed;
        if let Some((before, written)) = &self.written {
            plan.scenario.objects = plan.scenario.objects.iter().take(*before).cloned().collect();
            plan.put_written(WrittenObjects::clone(written))?;
        }
        Ok(plan)
    }

    /// Adds the nodes that objects of a running cluster are on and that are not among the given nodes.
    fn add_missing_nodes(&mut self, live: &[&GivenObject]) {
        let given = self.scenario.nodes.iter().map(|node| node.name.as_str());
        for missing in missing_nodes(live.iter().map(|source| &source.object), given) {
            let Some(GivenObject { object: pod, .. }) = live.get(missing.pod) else { continue };
            self.scenario.nodes.push(missing.node());
            let warning = Warning {
                object: ObjectKey::of_manifest(Kind::Pod, pod).to_string(),
                kind: WarningKind::MissingNode,
                message: format!("{}: {}", MissingNode::FIELD, missing.message()),
            };
            self.missing_nodes.insert(missing.name, warning);
        }
    }

    /// The quotas, as they are counted.
    ///
    /// # Errors
    /// A field of the wrong type.
    pub(super) fn counted_quotas(&self) -> Result<Vec<Quota>, Problem> {
        self.quotas.iter().map(|quota| Quota::read(&quota.object, &quota.path, &self.still_objects)).collect()
    }

    /// Validates the quotas alone.
    fn validate_quotas(&self) -> Result<(), Problem> {
        let objects = self.quotas.iter().map(|quota| quota.object.clone()).collect();
        let timeline = Timeline::run(Scenario { objects, ..Scenario::default() });
        timeline.map(drop).map_err(|problem| {
            problem.map_paths(&|path| {
                let quota = indexed(path, "objects").and_then(|(index, below)| Some((self.quotas.get(index)?, below)));
                quota.map_or_else(|| String::from(path), |(quota, below)| format!("{}{below}", quota.path))
            })
        })
    }

    /// Plans the requests that turn the old objects into the new ones, as `kubectl apply` sends them.
    fn plan_requests<'a>(
        &mut self,
        changed: impl Iterator<Item = &'a GivenObject>,
        pruned: impl Iterator<Item = &'a GivenObject>,
        old: &ExistingObjects<'_>,
        is_live: bool,
    ) {
        let mut planned: Vec<(ApplyRequest, String, Application<'_>)> = Vec::new();
        let mut hooks: BTreeMap<Application<'_>, Vec<ObjectKey>> = BTreeMap::new();
        for source in changed {
            let kind = string(&source.object, "kind");
            let new = as_written(&source.object);
            let has_name = !name(&new).is_empty();
            let before = old.named(&new).iter().copied().find(|old| has_name && is_same(old, &new));
            let last = |old| if is_live && is_stored(old) { last_applied(old) } else { Some(as_written(old)) };
            let last = before.map(last);
            let mut patch = match &last {
                Some(Some(last)) => apply_diff(last, &new),
                // Without the last manifest, removed fields are unknown.
                Some(None) => apply_diff(&json!({}), &new),
                None => new.clone(),
            };
            let deployment = (kind == Kind::Deployment.name()).then(|| ObjectKey::of_manifest(Kind::Deployment, &new));
            if let Some(key) = &deployment
                && let Some(given) = GivenReplicas::of(&new, before, last.flatten().as_ref())
            {
                if given == GivenReplicas::Reset {
                    merge(&mut patch, &json!({ "spec": { "replicas": at(&new, &["spec", "replicas"]) } }));
                }
                self.given_replicas.insert(key.clone(), given);
            }
            if patch.as_object().is_some_and(serde_json::Map::is_empty) {
                continue;
            }
            let namespace = namespace(&new).unwrap_or_default();
            let target = json!({
                "apiVersion": string(&new, "apiVersion"),
                "kind": kind,
                "metadata": { "name": name(&new), "namespace": namespace },
            });
            merge(&mut patch, &target);
            // Only `kubectl create` makes names from generateName.
            let (action, deployment) = if has_name {
                (Action::Apply(Rc::new(patch)), deployment)
            } else {
                (Action::Create(Rc::new(new)), None)
            };
            if is_job(&source.object) && has_name {
                let hook = ObjectKey::of_manifest(Kind::Job, &source.object);
                if runs_beside(&source.object) {
                    self.hooks_beside.insert(hook);
                } else if runs_first(&source.object) {
                    hooks.entry(application(&source.object)).or_default().push(hook);
                }
            }
            let request = ApplyRequest { is_last: runs_last(&source.object), ..ApplyRequest::new(action, deployment) };
            planned.push((request, source.path.clone(), application(&source.object)));
        }
        planned.extend(pruned.map(|source| {
            let object = &source.object;
            let delete = Delete {
                kind: string(object, "kind").into(),
                name: name(object).into(),
                namespace: namespace(object).unwrap_or_default().into(),
                cascade: Cascade::Background,
                grace_period_seconds: None,
            };
            (ApplyRequest::new(Action::Delete(delete), None), source.path.clone(), application(object))
        }));
        // Tools that prune do it last, so what they delete still takes room.
        planned.sort_by_key(|(request, ..)| match request.action {
            Action::Delete(_) => 2,
            _ => u8::from(request.deployment.is_some()),
        });
        self.first_hooks = hooks.values().flatten().cloned().collect_tree();
        let last = || planned.iter().filter(|(request, ..)| request.is_last);
        self.last_hooks = last().filter_map(|(request, ..)| request.applied()).collect_tree();
        let with_last: BTreeSet<Application<'_>> = last().map(|(.., application)| *application).collect_tree();
        let mut rest: BTreeMap<Application<'_>, Vec<ObjectKey>> = BTreeMap::new();
        for (request, _, application) in planned.iter().filter(|(request, ..)| !request.is_last) {
            if with_last.iter().any(|hook| is_of_hook(*application, *hook)) {
                rest.entry(*application).or_default().extend(request.applied());
            }
        }
        let all =
            |keys: &mut dyn Iterator<Item = &Vec<ObjectKey>>| keys.flatten().cloned().collect::<Rc<[ObjectKey]>>();
        let planned = planned.into_iter().map(|(mut request, path, own)| {
            let awaited = if request.is_last {
                all(&mut rest.iter().filter(|(other, _)| is_of_hook(**other, own)).map(|(_, keys)| keys))
            } else {
                all(&mut hooks.iter().filter(|(hook, _)| is_of_hook(own, **hook)).map(|(_, keys)| keys))
            };
            if !request.applied().is_some_and(|key| awaited.contains(&key)) {
                request.awaited = awaited;
            }
            (request, path)
        });
        // In the order in which they are sent.
        let (held, now): (Vec<_>, Vec<_>) = planned.partition(|(request, _)| !request.awaited.is_empty());
        (self.requests, self.request_paths) = now.into_iter().chain(held).unzip();
    }

    /// Lets the pods that are estimated be created with the change, and names the changed ReplicaSets, which have no prediction.
    fn add_estimates(&mut self, more: &[GivenObject]) {
        for (request, path) in self.requests.iter().zip(&self.request_paths) {
            if let Action::Apply(object) = &request.action
                && string(object, "kind") == Kind::ReplicaSet.name()
            {
                let message = String::from("It changes, and no ReplicaSet is predicted: its pods only count.");
                let reason = Reason::new(ReasonKind::NotModeledWorkload, message);
                self.not_judged.push(reason.about(object_name(object)).at(path.clone()));
            }
        }
        let create = |pod: &GivenObject| ApplyRequest::new(Action::Create(Rc::new(pod.object.clone())), None);
        self.requests.splice(0..0, more.iter().map(create));
        self.request_paths.splice(0..0, more.iter().map(|pod| pod.path.clone()));
    }

    /// What is not modeled in an answer: fields of Deployments and Jobs of a running cluster only where something happens to them.
    pub(super) fn not_modeled_where(&self, is_active: &dyn Fn(&str) -> bool) -> Vec<NotModeled> {
        let fields = self.deciding_fields.iter().filter(|field| !self.is_live || is_active(&field.object()));
        let mut not_modeled: Vec<NotModeled> = fields.chain(&self.not_modeled).cloned().collect();
        not_modeled.sort();
        not_modeled
    }

    /// When the objects of a running cluster were read; none for manifests.
    pub fn now(&self) -> Option<Time> {
        self.is_state.then_some(self.scenario.start)
    }

    /// The assumptions in one line, those about Jobs where there are any.
    pub(super) fn assumed(&self, assumptions: &Assumptions, has_jobs: bool, start: RolloutStart) -> String {
        let (refused, held_up): (Vec<&StuckPod>, Vec<&StuckPod>) =
            self.stuck_pods.iter().partition(|pod| pod.is_refused());
        let named = |pod: &&StuckPod| format!("{} ({})", pod.deployment.name, pod.cause.word());
        let held_up: BTreeSet<String> = held_up.iter().map(named).collect_tree();
        let refused: BTreeSet<&str> = refused.iter().map(|pod| &*pod.deployment.name).collect_tree();
        let mut sentence = assumptions.sentence(has_jobs, start);
        if !self.measured_starts.is_empty() {
            let took = |(name, took): (&String, &MeasuredStart)| format!("{name} {}", took.ready.exactly_in_words());
            let starts = self.measured_starts.iter().map(took).collect::<Vec<_>>().join(", ");
            sentence.push_str(&format!(
                " Whatever their probes say, pods become ready as fast as the running ones did (the median): {starts}."
            ));
        }
        sentence.push_str(&self.pre_stop_hooks.sentence(assumptions));
        sentence.push_str(&self.assumed_replicas());
        for (hooks, what) in [
            (&self.first_hooks, "Hooks that run first complete before the rest is applied"),
            (&self.last_hooks, "Hooks that run last start once the rest is complete"),
            (&self.hooks_beside, "Helm hooks that run after the rest start together with it, as without --wait"),
        ] {
            let names: Vec<&str> = hooks.iter().map(|hook| &*hook.name).collect();
            if !names.is_empty() {
                sentence.push_str(&format!(" {what}: {}.", names.join(", ")));
            }
        }
        if self.has_nodes {
            sentence.push_str(" The nodes run only the given pods.");
            let forms = self.node_origins.iter().map(|(_, form)| *form).zip(&self.scenario.nodes);
            if forms.into_iter().any(|(form, node)| form == NodeForm::Scenario && node.pods == Some(MAX_PODS)) {
                sentence.push_str(&format!(" A node in short takes {MAX_PODS} pods if it doesn't say how many."));
            }
        }
        if !self.missing_nodes.is_empty() {
            let names: Vec<&str> = self.missing_nodes.keys().map(String::as_str).collect();
            let names = names.join(", ");
            sentence.push_str(&format!(" Nodes that are not given keep their pods and get no new ones: {names}."));
        }
        if !held_up.is_empty() {
            let names = held_up.into_iter().collect::<Vec<_>>().join(", ");
            sentence.push_str(&format!(" Pods like the ones that are stuck never become ready: {names}."));
        }
        if !refused.is_empty() {
            let names = refused.into_iter().collect::<Vec<_>>().join(", ");
            sentence.push_str(&format!(" The API server keeps refusing the pods that it refuses now: {names}."));
        }
        sentence
    }

    /// Which Deployments leave their replicas to an autoscaler, as sentences after others; empty if none does.
    pub fn assumed_replicas(&self) -> String {
        assumed_replicas(&self.assumed_replicas)
    }

    /// Whether a Deployment leaves its replicas to an autoscaler.
    pub fn has_autoscaled_replicas(&self, deployment: &ObjectKey) -> bool {
        self.assumed_replicas.iter().any(|assumed| assumed.is_of(deployment))
    }

    /// What scales a Deployment, with its bounds; none if nothing does.
    #[must_use]
    pub fn autoscaler(&self, deployment: &ObjectKey) -> Option<String> {
        self.pod_autoscaler(deployment).map(PodAutoscaler::with_bounds)
    }

    /// The Deployments to which an autoscaler may give more replicas than are simulated: of manifests, it may have done so before the
    /// change, and its own change may let it go further.
    pub(super) fn may_have_more_replicas(&self) -> Vec<MoreReplicas<'_>> {
        let is_deployment = |manifest: &&Manifest| manifest.kind() == Kind::Deployment.name();
        let stored = self.scenario.objects.iter().filter(is_deployment).map(Manifest::to_value);
        let stored: Vec<(Cow<'_, Value>, bool)> = stored.map(|object| (object, false)).collect();
        let known: BTreeSet<ObjectKey> =
            stored.iter().map(|(object, _)| ObjectKey::of_manifest(Kind::Deployment, object)).collect_tree();
        let created = self.requests.iter().filter_map(|request| match (&request.action, &request.deployment) {
            (Action::Apply(object), Some(key)) if !known.contains(key) => Some((Cow::Borrowed(&**object), true)),
            _ => None,
        });
        let more = |(object, is_created): (Cow<'_, Value>, bool)| {
            let deployment = ObjectKey::of_manifest(Kind::Deployment, &object);
            let replicas = i32::try_from(integer(at(&object, &["spec"])?, "replicas")?).ok()?;
            let autoscaler = self.pod_autoscaler(&deployment)?;
            let former = self.former_autoscalers.iter().find(|former| former.targets(&deployment));
            let scaled = former.filter(|_| !self.is_live && !is_created).map_or(replicas, PodAutoscaler::most);
            let most_before = scaled.max(replicas);
            let may_grow = former.is_none_or(|former| former.most() < autoscaler.most());
            // It does not scale what has no replicas.
            let has_more = autoscaler.most() > replicas && (!self.is_live || may_grow);
            (replicas > 0 && has_more).then_some(MoreReplicas { deployment, replicas, most_before, autoscaler })
        };
        stored.into_iter().chain(created).filter_map(more).collect()
    }

    /// This plan, in which autoscalers scale these Deployments as far as they may: before the change, and with it where they may go
    /// further then. None if those are more pods than are simulated.
    pub(super) fn at_max_replicas(&self, scaled: &[MoreReplicas<'_>]) -> Option<Self> {
        let replicas = |count: i32| json!({ "spec": { "replicas": count } });
        let before = scaled.iter().filter(|more| more.most_before > more.replicas);
        let mut plan = before
            .fold(self.clone(), |plan, more| plan.with_initial_patch(&more.deployment, &replicas(more.most_before)));
        if !self.is_live {
            let objects = at_rest(&plan.scenario, &[]).ok()?;
            plan.scenario.objects = objects.into_iter().map(Manifest::Stored).collect();
        }
        let further = scaled.iter().filter(|more| more.autoscaler.most() > more.most_before);
        Some(further.fold(plan, |plan, more| plan.with_patch(&more.deployment, &replicas(more.autoscaler.most()))))
    }

    /// What scales a Deployment.
    pub(super) fn pod_autoscaler(&self, deployment: &ObjectKey) -> Option<&PodAutoscaler> {
        self.pod_autoscalers.iter().find(|autoscaler| autoscaler.targets(deployment))
    }

    /// What the change does to the replicas of a Deployment, unless an autoscaler's are assumed before it.
    pub(super) fn given_replicas(&self, deployment: &ObjectKey) -> Option<GivenReplicas> {
        let given = self.given_replicas.get(deployment).copied()?;
        let is_assumed = given == GivenReplicas::Removed && self.has_autoscaled_replicas(deployment);
        (!is_assumed).then_some(given)
    }

    /// Whether pods of a Deployment are assumed to start as fast as its running ones did.
    pub(super) fn has_measured_start(&self, deployment: &ObjectKey) -> bool {
        self.measured_starts.contains_key(&*deployment.name)
    }

    /// The shard that is simulated, if not everything is.
    pub(super) const fn shard(&self) -> Option<Shard> {
        self.shard
    }

    /// Whether a Job is given, in any shard.
    pub(super) const fn has_jobs(&self) -> bool {
        self.has_jobs
    }

    /// Whether the new manifests change a Deployment, a StatefulSet or a DaemonSet, in any shard.
    pub(super) fn changes_any(&self) -> bool {
        self.starts_rollout || self.changed().next().is_some()
    }

    /// Whether the new manifests change a StatefulSet or a DaemonSet.
    fn changes_set(&self) -> bool {
        self.changes_kind(Kind::rolls_out_own_pods)
    }

    /// Whether the new manifests change an object of such a kind.
    fn changes_kind(&self, is_one: impl Fn(Kind) -> bool) -> bool {
        let is_its = |request: &ApplyRequest| match &request.action {
            Action::Apply(object) | Action::Create(object) => {
                Kind::from_name(string(object, "kind")).is_some_and(&is_one)
            }
            _ => false,
        };
        self.requests.iter().any(is_its)
    }

    /// Whether there is a Deployment, before the change or after it.
    pub(super) fn has_deployments(&self) -> bool {
        self.changes_kind(|kind| kind == Kind::Deployment)
            || self.scenario.objects.iter().any(|object| object.kind() == Kind::Deployment.name())
    }

    /// The Deployments that the new manifests change.
    pub(super) fn changed(&self) -> impl Iterator<Item = &ObjectKey> {
        self.requests.iter().filter_map(|request| request.deployment.as_ref())
    }

    /// The first object of a kind that the new manifests change.
    pub(super) fn applied(&self, kind: Kind) -> Option<ObjectKey> {
        self.requests.iter().find_map(|request| request.applied().filter(|key| key.kind == kind))
    }

    /// Whether the plan deletes a workload.
    pub(super) fn prunes(&self, workload: &ObjectKey) -> bool {
        let deletes = |request: &ApplyRequest| match &request.action {
            Action::Delete(Delete { kind, namespace, name, .. }) => {
                (kind.as_str(), namespace.as_str(), name.as_str())
                    == (workload.kind.name(), &*workload.namespace, &*workload.name)
            }
            _ => false,
        };
        self.requests.iter().any(deletes)
    }

    /// The objects that the change is about, as `Kind/namespace/name`.
    pub(super) fn touched(&self) -> impl Iterator<Item = String> {
        let of_request = |request: &ApplyRequest| match &request.action {
            Action::Apply(object) | Action::Create(object) => {
                let object = object_name(object);
                Some(self.estimated.get(&object).cloned().unwrap_or(object))
            }
            Action::Delete(Delete { kind, namespace, name, .. }) => Some(format!("{kind}/{namespace}/{name}")),
            _ => None,
        };
        let not_judged = self.not_judged.iter().filter_map(|reason| reason.object.clone());
        self.requests.iter().filter_map(of_request).chain(not_judged)
    }

    /// The same plan without the change; none if there is no change, or if it is not known what comes of the cluster without it.
    pub(super) fn without_change(&self) -> Option<Self> {
        self.is_comparable.then(|| Self {
            requests: Vec::new(),
            request_paths: Vec::new(),
            still_objects: self.still_objects.before_change(),
            is_comparable: false,
            ..self.clone()
        })
    }

    /// Merges a patch into the changes of a workload. One that does not change gets the patch as its change.
    #[must_use]
    pub fn with_patch(&self, workload: &ObjectKey, patch: &Value) -> Self {
        let mut plan = self.clone();
        let is_its = |request: &&mut ApplyRequest| request.applied().as_ref() == Some(workload);
        match plan.requests.iter_mut().find(is_its) {
            Some(ApplyRequest { action: Action::Apply(manifest), .. }) => overlay(Rc::make_mut(manifest), patch),
            _ => {
                let mut manifest = json!({
                    "apiVersion": workload.kind.api_version(),
                    "kind": workload.kind.name(),
                    "metadata": { "name": &*workload.name, "namespace": &*workload.namespace },
                });
                overlay(&mut manifest, patch);
                let deployment = Some(workload).filter(|workload| workload.kind == Kind::Deployment).cloned();
                plan.requests.push(ApplyRequest::new(Action::Apply(Rc::new(manifest)), deployment));
                plan.request_paths.push(String::from("patch"));
            }
        }
        plan
    }

    /// The same plan, in which a workload has been different before the start: nobody changes it.
    #[must_use]
    pub fn with_initial_patch(&self, workload: &ObjectKey, patch: &Value) -> Self {
        let mut plan = self.clone();
        let patched = |manifest: &Manifest| {
            if manifest.kind() != workload.kind.name() {
                return manifest.clone();
            }
            let mut object = manifest.to_value().into_owned();
            if ObjectKey::of_manifest(workload.kind, &object) != *workload {
                return manifest.clone();
            }
            merge(&mut object, patch);
            Manifest::Whole(Rc::new(object))
        };
        plan.scenario.objects = plan.scenario.objects.iter().map(patched).collect();
        plan
    }

    /// The same plan, in which all pods of a Deployment are replaced, as `kubectl rollout restart` does.
    #[must_use]
    pub fn with_restart(&self, deployment: &ObjectKey) -> Self {
        self.with_patch(deployment, &restart())
    }

    /// The same plan, whose objects are read for all simulations of it.
    pub(super) fn with_stored_objects(&self) -> Cow<'_, Self> {
        // Those of manifests are stored at rest.
        if !self.is_live {
            return Cow::Borrowed(self);
        }
        let mut plan = self.clone();
        plan.scenario.objects = stored_objects(&self.scenario);
        Cow::Owned(plan)
    }

    /// The same plan without the quotas that only the options name.
    pub(super) fn with_quotas_of_cluster(&self) -> Self {
        let mut plan = self.clone();
        plan.quotas.retain(GivenObject::is_in_cluster);
        plan
    }

    /// Whether the cluster has quotas.
    pub fn has_quotas(&self) -> bool {
        self.quotas.iter().any(GivenObject::is_in_cluster)
    }

    /// The same plan with another timing of the pods that are not held up, however long they took before.
    #[must_use]
    pub fn with_timing(&self, others: Timing) -> Self {
        self.retimed(self.stuck_pods.clone(), BTreeMap::new(), &others)
    }

    /// The same plan with other assumptions about how fast pods are that nothing else is known of, and about the order of rollouts.
    pub(super) fn with_assumptions(&self, assumptions: &Assumptions) -> Self {
        let plan = self.retimed(self.stuck_pods.clone(), self.measured_starts.clone(), &assumptions.timing());
        Self { concurrent: concurrency(assumptions), ..plan }
    }

    /// The same plan with other pods that are held up, other measured starts, and another timing of all others.
    fn retimed(
        &self,
        stuck_pods: Vec<StuckPod>,
        measured_starts: BTreeMap<String, MeasuredStart>,
        others: &Timing,
    ) -> Self {
        let mut plan = Self { stuck_pods, measured_starts, ..self.clone() };
        let replaced = self.pod_timings(others).len();
        let kept = plan.scenario.kubelet.len().saturating_sub(replaced);
        plan.scenario.kubelet.truncate(kept);
        plan.scenario.kubelet.extend(plan.pod_timings(others));
        plan
    }

    fn pod_timings(&self, others: &Timing) -> Vec<Timing> {
        pod_timings(&self.stuck_pods, &self.measured_starts, others)
    }

    /// The same plan with a seed and, where it has no random delays, with those.
    pub(super) fn with_random_delays(&self, seed: u64, jitter_percent: u32) -> Self {
        let mut plan = self.clone();
        plan.scenario.seed = seed;
        let timings = &mut plan.scenario.kubelet;
        if timings.iter().all(|timing| timing.jitter_percent == 0) {
            timings.iter_mut().for_each(|timing| timing.jitter_percent = jitter_percent);
        }
        plan
    }

    /// The same plan with an autoscaler. Without nodes, every pod finds one, and none is added.
    #[must_use]
    pub fn with_autoscaler(&self, autoscaler: Option<Autoscaler>) -> Self {
        let mut plan = self.clone();
        plan.scenario.autoscaler = autoscaler.filter(|_| plan.has_nodes);
        plan
    }

    /// The same plan, in which a user also does this.
    #[must_use]
    pub fn with_actions(&self, actions: impl IntoIterator<Item = TimedAction>) -> Self {
        let mut plan = self.clone();
        plan.scenario.actions.extend(actions);
        plan
    }

    /// Whether the nodes are given, and there is only one.
    pub(super) fn has_single_node(&self) -> bool {
        self.scenario.nodes.len() == 1
    }

    /// Whether the scheduler has no choice between nodes that are given.
    pub(super) fn has_fewer_than_two_nodes(&self) -> bool {
        self.scenario.nodes.len() < 2
    }

    /// The LimitRanges of the cluster.
    ///
    /// # Errors
    /// What the API server refuses, as [`RolloutPlan::new`] has it.
    pub(super) fn limit_ranges(&self) -> Result<LimitRanges, Problem> {
        LimitRanges::among(self.auxiliary.iter().map(|source| (&source.object, source.path.as_str())))
    }

    /// The objects that are left out.
    pub fn not_modeled(&self) -> &[NotModeled] {
        &self.not_modeled
    }

    /// The pods of a running cluster that are assumed never to become ready.
    pub fn stuck_pods(&self) -> &[StuckPod] {
        &self.stuck_pods
    }

    /// Simulates the change.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub fn simulate(&self, policy: PodReplacementPolicies, quotas: Quotas) -> Result<Timeline, Problem> {
        self.start(policy, quotas, None)?.into_timeline().map_err(|problem| self.locate(problem))
    }

    /// Starts the simulation of the change, with another seed if there is one.
    pub(super) fn start(
        &self,
        policy: PodReplacementPolicies,
        quotas: Quotas,
        seed: Option<u64>,
    ) -> Result<ApplyRun, Problem> {
        let (scenario, requests) = self.scenario_and_requests(policy, quotas, seed.unwrap_or(self.scenario.seed));
        ApplyRun::start(scenario, requests, self.concurrent).map_err(|problem| self.locate(problem))
    }

    /// The change as one that can be played in groups of pods, without quotas: of the only object, a Deployment at rest, by one request.
    /// [`SingleRollout::of`] says what else keeps a change from it.
    pub(super) fn as_single_rollout(&self, policy: PodReplacementPolicies) -> Option<SingleRollout> {
        let is_alone =
            !self.is_live && !self.has_nodes && self.auxiliary.is_empty() && self.scenario.actions.is_empty();
        if !is_alone || self.requests.len() != 1 {
            return None;
        }
        let (mut scenario, requests) = self.scenario_and_requests(policy, Quotas::Ignored, self.scenario.seed);
        scenario.actions = at_the_start(requests).collect();
        SingleRollout::of(scenario)
    }

    /// The scenario of the change, in which all rollouts start together, or once their hooks are complete.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub fn scenario(&self, policy: PodReplacementPolicies, quotas: Quotas) -> Result<Scenario, Problem> {
        if self.requests.iter().any(|request| !request.awaited.is_empty()) {
            let timeline = self.start(policy, quotas, None)?.into_timeline().map_err(|problem| self.locate(problem))?;
            return Ok(Scenario::clone(&timeline.scenario));
        }
        let (mut scenario, requests) = self.scenario_and_requests(policy, quotas, self.scenario.seed);
        scenario.actions.extend(at_the_start(requests));
        Simulation::start(scenario.clone()).map_err(|problem| self.locate(problem))?;
        Ok(scenario)
    }

    /// The cluster before the change, and the requests that start the rollouts.
    fn scenario_and_requests(
        &self,
        policy: PodReplacementPolicies,
        quotas: Quotas,
        seed: u64,
    ) -> (Scenario, Vec<ApplyRequest>) {
        let mut scenario = Scenario { seed, ..self.scenario.clone() };
        if quotas == Quotas::Enforced {
            scenario.objects.extend(self.quotas.iter().map(|quota| quota.object.clone()));
        }
        let requests = match policy {
            PodReplacementPolicies::Today => self.requests.clone(),
            PodReplacementPolicies::Proposed => {
                scenario.feature_gates = json!({ "DeploymentPodReplacementPolicy": true });
                self.requests.iter().cloned().map(with_policy).collect()
            }
            PodReplacementPolicies::OtherOfJobs => {
                // A changed Job gets the policy with its request.
                let objects = scenario.objects.iter().map(|object| {
                    if object.kind() == Kind::Job.name() && self.request_of(object).is_none() {
                        let job = with_other_policy(object.to_value().into_owned(), None);
                        return Manifest::Whole(Rc::new(job));
                    }
                    object.clone()
                });
                scenario.objects = objects.collect();
                let request = |request: &ApplyRequest| match &request.action {
                    Action::Apply(job) if is_job(job) => {
                        let job = with_other_policy(Value::clone(job), self.object_like(job).as_deref());
                        ApplyRequest { action: Action::Apply(Rc::new(job)), ..request.clone() }
                    }
                    _ => request.clone(),
                };
                self.requests.iter().map(request).collect()
            }
        };
        (scenario, requests)
    }

    /// The object of this kind and name before the change.
    fn object_like(&self, object: &Value) -> Option<Cow<'_, Value>> {
        self.scenario.objects.iter().find(|other| other.is_same(object)).map(Manifest::to_value)
    }

    /// The change of an object.
    fn request_of(&self, object: &Manifest) -> Option<&ApplyRequest> {
        self.requests.iter().find(|request| matches!(&request.action, Action::Apply(other) if object.is_same(other)))
    }

    /// A problem with the paths of the arguments in place of the scenario's.
    pub(super) fn locate(&self, problem: Problem) -> Problem {
        let actions_before = self.scenario.actions.len();
        problem.map_paths(&|path| {
            if let Some((index, below)) = indexed(path, "objects")
                && let Some(origin) = self.origins.get(index)
            {
                return format!("{origin}{below}");
            }
            if let Some((index, field)) = indexed(path, "nodes")
                && let Some((origin, form)) = self.node_origins.get(index)
            {
                return format!("{origin}{}", form.path_of(field));
            }
            if let Some((index, below)) = indexed(path, "actions")
                && let Some(origin) = index.checked_sub(actions_before).and_then(|index| self.request_paths.get(index))
            {
                return format!(
                    "{origin}{}",
                    below.strip_prefix(".apply").or_else(|| below.strip_prefix(".create")).unwrap_or(below)
                );
            }
            match path.strip_prefix("objects") {
                Some("") => String::from("old"),
                _ => String::from(path),
            }
        })
    }
}

/// Plans in which a blocked rollout is unblocked.
#[cfg(feature = "explain")]
impl RolloutPlan {
    /// The nodes, as they are at the start; none: every pod finds one.
    pub(super) fn nodes(&self) -> &[Node] {
        &self.scenario.nodes
    }

    /// This plan, in which pods of a running cluster don't become ready either of which only Events say that they never do.
    pub(super) fn with_lacking_pods(self, objects: &[Value], assumptions: &Assumptions) -> Self {
        let Some(now) = self.now().filter(|_| assumptions.ready_after.is_none()) else { return self };
        let is_lacking = |pod: &StuckPod| (pod.is_starting() || pod.is_unready()) && !self.stuck_pods.contains(pod);
        let lacking: Vec<StuckPod> = stuck_pods(objects, now).into_iter().filter(is_lacking).collect();
        if lacking.is_empty() {
            return self;
        }
        let others = self.scenario.kubelet.last().cloned().unwrap_or_default();
        self.retimed([self.stuck_pods.clone(), lacking].concat(), self.measured_starts.clone(), &others)
    }

    /// This plan, with an action of a user at the start.
    pub(super) fn with_action(&self, action: Action) -> Self {
        self.with_actions([TimedAction { at: Duration(0), action }])
    }

    /// This plan, but the pods of a Deployment that are held up become ready like all others.
    pub(super) fn without_hold_ups(&self, deployment: &ObjectKey) -> Self {
        let stuck_pods = self.stuck_pods.iter().filter(|pod| pod.deployment != *deployment).cloned().collect();
        let others = self.scenario.kubelet.last().cloned().unwrap_or_default();
        self.retimed(stuck_pods, self.measured_starts.clone(), &others)
    }

    /// This plan without LimitRanges, which may be why pods are refused.
    pub(super) fn without_limit_ranges(&self) -> Self {
        let mut plan = self.clone();
        let objects = plan.scenario.objects.iter();
        plan.scenario.objects = objects.filter(|object| object.kind() != Kind::LimitRange.name()).cloned().collect();
        plan
    }

    /// This plan, in which pods of a namespace have no finalizers.
    pub(super) fn without_finalizers(&self, namespace: &str, pods: &[&str]) -> Self {
        let mut plan = self.clone();
        let without = |manifest: &Manifest| {
            let mut object = manifest.to_value().into_owned();
            let ObjectKey { namespace: its_namespace, name, .. } = ObjectKey::of_manifest(Kind::Pod, &object);
            let is_pod = string(&object, "kind") == Kind::Pod.name();
            if is_pod && *its_namespace == *namespace && pods.contains(&&*name) {
                merge(&mut object, &json!({ "metadata": { "finalizers": null } }));
            }
            object
        };
        plan.scenario.objects = plan.scenario.objects.iter().map(without).collect();
        plan
    }

    /// The same plan with one more node, which has room for every pod, and the labels that pods select.
    #[cfg(feature = "explain")]
    pub(super) fn with_another_node(&self) -> Self {
        let mut plan = self.clone();
        // Without nodes, every pod finds one.
        if plan.has_nodes {
            let mut labels = plan.scenario.nodes.first().map(|node| node.labels.clone()).unwrap_or_default();
            let own = Rc::make_mut(&mut labels);
            // It has a host name of its own.
            own.remove("kubernetes.io/hostname");
            let actions = self.requests.iter().filter_map(|request| match &request.action {
                Action::Apply(object) | Action::Create(object) => Some(Value::clone(object)),
                _ => None,
            });
            let objects = self.scenario.objects.iter().map(|manifest| manifest.to_value().into_owned());
            for object in objects.chain(actions) {
                let selector = pod_template(&object)
                    .and_then(|template| field(template.spec(), "nodeSelector").and_then(Value::as_object).cloned());
                for (key, value) in selector.into_iter().flatten() {
                    if let Value::String(value) = value {
                        own.insert(key, value);
                    }
                }
            }
            plan.scenario.nodes.push(Node { name: String::from("another-node"), labels, ..Node::default() });
        }
        plan
    }
}

/// What a hook belongs to: a namespace and, if charts label it, an application in it.
type Application<'a> = (Option<&'a str>, &'a str);

fn application(object: &Value) -> Application<'_> {
    (namespace(object), instance(object))
}

/// Whether an object is of the application of a hook. A hook without the label is one of all objects in its namespace.
fn is_of_hook(object: Application<'_>, hook: Application<'_>) -> bool {
    object.0 == hook.0 && (object.1 == hook.1 || hook.1.is_empty())
}

/// When objects of a running cluster were read: as assumed, or at the newest time in them.
fn time_of_reading(assumptions: &Assumptions, objects: &[Value]) -> Time {
    assumptions.now.or_else(|| newest_time(objects)).unwrap_or(Time(0))
}

/// How many rollouts run at a time; none: all.
fn concurrency(assumptions: &Assumptions) -> Option<usize> {
    assumptions.concurrent.map(|count| usize::try_from(count).unwrap_or(usize::MAX))
}

/// The merge patch with which `kubectl rollout restart` replaces all pods of a Deployment.
pub(super) fn restart() -> Value {
    let annotations = json!({ "kubectl.kubernetes.io/restartedAt": "now" });
    json!({ "spec": { "template": { "metadata": { "annotations": annotations } } } })
}

fn at_the_start(requests: Vec<ApplyRequest>) -> impl Iterator<Item = TimedAction> {
    requests.into_iter().map(|request| TimedAction { at: Duration(0), action: request.action })
}

/// The index of a path in a list, and the path below.
fn indexed<'a>(path: &'a str, list: &str) -> Option<(usize, &'a str)> {
    let (index, below) = path.strip_prefix(list)?.strip_prefix('[')?.split_once(']')?;
    Some((index.parse().ok()?, below))
}

/// Whether the new manifests of a stored Deployment keep its probes, so that new pods start as the ready ones did.
fn keeps_probes(stored: &Value, new: &ExistingObjects<'_>) -> bool {
    new.named(stored).iter().filter(|new| is_same(new, stored)).all(|new| has_same_probes(stored, new))
}

/// Whether a new manifest has the probes of a stored Deployment, as a user wrote them or with the API server's defaults.
fn has_same_probes(stored: &Value, new: &Value) -> bool {
    last_applied(stored).is_some_and(|last| probes(&last) == probes(new)) || probes(stored) == probes(new)
}

/// The probes of a Deployment's containers that decide when a pod is ready.
fn probes(deployment: &Value) -> Vec<(&str, &Value)> {
    let containers: &[Value] =
        at(deployment, &["spec", "template", "spec"]).map_or(&[], |spec| list(spec, "containers"));
    let of_container = |container| {
        let probe = move |key: &'static str| field(container, key).map(|probe| (key, probe));
        ["startupProbe", "readinessProbe"].into_iter().filter_map(probe)
    };
    containers.iter().flat_map(of_container).collect()
}

/// Whether a Deployment is paused.
fn is_paused(object: &Value) -> bool {
    string(object, "kind") == Kind::Deployment.name() && at(object, &["spec", "paused"]) == Some(&Value::Bool(true))
}

/// A Deployment that is not paused: its pods started before it was.
fn resumed(mut object: Value) -> Value {
    if is_paused(&object)
        && let Some(spec) = existing_map(&mut object, &["spec"])
    {
        spec.remove("paused");
    }
    object
}

/// The object, paused if it is one of these Deployments.
fn paused_again(mut object: Object, paused: &BTreeSet<ObjectKey>) -> Object {
    if let Object::Deployment(deployment) = &mut object
        && paused.contains(&deployment.key())
    {
        Rc::make_mut(&mut Rc::make_mut(deployment).spec).paused = true;
    }
    object
}

/// Sorts the objects that are left out. One that exists before and after the change is listed once, as it is after it.
fn keep_newest(not_modeled: &mut Vec<NotModeled>) {
    let mut newest: BTreeMap<(String, String, Option<String>), Vec<NotModeled>> = BTreeMap::new();
    for left_out in not_modeled.drain(..) {
        let about = (left_out.kind.clone(), left_out.name.clone(), left_out.field().map(String::from));
        let others = newest.entry(about).or_default();
        others.retain(|other| !has_one_namespace(other, &left_out));
        others.push(left_out);
    }
    not_modeled.extend(newest.into_values().flatten());
    not_modeled.sort();
}

/// Whether both are of one namespace, which one of them may leave out.
fn has_one_namespace(a: &NotModeled, b: &NotModeled) -> bool {
    a.namespace == b.namespace || a.namespace.is_none() || b.namespace.is_none()
}

fn is_job(object: &Value) -> bool {
    string(object, "kind") == Kind::Job.name()
}

/// A Job, or the change of one that was like `before`, with the other `podReplacementPolicy`, unless it may only have the one.
fn with_other_policy(mut job: Value, before: Option<&Value>) -> Value {
    let given = |key: &str| at(&job, &["spec", key]).or_else(|| at(before?, &["spec", key]));
    let is_failed = given("podReplacementPolicy").is_some_and(|policy| policy == "Failed");
    if given("podFailurePolicy").is_none()
        && let Some(spec) = map_at(&mut job, &["spec"])
    {
        spec.insert("podReplacementPolicy".into(), if is_failed { "TerminatingOrFailed" } else { "Failed" }.into());
    }
    job
}

/// The request with the proposed policy, if it starts a rollout.
fn with_policy(mut request: ApplyRequest) -> ApplyRequest {
    if request.deployment.is_some()
        && let Action::Apply(manifest) = &mut request.action
        && let Some(spec) = map_at(Rc::make_mut(manifest), &["spec"])
    {
        set_default(spec, "podReplacementPolicy", "TerminationComplete");
    }
    request
}

/// As `merge`, but nulls stay, so that they remove fields of the object to which the result is applied.
fn overlay(target: &mut Value, patch: &Value) {
    match (target, patch) {
        (Value::Object(target), Value::Object(patch)) => {
            for (key, value) in patch {
                overlay(target.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (target, patch) => *target = patch.clone(),
    }
}
