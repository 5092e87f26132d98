//! A Job's podFailurePolicy.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::validation::{FieldError, names};
use crate::go;
use crate::object::unstructured::{at, field, list, string};
use crate::path::Path;

const MAX_RULES: usize = 20;
const MAX_EXIT_CODES: usize = 255;
const MAX_POD_CONDITIONS: usize = 20;
const ACTIONS: [&str; 4] = ["Count", "FailIndex", "FailJob", "Ignore"];

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodFailurePolicy`
pub(super) fn validate(spec: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let Some(policy) = field(spec, "podFailurePolicy") else { return };
    let path = path.child("rules");
    let rules = list(policy, "rules");
    if rules.len() > MAX_RULES {
        errors.push(FieldError::too_many(&path, rules.len(), MAX_RULES));
    }
    for (index, rule) in rules.iter().enumerate() {
        validate_rule(spec, rule, &path.index(index), errors);
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodFailurePolicyRule`
fn validate_rule(spec: &Value, rule: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let action = string(rule, "action");
    if action == "FailIndex" {
        if field(spec, "backoffLimitPerIndex").is_none() {
            let detail = "requires the backoffLimitPerIndex to be set";
            errors.push(FieldError::invalid(&path.child("action"), go::json_string(action), detail));
        }
    } else {
        validate_one_of(rule, "action", &ACTIONS, path, errors);
    }
    let exit_codes = field(rule, "onExitCodes");
    let conditions = list(rule, "onPodConditions");
    if let Some(exit_codes) = exit_codes {
        validate_exit_codes(spec, exit_codes, &path.child("onExitCodes"), errors);
    }
    validate_pod_conditions(conditions, &path.child("onPodConditions"), errors);
    match (exit_codes.is_some(), conditions.is_empty()) {
        (true, false) => {
            let detail = "specifying both OnExitCodes and OnPodConditions is not supported";
            errors.push(FieldError::invalid_unseen(path, detail));
        }
        (false, true) => {
            let detail = "specifying one of OnExitCodes and OnPodConditions is required";
            errors.push(FieldError::invalid_unseen(path, detail));
        }
        _ => {}
    }
}

/// A required string with a list of supported values, which both errors name.
fn validate_one_of(value: &Value, key: &str, supported: &[&str], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    let path = path.child(key);
    match string(value, key) {
        "" => {
            let quoted: Vec<String> = supported.iter().map(|value| go::quoted(value)).collect();
            errors.push(FieldError::required(&path, format!("valid values: [{}]", quoted.join(" "))));
        }
        known if supported.contains(&known) => {}
        other => errors.push(FieldError::not_supported(&path, go::json_string(other), supported)),
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodFailurePolicyRuleOnPodConditions`
fn validate_pod_conditions(conditions: &[Value], path: &Path<'_>, errors: &mut Vec<FieldError>) {
    if conditions.len() > MAX_POD_CONDITIONS {
        errors.push(FieldError::too_many(path, conditions.len(), MAX_POD_CONDITIONS));
    }
    for (index, condition) in conditions.iter().enumerate() {
        let path = path.index(index);
        let name = string(condition, "type");
        for text in names::is_label_key(name) {
            errors.push(FieldError::invalid_string(&path.child("type"), name, text));
        }
        validate_one_of(condition, "status", &["False", "True", "Unknown"], &path, errors);
    }
}

/// Upstream: `pkg/apis/batch/validation/validation.go validatePodFailurePolicyRuleOnExitCodes`
fn validate_exit_codes(spec: &Value, exit_codes: &Value, path: &Path<'_>, errors: &mut Vec<FieldError>) {
    validate_one_of(exit_codes, "operator", &["In", "NotIn"], path, errors);
    if let Some(name) = field(exit_codes, "containerName").and_then(Value::as_str)
        && !has_container(spec, name)
    {
        let detail = "must be one of the container or initContainer names in the pod template";
        errors.push(FieldError::invalid_string(&path.child("containerName"), name, detail));
    }
    let values = list(exit_codes, "values");
    let path = path.child("values");
    let rendered = || field(exit_codes, "values").map_or_else(|| "null".into(), go::json);
    if values.is_empty() {
        errors.push(FieldError::invalid(&path, rendered(), "at least one value is required"));
    } else if values.len() > MAX_EXIT_CODES {
        errors.push(FieldError::too_many(&path, values.len(), MAX_EXIT_CODES));
    }
    let numbers: Vec<i64> = values.iter().map(|value| value.as_i64().unwrap_or_default()).collect();
    for (index, number) in numbers.iter().enumerate() {
        let path = path.index(index);
        if *number == 0 && string(exit_codes, "operator") == "In" {
            errors.push(FieldError::invalid_number(&path, 0, "must not be 0 for the In operator"));
        }
        if numbers.iter().take(index).any(|earlier| earlier == number) {
            errors.push(FieldError::duplicate(&path, number.to_string()));
        }
    }
    if !numbers.is_sorted() {
        errors.push(FieldError::invalid(&path, rendered(), "must be ordered"));
    }
}

fn has_container(spec: &Value, name: &str) -> bool {
    let pod_spec = at(spec, &["template", "spec"]).unwrap_or(&Value::Null);
    let mut containers = list(pod_spec, "containers").iter().chain(list(pod_spec, "initContainers"));
    containers.any(|container| string(container, "name") == name)
}

/// Upstream prints its internal struct, which has no JSON names.
pub(super) fn printed(policy: Option<&Value>) -> String {
    let Some(policy) = policy else { return "null".into() };
    let items = |value: &Value, key: &str, rendered: fn(&Value) -> String| match field(value, key) {
        None => "null".into(),
        Some(_) => format!("[{}]", list(value, key).iter().map(rendered).collect::<Vec<_>>().join(",")),
    };
    format!("{{\"Rules\":{}}}", items(policy, "rules", printed_rule))
}

fn printed_rule(rule: &Value) -> String {
    let action = go::json_string(string(rule, "action"));
    let json = |value: &Value, key: &str| field(value, key).map_or_else(|| "null".into(), go::json);
    let exit_codes = field(rule, "onExitCodes").map_or_else(
        || "null".into(),
        |codes| {
            let (name, values) = (json(codes, "containerName"), json(codes, "values"));
            let operator = go::json_string(string(codes, "operator"));
            format!("{{\"ContainerName\":{name},\"Operator\":{operator},\"Values\":{values}}}")
        },
    );
    let condition = |condition: &Value| {
        let (name, status) = (string(condition, "type"), string(condition, "status"));
        format!("{{\"Type\":{},\"Status\":{}}}", go::json_string(name), go::json_string(status))
    };
    let conditions = match field(rule, "onPodConditions") {
        None => "null".into(),
        Some(_) => {
            format!("[{}]", list(rule, "onPodConditions").iter().map(condition).collect::<Vec<_>>().join(","))
        }
    };
    format!("{{\"Action\":{action},\"OnExitCodes\":{exit_codes},\"OnPodConditions\":{conditions}}}")
}
