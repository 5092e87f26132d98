//! The whole way of a new object into the store.

use alloc::vec::Vec;

use serde_json::Value;

use super::internal_version::Printer;
use super::prepare::{prepare_for_create, set_defaults};
use super::recognize::recognize;
use super::strategy::Strategy;
use super::validate::refusals;
use super::validation::FieldError;
use crate::feature_gates::FeatureGates;

/// Creates an object of one of these kinds as the API server would: the object with its defaults, in namespace `default`
/// unless it names one, generation 1 and an empty status. UIDs and times are the store's to give, and so is the name where
/// there is only a `generateName`: it must be in the object already, and so must a Job's UID, which its selector is made
/// of.
///
/// # Errors
/// All fields that the API server refuses; a kind that is not known; a field of the wrong JSON type.
///
/// Upstream: `k8s.io/apiserver/pkg/registry/rest/create.go BeforeCreate`
pub fn create(object: &Value, kinds: &[&'static dyn Strategy], gates: &FeatureGates) -> Result<Value, Vec<FieldError>> {
    let (object, strategy) = recognize(object, kinds)?;
    let created = prepared_create(object, strategy, *gates);
    let errors = refusals(&created, strategy, None, *gates, Printer::Short, Vec::new());
    if errors.is_empty() { Ok(created) } else { Err(errors) }
}

/// A new object as it stands when validation begins.
pub(super) fn prepared_create(mut object: Value, strategy: &dyn Strategy, gates: FeatureGates) -> Value {
    set_defaults(&mut object, strategy, gates);
    prepare_for_create(&mut object, strategy, gates);
    object
}
