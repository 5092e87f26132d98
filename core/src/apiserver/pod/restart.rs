//! Whether a container that has ended may run again.

use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::pod_spec::PodValidationOptions;
use crate::apiserver::validation::FieldError;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::path::Path;

/// Upstream: `pkg/apis/core/validation/validation.go ValidateContainerStateTransition`
pub(super) fn validate_container_state_transition(
    status: &Value,
    old: &Value,
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    if options.allow_container_restart_policy_rules && all_containers_could_restart(spec) {
        return;
    }
    let key = "containerStatuses";
    let path = path.child(key);
    for (index, old_status) in list(old, key).iter().enumerate() {
        let Some(terminated) = at(old_status, &["state", "terminated"]) else { continue };
        let name = string(old_status, "name");
        let Some(new_status) = list(status, key).iter().find(|status| string(status, "name") == name) else { continue };
        if at(new_status, &["state", "terminated"]).is_some() {
            continue;
        }
        let container = if options.allow_container_restart_policy_rules {
            list(spec, "containers").iter().find(|container| string(container, "name") == name)
        } else {
            // It restarts as its pod does.
            Some(&Value::Null)
        };
        let exit_code = integer(terminated, "exitCode").unwrap_or_default();
        if !container.is_some_and(|container| container_should_restart(container, spec, exit_code)) {
            let path = path.index(index);
            let detail = "may not be transitioned to non-terminated state";
            errors.push(FieldError::forbidden(&path.child("state"), detail));
        }
    }
}

/// Upstream: `pkg/api/v1/pod/util.go AllContainersCouldRestart`
fn all_containers_could_restart(spec: &Value) -> bool {
    let restarts_all = |container: &Value| {
        let rules = list(container, "restartPolicyRules");
        rules.iter().any(|rule| string(rule, "action") == "RestartAllContainers")
    };
    ["initContainers", "containers"].iter().any(|key| list(spec, key).iter().any(restarts_all))
}

/// Upstream: `pkg/api/v1/pod/util.go ContainerShouldRestart`
fn container_should_restart(container: &Value, spec: &Value, exit_code: i64) -> bool {
    let has_policy = field(container, "restartPolicy").is_some();
    if has_policy && list(container, "restartPolicyRules").iter().any(|rule| restarts(rule, exit_code)) {
        return true;
    }
    let should = |policy: &str| match policy {
        "Always" => Some(true),
        "OnFailure" => Some(exit_code != 0),
        "Never" => Some(false),
        _ => None,
    };
    should(string(container, "restartPolicy")).or_else(|| should(string(spec, "restartPolicy"))).unwrap_or(true)
}

/// Every action that there is restarts the container.
/// Upstream: `pkg/api/v1/pod/util.go FindMatchingContainerRestartRule`
fn restarts(rule: &Value, exit_code: i64) -> bool {
    let Some(exit_codes) = field(rule, "exitCodes") else { return false };
    let named = list(exit_codes, "values").iter().any(|code| code.as_i64() == Some(exit_code));
    match string(exit_codes, "operator") {
        "In" => named,
        "NotIn" => !named,
        _ => false,
    }
}
