//! The fields of a Pod that are validated.

use crate::apiserver::meta::METADATA;
use crate::apiserver::pod_spec::POD_SPEC;
use crate::apiserver::schema::STATUS;
use crate::apiserver::schema::Shape::{self, Int64, List, Object, Text, Time};

pub(crate) const SHAPE: Shape = Object(&[METADATA, POD_SPEC, STATUS]);

/// The fields of a status, without addresses, resources, claims and the states of containers.
pub(super) const STATUS_SHAPE: Shape = Object(&[
    METADATA,
    (
        "status",
        Object(&[
            ("observedGeneration", Int64),
            ("phase", Text),
            ("message", Text),
            ("reason", Text),
            ("nominatedNodeName", Text),
            ("startTime", Time),
            ("qosClass", Text),
            (
                "conditions",
                List(&Object(&[
                    ("type", Text),
                    ("status", Text),
                    ("observedGeneration", Int64),
                    ("lastProbeTime", Time),
                    ("lastTransitionTime", Time),
                    ("reason", Text),
                    ("message", Text),
                ])),
            ),
        ]),
    ),
]);
