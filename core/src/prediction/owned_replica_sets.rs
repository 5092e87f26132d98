//! The ReplicaSets of objects that are not simulated, such as a Rollout of Argo CD: they still say how many of its pods are ready.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::given_objects::name;
use crate::object::Kind;
use crate::object::unstructured::{at, integer, list, string};

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
