//! The Job that a CronJob makes.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;

use jiff_core::Timestamp;

use crate::go;
use crate::object::{Kind, ObjectMeta, OwnerReference, Time};
use crate::workload::cron_job::CronJob;
use crate::workload::job::{Job, JobStatus};

/// Upstream: `k8s.io/api/batch/v1/types.go CronJobScheduledTimestampAnnotation`
const CRON_JOB_SCHEDULED_TIMESTAMP: &str = "batch.kubernetes.io/cronjob-scheduled-timestamp";

/// A name for each minute, so that no Job is made twice.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go getJobName`, with `pkg/controller/cronjob/utils.go getTimeHashInMinutes`
pub(super) fn get_job_name(cron_job: &CronJob, scheduled: Timestamp) -> String {
    format!("{}-{}", cron_job.metadata.name, scheduled.as_second() / 60)
}

/// # Errors
/// A time zone that is not known.
///
/// Upstream: `pkg/controller/cronjob/utils.go getJobFromTemplate2`, `copyLabels`, `copyAnnotations`
pub(super) fn get_job_from_template(cron_job: &CronJob, scheduled: Timestamp) -> Result<Job, String> {
    let template = &cron_job.spec.job_template;
    let location = go::Location::load(cron_job.spec.time_zone.as_deref().unwrap_or_default())?;
    let mut annotations = template.metadata.annotations.clone();
    Rc::make_mut(&mut annotations)
        .insert(CRON_JOB_SCHEDULED_TIMESTAMP.into(), go::time::rfc3339(scheduled, location.offset(scheduled)));
    let owner = OwnerReference::controller(Kind::CronJob.api_version(), Kind::CronJob.name(), &cron_job.metadata);
    let metadata = ObjectMeta {
        name: get_job_name(cron_job, scheduled).into(),
        namespace: cron_job.metadata.namespace.clone(),
        creation_timestamp: Some(Time::from_timestamp(scheduled)),
        labels: template.metadata.labels.clone(),
        annotations,
        owner_references: Rc::new(alloc::vec![owner]),
        ..ObjectMeta::default()
    };
    Ok(Job { metadata: Rc::new(metadata), spec: template.spec.clone(), status: JobStatus::default() })
}
