//! What a kind of workloads is: the controllers that it brings, and what users, files and the API server know of it.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::controllers::Controller;
use super::store::Store;
use crate::Problem;
#[cfg(feature = "sets")]
use crate::controller::history::revision_data;
use crate::feature_gates::FeatureGates;
use crate::go::quoted;
#[cfg(feature = "sets")]
use crate::object::PodTemplateSpec;
use crate::object::{ControllerRevision, Kind, Object, ObjectKey, Pod, Time};
use crate::scenario::Undo;

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

    /// How `kubectl rollout undo` goes back to an older revision; none for a kind that it does not know.
    fn rollback(&self) -> Option<Rollback> {
        None
    }

    /// The revision that an object at rest has of its template, if a controller would otherwise make a new one.
    fn missing_revision(&self, _store: &Store, _object: &Object) -> Option<ControllerRevision> {
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

/// Makes an object as it is at an older revision, or says why kubectl does not go back to that.
pub(crate) type Rollback = fn(&Store, &Object, &Undo, FeatureGates) -> Result<RolledBack, String>;

/// An object at an older revision.
pub(crate) struct RolledBack {
    pub(crate) object: Object,
    pub(crate) revision: Rc<str>,
}

/// The revision of that number (0: the one before) of the owner with this uid, or why kubectl does not go back to it.
///
/// Upstream: `k8s.io/kubectl/pkg/polymorphichelpers/rollback.go findHistory`
#[cfg(feature = "sets")]
pub(crate) fn find_history(
    store: &Store,
    uid: &str,
    template: &PodTemplateSpec,
    wanted: i64,
) -> Result<Rc<ControllerRevision>, String> {
    let owned = store.owned_by(uid);
    let mut owned: Vec<&Rc<ControllerRevision>> = owned.iter().filter_map(Object::typed).collect();
    owned.sort_by_cached_key(|revision| revision.spec.revision);
    if wanted == 0 && owned.len() <= 1 {
        return Err("no last revision to roll back to".into());
    }
    let found = match wanted {
        0 => owned.into_iter().rev().nth(1),
        _ => owned.into_iter().find(|revision| revision.spec.revision == wanted),
    };
    match found {
        None => Err(alloc::format!("unable to find specified revision {wanted} in history")),
        Some(found) if found.spec.data == revision_data(template) => {
            Err(alloc::format!("skipped rollback (current template already matches revision {wanted})"))
        }
        Some(found) => Ok(found.clone()),
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
