//! Dry runs of manifests beside the objects that exist.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::dry_run::{DryRun, dry_run};
use crate::Problem;
use crate::feature_gates::FeatureGates;
use crate::object::Kind;
use crate::object::unstructured::{existing_map, name, namespace, string};

/// The objects that exist, by kind and name, in any version of their group. A manifest replaces the one that it names.
#[derive(Debug)]
pub struct ExistingObjects<'a>(BTreeMap<(Kind, &'a str), Vec<&'a Value>>);

/// An object that a manifest replaces.
#[derive(Clone, Debug)]
pub struct Replaced<'a> {
    /// The object.
    pub object: &'a Value,
    /// Its namespace, or the manifest's if it names none.
    pub namespace: String,
}

impl<'a> ExistingObjects<'a> {
    /// Keeps only objects of known kinds.
    pub fn of(objects: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut existing: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for object in objects {
            if let Some(key) = kind_and_name(object) {
                existing.entry(key).or_default().push(object);
            }
        }
        Self(existing)
    }

    /// The objects with a manifest's kind and name, in any namespace.
    pub(crate) fn named<'b>(&'b self, manifest: &'b Value) -> &'b [&'a Value] {
        kind_and_name(manifest).and_then(|key| self.0.get(&key)).map_or(&[], Vec::as_slice)
    }

    /// The objects of a kind, in the version that is validated, sorted by name.
    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &'a Value> {
        let all =
            self.0.iter().filter(move |((its, _), _)| *its == kind).flat_map(|(_, objects)| objects.iter().copied());
        all.filter(move |object| Kind::of(object) == Some(kind))
    }

    /// The object that a manifest replaces; none if it is created. Either of them may leave the namespace out; if that fits
    /// several objects, the manifest must name one.
    ///
    /// # Errors
    /// A manifest that fits several objects.
    pub fn find(&self, manifest: &Value) -> Result<Option<Replaced<'a>>, Problem> {
        let Some(kind) = Kind::of(manifest).filter(|_| !name(manifest).is_empty()) else { return Ok(None) };
        let named = self.named(manifest).iter().copied();
        let candidates: Vec<&'a Value> = named.filter(|existing| Kind::of(existing) == Some(kind)).collect();
        let own = namespace(manifest);
        let replaced = |object: &'a Value| Replaced {
            object,
            namespace: namespace(object).or(own).unwrap_or("default").to_owned(),
        };
        if let Some(same) = candidates.iter().find(|existing| namespace(existing) == own) {
            return Ok(Some(replaced(same)));
        }
        let fits = |existing: &&&Value| own.is_none() || namespace(existing).is_none();
        match *candidates.iter().filter(fits).collect::<Vec<_>>() {
            [] => Ok(None),
            [existing] => Ok(Some(replaced(existing))),
            ref several => {
                let count = several.len();
                let message =
                    format!("Required value: must name the namespace, since {count} old objects have this name");
                Err(Problem::new("metadata.namespace", message))
            }
        }
    }

    /// Creates the object of a manifest, or replaces the one that it names, without a store.
    ///
    /// # Errors
    /// As [`ExistingObjects::find`].
    pub fn dry_run(&self, manifest: &Value, gates: &FeatureGates) -> Result<DryRun, Problem> {
        let Some(Replaced { object, namespace }) = self.find(manifest)? else {
            return Ok(dry_run(manifest, None, gates));
        };
        let [before, after] = [object, manifest].map(|object| with_namespace(object, &namespace));
        Ok(dry_run(&after, Some(&before), gates))
    }
}

fn kind_and_name(object: &Value) -> Option<(Kind, &str)> {
    Some((Kind::from_name(string(object, "kind"))?, name(object)))
}

fn with_namespace(object: &Value, namespace: &str) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = existing_map(&mut object, &["metadata"]) {
        metadata.insert("namespace".into(), namespace.into());
    }
    object
}
