//! What the Job controller decides: values with the numbers that were used, for the write and for its explanation.

use alloc::boxed::Box;
use alloc::rc::Rc;

use super::replica_set::Chosen;

/// A decision of the Job controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Adopts a pod that has no controller and whose labels match.
    Adopt {
        /// The pod's name.
        pod: Rc<str>,
        /// The Job's name.
        job: Rc<str>,
    },
    /// Releases a pod whose labels no longer match.
    Release {
        /// The pod's name.
        pod: Rc<str>,
        /// The Job's name.
        job: Rc<str>,
    },
    /// Does nothing: another controller manages the Job.
    ManagedExternally {
        /// The Job's name.
        job: Rc<str>,
        /// Its spec.managedBy.
        controller: Rc<str>,
    },
    /// Does nothing: the completion mode is not known.
    UnknownCompletionMode {
        /// The Job's name.
        job: Rc<str>,
        /// Its spec.completionMode.
        mode: Rc<str>,
    },
    /// Neither creates nor deletes pods: it has not seen the last ones come or go.
    Unobserved {
        /// The Job's name.
        job: Rc<str>,
        /// Creations that it has not seen.
        creations: i64,
        /// Deletions that it has not seen.
        deletions: i64,
    },
    /// Keeps no pods: the Job is suspended.
    Suspended {
        /// The Job's name.
        job: Rc<str>,
    },
    /// Creates one of the missing pods.
    Create(Box<Create>),
    /// Creates none of the missing pods yet: pods failed, and the back-off is not over.
    BackOff(Box<BackOff>),
    /// Creates no pods beyond those that still terminate.
    WaitForTerminating {
        /// The Job's name.
        job: Rc<str>,
        /// How many pods it wants.
        wanted: i32,
        /// Its pods that neither ended nor terminate.
        active: i32,
        /// Its pods that terminate and have not ended.
        terminating: i32,
        /// wanted − terminating − active, which is not above 0.
        missing: i32,
    },
    /// Creates and deletes no pods: the Job is being deleted.
    BeingDeleted {
        /// The Job's name.
        job: Rc<str>,
    },
    /// Creates no pods: the Job wants none at once.
    NoParallelism {
        /// The Job's name.
        job: Rc<str>,
        /// Its spec.parallelism.
        parallelism: i32,
    },
    /// Has nothing to do until a pod ends, or the deadline is over.
    BeforeDeadline {
        /// The Job's name.
        job: Rc<str>,
        /// Its spec.activeDeadlineSeconds.
        limit: i64,
        /// Nanoseconds until it is over.
        left: i64,
    },
    /// Keeps the finalizers of failed pods until the next pods of their indexes exist, which go on counting.
    KeepForReplacement {
        /// The Job's name.
        job: Rc<str>,
        /// How many pods.
        kept: i32,
        /// The name of the first one.
        pod: Rc<str>,
        /// Its index.
        index: i64,
    },
    /// Deletes a pod.
    Delete(Box<Delete>),
    /// Removes the finalizer that kept a pod until it was counted.
    RemoveFinalizer {
        /// The pod's name.
        pod: Rc<str>,
        /// The Job's name; empty if there is none.
        job: Rc<str>,
        /// Why the pod may go.
        because: Counted,
    },
    /// Does not say yet that the Job is over.
    NotOver {
        /// The Job's name.
        job: Rc<str>,
        /// The condition that it will get.
        condition: Rc<str>,
        /// Ended pods that are not counted.
        uncounted: i32,
        /// Terminating pods that have not ended.
        terminating: i32,
    },
    /// Writes a new status.
    Status(Box<Status>),
}

impl Decision {
    /// Whether this says what another decision said that many nanoseconds ago: of the same wait, less is left.
    pub(super) fn repeats(&self, earlier: &Self, nanoseconds: i64) -> bool {
        match (self, earlier) {
            (Self::BackOff(one), Self::BackOff(earlier)) => {
                let left = one.left.saturating_add(nanoseconds);
                **earlier == BackOff { left, ..(**one).clone() }
            }
            (
                Self::BeforeDeadline { job, limit, left },
                Self::BeforeDeadline { job: its, limit: then, left: earlier },
            ) => (job, limit) == (its, then) && left.saturating_add(nanoseconds) == *earlier,
            _ => self == earlier,
        }
    }

    /// The name of the pod or Job that it is about.
    pub fn subject(&self) -> &Rc<str> {
        match self {
            Self::Adopt { pod, .. } | Self::Release { pod, .. } | Self::RemoveFinalizer { pod, .. } => pod,
            Self::Delete(delete) => &delete.pod,
            Self::Create(create) => &create.job,
            Self::BackOff(back_off) => &back_off.job,
            Self::Status(status) => &status.job,
            Self::ManagedExternally { job, .. }
            | Self::UnknownCompletionMode { job, .. }
            | Self::Unobserved { job, .. }
            | Self::Suspended { job }
            | Self::WaitForTerminating { job, .. }
            | Self::BeingDeleted { job }
            | Self::NoParallelism { job, .. }
            | Self::BeforeDeadline { job, .. }
            | Self::KeepForReplacement { job, .. }
            | Self::NotOver { job, .. } => job,
        }
    }
}

/// How many pods a Job wants at once, and has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its spec.parallelism.
    pub parallelism: i32,
    /// Its spec.completions; none for a work queue.
    pub completions: Option<i32>,
    /// Its pods, or indexes, that succeeded.
    pub succeeded: i32,
    /// How many pods it wants now.
    pub wanted: i32,
    /// Its pods that neither ended nor terminate.
    pub active: i32,
}

/// A pod that comes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Create {
    /// The Job's name.
    pub job: Rc<str>,
    /// How many pods it wants.
    pub pods: Wanted,
    /// Its terminating pods, where they are waited for (podReplacementPolicy Failed).
    pub terminating: Option<i32>,
    /// How many pods this sync creates.
    pub count: i32,
    /// The pod's index; none in a Job without indexes.
    pub index: Option<Index>,
}

/// An index of an Indexed Job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// What its pod's name begins with, `pi-3-`.
    pub pod: Rc<str>,
    /// From 0.
    pub index: i64,
    /// How many pods of the index failed, where that is counted (backoffLimitPerIndex).
    pub failures: Option<i32>,
}

/// A wait for the end of a back-off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackOff {
    /// The Job's name.
    pub job: Rc<str>,
    /// How many pods are missing.
    pub missing: i32,
    /// Failures since the last success; of one index where each index has its own back-off.
    pub failures: i32,
    /// The index whose back-off ends first, where each has its own.
    pub index: Option<i64>,
    /// Nanoseconds from the last failure to the next pod.
    pub back_off: i64,
    /// How many of them are left.
    pub left: i64,
}

/// A pod that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// The Job's name.
    pub job: Rc<str>,
    /// The pod's name.
    pub pod: Rc<str>,
    /// Why.
    pub because: Surplus,
}

/// Why a pod goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Surplus {
    /// The Job is suspended.
    Suspended,
    /// The Job is over: it gets this condition.
    Over {
        /// Like `FailureTarget`.
        condition: Rc<str>,
        /// Its reason, like `BackoffLimitExceeded`.
        reason: Rc<str>,
    },
    /// There are more pods than are wanted.
    TooMany {
        /// How many are wanted.
        pods: Wanted,
        /// How many are too many: active − wanted.
        surplus: i32,
        /// What decided between it and the first pod that stays; none if all pods go.
        chosen: Option<Chosen>,
    },
    /// In an Indexed Job, its index is wrong.
    WrongIndex(WrongIndex),
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

/// Why the finalizer of a pod is no longer needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// It is counted as succeeded.
    Succeeded,
    /// It is counted as failed.
    Failed,
    /// It failed, and the podFailurePolicy ignores that.
    Ignored,
    /// It ended and was counted before, or counts for nothing: its index has succeeded or does not exist.
    Nothing,
    /// The Job is over or goes.
    JobOver,
    /// It is deleted at once, and counts for nothing.
    Deleted,
    /// The Job does not exist any more, or is over.
    Orphan,
    /// It belongs to no Job.
    WithoutJob,
}

/// A new status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The Job's name.
    pub job: Rc<str>,
    /// What it counts now.
    pub counts: Counts,
    /// The condition that changed, if one did.
    pub condition_change: Option<ConditionChange>,
}

/// The counts of a Job's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// status.active
    pub active: i32,
    /// status.ready
    pub ready: i32,
    /// status.terminating
    pub terminating: i32,
    /// status.succeeded
    pub succeeded: i32,
    /// status.failed
    pub failed: i32,
    /// Pods in status.uncountedTerminatedPods.
    pub uncounted: i32,
}

/// A condition that a status gets or loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConditionChange {
    /// The Job is suspended.
    Suspended,
    /// It is no longer.
    Resumed,
    /// It is to fail, or has succeeded; its remaining pods go.
    Target(FinishCause),
    /// It is over.
    Over {
        /// `Complete` or `Failed`.
        condition: Rc<str>,
        /// The condition's reason.
        reason: Rc<str>,
    },
}

/// Why a Job fails or has succeeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FinishCause {
    /// A rule of its podFailurePolicy matches a pod.
    PodFailurePolicy {
        /// What matches.
        message: Rc<str>,
    },
    /// Too many pods failed.
    BackoffLimit {
        /// How many.
        failed: i32,
        /// spec.backoffLimit
        limit: i32,
    },
    /// Containers restarted too often.
    Restarts {
        /// How often.
        restarts: i32,
        /// spec.backoffLimit
        limit: i32,
    },
    /// It was active for too long.
    Deadline {
        /// Nanoseconds since status.startTime.
        elapsed: i64,
        /// spec.activeDeadlineSeconds
        limit: i64,
    },
    /// Too many indexes failed.
    MaxFailedIndexes {
        /// How many.
        failed: i64,
        /// spec.maxFailedIndexes
        limit: i32,
    },
    /// Each index has ended, and some failed.
    FailedIndexes {
        /// How many failed.
        failed: i64,
        /// How many succeeded.
        succeeded: i64,
        /// spec.completions
        completions: i32,
    },
    /// A rule of its successPolicy matches.
    SuccessPolicy {
        /// The rule's position.
        rule: i64,
        /// Indexes that succeeded.
        succeeded: i64,
    },
    /// Enough pods or indexes succeeded, and none is active.
    Completions {
        /// How many.
        succeeded: i32,
        /// spec.completions; none for a work queue.
        completions: Option<i32>,
    },
}
