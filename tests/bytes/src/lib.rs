//! What is compared, natively and as a waPC guest: a scenario in, its whole timeline out, as the npm package exports it.

use changeover_core::Problem;
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{End, StepOut, Timeline};
use serde::Serialize;

/// The npm package's `Export`.
#[derive(Serialize)]
struct Export<'a> {
    scenario: &'a Scenario,
    steps: Vec<StepOut>,
    end: &'a End,
}

/// The timeline of a scenario as JSON; or what is wrong with the scenario.
#[must_use]
pub fn export(scenario: &[u8]) -> Vec<u8> {
    let refused = |problem: Problem| problem.to_string().into_bytes();
    let scenario = match serde_json::from_slice(scenario) {
        Ok(value) => Scenario::from_value(&value),
        Err(error) => return error.to_string().into_bytes(),
    };
    let timeline = match scenario.and_then(Timeline::run) {
        Ok(timeline) => timeline,
        Err(problem) => return refused(problem),
    };
    let steps = (0..timeline.len()).filter_map(|index| timeline.step_out(index)).collect();
    let export = Export { scenario: &timeline.scenario, steps, end: &timeline.end };
    serde_json::to_vec(&export).unwrap_or_else(|error| error.to_string().into_bytes())
}

#[cfg(target_arch = "wasm32")]
mod guest {
    use wapc_guest::{CallResult, register_function};

    /// Registers the function. The host calls this once for each instance.
    #[expect(unsafe_code, reason = "the host finds the function by its name")]
    #[unsafe(no_mangle)]
    pub extern "C" fn wapc_init() {
        register_function("export", export);
    }

    fn export(scenario: &[u8]) -> CallResult {
        Ok(super::export(scenario))
    }
}
