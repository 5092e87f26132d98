//! The whole way of a changed object into the store.

use alloc::vec::Vec;

use serde_json::Value;

use super::internal_version::Printer;
use super::prepare::{prepare_for_update, set_defaults};
use super::recognize::recognize;
use super::strategy::Strategy;
use super::validate::refusals;
use super::validation::FieldError;
use crate::feature_gates::FeatureGates;
use crate::object::unstructured::{field, map_at, set_default, set_default_string, set_or_remove, string};

/// Replaces an object by another as the API server would. What only the store writes (UID, times, generation, and the
/// resource version if `new` has none) comes from `old`, the status too.
///
/// # Errors
/// As [`create`](super::create::create), and what an update may not change.
pub fn update(
    new: &Value,
    old: &Value,
    kinds: &[&'static dyn Strategy],
    gates: &FeatureGates,
) -> Result<Value, Vec<FieldError>> {
    let (object, strategy) = recognize(new, kinds)?;
    // It is read from the store with its defaults, which a controller need not have written.
    let mut old = old.clone();
    set_defaults(&mut old, strategy, *gates);
    let updated = prepared_update(object, &old, strategy, *gates);
    let errors = refusals(&updated, strategy, Some(&old), *gates, Printer::Short, Vec::new());
    if errors.is_empty() { Ok(updated) } else { Err(errors) }
}

/// A changed object as it stands when validation begins.
///
/// Upstream: `k8s.io/apiserver/pkg/registry/rest/update.go BeforeUpdate`
pub(super) fn prepared_update(mut object: Value, old: &Value, strategy: &dyn Strategy, gates: FeatureGates) -> Value {
    set_defaults(&mut object, strategy, gates);
    if let (Some(metadata), Some(old)) = (map_at(&mut object, &["metadata"]), field(old, "metadata")) {
        for key in ["creationTimestamp", "generation"] {
            set_or_remove(metadata, key, field(old, key));
        }
        for key in ["uid", "resourceVersion"] {
            set_default_string(metadata, key, string(old, key));
        }
        // No update changes a deletion; one that sets it is refused.
        if let Some(value) = field(old, "deletionTimestamp") {
            metadata.insert("deletionTimestamp".into(), value.clone());
        }
        if let Some(value) = field(old, "deletionGracePeriodSeconds") {
            set_default(metadata, "deletionGracePeriodSeconds", value.clone());
        }
    }
    prepare_for_update(&mut object, old, strategy, gates);
    object
}
