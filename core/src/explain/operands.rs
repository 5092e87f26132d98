//! Where operands that several rules have come from.

use super::Mark::{Available, Desired, Limit, MinAvailable, ReplicaSet, Terminating, Total};
use super::OperandSource;

pub(super) const DEPLOYMENT_NAME: OperandSource = OperandSource::new("the Deployment");
pub(super) const REPLICA_SET_NAME: OperandSource = OperandSource::marked("the ReplicaSet", ReplicaSet);
pub(super) const JOB_NAME: OperandSource = OperandSource::new("the Job");
pub(super) const CRON_JOB_NAME: OperandSource = OperandSource::new("the CronJob");
pub(super) const POD_NAME: OperandSource = OperandSource::new("the pod");
pub(super) const NODE_NAME: OperandSource = OperandSource::new("the node");

pub(super) const DESIRED: OperandSource = OperandSource::marked("spec.replicas of the Deployment", Desired);
pub(super) const LIMIT: OperandSource = OperandSource::marked("spec.replicas + maxSurge", Limit);
pub(super) const WANTED: OperandSource = OperandSource::marked("sum of spec.replicas of all ReplicaSets", Total);
pub(super) const HELD: OperandSource =
    OperandSource::marked("max(spec.replicas, status.replicas) of each ReplicaSet", Total);
pub(super) const TERMINATING: OperandSource =
    OperandSource::marked("sum of status.terminatingReplicas of all ReplicaSets", Terminating);
pub(super) const TAKEN: OperandSource = OperandSource::marked("held + terminating", Total);
pub(super) const SURPLUS: OperandSource =
    OperandSource::marked("pods beyond spec.replicas that are not deleted yet", Total);
pub(super) const MIN_AVAILABLE: OperandSource = OperandSource::marked("spec.replicas − maxUnavailable", MinAvailable);
pub(super) const ALL_AVAILABLE: OperandSource =
    OperandSource::marked("sum of status.availableReplicas of all ReplicaSets", Available);
pub(super) const REVISION: OperandSource =
    OperandSource::new("annotation deployment.kubernetes.io/revision of the ReplicaSet");
pub(super) const DEADLINE: OperandSource = OperandSource::new("spec.progressDeadlineSeconds of the Deployment");
