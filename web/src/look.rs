//! What there is to see of a lane at a moment, beside its picture: which step is explained, and the tables behind it.

use std::rc::Rc;

use changeover_core::controller::replica_set::rank::Ranking;
use changeover_core::json::ToJson;
use changeover_core::object::{Object, ObjectMeta, Time};
use changeover_core::reason::Mark;
use changeover_core::timeline::{Deletions, Step};

use crate::player::{Kept, family};
use crate::scale::clock;
use crate::walk::{notable, same_decision};
use crate::wire::{AskLook, Said, SeenLane, Sheet};

/// How the playhead came where it stands: this says which of an instant's steps is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pace {
    /// Time ran, or somebody scrubbed: many steps passed at once.
    Time = 0,
    /// From decision to decision.
    Decision = 1,
    /// From write to write.
    Write = 2,
}

impl Pace {
    /// Its number in a question.
    pub(crate) const fn number(self) -> i64 {
        match self {
            Self::Time => 0,
            Self::Decision => 1,
            Self::Write => 2,
        }
    }
}

/// More rows than this of a ranking are left out.
const MOST_ROWS: usize = 300;

/// Looks at a lane where its cursor stands.
pub(crate) fn look(kept: &Kept, ask: &AskLook, lane: i64) -> SeenLane {
    let mut seen = SeenLane::default();
    let steps = &kept.timeline.steps;
    let Some(last) = kept.cursor.frame().checked_sub(1) else { return seen };
    let given = match ask.explain.as_slice() {
        [of, step] if *of == lane => usize::try_from(*step).ok().filter(|step| *step <= last),
        _ => None,
    };
    let (why, since) = given.map_or_else(|| explained(steps, last, ask.pace), |step| (step, false));
    let begun = |step: &&Step| step.time >= kept.begin;
    seen.why = steps.get(why).filter(begun).map(|step| said(step, why, kept.begin));
    seen.since = steps.get(last).filter(|_| since && seen.why.is_some()).map(|step| said(step, last, kept.begin));
    let Some(step) = steps.get(why) else { return seen };
    if step.reason.rule.id.starts_with("replicaset.delete.") {
        seen.more = String::from("Who goes first");
    } else if step.reason.value("leftover").is_some() {
        seen.more = String::from("The shares");
    }
    let open = usize::try_from(lane).ok().and_then(|lane| ask.facts.get(lane)).copied().unwrap_or(false);
    if open {
        seen.sheets.extend(kept.timeline.deletions(why).map(|deletions| ranking(&deletions)));
        seen.sheets.extend(shares(steps, why));
        seen.sheets.push(conditions(kept, step));
        seen.sheets.push(annotations(kept, step));
    }
    seen
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

fn said(step: &Step, number: usize, begin: Time) -> Said {
    Said {
        step: i64::try_from(number).unwrap_or(0),
        time: step.time.since(begin),
        actor: step.actor,
        rule: String::from(step.reason.rule.id),
        values: step.reason.values.iter().map(ToJson::to_json).collect(),
    }
}

fn texts<const N: usize>(texts: [&str; N]) -> Vec<String> {
    texts.into_iter().map(String::from).collect()
}

fn ranking(deletions: &Deletions) -> Sheet {
    let Ranking { order, decided } = &deletions.ranking;
    let name = |index: &usize| deletions.pods.get(*index).map_or("", |pod| &pod.metadata.name);
    let mut sheet = Sheet {
        title: format!("Who goes first: {} of {} pods", deletions.count, deletions.pods.len()),
        columns: texts(["", "Pod", "Before the next one"]),
        ..Sheet::default()
    };
    for (place, index) in order.iter().enumerate().take(MOST_ROWS) {
        let next = order.get(place.saturating_add(1)).map(name);
        let why = decided.get(place).zip(next).map_or_else(String::new, |(decided, next)| decided.why(next));
        if place < deletions.count {
            sheet.marked.push(i64::try_from(place).unwrap_or(0));
        }
        sheet.rows.push(vec![place.saturating_add(1).to_string(), String::from(name(index)), why]);
    }
    sheet
}

/// The operands of scaling in proportion, and what they are called in the table.
const SHARES: [(&str, &str); 8] = [
    ("replicaSet", "ReplicaSet"),
    ("from", "wants"),
    ("base", "base"),
    ("wholeShare", "whole share"),
    ("share", "share"),
    ("leftover", "left over"),
    ("owed", "owed"),
    ("to", "goes to"),
];

fn shares(steps: &[Step], why: usize) -> Option<Sheet> {
    let step = steps.get(why).filter(|step| step.reason.value("leftover").is_some())?;
    let mut sheet = Sheet {
        title: String::from("The shares of this scaling"),
        columns: SHARES.iter().map(|(_, name)| String::from(*name)).collect(),
        ..Sheet::default()
    };
    let from = steps.partition_point(|other| other.time < step.time);
    for (index, other) in steps.iter().enumerate().skip(from).take_while(|(_, other)| other.time == step.time) {
        if other.about != step.about || other.reason.value("leftover").is_none() {
            continue;
        }
        if index == why {
            sheet.marked.push(i64::try_from(sheet.rows.len()).unwrap_or(0));
        }
        let value = |(name, _): &(&str, &str)| other.reason.value(name).map(ToString::to_string).unwrap_or_default();
        sheet.rows.push(SHARES.iter().map(value).collect());
    }
    Some(sheet)
}

fn conditions(kept: &Kept, step: &Step) -> Sheet {
    let mut sheet = Sheet {
        title: String::from("Conditions"),
        columns: texts(["Of", "Type", "Status", "Reason", "Message", "Last update", "Last transition"]),
        ..Sheet::default()
    };
    let at = |time: Option<Time>| time.map_or_else(String::new, |time| moment(time, kept.begin));
    for object in family(kept) {
        let name = &object.metadata().name;
        let mut row = |texts: [&str; 4], status: String, updated, changed| {
            let [type_, reason, message, _] = texts;
            sheet.rows.push(vec![
                String::from(&**name),
                String::from(type_),
                status,
                String::from(reason),
                String::from(message),
                at(updated),
                at(changed),
            ]);
        };
        let word = |status: &dyn ToJson| status.to_json().as_str().map(String::from).unwrap_or_default();
        match &object {
            Object::Deployment(object) => {
                for it in object.status.conditions.iter() {
                    let texts = [&*it.type_, &it.reason, &it.message, ""];
                    row(texts, word(&it.status), it.last_update_time, it.last_transition_time);
                }
            }
            Object::ReplicaSet(object) => {
                for it in &object.status.conditions {
                    let texts = [&*it.type_, &it.reason, &it.message, ""];
                    row(texts, word(&it.status), None, it.last_transition_time);
                }
            }
            Object::Pod(_) => {}
        }
    }
    // The rows that the step wrote: those of the object whose times are the step's.
    let now = moment(step.time, kept.begin);
    let written = step.change.as_ref().map(|change| change.key.name.clone());
    for (index, row) in sheet.rows.iter().enumerate() {
        let new =
            row.first().map(String::as_str) == written.as_deref() && row.get(5..).is_some_and(|it| it.contains(&now));
        if new {
            sheet.marked.push(i64::try_from(index).unwrap_or(0));
        }
    }
    sheet
}

fn annotations(kept: &Kept, step: &Step) -> Sheet {
    let mut sheet = Sheet {
        title: String::from("Annotations"),
        columns: texts(["Of", "Annotation", "Value", "Before this step"]),
        ..Sheet::default()
    };
    for object in family(kept) {
        let meta = object.metadata();
        let change = step.change.as_ref().filter(|change| change.key == object.key());
        let side = |side: &Option<Object>| side.as_ref().map(Object::metadata).cloned();
        let sides = change.map(|change| (side(&change.before), side(&change.after)));
        for (key, value) in meta.annotations.iter() {
            let was = sides.as_ref().and_then(|sides| was(sides, key));
            if was.is_some() {
                sheet.marked.push(i64::try_from(sheet.rows.len()).unwrap_or(0));
            }
            sheet.rows.push(vec![String::from(&*meta.name), key.clone(), value.clone(), was.unwrap_or_default()]);
        }
    }
    sheet
}

/// What an annotation was before a write that changed it.
fn was((before, after): &(Option<Rc<ObjectMeta>>, Option<Rc<ObjectMeta>>), key: &str) -> Option<String> {
    let [before, after] = [before, after].map(|meta| meta.as_ref().and_then(|meta| meta.annotation(key)));
    (before != after).then(|| String::from(before.unwrap_or("not set")))
}

/// A stored time on the picture's clock.
fn moment(time: Time, begin: Time) -> String {
    let since = time.since(begin);
    if since < 0 { String::from("before") } else { clock(since) }
}

/// A pod's name, its node and its deletion cost.
pub(crate) fn pod(kept: &Kept, number: i64) -> Vec<String> {
    let Some(pod) = kept.walk.pod(number) else { return Vec::new() };
    let node = pod.spec.node_name.as_deref().unwrap_or_default();
    vec![String::from(&*pod.metadata.name), String::from(node)]
}
