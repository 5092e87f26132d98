//! ControllerRevisions: the pod templates that a StatefulSet or a DaemonSet has and had, each with a number.

mod template_json;

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use serde_json::{Map, Value, json};
pub(crate) use template_json::template_json;

use super::client::{Client, Write};
use super::controller_ref::adopted;
use super::hash::safe_encode_string;
use super::{ApiError, Decision, DeletionPropagation};
use crate::go;
use crate::json::{ToJson, decode};
use crate::object::unstructured::at;
use crate::object::{
    ControllerRevision, Kind, NoStatus, Object, ObjectKey, ObjectMeta, OwnerReference, PodTemplateSpec, Revision,
    Selector, StringMap,
};

/// Upstream: `pkg/controller/history/controller_history.go ControllerRevisionHashLabel`
const CONTROLLER_REVISION_HASH_LABEL: &str = "controller.kubernetes.io/hash";

/// The patch that a revision keeps of a template.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go getPatch` and `pkg/controller/daemon/update.go getPatch`
pub(crate) fn revision_data(template: &PodTemplateSpec) -> Value {
    data_of(template_json(&template.to_json()))
}

/// The same for a template as Go writes it.
pub(crate) fn data_of(template: Value) -> Value {
    let mut template = template;
    if let Some(template) = template.as_object_mut() {
        template.insert("$patch".into(), "replace".into());
    }
    json!({ "spec": { "template": template } })
}

/// The template in a revision's patch, without the patch's own words.
pub(crate) fn kept_template(revision: &ControllerRevision) -> Option<Value> {
    let mut template: Map<_, _> = at(&revision.spec.data, &["spec", "template"])?.as_object()?.clone();
    template.remove("$patch");
    Some(Value::Object(template))
}

/// The template that a revision keeps; none if it can't be read.
pub(crate) fn template_of(revision: &ControllerRevision) -> Option<PodTemplateSpec> {
    decode(&kept_template(revision)?, "data.spec.template").ok()
}

/// Upstream: `pkg/controller/history/controller_history.go ControllerRevisionName`
fn controller_revision_name(prefix: &str, hash: &str) -> String {
    const LONGEST_PREFIX: usize = 223;
    let prefix = prefix.get(..LONGEST_PREFIX).unwrap_or(prefix);
    [prefix, "-", hash].concat()
}

/// A revision with the labels of the template, which is not stored yet.
///
/// Upstream: `pkg/controller/history/controller_history.go NewControllerRevision`
pub(crate) fn new_controller_revision(
    parent: &ObjectMeta,
    parent_kind: Kind,
    template_labels: &StringMap,
    data: Value,
    revision: i64,
    collision_count: Option<i32>,
) -> ControllerRevision {
    let hash = hash_controller_revision(&data, collision_count);
    let mut labels = (**template_labels).clone();
    labels.insert(CONTROLLER_REVISION_HASH_LABEL.into(), hash.clone());
    let owner = OwnerReference::controller(parent_kind.api_version(), parent_kind.name(), parent);
    let metadata = ObjectMeta {
        name: controller_revision_name(&parent.name, &hash).into(),
        namespace: parent.namespace.clone(),
        labels: Rc::new(labels),
        owner_references: Rc::new(Vec::from([owner])),
        ..ObjectMeta::default()
    };
    ControllerRevision {
        metadata: Rc::new(metadata),
        spec: Rc::new(Revision { data, revision }),
        status: NoStatus::default(),
    }
}

/// FNV-1 of the data and of the decimal number of collisions, in letters.
///
/// Upstream: `pkg/controller/history/controller_history.go HashControllerRevision`
pub(crate) fn hash_controller_revision(data: &Value, probe: Option<i32>) -> String {
    let probe = probe.map(|probe| alloc::format!("{probe}")).unwrap_or_default();
    let bytes = go::json(data);
    let hash = bytes
        .bytes()
        .chain(probe.bytes())
        .fold(2_166_136_261_u32, |hash, byte| hash.wrapping_mul(16_777_619) ^ u32::from(byte));
    safe_encode_string(&alloc::format!("{hash}"))
}

/// Upstream: `pkg/controller/history/controller_history.go SortControllerRevisions`
pub(crate) fn sort_controller_revisions(revisions: &mut [Rc<ControllerRevision>]) {
    revisions.sort_by(|a, b| less(a, b));
}

/// Upstream: `pkg/controller/history/controller_history.go byRevision.Less`
fn less(a: &ControllerRevision, b: &ControllerRevision) -> Ordering {
    let by_number = a.spec.revision.cmp(&b.spec.revision);
    let by_time = by_number.then_with(|| a.metadata.creation_timestamp.cmp(&b.metadata.creation_timestamp));
    by_time.then_with(|| a.metadata.name.cmp(&b.metadata.name))
}

/// Upstream: `pkg/controller/history/controller_history.go EqualRevision`
pub(crate) fn equal_revision(one: &ControllerRevision, other: &ControllerRevision) -> bool {
    one.spec.data == other.spec.data
}

/// Those among the revisions of a namespace that the parent owns, and those that nobody owns and whose labels match.
///
/// Upstream: `pkg/controller/history/controller_history.go ListControllerRevisions`
pub(crate) fn list_controller_revisions(
    parent: &ObjectMeta,
    parent_kind: Kind,
    selector: &Selector<'_>,
    revisions: &[Rc<ControllerRevision>],
) -> Vec<Rc<ControllerRevision>> {
    let is_owned = |revision: &&Rc<ControllerRevision>| match revision.metadata.controller() {
        None => true,
        Some(owner) => owner.uid == parent.uid && owner.name == parent.name && *owner.kind == *parent_kind.name(),
    };
    let listed = revisions.iter().filter(is_owned).filter(|revision| selector.matches(&revision.metadata.labels));
    listed.cloned().collect()
}

/// Creates the revision. Where its name is taken by another one, it gets a name with the next number of collisions.
///
/// # Errors
/// The API server's refusal.
///
/// Upstream: `pkg/controller/history/controller_history.go CreateControllerRevision`
pub(crate) fn create_controller_revision(
    client: &mut dyn Client,
    parent: &ObjectMeta,
    revision: ControllerRevision,
    collision_count: &mut i32,
    decide: impl Fn(&Rc<str>) -> Decision,
) -> Result<Rc<ControllerRevision>, ApiError> {
    let mut clone = revision;
    loop {
        let hash = hash_controller_revision(&clone.spec.data, Some(*collision_count));
        let name: Rc<str> = controller_revision_name(&parent.name, &hash).into();
        Rc::make_mut(&mut clone.metadata).name = name.clone();
        let key = clone.key();
        match client.write(Write::Create(clone.clone().into()), decide(&name)) {
            Ok(created) => return Ok(as_revision(created).unwrap_or_else(|| Rc::new(clone))),
            Err(error) if error.is_already_exists() => {
                let Some(exists) = as_revision(client.get(&key)) else { return Err(ApiError::not_found(&key)) };
                if equal_revision(&exists, &clone) {
                    return Ok(exists);
                }
                *collision_count = collision_count.saturating_add(1);
            }
            Err(error) => return Err(error),
        }
    }
}

fn as_revision(object: Option<Object>) -> Option<Rc<ControllerRevision>> {
    object?.typed().cloned()
}

/// The revision with another number.
///
/// # Errors
/// The API server's refusal.
///
/// Upstream: `pkg/controller/history/controller_history.go UpdateControllerRevision`
pub(crate) fn update_controller_revision(
    client: &mut dyn Client,
    revision: &Rc<ControllerRevision>,
    new_revision: i64,
    decision: Decision,
) -> Result<Rc<ControllerRevision>, ApiError> {
    if revision.spec.revision == new_revision {
        return Ok(revision.clone());
    }
    let mut clone = (**revision).clone();
    Rc::make_mut(&mut clone.spec).revision = new_revision;
    client.write(Write::Update(clone.clone().into()), decision)?;
    Ok(Rc::new(clone))
}

/// Deletes the revision.
///
/// # Errors
/// The API server's refusal.
///
/// Upstream: `pkg/controller/history/controller_history.go DeleteControllerRevision`
pub(crate) fn delete_controller_revision(
    client: &mut dyn Client,
    key: ObjectKey,
    decision: Decision,
) -> Result<(), ApiError> {
    client.write(Write::Delete { key, propagation: DeletionPropagation::Background }, decision).map(|_| ())
}

/// Makes the parent the owner of the revision.
///
/// # Errors
/// The API server's refusal.
///
/// Upstream: `pkg/controller/history/controller_history.go AdoptControllerRevision`
pub(crate) fn adopt_controller_revision(
    client: &mut dyn Client,
    parent: &ObjectMeta,
    parent_kind: Kind,
    revision: &ControllerRevision,
    decision: Decision,
) -> Result<(), ApiError> {
    let owner = OwnerReference::controller(parent_kind.api_version(), parent_kind.name(), parent);
    let metadata = Rc::new(adopted(&revision.metadata, owner));
    let object = ControllerRevision { metadata, ..revision.clone() };
    client.write(Write::Patch(object.into()), decision).map(|_| ())
}
