//! Kubernetes objects, and where in a file or in the cluster each is.

use changeover_core::Problem;
use changeover_core::prediction;
use changeover_text::{Document, Position};
use serde_json::Value;

use crate::failure::Failure;

/// The name of standard input on the command line.
pub const STDIN: &str = "-";

/// The name of standard input in messages.
pub const STDIN_NAME: &str = "standard input";

/// Where an object comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file, or standard input.
    File(String),
    /// The running cluster.
    Cluster,
}

/// An object and where it comes from.
#[derive(Clone, Debug)]
pub struct Manifest {
    pub origin: Origin,
    pub document: Document,
}

impl Manifest {
    /// The file and position of a field, or of the nearest field around it.
    pub fn position(&self, path: &str) -> Option<(&str, Position)> {
        match &self.origin {
            Origin::File(file) => Some((file, self.document.position(path))),
            Origin::Cluster => None,
        }
    }

    /// A sentence about a field: `deploy.yaml:7:3: spec.replicas: Invalid value ...`.
    pub fn locate(&self, path: &str, message: &str) -> String {
        let before = match self.position(path) {
            Some((file, Position { line, column })) => format!("{file}:{line}:{column}"),
            None => format!("{} in the cluster", self.name()),
        };
        if path.is_empty() { format!("{before}: {message}") } else { format!("{before}: {path}: {message}") }
    }

    /// The file that has the object; none for standard input and the running cluster, which are read as they are now.
    pub fn file(&self) -> Option<&str> {
        match &self.origin {
            Origin::File(file) if file != STDIN_NAME => Some(file),
            Origin::File(_) | Origin::Cluster => None,
        }
    }

    /// `Kind/name`
    pub fn name(&self) -> String {
        let object = &self.document.value;
        format!("{}/{}", kind(object), metadata(object, "name"))
    }
}

/// The kind of an object; empty if it has none.
pub fn kind(object: &Value) -> &str {
    object.get("kind").and_then(Value::as_str).unwrap_or_default()
}

/// The API version of an object; empty if it has none.
pub fn api_version(object: &Value) -> &str {
    object.get("apiVersion").and_then(Value::as_str).unwrap_or_default()
}

/// A field of an object's metadata; empty if it has none.
pub fn metadata<'a>(object: &'a Value, field: &str) -> &'a str {
    object.get("metadata").and_then(|metadata| metadata.get(field)?.as_str()).unwrap_or_default()
}

/// Whether the object is one that runs in a cluster: a workload or a pod that its API server gave a uid.
pub fn is_of_running_cluster(manifest: &Manifest) -> bool {
    prediction::is_of_running_cluster(&manifest.document.value)
}

/// The objects of a list of manifests.
pub fn objects(manifests: &[Manifest]) -> Vec<Value> {
    objects_in(manifests).cloned().collect()
}

/// The objects in a list of manifests.
pub fn objects_in(manifests: &[Manifest]) -> impl Iterator<Item = &Value> {
    manifests.iter().map(|manifest| &manifest.document.value)
}

/// Reads what kubectl printed with `-o json`.
///
/// # Errors
/// When that is no JSON, or has no objects.
pub fn parse_cluster(bytes: &[u8]) -> Result<Vec<Manifest>, Failure> {
    let value: Value = serde_json::from_slice(bytes)
        .map_err(|error| Failure::new(format!("kubectl: Invalid value: must print JSON: {error}")))?;
    let documents =
        changeover_text::objects(value).map_err(|error| Failure::new(format!("kubectl: {}", error.message)))?;
    Ok(documents.into_iter().map(|document| Manifest { origin: Origin::Cluster, document }).collect())
}

/// The sentence of a problem of an object in one of these lists, with its file and line; none if it is about something else.
/// The paths of the core name the list and the index: `old[3].spec.replicas`.
pub fn located(problem: &Problem, lists: &[(&str, &[Manifest])]) -> Option<String> {
    lists.iter().find_map(|(name, manifests)| {
        let (index, below) = problem.path.strip_prefix(name)?.strip_prefix('[')?.split_once(']')?;
        let manifest = manifests.get(index.parse::<usize>().ok()?)?;
        Some(manifest.locate(below.strip_prefix('.').unwrap_or(below), &problem.message))
    })
}

/// The flag of an option's field: `readyAfter` is `--ready-after`.
pub fn flag_of(field: &str) -> String {
    let mut flag = "--".to_owned();
    for character in field.chars() {
        if character.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(character.to_ascii_lowercase());
    }
    flag
}
