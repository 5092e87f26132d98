//! Explains what the TTL-after-finished controller decides.

use super::operands::JOB_NAME;
use super::{Reason, Rule, RuleText};
use crate::controller::decision::ttl_after_finished::Decision;
use crate::object::Time;
use crate::scenario::Duration;

/// Explains a decision.
pub(super) fn explain(decision: &Decision) -> Reason {
    match decision {
        Decision::Delete { job, finished, ttl } => Delete { job, finished: *finished, ttl: *ttl }.reason(),
        Decision::Wait { job, ttl, left } => Wait { job, ttl: *ttl, left: Duration(*left) }.reason(),
    }
}

/// A Job has ended long enough ago.
#[derive(Rule)]
#[rule(
    id = "ttl.delete",
    upstream = "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processJob",
    sentence = "{job} is deleted with its pods: it ended at {finished}, and its ttlSecondsAfterFinished is {ttl}.",
    formula = ["now ≥ {finished} + {ttl}s"],
)]
struct Delete<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "when its condition Complete or Failed became true")]
    finished: Time,
    #[operand(source = "its spec.ttlSecondsAfterFinished")]
    ttl: i32,
}

/// A Job has ended, and stays for now.
#[derive(Rule)]
#[rule(
    id = "ttl.wait",
    upstream = "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processTTL",
    sentence = "{job} stays for another {left}: its ttlSecondsAfterFinished is {ttl}."
)]
struct Wait<'a> {
    #[operand(JOB_NAME)]
    job: &'a str,
    #[operand(source = "its spec.ttlSecondsAfterFinished")]
    ttl: i32,
    #[operand(source = "the rest of that time")]
    left: Duration,
}

/// All rules of this file.
pub(super) const ALL: &[&RuleText] = &[Delete::TEXT, Wait::TEXT];
