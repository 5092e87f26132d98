//! Explains what the CronJob controller decides.

use super::operands::{CRON_JOB_NAME, JOB_NAME};
use super::{Clause, Operands, Reason, Rule, RuleText};
use crate::controller::decision::cron_job::{Create as Creation, Decision, JobEnd, Status as NewStatus, Surplus, Wait};
use crate::object::Time;
use crate::scenario::Duration;

const SYNC: &str = "pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob";
const NEXT: &str = "pkg/controller/cronjob/utils.go nextScheduleTime";
const HISTORY: &str = "pkg/controller/cronjob/cronjob_controllerv2.go removeOldestJobs";

/// Explains a decision.
pub(super) fn explain(decision: &Decision) -> Reason {
    match decision {
        Decision::Create(creation) => explain_creation(creation),
        Decision::Delete { cron_job, job, because } => match because {
            Surplus::History { outcome, finished, limit, surplus } => {
                let (outcome, finished, limit, surplus) = (OutcomeClause::of(*outcome), *finished, *limit, *surplus);
                DeleteOldest { cron_job, job, outcome, finished, limit, surplus }.reason()
            }
            Surplus::Replaced { scheduled } => DeleteReplaced { cron_job, job, scheduled: *scheduled }.reason(),
        },
        Decision::Wait { cron_job, because } => explain_wait(cron_job, because),
        Decision::Status(status) => {
            let NewStatus { cron_job, active, last_schedule, last_success } = &**status;
            Status { cron_job, active: *active, last_schedule: *last_schedule, last_success: *last_success }.reason()
        }
    }
}

fn explain_creation(creation: &Creation) -> Reason {
    let Creation { cron_job, job, schedule, scheduled, missed } = creation;
    let started = Started { cron_job, job, scheduled: *scheduled };
    match *missed {
        1 => Create { started, schedule }.reason(),
        missed => CreateAfterMissed { started, schedule, missed }.reason(),
    }
}

fn explain_wait(cron_job: &str, wait: &Wait) -> Reason {
    match wait {
        Wait::Deleted => Deleted { cron_job }.reason(),
        Wait::Suspended => Suspended { cron_job }.reason(),
        Wait::UnknownTimeZone { time_zone } => UnknownTimeZone { cron_job, time_zone }.reason(),
        Wait::BadSchedule { schedule, message } => BadSchedule { cron_job, schedule, message }.reason(),
        Wait::NotYet { schedule, left, deadline } => {
            let pending = Pending { cron_job, schedule, left: Duration(*left) };
            match *deadline {
                None => NotYet { pending }.reason(),
                Some(deadline) => NoneInTime { pending, deadline }.reason(),
            }
        }
        Wait::TooLate { scheduled, late, deadline } => {
            TooLate { cron_job, scheduled: *scheduled, late: Duration(*late), deadline: *deadline }.reason()
        }
        Wait::Started { scheduled } => AlreadyStarted { cron_job, scheduled: *scheduled }.reason(),
        Wait::Forbidden { scheduled, active } => {
            Forbidden { cron_job, scheduled: *scheduled, active: *active }.reason()
        }
        Wait::Exists { job, owned: true } => AlreadyListed { cron_job, job }.reason(),
        Wait::Exists { job, owned: false } => NameTaken { cron_job, job }.reason(),
    }
}

/// Operands of rules about a Job that is started.
#[derive(Clone, Copy, Operands)]
struct Started<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the latest scheduled time that has passed")]
    scheduled: Time,
}

/// The time of a Job has come.
#[derive(Rule)]
#[rule(
    id = "cron-job.create",
    upstream = SYNC,
    sentence = "{job} starts: {cron_job} was due at {scheduled} (schedule \"{schedule}\").",
)]
struct Create<'a> {
    #[operands]
    started: Started<'a>,
    #[operand(source = "its spec.schedule")]
    schedule: &'a str,
}

/// Several times have come, and a Job is started for the last of them.
#[derive(Rule)]
#[rule(
    id = "cron-job.create.after-missed",
    upstream = NEXT,
    sentence = "{job} starts for {scheduled}, the latest of about {missed} scheduled times that {cron_job} missed.",
    formula = [
        "missed = time since the first of them ÷ time between the first two + 1 = {missed}",
        "schedule = {schedule}",
    ],
)]
struct CreateAfterMissed<'a> {
    #[operands]
    started: Started<'a>,
    #[operand(source = "its spec.schedule")]
    schedule: &'a str,
    #[operand(source = "scheduled times since the last Job, including the latest one")]
    missed: i64,
}

/// How the Jobs of a history have ended.
#[derive(Clone, Copy, Clause)]
enum OutcomeClause {
    #[clause("succeeded")]
    Succeeded,
    #[clause("failed")]
    Failed,
}

impl OutcomeClause {
    const fn of(end: JobEnd) -> Self {
        match end {
            JobEnd::Complete => Self::Succeeded,
            JobEnd::Failed => Self::Failed,
        }
    }
}

/// More Jobs have ended than are kept.
#[derive(Rule)]
#[rule(
    id = "cron-job.delete.history",
    upstream = HISTORY,
    sentence = "{job} is deleted: {cron_job} has {finished} Job(s) that {outcome}, and keeps the latest {limit}.",
    formula = ["surplus = finished − limit = {finished} − {limit} = {surplus}"],
)]
struct DeleteOldest<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(JOB_NAME)]
    job: &'a str,
    #[clause]
    outcome: OutcomeClause,
    #[operand(source = "its Jobs with that outcome")]
    finished: i32,
    #[operand(source = "its spec.successfulJobsHistoryLimit or spec.failedJobsHistoryLimit")]
    limit: i32,
    #[operand(source = "finished − limit")]
    surplus: i64,
}

/// The next Job replaces an active one.
#[derive(Rule)]
#[rule(
    id = "cron-job.delete.replaced",
    upstream = SYNC,
    sentence = "{job} is deleted: it is active, the Job for {scheduled} is due, and the concurrencyPolicy of {cron_job} is Replace.",
)]
struct DeleteReplaced<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "the latest scheduled time that has passed")]
    scheduled: Time,
}

/// The CronJob is being deleted.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.deleted",
    upstream = SYNC,
    sentence = "{cron_job} starts no Jobs: it is being deleted.",
)]
struct Deleted<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
}

/// The CronJob is suspended.
#[derive(Rule)]
#[rule(id = "cron-job.wait.suspended", upstream = SYNC, sentence = "{cron_job} starts no Jobs: it is suspended.")]
struct Suspended<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
}

/// The time zone is not known.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.unknown-time-zone",
    upstream = SYNC,
    sentence = "{cron_job} starts no Jobs: the time zone {time_zone} is unknown.",
)]
struct UnknownTimeZone<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(source = "its spec.timeZone")]
    time_zone: &'a str,
}

/// The schedule can't be read, or has no next time.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.bad-schedule",
    upstream = SYNC,
    sentence = "{cron_job} starts no Jobs: its schedule \"{schedule}\" can't be used: {message}.",
)]
struct BadSchedule<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(source = "its spec.schedule")]
    schedule: &'a str,
    #[operand(source = "the parser's error")]
    message: &'a str,
}

/// Operands of rules about a scheduled time in the future.
#[derive(Clone, Copy, Operands)]
struct Pending<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(source = "its spec.schedule")]
    schedule: &'a str,
    #[operand(source = "the time until the next scheduled time, plus 100ms for clock skew")]
    left: Duration,
}

/// The next scheduled time is in the future.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.not-yet",
    upstream = SYNC,
    sentence = "{cron_job} waits {left} for its next start (schedule \"{schedule}\").",
    formula = ["left = next time + 100ms − now = {left}"],
)]
struct NotYet<'a> {
    #[operands]
    pending: Pending<'a>,
}

/// No start was missed within the deadline, and older ones are skipped.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.not-in-time",
    upstream = "pkg/controller/cronjob/utils.go mostRecentScheduleTime",
    sentence = "{cron_job} waits {left} (schedule \"{schedule}\"): it missed no start in the last {deadline} s (startingDeadlineSeconds).",
    formula = ["left = next time + 100ms − now = {left}"],
)]
struct NoneInTime<'a> {
    #[operands]
    pending: Pending<'a>,
    #[operand(source = "its spec.startingDeadlineSeconds; older times are skipped")]
    deadline: i64,
}

/// A time was missed by more than startingDeadlineSeconds.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.too-late",
    upstream = SYNC,
    sentence = "{cron_job} skips {scheduled}: that was {late} ago, and startingDeadlineSeconds is {deadline}.",
    formula = ["{scheduled} + {deadline}s < now"],
)]
struct TooLate<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(source = "the latest scheduled time that has passed")]
    scheduled: Time,
    #[operand(source = "now − that time")]
    late: Duration,
    #[operand(source = "its spec.startingDeadlineSeconds")]
    deadline: i64,
}

/// The Job for that time exists, or did.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.started",
    upstream = SYNC,
    sentence = "{cron_job} starts no Job: it has already started one for {scheduled}.",
)]
struct AlreadyStarted<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(source = "the latest scheduled time that has passed")]
    scheduled: Time,
}

/// Another Job is active.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.forbidden",
    upstream = SYNC,
    sentence = "{cron_job} starts no Job for {scheduled} now: it has {active} active Job(s), and concurrencyPolicy is Forbid.",
)]
struct Forbidden<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(source = "the latest scheduled time that has passed")]
    scheduled: Time,
    #[operand(source = "Jobs in its status.active")]
    active: i32,
}

/// The Job for that time exists, and is known.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.listed",
    upstream = SYNC,
    sentence = "{cron_job} starts no Job: {job} exists and is in its list of active Jobs.",
)]
struct AlreadyListed<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(JOB_NAME)]
    job: &'a str,
}

/// Another owner's Job has the name.
#[derive(Rule)]
#[rule(
    id = "cron-job.wait.name-taken",
    upstream = SYNC,
    sentence = "{cron_job} starts no Job: {job} already exists, and {cron_job} does not own it.",
)]
struct NameTaken<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(JOB_NAME)]
    job: &'a str,
}

/// The status changes.
#[derive(Rule)]
#[rule(
    id = "cron-job.status",
    upstream = "pkg/controller/cronjob/cronjob_controllerv2.go sync",
    sentence = "{cron_job} lists {active} active Job(s).",
    formula = ["last scheduled time = {last_schedule}", "last success = {last_success}"],
)]
struct Status<'a> {
    #[operand(CRON_JOB_NAME)]
    cron_job: &'a str,
    #[operand(source = "Jobs in its status.active")]
    active: i32,
    #[operand(source = "its status.lastScheduleTime")]
    last_schedule: Option<Time>,
    #[operand(source = "its status.lastSuccessfulTime")]
    last_success: Option<Time>,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[
    Create::TEXT,
    CreateAfterMissed::TEXT,
    DeleteOldest::TEXT,
    DeleteReplaced::TEXT,
    Deleted::TEXT,
    Suspended::TEXT,
    UnknownTimeZone::TEXT,
    BadSchedule::TEXT,
    NotYet::TEXT,
    NoneInTime::TEXT,
    TooLate::TEXT,
    AlreadyStarted::TEXT,
    Forbidden::TEXT,
    AlreadyListed::TEXT,
    NameTaken::TEXT,
    Status::TEXT,
];

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn the_history_has_numbers_and_no_words_of_ours() {
        let because = Surplus::History { outcome: JobEnd::Failed, finished: 4, limit: 1, surplus: 3 };
        let reason = explain(&Decision::Delete { cron_job: "backup".into(), job: "backup-1".into(), because });
        assert_eq!(reason.sentence(), "backup-1 is deleted: backup has 4 Jobs that failed, and keeps the latest 1.");
        assert_eq!(reason.formula(), ["surplus = finished − limit = 4 − 1 = 3"]);
        let names: Vec<&str> = reason.operands().map(|(operand, _)| operand.name).collect();
        assert_eq!(names, ["cronJob", "job", "finished", "limit", "surplus"]);
    }
}
