//! Spans of time as people read them.

use changeover_core::object::Time;

/// A time after the change: `0:05`, `1:30`, `1:02:03`, with tenths of a second where there are some.
pub fn clock(nanos: i64) -> String {
    let tenths = nanos.max(0).div_euclid(Time::SECOND.div_euclid(10));
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
    let seconds = nanos.max(0).div_euclid(Time::SECOND);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let written = [0, 5_000_000_000, 90_500_000_000, 3_723_000_000_000, -1].map(clock);
        assert_eq!(written, ["0:00", "0:05", "1:30.5", "1:02:03", "0:00"]);
        let written = [40, 60, 90, 3600, 3900].map(|seconds| length(seconds * Time::SECOND));
        assert_eq!(written, ["40 s", "1 min", "1 min 30 s", "1 h", "1 h 5 min"]);
    }
}
