//! How error messages show a pod template or a pod spec: the JSON of the internal types, which have Go's names, Go's
//! order, and every field.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::types::{Content, Member, Type};
use crate::apiserver::meta::selector;
use crate::go;
use crate::object::unstructured::{field, list, map, string};
use crate::problem::shortened;

/// How a message shows a whole template or spec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Printer {
    /// In full, with a diff where two of them differ, as the API server does.
    Full,
    /// Cut after a few words, without a diff: for messages that people read in a timeline or a list.
    Short,
}

impl Printer {
    pub(crate) fn template(self, template: &Value) -> String {
        match self {
            Self::Full => printed(template, Type::TEMPLATE),
            Self::Short => shortened(template),
        }
    }

    pub(crate) fn pod_spec(self, spec: &Value) -> String {
        match self {
            Self::Full => printed(spec, Type::POD_SPEC),
            Self::Short => shortened(spec),
        }
    }

    /// A container's security context.
    pub(crate) fn security_context(self, context: &Value) -> String {
        match (self, Type::security_context()) {
            (Self::Full, Some(type_)) => printed(context, type_),
            _ => shortened(context),
        }
    }

    /// The volume claim templates of a StatefulSet.
    pub(crate) fn claims(self, claims: Option<&Value>) -> String {
        match (self, claims.and_then(Value::as_array), Type::claim()) {
            (Self::Full, Some(claims), Some(type_)) => {
                let claims: Vec<String> = claims.iter().map(|claim| printed(claim, type_)).collect();
                format!("[{}]", claims.join(","))
            }
            _ => claims.map_or_else(|| "null".into(), shortened),
        }
    }

    /// What follows a sentence about two specs that differ.
    pub(crate) fn difference(self, old: &Value, new: &Value) -> String {
        match self {
            Self::Full => {
                let pretty = |spec: &Value| go::indented(&printed(spec, Type::POD_SPEC));
                let mut text = String::from("\n");
                text.push_str(&go::unified_diff(&pretty(old), &pretty(new)));
                text
            }
            Self::Short => String::new(),
        }
    }
}

fn printed(value: &Value, type_: Type) -> String {
    let mut out = String::new();
    structure(value, type_, &mut out);
    out
}

fn structure(value: &Value, type_: Type, out: &mut String) {
    out.push('{');
    fields(value, type_, out);
    out.push('}');
}

fn fields(value: &Value, type_: Type, out: &mut String) {
    for Member { name, json_name, content } in type_.members() {
        match content {
            Content::Embedded(type_) => fields(value, type_, out),
            Content::ObjectMeta => object_meta(field(value, "metadata").unwrap_or(&Value::Null), out),
            content => {
                member(name, out);
                member_value(field(value, &json_name), content, out);
            }
        }
    }
}

fn member(name: &str, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
}

fn member_value(value: Option<&Value>, content: Content, out: &mut String) {
    match (content, value) {
        (Content::Struct(type_), value) => structure(value.unwrap_or(&Value::Null), type_, out),
        (Content::Pointer(type_), Some(value)) => structure(value, type_, out),
        (Content::List(type_), Some(Value::Array(items))) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                structure(item, type_, out);
            }
            out.push(']');
        }
        (Content::LabelSelector, Some(value)) => out.push_str(&selector::printed(Some(value))),
        (_, Some(value)) => out.push_str(&go::json(value)),
        (content, None) => out.push_str(match content {
            Content::Text => "\"\"",
            Content::Number => "0",
            Content::Bool => "false",
            Content::Quantity => "\"0\"",
            _ => "null",
        }),
    }
}

/// The metadata that a client may write into a template. This type has JSON's names, and leaves out empty fields.
fn object_meta(metadata: &Value, out: &mut String) {
    for key in ["name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"] {
        let text = string(metadata, key);
        if !text.is_empty() {
            member(key, out);
            out.push_str(&go::json_string(text));
        }
    }
    for key in ["generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] {
        if let Some(value) = field(metadata, key) {
            member(key, out);
            out.push_str(&go::json(value));
        }
    }
    for key in ["labels", "annotations"] {
        if let Some(entries) = map(metadata, key).filter(|entries| !entries.is_empty()) {
            member(key, out);
            out.push_str(&go::json(&Value::Object(Map::clone(entries))));
        }
    }
    let owner = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    items(
        metadata,
        "ownerReferences",
        |item, out| structure_of(item, &owner, &["apiVersion", "kind", "name", "uid"], out),
        out,
    );
    items(metadata, "finalizers", |item, out| out.push_str(&go::json(item)), out);
    let entry = ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];
    items(metadata, "managedFields", |item, out| structure_of(item, &entry, &[], out), out);
}

fn items(metadata: &Value, key: &str, write: impl Fn(&Value, &mut String), out: &mut String) {
    let items = list(metadata, key);
    if items.is_empty() {
        return;
    }
    member(key, out);
    for (index, item) in items.iter().enumerate() {
        out.push(if index == 0 { '[' } else { ',' });
        write(item, out);
    }
    out.push(']');
}

/// A structure with JSON's names in Go's order: these strings always, the rest only where it is there.
fn structure_of(value: &Value, keys: &[&str], always: &[&str], out: &mut String) {
    out.push('{');
    for key in keys {
        if let Some(value) = field(value, key) {
            member(key, out);
            out.push_str(&go::json(value));
        } else if always.contains(key) {
            member(key, out);
            out.push_str("\"\"");
        }
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_is_printed() {
        let text = printed(&json!({"metadata": {"labels": {"a": "b"}}, "spec": {"hostNetwork": true}}), Type::TEMPLATE);
        let start = r#"{"labels":{"a":"b"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":null,"#;
        assert!(text.starts_with(start), "{text}");
        assert!(text.contains(r#""HostNetwork":true,"HostPID":false,"#), "{text}");
        assert!(text.contains(r#""SecurityContext":null,"#), "{text}");
        assert!(serde_json::from_str::<Value>(&text).is_ok());
    }
}
