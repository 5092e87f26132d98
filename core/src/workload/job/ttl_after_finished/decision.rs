//! What the TTL-after-finished controller decides.
#![expect(missing_docs, reason = "the source of an operand says what its field is")]

use alloc::rc::Rc;

use changeover_derive::Decision;

use crate::object::{Duration, Time};
#[cfg(feature = "explain")]
use crate::workload::job::decision::JOB_NAME;

/// A decision of the TTL-after-finished controller.
#[derive(Clone, Debug, PartialEq, Eq, Decision)]
#[decision(subject)]
pub enum Decision {
    /// A Job has ended long enough ago.
    #[rule(
        id = "ttl.delete",
        upstream = "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processJob",
        sentence = "{job} is deleted with its pods: it ended at {finished}, and its ttlSecondsAfterFinished is {ttl}.",
        formula = ["now ≥ {finished} + {ttl}s"],
    )]
    Delete {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "when its condition Complete or Failed became true")]
        finished: Time,
        #[operand(source = "its spec.ttlSecondsAfterFinished")]
        ttl: i32,
    },
    /// A Job has ended, and stays for now.
    #[rule(
        id = "ttl.wait",
        upstream = "pkg/controller/ttlafterfinished/ttlafterfinished_controller.go processTTL",
        sentence = "{job} stays for another {left}: its ttlSecondsAfterFinished is {ttl}."
    )]
    Wait {
        #[operand(JOB_NAME)]
        #[subject]
        job: Rc<str>,
        #[operand(source = "its spec.ttlSecondsAfterFinished")]
        ttl: i32,
        #[operand(source = "the rest of that time")]
        #[left]
        left: Duration,
    },
}
