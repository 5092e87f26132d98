//! What is known of the kind ReplicaSet itself.

use crate::object::{KindFacts, Predicted, Runs, WorkloadFacts};

pub(crate) const KIND: KindFacts = KindFacts {
    api_version: "apps/v1",
    name: "ReplicaSet",
    resource: "replicasets",
    short_name: Some("rs"),
    pod_template: Some(&["spec", "template"]),
    workload: Some(WorkloadFacts {
        creates: "Pod",
        predicted: Predicted::WithOwner,
        runs: Runs::Field(&["spec", "replicas"]),
        suspend: None,
        ranks_pods: true,
        pod_replacement_policy: None,
        has_uid_in_spec: false,
        pods_end: false,
    }),
    is_adopted: true,
};
