//! Objects as untyped JSON, as the API server receives them. `null` is absent, as in Kubernetes, and so is a value of the
//! wrong type: decoding reports it before anything else reads it.

use alloc::string::String;

use serde_json::{Map, Value};

/// The field, unless it is absent or null.
pub(crate) fn field<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.get(key).filter(|value| !value.is_null())
}

/// The field at a path of names (`["spec", "template"]`).
pub(crate) fn at<'a>(value: &'a Value, field_path: &[&str]) -> Option<&'a Value> {
    field_path.iter().try_fold(value, |value, key| field(value, key))
}

/// The integer in a field.
pub(crate) fn integer(value: &Value, key: &str) -> Option<i64> {
    field(value, key)?.as_i64()
}

/// The string in a field; empty where there is none, as Go has it.
pub(crate) fn string<'a>(value: &'a Value, key: &str) -> &'a str {
    field(value, key).and_then(Value::as_str).unwrap_or_default()
}

/// The name of an object; empty where it has none.
pub(crate) fn name(object: &Value) -> &str {
    field(object, "metadata").map_or("", |metadata| string(metadata, "name"))
}

/// The namespace that an object names.
pub(crate) fn namespace(object: &Value) -> Option<&str> {
    let namespace = field(object, "metadata").map_or("", |metadata| string(metadata, "namespace"));
    Some(namespace).filter(|namespace| !namespace.is_empty())
}

/// Whether the object is of a running cluster, whose API server gives each its uid.
pub fn is_stored(object: &Value) -> bool {
    field(object, "metadata").is_some_and(|metadata| !string(metadata, "uid").is_empty())
}

/// The map in a field.
pub(crate) fn map<'a>(value: &'a Value, key: &str) -> Option<&'a Map<String, Value>> {
    field(value, key)?.as_object()
}

/// The items of the list in a field.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    field(value, key).and_then(Value::as_array).map_or(&[], |items| items.as_slice())
}

/// Writes a field that is absent or null.
pub(crate) fn set_default(map: &mut Map<String, Value>, key: &str, default: impl Into<Value>) {
    let slot = map.entry(key).or_insert(Value::Null);
    if slot.is_null() {
        *slot = default.into();
    }
}

/// Writes a string that is absent, null or empty: Go can't tell these apart in a field that is no pointer.
pub(crate) fn set_default_string(map: &mut Map<String, Value>, key: &str, default: &str) {
    let slot = map.entry(key).or_insert(Value::Null);
    if slot.is_null() || slot.as_str() == Some("") {
        *slot = default.into();
    }
}

/// Writes a map that is absent, null or empty.
pub(crate) fn set_default_map(map: &mut Map<String, Value>, key: &str, default: &Map<String, Value>) {
    let slot = map.entry(key).or_insert(Value::Null);
    if slot.is_null() || slot.as_object().is_some_and(Map::is_empty) {
        *slot = Value::Object(default.clone());
    }
}

/// Writes a field, or removes it where there is no value.
pub(crate) fn set_or_remove(map: &mut Map<String, Value>, key: &str, value: Option<&Value>) {
    match value {
        Some(value) => map.insert(key.into(), value.clone()),
        None => map.remove(key),
    };
}

/// The map in a field, made if it is absent or null; none where something else is there.
pub(crate) fn map_in<'a>(map: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    set_default(map, key, Map::new());
    map.get_mut(key)?.as_object_mut()
}

/// The map at a path of names, each made if it is absent.
pub(crate) fn map_at<'a>(value: &'a mut Value, field_path: &[&str]) -> Option<&'a mut Map<String, Value>> {
    field_path.iter().try_fold(value.as_object_mut()?, |map, key| map_in(map, key))
}

/// The map at a path of names, if it is there.
pub(crate) fn existing_map<'a>(value: &'a mut Value, field_path: &[&str]) -> Option<&'a mut Map<String, Value>> {
    field_path.iter().try_fold(value, |value, key| value.get_mut(*key))?.as_object_mut()
}

/// Removes the fields that are null, which Go reads as absent. Helm's templates often leave such fields, like `annotations:`.
pub(crate) fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn defaults_never_replace_what_is_there() {
        let mut value = json!({"spec": {"replicas": 0, "strategy": null}});
        let spec = map_at(&mut value, &["spec"]).unwrap();
        set_default(spec, "replicas", 1);
        set_default_string(map_in(spec, "strategy").unwrap(), "type", "RollingUpdate");
        assert_eq!(value, json!({"spec": {"replicas": 0, "strategy": {"type": "RollingUpdate"}}}));
    }

    #[test]
    fn fields_that_are_null_are_removed_at_any_depth() {
        let mut value = json!({"a": null, "b": {"c": null, "d": 0}, "e": [null, {"f": null}]});
        remove_nulls(&mut value);
        assert_eq!(value, json!({"b": {"d": 0}, "e": [null, {}]}));
    }
}
