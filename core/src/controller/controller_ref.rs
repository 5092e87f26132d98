//! Adoption and release of objects by their controllers.

use alloc::rc::Rc;
use alloc::string::String;

use super::{Client, Error};
use crate::object::{ObjectKey, ObjectMeta, OwnerReference};

/// What a controller does about an object that it could own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It owns it.
    Keep,
    /// It belongs to another owner, or does not match.
    Ignore,
    /// It owns it, but the labels no longer match.
    Release,
    /// It has no owner, and the labels match.
    Adopt,
}

/// Upstream: `pkg/controller/controller_ref_manager.go ClaimObject`
pub(crate) fn claim_object(controller: &ObjectMeta, object: &ObjectMeta, matches: bool) -> Claim {
    let deleting = controller.deletion_timestamp.is_some();
    match object.controller() {
        Some(owner) if owner.uid != controller.uid => Claim::Ignore,
        Some(_) if matches => Claim::Keep,
        Some(_) if deleting => Claim::Ignore,
        Some(_) => Claim::Release,
        None if deleting || !matches || object.deletion_timestamp.is_some() => Claim::Ignore,
        None if !controller.namespace.is_empty() && controller.namespace != object.namespace => Claim::Ignore,
        None => Claim::Adopt,
    }
}

/// Whether the controller may still adopt, from the stored object instead of the cache.
///
/// # Errors
/// The controller's object is gone, was replaced, or is being deleted.
///
/// Upstream: `pkg/controller/controller_ref_manager.go RecheckDeletionTimestamp`
pub(crate) fn can_adopt(client: &mut dyn Client, key: &ObjectKey, controller: &ObjectMeta) -> Result<(), String> {
    let Some(fresh) = client.get(key) else {
        return Err(super::ApiError::not_found(key).message);
    };
    let fresh = fresh.metadata();
    if fresh.uid != controller.uid {
        return Err(alloc::format!(
            "original {} {}/{} is gone: got uid {}, wanted {}",
            key.kind,
            key.namespace,
            key.name,
            fresh.uid,
            controller.uid
        ));
    }
    match fresh.deletion_timestamp {
        Some(time) => Err(alloc::format!("{}/{} has just been deleted at {time}", key.namespace, key.name)),
        None => Ok(()),
    }
}

/// The metadata with one more owner. A strategic merge patch puts a new item before those that are there, and merges
/// an item that is there by uid.
///
/// Upstream: `k8s.io/apimachinery/pkg/util/strategicpatch/patch.go mergeSortedSlice`
pub(crate) fn adopted(metadata: &ObjectMeta, owner: OwnerReference) -> ObjectMeta {
    let mut metadata = metadata.clone();
    let owners = Rc::make_mut(&mut metadata.owner_references);
    match owners.iter_mut().find(|existing| existing.uid == owner.uid) {
        Some(existing) => *existing = owner,
        None => owners.insert(0, owner),
    }
    metadata
}

/// The metadata without that owner.
pub(crate) fn released(metadata: &ObjectMeta, owner: &ObjectMeta) -> ObjectMeta {
    let mut metadata = metadata.clone();
    Rc::make_mut(&mut metadata.owner_references).retain(|reference| reference.uid != owner.uid);
    metadata
}

/// All errors in one, as upstream prints several.
///
/// Upstream: `k8s.io/apimachinery/pkg/util/errors/errors.go NewAggregate`
pub(crate) fn aggregate(mut errors: alloc::vec::Vec<Error>) -> Result<(), Error> {
    let first = if errors.is_empty() { return Ok(()) } else { errors.remove(0) };
    if errors.is_empty() {
        return Err(first);
    }
    let mut text = alloc::format!("[{first}");
    for error in &errors {
        text.push_str(&alloc::format!(", {error}"));
    }
    text.push(']');
    Err(Error::Other(text))
}
