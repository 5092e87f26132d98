//! A figure, and differences between two lanes in words.

use changeover_core::scenario::Duration;
use changeover_wire::Totals;

use crate::number::{group_digits, plural};

/// A figure above a lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it says.
    pub label: &'static str,
    /// The label where there is little room.
    pub short_label: &'static str,
    /// The number or the time.
    pub value: String,
    /// What belongs to the number: `11 over 19`.
    pub note: Option<String>,
    /// Whether the other lane's value is worse.
    pub is_better: bool,
    /// The difference from the other lane: `−7`, `+12 s`; none without one.
    pub difference: Option<String>,
    /// Whether it is above the limit, or below the minimum.
    pub is_over: bool,
}

impl Figure {
    /// A figure without a value yet.
    pub const fn new(label: &'static str, short_label: &'static str) -> Self {
        let value = String::new();
        Self { label, short_label, value, note: None, is_better: false, difference: None, is_over: false }
    }
}

/// The label of the most pods at one moment.
pub const fn peak_label(peak: i32) -> &'static str {
    if peak == 1 { "pod at most" } else { "pods at most" }
}

/// `3 fewer pods at most`; none without a difference.
pub fn pods_difference([first, other]: [&Totals; 2]) -> Option<String> {
    let pods = other.peak.saturating_sub(first.peak);
    (pods != 0).then(|| format!("{} at most", difference_of(pods, "pod")))
}

/// `1 fewer pod`, `3 fewer pods`, `2 more pods`.
pub fn difference_of(count: i32, noun: &str) -> String {
    let word = if count < 0 { "fewer" } else { "more" };
    plural(count.saturating_abs(), &format!("{word} {noun}"))
}

/// `complete 53 s later (3.5 times as long)`; none without a difference.
pub fn time_difference(word: &str, before: i64, after: i64) -> Option<String> {
    let by = after.saturating_sub(before);
    let time = Duration::seconds(by.saturating_abs()).in_words();
    match by {
        0 => None,
        by if by < 0 => Some(format!("{word} {time} sooner")),
        _ if before > 0 && after >= before.saturating_mul(2) => {
            let tenths = after.saturating_mul(10).saturating_add(before / 2).div_euclid(before);
            let (whole, tenth) = (tenths.div_euclid(10), tenths.rem_euclid(10));
            let factor = if tenth == 0 { whole.to_string() } else { format!("{whole}.{tenth}") };
            Some(format!("{word} {time} later ({factor} times as long)"))
        }
        _ => Some(format!("{word} {time} later")),
    }
}

/// `−7`; none without a difference.
pub fn count_difference(this: i32, other: i32) -> Option<String> {
    let by = this.saturating_sub(other);
    (by != 0).then(|| format!("{}{}", sign(by.into()), group_digits(by.saturating_abs())))
}

/// `+12 s`, in the seconds of the clock; none without a difference.
pub fn clock_difference(this: i64, other: i64) -> Option<String> {
    let by = seconds(this).saturating_sub(seconds(other));
    (by != 0).then(|| format!("{}{}", sign(by), Duration::seconds(by.saturating_abs()).in_words()))
}

/// `+12 s`, `−200 ms`: between two durations as they are shown; none without a difference.
pub fn duration_difference(this: i64, other: i64) -> Option<String> {
    let by = this.saturating_sub(other);
    (by != 0).then(|| format!("{}{}", sign(by), Duration(by.saturating_abs()).briefly_in_words()))
}

const fn sign(number: i64) -> &'static str {
    if number < 0 { "−" } else { "+" }
}

/// Whether a clock shows an earlier time; never is the latest.
pub fn is_sooner(this: Option<i64>, other: Option<i64>) -> bool {
    match (this, other) {
        (Some(this), Some(other)) => seconds(this) < seconds(other),
        (this, other) => this.is_some() && other.is_none(),
    }
}

/// Whole seconds.
pub const fn seconds(nanoseconds: i64) -> i64 {
    nanoseconds.div_euclid(1_000_000_000)
}
