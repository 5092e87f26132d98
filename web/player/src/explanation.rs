//! Explanations of steps as they cross to the page, in the core's words.

use changeover_core::explain;
use changeover_core::object::Time;
use changeover_core::timeline::Step;
use changeover_wire::{Explanation, LastStep, Mark, Operand, Segment};

/// What happened in a step, in short.
pub(crate) fn last_step(step: &Step, begin: Time) -> LastStep {
    LastStep { time: step.time.since(begin), sentence: step.reason().sentence() }
}

/// Why a step happened.
pub(crate) fn explanation(step: &Step, begin: Time) -> Explanation {
    let reason = step.reason();
    Explanation {
        time: step.time.since(begin),
        actor: String::from(step.actor.name()),
        replica_set: reason.value("replicaSet").map(ToString::to_string),
        upstream: reason.rule.upstream.map(String::from),
        section: reason.rule.section.map(String::from),
        sentence: segments(reason.sentence_segments()),
        formula: reason.formula_segments().into_iter().map(segments).collect(),
    }
}

fn segments(segments: Vec<explain::Segment<'_>>) -> Vec<Segment> {
    let named = |operand: &explain::Operand, value: String| {
        Segment::Operand(Operand {
            name: String::from(operand.name),
            value,
            source: String::from(operand.source),
            mark: operand.mark.map(mark),
        })
    };
    let segment = |segment: explain::Segment<'_>| match segment {
        explain::Segment::Text(text) => Segment::Text(String::from(text)),
        explain::Segment::Value(operand, value) => named(operand, value.to_string()),
        explain::Segment::Time(operand, words) => named(operand, words),
    };
    segments.into_iter().map(segment).collect()
}

const fn mark(mark: explain::Mark) -> Mark {
    match mark {
        explain::Mark::Limit => Mark::Limit,
        explain::Mark::Desired => Mark::Desired,
        explain::Mark::MinAvailable => Mark::MinAvailable,
        explain::Mark::Terminating => Mark::Terminating,
        explain::Mark::Available => Mark::Available,
        explain::Mark::Total => Mark::Total,
        explain::Mark::ReplicaSet => Mark::ReplicaSet,
    }
}
