//! The simulated cluster: being written.

use crate::Problem;
use crate::scenario::Scenario;
use crate::timeline::Timeline;

/// Plays a scenario.
///
/// # Errors
/// Always, until it is written.
pub fn run(_scenario: Scenario) -> Result<Timeline, Problem> {
    Err(Problem::new("", "the simulated cluster is not written yet"))
}
