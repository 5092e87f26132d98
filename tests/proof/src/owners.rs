//! Finds the object whose sync sent a request.

use std::collections::BTreeMap;
use std::rc::Rc;

use changeover_core::object::{Kind, Object};
use changeover_core::workload::stateful_set::StatefulSet;
use serde_json::Value;

use crate::recording::{Recording, Request, Stored, Verb};

/// The kind of the objects that a controller syncs, by the name with which it sends requests; none for a controller that the
/// core does not implement.
pub fn synced_kind(user: &str) -> Option<Kind> {
    if user == "daemon-set-controller" {
        return Some(Kind::DaemonSet);
    }
    let kinds =
        [Kind::Deployment, Kind::ReplicaSet, Kind::ReplicationController, Kind::Job, Kind::CronJob, Kind::StatefulSet];
    kinds.into_iter().find(|kind| component(*kind) == user)
}

/// The name with which the controller of a kind records events: `deployment-controller`. Except for DaemonSets, it is also the
/// name with which it sends requests.
pub fn component(kind: Kind) -> String {
    if kind == Kind::ReplicationController {
        return String::from("replication-controller");
    }
    format!("{}-controller", kind.name().to_lowercase())
}

/// The requests of each controller, by the uid of the synced object. If the object is unknown, the uid is empty.
pub fn by_owner(recording: &Recording) -> BTreeMap<(Kind, String), Vec<Rc<Request>>> {
    let mut sorted: BTreeMap<(Kind, String), Vec<Rc<Request>>> = BTreeMap::new();
    for request in &recording.requests {
        if let Some(kind) = synced_kind(&request.user) {
            let uid = owner(recording, kind, request).unwrap_or_default();
            sorted.entry((kind, uid)).or_default().push(request.clone());
        }
    }
    sorted
}

fn owner(recording: &Recording, kind: Kind, request: &Request) -> Option<String> {
    if request.object.split('/').next() == Some(kind.name()) {
        let stored = match request.named {
            Some(named) => recording.at(&request.object, named),
            None => recording.stored.get(&request.object)?.last(),
        };
        return stored?.uid().map(String::from);
    }
    if let Some(claim) = request.object.strip_prefix("PersistentVolumeClaim/") {
        return owner_of_claim(recording, claim, request);
    }
    // The body names the owner if the request creates, adopts or releases an object. An update contains the cached
    // object's owner, which may have changed since. For all other requests, look at the stored object.
    let sent = match request.verb {
        Verb::Create | Verb::Patch => request.sent.pointer("/metadata/ownerReferences/0"),
        _ => controller_of(&request.sent),
    };
    let controller = sent.or_else(|| {
        let versions = recording.stored.get(&request.object)?;
        versions.iter().rev().filter_map(|stored| stored.value.as_ref()).find_map(controller_of)
    });
    controller?.get("uid").and_then(Value::as_str).map(String::from)
}

/// The StatefulSet whose claim has this name, `TEMPLATE-SET-ORDINAL`. A claim may have a pod as its owner, or none.
fn owner_of_claim(recording: &Recording, claim: &str, request: &Request) -> Option<String> {
    let (prefix, _) = claim.rsplit_once('-')?;
    let sets =
        recording.stored.iter().filter_map(|(key, versions)| Some((key.strip_prefix("StatefulSet/")?, versions)));
    let (_, versions) = sets.into_iter().find(|(name, _)| prefix.ends_with(&format!("-{name}")))?;
    let known = versions.iter().rev().filter(|stored| stored.at <= request.answered);
    let set = |stored: &Stored| stored.object.as_ref().and_then(Object::typed::<StatefulSet>).cloned();
    known.into_iter().find_map(set).map(|set| set.metadata.uid.to_string())
}

fn controller_of(object: &Value) -> Option<&Value> {
    let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
    owners.iter().find(|owner| owner.get("controller") == Some(&Value::Bool(true)))
}
