//! The JSON of a pod template as Go writes it. What ControllerRevisions keep, and so their hashes, depend on which empty fields
//! are written.

use serde_json::{Map, Value};

use crate::apiserver::api_types::{Content, Fields, POD_TEMPLATE_SPEC, Type, content};
use crate::collect_tree::CollectTree;
use crate::object::quantity::canonical;
use crate::object::unstructured::field;

/// Fields that may be empty in a valid template and are written then: their type, and Go's name.
///
/// They are the fields of `k8s.io/api/core/v1/types.go` that are not left out when they are empty.
const ALWAYS_WRITTEN: [(Type, &str); 9] = [
    ("v1.EvictionResponder", "Priority"),
    ("v1.GRPCAction", "Service"),
    ("v1.HTTPHeader", "Value"),
    ("v1.ISCSIVolumeSource", "Lun"),
    ("v1.PodSpec", "Containers"),
    ("v1.SleepAction", "Seconds"),
    ("v1.Sysctl", "Value"),
    ("v1.TypedLocalObjectReference", "APIGroup"),
    ("v1.TypedObjectReference", "APIGroup"),
];

/// A pod template as `json.Marshal` writes it: with the empty structs and without the other empty fields.
pub(crate) fn template_json(template: &Value) -> Value {
    written(POD_TEMPLATE_SPEC, Some(template))
}

/// A value that is written, whether it is empty or not.
fn written(type_: Type, value: Option<&Value>) -> Value {
    let value = value.filter(|value| !value.is_null());
    match (content(type_), value) {
        (Content::Pointer(below), value) => written(below, value),
        (Content::List(item), Some(Value::Array(items))) => {
            items.iter().map(|value| written(item, Some(value))).collect()
        }
        (Content::Map(item), Some(Value::Object(map))) => {
            Value::Object(map.iter().map(|(key, value)| (key.clone(), written(item, Some(value)))).collect_tree())
        }
        (Content::List(_) | Content::Map(_), _) => Value::Null,
        (Content::Struct(fields), value) => {
            let given = value.unwrap_or(&Value::Null);
            let mut map = Map::new();
            write_fields(type_, fields, given, &mut map);
            // Of a later release.
            for (key, value) in given.as_object().into_iter().flatten() {
                if fields.member(key).is_none() && !value.is_null() {
                    map.insert(key.clone(), value.clone());
                }
            }
            Value::Object(map)
        }
        (Content::String, None) => "".into(),
        (Content::Bool, None) => false.into(),
        (Content::Int32 | Content::Int64, None) => 0.into(),
        (Content::Other, None) if type_ == "resource.Quantity" => "0".into(),
        (Content::Other, None) if type_ == "intstr.IntOrString" => 0.into(),
        (Content::Other, Some(value)) if type_ == "resource.Quantity" => {
            canonical(value).map_or_else(|| value.clone(), Value::from)
        }
        (_, value) => value.cloned().unwrap_or_default(),
    }
}

fn write_fields(struct_: Type, fields: Fields, given: &Value, into: &mut Map<alloc::string::String, Value>) {
    for member in fields.iter() {
        let Some(name) = member.json_name() else {
            write_fields(member.type_, Fields::of(member.type_), given, into);
            continue;
        };
        let value = field(given, &name);
        let always = ALWAYS_WRITTEN.contains(&(struct_, member.name));
        if always && value.is_none() && member.type_.starts_with('*') {
            into.insert(name, Value::Null);
        } else if always || !is_left_out(member.type_, value) {
            into.insert(name, written(member.type_, value));
        }
    }
}

/// Whether a field with `omitempty` is left out.
fn is_left_out(type_: Type, value: Option<&Value>) -> bool {
    match (content(type_), value) {
        (Content::Pointer(_), value) => value.is_none(),
        (Content::Struct(_), _) => false,
        (Content::Other, value) => type_ == "v1.Time" && value.is_none(),
        (Content::List(_), value) => value.and_then(Value::as_array).is_none_or(alloc::vec::Vec::is_empty),
        (Content::Map(_), value) => value.and_then(Value::as_object).is_none_or(Map::is_empty),
        (Content::String, value) => value.and_then(Value::as_str).unwrap_or_default().is_empty(),
        (Content::Bool, value) => value.and_then(Value::as_bool) != Some(true),
        (Content::Int32 | Content::Int64, value) => value.and_then(Value::as_i64).unwrap_or_default() == 0,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::template_json;
    use crate::controller::history::hash_controller_revision;

    #[test]
    fn empty_structs_are_written_and_other_empty_fields_are_not() {
        let template = json!({
            "metadata": { "labels": { "app": "web" }, "annotations": {}, "creationTimestamp": null },
            "spec": {
                "hostNetwork": false,
                "terminationGracePeriodSeconds": 0,
                "containers": [{
                    "name": "web",
                    "env": [{ "name": "A", "value": "" }],
                    "readinessProbe": { "httpGet": { "port": 80, "httpHeaders": [{ "name": "X", "value": "" }] }, "initialDelaySeconds": 0 },
                    "resources": { "requests": { "cpu": "1000m" } },
                }, { "name": "two" }],
            },
        });
        let expected = json!({
            "metadata": { "labels": { "app": "web" } },
            "spec": {
                "terminationGracePeriodSeconds": 0,
                "containers": [{
                    "name": "web",
                    "env": [{ "name": "A" }],
                    "readinessProbe": { "httpGet": { "port": 80, "httpHeaders": [{ "name": "X", "value": "" }] } },
                    "resources": { "requests": { "cpu": "1" } },
                }, { "name": "two", "resources": {} }],
            },
        });
        assert_eq!(template_json(&template), expected);
    }

    #[test]
    fn the_count_of_collisions_is_part_of_the_hash() {
        let data = json!({ "a": 1 });
        assert_ne!(hash_controller_revision(&data, None), hash_controller_revision(&data, Some(0)));
        assert_ne!(hash_controller_revision(&data, Some(1)), hash_controller_revision(&data, Some(0)));
    }
}
