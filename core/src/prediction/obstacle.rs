//! What blocks a rollout of a running cluster, in words.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::advice::{
    ATTACHED_ELSEWHERE, CREATION_FAILURES, FAILED_PODS, LAST_WORDS, NO_IMAGE, PROBE_FAILURES, PULL_FAILURES,
    START_FAILURES, ToDo, advice, on_nodes,
};
use super::job_signs::FailedRun;
use super::kubectl::Kubectl;
use super::unschedulable_reason::AdviceOptions;
use crate::collect_tree::CollectTree;
use crate::foreign_text::is_direction_mark;
use crate::json::ToJson;
use crate::object::{ObjectKey, Pod, Time};
use crate::scenario::{
    CRASH_LOOP_BACK_OFF, ContainerRole, Crash, Duration, FailedPods, OOM_KILLED, ProbePort, is_missing,
};
use crate::workload::deployment::Deployment;
use crate::workload::job::Job;

/// Where to find out why a pod neither starts nor stops.
pub(super) const LOOK_AT_EVENTS: &str = "look at its events";

/// Where to find out why a container ends.
pub(super) const LOOK_AT_LOG: &str = "repair the error in the log of its last run";

/// What a command shows of a pod that says no more.
pub(super) const DETAILS: &str = "details";

/// The gates and labels of Kueue, which admits pods and Jobs once their queue has room.
pub(super) const KUEUE: &str = "kueue.x-k8s.io/";

/// The label with the queue of a pod or a Job.
pub(super) const KUEUE_QUEUE: &str = "kueue.x-k8s.io/queue-name";

/// What to do about a pod that runs and is not ready.
pub(super) const FIND_OUT_WHY_IT_IS_UNREADY: &str = "find out why it is not ready";

/// The same of several.
pub(super) const FIND_OUT_WHY_UNREADY: &str = "find out why they are not ready";

/// The reason of the Event that an image is being pulled, which is no warning.
pub(super) const PULLING: &str = "Pulling";

/// What a container waits for whose postStart hook failed, and the reason of its kubelet's Event.
///
/// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer`
pub(super) const POST_START_HOOK_ERROR: &str = "PostStartHookError";
pub(super) const FAILED_POST_START_HOOK: &str = "FailedPostStartHook";

/// What to do about such a hook.
pub(super) const CORRECT_POST_START_HOOK: &str = "correct its postStart hook";

/// Why a container could not be started at all: there are no logs of it.
const NEVER_STARTED: [&str; 3] = ["StartError", "ContainerCannotRun", "RunContainerError"];

/// The finalizer of an object that goes once all that it owns is gone.
const FOREGROUND: &str = "foregroundDeletion";

/// The finalizer of an object that goes alone.
const ORPHAN: &str = "orphan";

/// The longest message of another component, in characters.
const MAX_MESSAGE: usize = 400;

/// How much of a longer message is its start: errors are chains, which end with the cause.
const START_OF_MESSAGE: usize = 120;

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
    /// What to write into the workload's manifest, as YAML, if a tool applies it; absent otherwise.
    #[json(omitempty)]
    pub manifest: Option<String>,
    /// What would unblock it if no old pod can go first; absent if that is no part of the remedy.
    #[serde(skip)]
    pub(super) otherwise: Option<String>,
}

/// How a workload is rolled back.
#[derive(Clone, Debug)]
pub(super) struct Rollback {
    pub(super) command: String,
    /// It as a part of a sentence: `roll back`.
    pub(super) words: String,
    /// Whether it needs new pods.
    pub(super) needs_pods: bool,
}

impl Rollback {
    /// To this revision, or, if it is 0, to the one before the current one.
    pub(super) fn new(key: &ObjectKey, revision: i64, kubectl: &Kubectl) -> Self {
        let words = match revision {
            0 => String::from("roll back"),
            revision => format!("roll back to revision {revision}, the last with ready pods"),
        };
        Self { command: kubectl.undo(key, revision), words, needs_pods: true }
    }

    /// The same with the deletion of a pod that its controller does not replace.
    pub(super) fn with_deletion(&self, pod: &str, delete: &str) -> Self {
        let Self { command, words, needs_pods } = self;
        Self {
            command: format!("{command} && {delete}"),
            words: format!("{words} and delete pod {pod}"),
            needs_pods: *needs_pods,
        }
    }
}

impl ProbePort {
    /// `its readinessProbe asks port 8080, and it declares only 8443`
    pub(super) fn sentence(&self) -> String {
        let Self { probe, port, is_name, declared } = self;
        match (is_name, declared.as_slice()) {
            (_, []) => format!("its {probe} asks port {port}, and it has none"),
            (true, declared) => {
                format!("its {probe} asks port {port}, and its ports are named {}", declared.join(", "))
            }
            (false, declared) => format!("its {probe} asks port {port}, and it declares only {}", declared.join(", ")),
        }
    }
}

impl Obstacle {
    pub(super) fn new(why: impl Into<String>) -> Self {
        Self { why: in_one_line(&why.into()), remedy: None, command: None, manifest: None, otherwise: None }
    }

    pub(super) fn with_remedy(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(in_one_line(&remedy.into())), ..self }
    }

    pub(super) fn with_command(self, command: String) -> Self {
        Self { command: Some(command), ..self }
    }

    /// A command that only shows something: `what`, as in `its log`.
    pub(super) fn with_shown(self, what: &str, command: String) -> Self {
        let remedy = self.remedy.map_or_else(|| what.into(), |remedy| format!("{remedy}; {what}"));
        Self { remedy: Some(remedy), command: Some(command), ..self }
    }

    /// The same with a rollback as the last advice.
    pub(super) fn or_roll_back(self, undo: &Rollback) -> Self {
        let remedy = self.remedy.map_or_else(|| undo.words.clone(), |remedy| format!("{remedy}, or {}", undo.words));
        Self { remedy: Some(remedy), command: Some(undo.command.clone()), ..self }
    }

    /// The same with a rollback as the first advice.
    pub(super) fn roll_back_or(self, undo: Option<&Rollback>) -> Self {
        let Some(undo) = undo else { return self };
        Self { remedy: self.remedy.map(|remedy| format!("{}, or {remedy}", undo.words)), ..self }
    }

    /// The same with a rollback as the last advice, or else a command that only shows something.
    pub(super) fn or_roll_back_or_show(self, undo: Option<&Rollback>, what: &str, command: String) -> Self {
        match undo {
            Some(undo) => self.or_roll_back(undo),
            None => self.with_shown(what, command),
        }
    }

    /// The same of what waits for Kueue in this queue. `it_goes_on`: what Kueue does then, and what a user had better leave to it.
    pub(super) fn of_kueue(
        self,
        them: &str,
        it_goes_on: [&str; 2],
        namespace: &str,
        queue: Option<&str>,
        kubectl: &Kubectl,
    ) -> Self {
        let queue = queue.map_or_else(|| "its queue".into(), |queue| format!("LocalQueue {queue}"));
        let why = format!("{}: Kueue has not admitted {them} to {queue}", self.why);
        let [goes_on, by_hand] = it_goes_on;
        let remedy = format!(
            "wait, or give the ClusterQueue of {queue} more quota: Kueue {goes_on} when there is quota, so do not {by_hand} yourself"
        );
        let workloads = kubectl.get("workloads.kueue.x-k8s.io", namespace);
        Self { why, ..self }.with_remedy(remedy).with_shown("its Workloads", workloads)
    }

    /// That a Deployment is being deleted, and what that means for its pods. Its controller then only writes its status.
    pub(super) fn of_deletion(deployment: &Deployment) -> Self {
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

    /// That pods of a set keep an older template because of its update strategy.
    pub(super) fn of_pods_until_deletion(old: i32) -> Self {
        let them = match old {
            1 => String::from("1 pod of an older template will stay until it is"),
            old => format!("{old} pods of an older template will stay until they are"),
        };
        Self::new(format!("its update strategy is OnDelete: {them} deleted"))
            .with_remedy("delete them one after another, each once the one before is ready again")
    }

    /// That pods stay on a node that may be gone. Whether it is, only a look at the node tells.
    pub(super) fn of_silent_node(why: String, node: &str, kubectl: &Kubectl) -> Self {
        let remedy = "bring it back, or, as a last resort, delete that node if it is switched off for good";
        Self::new(why).with_remedy(remedy).with_shown("its state", kubectl.describe_node(node))
    }

    /// That finalizers keep a terminating pod.
    pub(super) fn of_finalizers(pod: &Pod, kubectl: &Kubectl) -> Self {
        let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
        let finalizers = &pod.metadata.finalizers;
        let why = format!("terminating pod {name} stays until its finalizers are removed: {}", finalizers.join(", "));
        let foreign: Vec<(usize, &str)> = foreign_finalizers(pod).collect();
        let [first @ (_, finalizer), others @ ..] = foreign.as_slice() else {
            return Self::new(why).with_remedy("wait for the garbage collector, which removes them");
        };
        let which = if others.is_empty() { String::from("it") } else { format!("{finalizer} alone") };
        let remedy = format!(
            "check that the controller of {finalizer} runs, or, as a last resort, if that is gone for good, remove {which}: what it should have cleaned up stays"
        );
        Self::new(why).with_remedy(remedy).with_command(kubectl.remove_finalizers(
            namespace,
            name,
            [*first].into_iter(),
        ))
    }

    /// That pods ended because their node evicted or refused them.
    pub(super) fn of_failed_pods(failed: &FailedPods, now: Time) -> Self {
        let FailedPods { reason, message, count, nodes, last, .. } = failed;
        let pods = if *count == 1 { String::from("1 pod has failed") } else { format!("{count} pods have failed") };
        let ago = last.map(|last| Duration(now.since(last).max(0)).in_words());
        let pods = match (ago, count) {
            (None, _) => pods,
            (Some(ago), 1) => format!("1 pod failed {ago} ago"),
            (Some(ago), _) => format!("{pods}, the last {ago} ago"),
        };
        let remedy = advice(&FAILED_PODS, &format!("{reason}: {message}")).unwrap_or_default();
        Self::new(format!("{pods}: {reason}{}", details(message)))
            .with_remedy(on_nodes(&remedy, &nodes.iter().map(String::as_str).collect_tree()))
    }

    /// That a container of a Job's pod ended so that the pod failed.
    /// `again`: how the Job is tried again.
    pub(super) fn of_failed_run(run: &FailedRun, job: &Job, again: &str, kubectl: &Kubectl) -> Self {
        let FailedRun { pod, container, role, crash, .. } = run;
        let pods = match job.status.failed {
            ..=1 => String::from("1 pod has"),
            pods => format!("{pods} pods have"),
        };
        let container_in_words = container_in_words(container, *role);
        let why = format!(
            "{pods} failed: {container_in_words} ended with {}{}",
            end_in_words(crash),
            details(crash.message.trim())
        );
        let to_do = match to_do_about_crash("", crash, None) {
            ToDo::Known(to_do) => to_do,
            ToDo::SeeLog { .. } => String::from("repair the error in the log of the last one"),
        };
        Self::new(why)
            .with_remedy(format!("{to_do}, then {again}"))
            .with_shown("its log", kubectl.logs(&job.metadata.namespace, pod, container))
    }

    /// The same of pods of an older template.
    pub(super) fn of_old_pods(self) -> Self {
        Self { why: format!("in old pods, {}", self.why), ..self }
    }

    /// That a container is started again and again.
    pub(super) fn of_crash(container: &str, role: ContainerRole, reason: &str, message: &str, crash: &Crash) -> Self {
        let said = match (crash.message.is_empty(), reason) {
            (false, _) => crash.message.as_str(),
            // The back-off's own sentence names the pod and its uid, and nothing else.
            (true, CRASH_LOOP_BACK_OFF) => "",
            (true, _) => message,
        };
        let said = if said.trim().is_empty() { String::new() } else { format!(": {}", shortened(said)) };
        Self::new(format!("{}{said}", crash_in_words(container, role, crash)))
    }
}

/// The container with the word for what it is in its pod: `init container wait-for-db`
pub(super) fn container_in_words(container: &str, role: ContainerRole) -> String {
    let kind = match role {
        ContainerRole::Init => "init container",
        ContainerRole::Sidecar => "sidecar container",
        ContainerRole::Main => "container",
    };
    format!("{kind} {container}")
}

/// Whether a container never ran that ended so: it has no logs.
fn has_never_run(reason: &str, crash: &Crash) -> bool {
    [reason, &crash.reason].iter().any(|reason| NEVER_STARTED.contains(reason))
}

/// How a container ends: `container web fails again and again: OOMKilled, exit code 137, 5 restarts`.
fn crash_in_words(container: &str, role: ContainerRole, crash: &Crash) -> String {
    let Crash { exit_code, restarts, .. } = crash;
    let container = container_in_words(container, role);
    let restarts_in_words = if *restarts == 1 { String::from("1 restart") } else { format!("{restarts} restarts") };
    if *exit_code == 0 {
        return format!(
            "{container} ends again and again without an error (exit code 0, {restarts_in_words}): its command does not keep running"
        );
    }
    let fails = if *restarts == 1 { "has failed" } else { "fails again and again" };
    format!("{container} {fails}: {}, {restarts_in_words}", end_in_words(crash))
}

/// How a container ended: `OOMKilled, exit code 137`.
fn end_in_words(crash: &Crash) -> String {
    let Crash { reason, exit_code, .. } = crash;
    let reason = if reason.is_empty() { String::new() } else { format!("{reason}, ") };
    let meaning = match exit_code {
        126 => " (its command can't be executed)",
        127 => " (its command was not found)",
        137 | 143 if crash.is_killed_while_starting() => " (its startup probe did not succeed in time)",
        137 if crash.reason != OOM_KILLED && crash.liveness_seconds.is_some() => {
            " (killed, as after a livenessProbe that fails)"
        }
        137 if crash.reason != OOM_KILLED => " (killed)",
        139 => " (segmentation fault)",
        143 => " (stopped by SIGTERM, as after a probe that fails)",
        _ => "",
    };
    format!("{reason}exit code {exit_code}{meaning}")
}

/// What to do about a container that ends.
/// `warning`: the last one about a probe that ends containers, and the probe.
pub(super) fn to_do_about_crash(reason: &str, crash: &Crash, warning: Option<(&str, Option<NamedProbe<'_>>)>) -> ToDo {
    if crash.exit_code == 0 {
        return ToDo::Known(String::from("give it a command that keeps running, or run the task as a Job"));
    }
    if has_never_run(reason, crash) {
        return ToDo::Known(to_do_about_creation(&crash.message));
    }
    if reason == POST_START_HOOK_ERROR || warning.is_some_and(|(warning, _)| warning.contains(FAILED_POST_START_HOOK)) {
        return ToDo::Known(String::from(CORRECT_POST_START_HOOK));
    }
    if let Some(seconds) = crash.startup_seconds.filter(|_| crash.is_killed_while_starting()) {
        let time = Duration::seconds(seconds).in_words();
        return ToDo::Known(format!(
            "raise failureThreshold of its startupProbe, which gives it {time}, or let it start faster"
        ));
    }
    if let Some((warning, probe)) = warning.filter(|(warning, _)| warning.contains("Liveness probe")) {
        if let Some(port) = crash.port.as_ref().filter(|_| !is_answer(warning)) {
            return ToDo::Known(to_do_about_port(port));
        }
        // One that refuses connections may still be starting.
        if let Some(to_do) = to_do_about_probe(warning, probe).filter(|_| !warning.contains("connection refused")) {
            return ToDo::Known(to_do);
        }
        if let Some(seconds) = crash.liveness_seconds {
            let time = Duration::seconds(seconds).in_words();
            let more_time = format!(
                "give it more time with a startupProbe, if it starts longer than the {time} of its livenessProbe"
            );
            return ToDo::SeeLog { try_first: Some(more_time) };
        }
    }
    match (&crash.memory_limit, crash.exit_code) {
        (Some(limit), _) if crash.reason == OOM_KILLED => {
            ToDo::Known(format!("raise its memory limit of {limit}, or let it use less"))
        }
        (None, _) if crash.reason == OOM_KILLED => ToDo::Known(String::from(
            "it has no memory limit, so its node ran out of memory: request memory for it, or let it use less",
        )),
        (_, 126 | 127) => ToDo::Known(String::from("correct its command, or use an image that has it")),
        _ => advice(&LAST_WORDS, &crash.message).map_or(ToDo::SeeLog { try_first: None }, ToDo::Known),
    }
}

/// What to do about a container that its runtime can't create or start.
pub(super) fn to_do_about_creation(message: &str) -> String {
    advice(&CREATION_FAILURES, message).unwrap_or_else(|| "correct its command, its image or its mounts".into())
}

/// What to do about a container whose configuration can't be read.
///
/// Upstream: `pkg/kubelet/kubelet_pods.go makeEnvironmentVariables`, `pkg/kubelet/kuberuntime/security_context_others.go verifyRunAsNonRoot`
pub(super) fn to_do_about_config(message: &str) -> String {
    if message.contains("runAsNonRoot") {
        return String::from(
            "set runAsUser in its securityContext to a number other than 0, or use an image with such a USER",
        );
    }
    to_do_about_missing(message).unwrap_or_else(|| String::from("create what it refers to, or correct the reference"))
}

/// The kinds that pods refer to, as kubelets and the API server write them.
const REFERRED: [(&str, &str); 5] = [
    ("configmap", "ConfigMap"),
    ("secret", "Secret"),
    ("serviceaccount", "ServiceAccount"),
    ("serviceaccounts", "ServiceAccount"),
    ("persistentvolumeclaim", "PersistentVolumeClaim"),
];

/// What to create if a message names an object, or a key of one, that does not exist.
///
/// Upstream: `pkg/kubelet/kubelet_pods.go makeEnvironmentVariables`
fn to_do_about_missing(message: &str) -> Option<String> {
    if let Some((_, missing)) = message.split_once("references non-existent ") {
        let (kind, key) = missing.split_once(" key: ")?;
        let kind = if kind == "secret" { "Secret" } else { "ConfigMap" };
        let volume = message.split_once("volume \"").and_then(|(_, rest)| rest.split_once('"'));
        let of_volume = volume.map_or_else(String::new, |(volume, _)| format!(" of volume {volume}"));
        return Some(format!("add key {key} to the {kind}{of_volume}, or correct the reference"));
    }
    if let Some((key, object)) = message.split_once("find key ").and_then(|(_, rest)| rest.split_once(" in ")) {
        let (kind, name) = object.split_once(' ')?;
        let name = name.split_once('/').map_or(name, |(_, name)| name);
        return Some(format!("add key {key} to {kind} {name}, or correct the reference"));
    }
    REFERRED.iter().find_map(|(resource, kind)| {
        let (_, rest) = message.split_once(&format!("{resource} \""))?;
        let (name, _) = rest.split_once("\" not found")?;
        (!name.contains('"')).then(|| format!("create {kind} {name}, or correct the reference"))
    })
}

/// Whether a warning about a probe says that the container has answered it.
pub(super) fn is_answer(warning: &str) -> bool {
    warning.contains("probe failed with statuscode: ")
}

/// What to do about a probe of which a warning says why it fails. `probe`: the probe, if the pod has it.
pub(super) fn to_do_about_probe(warning: &str, probe: Option<NamedProbe<'_>>) -> Option<String> {
    let to_do = advice(&PROBE_FAILURES, warning).filter(|_| warning.starts_with("Unhealthy: "))?;
    let Some(NamedProbe { name, timeout_seconds, path }) = probe else { return Some(to_do) };
    let named = match path {
        Some(path) if to_do.contains("the path of its probe") => format!("path {path} of its {name}"),
        _ => format!("its {name}"),
    };
    let to_do = to_do.replace("the path of its probe", "its probe").replace("its probe", &named);
    Some(to_do.replace("timeoutSeconds of", &format!("timeoutSeconds ({timeout_seconds} s) of")))
}

/// A probe of a container, as its pod has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedProbe<'a> {
    /// The field of the container with it.
    pub(super) name: &'static str,
    /// How long it waits for an answer.
    pub(super) timeout_seconds: i64,
    /// What it asks over HTTP.
    pub(super) path: Option<&'a str>,
}

/// What to do about an image that can't be pulled.
pub(super) fn to_do_about_pull(said: &str) -> String {
    let known = advice(&PULL_FAILURES, said).or_else(|| advice(&[NO_IMAGE], said));
    known.unwrap_or_else(|| "correct the image's name or the access to its registry".into())
}

/// What to do about a probe that asks a port in vain.
pub(super) fn to_do_about_port(port: &ProbePort) -> String {
    let ProbePort { probe, port, is_name, declared } = port;
    match declared.as_slice() {
        _ if *is_name => format!("name a port of the container {port}, or correct the {probe}"),
        [only] => format!("let the {probe} ask port {only}, or the container listen on port {port}"),
        _ => format!("correct the port of the {probe}, or let the container listen on port {port}"),
    }
}

/// The nodes of pods.
pub(super) fn nodes_of<'a>(pods: &[&'a Pod]) -> BTreeSet<&'a str> {
    pods.iter().filter_map(|pod| pod.spec.node_name.as_deref()).collect_tree()
}

/// The finalizers of a pod with their indexes, without those that the garbage collector removes.
pub(super) fn foreign_finalizers(pod: &Pod) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    let finalizers = pod.metadata.finalizers.iter().map(|finalizer| &**finalizer).enumerate();
    finalizers.filter(|(_, finalizer)| ![FOREGROUND, ORPHAN].contains(finalizer))
}

/// Whether a warning says that a pod's volume is attached to the node of another pod.
pub(super) fn is_multi_attach(warning: &str) -> bool {
    warning.starts_with("FailedAttachVolume: ") && warning.contains("Multi-Attach error")
}

/// What to do about a pod whose start a kubelet warns of; none if only its words say that.
pub(super) fn to_do_about_warning(warning: &str, options: AdviceOptions) -> Option<String> {
    let (reason, message) = warning.split_once(": ")?;
    match reason {
        PULLING => {
            Some("wait, or use a smaller image; if it always takes so long, raise progressDeadlineSeconds".into())
        }
        "FailedMount" if is_missing(message) => to_do_about_missing(message)
            .or_else(|| Some(String::from("create what the volume refers to, or correct the reference"))),
        _ if is_multi_attach(warning) && options.old_pod_can_go_first => Some(String::from(
            "let the pod that uses the volume go first (strategy Recreate, or maxSurge 0), or use a volume that several nodes can attach",
        )),
        _ if is_multi_attach(warning) => advice(&[ATTACHED_ELSEWHERE], message),
        _ => advice(&START_FAILURES, warning),
    }
}

/// A message as the end of a sentence.
pub(super) fn details(message: &str) -> String {
    if message.is_empty() { String::new() } else { format!(": {}", shortened(message)) }
}

fn shortened(message: &str) -> String {
    let message = in_one_line(message);
    if message.chars().count() <= MAX_MESSAGE {
        return message;
    }
    let end = MAX_MESSAGE.saturating_sub(START_OF_MESSAGE).saturating_sub(" ... ".len());
    let start: String = message.chars().take(START_OF_MESSAGE).collect();
    let end: String = message.chars().skip(message.chars().count().saturating_sub(end)).collect();
    // A chain goes on with a whole part.
    let end = end.split_once(": ").map_or(end.as_str(), |(_, whole)| whole);
    format!("{} ... {}", start.trim_end(), end.trim_start())
}

/// The text in one line, without characters that control a terminal or turn the direction of what follows: users of the cluster
/// choose names and messages.
fn in_one_line(text: &str) -> String {
    let clean: String =
        text.chars().filter(|c| !is_direction_mark(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if clean == text { clean } else { clean.split_whitespace().collect::<Vec<_>>().join(" ") }
}
