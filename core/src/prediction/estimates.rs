//! Pods of workloads that are not predicted: they take room, so they count as estimates.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::answer::EstimatedPods;
use super::given_objects::{GivenObject, is_same, is_stored, last_applied, name, namespace};
use super::options::MAX_PODS;
use super::pod_templates::{PodCount, pod_count, pod_of, pod_template, surge};
use super::verdict::{Reason, ReasonKind};
use crate::Problem;
use crate::cluster::merge;
use crate::object::unstructured::{at, field, string};

/// The pods of workloads that are not predicted.
#[derive(Debug, Default)]
pub(super) struct Estimates {
    /// Those that run before the change.
    pub(super) pods: Vec<GivenObject>,
    /// Of these, those of workloads that only the old manifests have.
    pub(super) removed: Vec<GivenObject>,
    /// Those that the change adds, as it seems for good.
    pub(super) more: Vec<GivenObject>,
    /// How many there are of each workload.
    pub(super) answer: Vec<EstimatedPods>,
    /// The workloads that change.
    pub(super) reasons: Vec<Reason>,
}

/// `Kind/namespace/name`
pub(super) fn object_name(object: &Value) -> String {
    format!("{}/{}/{}", string(object, "kind"), namespace(object).unwrap_or("default"), name(object))
}

impl Estimates {
    /// The pods of the workloads before and after the change, on nodes of these names, if any are given. Those of a running cluster
    /// have their pods. Only the pods of those that `is_mine` accepts are simulated.
    ///
    /// # Errors
    /// More pods than are simulated.
    pub(super) fn of(
        old: &[GivenObject],
        new: &[GivenObject],
        has_live_pods: bool,
        nodes: &[&str],
        is_mine: &dyn Fn(&GivenObject) -> bool,
    ) -> Result<Self, Problem> {
        let mut estimates = Self::default();
        let created = new.iter().filter(|source| !old.iter().any(|other| is_same(&other.object, &source.object)));
        for source in old {
            let after = new.iter().find(|other| is_same(&other.object, &source.object));
            let has_pods = has_live_pods && is_stored(&source.object);
            estimates.add(Some(source), after, has_pods, nodes, is_mine)?;
        }
        for source in created {
            estimates.add(None, Some(source), false, nodes, is_mine)?;
        }
        Ok(estimates)
    }

    fn add(
        &mut self,
        before: Option<&GivenObject>,
        after: Option<&GivenObject>,
        has_pods: bool,
        nodes: &[&str],
        is_mine: &dyn Fn(&GivenObject) -> bool,
    ) -> Result<(), Problem> {
        let Some(source) = after.or(before) else { return Ok(()) };
        let is_changed = after.is_some_and(|after| before.is_none_or(|before| changes(&before.object, &after.object)));
        let on_each_node = i64::try_from(nodes.len().max(1)).unwrap_or(MAX_PODS);
        let count = |given: Option<&GivenObject>| {
            given.map_or(0, |given| match pod_count(&given.object) {
                PodCount::Pods(pods) => pods,
                PodCount::OnEachNode => on_each_node,
            })
        };
        let surge = if is_changed && before.is_some() { surge(&source.object, on_each_node) } else { 0 };
        let pods = if has_pods { 0 } else { count(before) };
        let more = count(Some(source)).saturating_add(surge).saturating_sub(count(before)).max(0);
        let known = i64::try_from(self.pods.len().saturating_add(self.more.len())).unwrap_or(MAX_PODS);
        if is_mine(source) && known.saturating_add(pods).saturating_add(more) > MAX_PODS {
            let message = format!("Invalid value: all workloads together may have at most {MAX_PODS} pods");
            return Err(Problem::new(format!("{}.spec", source.path), message));
        }
        let object = &source.object;
        if is_changed {
            let kind = string(object, "kind");
            let verb = if before.is_some() { "changes" } else { "is new" };
            let message = format!("It {verb}, and no {kind} is predicted: its pods only count as an estimate.");
            let reason = Reason::new(ReasonKind::NotModeledWorkload, message);
            self.reasons.push(reason.about(object_name(object)).at(source.path.clone()));
        }
        if is_mine(source) {
            let present: Vec<GivenObject> =
                before.into_iter().flat_map(|before| pods_of(before, 0..pods, nodes)).collect();
            if after.is_none() {
                self.removed.extend(present.iter().cloned());
            }
            self.pods.extend(present);
            let numbers = count(before)..count(before).saturating_add(more);
            self.more.extend(pods_of(source, numbers, nodes));
        }
        if pods.saturating_add(more) > 0 {
            self.answer.push(EstimatedPods {
                kind: string(object, "kind").into(),
                namespace: namespace(object).unwrap_or("default").into(),
                name: name(object).into(),
                pods,
                more,
            });
        }
        Ok(())
    }
}

/// The pods with these numbers. One that runs on each node gets them in turn.
fn pods_of<'a>(
    source: &'a GivenObject,
    numbers: core::ops::Range<i64>,
    nodes: &'a [&'a str],
) -> impl Iterator<Item = GivenObject> + 'a {
    let template = pod_template(&source.object);
    let is_on_each_node = pod_count(&source.object) == PodCount::OnEachNode;
    numbers.filter_map(move |number| {
        let index = usize::try_from(number).ok()?;
        let node = nodes.get(index.checked_rem(nodes.len()).unwrap_or(0)).filter(|_| is_on_each_node);
        let in_namespace = namespace(&source.object).unwrap_or("default");
        let pod_name = format!("{}-{number}", name(&source.object));
        let object = pod_of(template.as_ref()?, in_namespace, &pod_name, node.copied());
        Some(GivenObject { object, path: source.path.clone() })
    })
}

/// Whether a manifest changes the spec of an object.
fn changes(old: &Value, new: &Value) -> bool {
    let spec = |object: &Value| field(object, "spec").cloned().unwrap_or(Value::Null);
    let mut merged = spec(old);
    if let Some(last) = last_applied(old).filter(|_| is_stored(old)) {
        return spec(&last) != spec(new);
    }
    if !is_stored(old) {
        return merged != spec(new);
    }
    merge(&mut merged, &spec(new));
    merged != spec(old)
}

/// The workloads that only the old manifests have: a tool that prunes deletes them. Objects of a running cluster are not meant to
/// be complete.
pub(super) fn removed_workloads<'a>(old: impl Iterator<Item = &'a GivenObject>, new: &[&GivenObject]) -> Vec<Reason> {
    let kept: BTreeSet<String> = new.iter().map(|source| object_name(&source.object)).collect();
    let is_kept = |object: &Value| kept.contains(&object_name(object));
    let is_owned = |object: &Value| at(object, &["metadata", "ownerReferences"]).is_some();
    let removed = old.filter(|source| {
        let object = &source.object;
        !is_stored(object) && !is_owned(object) && pod_template(object).is_some() && !is_kept(object)
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

/// The namespaces of objects that run pods.
pub(super) fn namespaces_with_pods<'a>(given: impl Iterator<Item = &'a GivenObject>) -> BTreeSet<&'a str> {
    given.map(|source| &source.object).filter(|object| pod_template(object).is_some()).filter_map(namespace).collect()
}
