//! Starts rollouts: all together, or a given number at a time.

use alloc::vec::Vec;

use crate::Problem;
use crate::cluster::Simulation;
use crate::controller::deployment::deployment_complete;
use crate::feature_gates::Gates;
use crate::object::ObjectKey;
use crate::scenario::{Action, Duration, Scenario, TimedAction};
use crate::timeline::Timeline;

/// An action, and the Deployment whose rollout it starts.
#[derive(Clone, Debug)]
pub(super) struct Launch {
    pub(super) action: Action,
    pub(super) deployment: Option<ObjectKey>,
}

/// Simulates a scenario with these actions at its start. With `concurrent`, a rollout that finds this many running starts
/// when one of them is complete, as for somebody who waits for `kubectl rollout status`.
///
/// # Errors
/// The first problem of the scenario.
pub(super) fn simulate(
    mut scenario: Scenario,
    launches: &[Launch],
    concurrent: Option<usize>,
) -> Result<Timeline, Problem> {
    let limit = concurrent.unwrap_or(usize::MAX);
    let mut count = 0_usize;
    // What starts no rollout does not wait.
    let (now, later): (Vec<&Launch>, Vec<&Launch>) = launches.iter().partition(|launch| {
        count = count.saturating_add(usize::from(launch.deployment.is_some()));
        launch.deployment.is_none() || count <= limit
    });
    scenario.actions.extend(now.iter().map(|launch| TimedAction { at: Duration(0), action: launch.action.clone() }));
    let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(Problem::all)?.controller_manager;
    let mut running: Vec<&ObjectKey> = now.iter().filter_map(|launch| launch.deployment.as_ref()).collect();
    let mut simulation = Simulation::start(scenario)?;
    let mut later = later.into_iter();
    while !later.as_slice().is_empty() && simulation.run_next_instant()? {
        let before = running.len();
        running.retain(|key| {
            let deployment = simulation.deployment(key);
            !deployment.is_some_and(|deployment| deployment_complete(&deployment, &deployment.status, gates))
        });
        for launch in later.by_ref().take(before.saturating_sub(running.len())) {
            simulation.add_action(launch.action.clone());
            running.extend(launch.deployment.as_ref());
        }
    }
    Ok(Timeline::of(simulation.finish()?))
}
