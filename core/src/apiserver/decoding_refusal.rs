//! What the API server says about a field of the wrong JSON type: one sentence of Go's decoder, which users see in their terminals.
//! Our own errors about such fields have a path that leads to the line.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::registry::shape_of;
use super::schema::Shape;
use super::unknown_fields::undecodable;
use super::validation::{ErrorType, FieldError};
use crate::object::Kind;
use crate::object::unstructured::string;

/// Why the API server refuses an object with these errors if it is created or replaced: a BadRequest, in the words of
/// `UnmarshalTypeError` in `sigs.k8s.io/json`. None if no type is wrong, or if the field's Go type is not known here.
pub fn decoding_refusal(object: &Value, errors: &[FieldError]) -> Option<String> {
    let shape = Kind::of(object).and_then(shape_of)?;
    let errors = errors.iter().filter(|error| error.error_type == ErrorType::TypeInvalid);
    // The decoder says only the first one, and clients sort the fields.
    let FieldError { path, value, .. } = errors.min_by(|a, b| a.path.cmp(&b.path))?;
    let names = without_keys(path);
    let fields: Vec<&str> = names.split('.').collect();
    let (_, parents) = fields.split_last()?;
    let go_type = go_type(shape, &fields, path.ends_with(']'))?;
    let go_struct = go_struct(string(object, "kind"), parents)?;
    let value = json_type(value.as_deref()?, go_type);
    let error = format!("json: cannot unmarshal {value} into Go struct field {go_struct}.{names} of type {go_type}");
    Some(undecodable(object, &error))
}

/// The path without indexes and keys, which the decoder leaves out: `spec.template.spec.containers.name`.
fn without_keys(path: &str) -> String {
    let parts = path.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    parts.collect()
}

/// The Go type of a field, or of an item in it. Most texts have types of their own.
fn go_type(mut shape: &Shape, fields: &[&str], is_item: bool) -> Option<&'static str> {
    for field in fields {
        if let Shape::List(item) = shape {
            shape = item;
        }
        let Shape::Object(known) = shape else { return None };
        shape = known.iter().find(|(name, _)| name == field).map(|(_, shape)| shape)?;
    }
    match shape {
        Shape::Bool => Some("bool"),
        Shape::Int32 => Some("int32"),
        Shape::Int64 => Some("int64"),
        Shape::StringMap if is_item => Some("string"),
        Shape::Text if fields.last().is_some_and(|field| matches!(*field, "name" | "namespace" | "image")) => {
            Some("string")
        }
        _ => None,
    }
}

/// The Go type of the struct with these names above its fields.
fn go_struct(kind: &str, parents: &[&str]) -> Option<String> {
    let name = match parents {
        ["spec"] => return Some(format!("{kind}Spec")),
        [.., "metadata"] => "ObjectMeta",
        [.., "jobTemplate", "spec"] => "JobSpec",
        [.., "template", "spec"] => "PodSpec",
        [.., "containers" | "initContainers"] => "Container",
        [.., "ports"] => "ContainerPort",
        [.., "livenessProbe" | "readinessProbe" | "startupProbe"] => "Probe",
        [.., "selector"] => "LabelSelector",
        _ => return None,
    };
    Some(name.to_string())
}

/// What the decoder calls a value, from how our error shows it.
fn json_type(shown: &str, go_type: &str) -> String {
    let name = match shown.chars().next() {
        Some('"') => "string",
        Some('t' | 'f') => "bool",
        Some('{') => "object",
        Some('[') => "array",
        _ if shown == "a map" => "object",
        _ if shown == "a list" => "array",
        _ if go_type.starts_with("int") => return format!("number {shown}"),
        _ => "number",
    };
    name.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::apiserver::schema::wrong_types;

    /// What is said about a Deployment with these values at these places.
    fn refusal(changes: &[(&str, Value)]) -> Option<String> {
        let container = json!({ "name": "web", "image": "web:1", "ports": [{ "containerPort": 80 }] });
        let template = json!({ "metadata": { "labels": { "app": "web" } }, "spec": { "containers": [container] } });
        let mut object = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "labels": { "example.com/app": "web" } },
            "spec": {
                "replicas": 1, "minReadySeconds": 0, "paused": false, "selector": { "matchLabels": { "app": "web" } },
                "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1 } }, "template": template,
            },
        });
        for (pointer, value) in changes {
            *object.pointer_mut(pointer).unwrap() = value.clone();
        }
        decoding_refusal(&object, &wrong_types(&object, shape_of(Kind::Deployment).unwrap()))
    }

    #[test]
    fn the_decoder_names_the_field_and_its_go_types() {
        const PORT: &str = "/spec/template/spec/containers/0/ports/0/containerPort";
        for (pointer, value, error) in [
            ("/spec/replicas", json!("4"), "string into Go struct field DeploymentSpec.spec.replicas of type int32"),
            (
                "/spec/replicas",
                json!(4.5),
                "number 4.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            ("/spec/paused", json!("no"), "string into Go struct field DeploymentSpec.spec.paused of type bool"),
            ("/metadata/name", json!(1), "number into Go struct field ObjectMeta.metadata.name of type string"),
            (
                "/metadata/labels/example.com~1app",
                json!(true),
                "bool into Go struct field ObjectMeta.metadata.labels of type string",
            ),
            (
                "/spec/selector/matchLabels/app",
                json!(1),
                "number into Go struct field LabelSelector.spec.selector.matchLabels of type string",
            ),
            (
                PORT,
                json!("80"),
                "string into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32",
            ),
        ] {
            let start = "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal ";
            assert_eq!(refusal(&[(pointer, value)]), Some(format!("{start}{error}")));
        }
    }

    #[test]
    fn the_first_field_counts_in_the_order_in_which_clients_send_them() {
        let both = refusal(&[("/spec/replicas", json!("4")), ("/spec/minReadySeconds", json!({}))]).unwrap();
        let expected = "object into Go struct field DeploymentSpec.spec.minReadySeconds of type int32";
        assert!(both.ends_with(expected), "{both}");
    }

    #[test]
    fn nothing_is_said_about_types_of_their_own() {
        assert_eq!(refusal(&[]), None);
        assert_eq!(refusal(&[("/spec/strategy/type", json!(1))]), None);
        assert_eq!(refusal(&[("/spec/strategy/rollingUpdate/maxSurge", json!(true))]), None);
    }
}
