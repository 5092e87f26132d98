//! The fields that are looked at where only the status is written. A module of its own, so that whoever never writes one
//! does not carry it.

use alloc::string::String as Text;
use alloc::vec::Vec;

use serde_json::Value;

use super::field::FieldError;
use super::kind::Kind;
use super::not_looked_at::{everything, not_in};
use super::schema::Shape::{self, Int32, Int64, List, Object, String, Time};
use super::schema::{self, Field, METADATA};

/// The known fields whose JSON type is wrong in an update of the status.
pub fn status_readable(object: &Value, kind: Kind) -> Vec<FieldError> {
    let mut errors = Vec::new();
    schema::check(object, of(kind), schema::is_time, &mut errors);
    errors
}

/// The paths of what is there but was not looked at in an update of the status: the spec, too, which stays as it is.
pub fn status_not_looked_at(object: &Value, kind: Kind) -> Vec<Text> {
    if status_readable(object, kind).is_empty() { not_in(object, of(kind)) } else { everything(object) }
}

const fn of(kind: Kind) -> &'static Shape {
    match kind {
        Kind::CronJob => &CRON_JOB,
        Kind::DaemonSet => &DAEMON_SET,
        Kind::Deployment => &DEPLOYMENT,
        Kind::Job => &JOB,
        Kind::Pod => &POD,
        Kind::PodTemplate => &Object(&[METADATA]),
        Kind::ReplicaSet => &REPLICA_SET,
        Kind::ReplicationController => &REPLICATION_CONTROLLER,
        Kind::StatefulSet => &STATEFUL_SET,
    }
}

const CONDITIONS: Field = (
    "conditions",
    List(&Object(&[
        ("type", String),
        ("status", String),
        ("lastTransitionTime", Time),
        ("reason", String),
        ("message", String),
    ])),
);

const DEPLOYMENT: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("observedGeneration", Int64),
            ("replicas", Int32),
            ("updatedReplicas", Int32),
            ("readyReplicas", Int32),
            ("availableReplicas", Int32),
            ("unavailableReplicas", Int32),
            ("terminatingReplicas", Int32),
            ("collisionCount", Int32),
            (
                "conditions",
                List(&Object(&[
                    ("type", String),
                    ("status", String),
                    ("lastUpdateTime", Time),
                    ("lastTransitionTime", Time),
                    ("reason", String),
                    ("message", String),
                ])),
            ),
        ]),
    ),
]);

const REPLICA_SET: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("observedGeneration", Int64),
            ("replicas", Int32),
            ("fullyLabeledReplicas", Int32),
            ("readyReplicas", Int32),
            ("availableReplicas", Int32),
            ("terminatingReplicas", Int32),
            CONDITIONS,
        ]),
    ),
]);

const REPLICATION_CONTROLLER: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("observedGeneration", Int64),
            ("replicas", Int32),
            ("fullyLabeledReplicas", Int32),
            ("readyReplicas", Int32),
            ("availableReplicas", Int32),
            CONDITIONS,
        ]),
    ),
]);

const STATEFUL_SET: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("observedGeneration", Int64),
            ("replicas", Int32),
            ("readyReplicas", Int32),
            ("currentReplicas", Int32),
            ("updatedReplicas", Int32),
            ("availableReplicas", Int32),
            ("currentRevision", String),
            ("updateRevision", String),
            ("collisionCount", Int32),
            CONDITIONS,
        ]),
    ),
]);

const DAEMON_SET: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("observedGeneration", Int64),
            ("currentNumberScheduled", Int32),
            ("numberMisscheduled", Int32),
            ("desiredNumberScheduled", Int32),
            ("numberReady", Int32),
            ("updatedNumberScheduled", Int32),
            ("numberAvailable", Int32),
            ("numberUnavailable", Int32),
            ("collisionCount", Int32),
            CONDITIONS,
        ]),
    ),
]);

const JOB: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("startTime", Time),
            ("completionTime", Time),
            ("active", Int32),
            ("succeeded", Int32),
            ("failed", Int32),
            ("ready", Int32),
            ("terminating", Int32),
            ("completedIndexes", String),
            ("failedIndexes", String),
            ("uncountedTerminatedPods", Object(&[("succeeded", List(&String)), ("failed", List(&String))])),
            (
                "conditions",
                List(&Object(&[
                    ("type", String),
                    ("status", String),
                    ("lastProbeTime", Time),
                    ("lastTransitionTime", Time),
                    ("reason", String),
                    ("message", String),
                ])),
            ),
        ]),
    ),
]);

const CRON_JOB: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            (
                "active",
                List(&Object(&[
                    ("kind", String),
                    ("namespace", String),
                    ("name", String),
                    ("uid", String),
                    ("apiVersion", String),
                    ("resourceVersion", String),
                    ("fieldPath", String),
                ])),
            ),
            ("lastScheduleTime", Time),
            ("lastSuccessfulTime", Time),
        ]),
    ),
]);

/// Without addresses, resources, claims and the states of containers.
const POD: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("observedGeneration", Int64),
            ("phase", String),
            ("message", String),
            ("reason", String),
            ("nominatedNodeName", String),
            ("startTime", Time),
            ("qosClass", String),
            (
                "conditions",
                List(&Object(&[
                    ("type", String),
                    ("status", String),
                    ("observedGeneration", Int64),
                    ("lastProbeTime", Time),
                    ("lastTransitionTime", Time),
                    ("reason", String),
                    ("message", String),
                ])),
            ),
        ]),
    ),
]);
