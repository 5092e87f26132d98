//! What becomes of containers on their way: images that can't be pulled, containers that crash, preStop hooks.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::Cluster;
use super::kubelet::{MINIMUM_GRACE_PERIOD, Span, ready_condition};
use super::queue::Happening;
use crate::apiserver::split_docker_domain;
use crate::controller::{Event, Verb};
use crate::object::{ConditionStatus, ContainerStatus, Kind, Object, Pod, PodPhase, Time, Unknown};
use crate::reason::{Reason, cluster as rule};
use crate::scenario::{Duration, Ready};
use crate::timeline::{Actor, Id};

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
    pub(super) fn start_containers(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.is_active()) else { return };
        if pod.status.phase == PodPhase::Running || self.is_unattached(id) {
            return;
        }
        if self.timing_of(&pod).pull == Ready::Never {
            self.fail_to_pull(id, pod);
            return;
        }
        if let Some(running) = self.run(id) {
            self.plan_next(id, &running);
        }
    }

    /// Plans what comes first of a container that runs: that it becomes ready, or crashes.
    fn plan_next(&mut self, id: Id, pod: &Pod) {
        let ready = self.span(id, pod, Span::Ready);
        let crash = self.span(id, pod, Span::Crash).filter(|_| self.will_crash(id, pod));
        if let Some(crash) = crash {
            self.queue.push(self.now.plus(crash), Happening::Crash(id));
        }
        if let Some(ready) = ready.filter(|ready| crash.is_none_or(|crash| *ready < crash)) {
            self.queue.push(self.now.plus(ready), Happening::Ready(id));
        }
    }

    fn will_crash(&self, id: Id, pod: &Pod) -> bool {
        let crashed = self.store.borrow_mut().life(id).map_or(0, |life| life.crashes);
        self.timing_of(pod).crashes.is_none_or(|crashes| crashed < crashes)
    }

    /// The first container has ended with an error: it is started again, the first time at once.
    ///
    /// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_manager.go kubeGenericRuntimeManager.doBackOff`
    pub(super) fn crash(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.is_active()) else { return };
        let now = self.now;
        let Some(life) = self.store.borrow_mut().life(id).map(|life| {
            life.crashes = life.crashes.saturating_add(1);
            // A container that ran long enough begins anew.
            if now.since(life.restarted) > MAX_BACK_OFF.saturating_mul(2) {
                life.back_off = 0;
            }
            *life
        }) else {
            return;
        };
        if life.back_off == 0 {
            self.restart_container(id);
            return;
        }
        let container = pod.spec.fields.containers.first().map_or("", |container| &container.name);
        let wait = Duration(life.back_off).to_string();
        let named = format!("{}_{}({})", pod.metadata.name, pod.metadata.namespace, pod.metadata.uid);
        let message = format!("back-off {wait} restarting failed container={container} pod={named}");
        let event = format!("Back-off restarting failed container {container} in pod {named}");
        let values = [(&pod.metadata.name).into(), container.into(), i64::from(life.crashes).into(), wait.into()];
        let reason = Reason::new(&rule::CRASHED, values);
        let mut after = (*pod).clone();
        after.status.conditions = Vec::from([ready_condition(ConditionStatus::False, now)]);
        if let Some(status) = after.status.container_statuses.first_mut() {
            status.unknown = waiting("CrashLoopBackOff", &message);
        }
        let key = pod.metadata.key(Kind::Pod);
        self.commit_pod(id, (Actor::Kubelet, Verb::UpdateStatus), pod.clone(), Some(after), reason);
        self.event(&key, Event::warning("BackOff", &event));
        // One that crashes for ever waits for ever in the end: nothing else would be seen.
        if life.back_off < MAX_BACK_OFF || self.timing_of(&pod).crashes.is_some() {
            self.queue.push(now.plus(life.back_off), Happening::Restart(id));
        }
    }

    pub(super) fn restart_container(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.is_active()) else { return };
        if let Some(life) = self.store.borrow_mut().life(id) {
            life.back_off = next_back_off(life.back_off);
            life.restarted = self.now;
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
        let reason = Reason::new(&rule::RESTARTED, [container.into(), (&pod.metadata.name).into(), restarts.into()]);
        self.commit_pod(id, (Actor::Kubelet, Verb::UpdateStatus), pod, Some(after), reason);
    }

    /// Upstream: `pkg/kubelet/images/image_manager.go imageManager.pullImage`
    fn fail_to_pull(&mut self, id: Id, pod: Rc<Pod>) {
        let image = image_of(&pod);
        let error = not_found(&image);
        let reason = Reason::new(&rule::PULL_FAILED, [(&pod.metadata.name).into(), image.as_str().into()]);
        let key = pod.metadata.key(Kind::Pod);
        self.wait_for_image(id, pod, "ErrImagePull", &error, reason);
        for message in [format!("Failed to pull image \"{image}\": {error}"), "Error: ErrImagePull".into()] {
            self.event(&key, Event::warning("Failed", &message));
        }
        self.queue.push(self.now.plus(RELIST_PERIOD), Happening::BackOffPull(id));
    }

    /// The kubelet waits before it tries again.
    pub(super) fn back_off_pull(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.is_active()) else { return };
        let wait = match self.store.borrow_mut().life(id) {
            Some(life) => {
                life.back_off = next_back_off(life.back_off);
                life.back_off
            }
            None => return,
        };
        let image = image_of(&pod);
        let back_off = format!("Back-off pulling image \"{image}\"");
        let values = [(&pod.metadata.name).into(), image.as_str().into(), Duration(wait).to_string().into()];
        let key = pod.metadata.key(Kind::Pod);
        let message = format!("{back_off}: ErrImagePull: {}", not_found(&image));
        self.wait_for_image(id, pod, "ImagePullBackOff", &message, Reason::new(&rule::PULL_BACK_OFF, values));
        self.event(&key, Event::normal("BackOff", &back_off));
        self.event(&key, Event::warning("Failed", "Error: ImagePullBackOff"));
        // It would go on for ever, and nothing else would be seen.
        if wait < MAX_BACK_OFF {
            self.queue.push(self.now.plus(wait.saturating_sub(RELIST_PERIOD)), Happening::Start(id));
        }
    }

    fn wait_for_image(&mut self, id: Id, pod: Rc<Pod>, why: &str, message: &str, reason: Reason) {
        let mut after = (*pod).clone();
        after.status.phase = PodPhase::Pending;
        after.status.start_time = Some(pod.status.start_time.unwrap_or(self.now.truncated()));
        let names = pod.spec.fields.containers.iter().map(|container| container.name.clone());
        let status = |name| ContainerStatus { name, unknown: waiting(why, message), ..ContainerStatus::default() };
        after.status.container_statuses = names.map(status).collect();
        self.commit_pod(id, (Actor::Kubelet, Verb::UpdateStatus), pod, Some(after), reason);
    }

    /// How long the end of a running pod takes that has a preStop hook: the hook's time, and then what its containers take
    /// of what is left.
    ///
    /// Upstream: `pkg/kubelet/kuberuntime/kuberuntime_container.go kubeGenericRuntimeManager.killContainer`
    pub(super) fn end_with_hook(&mut self, id: Id, pod: &Pod, grace_seconds: i64) -> Option<i64> {
        let hook = self.span(id, pod, Span::PreStop).or_else(|| sleep(pod))?;
        let grace = grace_seconds.saturating_mul(Time::SECOND);
        if pod.status.phase != PodPhase::Running || grace == 0 {
            return None;
        }
        let hook = hook.min(grace);
        let left = grace.saturating_sub(hook).max(MINIMUM_GRACE_PERIOD.saturating_mul(Time::SECOND));
        self.queue.push(self.now.plus(hook), Happening::PreStopped(id, left.div_euclid(Time::SECOND)));
        let takes = self.span(id, pod, Span::Terminate).unwrap_or(i64::MAX);
        Some(hook.saturating_add(takes.min(left)))
    }

    /// The preStop hook has ended, or its time.
    pub(super) fn pre_stopped(&mut self, id: Id, left: i64) {
        let Some(pod) = self.current(id) else { return };
        let asked = self.store.borrow_mut().life(id).and_then(|life| life.asked_to_stop).unwrap_or(self.now);
        let seconds = self.now.since(asked).div_euclid(Time::SECOND);
        let reason = Reason::new(&rule::PRE_STOPPED, [(&pod.metadata.name).into(), seconds.into(), left.into()]);
        self.tell(Actor::Kubelet, &Object::Pod(pod).key(), reason);
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

/// The state of a container that does not run.
pub(super) fn waiting(reason: &str, message: &str) -> Unknown {
    let state = match message {
        "" => json!({ "state": { "waiting": { "reason": reason } } }),
        message => json!({ "state": { "waiting": { "reason": reason, "message": message } } }),
    };
    match state {
        Value::Object(map) => map.into(),
        _ => Unknown::default(),
    }
}

/// Whether none of the pod's containers runs: its only one waits to be started again. Then there is nothing to kill, and no
/// preStop hook.
///
/// Upstream: `pkg/kubelet/container/helpers.go ConvertPodStatusToRunningPod`
pub(super) fn runs_nothing(pod: &Pod) -> bool {
    let statuses = &pod.status.container_statuses;
    !statuses.is_empty() && statuses.iter().all(waits)
}

fn waits(status: &ContainerStatus) -> bool {
    status.unknown.get("state").is_some_and(|state| state.get("waiting").is_some())
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

/// The longest sleep among the preStop hooks of containers that run.
fn sleep(pod: &Pod) -> Option<i64> {
    let mut longest = None;
    for (index, container) in pod.spec.fields.containers.iter().enumerate() {
        if pod.status.container_statuses.get(index).is_some_and(waits) {
            continue;
        }
        let hook = container.unknown.get("lifecycle").and_then(|lifecycle| lifecycle.pointer("/preStop/sleep/seconds"));
        longest = longest.max(hook.and_then(Value::as_i64));
    }
    longest.map(|seconds| seconds.max(0).saturating_mul(Time::SECOND))
}
