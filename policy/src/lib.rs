//! The Kubewarden guest: it hands requests and settings to the core and the core's verdicts back, and decides nothing.
//!
//! Every payload gets an answer. An `Err` or a trap would reach the user as an internal error of the admission
//! webhook, so what can't be read is denied, with the reason.

mod answer;
mod payload;
mod text;

use kubewarden_policy_sdk::protocol_version_guest;
use kubewarden_policy_sdk::wapc_guest::{CallResult, register_function};

/// Registers the functions that Kubewarden calls. The host calls this once for each instance.
#[expect(unsafe_code, reason = "the host finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("protocol_version", protocol_version_guest);
    register_function("validate", validate);
    register_function("validate_settings", validate_settings);
}

/// `{"request": AdmissionRequest, "settings": {..}}` in, a `ValidationResponse` out.
fn validate(bytes: &[u8]) -> CallResult {
    let answer = match payload::read(bytes) {
        Ok(payload) => {
            let verdict = changeover_core::review::review(&payload.request, &payload.settings);
            answer::verdict(verdict, payload::object(bytes))
        }
        Err(refusal) => answer::refusal(refusal),
    };
    Ok(answer.into_bytes())
}

/// The settings in, a `SettingsValidationResponse` out.
fn validate_settings(bytes: &[u8]) -> CallResult {
    Ok(answer::settings(payload::settings(bytes)).into_bytes())
}
