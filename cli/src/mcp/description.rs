//! The tools as `tools/list` has them.

use serde_json::{Map, Value, json};

use super::tool::{Parameter, ParameterKind, Tool};

/// A tool as `tools/list` has it.
pub fn describe(tool: Tool, has_cluster: bool) -> Value {
    json!({
        "name": tool.name(),
        "title": tool.title(),
        "description": tool.description(),
        "inputSchema": input_schema(tool, has_cluster),
        "outputSchema": shape(serde_json::from_str(tool.report_schema()).unwrap_or_default()),
        "annotations": {
            "readOnlyHint": true,
            "destructiveHint": false,
            "idempotentHint": true,
            "openWorldHint": has_cluster,
        },
    })
}

/// The schema of a tool's arguments.
fn input_schema(tool: Tool, has_cluster: bool) -> Value {
    let property = |parameter: &Parameter| (parameter.name.to_owned(), property_schema(parameter));
    let properties: Map<String, Value> = tool.parameters(has_cluster).map(property).collect();
    let is_there = |name: &&&str| properties.contains_key(**name);
    // What a group of one needs is required; a larger group is checked when the tool is called.
    let required: Vec<&str> = tool
        .needs()
        .iter()
        .filter_map(|group| {
            let mut names = group.iter().filter(is_there);
            names.next().filter(|_| names.next().is_none()).copied()
        })
        .collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn property_schema(parameter: &Parameter) -> Value {
    let description = parameter.description;
    match parameter.kind {
        ParameterKind::Objects | ParameterKind::Text | ParameterKind::Duration => {
            json!({ "type": "string", "description": description })
        }
        ParameterKind::Texts => {
            json!({ "type": "array", "items": { "type": "string" }, "description": description })
        }
        ParameterKind::Integer => json!({ "type": "integer", "description": description }),
        ParameterKind::Boolean => json!({ "type": "boolean", "description": description }),
    }
}

/// A schema without what only people read: clients send it to their models.
fn shape(schema: Value) -> Value {
    const FOR_PEOPLE: [&str; 5] = ["$schema", "default", "description", "format", "title"];
    match schema {
        Value::Object(keys) => {
            // A property may have the name of such a key; it has a schema.
            let is_kept = |(key, value): &(String, Value)| value.is_object() || !FOR_PEOPLE.contains(&key.as_str());
            keys.into_iter().filter(is_kept).map(|(key, value)| (key, shape(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(shape).collect(),
        other => other,
    }
}
