//! The fields of a Deployment that are validated.

use crate::apiserver::meta::METADATA;
use crate::apiserver::meta::selector::SELECTOR;
use crate::apiserver::pod_spec::POD_TEMPLATE;
use crate::apiserver::schema::STATUS;
use crate::apiserver::schema::Shape::{self, Bool, Int32, Int64, IntOrString, List, Object, Text, Time};

pub(crate) const SHAPE: Shape = Object(&[
    METADATA,
    (
        "spec",
        Object(&[
            ("replicas", Int32),
            SELECTOR,
            POD_TEMPLATE,
            (
                "strategy",
                Object(&[
                    ("type", Text),
                    ("rollingUpdate", Object(&[("maxUnavailable", IntOrString), ("maxSurge", IntOrString)])),
                ]),
            ),
            ("minReadySeconds", Int32),
            ("revisionHistoryLimit", Int32),
            ("paused", Bool),
            ("progressDeadlineSeconds", Int32),
            ("podReplacementPolicy", Text),
        ]),
    ),
    STATUS,
]);

pub(super) const STATUS_SHAPE: Shape = Object(&[
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
                    ("type", Text),
                    ("status", Text),
                    ("lastUpdateTime", Time),
                    ("lastTransitionTime", Time),
                    ("reason", Text),
                    ("message", Text),
                ])),
            ),
        ]),
    ),
]);
