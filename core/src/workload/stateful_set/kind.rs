//! What is known of the kind StatefulSet itself.

use crate::object::{KindFacts, Predicted, Runs, WorkloadFacts};

pub(crate) const KIND: KindFacts = KindFacts {
    api_version: "apps/v1",
    name: "StatefulSet",
    resource: "statefulsets",
    short_name: Some("sts"),
    pod_template: Some(&["spec", "template"]),
    workload: Some(WorkloadFacts {
        creates: "Pod",
        predicted: Predicted::AsRollout,
        runs: Runs::Field(&["spec", "replicas"]),
        suspend: None,
        ranks_pods: false,
        pod_replacement_policy: None,
        has_uid_in_spec: false,
        pods_end: false,
    }),
    is_adopted: false,
};
