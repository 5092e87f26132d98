//! When a CronJob that has changed is looked at again.

use super::schedule::{Schedule, format_schedule, next_schedule_time_duration};
use crate::object::{CronJob, Time};

/// Nanoseconds until a CronJob that has changed is to be synced: with another schedule, its next time; none where that can't
/// be read.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go updateCronJob`
pub fn update_cron_job(old: &CronJob, new: &CronJob, now: Time) -> Option<i64> {
    if (&old.spec.schedule, &old.spec.time_zone) == (&new.spec.schedule, &new.spec.time_zone) {
        return Some(0);
    }
    let schedule = Schedule::parse(&format_schedule(new, None)).ok()?;
    Some(next_schedule_time_duration(new, now.timestamp(), &schedule))
}
