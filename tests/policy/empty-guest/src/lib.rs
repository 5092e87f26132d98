//! A Kubewarden guest as `cargo generate` creates it, without any rule: it reads the request with the SDK's types and
//! accepts it.

use kubewarden_policy_sdk::request::ValidationRequest;
use kubewarden_policy_sdk::settings::Validatable;
use kubewarden_policy_sdk::wapc_guest::{CallResult, register_function};
use kubewarden_policy_sdk::{accept_request, protocol_version_guest, validate_settings};
use serde::{Deserialize, Serialize};

#[derive(Default, Deserialize, Serialize)]
struct Settings {}

impl Validatable for Settings {
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
}

/// Registers the functions that Kubewarden calls.
#[expect(unsafe_code, reason = "the host finds the function by its name")]
#[unsafe(no_mangle)]
pub extern "C" fn wapc_init() {
    register_function("protocol_version", protocol_version_guest);
    register_function("validate", validate);
    register_function("validate_settings", validate_settings::<Settings>);
}

fn validate(payload: &[u8]) -> CallResult {
    let _: ValidationRequest<Settings> = ValidationRequest::new(payload)?;
    accept_request()
}
