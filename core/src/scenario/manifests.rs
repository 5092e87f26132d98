//! The objects that a scenario starts with, as they were given.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::slice;

use serde_json::{Map, Value};

use super::short_pods::ShortPods;
use crate::json::{FromJson, Path, Problem, ToJson, must_be};
use crate::object::Object;
use crate::object::unstructured::{name, namespace, string};

/// The objects that a scenario starts with.
///
/// The pods of a Deployment often differ only in name and uid. Such a pod is a [`Manifest::Twin`] of the first one: as JSON
/// values, thousands of pods would take more memory than the timeline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifests(Vec<Manifest>);

/// An object of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Manifest {
    /// An object, whole.
    Whole(Rc<Value>),
    /// A pod that differs from the one before it in name and uid only.
    Twin {
        /// The first pod like it.
        first: Rc<Value>,
        /// Its metadata.name
        name: Rc<str>,
        /// Its metadata.uid
        uid: Rc<str>,
    },
    /// An object as the API server stores it. It is not admitted again, and takes a fraction of the memory.
    Stored(Object),
}

impl Manifests {
    /// The objects, in the order in which they were given.
    pub fn iter(&self) -> slice::Iter<'_, Manifest> {
        self.0.iter()
    }

    fn push(&mut self, manifest: Cow<'_, Value>) {
        let twin = self.0.last().and_then(|last| last.twin(&manifest));
        self.0.push(twin.unwrap_or_else(|| Manifest::Whole(Rc::new(manifest.into_owned()))));
    }
}

impl Manifest {
    /// The object as it was given, or the pod that differs from it in name and uid only. None for a stored object.
    pub fn given(&self) -> Option<&Value> {
        match self {
            Self::Whole(object) | Self::Twin { first: object, .. } => Some(object),
            Self::Stored(_) => None,
        }
    }

    /// The kind of the object; empty if it has none.
    pub fn kind(&self) -> &str {
        match self {
            Self::Whole(object) | Self::Twin { first: object, .. } => string(object, "kind"),
            Self::Stored(object) => object.kind().name(),
        }
    }

    /// The name of the object; empty if it has none.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Whole(object) => name(object),
            Self::Twin { name, .. } => name,
            Self::Stored(object) => &object.metadata().name,
        }
    }

    /// Whether it has the kind, the namespace and the name of this object.
    pub(crate) fn is_same(&self, object: &Value) -> bool {
        let its_namespace = match self {
            Self::Whole(other) | Self::Twin { first: other, .. } => namespace(other),
            Self::Stored(other) => Some(&*other.metadata().namespace),
        };
        self.kind() == string(object, "kind") && its_namespace == namespace(object) && self.name() == name(object)
    }

    /// The object, whole.
    pub fn to_value(&self) -> Cow<'_, Value> {
        match self {
            Self::Whole(object) => Cow::Borrowed(object),
            Self::Twin { first, name, uid } => {
                let mut object = (**first).clone();
                if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
                    metadata.insert(String::from("name"), name.to_json());
                    metadata.insert(String::from("uid"), uid.to_json());
                }
                Cow::Owned(object)
            }
            Self::Stored(object) => Cow::Owned(object.to_value()),
        }
    }

    /// The object as a twin of this one, if it is one.
    fn twin(&self, object: &Value) -> Option<Self> {
        let (Self::Whole(first) | Self::Twin { first, .. }) = self else { return None };
        let (fields_of_first, fields) = (first.as_object()?, object.as_object()?);
        let (metadata_of_first, metadata) = (first.get("metadata")?.as_object()?, object.get("metadata")?.as_object()?);
        let text = |key: &str| metadata.get(key)?.as_str().filter(|text| !str::is_empty(text));
        let (name, uid) = (text("name")?, text("uid")?);
        let is_twin = fields.get("kind").is_some_and(|kind| kind == "Pod")
            && equal_except(fields_of_first, fields, |key| key == "metadata")
            && equal_except(metadata_of_first, metadata, |key| matches!(key, "name" | "uid"));
        is_twin.then(|| Self::Twin { first: first.clone(), name: name.into(), uid: uid.into() })
    }
}

/// Whether both maps have the same keys, and equal values for all but some.
fn equal_except(a: &Map<String, Value>, b: &Map<String, Value>, but: fn(&str) -> bool) -> bool {
    a.len() == b.len()
        && a.iter().zip(b).all(|((key, value), (other, there))| key == other && (but(key) || value == there))
}

impl FromIterator<Value> for Manifests {
    fn from_iter<T: IntoIterator<Item = Value>>(objects: T) -> Self {
        let mut manifests = Self::default();
        manifests.extend(objects);
        manifests
    }
}

impl FromIterator<Manifest> for Manifests {
    fn from_iter<T: IntoIterator<Item = Manifest>>(objects: T) -> Self {
        Self(objects.into_iter().collect())
    }
}

impl Extend<Manifest> for Manifests {
    fn extend<T: IntoIterator<Item = Manifest>>(&mut self, objects: T) {
        self.0.extend(objects);
    }
}

impl Extend<Value> for Manifests {
    fn extend<T: IntoIterator<Item = Value>>(&mut self, objects: T) {
        objects.into_iter().for_each(|object| self.push(Cow::Owned(object)));
    }
}

impl ToJson for Manifests {
    fn to_json(&self) -> Value {
        let mut stored = ShortPods::default();
        let manifests = self.iter().map(|manifest| match manifest {
            Manifest::Stored(object) => stored.write(object),
            given => given.to_value().into_owned(),
        });
        manifests.collect()
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromJson for Manifests {
    fn empty() -> Self {
        Self::default()
    }

    fn read(&mut self, value: &Value, path: &Path<'_>) -> Result<(), Problem> {
        let Value::Array(objects) = value else { return Err(must_be(value, path, "a list")) };
        self.0.clear();
        for object in objects {
            self.push(Cow::Borrowed(object));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(name: &str, uid: &str, image: &str) -> Value {
        json!({ "kind": "Pod", "metadata": { "name": name, "uid": uid }, "spec": { "containers": [{ "image": image }] } })
    }

    #[test]
    fn pods_that_differ_in_name_and_uid_are_twins_and_all_are_given_back() {
        let nameless =
            json!({ "kind": "Pod", "metadata": { "uid": "9" }, "spec": { "containers": [{ "image": "b" }] } });
        let set = json!({ "kind": "ReplicaSet", "metadata": { "name": "a", "uid": "1" } });
        let cases = [
            (pod("a", "1", "a"), false),
            (pod("b", "2", "a"), true),
            (pod("c", "3", "a"), true),
            (pod("d", "4", "b"), false),
            (nameless.clone(), false),
            (pod("", "5", "b"), false),
            (pod("e", "6", "b"), true),
            (set.clone(), false),
            (set, false),
            (json!("no object"), false),
        ];
        let objects: Value = cases.iter().map(|(object, _)| object.clone()).collect();
        let mut manifests = Manifests::empty();
        manifests.read(&objects, &Path::Root("")).unwrap();
        for (manifest, (object, is_twin)) in manifests.iter().zip(&cases) {
            assert_eq!(manifest.to_value().as_ref(), object);
            assert_eq!(matches!(manifest, Manifest::Twin { .. }), *is_twin, "{object}");
        }
        assert_eq!(manifests.to_json(), objects);
        assert_eq!(manifests, cases.into_iter().map(|(object, _)| object).collect());
    }
}
