//! The objects in a `--context` file, which answer the policy's reads from the cluster as Kubewarden's hosts do.

use std::path::Path;

use serde_json::Value;

use crate::context_question::{Lookup, Question};
use crate::files;

/// The objects of a cluster, from a file.
#[derive(Clone, Debug, Default)]
pub struct ContextObjects(Vec<Value>);

impl ContextObjects {
    /// The objects, with Lists (`kubectl get ... -o yaml`) replaced by their items.
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
    /// policy-server's message: another capability, an invalid payload, no such object.
    pub fn answer(&self, capability: &str, payload: &[u8]) -> Result<Vec<u8>, String> {
        match Question::parse(capability, payload)? {
            Question::Get(lookup) => {
                let found = self.of(&lookup).find(|object| metadata(object, "name") == lookup.name);
                found.map(|object| lookup.object(object)).ok_or_else(|| lookup.not_found())
            }
            Question::List(lookup) => Ok(lookup.list(self.of(&lookup))),
        }
    }

    fn of<'a>(&'a self, lookup: &'a Lookup) -> impl Iterator<Item = &'a Value> {
        self.0.iter().filter(|object| {
            let has = |key, expected: &str| object.get(key).is_some_and(|value| value == expected);
            has("apiVersion", &lookup.api_version)
                && has("kind", &lookup.kind)
                && metadata(object, "namespace") == lookup.namespace.as_deref().unwrap_or_default()
        })
    }
}

fn metadata<'a>(object: &'a Value, key: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(key)).and_then(Value::as_str).unwrap_or_default()
}
