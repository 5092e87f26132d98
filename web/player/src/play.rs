//! Plays a lane: runs its scenario with the user's forks, and finds what the page needs to show it.

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::cluster::{Changes, steady_state};
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::object::{Object, ObjectMeta, Time};
use changeover_core::scenario::{Action, Autoscaler, Limits, Manifests, Scenario, TimedAction};
use changeover_core::timeline::{Cursor, EndReason, Series, Step, Timeline};
use changeover_core::workload::deployment::Deployment;
use changeover_wire::{
    LaneSource, Pin, PlayRequest, PlayedLane, PodIdentity, Refusal, Totals, WorkloadKind, WorkloadName, format_clock,
    group_digits,
};
use serde_json::Value;

use crate::explanation::Clock;
use crate::fork;
use crate::rollout_totals::totals_of;
use crate::track_recorder::{TrackRecorder, lanes_of};

/// Pods have names on the page if there are at most this many.
const MAX_NAMED_PODS: usize = 5_000;

/// A lane and its timeline.
pub(crate) struct Lane {
    /// Its generation.
    pub generation: u32,
    /// Its number.
    pub number: usize,
    /// Its timeline.
    pub timeline: Timeline,
    /// The workload that is shown, in its last state.
    pub workload: Option<Object>,
    /// Where it was inspected last.
    pub cursor: Cursor,
    /// The page's time 0.
    pub begin: Time,
    /// The page's clock, if it were alone on the page.
    pub clock: Clock,
}

impl Lane {
    /// The shown workload at the cursor, with the ReplicaSets of a Deployment or the Jobs of a CronJob.
    pub(crate) fn shown_objects(&self) -> Vec<Object> {
        let state = self.cursor.state();
        let Some(workload) = &self.workload else { return Vec::new() };
        let Object::Deployment(shown) = workload else {
            return lanes_of(workload.kind()).map(|lanes| lanes.shown_objects(state, workload)).unwrap_or_default();
        };
        let Some(deployment) = state.deployments().find(|deployment| deployment.metadata.uid == shown.metadata.uid)
        else {
            return Vec::new();
        };
        let mut objects = vec![Object::Deployment(deployment.clone())];
        objects.extend(state.replica_sets_of(deployment).into_iter().cloned().map(Object::ReplicaSet));
        objects
    }
}

/// Plays a lane. Returns it with its track and the response.
///
/// # Errors
/// If the scenario or a fork is invalid.
pub(crate) fn play(request: &PlayRequest) -> Result<(Lane, Vec<i32>, PlayedLane), Refusal> {
    let played =
        scenario(&request.source).and_then(|scenario| fork::run_with_forks(scenario, request.begin, &request.forks));
    let mut timeline = played.map_err(|problem| Refusal {
        generation: request.generation,
        lane: request.lane,
        problem: problem.into(),
    })?;
    let begin = timeline.scenario.start.plus(request.begin);
    let TrackRecorder { workload, owners, nodes, pods, track, .. } =
        TrackRecorder::record(&timeline, request.workload.as_ref(), begin);
    let named_pods = if pods.len() <= MAX_NAMED_PODS { pods.as_slice() } else { &[] };
    let pod_identity = |pod: &Rc<_>| {
        let pod: &changeover_core::object::Pod = pod;
        PodIdentity { name: pod.metadata.name.to_string(), node: pod.spec.node_name.as_deref().map(String::from) }
    };
    let lanes = workload.as_ref().and_then(|workload| lanes_of(workload.kind()));
    let totals = match (&workload, lanes) {
        (Some(workload), Some(lanes)) => lanes.totals(&timeline, workload, begin, &request.forks),
        (Some(workload), None) => {
            totals_of(&timeline, workload, &series_of(&timeline, workload), begin, &request.forks)
        }
        (None, _) => Totals::default(),
    };
    let change = begin.plus(totals.change);
    let clock = Clock::of(&timeline, change);
    let Scenario { start, limits, .. } = &*timeline.scenario;
    let last_time = start.plus(limits.time.0).since(change);
    let cut_reason = cut_reason(timeline.end.reason, limits, last_time);
    let response = PlayedLane {
        generation: request.generation,
        lane: request.lane,
        workload: workload.as_ref().map(workload_name),
        columns: workload.as_ref().zip(lanes).map(|(workload, lanes)| lanes.columns(workload)),
        replica_sets: owners.iter().map(|(_, name)| name.to_string()).collect(),
        pods: named_pods.iter().map(pod_identity).collect(),
        nodes: nodes.iter().map(ToString::to_string).collect(),
        cordoned_nodes: cordoned_nodes(&timeline.scenario),
        lost_nodes: lost_nodes(&timeline.scenario),
        totals,
        forks: fork::fork_outcomes(&timeline, begin, clock, cut_reason.as_deref(), &request.forks),
        pins: request.pins.iter().map(|pin| find_pinned_step(&timeline.steps, pin, begin)).collect(),
        cut_reason,
    };
    let cursor = timeline.cursor();
    // The timeline's first frame has the objects; keeping them as JSON too would double the memory.
    if let Some(scenario) = Rc::get_mut(&mut timeline.scenario) {
        scenario.objects = Manifests::default();
    }
    let lane = Lane { generation: request.generation, number: request.lane, timeline, workload, cursor, begin, clock };
    Ok((lane, track, response))
}

/// The nodes that are cordoned at the start, and those that an action cordons, in this order.
fn cordoned_nodes(scenario: &Scenario) -> Vec<String> {
    let at_start = scenario.nodes.iter().filter(|node| node.cordoned).map(|node| node.name.clone());
    let cordoned = scenario.actions.iter().filter_map(|timed| match &timed.action {
        Action::Cordon(node) => Some(node.name.clone()),
        Action::Drain(drain) => Some(drain.name.clone()),
        _ => None,
    });
    at_start.chain(cordoned).collect()
}

/// The nodes that are lost at the start, and those that an action loses, in this order, but none that an action deletes.
fn lost_nodes(scenario: &Scenario) -> Vec<String> {
    let at_start = scenario.nodes.iter().filter(|node| node.lost).map(|node| &node.name);
    let lost = scenario.actions.iter().filter_map(|timed| match &timed.action {
        Action::LoseNode(node) => Some(&node.name),
        _ => None,
    });
    let is_deleted = |name: &str| {
        let mut actions = scenario.actions.iter();
        actions.any(|timed| matches!(&timed.action, Action::DeleteNode(node) if node.name == name))
    };
    at_start.chain(lost).filter(|name| !is_deleted(name)).cloned().collect()
}

/// What the user's changes lead to in a scenario, from its start on: for the Deployment of this name, or else the first one.
///
/// # Errors
/// If the scenario is invalid.
pub fn totals(scenario: Scenario, deployment: Option<&WorkloadName>) -> Result<Totals, Problem> {
    let timeline = Timeline::run(scenario)?;
    let is_shown = |it: &&Rc<Deployment>| {
        deployment.is_none_or(|name| *it.metadata.name == *name.name && *it.metadata.namespace == *name.namespace)
    };
    let created = timeline.steps.iter().filter_map(|step| match &step.change.as_ref()?.after {
        Some(Object::Deployment(deployment)) => Some(deployment),
        _ => None,
    });
    let shown = timeline.initial.deployments().chain(created).find(is_shown);
    let shown = shown.cloned().map(Object::Deployment);
    let totals = |shown| totals_of(&timeline, &shown, &series_of(&timeline, &shown), timeline.scenario.start, &[]);
    Ok(shown.map(totals).unwrap_or_default())
}

/// What a rollout's scenario has besides its changes.
#[derive(Default, ToJson, FromJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Surroundings {
    /// What adds nodes.
    pub autoscaler: Option<Autoscaler>,
    /// What else happens.
    pub actions: Vec<TimedAction>,
}

impl Surroundings {
    /// Reads those of a source.
    ///
    /// # Errors
    /// If they are invalid.
    pub fn read(value: &Value) -> Result<Self, Problem> {
        decode(value, "")
    }
}

fn workload_name(workload: &Object) -> WorkloadName {
    WorkloadName {
        kind: WorkloadKind::of_name(workload.kind().name()).unwrap_or_default(),
        namespace: workload.metadata().namespace.to_string(),
        name: workload.metadata().name.to_string(),
    }
}

/// The scenario of a source.
///
/// # Errors
/// If the source is invalid; the paths begin at the fields of the manifest or of the changes.
pub fn scenario(source: &LaneSource) -> Result<Scenario, Problem> {
    match source {
        LaneSource::Scenario(scenario) => Scenario::from_value(scenario),
        LaneSource::Attached => Err(Problem::new("", "Required value: must come with a scenario")),
        LaneSource::Rollout { deployment, changes, surroundings } => {
            let changes = Changes::from_value(changes);
            // The user sees only the manifest, so paths begin at its fields.
            let below = |path: &str| {
                let below = ["deployment.", "changes."].into_iter().find_map(|part| path.strip_prefix(part));
                String::from(below.unwrap_or(path))
            };
            let scenario = changes.and_then(|changes| steady_state(deployment, &changes));
            let mut scenario = scenario.map_err(|problem| problem.map_paths(&below))?;
            let Surroundings { autoscaler, actions } = Surroundings::read(surroundings)?;
            scenario.autoscaler = autoscaler;
            // As in a plan of the same changes: what happens besides comes first.
            scenario.actions.splice(..0, actions);
            Ok(scenario)
        }
    }
}

/// The counts of a Deployment from frame to frame.
fn series_of(timeline: &Timeline, deployment: &Object) -> Series {
    let ObjectMeta { namespace, name, .. } = &**deployment.metadata();
    Series::of(timeline, namespace, name)
}

/// The step that a pin names, at or after a time.
fn find_pinned_step(steps: &[Step], pin: &Pin, begin: Time) -> Option<usize> {
    let fits = |step: &Step| step.time >= begin && step.reason().rule.id == pin.rule && is_about(step, &pin.about);
    let before = usize::try_from(pin.nth.saturating_sub(1)).ok()?;
    steps.iter().enumerate().filter(|(_, step)| fits(step)).map(|(index, _)| index).nth(before)
}

fn is_about(step: &Step, about: &str) -> bool {
    if about.is_empty() {
        return true;
    }
    let written = step.change.as_ref().map(|change| &change.key);
    let keys = [Some(&step.about), written].into_iter().flatten();
    let mut matches = keys.map(|key| key.kind.name() == about || key.name.starts_with(about));
    matches.any(|matches| matches) || step.reason().values.iter().any(|value| value.to_string() == about)
}

/// Why a timeline ends although more would happen, without the keys of a scenario, which the page does not show. `last_time`: the
/// last one that may be simulated, on the page's clock.
fn cut_reason(reason: EndReason, limits: &Limits, last_time: i64) -> Option<String> {
    match reason {
        EndReason::Quiet => None,
        EndReason::Time => {
            Some(format!("The simulation ends at {}. More would happen after that.", format_clock(last_time)))
        }
        EndReason::Steps => Some(format!("More would happen after {} steps.", group_digits(limits.steps))),
        EndReason::Pods => Some(format!("More than {} pods at once are not simulated.", group_digits(limits.pods))),
        EndReason::Bytes => {
            let bytes = group_digits(i64::try_from(limits.bytes).unwrap_or(i64::MAX));
            Some(format!("The timeline would take more than {bytes} bytes."))
        }
    }
}

#[cfg(test)]
mod tests {
    use changeover_core::prediction::{PodReplacementPolicies, PredictOptions, Quotas, RolloutPlan};
    use changeover_wire::Fork;
    use serde_json::json;

    use super::*;

    /// What follows if the user acts this many seconds after the state of a paused rollout was read.
    fn paused_and_then(seconds: i64, action: Value) -> Totals {
        state_and_then(include_str!("../../../tests/cli/cases/explain.in/paused.json"), seconds, action)
    }

    /// The same in another state.
    fn state_and_then(state: &str, seconds: i64, action: Value) -> Totals {
        let state: Value = serde_json::from_str(state).unwrap();
        let objects = state.get("items").and_then(Value::as_array).unwrap();
        let plan = RolloutPlan::new(objects, &[], &PredictOptions::default()).unwrap();
        let scenario = plan.scenario(PodReplacementPolicies::Today, Quotas::Enforced).unwrap();
        let target = WorkloadName { kind: WorkloadKind::Deployment, namespace: "shop".into(), name: "web".into() };
        let at = seconds.saturating_mul(Time::SECOND).saturating_add(1);
        let forks = [Fork { at, action, target: Some(target) }];
        let timeline = fork::run_with_forks(scenario, 0, &forks).unwrap();
        let shown = timeline.initial.deployments().next().unwrap();
        let shown = Object::Deployment(shown.clone());
        totals_of(&timeline, &shown, &series_of(&timeline, &shown), timeline.scenario.start, &forks)
    }

    #[test]
    fn a_resumed_rollout_is_one_in_progress_on_the_clock_of_its_snapshot() {
        for seconds in [0, 32] {
            let totals = paused_and_then(seconds, json!({ "resume": {} }));
            assert_eq!((totals.change, totals.rollout_start), (0, Some(0)), "{totals:?}");
            let resumed = Some(seconds.saturating_mul(Time::SECOND));
            assert!(totals.complete > resumed, "{totals:?}");
            assert!(totals.last_old_pod_gone > totals.complete, "{totals:?}");
        }
    }

    #[test]
    fn a_stuck_rollout_that_gets_another_strategy_stays_one_in_progress() {
        let state = include_str!("../../../tests/cli/cases/explain.in/quota.json");
        let one_unavailable = json!({ "rollingUpdate": { "maxSurge": 0, "maxUnavailable": 1 } });
        let patch = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "strategy": one_unavailable },
        });
        let totals = state_and_then(state, 0, json!({ "apply": patch }));
        assert_eq!((totals.change, totals.rollout_start), (0, Some(0)), "{totals:?}");
        assert!(totals.complete > Some(0) && totals.last_old_pod_gone.is_some(), "{totals:?}");
    }

    #[test]
    fn the_figures_of_a_paused_rollout_that_is_scaled_are_about_the_scaling() {
        let resume_and_scale = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "paused": false, "replicas": 5 },
        });
        for action in [json!({ "scale": { "replicas": 5 } }), json!({ "apply": resume_and_scale })] {
            let totals = paused_and_then(32, action);
            assert_eq!((totals.change, totals.rollout_start), (0, None), "{totals:?}");
            assert!(totals.all_available > Some(32 * Time::SECOND), "{totals:?}");
        }
    }

    #[test]
    fn a_timeline_that_is_cut_says_where_on_the_clock_of_the_page() {
        let said = |reason: EndReason| cut_reason(reason, &Limits::default(), 425 * Time::SECOND);
        let sentence = "The simulation ends at 7:05. More would happen after that.";
        assert_eq!(said(EndReason::Time).as_deref(), Some(sentence));
        assert_eq!(said(EndReason::Quiet), None);
    }
}
