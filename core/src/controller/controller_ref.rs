//! Adoption and release of objects by their controllers.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Client, Decision, Error, Write};
use crate::object::{Object, ObjectKey, ObjectMeta, OwnerReference, Pod};

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

/// The pods of a namespace that a sync of the controller sees, each in the order in which they come: those that it owns, then
/// those that nobody owns.
///
/// Upstream: `pkg/controller/controller_utils.go FilterPodsByOwner`
pub fn filter_pods_by_owner(controller: &ObjectKey, uid: &str, pods: &[Rc<Pod>]) -> Vec<Rc<Pod>> {
    let of_namespace = pods.iter().filter(|pod| pod.metadata.namespace == controller.namespace);
    let is_owned = |pod: &&Rc<Pod>| {
        pod.metadata.controller().is_some_and(|owner| {
            *owner.uid == *uid && owner.name == controller.name && *owner.kind == *controller.kind.name()
        })
    };
    let owned = of_namespace.clone().filter(is_owned);
    owned.chain(of_namespace.filter(|pod| pod.metadata.controller().is_none())).cloned().collect()
}

/// The objects that the controller owns: those that match. Others that it owns are released, and matching ones without an owner
/// adopted. With each object comes whether it matches. `decide` makes the decision: whether an object of that name is adopted,
/// or released.
///
/// # Errors
/// A refused write, or a controller that may not adopt.
///
/// Upstream: `pkg/controller/controller_ref_manager.go ClaimPods` and `ClaimControllerRevisions`
pub(crate) fn claim_objects(
    client: &mut dyn Client,
    key: &ObjectKey,
    controller: &ObjectMeta,
    objects: impl Iterator<Item = (Object, bool)>,
    decide: impl Fn(bool, &Rc<str>) -> Decision,
) -> Result<Vec<Object>, Error> {
    let (mut claimed, mut errors) = (Vec::new(), Vec::new());
    let mut may_adopt: Option<Result<(), String>> = None;
    for (object, matches) in objects {
        let ObjectMeta { namespace, name, uid, .. } = &**object.metadata();
        let claim = claim_object(controller, object.metadata(), matches);
        let (stored, metadata) = match claim {
            Claim::Ignore => continue,
            Claim::Keep => {
                claimed.push(object);
                continue;
            }
            Claim::Release => {
                let stored = as_stored(client, &object);
                let metadata = released(stored.metadata(), controller);
                (stored, metadata)
            }
            Claim::Adopt => {
                let allowed = may_adopt.get_or_insert_with(|| can_adopt(client, key, controller));
                if let Err(error) = allowed {
                    let kind = object.kind();
                    let message = alloc::format!("can't adopt {kind} {namespace}/{name} ({uid}): {error}");
                    errors.push(Error::Other(message));
                    continue;
                }
                let owner = OwnerReference::controller(key.kind.api_version(), key.kind.name(), controller);
                let stored = as_stored(client, &object);
                let metadata = adopted(stored.metadata(), owner);
                (stored, metadata)
            }
        };
        let decision = decide(claim == Claim::Adopt, name);
        match client.write(Write::Patch(stored.with_metadata(|its| *its = metadata)), decision) {
            Ok(_) if claim == Claim::Adopt => claimed.push(object),
            Ok(_) => {}
            Err(error) if error.is_not_found() => {}
            // The object has been released already, or was replaced by another of its name.
            Err(error) if claim == Claim::Release && error.is_invalid() => {}
            Err(error) => errors.push(error.into()),
        }
    }
    aggregate(errors)?;
    Ok(claimed)
}

/// The object as the API server has it, if that is still the same one: a patch changes that, and not the copy in a cache.
pub(crate) fn as_stored(client: &mut dyn Client, object: &Object) -> Object {
    let stored = client.get(&object.key()).filter(|stored| stored.metadata().uid == object.metadata().uid);
    stored.unwrap_or_else(|| object.clone())
}

/// The pods among objects.
pub(crate) fn pods_among(objects: Vec<Object>) -> Vec<Rc<Pod>> {
    let pods = objects.into_iter().filter_map(|object| match object {
        Object::Pod(pod) => Some(pod),
        _ => None,
    });
    pods.collect()
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
pub(crate) fn aggregate(mut errors: Vec<Error>) -> Result<(), Error> {
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
