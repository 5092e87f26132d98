//! The state of the rollouts in a running cluster: what holds them up, what comes next, and what would unblock them. Like the
//! findings of a prediction, an obstacle is about a state, not about a decision: those are worded in `explain`.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{PendingPods, Prediction};
use super::eviction::{Eviction, evictions, lost_node};
use super::given_objects::name;
use super::kubectl::Kubectl;
use super::next_steps::{NextStep, next_steps};
use super::options::{Assumptions, PredictOptions};
use super::pending::pending_pods;
use super::predict::{Predicted, predict_plan};
use super::refusing_quota::{RefusingQuota, demand};
use super::remedy::{Remedy, Situation};
use super::rollout_plan::{PodReplacementPolicies, Quotas, RolloutPlan};
use super::unschedulable_reason::{NodeTaint, UnschedulableReason, is_room, to_do, to_do_about_taint};
use crate::cluster::{Decision, Retry, Simulation, Standstill, Step, is_before_uncordon, overdue_since};
use crate::json::ToJson;
use crate::object::unstructured::{at, integer, string};
use crate::object::{ConditionStatus, Kind, Object, ObjectKey, Pod, PodPhase, Time, controller_of};
use crate::scenario::{
    Crash, Delay, Duration, Scenario, StuckCause, StuckPod, Timing, is_cordoned, is_lost, nodes_lost_by_pods,
    stuck_pods,
};
use crate::timeline::{Point, Series, Timeline, Totals};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{find_new_replica_set, get_deployment_condition, is_rolling_update};
use crate::workload::deployment::decision::{self as deployment, OldPods};
use crate::workload::replica_set::ReplicaSet;
use crate::{Problem, controller};

/// The rules that decide how many pods there are, and how a rollout ends. What a controller writes in a status decides nothing.
const SHOWN_RULES: [&str; 8] = [
    "deployment.create",
    "deployment.new",
    "deployment.old",
    "deployment.recreate",
    "deployment.scale",
    "deployment.timed-out",
    "deployment.complete",
    "replicaset.create",
];

/// Where to find out why a pod neither starts nor stops.
const LOOK_AT_EVENTS: &str = "look at its events";

/// What to do about pods that run and are not ready.
const FIND_OUT_WHY_UNREADY: &str = "find out why they are not ready";

/// Why a container was killed that used more memory than it may.
const OOM_KILLED: &str = "OOMKilled";

/// The finalizer of an object that goes once all that it owns is gone.
const FOREGROUND: &str = "foregroundDeletion";

/// The finalizer of an object that goes alone.
const ORPHAN: &str = "orphan";

/// How many seconds a pod may run without being ready until that is worth a look: most need less.
const LONG_UNREADY: i64 = 60;

/// A running cluster, and what happens in it if nothing changes.
#[derive(Debug)]
pub struct Outlook {
    /// What happens if nothing changes.
    pub timeline: Timeline,
    /// The counts of the pods of each Deployment, by namespace and name.
    pub series: Vec<(ObjectKey, Series)>,
    /// The numbers of the rollouts.
    pub prediction: Prediction,
    /// The pods that don't become ready by themselves.
    stuck_pods: Vec<StuckPod>,
    /// The pods that find no node in the timeline.
    pending: Vec<PendingPods>,
    /// The nodes whose kubelets no longer report.
    lost_nodes: Vec<String>,
    /// The nodes that are cordoned.
    cordoned_nodes: Vec<String>,
    /// The taints that keep pods from nodes.
    taints: Vec<NodeTaint>,
    /// The quotas because of which the API server refuses pods in the timeline.
    refusing_quotas: Vec<RefusingQuota>,
    /// Which `podReplacementPolicy` the Deployments have in the timeline.
    policies: PodReplacementPolicies,
    /// The Deployments whose ReplicaSets or pods were not given.
    without_pods: BTreeSet<ObjectKey>,
    /// Whether the pods exist only in a simulation: no command can name one.
    has_made_up_pods: bool,
    plan: RolloutPlan,
    kubectl: Kubectl,
}

/// The state of a Deployment's rollout. Times are in nanoseconds from now.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutOutlook {
    /// The Deployment's namespace.
    pub namespace: String,
    /// The Deployment's name.
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
    /// When the rollout will be complete; absent if it never is by itself.
    #[json(omitempty)]
    pub complete: Option<i64>,
    /// When the last old pod will be gone; absent if one stays.
    #[json(omitempty)]
    pub last_old_pod_gone: Option<i64>,
    /// Whether the Deployment reports that its progress deadline has passed.
    pub deadline_exceeded: bool,
    /// The reasons why the rollout makes no progress.
    pub obstacles: Vec<Obstacle>,
    /// The next decisions of the Deployment's controllers.
    pub next: Vec<NextStep>,
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

/// Something that blocks a rollout.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Obstacle {
    /// The reason in one sentence, with the objects and the numbers.
    pub why: String,
    /// What would unblock the rollout; absent if that is unknown.
    #[json(omitempty)]
    pub remedy: Option<String>,
    /// The command that does it; absent if there is none.
    #[json(omitempty)]
    pub command: Option<String>,
}

impl Outlook {
    /// The outlook of a running cluster, from objects as `kubectl get -o json` prints them.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub fn of(objects: &[Value], options: &PredictOptions) -> Result<Self, Problem> {
        Self::of_plan(RolloutPlan::new(objects, &[], options)?, objects, options)
    }

    /// The outlook of a plan that was built from these objects.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub fn of_plan(plan: RolloutPlan, objects: &[Value], options: &PredictOptions) -> Result<Self, Problem> {
        let Predicted { prediction, today, stores_proposed_policy, with_quotas, .. } =
            predict_plan(&plan, options, &mut |_| {})?;
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
        let cordoned_nodes = nodes_that(is_cordoned);
        let lost_nodes = if plan.has_nodes {
            nodes_that(is_lost)
        } else {
            nodes_lost_by_pods(objects.iter()).into_keys().map(String::from).collect()
        };
        // A refusal by a quota of the plan is simulated, and found there. So is the room on a node that was uncordoned.
        let is_outdated = |pod: &StuckPod| match &pod.cause {
            StuckCause::NoNode { message } => is_before_uncordon(message, plan.nodes()),
            StuckCause::Container { .. } | StuckCause::Unready { .. } | StuckCause::Refused { .. } => false,
        };
        let is_simulated = |pod: &StuckPod| (pod.is_refused() || is_outdated(pod)) && !plan.stuck_pods().contains(pod);
        let mut stuck_pods: Vec<StuckPod> = stuck_pods(objects).into_iter().filter(|pod| !is_simulated(pod)).collect();
        stuck_pods.extend(soon_refused_pods(&timeline, &plan, &stuck_pods));
        let (series, pending) = (Series::of_all(&timeline), pending_pods(&timeline));
        let kubectl = Kubectl::default();
        Ok(Self {
            series,
            pending,
            timeline,
            stuck_pods,
            lost_nodes,
            cordoned_nodes,
            taints,
            refusing_quotas,
            policies,
            prediction,
            without_pods: without_pods(objects),
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
        let Scenario { seed, mode, controller_manager, .. } = scenario;
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

    /// The state of each Deployment's rollout: what is stuck first, then what else is held up, by namespace and name.
    pub fn rollouts(&self) -> impl Iterator<Item = RolloutOutlook> {
        let rollouts = self.series.iter().filter_map(|(key, series)| self.rollout(key, series));
        let mut rollouts: Vec<RolloutOutlook> = rollouts.collect();
        let is_unclear = |rollout: &RolloutOutlook| rollout.is_held_up() || rollout.standing == Standing::Unknown;
        rollouts.sort_by_key(|rollout| (rollout.standing != Standing::Stuck, !is_unclear(rollout)));
        rollouts.into_iter()
    }

    /// The remedies that unblock a rollout, the fastest one first: each was simulated, and completes the rollout.
    ///
    /// # Errors
    /// As [`RolloutPlan::new`].
    pub fn remedies(&self, rollout: &RolloutOutlook) -> Result<Vec<Remedy>, Problem> {
        let key = ObjectKey::new(Kind::Deployment, rollout.namespace.as_str(), rollout.name.as_str());
        let Some(deployment) = self.deployment(&key).filter(|_| rollout.is_held_up()) else { return Ok(Vec::new()) };
        let situation = Situation {
            plan: &self.plan,
            policies: self.policies,
            deployment,
            is_stuck: rollout.standing == Standing::Stuck,
            causes: self.stuck_pods_of(&key).map(|pod| &pod.cause).collect(),
            finds_no_node: rollout.complete.is_none() && self.pods_without_node(&key).is_some(),
            reasons: self.reasons(&key),
            refusing_quotas: self.refusing_quotas(&key).collect(),
            cordoned_nodes: &self.cordoned_nodes,
            lost_nodes: self
                .lost_nodes_of(deployment)
                .map(|(node, _)| node)
                .chain(self.silent_nodes(deployment))
                .collect(),
            overdue_pods: self.unstopped_pods(deployment).collect(),
            key: &key,
            kubectl: &self.kubectl,
        };
        let mut remedies = situation.remedies()?;
        // A rollout that completes anyway waits only for its last old pod.
        remedies.retain(|remedy| rollout.complete.is_none() || remedy.last_old_pod_gone.is_some());
        for remedy in &mut remedies {
            let had_command = remedy.command.is_some();
            remedy.command = self.usable(remedy.command.take());
            // An action on a pod that exists only in a simulation is as useless as its command.
            if had_command && remedy.command.is_none() {
                remedy.action = None;
            }
        }
        Ok(remedies)
    }

    /// The command, unless it names a pod that exists only in a simulation.
    fn usable(&self, command: Option<String>) -> Option<String> {
        let names_pod = |command: &String| {
            self.has_made_up_pods && self.timeline.initial.pods().any(|pod| command.contains(&*pod.metadata.name))
        };
        command.filter(|command| !names_pod(command))
    }

    fn deployment(&self, key: &ObjectKey) -> Option<&Deployment> {
        match self.timeline.initial.get(key) {
            Some(Object::Deployment(deployment)) => Some(deployment),
            _ => None,
        }
    }

    fn stuck_pods_of<'a>(&'a self, key: &'a ObjectKey) -> impl Iterator<Item = &'a StuckPod> {
        self.stuck_pods.iter().filter(move |pod| pod.deployment == *key)
    }

    /// The pods of a Deployment that no node has room for when the timeline ends.
    fn pods_without_node(&self, key: &ObjectKey) -> Option<&PendingPods> {
        let workload = key.to_string();
        self.pending.iter().find(|pods| pods.stay > 0 && pods.workload.as_ref() == Some(&workload))
    }

    /// Why no node takes pods of a Deployment: of pods that already wait, the live state says it.
    fn reasons(&self, key: &ObjectKey) -> BTreeSet<UnschedulableReason> {
        let live = self.stuck_pods_of(key).filter_map(|pod| match &pod.cause {
            StuckCause::NoNode { message } => Some(message),
            _ => None,
        });
        let reasons: BTreeSet<UnschedulableReason> =
            live.flat_map(|message| UnschedulableReason::all_in(message)).collect();
        if reasons.is_empty() {
            return self
                .pods_without_node(key)
                .map_or_else(BTreeSet::new, |pods| UnschedulableReason::all_in(&pods.message));
        }
        reasons
    }

    /// Whether `kubectl rollout undo` takes the Deployment: it must not be paused, and have an older revision.
    fn can_be_rolled_back(&self, deployment: &Deployment) -> bool {
        !deployment.spec.paused && self.timeline.initial.replica_sets_of(deployment).len() > 1
    }

    /// The quotas because of which the API server refuses pods of a Deployment.
    fn refusing_quotas(&self, key: &ObjectKey) -> impl Iterator<Item = &RefusingQuota> {
        let workload = key.to_string();
        self.refusing_quotas.iter().filter(move |quota| quota.refusals.workloads.contains(&workload))
    }

    /// The pods of a Deployment.
    fn pods_of<'a>(&'a self, deployment: &'a Deployment) -> impl Iterator<Item = &'a Pod> {
        let state = &self.timeline.initial;
        let replica_sets = state.replica_sets_of(deployment).into_iter();
        replica_sets.flat_map(|replica_set| state.pods_of(replica_set)).map(|pod| &**pod)
    }

    /// The lost nodes that a Deployment has pods on, and how many.
    fn lost_nodes_of<'a>(&'a self, deployment: &'a Deployment) -> impl Iterator<Item = (&'a str, usize)> {
        let nodes: Vec<&str> = self.pods_of(deployment).filter_map(|pod| pod.spec.node_name.as_deref()).collect();
        self.lost_nodes.iter().filter_map(move |lost| {
            let pods = nodes.iter().filter(|node| *node == lost).count();
            (pods > 0).then_some((lost.as_str(), pods))
        })
    }

    fn rollout(&self, key: &ObjectKey, series: &Series) -> Option<RolloutOutlook> {
        let deployment = self.deployment(key)?;
        if self.without_pods.contains(key) {
            return Some(self.of_status(key, deployment));
        }
        let Point { counts, marks, rollout, .. } = series.points.first()?;
        let totals = self.timeline.totals(&key.namespace, &key.name, self.timeline.scenario.start);
        let standing = match totals.complete {
            _ if deployment.metadata.deletion_timestamp.is_some() => Standing::Deleting,
            Some(0) => Standing::Complete,
            _ if deployment.spec.paused => Standing::Paused,
            Some(_) => Standing::Progressing,
            None => Standing::Stuck,
        };
        let Totals { complete, last_old_pod_gone, .. } = totals;
        let new_terminating = self.new_terminating(deployment);
        let obstacles = self.obstacles(key, deployment, complete).into_iter();
        Some(RolloutOutlook {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            standing,
            desired: marks.desired,
            available: counts.available,
            new: counts.holding().saturating_sub(rollout.old),
            old: rollout.old,
            new_terminating,
            old_terminating: counts.terminating.saturating_sub(new_terminating),
            complete,
            last_old_pod_gone,
            deadline_exceeded: is_deadline_exceeded(deployment),
            obstacles: obstacles
                .map(|obstacle| Obstacle { command: self.usable(obstacle.command), ..obstacle })
                .collect(),
            next: self.next(key, deployment),
        })
    }

    /// What the status says of a rollout whose ReplicaSets or pods were not given. Nothing is forecast from it.
    fn of_status(&self, key: &ObjectKey, deployment: &Deployment) -> RolloutOutlook {
        let status = &deployment.status;
        let read = self.kubectl.get_pods(&key.namespace);
        let missing = Obstacle::new("its ReplicaSets and pods were not given, so its status is all that is known")
            .with_remedy("read them, too")
            .with_command(read);
        RolloutOutlook {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            standing: Standing::Unknown,
            desired: deployment.spec.replicas,
            available: status.available_replicas,
            new: status.updated_replicas,
            old: status.replicas.saturating_sub(status.updated_replicas),
            new_terminating: 0,
            old_terminating: 0,
            complete: None,
            last_old_pod_gone: (status.replicas == status.updated_replicas).then_some(0),
            deadline_exceeded: is_deadline_exceeded(deployment),
            obstacles: core::iter::once(missing).chain(passed_deadline(deployment)).collect(),
            next: Vec::new(),
        }
    }

    /// The terminating pods of a Deployment's current template that hold resources.
    fn new_terminating(&self, deployment: &Deployment) -> i32 {
        let Some(new) = self.new_replica_set(deployment) else { return 0 };
        let pods = self.timeline.initial.pods_of(&new);
        let terminating = pods.filter(|pod| pod.metadata.deletion_timestamp.is_some() && !pod.is_terminal());
        i32::try_from(terminating.count()).unwrap_or(i32::MAX)
    }

    /// The ReplicaSet with the current template of a Deployment.
    fn new_replica_set(&self, deployment: &Deployment) -> Option<Rc<ReplicaSet>> {
        let replica_sets = self.timeline.initial.replica_sets_of(deployment).into_iter().cloned();
        let replica_sets: Vec<Rc<ReplicaSet>> = replica_sets.collect();
        find_new_replica_set(deployment, &replica_sets).cloned()
    }

    fn obstacles(&self, key: &ObjectKey, deployment: &Deployment, complete: Option<i64>) -> Vec<Obstacle> {
        let mut obstacles: Vec<Obstacle> = Vec::new();
        if deployment.metadata.deletion_timestamp.is_some() {
            obstacles.push(Obstacle::of_deletion(deployment));
        }
        let undo = self.can_be_rolled_back(deployment).then(|| self.kubectl.rollout("undo", key));
        for obstacle in self.stuck_pods_of(key).map(|pod| self.obstacle_of(pod, undo.as_deref())) {
            // One pod is enough to look at.
            if obstacles.iter().all(|known| known.why != obstacle.why) {
                obstacles.push(obstacle);
            }
        }
        // Of pods that already wait, the live state says so.
        let waits_already = self.stuck_pods_of(key).any(|pod| matches!(pod.cause, StuckCause::NoNode { .. }));
        if complete.is_none() && !waits_already {
            obstacles.extend(self.pods_without_node(key).map(|pods| self.obstacle_of_pending(pods)));
        }
        obstacles.extend(self.refusing_quotas(key).map(|quota| self.obstacle_of_quota(quota)));
        if complete.is_some_and(|complete| complete > 0) {
            obstacles.extend(self.long_unready(key, deployment));
        }
        obstacles.extend(self.terminating(key, deployment, complete));
        let evictions = self.evictions(deployment);
        for (node, pods) in self.lost_nodes_of(deployment) {
            let why = lost_node(node, pods, &evictions);
            obstacles.push(Obstacle::of_silent_node(why, node, &self.kubectl));
        }
        if deployment.spec.paused && complete != Some(0) {
            let resume = self.kubectl.rollout("resume", key);
            obstacles.push(Obstacle::new("it is paused").with_remedy("resume it").with_command(resume));
        }
        obstacles.extend(passed_deadline(deployment));
        obstacles
    }

    /// What holds a pod up, and what to do or to look at. `undo` is the command that rolls the Deployment back, if kubectl does.
    fn obstacle_of(&self, pod: &StuckPod, undo: Option<&str>) -> Obstacle {
        let (namespace, kubectl) = (&pod.deployment.namespace, &self.kubectl);
        match &pod.cause {
            StuckCause::Container { name: container, crash: Some(crash), .. } => {
                let remedy = to_do_about_crash(crash);
                let command =
                    (crash.reason != OOM_KILLED).then(|| kubectl.previous_logs(namespace, &pod.name, container));
                Obstacle { command, ..Obstacle::new(crash_in_words(container, crash)).with_remedy(remedy) }
            }
            StuckCause::Container { name: container, reason, message, crash: None } => {
                let (remedy, command) = if pod.is_starting() {
                    (String::from(LOOK_AT_EVENTS), Some(kubectl.describe_pod(namespace, &pod.name)))
                } else if reason == "CrashLoopBackOff" {
                    let logs = kubectl.previous_logs(namespace, &pod.name, container);
                    (String::from("look at the logs of its last run"), Some(logs))
                } else {
                    let fix = match pod.lacks_image() {
                        true => "correct the image's name or the access to its registry",
                        false => "fix it",
                    };
                    let or_roll_back = if undo.is_some() { ", or roll back" } else { "" };
                    (format!("{fix}{or_roll_back}"), undo.map(String::from))
                };
                let why = format!("container {container} is waiting: {reason}{}", details(message));
                Obstacle { command, ..Obstacle::new(why).with_remedy(remedy) }
            }
            StuckCause::Unready { gate } => {
                let (why, remedy) = match gate.as_str() {
                    "" => (String::from("pods are running but don't become ready"), FIND_OUT_WHY_UNREADY),
                    gate => {
                        let why = format!(
                            "pods are running, but a readiness gate is not met: {}",
                            gate.trim_end_matches('.')
                        );
                        (why, "find out why its controller does not set the condition")
                    }
                };
                Obstacle::new(why).with_remedy(remedy).with_command(kubectl.describe_pod(namespace, &pod.name))
            }
            StuckCause::NoNode { message } => {
                let reasons = UnschedulableReason::all_in(message);
                let why = if is_room(&reasons) { "no node has room for" } else { "the scheduler finds no node for" };
                let about_taint = to_do_about_taint(message, &self.taints);
                self.obstacle_of_reasons(format!("{why} a pod: {message}"), &reasons, about_taint.as_deref())
            }
            StuckCause::Refused { message } => {
                let why = format!("the API server refuses pods of {}{}", pod.name, details(message));
                let wait = Duration(Retry::DEFAULT.most).in_words();
                let again = format!("the controller tries again after at most {wait}");
                let given = self.plan.limit_ranges().ok();
                let names: Vec<&str> = given.iter().flat_map(|all| all.refusing(namespace, message)).collect();
                let limit_ranges = match names.as_slice() {
                    [] => return Obstacle::new(why).with_remedy(format!("fix the cause of the refusals; {again}")),
                    [name] => format!("LimitRange {name}"),
                    names => format!("LimitRanges {}", names.join(" and ")),
                };
                // Only the raised limit waits for the next try: a new template makes a new ReplicaSet at once.
                Obstacle::new(format!("{why} (the default limit of {limit_ranges})")).with_remedy(format!(
                    "request less in the template, or raise that limit in {limit_ranges} ({again})"
                ))
            }
        }
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

    /// The obstacle if the scheduler finds no node. `about_taint`: the remedy for a taint, if that taint is known.
    fn obstacle_of_reasons(
        &self,
        why: String,
        reasons: &BTreeSet<UnschedulableReason>,
        about_taint: Option<&str>,
    ) -> Obstacle {
        let cordoned = self.cordoned_nodes.first().filter(|_| reasons.contains(&UnschedulableReason::Cordoned));
        let command = cordoned.map(|node| self.kubectl.uncordon(node));
        Obstacle { command, ..Obstacle::new(why).with_remedy(to_do(reasons, about_taint)) }
    }

    /// That pods will find no node.
    fn obstacle_of_pending(&self, pending: &PendingPods) -> Obstacle {
        let PendingPods { stay, message, .. } = pending;
        let pods = if *stay == 1 { "1 pod" } else { &format!("{stay} pods") };
        let reasons = UnschedulableReason::all_in(message);
        let why = if is_room(&reasons) { "no node will have room for" } else { "the scheduler will find no node for" };
        // The simulated scheduler only knows the taints of lost nodes.
        self.obstacle_of_reasons(format!("{why} {pods}: {message}"), &reasons, None)
    }

    /// That pods have been running for long without becoming ready, although the simulation assumes that they do.
    fn long_unready(&self, key: &ObjectKey, deployment: &Deployment) -> Option<Obstacle> {
        let now = self.timeline.scenario.start;
        let unready: Vec<(&Pod, i64)> = self
            .pods_of(deployment)
            .filter(|pod| !self.is_on_lost_node(pod))
            .filter(|pod| self.stuck_pods_of(key).all(|stuck| *stuck.name != *pod.metadata.name))
            .filter_map(|pod| Some((pod, now.since(unready_since(pod)?))))
            .filter(|(_, time)| *time >= LONG_UNREADY.saturating_mul(Time::SECOND))
            .collect();
        let (pod, longest) = unready.iter().max_by_key(|(_, time)| *time)?;
        let (pods, they_become) = match unready.len() {
            1 => (String::from("1 pod runs, but has"), "it becomes"),
            pods => (format!("{pods} pods run, but have"), "they become"),
        };
        let time = Duration(*longest).in_words();
        let why = format!(
            "{pods} not been ready for {time}: a snapshot can't show whether {they_become} ready, \
             and the forecast assumes it"
        );
        let command = self.kubectl.describe_pod(&key.namespace, &pod.metadata.name);
        let remedy = if unready.len() == 1 { "find out why it is not ready" } else { FIND_OUT_WHY_UNREADY };
        Some(Obstacle::new(why).with_remedy(remedy).with_command(command))
    }

    /// The terminating pods of a Deployment, except those on lost nodes.
    fn terminating_pods<'a>(&'a self, deployment: &'a Deployment) -> impl Iterator<Item = &'a Pod> {
        self.pods_of(deployment).filter(|pod| pod.metadata.deletion_timestamp.is_some() && !self.is_on_lost_node(pod))
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

    /// The terminating pods that Recreate waits for, and one that stays because of finalizers. No controller waits for it once its
    /// containers have ended, but people wonder.
    fn terminating(&self, key: &ObjectKey, deployment: &Deployment, complete: Option<i64>) -> Vec<Obstacle> {
        let stops_in_time = |pod: &&Pod| overdue_since(pod, self.timeline.scenario.start).is_none();
        let in_time = self.terminating_pods(deployment).filter(stops_in_time);
        let new = self.new_replica_set(deployment);
        let is_old = |pod: &Pod| new.as_ref().is_none_or(|new| !pod.metadata.is_controlled_by(&new.metadata));
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
        });
        // A pod that should have been gone on a silent node may just wait for that node.
        let is_on_known_node = |pod: &Pod| pod.spec.node_name.as_deref().is_some_and(|node| self.reports(node));
        // Recreate waits for the containers of a pod, and its kubelet does not stop these in time.
        let holds_up = |pod: &Pod| {
            let is_running = is_old(pod) && !pod.is_terminal() && !stops_in_time(&pod);
            is_running && complete.is_none() && !is_rolling_update(deployment)
        };
        let held = self.terminating_pods(deployment).filter(|pod| !pod.metadata.finalizers.is_empty());
        let held = held.filter(|pod| stops_in_time(pod) || is_on_known_node(pod));
        // One pod is enough to look at.
        let kept = held.min_by_key(|pod| !holds_up(pod));
        let overdue = self.overdue_pods(deployment);
        let overdue = overdue.iter().map(|(node, pods)| self.overdue(node, pods));
        let kept = kept.map(|pod| match Obstacle::of_finalizers(pod, &self.kubectl) {
            obstacle if holds_up(pod) => obstacle,
            obstacle => Obstacle { why: format!("{}; the rollout goes on", obstacle.why), ..obstacle },
        });
        waiting.into_iter().chain(overdue).chain(kept).collect()
    }

    /// The terminating pods of a Deployment that should have been gone, by node, and since when, except those on lost nodes.
    fn overdue_pods<'a>(&'a self, deployment: &'a Deployment) -> BTreeMap<&'a str, Vec<(Time, &'a Pod)>> {
        let mut by_node: BTreeMap<&str, Vec<(Time, &Pod)>> = BTreeMap::new();
        for pod in self.terminating_pods(deployment) {
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
    fn silent_nodes<'a>(&'a self, deployment: &'a Deployment) -> impl Iterator<Item = &'a str> {
        self.overdue_pods(deployment).into_keys().filter(|node| !self.reports(node))
    }

    /// Such pods on nodes that report.
    fn unstopped_pods<'a>(&'a self, deployment: &'a Deployment) -> impl Iterator<Item = &'a Pod> {
        let overdue = self.overdue_pods(deployment).into_iter().filter(|(node, _)| self.reports(node));
        overdue.flat_map(|(_, pods)| pods).map(|(_, pod)| pod)
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
        let why = format!("{late}: node {node} reports, but does not stop {them}");
        Obstacle { command: pods.first().map(command), ..Obstacle::new(why).with_remedy(LOOK_AT_EVENTS) }
    }

    /// The evictions of the pods that a Deployment has at the start.
    fn evictions<'a>(&'a self, deployment: &'a Deployment) -> Vec<Eviction<'a>> {
        evictions(&self.timeline, self.pods_of(deployment))
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
        let mut next = next_steps(&self.timeline, is_its, &SHOWN_RULES);
        next.extend(self.evictions(deployment).first().map(|eviction| NextStep::of(eviction.step, &self.timeline)));
        next.sort_by_key(|step| step.at);
        next
    }
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
    stuck_pods(&replica_sets).into_iter().filter(|pod| !is_known(pod)).collect()
}

/// The Deployments that report pods, of which none is among the objects.
fn without_pods(objects: &[Value]) -> BTreeSet<ObjectKey> {
    let of_kind = |kind: Kind| objects.iter().filter(move |object| string(object, "kind") == kind.name());
    let uid = |object: &Value| at(object, &["metadata", "uid"]).and_then(Value::as_str).map(String::from);
    let owner =
        |object: &Value, kind: Kind| controller_of(object, kind).map(|owner| String::from(string(owner, "uid")));
    let with_pods: BTreeSet<String> = of_kind(Kind::Pod).filter_map(|pod| owner(pod, Kind::ReplicaSet)).collect();
    let has_pods = |replica_set: &&Value| uid(replica_set).is_some_and(|uid| with_pods.contains(&uid));
    let known: BTreeSet<String> = of_kind(Kind::ReplicaSet)
        .filter(has_pods)
        .filter_map(|replica_set| owner(replica_set, Kind::Deployment))
        .collect();
    let lacks_pods = |deployment: &&Value| {
        let pods = at(deployment, &["status"]).and_then(|status| integer(status, "replicas")).unwrap_or_default();
        pods > 0 && uid(deployment).is_some_and(|uid| !known.contains(&uid))
    };
    of_kind(Kind::Deployment)
        .filter(lacks_pods)
        .map(|deployment| ObjectKey::of_manifest(Kind::Deployment, deployment))
        .collect()
}

/// That a Deployment reports that its progress deadline has passed.
fn passed_deadline(deployment: &Deployment) -> Option<Obstacle> {
    let deadline = deployment.spec.progress_deadline_seconds.filter(|_| is_deadline_exceeded(deployment))?;
    let deadline = Duration::seconds(deadline.into()).exactly_in_words();
    Some(Obstacle::new(format!("it reports ProgressDeadlineExceeded: no progress for {deadline}")))
}

/// Since when a pod that runs is not ready.
fn unready_since(pod: &Pod) -> Option<Time> {
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

/// How a container fails: `container web fails again and again: OOMKilled, exit code 137, 5 restarts`.
fn crash_in_words(container: &str, crash: &Crash) -> String {
    let Crash { is_init, reason, exit_code, restarts, .. } = crash;
    let init = if *is_init { "init " } else { "" };
    let reason = if reason.is_empty() { String::new() } else { format!("{reason}, ") };
    let meaning = match exit_code {
        126 => " (its command can't be executed)",
        127 => " (its command was not found)",
        137 if crash.reason != OOM_KILLED => " (killed)",
        139 => " (segmentation fault)",
        143 => " (stopped by SIGTERM, as after a liveness probe that fails)",
        _ => "",
    };
    let restarts = if *restarts == 1 { String::from("1 restart") } else { format!("{restarts} restarts") };
    format!("{init}container {container} fails again and again: {reason}exit code {exit_code}{meaning}, {restarts}")
}

fn to_do_about_crash(crash: &Crash) -> String {
    match &crash.memory_limit {
        _ if crash.reason != OOM_KILLED => String::from("look at the logs of its last run"),
        Some(limit) => format!("raise its memory limit of {limit}, or let it use less"),
        None => String::from(
            "request memory for it, or let it use less: it has no memory limit, so its node ran out of memory",
        ),
    }
}

/// A message as the end of a sentence.
fn details(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {message}") }
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

    /// Its state in numbers: `2 new and 3 old pods, 3 of 3 available; complete in 9 s; old pods remain`.
    pub fn summary(&self) -> String {
        let Self { standing, desired, available, complete, last_old_pod_gone, .. } = self;
        let pods = self.pods();
        // During a rollout, more pods may be available than are desired.
        let available = if available > desired {
            format!("{available} available, {desired} desired")
        } else {
            format!("{available} of {desired} available")
        };
        let complete = match (standing, complete) {
            (Standing::Progressing, Some(complete)) => format!("; complete in {}", Duration(*complete).in_words()),
            _ => String::new(),
        };
        let gone = match last_old_pod_gone {
            Some(0) => String::new(),
            Some(gone) => format!("; the last old pod is gone in {}", Duration(*gone).in_words()),
            None => String::from("; old pods remain"),
        };
        format!("{pods}, {available}{complete}{gone}")
    }
}

impl Standing {
    /// The state as the predicate of a sentence: `web is stuck`.
    #[must_use]
    pub const fn predicate(self) -> &'static str {
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

impl Obstacle {
    fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), remedy: None, command: None }
    }

    fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    fn with_command(self, command: String) -> Self {
        Self { command: Some(command), ..self }
    }

    /// That a Deployment is being deleted, and what that means for its pods. Its controller then only writes its status.
    fn of_deletion(deployment: &Deployment) -> Self {
        let finalizers = &deployment.metadata.finalizers;
        let has = |name: &str| finalizers.iter().any(|finalizer| finalizer == name);
        let pods = if has(FOREGROUND) {
            String::from("its ReplicaSets and pods are deleted first, then the Deployment")
        } else if has(ORPHAN) {
            String::from("its ReplicaSets and pods stay")
        } else if finalizers.is_empty() {
            String::from("its ReplicaSets and pods are deleted after it")
        } else {
            format!("it stays until its finalizers are removed: {}", finalizers.join(", "))
        };
        let name = &deployment.metadata.name;
        let remedy = format!("a deletion can't be undone: once {name} is gone, apply its manifest again");
        Self::new(format!("it is being deleted, so its rollout has stopped; {pods}")).with_remedy(remedy)
    }

    /// That pods stay on a node that may be gone.
    fn of_silent_node(why: String, node: &str, kubectl: &Kubectl) -> Self {
        let remedy = "bring it back, or delete it if it is gone for good";
        Self::new(why).with_remedy(remedy).with_command(kubectl.delete_node(node))
    }

    /// That finalizers keep a terminating pod.
    fn of_finalizers(pod: &Pod, kubectl: &Kubectl) -> Self {
        let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
        let finalizers = pod.metadata.finalizers.join(", ");
        let why = format!("terminating pod {name} stays until its finalizers are removed: {finalizers}");
        let remedy = "find out why their controller does not remove them, or remove them if it is gone for good";
        Self::new(why).with_remedy(remedy).with_command(kubectl.remove_finalizers(namespace, name))
    }
}
