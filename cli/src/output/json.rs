//! Answers for programs.

use changeover_core::json::ToJson;
use changeover_core::prediction::{Prediction, Verdict};
use serde_json::Value;

use crate::documents::LeftOut;
use crate::finding::Finding;
use crate::report::Report;

/// The version of the reports' format.
const VERSION: u32 = 3;

/// What `changeover predict -o json` prints.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PredictReport {
    /// The prediction's verdict, with the limits of `--fail-on`.
    pub verdict: Verdict,
    /// The version of this format: 3.
    pub version: u32,
    /// What does not fit, and what else `--fail-on` asks for. The exit code is 1 if one of these findings fails.
    pub findings: Vec<Finding>,
    /// The documents that are not used: refused ones, which are findings, and skipped ones.
    pub left_out: Vec<LeftOut>,
    /// The prediction, as the function `predict` of the npm package returns it.
    pub prediction: Prediction,
}

/// A prediction.
pub fn predict(report: &Report<'_>) -> String {
    let value = PredictReport {
        verdict: report.verdict.clone(),
        version: VERSION,
        findings: report.findings.to_vec(),
        left_out: report.inputs.left_out.clone(),
        prediction: report.predicted.prediction.clone(),
    }
    .to_json();
    verdict_first(value)
}

/// A report as indented JSON text, with its verdict first. Otherwise a value has its keys in the order of their names.
pub fn verdict_first(mut report: Value) -> String {
    let verdict = report.as_object_mut().and_then(|keys| keys.remove("verdict")).unwrap_or_default();
    let verdict = format!("{verdict:#}").replace('\n', "\n  ");
    let mut text = format!("{report:#}\n");
    text.insert_str("{".len(), &format!("\n  \"verdict\": {verdict},"));
    text
}

/// A value as indented JSON text.
pub fn print(value: &dyn ToJson) -> String {
    format!("{:#}\n", value.to_json())
}
