//! Warnings about fields that Kubernetes does not know, such as misspelled ones.

use alloc::format;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::{Warning, WarningKind};
use super::given_objects::{GivenObject, is_stored, name, namespace};
use crate::apiserver::{UnknownField, unknown_fields};
use crate::feature_gates::FeatureGates;
use crate::object::unstructured::string;

/// A warning for each unknown field of manifests; one that is there before and after the change is listed once. The objects of a
/// running cluster have none.
pub(super) fn unknown_field_warnings<'a>(given: impl Iterator<Item = &'a GivenObject>) -> Vec<Warning> {
    let manifests = given.map(|source| &source.object).filter(|object| !is_stored(object));
    let of_object = |object: &'a Value| {
        let namespace = namespace(object).unwrap_or("default");
        let object_name = format!("{}/{namespace}/{}", string(object, "kind"), name(object));
        let warning = move |field: UnknownField| Warning {
            object: object_name.clone(),
            kind: WarningKind::UnknownField,
            message: format!(
                "kubectl refuses the manifest, and the prediction ignores the field: {}",
                field.sentence()
            ),
        };
        unknown_fields(object, &FeatureGates::default()).into_iter().map(warning)
    };
    let mut warnings: Vec<Warning> = manifests.flat_map(of_object).collect();
    warnings.sort();
    warnings.dedup();
    warnings
}
