//! Which times have come, and when the next one does.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::iter::successors;

use jiff_core::Timestamp;

use crate::controller::client::record;
use crate::controller::{Client, Event};
use crate::go::cron::{self, parse_standard};
use crate::go::time::{ZERO, add, sub, whole_seconds};
use crate::go::{Location, quoted};
use crate::object::{Duration, Time};
use crate::workload::cron_job::CronJob;

/// How long after its time a CronJob is looked at again, since clocks may differ.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go nextScheduleDelta`
const NEXT_SCHEDULE_DELTA: i64 = 100_000_000;

/// A schedule, by the clocks of its time zone.
pub(super) struct Schedule {
    schedule: cron::Schedule,
    location: Location,
}

impl Schedule {
    /// Upstream: `pkg/util/parsers/parsers.go ParseCronScheduleWithPanicRecovery`
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let schedule = parse_standard(text)?;
        let location = Location::load(schedule.time_zone().unwrap_or_default())?;
        Ok(Self { schedule, location })
    }

    fn next(&self, after: Timestamp) -> Timestamp {
        self.schedule.next(after, &self.location)
    }
}

/// The next times of a schedule after that one, at most `count`: fewer where none comes within five years.
///
/// # Errors
/// Upstream's text about a schedule or a time zone that can't be used.
pub fn upcoming(schedule: &str, time_zone: Option<&str>, after: Time, count: usize) -> Result<Vec<Time>, String> {
    let text = with_time_zone(schedule, time_zone);
    let schedule = Schedule::parse(&text)?;
    let times = successors(Some(after.timestamp()), |time| Some(schedule.next(*time)).filter(|next| *next != ZERO));
    Ok(times.skip(1).take(count).map(Time::from_timestamp).collect())
}

/// The schedule as the parser takes it, with its time zone in front.
fn with_time_zone(schedule: &str, time_zone: Option<&str>) -> String {
    match time_zone {
        Some(time_zone) => format!("TZ={time_zone} {schedule}"),
        None => schedule.into(),
    }
}

/// Whether this build has the data of a time zone that the API server knows: only UTC needs none.
pub fn has_time_zone(name: &str) -> bool {
    Location::load(name).is_ok()
}

/// The schedule with its time zone in front, as the parser takes it. Records a warning where there is a client.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go formatSchedule`
pub(super) fn format_schedule(cron_job: &CronJob, recorder: Option<&mut dyn Client>) -> String {
    let schedule = &cron_job.spec.schedule;
    match &cron_job.spec.time_zone {
        _ if schedule.contains("TZ") => {
            let Some(client) = recorder else { return with_time_zone(schedule, None) };
            record(client, &cron_job.key(), || {
                let message = format!(
                    "CRON_TZ or TZ used in schedule {} is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
                    quoted(schedule)
                );
                Event::warning("UnsupportedSchedule", &message)
            });
            with_time_zone(schedule, None)
        }
        Some(time_zone) if Location::load(time_zone).is_ok() => with_time_zone(schedule, Some(time_zone)),
        _ => with_time_zone(schedule, None),
    }
}

/// The times that have come.
struct Missed {
    /// The last one for which a Job was started, the CronJob's creation, or the end of what may still be started.
    earliest: Timestamp,
    /// The last time that has come; none if that is hard to say, or none has.
    most_recent: Option<Timestamp>,
    /// How many have come, about. Not counted for a single one.
    count: i64,
}

/// Which times have come since the last one, or since the CronJob's creation.
///
/// They are not counted one by one, since a clock that is wrong by decades would make that take forever. The distance
/// between the next two times tells how many have come, about. The search for the most recent one starts where that
/// distance has the one before it, so that it also finds one where the distances differ a little.
///
/// Upstream's examples: a controller that hangs on Friday at 5:01 p.m. and is restarted on Tuesday morning owes an hourly
/// CronJob more than 80 Jobs, which is fewer than the 100 that are worth a warning. And `30 6-16/4 * * 1-5` has a time at
/// 6:30, 10:30 and 14:30, but none for 16 hours after that, and for 64 hours over a weekend:
///
/// | schedule | last time | now | next two | about how many | most recent |
/// |---|---|---|---|---|---|
/// | `0 * * * *` | Fri 17:00 | Tue 9:30 | Fri 18:00, 19:00 | 88 | Tue 9:00 |
/// | `30 6-16/4 * * 1-5` | Fri 14:30 | Mon 15:00 | Mon 6:30, 10:30 | 3 | Mon 14:30 |
/// | `30 6-16/4 * * 1-5` | Fri 10:30 | Mon 10:45 | Fri 14:30, Mon 6:30 | 2 | Mon 10:30 |
/// | `30 6-16/4 * * 1-5` | Fri 14:30 | Tue 6:00 | Mon 6:30, 10:30 | 6 | none: the search starts on Mon at 22:30 |
///
/// # Errors
/// The schedule has no next time, like February 31.
///
/// Upstream: `pkg/controller/cronjob/utils.go mostRecentScheduleTime`
fn most_recent_schedule_time(
    cron_job: &CronJob,
    now: Timestamp,
    schedule: &Schedule,
    include_starting_deadline_seconds: bool,
) -> Result<Missed, &'static str> {
    let created = cron_job.metadata.creation_timestamp.map_or(ZERO, Time::timestamp);
    let mut earliest = cron_job.status.last_schedule_time.map_or(created, Time::timestamp);
    if let (Some(seconds), true) = (cron_job.spec.starting_deadline_seconds, include_starting_deadline_seconds) {
        earliest = earliest.max(add(now, Time::SECOND.wrapping_neg().wrapping_mul(seconds)));
    }
    let t1 = schedule.next(earliest);
    let t2 = schedule.next(t1);
    if now < t1 {
        return Ok(Missed { earliest, most_recent: None, count: 0 });
    }
    if now < t2 {
        return Ok(Missed { earliest, most_recent: Some(t1), count: 0 });
    }
    let between = whole_seconds(sub(t2, t1));
    if between < 1 {
        return Err("time difference between two schedules is less than 1 second");
    }
    let elapsed = whole_seconds(sub(now, t1));
    let count = elapsed.div_euclid(between).saturating_add(1);
    // One time unit further back: times may come at odd intervals.
    let seconds = count.wrapping_sub(2).wrapping_mul(between);
    let mut most_recent = None;
    let mut t = schedule.next(add(t1, seconds.wrapping_mul(Time::SECOND)));
    // Upstream never ends where there is no next time within five years.
    while t <= now && t != ZERO {
        most_recent = Some(t);
        t = schedule.next(t);
    }
    Ok(Missed { earliest, most_recent, count })
}

/// The time until the next run.
///
/// Upstream: `pkg/controller/cronjob/utils.go nextScheduleTimeDuration`
pub(super) fn next_schedule_time_duration(cron_job: &CronJob, now: Timestamp, schedule: &Schedule) -> Duration {
    let from = match most_recent_schedule_time(cron_job, now, schedule, false) {
        Ok(Missed { most_recent: Some(time), .. }) => time,
        Ok(Missed { earliest, count: 0, .. }) => earliest,
        _ => now,
    };
    Duration(sub(add(schedule.next(from), NEXT_SCHEDULE_DELTA), now))
}

/// A time that has come.
#[derive(Clone, Copy)]
pub(super) struct Due {
    /// The last one.
    pub(super) scheduled: Timestamp,
    /// How many have come, about; at least this one.
    pub(super) missed: i64,
}

/// The last time that has come and for which a Job may be started.
///
/// # Errors
/// The schedule has no next time.
///
/// Upstream: `pkg/controller/cronjob/utils.go nextScheduleTime`
pub(super) fn next_schedule_time(
    client: &mut dyn Client,
    cron_job: &CronJob,
    now: Timestamp,
    schedule: &Schedule,
) -> Result<Option<Due>, &'static str> {
    /// More than this number are worth a warning.
    const MANY: i64 = 100;
    let Missed { most_recent, count, .. } = most_recent_schedule_time(cron_job, now, schedule, true)?;
    let Some(scheduled) = most_recent else { return Ok(None) };
    if count > MANY {
        record(client, &cron_job.key(), || {
            let message =
                "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew";
            Event::warning("TooManyMissedTimes", message)
        });
    }
    Ok(Some(Due { scheduled, missed: count.max(1) }))
}

#[cfg(test)]
mod tests {
    use super::{Schedule, most_recent_schedule_time};
    use crate::object::Time;
    use crate::workload::cron_job::{CronJob, CronJobStatus};

    /// The table of [`most_recent_schedule_time`]; November 20 is a Friday.
    #[test]
    fn the_most_recent_time_is_found_from_the_distance_of_two() {
        let weekdays = "30 6-16/4 * * 1-5";
        for (schedule, last, now, count, most_recent) in [
            ("0 * * * *", "20T17:00", "24T09:30", 88, Some("24T09:00")),
            (weekdays, "20T14:30", "23T15:00", 3, Some("23T14:30")),
            (weekdays, "20T10:30", "23T10:45", 2, Some("23T10:30")),
            (weekdays, "20T14:30", "24T06:00", 6, None),
        ] {
            let at = |time: &str| Time::parse(&alloc::format!("2026-11-{time}:00Z")).unwrap();
            let status = CronJobStatus { last_schedule_time: Some(at(last)), ..CronJobStatus::default() };
            let cron_job = CronJob { status, ..CronJob::default() };
            let parsed = Schedule::parse(schedule).unwrap();
            let missed = most_recent_schedule_time(&cron_job, at(now).timestamp(), &parsed, false).unwrap();
            let found = (missed.count, missed.most_recent.map(Time::from_timestamp));
            assert_eq!(found, (count, most_recent.map(at)), "{schedule} from {last} to {now}");
        }
    }
}
