//! The pod templates that revisions keep.

use alloc::rc::Rc;

use crate::controller::history::template_of;
use crate::object::{ControllerRevision, PodTemplateSpec};
use crate::workload::stateful_set::{StatefulSet, StatefulSetSpec};

/// The StatefulSet with the pod template of the revision.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go ApplyRevision`
pub fn apply_revision(set: &Rc<StatefulSet>, revision: &ControllerRevision) -> Rc<StatefulSet> {
    with_template(set, applied_template(&set.spec.template, revision))
}

/// The template that the revision keeps: the same one if they are equal, or if the revision can't be read.
pub(super) fn applied_template(template: &Rc<PodTemplateSpec>, revision: &ControllerRevision) -> Rc<PodTemplateSpec> {
    match template_of(revision) {
        Some(kept) if kept != **template => Rc::new(kept),
        _ => template.clone(),
    }
}

/// The StatefulSet with another template.
pub(super) fn with_template(set: &Rc<StatefulSet>, template: Rc<PodTemplateSpec>) -> Rc<StatefulSet> {
    if Rc::ptr_eq(&template, &set.spec.template) {
        return set.clone();
    }
    let spec = StatefulSetSpec { template, ..(*set.spec).clone() };
    Rc::new(StatefulSet { spec: Rc::new(spec), ..(**set).clone() })
}
