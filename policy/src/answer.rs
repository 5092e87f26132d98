//! What the host gets back.

use changeover_core::review::{Settings, Verdict};
use kubewarden_policy_sdk::response::ValidationResponse;
use kubewarden_policy_sdk::settings::SettingsValidationResponse;

use crate::payload::Refusal;

/// The core's verdict in Kubewarden's words; what is empty is left out.
pub(crate) fn verdict(verdict: Verdict) -> ValidationResponse {
    let audit_annotations = verdict.audit_annotations;
    ValidationResponse {
        accepted: verdict.allowed,
        message: verdict.message,
        code: verdict.code,
        mutated_object: verdict.mutated_object,
        audit_annotations: (!audit_annotations.is_empty()).then(|| audit_annotations.into_iter().collect()),
        warnings: (!verdict.warnings.is_empty()).then_some(verdict.warnings),
    }
}

/// A denial of what could not be reviewed.
pub(crate) fn refusal(refusal: Refusal) -> ValidationResponse {
    ValidationResponse {
        accepted: false,
        message: Some(refusal.message),
        code: Some(refusal.code),
        mutated_object: None,
        audit_annotations: None,
        warnings: None,
    }
}

/// Whether the settings are valid.
pub(crate) fn settings(result: Result<Settings, String>) -> SettingsValidationResponse {
    SettingsValidationResponse { valid: result.is_ok(), message: result.err() }
}
