//! Spans of time as people read them.

use changeover_core::object::Time;
use changeover_core::scenario::Duration;

/// A time after the change: `0:05`, `1:30`, `1:02:03`.
pub fn clock(nanos: i64) -> String {
    clock_of_seconds(seconds(nanos))
}

/// The same, with tenths of a second where there are some: `0:05.2`
pub fn clock_with_tenths(nanos: i64) -> String {
    let tenths = nanos.max(0).div_euclid(Time::SECOND.div_euclid(10));
    let seconds = clock_of_seconds(tenths.div_euclid(10));
    match tenths.rem_euclid(10) {
        0 => seconds,
        tenths => format!("{seconds}.{tenths}"),
    }
}

fn clock_of_seconds(seconds: i64) -> String {
    let (minutes, seconds) = (seconds.div_euclid(60), seconds.rem_euclid(60));
    let (hours, minutes) = (minutes.div_euclid(60), minutes.rem_euclid(60));
    if hours == 0 { format!("{minutes}:{seconds:02}") } else { format!("{hours}:{minutes:02}:{seconds:02}") }
}

/// How long something lasts: `40 s`, `16 min`, `1 h 5 min`.
pub fn length(nanos: i64) -> String {
    Duration(nanos).in_words()
}

/// Whole seconds: what a control plane takes in between is no more exact.
const fn seconds(nanos: i64) -> i64 {
    if nanos <= 0 { 0 } else { nanos.saturating_add(Time::SECOND.div_euclid(2)).div_euclid(Time::SECOND) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let written = [0, 5_000_000_000, 5_250_000_000, 90_500_000_000, 3_723_000_000_000, -1].map(clock);
        assert_eq!(written, ["0:00", "0:05", "0:05", "1:31", "1:02:03", "0:00"]);
        let written = [0, 5_000_000_000, 5_250_000_000, 90_500_000_000, -1].map(clock_with_tenths);
        assert_eq!(written, ["0:00", "0:05", "0:05.2", "1:30.5", "0:00"]);
        let written = [40, 60, 90, 3600, 3900].map(|seconds| length(seconds * Time::SECOND));
        assert_eq!(written, ["40 s", "1 min", "1 min 30 s", "1 h", "1 h 5 min"]);
    }
}
