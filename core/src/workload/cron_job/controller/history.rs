//! Which Jobs that have ended are kept.

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::active::delete_from_active_list;
use crate::controller::client::record;
use crate::controller::{Client, DeletionPropagation, Event, Write};
use crate::workload::cron_job::CronJob;
use crate::workload::cron_job::decision::{Decision, JobEnd};
use crate::workload::job::Job;
use crate::workload::job::controller::finished_condition;

/// Says whether the list of active Jobs has changed.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go cleanupFinishedJobs`, `getFinishedStatus`
pub(super) fn cleanup_finished_jobs(client: &mut dyn Client, cron_job: &mut CronJob, jobs: &[Rc<Job>]) -> bool {
    let spec = cron_job.spec.clone();
    let limits = [
        (JobEnd::Complete, "Complete", spec.successful_jobs_history_limit),
        (JobEnd::Failed, "Failed", spec.failed_jobs_history_limit),
    ];
    let mut changed = false;
    for (outcome, condition, limit) in limits {
        let Some(limit) = limit else { continue };
        let ended = jobs.iter().filter(|job| finished_condition(job).is_some_and(|type_| &**type_ == condition));
        changed |= remove_oldest_jobs(client, cron_job, ended.collect(), outcome, limit);
    }
    changed
}

/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go removeOldestJobs`
fn remove_oldest_jobs(
    client: &mut dyn Client,
    cron_job: &mut CronJob,
    mut jobs: Vec<&Rc<Job>>,
    outcome: JobEnd,
    limit: i32,
) -> bool {
    let finished = i32::try_from(jobs.len()).unwrap_or(i32::MAX);
    let surplus = i64::from(finished).saturating_sub(limit.into());
    let to_delete = usize::try_from(surplus).unwrap_or(0);
    jobs.sort_by(|one, other| by_job_start_time(one, other));
    let mut changed = false;
    for job in jobs.into_iter().take(to_delete) {
        let decision = Decision::DeleteOldest {
            cron_job: cron_job.metadata.name.clone(),
            job: job.metadata.name.clone(),
            outcome,
            finished,
            limit,
            surplus,
        };
        changed |= delete_job(client, cron_job, job, decision);
    }
    changed
}

/// Those that never started come last.
///
/// Upstream: `pkg/controller/cronjob/utils.go byJobStartTime`
fn by_job_start_time(one: &Job, other: &Job) -> Ordering {
    let never = |job: &Job| job.status.start_time.is_none();
    let key = |job: &Job| (never(job), job.status.start_time);
    key(one).cmp(&key(other)).then_with(|| one.metadata.name.cmp(&other.metadata.name))
}

/// Deletes a Job and takes it from the list of active ones. Says whether it did.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go deleteJob`, with `pkg/controller/cronjob/injection.go DeleteJob`
pub(super) fn delete_job(client: &mut dyn Client, cron_job: &mut CronJob, job: &Job, decision: Decision) -> bool {
    let about = cron_job.key();
    let delete = Write::Delete { key: job.key(), propagation: DeletionPropagation::Background };
    if let Err(error) = client.write(delete, decision.into()) {
        record(client, &about, || Event::warning("FailedDelete", &format!("Deleted job: {error}")));
        return false;
    }
    delete_from_active_list(cron_job, &job.metadata.uid);
    record(client, &about, || Event::normal("SuccessfulDelete", &format!("Deleted job {}", job.metadata.name)));
    true
}
