//! The settings' rules about podReplacementPolicy, and its surprises.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::defaults;
use super::request::Request;
use super::settings::Settings;
use super::warnings::{Importance, Warnings};
use crate::feature_gates::Feature;
use crate::object::unstructured::{at, field};
use crate::object::{Kind, PodReplacementPolicyField};
use crate::problem::shortened;
use crate::workload::job::strategy::default_pod_replacement_policy;
use crate::{Problem, go};

const POLICY: [&str; 2] = ["spec", "podReplacementPolicy"];

/// Checks an object after defaulting.
pub(super) fn check(
    request: &Request<'_>,
    object: &Value,
    settings: &Settings,
    violations: &mut Vec<Problem>,
    warnings: &mut Warnings,
) {
    // What a controller makes is judged on the top owner; what others make or change, here.
    let Some(field) = request.kind.pod_replacement_policy().filter(|_| !request.is_by_controller()) else {
        return;
    };
    let (PodReplacementPolicyField::OfRollout(field_path) | PodReplacementPolicyField::OfJob(field_path)) = field;
    let value = at(object, field_path);
    // An update is judged where it changed the policy, be it by what the API server writes where it is absent, or where
    // the settings wrote one just now.
    let implied =
        |old| value.is_none() && has_pod_failure_policy(old, field_path) != has_pod_failure_policy(object, field_path);
    let judged =
        request.changed(field_path) || value != at(request.object, field_path) || request.old.is_some_and(implied);
    match field {
        PodReplacementPolicyField::OfRollout(_) => {
            if judged {
                check_deployment(value, settings, violations);
            }
            warn_deployment(request, object, settings, warnings);
        }
        PodReplacementPolicyField::OfJob(_) => {
            if judged {
                check_job(request, object, field_path, settings, violations);
            }
            warn_job(request, object, field_path, settings, warnings);
        }
    }
}

fn check_deployment(value: Option<&Value>, settings: &Settings, violations: &mut Vec<Problem>) {
    let setting = "pod_replacement_policy.deployments";
    match value.and_then(Value::as_str) {
        None if settings.deployments.required => {
            violations.push(violation(&POLICY, None, "must be set", &format!("{setting}.required")));
        }
        Some(policy) => {
            if let Some(rule) = not_in(policy, settings.deployments.allowed.as_deref()) {
                violations.push(violation(&POLICY, value, &rule, &format!("{setting}.allowed")));
            }
        }
        None => {}
    }
}

fn check_job(
    request: &Request<'_>,
    object: &Value,
    field_path: &[&str],
    settings: &Settings,
    violations: &mut Vec<Problem>,
) {
    let setting = "pod_replacement_policy.jobs.allowed";
    let value = at(object, field_path);
    let own = default_pod_replacement_policy(has_pod_failure_policy(object, field_path));
    let if_absent = || format!(", and if it is absent, the API server sets {}", go::quoted(own));
    if let Some(policy) = value.and_then(Value::as_str) {
        if let Some(mut rule) = not_in(policy, settings.jobs.allowed.as_deref()) {
            // Else those who wrote nothing would look in vain for what they are refused for.
            let is_written = defaults::user_wrote(request.object, field_path) == Some(true);
            if has_pod_failure_policy(object, field_path) {
                rule.push_str(", and a podFailurePolicy allows only \"Failed\"");
            } else if request.kind == Kind::Job && request.create && policy == own && !is_written {
                rule.push_str(&if_absent());
            }
            violations.push(violation(field_path, value, &rule, setting));
        }
        return;
    }
    // Where a CronJob or a raw manifest says nothing, the API server's own default will speak.
    if !settings.gates.enabled(Feature::JobPodReplacementPolicy) {
        return;
    }
    if let Some(rule) = not_in(own, settings.jobs.allowed.as_deref()) {
        violations.push(violation(field_path, None, &[rule, if_absent()].concat(), setting));
    }
}

/// Whether the spec around this field has a podFailurePolicy.
fn has_pod_failure_policy(object: &Value, field_path: &[&str]) -> bool {
    let spec = field_path.split_last().and_then(|(_, field_path)| at(object, field_path));
    spec.is_some_and(|spec| field(spec, "podFailurePolicy").is_some())
}

/// The rule that a value breaks.
fn not_in(value: &str, allowed: Option<&[&'static str]>) -> Option<String> {
    let allowed = allowed.filter(|allowed| !allowed.contains(&value))?;
    let words = if allowed.len() == 1 { "must be" } else { "must be one of" };
    Some(format!("{words} {}", go::quoted_list(allowed.iter().copied())))
}

fn violation(field_path: &[&str], value: Option<&Value>, rule: &str, setting: &str) -> Problem {
    let value = shortened(value.unwrap_or(&Value::Null));
    Problem::new(field_path.join("."), format!("Invalid value: {value}: {rule} (setting {setting})"))
}

fn warn_deployment(request: &Request<'_>, object: &Value, settings: &Settings, warnings: &mut Warnings) {
    let Some(policy) = at(object, &POLICY).and_then(Value::as_str) else { return };
    let grace = ["spec", "template", "spec", "terminationGracePeriodSeconds"];
    let strategy = ["spec", "strategy", "type"];
    let surge = ["spec", "strategy", "rollingUpdate", "maxSurge"];
    let deadline = ["spec", "progressDeadlineSeconds"];
    let field_paths: [&[&str]; 5] = [&POLICY, &strategy, &surge, &deadline, &grace];
    if !field_paths.iter().any(|field_path| request.old.is_none_or(|old| at(old, field_path) != at(object, field_path)))
    {
        return;
    }
    if !settings.gates.enabled(Feature::DeploymentPodReplacementPolicy) {
        let text = "spec.podReplacementPolicy of a Deployment is in no release: API servers without KEP-5882 drop or refuse it";
        warnings.push(Importance::NoEffect, text);
        return;
    }
    let complete = policy == "TerminationComplete";
    let recreate = at(object, &strategy).and_then(Value::as_str) == Some("Recreate");
    let grace = at(object, &grace).and_then(Value::as_i64).unwrap_or(30);
    if recreate {
        let text = if complete {
            "Recreate waits for terminating pods with any policy except TerminationStarted; TerminationComplete also bounds scaling"
        } else {
            "Recreate with TerminationStarted starts new pods while old ones terminate; without a policy it waits for them"
        };
        warnings.push(Importance::Rollout, text);
    }
    if !complete {
        return;
    }
    let deadline = at(object, &deadline).and_then(Value::as_i64).unwrap_or(600);
    if grace > deadline {
        let text = format!(
            "TerminationComplete: rollouts may exceed progressDeadlineSeconds ({deadline}), because pods may take {grace}s to end"
        );
        warnings.push(Importance::Rollout, text);
    }
    // Longer than the default is long: each batch of new pods waits for it.
    if !recreate && grace > 30 && is_zero(at(object, &surge)) {
        let text =
            format!("TerminationComplete with maxSurge 0: each batch waits until old pods are gone, up to {grace}s");
        warnings.push(Importance::Rollout, text);
    }
    if request.changed(&POLICY) || at(request.object, &POLICY).is_none() {
        let text =
            "TerminationComplete bounds rollouts and scaling only: ReplicaSets replace evicted and failed pods at once";
        warnings.push(Importance::Note, text.to_string());
    }
}

fn is_zero(surge: Option<&Value>) -> bool {
    match surge {
        Some(Value::String(text)) => {
            text.strip_suffix('%').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte == b'0'))
        }
        Some(value) => value.as_i64() == Some(0),
        None => false,
    }
}

fn warn_job(request: &Request<'_>, object: &Value, field_path: &[&str], settings: &Settings, warnings: &mut Warnings) {
    let Some((_, spec_path)) = field_path.split_last() else { return };
    let Some(spec) = at(object, spec_path).filter(|spec| field(spec, "podFailurePolicy").is_some()) else { return };
    if !request.create && !request.changed(field_path) {
        return;
    }
    if settings.jobs.default == Some("TerminatingOrFailed") {
        let text =
            "podFailurePolicy allows only podReplacementPolicy Failed: the settings' TerminatingOrFailed is not set";
        warnings.push(Importance::Settings, text);
    } else if field(spec, "podReplacementPolicy").is_none() {
        let text = "podFailurePolicy allows only podReplacementPolicy Failed: a pod is replaced when it has terminated";
        warnings.push(Importance::Note, text);
    }
}
