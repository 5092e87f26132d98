//! The operations, named after upstream's functions; one file for each family.

mod apiserver;
mod cron_job;
mod daemon_set;
mod deployment;
mod job;
mod pod;
mod pod_template;
mod policy;
mod replica_set;
mod scheduler;
mod stateful_set;
mod timeline;
mod ttl_after_finished;

use serde_json::{Map, Value};

use crate::case::Case;
use crate::explained::Explained;

pub use timeline::timeline;

/// The result of an operation.
pub struct Outcome {
    /// All keys that a case can expect.
    pub got: Map<String, Value>,
    /// The core's hash of the template, for which `$HASH` stands.
    pub hash: Option<String>,
    /// The decisions that were made.
    pub explained: Vec<Explained>,
}

/// Runs a case. An error means that the operation can't read the case's input.
pub type Op = fn(&Case) -> Result<Outcome, String>;

const FAMILIES: &[&[(&str, Op)]] = &[
    apiserver::OPS,
    cron_job::OPS,
    daemon_set::OPS,
    deployment::OPS,
    job::OPS,
    pod::OPS,
    pod_template::OPS,
    policy::OPS,
    replica_set::OPS,
    scheduler::OPS,
    stateful_set::OPS,
    timeline::OPS,
    ttl_after_finished::OPS,
];

/// The operation with this name, if the core has it.
pub fn find(name: &str) -> Option<Op> {
    FAMILIES.iter().copied().flatten().find(|(known, _)| *known == name).map(|(_, op)| *op)
}

/// The names of all operations.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().copied().flatten().map(|(name, _)| *name)
}

impl Outcome {
    /// An outcome without hashes.
    #[expect(clippy::unnecessary_wraps, reason = "what operations return")]
    fn new<const N: usize>(got: [(&str, Value); N]) -> Result<Self, String> {
        let got = got.into_iter().map(|(key, value)| (key.into(), value)).collect();
        Ok(Self { got, hash: None, explained: Vec::new() })
    }
}

/// An error in the form that cases expect: its text, or null.
fn error_of<T, E: ToString>(result: &Result<T, E>) -> Value {
    result.as_ref().err().map(ToString::to_string).into()
}
