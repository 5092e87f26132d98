//! Containers start: images are pulled, and a container that crashes is started again, each after ever longer waits.
//!
//! Ported from `github.com/distribution/reference` (Apache-2.0, see NOTICE).

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::container_end::RestartPolicy;
use super::timing::Stage;
use crate::apiserver::split_docker_domain;
use crate::cluster::decision::KubeletDecision;
use crate::cluster::event_queue::SimEvent;
use crate::cluster::pod_status::{container_statuses, ready_condition, waiting};
use crate::cluster::state::Cluster;
use crate::cluster::store::Id;
use crate::controller::Event;
use crate::object::{ConditionStatus, Pod, PodPhase, Time, Unknown};
use crate::scenario::{Delay, Duration};

/// The first wait, of a pull and of a restart.
///
/// Upstream: `pkg/kubelet/kubelet.go imageBackOffPeriod` and `NewMainKubelet`
const FIRST_BACK_OFF: i64 = 10 * Time::SECOND;
/// The longest.
///
/// Upstream: `pkg/kubelet/kubelet.go MaxCrashLoopBackOff` and `MaxImageBackOff`
const MAX_BACK_OFF: i64 = 300 * Time::SECOND;
/// How soon the kubelet looks again at a pod whose sandbox has come up.
///
/// Upstream: `pkg/kubelet/kubelet.go genericPlegRelistPeriod`
const RELIST_PERIOD: i64 = Time::SECOND;

impl Cluster {
    /// The node has the pod: its images are pulled, and its containers started.
    pub(crate) fn start_containers(&mut self, id: Id) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active()) else { return };
        if pod.status.phase == PodPhase::Running || self.volumes.waiting.contains(&id) {
            return;
        }
        if self.timing_of(id, &pod).pull == Delay::Never {
            self.fail_to_pull(id, pod);
            return;
        }
        if let Some(running) = self.run_containers(id) {
            self.plan_next(id, &running);
        }
    }

    /// Plans what comes of containers that run: that they are ready, that the first one crashes, and that they end.
    fn plan_next(&mut self, id: Id, pod: &Pod) {
        let crash = self.stage_time(id, pod, Stage::Crash).filter(|_| self.will_crash(id, pod));
        if let Some(crash) = crash {
            let exit_code = self.timing_of(id, pod).exit_code.unwrap_or(1);
            self.plan(crash, SimEvent::CrashContainer(id, exit_code));
        }
        let end = self.plan_end(id, pod, self.now);
        self.plan_readiness(id, pod, self.now, crash.into_iter().chain(end).min());
    }

    fn will_crash(&self, id: Id, pod: &Pod) -> bool {
        let crashed = self.store.borrow_mut().pod_runtime(id).map_or(0, |runtime| runtime.crashes);
        self.timing_of(id, pod).crashes.is_none_or(|crashes| crashed < crashes)
    }

    /// The first container has ended with an error: it is started again, the first time immediately, unless its pod starts
    /// none again.
    ///
    /// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.doBackOff`
    pub(crate) fn crash(&mut self, id: Id, exit_code: i32) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active()) else { return };
        if RestartPolicy::of(&pod) == RestartPolicy::Never {
            self.fail_first_container(id, pod, exit_code);
            return;
        }
        let now = self.now;
        let Some(runtime) = self.store.borrow_mut().pod_runtime(id).map(|runtime| {
            runtime.crashes = runtime.crashes.saturating_add(1);
            // A container that ran long enough starts over.
            if now.since(runtime.restarted) > MAX_BACK_OFF.saturating_mul(2) {
                runtime.back_off = 0;
            }
            *runtime
        }) else {
            return;
        };
        if runtime.back_off == 0 {
            self.restart_container(id);
            return;
        }
        let container = pod.spec.fields.containers.first().map_or("", |container| &container.name);
        let back_off = Duration(runtime.back_off);
        let named = format!("{}_{}({})", pod.metadata.name, pod.metadata.namespace, pod.metadata.uid);
        let message = format!("back-off {back_off} restarting failed container={container} pod={named}");
        let event = format!("Back-off restarting failed container {container} in pod {named}");
        let decision = KubeletDecision::Crashed {
            pod: pod.metadata.name.clone(),
            container: container.into(),
            crashes: runtime.crashes,
            back_off,
        };
        let mut after = (*pod).clone();
        after.status.conditions = Vec::from([ready_condition(ConditionStatus::False, now)]);
        if let Some(status) = after.status.container_statuses.first_mut() {
            status.unknown = waiting("CrashLoopBackOff", &message);
        }
        let key = pod.key();
        self.update_pod_status(id, pod.clone(), after, decision);
        self.event(&key, Event::warning("BackOff", &event));
        // One that crashes forever is not started again once the back-off is at its longest: nothing new would happen.
        if runtime.back_off < MAX_BACK_OFF || self.timing_of(id, &pod).crashes.is_some() {
            self.plan(runtime.back_off, SimEvent::RestartContainer(id));
        }
    }

    pub(crate) fn restart_container(&mut self, id: Id) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active()) else { return };
        if let Some(runtime) = self.store.borrow_mut().pod_runtime(id) {
            runtime.back_off = next_back_off(runtime.back_off);
            runtime.restarted = self.now;
        }
        let mut after = (*pod).clone();
        after.status.conditions = Vec::from([ready_condition(ConditionStatus::False, self.now)]);
        let (mut container, mut restarts) = (String::new(), 0);
        if let Some(status) = after.status.container_statuses.first_mut() {
            status.unknown = Unknown::default();
            status.restart_count = status.restart_count.saturating_add(1);
            (container, restarts) = (status.name.clone(), status.restart_count);
        }
        self.plan_next(id, &after);
        let decision =
            KubeletDecision::Restarted { pod: pod.metadata.name.clone(), container: container.into(), restarts };
        self.update_pod_status(id, pod, after, decision);
    }

    /// Upstream: `pkg/kubelet/images/image_manager.go imageManager.pullImage`
    fn fail_to_pull(&mut self, id: Id, pod: Rc<Pod>) {
        let image = image_of(&pod);
        let error = not_found(&image);
        let decision = KubeletDecision::PullFailed { pod: pod.metadata.name.clone(), image: image.as_str().into() };
        let key = pod.key();
        self.wait_for_image(id, pod, "ErrImagePull", &error, decision);
        for message in [format!("Failed to pull image \"{image}\": {error}"), "Error: ErrImagePull".into()] {
            self.event(&key, Event::warning("Failed", &message));
        }
        self.plan(RELIST_PERIOD, SimEvent::BackOffImagePull(id));
    }

    /// The kubelet waits before it tries again.
    pub(crate) fn back_off_pull(&mut self, id: Id) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active()) else { return };
        let wait = match self.store.borrow_mut().pod_runtime(id) {
            Some(runtime) => {
                runtime.back_off = next_back_off(runtime.back_off);
                runtime.back_off
            }
            None => return,
        };
        let image = image_of(&pod);
        let back_off = format!("Back-off pulling image \"{image}\"");
        let decision = KubeletDecision::PullBackOff {
            pod: pod.metadata.name.clone(),
            image: image.as_str().into(),
            back_off: Duration(wait),
        };
        let key = pod.key();
        let message = format!("{back_off}: ErrImagePull: {}", not_found(&image));
        self.wait_for_image(id, pod, "ImagePullBackOff", &message, decision);
        self.event(&key, Event::normal("BackOff", &back_off));
        self.event(&key, Event::warning("Failed", "Error: ImagePullBackOff"));
        // It would go on forever, and nothing new would happen.
        if wait < MAX_BACK_OFF {
            self.plan(wait.saturating_sub(RELIST_PERIOD), SimEvent::StartContainers(id));
        }
    }

    fn wait_for_image(&mut self, id: Id, pod: Rc<Pod>, why: &str, message: &str, decision: KubeletDecision) {
        let mut after = (*pod).clone();
        after.status.phase = PodPhase::Pending;
        after.status.start_time = Some(pod.status.start_time.unwrap_or(self.now.truncated()));
        after.status.container_statuses = container_statuses(&pod, &waiting(why, message));
        self.update_pod_status(id, pod, after, decision);
    }
}

const fn next_back_off(before: i64) -> i64 {
    let doubled = before.saturating_mul(2);
    match before {
        0 => FIRST_BACK_OFF,
        _ if doubled > MAX_BACK_OFF => MAX_BACK_OFF,
        _ => doubled,
    }
}

fn image_of(pod: &Pod) -> String {
    pod.spec.fields.containers.first().map_or_else(String::new, |container| container.image.clone())
}

/// What containerd says of an image that there is not: by its whole name.
fn not_found(image: &str) -> String {
    let image = normalized(image);
    format!(
        "rpc error: code = NotFound desc = failed to pull and unpack image \"{image}\": failed to resolve image: {image}: not found"
    )
}

/// Upstream: `github.com/distribution/reference/normalize.go ParseDockerRef`
fn normalized(image: &str) -> String {
    let (domain, path) = split_docker_domain(image);
    let library = if domain == "docker.io" && !path.contains('/') { "library/" } else { "" };
    let tag = if path.contains([':', '@']) { "" } else { ":latest" };
    format!("{domain}/{library}{path}{tag}")
}
