//! What a review may ask the cluster, and what it could not learn.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::apiserver::ExistingObjects;
use crate::collect_tree::CollectTree;
use crate::object::Kind;
use crate::object::unstructured::{name, namespace};

/// Answers a review's questions about the cluster. Core does no I/O, so the policy's host does the asking.
///
/// An answer is data like the request: it may be missing, late or a few seconds old, and the review copes with that.
pub trait ClusterReader {
    /// The object, or none if the cluster has no such object.
    ///
    /// # Errors
    /// Why the cluster could not be asked.
    fn get(&self, lookup: &Lookup<'_>) -> Result<Option<Value>, String>;

    /// All objects of the kind in the namespace; the lookup's name is empty.
    ///
    /// # Errors
    /// Why the cluster could not be asked.
    fn list(&self, lookup: &Lookup<'_>) -> Result<Vec<Value>, String>;
}

/// Which objects a review asks for.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    /// Their kind.
    pub kind: Kind,
    /// Their namespace.
    pub namespace: &'a str,
    /// The name; empty for a list.
    pub name: &'a str,
    /// The fields that the review reads, as Kubewarden's field masks (`spec.template.spec.overhead`; lists are passed through).
    /// An answer may leave out all others, but its metadata.
    pub fields: &'static [&'static str],
    /// How old the answer may be.
    pub freshness: Freshness,
}

/// How old an answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// As old as the host's cache keeps it: a few seconds.
    Cached,
    /// As the API server has it now.
    Latest,
}

/// For hosts without a cluster: no question has an answer.
#[derive(Clone, Copy, Debug)]
pub struct NoCluster;

impl ClusterReader for NoCluster {
    fn get(&self, _: &Lookup<'_>) -> Result<Option<Value>, String> {
        Err("there is no cluster to read".into())
    }

    fn list(&self, _: &Lookup<'_>) -> Result<Vec<Value>, String> {
        Err("there is no cluster to read".into())
    }
}

/// For hosts with files: these objects are all that the cluster has. An object without a namespace is in that of the request, and
/// a request without one is in that of the objects.
impl ClusterReader for ExistingObjects<'_> {
    fn get(&self, lookup: &Lookup<'_>) -> Result<Option<Value>, String> {
        Ok(find(self, lookup)?.into_iter().next().cloned())
    }

    fn list(&self, lookup: &Lookup<'_>) -> Result<Vec<Value>, String> {
        Ok(find(self, lookup)?.into_iter().cloned().collect())
    }
}

/// The objects that a lookup is about.
fn find<'a>(existing: &ExistingObjects<'a>, lookup: &Lookup<'_>) -> Result<Vec<&'a Value>, String> {
    let is_it = |object: &&'a Value| {
        let its = namespace(object).filter(|_| !lookup.namespace.is_empty());
        let is_there = its.is_none_or(|its| its == lookup.namespace);
        is_there && (lookup.name.is_empty() || name(object) == lookup.name)
    };
    let found: Vec<&'a Value> = existing.of_kind(lookup.kind).filter(is_it).collect();
    let namespaces: BTreeSet<&str> = found.iter().copied().filter_map(namespace).collect_tree();
    match namespaces.len() {
        0 | 1 => Ok(found),
        count => Err(format!("{count} namespaces have such objects, and the request names none")),
    }
}

/// The cluster during one review. It remembers what the review could not learn.
pub(super) struct Cluster<'a> {
    reader: &'a dyn ClusterReader,
    unknown: Vec<String>,
}

impl<'a> Cluster<'a> {
    pub(super) const fn new(reader: &'a dyn ClusterReader) -> Self {
        Self { reader, unknown: Vec::new() }
    }

    /// The object, or none if the cluster has no such object.
    ///
    /// # Errors
    /// [`NotKnown`], after a note: the consequence and why.
    pub(super) fn get(&mut self, lookup: &Lookup<'_>, consequence: &str) -> Result<Option<Value>, NotKnown> {
        let answer = self.reader.get(lookup);
        answer.map_err(|why| self.failed(&format!("{consequence}: {} {}", lookup.kind, lookup.name), &why))
    }

    /// All objects of the kind in the namespace by their names: hosts have them in any order.
    ///
    /// # Errors
    /// [`NotKnown`], after a note: the consequence and why.
    pub(super) fn list(&mut self, lookup: &Lookup<'_>, consequence: &str) -> Result<Map<String, Value>, NotKnown> {
        let objects = self.reader.list(lookup);
        let objects = objects.map_err(|why| self.failed(&format!("{consequence}: {}s", lookup.kind), &why))?;
        let mut named = Map::new();
        for object in objects {
            named.insert(name(&object).into(), object);
        }
        Ok(named)
    }

    fn failed(&mut self, what: &str, why: &str) -> NotKnown {
        const MAX_LENGTH: usize = 200;
        // A host's error may have many lines.
        let why: String = why.lines().next().unwrap_or_default().chars().take(MAX_LENGTH).collect();
        self.note(format!("{what} can't be read: {why}"));
        NotKnown
    }

    /// Remembers what the review could not learn.
    pub(super) fn note(&mut self, sentence: String) {
        if !self.unknown.contains(&sentence) {
            self.unknown.push(sentence);
        }
    }

    /// What the review could not learn, a sentence each.
    pub(super) fn into_unknown(self) -> Vec<String> {
        self.unknown
    }
}

/// An answer is missing. [`Cluster`] remembers why.
#[derive(Clone, Copy, Debug)]
pub(super) struct NotKnown;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn quota(name: &str, namespace: &str) -> Value {
        let metadata = json!({ "name": name, "namespace": namespace });
        json!({ "apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata })
    }

    fn lookup(namespace: &'static str, name: &'static str) -> Lookup<'static> {
        Lookup { kind: Kind::ResourceQuota, namespace, name, fields: &[], freshness: Freshness::Cached }
    }

    #[test]
    fn existing_objects_are_a_cluster() {
        let budget =
            json!({ "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": { "name": "compute" } });
        let objects = [quota("compute", "shop"), quota("compute", "blog"), quota("any", ""), budget];
        let existing = ExistingObjects::of(&objects);
        for (namespace, expected) in [("shop", &[2, 0][..]), ("blog", &[2, 1]), ("default", &[2])] {
            let expected: Vec<Value> = expected.iter().map(|index: &usize| objects[*index].clone()).collect();
            assert_eq!(existing.list(&lookup(namespace, "")), Ok(expected), "{namespace}");
        }
        assert_eq!(existing.get(&lookup("blog", "compute")), Ok(Some(objects[1].clone())));
        assert_eq!(existing.get(&lookup("default", "compute")), Ok(None));
        // Without a namespace, it may be any of the two.
        assert!(existing.get(&lookup("", "compute")).is_err() && existing.list(&lookup("", "")).is_err());
        assert_eq!(existing.get(&lookup("", "any")), Ok(Some(objects[2].clone())));
    }
}
