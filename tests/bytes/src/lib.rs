//! The function to compare, natively and as a waPC guest: it turns a scenario into its whole timeline, as the npm
//! package exports it.

use changeover_core::json::ToJson;
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{End, StepOut, Timeline};

/// The npm package's `Export`.
#[derive(ToJson)]
struct Export<'a> {
    scenario: &'a Scenario,
    steps: Vec<StepOut>,
    end: &'a End,
}

/// The timeline of a scenario as JSON, or the scenario's first problem.
#[must_use]
pub fn export(scenario: &[u8]) -> Vec<u8> {
    let value = match serde_json::from_slice(scenario) {
        Ok(value) => value,
        Err(error) => return error.to_string().into_bytes(),
    };
    let timeline = match Scenario::from_value(&value).and_then(Timeline::run) {
        Ok(timeline) => timeline,
        Err(problem) => return problem.to_string().into_bytes(),
    };
    let steps = (0..timeline.len()).filter_map(|index| timeline.step_out(index)).collect();
    let export = Export { scenario: &timeline.scenario, steps, end: &timeline.end };
    export.to_json().to_string().into_bytes()
}

#[cfg(target_arch = "wasm32")]
mod guest {
    use wapc_guest::{CallResult, register_function};

    /// Registers the function. The host calls this once per instance.
    #[expect(unsafe_code, reason = "the host finds the function by its name")]
    #[unsafe(no_mangle)]
    pub extern "C" fn wapc_init() {
        register_function("export", export);
    }

    fn export(scenario: &[u8]) -> CallResult {
        Ok(super::export(scenario))
    }
}
