//! What a review may ask the cluster, and what it could not learn.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use crate::object::Kind;
use crate::object::unstructured::{field, string};

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
    /// Likewise.
    pub(super) fn list(&mut self, lookup: &Lookup<'_>, consequence: &str) -> Result<Map<String, Value>, NotKnown> {
        let objects = self.reader.list(lookup);
        let objects = objects.map_err(|why| self.failed(&format!("{consequence}: {}s", lookup.kind), &why))?;
        let mut named = Map::new();
        for object in objects {
            let name = field(&object, "metadata").map_or("", |metadata| string(metadata, "name"));
            named.insert(name.into(), object);
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
