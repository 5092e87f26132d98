/// Nanoseconds as `0:05`, `12:34` or `1:02:03`: minutes and seconds, and hours from one hour on.
pub fn format_clock(nanoseconds: i64) -> String {
    let seconds = nanoseconds.max(0).div_euclid(1_000_000_000);
    let (minutes, second) = (seconds.div_euclid(60), seconds.rem_euclid(60));
    let (hours, minute) = (minutes.div_euclid(60), minutes.rem_euclid(60));
    if hours > 0 { format!("{hours}:{minute:02}:{second:02}") } else { format!("{minute}:{second:02}") }
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
}
