//! Explains decisions, and what is not a decision: rankings of pods, and the steps of an order of events.

mod catalog;
mod ranked_pods;
pub mod ranking;
mod worst_case;

use crate::cluster::Step;
pub use crate::rule::{
    Clause, ClauseText, Mark, Operand, OperandValue, Phrase, Piece, Reason, RuleText, Segment, Template, ToOperand,
};
use crate::rule::{OperandSource, Sibling};

pub use catalog::{all, clauses};
pub use ranked_pods::{RankedPod, explain_deletion_order};
pub use worst_case::{explain_order, explain_timed_order};

impl Step {
    /// The decision behind it, explained.
    pub fn reason(&self) -> Reason {
        self.decision.reason()
    }
}
