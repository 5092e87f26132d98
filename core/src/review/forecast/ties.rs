//! The moments with the most pods if each pod ends a little earlier or later than in the simulation. If one pod ends at about
//! the moment at which another is created, the controllers' milliseconds decide how many there are at once.

use alloc::vec::Vec;

use crate::cluster::PodTotals;
use crate::object::Time;
use crate::peak_moments::{PeakMoments, PodMoment};

/// How far apart, in nanoseconds, the end of a pod and the creation of another are at most if either may come first. The
/// simulation leaves out syncs that count nothing, so its times may be off by a few requests.
const TIE: i64 = Time::SECOND / 10;

/// The moments with the most pods that come whichever is first: the pods that end then are gone already.
pub(super) fn least(counts: &[PodTotals]) -> PeakMoments {
    with_ends_moved(counts, TIE.saturating_neg())
}

/// The moments with the most pods that may come: the pods that end then are still there.
pub(super) fn most(counts: &[PodTotals]) -> PeakMoments {
    with_ends_moved(counts, TIE)
}

/// The pods at one moment, and those that have ended until then.
struct Moment {
    time: Time,
    pods: PodMoment,
    ended: PodMoment,
}

fn moments(counts: &[PodTotals]) -> Vec<Moment> {
    let (mut before, mut ended) = (PodMoment::default(), PodMoment::default());
    let moment = |count: &PodTotals| {
        let pods = PodMoment { old: count.old.into(), new: count.new.into() };
        ended = ended.plus(before.fewer(pods));
        before = pods;
        Moment { time: count.time, pods, ended }
    };
    counts.iter().map(moment).collect()
}

/// The moments with the most pods if each pod ended that many nanoseconds later. Those at the start are there in any case.
fn with_ends_moved(counts: &[PodTotals], later: i64) -> PeakMoments {
    let moments = moments(counts);
    let start = moments.first().map(|moment| moment.pods);
    let mut due = moments.iter().peekable();
    let mut ended = PodMoment::default();
    let pods = |moment: &Moment| {
        while let Some(end) = due.next_if(|end| end.time.plus(later) <= moment.time) {
            ended = end.ended;
        }
        moment.pods.plus(moment.ended).minus(ended)
    };
    start.into_iter().chain(moments.iter().map(pods)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(milliseconds: i64, old: i32, new: i32) -> PodTotals {
        PodTotals { time: Time(milliseconds.saturating_mul(1_000_000)), old, new, available: 0, terminating: 0 }
    }

    /// The peaks if a pod that exists at the start ends after this many milliseconds, and another pod is created after a second.
    fn peaks(end: i64) -> [Option<i64>; 2] {
        let counts = match end {
            ..1_000 => [count(0, 1, 0), count(end, 0, 0), count(1_000, 0, 1)],
            _ => [count(0, 1, 0), count(1_000, 1, 1), count(end, 0, 1)],
        };
        [least(&counts).peak(), most(&counts).peak()]
    }

    #[test]
    fn only_what_is_close_may_come_in_either_order() {
        assert_eq!(peaks(850), [Some(1), Some(1)]);
        assert_eq!(peaks(950), [Some(1), Some(2)]);
        assert_eq!(peaks(1_050), [Some(1), Some(2)]);
        assert_eq!(peaks(1_150), [Some(2), Some(2)]);
    }

    #[test]
    fn the_pods_at_the_start_are_certain() {
        assert_eq!(peaks(0), [Some(1), Some(1)]);
    }

    #[test]
    fn pods_that_end_together_count_apart_by_template() {
        let counts = [count(0, 4, 0), count(10, 4, 2), count(30_000, 3, 2), count(30_010, 2, 2), count(30_020, 2, 3)];
        let moments = |peaks: PeakMoments| peaks.iter().map(|pods| (pods.old, pods.new)).collect::<Vec<_>>();
        assert_eq!(moments(least(&counts)), [(2, 3), (4, 2)]);
        assert_eq!(moments(most(&counts)), [(4, 3)]);
    }
}
