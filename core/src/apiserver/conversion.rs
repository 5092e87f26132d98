//! What becomes of an object on its way into the API server's internal version and back.

use alloc::string::String;

use serde_json::{Map, Value};

use super::decode::{drop_unknown_fields, fill_nulls};
use super::meta::annotations::remove_annotations;
use super::pod_spec::pod_holder_mut;
use super::strategy::Strategy;
use crate::object::unstructured::existing_map;

/// Writes what the two conversions write.
///
/// Upstream: `pkg/apis/apps/v1/conversion.go` and `pkg/apis/core/v1/conversion.go`
pub(super) fn round_trip(object: &mut Value, strategy: &dyn Strategy) {
    strategy.convert(object);
    drop_init_container_annotations(object, strategy);
    let spec = pod_holder_mut(object, strategy.kind()).and_then(|holder| existing_map(holder, &["spec"]));
    if let Some(spec) = spec {
        share_service_account(spec);
    }
}

/// An object as the API server has read it.
pub(super) fn decoded(object: &Value, strategy: &dyn Strategy) -> Value {
    let mut object = object.clone();
    fill_nulls(&mut object, strategy.shape());
    drop_unknown_fields(&mut object, strategy.shape());
    drop_init_container_annotations(&mut object, strategy);
    object
}

/// Upstream: `pkg/apis/core/v1/conversion.go dropInitContainerAnnotations`
fn drop_init_container_annotations(object: &mut Value, strategy: &dyn Strategy) {
    let keys = [
        "pod.alpha.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.beta.kubernetes.io/init-containers",
    ];
    if let Some(holder) = pod_holder_mut(object, strategy.kind()) {
        remove_annotations(holder, &keys);
    }
}

/// `serviceAccount` is an old name of `serviceAccountName`: both are written, and the new one wins.
fn share_service_account(spec: &mut Map<String, Value>) {
    let name = |key: &str| {
        let name = spec.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
        name.map(String::from)
    };
    if let Some(name) = name("serviceAccountName").or_else(|| name("serviceAccount")) {
        spec.insert("serviceAccountName".into(), name.as_str().into());
        spec.insert("serviceAccount".into(), name.into());
    }
}
