use super::{Counts, Point, Series, Timeline};
use crate::json::ToJson;
use crate::object::Time;

/// What a rollout costs and when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The most pods that held resources at once.
    pub peak: i32,
    /// Pods above the limit, times the nanoseconds that they were.
    pub over: i64,
    /// Terminating pods, times the nanoseconds that they were.
    pub terminating: i64,
    /// The fewest available pods.
    pub lowest_available: i32,
    /// Nanoseconds until all desired pods were available and all others terminating, and stayed so; none if that never
    /// happened.
    #[json(omitempty)]
    pub complete: Option<i64>,
    /// Nanoseconds until no other pods were left, and none came; likewise.
    #[json(omitempty)]
    pub alone: Option<i64>,
}

impl Totals {
    /// The totals of a Deployment's points from one time to another.
    pub fn of(points: &[Point], from: Time, to: Time) -> Self {
        let mut totals = Self { lowest_available: i32::MAX, ..Self::default() };
        let first = points.partition_point(|point| point.time <= from).saturating_sub(1);
        let points = points.get(first..).unwrap_or_default();
        for (index, point) in points.iter().enumerate() {
            let next = points.get(index.saturating_add(1)).map_or(to, |next| next.time);
            let span = next.since(point.time.max(from)).max(0);
            let holding = point.counts.holding();
            let over = i64::from(holding.saturating_sub(point.marks.limit).max(0));
            totals.over = totals.over.saturating_add(over.saturating_mul(span));
            let terminating = i64::from(point.counts.terminating);
            totals.terminating = totals.terminating.saturating_add(terminating.saturating_mul(span));
            totals.peak = totals.peak.max(holding);
            totals.lowest_available = totals.lowest_available.min(point.counts.available);
        }
        if points.is_empty() {
            totals.lowest_available = 0;
        }
        totals.complete = time_until(points, from, |counts| counts.holding().saturating_sub(counts.terminating));
        totals.alone = time_until(points, from, Counts::holding);
        totals
    }
}

/// Nanoseconds until all that is desired was available and those that are counted were no more than that, to the end.
fn time_until(points: &[Point], from: Time, counted: impl Fn(&Counts) -> i32) -> Option<i64> {
    let holds = |point: &&Point| {
        let desired = point.marks.desired;
        point.counts.available == desired && counted(&point.counts) == desired
    };
    let first = points.iter().rev().take_while(holds).last()?;
    Some(first.time.since(from).max(0))
}

impl Timeline {
    /// The totals of a Deployment, from a time on.
    pub fn totals(&self, namespace: &str, name: &str, from: Time) -> Totals {
        let end = self.time_at(self.len());
        Totals::of(&Series::of(self, namespace, name).points, from, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::Marks;

    fn point(second: i64, available: i32, terminating: i32) -> Point {
        let counts = Counts { available, terminating, ..Counts::default() };
        let marks = Marks { desired: 3, limit: 4, min_available: 2 };
        Point { frame: 0, time: Time(0).plus_seconds(second), counts, marks }
    }

    fn totals(points: &[Point], from: i64, to: i64) -> Totals {
        Totals::of(points, Time(0).plus_seconds(from), Time(0).plus_seconds(to))
    }

    #[test]
    fn pods_are_counted_for_as_long_as_they_are_there() {
        let points = [point(0, 3, 0), point(10, 2, 4), point(15, 3, 1), point(20, 3, 0)];
        let expected = Totals {
            peak: 6,
            over: 10 * Time::SECOND,
            terminating: 25 * Time::SECOND,
            lowest_available: 2,
            complete: Some(15 * Time::SECOND),
            alone: Some(20 * Time::SECOND),
        };
        assert_eq!(totals(&points, 0, 60), expected);
    }

    #[test]
    fn what_was_before_is_left_out_but_for_the_state_that_it_led_to() {
        let points = [point(0, 0, 9), point(10, 2, 2), point(20, 3, 0)];
        let totals = totals(&points, 15, 60);
        assert_eq!((totals.peak, totals.lowest_available), (4, 2));
        assert_eq!(totals.terminating, 10 * Time::SECOND);
        assert_eq!([totals.complete, totals.alone], [Some(5 * Time::SECOND); 2]);
    }

    #[test]
    fn what_never_ends_well_has_no_time() {
        let totals_of = |points: &[Point]| totals(points, 0, 60);
        assert_eq!(totals_of(&[point(0, 3, 0), point(10, 2, 1)]).complete, None);
        let hangs = totals_of(&[point(0, 2, 1), point(10, 3, 1)]);
        assert_eq!((hangs.complete, hangs.alone), (Some(10 * Time::SECOND), None));
        assert_eq!(totals(&[], 0, 60), Totals::default());
    }
}
