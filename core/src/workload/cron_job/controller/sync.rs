use alloc::boxed::Box;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;

use super::View;
use super::active::{delete_from_active_list, get_ref, in_active_list, in_active_list_by_name};
use super::history::{cleanup_finished_jobs, delete_job};
use super::schedule::{Due, Schedule, format_schedule, next_schedule_time, next_schedule_time_duration};
use super::template::{get_job_from_template, get_job_name};
use crate::controller::client::record;
use crate::controller::{ApiError, Client, Error, Event, Write};
use crate::go;
use crate::object::{Duration, Kind, Object, ObjectKey, Time};
use crate::workload::cron_job::decision::{Decision, Started, Wait};
use crate::workload::cron_job::{ConcurrencyPolicy, CronJob};
use crate::workload::job::Job;
use crate::workload::job::controller::{finished_condition, is_job_succeeded};

/// One sync. Returns after what time to look again, when the CronJob's next time has come.
///
/// # Errors
/// A refused write; the sync is tried again.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go sync`
pub fn sync(client: &mut dyn Client, view: &View<'_>) -> Result<Option<Duration>, Error> {
    let mut copy = (**view.cron_job).clone();
    let update_status = cleanup_finished_jobs(client, &mut copy, view.jobs);
    let mut sync = CronJobSync { now: client.now(), client, copy, newer: None, update_status };
    let result = sync.sync_cron_job(view.jobs);
    if sync.update_status {
        let CronJob { metadata, status, .. } = &sync.copy;
        let decision = Decision::Status {
            cron_job: metadata.name.clone(),
            active: i32::try_from(status.active.len()).unwrap_or(i32::MAX),
            last_schedule: status.last_schedule_time,
            last_success: status.last_successful_time,
        };
        update_cron_job_status(sync.client, sync.copy, decision)?;
    }
    result
}

/// A sync under way.
struct CronJobSync<'a> {
    client: &'a mut dyn Client,
    now: Time,
    /// The CronJob, with the status that is written at the end.
    copy: CronJob,
    /// The CronJob as the API server has it, where that knows more than the cache. As upstream, what the sync notes after
    /// it has seen that is not written.
    newer: Option<CronJob>,
    update_status: bool,
}

impl CronJobSync<'_> {
    fn cron_job(&self) -> &CronJob {
        self.newer.as_ref().unwrap_or(&self.copy)
    }

    fn cron_job_mut(&mut self) -> &mut CronJob {
        self.newer.as_mut().unwrap_or(&mut self.copy)
    }

    fn normal(&mut self, reason: &'static str, message: impl FnOnce() -> String) {
        let about = self.cron_job().key();
        record(self.client, &about, || Event::normal(reason, &message()));
    }

    fn warning(&mut self, reason: &'static str, message: impl FnOnce() -> String) {
        let about = self.cron_job().key();
        record(self.client, &about, || Event::warning(reason, &message()));
    }

    /// Starts no Job.
    fn wait(&mut self, because: impl FnOnce(Rc<str>) -> Wait) {
        let cron_job = self.cron_job().metadata.name.clone();
        self.client.note(Decision::Wait(because(cron_job)).into());
    }

    /// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob`
    fn sync_cron_job(&mut self, jobs: &[Rc<Job>]) -> Result<Option<Duration>, Error> {
        self.observe_jobs(jobs)?;
        self.forget_missing_jobs(jobs);
        if self.cron_job().metadata.deletion_timestamp.is_some() {
            self.wait(|cron_job| Wait::Deleted { cron_job });
            return Ok(None);
        }
        if let Some(time_zone) = self.cron_job().spec.time_zone.clone()
            && let Err(error) = go::Location::load(&time_zone)
        {
            self.warning("UnknownTimeZone", || format!("invalid timeZone: {}: {error}", go::quoted(&time_zone)));
            self.wait(|cron_job| Wait::UnknownTimeZone { cron_job, time_zone });
            return Ok(None);
        }
        if self.cron_job().spec.suspend == Some(true) {
            self.wait(|cron_job| Wait::Suspended { cron_job });
            return Ok(None);
        }
        let now = self.now.timestamp();
        let text = self.cron_job().spec.schedule.clone();
        let cron_job = self.newer.as_ref().unwrap_or(&self.copy);
        let schedule = match Schedule::parse(&format_schedule(cron_job, Some(&mut *self.client))) {
            Ok(schedule) => schedule,
            Err(error) => {
                self.warning("UnparseableSchedule", || {
                    format!("unparseable schedule: {} : {error}", go::quoted(&text))
                });
                self.wait(|cron_job| Wait::BadSchedule { cron_job, schedule: text, message: error.into() });
                return Ok(None);
            }
        };
        let due = match next_schedule_time(self.client, cron_job, now, &schedule) {
            Ok(due) => due,
            Err(error) => {
                self.warning("InvalidSchedule", || format!("invalid schedule: {text} : {error}"));
                self.wait(|cron_job| Wait::BadSchedule { cron_job, schedule: text, message: error.into() });
                return Ok(None);
            }
        };
        let Some(due) = due else {
            let left = next_schedule_time_duration(self.cron_job(), now, &schedule);
            let deadline = self.cron_job().spec.starting_deadline_seconds;
            self.wait(|cron_job| match deadline {
                None => Wait::NotYet { cron_job, left, schedule: text },
                Some(deadline) => Wait::NoneInTime { deadline, cron_job, left, schedule: text },
            });
            return Ok(Some(left));
        };
        if let Some(because) = self.why_not(due) {
            self.client.note(Decision::Wait(because).into());
        } else {
            self.replace(due)?;
            if !self.start(due)? {
                return Ok(None);
            }
        }
        Ok(Some(next_schedule_time_duration(self.cron_job(), now, &schedule)))
    }

    /// Compares the list of active Jobs with those that exist.
    fn observe_jobs(&mut self, jobs: &[Rc<Job>]) -> Result<(), Error> {
        for job in jobs {
            let uid = &job.metadata.uid;
            let name = &job.metadata.name;
            let found = in_active_list(self.cron_job(), uid);
            let Some(condition) = finished_condition(job) else {
                if !found {
                    let key = self.cron_job().key();
                    let Some(Object::CronJob(fresh)) = self.client.get(&key) else {
                        return Err(ApiError::not_found(&key).into());
                    };
                    if in_active_list(&fresh, uid) {
                        self.newer = Some((*fresh).clone());
                    } else {
                        self.warning("UnexpectedJob", || {
                            format!("Saw a job that the controller did not create or forgot: {name}")
                        });
                    }
                }
                continue;
            };
            if found {
                delete_from_active_list(self.cron_job_mut(), uid);
                self.normal("SawCompletedJob", || format!("Saw completed job: {name}, condition: {condition}"));
                self.update_status = true;
            }
            if is_job_succeeded(job) {
                self.note_success(job.status.completion_time);
            }
        }
        Ok(())
    }

    /// Brings status.lastSuccessfulTime up to date.
    fn note_success(&mut self, completion: Option<Time>) {
        let last = self.cron_job().status.last_successful_time;
        // A missing time is less than any other.
        if last.is_none() || completion > last {
            self.cron_job_mut().status.last_successful_time = completion;
            self.update_status = true;
        }
    }

    /// Takes Jobs that exist no more from the list of active ones, so that they do not hold up the next one.
    fn forget_missing_jobs(&mut self, jobs: &[Rc<Job>]) {
        for reference in self.cron_job().status.active.clone() {
            let key = ObjectKey::new(Kind::Job, reference.namespace, reference.name);
            if jobs.iter().any(|job| job.metadata.uid == reference.uid) || self.client.get(&key).is_some() {
                continue;
            }
            self.normal("MissingJob", || format!("Active job went missing: {}", key.name));
            delete_from_active_list(self.cron_job_mut(), &reference.uid);
            self.update_status = true;
        }
    }

    /// Why no Job is started, although its time has come.
    fn why_not(&mut self, Due { scheduled, .. }: Due) -> Option<Wait> {
        let now = self.now.timestamp();
        let cron_job = self.cron_job();
        let (name, time) = (cron_job.metadata.name.clone(), Time::from_timestamp(scheduled));
        if let Some(deadline) = cron_job.spec.starting_deadline_seconds
            && go::time::add(scheduled, Time::SECOND.wrapping_mul(deadline)) < now
        {
            self.warning("MissSchedule", || {
                format!("Missed scheduled time to start a job: {}", go::time::rfc1123z(scheduled))
            });
            let late = Duration(go::time::sub(now, scheduled));
            return Some(Wait::TooLate { cron_job: name, scheduled: time, late, deadline });
        }
        if in_active_list_by_name(cron_job, &get_job_name(cron_job, scheduled))
            || cron_job.status.last_schedule_time.map(Time::timestamp) == Some(scheduled)
        {
            return Some(Wait::AlreadyStarted { cron_job: name, scheduled: time });
        }
        let active = i32::try_from(cron_job.status.active.len()).unwrap_or(i32::MAX);
        if cron_job.spec.concurrency_policy == ConcurrencyPolicy::Forbid && active > 0 {
            self.normal("JobAlreadyActive", || {
                "Not starting job because prior execution is running and concurrency policy is Forbid".into()
            });
            return Some(Wait::Forbidden { cron_job: name, scheduled: time, active });
        }
        None
    }

    /// Deletes the active Jobs under concurrencyPolicy Replace.
    fn replace(&mut self, Due { scheduled, .. }: Due) -> Result<(), Error> {
        if self.cron_job().spec.concurrency_policy != ConcurrencyPolicy::Replace {
            return Ok(());
        }
        for reference in self.cron_job().status.active.clone() {
            let key = ObjectKey::new(Kind::Job, reference.namespace, reference.name);
            let job = self.get_job(&key).inspect_err(|error| {
                self.warning("FailedGet", || format!("Get job: {error}"));
            })?;
            let cron_job = self.newer.as_mut().unwrap_or(&mut self.copy);
            let decision = Decision::DeleteReplaced {
                cron_job: cron_job.metadata.name.clone(),
                job: key.name.clone(),
                scheduled: Time::from_timestamp(scheduled),
            };
            if !delete_job(self.client, cron_job, &job, decision) {
                return Err(Error::Other(format!("could not replace job {}/{}", key.namespace, key.name)));
            }
            self.update_status = true;
        }
        Ok(())
    }

    fn get_job(&mut self, key: &ObjectKey) -> Result<Rc<Job>, ApiError> {
        match self.client.get(key) {
            Some(Object::Job(job)) => Ok(job),
            _ => Err(ApiError::not_found(key)),
        }
    }

    /// Creates the Job and lists it as active. Returns false if another Job has that name and is not in the list.
    fn start(&mut self, Due { scheduled, missed }: Due) -> Result<bool, Error> {
        let cron_job = self.cron_job();
        let job = get_job_from_template(cron_job, scheduled)?;
        let key = job.key();
        let started = Box::new(Started {
            cron_job: cron_job.metadata.name.clone(),
            job: key.name.clone(),
            scheduled: Time::from_timestamp(scheduled),
        });
        let schedule = cron_job.spec.schedule.clone();
        let decision = match missed {
            1 => Decision::Create { started, schedule },
            missed => Decision::CreateAfterMissed { started, schedule, missed },
        };
        let job = match self.client.write(Write::Create(job.into()), decision.into()) {
            Ok(Some(Object::Job(job))) => {
                self.normal("SuccessfulCreate", || format!("Created job {}", job.metadata.name));
                job
            }
            Ok(_) => return Err(ApiError::not_found(&key).into()),
            Err(error) if error.is_namespace_terminating() => return Err(error.into()),
            Err(error) if error.is_already_exists() => {
                let job = self.get_job(&key)?;
                let owned = job.metadata.is_controlled_by(&self.cron_job().metadata);
                if !owned || in_active_list(self.cron_job(), &job.metadata.uid) {
                    self.wait(|cron_job| match owned {
                        true => Wait::AlreadyListed { cron_job, job: key.name },
                        false => Wait::NameTaken { cron_job, job: key.name },
                    });
                    return Ok(false);
                }
                job
            }
            Err(error) => {
                self.warning("FailedCreate", || format!("Error creating job: {error}"));
                return Err(error.into());
            }
        };
        let status = &mut self.cron_job_mut().status;
        status.active.push(get_ref(&job));
        status.last_schedule_time = Some(Time::from_timestamp(scheduled));
        self.update_status = true;
        Ok(true)
    }
}

/// Updates a CronJob's status.
///
/// Upstream: `pkg/controller/cronjob/injection.go UpdateStatus`
fn update_cron_job_status(client: &mut dyn Client, object: CronJob, decision: Decision) -> Result<(), ApiError> {
    client.write(Write::UpdateStatus(object.into()), decision.into()).map(drop)
}
