//! Which ReplicaSet has the Deployment's pod template.

use alloc::rc::Rc;

use serde_json::Value;

use super::util::{POD_TEMPLATE_HASH, ReplicaSets, by_creation_timestamp};
use crate::object::{Deployment, PodTemplateSpec, ReplicaSet};

/// Whether two templates are equal but for the hash label.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go EqualIgnoreHash`
pub fn equal_ignore_hash(a: &PodTemplateSpec, b: &PodTemplateSpec) -> bool {
    let without = |template: &PodTemplateSpec| {
        let mut template = template.clone();
        if template.metadata.labels.contains_key(POD_TEMPLATE_HASH) {
            Rc::make_mut(&mut template.metadata.labels).remove(POD_TEMPLATE_HASH);
        }
        template
    };
    let (a, b) = (without(a), without(b));
    a == b || semantically(&a) == semantically(&b)
}

/// The template as JSON without what Go does not tell from nothing.
fn semantically(template: &PodTemplateSpec) -> Value {
    let mut value = serde_json::to_value(template).unwrap_or_default();
    drop_empty(&mut value);
    value
}

fn drop_empty(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(drop_empty);
            map.retain(|_, value| !is_empty(value));
        }
        Value::Array(items) => items.iter_mut().for_each(drop_empty),
        _ => {}
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        _ => false,
    }
}

/// The ReplicaSet with the Deployment's template; of several the oldest.
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
    let new = find_new_replica_set(deployment, replica_sets).map(|replica_set| replica_set.metadata.uid.clone());
    let mut all: ReplicaSets =
        replica_sets.iter().filter(|replica_set| new.as_ref() != Some(&replica_set.metadata.uid)).cloned().collect();
    all.sort_by(|a, b| by_creation_timestamp(a, b));
    let with_replicas = all.iter().filter(|replica_set| replica_set.spec.replicas != 0).cloned().collect();
    (with_replicas, all)
}
