//! Adoption and release of objects by their controllers.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Client, Decision, Error, Write};
use crate::object::{Kind, Object, ObjectKey, ObjectMeta, OwnerReference, Pod};

/// What a controller does about an object that it could own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Claim {
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
fn claim_object(controller: &ObjectMeta, object: &ObjectMeta, matches: bool) -> Claim {
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

/// A controller's object that owns others.
///
/// Upstream: `pkg/controller/controller_ref_manager.go BaseControllerRefManager`
pub(crate) struct ControllerRefManager<'a> {
    /// What is read again before the first adoption.
    pub(crate) key: ObjectKey,
    pub(crate) controller: &'a ObjectMeta,
    /// The kind that an owner reference names.
    pub(crate) kind: Kind,
    /// The decision to adopt an object of this name, or else to release it. May change more of its metadata.
    pub(crate) decide: &'a dyn Fn(bool, &mut ObjectMeta) -> Decision,
}

impl ControllerRefManager<'_> {
    /// The objects that the controller owns: those that match. Others that it owns are released, and matching ones without an owner
    /// adopted. With each object comes whether it matches.
    ///
    /// # Errors
    /// A refused write, or a controller that may not adopt.
    ///
    /// Upstream: `pkg/controller/controller_ref_manager.go ClaimPods`, `ClaimReplicaSets` and `ClaimControllerRevisions`
    pub(crate) fn claim<T>(
        &self,
        client: &mut dyn Client,
        objects: impl Iterator<Item = (Rc<T>, bool)>,
    ) -> Result<Vec<Rc<T>>, Error>
    where
        Object: From<Rc<T>>,
    {
        let (mut claimed, mut errors) = (Vec::new(), Vec::new());
        let mut may_adopt = None;
        for (given, matches) in objects {
            let object = Object::from(given.clone());
            let is_owned = match claim_object(self.controller, object.metadata(), matches) {
                Claim::Ignore => Ok(false),
                Claim::Keep => Ok(true),
                Claim::Release => self.patch(client, &object, false),
                Claim::Adopt => match may_adopt.get_or_insert_with(|| can_adopt(client, &self.key, self.controller)) {
                    Ok(()) => self.patch(client, &object, true),
                    Err(error) => {
                        let ObjectMeta { namespace, name, uid, .. } = &**object.metadata();
                        let what = alloc::format!("{} {namespace}/{name} ({uid})", object.kind());
                        Err(Error::Other(alloc::format!("can't adopt {what}: {error}")))
                    }
                },
            };
            match is_owned {
                Ok(true) => claimed.push(given),
                Ok(false) => {}
                Err(error) => errors.push(error),
            }
        }
        aggregate(errors)?;
        Ok(claimed)
    }

    /// Adopts an object, or releases it. Returns whether it is the controller's then.
    ///
    /// Upstream: `pkg/controller/controller_ref_manager.go AdoptPod`, `ReleasePod`, `AdoptReplicaSet`, `ReleaseReplicaSet`,
    /// `AdoptControllerRevision` and `ReleaseControllerRevision`
    fn patch(&self, client: &mut dyn Client, object: &Object, adopts: bool) -> Result<bool, Error> {
        let stored = as_stored(client, object);
        let mut metadata = if adopts {
            let owner = OwnerReference::controller(self.kind.api_version(), self.kind.name(), self.controller);
            adopted(stored.metadata(), owner)
        } else {
            released(stored.metadata(), self.controller)
        };
        let decision = (self.decide)(adopts, &mut metadata);
        match client.write(Write::Patch(stored.with_metadata(|its| *its = metadata)), decision) {
            Ok(_) => Ok(adopts),
            Err(error) if error.is_not_found() => Ok(false),
            // The object has been released already, or was replaced by another of its name.
            Err(error) if !adopts && error.is_invalid() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The object as the API server has it, if that is still the same one: a patch changes that, and not the copy in a cache.
pub(crate) fn as_stored(client: &mut dyn Client, object: &Object) -> Object {
    let stored = client.stored(&object.key()).filter(|stored| stored.metadata().uid == object.metadata().uid);
    stored.unwrap_or_else(|| object.clone())
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
fn released(metadata: &ObjectMeta, owner: &ObjectMeta) -> ObjectMeta {
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
