//! A CronJob's schedule.
//!
//! Upstream: `github.com/robfig/cron/v3/parser.go`, as `pkg/util/parsers/parsers.go ParseCronScheduleWithPanicRecovery`
//! calls it

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::time_zone::load_location;
use crate::apiserver::validation::names;
use crate::go;

/// The error of a schedule.
/// Upstream: `github.com/robfig/cron/v3/parser.go ParseStandard`
pub(super) fn parse_standard(schedule: &str) -> Result<(), String> {
    if schedule.is_empty() {
        return Err("empty spec string".into());
    }
    let mut rest = schedule;
    if schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=") {
        // Upstream panics where no space follows.
        let Some((zone, fields)) = schedule.split_once(' ') else {
            return Err("invalid schedule format: runtime error: slice bounds out of range [:-1]".into());
        };
        let name = zone.split_once('=').map_or("", |(_, name)| name);
        load_location(name).map_err(|error| format!("provided bad location {name}: {error}"))?;
        rest = fields.trim();
    }
    if rest.starts_with('@') {
        return parse_descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != BOUNDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    for (text, bounds) in fields.into_iter().zip(BOUNDS) {
        for range in text.split(',').filter(|range| !range.is_empty()) {
            parse_range(range, bounds)?;
        }
    }
    Ok(())
}

/// The least and the most of a field, and its names, the first of which is the least.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    least: u64,
    most: u64,
    names: &'static [&'static str],
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

const BOUNDS: [Bounds; 5] = [
    Bounds { least: 0, most: 59, names: &[] },
    Bounds { least: 0, most: 23, names: &[] },
    Bounds { least: 1, most: 31, names: &[] },
    Bounds { least: 1, most: 12, names: &MONTHS },
    Bounds { least: 0, most: 6, names: &DAYS },
];

/// Upstream: `github.com/robfig/cron/v3/parser.go getRange`
fn parse_range(range: &str, bounds: Bounds) -> Result<(), String> {
    let (limits, step) = range.split_once('/').map_or((range, None), |(limits, step)| (limits, Some(step)));
    let (low, high) = limits.split_once('-').map_or((limits, None), |(low, high)| (low, Some(high)));
    let (start, mut end) = if matches!(low, "*" | "?") {
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
    Ok(())
}

/// Upstream: `github.com/robfig/cron/v3/parser.go parseIntOrName`
fn parse_int_or_name(text: &str, bounds: Bounds) -> Result<u64, String> {
    let lower = names::to_lower(text);
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
fn parse_descriptor(text: &str) -> Result<(), String> {
    let known = ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];
    if known.contains(&text) {
        return Ok(());
    }
    let Some(duration) = text.strip_prefix("@every ") else {
        return Err(format!("unrecognized descriptor: {text}"));
    };
    go::parse_duration(duration).map(|_| ()).map_err(|error| format!("failed to parse duration {text}: {error}"))
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
            assert_eq!(parse_standard(schedule), Ok(()), "{schedule}");
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
