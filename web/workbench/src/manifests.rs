//! The user's manifests as a cluster that changes, and where in the text something is.

use changeover_core::Problem;
use changeover_core::object::{Kind, ObjectKey};
use changeover_core::prediction::{Assumptions, PredictOptions, World};
use changeover_core::scenario::Mode;
use changeover_text::{Document, Error, parse};
use changeover_wire::{DeploymentName, FieldValue, LineProblem, ManifestChange, ManifestText, Manifests, Severity};
use serde_json::{Value, json};

use crate::read_time::read_time;
use crate::surroundings::Surroundings;
use crate::text_edit::with_field;

/// The tag of the image that a Deployment gets if the user changes nothing.
const NEXT_TAG: &str = "next";

/// The defaults of fields that need not be written.
const DEFAULTS: [(&str, &str); 1] = [("spec.strategy.type", "RollingUpdate")];

/// The user's texts, read.
pub(crate) struct Texts {
    pub text: Vec<Document>,
    /// What runs before the change.
    pub before: Option<Vec<Document>>,
    /// The Deployment that is shown.
    pub shown: Option<DeploymentName>,
    pub change: ManifestChange,
    pub surroundings: Surroundings,
}

impl Texts {
    /// Reads the texts.
    ///
    /// # Errors
    /// The text that can't be read.
    pub fn read(manifests: &Manifests) -> Result<Self, Vec<LineProblem>> {
        let text = parse(&manifests.text).map_err(|error| vec![unreadable(ManifestText::Text, error)])?;
        let before = manifests.before.as_deref().map(parse).transpose();
        let before = before.map_err(|error| vec![unreadable(ManifestText::Before, error)])?;
        let surroundings = Surroundings::read(&manifests.surroundings).map_err(|problem| vec![around(&problem)])?;
        let deployments = deployments(&text);
        let wanted = manifests.deployment.as_ref().filter(|wanted| deployments.contains(wanted));
        let shown = wanted.or(deployments.first()).cloned();
        let change = change(&text, before.is_some(), shown.as_ref());
        Ok(Self { text, before, shown, change, surroundings })
    }

    /// The cluster, and its change.
    ///
    /// # Errors
    /// The problems of the objects, with their lines.
    pub fn world(&self) -> Result<World, Vec<LineProblem>> {
        let old = self.old();
        let new = match &self.change {
            _ if self.before.is_some() => values(&self.text),
            ManifestChange::Image(image) => self.shown_document().map(|it| with_image(it, image)).into_iter().collect(),
            ManifestChange::Nothing | ManifestChange::Difference => Vec::new(),
        };
        let is_live = old.iter().any(is_live_pod);
        let has_nodes = old.iter().any(|object| is_of_kind(object, "Node"));
        // The pods of a running cluster name their nodes.
        let nodes = if has_nodes || is_live { Vec::new() } else { self.surroundings.nodes.clone() };
        let options = PredictOptions {
            nodes: nodes.iter().map(changeover_core::json::ToJson::to_json).collect(),
            assumptions: Assumptions {
                mode: Some(Mode::Exact),
                now: is_live.then(|| read_time(&old)).flatten(),
                controller_manager: self.surroundings.controller_manager,
                ..Assumptions::default()
            },
            ..PredictOptions::default()
        };
        World::new(&old, &new, &options).map_err(|problem| self.locate(&problem))
    }

    /// The objects before the change.
    pub fn old(&self) -> Vec<Value> {
        values(self.before.as_ref().unwrap_or(&self.text))
    }

    /// The key of the shown Deployment.
    pub fn shown_key(&self) -> Option<ObjectKey> {
        let DeploymentName { namespace, name } = self.shown.as_ref()?;
        Some(ObjectKey::new(Kind::Deployment, namespace.as_str(), name.as_str()))
    }

    /// The names of all Deployments.
    pub fn deployments(&self) -> Vec<DeploymentName> {
        deployments(&self.text)
    }

    fn shown_document(&self) -> Option<&Document> {
        self.text.get(self.shown_index()?)
    }

    fn shown_index(&self) -> Option<usize> {
        let shown = self.shown.as_ref()?;
        self.text.iter().position(|document| deployment_name(&document.value).as_ref() == Some(shown))
    }

    /// A field of the shown Deployment.
    fn field(&self, path: &str) -> FieldValue {
        let value = self.shown_document().and_then(|shown| shown.value.pointer(&pointer(path))).cloned();
        FieldValue { path: path.to_owned(), value: value.unwrap_or(Value::Null) }
    }

    /// The same fields of the shown Deployment; none if there is no Deployment.
    pub fn fields(&self, fields: &[FieldValue]) -> Vec<FieldValue> {
        let field = |field: &FieldValue| self.field(&field.path);
        if self.shown.is_some() { fields.iter().map(field).collect() } else { Vec::new() }
    }

    /// Writes fields into the text of the shown Deployment.
    pub fn write(&self, text: &str, fields: &[FieldValue]) -> WrittenText {
        let mut written = WrittenText::default();
        let Some(index) = self.shown_index() else { return written };
        let is_said = |field: &&FieldValue| {
            let value = self.field(&field.path).value;
            value == field.value
                || (value.is_null() && DEFAULTS.contains(&(&field.path, field.value.as_str().unwrap_or(""))))
        };
        for field in fields.iter().filter(|field| !is_said(field)) {
            let path: Vec<&str> = field.path.split('.').collect();
            let value = Some(&field.value).filter(|value| !value.is_null());
            match with_field(written.text.as_deref().unwrap_or(text), index, &path, value) {
                Some(changed) => written.text = Some(changed),
                None => written.unwritten.push(field.path.clone()),
            }
        }
        written
    }

    /// The problems of the world, with their lines. The paths of the core name the list and the index:
    /// `old[3].spec.replicas`.
    pub fn locate(&self, problem: &Problem) -> Vec<LineProblem> {
        let problems = [problem].into_iter().chain(&problem.more);
        let locate = |problem: &Problem| match self.find(&problem.path) {
            Some((text, document, path)) => located(Severity::Error, text, document, path, problem.message.clone()),
            None => around(problem),
        };
        problems.map(locate).collect()
    }

    fn find<'a>(&'a self, path: &'a str) -> Option<(ManifestText, &'a Document, &'a str)> {
        let (list, rest) = path.split_once('[')?;
        let (index, below) = rest.split_once(']')?;
        let index: usize = index.parse().ok()?;
        let below = below.strip_prefix('.').unwrap_or(below);
        match (list, &self.before) {
            ("old", Some(before)) => Some((ManifestText::Before, before.get(index)?, below)),
            ("old", None) | ("new", Some(_)) => Some((ManifestText::Text, self.text.get(index)?, below)),
            ("new", None) => Some((ManifestText::Text, self.shown_document()?, below)),
            _ => None,
        }
    }
}

/// A text into which fields were written.
#[derive(Default)]
pub(crate) struct WrittenText {
    /// The text; none if nothing had to be written.
    pub text: Option<String>,
    /// The paths of the fields that could not be written.
    pub unwritten: Vec<String>,
}

/// The JSON pointer of a path of plain keys.
fn pointer(path: &str) -> String {
    format!("/{}", path.replace('.', "/"))
}

/// A problem at a field of a document.
pub(crate) fn located(
    severity: Severity,
    text: ManifestText,
    document: &Document,
    path: &str,
    message: String,
) -> LineProblem {
    let position = document.position(path);
    let (line, column) = (Some(position.line), Some(position.column));
    LineProblem { severity, text, line, column, path: path.to_owned(), message }
}

pub(crate) fn unreadable(text: ManifestText, error: Error) -> LineProblem {
    let line = error.position.map(|position| position.line);
    let column = error.position.map(|position| position.column);
    LineProblem { severity: Severity::Error, text, line, column, path: error.path, message: error.message }
}

/// The first problem of a text, for those who show it beside the list of all.
pub(crate) fn first(problems: Vec<LineProblem>) -> Problem {
    let first = problems.into_iter().next();
    first.map_or_else(|| Problem::new("", "Invalid value"), |problem| Problem::new(problem.path, problem.message))
}

fn around(problem: &Problem) -> LineProblem {
    let (path, message) = (problem.path.clone(), problem.message.clone());
    LineProblem { severity: Severity::Error, text: ManifestText::Surroundings, line: None, column: None, path, message }
}

/// What changes: what differs between two texts, nothing in a running cluster, else the shown Deployment's image.
fn change(text: &[Document], has_before: bool, shown: Option<&DeploymentName>) -> ManifestChange {
    if has_before {
        return ManifestChange::Difference;
    }
    let shown = text.iter().find(|document| deployment_name(&document.value).as_ref() == shown);
    let image = shown.and_then(|shown| shown.value.pointer(FIRST_IMAGE)).and_then(Value::as_str);
    match image {
        Some(image) if !text.iter().any(|document| is_live_pod(&document.value)) => {
            ManifestChange::Image(next_image(image))
        }
        _ => ManifestChange::Nothing,
    }
}

const FIRST_IMAGE: &str = "/spec/template/spec/containers/0/image";

fn with_image(document: &Document, image: &str) -> Value {
    let mut value = document.value.clone();
    if let Some(first) = value.pointer_mut(FIRST_IMAGE) {
        *first = json!(image);
    }
    value
}

/// The image with another tag.
fn next_image(image: &str) -> String {
    let without_digest = image.split_once('@').map_or(image, |(name, _)| name);
    let tag = without_digest.rfind(':').filter(|colon| !without_digest.get(*colon..).unwrap_or("").contains('/'));
    let name = tag.and_then(|colon| without_digest.get(..colon)).unwrap_or(without_digest);
    format!("{name}:{NEXT_TAG}")
}

pub(crate) fn values(documents: &[Document]) -> Vec<Value> {
    documents.iter().map(|document| document.value.clone()).collect()
}

fn deployments(documents: &[Document]) -> Vec<DeploymentName> {
    documents.iter().filter_map(|document| deployment_name(&document.value)).collect()
}

/// The name of a Deployment; none for another object.
fn deployment_name(value: &Value) -> Option<DeploymentName> {
    let text = |pointer: &str| value.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let name = text("/metadata/name").filter(|_| is_of_kind(value, "Deployment"))?.to_owned();
    Some(DeploymentName { namespace: text("/metadata/namespace").unwrap_or("default").to_owned(), name })
}

fn is_of_kind(value: &Value, kind: &str) -> bool {
    value.get("kind").and_then(Value::as_str) == Some(kind)
}

/// Whether a running cluster gave this ReplicaSet or Pod, so that the text is its state.
pub(crate) fn is_live_pod(value: &Value) -> bool {
    let is_stored = value.pointer("/metadata/uid").is_some();
    is_stored && ["ReplicaSet", "Pod", "Job"].into_iter().any(|kind| is_of_kind(value, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_image_has_another_tag() {
        for (image, next) in [
            ("web", "web:next"),
            ("web:v1", "web:next"),
            ("registry:5000/web", "registry:5000/web:next"),
            ("registry:5000/web:v1@sha256:0a", "registry:5000/web:next"),
        ] {
            assert_eq!(next_image(image), next);
        }
    }
}
