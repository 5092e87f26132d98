//! The containers of a pod: names, restarts, probes and what else bears on replacement.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::options::PodValidationOptions;
use super::ports;
use super::resources::validate_resource_requirements;
use crate::apiserver::validation::{FieldError, names, validate_enum, validate_nonnegative_field};
use crate::go;
use crate::object::unstructured::{field, integer, list, string};
use crate::path::Path;

const GRACE_PERIOD: &str = "terminationGracePeriodSeconds";

/// Upstream: `pkg/apis/core/validation/validation.go validateContainers`
pub(crate) fn validate_containers(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    let containers = list(spec, "containers");
    let path = path.child("containers");
    if containers.is_empty() {
        errors.push(FieldError::required(&path, ""));
    }
    let grace_period = integer(spec, GRACE_PERIOD);
    let mut seen: Vec<&str> = Vec::new();
    for (index, container) in containers.iter().enumerate() {
        let path = path.index(index);
        validate_common(container, &path, errors);
        let name = string(container, "name");
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(&path.child("name"), go::quoted(name)));
        } else {
            seen.push(name);
        }
        validate_sleeps(container, grace_period, &path, errors);
        validate_probes(container, &path, errors);
        if options.allow_container_restart_policy_rules {
            validate_restart_policy(container, &ANY_RESTART_POLICY, &path, errors);
        } else if field(container, "restartPolicy").is_some() {
            let detail = "may not be set for non-init containers";
            errors.push(FieldError::forbidden(&path.child("restartPolicy"), detail));
        }
    }
    ports::check_host_port_conflicts(containers, &path, errors);
}

/// Upstream: `pkg/apis/core/validation/validation.go validateInitContainers`
pub(crate) fn validate_init_containers(
    spec: &Value,
    path: &Path<'_>,
    options: PodValidationOptions,
    errors: &mut Vec<FieldError>,
) {
    let mut seen: Vec<&str> = list(spec, "containers").iter().map(|container| string(container, "name")).collect();
    let grace_period = integer(spec, GRACE_PERIOD);
    let list_path = path.child("initContainers");
    for (index, container) in list(spec, "initContainers").iter().enumerate() {
        let path = list_path.index(index);
        validate_common(container, &path, errors);
        let supported: &[&str] =
            if options.allow_container_restart_policy_rules { &ANY_RESTART_POLICY } else { &["Always"] };
        validate_restart_policy(container, supported, &path, errors);
        let name = string(container, "name");
        if seen.contains(&name) {
            errors.push(FieldError::duplicate(&path.child("name"), go::quoted(name)));
        } else if !name.is_empty() {
            seen.push(name);
        }
        ports::check_host_port_conflicts(core::slice::from_ref(container), &list_path, errors);
        if string(container, "restartPolicy") == "Always" {
            validate_sleeps(container, grace_period, &path, errors);
            validate_probes(container, &path, errors);
            continue;
        }
        for key in ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] {
            if field(container, key).is_some() {
                let detail = "may not be set for init containers without restartPolicy=Always";
                errors.push(FieldError::forbidden(&path.child(key), detail));
            }
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateContainerCommon`, without environment, mounts,
/// most of the resources, and security
fn validate_common(container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let name = string(container, "name");
    if name.is_empty() {
        errors.push(FieldError::required(&path.child("name"), ""));
    } else {
        for text in names::is_dns1123_label(name) {
            errors.push(FieldError::invalid_string(&path.child("name"), name, text));
        }
    }
    if string(container, "image").is_empty() {
        errors.push(FieldError::required(&path.child("image"), ""));
    }
    ports::validate(container, path, errors);
    validate_enum(container, "terminationMessagePolicy", &["File", "FallbackToLogsOnError"], path, errors);
    validate_enum(container, "imagePullPolicy", &["Always", "IfNotPresent", "Never"], path, errors);
    if let Some(resources) = field(container, "resources") {
        validate_resource_requirements(resources, &path.child("resources"), errors);
    }
}

const ANY_RESTART_POLICY: [&str; 3] = ["Always", "Never", "OnFailure"];

/// Upstream: `pkg/apis/core/validation/validation.go validateContainerRestartPolicy` and
/// `validateInitContainerRestartPolicy`, without the rules
fn validate_restart_policy(container: &Value, supported: &[&str], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if field(container, "restartPolicy").is_some() {
        let policy = string(container, "restartPolicy");
        if !supported.contains(&policy) {
            let path = path.child("restartPolicy");
            errors.push(FieldError::not_supported(&path, go::json_string(policy), supported));
        }
    } else if !list(container, "restartPolicyRules").is_empty() {
        let detail = "must specify restartPolicy when restart rules are used";
        errors.push(FieldError::required(&path.child("restartPolicy"), detail));
    }
}

/// That there is one handler, whatever it does.
/// Upstream: `pkg/apis/core/validation/validation.go validateHandler`
fn validate_handler(probe: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let mut found = false;
    for key in ["exec", "httpGet", "tcpSocket", "grpc"] {
        if field(probe, key).is_none() {
            continue;
        }
        if found {
            errors.push(FieldError::forbidden(&path.child(key), "may not specify more than 1 handler type"));
        }
        found = true;
    }
    if !found {
        errors.push(FieldError::required(path, "must specify a handler type"));
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateSleepAction`, for the handlers of `validateLifecycle`; nothing else
/// of these is looked at
fn validate_sleeps(container: &Value, grace_period: Option<i64>, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some((lifecycle, grace_period)) = field(container, "lifecycle").zip(grace_period) else { return };
    let path = path.child("lifecycle");
    for key in ["postStart", "preStop"] {
        let Some(handler) = field(lifecycle, key) else { continue };
        // What it does besides another handler is not looked at.
        let has_other = ["exec", "httpGet", "tcpSocket"].iter().any(|other| field(handler, other).is_some());
        let Some(sleep) = field(handler, "sleep").filter(|_| !has_other) else { continue };
        let seconds = integer(sleep, "seconds").unwrap_or_default();
        if seconds < 0 || seconds > grace_period {
            let detail = format!("must be non-negative and less than {GRACE_PERIOD} ({grace_period})");
            errors.push(FieldError::invalid_number(&path.child(key).child("sleep"), seconds, detail));
        }
    }
}

/// Upstream: `pkg/apis/core/validation/validation.go validateLivenessProbe`, `validateReadinessProbe` and
/// `validateStartupProbe`, without what a handler does
fn validate_probes(container: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    for key in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let Some(probe) = field(container, key) else { continue };
        let path = path.child(key);
        validate_handler(probe, &path, errors);
        for key in ["initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"] {
            validate_nonnegative_field(probe, key, &path, errors);
        }
        let grace_path = path.child(GRACE_PERIOD);
        let grace_period = integer(probe, GRACE_PERIOD);
        if let Some(seconds) = grace_period
            && seconds <= 0
        {
            errors.push(FieldError::invalid_number(&grace_path, seconds, "must be greater than 0"));
        }
        if key == "readinessProbe" {
            if let Some(seconds) = grace_period {
                errors.push(FieldError::invalid_number(&grace_path, seconds, "must not be set for readinessProbes"));
            }
        } else {
            let threshold = integer(probe, "successThreshold").unwrap_or_default();
            if threshold != 1 {
                errors.push(FieldError::invalid_number(&path.child("successThreshold"), threshold, "must be 1"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::{String, ToString};

    use serde_json::json;

    use super::*;
    use crate::apiserver::internal_version::Printer;
    use crate::feature_gates::FeatureGates;

    #[test]
    fn a_hook_sleeps_no_longer_than_the_grace_period() {
        let refused = |lifecycle: Value| -> Vec<String> {
            let container = json!({ "name": "web", "image": "web:1", "lifecycle": lifecycle });
            let sidecar = json!({ "name": "log", "image": "log:1", "restartPolicy": "Always", "lifecycle": lifecycle });
            let spec = json!({
                "terminationGracePeriodSeconds": 10, "containers": [container], "initContainers": [sidecar],
            });
            let (path, options, mut errors) = (
                Path::Root("spec"),
                PodValidationOptions::new(None, FeatureGates::default(), Printer::Short),
                Vec::new(),
            );
            validate_containers(&spec, &path, options, &mut errors);
            validate_init_containers(&spec, &path, options, &mut errors);
            let sleeps = errors.iter().map(ToString::to_string).filter(|error| error.contains("sleep"));
            sleeps.collect()
        };
        let sleep = |seconds: i64| json!({ "sleep": { "seconds": seconds } });
        for key in ["preStop", "postStart"] {
            let expected = |seconds: i64| {
                ["containers", "initContainers"].map(|list| {
                    format!(
                        "spec.{list}[0].lifecycle.{key}.sleep: Invalid value: {seconds}: \
                         must be non-negative and less than terminationGracePeriodSeconds (10)"
                    )
                })
            };
            for (seconds, is_refused) in [(-1, true), (0, false), (10, false), (11, true)] {
                let expected = if is_refused { Vec::from(expected(seconds)) } else { Vec::new() };
                assert_eq!(refused(json!({ (key): sleep(seconds) })), expected);
            }
        }
        assert_eq!(refused(json!({ "preStop": { "exec": { "command": ["true"] } } })), Vec::<String>::new());
    }
}
