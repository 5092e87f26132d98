//! Finds the object whose sync sent a request.

use std::collections::BTreeMap;
use std::rc::Rc;

use changeover_core::object::Kind;
use serde_json::Value;

use crate::recording::{Recording, Request, Verb};

/// The kind of the objects that a controller syncs, by the name with which it sends requests and records events; none for
/// a controller that the core does not implement.
pub fn synced_kind(component: &str) -> Option<Kind> {
    let kinds = [Kind::Deployment, Kind::ReplicaSet, Kind::Job, Kind::CronJob];
    kinds.into_iter().find(|kind| controller_name(*kind) == component)
}

/// The name of the controller of a kind: `deployment-controller`.
pub fn controller_name(kind: Kind) -> String {
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

fn controller_of(object: &Value) -> Option<&Value> {
    let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
    owners.iter().find(|owner| owner.get("controller") == Some(&Value::Bool(true)))
}
