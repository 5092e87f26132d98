//! The order in which a workload deletes pods, with the reason for each.

use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::ranking::why;
use super::{Clause, OperandSource, Sibling};
use crate::controller::rank::Comparison;
use crate::deletion_order::{DeletionReason, OrderedPod};
use crate::json::ToJson;
use crate::object::Time;
use crate::workload::job::decision::WrongIndex;

/// The version of the report's format.
const VERSION: u32 = 2;

/// The order in which a ReplicaSet or a Job deletes its active pods.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RankReport {
    /// The version of this format: 2.
    pub version: u32,
    /// When the pods were compared, as in RFC 3339.
    pub now: String,
    /// The active pods, the first to be deleted first.
    pub pods: Vec<RankedPod>,
}

impl RankReport {
    /// Explains an order of deletion at this time.
    pub fn new(order: Vec<OrderedPod>, now: Time) -> Self {
        Self { version: VERSION, now: now.to_string(), pods: explain_deletion_order(order) }
    }
}

/// A pod's position in the order of deletion.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RankedPod {
    /// The pod's position in the list of objects that was given.
    pub index: usize,
    /// The pod's name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub name: Rc<str>,
    /// Whether the pod is among those that are deleted.
    pub deleted: bool,
    /// The comparison with the next pod; absent where `why` is, for a pod of a Job that goes because of its index, and for the pods of a
    /// StatefulSet.
    #[json(omitempty)]
    pub decided: Option<Comparison>,
    /// Why this pod goes before the next one, as the end of a sentence about it; absent for the last pod, and where a
    /// ReplicaSet deletes all of its pods.
    #[json(omitempty)]
    pub why: Option<String>,
}

/// Explains an order of deletion.
pub fn explain_deletion_order(order: Vec<OrderedPod>) -> Vec<RankedPod> {
    let next_names: Vec<_> = order.iter().skip(1).map(|next| next.name.clone()).collect();
    let next_names = next_names.iter().map(|name| &**name).chain([""]);
    let ranked = order.into_iter().zip(next_names).map(|(OrderedPod { index, name, deleted, because }, next)| {
        let (decided, why) = match because {
            Some(DeletionReason::Compared(decided)) => {
                let why = why(&decided, next);
                (Some(decided), Some(why))
            }
            Some(DeletionReason::WrongIndex(wrong)) => (None, Some(WrongIndexClause::new(&wrong).phrase().words())),
            Some(DeletionReason::HigherOrdinal { ordinal, next: other }) => {
                (None, Some(OrdinalClause::Higher { ordinal, other }.phrase().words()))
            }
            Some(DeletionReason::UnwantedOrdinal(ordinal)) => {
                (None, Some(OrdinalClause::Unwanted { ordinal }.phrase().words()))
            }
            None => (None, None),
        };
        RankedPod { index, name, deleted, decided, why }
    });
    ranked.collect()
}

const INDEX: OperandSource = OperandSource::new("the completion index of the pod");

/// What is wrong with the index of a pod of a Job.
#[derive(Clone, Copy, Clause)]
pub(super) enum WrongIndexClause<'a> {
    #[clause("since {other} also has index {index}")]
    Duplicate {
        #[operand(source = "the pod that stays")]
        other: Sibling<'a>,
        #[operand(INDEX)]
        index: i64,
    },
    #[clause("since its index is {index}, but the Job only has indexes below {completions}")]
    TooLarge {
        #[operand(source = "spec.completions of the Job")]
        completions: i32,
        #[operand(INDEX)]
        index: i64,
    },
    #[clause("since it has no completion index")]
    Missing,
}

const ORDINAL: OperandSource = OperandSource::new("the ordinal of the pod");

/// Why a StatefulSet deletes a pod before others.
#[derive(Clone, Copy, Clause)]
pub(super) enum OrdinalClause {
    #[clause("since its ordinal, {ordinal}, is higher than {other}")]
    Higher {
        #[operand(ORDINAL)]
        ordinal: i32,
        #[operand(source = "the ordinal of the next pod")]
        other: i32,
    },
    #[clause("since the StatefulSet no longer wants a pod with the ordinal {ordinal}")]
    Unwanted {
        #[operand(ORDINAL)]
        ordinal: i32,
    },
}

impl<'a> WrongIndexClause<'a> {
    fn new(wrong: &'a WrongIndex) -> Self {
        match wrong {
            WrongIndex::Duplicate { index, chosen } => Self::Duplicate { other: Sibling(&chosen.stays), index: *index },
            WrongIndex::TooLarge { index, completions } => Self::TooLarge { completions: *completions, index: *index },
            WrongIndex::Missing => Self::Missing,
        }
    }
}
