//! What there is to see of a lane at a moment, beside its picture: which step is explained, and the tables behind it.

use changeover_core::controller::replica_set::rank::Ranking;
use changeover_core::json::ToJson;
use changeover_core::object::{Object, ObjectMeta, Time};
use changeover_core::reason::Mark;
use changeover_core::timeline::{DeletionRanking, Step};
use changeover_wire::{Pace, clock, int, list, number, object, place, words};
use serde_json::Value;

use crate::walk::{notable, same_decision};
use crate::why::{brief, said};
use crate::{Kept, family};

/// More rows than this of a ranking are left out.
const MOST_ROWS: usize = 300;

/// A table that is being made.
struct Sheet {
    title: String,
    columns: &'static [&'static str],
    rows: Vec<Value>,
    marked: Vec<Value>,
}

impl Sheet {
    const fn new(title: String, columns: &'static [&'static str]) -> Self {
        Self { title, columns, rows: Vec::new(), marked: Vec::new() }
    }

    /// Adds a row; `marked`: the step is about it.
    fn push(&mut self, cells: &[&str], marked: bool) {
        if marked {
            self.marked.push(number(self.rows.len()));
        }
        self.rows.push(words(cells));
    }

    fn done(self) -> Value {
        let Self { title, columns, rows, marked } = self;
        object(vec![
            ("title", title.into()),
            ("columns", words(columns)),
            ("rows", Value::Array(rows)),
            ("marked", Value::Array(marked)),
        ])
    }
}

/// Looks at a lane where its cursor stands.
pub(crate) fn look(kept: &Kept, ask: &Value, lane: usize) -> Value {
    let steps = &kept.timeline.steps;
    let Some(last) = kept.cursor.frame().checked_sub(1) else { return Value::Null };
    let explain = list(ask, "explain");
    let given = place(explain, 1).filter(|step| place(explain, 0) == Some(lane) && *step <= last);
    let (why, since) = given.map_or_else(|| explained(steps, last, int(ask, "pace")), |step| (step, false));
    let Some(step) = steps.get(why) else { return Value::Null };
    let mut seen = Vec::new();
    if step.time >= kept.begin {
        seen.push(("why", said(step, kept.begin)));
        if let Some(last) = steps.get(last).filter(|_| since) {
            seen.push(("since", brief(last, kept.begin)));
        }
    }
    if step.reason.rule.id.starts_with("replicaset.delete.") {
        seen.push(("more", "Who goes first".into()));
    } else if step.reason.value("leftover").is_some() {
        seen.push(("more", "The shares".into()));
    }
    if list(ask, "facts").get(lane) == Some(&Value::Bool(true)) {
        let mut sheets = Vec::new();
        sheets.extend(kept.timeline.deletion_ranking(why).map(|deletions| ranking(&deletions)));
        sheets.extend(shares(steps, why));
        sheets.push(conditions(kept, step));
        sheets.push(annotations(kept, step));
        seen.push(("sheets", Value::Array(sheets)));
    }
    object(seen)
}

/// The step that is explained, and whether the last one is another.
fn explained(steps: &[Step], last: usize, pace: i64) -> (usize, bool) {
    if pace == Pace::Write.number() {
        return (last, false);
    }
    let passed = steps.get(..=last).unwrap_or_default();
    let mut chosen = passed.iter().rposition(|step| notable(step).is_some()).unwrap_or(last);
    if pace == Pace::Time.number() {
        chosen = against_limit(steps, chosen).unwrap_or(chosen);
    }
    // One decision may take many writes: its first one has the numbers of the decision.
    let run = steps.get(..=chosen).unwrap_or_default();
    let pairs = run.iter().rev().zip(run.iter().rev().skip(1));
    let first = pairs.take_while(|(later, step)| same_decision(step, later)).count();
    (chosen.saturating_sub(first), chosen != last)
}

/// The last decision at the same instant that was taken against the limit: what the ruler is about.
fn against_limit(steps: &[Step], chosen: usize) -> Option<usize> {
    let steps = steps.get(..=chosen)?;
    let now = steps.last()?.time;
    let meets = |step: &Step| step.reason.rule.operands.iter().any(|operand| operand.mark == Some(Mark::Limit));
    let instant = steps.iter().rev().take_while(|step| step.time == now);
    let back = instant.enumerate().find(|(_, step)| meets(step) && notable(step).is_some());
    back.and_then(|(back, _)| chosen.checked_sub(back))
}

fn ranking(deletions: &DeletionRanking) -> Value {
    let Ranking { order, decided } = &deletions.ranking;
    let name = |index: &usize| deletions.pods.get(*index).map_or("", |pod| &pod.metadata.name);
    let title = format!("Who goes first: {} of {} pods", deletions.count, deletions.pods.len());
    let mut sheet = Sheet::new(title, &["", "Pod", "Before the next one"]);
    for (place, index) in order.iter().enumerate().take(MOST_ROWS) {
        let next = order.get(place.saturating_add(1)).map(name);
        let why = decided.get(place).zip(next).map_or_else(String::new, |(decided, next)| decided.why(next));
        sheet.push(&[&place.saturating_add(1).to_string(), name(index), &why], place < deletions.count);
    }
    sheet.done()
}

/// The operands of scaling in proportion, and what they are called in the table.
const SHARES: [&str; 8] = ["replicaSet", "from", "base", "wholeShare", "share", "leftover", "owed", "to"];
const SHARES_CALLED: [&str; 8] =
    ["ReplicaSet", "wants", "base", "whole share", "share", "left over", "owed", "goes to"];

fn shares(steps: &[Step], why: usize) -> Option<Value> {
    let step = steps.get(why).filter(|step| step.reason.value("leftover").is_some())?;
    let mut sheet = Sheet::new(String::from("The shares of this scaling"), &SHARES_CALLED);
    let from = steps.partition_point(|other| other.time < step.time);
    for (index, other) in steps.iter().enumerate().skip(from) {
        if other.time != step.time {
            break;
        }
        if other.about == step.about && other.reason.value("leftover").is_some() {
            let cells = SHARES.map(|name| other.reason.value(name).map(ToString::to_string).unwrap_or_default());
            sheet.push(&cells.each_ref().map(String::as_str), index == why);
        }
    }
    Some(sheet.done())
}

const CONDITIONS: [&str; 7] = ["Of", "Type", "Status", "Reason", "Message", "Last update", "Last transition"];

fn conditions(kept: &Kept, step: &Step) -> Value {
    let mut sheet = Sheet::new(String::from("Conditions"), &CONDITIONS);
    let written = step.change.as_ref().map(|change| &change.key.name);
    let now = moment(Some(step.time), kept.begin);
    for object in family(kept) {
        let name = &object.metadata().name;
        let mut push = |type_: &str, status: &dyn ToJson, reason: &str, message: &str, times: [Option<Time>; 2]| {
            let [updated, changed] = times.map(|time| moment(time, kept.begin));
            // The step wrote those of its object whose times are its own.
            let new = written == Some(name) && (now == updated || now == changed);
            let status = status.to_json();
            let status = status.as_str().unwrap_or_default();
            sheet.push(&[name, type_, status, reason, message, &updated, &changed], new);
        };
        match &object {
            Object::Deployment(object) => {
                for it in object.status.conditions.iter() {
                    let times = [it.last_update_time, it.last_transition_time];
                    push(&it.type_, &it.status, &it.reason, &it.message, times);
                }
            }
            Object::ReplicaSet(object) => {
                for it in &object.status.conditions {
                    push(&it.type_, &it.status, &it.reason, &it.message, [None, it.last_transition_time]);
                }
            }
            Object::Pod(_) => {}
        }
    }
    sheet.done()
}

fn annotations(kept: &Kept, step: &Step) -> Value {
    let mut sheet = Sheet::new(String::from("Annotations"), &["Of", "Annotation", "Value", "Before this step"]);
    for object in family(kept) {
        let meta = object.metadata();
        let change = step.change.as_ref().filter(|change| change.key == object.key());
        let sides = change
            .map(|change| [&change.before, &change.after].map(|side| side.as_ref().map(|object| &**object.metadata())));
        for (key, value) in meta.annotations.iter() {
            let was = sides.and_then(|sides| was(sides, key));
            sheet.push(&[&meta.name, key, value, was.unwrap_or_default()], was.is_some());
        }
    }
    sheet.done()
}

/// What an annotation was before a write that changed it.
fn was<'a>(sides: [Option<&'a ObjectMeta>; 2], key: &str) -> Option<&'a str> {
    let [before, after] = sides.map(|meta| meta.and_then(|meta| meta.annotation(key)));
    (before != after).then(|| before.unwrap_or("not set"))
}

/// A stored time on the picture's clock.
fn moment(time: Option<Time>, begin: Time) -> String {
    match time.map(|time| time.since(begin)) {
        None => String::new(),
        Some(since) if since < 0 => String::from("before"),
        Some(since) => clock(since),
    }
}

/// A pod's name and its node.
pub(crate) fn pod(kept: &Kept, number: usize) -> Option<[Value; 2]> {
    let pod = kept.walk.pod(number)?;
    Some([(*pod.metadata.name).into(), pod.spec.node_name.as_deref().unwrap_or_default().into()])
}
