//! What is known of the kind Job itself.

use crate::object::{KindFacts, PodReplacementPolicyField, Predicted, Runs, WorkloadFacts};

pub(crate) const KIND: KindFacts = KindFacts {
    api_version: "batch/v1",
    name: "Job",
    resource: "jobs",
    short_name: None,
    pod_template: Some(&["spec", "template"]),
    workload: Some(WorkloadFacts {
        creates: "Pod",
        predicted: Predicted::AsRun,
        runs: Runs::Field(&["spec", "parallelism"]),
        suspend: Some(&["spec", "suspend"]),
        ranks_pods: false,
        pod_replacement_policy: Some(PodReplacementPolicyField::OfJob(&["spec", "podReplacementPolicy"])),
        has_uid_in_spec: true,
        pods_end: true,
    }),
    is_adopted: false,
};
