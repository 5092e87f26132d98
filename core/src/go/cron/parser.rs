//! Upstream: `github.com/robfig/cron/v3/parser.go`, as `pkg/util/parsers/parsers.go ParseCronScheduleWithPanicRecovery`
//! calls it
//!
//! Ported from `github.com/robfig/cron` (MIT, see NOTICE).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{STAR, Schedule, SpecSchedule};
use crate::go;

/// Upstream: `github.com/robfig/cron/v3/parser.go ParseStandard`
pub(crate) fn parse_standard(schedule: &str) -> Result<Schedule, String> {
    if schedule.is_empty() {
        return Err("empty spec string".into());
    }
    let (mut rest, mut time_zone) = (schedule, None);
    if schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=") {
        // Upstream panics where no space follows.
        let Some((zone, fields)) = schedule.split_once(' ') else {
            return Err("invalid schedule format: runtime error: slice bounds out of range [:-1]".into());
        };
        let name = zone.split_once('=').map_or("", |(_, name)| name);
        go::check_location(name).map_err(|error| format!("provided bad location {name}: {error}"))?;
        (rest, time_zone) = (fields.trim(), Some(name.to_owned()));
    }
    if rest.starts_with('@') {
        return parse_descriptor(rest, time_zone);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let [minute, hour, day_of_month, month, day_of_week] = *fields else {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    };
    Ok(Schedule::Spec(SpecSchedule {
        minute: get_field(minute, MINUTES)?,
        hour: get_field(hour, HOURS)?,
        day_of_month: get_field(day_of_month, DAYS_OF_MONTH)?,
        month: get_field(month, MONTHS)?,
        day_of_week: get_field(day_of_week, DAYS_OF_WEEK)?,
        time_zone,
    }))
}

/// The least and the most of a field, and its names, the first of which is the least.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: u64,
    most: u64,
    names: &'static [&'static str],
}

const MINUTES: Bounds = Bounds { least: 0, most: 59, names: &[] };
const HOURS: Bounds = Bounds { least: 0, most: 23, names: &[] };
const DAYS_OF_MONTH: Bounds = Bounds { least: 1, most: 31, names: &[] };
const MONTHS: Bounds = Bounds {
    least: 1,
    most: 12,
    names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
};
const DAYS_OF_WEEK: Bounds = Bounds { least: 0, most: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] };

impl Bounds {
    /// Only the least.
    fn first(self) -> u64 {
        bit(self.least)
    }

    /// All of them, as a star says it.
    ///
    /// Upstream: `github.com/robfig/cron/v3/parser.go all`
    fn all(self) -> u64 {
        get_bits(self.least, self.most, 1) | STAR
    }
}

/// The bit of a number, which is below 60.
fn bit(number: u64) -> u64 {
    u32::try_from(number).map_or(0, |number| 1_u64.wrapping_shl(number))
}

/// Upstream: `github.com/robfig/cron/v3/parser.go getField`
fn get_field(field: &str, bounds: Bounds) -> Result<u64, String> {
    let ranges = field.split(',').filter(|range| !range.is_empty());
    ranges.map(|range| get_range(range, bounds)).try_fold(0, |bits, range| Ok(bits | range?))
}

/// Upstream: `github.com/robfig/cron/v3/parser.go getRange`
fn get_range(range: &str, bounds: Bounds) -> Result<u64, String> {
    let (limits, step) = range.split_once('/').map_or((range, None), |(limits, step)| (limits, Some(step)));
    let (low, high) = limits.split_once('-').map_or((limits, None), |(low, high)| (low, Some(high)));
    let star = matches!(low, "*" | "?");
    let (start, mut end) = if star {
        (bounds.least, bounds.most)
    } else {
        let start = parse_int_or_name(low, bounds)?;
        match high {
            None => (start, start),
            Some(high) if high.contains('-') => return Err(format!("too many hyphens: {range}")),
            Some(high) => (start, parse_int_or_name(high, bounds)?),
        }
    };
    let step = match step {
        None => 1,
        Some(step) if step.contains('/') => return Err(format!("too many slashes: {range}")),
        Some(step) => {
            let step = must_parse_int(step)?;
            // "N/step" means "N-max/step".
            if high.is_none() {
                end = bounds.most;
            }
            step
        }
    };
    let Bounds { least, most, .. } = bounds;
    if start < least {
        return Err(format!("beginning of range ({start}) below minimum ({least}): {range}"));
    }
    if end > most {
        return Err(format!("end of range ({end}) above maximum ({most}): {range}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    Ok(get_bits(start, end, step) | if star && step == 1 { STAR } else { 0 })
}

/// The bits of every `step`th number.
///
/// Upstream: `github.com/robfig/cron/v3/parser.go getBits`
fn get_bits(min: u64, max: u64, step: u64) -> u64 {
    let step = usize::try_from(step).unwrap_or(usize::MAX);
    (min..=max).step_by(step).fold(0, |bits, number| bits | bit(number))
}

/// Upstream: `github.com/robfig/cron/v3/parser.go parseIntOrName`
fn parse_int_or_name(text: &str, bounds: Bounds) -> Result<u64, String> {
    let lower = go::to_lower(text);
    match bounds.names.iter().position(|name| *name == lower) {
        Some(index) => Ok(bounds.least.saturating_add(u64::try_from(index).unwrap_or_default())),
        None => must_parse_int(text),
    }
}

/// Upstream: `github.com/robfig/cron/v3/parser.go mustParseInt`
fn must_parse_int(text: &str) -> Result<u64, String> {
    let number = go::atoi(text).map_err(|what| {
        format!("failed to parse int from {text}: strconv.Atoi: parsing {}: {what}", go::quoted(text))
    })?;
    u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}"))
}

/// Upstream: `github.com/robfig/cron/v3/parser.go parseDescriptor`
fn parse_descriptor(text: &str, time_zone: Option<String>) -> Result<Schedule, String> {
    if let Some(duration) = text.strip_prefix("@every ") {
        let duration = go::parse_duration(duration);
        let duration = duration.map_err(|error| format!("failed to parse duration {text}: {error}"))?;
        return Ok(Schedule::every(duration));
    }
    let yearly = SpecSchedule {
        minute: MINUTES.first(),
        hour: HOURS.first(),
        day_of_month: DAYS_OF_MONTH.first(),
        month: MONTHS.first(),
        day_of_week: DAYS_OF_WEEK.all(),
        time_zone,
    };
    let monthly = SpecSchedule { month: MONTHS.all(), ..yearly.clone() };
    let daily = SpecSchedule { day_of_month: DAYS_OF_MONTH.all(), ..monthly.clone() };
    match text {
        "@yearly" | "@annually" => Ok(Schedule::Spec(yearly)),
        "@monthly" => Ok(Schedule::Spec(monthly)),
        "@weekly" => Ok(Schedule::Spec(SpecSchedule { day_of_week: DAYS_OF_WEEK.first(), ..daily })),
        "@daily" | "@midnight" => Ok(Schedule::Spec(daily)),
        "@hourly" => Ok(Schedule::Spec(SpecSchedule { hour: HOURS.all(), ..daily })),
        _ => Err(format!("unrecognized descriptor: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_schedules_are_read() {
        for schedule in [
            "*/5 * * * *",
            "0 0 1-15/2 jan,FEB ?",
            "@daily",
            "@every 1h30m",
            "@every 9223372036s",
            "TZ=UTC 0 0 * * *",
            "5/15 * * * sun-sat",
        ] {
            assert!(parse_standard(schedule).is_ok(), "{schedule}");
        }
    }

    #[test]
    fn errors_are_upstreams() {
        for (schedule, error) in [
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            ("x * * * *", "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax"),
            ("*/-1 * * * *", "negative number (-1) not allowed: -1"),
            ("@often", "unrecognized descriptor: @often"),
            ("@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""),
            (
                "@every 9223372037s",
                "failed to parse duration @every 9223372037s: time: invalid duration \"9223372037s\"",
            ),
            ("@every x", "failed to parse duration @every x: time: invalid duration \"x\""),
            ("TZ=Mars/Here 0 * * * *", "provided bad location Mars/Here: unknown time zone Mars/Here"),
            ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
        ] {
            assert_eq!(parse_standard(schedule), Err(error.into()), "{schedule}");
        }
    }
}
