//! What the Job controller decides: values with the numbers that were used, for the write and for its explanation.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::boxed::Box;
use alloc::rc::Rc;

use changeover_derive::{Decision, Operands};

use crate::controller::rank::Chosen;
use crate::object::{Duration, Pod};
#[cfg(feature = "explain")]
use crate::rule::OperandSource;
#[cfg(feature = "explain")]
use crate::rule::operands::POD_NAME;
use crate::workload::job::Job;

#[cfg(feature = "explain")]
pub(crate) const JOB_NAME: OperandSource = OperandSource::new("the Job");

#[cfg(feature = "explain")]
mod source {
    pub(super) const SYNC: &str = "pkg/controller/job/job_controller.go syncJob";
    pub(super) const MANAGE: &str = "pkg/controller/job/job_controller.go manageJob";
    pub(super) const REMOVAL: &str = "pkg/controller/job/job_controller.go activePodsForRemoval";
    pub(super) const TRACK: &str = "pkg/controller/job/job_controller.go trackJobStatusAndRemoveFinalizers";
    pub(super) const ENACT: &str = "pkg/controller/job/job_controller.go enactJobFinished";
    pub(super) const DUPLICATES: &str = "pkg/controller/job/indexed_job_utils.go appendDuplicatedIndexPodsForRemoval";
    pub(super) const KEP_REPLACEMENT: &str = "KEP-3939, Design Details";
}

/// A decision of the Job controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// Pods are missing.
    #[rule(
        next_step,
        id = "job.create",
        upstream = source::MANAGE,
        sentence = "{job} may run {wanted} pod(s) and had {active}, so it creates {count}. Terminating pods do not count.",
        formula = [
            "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
            "count = min(wanted − active, 500) = min({wanted} − {active}, 500) = {count}",
        ],
    )]
    Create {
        #[operands]
        needed: Box<Needed>,
        #[operand(source = "its spec.completions")]
        completions: i32,
    },
    /// Pods are missing, and terminating ones hold their slots.
    #[rule(
        next_step,
        id = "job.create.after-failure",
        upstream = source::MANAGE,
        section = source::KEP_REPLACEMENT,
        sentence = "{job} may run {wanted} pod(s) and had {active} active and {terminating} terminating, so it creates {count}.",
        formula = [
            "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
            "count = min(wanted − terminating − active, 500) = min({wanted} − {terminating} − {active}, 500) = {count}",
        ],
    )]
    CreateAfterFailure {
        #[operands]
        needed: Box<Needed>,
        #[operand(source = "its spec.completions")]
        completions: i32,
        #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
        terminating: i32,
    },
    /// A work queue has too few pods.
    #[rule(
        next_step,
        id = "job.create.queue",
        upstream = source::MANAGE,
        sentence = "{job} may run {wanted} pod(s) and had {active}, so it creates {count}. Terminating pods do not count.",
        formula = [
            "wanted = parallelism = {parallelism}, since {succeeded} pods have succeeded",
            "count = min(wanted − active, 500) = min({wanted} − {active}, 500) = {count}",
        ],
    )]
    CreateForQueue(Box<Needed>),
    /// A work queue has too few pods, and terminating ones hold their slots.
    #[rule(
        next_step,
        id = "job.create.queue.after-failure",
        upstream = source::MANAGE,
        section = source::KEP_REPLACEMENT,
        sentence = "{job} may run {wanted} pod(s) and had {active} active and {terminating} terminating, so it creates {count}.",
        formula = [
            "wanted = parallelism = {parallelism}, since {succeeded} pods have succeeded",
            "count = min(wanted − terminating − active, 500) = min({wanted} − {terminating} − {active}, 500) = {count}",
        ],
    )]
    CreateForQueueAfterFailure {
        #[operands]
        needed: Box<Needed>,
        #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
        terminating: i32,
    },
    /// An index has neither ended nor a pod.
    #[rule(
        next_step,
        id = "job.create.index",
        upstream = "pkg/controller/job/indexed_job_utils.go firstPendingIndexes",
        sentence = "{pod} starts: {job} may run {wanted} pod(s) and had {active}, and index {index} still needed one.",
        formula = [
            "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
            "count = min(wanted − active, 500), and only indexes that may start = {count}",
        ],
    )]
    CreateIndex {
        #[operands]
        needed: Box<Needed>,
        #[operand(source = "the prefix of the pod's name")]
        pod: Rc<str>,
        #[operand(source = "its spec.completions")]
        completions: i32,
        #[operand(source = "the completion index of the pod")]
        index: i64,
    },
    /// An index has neither ended nor a pod, not even a terminating one.
    #[rule(
        next_step,
        id = "job.create.index.after-failure",
        upstream = "pkg/controller/job/indexed_job_utils.go firstPendingIndexes",
        section = source::KEP_REPLACEMENT,
        sentence = "{pod} starts: {job} may run {wanted} pod(s) and had {active} active and {terminating} terminating; index {index} had neither.",
        formula = [
            "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
            "count = min(wanted − terminating − active, 500), and only indexes that may start = {count}",
        ],
    )]
    CreateIndexAfterFailure {
        #[operands]
        needed: Box<Needed>,
        #[operand(source = "the prefix of the pod's name")]
        pod: Rc<str>,
        #[operand(source = "its spec.completions")]
        completions: i32,
        #[operand(source = "the completion index of the pod")]
        index: i64,
        #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
        terminating: i32,
    },
    /// An index failed before, and its back-off is over.
    #[rule(
        next_step,
        id = "job.create.index.retry",
        upstream = "pkg/controller/job/indexed_job_utils.go getNewIndexFailureCounts",
        sentence = "{pod} starts after {failures} failure(s) of index {index}: {job} may run {wanted} pod(s) and had {active}.",
        formula = [
            "wanted = min(parallelism, completions − succeeded) = min({parallelism}, {completions} − {succeeded}) = {wanted}",
            "count = min(wanted − active, 500), and only indexes whose back-off is over = {count}",
        ],
    )]
    RetryIndex {
        #[operands]
        needed: Box<Needed>,
        #[operand(source = "the prefix of the pod's name")]
        pod: Rc<str>,
        #[operand(source = "its spec.completions")]
        completions: i32,
        #[operand(source = "the completion index of the pod")]
        index: i64,
        #[operand(source = "counted failures of the index, which the new pod keeps in an annotation")]
        failures: i32,
    },
    /// Pods failed a short time ago.
    #[rule(
        next_step,
        id = "job.back-off",
        upstream = "pkg/controller/job/backoff_utils.go getRemainingTimeForFailuresCount",
        sentence = "{job} waits another {left} before it creates {missing} pod(s): {failures} pod(s) failed since the last success.",
        formula = ["back-off = min(10s × 2^(failures − 1), 10m) = min(10s × 2^({failures} − 1), 10m) = {back_off}"],
    )]
    BackOff {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "what is left of it")]
        #[left]
        left: Duration,
        #[operand(source = "pods that it may still run")]
        missing: i32,
        #[operand(source = "failures in a row")]
        failures: i32,
        #[operand(source = "10s, doubled for each further failure, at most 10m")]
        back_off: Duration,
    },
    /// Every index that could start failed a short time ago.
    #[rule(
        next_step,
        id = "job.back-off.index",
        upstream = "pkg/controller/job/job_controller.go getPodCreationInfoForIndependentIndexes",
        sentence = "{job} waits another {left} before index {index} gets a new pod: the index failed {failures} time(s). Still to create: {missing} pod(s).",
        formula = ["back-off = min(10s × 2^(failures − 1), 10m) = min(10s × 2^({failures} − 1), 10m) = {back_off}"],
    )]
    BackOffOfIndex {
        #[operand(source = "the index whose back-off ends first")]
        index: i64,
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "what is left of it")]
        #[left]
        left: Duration,
        #[operand(source = "failures in a row")]
        failures: i32,
        #[operand(source = "pods that it may still run")]
        missing: i32,
        #[operand(source = "10s, doubled for each further failure, at most 10m")]
        back_off: Duration,
    },
    /// Terminating pods hold their slots.
    #[rule(
        next_step,
        id = "job.wait.terminating",
        upstream = source::MANAGE,
        section = source::KEP_REPLACEMENT,
        sentence = "{job} may run {wanted} pod(s) and has {active} active and {terminating} terminating, so it creates none: terminating pods keep their slots.",
        formula = ["missing = wanted − terminating − active = {wanted} − {terminating} − {active} = {missing} ≤ 0"],
    )]
    WaitForTerminating {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "the pods that it may run now")]
        wanted: i32,
        #[operand(source = "its pods that have not ended and are not terminating", mark = Total)]
        active: i32,
        #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
        terminating: i32,
        #[operand(source = "wanted − terminating − active")]
        missing: i32,
    },
    /// The Job is being deleted.
    #[rule(
        next_step,
        id = "job.wait.deleted",
        upstream = source::SYNC,
        sentence = "{job} is being deleted, so its controller creates and deletes no pods."
    )]
    BeingDeleted {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
    },
    /// The Job wants no pods at once.
    #[rule(
        next_step,
        id = "job.wait.parallelism",
        upstream = source::MANAGE,
        sentence = "{job} is not complete, but creates no pods: its parallelism is {parallelism}."
    )]
    NoParallelism {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "its spec.parallelism")]
        parallelism: i32,
    },
    /// The Job may be active for some more time.
    #[rule(
        next_step,
        id = "job.wait.deadline",
        upstream = source::SYNC,
        sentence = "{job} fails if it is still active in {left}: its activeDeadlineSeconds is {limit}.",
        formula = ["left = startTime + activeDeadlineSeconds − now = startTime + {limit}s − now = {left}"],
    )]
    BeforeDeadline {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "its spec.activeDeadlineSeconds")]
        limit: i64,
        #[operand(source = "the time until its deadline")]
        #[left]
        left: Duration,
    },
    /// Failed pods stay until their indexes have new pods.
    #[rule(
        id = "job.wait.replacement",
        upstream = "pkg/controller/job/job_controller.go canRemoveFinalizer",
        sentence = "{pod} keeps its finalizer until index {index} has a new pod, which takes over the failure count. {job} keeps {kept} such pod(s)."
    )]
    KeepForReplacement {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "failed pods that keep their tracking finalizer")]
        kept: i32,
        #[operand(source = "the one with the lowest index")]
        pod: Rc<str>,
        #[operand(source = "its completion index")]
        index: i64,
    },
    /// The controller has not seen its own writes.
    #[rule(
        id = "job.wait.unobserved",
        upstream = "pkg/controller/controller_utils.go ControllerExpectations.SatisfiedExpectations",
        sentence = "The controller creates and deletes no pods of {job} until its cache shows its own {creations} creation(s) and {deletions} deletion(s)."
    )]
    Unobserved {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "creations that it requested and that its cache does not show yet")]
        creations: i64,
        #[operand(source = "deletions that it requested and that its cache does not show yet")]
        deletions: i64,
    },
    /// The Job is suspended.
    #[rule(
        next_step,
        id = "job.suspended",
        upstream = source::MANAGE,
        sentence = "{job} is suspended and has no active pods, so nothing happens until spec.suspend is false."
    )]
    StaysSuspended {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
    },
    /// Another controller is responsible.
    #[rule(
        next_step,
        id = "job.managed-by",
        upstream = "pkg/controller/job/job_controller.go managedByExternalController",
        sentence = "The controller ignores {job}: its spec.managedBy names {controller}."
    )]
    ManagedExternally {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "its spec.managedBy")]
        controller: Rc<str>,
    },
    /// The completion mode is not known.
    #[rule(
        next_step,
        id = "job.completion-mode",
        upstream = source::SYNC,
        sentence = "The controller ignores {job}: its spec.completionMode is {mode}, an unknown mode."
    )]
    UnknownCompletionMode {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "its spec.completionMode")]
        mode: Rc<str>,
    },
    /// A pod without a controller is adopted.
    #[rule(
        id = "job.adopt",
        upstream = "pkg/controller/controller_ref_manager.go AdoptPod",
        sentence = "{job} adopts {pod}, which has no controller and whose labels match, and adds its tracking finalizer."
    )]
    Adopt {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(JOB_NAME)]
        job: Rc<str>,
    },
    /// A pod that no longer matches is released.
    #[rule(
        id = "job.release",
        upstream = "pkg/controller/controller_ref_manager.go ReleasePod",
        sentence = "{job} releases {pod}: the pod's labels no longer match the selector."
    )]
    Release {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
        #[operand(JOB_NAME)]
        job: Rc<str>,
    },
    /// The Job is suspended.
    #[rule(id = "job.delete.suspended", upstream = source::MANAGE, sentence = "{pod} is deleted, since {job} is suspended.")]
    DeleteSuspended(Gone),
    /// The Job is over.
    #[rule(
        id = "job.delete.over",
        upstream = "pkg/controller/job/job_controller.go deleteActivePods",
        sentence = "{pod} is deleted, since {job} gets the condition {condition}: {why}."
    )]
    DeleteOver {
        #[operands]
        gone: Box<Gone>,
        #[operand(source = "the condition's type")]
        condition: Rc<str>,
        #[operand(source = "the condition's reason")]
        why: Rc<str>,
    },
    /// There are too many pods.
    #[rule(
        id = "job.delete.surplus",
        upstream = source::REMOVAL,
        sentence = "{wanted} of {active} pod(s) may run: {pod} is deleted, {why}.",
        formula = ["surplus = active − wanted = {active} − {wanted} = {surplus}"],
    )]
    DeleteSurplus {
        #[operands]
        gone: Gone,
        #[operand(source = "the pods that it may run now")]
        wanted: i32,
        #[operand(source = "its pods that have not ended and are not terminating", mark = Total)]
        active: i32,
        #[operand(source = "active − wanted")]
        surplus: i32,
        #[clause]
        why: Box<Option<Chosen>>,
    },
    /// Two active pods have one index.
    #[rule(
        id = "job.delete.duplicate-index",
        upstream = source::DUPLICATES,
        sentence = "Index {index} has several pods: {pod} is deleted, {why}."
    )]
    DeleteDuplicate {
        #[operands]
        gone: Gone,
        #[operand(source = "the completion index of the pod")]
        index: i64,
        #[clause]
        why: Box<Chosen>,
    },
    /// A pod has an index that the Job no longer has.
    #[rule(
        id = "job.delete.index-too-large",
        upstream = source::DUPLICATES,
        sentence = "{pod} is deleted: its index is {index}, but {job} only has indexes below {completions}."
    )]
    DeleteTooLarge {
        #[operands]
        gone: Gone,
        #[operand(source = "the completion index of the pod")]
        index: i64,
        #[operand(source = "its spec.completions")]
        completions: i32,
    },
    /// A pod of an Indexed Job has no index.
    #[rule(
        id = "job.delete.no-index",
        upstream = source::DUPLICATES,
        sentence = "{pod} is deleted: {job} is Indexed, but the pod has no completion index."
    )]
    DeleteWithoutIndex(Gone),
    /// A pod succeeded.
    #[rule(
        id = "job.count.succeeded",
        upstream = source::TRACK,
        sentence = "{pod} has succeeded and is counted in the status of {job}, so its tracking finalizer is removed."
    )]
    CountSucceeded(Gone),
    /// A pod failed.
    #[rule(
        id = "job.count.failed",
        upstream = source::TRACK,
        sentence = "{pod} is counted as failed in the status of {job}, so its tracking finalizer is removed."
    )]
    CountFailed(Gone),
    /// A pod failed, and an Ignore rule keeps it from being counted.
    #[rule(
        id = "job.count.ignored",
        upstream = "pkg/controller/job/pod_failure_policy.go matchPodFailurePolicy",
        sentence = "{pod} has failed, but an Ignore rule of {job} matches it: it is not counted, and its tracking finalizer is removed."
    )]
    CountIgnored(Gone),
    /// A pod ended, and there is nothing to count.
    #[rule(
        id = "job.count.nothing",
        upstream = source::TRACK,
        sentence = "{pod} has ended and adds nothing to the counts of {job}, so its tracking finalizer is removed."
    )]
    CountNothing(Gone),
    /// The Job is finished or being deleted, so the pod is not counted.
    #[rule(
        id = "job.count.job-over",
        upstream = "pkg/controller/job/job_controller.go canRemoveFinalizer",
        sentence = "{job} is finished or being deleted and no longer counts {pod}, so the pod's tracking finalizer is removed."
    )]
    CountJobOver(Gone),
    /// A pod is about to be deleted.
    #[rule(
        id = "job.count.deleted",
        upstream = "pkg/controller/job/job_controller.go deleteJobPods",
        sentence = "{job} is about to delete {pod} and will not count it, so its tracking finalizer is removed first."
    )]
    CountDeleted(Gone),
    /// The Job will not count the pod.
    #[rule(
        id = "job.count.orphan",
        upstream = "pkg/controller/job/job_controller.go handleSingleOrphanPod",
        sentence = "{job} is gone or finished and will not count {pod}, so the pod's tracking finalizer is removed."
    )]
    CountOrphan(Gone),
    /// The pod has no Job.
    #[rule(
        id = "job.count.no-job",
        upstream = "pkg/controller/job/job_controller.go handleSingleOrphanPod",
        sentence = "{pod} belongs to no Job that could count it, so its tracking finalizer is removed."
    )]
    ReleaseOrphan {
        #[operand(POD_NAME)]
        #[subject]
        pod: Rc<str>,
    },
    /// The Job can't be declared over yet.
    #[rule(
        next_step,
        id = "job.wait.over",
        upstream = source::ENACT,
        sentence = "{job} is not {condition} yet: it still has to count {uncounted} ended pod(s) and wait for {terminating} terminating pod(s).",
    )]
    NotOver {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "the condition's type")]
        condition: Rc<str>,
        #[operand(source = "pods in its status.uncountedTerminatedPods")]
        uncounted: i32,
        #[operand(source = "its terminating pods that have not ended", mark = Terminating)]
        terminating: i32,
    },
    /// The status follows the pods.
    #[rule(
        id = "job.status",
        upstream = source::TRACK,
        sentence = "{job} counts its pods: {active} active ({ready} ready), {terminating} terminating, {succeeded} succeeded, {failed} failed, {uncounted} not counted yet.",
    )]
    Status {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
        active: i32,
        #[operand(source = "active pods whose Ready condition is True")]
        ready: i32,
        #[operand(source = "terminating pods that have not ended", mark = Terminating)]
        terminating: i32,
        #[operand(source = "pods or indexes that succeeded")]
        succeeded: i32,
        #[operand(source = "failed pods that count")]
        failed: i32,
        #[operand(source = "pods in its status.uncountedTerminatedPods")]
        uncounted: i32,
    },
    /// The Job is suspended.
    #[rule(
        id = "job.status.suspended",
        upstream = source::SYNC,
        sentence = "{job} is suspended: its Suspended condition now says so. It has {active} active and {terminating} terminating pod(s).",
    )]
    Suspended {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
        active: i32,
        #[operand(source = "terminating pods that have not ended", mark = Terminating)]
        terminating: i32,
    },
    /// The Job is no longer suspended.
    #[rule(
        id = "job.status.resumed",
        upstream = source::SYNC,
        sentence = "{job} is resumed: its startTime is set to now, so activeDeadlineSeconds starts over. It has {active} active pod(s).",
    )]
    Resumed {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "pods that have not ended and are not terminating", mark = Total)]
        active: i32,
    },
    /// The Job is over.
    #[rule(
        id = "job.status.over",
        upstream = source::ENACT,
        sentence = "{job} gets the condition {condition} ({why}): all pods are counted, {succeeded} succeeded and {failed} failed.",
    )]
    Over(Box<Over>),
    /// The status gets the condition of a Job that fails or has succeeded.
    Finish(FinishCause),
}

/// Why a Job fails or has succeeded.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum FinishCause {
    /// A pod matches a rule FailJob.
    #[rule(
        id = "job.target.pod-failure-policy",
        upstream = "pkg/controller/job/job_controller.go getFailJobMessage",
        sentence = "{job} fails because of its podFailurePolicy, and its pods are deleted. {message}."
    )]
    PodFailurePolicy {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "the condition's message")]
        message: Rc<str>,
    },
    /// Too many pods failed.
    #[rule(
        id = "job.target.backoff-limit",
        upstream = source::SYNC,
        sentence = "{job} fails: {failed} pod(s) failed, and its backoffLimit is {limit}.",
        formula = ["failed > backoffLimit: {failed} > {limit}"],
    )]
    BackoffLimit {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "failed pods that count")]
        failed: i32,
        #[operand(source = "its spec.backoffLimit")]
        limit: i32,
    },
    /// Containers restarted too often.
    #[rule(
        id = "job.target.restarts",
        upstream = "pkg/controller/job/job_controller.go pastBackoffLimitOnFailure",
        sentence = "{job} fails: the containers of its pods restarted {restarts} time(s), and its backoffLimit is {limit}.",
        formula = ["restarts ≥ max(backoffLimit, 1): {restarts} ≥ max({limit}, 1)"],
    )]
    Restarts {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "restarts of all containers of its pending and running pods")]
        restarts: i32,
        #[operand(source = "its spec.backoffLimit")]
        limit: i32,
    },
    /// The Job was active for too long.
    #[rule(
        id = "job.target.deadline",
        upstream = "pkg/controller/job/job_controller.go pastActiveDeadline",
        sentence = "{job} fails: it has been active for {elapsed}, and its activeDeadlineSeconds is {limit}.",
        formula = ["active ≥ deadline: {elapsed} ≥ {limit}s"],
    )]
    Deadline {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "the time since its status.startTime")]
        elapsed: Duration,
        #[operand(source = "its spec.activeDeadlineSeconds")]
        limit: i64,
    },
    /// Too many indexes failed.
    #[rule(
        id = "job.target.max-failed-indexes",
        upstream = source::SYNC,
        sentence = "{job} fails: {failed} of its indexes failed, and its maxFailedIndexes is {limit}.",
        formula = ["failed > maxFailedIndexes: {failed} > {limit}"],
    )]
    MaxFailedIndexes {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "indexes that failed")]
        failed: i64,
        #[operand(source = "its spec.maxFailedIndexes")]
        limit: i32,
    },
    /// All indexes have ended, and some failed.
    #[rule(
        id = "job.target.failed-indexes",
        upstream = source::SYNC,
        sentence = "{job} fails: all of its indexes have ended, {succeeded} succeeded and {failed} failed.",
        formula = ["failed + succeeded ≥ completions: {failed} + {succeeded} ≥ {completions}"],
    )]
    FailedIndexes {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "indexes that failed")]
        failed: i64,
        #[operand(source = "indexes that succeeded")]
        succeeded: i64,
        #[operand(source = "its spec.completions")]
        completions: i32,
    },
    /// A rule of the successPolicy is fulfilled.
    #[rule(
        id = "job.target.success-policy",
        upstream = "pkg/controller/job/success_policy.go matchSuccessPolicy",
        sentence = "{job} has succeeded: the indexes that succeeded ({succeeded}) meet rule {rule} of its successPolicy. Its other pods are deleted."
    )]
    SuccessPolicy {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "the position of the rule, from 0")]
        rule: i64,
        #[operand(source = "indexes that succeeded")]
        succeeded: i64,
    },
    /// Enough pods succeeded.
    #[rule(
        id = "job.target.completions",
        upstream = source::SYNC,
        sentence = "{job} has succeeded: it has {succeeded} of {completions} completions, and no pod is active.",
        formula = ["succeeded ≥ completions: {succeeded} ≥ {completions}"],
    )]
    Completions {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "pods or indexes that succeeded")]
        succeeded: i32,
        #[operand(source = "its spec.completions")]
        completions: i32,
    },
    /// A pod of a work queue succeeded, and all others have ended.
    #[rule(
        id = "job.target.queue",
        upstream = source::SYNC,
        sentence = "{job} has succeeded: {succeeded} pod(s) succeeded, no pod is active, and it has no spec.completions.",
    )]
    QueueDone {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "pods that succeeded")]
        succeeded: i32,
    },
}

/// Operands of rules that create pods.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Needed {
    #[operand(JOB_NAME)]
    #[subject]
    pub job: Rc<str>,
    #[operand(source = "its spec.parallelism")]
    pub parallelism: i32,
    #[operand(source = "its pods or indexes that succeeded")]
    pub succeeded: i32,
    #[operand(source = "the pods that it may run now")]
    pub wanted: i32,
    // Many creations of one decision are spread over seconds: by then, the picture shows more pods.
    #[operand(source = "its pods that had not ended and were not terminating when this was decided")]
    pub active: i32,
    #[operand(source = "the pods that this sync creates, at most 500")]
    pub count: i32,
}

/// A pod that goes or is let go, and its Job.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Gone {
    #[operand(JOB_NAME)]
    pub job: Rc<str>,
    #[operand(POD_NAME)]
    #[subject]
    pub pod: Rc<str>,
}

impl Gone {
    /// A pod of a Job.
    pub(crate) fn new(job: &Job, pod: &Pod) -> Self {
        Self { job: job.metadata.name.clone(), pod: pod.metadata.name.clone() }
    }
}

/// A Job that is over.
#[derive(Clone, Debug, PartialEq, Eq, Operands)]
pub struct Over {
    #[operand(JOB_NAME)]
    #[subject]
    pub job: Rc<str>,
    #[operand(source = "the condition's type")]
    pub condition: Rc<str>,
    #[operand(source = "the condition's reason")]
    pub why: Rc<str>,
    #[operand(source = "pods or indexes that succeeded")]
    pub succeeded: i32,
    #[operand(source = "failed pods that count")]
    pub failed: i32,
}

/// What is wrong with the index of a pod of an Indexed Job, which goes in any case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WrongIndex {
    /// Another pod has it.
    Duplicate {
        /// The index.
        index: i64,
        /// What decided between it and the pod that stays.
        chosen: Chosen,
    },
    /// It is none of the Job's.
    TooLarge {
        /// The index.
        index: i64,
        /// spec.completions of the Job.
        completions: i32,
    },
    /// There is none.
    Missing,
}
