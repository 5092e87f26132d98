//! The player's part of "what if": what the user does from a moment of the picture on becomes part of the scenario.

use changeover_core::Problem;
use changeover_core::object::{Deployment, Time};
use changeover_core::scenario::{Scenario, VERSION};
use changeover_core::timeline::{Actor, EndReason, Timeline};
use changeover_wire::{FORK_PATH_PREFIX, field, i64_field, object};
use serde_json::Value;

/// What happens to the Deployment that is shown, where no other is named.
const ABOUT_IT: [&str; 5] = ["scale", "setTemplate", "pause", "resume", "undo"];

/// Of these rules is what could not be done.
const REFUSED: [&str; 2] = ["user.refused", "user.not-undone"];

/// What is said where there is no step.
const NOTHING: &str = "It is so already: nothing would change.";

/// Plays a scenario in which that is done, too, at times after the picture's beginning. What happens before is the same.
///
/// # Errors
/// What is wrong with the scenario, or with one of the forks, with its path.
pub(crate) fn run(
    mut scenario: Scenario,
    begin: i64,
    forks: &[Value],
    shown: Option<&Deployment>,
) -> Result<Timeline, Problem> {
    let own = scenario.actions.len();
    let mut actions = Vec::new();
    for fork in forks {
        let at = begin.saturating_add(i64_field(fork, "at"));
        let action = field(fork, "do");
        if let Some(own) = action.get("at") {
            let message = format!("Invalid value: {own}: must be left out, as it is done where the playhead stands");
            return Err(Problem::new(format!("{FORK_PATH_PREFIX}{}].at", actions.len()), message));
        }
        actions.push(named(action, at, shown));
    }
    let asked = object(vec![("version", VERSION.into()), ("actions", Value::Array(actions))]);
    let mut asked = Scenario::from_value(&asked).map_err(|problem| of_fork(problem, 0))?;
    for (index, action) in asked.actions.iter().enumerate() {
        let wanted = action.scale.as_ref().map(|scale| scale.replicas);
        if let Some(wanted) = wanted.filter(|wanted| *wanted > i64::from(scenario.limits.pods)) {
            let most = scenario.limits.pods;
            let message = format!("Invalid value: {wanted}: more than {most} pods at once are not simulated");
            return Err(Problem::new(format!("{FORK_PATH_PREFIX}{index}].scale.replicas"), message));
        }
    }
    scenario.actions.append(&mut asked.actions);
    Timeline::run(scenario).map_err(|problem| of_fork(problem, own))
}

/// A problem of an action after the scenario's own ones is that of a fork.
fn of_fork(problem: Problem, own: usize) -> Problem {
    let parts = problem.path.strip_prefix("actions[").and_then(|rest| rest.split_once(']'));
    let index = parts.and_then(|(index, _)| index.parse::<usize>().ok()?.checked_sub(own));
    match index.zip(parts) {
        Some((index, (_, below))) => Problem::new(format!("{FORK_PATH_PREFIX}{index}]{below}"), problem.message),
        None => problem,
    }
}

/// An action with its time, and with the Deployment that it is about.
fn named(action: &Value, at: i64, shown: Option<&Deployment>) -> Value {
    let mut action = action.clone();
    if let Some(map) = action.as_object_mut() {
        map.insert(String::from("at"), (at.to_string() + "ns").into());
    }
    for verb in ABOUT_IT {
        let about = action.get_mut(verb).and_then(Value::as_object_mut).filter(|about| !about.contains_key("name"));
        if let Some((about, shown)) = about.zip(shown) {
            about.insert(String::from("name"), (*shown.metadata.name).into());
            about.insert(String::from("namespace"), (*shown.metadata.namespace).into());
        }
    }
    action
}

/// What came of each fork: a sentence, and whether it was done.
pub(crate) fn said(timeline: &Timeline, begin: Time, forks: &[Value]) -> Value {
    let mut said = Vec::new();
    for fork in forks {
        let time = begin.plus(i64_field(fork, "at"));
        let act = timeline.steps.iter().find(|step| step.time == time && step.actor == Actor::User);
        let (sentence, done) = match act {
            Some(step) => (step.reason.sentence(), !REFUSED.contains(&step.reason.rule.id)),
            None if timeline.end.reason == EndReason::Quiet => (String::from(NOTHING), false),
            None => (timeline.end.message.clone(), false),
        };
        said.push(Value::Array(vec![sentence.into(), done.into()]));
    }
    Value::Array(said)
}
