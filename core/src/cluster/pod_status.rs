//! What a kubelet writes into a pod's status.

use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::object::{ConditionStatus, ContainerStatus, Pod, PodCondition, Time, Unknown};

/// The condition Ready.
pub(crate) fn ready_condition(status: ConditionStatus, now: Time) -> PodCondition {
    PodCondition {
        type_: "Ready".into(),
        status,
        last_transition_time: Some(now.truncated()),
        unknown: Unknown::default(),
    }
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
