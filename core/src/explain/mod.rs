//! Explains decisions, and what is not a decision: rankings of pods, and the steps of an order of events.

mod catalog;
mod cluster;
mod cron_job;
mod deployment;
mod job;
mod ranked_pods;
pub mod ranking;
mod replica_set;
mod ttl_after_finished;
mod worst_case;

use crate::cluster::{Actor, Decision, Step};
use crate::controller;
pub use crate::rule::{
    Clause, ClauseText, Mark, Operand, OperandValue, Operands, Phrase, Piece, Reason, Rule, RuleText, Segment, Template,
};
use crate::rule::{OperandSource, Sibling, operands};

pub use catalog::{all, clauses};
pub use ranked_pods::{RankedPod, explain_deletion_order};
pub use worst_case::{explain_order, explain_timed_order};

/// Explains a decision.
pub fn explain(decision: &Decision) -> Reason {
    cluster::explain(decision)
}

/// Explains a controller's decision.
pub fn explain_controller(decision: &controller::Decision) -> Reason {
    match decision {
        controller::Decision::Deployment(decision) => deployment::explain(decision),
        controller::Decision::ReplicaSet(decision) => replica_set::explain(decision),
        controller::Decision::Job(decision) => job::explain(decision),
        controller::Decision::CronJob(decision) => cron_job::explain(decision),
        controller::Decision::TtlAfterFinished(decision) => ttl_after_finished::explain(decision),
    }
}

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
        explain(&self.decision)
    }
}
