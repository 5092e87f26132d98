//! The objects of `--context`, which answer the policy's questions about the cluster as Kubewarden's hosts do.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::files;

/// Objects of a cluster, as a file has them.
#[derive(Clone, Debug, Default)]
pub struct ContextObjects(Vec<Value>);

/// The SDK's `GetResourceRequest`, and `ListResourcesByNamespaceRequest`, which has no name.
#[derive(Deserialize)]
struct Request {
    api_version: String,
    kind: String,
    namespace: Option<String>,
    #[serde(default)]
    name: String,
    field_masks: Option<Vec<String>>,
}

impl ContextObjects {
    /// The objects; those of Lists (`kubectl get ... -o yaml`) instead of the Lists.
    #[must_use]
    pub fn new(documents: Vec<Value>) -> Self {
        let mut objects = Vec::new();
        for mut document in documents {
            match document.get_mut("items").map(Value::take) {
                Some(Value::Array(items)) => objects.extend(items),
                _ => objects.push(document),
            }
        }
        Self(objects)
    }

    /// Reads a file of YAML or JSON.
    ///
    /// # Errors
    /// One sentence that names the file and the position.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let documents = changeover_text::parse_bytes(&files::read("--context", path)?);
        let documents = documents.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self::new(documents.into_iter().map(|document| document.value).collect()))
    }

    /// Answers a call of the policy.
    ///
    /// # Errors
    /// The text of policy-server's error: another capability, an invalid payload, no such object.
    pub fn answer(&self, capability: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
        let request = || serde_json::from_slice::<Request>(payload).map_err(|error| error.to_string());
        match capability {
            "kubernetes/get_resource" => self.get(&request()?),
            "kubernetes/list_resources_by_namespace" => Ok(self.list(&request()?)),
            unknown => Err(format!("unknown operation: {unknown}")),
        }
    }

    fn get(&self, request: &Request) -> Result<Vec<u8>, String> {
        let Request { api_version, kind, name, namespace, .. } = request;
        let found = self.of(request).find(|object| metadata(object, "name") == name);
        let object = found.ok_or_else(|| {
            format!("Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace:?}'")
        })?;
        Ok(masked(object, request).to_string().into_bytes())
    }

    fn list(&self, request: &Request) -> Vec<u8> {
        let items: Vec<Value> = self.of(request).map(|object| masked(object, request)).collect();
        let kind = format!("{}List", request.kind);
        json!({ "apiVersion": request.api_version, "kind": kind, "items": items }).to_string().into_bytes()
    }

    fn of<'a>(&'a self, request: &'a Request) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(|object| {
            let has = |key, expected: &str| object.get(key).is_some_and(|value| value == expected);
            has("apiVersion", &request.api_version)
                && has("kind", &request.kind)
                && metadata(object, "namespace") == request.namespace.as_deref().unwrap_or_default()
        })
    }
}

fn metadata<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(key)).and_then(Value::as_str).unwrap_or_default()
}

/// The object with no fields but those of the masks, its type and its metadata.
fn masked(object: &Value, request: &Request) -> Value {
    let Some(masks) = request.field_masks.as_deref().filter(|masks| !masks.is_empty()) else { return object.clone() };
    let paths: Vec<Vec<&str>> = masks.iter().map(|mask| mask.split('.').collect()).collect();
    let always = [vec!["apiVersion"], vec!["kind"], vec!["metadata"]];
    let paths: Vec<&[&str]> = paths.iter().chain(&always).map(Vec::as_slice).collect();
    pruned(object, &paths)
}

/// What the paths lead to. The items of a list have the list's path.
fn pruned(value: &Value, paths: &[&[&str]]) -> Value {
    if paths.iter().any(|path| path.is_empty()) {
        return value.clone();
    }
    match value {
        Value::Array(items) => items.iter().map(|item| pruned(item, paths)).collect(),
        Value::Object(map) => {
            let mut kept = Map::new();
            for (key, value) in map {
                let below = paths.iter().filter_map(|path| path.split_first());
                let below: Vec<&[&str]> = below.filter(|(name, _)| *name == key).map(|(_, below)| below).collect();
                if !below.is_empty() {
                    kept.insert(key.clone(), pruned(value, &below));
                }
            }
            Value::Object(kept)
        }
        other => other.clone(),
    }
}
