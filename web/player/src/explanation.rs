//! Explanations of steps as they cross to the page, in the core's words.

use changeover_core::explain::{self, OperandValue, Reason};
use changeover_core::object::Time;
use changeover_core::timeline::{Step, Timeline};
use changeover_wire::{ClockFormat, Explanation, Mark, Operand, Segment, group_digits};

/// The page's clock.
#[derive(Clone, Copy)]
pub(crate) struct Clock {
    /// What it counts from: the user's first change.
    pub change: Time,
    /// How it writes times.
    pub format: ClockFormat,
}

impl Clock {
    /// The clock of a lane that is alone on the page.
    pub(crate) fn of(timeline: &Timeline, change: Time) -> Self {
        let latest = timeline.steps.last().map_or(0, |last| last.time.since(change));
        Self { change, format: ClockFormat::up_to(latest) }
    }

    /// A time as it shows it; none for one before the change.
    pub(crate) fn write(self, time: Time) -> Option<String> {
        let since = time.since(self.change);
        (since >= 0).then(|| self.format.write(since))
    }
}

/// Why a step happened.
pub(crate) fn explanation(step: &Step, begin: Time, clock: Clock) -> Explanation {
    let reason = step.reason();
    Explanation {
        time: step.time.since(begin),
        actor: String::from(step.actor.name()),
        replica_set: reason.value("replicaSet").map(ToString::to_string),
        upstream: reason.rule.upstream.map(String::from),
        section: reason.rule.section.map(String::from),
        sentence: segments(reason.sentence_segments(), clock),
        formula: reason.formula_segments().into_iter().map(|line| segments(line, clock)).collect(),
    }
}

/// The sentence of a reason, with numbers and times as the page writes them.
pub(crate) fn sentence(reason: &Reason, clock: Clock) -> String {
    let words = |segment: Segment| match segment {
        Segment::Text(text) => text,
        Segment::Operand(operand) => operand.value,
    };
    segments(reason.sentence_segments(), clock).into_iter().map(words).collect()
}

/// A value as the page writes it: numbers have grouped digits, names stay as they are.
pub(crate) fn format_value(value: &OperandValue) -> String {
    match value {
        OperandValue::Int(count) => group_digits(*count),
        value => value.to_string(),
    }
}

/// `2:00` for the timestamp of that moment, which no reader could find in the picture; one before the change stays.
fn on_the_clock(value: &OperandValue, clock: Clock) -> String {
    let time = match value {
        OperandValue::Text(text) => Time::parse(text),
        _ => None,
    };
    time.and_then(|time| clock.write(time)).unwrap_or_else(|| format_value(value))
}

fn segments(segments: Vec<explain::Segment<'_>>, clock: Clock) -> Vec<Segment> {
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
        explain::Segment::Value(operand, value) => named(operand, on_the_clock(value, clock)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_grouped_digits_and_names_do_not() {
        let numbers = [7_i32, 25_000, -25_000, -7].map(OperandValue::from);
        assert_eq!(numbers.each_ref().map(format_value), ["7", "25,000", "−25,000", "−7"]);
        let names = ["25%", "web-7d4b9", "25000", ""].map(OperandValue::from);
        assert_eq!(names.each_ref().map(format_value), ["25%", "web-7d4b9", "25000", ""]);
    }

    #[test]
    fn timestamps_are_times_of_the_page_from_the_change_on() {
        let change = Time::parse("2026-01-01T00:00:00Z").unwrap();
        let values = ["2026-01-01T00:02:00Z", "2026-01-01T01:00:05Z", "2025-12-31T23:59:00Z", "2026"];
        let clocks = |format: ClockFormat| {
            values.map(|value| on_the_clock(&OperandValue::from(value), Clock { change, format }))
        };
        assert_eq!(clocks(ClockFormat::Minutes), ["2:00", "60:05", "2025-12-31T23:59:00Z", "2026"]);
        assert_eq!(clocks(ClockFormat::Hours), ["0:02:00", "1:00:05", "2025-12-31T23:59:00Z", "2026"]);
    }
}
