//! What paused a Deployment, as its `managedFields` or the manifest that kubectl applied last say it.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

use serde_json::Value;

use super::gitops::annotation;
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, list, string};
use crate::object::{Kind, ObjectKey, Time};
use crate::scenario::Duration;

/// The manifest that `kubectl apply` applied last.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// What paused a Deployment.
#[derive(Debug)]
pub(super) enum PausedBy {
    /// A client, with the time of its last write.
    Manager { name: String, last_write: Option<Time> },
    /// The manifest that was applied last.
    Manifest,
}

impl PausedBy {
    fn of(deployment: &Value) -> Option<Self> {
        let managed = at(deployment, &["metadata"]).map(|metadata| list(metadata, "managedFields")).unwrap_or_default();
        let pauses = |entry: &&Value| at(entry, &["fieldsV1", "f:spec", "f:paused"]).is_some();
        if let Some(entry) = managed.iter().find(pauses) {
            let name = String::from(string(entry, "manager"));
            return Some(Self::Manager { name, last_write: Time::parse(string(entry, "time")) });
        }
        let applied: Value = serde_json::from_str(annotation(deployment, LAST_APPLIED)).ok()?;
        (at(&applied, &["spec", "paused"])? == true).then_some(Self::Manifest)
    }

    /// The end of a sentence: `, by kubectl-rollout at least 5 min ago`.
    pub(super) fn in_words(&self, now: Time) -> String {
        match self {
            Self::Manager { name, last_write: Some(time) } if now.since(*time) >= Time::SECOND => {
                format!(", by {name} at least {} ago", Duration(now.since(*time)).in_words())
            }
            Self::Manager { name, .. } => format!(", by {name}"),
            Self::Manifest => String::from(", as the manifest says that was applied last"),
        }
    }
}

/// What paused the Deployments among the objects that are paused.
pub(super) fn paused_by(objects: &[Value]) -> BTreeMap<ObjectKey, PausedBy> {
    let is_paused = |object: &&Value| {
        string(object, "kind") == Kind::Deployment.name()
            && at(object, &["spec", "paused"]).is_some_and(|it| it == true)
    };
    let paused = objects.iter().filter(is_paused);
    paused.filter_map(|it| Some((ObjectKey::of_manifest(Kind::Deployment, it), PausedBy::of(it)?))).collect_tree()
}
