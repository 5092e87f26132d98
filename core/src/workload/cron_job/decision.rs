//! What the CronJob controller decides: values with the numbers that were used, for the write and for its explanation.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::boxed::Box;
use alloc::rc::Rc;

use changeover_derive::{Clause, Decision, Operands};

use crate::object::{Duration, Time};
#[cfg(feature = "explain")]
use crate::rule::OperandSource;
#[cfg(feature = "explain")]
use crate::workload::job::decision::JOB_NAME;

#[cfg(feature = "explain")]
const CRON_JOB_NAME: OperandSource = OperandSource::new("the CronJob");

#[cfg(feature = "explain")]
mod source {
    pub(super) const SYNC: &str = "pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob";
    pub(super) const NEXT: &str = "pkg/controller/cronjob/utils.go nextScheduleTime";
    pub(super) const HISTORY: &str = "pkg/controller/cronjob/cronjob_controllerv2.go removeOldestJobs";
}

/// A decision of the CronJob controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// The time of a Job has come.
    #[rule(
        id = "cron-job.create",
        upstream = source::SYNC,
        sentence = "{job} starts: {cron_job} was due at {scheduled} (schedule \"{schedule}\").",
    )]
    Create {
        #[operands]
        started: Box<Started>,
        #[operand(source = "its spec.schedule")]
        schedule: Rc<str>,
    },
    /// Several times have come, and a Job is started for the last of them.
    #[rule(
        id = "cron-job.create.after-missed",
        upstream = source::NEXT,
        sentence = "{job} starts for {scheduled}, the latest of about {missed} scheduled times that {cron_job} missed.",
        formula = [
            "missed = time since the first of them ÷ time between the first two + 1 = {missed}",
            "schedule = {schedule}",
        ],
    )]
    CreateAfterMissed {
        #[operands]
        started: Box<Started>,
        #[operand(source = "its spec.schedule")]
        schedule: Rc<str>,
        #[operand(source = "scheduled times since the last Job, including the latest one")]
        missed: i64,
    },
    /// More Jobs have ended than are kept.
    #[rule(
        id = "cron-job.delete.history",
        upstream = source::HISTORY,
        sentence = "{job} is deleted: {cron_job} has {finished} Job(s) that {outcome}, and keeps the latest {limit}.",
        formula = ["surplus = finished − limit = {finished} − {limit} = {surplus}"],
    )]
    DeleteOldest {
        #[operand(CRON_JOB_NAME)]
        cron_job: Rc<str>,
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[clause]
        outcome: JobEnd,
        #[operand(source = "its Jobs with that outcome")]
        finished: i32,
        #[operand(source = "its spec.successfulJobsHistoryLimit or spec.failedJobsHistoryLimit")]
        limit: i32,
        #[operand(source = "finished − limit")]
        surplus: i64,
    },
    /// The next Job replaces an active one.
    #[rule(
        id = "cron-job.delete.replaced",
        upstream = source::SYNC,
        sentence = "{job} is deleted: it is active, the Job for {scheduled} is due, and the concurrencyPolicy of {cron_job} is Replace.",
    )]
    DeleteReplaced {
        #[operand(CRON_JOB_NAME)]
        cron_job: Rc<str>,
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "the latest scheduled time that has passed")]
        scheduled: Time,
    },
    /// No Job is started.
    Wait(Wait),
    /// The status changes.
    #[rule(
        id = "cron-job.status",
        upstream = "pkg/controller/cronjob/cronjob_controllerv2.go sync",
        sentence = "{cron_job} lists {active} active Job(s).",
        formula = ["last scheduled time = {last_schedule}", "last success = {last_success}"],
    )]
    Status {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "Jobs in its status.active")]
        active: i32,
        #[operand(source = "its status.lastScheduleTime")]
        last_schedule: Option<Time>,
        #[operand(source = "its status.lastSuccessfulTime")]
        last_success: Option<Time>,
    },
}

/// A Job that is started.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Started {
    #[operand(CRON_JOB_NAME)]
    pub cron_job: Rc<str>,
    #[operand(JOB_NAME)]
    #[subject]
    pub job: Rc<str>,
    #[operand(source = "the latest scheduled time that has passed")]
    pub scheduled: Time,
}

/// How a Job has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Clause)]
pub enum JobEnd {
    /// It is complete.
    #[clause("succeeded")]
    Complete,
    /// It has failed.
    #[clause("failed")]
    Failed,
}

/// Why no Job is started.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject, one_topic)]
pub enum Wait {
    /// The CronJob is being deleted.
    #[rule(
        id = "cron-job.wait.deleted",
        upstream = source::SYNC,
        sentence = "{cron_job} starts no Jobs: it is being deleted.",
    )]
    Deleted {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
    },
    /// The CronJob is suspended.
    #[rule(id = "cron-job.wait.suspended", upstream = source::SYNC, sentence = "{cron_job} starts no Jobs: it is suspended.")]
    Suspended {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
    },
    /// The time zone is not known.
    #[rule(
        id = "cron-job.wait.unknown-time-zone",
        upstream = source::SYNC,
        sentence = "{cron_job} starts no Jobs: the time zone {time_zone} is unknown.",
    )]
    UnknownTimeZone {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "its spec.timeZone")]
        time_zone: Rc<str>,
    },
    /// The schedule can't be read, or has no next time.
    #[rule(
        id = "cron-job.wait.bad-schedule",
        upstream = source::SYNC,
        sentence = "{cron_job} starts no Jobs: its schedule \"{schedule}\" can't be used: {message}.",
    )]
    BadSchedule {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "its spec.schedule")]
        schedule: Rc<str>,
        #[operand(source = "the parser's error")]
        message: Rc<str>,
    },
    /// The next scheduled time is in the future.
    #[rule(
        id = "cron-job.wait.not-yet",
        upstream = source::SYNC,
        sentence = "{cron_job} waits {left} for its next start (schedule \"{schedule}\").",
        formula = ["left = next time + 100ms − now = {left}"],
    )]
    NotYet {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "the time until the next scheduled time, plus 100ms for clock skew")]
        #[left]
        left: Duration,
        #[operand(source = "its spec.schedule")]
        schedule: Rc<str>,
    },
    /// No start was missed within the deadline, and older ones are skipped.
    #[rule(
        id = "cron-job.wait.not-in-time",
        upstream = "pkg/controller/cronjob/utils.go mostRecentScheduleTime",
        sentence = "{cron_job} waits {left} (schedule \"{schedule}\"): it missed no start in the last {deadline} s (startingDeadlineSeconds).",
        formula = ["left = next time + 100ms − now = {left}"],
    )]
    NoneInTime {
        #[operand(source = "its spec.startingDeadlineSeconds; older times are skipped")]
        deadline: i64,
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "the time until the next scheduled time, plus 100ms for clock skew")]
        #[left]
        left: Duration,
        #[operand(source = "its spec.schedule")]
        schedule: Rc<str>,
    },
    /// A time was missed by more than startingDeadlineSeconds.
    #[rule(
        id = "cron-job.wait.too-late",
        upstream = source::SYNC,
        sentence = "{cron_job} skips {scheduled}: that was {late} ago, and startingDeadlineSeconds is {deadline}.",
        formula = ["{scheduled} + {deadline}s < now"],
    )]
    TooLate {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "the latest scheduled time that has passed")]
        scheduled: Time,
        #[operand(source = "now − that time")]
        late: Duration,
        #[operand(source = "its spec.startingDeadlineSeconds")]
        deadline: i64,
    },
    /// The Job for that time exists, or did.
    #[rule(
        id = "cron-job.wait.started",
        upstream = source::SYNC,
        sentence = "{cron_job} starts no Job: it has already started one for {scheduled}.",
    )]
    AlreadyStarted {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "the latest scheduled time that has passed")]
        scheduled: Time,
    },
    /// Another Job is active.
    #[rule(
        id = "cron-job.wait.forbidden",
        upstream = source::SYNC,
        sentence = "{cron_job} starts no Job for {scheduled} now: it has {active} active Job(s), and concurrencyPolicy is Forbid.",
    )]
    Forbidden {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(source = "the latest scheduled time that has passed")]
        scheduled: Time,
        #[operand(source = "Jobs in its status.active")]
        active: i32,
    },
    /// The Job for that time exists, and is known.
    #[rule(
        id = "cron-job.wait.listed",
        upstream = source::SYNC,
        sentence = "{cron_job} starts no Job: {job} exists and is in its list of active Jobs.",
    )]
    AlreadyListed {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(JOB_NAME)]
        job: Rc<str>,
    },
    /// Another owner's Job has the name.
    #[rule(
        id = "cron-job.wait.name-taken",
        upstream = source::SYNC,
        sentence = "{cron_job} starts no Job: {job} already exists, and {cron_job} does not own it.",
    )]
    NameTaken {
        #[operand(CRON_JOB_NAME)]
        #[subject]
        cron_job: Rc<str>,
        #[operand(JOB_NAME)]
        job: Rc<str>,
    },
}
