//! The state of the rollouts in a running cluster: what holds them up, what comes next, and what would unblock them. Like the
//! findings of a prediction, an obstacle is about a state, not about a decision: those are worded in `explain`.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::advice::{METRICS, PREEMPTED, STOP_FAILURES, advice, on_nodes};
use super::answer::{PendingPods, Prediction, Warning, WarningKind};
use super::claims::{PodClaim, claims_of_pods};
use super::eviction::{evictions, lost_node};
use super::given_objects::{is_of_running_cluster, name};
use super::job_signs::JobSigns;
use super::kubectl::Kubectl;
use super::manager::Manager;
use super::measured_run::Steps;
use super::next_steps::{NextStep, next_steps};
use super::obstacle::{
    DETAILS, FIND_OUT_WHY_IT_IS_UNREADY, FIND_OUT_WHY_UNREADY, LOOK_AT_EVENTS, Obstacle, PULLING, Rollback, details,
    is_answer, is_multi_attach, nodes_of, to_do_about_port,
};
use super::options::{Assumptions, PredictOptions};
use super::owned_replica_sets::scaled_target;
use super::paused_by::{PausedBy, paused_by};
use super::pending::pending_pods;
use super::pod_autoscalers::PodAutoscaler;
use super::predict::{Predicted, predict_plan};
use super::refused_applies::RefusedApplies;
use super::refusing_quota::{RefusingQuota, demand};
use super::remedy::{Remedy, Situation};
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use super::unreplaced_pods::{UnreplacedPods, unreplaced_pods};
use super::unschedulable_reason::{KnownAdvice, NodeTaint, UnschedulableReason, goes, has_other_taint, is_room};
use super::workload_status::{StatusCounts, UnplacedDaemonSet};
use crate::cluster::{Decision, Simulation, Standstill, Step, is_outdated, overdue_since};
use crate::collect_tree::CollectTree;
use crate::json::{ToJson, decode};
use crate::object::unstructured::{at, field, integer, list, namespace, remove_nulls, string};
use crate::object::{ConditionStatus, Kind, Object, ObjectKey, ObjectMeta, Pod, PodPhase, Runs, Time, controller_of};
use crate::scenario::{
    Delay, Duration, FailedPods, ProbePort, Scenario, StuckCause, StuckPod, Timing, about_of, failed_pods, is_cordoned,
    is_lost, last_time_of, nodes_lost_by_pods, pods_refused_in_events, set_of, stuck_pods, stuck_pods_of_jobs,
    unanswered_ports,
};
use crate::timeline::{Point, Series, Timeline, Totals};
use crate::workload::deployment::controller::{
    REVISION, find_new_replica_set, get_deployment_condition, is_rolling_update, max_surge,
};
use crate::workload::deployment::decision::{self as deployment, OldPods};
use crate::workload::deployment::{Deployment, DeploymentStatus};
use crate::workload::replica_set::ReplicaSet;
use crate::{Problem, controller};

/// When `kubectl rollout restart` replaced the pods.
const RESTARTED_AT: &str = "kubectl.kubernetes.io/restartedAt";

/// The revision of a ReplicaSet; 0 if it has none.
pub(super) fn revision_of(replica_set: &ObjectMeta) -> i64 {
    replica_set.annotation(REVISION).and_then(|revision| revision.parse().ok()).unwrap_or(0)
}

/// The reason of the Event that an image has been pulled.
const PULLED: &str = "Pulled";

/// How many seconds a pod may run without being ready until that is worth a look: most need less.
const LONG_UNREADY: i64 = 60;

/// A running cluster, and what happens in it if nothing changes.
#[derive(Debug)]
pub struct Outlook {
    /// What happens if nothing changes.
    pub timeline: Timeline,
    /// The counts of the pods of each workload, by kind, namespace and name.
    pub series: Vec<(ObjectKey, Series)>,
    /// The numbers of the rollouts.
    pub prediction: Prediction,
    /// The pods that don't become ready by themselves.
    stuck_pods: Vec<StuckPod>,
    /// The pods that find no node in the timeline.
    pending: Vec<PendingPods>,
    /// The nodes whose kubelets no longer report.
    lost_nodes: Vec<String>,
    /// The nodes that are cordoned, and may soon be empty.
    drained_nodes: Vec<String>,
    /// Those of them that would take pods again.
    pub(super) cordoned_nodes: Vec<String>,
    /// The taints that keep pods from nodes.
    pub(super) taints: Vec<NodeTaint>,
    /// The quotas because of which the API server refuses pods in the timeline.
    refusing_quotas: Vec<RefusingQuota>,
    /// What sets the replicas of workloads.
    autoscalers: Vec<PodAutoscaler>,
    /// What scales workloads while other pods run in their place, in words.
    scaled_by: BTreeMap<ObjectKey, String>,
    /// Why autoscalers don't scale, in their own words, by what they scale.
    autoscaler_failures: BTreeMap<ObjectKey, String>,
    /// Which `podReplacementPolicy` the Deployments have in the timeline.
    policies: PodReplacementPolicies,
    /// The Deployments whose ReplicaSets or pods were not given.
    without_pods: BTreeMap<ObjectKey, WithoutPods>,
    /// The StatefulSets and DaemonSets whose pods were not given.
    pub(super) sets_without_pods: BTreeSet<ObjectKey>,
    /// The DaemonSets, if no nodes were given.
    unplaced_daemon_sets: Vec<UnplacedDaemonSet>,
    /// The pods that nodes have evicted or refused.
    pub(super) failed_pods: Vec<FailedPods>,
    /// The warnings about each pod among the Events, the oldest first, by its namespace and name.
    pub(super) warnings: BTreeMap<(String, String), Vec<String>>,
    /// What probes of pods that run and are not ready ask in vain, in the same way.
    unanswered_ports: BTreeMap<(String, String), ProbePort>,
    /// What the scheduler and autoscalers say of the room for each pod, in the same way.
    pub(super) scaling_events: BTreeMap<(String, String), Vec<String>>,
    /// What keeps the claims of pods without a node from them, by namespace and name of the pod.
    pub(super) claims: BTreeMap<(String, String), Vec<PodClaim>>,
    /// The manifests that tools can't apply.
    refused_applies: RefusedApplies,
    /// The workloads whose controllers should have seen their last change, and for how long, in nanoseconds.
    unobserved: BTreeMap<ObjectKey, i64>,
    /// The failed pods that no controller has replaced.
    unreplaced: BTreeMap<ObjectKey, UnreplacedPods>,
    /// What paused Deployments.
    paused_by: BTreeMap<ObjectKey, PausedBy>,
    /// The tools that apply workloads from manifests.
    pub(super) managers: BTreeMap<ObjectKey, Manager>,
    /// What makes Jobs of a running cluster fail or wait, apart from their pods that are stuck.
    pub(super) job_signs: JobSigns,
    /// Whether the pods exist only in a simulation: no command can name one.
    has_made_up_pods: bool,
    pub(super) plan: RolloutPlan,
    pub(super) kubectl: Kubectl,
}

/// The state of the rollout of a Deployment, a StatefulSet or a DaemonSet. Times are nanoseconds from now; JSON has them in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutOutlook {
    /// The workload's kind: `Deployment`, `StatefulSet` or `DaemonSet`.
    pub kind: String,
    /// The namespace of the workload.
    pub namespace: String,
    /// The name of the workload.
    pub name: String,
    /// The state of the rollout in one word.
    pub standing: Standing,
    /// The desired pods.
    pub desired: i32,
    /// The available pods.
    pub available: i32,
    /// The pods of the current template, terminating ones included.
    pub new: i32,
    /// The pods of older templates, terminating ones included.
    pub old: i32,
    /// How many of `new` are terminating.
    pub new_terminating: i32,
    /// How many of `old` are terminating.
    pub old_terminating: i32,
    /// When the rollout will be complete, in milliseconds from now; absent if it never is by itself.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub complete: Option<i64>,
    /// When the last old pod will be gone, in milliseconds from now; absent if one stays.
    #[json(milliseconds, omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub last_old_pod_gone: Option<i64>,
    /// What sets `replicas`, a HorizontalPodAutoscaler or ScaledObject with its bounds, a Canary or a Rollout; absent if none was given.
    #[json(omitempty)]
    pub autoscaler: Option<String>,
    /// The tool that applies the workload from manifests: `Argo CD`, `Flux` or `Helm`; absent if it leaves no mark.
    #[json(omitempty)]
    pub managed_by: Option<String>,
    /// Whether the Deployment reports that its progress deadline has passed.
    pub deadline_exceeded: bool,
    /// The reasons why the rollout makes no progress.
    pub obstacles: Vec<Obstacle>,
    /// The next decisions of the Deployment's controllers.
    pub next: Vec<NextStep>,
    /// Whether the timeline shows what becomes of it.
    #[serde(skip)]
    pub is_forecast: bool,
    /// What the forecast takes for granted.
    #[serde(skip)]
    pub assumed: Assumed,
}

/// What a forecast takes for granted, against what the objects show of the last minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumed {
    /// Nothing of that kind.
    Nothing,
    /// Pods soon become ready that have not been for a while.
    Ready,
    /// Nodes take pods again that they have just refused.
    Admitted,
}

/// The state of a rollout in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// The controller has reported the rollout as complete.
    Complete,
    /// The rollout is in progress.
    Progressing,
    /// A user paused the rollout.
    Paused,
    /// The rollout never completes by itself.
    Stuck,
    /// The Deployment is being deleted, so nothing is rolled out any more.
    Deleting,
    /// Its ReplicaSets or pods were not given, so only the numbers of its status are known.
    Unknown,
}

impl Outlook {
    /// The outlook of a running cluster, from objects as `kubectl get -o json` prints them.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`], and at `old` for manifests alone: nothing of them runs yet.
    pub fn of(objects: &[Value], options: &PredictOptions) -> Result<Self, Problem> {
        if !objects.is_empty() && !objects.iter().any(is_of_running_cluster) {
            let message = "Invalid value: must contain a running cluster's objects, which have a uid, as kubectl get -o json prints them";
            return Err(Problem::new("old", message));
        }
        Self::of_plan(RolloutPlan::new(objects, &[], options)?, objects, options)
    }

    /// The outlook of a plan that was built from these objects.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub fn of_plan(plan: RolloutPlan, objects: &[Value], options: &PredictOptions) -> Result<Self, Problem> {
        let plan = plan.with_lacking_pods(objects, &options.assumptions);
        let Predicted { prediction, today, stores_proposed_policy, with_quotas, .. } =
            predict_plan(&plan, options, Steps::Kept, &mut |_| {})?;
        // A cluster that stores the proposed field has its gate on.
        let policies =
            if stores_proposed_policy { PodReplacementPolicies::Proposed } else { PodReplacementPolicies::Today };
        let quotas = &prediction.quotas;
        let timeline = match policies {
            PodReplacementPolicies::Today => with_quotas.unwrap_or(today),
            _ if quotas.iter().all(|quota| demand(quota, policies).fits) => plan.simulate(policies, Quotas::Ignored)?,
            _ => plan.simulate(policies, Quotas::Enforced)?,
        };
        let refusing_quotas = quotas.iter().filter_map(|quota| RefusingQuota::of(quota, &timeline, policies)).collect();
        let nodes = || objects.iter().filter(|object| string(object, "kind") == Kind::Node.name());
        let nodes_that = |matches: fn(&Value) -> bool| {
            nodes().filter(|node| matches(node)).map(|node| String::from(name(node))).collect()
        };
        let taints = nodes().flat_map(NodeTaint::all_of).collect();
        // Where something else is wrong with a node, or it goes, to uncordon it does not help.
        let cordoned_nodes =
            nodes_that(|node| is_cordoned(node) && !is_lost(node) && !has_other_taint(node) && !goes(node));
        let drained_nodes = nodes_that(|node| is_cordoned(node) && !is_lost(node));
        let lost_nodes = if plan.has_nodes {
            nodes_that(is_lost)
        } else {
            nodes_lost_by_pods(objects.iter()).into_keys().map(String::from).collect()
        };
        // A refusal by a quota of the plan is simulated, and found there. So is the room on a node that was added or uncordoned.
        let is_old = |pod: &StuckPod| match &pod.cause {
            StuckCause::NoNode { message } => is_outdated(message, plan.nodes()),
            StuckCause::Container { .. }
            | StuckCause::InitRuns { .. }
            | StuckCause::Gated { .. }
            | StuckCause::Untouched { .. }
            | StuckCause::Unready { .. }
            | StuckCause::Refused { .. } => false,
        };
        let is_simulated = |pod: &StuckPod| (pod.is_refused() || is_old(pod)) && !plan.stuck_pods().contains(pod);
        let stuck_pods = stuck_pods(objects, timeline.scenario.start).into_iter();
        let mut stuck_pods: Vec<StuckPod> = stuck_pods.filter(|pod| !is_simulated(pod)).collect();
        stuck_pods.extend(soon_refused_pods(&timeline, &plan, &stuck_pods));
        stuck_pods.extend(stuck_pods_of_jobs(objects, timeline.scenario.start));
        stuck_pods.extend(pods_refused_in_events(objects));
        let (series, pending) = (Series::of_workloads(&timeline), pending_pods(&timeline, &plan.estimated));
        let unobserved = unobserved_changes(objects, timeline.scenario.start);
        let unreplaced = unreplaced_pods(objects, timeline.scenario.start);
        let kubectl = Kubectl::default();
        Ok(Self {
            series,
            pending,
            timeline,
            stuck_pods,
            lost_nodes,
            drained_nodes,
            cordoned_nodes,
            taints,
            refusing_quotas,
            autoscalers: objects.iter().filter_map(PodAutoscaler::of).collect(),
            scaled_by: objects.iter().filter_map(scaled_target).collect_tree(),
            autoscaler_failures: objects.iter().filter_map(autoscaler_failure).collect_tree(),
            policies,
            prediction,
            without_pods: without_pods(objects),
            sets_without_pods: sets_without_pods(objects),
            unplaced_daemon_sets: match plan.has_nodes {
                true => Vec::new(),
                false => objects.iter().filter_map(UnplacedDaemonSet::of).collect(),
            },
            failed_pods: failed_pods(objects),
            warnings: pod_warnings(objects),
            unanswered_ports: unanswered_ports(objects),
            scaling_events: pod_events(objects, is_about_room),
            claims: claims_of_pods(objects),
            managers: managers(objects),
            refused_applies: RefusedApplies::of(objects),
            job_signs: JobSigns::of(objects),
            unobserved,
            unreplaced,
            paused_by: paused_by(objects),
            has_made_up_pods: false,
            plan,
            kubectl,
        })
    }

    /// The outlook of a scenario from where it stands still: once nothing more happens, or when its time is over. None if it has too
    /// many steps, pods or bytes to get there. From then on, all pods become ready like those that nothing holds up.
    ///
    /// # Errors
    /// A problem of the scenario, with its path, and those of [`RolloutPlan::new`].
    pub fn at_standstill(scenario: Scenario) -> Result<Option<Self>, Problem> {
        let Scenario { seed, mode, controller_manager, pause, .. } = scenario;
        let (autoscaler, kubelet) = (scenario.autoscaler.clone(), scenario.kubelet.clone());
        let Some(Standstill { objects, time }) = Simulation::start(scenario)?.into_standstill()? else {
            return Ok(None);
        };
        let others = kubelet.iter().find(|timing| timing.is_of_all_pods()).map(unblocked).unwrap_or_default();
        let some = kubelet.iter().take_while(|timing| !timing.is_of_all_pods());
        let assumptions = Assumptions {
            mode: Some(mode.unwrap_or_default()),
            controller_manager,
            // Those that are held up have a timing of their own.
            kubelet: some.filter(|timing| unblocked(timing) == **timing).cloned().collect(),
            // The same one would give new pods the uids of those that are there.
            seed: seed.wrapping_add(2),
            now: Some(time),
            pause,
            ..Assumptions::default()
        };
        let options = PredictOptions { assumptions, ..PredictOptions::default() };
        let plan = RolloutPlan::new(&objects, &[], &options)?.with_timing(others).with_autoscaler(autoscaler);
        Ok(Some(Self { has_made_up_pods: true, ..Self::of_plan(plan, &objects, &options)? }))
    }

    /// The same outlook, whose commands begin as the user runs kubectl: `kubectl --context prod`.
    #[must_use]
    pub fn with_kubectl(self, kubectl: String) -> Self {
        Self { kubectl: Kubectl(kubectl), ..self }
    }

    /// The state of each rollout: what is stuck first, then what else is held up or goes on, by namespace and name.
    pub fn rollouts(&self) -> impl Iterator<Item = RolloutOutlook> {
        let rollouts =
            self.series.iter().filter_map(|(key, series)| Some(self.managed(key, self.rollout_of(key, series)?)));
        let unplaced = self.unplaced_daemon_sets.iter().map(|set| self.unplaced_rollout(set));
        let mut rollouts: Vec<RolloutOutlook> = rollouts.chain(unplaced).collect();
        let is_unclear = |rollout: &RolloutOutlook| rollout.is_held_up() || rollout.standing == Standing::Unknown;
        // Of those that are stuck, the one with the fewest available pods is the worst.
        let percent = |rollout: &RolloutOutlook| {
            let available = i64::from(rollout.available).saturating_mul(100);
            available.checked_div(rollout.desired.into()).filter(|_| rollout.standing == Standing::Stuck)
        };
        let is_over = |rollout: &RolloutOutlook| rollout.standing == Standing::Complete && rollout.obstacles.is_empty();
        rollouts.sort_by_key(|rollout| {
            (rollout.standing != Standing::Stuck, !is_unclear(rollout), percent(rollout), is_over(rollout))
        });
        rollouts.into_iter()
    }

    /// The remedies that unblock a rollout: what its obstacles advise, then the fastest ones, and last what can't be undone. Each was
    /// simulated, and completes the rollout.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub fn remedies(&self, rollout: &RolloutOutlook) -> Result<Vec<Remedy>, Problem> {
        self.remedies_watched(rollout, &mut |_, _| {})
    }

    /// The same. `tried` learns how many of how many possible remedies are simulated.
    pub(super) fn remedies_watched(
        &self,
        rollout: &RolloutOutlook,
        tried: &mut dyn FnMut(usize, usize),
    ) -> Result<Vec<Remedy>, Problem> {
        let kind = Kind::from_name(&rollout.kind).unwrap_or(Kind::Deployment);
        let key = ObjectKey::new(kind, rollout.namespace.as_str(), rollout.name.as_str());
        if !rollout.is_held_up() || !rollout.is_forecast || self.unobserved.contains_key(&key) {
            return Ok(Vec::new());
        }
        let deployment = self.deployment(&key);
        let pods = deployment.map_or_else(|| self.pods_of_set(&key).collect(), |deployment| self.pods_of(deployment));
        let situation = Situation {
            plan: &self.plan,
            policies: self.policies,
            deployment,
            is_stuck: rollout.standing == Standing::Stuck,
            causes: self.stuck_pods_of(&key).map(|pod| &pod.cause).collect(),
            pods_in_the_way: self.pods_in_the_way(&key),
            undo_may_help: self.can_undo_set(&key),
            undo_revision: deployment.map_or(0, |deployment| self.undo_revision(deployment)),
            finds_no_node: rollout.complete.is_none() && self.pods_without_node(&key).is_some(),
            is_too_large: self.is_too_large(&key),
            reasons: self.reasons(&key),
            refusing_quotas: self.refusing_quotas(&key).collect(),
            cordoned_nodes: &self.cordoned_nodes,
            lost_nodes: self
                .lost_nodes_of(&pods)
                .into_iter()
                .map(|(node, _)| node)
                .chain(self.silent_nodes(&pods))
                .collect(),
            overdue_pods: self.unstopped_pods(&pods),
            waits_for_volume: self.stuck_pods_of(&key).any(|pod| self.waits_for_volume(pod)),
            key: &key,
            kubectl: &self.kubectl,
        };
        let mut remedies = situation.remedies(tried)?;
        // A rollout that completes anyway waits only for its last old pod.
        remedies.retain(|remedy| rollout.complete.is_none() || remedy.last_old_pod_gone.is_some());
        let mut remedies: Vec<Remedy> = remedies.into_iter().map(|remedy| self.managed_remedy(&key, remedy)).collect();
        // What the obstacles advise comes first, and what can't be undone last.
        let is_advised = |remedy: &Remedy| {
            let mut obstacles = rollout.obstacles.iter();
            obstacles.any(|obstacle| {
                is_same(&obstacle.command, &remedy.command) || is_same(&obstacle.manifest, &remedy.manifest)
            })
        };
        remedies.sort_by_key(|remedy| (remedy.is_final, !is_advised(remedy), remedy.complete));
        for remedy in &mut remedies {
            let had_command = remedy.command.is_some();
            remedy.command = self.usable(remedy.command.take());
            // An action on a pod that exists only in a simulation is as useless as its command.
            if had_command && remedy.command.is_none() && remedy.manifest.is_none() {
                remedy.action = None;
            }
        }
        Ok(remedies)
    }

    /// The obstacles, without commands that name pods that exist only in a simulation.
    pub(super) fn usable_obstacles(&self, obstacles: Vec<Obstacle>) -> Vec<Obstacle> {
        obstacles.into_iter().map(|obstacle| Obstacle { command: self.usable(obstacle.command), ..obstacle }).collect()
    }

    /// The command, unless it names a pod that exists only in a simulation.
    fn usable(&self, command: Option<String>) -> Option<String> {
        let names_pod = |command: &String| {
            self.has_made_up_pods && self.timeline.initial.pods().any(|pod| command.contains(&*pod.metadata.name))
        };
        command.filter(|command| !names_pod(command))
    }

    pub(super) fn deployment(&self, key: &ObjectKey) -> Option<&Deployment> {
        self.timeline.initial.get(key)?.typed().map(|deployment: &Rc<Deployment>| &**deployment)
    }

    pub(super) fn stuck_pods_of<'a>(&'a self, key: &'a ObjectKey) -> impl Iterator<Item = &'a StuckPod> {
        self.stuck_pods.iter().filter(move |pod| pod.deployment == *key)
    }

    /// The pods of a Deployment that no node has room for when the timeline ends.
    fn pods_without_node(&self, key: &ObjectKey) -> Option<&PendingPods> {
        let workload = key.to_string();
        self.pending.iter().find(|pods| pods.stay > 0 && pods.workload == workload)
    }

    /// Why no node takes pods of a Deployment: of pods that already wait, the live state says it.
    fn reasons(&self, key: &ObjectKey) -> BTreeSet<UnschedulableReason> {
        let live = self.stuck_pods_of(key).filter_map(|pod| match &pod.cause {
            StuckCause::NoNode { message } => Some(message),
            _ => None,
        });
        let reasons: BTreeSet<UnschedulableReason> =
            live.flat_map(|message| UnschedulableReason::all_in(message)).collect_tree();
        if reasons.is_empty() {
            return self
                .pods_without_node(key)
                .map_or_else(BTreeSet::new, |pods| UnschedulableReason::all_in(&pods.message));
        }
        reasons
    }

    /// Whether a pod of a workload waits that requests more than any node has.
    fn is_too_large(&self, key: &ObjectKey) -> bool {
        self.stuck_pods_of(key).any(|stuck| match &stuck.cause {
            StuckCause::NoNode { message } => {
                let pod = self.given_pod(&key.namespace, &stuck.name);
                pod.is_some_and(|pod| self.largest_node_for(pod, message).is_some())
            }
            _ => false,
        })
    }

    /// Whether `kubectl rollout undo` takes the Deployment: it must not be paused, and have an older revision.
    fn can_be_rolled_back(&self, deployment: &Deployment) -> bool {
        !deployment.spec.paused && self.timeline.initial.replica_sets_of(deployment).len() > 1
    }

    /// The revision to roll back to: 0 for the one before the current one, unless its pods are gone and those of an earlier one are ready.
    pub(super) fn undo_revision(&self, deployment: &Deployment) -> i64 {
        let state = &self.timeline.initial;
        let new = self.new_replica_set(deployment);
        let older = state.replica_sets_of(deployment).into_iter();
        let older = older.filter(|it| new.as_ref().is_none_or(|new| new.metadata.name != it.metadata.name));
        let ready = |replica_set: &ReplicaSet| state.pods_of(replica_set).any(|pod| pod.is_ready());
        let mut older: Vec<(i64, bool)> = older.map(|it| (revision_of(&it.metadata), ready(it))).collect();
        older.sort_unstable_by(|one, other| other.cmp(one));
        let last_ready = older.iter().position(|(_, is_ready)| *is_ready).filter(|position| *position > 0);
        last_ready.and_then(|position| older.get(position)).map_or(0, |(revision, _)| *revision)
    }

    /// The quotas because of which the API server refuses pods of a Deployment.
    fn refusing_quotas(&self, key: &ObjectKey) -> impl Iterator<Item = &RefusingQuota> {
        let workload = key.to_string();
        self.refusing_quotas.iter().filter(move |quota| quota.refusals.workloads.contains(&workload))
    }

    /// The pods of a Deployment.
    pub(super) fn pods_of<'a>(&'a self, deployment: &'a Deployment) -> Vec<&'a Pod> {
        let state = &self.timeline.initial;
        let replica_sets = state.replica_sets_of(deployment).into_iter();
        replica_sets.flat_map(|replica_set| state.pods_of(replica_set)).map(|pod| &**pod).collect()
    }

    /// The lost nodes among those of pods, and how many of the pods each has.
    fn lost_nodes_of(&self, pods: &[&Pod]) -> Vec<(&str, usize)> {
        let pods_on = |node: &str| pods.iter().filter(|pod| pod.spec.node_name.as_deref() == Some(node)).count();
        let lost = self.lost_nodes.iter().map(|lost| (lost.as_str(), pods_on(lost)));
        lost.filter(|(_, pods)| *pods > 0).collect()
    }

    /// The state of a rollout, with what a tool can't change in it.
    fn rollout_of(&self, key: &ObjectKey, series: &Series) -> Option<RolloutOutlook> {
        let mut rollout = self.rollout(key, series)?;
        rollout.obstacles.extend(self.refused_applies.obstacle(key, &self.kubectl));
        Some(rollout)
    }

    fn rollout(&self, key: &ObjectKey, series: &Series) -> Option<RolloutOutlook> {
        let Some(deployment) = self.deployment(key) else { return self.set_rollout(key, series) };
        if let Some(without_pods) = self.without_pods.get(key) {
            return Some(self.of_status(key, deployment, without_pods));
        }
        let point = series.points.first()?;
        let totals = self.timeline.totals(&key.namespace, &key.name, self.timeline.scenario.start);
        let idle = self.idle_controller(key, deployment.metadata.generation, deployment.status.observed_generation);
        if let Some(idle) = idle.filter(|_| deployment.metadata.deletion_timestamp.is_none()) {
            return Some(RolloutOutlook {
                autoscaler: self.autoscaler_of(key),
                obstacles: [idle].into_iter().chain(self.failed_pods_of(key)).collect(),
                is_forecast: false,
                ..RolloutOutlook::at(key, Standing::Stuck, point, self.new_terminating(deployment))
            });
        }
        let standing = match totals.complete {
            _ if deployment.metadata.deletion_timestamp.is_some() => Standing::Deleting,
            Some(0) => Standing::Complete,
            _ if deployment.spec.paused => Standing::Paused,
            Some(_) => Standing::Progressing,
            None => Standing::Stuck,
        };
        let Totals { complete, last_old_pod_gone, .. } = totals;
        let new_terminating = self.new_terminating(deployment);
        let obstacles = self.usable_obstacles(self.obstacles(key, deployment, complete));
        Some(RolloutOutlook {
            complete,
            last_old_pod_gone,
            autoscaler: self.autoscaler_of(key),
            deadline_exceeded: is_deadline_exceeded(deployment),
            obstacles,
            next: self.next(key, deployment),
            assumed: self.assumed(key, &self.pods_of(deployment)),
            ..RolloutOutlook::at(key, standing, point, new_terminating)
        })
    }

    /// What the status says of a rollout whose ReplicaSets or pods were not given. Nothing is forecast from it.
    fn of_status(&self, key: &ObjectKey, deployment: &Deployment, without: &WithoutPods) -> RolloutOutlook {
        let WithoutPods { status, not_given } = without;
        let read = self.kubectl.get_pods(key);
        let what = match not_given {
            NotGiven::ReplicaSets => "its ReplicaSets",
            NotGiven::Pods => "pods of it",
            NotGiven::Both => "its ReplicaSets and pods",
        };
        let missing = Obstacle::new(format!("{what} were not given, so its status is all that is known"))
            .with_remedy("read them, too")
            .with_command(read);
        let refusal = get_deployment_condition(status, "ReplicaFailure")
            .filter(|condition| condition.status == ConditionStatus::True)
            .map(|condition| Obstacle::new(format!("the API server refuses pods{}", details(&condition.message))));
        let paused = deployment.spec.paused.then(|| Obstacle::new("it is paused"));
        let counts = StatusCounts {
            desired: deployment.spec.replicas,
            available: status.available_replicas,
            new: status.updated_replicas,
            old: status.replicas.saturating_sub(status.updated_replicas),
        };
        RolloutOutlook {
            autoscaler: self.autoscaler_of(key),
            deadline_exceeded: is_deadline_exceeded(deployment),
            obstacles: refusal.into_iter().chain(paused).chain([missing]).chain(passed_deadline(deployment)).collect(),
            ..RolloutOutlook::of_status(key, Standing::Unknown, counts)
        }
    }

    /// What the forecast of a workload takes for granted. `pods`: those of the workload.
    pub(super) fn assumed(&self, key: &ObjectKey, pods: &[&Pod]) -> Assumed {
        let now = self.timeline.scenario.start;
        let mut failed = self.failed_pods.iter().filter(|failed| failed.deployment == *key && failed.is_refused());
        let is_recent = |failed: &FailedPods| {
            failed.last.is_some_and(|last| now.since(last) < LONG_UNREADY.saturating_mul(Time::SECOND))
        };
        if failed.any(is_recent) {
            return Assumed::Admitted;
        }
        if self.long_unready(key, pods).is_some() { Assumed::Ready } else { Assumed::Nothing }
    }

    /// That pods of a workload ended because their nodes evicted or refused them.
    pub(super) fn failed_pods_of(&self, key: &ObjectKey) -> impl Iterator<Item = Obstacle> {
        let failed = self.failed_pods.iter().filter(|failed| failed.deployment == *key);
        failed.map(|failed| Obstacle::of_failed_pods(failed, self.timeline.scenario.start))
    }

    /// That the controller of a DaemonSet waits before it replaces pods that failed. For how long, only that controller knows.
    pub(super) fn waiting_controller(&self, key: &ObjectKey) -> Option<Obstacle> {
        let waiting = self.unreplaced.get(key).filter(|unreplaced| unreplaced.may_be_waiting())?;
        Some(Obstacle::new(waiting.sentence()).with_remedy("wait, once the cause is gone"))
    }

    /// That the controller of a workload should have seen its last change, or replaced pods that failed. Nothing can be forecast then: it does
    /// nothing at all.
    pub(super) fn idle_controller(&self, key: &ObjectKey, generation: i64, observed: i64) -> Option<Obstacle> {
        let unobserved = self.unobserved.get(key).map(|time| {
            let time = Duration(*time).in_words();
            format!("its controller has not seen its last change for {time} (generation {generation}, observed {observed}): until it does, nothing happens")
        });
        let unreplaced = self.unreplaced.get(key).filter(|unreplaced| !unreplaced.may_be_waiting());
        let why = unobserved.or_else(|| unreplaced.map(UnreplacedPods::sentence))?;
        let remedy = "check that kube-controller-manager runs, and keeps up";
        let lease = self.kubectl.get("lease kube-controller-manager", "kube-system");
        Some(Obstacle::new(why).with_remedy(remedy).with_shown("its last sign of life", lease))
    }

    /// What sets the replicas of a workload.
    pub(super) fn autoscaler_of(&self, key: &ObjectKey) -> Option<String> {
        let autoscaler = self.autoscalers.iter().find(|autoscaler| autoscaler.targets(key));
        autoscaler.map(PodAutoscaler::with_bounds).or_else(|| self.scaled_by.get(key).cloned())
    }

    /// That a manifest set `replicas` to a number which the autoscaler of the Deployment does not keep.
    fn obstacle_of_autoscaler(&self, key: &ObjectKey, deployment: &Deployment) -> Option<Obstacle> {
        let autoscaler = self.autoscalers.iter().find(|autoscaler| autoscaler.targets(key))?;
        if let Some(failure) = self.autoscaler_failures.get(key) {
            let why = format!("{} does not scale it: {failure}", autoscaler.with_bounds());
            return Some(Obstacle::new(why).with_remedy(advice(&METRICS, failure).unwrap_or_default()));
        }
        let replicas = deployment.spec.replicas;
        // Autoscalers leave alone what is scaled to 0.
        if replicas == 0 || autoscaler.allows(replicas) {
            return None;
        }
        let why = format!(
            "replicas is {replicas}, which {} does not keep: it scales the Deployment again, which this forecast leaves out",
            autoscaler.with_bounds()
        );
        Some(
            Obstacle::new(why)
                .with_remedy("remove spec.replicas from the manifest: each apply that sets it starts or ends pods"),
        )
    }

    /// That a budget never lets pods of a cordoned node go.
    pub(super) fn obstacle_of_budget(&self, key: &ObjectKey, pods: &[&Pod]) -> Option<Obstacle> {
        let on_cordoned = |node: &&String| pods.iter().any(|pod| pod.spec.node_name.as_deref() == Some(node));
        let node = self.drained_nodes.iter().find(on_cordoned)?;
        let object = key.to_string();
        let is_its = |warning: &&Warning| warning.kind == WarningKind::BudgetAllowsNothing && warning.object == object;
        let warning = self.prediction.warnings.iter().find(is_its)?;
        let why = warning.message.split_once(": ").map_or(warning.message.as_str(), |(why, _)| why);
        let restarts_first =
            self.deployment(key).is_some_and(|deployment| is_rolling_update(deployment) && max_surge(deployment) > 0);
        let cost = if restarts_first { "" } else { " (it stops each pod before the next one is ready)" };
        let remedy = format!(
            "move them with a restart if other nodes have room{cost}, run one more replica, or relax the budget"
        );
        let restart = self.kubectl.rollout("restart", key);
        let why = format!("node {node} is cordoned, and a drain of it hangs: {why}");
        Some(Obstacle::new(why).with_remedy(remedy).with_command(restart))
    }

    /// The terminating pods of a Deployment's current template that hold resources.
    fn new_terminating(&self, deployment: &Deployment) -> i32 {
        let Some(new) = self.new_replica_set(deployment) else { return 0 };
        let pods = self.timeline.initial.pods_of(&new);
        let terminating = pods.filter(|pod| pod.metadata.deletion_timestamp.is_some() && !pod.is_terminal());
        i32::try_from(terminating.count()).unwrap_or(i32::MAX)
    }

    /// Whether a pod is of another template than the current one of its Deployment.
    pub(super) fn is_old(&self, deployment: &Deployment, pod: &Pod) -> bool {
        let new = self.new_replica_set(deployment);
        new.as_ref().is_none_or(|new| !pod.metadata.is_controlled_by(&new.metadata))
    }

    /// The ReplicaSet with the current template of a Deployment.
    pub(super) fn new_replica_set(&self, deployment: &Deployment) -> Option<Rc<ReplicaSet>> {
        let replica_sets = self.timeline.initial.replica_sets_of(deployment).into_iter().cloned();
        let replica_sets: Vec<Rc<ReplicaSet>> = replica_sets.collect();
        find_new_replica_set(deployment, &replica_sets).cloned()
    }

    fn obstacles(&self, key: &ObjectKey, deployment: &Deployment, complete: Option<i64>) -> Vec<Obstacle> {
        let pods = self.pods_of(deployment);
        let mut lost_nodes = self.lost_nodes(&pods);
        if deployment.metadata.deletion_timestamp.is_some() {
            // Only what its pods wait for still matters.
            let mut obstacles = lost_nodes;
            obstacles.extend(self.terminating(key, deployment, &pods, complete));
            obstacles.push(Obstacle::of_deletion(deployment));
            return obstacles;
        }
        let mut obstacles: Vec<Obstacle> = Vec::new();
        let newest = self.new_replica_set(deployment).and_then(|new| new.metadata.annotation(REVISION)?.parse().ok());
        let is_old = |pod: &StuckPod| pod.revision.zip(newest).is_some_and(|(its, newest): (i64, i64)| its != newest);
        // With a template whose pods are stuck, too, a rollback would help nobody.
        let older_fail = self.stuck_pods_of(key).any(is_old);
        let can_undo = self.can_be_rolled_back(deployment);
        let ready =
            |replica_set: &ReplicaSet| self.timeline.initial.pods_of(replica_set).filter(|pod| pod.is_ready()).count();
        let older = self.timeline.initial.replica_sets_of(deployment).into_iter();
        let older = older.filter(|it| newest != Some(revision_of(&it.metadata))).map(|it| ready(it)).max();
        let undo = (can_undo && !older_fail).then(|| Rollback {
            needs_pods: i32::try_from(older.unwrap_or(0)).is_ok_and(|ready| ready < deployment.spec.replicas),
            ..Rollback::new(key, self.undo_revision(deployment), &self.kubectl)
        });
        // A volume stays where it is until its node is back, or is known to be gone.
        if self.stuck_pods_of(key).any(|pod| self.waits_for_volume(pod)) {
            obstacles.append(&mut lost_nodes);
        }
        for pod in self.one_of_each_kind(key, is_old) {
            let mut obstacle = self.obstacle_of(pod, undo.as_ref());
            if is_old(pod) {
                obstacle = obstacle.of_old_pods();
            } else if can_undo
                && older_fail
                && let Some(remedy) = &mut obstacle.remedy
            {
                *remedy = format!("a rollback does not help, since old pods are stuck, too: {remedy}");
            }
            if obstacles.iter().all(|known| known.why != obstacle.why) {
                obstacles.push(obstacle);
            }
        }
        // Those that failed may be history: others are in their place.
        obstacles.extend(self.failed_pods_of(key));
        obstacles.extend(self.obstacles_of_new_pods(key, &pods, complete));
        obstacles.extend(self.waits_for_min_ready(deployment, &pods, complete));
        obstacles.extend(self.terminating(key, deployment, &pods, complete));
        obstacles.extend(lost_nodes.into_iter().map(|lost| self.awaited_by_recreate(deployment, complete, lost)));
        if deployment.spec.paused && complete != Some(0) {
            let resume = self.kubectl.rollout("resume", key);
            let by = self.paused_by.get(key).map_or_else(String::new, |by| by.in_words(self.timeline.scenario.start));
            obstacles.push(Obstacle::new(format!("it is paused{by}")).with_remedy("resume it").with_command(resume));
        }
        obstacles.extend(passed_deadline(deployment));
        obstacles.extend(self.obstacle_of_autoscaler(key, deployment));
        obstacles.extend(self.obstacle_of_budget(key, &pods));
        if obstacles.is_empty() {
            obstacles.extend(unseen_change(deployment.metadata.generation, deployment.status.observed_generation));
        }
        if obstacles.is_empty() && deployment.spec.replicas == 0 && self.autoscaler_of(key).is_none() {
            let scale = self.kubectl.scale(key, 1);
            obstacles
                .push(Obstacle::new("replicas is 0").with_remedy("set replicas if it should run").with_command(scale));
        }
        obstacles
    }

    /// Whether a pod waits for a volume that another one uses.
    fn waits_for_volume(&self, pod: &StuckPod) -> bool {
        self.warning_of(&pod.deployment.namespace, &pod.name).is_some_and(is_multi_attach)
    }

    /// That new pods are ready, and count as available only after minReadySeconds.
    fn waits_for_min_ready(&self, deployment: &Deployment, pods: &[&Pod], complete: Option<i64>) -> Option<Obstacle> {
        let seconds = i64::from(deployment.spec.min_ready_seconds);
        let now = self.timeline.scenario.start;
        let waits = |pod: &&&Pod| {
            let ready = pod.status.conditions.iter().find(|condition| &*condition.type_ == "Ready");
            let since = ready.filter(|_| pod.is_ready()).and_then(|ready| ready.last_transition_time);
            since.is_some_and(|since| since.plus_seconds(seconds) > now) && !self.is_old(deployment, pod)
        };
        let waiting = pods.iter().filter(waits).count();
        let pods = match waiting {
            0 => return None,
            1 => String::from("1 new pod is ready, and counts"),
            pods => format!("{pods} new pods are ready, and count"),
        };
        let time = Duration::seconds(seconds).in_words();
        let why = format!("{pods} as available only after {time} (minReadySeconds)");
        (seconds >= LONG_UNREADY && complete != Some(0))
            .then(|| Obstacle::new(why).with_remedy("wait, or lower minReadySeconds"))
    }

    /// Why new pods are missing or not ready, apart from the stuck pods. `pods`: those of the workload.
    pub(super) fn obstacles_of_new_pods(&self, key: &ObjectKey, pods: &[&Pod], complete: Option<i64>) -> Vec<Obstacle> {
        let later = complete.is_none().then(|| self.obstacle_of_later_pods(key)).flatten();
        let refused = self.refusing_quotas(key).map(|quota| self.obstacle_of_quota(quota));
        let mut obstacles: Vec<Obstacle> = later.into_iter().chain(refused).collect();
        if complete.is_some_and(|complete| complete > 0) {
            obstacles.extend(self.long_unready(key, pods));
        }
        if complete != Some(0) && obstacles.is_empty() {
            obstacles.extend(self.long_starting(key, pods));
        }
        obstacles
    }

    /// Of the pods of a Deployment that are held up alike, the one whose container was started again most often: those of its current
    /// template first.
    pub(super) fn one_of_each_kind<'a>(
        &'a self,
        key: &'a ObjectKey,
        is_old: impl Fn(&StuckPod) -> bool,
    ) -> Vec<&'a StuckPod> {
        let mut kinds: Vec<&StuckPod> = Vec::new();
        for pod in self.stuck_pods_of(key) {
            match kinds.iter_mut().find(|known| is_old(known) == is_old(pod) && known.is_alike(pod)) {
                Some(known) if known.restarts() < pod.restarts() => *known = pod,
                Some(_) => {}
                None => kinds.push(pod),
            }
        }
        kinds.sort_by_key(|pod| is_old(pod));
        kinds
    }

    /// That a quota refuses pods.
    fn obstacle_of_quota(&self, quota: &RefusingQuota) -> Obstacle {
        let RefusingQuota { name, demand, refusals, .. } = quota;
        let obstacle = Obstacle::new(format!("the API server refuses pods: {}", refusals.message));
        if let Some(unspecified) = quota.required() {
            return obstacle.with_remedy(format!("set in the template what quota {name} requires: {unspecified}"));
        }
        let exceeded = demand.exceeded.iter();
        let needed: Vec<String> =
            exceeded.map(|exceeded| format!("{} to {}", exceeded.resource, exceeded.needed)).collect();
        let next = if refusals.given_up {
            String::from("the controller does not try again until something changes")
        } else {
            let wait = Duration(refusals.longest_wait).in_words();
            format!("the controller tries again after at most {wait}")
        };
        let needed = if needed.is_empty() { String::new() } else { format!(": {}", needed.join(", ")) };
        let remedy = format!("raise quota {name}{needed} ({next})");
        Obstacle { command: self.kubectl.raise_quota(quota), ..obstacle.with_remedy(remedy) }
    }

    /// That pods will find no node. Of pods that already wait, the live state says so.
    fn obstacle_of_later_pods(&self, key: &ObjectKey) -> Option<Obstacle> {
        let mut stuck = self.stuck_pods_of(key);
        let waits_already = stuck.any(|pod| matches!(pod.cause, StuckCause::NoNode { .. } | StuckCause::Gated { .. }));
        let pods = self.pods_without_node(key).filter(|_| !waits_already)?;
        Some(self.obstacle_of_pending(key, pods))
    }

    /// That pods will find no node.
    fn obstacle_of_pending(&self, key: &ObjectKey, pending: &PendingPods) -> Obstacle {
        let PendingPods { stay, message, .. } = pending;
        let pods = if *stay == 1 { "1 pod" } else { &format!("{stay} pods") };
        let reasons = UnschedulableReason::all_in(message);
        let why = if is_room(&reasons) { "no node will have room for" } else { "the scheduler will find no node for" };
        // The simulated scheduler only knows the taints of lost nodes.
        self.obstacle_of_reasons(key, format!("{why} {pods}: {message}"), &reasons, &KnownAdvice::default())
    }

    /// That pods have been running for long without becoming ready, although the simulation assumes that they do.
    pub(super) fn long_unready(&self, key: &ObjectKey, pods: &[&Pod]) -> Option<Obstacle> {
        let now = self.timeline.scenario.start;
        let unready: Vec<(&Pod, i64)> = pods
            .iter()
            .copied()
            .filter(|pod| !self.is_on_lost_node(pod))
            .filter(|pod| self.stuck_pods_of(key).all(|stuck| *stuck.name != *pod.metadata.name))
            .filter_map(|pod| Some((pod, now.since(unready_since(pod)?))))
            .filter(|(_, time)| *time >= LONG_UNREADY.saturating_mul(Time::SECOND))
            .collect();
        // One of which something is known says most.
        let port_of = |pod: &Pod| {
            let ObjectMeta { namespace, name, .. } = &*pod.metadata;
            self.unanswered_ports.get(&(namespace.to_string(), name.to_string()))
        };
        let warning_of = |pod: &Pod| self.warning_of(&key.namespace, &pod.metadata.name);
        let longest = unready.iter().map(|(_, time)| *time).max()?;
        let (pod, _) = unready.iter().max_by_key(|(pod, time)| (warning_of(pod).is_some(), *time))?;
        let port = port_of(pod).filter(|port| port.is_name || !warning_of(pod).is_some_and(is_answer));
        let (pods, they_become) = match unready.len() {
            1 => (String::from("1 pod runs, but has"), "it becomes"),
            pods => (format!("{pods} pods run, but have"), "they become"),
        };
        let time = Duration(longest).in_words();
        let asks = port.map_or_else(String::new, |port| format!("; {}", port.sentence()));
        let why = format!(
            "{pods} not been ready for {time}: a snapshot can't show whether {they_become} ready, \
             and the forecast assumes it{asks}{}",
            self.last_warning(&key.namespace, &pod.metadata.name)
        );
        let command = self.kubectl.describe_pod(&key.namespace, &pod.metadata.name);
        let remedy = if unready.len() == 1 { FIND_OUT_WHY_IT_IS_UNREADY } else { FIND_OUT_WHY_UNREADY };
        let of_probe = || self.to_do_about_probe(&key.namespace, &pod.metadata.name, warning_of(pod)?);
        let known = port.map(to_do_about_port).or_else(of_probe);
        Some(Obstacle::new(why).with_remedy(known.unwrap_or_else(|| remedy.into())).with_shown(DETAILS, command))
    }

    /// That pods have been starting for long, although the simulation assumes that they soon run.
    fn long_starting(&self, key: &ObjectKey, pods: &[&Pod]) -> Option<Obstacle> {
        let now = self.timeline.scenario.start;
        let starting: Vec<(&Pod, i64)> = pods
            .iter()
            .copied()
            .filter(|pod| pod.status.phase == PodPhase::Pending && pod.metadata.deletion_timestamp.is_none())
            .filter(|pod| self.stuck_pods_of(key).all(|stuck| *stuck.name != *pod.metadata.name))
            .filter_map(|pod| Some((pod, now.since(pod.metadata.creation_timestamp?))))
            .filter(|(_, time)| *time >= LONG_UNREADY.saturating_mul(Time::SECOND))
            .collect();
        let (pod, longest) = starting.iter().max_by_key(|(_, time)| *time)?;
        let pods = match starting.len() {
            1 => String::from("1 pod has"),
            pods => format!("{pods} pods have"),
        };
        let warning = self.last_warning(&key.namespace, &pod.metadata.name);
        let why = format!("{pods} been starting for {}{warning}", Duration(*longest).in_words());
        let command = self.kubectl.describe_pod(&key.namespace, &pod.metadata.name);
        let (to_do, command_of_it) = self.to_do_about(key, self.warning_of(&key.namespace, &pod.metadata.name));
        let obstacle = Obstacle::new(why);
        let known = to_do.map(|to_do| on_nodes(&to_do, &nodes_of(&[pod])));
        Some(match (known, command_of_it) {
            (Some(to_do), Some(command)) => obstacle.with_remedy(to_do).with_command(command),
            (Some(to_do), None) => obstacle.with_remedy(to_do).with_shown(DETAILS, command),
            (None, _) => obstacle.with_remedy(LOOK_AT_EVENTS).with_command(command),
        })
    }

    /// The terminating ones of these pods, except those on lost nodes.
    fn terminating_pods<'a>(&'a self, pods: &'a [&'a Pod]) -> impl Iterator<Item = &'a Pod> {
        let is_terminating = |pod: &&Pod| pod.metadata.deletion_timestamp.is_some() && !self.is_on_lost_node(pod);
        pods.iter().copied().filter(is_terminating)
    }

    fn is_on_lost_node(&self, pod: &Pod) -> bool {
        self.lost_nodes.iter().any(|lost| pod.spec.node_name.as_deref() == Some(lost))
    }

    /// The old pods that a Recreate rollout lets end first, as its controller counts them when it decides to wait.
    fn awaited_pods(&self, key: &ObjectKey) -> Option<i32> {
        let its_steps = self.timeline.steps.iter().filter(|step| *step.about == *key);
        its_steps.map(|step| &step.decision).find_map(|decision| match decision {
            Decision::Controller(controller::Decision::Deployment(deployment::Decision::WaitForOldPods(
                OldPods::Running { running, .. },
            ))) => Some(*running),
            _ => None,
        })
    }

    /// The terminating pods that Recreate waits for, those that should have been gone, and one that stays because of finalizers. No
    /// controller waits for that one once its containers have ended, but people wonder.
    fn terminating(
        &self,
        key: &ObjectKey,
        deployment: &Deployment,
        pods: &[&Pod],
        complete: Option<i64>,
    ) -> Vec<Obstacle> {
        let new = self.new_replica_set(deployment);
        let is_old = |pod: &Pod| new.as_ref().is_none_or(|new| !pod.metadata.is_controlled_by(&new.metadata));
        let in_time = self.terminating_pods(pods).filter(|pod| self.stops_in_time(pod));
        let stopping: Vec<&Pod> = in_time.filter(|pod| is_old(pod) && !pod.is_terminal()).collect();
        // If it also waits for pods that don't stop in time, these are what blocks it.
        let are_all = |awaited: &i32| usize::try_from(*awaited).is_ok_and(|awaited| awaited == stopping.len());
        let awaited = self.awaited_pods(key).filter(|awaited| complete != Some(0) && are_all(awaited));
        let last = stopping.iter().filter_map(|pod| pod.metadata.deletion_timestamp).max();
        let waiting = awaited.zip(last).map(|(awaited, last)| {
            let left = Duration(last.since(self.timeline.scenario.start).max(0)).in_words();
            let pods = match awaited {
                1 => String::from("an old pod is terminating, and has"),
                pods => format!("{pods} old pods are terminating, and have"),
            };
            Obstacle::new(format!("{pods} at most {left} left: Recreate creates no new pods until then"))
                .with_remedy("wait; for the next rollout, shorten terminationGracePeriodSeconds or its preStop hook")
        });
        // Recreate waits for the containers of a pod, and its kubelet does not stop these in time.
        let holds_up = |pod: &Pod| {
            let is_running = is_old(pod) && !pod.is_terminal() && !self.stops_in_time(pod);
            is_running && complete.is_none() && !is_rolling_update(deployment)
        };
        let kept = self.obstacle_of_finalizers(pods, holds_up);
        let overdue = self.obstacles_of_overdue_pods(pods).into_iter();
        let overdue = overdue.map(|overdue| self.awaited_by_recreate(deployment, complete, overdue));
        waiting.into_iter().chain(overdue).chain(kept).collect()
    }

    /// The obstacle that pods don't end, where Recreate waits for them.
    fn awaited_by_recreate(&self, deployment: &Deployment, complete: Option<i64>, obstacle: Obstacle) -> Obstacle {
        let is_awaited = !is_rolling_update(deployment)
            && complete.is_none()
            && self.pods_of(deployment).iter().any(|pod| self.is_old(deployment, pod));
        match is_awaited {
            true => Obstacle { why: format!("Recreate waits for old pods: {}", obstacle.why), ..obstacle },
            false => obstacle,
        }
    }

    /// The pods that nodes did not stop in time, by node.
    pub(super) fn obstacles_of_overdue_pods(&self, pods: &[&Pod]) -> Vec<Obstacle> {
        self.overdue_pods(pods).iter().map(|(node, pods)| self.overdue(node, pods)).collect()
    }

    /// A terminating pod that finalizers keep: one is enough to look at, best one that the rollout waits for.
    pub(super) fn obstacle_of_finalizers(&self, pods: &[&Pod], holds_up: impl Fn(&Pod) -> bool) -> Option<Obstacle> {
        // A pod that should have been gone on a silent node may just wait for that node.
        let is_on_known_node = |pod: &Pod| pod.spec.node_name.as_deref().is_some_and(|node| self.reports(node));
        let held = self.terminating_pods(pods).filter(|pod| !pod.metadata.finalizers.is_empty());
        let held = held.filter(|pod| self.stops_in_time(pod) || is_on_known_node(pod));
        held.min_by_key(|pod| !holds_up(pod)).map(|pod| match Obstacle::of_finalizers(pod, &self.kubectl) {
            obstacle if holds_up(pod) => obstacle,
            obstacle => Obstacle { why: format!("{}; the rollout goes on", obstacle.why), ..obstacle },
        })
    }

    fn stops_in_time(&self, pod: &Pod) -> bool {
        overdue_since(pod, self.timeline.scenario.start).is_none()
    }

    /// The terminating pods that should have been gone, by node, and since when, except those on lost nodes.
    fn overdue_pods<'a>(&'a self, pods: &'a [&'a Pod]) -> BTreeMap<&'a str, Vec<(Time, &'a Pod)>> {
        let mut by_node: BTreeMap<&str, Vec<(Time, &Pod)>> = BTreeMap::new();
        for pod in self.terminating_pods(pods) {
            let since = overdue_since(pod, self.timeline.scenario.start);
            if let Some((since, node)) = since.zip(pod.spec.node_name.as_deref()) {
                by_node.entry(node).or_default().push((since, pod));
            }
        }
        by_node
    }

    /// Whether a node that is not lost is known to report: its Node object is given, or a pod there is ready. The node controller
    /// marks the pods of a node that doesn't report as not ready.
    fn reports(&self, node: &str) -> bool {
        let runs_there = |pod: &Rc<Pod>| {
            pod.metadata.deletion_timestamp.is_none() && pod.spec.node_name.as_deref() == Some(node) && pod.is_ready()
        };
        self.plan.has_nodes && !self.plan.missing_nodes.contains_key(node)
            || !self.plan.has_nodes && self.timeline.initial.pods().any(runs_there)
    }

    /// The nodes with such pods, unless it is known that they report.
    fn silent_nodes<'a>(&'a self, pods: &'a [&'a Pod]) -> impl Iterator<Item = &'a str> {
        self.overdue_pods(pods).into_keys().filter(|node| !self.reports(node))
    }

    /// Such pods on nodes that report.
    fn unstopped_pods<'a>(&'a self, pods: &'a [&'a Pod]) -> Vec<&'a Pod> {
        let overdue = self.overdue_pods(pods).into_iter().filter(|(node, _)| self.reports(node));
        overdue.flat_map(|(_, pods)| pods).map(|(_, pod)| pod).collect()
    }

    /// That pods on a node should have been gone.
    fn overdue(&self, node: &str, pods: &[(Time, &Pod)]) -> Obstacle {
        let start = self.timeline.scenario.start;
        let longest = pods.iter().map(|(since, _)| start.since(*since)).max().unwrap_or(0);
        let (subject, their, them) = match pods.len() {
            1 => (String::from("a terminating pod"), "its", "it"),
            pods => (format!("{pods} terminating pods"), "their", "them"),
        };
        let late = format!("{subject} should have ended {} ago", Duration(longest).in_words());
        if !self.reports(node) {
            let why = format!("{late}: does {their} node {node} answer?");
            return Obstacle::of_silent_node(why, node, &self.kubectl);
        }
        let command = |(_, pod): &(Time, &Pod)| self.kubectl.describe_pod(&pod.metadata.namespace, &pod.metadata.name);
        let name = pods.first().map(|(_, pod)| (&*pod.metadata.namespace, &*pod.metadata.name));
        let warning = name.map_or_else(String::new, |(namespace, name)| self.last_warning(namespace, name));
        let why = format!("{late}: node {node} reports, but does not stop {them}{warning}");
        let obstacle = Obstacle::new(why);
        match (advice(&STOP_FAILURES, &warning), pods.first().map(command)) {
            (Some(to_do), Some(command)) => {
                obstacle.with_remedy(on_nodes(&to_do, &BTreeSet::from([node]))).with_shown(DETAILS, command)
            }
            (_, command) => Obstacle { command, ..obstacle.with_remedy(LOOK_AT_EVENTS) },
        }
    }

    /// That kubelets of nodes with some of these pods no longer report.
    pub(super) fn lost_nodes(&self, pods: &[&Pod]) -> Vec<Obstacle> {
        let evictions = evictions(&self.timeline, pods.iter().copied());
        let obstacle = |(node, pods)| Obstacle::of_silent_node(lost_node(node, pods, &evictions), node, &self.kubectl);
        self.lost_nodes_of(pods).into_iter().map(obstacle).collect()
    }

    /// What the controllers of a Deployment and of its ReplicaSets write next, and when its pods are evicted from lost nodes.
    fn next(&self, key: &ObjectKey, deployment: &Deployment) -> Vec<NextStep> {
        let is_its = |step: &Step| match step.about.kind {
            Kind::Deployment => *step.about == *key,
            Kind::ReplicaSet => {
                let written = step.change.as_ref().and_then(|change| change.after.as_ref());
                let object = written.or_else(|| self.timeline.initial.get(&step.about));
                let owner = object.and_then(|object| object.metadata().controller_key(Kind::Deployment));
                owner.is_some_and(|owner| owner == *key)
            }
            _ => false,
        };
        let mut next = next_steps(&self.timeline, is_its);
        let evictions = evictions(&self.timeline, self.pods_of(deployment).into_iter());
        next.extend(evictions.first().map(|eviction| NextStep::of(eviction.step, &self.timeline)));
        next.sort_by_key(|step| step.at);
        next
    }
}

/// Whether both are there, and the same.
fn is_same(one: &Option<String>, other: &Option<String>) -> bool {
    one.is_some() && one == other
}

/// The pods that the API server still refuses when the timeline ends, without those that are already known, or that a quota
/// refuses.
fn soon_refused_pods(timeline: &Timeline, plan: &RolloutPlan, known: &[StuckPod]) -> Vec<StuckPod> {
    let mut cursor = timeline.cursor();
    cursor.seek(timeline, timeline.len());
    let replica_sets = cursor.state().replica_sets().cloned().map(Object::ReplicaSet);
    let replica_sets: Vec<Value> = replica_sets.map(|replica_set| replica_set.to_value()).collect();
    let is_known = |pod: &StuckPod| {
        known.iter().any(|known| known.deployment == pod.deployment && known.name == pod.name)
            || plan.quotas.iter().any(|quota| pod.is_refused_by(&quota.object))
    };
    stuck_pods(&replica_sets, timeline.scenario.start).into_iter().filter(|pod| !is_known(pod)).collect()
}

/// A Deployment whose ReplicaSets or pods are not among the objects.
#[derive(Debug)]
struct WithoutPods {
    /// Its status as the objects have it.
    status: DeploymentStatus,
    not_given: NotGiven,
}

/// What of a Deployment is not among the objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NotGiven {
    ReplicaSets,
    Pods,
    Both,
}

/// The Deployments whose ReplicaSets or pods are not among the objects: their status counts more than there are. Without any
/// ReplicaSet and pod, those of no Deployment were read.
fn without_pods(objects: &[Value]) -> BTreeMap<ObjectKey, WithoutPods> {
    let of_kind = |kind: Kind| objects.iter().filter(move |object| string(object, "kind") == kind.name());
    let uid = |object: &Value| at(object, &["metadata", "uid"]).and_then(Value::as_str).map(String::from);
    let owner =
        |object: &Value, kind: Kind| controller_of(object, kind).map(|owner| String::from(string(owner, "uid")));
    let replicas = |object: &Value, part: &str| at(object, &[part]).and_then(|part| integer(part, "replicas"));
    let with_pods: BTreeSet<String> = of_kind(Kind::Pod).filter_map(|pod| owner(pod, Kind::ReplicaSet)).collect_tree();
    let read_any = !with_pods.is_empty() || of_kind(Kind::ReplicaSet).next().is_some();
    let not_given = |deployment: &Value| {
        let its_uid = uid(deployment)?;
        let is_its = |replica_set: &&Value| owner(replica_set, Kind::Deployment).as_ref() == Some(&its_uid);
        let has_pods = |replica_set: &Value| uid(replica_set).is_some_and(|uid| with_pods.contains(&uid));
        let lacks_pods =
            |replica_set: &Value| replicas(replica_set, "status").unwrap_or(0) > 0 && !has_pods(replica_set);
        let mut its_own = of_kind(Kind::ReplicaSet).filter(is_its).peekable();
        let counted = replicas(deployment, "status").unwrap_or(0) > 0;
        let wanted = replicas(deployment, "spec").unwrap_or(1) > 0;
        if its_own.peek().is_none() {
            let both = if with_pods.is_empty() { NotGiven::Both } else { NotGiven::ReplicaSets };
            return (counted || (wanted && !read_any)).then_some(both);
        }
        its_own.any(lacks_pods).then_some(NotGiven::Pods)
    };
    of_kind(Kind::Deployment)
        .filter_map(|deployment| {
            let not_given = not_given(deployment)?;
            let mut status = at(deployment, &["status"]).cloned().unwrap_or(Value::Null);
            remove_nulls(&mut status);
            // What can't be read was refused before.
            let status = decode::<DeploymentStatus>(&status, "").unwrap_or_default();
            Some((ObjectKey::of_manifest(Kind::Deployment, deployment), WithoutPods { status, not_given }))
        })
        .collect_tree()
}

/// The StatefulSets and DaemonSets that count pods of which none is among the objects.
fn sets_without_pods(objects: &[Value]) -> BTreeSet<ObjectKey> {
    let with_pods: BTreeSet<&str> = objects
        .iter()
        .filter(|object| string(object, "kind") == Kind::Pod.name())
        .filter_map(|pod| Some(string(set_of(pod)?.1, "uid")))
        .collect_tree();
    let counted = |set: &Value| {
        let kind = Kind::from_name(string(set, "kind")).filter(|kind| kind.rolls_out_own_pods())?;
        let count = match kind.workload()?.runs {
            Runs::Field(_) => "replicas",
            Runs::OnEachNode => "currentNumberScheduled",
        };
        let uid = at(set, &["metadata", "uid"])?.as_str()?;
        let pods = integer(at(set, &["status"])?, count)?;
        (pods > 0 && !with_pods.contains(uid)).then(|| ObjectKey::of_manifest(kind, set))
    };
    objects.iter().filter_map(counted).collect_tree()
}

/// The warnings about each pod among the Events, the oldest first, except that its container waits to be started again. That an
/// image is being pulled is no warning, but may be why a pod does not start.
fn pod_warnings(objects: &[Value]) -> BTreeMap<(String, String), Vec<String>> {
    let is_kept = |event: &Value| {
        let reason = string(event, "reason");
        [PULLING, PULLED].contains(&reason)
            || string(event, "type") == "Warning" && !["BackOff", "FailedScheduling"].contains(&reason)
    };
    let mut by_pod = pod_events(objects, is_kept);
    for known in by_pod.values_mut() {
        // Only a pull that has not ended keeps a pod waiting, and a warning after it says why it failed.
        let last = known.len().saturating_sub(1);
        let mut index = 0_usize..;
        known.retain(|known| {
            let is_last = index.next() == Some(last);
            !known.starts_with(PULLED) && (is_last || !known.starts_with(PULLING))
        });
    }
    by_pod
}

/// Whether an Event says why a pod has no room.
fn is_about_room(event: &Value) -> bool {
    let reason = string(event, "reason");
    [PREEMPTED, "NotTriggerScaleUp", "TriggeredScaleUp"].contains(&reason)
        || reason == "FailedScheduling" && string(event, "message").contains("nodepool")
}

/// Some of the Events about each pod, the oldest first, as `Reason: message`.
fn pod_events(objects: &[Value], is_kept: impl Fn(&Value) -> bool) -> BTreeMap<(String, String), Vec<String>> {
    let events = objects.iter().filter(|object| string(object, "kind") == "Event" && is_kept(object));
    let read = |event| {
        let about = about_of(event).filter(|about| string(about, "kind") == Kind::Pod.name())?;
        let message = [string(event, "message"), string(event, "note")].concat();
        let pod = (String::from(string(about, "namespace")), String::from(string(about, "name")));
        Some((last_time_of(event), pod, format!("{}: {}", string(event, "reason"), message.trim())))
    };
    let mut events: Vec<_> = events.filter_map(read).collect();
    events.sort_by_key(|(time, ..)| *time);
    let mut by_pod: BTreeMap<_, Vec<String>> = BTreeMap::new();
    for (_, pod, event) in events {
        by_pod.entry(pod).or_default().push(event);
    }
    by_pod
}

/// That the controller has not seen the last change of a workload yet.
pub(super) fn unseen_change(generation: i64, observed: i64) -> Option<Obstacle> {
    (observed < generation).then(|| {
        Obstacle::new(format!(
            "its controller has not seen its last change yet (generation {generation}, observed {observed})"
        ))
        .with_remedy("if that doesn't change, check that kube-controller-manager is running")
    })
}

/// Why an autoscaler can't scale its target. One that is switched off by 0 replicas is meant to be.
///
/// Upstream: `pkg/controller/podautoscaler/horizontal.go reconcileAutoscaler`
fn autoscaler_failure(object: &Value) -> Option<(ObjectKey, String)> {
    let target =
        at(object, &["spec", "scaleTargetRef"]).filter(|_| string(object, "kind") == "HorizontalPodAutoscaler")?;
    let kind = Kind::from_name(string(target, "kind"))?;
    let conditions = at(object, &["status"]).map(|status| list(status, "conditions"))?;
    let failed = conditions.iter().find(|condition| {
        let is_of_scaling = ["AbleToScale", "ScalingActive"].contains(&string(condition, "type"));
        is_of_scaling && string(condition, "status") == "False" && string(condition, "reason") != "ScalingDisabled"
    })?;
    let key = ObjectKey::new(kind, namespace(object)?, string(target, "name"));
    Some((key, format!("{}{}", string(failed, "reason"), details(string(failed, "message")))))
}

/// The tools that apply the workloads among the objects from manifests.
fn managers(objects: &[Value]) -> BTreeMap<ObjectKey, Manager> {
    let managed = |object: &Value| Some((ObjectKey::of_manifest(Kind::of(object)?, object), Manager::of(object)?));
    objects.iter().filter_map(managed).collect_tree()
}

/// The workloads whose last change is at least a minute old and not observed yet, and how old it is, in nanoseconds. Few objects
/// say when they were changed: `kubectl get` leaves out `managedFields` unless it is asked for them.
fn unobserved_changes(objects: &[Value], now: Time) -> BTreeMap<ObjectKey, i64> {
    const NOTICEABLE: i64 = 60 * Time::SECOND;
    let unobserved = |object: &Value| {
        let kind = [Kind::Deployment, Kind::StatefulSet, Kind::DaemonSet]
            .into_iter()
            .find(|kind| string(object, "kind") == kind.name())?;
        let metadata = field(object, "metadata")?;
        let observed = at(object, &["status"]).and_then(|status| integer(status, "observedGeneration"));
        if observed.unwrap_or(0) >= integer(metadata, "generation")? {
            return None;
        }
        let writes = list(metadata, "managedFields").iter().filter(|write| string(write, "subresource").is_empty());
        let restarted = at(object, &["spec", "template", "metadata", "annotations", RESTARTED_AT]);
        let times = writes.map(|write| string(write, "time")).chain(restarted.and_then(Value::as_str));
        let age = now.since(times.filter_map(Time::parse).max()?);
        (age >= NOTICEABLE).then(|| (ObjectKey::of_manifest(kind, object), age))
    };
    objects.iter().filter_map(unobserved).collect_tree()
}

/// That a Deployment reports that its progress deadline has passed.
fn passed_deadline(deployment: &Deployment) -> Option<Obstacle> {
    let deadline = deployment.spec.progress_deadline_seconds.filter(|_| is_deadline_exceeded(deployment))?;
    let deadline = Duration::seconds(deadline.into()).exactly_in_words();
    Some(Obstacle::new(format!("it reports ProgressDeadlineExceeded: no progress for {deadline}")))
}

/// Since when a pod that runs is not ready.
pub(super) fn unready_since(pod: &Pod) -> Option<Time> {
    if pod.status.phase != PodPhase::Running || pod.metadata.deletion_timestamp.is_some() {
        return None;
    }
    let ready = pod.status.conditions.iter().find(|condition| &*condition.type_ == "Ready")?;
    ready.last_transition_time.filter(|_| ready.status == ConditionStatus::False)
}

/// The timing of the same pods if their image can be pulled, and they become ready and don't fail.
fn unblocked(timing: &Timing) -> Timing {
    let ends = |delay: &Delay| *delay != Delay::Never;
    Timing {
        pull: if ends(&timing.pull) { timing.pull } else { Timing::default().pull },
        ready: timing.ready.filter(ends),
        answers: timing.answers.filter(ends),
        crash: None,
        crashes: None,
        exit_code: None,
        ..timing.clone()
    }
}

/// Whether a Deployment reports that its progress deadline has passed. Until its controller has seen the last change, the
/// condition is about an earlier one.
///
/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go DeploymentStatusViewer.Status`
fn is_deadline_exceeded(deployment: &Deployment) -> bool {
    if deployment.status.observed_generation < deployment.metadata.generation {
        return false;
    }
    let progressing = get_deployment_condition(&deployment.status, "Progressing");
    progressing.is_some_and(|condition| &*condition.reason == "ProgressDeadlineExceeded")
}

impl RolloutOutlook {
    /// The state with the counts of a point. `new_terminating`: how many of the pods of the current template are terminating.
    pub(super) fn at(key: &ObjectKey, standing: Standing, point: &Point, new_terminating: i32) -> Self {
        let Point { counts, marks, rollout, .. } = point;
        let of_point = StatusCounts {
            desired: marks.desired,
            available: counts.available,
            new: counts.holding().saturating_sub(rollout.old),
            old: rollout.old,
        };
        Self {
            new_terminating,
            old_terminating: counts.terminating.saturating_sub(new_terminating).min(rollout.old),
            last_old_pod_gone: None,
            ..Self::of_status(key, standing, of_point)
        }
    }

    /// The state with the counts of a status.
    pub(super) fn of_status(key: &ObjectKey, standing: Standing, counts: StatusCounts) -> Self {
        let StatusCounts { desired, available, new, old } = counts;
        Self {
            kind: key.kind.name().to_string(),
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            standing,
            desired,
            available,
            new,
            old,
            new_terminating: 0,
            old_terminating: 0,
            complete: None,
            last_old_pod_gone: (old == 0).then_some(0),
            autoscaler: None,
            managed_by: None,
            deadline_exceeded: false,
            obstacles: Vec::new(),
            next: Vec::new(),
            is_forecast: standing != Standing::Unknown,
            assumed: Assumed::Nothing,
        }
    }

    /// Whether a user has to act.
    #[must_use]
    pub const fn is_held_up(&self) -> bool {
        match self.standing {
            Standing::Stuck | Standing::Paused => true,
            Standing::Complete | Standing::Progressing => self.last_old_pod_gone.is_none(),
            // A deletion can't be undone, and nothing can be tried without the pods.
            Standing::Deleting | Standing::Unknown => false,
        }
    }

    /// Its pods by their templates, and the terminating ones apart: `2 new and 3 old pods, 1 old pod terminating`.
    fn pods(&self) -> String {
        let Self { new, old, new_terminating, old_terminating, .. } = self;
        let pods_of = |count: i32, which: &str| format!("{count}{which} pod{}", if count == 1 { "" } else { "s" });
        let has_old = *old > 0;
        let (new, old) = (new.saturating_sub(*new_terminating), old.saturating_sub(*old_terminating));
        let running = match (has_old, old) {
            (false, _) => pods_of(new, ""),
            (true, 0) => pods_of(new, " new"),
            (true, old) => format!("{new} new and {}", pods_of(old, " old")),
        };
        let terminating = match (*old_terminating, *new_terminating) {
            (0, 0) => return running,
            (0, new) if has_old => pods_of(new, " new"),
            (0, new) => pods_of(new, ""),
            (old, 0) => pods_of(old, " old"),
            (old, new) => format!("{new} new and {}", pods_of(old, " old")),
        };
        if new == 0 && old == 0 {
            return format!("{terminating} terminating");
        }
        format!("{running}, {terminating} terminating")
    }

    /// The workload's name, with its kind if it is no Deployment: `web`, `StatefulSet db`, or, with its namespace, `StatefulSet shop/db`.
    #[must_use]
    pub fn workload(&self, with_namespace: bool) -> String {
        let Self { kind, namespace, name, .. } = self;
        let name = if with_namespace { &format!("{namespace}/{name}") } else { name };
        if *kind == Kind::Deployment.name() { name.clone() } else { format!("{kind} {name}") }
    }

    /// The state as the predicate of a sentence: `web is stuck`.
    #[must_use]
    pub const fn predicate(&self) -> &'static str {
        match (self.standing, self.desired) {
            (Standing::Complete, 0) => "is scaled to 0",
            (standing, _) => standing.predicate(),
        }
    }

    /// Its state in numbers: `2 new and 3 old pods, 3 of 3 available; complete in 9 s; old pods remain`.
    pub fn summary(&self) -> String {
        let Self { standing, desired, available, autoscaler, managed_by, complete, .. } = self;
        let Self { old, last_old_pod_gone, assumed, .. } = self;
        let pods = self.pods();
        // During a rollout, more pods may be available than are desired.
        let available = if available > desired {
            format!("{available} available, {desired} desired")
        } else {
            format!("{available} of {desired} available")
        };
        let complete = match (standing, complete) {
            (Standing::Progressing, Some(..Time::SECOND)) => String::from("; complete at once"),
            (Standing::Progressing, Some(complete)) => {
                let assumed = match assumed {
                    Assumed::Nothing => "",
                    Assumed::Ready => " if its unready pods become ready now",
                    Assumed::Admitted => " if its nodes take its pods now",
                };
                format!("; complete in {}{assumed}", Duration(*complete).in_words())
            }
            _ => String::new(),
        };
        let gone = match last_old_pod_gone {
            Some(0) => String::new(),
            Some(gone) => format!("; the last old pod is gone in {}", Duration(*gone).in_words()),
            // Nothing is forecast.
            None if *old == 0 => String::new(),
            None => String::from("; old pods remain"),
        };
        let set_by = autoscaler.as_ref().map_or_else(String::new, |autoscaler| format!("; {autoscaler} sets replicas"));
        let managed_by = managed_by.as_ref().map_or_else(String::new, |manager| format!("; {manager} manages it"));
        format!("{pods}, {available}{complete}{gone}{set_by}{managed_by}")
    }
}

impl Standing {
    const fn predicate(self) -> &'static str {
        match self {
            Self::Complete => "is complete",
            Self::Progressing => "is in progress",
            Self::Paused => "is paused",
            Self::Stuck => "is stuck",
            Self::Deleting => "is being deleted",
            Self::Unknown => "can't be judged",
        }
    }
}
