//! `review` and `validateSettings`: the policy for JavaScript.

use changeover_core::Problem;
use changeover_core::json::ToJson;
use changeover_core::object::Strings;
use changeover_core::review::{self, Settings};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, Failure, parse_json, to_error, to_json, to_problem_error};

/// The policy's answer to an admission request.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The request's uid.
    uid: String,
    /// Whether the request is allowed.
    allowed: bool,
    /// Why the request is refused; absent if it is allowed.
    #[json(omitempty)]
    status: Option<Status>,
    /// The object with the policy's defaults; absent where nothing changes.
    #[json(omitempty)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<changeover_core::scenario::schema::Manifest>"))]
    mutated_object: Option<Value>,
    /// Warnings about what is legal but may surprise.
    warnings: Vec<String>,
    /// Annotations for the API server's audit log.
    #[cfg_attr(feature = "schema", schemars(with = "std::collections::BTreeMap<String, String>"))]
    audit_annotations: Strings,
}

/// The reason of a refusal.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Status {
    /// The HTTP status code.
    code: u16,
    /// The message, with a line for each violation.
    message: String,
}

/// Whether settings of the policy are valid.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingsCheck {
    /// Whether the settings are valid.
    valid: bool,
    /// Every problem of the settings.
    problems: Vec<SettingsProblem>,
}

/// A problem of the policy's settings.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingsProblem {
    /// The field that is wrong.
    path: String,
    /// One sentence with the path and what would be right.
    message: String,
}

/// The policy's verdict on an AdmissionReview.
///
/// # Errors
/// When there is no request in it, or the settings are invalid.
#[wasm_bindgen]
pub fn review(admission_review: &str, settings: &str) -> Result<String, Failure> {
    let settings = parse_settings(&parse_json(ErrorCode::InvalidSettings, settings)?)
        .map_err(|problems| to_problem_error(ErrorCode::InvalidSettings, &Problem::all(problems)))?;
    let admission_review = parse_json(ErrorCode::InvalidReview, admission_review)?;
    let Some(request) = admission_review.get("request").filter(|request| request.is_object()) else {
        return Err(to_error(ErrorCode::InvalidReview, "request", "request: Required value: the request to review"));
    };
    let verdict = review::review(request, &settings);
    Ok(to_json(&Verdict {
        uid: request.get("uid").and_then(Value::as_str).unwrap_or_default().to_owned(),
        allowed: verdict.allowed,
        status: (!verdict.allowed)
            .then(|| Status { code: verdict.code.unwrap_or(403), message: verdict.message.unwrap_or_default() }),
        mutated_object: verdict.mutated_object,
        warnings: verdict.warnings,
        audit_annotations: verdict.audit_annotations,
    }))
}

/// What is wrong with settings of the policy.
///
/// # Errors
/// When they are not JSON.
#[wasm_bindgen(js_name = validateSettings)]
pub fn validate_settings(settings: &str) -> Result<String, Failure> {
    let problems = parse_settings(&parse_json(ErrorCode::InvalidSettings, settings)?).err().unwrap_or_default();
    let problems: Vec<SettingsProblem> = problems
        .into_iter()
        .map(|problem| SettingsProblem { message: problem.to_string(), path: problem.path })
        .collect();
    Ok(to_json(&SettingsCheck { valid: problems.is_empty(), problems }))
}

/// Parses settings. Null means empty settings.
fn parse_settings(value: &Value) -> Result<Settings, Vec<Problem>> {
    if value.is_null() { Ok(Settings::default()) } else { review::validate_settings(value) }
}
