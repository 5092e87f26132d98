//! Objects that are not simulated and run the pods of others, such as a Rollout of Argo Rollouts or a Canary of Flagger: what their ReplicaSets
//! say, and which workloads they scale.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::given_objects::name;
use crate::object::unstructured::{at, integer, list, namespace, string};
use crate::object::{Kind, ObjectKey};

/// The fields of objects that name the workload which they scale to 0 while other pods run in its place, by API group and kind.
const TARGETS: [(&str, &str, &str); 2] =
    [("flagger.app", "Canary", "targetRef"), ("argoproj.io", "Rollout", "workloadRef")];

/// The workload that an object scales while other pods run in its place, and that object in words: `Canary web`.
pub(super) fn scaled_target(object: &Value) -> Option<(ObjectKey, String)> {
    let group = string(object, "apiVersion").split('/').next().unwrap_or_default();
    let is_of = |(its_group, kind, _): &&(&str, &str, &str)| *its_group == group && *kind == string(object, "kind");
    let (_, kind, reference) = TARGETS.iter().find(is_of)?;
    let target = at(object, &["spec", reference])?;
    let key = ObjectKey::new(Kind::from_name(string(target, "kind"))?, namespace(object)?, string(target, "name"));
    Some((key, format!("{kind} {}", name(object))))
}

/// The sizes of the ReplicaSets with pods that an object owns: `web-5b8 with 2 of 3 pods ready`.
pub fn sizes_of_owned<'a>(objects: impl Iterator<Item = &'a Value>, owner: &Value) -> Vec<String> {
    let uid = at(owner, &["metadata"]).map_or("", |metadata| string(metadata, "uid"));
    let is_owned = |object: &&Value| {
        let owners = at(object, &["metadata"]).map(|metadata| list(metadata, "ownerReferences")).unwrap_or_default();
        string(object, "kind") == Kind::ReplicaSet.name()
            && !uid.is_empty()
            && owners.iter().any(|owner| string(owner, "uid") == uid)
    };
    let size = |replica_set: &Value| {
        let status = at(replica_set, &["status"])?;
        let replicas = integer(status, "replicas").filter(|replicas| *replicas > 0)?;
        let ready = integer(status, "readyReplicas").unwrap_or(0);
        Some(format!("{} with {ready} of {replicas} pods ready", name(replica_set)))
    };
    objects.filter(is_owned).filter_map(size).collect()
}
