//! Inspects a lane at a frame: which step to explain, and the tables with its details.

use core::iter;
use core::ops::RangeInclusive;

use changeover_core::cluster::Decision;
use changeover_core::controller;
use changeover_core::controller::rank::DeletionRanking;
use changeover_core::explain::{Mark, OperandValue, ranking};
use changeover_core::json::ToJson;
use changeover_core::object::{Object, ObjectMeta, Time};
use changeover_core::scheduler::{NodeReport, RejectedNode, ScoredNode};
use changeover_core::timeline::Step;
use changeover_core::workload::deployment::decision::Scaled;
use changeover_wire::{
    ClockFormat, Explanation, InspectRequest, KnownSteps, LaneInspection, MAX_WAVE, Table, TableRow, group_digits,
};

use crate::explanation::{Clock, explanation, format_value};
use crate::play::Lane;
use crate::track_recorder::{milestone, same_decision};

/// Inspects a lane at a frame. `format`: that of the times of all lanes.
pub(crate) fn inspect(lane: &mut Lane, frame: usize, request: &InspectRequest, format: ClockFormat) -> LaneInspection {
    let clock = Clock { format, ..lane.clock };
    lane.cursor.seek(&lane.timeline, frame);
    request.inspect(lane.number, lane.cursor.frame(), &PlayedFrame { lane, clock })
}

/// A lane at the frame of its cursor.
struct PlayedFrame<'a> {
    lane: &'a Lane,
    clock: Clock,
}

impl KnownSteps for PlayedFrame<'_> {
    fn explained_in_wave(&self, last: usize) -> usize {
        explained_in_wave(&self.lane.timeline.steps, last)
    }

    fn explanation(&self, step: usize) -> Option<Explanation> {
        let step = self.lane.timeline.steps.get(step).filter(|step| step.time >= self.lane.begin)?;
        Some(explanation(step, self.lane.begin, self.clock))
    }

    fn tables(&self, explained: usize) -> Vec<Table> {
        let Self { lane, clock } = self;
        let steps = &lane.timeline.steps;
        let Some(step) = steps.get(explained) else { return Vec::new() };
        let mut tables = Vec::new();
        let ranking = lane.timeline.deletion_ranking(explained);
        tables.extend(ranking.map(deletion_ranking));
        if let Some(report) = lane.timeline.node_report(explained) {
            tables.extend(node_scores(report));
            tables.extend(rejected_nodes(report));
        }
        tables.extend(proportional_shares(steps, explained));
        tables.push(conditions(lane, step, *clock));
        tables.push(annotations(lane, step));
        tables
    }
}

/// The step to explain at the end of a wave whose last step is `last`.
fn explained_in_wave(steps: &[Step], last: usize) -> usize {
    let passed = steps.get(..=last).unwrap_or_default();
    let chosen = passed.iter().rposition(|step| milestone(step).is_some()).unwrap_or(last);
    let chosen = decision_at_limit(steps, chosen).unwrap_or(chosen);
    // One decision may take many writes; the first one has its numbers.
    let chosen_steps = steps.get(..=chosen).unwrap_or_default();
    let pairs = chosen_steps.iter().rev().zip(chosen_steps.iter().rev().skip(1));
    let first = pairs.take_while(|(later, step)| same_decision(step, later)).count();
    chosen.saturating_sub(first)
}

/// The last decision of the same wave that compares with the limit, which is what the picture shows.
fn decision_at_limit(steps: &[Step], chosen: usize) -> Option<usize> {
    let steps = steps.get(..=chosen)?;
    let wave = wave_of(steps.last()?);
    let compares = |step: &Step| step.reason().rule.operands.iter().any(|operand| operand.mark == Some(Mark::Limit));
    let wave = steps.iter().rev().take_while(|step| wave.contains(&step.time));
    let back = wave.enumerate().find(|(_, step)| compares(step) && milestone(step).is_some());
    back.and_then(|(back, _)| chosen.checked_sub(back))
}

/// The times of a wave that has this step.
fn wave_of(step: &Step) -> RangeInclusive<Time> {
    let Time(now) = step.time;
    Time(now.saturating_sub(MAX_WAVE))..=Time(now.saturating_add(MAX_WAVE))
}

fn table(title: String, columns: &[&str]) -> Table {
    Table { title, columns: columns.iter().copied().map(String::from).collect(), rows: Vec::new() }
}

fn push_row(table: &mut Table, cells: &[&str], marked: bool) {
    let cells = cells.iter().copied().map(String::from).collect();
    table.rows.push(TableRow { cells, marked });
}

fn group_count(count: usize) -> String {
    group_digits(i64::try_from(count).unwrap_or(i64::MAX))
}

fn deletion_ranking(deletions: &DeletionRanking) -> Table {
    let title = format!("Deletion order: {} of {} pods", group_count(deletions.count), group_count(deletions.total));
    let mut order = table(title, &["Rank", "Pod", "Why it goes before the next pod"]);
    let next = deletions.pods().skip(1).map(|next| &next.metadata.name);
    let reasons = deletions.decided().zip(next).map(|(decided, next)| ranking::why(&decided, next));
    for (rank, (pod, reason)) in deletions.pods().zip(reasons.chain([String::new()])).enumerate() {
        let number = group_count(rank.saturating_add(1));
        push_row(&mut order, &[&number, &pod.metadata.name, &reason], rank < deletions.count);
    }
    order
}

/// Why the pod got its node: what each plugin adds to the score of each node that takes it.
fn node_scores(report: &NodeReport) -> Option<Table> {
    if report.plugins.is_empty() {
        return None;
    }
    let plugins = report.plugins.iter().map(|plugin| plugin.name());
    let columns: Vec<&str> = ["Node", "Total"].into_iter().chain(plugins).collect();
    let mut scores = table(String::from("The scores of the nodes that take the pod"), &columns);
    let best = report.scored.first().map(|node| node.total);
    for ScoredNode { name, scores: added, total } in &report.scored {
        let numbers: Vec<String> = [total].into_iter().chain(added).map(|number| group_digits(*number)).collect();
        let cells: Vec<&str> = iter::once(&**name).chain(numbers.iter().map(String::as_str)).collect();
        push_row(&mut scores, &cells, Some(*total) == best);
    }
    Some(scores)
}

/// Why nodes don't take the pod.
fn rejected_nodes(report: &NodeReport) -> Option<Table> {
    if report.rejected.is_empty() {
        return None;
    }
    let columns = ["Node", "The scheduler says", "Why", "What would help"];
    let mut nodes = table(String::from("The nodes that don't take the pod"), &columns);
    for RejectedNode { name, said, why, helps } in &report.rejected {
        push_row(&mut nodes, &[name, said, why, helps], false);
    }
    Some(nodes)
}

const SHARE_COLUMNS: [&str; 8] = ["ReplicaSet", "wants", "base", "whole share", "share", "leftover", "owed", "goes to"];

/// The size and the share of a ReplicaSet that is scaled in proportion to others.
fn proportional_share(step: &Step) -> Option<&Scaled> {
    match &step.decision {
        Decision::Controller(controller::Decision::Deployment(decision)) => decision.share(),
        _ => None,
    }
}

fn proportional_shares(steps: &[Step], explained: usize) -> Option<Table> {
    let step = steps.get(explained).filter(|step| proportional_share(step).is_some())?;
    let mut shares = table(String::from("The shares of this scaling"), &SHARE_COLUMNS);
    let wave = wave_of(step);
    let from = steps.partition_point(|other| other.time < *wave.start());
    for (index, other) in steps.iter().enumerate().skip(from) {
        if !wave.contains(&other.time) {
            break;
        }
        if let Some(scaled) = proportional_share(other).filter(|_| other.about == step.about) {
            let Scaled { replica_set, from, to, base, whole_share, share, leftover, owed, .. } = scaled;
            let numbers = [*from, *base, *whole_share, *share, *leftover, *owed, *to];
            let numbers = numbers.map(|number| format_value(&OperandValue::from(number)));
            let cells: Vec<&str> = iter::once(&**replica_set).chain(numbers.iter().map(String::as_str)).collect();
            push_row(&mut shares, &cells, index == explained);
        }
    }
    Some(shares)
}

const CONDITION_COLUMNS: [&str; 7] = ["Of", "Type", "Status", "Reason", "Message", "Last update", "Last transition"];

fn conditions(lane: &Lane, step: &Step, clock: Clock) -> Table {
    let mut conditions = table(String::from("Conditions"), &CONDITION_COLUMNS);
    let written = step.change.as_ref().map(|change| &change.key.name);
    let now = format_stored_time(Some(step.time), clock);
    for object in lane.shown_objects() {
        let name = &object.metadata().name;
        let mut push = |type_: &str, status: &dyn ToJson, reason: &str, message: &str, times: [Option<Time>; 2]| {
            let [updated, changed] = times.map(|time| format_stored_time(time, clock));
            // The step wrote the conditions that have its time.
            let new = written == Some(name) && (now == updated || now == changed);
            let status = status.to_json();
            let status = status.as_str().unwrap_or_default();
            push_row(&mut conditions, &[name, type_, status, reason, message, &updated, &changed], new);
        };
        match &object {
            Object::Deployment(object) => {
                for condition in object.status.conditions.iter() {
                    let times = [condition.last_update_time, condition.last_transition_time];
                    push(&condition.type_, &condition.status, &condition.reason, &condition.message, times);
                }
            }
            Object::ReplicaSet(object) => {
                for condition in object.status.conditions.iter() {
                    push(
                        &condition.type_,
                        &condition.status,
                        &condition.reason,
                        &condition.message,
                        [None, condition.last_transition_time],
                    );
                }
            }
            Object::Job(object) => {
                for condition in object.status.conditions.iter() {
                    let times = [condition.last_probe_time, condition.last_transition_time];
                    push(&condition.type_, &condition.status, &condition.reason, &condition.message, times);
                }
            }
            _ => {}
        }
    }
    conditions
}

fn annotations(lane: &Lane, step: &Step) -> Table {
    let mut annotations = table(String::from("Annotations"), &["Of", "Annotation", "Value", "Before this step"]);
    for object in lane.shown_objects() {
        let meta = object.metadata();
        let change = step.change.as_ref().filter(|change| *change.key == object.key());
        let sides = change
            .map(|change| [&change.before, &change.after].map(|side| side.as_ref().map(|object| &**object.metadata())));
        for (key, value) in meta.annotations.iter() {
            let previous = sides.and_then(|sides| previous_value(sides, key));
            push_row(&mut annotations, &[&meta.name, key, value, previous.unwrap_or_default()], previous.is_some());
        }
    }
    annotations
}

/// The value of an annotation before a write that changed it.
fn previous_value<'a>(sides: [Option<&'a ObjectMeta>; 2], key: &str) -> Option<&'a str> {
    let [before, after] = sides.map(|meta| meta.and_then(|meta| meta.annotation(key)));
    (before != after).then(|| before.unwrap_or("not set"))
}

/// A stored time on the page's clock.
fn format_stored_time(time: Option<Time>, clock: Clock) -> String {
    time.map_or_else(String::new, |time| clock.write(time).unwrap_or_else(|| String::from("before")))
}
