use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::json::{FromJson, ToJson};
use crate::object::{ObjectMeta, Resource, Time, Unknown};
use crate::workload::job::JobSpec;

/// Upstream: `k8s.io/api/batch/v1/types.go CronJob`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct CronJob {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What the user wants.
    pub spec: Rc<CronJobSpec>,
    /// What the controller last saw.
    pub status: CronJobStatus,
}

impl Resource for CronJob {
    /// Its Jobs name one.
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        None
    }
}

/// Upstream: `k8s.io/api/batch/v1/types.go CronJobSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobSpec {
    /// Like `0 3 * * *`.
    pub schedule: Rc<str>,
    /// The time zone by whose clocks that is; UTC where none is named.
    #[json(omitempty)]
    pub time_zone: Option<Rc<str>>,
    /// Seconds after its time when a Job may still be started; any later time is fine without it.
    #[json(omitempty)]
    pub starting_deadline_seconds: Option<i64>,
    /// What becomes of a Job whose time has come while another one is active.
    pub concurrency_policy: ConcurrencyPolicy,
    /// Whether no Jobs are started.
    #[json(omitempty)]
    pub suspend: Option<bool>,
    /// What the Jobs are made from.
    pub job_template: JobTemplateSpec,
    /// How many Jobs that succeeded are kept; all of them without it.
    #[json(omitempty)]
    pub successful_jobs_history_limit: Option<i32>,
    /// How many Jobs that failed are kept; all of them without it.
    #[json(omitempty)]
    pub failed_jobs_history_limit: Option<i32>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/batch/v1/types.go ConcurrencyPolicy`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
pub enum ConcurrencyPolicy {
    /// It is started as well.
    #[default]
    Allow,
    /// It is not started.
    Forbid,
    /// It is started, and the other one is deleted.
    Replace,
}

/// Upstream: `k8s.io/api/batch/v1/types.go JobTemplateSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct JobTemplateSpec {
    /// Labels and annotations for the Jobs.
    pub metadata: Rc<ObjectMeta>,
    /// The Jobs' spec, without the API server's defaults.
    pub spec: Rc<JobSpec>,
}

/// Upstream: `k8s.io/api/batch/v1/types.go CronJobStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct CronJobStatus {
    /// Jobs that it has started and not yet seen end.
    #[json(omitempty)]
    pub active: Vec<ObjectReference>,
    /// The time for which it last started a Job.
    #[json(omitempty)]
    pub last_schedule_time: Option<Time>,
    /// When a Job last succeeded.
    #[json(omitempty)]
    pub last_successful_time: Option<Time>,
}

/// Upstream: `k8s.io/api/core/v1/types.go ObjectReference`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectReference {
    /// Like `Job`.
    #[json(omitempty)]
    pub kind: Rc<str>,
    /// The object's namespace.
    #[json(omitempty)]
    pub namespace: Rc<str>,
    /// Its name.
    #[json(omitempty)]
    pub name: Rc<str>,
    /// Its uid.
    #[json(omitempty)]
    pub uid: Rc<str>,
    /// Like `batch/v1`.
    #[json(omitempty)]
    pub api_version: Rc<str>,
    /// The version that was seen.
    #[json(omitempty)]
    pub resource_version: Rc<str>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}
