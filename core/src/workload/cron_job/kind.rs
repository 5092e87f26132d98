//! What is known of the kind CronJob itself.

use crate::object::{KindFacts, PodReplacementPolicyField, Predicted, Runs, WorkloadFacts};

pub(crate) const KIND: KindFacts = KindFacts {
    api_version: "batch/v1",
    name: "CronJob",
    resource: "cronjobs",
    short_name: Some("cj"),
    pod_template: Some(&["spec", "jobTemplate", "spec", "template"]),
    workload: Some(WorkloadFacts {
        creates: "Job",
        predicted: Predicted::Never,
        runs: Runs::Field(&["spec", "jobTemplate", "spec", "parallelism"]),
        suspend: Some(&["spec", "suspend"]),
        ranks_pods: false,
        pod_replacement_policy: Some(PodReplacementPolicyField::OfJob(&[
            "spec",
            "jobTemplate",
            "spec",
            "podReplacementPolicy",
        ])),
        has_uid_in_spec: false,
        pods_end: true,
    }),
    is_adopted: false,
};
