//! "What if…" in the player: adds the user's actions to a scenario and plays it.

use changeover_core::Problem;
use changeover_core::cluster::Decision;
use changeover_core::cluster::decision::UserDecision;
use changeover_core::object::Time;
use changeover_core::scenario::{Action, Scale, Scenario, TimedAction, VERSION};
use changeover_core::timeline::{Actor, Timeline};
use changeover_wire::{FORK_PATH_PREFIX, Fork, ForkOutcome, WorkloadKind, group_digits};
use serde_json::{Value, json};

use crate::explanation::{Clock, sentence};

/// Actions that are about a workload.
const WORKLOAD_VERBS: [&str; 7] = ["scale", "setTemplate", "pause", "suspend", "resume", "restart", "undo"];

/// The outcome of an action that led to no step.
const NO_CHANGE: &str = "Nothing would change: that is already its state.";

/// Plays a scenario with more actions. `begin` is the page's time 0, from which the times of `forks` count.
///
/// # Errors
/// A problem in the scenario, or in a fork, with its path.
pub(crate) fn run_with_forks(scenario: Scenario, begin: i64, forks: &[Fork]) -> Result<Timeline, Problem> {
    let own = scenario.actions.len();
    Timeline::run(with_forks(scenario, begin, forks)?).map_err(|problem| fork_problem(problem, own))
}

/// A scenario with more actions, as the player plays it.
///
/// # Errors
/// A problem in a fork, with its path.
pub fn with_forks(mut scenario: Scenario, begin: i64, forks: &[Fork]) -> Result<Scenario, Problem> {
    let mut actions = Vec::new();
    for fork in forks {
        if let Some(own) = fork.action.get("at") {
            let message = format!("Invalid value: {own}: must be left out: the action happens at the time on the page");
            return Err(Problem::new(format!("{FORK_PATH_PREFIX}{}].at", actions.len()), message));
        }
        actions.push(complete_action(fork, begin));
    }
    let added = json!({"version": VERSION, "actions": actions});
    let mut added = Scenario::from_value(&added).map_err(|problem| fork_problem(problem, 0))?;
    for (index, TimedAction { action, .. }) in added.actions.iter().enumerate() {
        let most = scenario.limits.pods;
        if let Action::Scale(Scale { replicas, .. }) = action
            && *replicas > i64::from(most)
        {
            let most = group_digits(most);
            let message = format!("Invalid value: {replicas}: more than {most} pods at once are not simulated");
            return Err(Problem::new(format!("{FORK_PATH_PREFIX}{index}].scale.replicas"), message));
        }
    }
    scenario.actions.append(&mut added.actions);
    Ok(scenario)
}

/// Maps the path of an action that was added after the scenario's `own` ones to its fork.
fn fork_problem(problem: Problem, own: usize) -> Problem {
    let parts = problem.path.strip_prefix("actions[").and_then(|rest| rest.split_once(']'));
    let index = parts.and_then(|(index, _)| index.parse::<usize>().ok()?.checked_sub(own));
    match index.zip(parts) {
        Some((index, (_, below))) => Problem::new(format!("{FORK_PATH_PREFIX}{index}]{below}"), problem.message),
        None => problem,
    }
}

/// An action with its time and, if it names none, with its workload.
fn complete_action(fork: &Fork, begin: i64) -> Value {
    let mut action = fork.action.clone();
    if let Some(map) = action.as_object_mut() {
        map.insert(String::from("at"), Value::from(format!("{}ns", begin.saturating_add(fork.at))));
    }
    for verb in WORKLOAD_VERBS {
        let body = action.get_mut(verb).and_then(Value::as_object_mut).filter(|body| !body.contains_key("name"));
        if let Some((body, target)) = body.zip(fork.target.as_ref()) {
            body.insert(String::from("name"), Value::from(target.name.as_str()));
            body.insert(String::from("namespace"), Value::from(target.namespace.as_str()));
            if target.kind != WorkloadKind::Deployment {
                body.insert(String::from("kind"), Value::from(target.kind.name()));
            }
        }
    }
    action
}

/// What became of each fork. `cut_reason`: why the timeline ends too early, if it does.
pub(crate) fn fork_outcomes(
    timeline: &Timeline,
    begin: Time,
    clock: Clock,
    cut_reason: Option<&str>,
    forks: &[Fork],
) -> Vec<ForkOutcome> {
    let outcome = |fork: &Fork| {
        let time = begin.plus(fork.at);
        let step = timeline.steps.iter().find(|step| step.time == time && step.actor == Actor::User);
        let (sentence, done) = match step {
            Some(step) => (sentence(&step.reason(), clock), !is_refused(&step.decision)),
            None => (String::from(cut_reason.unwrap_or(NO_CHANGE)), false),
        };
        ForkOutcome { sentence, done }
    };
    forks.iter().map(outcome).collect()
}

/// Whether the user's action was refused.
fn is_refused(decision: &Decision) -> bool {
    let Decision::User(user) = decision else { return false };
    matches!(&**user, UserDecision::Refused { .. } | UserDecision::NotUndone { .. } | UserDecision::NotRestarted { .. })
}
