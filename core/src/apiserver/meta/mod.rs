//! ObjectMeta: names, labels, annotations, selectors, owners and finalizers.

pub(crate) mod annotations;
mod labels;
mod object_meta;
pub(crate) mod selector;

pub(crate) use annotations::validate_annotations;
pub(crate) use labels::validate_labels;
pub(crate) use object_meta::{METADATA, NameRule, validate_object_meta, validate_object_meta_update};
