//! When a CronJob that has changed is looked at again.

use alloc::format;

use super::schedule::{Schedule, format_schedule, next_schedule_time_duration};
use crate::controller::Event;
use crate::object::{Duration, Time};
use crate::workload::cron_job::CronJob;

/// The time until a CronJob that has changed is synced: with another schedule, until its next time.
///
/// # Errors
/// The schedule can't be parsed: the event to record. The CronJob is not synced until it changes again.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go updateCronJob`
pub fn update_cron_job(old: &CronJob, new: &CronJob, now: Time) -> Result<Duration, Event> {
    if (&old.spec.schedule, &old.spec.time_zone) == (&new.spec.schedule, &new.spec.time_zone) {
        return Ok(Duration(0));
    }
    // Without a recorder: the sync records the warnings.
    let schedule = Schedule::parse(&format_schedule(new, None)).map_err(|_| {
        let message = format!("unparseable schedule for cronjob: {}", new.spec.schedule);
        Event::warning("UnParseableCronJobSchedule", &message)
    })?;
    Ok(next_schedule_time_duration(new, now.timestamp(), &schedule))
}

#[cfg(test)]
mod tests {
    use alloc::rc::Rc;

    use super::update_cron_job;
    use crate::controller::Event;
    use crate::object::{Duration, Time};
    use crate::workload::cron_job::CronJob;

    #[test]
    fn another_schedule_sets_the_next_sync_or_is_reported() {
        let at = |time: &str| Time::parse(time).unwrap();
        let mut old = CronJob::default();
        Rc::make_mut(&mut old.metadata).creation_timestamp = Some(at("2026-11-25T12:00:00Z"));
        Rc::make_mut(&mut old.spec).schedule = "0 * * * *".into();
        let after = |schedule: &str, time_zone: Option<&str>| {
            let mut new = old.clone();
            let spec = Rc::make_mut(&mut new.spec);
            (spec.schedule, spec.time_zone, spec.suspend) = (schedule.into(), time_zone.map(Into::into), Some(true));
            update_cron_job(&old, &new, at("2026-11-25T12:15:00Z"))
        };
        // The 100 ms are nextScheduleDelta.
        let minutes = |minutes: i64| Ok(Duration(minutes * 60 * Time::SECOND + 100_000_000));
        assert_eq!(after("0 * * * *", None), Ok(Duration(0)));
        assert_eq!(after("30 * * * *", None), minutes(15));
        assert_eq!(after("0 * * * *", Some("UTC")), minutes(45));
        let message = "unparseable schedule for cronjob: 61 * * * *";
        assert_eq!(after("61 * * * *", None), Err(Event::warning("UnParseableCronJobSchedule", message)));
    }
}
