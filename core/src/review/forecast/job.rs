//! The most pods at once of a Job that changes while it runs: pods that terminate hold their resources beside those that
//! replace them, unless the Job's policy waits for their end.
//!
//! It starts from the counts and completed indexes of the status, and assumes that no pod fails or is evicted in the meantime.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::semantic_equal;
use crate::controller::job::OrderedIntervals;
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
    /// How many active pods keep their indexes at least.
    with_valid_index: i64,
}

impl Pods {
    /// The most at once. Pods that are too many terminate, and none replaces them, unless the others have indexes that the
    /// Job no longer has.
    fn peak(&self, policy: &str) -> i64 {
        let Self { active, terminating, wanted, with_valid_index } = *self;
        if policy == FAILED {
            wanted.max(active.saturating_add(terminating))
        } else {
            let new = wanted.saturating_sub(with_valid_index).max(0);
            active.saturating_add(new).saturating_add(terminating)
        }
    }

    /// What to say of that number. The status doesn't say which indexes the active pods have.
    fn sentence(&self, policy: &str) -> String {
        let is_bound = policy != FAILED && self.with_valid_index < self.active.min(self.wanted);
        format!("peak {}{}", if is_bound { "at most " } else { "" }, self.peak(policy))
    }
}

/// How many of the active pods have an index that the Job still has, at least: they have the first indexes that were free
/// when they were created. Under the policy Failed, terminating pods held indexes, so if there are fewer completions now,
/// as many active pods may have indexes beyond them.
fn with_valid_index(old: &Value, new: &Value, policy: &str, active: i64, terminating: i64, wanted: i64) -> i64 {
    let completions = |spec: &Value| integer(spec, "completions");
    let valid = if policy == FAILED && completions(new) < completions(old) {
        wanted.saturating_sub(terminating).max(0)
    } else {
        wanted
    };
    active.min(valid)
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
    let old_spec = field(old, "spec").unwrap_or(&Value::Null);
    // A manifest that was never in a cluster has no status.
    let is_known = status.as_object().is_some_and(|status| !status.is_empty());
    let active = if is_known { count("active") } else { wanted(old_spec, 0, i64::MAX) };
    let wanted = wanted(spec, succeeded(spec, status), active);
    let terminating = count("terminating");
    let parallelism = match is_suspended(spec) {
        true => String::from("suspended"),
        false => format!("parallelism {}", parallelism(spec)),
    };
    let terminating_now = match terminating {
        0 => String::new(),
        terminating => format!(", {terminating} terminating now"),
    };
    let has_failure_policy = field(spec, "podFailurePolicy").is_some();
    let (policy, other) = match string(spec, "podReplacementPolicy") {
        FAILED => (FAILED, TERMINATING_OR_FAILED),
        "" if has_failure_policy => (FAILED, TERMINATING_OR_FAILED),
        _ => (TERMINATING_OR_FAILED, FAILED),
    };
    let with_valid_index = with_valid_index(old_spec, spec, policy, active, terminating, wanted);
    let pods = Pods { active, terminating, wanted, with_valid_index };
    let mut sentences = Vec::from([format!("job: {} pods ({parallelism}){terminating_now}", pods.sentence(policy))]);
    // A podFailurePolicy goes with one policy only.
    if !has_failure_policy {
        sentences.push(format!("with {other}: {}", pods.sentence(other)));
    }
    sentences
}

/// How many pods or indexes of the changed Job have succeeded.
fn succeeded(spec: &Value, status: &Value) -> i64 {
    match (string(spec, "completionMode"), integer(spec, "completions")) {
        ("Indexed", Some(completions)) => {
            OrderedIntervals::parse(string(status, "completedIndexes"), completions).total()
        }
        _ => integer(status, "succeeded").unwrap_or_default().max(0),
    }
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
