//! A timeline's steps, sentences and events, in the case format.

use changeover_core::scenario::Duration;
use changeover_core::timeline::{Step, Timeline};
use serde_json::{Value, json};

use super::names::Names;

/// Events that every rollout has. The `steps` show the same.
const USUAL: [&str; 3] = ["SuccessfulCreate", "SuccessfulDelete", "ScalingReplicaSet"];

/// A timeline's steps. It watches the ones whose rule ids begin with one of `rules`.
pub struct History<'a> {
    timeline: &'a Timeline,
    names: Names,
    rules: Vec<String>,
}

impl<'a> History<'a> {
    pub fn new(timeline: &'a Timeline, rules: Vec<String>) -> Self {
        Self { timeline, names: Names::of(timeline), rules }
    }

    /// The value of one of the keys that a case can expect. Computed on demand: this takes longer than playing the
    /// scenario.
    pub fn value(&self, key: &str) -> Option<Value> {
        match key {
            "steps" => Some(self.steps()),
            "sentences" => Some(self.sentences()),
            "events" => Some(self.events()),
            _ => None,
        }
    }

    fn watched(&self) -> impl Iterator<Item = &'a Step> {
        self.timeline
            .steps
            .iter()
            .filter(|step| self.rules.iter().any(|start| step.reason().rule.id.starts_with(start)))
    }

    /// The time of each step, and its rule: `1m30s kubelet.gone x2`.
    fn steps(&self) -> Value {
        let since = |step: &Step| Duration(step.time.since(self.timeline.scenario.start));
        repeated(self.watched().map(|step| format!("{} {}", since(step), step.reason().rule.id)))
    }

    /// The sentences, each once.
    fn sentences(&self) -> Value {
        once(self.watched().map(|step| self.names.masked(&step.reason().sentence())))
    }

    /// The events of all steps, each once.
    fn events(&self) -> Value {
        let events = self.timeline.steps.iter().flat_map(|step| &step.events).map(|(_, event)| event);
        let unusual = events.filter(|event| !USUAL.contains(&&*event.reason));
        once(unusual.map(|event| format!("{} {} {}", event.type_, event.reason, self.names.masked(&event.message))))
    }
}

/// The lines without repetitions.
fn once(lines: impl Iterator<Item = String>) -> Value {
    let mut seen: Vec<String> = Vec::new();
    for line in lines {
        if !seen.contains(&line) {
            seen.push(line);
        }
    }
    json!(seen)
}

/// The lines, with ` x2` for two equal ones in a row.
pub fn repeated(lines: impl IntoIterator<Item = String>) -> Value {
    let lines: Vec<String> = lines.into_iter().collect();
    let runs = lines.chunk_by(|line, next| line == next);
    let written = runs.filter_map(|run| match run {
        [] => None,
        [line] => Some(line.clone()),
        [line, ..] => Some(format!("{line} x{}", run.len())),
    });
    written.collect()
}
