//! What is known of the kind ReplicationController itself.

use crate::object::{KindFacts, Predicted, Runs, WorkloadFacts};

pub(crate) const KIND: KindFacts = KindFacts {
    api_version: "v1",
    name: "ReplicationController",
    resource: "replicationcontrollers",
    short_name: Some("rc"),
    pod_template: Some(&["spec", "template"]),
    workload: Some(WorkloadFacts {
        creates: "Pod",
        predicted: Predicted::AsReplicas,
        runs: Runs::Field(&["spec", "replicas"]),
        suspend: None,
        ranks_pods: true,
        pod_replacement_policy: None,
        has_uid_in_spec: false,
        pods_end: false,
    }),
    is_adopted: false,
};
