use changeover_core::Problem;
use changeover_core::json::{FromJson, ToJson};
use changeover_core::review::{review, validate_settings};
use serde_json::Value;

use super::{Op, Outcome};
use crate::case::Case;

pub const OPS: &[(&str, Op)] = &[("policy.validate", validate), ("policy.validateSettings", settings)];

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Review {
    request: Value,
    #[serde(default)]
    settings: Value,
}

fn validate(case: &Case) -> Result<Outcome, String> {
    let Review { request, settings } = case.input()?;
    let settings =
        validate_settings(&settings).map_err(|problems| format!("input.settings: {}", message(&problems)))?;
    let verdict = review(&request, &settings);
    Outcome::new([
        ("allowed", verdict.allowed.into()),
        ("message", verdict.message.into()),
        ("code", verdict.code.into()),
        ("patchedObject", verdict.mutated_object.unwrap_or(Value::Null)),
        ("warnings", verdict.warnings.into()),
        ("auditAnnotations", verdict.audit_annotations.to_json()),
    ])
}

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    settings: Value,
}

fn settings(case: &Case) -> Result<Outcome, String> {
    let Settings { settings } = case.input()?;
    let result = validate_settings(&settings);
    let message = result.as_ref().err().map(|problems| message(problems));
    Outcome::new([("valid", result.is_ok().into()), ("message", message.into())])
}

/// A line for each problem.
fn message(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    lines.join("\n")
}
