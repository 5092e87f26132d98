//! Inspects a lane at its cursor: which step to explain, and the tables with its details.

use changeover_core::controller::rank::Ranking;
use changeover_core::explain::{Mark, ranking};
use changeover_core::json::ToJson;
use changeover_core::object::{Object, ObjectMeta, Time};
use changeover_core::timeline::{DeletionRanking, Step};
use changeover_wire::{SeekMode, format_clock, i64_field, index_at, index_value, list_field, object, str_list};
use serde_json::Value;

use crate::explanation::{brief_explanation, explanation};
use crate::track_recorder::{milestone, same_decision};
use crate::{PlayedLane, deployment_and_replica_sets};

/// A ranking shows at most this many rows.
const MAX_ROWS: usize = 300;

/// A table of the details.
struct Table {
    title: String,
    columns: &'static [&'static str],
    rows: Vec<Value>,
    marked: Vec<Value>,
}

impl Table {
    const fn new(title: String, columns: &'static [&'static str]) -> Self {
        Self { title, columns, rows: Vec::new(), marked: Vec::new() }
    }

    /// Adds a row. `marked`: the explained step is about it.
    fn push(&mut self, cells: &[&str], marked: bool) {
        if marked {
            self.marked.push(index_value(self.rows.len()));
        }
        self.rows.push(str_list(cells));
    }

    fn into_value(self) -> Value {
        let Self { title, columns, rows, marked } = self;
        object(vec![
            ("title", title.into()),
            ("columns", str_list(columns)),
            ("rows", Value::Array(rows)),
            ("marked", Value::Array(marked)),
        ])
    }
}

/// Inspects a lane at its cursor.
pub(crate) fn inspect(played_lane: &PlayedLane, request: &Value, lane: usize) -> Value {
    let steps = &played_lane.timeline.steps;
    let Some(last) = played_lane.cursor.frame().checked_sub(1) else { return Value::Null };
    let explain = list_field(request, "explain");
    let given = index_at(explain, 1).filter(|step| index_at(explain, 0) == Some(lane) && *step <= last);
    let (explained, another) =
        given.map_or_else(|| explained_step(steps, last, i64_field(request, "seekMode")), |step| (step, false));
    let Some(step) = steps.get(explained) else { return Value::Null };
    let mut inspection = Vec::new();
    if step.time >= played_lane.begin {
        inspection.push(("explanation", explanation(step, played_lane.begin)));
        if let Some(last) = steps.get(last).filter(|_| another) {
            inspection.push(("lastStep", brief_explanation(last, played_lane.begin)));
        }
    }
    if step.reason().rule.id.starts_with("replicaset.delete.") {
        inspection.push(("detailsLabel", "Deletion order".into()));
    } else if step.reason().value("leftover").is_some() {
        inspection.push(("detailsLabel", "The shares".into()));
    }
    if list_field(request, "details").get(lane) == Some(&Value::Bool(true)) {
        let mut tables = Vec::new();
        tables.extend(played_lane.timeline.deletion_ranking(explained).map(|deletions| deletion_ranking(&deletions)));
        tables.extend(proportional_shares(steps, explained));
        tables.push(conditions(played_lane, step));
        tables.push(annotations(played_lane, step));
        inspection.push(("tables", Value::Array(tables)));
    }
    object(inspection)
}

/// The step to explain, and whether the last step is another one.
fn explained_step(steps: &[Step], last: usize, seek_mode: i64) -> (usize, bool) {
    if seek_mode == SeekMode::Write.number() {
        return (last, false);
    }
    let passed = steps.get(..=last).unwrap_or_default();
    let mut chosen = passed.iter().rposition(|step| milestone(step).is_some()).unwrap_or(last);
    if seek_mode == SeekMode::Time.number() {
        chosen = decision_at_limit(steps, chosen).unwrap_or(chosen);
    }
    // One decision may take many writes; the first one has its numbers.
    let chosen_steps = steps.get(..=chosen).unwrap_or_default();
    let pairs = chosen_steps.iter().rev().zip(chosen_steps.iter().rev().skip(1));
    let first = pairs.take_while(|(later, step)| same_decision(step, later)).count();
    (chosen.saturating_sub(first), chosen != last)
}

/// The last decision of the same instant that compares with the limit, which is what the ruler shows.
fn decision_at_limit(steps: &[Step], chosen: usize) -> Option<usize> {
    let steps = steps.get(..=chosen)?;
    let now = steps.last()?.time;
    let compares = |step: &Step| step.reason().rule.operands.iter().any(|operand| operand.mark == Some(Mark::Limit));
    let instant = steps.iter().rev().take_while(|step| step.time == now);
    let back = instant.enumerate().find(|(_, step)| compares(step) && milestone(step).is_some());
    back.and_then(|(back, _)| chosen.checked_sub(back))
}

fn deletion_ranking(deletions: &DeletionRanking) -> Value {
    let Ranking { order, decided } = &deletions.ranking;
    let name = |index: &usize| deletions.pods.get(*index).map_or("", |pod| &pod.metadata.name);
    let title = format!("Deletion order: {} of {} pods", deletions.count, deletions.pods.len());
    let mut table = Table::new(title, &["", "Pod", "Before the next one"]);
    for (rank, index) in order.iter().enumerate().take(MAX_ROWS) {
        let next = order.get(rank.saturating_add(1)).map(name);
        let reason =
            decided.get(rank).zip(next).map_or_else(String::new, |(decided, next)| ranking::why(decided, next));
        table.push(&[&rank.saturating_add(1).to_string(), name(index), &reason], rank < deletions.count);
    }
    table.into_value()
}

/// The operands of proportional scaling, and their columns in the table.
const SHARE_OPERANDS: [&str; 8] = ["replicaSet", "from", "base", "wholeShare", "share", "leftover", "owed", "to"];
const SHARE_COLUMNS: [&str; 8] =
    ["ReplicaSet", "wants", "base", "whole share", "share", "left over", "owed", "goes to"];

fn proportional_shares(steps: &[Step], explained: usize) -> Option<Value> {
    let step = steps.get(explained).filter(|step| step.reason().value("leftover").is_some())?;
    let mut table = Table::new(String::from("The shares of this scaling"), &SHARE_COLUMNS);
    let from = steps.partition_point(|other| other.time < step.time);
    for (index, other) in steps.iter().enumerate().skip(from) {
        if other.time != step.time {
            break;
        }
        if other.about == step.about && other.reason().value("leftover").is_some() {
            let cells =
                SHARE_OPERANDS.map(|name| other.reason().value(name).map(ToString::to_string).unwrap_or_default());
            table.push(&cells.each_ref().map(String::as_str), index == explained);
        }
    }
    Some(table.into_value())
}

const CONDITION_COLUMNS: [&str; 7] = ["Of", "Type", "Status", "Reason", "Message", "Last update", "Last transition"];

fn conditions(played_lane: &PlayedLane, step: &Step) -> Value {
    let mut table = Table::new(String::from("Conditions"), &CONDITION_COLUMNS);
    let written = step.change.as_ref().map(|change| &change.key.name);
    let now = format_stored_time(Some(step.time), played_lane.begin);
    for object in deployment_and_replica_sets(played_lane) {
        let name = &object.metadata().name;
        let mut push = |type_: &str, status: &dyn ToJson, reason: &str, message: &str, times: [Option<Time>; 2]| {
            let [updated, changed] = times.map(|time| format_stored_time(time, played_lane.begin));
            // The step wrote the conditions that have its time.
            let new = written == Some(name) && (now == updated || now == changed);
            let status = status.to_json();
            let status = status.as_str().unwrap_or_default();
            table.push(&[name, type_, status, reason, message, &updated, &changed], new);
        };
        match &object {
            Object::Deployment(object) => {
                for condition in object.status.conditions.iter() {
                    let times = [condition.last_update_time, condition.last_transition_time];
                    push(&condition.type_, &condition.status, &condition.reason, &condition.message, times);
                }
            }
            Object::ReplicaSet(object) => {
                for condition in &object.status.conditions {
                    push(
                        &condition.type_,
                        &condition.status,
                        &condition.reason,
                        &condition.message,
                        [None, condition.last_transition_time],
                    );
                }
            }
            Object::Pod(_) => {}
        }
    }
    table.into_value()
}

fn annotations(played_lane: &PlayedLane, step: &Step) -> Value {
    let mut table = Table::new(String::from("Annotations"), &["Of", "Annotation", "Value", "Before this step"]);
    for object in deployment_and_replica_sets(played_lane) {
        let meta = object.metadata();
        let change = step.change.as_ref().filter(|change| change.key == object.key());
        let sides = change
            .map(|change| [&change.before, &change.after].map(|side| side.as_ref().map(|object| &**object.metadata())));
        for (key, value) in meta.annotations.iter() {
            let previous = sides.and_then(|sides| previous_value(sides, key));
            table.push(&[&meta.name, key, value, previous.unwrap_or_default()], previous.is_some());
        }
    }
    table.into_value()
}

/// The value of an annotation before a write that changed it.
fn previous_value<'a>(sides: [Option<&'a ObjectMeta>; 2], key: &str) -> Option<&'a str> {
    let [before, after] = sides.map(|meta| meta.and_then(|meta| meta.annotation(key)));
    (before != after).then(|| before.unwrap_or("not set"))
}

/// A stored time on the page's clock.
fn format_stored_time(time: Option<Time>, begin: Time) -> String {
    match time.map(|time| time.since(begin)) {
        None => String::new(),
        Some(since) if since < 0 => String::from("before"),
        Some(since) => format_clock(since),
    }
}

/// The name and the node of a pod.
pub(crate) fn pod_name_and_node(played_lane: &PlayedLane, number: usize) -> Option<[Value; 2]> {
    let pod = played_lane.recording.pod(number)?;
    Some([(*pod.metadata.name).into(), pod.spec.node_name.as_deref().unwrap_or_default().into()])
}
