//! The policy's reads from the cluster: the payloads of Kubewarden's host capabilities.

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// A read of the policy.
pub(crate) enum Question {
    /// One object.
    Get(Lookup),
    /// All objects of a kind in a namespace.
    List(Lookup),
}

/// The objects to read: the SDK's `GetResourceRequest`, or `ListResourcesByNamespaceRequest`, which has no name.
#[derive(Deserialize)]
pub(crate) struct Lookup {
    pub api_version: String,
    pub kind: String,
    pub namespace: Option<String>,
    #[serde(default)]
    pub name: String,
    field_masks: Option<Vec<String>>,
}

impl Question {
    /// Parses the payload of a call.
    ///
    /// # Errors
    /// policy-server's message: another capability, an invalid payload.
    pub(crate) fn parse(capability: &str, payload: &[u8]) -> Result<Self, String> {
        let lookup = || serde_json::from_slice(payload).map_err(|error| error.to_string());
        match capability {
            "kubernetes/get_resource" => lookup().map(Self::Get),
            "kubernetes/list_resources_by_namespace" => lookup().map(Self::List),
            unknown => Err(format!("unknown operation: {unknown}")),
        }
    }
}

impl Lookup {
    /// policy-server's message for an object that does not exist.
    pub(crate) fn not_found(&self) -> String {
        let Self { api_version, kind, name, namespace, .. } = self;
        format!("Cannot find {api_version}/{kind} named '{name}' inside of namespace '{namespace:?}'")
    }

    /// The response with one object.
    pub(crate) fn object(&self, object: &Value) -> Vec<u8> {
        self.masked(object).to_string().into_bytes()
    }

    /// The response with a list.
    pub(crate) fn list<'a>(&self, objects: impl Iterator<Item = &'a Value>) -> Vec<u8> {
        let items: Vec<Value> = objects.map(|object| self.masked(object)).collect();
        let kind = format!("{}List", self.kind);
        json!({ "apiVersion": self.api_version, "kind": kind, "items": items }).to_string().into_bytes()
    }

    /// The object with only the fields of the masks, its type and its metadata.
    fn masked(&self, object: &Value) -> Value {
        let Some(masks) = self.field_masks.as_deref().filter(|masks| !masks.is_empty()) else { return object.clone() };
        let paths: Vec<Vec<&str>> = masks.iter().map(|mask| mask.split('.').collect()).collect();
        let always = [vec!["apiVersion"], vec!["kind"], vec!["metadata"]];
        let paths: Vec<&[&str]> = paths.iter().chain(&always).map(Vec::as_slice).collect();
        pruned(object, &paths)
    }
}

/// The part of a value at the paths. The items of a list have the list's path.
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
