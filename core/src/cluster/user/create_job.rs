//! `kubectl create job --from=cronjob/NAME`.

use alloc::rc::Rc;

use super::request::ActionError;
use crate::cluster::decision::UserDecision;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::controller::{ApiError, Write};
use crate::object::{Kind, Object, ObjectKey, ObjectMeta, OwnerReference};
use crate::scenario::CreateJob;
use crate::workload::cron_job::CronJob;
use crate::workload::job::{Job, JobStatus};

/// Marks a Job that was created by hand.
const INSTANTIATE: (&str, &str) = ("cronjob.kubernetes.io/instantiate", "manual");

impl Cluster {
    pub(super) fn create_job(&mut self, create: &CreateJob) -> Result<(), ActionError> {
        let from = ObjectKey::new(Kind::CronJob, create.namespace.as_str(), create.from.as_str());
        let Some(Object::CronJob(cron_job)) = self.find(&from) else {
            let error = ApiError::not_found(&from);
            return Err(ActionError::Api(from, error));
        };
        let job = create_job_from_cron_job(&cron_job, &create.name);
        let key = Rc::new(job.key());
        let decision = UserDecision::CreateJob { object: (*key).clone(), cron_job: from.name };
        let written = self.write(Actor::User, &key, Write::Create(job.into()), decision);
        written.map(drop).map_err(|error| ActionError::Api((*key).clone(), error))
    }
}

/// Upstream: `k8s.io/kubectl/pkg/cmd/create/create_job.go createJobFromCronJob`
fn create_job_from_cron_job(cron_job: &CronJob, name: &str) -> Job {
    let template = &cron_job.spec.job_template;
    let mut annotations = (*template.metadata.annotations).clone();
    let (key, value) = INSTANTIATE;
    annotations.try_insert(key.into(), value.into());
    // It does not hold up a foreground deletion of the CronJob.
    let owner = OwnerReference {
        block_owner_deletion: None,
        ..OwnerReference::controller(Kind::CronJob.api_version(), Kind::CronJob.name(), &cron_job.metadata)
    };
    let metadata = ObjectMeta {
        name: name.into(),
        namespace: cron_job.metadata.namespace.clone(),
        annotations: Rc::new(annotations),
        labels: template.metadata.labels.clone(),
        owner_references: Rc::new([owner].into()),
        ..ObjectMeta::default()
    };
    Job { metadata: Rc::new(metadata), spec: template.spec.clone(), status: JobStatus::default() }
}
