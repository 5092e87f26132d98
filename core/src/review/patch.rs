//! The changes that defaulting makes: a minimal patch of texts that are written and fields that are removed.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;

use serde_json::{Map, Value};

/// One change of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange {
    /// The field path. Maps on it that are missing or null are created.
    pub path: &'static [&'static str],
    /// The new value; none removes the field.
    pub text: Option<String>,
}

impl fmt::Display for FieldChange {
    /// `spec.podReplacementPolicy: Failed`, `metadata.annotations[example.com/a]: removed`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, name) in self.path.iter().enumerate() {
            match (index, name.contains('/')) {
                (_, true) => write!(f, "[{name}]")?,
                (0, false) => f.write_str(name)?,
                (_, false) => write!(f, ".{name}")?,
            }
        }
        write!(f, ": {}", self.text.as_deref().unwrap_or("removed"))
    }
}

/// The patched object; none where the patch is empty. All that the patch does not name stays as it came.
pub(super) fn apply(patch: &[FieldChange], object: &Value) -> Option<Value> {
    if patch.is_empty() {
        return None;
    }
    let mut patched = object.clone();
    for FieldChange { path, text } in patch {
        let Some((last, parents)) = path.split_last() else { continue };
        let map = match text {
            Some(_) => parents.iter().try_fold(&mut patched, child_or_new),
            None => parents.iter().try_fold(&mut patched, child),
        };
        let Some(map) = map.and_then(Value::as_object_mut) else { continue };
        match text {
            Some(text) => map.insert((*last).to_owned(), text.as_str().into()),
            None => map.remove(*last),
        };
    }
    Some(patched)
}

/// A field of a map.
fn child<'a>(value: &'a mut Value, key: &&str) -> Option<&'a mut Value> {
    value.as_object_mut()?.get_mut(*key)
}

/// A field of a map; one that is missing or null becomes a map.
fn child_or_new<'a>(value: &'a mut Value, key: &&str) -> Option<&'a mut Value> {
    let map = value.as_object_mut()?;
    if map.get(*key).is_none_or(Value::is_null) {
        map.insert((*key).to_owned(), Value::Object(Map::new()));
    }
    map.get_mut(*key)
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use serde_json::json;

    use super::*;

    const PATCH: [FieldChange; 2] = [
        FieldChange { path: &["metadata", "annotations", "a/b"], text: Some(String::new()) },
        FieldChange { path: &["metadata", "annotations", "c"], text: None },
    ];

    #[test]
    fn missing_maps_are_made() {
        let patched = json!({"x": 1.5, "metadata": {"annotations": {"a/b": ""}}});
        assert_eq!(apply(&PATCH, &json!({"x": 1.5})), Some(patched.clone()));
        let before = json!({"x": 1.5, "metadata": {"annotations": {"c": "d"}}});
        assert_eq!(apply(&PATCH, &before), Some(patched));
        assert_eq!(apply(&[], &before), None);
    }

    #[test]
    fn changes_are_described() {
        let changes = PATCH.map(|change| change.to_string());
        assert_eq!(changes, ["metadata.annotations[a/b]: ", "metadata.annotations.c: removed"]);
    }
}
