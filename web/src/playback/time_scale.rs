//! The time scale: from times to shares of the picture's height. Quiet stretches are compressed to a break, so that what
//! happens has the room.

use crate::number::to_f64;

/// The shortest quiet gap is at least this many times as long as the longest of the others ...
const QUIET_RATIO: f64 = 1.7;

/// ... and longer than this share of all others together.
const QUIET_SHARE: f64 = 0.6;

/// More quiet gaps than this are the rhythm of the rollout.
const MAX_QUIET: usize = 4;

/// A break is as high as this share of everything that is not compressed.
const BREAK_SHARE: f64 = 0.06;

/// While pods are not as they end, a break is higher, ...
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
    /// one its end. `change`: when the user changes something; `settled`: when the last pod changes.
    pub fn new(times: &[i64], change: i64, settled: i64) -> Self {
        let gaps = || times.iter().zip(times.iter().skip(1)).map(|(from, to)| (*from, *to));
        let mut spans: Vec<f64> = gaps().map(|(from, to)| to_f64(to.saturating_sub(from))).collect();
        spans.sort_by(f64::total_cmp);
        let longest_kept = longest_busy_span(&spans);
        let busiest: f64 = spans.iter().filter(|span| **span <= longest_kept).sum();
        let is_quiet = |from: i64, to: i64| {
            let span = to_f64(to.saturating_sub(from));
            span > longest_kept && (from >= settled || span > UNSETTLED_RATIO * busiest)
        };
        let busy: f64 =
            gaps().filter(|(from, to)| !is_quiet(*from, *to)).map(|(from, to)| to_f64(to.saturating_sub(from))).sum();
        let busy = busy.max(1.0);
        let first = times.first().copied();
        let height = |from: i64, to: i64| {
            let span = to_f64(to.saturating_sub(from));
            if is_quiet(from, to) {
                busy * if from >= settled { BREAK_SHARE } else { UNSETTLED_BREAK_SHARE }
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
        let scale = TimeScale::new(&seconds(times), 0, settled.saturating_mul(1_000_000_000));
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
    fn the_scale_goes_both_ways() {
        for times in [vec![0, 5, 10, 15, 20, 25, 625, 630], vec![0, 1], vec![0, 3, 6, 100]] {
            let times = seconds(&times);
            let scale = TimeScale::new(&times, 0, 0);
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
        let scale = TimeScale::new(&[], 0, 0);
        assert_eq!((scale.share(5), scale.time(0.5)), (0.0, 0));
    }
}
