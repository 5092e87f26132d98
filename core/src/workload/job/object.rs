use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use crate::json::{FromJson, ToJson};
use crate::object::{ConditionStatus, LabelSelector, ObjectMeta, PodTemplateSpec, Resource, Time, Unknown};

/// Upstream: `k8s.io/api/batch/v1/types.go Job`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct Job {
    /// Metadata.
    pub metadata: Rc<ObjectMeta>,
    /// What the user wants.
    pub spec: Rc<JobSpec>,
    /// What the controller last saw.
    pub status: JobStatus,
}

impl Resource for Job {
    fn named_node(&self) -> Option<(&Rc<str>, &'static str)> {
        self.spec.template.named_node()
    }

    /// Of its uncounted pods, it shares the uids with them.
    fn texts(&self, add: &mut dyn FnMut(&str)) {
        self.status.conditions.iter().for_each(|condition| add(&condition.message));
        add(&self.status.completed_indexes);
        let uncounted = self.status.uncounted_terminated_pods.iter();
        uncounted.flat_map(|pods| pods.succeeded.iter().chain(&pods.failed)).for_each(|_| add(""));
    }
}

/// Fields with defaults are absent only in a template: stored Jobs have them.
///
/// Upstream: `k8s.io/api/batch/v1/types.go JobSpec`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct JobSpec {
    /// The most pods at once; the API server's default is 1.
    #[json(omitempty)]
    pub parallelism: Option<i32>,
    /// How many pods must succeed; none for a work queue, in which any success ends the Job.
    #[json(omitempty)]
    pub completions: Option<i32>,
    /// Seconds that the Job may be active, suspensions left out.
    #[json(omitempty)]
    pub active_deadline_seconds: Option<i64>,
    /// What the failure of a pod means.
    #[json(omitempty)]
    pub pod_failure_policy: Option<PodFailurePolicy>,
    /// When an Indexed Job has succeeded before all indexes have.
    #[json(omitempty)]
    pub success_policy: Option<SuccessPolicy>,
    /// How many pods may fail; the API server's default is 6.
    #[json(omitempty)]
    pub backoff_limit: Option<i32>,
    /// How many pods of one index may fail.
    #[json(omitempty)]
    pub backoff_limit_per_index: Option<i32>,
    /// How many indexes may fail.
    #[json(omitempty)]
    pub max_failed_indexes: Option<i32>,
    /// Which pods are this Job's.
    #[json(omitempty)]
    pub selector: Option<Rc<LabelSelector>>,
    /// What the pods are made from.
    pub template: Rc<PodTemplateSpec>,
    /// `Indexed` or `NonIndexed`. The controller leaves Jobs of any other mode alone.
    #[json(omitempty)]
    pub completion_mode: Option<Rc<str>>,
    /// Seconds after its end when the Job is deleted.
    #[json(omitempty)]
    pub ttl_seconds_after_finished: Option<i32>,
    /// Whether no pods may run.
    #[json(omitempty)]
    pub suspend: Option<bool>,
    /// When a pod is replaced.
    #[json(omitempty)]
    pub pod_replacement_policy: Option<PodReplacementPolicy>,
    /// The controller that manages the Job, if it is another one.
    #[json(omitempty)]
    pub managed_by: Option<Rc<str>>,
    /// Everything else.
    #[serde(flatten)]
    pub unknown: Unknown,
}

/// Upstream: `k8s.io/api/batch/v1/types.go PodReplacementPolicy`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
pub enum PodReplacementPolicy {
    /// A pod that has begun to terminate may be replaced.
    TerminatingOrFailed,
    /// A pod is replaced only once it has failed.
    Failed,
}

/// Upstream: `k8s.io/api/batch/v1/types.go PodFailurePolicy`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct PodFailurePolicy {
    /// The first rule that matches counts.
    pub rules: Vec<PodFailurePolicyRule>,
}

/// Upstream: `k8s.io/api/batch/v1/types.go PodFailurePolicyRule`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct PodFailurePolicyRule {
    /// What a match means.
    pub action: PodFailurePolicyAction,
    /// Matches exit codes; then the conditions are not looked at.
    #[serde(default)]
    #[json(omitempty)]
    pub on_exit_codes: Option<PodFailurePolicyOnExitCodesRequirement>,
    /// Matches any of these conditions.
    #[serde(default)]
    #[json(omitempty)]
    pub on_pod_conditions: Vec<PodFailurePolicyOnPodConditionsPattern>,
}

/// Upstream: `k8s.io/api/batch/v1/types.go PodFailurePolicyAction`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
pub enum PodFailurePolicyAction {
    /// The Job fails.
    FailJob,
    /// The pod's index fails.
    FailIndex,
    /// The failure is not counted.
    Ignore,
    /// The failure is counted.
    Count,
}

/// Upstream: `k8s.io/api/batch/v1/types.go PodFailurePolicyOnExitCodesRequirement`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct PodFailurePolicyOnExitCodesRequirement {
    /// Only this container; all of them where none is named.
    #[serde(default)]
    #[json(omitempty)]
    pub container_name: Option<String>,
    /// How the exit code is compared.
    pub operator: PodFailurePolicyOnExitCodesOperator,
    /// The exit codes.
    #[serde(default)]
    pub values: Vec<i32>,
}

/// Upstream: `k8s.io/api/batch/v1/types.go PodFailurePolicyOnExitCodesOperator`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson, FromJson)]
pub enum PodFailurePolicyOnExitCodesOperator {
    /// The exit code is one of the values.
    In,
    /// It is none of them.
    NotIn,
}

/// Upstream: `k8s.io/api/batch/v1/types.go PodFailurePolicyOnPodConditionsPattern`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
pub struct PodFailurePolicyOnPodConditionsPattern {
    /// The condition's type.
    #[serde(rename = "type")]
    pub type_: Rc<str>,
    /// Its status.
    pub status: ConditionStatus,
}

/// Upstream: `k8s.io/api/batch/v1/types.go SuccessPolicy`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct SuccessPolicy {
    /// Any of them is enough.
    pub rules: Vec<SuccessPolicyRule>,
}

/// Upstream: `k8s.io/api/batch/v1/types.go SuccessPolicyRule`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct SuccessPolicyRule {
    /// These indexes must succeed, like `0,2-4`.
    #[json(omitempty)]
    pub succeeded_indexes: Option<String>,
    /// How many of them are enough.
    #[json(omitempty)]
    pub succeeded_count: Option<i32>,
}

/// Upstream: `k8s.io/api/batch/v1/types.go JobStatus`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct JobStatus {
    /// Conditions.
    #[json(omitempty)]
    pub conditions: Vec<JobCondition>,
    /// When the Job was started, or last resumed.
    #[json(omitempty)]
    pub start_time: Option<Time>,
    /// When it was complete.
    #[json(omitempty)]
    pub completion_time: Option<Time>,
    /// Pods that have not ended and are not terminating.
    #[json(omitempty)]
    pub active: i32,
    /// Pods that succeeded; indexes, in an Indexed Job.
    #[json(omitempty)]
    pub succeeded: i32,
    /// Pods that failed.
    #[json(omitempty)]
    pub failed: i32,
    /// Terminating pods that have not ended.
    #[json(omitempty)]
    pub terminating: Option<i32>,
    /// The indexes that succeeded, like `0,2-4`.
    #[json(omitempty)]
    pub completed_indexes: String,
    /// The indexes that failed; none without `backoffLimitPerIndex`.
    #[json(omitempty)]
    pub failed_indexes: Option<String>,
    /// Pods that have ended and whose finalizer is still there, so that they are not counted twice.
    #[json(omitempty)]
    pub uncounted_terminated_pods: Option<UncountedTerminatedPods>,
    /// Active pods that are ready.
    #[json(omitempty)]
    pub ready: Option<i32>,
}

/// Uids of pods.
///
/// Upstream: `k8s.io/api/batch/v1/types.go UncountedTerminatedPods`
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(default)]
pub struct UncountedTerminatedPods {
    /// Of those that succeeded.
    #[json(omitempty)]
    pub succeeded: Vec<Rc<str>>,
    /// Of those that failed.
    #[json(omitempty)]
    pub failed: Vec<Rc<str>>,
}

/// A time that is missing is written as `null`, as Go does.
/// Upstream: `k8s.io/api/batch/v1/types.go JobCondition`
#[derive(Clone, Debug, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase")]
pub struct JobCondition {
    /// Suspended, SuccessCriteriaMet, FailureTarget, Complete or Failed.
    #[serde(rename = "type")]
    pub type_: Rc<str>,
    /// True, False or Unknown.
    pub status: ConditionStatus,
    /// When it was last looked at.
    #[serde(default)]
    pub last_probe_time: Option<Time>,
    /// When the status last changed.
    #[serde(default)]
    pub last_transition_time: Option<Time>,
    /// One word.
    #[serde(default)]
    #[json(omitempty)]
    pub reason: Rc<str>,
    /// One sentence.
    #[serde(default)]
    #[json(omitempty)]
    pub message: Rc<str>,
}
