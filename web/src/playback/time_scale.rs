//! The time scale: from times to shares of the picture's height. Quiet stretches are compressed to a break, so that what
//! happens has the room.

use crate::number::{count_to_f64, to_f64};

/// The shortest quiet gap is at least this many times as long as the longest of the others ...
const QUIET_RATIO: f64 = 1.7;

/// ... and longer than this share of all others together.
const QUIET_SHARE: f64 = 0.6;

/// More quiet gaps than this are the rhythm of the rollout.
const MAX_QUIET: usize = 4;

/// While nothing is on its way, what is longer than this many times everything else that is drawn is compressed, too.
const REST_RATIO: f64 = QUIET_RATIO;

/// A break is as high as this share of everything that is not compressed.
const BREAK_SHARE: f64 = 0.06;

/// While pods are on their way, a break is higher, ...
const UNSETTLED_BREAK_SHARE: f64 = 0.2;

/// ... and only what is longer than this many times everything else is compressed.
const UNSETTLED_RATIO: f64 = 4.5;

/// The first gap, before the change, is at most this share of everything that is not compressed.
const LEAD_SHARE: f64 = 0.08;

/// A stretch of the scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Its first time, in nanoseconds.
    pub from: i64,
    /// Its last time.
    pub to: i64,
    /// Where it begins, as a share of the height.
    pub top: f64,
    /// Where it ends.
    pub bottom: f64,
    /// Whether it is compressed.
    pub is_break: bool,
}

/// From times to shares of the height, and back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeScale {
    stretches: Vec<Stretch>,
}

impl TimeScale {
    /// The scale of the times at which something happens, in order. The first one is the beginning of the picture, the last
    /// one its end. `change`: when the user changes something; `is_at_rest`: whether no pod is on its way from a time on.
    pub fn new(times: &[i64], change: i64, is_at_rest: impl Fn(i64) -> bool) -> Self {
        let gaps = || times.iter().zip(times.iter().skip(1)).map(|(from, to)| (*from, *to));
        let mut spans: Vec<f64> = gaps().map(|(from, to)| to_f64(to.saturating_sub(from))).collect();
        spans.sort_by(f64::total_cmp);
        let longest_kept = longest_busy_span(&spans);
        let busiest: f64 = spans.iter().filter(|span| **span <= longest_kept).sum();
        let is_quiet = |from: i64, to: i64| {
            let span = to_f64(to.saturating_sub(from));
            if is_at_rest(from) {
                let others = busiest - span;
                span > longest_kept || (others > 0.0 && span > REST_RATIO * others)
            } else {
                span > longest_kept && span > UNSETTLED_RATIO * busiest
            }
        };
        let busy: f64 =
            gaps().filter(|(from, to)| !is_quiet(*from, *to)).map(|(from, to)| to_f64(to.saturating_sub(from))).sum();
        let busy = busy.max(1.0);
        let first = times.first().copied();
        let height = |from: i64, to: i64| {
            let span = to_f64(to.saturating_sub(from));
            if is_quiet(from, to) {
                busy * if is_at_rest(from) { BREAK_SHARE } else { UNSETTLED_BREAK_SHARE }
            } else if Some(from) == first && to <= change {
                span.min(busy * LEAD_SHARE)
            } else {
                span
            }
        };
        let total: f64 = gaps().map(|(from, to)| height(from, to)).sum();
        let mut stretches = Vec::new();
        let mut top = 0.0;
        for (from, to) in gaps().filter(|(from, to)| from < to) {
            let bottom = top + height(from, to) / total;
            stretches.push(Stretch { from, to, top, bottom, is_break: is_quiet(from, to) });
            top = bottom;
        }
        Self { stretches }
    }

    /// The same, with breaks that take at least a share of the height each, unless all breaks together would take more than
    /// another share.
    #[must_use]
    pub fn with_visible_breaks(&self, least: f64, most: f64) -> Self {
        let breaks = self.stretches.iter().filter(|stretch| stretch.is_break).count();
        if breaks == 0 {
            return self.clone();
        }
        let least = least.min(most / count_to_f64(breaks));
        let height = |stretch: &Stretch| {
            let height = stretch.bottom - stretch.top;
            if stretch.is_break { height.max(least) } else { height }
        };
        let total: f64 = self.stretches.iter().filter(|stretch| !stretch.is_break).map(height).sum();
        let of_breaks: f64 = self.stretches.iter().filter(|stretch| stretch.is_break).map(height).sum();
        let factor = (1.0 - of_breaks) / total;
        let mut bottom = 0.0;
        let stretches = self.stretches.iter().map(|stretch| {
            let top = bottom;
            bottom += height(stretch) * if stretch.is_break { 1.0 } else { factor };
            Stretch { top, bottom, ..*stretch }
        });
        Self { stretches: stretches.collect() }
    }

    /// The stretches, from top to bottom.
    pub fn stretches(&self) -> &[Stretch] {
        &self.stretches
    }

    /// The share of the height at a time.
    pub fn share(&self, time: i64) -> f64 {
        let after = self.stretches.partition_point(|stretch| stretch.to < time);
        let Some(stretch) = self.stretches.get(after) else { return if self.stretches.is_empty() { 0.0 } else { 1.0 } };
        let span = to_f64(stretch.to.saturating_sub(stretch.from));
        let within = (to_f64(time.saturating_sub(stretch.from)) / span).clamp(0.0, 1.0);
        stretch.top + within * (stretch.bottom - stretch.top)
    }

    /// The time at a share of the height.
    pub fn time(&self, share: f64) -> i64 {
        let after = self.stretches.partition_point(|stretch| stretch.bottom < share);
        let Some(stretch) = self.stretches.get(after).or(self.stretches.last()) else { return 0 };
        // Sums of heights are not exact.
        if share >= 1.0 {
            return stretch.to;
        }
        let height = stretch.bottom - stretch.top;
        let within = if height > 0.0 { ((share - stretch.top) / height).clamp(0.0, 1.0) } else { 1.0 };
        let span = to_f64(stretch.to.saturating_sub(stretch.from));
        stretch.from.saturating_add(crate::number::to_i64(within * span))
    }
}

/// The longest span that is not quiet, of spans in order: the longest ones are quiet if they clearly differ from the others.
fn longest_busy_span(spans: &[f64]) -> f64 {
    let mut sum: f64 = spans.iter().sum();
    for pair in spans.windows(2).rev().take(MAX_QUIET) {
        let [shorter, longer] = pair else { continue };
        sum -= longer;
        if *shorter > 0.0 && *longer >= QUIET_RATIO * shorter && *longer > QUIET_SHARE * sum {
            return *shorter;
        }
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(times: &[i64]) -> Vec<i64> {
        times.iter().map(|time| time.saturating_mul(1_000_000_000)).collect()
    }

    fn breaks(times: &[i64]) -> Vec<i64> {
        breaks_until_settled(times, 0)
    }

    fn breaks_until_settled(times: &[i64], settled: i64) -> Vec<i64> {
        let scale = TimeScale::new(&seconds(times), 0, |time| time >= settled.saturating_mul(1_000_000_000));
        let breaks = scale.stretches().iter().filter(|stretch| stretch.is_break);
        breaks.map(|stretch| stretch.from / 1_000_000_000).collect()
    }

    #[test]
    fn only_quiet_stretches_are_compressed() {
        assert!(breaks(&[0, 5, 10, 15, 20, 25, 30]).is_empty(), "all are alike");
        assert_eq!(breaks(&[0, 5, 10, 15, 20, 25, 625, 630]), [25]);
        assert_eq!(breaks(&[0, 5, 10, 610, 615, 1215, 1220, 1225]), [10, 615]);
        assert!(breaks(&[0, 60]).is_empty(), "there is nothing else to show");
        assert_eq!(breaks(&[0, 5, 10, 11, 35]), [11], "of few gaps most stay");
        let waves: Vec<i64> = (0..8).flat_map(|wave| [wave * 60, wave * 60 + 1, wave * 60 + 2]).collect();
        assert!(breaks(&waves).is_empty(), "that is its rhythm");
    }

    #[test]
    fn a_stretch_in_which_pods_are_missing_is_only_compressed_if_nothing_else_could_be_seen() {
        assert!(breaks_until_settled(&[0, 20, 27], 27).is_empty(), "Recreate: no pod for 20 seconds");
        assert_eq!(breaks_until_settled(&[0, 20, 27], 0), [0], "nothing is missing");
        assert_eq!(breaks_until_settled(&[0, 5, 305, 310], 310), [5], "waiting for minutes");
    }

    #[test]
    fn a_long_time_at_rest_is_compressed_beside_a_longer_one() {
        // A node is lost at 50 s. After five minutes, its pods are replaced; then a rollout, and its deadline.
        let times = [0, 50, 350, 352, 420, 425, 430, 435, 1021];
        let break_starts = |is_at_rest: fn(i64) -> bool| {
            let scale = TimeScale::new(&seconds(&times), 0, |time| is_at_rest(time / 1_000_000_000));
            scale
                .stretches()
                .iter()
                .filter(|stretch| stretch.is_break)
                .map(|it| it.from / 1_000_000_000)
                .collect::<Vec<_>>()
        };
        assert_eq!(break_starts(|time| time == 50 || time >= 435), [50, 435]);
        assert_eq!(break_starts(|time| time >= 435), [435], "pods are on their way: that is what the picture shows");
    }

    #[test]
    fn a_break_can_be_seen_in_a_low_picture() {
        let scale = TimeScale::new(&seconds(&[0, 5, 10, 15, 20, 25, 625, 630]), 0, |_| true);
        let heights = |scale: &TimeScale| {
            let height = |stretch: &Stretch| stretch.bottom - stretch.top;
            scale.stretches().iter().filter(|stretch| stretch.is_break).map(height).collect::<Vec<f64>>()
        };
        let is_about = |heights: Vec<f64>, expected: f64| {
            assert!(heights.len() == 1 && heights.iter().all(|height| (height - expected).abs() < 1e-9), "{heights:?}");
        };
        let visible = scale.with_visible_breaks(0.2, 0.25);
        is_about(heights(&visible), 0.2);
        is_about(heights(&scale.with_visible_breaks(0.4, 0.25)), 0.25);
        assert_eq!(heights(&scale.with_visible_breaks(0.01, 0.25)), heights(&scale), "it is high enough");
        assert!((visible.stretches().last().unwrap().bottom - 1.0).abs() < 1e-9);
        assert!(visible.stretches().is_sorted_by(|stretch, next| stretch.bottom == next.top), "no gaps");
    }

    #[test]
    fn the_scale_goes_both_ways() {
        for times in [vec![0, 5, 10, 15, 20, 25, 625, 630], vec![0, 1], vec![0, 3, 6, 100]] {
            let times = seconds(&times);
            let scale = TimeScale::new(&times, 0, |_| true);
            assert_eq!(scale.share(times[0]), 0.0);
            assert!((scale.share(times[times.len() - 1]) - 1.0).abs() < 1e-9);
            for time in
                times.iter().flat_map(|time| [*time, time + 400_000_000]).filter(|time| time <= &times[times.len() - 1])
            {
                assert!((scale.time(scale.share(time)) - time).abs() < 1_000_000, "{time}");
            }
        }
    }

    #[test]
    fn a_scale_without_times_is_empty() {
        let scale = TimeScale::new(&[], 0, |_| true);
        assert_eq!((scale.share(5), scale.time(0.5)), (0.0, 0));
    }
}
