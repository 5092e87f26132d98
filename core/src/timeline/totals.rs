use super::{Point, Series, Timeline};
use crate::json::ToJson;
use crate::object::Time;

/// What a rollout costs and when it ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// The most pods that held resources at once.
    pub peak: i32,
    /// The most pods above the limit at once.
    pub most_over: i32,
    /// Pod-nanoseconds above the limit: two pods for 3 ns are 6.
    pub over: i64,
    /// Pod-nanoseconds spent terminating: two pods for 3 ns are 6.
    pub terminating: i64,
    /// The fewest available pods.
    pub lowest_available: i32,
    /// Nanoseconds until the controller reported the last rollout as complete: the reason NewReplicaSetAvailable of the
    /// condition Progressing, or without a progress deadline the counts of the status. 0 if it had been complete before, and
    /// no other one began; absent if it never was. A later scaling or eviction changes nothing.
    #[json(omitempty)]
    pub complete: Option<i64>,
    /// Nanoseconds until the last pod of an older template was gone; 0 if it had gone before, and absent if one stayed.
    #[json(omitempty)]
    pub last_old_pod_gone: Option<i64>,
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
            let over = holding.saturating_sub(point.marks.limit).max(0);
            totals.most_over = totals.most_over.max(over);
            totals.over = totals.over.saturating_add(i64::from(over).saturating_mul(span));
            let terminating = i64::from(point.counts.terminating);
            totals.terminating = totals.terminating.saturating_add(terminating.saturating_mul(span));
            totals.peak = totals.peak.max(holding);
            totals.lowest_available = totals.lowest_available.min(point.counts.available);
        }
        if points.is_empty() {
            totals.lowest_available = 0;
        }
        let rollouts = || points.iter().map(|point| (point.time, point.rollout));
        totals.complete = time_until(rollouts().map(|(time, rollout)| (time, rollout.complete)), from);
        totals.last_old_pod_gone = time_until(rollouts().map(|(time, rollout)| (time, rollout.old == 0)), from);
        totals
    }
}

/// Nanoseconds until something was reached that lasted to the end, from whether it was at each time.
pub(crate) fn time_until(reached: impl DoubleEndedIterator<Item = (Time, bool)>, from: Time) -> Option<i64> {
    let (first, _) = reached.rev().take_while(|(_, is_reached)| *is_reached).last()?;
    Some(first.since(from).max(0))
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
    use crate::timeline::RolloutState;
    use crate::timeline::{Counts, Marks};

    fn point(second: i64, available: i32, terminating: i32, rollout: RolloutState) -> Point {
        let counts = Counts { available, terminating, ..Counts::default() };
        let marks = Marks { desired: 3, limit: 4, min_available: 2 };
        Point { frame: 0, time: Time(0).plus_seconds(second), counts, marks, rollout }
    }

    const fn rollout(old: i32, complete: bool) -> RolloutState {
        RolloutState { old, complete }
    }

    fn totals(points: &[Point], from: i64, to: i64) -> Totals {
        Totals::of(points, Time(0).plus_seconds(from), Time(0).plus_seconds(to))
    }

    #[test]
    fn pods_are_counted_for_as_long_as_they_are_there() {
        let points = [
            point(0, 3, 0, rollout(3, false)),
            point(10, 2, 4, rollout(4, false)),
            point(15, 3, 1, rollout(1, true)),
            point(20, 3, 0, rollout(0, true)),
        ];
        let expected = Totals {
            peak: 6,
            most_over: 2,
            over: 10 * Time::SECOND,
            terminating: 25 * Time::SECOND,
            lowest_available: 2,
            complete: Some(15 * Time::SECOND),
            last_old_pod_gone: Some(20 * Time::SECOND),
        };
        assert_eq!(totals(&points, 0, 60), expected);
    }

    #[test]
    fn time_before_the_start_counts_only_through_its_state() {
        let points =
            [point(0, 0, 9, rollout(9, false)), point(10, 2, 2, rollout(2, false)), point(20, 3, 0, rollout(0, true))];
        let totals = totals(&points, 15, 60);
        assert_eq!((totals.peak, totals.lowest_available), (4, 2));
        assert_eq!(totals.terminating, 10 * Time::SECOND);
        assert_eq!([totals.complete, totals.last_old_pod_gone], [Some(5 * Time::SECOND); 2]);
    }

    #[test]
    fn of_several_rollouts_the_last_one_counts() {
        let totals_of = |points: &[Point]| totals(points, 0, 60);
        let second = totals_of(&[
            point(0, 3, 0, rollout(3, false)),
            point(10, 3, 1, rollout(0, true)),
            point(20, 3, 1, rollout(4, false)),
            point(30, 3, 2, rollout(2, true)),
        ]);
        assert_eq!((second.complete, second.last_old_pod_gone), (Some(30 * Time::SECOND), None));
        let superseded = totals_of(&[point(0, 3, 0, rollout(0, true)), point(10, 3, 1, rollout(4, false))]);
        assert_eq!((superseded.complete, superseded.last_old_pod_gone), (None, None));
        let none = totals_of(&[point(0, 3, 0, rollout(0, true)), point(10, 1, 2, rollout(0, true))]);
        assert_eq!((none.complete, none.last_old_pod_gone), (Some(0), Some(0)));
        assert_eq!(totals(&[], 0, 60), Totals::default());
    }
}
