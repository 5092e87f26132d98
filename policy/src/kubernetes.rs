//! Asks the cluster by Kubewarden's host capabilities `kubernetes/get_resource` and `kubernetes/list_resources_by_namespace`.
//!
//! Their payloads are the SDK's `GetResourceRequest` and `ListResourcesByNamespaceRequest`. The SDK's own functions need
//! k8s-openapi with all types of one Kubernetes release, and the review reads untyped JSON.

use changeover_core::json;
use changeover_core::review::{ClusterReader, Freshness, Lookup};
use serde_json::{Map, Value};

/// The cluster of the policy's host: a function that calls the host, with an operation and a payload.
#[derive(Clone, Copy, Debug)]
pub struct Kubernetes<C>(pub C);

impl<C: Fn(&str, &[u8]) -> Result<Vec<u8>, String>> ClusterReader for Kubernetes<C> {
    fn get(&self, lookup: &Lookup<'_>) -> Result<Option<Value>, String> {
        let mut request = request(lookup);
        request.insert("name".into(), lookup.name.into());
        request.insert("disable_cache".into(), (lookup.freshness == Freshness::Latest).into());
        match self.call("get_resource", request) {
            Ok(object) => Ok(Some(object)),
            Err(message) if is_missing(&message, lookup) => Ok(None),
            Err(message) => Err(message),
        }
    }

    fn list(&self, lookup: &Lookup<'_>) -> Result<Vec<Value>, String> {
        match self.call("list_resources_by_namespace", request(lookup))?.get_mut("items").map(Value::take) {
            Some(Value::Array(items)) => Ok(items),
            _ => Err("the host's answer is not a list".into()),
        }
    }
}

impl<C: Fn(&str, &[u8]) -> Result<Vec<u8>, String>> Kubernetes<C> {
    /// Calls the host and parses its answer.
    fn call(&self, operation: &str, request: Map<String, Value>) -> Result<Value, String> {
        let payload = json::text(&Value::Object(request));
        let answer = (self.0)(operation, payload.as_bytes()).map_err(|error| reason(&error))?;
        serde_json::from_slice(&answer).map_err(|_| "the host's answer is not JSON".into())
    }
}

/// The fields of both requests.
fn request(lookup: &Lookup<'_>) -> Map<String, Value> {
    let mut request = Map::new();
    request.insert("api_version".into(), lookup.kind.api_version().into());
    request.insert("kind".into(), lookup.kind.name().into());
    request.insert("namespace".into(), lookup.namespace.into());
    request.insert("field_masks".into(), lookup.fields.into());
    request
}

/// The reason of an error, without what waPC and policy-server put before it.
fn reason(error: &str) -> String {
    let prefixes = ["Host error: ", "Callback evaluation failure: "];
    prefixes.iter().fold(error, |rest, prefix| rest.strip_prefix(prefix).unwrap_or(rest)).into()
}

/// Whether the host says that there is no such object. It has no code for that, only this text.
///
/// Upstream: kubewarden's `policy-evaluator/src/callback_handler/kubernetes/client.rs get_resource`
fn is_missing(message: &str, lookup: &Lookup<'_>) -> bool {
    let Lookup { kind, name, .. } = lookup;
    message.contains(&format!("Cannot find {}/{kind} named '{name}'", kind.api_version()))
}
