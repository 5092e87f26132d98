//! The Kubewarden guest: it hands requests and settings to the core and the core's verdicts back, and decides nothing.
//!
//! Every payload gets an answer. An `Err` or a trap would reach the user as an internal error of the admission
//! webhook, so what can't be read is denied, with the reason.

mod answer;
mod payload;
mod text;

use kubewarden_policy_sdk::metadata::ProtocolVersion;
use kubewarden_policy_sdk::wapc_guest::{CallResult, register_function};

/// Registers the functions that Kubewarden calls. The host calls this once for each instance.
#[expect(unsafe_code, reason = "the host finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("protocol_version", protocol_version);
    register_function("validate", validate);
    register_function("validate_settings", validate_settings);
}

/// The version of the protocol that the SDK speaks. Its own function hands serde_json's errors on, whose `Debug` brings
/// Unicode's tables: 5 kB.
fn protocol_version(_: &[u8]) -> CallResult {
    Ok(serde_json::to_vec(&ProtocolVersion::default()).unwrap_or_default())
}

/// `{"request": AdmissionRequest, "settings": {..}}` in, a `ValidationResponse` out.
fn validate(bytes: &[u8]) -> CallResult {
    let answer = match payload::read(bytes) {
        Ok(payload) => {
            let verdict = changeover_core::review::review(&payload.request, &payload.settings);
            answer::verdict(verdict, bytes)
        }
        Err(refusal) => answer::refusal(refusal),
    };
    Ok(answer.into_bytes())
}

/// The settings in, a `SettingsValidationResponse` out.
fn validate_settings(bytes: &[u8]) -> CallResult {
    Ok(answer::settings(payload::settings(bytes)).into_bytes())
}
