//! Where operands that several rules have come from.

use super::Mark::{Available, Desired, Limit, MinAvailable, ReplicaSet, Terminating, Total};
use super::Source;

pub(super) const DEPLOYMENT_NAME: Source = Source::new("the Deployment");
pub(super) const REPLICA_SET_NAME: Source = Source::marked("the ReplicaSet", ReplicaSet);
pub(super) const JOB_NAME: Source = Source::new("the Job");
pub(super) const CRON_JOB_NAME: Source = Source::new("the CronJob");
pub(super) const POD_NAME: Source = Source::new("the pod");
pub(super) const NODE_NAME: Source = Source::new("the node");

pub(super) const DESIRED: Source = Source::marked("spec.replicas of the Deployment", Desired);
pub(super) const LIMIT: Source = Source::marked("spec.replicas + maxSurge", Limit);
pub(super) const WANTED: Source = Source::marked("sum of spec.replicas of all ReplicaSets", Total);
pub(super) const HELD: Source = Source::marked("max(spec.replicas, status.replicas) of each ReplicaSet", Total);
pub(super) const TERMINATING: Source =
    Source::marked("sum of status.terminatingReplicas of all ReplicaSets", Terminating);
pub(super) const TAKEN: Source = Source::marked("held + terminating", Total);
pub(super) const SURPLUS: Source = Source::marked("pods beyond spec.replicas that are not deleted yet", Total);
pub(super) const MIN_AVAILABLE: Source = Source::marked("spec.replicas − maxUnavailable", MinAvailable);
pub(super) const ALL_AVAILABLE: Source =
    Source::marked("sum of status.availableReplicas of all ReplicaSets", Available);
pub(super) const REVISION: Source = Source::new("annotation deployment.kubernetes.io/revision of the ReplicaSet");
pub(super) const DEADLINE: Source = Source::new("spec.progressDeadlineSeconds of the Deployment");
