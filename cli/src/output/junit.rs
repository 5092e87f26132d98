//! A report in JUnit's XML: a test case for each workload, each Job and each quota.

use crate::finding::{Finding, Job, Workload};
use crate::predict::Report;

/// A prediction.
pub fn predict(report: &Report<'_>) -> String {
    let prediction = &report.predicted.prediction;
    let workloads = report.workloads.iter().map(Workload::object).chain(report.jobs.iter().map(Job::object));
    let quotas = prediction.quotas.iter().map(|quota| format!("ResourceQuota/{}/{}", quota.namespace, quota.name));
    let mut objects: Vec<String> = workloads.chain(quotas).collect();
    let others = report.findings.iter().map(|finding| &finding.object).filter(|object| !objects.contains(object));
    let others: Vec<String> = others.cloned().collect();
    objects.extend(others);
    objects.dedup();
    let findings_of =
        |object: &str| -> Vec<&Finding> { report.findings.iter().filter(|finding| finding.object == object).collect() };
    let failures = objects.iter().filter(|object| !findings_of(object).is_empty()).count();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  \
         <testsuite name=\"changeover predict\" tests=\"{}\" failures=\"{failures}\">\n",
        objects.len()
    );
    for object in &objects {
        let findings = findings_of(object);
        let name = escaped(object);
        if findings.is_empty() {
            text.push_str(&format!("    <testcase classname=\"changeover.predict\" name=\"{name}\"/>\n"));
            continue;
        }
        let messages: Vec<String> =
            findings.iter().map(|finding| escaped(finding.message.trim_end_matches('.'))).collect();
        text.push_str(&format!(
            "    <testcase classname=\"changeover.predict\" name=\"{name}\">\n      <failure message=\"{}\"/>\n    \
             </testcase>\n",
            messages.join("; ")
        ));
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

/// A text as the content of an element or an attribute.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\n', " ")
}
