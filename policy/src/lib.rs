//! The Kubewarden guest. It passes requests and settings to the core, and the core's verdicts to the host; it makes no decisions.
//!
//! Every payload gets a response. An `Err` or a trap would look like an internal error of the admission webhook to the user, so
//! a payload that can't be read is denied with the reason.
//!
//! # Examples
//!
//! The host calls [`validate`] with the request and the settings, and gets the verdict:
//!
//! ```
//! use serde_json::{Value, json};
//!
//! let payload = json!({
//!     "request": {
//!         "operation": "CREATE",
//!         "kind": { "group": "batch", "version": "v1", "kind": "Job" },
//!         "resource": { "group": "batch", "version": "v1", "resource": "jobs" },
//!         "object": {
//!             "apiVersion": "batch/v1",
//!             "kind": "Job",
//!             "metadata": { "name": "train" },
//!             "spec": {
//!                 "podReplacementPolicy": "Later",
//!                 "template": {
//!                     "spec": { "restartPolicy": "Never", "containers": [{ "name": "main", "image": "train:1" }] },
//!                 },
//!             },
//!         },
//!     },
//!     "settings": { "validate": "1.37" },
//! });
//! let response: Value = serde_json::from_slice(&changeover_policy::validate(payload.to_string().as_bytes())?)?;
//! assert_eq!(response["accepted"], false);
//! assert_eq!(
//!     response["message"],
//!     "spec.podReplacementPolicy: Unsupported value: \"Later\": supported values: \"Failed\", \"TerminatingOrFailed\"",
//! );
//! # Ok::<(), Box<dyn std::error::Error + Send + Sync>>(())
//! ```

mod kubernetes;
mod payload;
mod response;
mod text_patch;

#[cfg(feature = "forecast")]
use changeover_core::review::review_in_cluster as review;
#[cfg(not(feature = "forecast"))]
use changeover_core::review::{Settings, Verdict, review_without_forecast};
use kubewarden_policy_sdk::metadata::ProtocolVersion;
use kubewarden_policy_sdk::wapc_guest::{CallResult, host_call, register_function};

pub use crate::kubernetes::Kubernetes;

/// Registers the functions that Kubewarden calls. The host calls this once for each instance.
#[expect(unsafe_code, reason = "the host finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("protocol_version", protocol_version);
    register_function("validate", validate);
    register_function("validate_settings", validate_settings);
}

/// The protocol version of the SDK. The SDK's own function returns serde_json's errors, whose `Debug` takes 5 kB of Unicode
/// tables.
fn protocol_version(_: &[u8]) -> CallResult {
    Ok(serde_json::to_vec(&ProtocolVersion::default()).unwrap_or_default())
}

/// Reviews `{"request": AdmissionRequest, "settings": {..}}`. Returns a `ValidationResponse`.
///
/// # Errors
/// Never: what can't be read is denied in the response.
pub fn validate(bytes: &[u8]) -> CallResult {
    let response = match payload::parse(bytes) {
        Ok(payload) => {
            let verdict = review(&payload.request, &payload.settings, &Kubernetes(call_host));
            response::validation_response(verdict, bytes)
        }
        Err(refusal) => response::refusal_response(refusal),
    };
    Ok(response.into_bytes())
}

/// The same without the simulation, which also is the only one that reads.
#[cfg(not(feature = "forecast"))]
fn review<C>(request: &serde_json::Value, settings: &Settings, _: &Kubernetes<C>) -> Verdict {
    review_without_forecast(request, settings)
}

fn call_host(operation: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
    host_call("kubewarden", "kubernetes", operation, payload).map_err(|error| error.to_string())
}

/// Validates settings. Returns a `SettingsValidationResponse`.
fn validate_settings(bytes: &[u8]) -> CallResult {
    Ok(response::settings_response(payload::parse_settings_payload(bytes)).into_bytes())
}
