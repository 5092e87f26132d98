//! How a container ended.

use crate::object::unstructured::at;
use crate::object::{ContainerStatus, Time};

/// Upstream: `k8s.io/api/core/v1/types.go ContainerStateTerminated`
pub(super) struct Terminated {
    pub(super) exit_code: i32,
    pub(super) finished_at: Option<Time>,
}

/// How the container ended; none while it runs or waits.
pub(super) fn terminated(container: &ContainerStatus) -> Option<Terminated> {
    let terminated = at(container.unknown.get("state")?, &["terminated"])?;
    let exit_code = terminated.get("exitCode").and_then(serde_json::Value::as_i64);
    let finished_at = terminated.get("finishedAt").and_then(serde_json::Value::as_str);
    Some(Terminated {
        exit_code: exit_code.and_then(|code| i32::try_from(code).ok()).unwrap_or(0),
        finished_at: finished_at.and_then(Time::parse),
    })
}
