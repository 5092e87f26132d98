//! Answers for programs.

use changeover_core::json::ToJson;
use changeover_core::prediction::Prediction;

use crate::documents::LeftOut;
use crate::finding::Finding;
use crate::report::Report;

/// The version of the reports' format.
const VERSION: u32 = 1;

/// What `changeover predict -o json` prints.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct PredictReport {
    /// The version of this format: 1.
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
    print(&PredictReport {
        version: VERSION,
        findings: report.findings.to_vec(),
        left_out: report.inputs.left_out.clone(),
        prediction: report.predicted.prediction.clone(),
    })
}

/// A value as indented JSON text.
pub fn print(value: &dyn ToJson) -> String {
    format!("{:#}\n", value.to_json())
}
