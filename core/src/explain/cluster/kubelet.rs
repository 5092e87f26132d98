//! Explains what a kubelet does.

use super::super::operands::{NODE_NAME, POD_NAME};
use super::super::{Clause, Reason, Rule, RuleText};
use crate::cluster::decision::{ContainersEnd, KubeletDecision};
use crate::scenario::Duration;

/// Explains a decision.
pub(super) fn explain(decision: &KubeletDecision) -> Reason {
    match decision {
        KubeletDecision::Started { pod, node } => Started { pod, node }.reason(),
        KubeletDecision::Ready { pod } => Ready { pod }.reason(),
        KubeletDecision::ProbedReady { pod, success } => {
            ProbedReady { pod, answers: success.answers, after: success.after }.reason()
        }
        KubeletDecision::StartupFailed { pod, container, failures, restarts: true } => {
            StartupFailed { pod, container, failures: *failures }.reason()
        }
        KubeletDecision::StartupFailed { pod, container, failures, restarts: false } => {
            StartupFailedForGood { pod, container, failures: *failures }.reason()
        }
        KubeletDecision::ReadyAgain { pod } => ReadyAgain { pod }.reason(),
        KubeletDecision::PullFailed { pod, image } => PullFailed { pod, image }.reason(),
        KubeletDecision::PullBackOff { pod, image, back_off } => {
            PullBackOff { pod, image, back_off: *back_off }.reason()
        }
        KubeletDecision::Crashed { pod, container, crashes, back_off } => {
            Crashed { pod, container, crashes: *crashes, back_off: *back_off }.reason()
        }
        KubeletDecision::Restarted { container, pod, restarts } => {
            Restarted { container, pod, restarts: *restarts }.reason()
        }
        KubeletDecision::Succeeded { pod } => Succeeded { pod }.reason(),
        KubeletDecision::Failed { pod, container, exit_code } => {
            Failed { pod, container, exit_code: *exit_code }.reason()
        }
        KubeletDecision::ContainerFailed { pod, container, exit_code } => {
            ContainerFailed { pod, container, exit_code: *exit_code }.reason()
        }
        KubeletDecision::ContainerCreating { pod, volume } => ContainerCreating { pod, volume }.reason(),
        KubeletDecision::PreStopped { pod, seconds, left } => {
            PreStopped { pod, seconds: *seconds, left: *left }.reason()
        }
        KubeletDecision::Gone { pod, end, seconds, grace } => {
            Gone { pod, end: EndClause::of(*end), seconds: *seconds, grace: *grace }.reason()
        }
        KubeletDecision::Held { pod, end, seconds, grace } => {
            Held { pod, end: EndClause::of(*end), seconds: *seconds, grace: *grace }.reason()
        }
    }
}

/// How the containers of a terminating pod end.
#[derive(Clone, Copy, Clause)]
enum EndClause {
    /// None of them ran.
    #[clause("ended")]
    NotRunning,
    /// They took less than the grace period.
    #[clause("stopped")]
    Stopped,
    /// The grace period was over.
    #[clause("was killed")]
    Killed,
}

impl EndClause {
    const fn of(end: ContainersEnd) -> Self {
        match end {
            ContainersEnd::NotRunning => Self::NotRunning,
            ContainersEnd::Stopped => Self::Stopped,
            ContainersEnd::Killed => Self::Killed,
        }
    }
}

/// The containers have started.
#[derive(Rule)]
#[rule(
    id = "kubelet.started",
    upstream = "pkg/kubelet/kubelet_pods.go generateAPIPodStatus",
    sentence = "The containers of {pod} run on Node {node}; the pod is not ready yet."
)]
struct Started<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(NODE_NAME)]
    node: &'a str,
}

/// The pod is ready.
#[derive(Rule)]
#[rule(
    id = "kubelet.ready",
    upstream = "pkg/kubelet/status/generate.go GeneratePodReadyCondition",
    sentence = "{pod} is ready."
)]
struct Ready<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// The pod is ready at the probe that it needed.
#[derive(Rule)]
#[rule(
    id = "kubelet.ready.probe",
    upstream = "pkg/kubelet/prober/worker.go worker.doProbe",
    sentence = "{pod} is ready {after} after its start: its containers take {answers} to answer probes, and this probe reaches the successThreshold."
)]
struct ProbedReady<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(
        source = "from the start of its containers to the probe: period, initial delay and the successes needed are set in the pod template"
    )]
    after: Duration,
    #[operand(source = "how long its containers take until they answer, as the scenario says")]
    answers: Duration,
}

/// A container does not answer its startup probe in time.
#[derive(Rule)]
#[rule(
    id = "kubelet.startup-failed",
    upstream = "pkg/kubelet/prober/worker.go worker.doProbe",
    sentence = "Container {container} of {pod} failed its startup probe {failures} time(s) in a row: the kubelet kills and restarts it."
)]
struct StartupFailed<'a> {
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "how many failures in a row the startup probe allows, as the pod template says")]
    failures: i64,
}

/// The same, in a pod that starts no container again.
#[derive(Rule)]
#[rule(
    id = "kubelet.startup-failed.for-good",
    upstream = "pkg/kubelet/prober/worker.go worker.doProbe",
    sentence = "Container {container} of {pod} failed its startup probe {failures} time(s) in a row: the kubelet kills it."
)]
struct StartupFailedForGood<'a> {
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "how many failures in a row the startup probe allows, as the pod template says")]
    failures: i64,
}

/// The pod's kubelet, which is heard of again, never took it for anything but ready.
#[derive(Rule)]
#[rule(
    id = "kubelet.ready-again",
    upstream = "pkg/kubelet/status/status_manager.go needsReconcile",
    sentence = "{pod} is ready, as it has been all along: its kubelet reports again."
)]
struct ReadyAgain<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// An image can't be pulled.
#[derive(Rule)]
#[rule(
    id = "kubelet.pull-failed",
    upstream = "pkg/kubelet/images/image_manager.go imageManager.pullImage",
    sentence = "{pod} can't start: its image {image} can't be pulled (ErrImagePull)."
)]
struct PullFailed<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the image of its first container")]
    image: &'a str,
}

/// The kubelet waits before it pulls again.
#[derive(Rule)]
#[rule(
    id = "kubelet.pull-back-off",
    upstream = "pkg/kubelet/images/image_manager.go imageManager.pullImage",
    sentence = "{pod} waits {back_off} before the kubelet pulls its image {image} again (ImagePullBackOff)."
)]
struct PullBackOff<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the image of its first container")]
    image: &'a str,
    #[operand(source = "10 s, doubling each time up to 300 s")]
    back_off: Duration,
}

/// A container has crashed, and waits before it is started again.
#[derive(Rule)]
#[rule(
    id = "kubelet.crashed",
    upstream = "pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.doBackOff",
    sentence = "{pod} is not ready: container {container} has crashed {crashes} time(s) and restarts after {back_off} (CrashLoopBackOff)."
)]
struct Crashed<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(source = "how often it has crashed")]
    crashes: u32,
    #[operand(source = "10 s, doubling each time up to 300 s")]
    back_off: Duration,
}

/// A container that crashed is started again.
#[derive(Rule)]
#[rule(
    id = "kubelet.restarted",
    upstream = "pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.computePodActions",
    sentence = "Container {container} of {pod} restarts: its restartCount is now {restarts}."
)]
struct Restarted<'a> {
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "restarts of the container")]
    restarts: i32,
}

/// The pod has done what it was for.
#[derive(Rule)]
#[rule(
    id = "kubelet.succeeded",
    upstream = "pkg/kubelet/kubelet_pods.go getPhase",
    sentence = "{pod} has succeeded: all its containers ended with exit code 0."
)]
struct Succeeded<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
}

/// The pod has failed.
#[derive(Rule)]
#[rule(
    id = "kubelet.failed",
    upstream = "pkg/kubelet/kubelet_pods.go getPhase",
    sentence = "{pod} has failed: container {container} ended with exit code {exit_code}, and no container is restarted."
)]
struct Failed<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the first container that ended with an error")]
    container: &'a str,
    #[operand(source = "its exit code")]
    exit_code: i32,
}

/// A container has failed, and the pod runs on.
#[derive(Rule)]
#[rule(
    id = "kubelet.container-failed",
    upstream = "pkg/kubelet/kubelet_pods.go getPhase",
    sentence = "Container {container} of {pod} ended with exit code {exit_code} and is not restarted: the pod fails once the others have ended."
)]
struct ContainerFailed<'a> {
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "its exit code")]
    exit_code: i32,
}

/// The pod waits for it.
#[derive(Rule)]
#[rule(
    id = "kubelet.container-creating",
    upstream = "pkg/kubelet/kubelet_pods.go Kubelet.convertToAPIContainerStatuses",
    sentence = "{pod} stays in ContainerCreating until it has its volume {volume}."
)]
struct ContainerCreating<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "the volume of its PersistentVolumeClaim")]
    volume: &'a str,
}

/// The preStop hook is over.
#[derive(Rule)]
#[rule(
    id = "kubelet.pre-stop",
    upstream = "pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.killContainer",
    sentence = "The preStop hook of {pod} took {seconds} s: now its containers get the stop signal and have {left} s left."
)]
struct PreStopped<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "time since the request to delete it")]
    seconds: i64,
    #[operand(source = "what is left of the grace period, at least 2 s")]
    left: i64,
}

/// The pod is gone.
#[derive(Rule)]
#[rule(
    id = "kubelet.gone",
    upstream = "pkg/kubelet/status/status_manager.go syncPod",
    sentence = "{pod} {end} after {seconds} s (grace period: {grace} s) and is gone."
)]
struct Gone<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[clause]
    end: EndClause,
    #[operand(source = "time since the request to delete it")]
    seconds: i64,
    #[operand(source = "its terminationGracePeriodSeconds, at least 2 s")]
    grace: i64,
}

/// The pod has ended, and stays until its finalizers are gone.
#[derive(Rule)]
#[rule(
    id = "kubelet.held",
    upstream = "pkg/kubelet/status/status_manager.go TerminatePod",
    sentence = "{pod} {end} after {seconds} s (grace period: {grace} s): it has failed, and stays until its finalizer is removed."
)]
struct Held<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[clause]
    end: EndClause,
    #[operand(source = "time since the request to delete it")]
    seconds: i64,
    #[operand(source = "its terminationGracePeriodSeconds, at least 2 s")]
    grace: i64,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Started::TEXT,
    Ready::TEXT,
    ProbedReady::TEXT,
    StartupFailed::TEXT,
    StartupFailedForGood::TEXT,
    ReadyAgain::TEXT,
    PullFailed::TEXT,
    PullBackOff::TEXT,
    Crashed::TEXT,
    Restarted::TEXT,
    Succeeded::TEXT,
    Failed::TEXT,
    ContainerFailed::TEXT,
    ContainerCreating::TEXT,
    PreStopped::TEXT,
    Gone::TEXT,
    Held::TEXT,
];
