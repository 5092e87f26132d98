//! Linear scales from pods and seconds to pixels with their tick marks, and the numbers of SVG attributes.

use std::fmt::Write as _;

use yew::AttrValue;

/// A linear scale from 0..=`most` to 0..=`width` pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LinearScale {
    /// The highest value.
    pub max: f64,
    /// The pixel of the highest value.
    pub width: f64,
}

impl LinearScale {
    /// The pixel of a value.
    pub(crate) fn to_px(self, value: f64) -> f64 {
        if self.max > 0.0 { (value / self.max).clamp(0.0, 1.0) * self.width } else { 0.0 }
    }

    /// The value at a pixel.
    pub(crate) fn to_value(self, px: f64) -> f64 {
        if self.width > 0.0 { (px / self.width).clamp(0.0, 1.0) * self.max } else { 0.0 }
    }
}

/// A count as a float. Exact up to 2^53, which no count here comes near.
#[expect(clippy::as_conversions, reason = "there is no lossless conversion from i64, and none is needed")]
pub(crate) const fn to_f64(value: i64) -> f64 {
    value as f64
}

/// A float without its fraction; NaN becomes 0.
#[expect(clippy::as_conversions, reason = "`as` saturates, which is what is wanted")]
pub(crate) const fn to_i64(value: f64) -> i64 {
    value as i64
}

/// A length of a list as a float.
pub(crate) fn count_to_f64(value: usize) -> f64 {
    to_f64(i64::try_from(value).unwrap_or(i64::MAX))
}

/// Pixels as an attribute, rounded to a tenth: `12.5`. (Rust's own float formatting takes more bytes than the whole chart.)
pub(crate) fn format_px(value: f64) -> AttrValue {
    let tenths = to_i64((value * 10.0).round());
    let (size, sign) = (tenths.unsigned_abs(), if tenths < 0 { "-" } else { "" });
    let (integer, rest) = (size.checked_div(10).unwrap_or(0), size.checked_rem(10).unwrap_or(0));
    AttrValue::from(if rest == 0 { format!("{sign}{integer}") } else { format!("{sign}{integer}.{rest}") })
}

/// Builds the attribute `d` of an SVG path.
#[derive(Default)]
pub(crate) struct SvgPath(String);

impl SvgPath {
    /// Adds a command with its numbers.
    pub(crate) fn push(&mut self, command: char, numbers: &[f64]) {
        self.0.push(command);
        for (index, number) in numbers.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = write!(self.0, "{}{}", if index == 0 { "" } else { " " }, format_px(*number));
        }
    }

    /// The attribute.
    pub(crate) fn finish(self) -> String {
        self.0
    }
}

/// The seconds between two ticks of a time axis that people read easily.
const TIME_TICK_SECONDS: [i64; 16] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200];

/// The ticks of a time axis up to `end`, at least `apart` pixels from each other. All times are nanoseconds.
pub(crate) fn time_ticks(end: i64, width: f64, apart: f64) -> Vec<i64> {
    let scale = LinearScale { max: to_f64(end), width };
    let fits = |step: &&i64| scale.to_px(to_f64(step.saturating_mul(1_000_000_000))) >= apart;
    let step = TIME_TICK_SECONDS.iter().find(fits).copied().unwrap_or(86400).saturating_mul(1_000_000_000);
    let mut ticks = Vec::new();
    let mut tick = 0_i64;
    while tick <= end && ticks.len() < 200 {
        ticks.push(tick);
        tick = tick.saturating_add(step);
    }
    ticks
}

/// The ticks of a ruler in pods: one for each pod, or for each 2, 5, 10 ... pods, at least `apart` pixels from each other, and
/// whether each is a long one (every fifth).
pub(crate) fn pod_ticks(scale: LinearScale, apart: f64) -> Vec<(i64, bool)> {
    let mut step = 1_i64;
    for factor in [2, 5, 10].into_iter().cycle().take(24) {
        if scale.to_px(to_f64(step)) >= apart {
            break;
        }
        let power = 10_i64.saturating_pow(step.max(1).ilog10());
        step = power.saturating_mul(factor);
    }
    let mut ticks = Vec::new();
    let mut index = 0_i64;
    while to_f64(index.saturating_mul(step)) <= scale.max && ticks.len() < 1000 {
        ticks.push((index.saturating_mul(step), index.rem_euclid(5) == 0));
        index = index.saturating_add(1);
    }
    ticks
}

#[cfg(test)]
mod tests {
    use changeover_wire::format_clock;

    use super::*;

    #[test]
    fn numbers_have_one_digit_at_most() {
        let cases = [(0.0, "0"), (12.0, "12"), (12.34, "12.3"), (-0.26, "-0.3"), (0.04, "0"), (99.96, "100")];
        for (value, text) in cases {
            assert_eq!(&*format_px(value), text);
        }
        assert_eq!(&*format_px(f64::NAN), "0");
    }

    #[test]
    fn a_scale_goes_both_ways_and_stays_inside() {
        let scale = LinearScale { max: 16.0, width: 800.0 };
        assert_eq!(scale.to_px(13.0), 650.0);
        assert_eq!(scale.to_value(650.0), 13.0);
        assert_eq!(scale.to_px(99.0), 800.0);
        assert_eq!(scale.to_value(-5.0), 0.0);
        assert_eq!(LinearScale { max: 0.0, width: 800.0 }.to_px(3.0), 0.0);
    }

    #[test]
    fn time_ticks_are_round_and_apart() {
        let ticks = time_ticks(100_000_000_000, 300.0, 40.0);
        assert_eq!(
            ticks.iter().map(|tick| format_clock(*tick)).collect::<Vec<_>>().join(" "),
            "0:00 0:15 0:30 0:45 1:00 1:15 1:30"
        );
        assert!(time_ticks(i64::MAX, 300.0, 40.0).len() <= 200);
        assert_eq!(time_ticks(0, 300.0, 40.0), [0]);
    }

    #[test]
    fn a_ruler_marks_each_pod_while_there_is_room() {
        let ticks = pod_ticks(LinearScale { max: 16.0, width: 800.0 }, 4.0);
        assert_eq!(ticks.len(), 17);
        assert_eq!(ticks[5], (5, true));
        let ticks = pod_ticks(LinearScale { max: 1300.0, width: 800.0 }, 4.0);
        assert_eq!(ticks[1].0, 10);
        assert!(pod_ticks(LinearScale { max: 2e9, width: 300.0 }, 4.0).len() < 100);
    }
}
