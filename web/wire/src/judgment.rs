//! Whether a change fits what limits it.

use serde::{Deserialize, Serialize};

/// The verdict of a prediction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Judgment {
    /// What it says.
    pub result: JudgmentResult,
    /// What was looked at, such as `ResourceQuota team`; empty if nothing limits the change.
    pub checked: String,
    /// Why it does not fit, or why that is not judged, a sentence each; empty if it fits.
    pub reasons: Vec<String>,
    /// What is wrong with or without the change, a sentence each.
    pub unrelated: Vec<String>,
}

/// What a verdict says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JudgmentResult {
    /// Everything that decides was looked at, and nothing is exceeded.
    Fits,
    /// Something that decides was not looked at.
    NotJudged,
    /// Something is exceeded, or never completes.
    DoesNotFit,
}
