//! Which ReplicaSet has the Deployment's pod template.

use alloc::rc::Rc;
use alloc::string::String;

use super::util::{ReplicaSets, by_creation_timestamp, sort_replica_sets};
use crate::apiserver::same_fields;
use crate::object::{Container, PodSpecFields, PodTemplateSpec, Probe, StringMap};
use crate::workload::deployment::Deployment;
use crate::workload::replica_set::{POD_TEMPLATE_HASH, ReplicaSet};

/// Whether two templates are equal but for the hash label. As in Go, absent and empty are the same, but for what Go holds
/// by pointer.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go EqualIgnoreHash`
pub fn equal_ignore_hash(a: &PodTemplateSpec, b: &PodTemplateSpec) -> bool {
    // What differs most often is looked at first.
    (Rc::ptr_eq(&a.spec.fields, &b.spec.fields) || same_spec(&a.spec.fields, &b.spec.fields))
        && a.spec.node_name == b.spec.node_name
        && same_labels(&a.metadata.labels, &b.metadata.labels)
        && a.metadata.annotations == b.metadata.annotations
        && a.metadata.finalizers == b.metadata.finalizers
        && same_fields(&a.metadata.unknown, &b.metadata.unknown, false)
}

fn same_labels(a: &StringMap, b: &StringMap) -> bool {
    let without_hash = |(key, _): &(&String, &String)| *key != POD_TEMPLATE_HASH;
    Rc::ptr_eq(a, b) || a.iter().filter(without_hash).eq(b.iter().filter(without_hash))
}

fn same_spec(a: &PodSpecFields, b: &PodSpecFields) -> bool {
    a.termination_grace_period_seconds == b.termination_grace_period_seconds
        && same_containers(&a.containers, &b.containers)
        && same_containers(&a.init_containers, &b.init_containers)
        && same_fields(&a.unknown, &b.unknown, true)
}

fn same_containers(a: &[Container], b: &[Container]) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|(a, b)| {
            (&a.name, &a.image, &a.restart_policy) == (&b.name, &b.image, &b.restart_policy)
                && same_probe(a.readiness_probe.as_ref(), b.readiness_probe.as_ref())
                && same_fields(&a.unknown, &b.unknown, false)
        })
}

fn same_probe(a: Option<&Probe>, b: Option<&Probe>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => {
            (a.initial_delay_seconds, a.period_seconds) == (b.initial_delay_seconds, b.period_seconds)
                && same_fields(&a.unknown, &b.unknown, false)
        }
        (None, None) => true,
        _ => false,
    }
}

/// The ReplicaSet with the Deployment's template; of several (kubernetes #40415) the oldest.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go FindNewReplicaSet`
pub fn find_new_replica_set<'a>(
    deployment: &Deployment,
    replica_sets: &'a [Rc<ReplicaSet>],
) -> Option<&'a Rc<ReplicaSet>> {
    replica_sets
        .iter()
        .filter(|replica_set| equal_ignore_hash(&replica_set.spec.template, &deployment.spec.template))
        .min_by(|a, b| by_creation_timestamp(a, b))
}

/// All other ReplicaSets, oldest first: those that want pods, and all of them.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go FindOldReplicaSets`
pub fn find_old_replica_sets(deployment: &Deployment, replica_sets: &[Rc<ReplicaSet>]) -> (ReplicaSets, ReplicaSets) {
    let all = all_but(find_new_replica_set(deployment, replica_sets), replica_sets);
    let with_replicas = all.iter().filter(|replica_set| replica_set.spec.replicas != 0).cloned().collect();
    (with_replicas, all)
}

/// The ReplicaSets without the new one, oldest first.
pub(super) fn all_but(new: Option<&Rc<ReplicaSet>>, replica_sets: &[Rc<ReplicaSet>]) -> ReplicaSets {
    let is_old = |replica_set: &&Rc<ReplicaSet>| new.is_none_or(|new| new.metadata.uid != replica_set.metadata.uid);
    let mut all = ReplicaSets::with_capacity(replica_sets.len());
    all.extend(replica_sets.iter().filter(is_old).cloned());
    sort_replica_sets(&mut all, by_creation_timestamp);
    all
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::equal_ignore_hash;
    use crate::json::decode;
    use crate::object::PodTemplateSpec;

    /// Whether a template stays the same with this in its spec and that in its container.
    fn same_with(in_spec: Value, in_container: Value) -> bool {
        let template = |spec: Value, container: Value| -> PodTemplateSpec {
            let mut template = json!({"spec": {"containers": [{"name": "app", "image": "web:v1"}]}});
            template["spec"]["containers"][0].as_object_mut().unwrap().extend(container.as_object().unwrap().clone());
            template["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
            decode(&template, "template").unwrap()
        };
        equal_ignore_hash(&template(json!({}), json!({})), &template(in_spec, in_container))
    }

    #[test]
    fn zero_counts_as_nothing_where_go_holds_no_pointer() {
        for spec in [
            json!({"hostNetwork": false}),
            json!({"hostname": ""}),
            json!({"nodeSelector": {}}),
            json!({"volumes": []}),
        ] {
            assert!(same_with(spec.clone(), json!({})), "{spec}");
        }
        for spec in [
            json!({"affinity": {}}),
            json!({"dnsConfig": {}}),
            json!({"hostUsers": false}),
            json!({"priority": 0}),
            // Behind a pointer here, held by value in a container.
            json!({"resources": {}}),
            json!({"securityContext": {}}),
        ] {
            assert!(!same_with(spec.clone(), json!({})), "{spec}");
        }
        assert!(same_with(json!({}), json!({"resources": {"limits": {}}, "tty": false})));
        assert!(!same_with(json!({}), json!({"lifecycle": {}})));
        assert!(!same_with(json!({}), json!({"livenessProbe": {}})));
    }
}
