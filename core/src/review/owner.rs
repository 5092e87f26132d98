//! Who made an object.

use serde_json::Value;

use crate::apiserver::value::{field, list, string};

/// The owner reference of the controller.
/// Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/controller_ref.go GetControllerOf`
pub(super) fn controller_of(object: &Value) -> Option<&Value> {
    let references = field(object, "metadata").map_or(&[][..], |metadata| list(metadata, "ownerReferences"));
    references.iter().find(|reference| field(reference, "controller").and_then(Value::as_bool) == Some(true))
}

/// Whether the reference is to one of these kinds of a Kubernetes group (empty for the core group).
pub(super) fn is_one_of(reference: &Value, kinds: &[(&str, &str)]) -> bool {
    let api_version = string(reference, "apiVersion");
    let group = api_version.split_once('/').map_or("", |(group, _)| group);
    kinds.contains(&(group, string(reference, "kind")))
}
