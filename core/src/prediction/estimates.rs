//! Pods of workloads that are not predicted: they take room, so they count as estimates.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde_json::Value;

use super::answer::EstimatedPods;
use super::given_objects::{GivenObject, is_same, is_stored, last_applied, name, namespace};
use super::options::MAX_PODS;
use super::pod_templates::{PodCount, PodTemplate, pod_count, pod_of, pod_template, pod_templates, surge};
use super::verdict::{Reason, ReasonKind};
use crate::Problem;
use crate::cluster::merge;
use crate::collect_tree::CollectTree;
use crate::object::Kind;
use crate::object::unstructured::{field, string};

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
    /// The workload of each of their pods, both as `Kind/namespace/name`.
    pub(super) workloads: BTreeMap<String, String>,
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
        let counts = |given: &GivenObject| -> Vec<(String, i64)> {
            let count = |(template, count): (PodTemplate<'_>, PodCount)| match count {
                PodCount::Pods(pods) => (template.id, pods),
                PodCount::OnEachNode => (template.id, on_each_node),
            };
            pod_templates(&given.object).into_iter().map(count).collect()
        };
        let surge = if is_changed && before.is_some() { surge(&source.object, on_each_node) } else { 0 };
        let counts_before = before.map(counts).unwrap_or_default();
        let numbered = |(index, (_, count)): (usize, &(String, i64))| PodNumbers {
            template: index,
            numbers: 0..if has_pods { 0 } else { *count },
        };
        let present: Vec<PodNumbers> = counts_before.iter().enumerate().map(numbered).collect();
        let mut new_templates = counts_before.len()..;
        let added = |(id, count): (String, i64)| {
            let before = counts_before.iter().enumerate().find(|(_, (other, _))| *other == id);
            let (template, first) = match before {
                Some((index, (_, count))) => (index, *count),
                None => (new_templates.next().unwrap_or(usize::MAX), 0),
            };
            PodNumbers { template, numbers: first..count.saturating_add(surge).max(first) }
        };
        let added: Vec<PodNumbers> = counts(source).into_iter().map(added).collect();
        let (pods, more) = (sum(&present), sum(&added));
        let known = i64::try_from(self.pods.len().saturating_add(self.more.len())).unwrap_or(MAX_PODS);
        if is_mine(source) && known.saturating_add(pods).saturating_add(more) > MAX_PODS {
            let message = format!("Invalid value: all workloads together may have at most {MAX_PODS} pods");
            return Err(Problem::new(format!("{}.spec", source.path), message));
        }
        let object = &source.object;
        // A suspended CronJob runs nothing.
        let has_pods = pods.saturating_add(more) > 0 || counts_before.iter().any(|(_, count)| *count > 0);
        if is_changed && has_pods {
            let kind = string(object, "kind");
            let verb = if before.is_some() { "changes" } else { "is new" };
            let why = if kind == Kind::DaemonSet.name() { "without nodes, " } else { "" };
            let message = format!("It {verb}, and {why}no {kind} is predicted: its pods only count as an estimate.");
            let reason = Reason::new(ReasonKind::NotModeledWorkload, message);
            self.reasons.push(reason.about(object_name(object)).at(source.path.clone()));
        }
        if is_mine(source) {
            let present: Vec<GivenObject> = before.map(|before| pods_of(before, &present, nodes)).unwrap_or_default();
            let added = pods_of(source, &added, nodes);
            let workload = object_name(object);
            self.workloads.extend(present.iter().chain(&added).map(|pod| (object_name(&pod.object), workload.clone())));
            if after.is_none() {
                self.removed.extend(present.iter().cloned());
            }
            self.pods.extend(present);
            self.more.extend(added);
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

/// The numbers of the pods of one template.
struct PodNumbers {
    /// The number of the template among those before the change, and then those that are new.
    template: usize,
    numbers: Range<i64>,
}

/// How many pods there are.
fn sum(pods: &[PodNumbers]) -> i64 {
    pods.iter().map(|pods| pods.numbers.end.saturating_sub(pods.numbers.start)).fold(0, i64::saturating_add)
}

/// The pods with these numbers, which each template has its own of. One that runs on each node gets them in turn.
fn pods_of(source: &GivenObject, numbers: &[PodNumbers], nodes: &[&str]) -> Vec<GivenObject> {
    let templates = pod_templates(&source.object);
    // A workload of another kind may have the same name.
    let own = format!("{}.{}", name(&source.object), string(&source.object, "kind").to_lowercase());
    let base = |index: usize| match (index, templates.len()) {
        (0, 1) => own.clone(),
        _ => format!("{own}-{index}"),
    };
    let in_namespace = namespace(&source.object).unwrap_or("default");
    let of_template = |((template, count), pods): (&(PodTemplate<'_>, PodCount), &PodNumbers)| {
        let PodNumbers { template: index, numbers } = pods;
        let pod = |number: i64| {
            let turn = usize::try_from(number).ok().and_then(|number| number.checked_rem(nodes.len()));
            let node = turn.and_then(|turn| nodes.get(turn)).filter(|_| *count == PodCount::OnEachNode);
            let object = pod_of(template, in_namespace, &format!("{}-{number}", base(*index)), node.copied());
            GivenObject { object, path: source.path.clone() }
        };
        numbers.clone().map(pod).collect::<Vec<_>>()
    };
    templates.iter().zip(numbers).flat_map(of_template).collect()
}

/// Whether a manifest changes the spec of an object.
pub(super) fn changes(old: &Value, new: &Value) -> bool {
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

/// The DaemonSets whose pods take room of something that does not say how much of it is used, where no node is given: how many there are
/// is not known.
pub(super) fn daemon_sets_without_nodes<'a>(
    daemon_sets: impl Iterator<Item = &'a GivenObject>,
    takes_room: &dyn Fn(&Value) -> bool,
) -> Vec<Reason> {
    let reason = |source: &GivenObject| {
        let message = "It runs one pod on each node, and no nodes are given: only one pod counts.";
        let name = object_name(&source.object);
        let reason = Reason::new(ReasonKind::NotModeledWorkload, String::from(message));
        (name.clone(), reason.about(name).at(source.path.clone()))
    };
    let unknown = daemon_sets.filter(|source| pod_count(&source.object) == PodCount::OnEachNode);
    let reasons: BTreeMap<String, Reason> =
        unknown.filter(|source| takes_room(&source.object)).map(reason).collect_tree();
    reasons.into_values().collect()
}

/// The namespaces of objects that run pods.
pub(super) fn namespaces_with_pods<'a>(given: impl Iterator<Item = &'a GivenObject>) -> BTreeSet<&'a str> {
    given
        .map(|source| &source.object)
        .filter(|object| pod_template(object).is_some())
        .filter_map(namespace)
        .collect_tree()
}
