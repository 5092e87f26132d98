//! Spans of time as people read them.

use changeover_core::object::Time;

/// From this time on, tenths of a second say nothing.
const LONG: i64 = 10 * Time::SECOND;

/// A time after the change: `0:05`, `1:30`, `1:02:03`; of the first seconds with tenths where there are some.
pub fn clock(nanos: i64) -> String {
    let nanos = if nanos < LONG { nanos.max(0) } else { rounded(nanos) };
    let tenths = nanos.div_euclid(Time::SECOND.div_euclid(10));
    let (seconds, tenths) = (tenths.div_euclid(10), tenths.rem_euclid(10));
    let (minutes, seconds) = (seconds.div_euclid(60), seconds.rem_euclid(60));
    let (hours, minutes) = (minutes.div_euclid(60), minutes.rem_euclid(60));
    let fraction = if tenths == 0 { String::new() } else { format!(".{tenths}") };
    if hours == 0 {
        format!("{minutes}:{seconds:02}{fraction}")
    } else {
        format!("{hours}:{minutes:02}:{seconds:02}{fraction}")
    }
}

/// How long something lasts: `40 s`, `16 min`, `1 h 5 min`.
pub fn length(nanos: i64) -> String {
    let seconds = rounded(nanos.max(0)).div_euclid(Time::SECOND);
    let (minutes, rest) = (seconds.div_euclid(60), seconds.rem_euclid(60));
    let (hours, minutes_rest) = (minutes.div_euclid(60), minutes.rem_euclid(60));
    match (hours, minutes_rest, rest) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// To whole seconds.
fn rounded(nanos: i64) -> i64 {
    nanos.saturating_add(Time::SECOND.div_euclid(2)).div_euclid(Time::SECOND).saturating_mul(Time::SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let written = [0, 5_000_000_000, 5_250_000_000, 90_500_000_000, 3_723_000_000_000, -1].map(clock);
        assert_eq!(written, ["0:00", "0:05", "0:05.2", "1:31", "1:02:03", "0:00"]);
        let written = [40, 60, 90, 3600, 3900].map(|seconds| length(seconds * Time::SECOND));
        assert_eq!(written, ["40 s", "1 min", "1 min 30 s", "1 h", "1 h 5 min"]);
    }
}
