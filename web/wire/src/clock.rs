/// How the times of one rollout are written: if one of them has hours, all have, so that `2:30` never stands beside `2:30:40`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClockFormat {
    /// Minutes and seconds: `0:05`, `12:34`.
    #[default]
    Minutes,
    /// Hours, minutes and seconds: `0:00:05`, `1:02:03`.
    Hours,
}

impl ClockFormat {
    /// The format of times of which this one, in nanoseconds, is the latest.
    pub const fn up_to(latest: i64) -> Self {
        const HOUR: i64 = 3_600_000_000_000;
        if latest < HOUR { Self::Minutes } else { Self::Hours }
    }

    /// Nanoseconds in this format, rounded down to a second.
    pub fn write(self, nanoseconds: i64) -> String {
        let seconds = nanoseconds.max(0).div_euclid(1_000_000_000);
        let (minutes, second) = (seconds.div_euclid(60), seconds.rem_euclid(60));
        match self {
            Self::Minutes => format!("{minutes}:{second:02}"),
            Self::Hours => format!("{}:{:02}:{second:02}", minutes.div_euclid(60), minutes.rem_euclid(60)),
        }
    }
}

/// A time that stands alone as `0:05`, `12:34` or `1:02:03`: with hours from one hour on.
pub fn format_clock(nanoseconds: i64) -> String {
    ClockFormat::up_to(nanoseconds).write(nanoseconds)
}

/// A second and its decimal fractions in nanoseconds, by the number of decimals.
const UNITS: [i64; 10] = [1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1000, 100, 10, 1];

/// Times in a format, each with just enough decimals to differ from the times right before and after it: `0:00`, `0:00.05`,
/// `0:00.3`, `0:03`.
pub fn format_clocks(format: ClockFormat, times: &[i64]) -> Vec<String> {
    let clocks = times.iter().zip(decimals(times)).map(|(time, decimals)| format_decimals(format, *time, decimals));
    clocks.map(without_zeros).collect()
}

/// `0:10` for `0:10.0`: a time on the second is written as the playhead writes it.
fn without_zeros(clock: String) -> String {
    if clock.contains('.') { clock.trim_end_matches('0').trim_end_matches('.').into() } else { clock }
}

/// Times for a column of a table: all have as many decimals as [`format_clocks`] needs for one of them.
pub fn format_clock_column(format: ClockFormat, times: &[i64]) -> Vec<String> {
    let most = decimals(times).into_iter().max().unwrap_or(0);
    times.iter().map(|time| format_decimals(format, *time, most)).collect()
}

/// For each time, how many decimals it takes to tell it from the times right before and after it.
fn decimals(times: &[i64]) -> Vec<usize> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let decimals = |time: &i64| {
        let time = *time;
        let before = sorted.partition_point(|other| *other < time).checked_sub(1);
        let after = sorted.partition_point(|other| *other <= time);
        let neighbors = before.into_iter().chain([after]).filter_map(|index| sorted.get(index));
        neighbors.map(|other| distinct_decimals(time, *other)).max().unwrap_or(0)
    };
    times.iter().map(decimals).collect()
}

/// How many decimals it takes to tell two times apart.
fn distinct_decimals(time: i64, other: i64) -> usize {
    UNITS.iter().position(|unit| time.div_euclid(*unit) != other.div_euclid(*unit)).unwrap_or(0)
}

/// Nanoseconds in a format, with decimals.
fn format_decimals(format: ClockFormat, nanoseconds: i64, decimals: usize) -> String {
    let clock = format.write(nanoseconds);
    let Some(unit) = UNITS.get(decimals).filter(|_| decimals > 0) else { return clock };
    let fraction = nanoseconds.max(0).rem_euclid(1_000_000_000).div_euclid(*unit);
    format!("{clock}.{fraction:0decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_shown_only_from_one_hour_on() {
        let second = 1_000_000_000;
        assert_eq!(format_clock(0), "0:00");
        assert_eq!(format_clock(12 * second + 999_999_999), "0:12");
        assert_eq!(format_clock(754 * second), "12:34");
        assert_eq!(format_clock(3723 * second), "1:02:03");
        assert_eq!(format_clock(-5), "0:00");
    }

    #[test]
    fn one_time_with_hours_gives_hours_to_all() {
        let second = 1_000_000_000;
        let written = |latest: i64| {
            let format = ClockFormat::up_to(latest * second);
            [0, 150, 3599, 9040].map(|time| format.write(time * second))
        };
        assert_eq!(written(3599), ["0:00", "2:30", "59:59", "150:40"]);
        assert_eq!(written(3600), ["0:00:00", "0:02:30", "0:59:59", "2:30:40"]);
        let times = [0, second / 2, 150 * second];
        assert_eq!(format_clocks(ClockFormat::Hours, &times), ["0:00:00", "0:00:00.5", "0:02:30"]);
        assert_eq!(format_clock_column(ClockFormat::Hours, &times), ["0:00:00.0", "0:00:00.5", "0:02:30.0"]);
    }

    #[test]
    fn times_within_a_second_have_just_enough_decimals_to_differ() {
        let millisecond = 1_000_000;
        let written = |times: &[i64]| {
            let times: Vec<i64> = times.iter().map(|time| time * millisecond).collect();
            format_clocks(ClockFormat::Minutes, &times)
        };
        assert_eq!(written(&[]), [""; 0]);
        assert_eq!(written(&[0, 5000, 65_500]), ["0:00", "0:05", "1:05"]);
        assert_eq!(written(&[0, 600, 5000]), ["0:00", "0:00.6", "0:05"]);
        assert_eq!(written(&[0, 50, 250, 280, 1000]), ["0:00", "0:00.05", "0:00.25", "0:00.28", "0:01"]);
        assert_eq!(written(&[7, 8, 400, 59_999, 60_000]), ["0:00.007", "0:00.008", "0:00.4", "0:59", "1:00"]);
        // In any order, and the same time twice.
        assert_eq!(written(&[5300, 0, 5300, 5000]), ["0:05.3", "0:00", "0:05.3", "0:05"]);
        assert_eq!(format_clocks(ClockFormat::Minutes, &[0, 1, 1_000_000_000]), ["0:00", "0:00.000000001", "0:01"]);
        assert_eq!(written(&[0, 10_020, 10_300]), ["0:00", "0:10", "0:10.3"]);
    }

    #[test]
    fn the_times_of_a_column_have_the_same_decimals() {
        let millisecond = 1_000_000;
        let written = |times: &[i64]| {
            let times: Vec<i64> = times.iter().map(|time| time * millisecond).collect();
            format_clock_column(ClockFormat::Minutes, &times)
        };
        assert_eq!(written(&[]), [""; 0]);
        assert_eq!(written(&[0, 5000, 65_500]), ["0:00", "0:05", "1:05"]);
        assert_eq!(written(&[0, 1320, 1380, 12_000, 12_000]), ["0:00.00", "0:01.32", "0:01.38", "0:12.00", "0:12.00"]);
    }
}
