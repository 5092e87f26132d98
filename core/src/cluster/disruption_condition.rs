//! The condition DisruptionTarget, which names the component that is about to delete a pod.

use alloc::rc::Rc;

use serde_json::Map;

use crate::object::{ConditionStatus, Pod, PodCondition, Time};

/// The condition's type.
const DISRUPTION_TARGET: &str = "DisruptionTarget";

/// The pod with the condition that it is about to be deleted. That is a write of its own upstream, just before the
/// deletion; nothing lies between them.
///
/// Upstream: `pkg/api/v1/pod/util.go UpdatePodCondition`
pub(super) fn disrupted(pod: &Rc<Pod>, (reason, message): (&str, &str), now: Time) -> Rc<Pod> {
    let mut pod = (**pod).clone();
    let mut details = Map::new();
    details.insert("reason".into(), reason.into());
    details.insert("message".into(), message.into());
    pod.status.conditions.retain(|condition| &*condition.type_ != DISRUPTION_TARGET);
    pod.status.conditions.push(PodCondition {
        type_: DISRUPTION_TARGET.into(),
        status: ConditionStatus::True,
        last_transition_time: Some(now.truncated()),
        unknown: details.into(),
    });
    Rc::new(pod)
}
