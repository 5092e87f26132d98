//! The verdict on a change: it fits, it does not fit, or that is not judged.

use alloc::string::String;
use alloc::vec::Vec;

use crate::json::ToJson;

/// Whether a change fits what limits it.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PredictionVerdict"))]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// The verdict itself: `doesNotFit` if any reason says so, or else `notJudged` if there is any reason.
    pub result: VerdictResult,
    /// Why it does not fit, or why that is not judged, those that decide first; empty if it fits.
    pub reasons: Vec<Reason>,
    /// The defaults of assumptions each of which decides alone that it does not fit: with another value, it may.
    pub defaults: Vec<DecidingDefault>,
}

/// A default of an assumption that decides a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum DecidingDefault {
    /// The containers of a pod answer 5 seconds after its creation.
    ReadyAfter,
    /// Pods take their whole grace period to stop.
    StopAfter,
    /// The pods of a Job run 10 seconds.
    RunFor,
    /// All rollouts start together.
    Concurrent,
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VerdictReason"))]
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
    /// Pods go because the change brings more important ones.
    Preempted,
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
    /// With the `maxReplicas` of a Deployment's autoscaler, the change does not fit.
    AutoscaledReplicas,
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
            Self::Quota | Self::Pending | Self::Preempted | Self::Incomplete | Self::Worst | Self::Condition => {
                VerdictResult::DoesNotFit
            }
            Self::NotRead
            | Self::RemovedWorkload
            | Self::NotModeledWorkload
            | Self::NotModeledField
            | Self::AutoscaledReplicas
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
}

impl Verdict {
    /// The verdict that these reasons lead to.
    pub fn of(mut reasons: Vec<Reason>) -> Self {
        reasons.sort_by_key(|reason| reason.kind);
        let result = reasons.iter().map(|reason| reason.kind.result()).max().unwrap_or_default();
        Self { result, reasons, defaults: Vec::new() }
    }
}
