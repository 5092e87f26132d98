//! The verdict on a change: it fits, it does not fit, or that is not judged.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{JobOutcome, JobPrediction, NotModeled, Prediction, QuotaPrediction, WorkloadPrediction};
use crate::json::ToJson;
use crate::timeline::EndReason;

/// Whether a change fits what limits it.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The verdict itself: `doesNotFit` if any reason says so, or else `notJudged` if there is any reason.
    pub result: VerdictResult,
    /// Why it does not fit, or why that is not judged, those that decide first; empty if it fits.
    pub reasons: Vec<Reason>,
}

/// What a verdict says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum VerdictResult {
    /// Everything that decides was looked at, and nothing is exceeded.
    #[default]
    Fits,
    /// Something that decides was not looked at.
    NotJudged,
    /// Something is exceeded, or never completes.
    DoesNotFit,
}

/// Why a change does not fit, or why that is not judged.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// What the reason is about.
    pub kind: ReasonKind,
    /// The object, as `Kind/namespace/name`; absent if it is about none.
    #[json(omitempty)]
    pub object: Option<String>,
    /// The object or the field in the arguments, like `new[1].spec.template.spec.nodeSelector`; absent if it is in none.
    #[json(omitempty)]
    pub path: Option<String>,
    /// The reason in one sentence.
    pub message: String,
}

/// What a reason is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum ReasonKind {
    /// A ResourceQuota is exceeded.
    Quota,
    /// Pods find no node.
    Pending,
    /// A rollout never completes, or a Job fails or never ends.
    Incomplete,
    /// Some order of events exceeds a ResourceQuota, or never completes a rollout.
    Worst,
    /// A limit of the caller's own is exceeded, such as one of the command line's `--fail-on`.
    Condition,
    /// A document could not be read or was refused, and was left out.
    NotRead,
    /// A workload is in the old manifests only, and may be deleted.
    RemovedWorkload,
    /// A workload that is not modeled changes.
    NotModeledWorkload,
    /// A field decides, and is not modeled.
    NotModeledField,
    /// No object is in the namespace of a ResourceQuota.
    UnmatchedQuota,
    /// The simulation stopped early.
    CutShort,
    /// There is no workload to predict.
    NoWorkload,
    /// No quota and no nodes were given.
    NoLimit,
}

impl ReasonKind {
    /// The verdict that such a reason alone leads to.
    pub const fn result(self) -> VerdictResult {
        match self {
            Self::Quota | Self::Pending | Self::Incomplete | Self::Worst | Self::Condition => VerdictResult::DoesNotFit,
            Self::NotRead
            | Self::RemovedWorkload
            | Self::NotModeledWorkload
            | Self::NotModeledField
            | Self::UnmatchedQuota
            | Self::CutShort
            | Self::NoWorkload
            | Self::NoLimit => VerdictResult::NotJudged,
        }
    }

    /// Whether there is nothing to judge, or nothing to judge it by, although nothing was overlooked.
    pub const fn is_without_question(self) -> bool {
        matches!(self, Self::NoWorkload | Self::NoLimit)
    }
}

impl Reason {
    /// A reason without an object and a path.
    pub const fn new(kind: ReasonKind, message: String) -> Self {
        Self { kind, object: None, path: None, message }
    }

    /// The reason, about an object, as `Kind/namespace/name`.
    #[must_use]
    pub fn about(self, object: String) -> Self {
        Self { object: Some(object), ..self }
    }

    /// The reason, with the place of what it is about in the arguments.
    #[must_use]
    pub fn at(self, path: String) -> Self {
        Self { path: Some(path), ..self }
    }

    /// That a field decides which is not modeled.
    pub(super) fn not_modeled_field(field: &NotModeled) -> Self {
        let message = format!("{}: {}.", field.field().unwrap_or_default(), field.reason);
        Self::new(ReasonKind::NotModeledField, message).about(field.object()).at(field.path.clone())
    }
}

impl Verdict {
    /// The verdict that these reasons lead to.
    pub fn of(mut reasons: Vec<Reason>) -> Self {
        reasons.sort_by_key(|reason| reason.kind);
        let result = reasons.iter().map(|reason| reason.kind.result()).max().unwrap_or_default();
        Self { result, reasons }
    }

    /// The verdict on a prediction, for which these reasons are known already.
    pub(super) fn on(prediction: &Prediction, mut reasons: Vec<Reason>) -> Self {
        reasons.extend(prediction.quotas.iter().flat_map(of_quota));
        reasons.extend(prediction.workloads.iter().flat_map(of_workload));
        reasons.extend(prediction.jobs.iter().filter_map(of_job));
        let staying = prediction.pending.iter().flatten().filter(|pods| pods.stay > 0);
        reasons.extend(staying.map(|pods| {
            let object = pods.workload.clone().unwrap_or_else(|| format!("Namespace/{}", pods.namespace));
            let message = format!("Pods find no node: {}.", pods.message.trim_end_matches('.'));
            Reason::new(ReasonKind::Pending, message).about(object)
        }));
        reasons
            .extend(prediction.not_modeled.iter().filter(|left| left.field().is_some()).map(Reason::not_modeled_field));
        if prediction.end.reason != EndReason::Quiet {
            let message = format!("The simulation stopped early: {}.", prediction.end.message.trim_end_matches('.'));
            reasons.push(Reason::new(ReasonKind::CutShort, message));
        }
        let has_nothing = prediction.workloads.is_empty() && prediction.jobs.is_empty();
        if has_nothing && prediction.estimates.is_empty() {
            let message = String::from("There is no Deployment and no Job.");
            reasons.push(Reason::new(ReasonKind::NoWorkload, message));
        } else if prediction.quotas.is_empty() && prediction.pending.is_none() {
            reasons.push(Reason::new(ReasonKind::NoLimit, String::from("No quota and no nodes were given.")));
        }
        Self::of(reasons)
    }
}

fn of_quota(quota: &QuotaPrediction) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let object = format!("ResourceQuota/{}/{}", quota.namespace, quota.name);
    let about = |kind, message| Reason::new(kind, message).about(object.clone());
    for exceeded in &quota.today.exceeded {
        let message = format!("{}: {} needed, {} allowed.", exceeded.resource, exceeded.needed, exceeded.hard);
        reasons.push(about(ReasonKind::Quota, message));
    }
    if let Some(missing) = &quota.today.unspecified {
        reasons.push(about(ReasonKind::Quota, format!("Pods must specify {missing}.")));
    }
    if let Some(refusals) = quota.refusals.as_ref().filter(|_| quota.today.fits) {
        reasons.push(about(ReasonKind::Quota, format!("The API server refuses pods: {}.", refusals.message)));
    }
    let is_known = |resource: &str| quota.today.exceeded.iter().any(|exceeded| exceeded.resource == resource);
    for exceeded in quota.worst.iter().flat_map(|worst| &worst.exceeded).filter(|worst| !is_known(&worst.resource)) {
        let message = format!("{}: {} needed in the worst order of events.", exceeded.resource, exceeded.needed);
        reasons.push(about(ReasonKind::Worst, message));
    }
    reasons
}

fn of_workload(workload: &WorkloadPrediction) -> Option<Reason> {
    let object = format!("{}/{}/{}", workload.kind, workload.namespace, workload.name);
    let outcome = workload.with_quotas.as_ref().unwrap_or(&workload.today);
    let never_in_some_order = workload.worst.as_ref().is_some_and(|worst| worst.today.always_completes == Some(false));
    let (kind, message) = match outcome.complete {
        None => (ReasonKind::Incomplete, "The rollout never completes."),
        Some(_) if never_in_some_order => (ReasonKind::Worst, "In some order of events, the rollout never completes."),
        Some(_) => return None,
    };
    Some(Reason::new(kind, String::from(message)).about(object))
}

fn of_job(job: &JobPrediction) -> Option<Reason> {
    let JobOutcome { waits, condition, finished, .. } = job.with_quotas.as_ref().unwrap_or(&job.today);
    let message = match finished {
        Some(_) if condition.as_deref() == Some("Failed") => "The Job fails.",
        None if !waits => "The Job never ends.",
        _ => return None,
    };
    let object = format!("Job/{}/{}", job.namespace, job.name);
    Some(Reason::new(ReasonKind::Incomplete, String::from(message)).about(object))
}
