//! The shapes of what a scenario keeps as JSON values.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// A Kubernetes object, or a part of one.
pub struct Manifest;

impl JsonSchema for Manifest {
    fn schema_name() -> Cow<'static, str> {
        "Manifest".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "object",
            "description": "A Kubernetes object, or a part of one. Missing fields get the API server's defaults.",
            "properties": {
                "apiVersion": { "type": "string", "description": "The API group and version, like `apps/v1`." },
                "kind": { "type": "string", "description": "The kind, like `Deployment`." },
                "metadata": {
                    "type": "object",
                    "description": "The name, namespace, labels and annotations.",
                    "properties": {
                        "name": { "type": "string", "description": "The name, which is unique in the namespace." },
                        "namespace": { "type": "string", "description": "The namespace, `default` if absent." },
                    },
                    "additionalProperties": true,
                },
            },
            "additionalProperties": true,
        })
    }
}

/// Kubernetes objects: one, or a list of them.
#[derive(JsonSchema)]
#[serde(untagged)]
pub enum ManifestOrList {
    /// One object.
    One(Manifest),
    /// Several objects.
    More(Vec<Manifest>),
}

/// Feature gates, for all components or for each.
pub struct FeatureGates;

impl JsonSchema for FeatureGates {
    fn schema_name() -> Cow<'static, str> {
        "FeatureGates".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let gates = |description: &str| {
            json_schema!({
                "type": "object",
                "description": description,
                "additionalProperties": { "type": "boolean" },
            })
        };
        json_schema!({
            "description": "Feature gates that differ from the defaults: one map for all components, or a map for each.",
            "anyOf": [
                gates("The gates of all components."),
                {
                    "type": "object",
                    "properties": {
                        "apiserver": gates("The gates of kube-apiserver."),
                        "controllerManager": gates("The gates of kube-controller-manager."),
                    },
                    "additionalProperties": false,
                },
            ],
        })
    }
}

/// An amount of a resource.
pub struct Quantity;

impl JsonSchema for Quantity {
    fn schema_name() -> Cow<'static, str> {
        "Quantity".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "An amount of a resource, like `4`, `500m` or `16Gi`.",
            "type": ["string", "number"],
            "examples": ["500m", "16Gi"],
        })
    }
}

/// A number of pods or a percentage of them.
pub struct NumberOrPercentage;

impl JsonSchema for NumberOrPercentage {
    fn schema_name() -> Cow<'static, str> {
        "NumberOrPercentage".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number of pods, like `3`, or a percentage of the desired pods, like `25%`.",
            "type": ["integer", "string"],
        })
    }
}
