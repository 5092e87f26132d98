//! The fields that are looked at, with the JSON type of each, and the errors where an object has another one.
//! The API server's decoder refuses these as a whole. A field stands here only if all that the API server says about it is
//! said here, too: whatever is not listed is told by the module `not_looked_at`.

use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::field::FieldError;
use super::go_print;
use super::kind::Kind;
use crate::object;
use crate::path::Path;

/// What a field holds. `null` is always allowed: it means absent.
#[derive(Debug)]
pub enum Shape {
    Bool,
    Int32,
    Int64,
    String,
    Time,
    IntOrString,
    StringMap,
    /// A map with these fields.
    Object(&'static [Field]),
    List(&'static Self),
}

pub(super) type Field = (&'static str, Shape);

use Shape::{Bool, Int32, Int64, IntOrString, List, Object, String, StringMap, Time};

const OWNER_REFERENCE: Shape = Object(&[
    ("apiVersion", String),
    ("kind", String),
    ("name", String),
    ("uid", String),
    ("controller", Bool),
    ("blockOwnerDeletion", Bool),
]);

pub(super) const METADATA: Field = (
    "metadata",
    Object(&[
        ("name", String),
        ("generateName", String),
        ("namespace", String),
        ("uid", String),
        ("resourceVersion", String),
        ("generation", Int64),
        ("creationTimestamp", Time),
        ("deletionTimestamp", Time),
        ("deletionGracePeriodSeconds", Int64),
        ("labels", StringMap),
        ("annotations", StringMap),
        ("ownerReferences", List(&OWNER_REFERENCE)),
        ("finalizers", List(&String)),
    ]),
);

pub(super) const SELECTOR: Field = (
    "selector",
    Object(&[
        ("matchLabels", StringMap),
        ("matchExpressions", List(&Object(&[("key", String), ("operator", String), ("values", List(&String))]))),
    ]),
);

/// A status is not the client's to write, except where it alone is written (see the module `status_schema`).
const STATUS: Field = ("status", Object(&[]));

/// Without the handlers.
const PROBE: Shape = Object(&[
    ("initialDelaySeconds", Int32),
    ("timeoutSeconds", Int32),
    ("periodSeconds", Int32),
    ("successThreshold", Int32),
    ("failureThreshold", Int32),
    ("terminationGracePeriodSeconds", Int64),
]);

const CONTAINER: Shape = Object(&[
    ("name", String),
    ("image", String),
    ("imagePullPolicy", String),
    ("restartPolicy", String),
    ("terminationMessagePath", String),
    ("terminationMessagePolicy", String),
    (
        "ports",
        List(&Object(&[
            ("name", String),
            ("containerPort", Int32),
            ("hostPort", Int32),
            ("hostIP", String),
            ("protocol", String),
        ])),
    ),
    ("livenessProbe", PROBE),
    ("readinessProbe", PROBE),
    ("startupProbe", PROBE),
]);

const POD_SPEC: Field = (
    "spec",
    Object(&[
        ("containers", List(&CONTAINER)),
        ("initContainers", List(&CONTAINER)),
        ("restartPolicy", String),
        ("terminationGracePeriodSeconds", Int64),
        ("activeDeadlineSeconds", Int64),
        ("dnsPolicy", String),
        ("schedulerName", String),
        ("nodeName", String),
        ("nodeSelector", StringMap),
        ("hostNetwork", Bool),
        ("enableServiceLinks", Bool),
        ("hostname", String),
        ("subdomain", String),
        ("serviceAccountName", String),
        ("serviceAccount", String),
        ("priorityClassName", String),
        ("preemptionPolicy", String),
        ("runtimeClassName", String),
        ("readinessGates", List(&Object(&[("conditionType", String)]))),
        ("schedulingGates", List(&Object(&[("name", String)]))),
    ]),
);

const POD_TEMPLATE: Field = ("template", Object(&[METADATA, POD_SPEC]));

pub(super) const DEPLOYMENT: Shape = Object(&[
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
                    ("type", String),
                    ("rollingUpdate", Object(&[("maxUnavailable", IntOrString), ("maxSurge", IntOrString)])),
                ]),
            ),
            ("minReadySeconds", Int32),
            ("revisionHistoryLimit", Int32),
            ("paused", Bool),
            ("progressDeadlineSeconds", Int32),
            ("podReplacementPolicy", String),
        ]),
    ),
    STATUS,
]);

pub(super) const REPLICA_SET: Shape = Object(&[
    METADATA,
    ("spec", Object(&[("replicas", Int32), ("minReadySeconds", Int32), SELECTOR, POD_TEMPLATE])),
    STATUS,
]);

pub(super) const REPLICATION_CONTROLLER: Shape = Object(&[
    METADATA,
    ("spec", Object(&[("replicas", Int32), ("minReadySeconds", Int32), ("selector", StringMap), POD_TEMPLATE])),
    STATUS,
]);

pub(super) const STATEFUL_SET: Shape = Object(&[
    METADATA,
    (
        "spec",
        Object(&[
            ("replicas", Int32),
            SELECTOR,
            POD_TEMPLATE,
            ("serviceName", String),
            ("podManagementPolicy", String),
            (
                "updateStrategy",
                Object(&[
                    ("type", String),
                    ("rollingUpdate", Object(&[("partition", Int32), ("maxUnavailable", IntOrString)])),
                ]),
            ),
            ("revisionHistoryLimit", Int32),
            ("minReadySeconds", Int32),
            ("persistentVolumeClaimRetentionPolicy", Object(&[("whenDeleted", String), ("whenScaled", String)])),
            ("ordinals", Object(&[("start", Int32)])),
        ]),
    ),
    STATUS,
]);

pub(super) const DAEMON_SET: Shape = Object(&[
    METADATA,
    (
        "spec",
        Object(&[
            SELECTOR,
            POD_TEMPLATE,
            (
                "updateStrategy",
                Object(&[
                    ("type", String),
                    ("rollingUpdate", Object(&[("maxUnavailable", IntOrString), ("maxSurge", IntOrString)])),
                ]),
            ),
            ("revisionHistoryLimit", Int32),
            ("minReadySeconds", Int32),
        ]),
    ),
    STATUS,
]);

const EXIT_CODES: Shape = Object(&[("containerName", String), ("operator", String), ("values", List(&Int32))]);

const POD_FAILURE_POLICY: Field = (
    "podFailurePolicy",
    Object(&[(
        "rules",
        List(&Object(&[
            ("action", String),
            ("onExitCodes", EXIT_CODES),
            ("onPodConditions", List(&Object(&[("type", String), ("status", String)]))),
        ])),
    )]),
);

const SUCCESS_POLICY: Field =
    ("successPolicy", Object(&[("rules", List(&Object(&[("succeededIndexes", String), ("succeededCount", Int32)])))]));

const JOB_SPEC: Field = (
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
        ("completionMode", String),
        ("suspend", Bool),
        ("podReplacementPolicy", String),
        ("managedBy", String),
    ]),
);

pub(super) const JOB: Shape = Object(&[METADATA, JOB_SPEC, STATUS]);

pub(super) const CRON_JOB: Shape = Object(&[
    METADATA,
    (
        "spec",
        Object(&[
            ("schedule", String),
            ("timeZone", String),
            ("startingDeadlineSeconds", Int64),
            ("concurrencyPolicy", String),
            ("suspend", Bool),
            ("jobTemplate", Object(&[METADATA, JOB_SPEC])),
            ("successfulJobsHistoryLimit", Int32),
            ("failedJobsHistoryLimit", Int32),
        ]),
    ),
    STATUS,
]);

pub(super) const POD: Shape = Object(&[METADATA, POD_SPEC, STATUS]);

pub(super) const POD_TEMPLATE_OBJECT: Shape = Object(&[METADATA, POD_TEMPLATE]);

/// That of a kind. (The table of a kind's strategy has it, too, but who asks there carries all that is in the table.)
pub(super) const fn of(kind: Kind) -> &'static Shape {
    match kind {
        Kind::CronJob => &CRON_JOB,
        Kind::DaemonSet => &DAEMON_SET,
        Kind::Deployment => &DEPLOYMENT,
        Kind::Job => &JOB,
        Kind::Pod => &POD,
        Kind::PodTemplate => &POD_TEMPLATE_OBJECT,
        Kind::ReplicaSet => &REPLICA_SET,
        Kind::ReplicationController => &REPLICATION_CONTROLLER,
        Kind::StatefulSet => &STATEFUL_SET,
    }
}

/// Says whether a text is a time. Reading one takes more bytes than all else here: whoever gets objects which an API server
/// has read does without.
pub(super) type IsTime = fn(&str) -> bool;

pub(super) fn is_time(text: &str) -> bool {
    object::Time::parse(text).is_some()
}

/// Known fields that are in no shape, wherever they stand.
const UNLISTED: [&str; 5] = ["apiVersion", "kind", "managedFields", "selfLink", "volumeClaimTemplates"];

/// Writes what Go has where a list or a map of strings that is looked at holds `null`.
pub(super) fn fill(value: &mut Value, shape: &Shape) {
    match (shape, value) {
        (Object(fields), Value::Object(map)) => {
            for (name, shape) in *fields {
                if let Some(value) = map.get_mut(*name) {
                    fill(value, shape);
                }
            }
        }
        (List(shape), Value::Array(items)) => items.iter_mut().for_each(|item| fill_item(item, shape)),
        (StringMap, Value::Object(map)) => map.iter_mut().for_each(|(_, value)| fill_item(value, &String)),
        _ => {}
    }
}

fn fill_item(item: &mut Value, shape: &Shape) {
    if item.is_null() {
        *item = match shape {
            Object(_) => Value::Object(Map::new()),
            String => "".into(),
            _ => 0.into(),
        };
    }
    fill(item, shape);
}

/// Drops the fields that Kubernetes does not know, and what is `null`, as the API server's decoder does. A status is left
/// as it is.
pub(super) fn drop_unknown(value: &mut Value, shape: &Shape) {
    match (shape, value) {
        (Object(fields), Value::Object(map)) if !fields.is_empty() => {
            map.retain(|_, value| !value.is_null());
            map.retain(|key, value| match fields.iter().find(|(name, _)| name == key) {
                Some((_, Object(below))) if below.iter().any(|(name, _)| *name == "containers") => {
                    go_print::drop_unknown_in_pod_spec(value);
                    true
                }
                Some((_, shape)) => {
                    drop_unknown(value, shape);
                    true
                }
                None => {
                    if key == "volumeClaimTemplates" {
                        go_print::drop_unknown_in_claims(value);
                    }
                    UNLISTED.contains(&key.as_str())
                }
            });
        }
        (List(shape), Value::Array(items)) => items.iter_mut().for_each(|item| drop_unknown(item, shape)),
        _ => {}
    }
}

/// Reports every listed field of a wrong type, with its path.
pub(super) fn check(object: &Value, shape: &Shape, is_time: IsTime, errors: &mut Vec<FieldError>) {
    walk(object, shape, &Path::Root(""), is_time, errors);
}

fn walk(value: &Value, shape: &Shape, path: &Path<'_>, is_time: IsTime, errors: &mut Vec<FieldError>) {
    let fits = match (shape, value) {
        (_, Value::Null) | (Bool, Value::Bool(_)) | (String, Value::String(_)) | (IntOrString, Value::String(_)) => {
            true
        }
        (Time, Value::String(text)) => is_time(text),
        (Int64, Value::Number(number)) => number.is_i64(),
        (Int32 | IntOrString, Value::Number(number)) => number.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
        (StringMap, Value::Object(map)) => {
            for (key, value) in map {
                walk(value, &String, &path.key(key), is_time, errors);
            }
            true
        }
        (Object(fields), Value::Object(map)) => {
            for (name, shape) in *fields {
                if let Some(value) = map.get(*name) {
                    walk(value, shape, &path.child(name), is_time, errors);
                }
            }
            true
        }
        (List(shape), Value::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                walk(item, shape, &path.index(index), is_time, errors);
            }
            true
        }
        _ => false,
    };
    if !fits {
        errors.push(FieldError::type_invalid(path, value, expectation(shape)));
    }
}

const fn expectation(shape: &Shape) -> &'static str {
    match shape {
        Bool => "must be true or false",
        Int32 => "must be a 32bit integer",
        Int64 => "must be a 64bit integer",
        String => "must be a string",
        Time => "must be a time as in RFC 3339, like 2026-01-01T00:00:00Z",
        IntOrString => "must be an integer or percentage (e.g '5%')",
        StringMap => "must be a map of strings",
        Object(_) => "must be a map",
        List(_) => "must be a list",
    }
}
