//! What holds up a pod of a rollout, and what to do or to look at.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::advice::{
    PREEMPTED, READINESS_GATES, REFUSALS, SCALING, ToDo, UNMET_READINESS_GATES, advice, is_slow_runtime, on_nodes,
    with_registry,
};
use super::claims::requirement_in_words;
use super::obstacle::{
    CORRECT_POST_START_HOOK, DETAILS, FAILED_POST_START_HOOK, FIND_OUT_WHY_IT_IS_UNREADY, FIND_OUT_WHY_UNREADY, KUEUE,
    KUEUE_QUEUE, LOOK_AT_EVENTS, LOOK_AT_LOG, NamedProbe, Obstacle, POST_START_HOOK_ERROR, PULLING, Rollback,
    container_in_words, details, is_answer, is_multi_attach, nodes_of, to_do_about_config, to_do_about_crash,
    to_do_about_creation, to_do_about_port, to_do_about_probe, to_do_about_pull, to_do_about_warning,
};
use super::outlook::{Outlook, unready_since};
use super::remedy::old_pod_first;
use super::unschedulable_reason::{
    AdviceOptions, KnownAdvice, UnschedulableReason, is_held_by_old_pods, is_room, to_do, to_do_about_taint,
};
use crate::cluster::Retry;
use crate::collect_tree::CollectTree;
use crate::object::quantity::nanos;
use crate::object::unstructured::{at, integer, list, string};
use crate::object::{Kind, Object, ObjectKey, ObjectMeta, Pod, PodTemplateSpec, Time};
use crate::scenario::{
    CRASH_LOOP_BACK_OFF, ContainerRole, Duration, OOM_KILLED, ProbePort, StuckCause, StuckPod, pods_with_volume,
};
use crate::scheduler::host_ports;
use crate::scheduler::pod_resources::{List, of_pod};
use crate::workload::deployment::controller::{is_rolling_update, max_unavailable};
use crate::workload::replica_set::POD_TEMPLATE_HASH;
use crate::workload::stateful_set::STATEFUL_SET_REVISION_LABEL;

/// The probes in a kubelet's words that end a container: after a readiness probe that fails, it goes on.
const PROBES_THAT_KILL: [&str; 2] = ["Liveness probe", "Startup probe"];

const READINESS_PROBE: &str = "readinessProbe";

/// Probes in a kubelet's words, and their fields of a container.
const PROBES: [(&str, &str); 3] =
    [("Liveness probe", "livenessProbe"), ("Readiness probe", "readinessProbe"), ("Startup probe", "startupProbe")];

/// What a container waits for whose image could not be pulled several times. It is no reason.
const IMAGE_PULL_BACK_OFF: &str = "ImagePullBackOff";

/// Which warning only repeats that a pod's volumes are not there: an earlier one says why.
///
/// Upstream: `pkg/kubelet/volumemanager/volume_manager.go WaitForAttachAndMount`
const WAITS_FOR_VOLUMES: &str = "Unable to attach or mount volumes";

/// Which warning says that a pull secret does not exist.
const MISSING_PULL_SECRET: &str = "FailedToRetrieveImagePullSecret";

/// Which warnings say why an image can't be pulled.
const PULL_WARNINGS: [&str; 2] = [MISSING_PULL_SECRET, "Failed: Failed to pull image"];

/// With what a container's message goes on that says it itself.
const PULL_ERROR: &str = "ErrImagePull: ";

/// How pods of any template are refused.
const REFUSES_ALL: [&str; 6] = [
    "failed calling webhook",
    "because it is being terminated",
    "etcdserver: ",
    "quota evaluation timed out",
    "within requested timeout",
    "cannot create resource",
];

/// With what a scheduler's message goes on after its reasons.
///
/// Upstream: `pkg/scheduler/framework/types.go FitError.Error`; the first two are of older schedulers.
const AFTER_REASONS: [&str; 3] = [" still not schedulable", " no new claims to deallocate", " preemption: "];

/// How a kubelet says that nothing has set the condition of a readiness gate.
///
/// Upstream: `pkg/kubelet/status/generate.go GeneratePodReadyCondition`
const NO_CONDITION: &str = "does not exist";

/// The labels with the template of a pod.
const TEMPLATE_LABELS: [&str; 2] = [POD_TEMPLATE_HASH, STATEFUL_SET_REVISION_LABEL];

/// What an affinity insists on.
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

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

    /// What holds a pod up, with the names of what it is about, how many pods of its template wait so, and for how long. `undo`: how its workload
    /// is rolled back, if that helps.
    pub(super) fn obstacle_of(&self, pod: &StuckPod, undo: Option<&Rollback>) -> Obstacle {
        let obstacle = self.unnamed_obstacle_of(pod, undo);
        let nodes = nodes_of(&self.pods_held_up_like(pod));
        let remedy = obstacle.remedy.map(|remedy| with_registry(&on_nodes(&remedy, &nodes), &self.image_of(pod)));
        let why = format!("{}{}", obstacle.why.trim_end_matches('.'), self.extent_of(pod));
        Obstacle { why, remedy, ..obstacle }
    }

    /// The pods of a template that are held up as this one is. None of pods that the API server refuses.
    fn pods_held_up_like(&self, pod: &StuckPod) -> Vec<&Pod> {
        let alike =
            self.stuck_pods_of(&pod.deployment).filter(|other| other.revision == pod.revision && other.is_alike(pod));
        alike.filter_map(|pod| self.given_pod(&pod.deployment.namespace, &pod.name)).collect()
    }

    /// How many pods of a template are held up alike, for how long, and where: ` (3 pods, for 10 min, on node-1 and node-2)`. Empty of pods that the
    /// API server refuses.
    fn extent_of(&self, pod: &StuckPod) -> String {
        let pods = self.pods_held_up_like(pod);
        let parts = match pods.as_slice() {
            [] => return String::new(),
            [pod] => format!("pod {}", pod.metadata.name),
            pods => format!("{} pods", pods.len()),
        };
        let since = pods.iter().filter_map(|pod| unready_since(pod).or(pod.metadata.creation_timestamp)).min();
        let time = since.map_or(0, |since| self.timeline.scenario.start.since(since));
        let time = if time < Time::SECOND { String::new() } else { format!(", for {}", Duration(time).in_words()) };
        let nodes = match nodes_of(&pods).into_iter().collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            [node] => format!(", on {node}"),
            [first, second] => format!(", on {first} and {second}"),
            nodes => format!(", on {} nodes", nodes.len()),
        };
        let ready = match self.ready_pods_like(pod) {
            0 => String::new(),
            1 => String::from("; another pod of its template is ready"),
            ready => format!("; {ready} other pods of its template are ready"),
        };
        format!(" ({parts}{time}{nodes}{ready})")
    }

    /// How many pods of the template of one that fails are ready: then something else differs, such as its node.
    fn ready_pods_like(&self, stuck: &StuckPod) -> usize {
        let is_about_run = match &stuck.cause {
            StuckCause::Container { crash, .. } => crash.is_some(),
            StuckCause::Unready { .. } | StuckCause::InitRuns { .. } => true,
            StuckCause::Gated { .. }
            | StuckCause::NoNode { .. }
            | StuckCause::Untouched { .. }
            | StuckCause::Refused { .. } => false,
        };
        let template = |pod: &Pod| TEMPLATE_LABELS.iter().find_map(|label| pod.metadata.labels.get(*label).cloned());
        let Some(pod) = self.given_pod(&stuck.deployment.namespace, &stuck.name).filter(|_| is_about_run) else {
            return 0;
        };
        let Some((owner, of_pod)) = pod.metadata.controller().zip(template(pod)) else { return 0 };
        let is_like = |other: &&Rc<Pod>| {
            other.metadata.controller().is_some_and(|its| its.uid == owner.uid)
                && template(other).as_ref() == Some(&of_pod)
                && other.metadata.deletion_timestamp.is_none()
                && other.is_ready()
        };
        self.timeline.initial.pods().filter(is_like).count()
    }

    /// A pod among the objects.
    pub(super) fn given_pod(&self, namespace: &str, name: &str) -> Option<&Pod> {
        self.timeline.initial.get(&ObjectKey::new(Kind::Pod, namespace, name))?.typed::<Pod>().map(|pod| &**pod)
    }

    /// The image of the container that a pod waits for, as its kubelet names it.
    fn image_of(&self, pod: &StuckPod) -> String {
        let message = match &pod.cause {
            StuckCause::Container { message, .. } => message.as_str(),
            _ => "",
        };
        let named = message.split_once("image \"").and_then(|(_, rest)| rest.split_once('"'));
        named.map_or_else(|| pod.image.clone(), |(image, _)| image.into())
    }

    fn unnamed_obstacle_of(&self, pod: &StuckPod, undo: Option<&Rollback>) -> Obstacle {
        let (namespace, kubectl) = (&pod.deployment.namespace, &self.kubectl);
        let describe = || kubectl.describe_pod(namespace, &pod.name);
        match &pod.cause {
            StuckCause::Container { name: container, role, reason, message, crash: Some(crash) } => {
                // A probe that fails is only known from Events.
                let was_killed = [137, 143].contains(&crash.exit_code) && crash.reason != OOM_KILLED;
                let is_of_probe = |warning: &str| {
                    PROBES_THAT_KILL.iter().any(|probe| warning.contains(probe))
                        || warning.starts_with(FAILED_POST_START_HOOK)
                };
                let warning = self.warning_that(namespace, &pod.name, is_of_probe).filter(|_| was_killed);
                let probe = warning.and_then(|warning| self.probe_of(namespace, &pod.name, warning));
                let obstacle = Obstacle::of_crash(container, *role, reason, message, crash);
                let why = format!("{}{}", obstacle.why, warning.map_or_else(String::new, last_warning));
                let obstacle = Obstacle { why, ..obstacle };
                match (to_do_about_crash(reason, crash, warning.zip(Some(probe))), undo) {
                    (ToDo::SeeLog { try_first }, _) => {
                        let to_do =
                            try_first.map_or_else(|| LOOK_AT_LOG.into(), |to_do| format!("{to_do}, or {LOOK_AT_LOG}"));
                        let logs = kubectl.previous_logs(namespace, &pod.name, container);
                        obstacle.with_remedy(to_do).roll_back_or(undo).with_shown("its log", logs)
                    }
                    (ToDo::Known(to_do), Some(undo)) => obstacle.with_remedy(to_do).or_roll_back(undo),
                    (ToDo::Known(to_do), None) => obstacle.with_remedy(self.with_new_job(&to_do, &pod.deployment)),
                }
            }
            StuckCause::Container { name, role, reason, message, crash: None } => {
                self.obstacle_of_waiting(pod, name, *role, reason, message, undo)
            }
            StuckCause::InitRuns { name } => {
                let warning = self.last_warning(namespace, &pod.name);
                let containers = self.given_pod(namespace, &pod.name).map(|pod| &pod.spec.fields.init_containers);
                let container = containers.into_iter().flatten().find(|container| container.name == *name);
                let words = |key: &str| container.and_then(|container| container.unknown.get(key)?.as_array());
                let words = ["command", "args"].into_iter().filter_map(words).flatten().filter_map(Value::as_str);
                let runs = details(&words.collect::<Vec<&str>>().join(" "));
                let remedy = "bring up what it waits for, or correct its command";
                let remedy = undo.map_or_else(|| remedy.into(), |undo| format!("{remedy}, or {}", undo.words));
                Obstacle::new(format!("init container {name} runs and does not end{runs}{warning}"))
                    .with_remedy(remedy)
                    .with_shown("its log", kubectl.logs(namespace, &pod.name, name))
            }
            StuckCause::Gated { gates } => {
                let (named, them) = match gates.as_slice() {
                    [gate] => (format!("scheduling gate {gate} keeps"), "it"),
                    gates => (format!("scheduling gates {} keep", gates.join(" and ")), "them"),
                };
                let obstacle = Obstacle::new(format!("{named} pods from the scheduler"));
                if gates.iter().any(|gate| gate.starts_with(KUEUE)) {
                    let labels = self.given_pod(namespace, &pod.name).map(|pod| &pod.metadata.labels);
                    let queue = labels.and_then(|labels| labels.get(KUEUE_QUEUE)).map(|queue| &**queue);
                    let goes_on = ["removes the gate", "remove it"];
                    return obstacle.of_kueue("them", goes_on, namespace, queue, kubectl);
                }
                obstacle
                    .with_remedy(format!("check that the controller runs that removes {them}"))
                    .with_shown(DETAILS, describe())
            }
            StuckCause::Untouched { node: None, scheduler } => {
                Obstacle::new(format!("no scheduler has looked at pod {}: its schedulerName is {scheduler}", pod.name))
                    .with_remedy("check that this scheduler runs, or correct schedulerName")
                    .with_shown(DETAILS, describe())
            }
            StuckCause::Untouched { node: Some(node), .. } => {
                let warning = self.last_warning(namespace, &pod.name);
                Obstacle::new(format!("the kubelet of node {node} has not started pod {}{warning}", pod.name))
                    .with_remedy("restart the node's kubelet if it does not run")
                    .with_shown("the node", kubectl.describe_node(node))
            }
            StuckCause::Unready { gate, containers, port } => {
                self.obstacle_of_unready(pod, gate, containers, port.as_ref(), undo)
            }
            StuckCause::NoNode { message } => match self.obstacle_of_unschedulable(pod, message) {
                Obstacle { remedy: Some(to_do), command: None, why, .. } => {
                    Obstacle::new(why).with_remedy(self.with_new_job(&to_do, &pod.deployment))
                }
                obstacle => obstacle,
            },
            StuckCause::Refused { message } => {
                let why = format!("the API server refuses pods of {}{}", pod.name, details(message));
                let wait = Duration(Retry::DEFAULT.most).in_words();
                let again = format!("the controller tries the same template again within {wait}");
                let given = self.plan.limit_ranges().ok();
                let names: Vec<&str> = given.iter().flat_map(|all| all.refusing(namespace, message)).collect();
                let limit_ranges = match names.as_slice() {
                    [] => {
                        let to_do =
                            advice(&REFUSALS, message).unwrap_or_else(|| "fix the cause of the refusals".into());
                        let undo = undo.filter(|_| pod.deployment.kind == Kind::Deployment);
                        let refuses_all = REFUSES_ALL.iter().any(|words| message.contains(words));
                        let obstacle = Obstacle::new(why);
                        return match undo {
                            _ if pod.deployment.kind == Kind::Job && !pod.is_of_any_template() => {
                                obstacle.with_remedy(self.with_new_job(&to_do, &pod.deployment))
                            }
                            _ if pod.deployment.kind == Kind::Job => obstacle.with_remedy(to_do),
                            Some(undo) if !undo.needs_pods || !pod.is_of_any_template() => {
                                obstacle.with_remedy(format!("{to_do}; {again}")).or_roll_back(undo)
                            }
                            Some(_) if refuses_all => obstacle.with_remedy(format!(
                                "{to_do}; a rollback does not help: its pods are refused, too; {again}"
                            )),
                            _ => obstacle.with_remedy(format!("{to_do}; {again}")),
                        };
                    }
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
        undo: Option<&Rollback>,
    ) -> Obstacle {
        let (namespace, kubectl) = (&pod.deployment.namespace, &self.kubectl);
        let describe = || kubectl.describe_pod(namespace, &pod.name);
        let is_about_pull = |warning: &str| PULL_WARNINGS.iter().any(|reason| warning.starts_with(reason));
        let warning = match (pod.is_starting(), pod.lacks_image()) {
            (true, _) => self.warning_of(namespace, &pod.name),
            // The container's own message may say it, too.
            (_, true) if message.contains(PULL_ERROR) => {
                self.warning_that(namespace, &pod.name, |warning| warning.starts_with(MISSING_PULL_SECRET))
            }
            (_, true) => self.warning_that(namespace, &pod.name, is_about_pull),
            _ => None,
        };
        let lacks_secret = warning.is_some_and(|warning| warning.starts_with(MISSING_PULL_SECRET));
        // That a pull secret is missing is why the rest is so.
        let said = if lacks_secret { String::new() } else { details(message) };
        let elsewhere = self.nodes_with_image_of(pod);
        let in_words = container_in_words(container, role);
        if reason == CRASH_LOOP_BACK_OFF {
            let logs = kubectl.previous_logs(namespace, &pod.name, container);
            let why = format!("{in_words} fails again and again, and its status does not say how its last run ended");
            return Obstacle::new(why)
                .with_remedy("find out why it ends")
                .roll_back_or(undo)
                .with_shown("its log", logs);
        }
        let warned = warning.map_or_else(String::new, last_warning);
        let obstacle = Obstacle::new(format!("{in_words} is waiting: {reason}{said}{warned}{elsewhere}"));
        if pod.is_starting() {
            let (to_do, command) = self.to_do_about(&pod.deployment, warning);
            return match (to_do, command) {
                (Some(to_do), Some(command)) => obstacle.with_remedy(to_do).with_command(command),
                (Some(to_do), None) => obstacle.with_remedy(to_do).with_shown(DETAILS, describe()),
                (None, _) => obstacle.with_remedy(LOOK_AT_EVENTS).with_command(describe()),
            };
        }
        let said_of_pull = format!("{message}{}", warning.unwrap_or_default());
        if reason == IMAGE_PULL_BACK_OFF && !said_of_pull.contains(PULL_ERROR) && warning.is_none() {
            let why = format!("{}, and why its image can't be pulled was not given", obstacle.why);
            let to_do =
                "find out in its events whether the name or tag, the access to its registry or the network is wrong";
            let to_do = self.with_new_job(to_do, &pod.deployment);
            let obstacle = Obstacle { why, ..obstacle }.with_remedy(to_do).roll_back_or(undo);
            return obstacle.with_shown("its events", describe());
        }
        let fix = match reason {
            "ErrImageNeverPull" => "load the image on its node, or let imagePullPolicy pull it".into(),
            "InvalidImageName" => "correct the image's name".into(),
            "ImageInspectError" => "check the container runtime of its node".into(),
            "RegistryUnavailable" => "let its node reach its registry (DNS, proxy, firewall)".into(),
            "SignatureValidationFailed" => "use a signed image, or correct the signature policy of its node".into(),
            "CreateContainerConfigError" => to_do_about_config(message),
            POST_START_HOOK_ERROR => CORRECT_POST_START_HOOK.into(),
            _ if is_of_creation(reason) => to_do_about_creation(message),
            _ if lacks_secret => "create that pull secret, or correct imagePullSecrets".into(),
            _ if pod.lacks_image() => to_do_about_pull(&said_of_pull),
            _ => "fix it".into(),
        };
        let fix = if pod.lacks_image() { self.with_new_job(&fix, &pod.deployment) } else { fix };
        let undo = undo.filter(|_| !(is_of_creation(reason) && is_slow_runtime(message)));
        obstacle.with_remedy(fix).or_roll_back_or_show(undo, DETAILS, describe())
    }

    /// Containers that run and are not ready, or a readiness gate.
    fn obstacle_of_unready(
        &self,
        pod: &StuckPod,
        gate: &str,
        containers: &[String],
        port: Option<&ProbePort>,
        undo: Option<&Rollback>,
    ) -> Obstacle {
        let (namespace, kubectl) = (&pod.deployment.namespace, &self.kubectl);
        let describe = || kubectl.describe_pod(namespace, &pod.name);
        let last = self.warning_of(namespace, &pod.name);
        let warning = last.map_or_else(String::new, last_warning);
        // A container that answers listens on the port.
        let port = port.filter(|port| port.is_name || !last.is_some_and(is_answer));
        let (why, to_do) = match (gate, containers) {
            ("", []) => {
                let why = format!("pods are running but don't become ready{warning}");
                return Obstacle::new(why).with_remedy(FIND_OUT_WHY_UNREADY).with_shown(DETAILS, describe());
            }
            ("", [container, others @ ..]) => {
                let subject = match others {
                    [] => format!("container {container} is"),
                    _ => format!("containers {} are", containers.join(" and ")),
                };
                let asks = port.map_or_else(String::new, |port| format!(": {}", port.sentence()));
                let why = format!("pods are running, but {subject} not ready{asks}{warning}");
                let known = port.map(to_do_about_port).or_else(|| self.to_do_about_probe(namespace, &pod.name, last?));
                let find_out = match others {
                    [] => FIND_OUT_WHY_IT_IS_UNREADY,
                    _ => FIND_OUT_WHY_UNREADY,
                };
                let logs = kubectl.logs(namespace, &pod.name, container);
                return match known {
                    Some(known) => Obstacle::new(why).with_remedy(known).or_roll_back_or_show(undo, "its log", logs),
                    None => Obstacle::new(why).with_remedy(find_out).roll_back_or(undo).with_shown("its log", logs),
                };
            }
            (gate, _) => {
                let gate = gate.trim_end_matches('.');
                let why = format!("pods are running, but a readiness gate is not met: {gate}");
                // Its controller has looked at the pods, and found them wanting.
                if !gate.contains(NO_CONDITION)
                    && let Some(to_do) = advice(&UNMET_READINESS_GATES, gate)
                {
                    let obstacle = Obstacle::new(why).with_remedy(to_do);
                    return obstacle.or_roll_back_or_show(undo, DETAILS, describe());
                }
                (why, advice(&READINESS_GATES, gate))
            }
        };
        let unknown = || "find out why its controller does not set the condition to True".into();
        let obstacle = Obstacle::new(why).with_remedy(to_do.unwrap_or_else(unknown));
        obstacle.with_shown(DETAILS, describe())
    }

    /// What to do about a template, with what that takes of a Job: it stays as it was created.
    fn with_new_job(&self, to_do: &str, key: &ObjectKey) -> String {
        if key.kind != Kind::Job {
            return to_do.into();
        }
        let job = self.timeline.initial.get(key);
        let again = match job.and_then(|job| job.metadata().controller_key(Kind::CronJob)) {
            Some(cron_job) => format!("change CronJob {}, and delete the Job", cron_job.name),
            None => String::from("delete it, and create it again"),
        };
        format!("{to_do} (a Job's template can't be changed: {again})")
    }

    /// What to do about a probe of a pod of which a warning says why it fails.
    pub(super) fn to_do_about_probe(&self, namespace: &str, pod: &str, warning: &str) -> Option<String> {
        to_do_about_probe(warning, self.probe_of(namespace, pod, warning))
    }

    /// The probe of a pod that a warning is about; none unless it is certain.
    fn probe_of(&self, namespace: &str, pod: &str, warning: &str) -> Option<NamedProbe<'_>> {
        let (_, name) = *PROBES.iter().find(|(words, _)| warning.contains(words))?;
        let fields = &self.given_pod(namespace, pod)?.spec.fields;
        let containers = fields.containers.iter().chain(&fields.init_containers);
        let mut with_probe = containers.filter(|container| match name {
            READINESS_PROBE => container.readiness_probe.is_some(),
            _ => container.unknown.get(name).is_some(),
        });
        let (container, None) = (with_probe.next()?, with_probe.next()) else { return None };
        let field = |key: &str| match (name, &container.readiness_probe) {
            (READINESS_PROBE, Some(probe)) => probe.unknown.get(key),
            _ => container.unknown.get(name)?.get(key),
        };
        let path = field("httpGet").and_then(|asked| asked.get("path")).and_then(Value::as_str);
        let timeout_seconds = field("timeoutSeconds").and_then(Value::as_i64).unwrap_or(1);
        Some(NamedProbe { name, timeout_seconds, path })
    }

    /// What to do about a pod of a workload that starts for long, if a warning says it, and the command that does it, if there is one.
    pub(super) fn to_do_about(&self, key: &ObjectKey, warning: Option<&str>) -> (Option<String>, Option<String>) {
        let options = self.advice_options(key);
        let stops =
            warning.filter(|warning| is_multi_attach(warning)).and_then(|warning| self.stopping_user(key, warning));
        if let Some(pod) = stops {
            return (Some(format!("wait until pod {pod}, which uses the volume, has stopped")), None);
        }
        let to_do = warning.and_then(|warning| to_do_about_warning(warning, options));
        let waits_for_old_pod = options.old_pod_can_go_first && warning.is_some_and(is_multi_attach);
        let command = waits_for_old_pod.then(|| self.kubectl.patch(key, &old_pod_first(key.kind)));
        (to_do, command)
    }

    /// A pod that uses the volume which a warning names, if it is terminating.
    fn stopping_user<'a>(&self, key: &ObjectKey, warning: &'a str) -> Option<&'a str> {
        let mut users = pods_with_volume(warning);
        users.find(|pod| {
            self.given_pod(&key.namespace, pod).is_some_and(|pod| pod.metadata.deletion_timestamp.is_some())
        })
    }

    /// The other nodes that run the image which a node can't get, as the end of a sentence.
    fn nodes_with_image_of(&self, stuck: &StuckPod) -> String {
        if !stuck.lacks_first_image() {
            return String::new();
        }
        let own = self.given_pod(&stuck.deployment.namespace, &stuck.name);
        let own = own.and_then(|pod| pod.spec.node_name.as_deref());
        let pods = self.timeline.initial.pods().filter(|pod| {
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
        let affinity = self.given_pod(namespace, pod)?.spec.fields.unknown.get("affinity")?;
        let required = at(affinity, &["nodeAffinity", REQUIRED])?;
        let field = list(required, "nodeSelectorTerms").first().and_then(|term| list(term, "matchFields").first())?;
        list(field, "values").first()?.as_str()
    }

    /// What a pod asks of its node that is why it gets none, as a part of a sentence: ` with nodeSelector disktype=ssd`.
    fn wanted_by(&self, pod: &Pod, message: &str, reasons: &BTreeSet<UnschedulableReason>) -> String {
        let fields = &pod.spec.fields;
        let unknown = |key: &str| fields.unknown.get(key).unwrap_or(&Value::Null);
        let affinity = |kind: &str| at(unknown("affinity"), &[kind, REQUIRED]).unwrap_or(&Value::Null);
        let named = |reason: &UnschedulableReason| match reason {
            UnschedulableReason::Room => {
                let resource = insufficient_resource(message)?;
                let requested = |list: &str| {
                    let requests = fields.containers.iter().filter_map(|container| {
                        let amount = at(container.unknown.get("resources")?, &[list, resource])?;
                        Some(amount.as_str().map_or_else(|| amount.to_string(), String::from))
                    });
                    requests.collect::<Vec<String>>().join(" + ")
                };
                // A request that is not given is the limit.
                let amount =
                    [requested("requests"), requested("limits")].into_iter().find(|amount| !amount.is_empty())?;
                Some(format!("{resource} {amount}"))
            }
            UnschedulableReason::Placement => {
                let labels = unknown("nodeSelector").as_object().into_iter().flatten();
                let labels = labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()));
                let labels = labels.collect::<Vec<String>>().join(",");
                let terms = list(affinity("nodeAffinity"), "nodeSelectorTerms").iter();
                let terms = terms.flat_map(|term| list(term, "matchExpressions")).map(requirement_in_words);
                let terms = terms.collect::<Vec<String>>().join(", ");
                let parts = [("nodeSelector", labels), ("nodeAffinity", terms)].into_iter();
                let parts = parts.filter(|(_, part)| !part.is_empty()).map(|(name, part)| format!("{name} {part}"));
                Some(parts.collect::<Vec<String>>().join(" and ")).filter(|parts| !parts.is_empty())
            }
            UnschedulableReason::Spread => {
                let constraint = unknown("topologySpreadConstraints").as_array()?.first()?;
                let (skew, key) = (integer(constraint, "maxSkew").unwrap_or(1), string(constraint, "topologyKey"));
                Some(format!("maxSkew {skew} over topologyKey {key}"))
            }
            UnschedulableReason::Apart | UnschedulableReason::Together => {
                let kind = if *reason == UnschedulableReason::Apart { "podAntiAffinity" } else { "podAffinity" };
                let term = affinity(kind).as_array()?.first()?;
                Some(format!("{kind} over topologyKey {}", string(term, "topologyKey")))
            }
            UnschedulableReason::Cordoned
            | UnschedulableReason::PodCount
            | UnschedulableReason::Taint
            | UnschedulableReason::Port
            | UnschedulableReason::Volume
            | UnschedulableReason::VolumeInUse
            | UnschedulableReason::VolumeCount
            | UnschedulableReason::VolumeElsewhere
            | UnschedulableReason::Devices
            | UnschedulableReason::Other => None,
        };
        let named = reasons.iter().filter_map(named).collect::<Vec<String>>().join(" and ");
        if named.is_empty() { named } else { format!(" with {named}") }
    }

    /// How much the largest node has of a resource of which a pod requests more, in words. None if it could fit a node that is empty.
    pub(super) fn largest_node_for(&self, pod: &Pod, message: &str) -> Option<String> {
        let resource = insufficient_resource(message).filter(|_| self.plan.has_nodes)?;
        let requested = of_pod(pod, List::Requests, resource);
        let mut largest: Option<(i128, &Value)> = None;
        for node in self.plan.nodes() {
            let amount = match resource {
                "cpu" => Some(node.cpu.as_ref()?),
                "memory" => Some(node.memory.as_ref()?),
                _ => node.resources.get(resource),
            };
            let Some((nanos, amount)) = amount.and_then(|amount| Some((nanos(amount)?, amount))) else { continue };
            if largest.is_none_or(|(known, _)| known < nanos) {
                largest = Some((nanos, amount));
            }
        }
        match largest {
            None => Some(format!("no node has {resource}")),
            Some((most, _)) if most >= requested => None,
            Some((_, amount)) => {
                let amount = amount.as_str().map_or_else(|| amount.to_string(), String::from);
                Some(format!("the largest has {amount}"))
            }
        }
    }

    /// The Event of an autoscaler or of the scheduler that says why pods of a workload have no room: of this pod, or of one that made room.
    fn scaling_event_of<'a>(&'a self, pod: &StuckPod) -> Option<&'a str> {
        let ObjectKey { kind, namespace, name } = &pod.deployment;
        let own = self.scaling_events.get(&(namespace.to_string(), pod.name.clone())).and_then(|events| events.last());
        let segments = if *kind == Kind::Deployment { 3 } else { 2 };
        let is_preempted = |(its, events): &(&(String, String), &Vec<String>)| {
            let owner = its.1.rsplitn(segments, '-').last();
            *its.0 == **namespace && owner == Some(&**name) && events.iter().any(|event| event.starts_with(PREEMPTED))
        };
        let preempted = |events: &'a [String]| events.iter().rfind(|event| event.starts_with(PREEMPTED));
        let others = self.scaling_events.iter().find(is_preempted).and_then(|(_, events)| preempted(events));
        own.or(others).map(String::as_str)
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
        let given = self.given_pod(&key.namespace, name);
        let wanted = given.map_or_else(String::new, |pod| self.wanted_by(pod, message, &reasons));
        // What follows says again that nobody can be preempted, or why that would not help.
        let said = AFTER_REASONS.iter().find_map(|words| message.split_once(words)).map_or(message, |(said, _)| said);
        let largest = given.and_then(|pod| self.largest_node_for(pod, message));
        if let Some(largest) = largest {
            let event = self.scaling_event_of(pod).map_or_else(String::new, |event| format!("; {event}"));
            let said = said.trim_end_matches('.');
            let why = format!("no node is large enough for a pod{wanted} ({largest}): {said}{event}");
            let keeps_pods = self.advice_options(key).keeps_pods;
            let also = if keeps_pods {
                "; if you change the template, delete the pod, too: its controller keeps it"
            } else {
                ""
            };
            return Obstacle::new(why).with_remedy(format!("request less, or add a larger node{also}"));
        }
        let why = match self.only_node_of(&key.namespace, name) {
            Some(node) if is_room(&reasons) => format!("node {node} has no room for its pod{wanted}: {said}"),
            Some(node) => format!("the scheduler does not give a pod{wanted} its node {node}: {said}"),
            None if is_room(&reasons) => format!("no node has room for a pod{wanted}: {said}"),
            None => format!("the scheduler finds no node for a pod{wanted}: {said}"),
        };
        if let Some(claim) = message.split_once("persistentvolumeclaim \"").and_then(|(_, rest)| rest.split_once('"')) {
            let (claim, to_do) = match claim {
                (claim, rest) if rest.starts_with(" not found") => {
                    return Obstacle::new(why).with_remedy(format!("create claim {claim}, or correct its name"));
                }
                (claim, _) => (claim, "let the pods go that still use the claim; once it is gone, create it again"),
            };
            let claim = ObjectKey::new(Kind::PersistentVolumeClaim, &*key.namespace, claim);
            return Obstacle::new(why).with_remedy(to_do).with_shown("these pods", kubectl.describe_claim(&claim));
        }
        if let Some(event) = self.scaling_event_of(pod).filter(|_| is_room(&reasons)) {
            let to_do = advice(&SCALING, event).unwrap_or_default();
            return Obstacle::new(format!("{}; {event}", why.trim_end_matches('.'))).with_remedy(to_do);
        }
        let only_node = self.only_node_of(&key.namespace, name);
        let known = KnownAdvice {
            taint: to_do_about_taint(message, &self.taints),
            port: only_node.zip(given).and_then(|(node, pod)| self.to_do_about_host_port(pod, node)),
        };
        // The other nodes are those of its set's other pods.
        let mut reasons = reasons;
        if only_node.is_some() && reasons.len() > 1 {
            reasons.remove(&UnschedulableReason::Placement);
        }
        let has = |reason: UnschedulableReason| reasons.contains(&reason);
        let obstacle = self.obstacle_of_reasons(key, why, &reasons, &known);
        let claims = if has(UnschedulableReason::Devices) {
            "resourceclaims"
        } else if has(UnschedulableReason::Volume) || has(UnschedulableReason::VolumeElsewhere) {
            "persistentvolumeclaims"
        } else {
            return obstacle;
        };
        match obstacle.command {
            None => obstacle.with_shown("its claims", kubectl.get(claims, &key.namespace)),
            Some(_) => obstacle,
        }
    }

    /// What to do about the pod that uses a port on the only node of another one.
    fn to_do_about_host_port(&self, pod: &Pod, node: &str) -> Option<String> {
        let wanted = host_ports(&pod.spec.fields);
        let on_node = self.timeline.initial.pods().filter(|other| {
            other.spec.node_name.as_deref() == Some(node)
                && other.metadata.uid != pod.metadata.uid
                && !other.is_terminal()
        });
        let mut taken = on_node.filter_map(|other| {
            let port =
                host_ports(&other.spec.fields).into_iter().find(|port| wanted.iter().any(|it| it.clashes_with(port)));
            Some((other, port?.port()))
        });
        let (other, port) = taken.next()?;
        let ObjectMeta { namespace, name, .. } = &*other.metadata;
        let name = if *namespace == pod.metadata.namespace { name.to_string() } else { format!("{namespace}/{name}") };
        Some(format!("delete pod {name}, which uses port {port} of node {node}, or do without that port"))
    }

    /// The obstacle if the scheduler finds no node for pods of a workload.
    pub(super) fn obstacle_of_reasons(
        &self,
        key: &ObjectKey,
        why: String,
        reasons: &BTreeSet<UnschedulableReason>,
        known: &KnownAdvice,
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
        let otherwise = options
            .old_pod_can_go_first
            .then(|| to_do(reasons, known, AdviceOptions { old_pod_can_go_first: false, ..options }));
        Obstacle { command, otherwise, ..Obstacle::new(why).with_remedy(to_do(reasons, known, options)) }
    }

    /// Which advice is of use for the pods of a workload.
    pub(super) fn advice_options(&self, key: &ObjectKey) -> AdviceOptions {
        let state = &self.timeline.initial;
        let nothing_to_uncordon = self.plan.has_nodes && self.cordoned_nodes.is_empty();
        let of_kind = match state.get(key) {
            Some(Object::Deployment(deployment)) => AdviceOptions {
                old_pod_can_go_first: is_rolling_update(deployment)
                    && max_unavailable(deployment) == 0
                    && self.pods_of(deployment).iter().any(|pod| self.is_old(deployment, pod)),
                spreads_revisions: spreads_revisions(&deployment.spec.template),
                ..AdviceOptions::default()
            },
            Some(Object::StatefulSet(set)) => AdviceOptions {
                spreads_revisions: spreads_revisions(&set.spec.template),
                keeps_pods: !set.allows_burst(),
                ..AdviceOptions::default()
            },
            Some(Object::DaemonSet(set)) => AdviceOptions {
                old_pod_can_go_first: set.allows_surge(),
                is_on_each_node: true,
                ..AdviceOptions::default()
            },
            _ => AdviceOptions::default(),
        };
        AdviceOptions { nothing_to_uncordon, ..of_kind }
    }
}

/// The resource of which nodes have too little, as the scheduler says it. Names of resources may have dots.
fn insufficient_resource(message: &str) -> Option<&str> {
    let (_, rest) = message.split_once("Insufficient ")?;
    let resource = rest.split([',', ' ']).next()?;
    Some(resource.trim_end_matches('.'))
}

/// Whether a container waits for this because its runtime could not create or start it.
fn is_of_creation(reason: &str) -> bool {
    ["CreateContainerError", "RunContainerError"].contains(&reason)
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
