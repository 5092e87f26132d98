//! What the objects of a running cluster say of its Jobs, apart from what holds up their pods.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::given_objects::name;
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, field, integer, list, string};
use crate::object::{Kind, ObjectKey, Time, controller_of};
use crate::scenario::{ContainerRole, Crash, about_of, ended_container, last_time_of};

/// The last pod of a Job that failed because a container did.
#[derive(Debug)]
pub(super) struct FailedRun {
    pub(super) pod: String,
    pub(super) container: String,
    pub(super) role: ContainerRole,
    pub(super) crash: Crash,
    created: Option<Time>,
}

/// A pod of a Job of which one container runs, and another one has ended well.
#[derive(Debug)]
pub(super) struct KeptPod {
    pub(super) pod: String,
    pub(super) ended: String,
    pub(super) running: String,
    /// When the last one ended.
    pub(super) since: Option<Time>,
}

impl KeptPod {
    fn of(pod: &Value) -> Option<Self> {
        let statuses = list(at(pod, &["status"])?, "containerStatuses");
        let running = statuses.iter().find(|status| at(status, &["state", "running"]).is_some())?;
        let ended_at = |status: &Value| {
            let ended = at(status, &["state", "terminated"])?;
            (integer(ended, "exitCode") == Some(0)).then(|| Time::parse(string(ended, "finishedAt")))
        };
        let (ended, since) =
            statuses.iter().filter_map(|status| Some((status, ended_at(status)?))).max_by_key(|it| it.1)?;
        let [ended, running] = [ended, running].map(|status| String::from(string(status, "name")));
        Some(Self { pod: String::from(name(pod)), ended, running, since })
    }
}

/// A CronJob that starts no Jobs.
#[derive(Debug)]
pub(super) struct IdleCronJob {
    pub(super) key: ObjectKey,
    pub(super) schedule: String,
    /// When it started its last Job.
    pub(super) last_start: Option<Time>,
    pub(super) is_suspended: bool,
    /// What its controller says of its schedule, as `Reason: message`.
    pub(super) said: Option<String>,
}

/// The reasons of Events with which the controller says that it can't start Jobs.
///
/// Upstream: `pkg/controller/cronjob/cronjob_controllerv2.go syncCronJob`, `pkg/controller/cronjob/utils.go mostRecentScheduleTime`
const NO_START: [&str; 4] = ["InvalidSchedule", "TooManyMissedTimes", "UnknownTimeZone", "UnparseableSchedule"];

impl IdleCronJob {
    /// None if it starts Jobs.
    fn of(cron_job: &Value, objects: &[Value]) -> Option<Self> {
        let spec = at(cron_job, &["spec"])?;
        let last_start = at(cron_job, &["status"]).and_then(|status| Time::parse(string(status, "lastScheduleTime")));
        let uid = at(cron_job, &["metadata", "uid"]);
        let said = objects.iter().filter(|event| {
            string(event, "kind") == "Event"
                && NO_START.contains(&string(event, "reason"))
                && about_of(event).is_some_and(|about| uid.is_some() && field(about, "uid") == uid)
                && last_time_of(event) > last_start
        });
        let said = said.max_by_key(|event| last_time_of(event));
        let said = said.map(|event| {
            let message = [string(event, "message"), string(event, "note")].concat();
            format!("{}: {}", string(event, "reason"), message.trim())
        });
        let is_suspended = field(spec, "suspend").is_some_and(|suspend| suspend == true);
        (is_suspended || said.is_some()).then(|| Self {
            key: ObjectKey::of_manifest(Kind::CronJob, cron_job),
            schedule: string(spec, "schedule").into(),
            last_start,
            is_suspended,
            said,
        })
    }
}

/// The signs of all Jobs.
#[derive(Debug, Default)]
pub(super) struct JobSigns {
    pub(super) failed: BTreeMap<ObjectKey, FailedRun>,
    pub(super) kept: BTreeMap<ObjectKey, KeptPod>,
    /// The CronJobs that start no Job while an earlier one is active, by that Job.
    pub(super) waiting_cron_jobs: BTreeMap<ObjectKey, String>,
    pub(super) idle_cron_jobs: Vec<IdleCronJob>,
}

impl JobSigns {
    pub(super) fn of(objects: &[Value]) -> Self {
        let mut signs = Self::default();
        let of_kind = |kind: Kind| objects.iter().filter(move |object| string(object, "kind") == kind.name());
        for pod in of_kind(Kind::Pod) {
            let (Some(owner), Some(metadata)) = (controller_of(pod, Kind::Job), at(pod, &["metadata"])) else {
                continue;
            };
            let job = ObjectKey::new(Kind::Job, string(metadata, "namespace"), string(owner, "name"));
            if let Some(kept) = KeptPod::of(pod) {
                signs.kept.insert(job.clone(), kept);
            }
            let Some((role, container, crash)) = ended_container(pod) else { continue };
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
            .collect_tree();
        for job in of_kind(Kind::Job) {
            let owner = controller_of(job, Kind::CronJob).map(|owner| string(owner, "uid"));
            if let Some(cron_job) = owner.and_then(|uid| forbidding.get(uid)) {
                signs.waiting_cron_jobs.insert(ObjectKey::of_manifest(Kind::Job, job), String::from(*cron_job));
            }
        }
        signs.idle_cron_jobs =
            of_kind(Kind::CronJob).filter_map(|cron_job| IdleCronJob::of(cron_job, objects)).collect();
        signs
    }
}
