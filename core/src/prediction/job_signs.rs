//! What the objects of a running cluster say of its Jobs, apart from what holds up their pods.

use alloc::collections::BTreeMap;
use alloc::string::String;

use serde_json::Value;

use super::given_objects::name;
use crate::object::unstructured::{at, string};
use crate::object::{Kind, ObjectKey, Time, controller_of};
use crate::scenario::{ContainerRole, Crash, ended_container};

/// The last pod of a Job that failed because a container did.
#[derive(Debug)]
pub(super) struct FailedRun {
    pub(super) pod: String,
    pub(super) container: String,
    pub(super) role: ContainerRole,
    pub(super) crash: Crash,
    created: Option<Time>,
}

/// The signs of all Jobs.
#[derive(Debug, Default)]
pub(super) struct JobSigns {
    pub(super) failed: BTreeMap<ObjectKey, FailedRun>,
    /// The CronJobs that start no Job while an earlier one is active, by that Job.
    pub(super) waiting_cron_jobs: BTreeMap<ObjectKey, String>,
}

impl JobSigns {
    pub(super) fn of(objects: &[Value]) -> Self {
        let mut signs = Self::default();
        let of_kind = |kind: Kind| objects.iter().filter(move |object| string(object, "kind") == kind.name());
        for pod in of_kind(Kind::Pod) {
            let (Some(owner), Some(metadata)) = (controller_of(pod, Kind::Job), at(pod, &["metadata"])) else {
                continue;
            };
            let Some((role, container, crash)) = ended_container(pod) else { continue };
            let job = ObjectKey::new(Kind::Job, string(metadata, "namespace"), string(owner, "name"));
            let created = Time::parse(string(metadata, "creationTimestamp"));
            if signs.failed.get(&job).is_none_or(|known| known.created <= created) {
                let (pod, container) = (String::from(name(pod)), String::from(container));
                signs.failed.insert(job, FailedRun { pod, container, role, crash, created });
            }
        }
        let forbids = |cron_job: &Value| {
            at(cron_job, &["spec"]).is_some_and(|spec| string(spec, "concurrencyPolicy") == "Forbid")
        };
        let forbidding: BTreeMap<&str, &str> = of_kind(Kind::CronJob)
            .filter(|cron_job| forbids(cron_job))
            .filter_map(|cron_job| Some((at(cron_job, &["metadata", "uid"])?.as_str()?, name(cron_job))))
            .collect();
        for job in of_kind(Kind::Job) {
            let owner = controller_of(job, Kind::CronJob).map(|owner| string(owner, "uid"));
            if let Some(cron_job) = owner.and_then(|uid| forbidding.get(uid)) {
                signs.waiting_cron_jobs.insert(ObjectKey::of_manifest(Kind::Job, job), String::from(*cron_job));
            }
        }
        signs
    }
}
