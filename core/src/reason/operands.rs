//! Operands that several rules use, each with where it comes from.

use super::Mark::{Available, Desired, Limit, MinAvailable, ReplicaSet, Terminating, Total};
use super::{Operand, marked, operand};

pub(super) static DEPLOYMENT: Operand = operand("deployment", "the Deployment");
pub(super) static REPLICA_SET: Operand = marked("replicaSet", "the ReplicaSet", ReplicaSet);
pub(super) static POD: Operand = operand("pod", "the pod");
pub(super) static NODE: Operand = operand("node", "the node");

pub(super) static FROM: Operand = marked("from", "its spec.replicas", ReplicaSet);
pub(super) static TO: Operand = marked("to", "what it wants now", ReplicaSet);
pub(super) static TO_DESIRED: Operand = marked("to", SPEC_REPLICAS, Desired);
pub(super) static SIZE: Operand = marked("size", "the pods it gets", ReplicaSet);
pub(super) static DESIRED: Operand = marked("desired", SPEC_REPLICAS, Desired);
pub(super) static LIMIT: Operand = marked("limit", "spec.replicas + maxSurge", Limit);
pub(super) static WANTED: Operand = marked("wanted", "sum of spec.replicas of all ReplicaSets", Total);
pub(super) static HELD: Operand = marked("held", "max(spec.replicas, status.replicas) of each ReplicaSet", Total);
pub(super) static TERMINATING: Operand =
    marked("terminating", "sum of status.terminatingReplicas of all ReplicaSets", Terminating);
pub(super) static MIN_AVAILABLE: Operand = marked("minAvailable", "spec.replicas − maxUnavailable", MinAvailable);
pub(super) static ALL_AVAILABLE: Operand =
    marked("available", "sum of status.availableReplicas of all ReplicaSets", Available);
pub(super) static REVISION: Operand =
    operand("revision", "annotation deployment.kubernetes.io/revision of the ReplicaSet");
pub(super) static DEADLINE: Operand = operand("deadline", "spec.progressDeadlineSeconds of the Deployment");

const SPEC_REPLICAS: &str = "spec.replicas of the Deployment";
