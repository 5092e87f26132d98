//! The objects that only the old manifests have.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::OldObject;
use super::estimates::object_name;
use super::former_jobs::is_over;
use super::gitops::is_never_pruned;
use super::given_objects::{GivenObject, is_same, is_stored, name, namespace};
use super::hidden_pods::runs_hidden_pods;
use super::options::Assumptions;
use super::pod_templates::pod_template;
use super::verdict::{Reason, ReasonKind};
use crate::collect_tree::CollectTree;
use crate::object::unstructured::{at, string};

/// The workloads that only the old manifests have: a tool that prunes deletes them. Objects of a running cluster are not meant to
/// be complete.
pub(super) fn removed_workloads<'a>(old: impl Iterator<Item = &'a GivenObject>, new: &[&GivenObject]) -> Vec<Reason> {
    let kept: BTreeSet<String> = new.iter().map(|source| object_name(&source.object)).collect_tree();
    let is_kept = |object: &Value| kept.contains(&object_name(object));
    let is_owned = |object: &Value| at(object, &["metadata", "ownerReferences"]).is_some();
    let removed = old.filter(|source| {
        let object = &source.object;
        let is_written = !is_stored(object) && !is_owned(object);
        is_written && pod_template(object).is_some() && !is_kept(object) && !is_never_pruned(object)
    });
    removed
        .map(|source| {
            let message =
                "It is only in the old manifests: Helm, and Argo CD or Flux if they prune, delete it with its pods.";
            Reason::new(ReasonKind::RemovedWorkload, String::from(message))
                .about(object_name(&source.object))
                .at(source.path.clone())
        })
        .collect()
}

/// Reasons for the custom resources that only the old manifests have, and whose pods are not in the input.
pub(super) fn removed_hidden_pods(old: &[&Value], new: &[&Value]) -> Vec<Reason> {
    let is_removed = |object: &Value| !new.iter().any(|other| is_same(other, object)) && !is_never_pruned(object);
    let removed = old.iter().filter(|object| runs_hidden_pods(object) && is_removed(object));
    let reason = |object: &&Value| {
        let message =
            "It is only in the old manifests: Helm, and Argo CD or Flux if they prune, delete it with what it runs.";
        let name = object_name(object);
        (name.clone(), Reason::new(ReasonKind::RemovedWorkload, String::from(message)).about(name))
    };
    let reasons: BTreeMap<String, Reason> = removed.map(reason).collect_tree();
    reasons.into_values().collect()
}

/// The objects without running pods that only the old manifests have, in the namespaces that `namespace_of` gives.
pub(super) fn only_in_old(
    old: &[&Value],
    new: &[&Value],
    namespace_of: &dyn Fn(&Value) -> String,
    assumptions: &Assumptions,
) -> Vec<OldObject> {
    let key = |object: &Value| (String::from(string(object, "kind")), namespace_of(object), String::from(name(object)));
    let kept: BTreeSet<_> = new.iter().map(|object| key(object)).collect_tree();
    let is_gone = |object: &Value| {
        let is_whole = !is_stored(object) && !name(object).is_empty() && string(object, "kind") != "Node";
        let has_pods = pod_template(object).is_some() && !is_over(object, assumptions) || runs_hidden_pods(object);
        is_whole && !has_pods && !kept.contains(&key(object))
    };
    let gone: BTreeSet<OldObject> = old
        .iter()
        .filter(|object| is_gone(object))
        .map(|object| OldObject {
            kind: string(object, "kind").into(),
            namespace: namespace(object).map(String::from),
            name: name(object).into(),
        })
        .collect_tree();
    gone.into_iter().collect()
}
