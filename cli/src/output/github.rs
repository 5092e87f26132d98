//! Annotations of GitHub Actions, on the lines of the manifests.
//!
//! Ported from `github.com/actions/toolkit` (MIT, see NOTICE).

use changeover_core::foreign_text::isolated;
use changeover_core::prediction::{Prediction, QuotaPrediction, VerdictResult, WorkloadPrediction};

use super::phrases::{self, Names};
use crate::finding::{Finding, FindingKind};
use crate::manifests::STDIN_NAME;
use crate::report::{Inputs, Report};

/// What a finding is about in a manifest: the settings that decide how many pods there are, or what is nearest to them.
fn deciding_field(object: &str) -> &'static str {
    if object.starts_with("Job/") { "spec.parallelism" } else { "spec.strategy" }
}

/// A prediction.
pub fn predict(report: &Report<'_>) -> String {
    let prediction = &report.predicted.prediction;
    let names = Names::of(prediction);
    let level = match report.verdict.result {
        _ if report.fails() => "error",
        VerdictResult::DoesNotFit => "warning",
        VerdictResult::Fits | VerdictResult::NotJudged => "notice",
    };
    let mut text = command(level, None, &phrases::marked_verdict(report));
    for finding in report.findings {
        let message = phrases::finding(finding, names);
        if let Finding { condition: FindingKind::Refused, file, line, column, fails, .. } = finding {
            let position = file.as_deref().map(|file| (file, line.unwrap_or(1), column.unwrap_or(1)));
            text.push_str(&command(if *fails { "error" } else { "warning" }, position, &message));
            continue;
        }
        // The changed manifests ask for too much, so they get the annotation, not the quota.
        let quota = prediction.quotas.iter().find(|quota| finding.object == quota.object());
        // A red mark is for what fails the step.
        let level = if finding.fails { "error" } else { "warning" };
        let asking = quota.map(|quota| asking(quota, prediction)).unwrap_or_default();
        let objects = if asking.is_empty() { vec![finding.object.clone()] } else { asking };
        for object in objects {
            text.push_str(&annotation(level, report.inputs, &object, &message));
        }
    }
    for warning in report.other_warnings() {
        let message = format!("{}: {}", names.object(&warning.object), warning.message);
        text.push_str(&annotation("warning", report.inputs, &warning.object, &message));
    }
    text
}

/// Which workloads ask a quota for too much: those that it refuses, or, where only another order of events exceeds it, those that change.
fn asking(quota: &QuotaPrediction, prediction: &Prediction) -> Vec<String> {
    if let Some(refusals) = &quota.refusals {
        return refusals.workloads.clone();
    }
    let is_asking = |workload: &&WorkloadPrediction| workload.change.is_some() && workload.namespace == quota.namespace;
    let workloads = prediction.workloads.iter().filter(is_asking);
    workloads.map(|WorkloadPrediction { kind, namespace, name, .. }| format!("{kind}/{namespace}/{name}")).collect()
}

fn annotation(level: &str, inputs: &Inputs, object: &str, message: &str) -> String {
    let position = inputs.manifest_of(object).and_then(|manifest| manifest.position(deciding_field(object)));
    command(level, position.map(|(file, position)| (file, position.line, position.column)), message)
}

/// A command of the workflow that annotates a file, line and column. Standard input is no file of the repository.
pub fn command(level: &str, position: Option<(&str, usize, usize)>, message: &str) -> String {
    let at = position
        .filter(|(file, ..)| *file != STDIN_NAME)
        .map_or_else(String::new, |(file, line, column)| format!("file={},line={line},col={column},", property(file)));
    format!("::{level} {at}title=changeover::{}\n", data(&isolated(message)))
}

/// Upstream: `github.com/actions/toolkit/packages/core/src/command.ts escapeData`
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Upstream: `github.com/actions/toolkit/packages/core/src/command.ts escapeProperty`
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
