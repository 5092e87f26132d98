//! What a kind of workloads is: the controllers that it brings, and what users, files and the API server know of it.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::controllers::Controller;
use super::store::Store;
use crate::Problem;
use crate::feature_gates::FeatureGates;
use crate::go::quoted;
use crate::object::{Kind, Object, ObjectKey, Pod, Time};

/// A kind of workloads.
pub(crate) trait Workload: Sync {
    fn kind(&self) -> Kind;

    /// Its controllers, in the order of their rounds.
    fn controllers(&self) -> &'static [&'static dyn Controller];

    /// How a scenario begins that is about such an object, of which only the manifest is known; none for a kind that no scenario is
    /// made of.
    fn start(&self) -> Option<Start> {
        None
    }

    /// A manifest as a user writes it, from one that may have been read from a cluster.
    fn as_new(&self, manifest: &Value) -> Value {
        without_status(manifest)
    }

    /// An object of any kind as it is if workloads of this kind have just begun.
    fn begun_at(&self, object: Object, _start: Time) -> Object {
        object
    }

    /// The field of the spec that an action of the user sets; none for an action that there is not for this kind.
    fn field_of(&self, verb: UserVerb) -> Option<&'static str>;

    /// What a user sets instead of a number of replicas, for a kind without one.
    fn instead_of_replicas(&self) -> Option<&'static str> {
        None
    }

    /// The object with another number of replicas, if a valid one can't make it invalid; none if it has to be validated again.
    ///
    /// Upstream: `pkg/registry/apps/deployment/storage/storage.go ScaleREST.Update`
    fn scaled(&self, _object: &Object, _replicas: i32) -> Option<Object> {
        None
    }

    /// Drops the fields of a new status whose feature gates are off, unless the old object has them.
    fn drop_disabled_status_fields(&self, _object: &mut Object, _old: &Object, _gates: FeatureGates) {}

    /// What only this build refuses.
    ///
    /// # Errors
    /// What it can't simulate, with its path.
    fn validate(&self, _object: &Object, _path: &str) -> Result<(), Problem> {
        Ok(())
    }

    /// The pods of an object, if it is there and its pods can be named by numbers (`OWNER/N`).
    fn numbered_pods(&self, _store: &Store, _owner: &ObjectKey) -> Option<Vec<Rc<Pod>>> {
        None
    }

    /// The number that a pod itself has among those of its owner.
    fn pod_number(&self, _pod: &Pod) -> Option<i64> {
        None
    }
}

/// How a scenario begins that is made of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// The object has come to rest long ago.
    AtRest,
    /// The object is created at the start.
    Created,
}

/// An action that sets a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UserVerb {
    Scale,
    Suspend,
    Resume,
}

/// These kinds as a message lists them: `"Deployment", "ReplicaSet"`.
pub(super) fn quoted_names(kinds: impl IntoIterator<Item = Kind>) -> String {
    let mut names: Vec<String> = kinds.into_iter().map(|kind| quoted(kind.name())).collect();
    names.sort_unstable();
    names.join(", ")
}

pub(crate) fn without_status(manifest: &Value) -> Value {
    let mut manifest = manifest.clone();
    if let Some(map) = manifest.as_object_mut() {
        map.remove("status");
    }
    manifest
}
