//! The fields of a Job that are validated.

use crate::apiserver::meta::METADATA;
use crate::apiserver::meta::selector::SELECTOR;
use crate::apiserver::pod_spec::POD_TEMPLATE;
use crate::apiserver::schema::Shape::{self, Bool, Int32, Int64, List, Object, Text};
use crate::apiserver::schema::{Field, STATUS};

const EXIT_CODES: Shape = Object(&[("containerName", Text), ("operator", Text), ("values", List(&Int32))]);

const POD_FAILURE_POLICY: Field = (
    "podFailurePolicy",
    Object(&[(
        "rules",
        List(&Object(&[
            ("action", Text),
            ("onExitCodes", EXIT_CODES),
            ("onPodConditions", List(&Object(&[("type", Text), ("status", Text)]))),
        ])),
    )]),
);

const SUCCESS_POLICY: Field =
    ("successPolicy", Object(&[("rules", List(&Object(&[("succeededIndexes", Text), ("succeededCount", Int32)])))]));

/// The field `spec` of a Job, and of a template of Jobs.
pub(crate) const JOB_SPEC: Field = (
    "spec",
    Object(&[
        ("parallelism", Int32),
        ("completions", Int32),
        ("activeDeadlineSeconds", Int64),
        POD_FAILURE_POLICY,
        SUCCESS_POLICY,
        ("backoffLimit", Int32),
        ("backoffLimitPerIndex", Int32),
        ("maxFailedIndexes", Int32),
        SELECTOR,
        ("manualSelector", Bool),
        POD_TEMPLATE,
        ("ttlSecondsAfterFinished", Int32),
        ("completionMode", Text),
        ("suspend", Bool),
        ("podReplacementPolicy", Text),
        ("managedBy", Text),
    ]),
);

pub(crate) const SHAPE: Shape = Object(&[METADATA, JOB_SPEC, STATUS]);
