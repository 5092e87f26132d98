//! A report in JUnit's XML: a test case for the verdict, for each workload, each Job, each quota, and each other object that something is found
//! about.

use changeover_core::prediction::{QuotaPrediction, VerdictResult};

use super::phrases;
use crate::finding::{Finding, Job, Workload};
use crate::report::Report;

/// A prediction.
pub fn predict(report: &Report<'_>) -> String {
    let prediction = &report.predicted.prediction;
    let workloads = report.workloads.iter().map(Workload::object).chain(report.jobs.iter().map(Job::object));
    let quotas = prediction.quotas.iter().map(QuotaPrediction::object);
    let mut objects: Vec<String> = workloads.chain(quotas).collect();
    let found = report.findings.iter().map(|finding| &finding.object);
    let others = found.chain(report.other_warnings().map(|warning| &warning.object));
    let others: Vec<String> = others.filter(|object| !objects.contains(object)).cloned().collect();
    objects.extend(others);
    objects.dedup();
    let findings_of =
        |object: &str| -> Vec<&Finding> { report.findings.iter().filter(|finding| finding.object == object).collect() };
    let fails = |object: &&String| findings_of(object).iter().any(|finding| finding.fails);
    let failures = objects.iter().filter(fails).count().saturating_add(usize::from(report.fails()));
    let mut text = verdict(report);
    for object in &objects {
        let (failing, others): (Vec<&Finding>, Vec<&Finding>) =
            findings_of(object).into_iter().partition(|finding| finding.fails);
        let warnings = report.other_warnings().filter(|warning| warning.object == *object);
        let failing: Vec<&str> = failing.iter().map(|finding| finding.message.as_str()).collect();
        let others = others.iter().map(|finding| finding.message.as_str());
        let others: Vec<&str> = others.chain(warnings.map(|warning| warning.message.as_str())).collect();
        let name = if object.is_empty() { "input".to_owned() } else { escaped(object) };
        if failing.is_empty() && others.is_empty() {
            text.push_str(&format!("    <testcase classname=\"changeover.predict\" name=\"{name}\"/>\n"));
            continue;
        }
        text.push_str(&format!("    <testcase classname=\"changeover.predict\" name=\"{name}\">\n"));
        if !failing.is_empty() {
            text.push_str(&format!("      <failure message=\"{}\"/>\n", in_one_line(&failing)));
        }
        // What nothing fails on is no failure for a CI system, either.
        if !others.is_empty() {
            text.push_str(&format!("      <system-out>{}</system-out>\n", in_one_line(&others)));
        }
        text.push_str("    </testcase>\n");
    }
    let is_skipped = report.verdict.result == VerdictResult::NotJudged && !report.fails();
    let skipped = if is_skipped { " skipped=\"1\"" } else { "" };
    let tests = objects.len().saturating_add(1);
    suite(&format!("tests=\"{tests}\" failures=\"{failures}\"{skipped}"), &text)
}

/// The test case of the verdict, which comes first.
fn verdict(report: &Report<'_>) -> String {
    let message = escaped(&phrases::verdict(report));
    let outcome = match report.verdict.result {
        _ if report.fails() => format!("<failure message=\"{message}\"/>"),
        VerdictResult::NotJudged => format!("<skipped message=\"{message}\"/>"),
        VerdictResult::Fits | VerdictResult::DoesNotFit => format!("<system-out>{message}</system-out>"),
    };
    format!("    <testcase classname=\"changeover.predict\" name=\"verdict\">\n      {outcome}\n    </testcase>\n")
}

/// The report: its one suite, with these counts and test cases.
fn suite(counts: &str, cases: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  \
         <testsuite name=\"changeover predict\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

/// Sentences in one line.
fn in_one_line(sentences: &[&str]) -> String {
    let sentences: Vec<String> = sentences.iter().map(|sentence| escaped(sentence.trim_end_matches('.'))).collect();
    sentences.join("; ")
}

/// A text as the content of an element or an attribute.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\n', " ")
}
