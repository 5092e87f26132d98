//! Explains decisions, and what is not a decision: rankings of pods, and the steps of an order of events.
//!
//! # Examples
//!
//! A [`Reason`] is a rule with the numbers of one decision:
//!
//! ```
//! use changeover_core::cluster::decision::UserDecision;
//! use changeover_core::object::{Kind, ObjectKey};
//!
//! let object = ObjectKey::new(Kind::Deployment, "default", "web");
//! let reason = UserDecision::Scale { object, replicas: 6 }.reason();
//! assert_eq!(reason.rule.id, "user.scale");
//! assert_eq!(reason.sentence(), "You scale Deployment web to 6.");
//! ```
//!
//! [`all`] lists the rules, each with its sentence, its formula, and the upstream function that decides so:
//!
//! ```
//! use changeover_core::explain::all;
//!
//! let rule = all().find(|rule| rule.id == "deployment.new.up").expect("a rule of the Deployment controller");
//! assert!(rule.upstream.iter().any(|function| function.contains("pkg/controller/deployment")));
//! ```

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
pub use ranked_pods::{RankReport, RankedPod, explain_deletion_order};
pub(crate) use worst_case::{explain_order, explain_timed_order};

impl Step {
    /// The decision behind it, explained.
    pub fn reason(&self) -> Reason {
        self.decision.reason()
    }
}
