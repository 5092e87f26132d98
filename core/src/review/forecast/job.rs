//! The most pods at once of a Job that changes while it runs: pods that terminate hold their resources beside those that
//! replace them, unless the Job's policy waits for their end.
//!
//! It starts from the counts of the status, and assumes that no pod fails or is evicted in the meantime.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::semantic_equal;
use crate::object::unstructured::{at, field, integer, list, string};

/// What bears on how many pods a Job wants.
const FIELDS: [&str; 3] = ["parallelism", "completions", "suspend"];

const TERMINATING_OR_FAILED: &str = "TerminatingOrFailed";
const FAILED: &str = "Failed";

/// The pods of a Job that changes.
struct Pods {
    active: i64,
    terminating: i64,
    wanted: i64,
}

impl Pods {
    /// The most at once. Pods that are too many terminate, and none replaces them.
    fn peak(&self, policy: &str) -> i64 {
        let Self { active, terminating, wanted } = *self;
        if policy == FAILED {
            wanted.max(active.saturating_add(terminating))
        } else {
            wanted.max(active).saturating_add(terminating)
        }
    }
}

/// A sentence for each policy that the Job may have; none if the number of its pods doesn't change.
pub(in crate::review) fn job_sentences(old: &Value, new: &Value) -> Vec<String> {
    let changed = |key: &&str| !semantic_equal(at(old, &["spec", key]), at(new, &["spec", key]));
    let (Some(spec), true) = (field(new, "spec"), FIELDS.iter().any(changed)) else { return Vec::new() };
    let status = field(old, "status").unwrap_or(&Value::Null);
    if is_finished(status) {
        return Vec::new();
    }
    let count = |key: &str| integer(status, key).unwrap_or_default().max(0);
    let succeeded = count("succeeded");
    // A manifest that was never in a cluster has no status.
    let is_known = status.as_object().is_some_and(|status| !status.is_empty());
    let before = field(old, "spec").map_or(0, |spec| wanted(spec, succeeded, i64::MAX));
    let active = if is_known { count("active") } else { before };
    let pods = Pods { active, terminating: count("terminating"), wanted: wanted(spec, succeeded, active) };
    let parallelism = match is_suspended(spec) {
        true => String::from("suspended"),
        false => format!("parallelism {}", parallelism(spec)),
    };
    let terminating = match pods.terminating {
        0 => String::new(),
        terminating => format!(", {terminating} terminating now"),
    };
    let has_failure_policy = field(spec, "podFailurePolicy").is_some();
    let (policy, other) = match string(spec, "podReplacementPolicy") {
        FAILED => (FAILED, TERMINATING_OR_FAILED),
        "" if has_failure_policy => (FAILED, TERMINATING_OR_FAILED),
        _ => (TERMINATING_OR_FAILED, FAILED),
    };
    let mut sentences = Vec::from([format!("job: peak {} pods ({parallelism}){terminating}", pods.peak(policy))]);
    // A podFailurePolicy goes with one policy only.
    if !has_failure_policy {
        sentences.push(format!("with {other}: peak {}", pods.peak(other)));
    }
    sentences
}

/// How many active pods a Job wants.
///
/// Upstream: `pkg/controller/job/job_controller.go Controller.manageJob`
fn wanted(spec: &Value, succeeded: i64, active: i64) -> i64 {
    let parallelism = parallelism(spec);
    match integer(spec, "completions") {
        _ if is_suspended(spec) => 0,
        Some(completions) => completions.saturating_sub(succeeded).clamp(0, parallelism.max(0)),
        None if succeeded > 0 => active.min(parallelism),
        None => parallelism,
    }
}

fn parallelism(spec: &Value) -> i64 {
    integer(spec, "parallelism").unwrap_or(1)
}

fn is_suspended(spec: &Value) -> bool {
    field(spec, "suspend").and_then(Value::as_bool) == Some(true)
}

fn is_finished(status: &Value) -> bool {
    let ends = |condition: &Value| {
        ["Complete", "Failed"].contains(&string(condition, "type")) && string(condition, "status") == "True"
    };
    list(status, "conditions").iter().any(ends)
}
