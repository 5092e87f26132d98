//! What becomes of an object on its way into the API server's internal version and back.

use alloc::string::String;

use serde_json::{Map, Value};

use super::kind::Kind;
use super::value::{at, set_default};
use super::{deployment, pod, schema};

/// Writes what the two conversions write.
/// Upstream: `pkg/apis/apps/v1/conversion.go` and `pkg/apis/core/v1/conversion.go`
pub(super) fn round_trip(object: &mut Value, kind: Kind) {
    match kind {
        Kind::Pod => pod::convert(object),
        // The internal version holds these by value.
        Kind::Deployment => {
            fill(object, &["spec", "strategy", "rollingUpdate"], &["maxUnavailable", "maxSurge"]);
            deployment::convert_rollback(object);
        }
        Kind::DaemonSet => fill(object, &["spec", "updateStrategy", "rollingUpdate"], &["maxUnavailable", "maxSurge"]),
        Kind::StatefulSet => {
            fill(object, &["spec", "updateStrategy", "rollingUpdate"], &["partition"]);
            name_claims(object);
        }
        _ => {}
    }
    drop_init_container_annotations(object, kind);
    let template: &[&str] = kind.template().unwrap_or_default();
    if let Some(spec) = there(object, template).and_then(|holder| there(holder, &["spec"])) {
        share_service_account(spec);
    }
}

/// An object as the API server has read it: what Kubernetes does not know is gone, and what is dropped at once, too.
pub(super) fn decoded(object: &Value, kind: Kind) -> Value {
    let mut object = object.clone();
    schema::fill(&mut object, schema::of(kind));
    schema::drop_unknown(&mut object, schema::of(kind));
    drop_init_container_annotations(&mut object, kind);
    object
}

/// Upstream: `pkg/apis/core/v1/conversion.go dropInitContainerAnnotations`
fn drop_init_container_annotations(object: &mut Value, kind: Kind) {
    let keys = [
        "pod.alpha.kubernetes.io/init-container-statuses",
        "pod.alpha.kubernetes.io/init-containers",
        "pod.beta.kubernetes.io/init-container-statuses",
        "pod.beta.kubernetes.io/init-containers",
    ];
    // A Pod holds them itself, and all others but a Pod have a template.
    if let Some(holder) = there(object, kind.template().unwrap_or_default()) {
        drop_annotations(holder, &keys);
    }
}

/// The last annotation takes the map along.
pub(super) fn drop_annotations(holder: &mut Value, keys: &[&str]) {
    let Some(metadata) = holder.get_mut("metadata").and_then(Value::as_object_mut) else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_object_mut) else { return };
    let before = annotations.len();
    for key in keys {
        annotations.remove(*key);
    }
    if annotations.is_empty() && before > 0 {
        metadata.remove("annotations");
    }
}

/// The map at the end of a way, if it is there.
fn there<'a>(object: &'a mut Value, way: &[&str]) -> Option<&'a mut Value> {
    way.iter().try_fold(object, |value, key| value.get_mut(*key)).filter(|value| value.is_object())
}

fn fill(object: &mut Value, way: &[&str], keys: &[&str]) {
    if at(object, way).is_some()
        && let Some(map) = there(object, way).and_then(Value::as_object_mut)
    {
        for key in keys {
            set_default(map, key, 0);
        }
    }
}

/// The claims in a StatefulSet are written as objects of their own.
fn name_claims(object: &mut Value) {
    let claims = there(object, &["spec"]).and_then(|spec| spec.get_mut("volumeClaimTemplates"));
    for claim in claims.and_then(Value::as_array_mut).into_iter().flatten().filter_map(Value::as_object_mut) {
        claim.insert("apiVersion".into(), "v1".into());
        claim.insert("kind".into(), "PersistentVolumeClaim".into());
    }
}

/// `serviceAccount` is an old name of `serviceAccountName`: both are written, and the new one wins.
fn share_service_account(spec: &mut Value) {
    let Some(map) = spec.as_object_mut() else { return };
    let text = |map: &Map<String, Value>, key: &str| {
        map.get(key).filter(|name| name.as_str().is_some_and(|name| !name.is_empty())).cloned()
    };
    if let Some(name) = text(map, "serviceAccountName").or_else(|| text(map, "serviceAccount")) {
        map.insert("serviceAccountName".into(), name.clone());
        map.insert("serviceAccount".into(), name);
    }
}
