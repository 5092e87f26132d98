//! status.active: the Jobs that a CronJob has started and not yet seen end.

use crate::object::Kind;
use crate::workload::cron_job::{CronJob, ObjectReference};
use crate::workload::job::Job;

/// Upstream: `pkg/controller/cronjob/utils.go inActiveList`
pub(super) fn in_active_list(cron_job: &CronJob, uid: &str) -> bool {
    cron_job.status.active.iter().any(|reference| &*reference.uid == uid)
}

/// Upstream: `pkg/controller/cronjob/utils.go inActiveListByName`
pub(super) fn in_active_list_by_name(cron_job: &CronJob, name: &str) -> bool {
    let namespace = &cron_job.metadata.namespace;
    cron_job.status.active.iter().any(|reference| &*reference.name == name && reference.namespace == *namespace)
}

/// Upstream: `pkg/controller/cronjob/utils.go deleteFromActiveList`
pub(super) fn delete_from_active_list(cron_job: &mut CronJob, uid: &str) {
    cron_job.status.active.retain(|reference| &*reference.uid != uid);
}

/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go getRef`
pub(super) fn get_ref(job: &Job) -> ObjectReference {
    ObjectReference {
        kind: Kind::Job.name().into(),
        api_version: Kind::Job.api_version().into(),
        namespace: job.metadata.namespace.clone(),
        name: job.metadata.name.clone(),
        uid: job.metadata.uid.clone(),
        resource_version: job.metadata.resource_version.clone(),
        ..ObjectReference::default()
    }
}
