//! What a kubelet writes into a pod's status.

use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::object::unstructured::at;
use crate::object::{ConditionStatus, ContainerStatus, Pod, PodCondition, PodPhase, Time, Unknown};

/// The condition Ready.
pub(crate) fn ready_condition(status: ConditionStatus, now: Time) -> PodCondition {
    PodCondition {
        type_: "Ready".into(),
        status,
        last_transition_time: Some(now.truncated()),
        unknown: Unknown::default(),
    }
}

/// Brings the condition Ready up to date. The others stay.
pub(crate) fn set_ready(pod: &mut Pod, status: ConditionStatus, now: Time) {
    pod.status.conditions.retain(|condition| &*condition.type_ != "Ready");
    pod.status.conditions.push(ready_condition(status, now));
}

/// How a container has ended.
#[derive(Clone, Copy)]
pub(crate) struct ContainerEnd {
    exit_code: i32,
    /// Like `Completed`.
    reason: &'static str,
}

impl ContainerEnd {
    /// It did what it was for.
    pub(crate) const COMPLETED: Self = Self { exit_code: 0, reason: "Completed" };

    /// It ended with that code.
    pub(crate) const fn new(exit_code: i32) -> Self {
        if exit_code == 0 { Self::COMPLETED } else { Self { exit_code, reason: "Error" } }
    }

    /// The state of the container.
    fn state(self, now: Time) -> Unknown {
        let Self { exit_code, reason } = self;
        let finished = now.truncated().to_string();
        let terminated = json!({ "exitCode": exit_code, "reason": reason, "finishedAt": finished });
        Unknown::default().with("state", json!({ "terminated": terminated }))
    }
}

/// The pod has failed, whatever became of its containers.
pub(crate) fn fail(pod: &mut Pod, now: Time) {
    pod.status.phase = PodPhase::Failed;
    set_ready(pod, ConditionStatus::False, now);
}

/// The containers that have not ended do so now. The pod has failed if one of all did not end well.
pub(crate) fn end_containers(pod: &mut Pod, end: ContainerEnd, now: Time) {
    if pod.status.container_statuses.is_empty() {
        pod.status.container_statuses = container_statuses(pod, &Unknown::default());
    }
    let state = end.state(now);
    let mut failed = false;
    for status in &mut pod.status.container_statuses {
        match exit_code(status) {
            Some(code) => failed |= code != 0,
            None => {
                status.unknown = state.clone();
                failed |= end.exit_code != 0;
            }
        }
    }
    pod.status.phase = if failed { PodPhase::Failed } else { PodPhase::Succeeded };
    set_ready(pod, ConditionStatus::False, now);
}

/// The first container ends, and the others run on: the pod is not ready any more. With the last one the pod ends.
pub(crate) fn end_first_container(pod: &mut Pod, end: ContainerEnd, now: Time) {
    if pod.status.container_statuses.len() <= 1 {
        end_containers(pod, end, now);
        return;
    }
    if let Some(status) = pod.status.container_statuses.first_mut() {
        status.unknown = end.state(now);
    }
    set_ready(pod, ConditionStatus::False, now);
}

/// The exit code of a container that has ended.
pub(crate) fn exit_code(status: &ContainerStatus) -> Option<i32> {
    let code = at(status.unknown.get("state")?, &["terminated", "exitCode"])?.as_i64()?;
    i32::try_from(code).ok()
}

/// When the last of the containers that run was started; when the kubelet took over the pod, if its containers don't report a start time.
pub(crate) fn containers_started(pod: &Pod) -> Option<Time> {
    let started = |status: &ContainerStatus| {
        let state = status.unknown.get("state")?;
        Time::parse(at(state, &["running", "startedAt"])?.as_str()?)
    };
    pod.status.container_statuses.iter().filter_map(started).max().or(pod.status.start_time)
}

/// A status for each container, in that state.
pub(crate) fn container_statuses(pod: &Pod, state: &Unknown) -> Vec<ContainerStatus> {
    let containers = pod.spec.fields.containers.iter();
    let status = |name| ContainerStatus { name, unknown: state.clone(), ..ContainerStatus::default() };
    containers.map(|container| status(container.name.clone())).collect()
}

/// The state of a container that does not run.
pub(crate) fn waiting(reason: &str, message: &str) -> Unknown {
    let state = match message {
        "" => json!({ "state": { "waiting": { "reason": reason } } }),
        message => json!({ "state": { "waiting": { "reason": reason, "message": message } } }),
    };
    match state {
        Value::Object(map) => map.into(),
        _ => Unknown::default(),
    }
}

/// Whether the container does not run.
pub(crate) fn is_waiting(status: &ContainerStatus) -> bool {
    status.unknown.get("state").is_some_and(|state| state.get("waiting").is_some())
}
