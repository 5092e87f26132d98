//! The fields of a Deployment that are validated.

use crate::apiserver::meta::METADATA;
use crate::apiserver::meta::selector::SELECTOR;
use crate::apiserver::pod_spec::POD_TEMPLATE;
use crate::apiserver::schema::STATUS;
use crate::apiserver::schema::Shape::{self, Bool, Int32, IntOrString, Object, Text};

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
