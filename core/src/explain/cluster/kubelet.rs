//! Explains what a kubelet does.

use super::super::operands::{NODE_NAME, POD_NAME};
use super::super::{Reason, Rule, RuleText};
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
        KubeletDecision::StartupFailed { pod, container, failures } => {
            StartupFailed { pod, container, failures: *failures }.reason()
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
        KubeletDecision::ContainerCreating { pod, volume } => ContainerCreating { pod, volume }.reason(),
        KubeletDecision::PreStopped { pod, seconds, left } => {
            PreStopped { pod, seconds: *seconds, left: *left }.reason()
        }
        KubeletDecision::Gone { pod, end, seconds, grace } => {
            let end = match end {
                ContainersEnd::NotRunning => "ended",
                ContainersEnd::Stopped => "stopped",
                ContainersEnd::Killed => "was killed",
            };
            Gone { pod, end, seconds: *seconds, grace: *grace }.reason()
        }
    }
}

/// The containers have started.
#[derive(Rule)]
#[rule(
    id = "kubelet.started",
    upstream = "pkg/kubelet/kubelet_pods.go generateAPIPodStatus",
    sentence = "The containers of {pod} run on {node}; it is not ready yet."
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
    sentence = "{pod} is ready {after} after its start: it answers after {answers}, and this is the first probe since then that counts."
)]
struct ProbedReady<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(
        source = "from the start of its containers to the probe: period, initial delay and the successes needed are set in the pod template"
    )]
    after: Duration,
    #[operand(source = "how long its containers take until they answer: the scenario says it")]
    answers: Duration,
}

/// A container does not answer its startup probe in time.
#[derive(Rule)]
#[rule(
    id = "kubelet.startup-failed",
    upstream = "pkg/kubelet/prober/worker.go worker.doProbe",
    sentence = "{container} of {pod} failed its startup probe {failures} time(s) in a row: the kubelet kills it and starts it again."
)]
struct StartupFailed<'a> {
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "how many failures in a row the startup probe allows: the pod template sets it")]
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
    sentence = "{pod} is not ready: container {container} failed ({crashes} in all) and starts again after {back_off} (CrashLoopBackOff)."
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
    sentence = "Container {container} of {pod} starts again: restart {restarts}."
)]
struct Restarted<'a> {
    #[operand(source = "its first container")]
    container: &'a str,
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(source = "restarts of the container")]
    restarts: i32,
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
    #[operand(source = "what is left of the grace period; 2 s in any case")]
    left: i64,
}

/// The pod is gone.
#[derive(Rule)]
#[rule(
    id = "kubelet.gone",
    upstream = "pkg/kubelet/status/status_manager.go syncPod",
    sentence = "{pod} {end} after {seconds} of at most {grace} seconds of grace: it is gone."
)]
struct Gone<'a> {
    #[operand(POD_NAME)]
    pod: &'a str,
    #[operand(
        source = "stopped: its containers took less than the grace period; was killed: the grace period was over; ended: none of them ran"
    )]
    end: &'a str,
    #[operand(source = "time since the request to delete it")]
    seconds: i64,
    #[operand(source = "its terminationGracePeriodSeconds, and 2 s in any case")]
    grace: i64,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Started::TEXT,
    Ready::TEXT,
    ProbedReady::TEXT,
    StartupFailed::TEXT,
    ReadyAgain::TEXT,
    PullFailed::TEXT,
    PullBackOff::TEXT,
    Crashed::TEXT,
    Restarted::TEXT,
    ContainerCreating::TEXT,
    PreStopped::TEXT,
    Gone::TEXT,
];
