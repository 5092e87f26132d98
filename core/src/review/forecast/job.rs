//! The most pods at once of a Job that changes while it runs: pods that terminate hold their resources beside those that
//! replace them, unless the Job's policy waits for their end.
//!
//! It starts from the counts and completed indexes of the status, and assumes that no pod fails or is evicted in the meantime.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::apiserver::semantic_equal;
use crate::json::decode;
use crate::object::unstructured::{at, field, integer, string};
use crate::workload::job::controller::{OrderedIntervals, is_job_finished, wanted_pods};
use crate::workload::job::{Job, JobCondition, JobSpec, JobStatus};

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
    let old_spec = field(old, "spec").unwrap_or(&Value::Null);
    let job = |spec, succeeded| Job {
        spec: Rc::new(JobSpec {
            parallelism: count(spec, "parallelism"),
            completions: count(spec, "completions"),
            suspend: field(spec, "suspend").and_then(Value::as_bool),
            ..JobSpec::default()
        }),
        status: JobStatus { succeeded, conditions: conditions(status), ..JobStatus::default() },
        ..Job::default()
    };
    let changed = job(spec, succeeded(spec, status));
    if is_job_finished(&changed) {
        return Vec::new();
    }
    let counted = |key: &str| count(status, key).unwrap_or_default().max(0);
    // A manifest that was never in a cluster has no status.
    let is_known = status.as_object().is_some_and(|status| !status.is_empty());
    let active = if is_known { counted("active") } else { wanted_pods(&job(old_spec, 0), i32::MAX) };
    let wanted = wanted_pods(&changed, active);
    let (active, wanted, terminating) = (i64::from(active), i64::from(wanted), i64::from(counted("terminating")));
    let parallelism = match changed.spec.suspend {
        Some(true) => String::from("suspended"),
        _ => format!("parallelism {}", changed.spec.parallelism.unwrap_or(1)),
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
fn succeeded(spec: &Value, status: &Value) -> i32 {
    match (string(spec, "completionMode"), integer(spec, "completions")) {
        ("Indexed", Some(completions)) => {
            let total = OrderedIntervals::parse(string(status, "completedIndexes"), completions).total();
            i32::try_from(total).unwrap_or(i32::MAX)
        }
        _ => count(status, "succeeded").unwrap_or_default().max(0),
    }
}

fn count(map: &Value, key: &str) -> Option<i32> {
    i32::try_from(integer(map, key)?).ok()
}

fn conditions(status: &Value) -> Vec<JobCondition> {
    field(status, "conditions").and_then(|conditions| decode(conditions, "").ok()).unwrap_or_default()
}
