//! The requests that change the objects, as `kubectl apply` sends them: all together, or a given number of rollouts at a time.

use alloc::vec::Vec;

use crate::Problem;
use crate::cluster::Simulation;
use crate::feature_gates::Gates;
use crate::object::ObjectKey;
use crate::scenario::{Action, Duration, Scenario, TimedAction};
use crate::timeline::Timeline;
use crate::workload::deployment::controller::{complete_rule, deployment_complete};

/// A request that changes an object, and the Deployment whose rollout it starts.
#[derive(Clone, Debug)]
pub(super) struct ApplyRequest {
    pub(super) action: Action,
    pub(super) deployment: Option<ObjectKey>,
}

/// Simulates a scenario with these requests at its start. With `concurrent`, at most this many rollouts run at a time: the next
/// one starts when one of them is complete, as in a script that waits for `kubectl rollout status`.
///
/// # Errors
/// The first problem of the scenario.
pub(super) fn simulate(
    mut scenario: Scenario,
    requests: Vec<ApplyRequest>,
    concurrent: Option<usize>,
) -> Result<Timeline, Problem> {
    let limit = concurrent.unwrap_or(usize::MAX);
    let mut count = 0_usize;
    // A request that starts no rollout does not wait.
    let (now, later): (Vec<ApplyRequest>, Vec<ApplyRequest>) = requests.into_iter().partition(|request| {
        count = count.saturating_add(usize::from(request.deployment.is_some()));
        request.deployment.is_none() || count <= limit
    });
    let mut running: Vec<ObjectKey> = now.iter().filter_map(|request| request.deployment.clone()).collect();
    scenario.actions.extend(now.into_iter().map(|request| TimedAction { at: Duration(0), action: request.action }));
    let gates = Gates::parse(&scenario.feature_gates, "featureGates").map_err(Problem::all)?.controller_manager;
    let mut simulation = Simulation::start(scenario)?;
    simulation.omit_details();
    let mut later = later.into_iter();
    while !later.as_slice().is_empty() && simulation.run_next_instant()? {
        let before = running.len();
        running.retain(|key| {
            simulation.deployment(key).is_none_or(|deployment| {
                let complete_rule = complete_rule(&deployment, gates);
                !deployment_complete(&deployment, &deployment.status, complete_rule)
            })
        });
        for request in later.by_ref().take(before.saturating_sub(running.len())) {
            simulation.add_action(request.action);
            running.extend(request.deployment);
        }
    }
    Ok(Timeline::of(simulation.finish()?))
}
