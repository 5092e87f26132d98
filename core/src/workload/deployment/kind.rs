//! What is known of the kind Deployment itself.

use crate::object::{KindFacts, PodReplacementPolicyField, Predicted, Runs, WorkloadFacts};

pub(crate) const KIND: KindFacts = KindFacts {
    api_version: "apps/v1",
    name: "Deployment",
    resource: "deployments",
    short_name: Some("deploy"),
    pod_template: Some(&["spec", "template"]),
    workload: Some(WorkloadFacts {
        creates: "ReplicaSet",
        predicted: Predicted::AsRollout,
        runs: Runs::Field(&["spec", "replicas"]),
        suspend: None,
        ranks_pods: true,
        pod_replacement_policy: Some(PodReplacementPolicyField::OfRollout(&["spec", "podReplacementPolicy"])),
        has_uid_in_spec: false,
        pods_end: false,
    }),
    is_adopted: false,
};
