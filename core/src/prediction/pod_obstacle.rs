//! What holds up a pod of a rollout, and what to do or to look at.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::obstacle::{
    FIND_OUT_WHY_IT_IS_UNREADY, FIND_OUT_WHY_UNREADY, LOOK_AT_EVENTS, LOOK_AT_LOGS, Obstacle, PULLING, SLOW_RUNTIME,
    container_in_words, details, is_answer, is_multi_attach, to_do_about_answer, to_do_about_config,
    to_do_about_creation, to_do_about_port, to_do_about_pull, to_do_about_refusal, to_do_about_warning,
};
use super::outlook::Outlook;
use super::remedy::old_pod_first;
use super::unschedulable_reason::{
    AdviceOptions, UnschedulableReason, is_held_by_old_pods, is_room, to_do, to_do_about_taint,
};
use crate::cluster::Retry;
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, list};
use crate::object::{Kind, Object, ObjectKey, Pod, PodTemplateSpec};
use crate::scenario::{CRASH_LOOP_BACK_OFF, ContainerRole, Duration, OOM_KILLED, ProbePort, StuckCause, StuckPod};
use crate::workload::deployment::controller::{is_rolling_update, max_unavailable};
use crate::workload::replica_set::POD_TEMPLATE_HASH;

/// The probes in a kubelet's words that end a container: after a readiness probe that fails, it goes on.
const PROBES_THAT_KILL: [&str; 2] = ["Liveness probe", "Startup probe"];

/// Which warning only repeats that a pod's volumes are not there: an earlier one says why.
///
/// Upstream: `pkg/kubelet/volumemanager/volume_manager.go WaitForAttachAndMount`
const WAITS_FOR_VOLUMES: &str = "Unable to attach or mount volumes";

/// Which warning says that a pull secret does not exist.
const MISSING_PULL_SECRET: &str = "FailedToRetrieveImagePullSecret";

impl Outlook {
    /// The last warning about a pod among the Events that says more than that it waits for its volumes.
    pub(super) fn warning_of(&self, namespace: &str, pod: &str) -> Option<&str> {
        let says_why = |warning: &str| !warning.contains(WAITS_FOR_VOLUMES);
        self.warning_that(namespace, pod, says_why).or_else(|| self.warning_that(namespace, pod, |_| true))
    }

    /// The last of these warnings about a pod among the Events.
    fn warning_that(&self, namespace: &str, pod: &str, is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
        let warnings = self.warnings.get(&(String::from(namespace), String::from(pod)))?;
        warnings.iter().rev().map(String::as_str).find(|warning| is_wanted(warning))
    }

    /// The end of a sentence about a pod: its last warning among the Events.
    pub(super) fn last_warning(&self, namespace: &str, pod: &str) -> String {
        self.warning_of(namespace, pod).map_or_else(String::new, last_warning)
    }

    /// What holds a pod up, and what to do or to look at. `undo` is the command that rolls its workload back, if kubectl does.
    pub(super) fn obstacle_of(&self, pod: &StuckPod, undo: Option<&str>) -> Obstacle {
        let (namespace, kubectl) = (&pod.deployment.namespace, &self.kubectl);
        let describe = || kubectl.describe_pod(namespace, &pod.name);
        match &pod.cause {
            StuckCause::Container { name: container, role, reason, message, crash: Some(crash) } => {
                // A probe that fails is only known from Events.
                let was_killed = [137, 143].contains(&crash.exit_code) && crash.reason != OOM_KILLED;
                let is_of_probe = |warning: &str| PROBES_THAT_KILL.iter().any(|probe| warning.contains(probe));
                let warning = self.warning_that(namespace, &pod.name, is_of_probe).filter(|_| was_killed);
                let obstacle = Obstacle::of_crash(container, *role, reason, message, crash, warning);
                let asks_for_logs = obstacle.remedy.as_ref().is_some_and(|remedy| remedy.ends_with(LOOK_AT_LOGS));
                let command = match asks_for_logs {
                    true => Some(kubectl.previous_logs(namespace, &pod.name, container)),
                    false => undo.map(String::from),
                };
                let warning = warning.map_or_else(String::new, last_warning);
                let or_roll_back = if undo.is_some() { ", or roll back" } else { "" };
                let remedy = obstacle.remedy.map(|remedy| format!("{remedy}{or_roll_back}"));
                Obstacle { command, remedy, why: format!("{}{warning}", obstacle.why), ..obstacle }
            }
            StuckCause::Container { name, role, reason, message, crash: None } => {
                self.obstacle_of_waiting(pod, name, *role, reason, message, undo)
            }
            StuckCause::InitRuns { name } => {
                let warning = self.last_warning(namespace, &pod.name);
                Obstacle::new(format!("init container {name} runs and does not end{warning}"))
                    .with_remedy("look at its logs, and at what it waits for")
                    .with_command(kubectl.logs(namespace, &pod.name, name))
            }
            StuckCause::Gated { gates } => {
                let (gates, them) = match gates.as_slice() {
                    [gate] => (format!("scheduling gate {gate} keeps"), "it"),
                    gates => (format!("scheduling gates {} keep", gates.join(" and ")), "them"),
                };
                Obstacle::new(format!("{gates} pods from the scheduler"))
                    .with_remedy(format!("find out why its controller does not remove {them}"))
                    .with_command(describe())
            }
            StuckCause::Untouched { node: None, scheduler } => {
                Obstacle::new(format!("no scheduler has looked at pod {}: its schedulerName is {scheduler}", pod.name))
                    .with_remedy("check that this scheduler runs, or correct schedulerName")
                    .with_command(describe())
            }
            StuckCause::Untouched { node: Some(node), .. } => {
                let warning = self.last_warning(namespace, &pod.name);
                Obstacle::new(format!("the kubelet of node {node} has not started pod {}{warning}", pod.name))
                    .with_remedy("check whether the node's kubelet runs")
                    .with_command(kubectl.describe_node(node))
            }
            StuckCause::Unready { gate, containers, port } => {
                self.obstacle_of_unready(pod, gate, containers, port.as_ref())
            }
            StuckCause::NoNode { message } => self.obstacle_of_unschedulable(pod, message),
            StuckCause::Refused { message } => {
                let why = format!("the API server refuses pods of {}{}", pod.name, details(message));
                let wait = Duration(Retry::DEFAULT.most).in_words();
                let again = format!("the controller tries the same template again within {wait}");
                let given = self.plan.limit_ranges().ok();
                let names: Vec<&str> = given.iter().flat_map(|all| all.refusing(namespace, message)).collect();
                let limit_ranges = match names.as_slice() {
                    [] => return Obstacle::new(why).with_remedy(format!("{}; {again}", to_do_about_refusal(message))),
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

    /// A container that waits to be started, or to be started again.
    fn obstacle_of_waiting(
        &self,
        pod: &StuckPod,
        container: &str,
        role: ContainerRole,
        reason: &str,
        message: &str,
        undo: Option<&str>,
    ) -> Obstacle {
        let (namespace, kubectl) = (&pod.deployment.namespace, &self.kubectl);
        let describe = || kubectl.describe_pod(namespace, &pod.name);
        let missing_secret = |warning: &str| warning.starts_with(MISSING_PULL_SECRET);
        let warning = match (pod.is_starting(), pod.lacks_image()) {
            (true, _) => self.warning_of(namespace, &pod.name),
            (_, true) => self.warning_that(namespace, &pod.name, missing_secret),
            _ => None,
        };
        let (remedy, command) = if pod.is_starting() {
            let (to_do, command) = self.to_do_about(&pod.deployment, warning);
            (to_do, Some(command.unwrap_or_else(describe)))
        } else if reason == CRASH_LOOP_BACK_OFF {
            (String::from(LOOK_AT_LOGS), Some(kubectl.previous_logs(namespace, &pod.name, container)))
        } else {
            let of_config;
            let fix = match reason {
                "ErrImageNeverPull" => "load the image on the node, or let imagePullPolicy pull it",
                "CreateContainerConfigError" => {
                    of_config = to_do_about_config(message);
                    &of_config
                }
                "PostStartHookError" => "correct its postStart hook",
                "CreateContainerError" | "RunContainerError" => to_do_about_creation(message),
                _ if warning.is_some() => "create that pull secret, or correct imagePullSecrets",
                _ if pod.lacks_image() => to_do_about_pull(message),
                _ => "fix it",
            };
            let undo = undo.filter(|_| fix != SLOW_RUNTIME);
            let or_roll_back = if undo.is_some() { ", or roll back" } else { "" };
            let command = undo.map(String::from).or_else(|| (fix == SLOW_RUNTIME).then(describe));
            (format!("{fix}{or_roll_back}"), command)
        };
        // That a pull secret is missing is why the rest is so.
        let said = if warning.is_some_and(missing_secret) { String::new() } else { details(message) };
        let warning = warning.map_or_else(String::new, last_warning);
        let elsewhere = self.nodes_with_image_of(pod);
        let container = container_in_words(container, role);
        let why = format!("{container} is waiting: {reason}{said}{warning}{elsewhere}");
        Obstacle { command, ..Obstacle::new(why).with_remedy(remedy) }
    }

    /// Containers that run and are not ready, or a readiness gate.
    fn obstacle_of_unready(
        &self,
        pod: &StuckPod,
        gate: &str,
        containers: &[String],
        port: Option<&ProbePort>,
    ) -> Obstacle {
        let (namespace, kubectl) = (&pod.deployment.namespace, &self.kubectl);
        let describe = || kubectl.describe_pod(namespace, &pod.name);
        let last = self.warning_of(namespace, &pod.name);
        let warning = last.map_or_else(String::new, last_warning);
        // A container that answers listens on the port.
        let port = port.filter(|port| port.is_name || !last.is_some_and(is_answer));
        let (why, remedy) = match (gate, containers) {
            ("", []) => {
                let why = format!("pods are running but don't become ready{warning}");
                return Obstacle::new(why).with_remedy(FIND_OUT_WHY_UNREADY).with_command(describe());
            }
            ("", [container, others @ ..]) => {
                let subject = match others {
                    [] => format!("container {container} is"),
                    _ => format!("containers {} are", containers.join(" and ")),
                };
                let (asks, remedy) = match port {
                    Some(port) => (format!(": {}", port.sentence()), to_do_about_port(port)),
                    None => {
                        let find_out = match others {
                            [] => FIND_OUT_WHY_IT_IS_UNREADY,
                            _ => FIND_OUT_WHY_UNREADY,
                        };
                        (String::new(), last.and_then(to_do_about_answer).unwrap_or(find_out).into())
                    }
                };
                let why = format!("pods are running, but {subject} not ready{asks}{warning}");
                let remedy = Obstacle::new(why).with_remedy(remedy);
                return remedy.with_command(kubectl.logs(namespace, &pod.name, container));
            }
            (gate, _) => {
                let gate = gate.trim_end_matches('.');
                let why = format!("pods are running, but a readiness gate is not met: {gate}");
                (why, "find out why its controller does not set the condition to True")
            }
        };
        Obstacle::new(why).with_remedy(remedy).with_command(describe())
    }

    /// What to do about a pod of a workload that starts for long, and the command that does it, if there is one.
    pub(super) fn to_do_about(&self, key: &ObjectKey, warning: Option<&str>) -> (String, Option<String>) {
        let options = self.advice_options(key);
        let to_do = warning.and_then(|warning| to_do_about_warning(warning, options));
        let waits_for_old_pod = options.old_pod_can_go_first && warning.is_some_and(is_multi_attach);
        let command = waits_for_old_pod.then(|| self.kubectl.patch(key, &old_pod_first(key.kind)));
        (to_do.unwrap_or(String::from(LOOK_AT_EVENTS)), command)
    }

    /// The other nodes that run the image which a node can't get, as the end of a sentence.
    fn nodes_with_image_of(&self, stuck: &StuckPod) -> String {
        if !stuck.lacks_first_image() {
            return String::new();
        }
        let state = &self.timeline.initial;
        let key = ObjectKey::new(Kind::Pod, &*stuck.deployment.namespace, stuck.name.as_str());
        let own = match state.get(&key) {
            Some(Object::Pod(pod)) => pod.spec.node_name.as_deref(),
            _ => None,
        };
        let pods = state.pods().filter(|pod| {
            let mut containers = pod.spec.fields.containers.iter();
            pod.is_ready() && containers.any(|container| container.image == stuck.image)
        });
        let nodes = pods.filter_map(|pod| pod.spec.node_name.as_deref()).filter(|node| Some(*node) != own);
        let nodes: Vec<&str> = nodes.collect_tree::<BTreeSet<&str>>().into_iter().collect();
        match nodes.as_slice() {
            [] => String::new(),
            [node] => format!("; node {node} runs it"),
            [node, others @ ..] => format!("; node {node} and {} more run it", others.len()),
        }
    }

    /// The only node that a pod of a DaemonSet may get.
    ///
    /// Upstream: `pkg/controller/daemon/util/daemonset_util.go ReplaceDaemonSetPodNodeNameNodeAffinity`
    fn only_node_of(&self, namespace: &str, pod: &str) -> Option<&str> {
        let key = ObjectKey::new(Kind::Pod, namespace, pod);
        let pod = self.timeline.initial.get(&key)?.typed::<Pod>()?;
        let affinity = pod.spec.fields.unknown.get("affinity")?;
        let required = at(affinity, &["nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"])?;
        let field = list(required, "nodeSelectorTerms").first().and_then(|term| list(term, "matchFields").first())?;
        list(field, "values").first()?.as_str()
    }

    /// Which labels a pod wants of its node, as a part of a sentence: ` with nodeSelector disktype=ssd`.
    fn node_selector_of(&self, namespace: &str, pod: &str) -> String {
        let key = ObjectKey::new(Kind::Pod, namespace, pod);
        let Some(Object::Pod(pod)) = self.timeline.initial.get(&key) else { return String::new() };
        let selector = pod.spec.fields.unknown.get("nodeSelector").and_then(Value::as_object);
        let labels = selector.into_iter().flatten();
        let labels: Vec<String> =
            labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
        if labels.is_empty() { String::new() } else { format!(" with nodeSelector {}", labels.join(",")) }
    }

    /// That the scheduler finds no node for a pod: because of a claim of it, if the objects say so.
    fn obstacle_of_unschedulable(&self, pod: &StuckPod, message: &str) -> Obstacle {
        let (StuckPod { deployment: key, name, .. }, kubectl) = (pod, &self.kubectl);
        let reasons = UnschedulableReason::all_in(message);
        let has = |reason: UnschedulableReason| reasons.contains(&reason);
        let claims = self.claims.get(&(key.namespace.to_string(), name.clone()));
        let claim = claims.into_iter().flatten().find(|claim| match claim.is_unbound() {
            true => has(UnschedulableReason::Volume),
            false => has(UnschedulableReason::VolumeElsewhere),
        });
        if let Some(claim) = claim {
            let cordoned = self.cordoned_nodes.iter().find(|node| claim.is_usable_on(node, self.plan.nodes()));
            return claim.obstacle(name, cordoned.filter(|_| has(UnschedulableReason::Cordoned)), kubectl);
        }
        let wanted = match has(UnschedulableReason::Placement) {
            true => self.node_selector_of(&key.namespace, name),
            false => String::new(),
        };
        let why = match self.only_node_of(&key.namespace, name) {
            Some(node) if is_room(&reasons) => format!("node {node} has no room for its pod: {message}"),
            Some(node) => format!("the scheduler does not give a pod its node {node}: {message}"),
            None if is_room(&reasons) => format!("no node has room for a pod: {message}"),
            None => format!("the scheduler finds no node for a pod{wanted}: {message}"),
        };
        if let Some(claim) = message.split_once("persistentvolumeclaim \"").and_then(|(_, rest)| rest.split_once('"')) {
            let to_do = match claim.1 {
                rest if rest.starts_with(" not found") => "create the claim, or correct its name",
                _ => "let the pods go that still use the claim; once it is gone, create it again",
            };
            return Obstacle::new(why).with_remedy(to_do);
        }
        let about_taint = to_do_about_taint(message, &self.taints);
        self.obstacle_of_reasons(key, why, &reasons, about_taint.as_deref())
    }

    /// The obstacle if the scheduler finds no node for pods of a workload. `about_taint`: the remedy for a taint, if that taint is known.
    pub(super) fn obstacle_of_reasons(
        &self,
        key: &ObjectKey,
        why: String,
        reasons: &BTreeSet<UnschedulableReason>,
        about_taint: Option<&str>,
    ) -> Obstacle {
        // Which of several nodes is meant for the pod is not known.
        let cordoned = match self.cordoned_nodes.as_slice() {
            [first, ..] if reasons.contains(&UnschedulableReason::Cordoned) => Some(first),
            _ => None,
        };
        let options = self.advice_options(key);
        let command = cordoned.map(|node| self.kubectl.uncordon(node)).or_else(|| {
            // Without nodes, it is not known whether that is enough.
            let can_go_first = options.old_pod_can_go_first && is_held_by_old_pods(reasons) && self.plan.has_nodes;
            can_go_first.then(|| self.kubectl.patch(key, &old_pod_first(key.kind)))
        });
        Obstacle { command, ..Obstacle::new(why).with_remedy(to_do(reasons, about_taint, options)) }
    }

    /// Which advice is of use for the pods of a workload.
    pub(super) fn advice_options(&self, key: &ObjectKey) -> AdviceOptions {
        let state = &self.timeline.initial;
        match state.get(key) {
            Some(Object::Deployment(deployment)) => AdviceOptions {
                old_pod_can_go_first: is_rolling_update(deployment)
                    && max_unavailable(deployment) == 0
                    && self.pods_of(deployment).iter().any(|pod| self.is_old(deployment, pod)),
                spreads_revisions: spreads_revisions(&deployment.spec.template),
                is_on_each_node: false,
            },
            Some(Object::StatefulSet(set)) => {
                AdviceOptions { spreads_revisions: spreads_revisions(&set.spec.template), ..AdviceOptions::default() }
            }
            Some(Object::DaemonSet(set)) => AdviceOptions {
                old_pod_can_go_first: set.allows_surge(),
                spreads_revisions: false,
                is_on_each_node: true,
            },
            _ => AdviceOptions::default(),
        }
    }
}

/// The end of a sentence about a pod: a warning among the Events.
fn last_warning(warning: &str) -> String {
    let kind = if warning.starts_with(PULLING) { "event" } else { "warning" };
    format!("; its last {kind}{}", details(warning))
}

/// Whether each of a template's topology spread constraints counts only pods of one revision.
fn spreads_revisions(template: &PodTemplateSpec) -> bool {
    let constraints = template.spec.fields.unknown.get("topologySpreadConstraints").and_then(Value::as_array);
    let counts_one = |constraint: &Value| {
        let keys = constraint.get("matchLabelKeys").and_then(Value::as_array);
        keys.is_some_and(|keys| keys.iter().any(|key| key == POD_TEMPLATE_HASH))
    };
    constraints.is_some_and(|constraints| constraints.iter().all(counts_one))
}
