//! Explains decisions, and what is not a decision: rankings of pods, and the steps of an order of events.

mod catalog;
mod ranked_pods;
pub mod ranking;
mod worst_case;

use crate::cluster::{Actor, Step};
pub use crate::rule::{
    Clause, ClauseText, Mark, Operand, OperandValue, Phrase, Piece, Reason, RuleText, Segment, Template, ToOperand,
};
use crate::rule::{OperandSource, Sibling};

pub use catalog::{all, clauses};
pub use ranked_pods::{RankedPod, explain_deletion_order};
pub use worst_case::{explain_order, explain_timed_order};

impl Actor {
    /// Its name at the start of a line; the user is the reader.
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "You",
            Self::DeploymentController => "Deployment controller",
            Self::ReplicaSetController => "ReplicaSet controller",
            Self::JobController => "Job controller",
            Self::CronJobController => "CronJob controller",
            Self::TtlAfterFinishedController => "TTL controller",
            Self::Scheduler => "Scheduler",
            Self::Kubelet => "Kubelet",
            Self::GarbageCollector => "Garbage collector",
            Self::NodeLifecycleController => "Node controller",
            Self::TaintEvictionController => "Taint eviction",
            Self::PodGarbageCollector => "Pod garbage collector",
            Self::ClusterAutoscaler => "Cluster autoscaler",
            Self::AttachDetachController => "Volume controller",
        }
    }
}

impl Step {
    /// The decision behind it, explained.
    pub fn reason(&self) -> Reason {
        self.decision.reason()
    }
}
