//! What a controller decides next.

use alloc::string::String;
use alloc::vec::Vec;

use crate::cluster::Step;
use crate::json::ToJson;
use crate::timeline::Timeline;

/// How many of the next decisions are shown.
const NEXT: usize = 3;

/// A decision that a controller will make.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NextStep {
    /// When the controller decides, in milliseconds from now.
    #[json(milliseconds)]
    #[cfg_attr(feature = "schema", schemars(with = "f64"))]
    pub at: i64,
    /// The id of the rule that decides, like `deployment.new.up`.
    pub rule: String,
    /// The decision and its numbers, in one sentence.
    pub sentence: String,
}

impl NextStep {
    /// A step of a timeline.
    pub(super) fn of(step: &Step, timeline: &Timeline) -> Self {
        let reason = step.reason();
        Self {
            at: step.time.since(timeline.scenario.start),
            rule: String::from(reason.rule.id),
            sentence: reason.sentence(),
        }
    }
}

/// The next decisions of an object's controllers, each rule once.
pub(super) fn next_steps(timeline: &Timeline, is_its: impl Fn(&Step) -> bool) -> Vec<NextStep> {
    let mut next: Vec<NextStep> = Vec::new();
    for step in timeline.steps.iter().filter(|step| is_its(step)) {
        let rule = step.reason().rule;
        if !rule.is_next_step || next.iter().any(|known| known.rule == rule.id) {
            continue;
        }
        next.push(NextStep::of(step, timeline));
        if next.len() == NEXT {
            break;
        }
    }
    next
}
