//! The changes that defaulting makes: a minimal RFC 6902 patch of additions and removals.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde_json::{Map, Value};

/// One change; the way is the JSON pointer's names.
#[derive(Clone, Debug, PartialEq)]
enum Operation {
    Add { way: Vec<String>, value: Value },
    Remove { way: Vec<String> },
}

/// Changes to one object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Patch(Vec<Operation>);

impl Patch {
    /// Writes a field, with the maps around it that are missing.
    pub(super) fn add(&mut self, way: &[&str], value: impl Into<Value>) {
        self.0.push(Operation::Add { way: owned(way), value: value.into() });
    }

    /// Removes a field.
    pub(super) fn remove(&mut self, way: &[&str]) {
        self.0.push(Operation::Remove { way: owned(way) });
    }

    /// The patched object; none where the patch changes nothing. All that the patch does not name stays as it came.
    pub(super) fn apply(&self, object: &Value) -> Option<Value> {
        if self.0.is_empty() {
            return None;
        }
        let mut patched = object.clone();
        for operation in &self.0 {
            let (Operation::Add { way, .. } | Operation::Remove { way }) = operation;
            let Some((last, parents)) = way.split_last() else { continue };
            let make = matches!(operation, Operation::Add { .. });
            let parent = parents.iter().try_fold(&mut patched, |value, key| descend(value, key, make));
            let Some(map) = parent.and_then(Value::as_object_mut) else { continue };
            match operation {
                Operation::Add { value, .. } => map.insert(last.clone(), value.clone()),
                Operation::Remove { .. } => map.remove(last),
            };
        }
        (patched != *object).then_some(patched)
    }
}

fn descend<'a>(value: &'a mut Value, key: &str, make: bool) -> Option<&'a mut Value> {
    let map = value.as_object_mut()?;
    if make && map.get(key).is_none_or(Value::is_null) {
        map.insert(key.to_string(), Value::Object(Map::new()));
    }
    map.get_mut(key)
}

fn owned(way: &[&str]) -> Vec<String> {
    way.iter().map(ToString::to_string).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn missing_maps_are_made() {
        let mut patch = Patch::default();
        patch.add(&["metadata", "annotations", "a/b"], "1");
        patch.remove(&["metadata", "annotations", "c"]);
        assert_eq!(patch.apply(&json!({"x": 1.5})), Some(json!({"x": 1.5, "metadata": {"annotations": {"a/b": "1"}}})));
    }

    #[test]
    fn a_patch_that_changes_nothing_is_none() {
        let mut patch = Patch::default();
        patch.remove(&["metadata", "annotations", "c"]);
        assert_eq!(patch.apply(&json!({"metadata": {}})), None);
        assert_eq!(Patch::default().apply(&json!({})), None);
    }
}
