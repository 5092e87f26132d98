//! What the CronJob controller decides: values with the numbers that were used, for the write and for its explanation.

use alloc::boxed::Box;
use alloc::rc::Rc;

use crate::object::Time;

/// A decision of the CronJob controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Starts a Job.
    Create(Box<Create>),
    /// Deletes a Job.
    Delete {
        /// The CronJob's name.
        cron_job: Rc<str>,
        /// The Job's name.
        job: Rc<str>,
        /// Why.
        because: Surplus,
    },
    /// Starts no Job.
    Wait {
        /// The CronJob's name.
        cron_job: Rc<str>,
        /// Why.
        because: Wait,
    },
    /// Writes a new status.
    Status(Box<Status>),
}

impl Decision {
    /// Whether this says what another decision said that many nanoseconds ago: of the same wait, less is left.
    pub(super) fn repeats(&self, earlier: &Self, nanoseconds: i64) -> bool {
        match (self, earlier) {
            (
                Self::Wait { cron_job, because: Wait::NotYet { schedule, left, deadline } },
                Self::Wait { cron_job: its, because: Wait::NotYet { schedule: then, left: earlier, deadline: before } },
            ) => {
                let same = (cron_job, schedule, deadline) == (its, then, before);
                same && left.saturating_add(nanoseconds) == *earlier
            }
            _ => self == earlier,
        }
    }

    /// The name of the CronJob or Job that it is about.
    pub fn subject(&self) -> &Rc<str> {
        match self {
            Self::Create(create) => &create.job,
            Self::Delete { job, .. } => job,
            Self::Wait { cron_job, .. } => cron_job,
            Self::Status(status) => &status.cron_job,
        }
    }
}

/// A Job that is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// The CronJob's name.
    pub cron_job: Rc<str>,
    /// The Job's name.
    pub job: Rc<str>,
    /// Its spec.schedule.
    pub schedule: Rc<str>,
    /// The time that has come.
    pub scheduled: Time,
    /// How many times have come since the last one that counts, about; this one included.
    pub missed: i64,
}

/// Why a Job goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surplus {
    /// More Jobs have ended than are kept, and it is the oldest.
    History {
        /// How those have ended.
        outcome: JobEnd,
        /// How many there are.
        finished: i32,
        /// How many are kept.
        limit: i32,
        /// How many are too many: finished − limit.
        surplus: i64,
    },
    /// The next one replaces it.
    Replaced {
        /// The time that has come.
        scheduled: Time,
    },
}

/// How a Job has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEnd {
    /// It is complete.
    Complete,
    /// It has failed.
    Failed,
}

/// Why no Job is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// The CronJob is being deleted.
    Deleted,
    /// It is suspended.
    Suspended,
    /// Its time zone is not known.
    UnknownTimeZone {
        /// Its spec.timeZone.
        time_zone: Rc<str>,
    },
    /// Its schedule can't be read, or has no next time.
    BadSchedule {
        /// Its spec.schedule.
        schedule: Rc<str>,
        /// Why.
        message: Rc<str>,
    },
    /// Its time has not come.
    NotYet {
        /// Its spec.schedule.
        schedule: Rc<str>,
        /// Nanoseconds until it has.
        left: i64,
        /// Its spec.startingDeadlineSeconds: times that came longer ago are skipped.
        deadline: Option<i64>,
    },
    /// The time is over at which a Job could still be started.
    TooLate {
        /// The time that had come.
        scheduled: Time,
        /// Nanoseconds since then.
        late: i64,
        /// Its spec.startingDeadlineSeconds.
        deadline: i64,
    },
    /// The Job for that time was started already.
    Started {
        /// The time that has come.
        scheduled: Time,
    },
    /// Another Job is active, and concurrencyPolicy is Forbid.
    Forbidden {
        /// The time that has come.
        scheduled: Time,
        /// How many are active.
        active: i32,
    },
    /// A Job of that name exists, and is another owner's or known.
    Exists {
        /// The Job's name.
        job: Rc<str>,
        /// Whether the CronJob owns it.
        owned: bool,
    },
}

/// A new status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The CronJob's name.
    pub cron_job: Rc<str>,
    /// How many active Jobs it lists.
    pub active: i32,
    /// status.lastScheduleTime
    pub last_schedule: Option<Time>,
    /// status.lastSuccessfulTime
    pub last_success: Option<Time>,
}
