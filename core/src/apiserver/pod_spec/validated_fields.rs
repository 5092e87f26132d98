//! The fields of a pod spec that are validated.

use crate::apiserver::meta::METADATA;
use crate::apiserver::schema::Field;
use crate::apiserver::schema::Shape::{self, Bool, Int32, Int64, List, Object, StringMap, Text};

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
    ("name", Text),
    ("image", Text),
    ("imagePullPolicy", Text),
    ("restartPolicy", Text),
    ("terminationMessagePath", Text),
    ("terminationMessagePolicy", Text),
    (
        "ports",
        List(&Object(&[
            ("name", Text),
            ("containerPort", Int32),
            ("hostPort", Int32),
            ("hostIP", Text),
            ("protocol", Text),
        ])),
    ),
    ("livenessProbe", PROBE),
    ("readinessProbe", PROBE),
    ("startupProbe", PROBE),
]);

/// The field `spec` of a Pod and of a pod template.
pub(crate) const POD_SPEC: Field = (
    "spec",
    Object(&[
        ("containers", List(&CONTAINER)),
        ("initContainers", List(&CONTAINER)),
        ("restartPolicy", Text),
        ("terminationGracePeriodSeconds", Int64),
        ("activeDeadlineSeconds", Int64),
        ("dnsPolicy", Text),
        ("schedulerName", Text),
        ("nodeName", Text),
        ("nodeSelector", StringMap),
        ("hostNetwork", Bool),
        ("enableServiceLinks", Bool),
        ("hostname", Text),
        ("subdomain", Text),
        ("serviceAccountName", Text),
        ("serviceAccount", Text),
        ("priorityClassName", Text),
        ("preemptionPolicy", Text),
        ("runtimeClassName", Text),
        ("readinessGates", List(&Object(&[("conditionType", Text)]))),
        ("schedulingGates", List(&Object(&[("name", Text)]))),
    ]),
);

/// The field `template` of every workload.
pub(crate) const POD_TEMPLATE: Field = ("template", Object(&[METADATA, POD_SPEC]));
