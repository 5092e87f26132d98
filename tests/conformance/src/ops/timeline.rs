mod frame;
mod history;
mod names;

use changeover_core::Problem;
use changeover_core::controller::Verb;
use changeover_core::feature_gates::Gates;
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{Kind, Object, Time};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Actor, Series, Step, Timeline};
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::deployment::controller::{complete_rule, deployment_complete};
use serde_json::Value;

use self::frame::frames;
use self::history::History;
use super::{Op, Outcome};
use crate::case::Case;
use crate::explained::Explained;

const RUN: &str = "timeline.run";

pub const OPS: &[(&str, Op)] = &[(RUN, run)];

#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Input {
    scenario: Value,
    /// Prefixes of rule ids: the case expects the steps and sentences of these rules.
    #[serde(default)]
    rules: Vec<String>,
}

/// The case's gates are used if the scenario has none of its own.
fn play(case: &Case, mut scenario: Value) -> Result<Timeline, Problem> {
    if let Value::Object(scenario) = &mut scenario
        && !scenario.contains_key("featureGates")
    {
        scenario.insert("featureGates".into(), case.given_gates.clone());
    }
    Scenario::from_value(&scenario).and_then(Timeline::run)
}

/// The timeline of a case that plays a scenario.
pub fn timeline(case: &Case) -> Option<Timeline> {
    let Input { scenario, .. } = (case.op == RUN).then(|| case.input().ok()).flatten()?;
    play(case, scenario).ok()
}

fn run(case: &Case) -> Result<Outcome, String> {
    let Input { scenario, rules } = case.input()?;
    let timeline = match play(case, scenario) {
        Ok(timeline) => timeline,
        Err(problem) => return Outcome::new([("error", problem.to_string().into())]),
    };
    let only = only_deployment(&timeline);
    let peak = only.as_ref().map(|(namespace, name)| Series::of(&timeline, namespace, name).peak());
    let completed = only.and_then(|(_, name)| completed_at(&timeline, &name));
    let mut outcome = Outcome::new([
        ("error", Value::Null),
        ("at", frames(&timeline, case.expected.get("at"))?),
        ("peak", peak.into()),
        ("completedAt", completed.map(|time| time.to_string()).into()),
        ("end", timeline.end.reason.to_json()),
    ])?;
    let history = History::new(&timeline, rules);
    outcome.got.extend(case.expected.keys().filter_map(|key| Some((key.clone(), history.value(key)?))));
    Ok(Outcome { explained: explain_steps(&timeline), ..outcome })
}

/// The reasons of all steps.
fn explain_steps(timeline: &Timeline) -> Vec<Explained> {
    let explained = |step: &Step| match &step.change {
        // The creation of a pod is explained by its controller.
        Some(change) if change.verb == Verb::Create && change.key.kind == Kind::Pod && step.actor != Actor::User => {
            Explained::about(&step.about.name, step.reason())
        }
        Some(change) => Explained::about(&change.key.name, step.reason()),
        // A user's action on a component or a node has no object.
        None if step.actor == Actor::User => Explained { about: String::new(), reason: step.reason() },
        None => Explained::about(&step.about.name, step.reason()),
    };
    timeline.steps.iter().map(explained).collect()
}

/// Namespace and name of the Deployment that the timeline is about; none if there are several.
fn only_deployment(timeline: &Timeline) -> Option<(String, String)> {
    let changed =
        timeline.steps.iter().filter_map(|step| step.change.as_ref()).filter_map(|change| change.after.as_ref());
    let mut deployments = timeline.initial.objects().chain(changed).filter_map(|object| match object {
        Object::Deployment(deployment) => {
            Some((deployment.metadata.namespace.to_string(), deployment.metadata.name.to_string()))
        }
        _ => None,
    });
    let first = deployments.next()?;
    deployments.all(|other| other == first).then_some(first)
}

/// When the Deployment last became complete, if it is complete at the end.
fn completed_at(timeline: &Timeline, name: &str) -> Option<Time> {
    let is_complete = |deployment: &Deployment, time: Time| {
        let complete_rule = complete_rule(deployment, gates_at(timeline, time).controller_manager);
        deployment.status.observed_generation >= deployment.metadata.generation
            && deployment_complete(deployment, &deployment.status, complete_rule)
    };
    let mut since = None;
    let initial = timeline.initial.deployments().find(|deployment| *deployment.metadata.name == *name);
    if initial.is_some_and(|deployment| is_complete(deployment, timeline.scenario.start)) {
        since = Some(timeline.scenario.start);
    }
    for step in &timeline.steps {
        if let Some(change) = &step.change {
            match &change.after {
                Some(Object::Deployment(deployment)) if is_complete(deployment, step.time) => {
                    since = since.or(Some(step.time));
                }
                Some(Object::Deployment(_)) => since = None,
                _ => {}
            }
        }
    }
    since
}

/// The gates after all of the user's actions so far.
fn gates_at(timeline: &Timeline, time: Time) -> Gates {
    let scenario = &timeline.scenario;
    let actions = scenario.actions.iter().filter(|action| scenario.start.plus(action.at.0) <= time);
    let restarts = actions.filter_map(|action| action.action.feature_gates());
    // A scenario that was played has only valid gates.
    [&scenario.feature_gates]
        .into_iter()
        .chain(restarts)
        .fold(Gates::default(), |gates, given| gates.restarted(given, "featureGates").unwrap_or(gates))
}
