//! Fields of the wrong JSON type, and what the API server says about them: one sentence of Go's decoder, which users see in their
//! terminals. Our own errors about such fields have a path that leads to the line.
//!
//! Ported from `sigs.k8s.io/json` (Apache-2.0 AND BSD-3-Clause, see NOTICE).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::Value;

use super::api_types::{Content, Type, content, type_of_kind};
use super::validation::FieldError;
use crate::go;
use crate::object::unstructured::string;
use crate::object::{Kind, Time, quantity};
use crate::path::Path;

/// Upstream: `k8s.io/apimachinery/pkg/api/resource/quantity.go ErrFormatWrong`
const QUANTITY: &str = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// Why the API server refuses an object with a field of the wrong JSON type if it is created or replaced: a BadRequest, in the
/// words of `UnmarshalTypeError` in `sigs.k8s.io/json`. None if no type is wrong, or if the decoder's sentence is not known here.
pub fn decoding_refusal(object: &Value) -> Option<String> {
    // The decoder says only the first one, and clients sort the fields.
    let first = wrong_fields(object, Kind::of(object)?).into_iter().min_by(|a, b| a.error.path.cmp(&b.error.path))?;
    Some(undecodable(object, &first.sentence?))
}

/// The refusal of an object that can't be decoded.
///
/// Upstream: `k8s.io/apiserver/pkg/endpoints/handlers/rest.go transformDecodeError`
pub(super) fn undecodable(object: &Value, error: &str) -> String {
    let (kind, api_version) = (string(object, "kind"), string(object, "apiVersion"));
    let version = api_version.split_once('/').map_or(api_version, |(_, version)| version);
    format!("{kind} in version {} cannot be handled as a {kind}: {error}", go::quoted(version))
}

/// The fields of an object whose JSON type is not that of the Go type, or whose text can't be read. An object that has one is not
/// validated further.
pub fn decoding_errors(object: &Value, kind: Kind) -> Vec<FieldError> {
    wrong_fields(object, kind).into_iter().map(|field| field.error).collect()
}

struct WrongField {
    error: FieldError,
    /// What the decoder says about it.
    sentence: Option<String>,
}

fn wrong_fields(object: &Value, kind: Kind) -> Vec<WrongField> {
    let mut walk = Walk { wrong: Vec::new() };
    if let Some(type_) = type_of_kind(kind.name()) {
        walk.value(object, type_, type_, &Path::Root(""));
    }
    walk.wrong
}

struct Walk {
    wrong: Vec<WrongField>,
}

impl Walk {
    /// `around` is the struct that the value is in.
    fn value(&mut self, value: &Value, type_: Type, around: Type, path: &Path<'_>) {
        if value.is_null() {
            return;
        }
        let content = content(type_);
        let fits = match (&content, value) {
            (Content::Pointer(below), value) => return self.value(value, below, around, path),
            (Content::String, Value::String(_)) | (Content::Bool, Value::Bool(_)) => true,
            (Content::Int32, Value::Number(number)) => {
                number.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
            }
            (Content::Int64, Value::Number(number)) => number.is_i64(),
            (Content::Struct(fields), Value::Object(map)) => {
                for (key, value) in map {
                    if let Some(member) = fields.member(key) {
                        self.value(value, member, type_, &path.child(key));
                    }
                }
                true
            }
            (Content::List(item), Value::Array(items)) => {
                for (index, value) in items.iter().enumerate() {
                    self.value(value, item, around, &path.index(index));
                }
                true
            }
            (Content::Map(item), Value::Object(map)) => {
                for (key, value) in map {
                    self.value(value, item, around, &path.key(key));
                }
                true
            }
            (Content::Other, value) => is_read(type_, value),
            _ => false,
        };
        if !fits {
            let error = FieldError::type_invalid(path, value, expectation(&content, type_));
            self.wrong.push(WrongField { error, sentence: sentence(&content, type_, around, value, path) });
        }
    }
}

/// Whether a value can be read whose JSON is not that of the type's fields.
fn is_read(type_: Type, value: &Value) -> bool {
    match (type_, value) {
        ("intstr.IntOrString", Value::Number(number)) => {
            number.as_i64().is_some_and(|number| i32::try_from(number).is_ok())
        }
        ("intstr.IntOrString", value) => value.is_string(),
        ("resource.Quantity", value) => quantity::nanos(value).is_some(),
        ("v1.Time", Value::String(text)) => Time::parse(text).is_some(),
        ("v1.Time", _) => false,
        _ => true,
    }
}

fn expectation(content: &Content, type_: Type) -> &'static str {
    match content {
        Content::String => "must be a string",
        Content::Bool => "must be true or false",
        Content::Int32 => "must be a 32bit integer",
        Content::Int64 => "must be a 64bit integer",
        Content::List(_) => "must be a list",
        Content::Map("string") => "must be a map of strings",
        _ => match type_ {
            "intstr.IntOrString" => "must be an integer or percentage (e.g '5%')",
            "resource.Quantity" => QUANTITY,
            "v1.Time" => "must be an RFC 3339 time, like 2026-01-01T00:00:00Z",
            _ => "must be a map",
        },
    }
}

/// What Go's decoder says, and what the types that read their own JSON say.
///
/// Upstream: `sigs.k8s.io/json/internal/golang/encoding/json/kubernetes_patch.go UnmarshalTypeError`
fn sentence(content: &Content, type_: Type, around: Type, value: &Value, path: &Path<'_>) -> Option<String> {
    let got = match value {
        Value::String(_) => "string".into(),
        Value::Bool(_) => "bool".into(),
        Value::Array(_) => "array".into(),
        Value::Object(_) => "object".into(),
        Value::Number(number) if matches!(content, Content::Int32 | Content::Int64) => format!("number {number}"),
        _ => String::from("number"),
    };
    match type_ {
        "resource.Quantity" => return Some(QUANTITY.into()),
        "intstr.IntOrString" => {
            let got = if value.is_number() { format!("number {}", go::json(value)) } else { got };
            return Some(format!("json: cannot unmarshal {got} into Go value of type int32"));
        }
        "v1.Time" if value.is_string() => return None,
        "v1.Time" => return Some(format!("json: cannot unmarshal {got} into Go value of type string")),
        _ => {}
    }
    let (around, names) = (around.strip_prefix("v1.")?, without_keys(&path.to_string()));
    Some(format!("json: cannot unmarshal {got} into Go struct field {around}.{names} of type {type_}"))
}

/// The path without indexes and keys, which the decoder leaves out: `spec.template.spec.containers.name`.
fn without_keys(path: &str) -> String {
    let parts = path.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    parts.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is said about a Deployment with these values at these places.
    fn refusal(changes: &[(&str, Value)]) -> Option<String> {
        let container = json!({
            "name": "web", "image": "web:1", "args": ["a"], "ports": [{ "containerPort": 80 }], "env": [{ "name": "A", "value": "1" }],
            "resources": { "limits": { "cpu": 1 } },
        });
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
        decoding_refusal(&object)
    }

    #[test]
    fn the_decoder_names_the_field_and_its_go_types() {
        const CONTAINER: &str = "/spec/template/spec/containers/0";
        let in_container = |field: &str| format!("{CONTAINER}/{field}");
        for (pointer, value, error) in [
            (
                "/spec/replicas".into(),
                json!("4"),
                "string into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            (
                "/spec/replicas".into(),
                json!(4.5),
                "number 4.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
            ),
            ("/spec/paused".into(), json!("no"), "string into Go struct field DeploymentSpec.spec.paused of type bool"),
            ("/metadata/name".into(), json!(1), "number into Go struct field ObjectMeta.metadata.name of type string"),
            (
                "/metadata/labels/example.com~1app".into(),
                json!(true),
                "bool into Go struct field ObjectMeta.metadata.labels of type string",
            ),
            (
                "/spec/selector/matchLabels/app".into(),
                json!(1),
                "number into Go struct field LabelSelector.spec.selector.matchLabels of type string",
            ),
            (
                in_container("ports/0/containerPort"),
                json!("80"),
                "string into Go struct field ContainerPort.spec.template.spec.containers.ports.containerPort of type int32",
            ),
            (
                in_container("env/0/value"),
                json!(8080),
                "number into Go struct field EnvVar.spec.template.spec.containers.env.value of type string",
            ),
            (
                in_container("args"),
                json!("a"),
                "string into Go struct field Container.spec.template.spec.containers.args of type []string",
            ),
            (
                "/spec/strategy/type".into(),
                json!(1),
                "number into Go struct field DeploymentStrategy.spec.strategy.type of type v1.DeploymentStrategyType",
            ),
            ("/spec/strategy/rollingUpdate/maxSurge".into(), json!(true), "bool into Go value of type int32"),
        ] {
            let start = "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal ";
            assert_eq!(refusal(&[(&pointer, value)]), Some(format!("{start}{error}")));
        }
        let refused = refusal(&[(&in_container("resources/limits/cpu"), json!("one"))]).unwrap();
        assert!(refused.ends_with(&format!(": {QUANTITY}")), "{refused}");
    }

    #[test]
    fn the_first_field_counts_in_the_order_in_which_clients_send_them() {
        let both = refusal(&[("/spec/replicas", json!("4")), ("/spec/minReadySeconds", json!({}))]).unwrap();
        let expected = "object into Go struct field DeploymentSpec.spec.minReadySeconds of type int32";
        assert!(both.ends_with(expected), "{both}");
        assert_eq!(refusal(&[]), None);
    }
}
