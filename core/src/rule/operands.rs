//! Where operands that several rules have come from.

use super::Mark::{Available, Desired, Limit, MinAvailable, ReplicaSet, Terminating, Total};
use super::OperandSource;

pub(crate) const DEPLOYMENT_NAME: OperandSource = OperandSource::new("the Deployment");
pub(crate) const REPLICA_SET_NAME: OperandSource = OperandSource::marked("the ReplicaSet", ReplicaSet);
pub(crate) const JOB_NAME: OperandSource = OperandSource::new("the Job");
pub(crate) const CRON_JOB_NAME: OperandSource = OperandSource::new("the CronJob");
pub(crate) const POD_NAME: OperandSource = OperandSource::new("the pod");
pub(crate) const NODE_NAME: OperandSource = OperandSource::new("the node");

pub(crate) const DESIRED: OperandSource = OperandSource::marked("spec.replicas of the Deployment", Desired);
pub(crate) const LIMIT: OperandSource = OperandSource::marked("spec.replicas + maxSurge", Limit);
pub(crate) const WANTED: OperandSource = OperandSource::marked("sum of spec.replicas of all ReplicaSets", Total);
pub(crate) const HELD: OperandSource =
    OperandSource::marked("max(spec.replicas, status.replicas) of each ReplicaSet", Total);
pub(crate) const TERMINATING: OperandSource =
    OperandSource::marked("sum of status.terminatingReplicas of all ReplicaSets", Terminating);
pub(crate) const TAKEN: OperandSource = OperandSource::marked("held + terminating", Total);
pub(crate) const SURPLUS: OperandSource =
    OperandSource::marked("pods beyond spec.replicas that are not deleted yet", Total);
pub(crate) const MIN_AVAILABLE: OperandSource = OperandSource::marked("spec.replicas − maxUnavailable", MinAvailable);
pub(crate) const ALL_AVAILABLE: OperandSource =
    OperandSource::marked("sum of status.availableReplicas of all ReplicaSets", Available);
pub(crate) const REVISION: OperandSource =
    OperandSource::new("annotation deployment.kubernetes.io/revision of the ReplicaSet");
pub(crate) const DEADLINE: OperandSource = OperandSource::new("spec.progressDeadlineSeconds of the Deployment");
