//! The objects of an argument, with the place that each came from.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::answer::NotModeled;
use super::gitops::{ARGO_HOOK, HELM_HOOK, annotation};
use super::pod_autoscalers::PodAutoscaler;
use super::pod_templates::{PodTemplate, is_custom, pod_template, pod_templates};
use crate::Problem;
use crate::collect_tree::CollectTree;
use crate::object::quantity::{ONE, nanos};
pub use crate::object::unstructured::is_stored;
use crate::object::unstructured::{at, existing_map, field, list, map_at, string};
pub(super) use crate::object::unstructured::{name, namespace};
use crate::object::{Kind, Predicted, is_surrounding, require_kind};
use crate::problem::shortened;
use crate::scenario::{NodeForm, is_simulated};

/// The metadata of a manifest that a user writes; the rest is the API server's.
const WRITTEN: [&str; 6] = ["name", "generateName", "namespace", "labels", "annotations", "finalizers"];

/// The kind of the objects that say how many volumes of each CSI driver a node takes.
pub(super) const CSI_NODE: &str = "CSINode";

/// The annotation in which `kubectl apply` keeps the last manifest.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Why objects are left out if the simulated cluster has none of their kind.
const NO_SUCH_OBJECTS: &str = "objects of this kind are not simulated";

/// An object and the path of the argument that it came from, like `old[3]`.
#[derive(Clone, Debug)]
pub(super) struct GivenObject {
    pub(super) object: Value,
    pub(super) path: String,
}

impl GivenObject {
    /// Whether it is among the objects of a cluster, and not one that only the options name.
    pub(super) fn is_in_cluster(&self) -> bool {
        !self.path.starts_with("quotas[")
    }
}

/// The objects of one argument, by what becomes of them.
#[derive(Clone, Debug, Default)]
pub(super) struct GivenObjects {
    /// Those that are simulated, each with a namespace.
    pub(super) simulated: Vec<GivenObject>,
    /// Nodes.
    pub(super) nodes: Vec<GivenObject>,
    /// What scales Deployments; they are not modeled, either.
    pub(super) pod_autoscalers: Vec<PodAutoscaler>,
    /// Workloads that are not simulated, each with a namespace. They are not modeled, either.
    pub(super) workloads: Vec<GivenObject>,
    /// All others.
    pub(super) not_modeled: Vec<NotModeled>,
}

impl GivenObjects {
    /// Sorts the objects of an argument. `has_nodes`: whether any argument has nodes. Objects that name no namespace get the one
    /// that `namespace_of` says.
    ///
    /// # Errors
    /// What is no object.
    pub(super) fn read(
        argument: &str,
        objects: &[&Value],
        has_nodes: bool,
        namespace_of: &dyn Fn(&Value) -> String,
    ) -> Result<Self, Problem> {
        let put_namespace = |object: &mut Value| put_namespace(object, namespace_of);
        let mut given = Self::default();
        for (index, object) in objects.iter().copied().enumerate() {
            let path = format!("{argument}[{index}]");
            require_kind(object, &path)?;
            if let Some((field, why)) = why_not_modeled(object, has_nodes) {
                given.pod_autoscalers.extend(PodAutoscaler::of(object));
                given.not_modeled.push(NotModeled::of(object, format!("{path}{field}"), why));
                if pod_template(object).is_some() && !is_helm_hook(object) && !is_argo_hook(object) {
                    let mut object = object.clone();
                    put_namespace(&mut object);
                    given.workloads.push(GivenObject { object, path });
                }
                continue;
            }
            let mut object = object.clone();
            if string(&object, "kind") == Kind::Node.name() {
                given.nodes.push(GivenObject { object, path });
                continue;
            }
            put_namespace(&mut object);
            given.simulated.push(GivenObject { object, path });
        }
        Ok(given)
    }

    /// Whether an object may be in a file of Nodes: it affects which nodes take a pod.
    pub(super) fn is_beside_nodes(object: &Value) -> bool {
        is_surrounding(object)
            || Kind::of(object) == Some(Kind::PersistentVolumeClaim)
            || string(object, "kind") == CSI_NODE
    }

    /// Adds objects that are not among these.
    pub(super) fn add_missing(&mut self, sources: Vec<GivenObject>, namespace_of: &dyn Fn(&Value) -> String) {
        for mut source in sources {
            if string(&source.object, "kind") == CSI_NODE {
                self.not_modeled.push(NotModeled::of(&source.object, source.path, NO_SUCH_OBJECTS));
                continue;
            }
            put_namespace(&mut source.object, namespace_of);
            if !self.simulated.iter().any(|known| is_same(&known.object, &source.object)) {
                self.simulated.push(source);
            }
        }
    }
}

/// Puts an object into a namespace. A manifest without metadata stays so: the API server says what is missing.
fn put_namespace(object: &mut Value, namespace_of: &dyn Fn(&Value) -> String) {
    let namespace = namespace_of(object);
    if let Some(metadata) = existing_map(object, &["metadata"]) {
        metadata.insert("namespace".into(), namespace.into());
    }
}

impl GivenObjects {
    /// Leaves DaemonSets out: without nodes, it is not known how many pods they have.
    pub(super) fn leave_out_daemon_sets(&mut self) {
        let is_daemon_set = |source: &GivenObject| string(&source.object, "kind") == Kind::DaemonSet.name();
        let (left_out, simulated) = core::mem::take(&mut self.simulated).into_iter().partition(is_daemon_set);
        self.simulated = simulated;
        let sources: Vec<GivenObject> = left_out;
        let reason = "without nodes, it is not known how many pods it has";
        self.not_modeled
            .extend(sources.iter().map(|source| NotModeled::of(&source.object, source.path.clone(), reason)));
        self.workloads.extend(sources);
    }
}

/// The nodes whose taints evict pods after some time, which is left out: those that pods tolerate only for that long, and the one of a
/// node that is not ready, which all pods tolerate for five minutes.
pub(super) fn evicting_nodes<'a>(
    nodes: &'a [GivenObject],
    given: impl Iterator<Item = &'a GivenObject>,
) -> impl Iterator<Item = NotModeled> {
    let templates = given.flat_map(|source| pod_templates(&source.object));
    let specs: Vec<Value> = templates.map(|(template, _)| template.spec().clone()).collect();
    let evicts = move |taint: &Value| {
        let key = string(taint, "key");
        let is_for_some_time = |toleration: &Value| {
            ["", key].contains(&string(toleration, "key")) && field(toleration, "tolerationSeconds").is_some()
        };
        string(taint, "effect") == "NoExecute"
            && (key == NOT_READY || specs.iter().any(|spec| list(spec, "tolerations").iter().any(is_for_some_time)))
    };
    let evicting = nodes.iter().filter(move |node| {
        let taints = at(&node.object, NodeForm::of(&node.object).taints()).and_then(Value::as_array);
        taints.into_iter().flatten().any(|taint| string(taint, "key") != UNREACHABLE && evicts(taint))
    });
    evicting.map(|node| {
        let why = "pods that tolerate a taint only for some time are not evicted after it";
        NotModeled::field_of(node, "spec.taints", why)
    })
}

/// The nodes that don't say how much they have of what limits these pods: the simulated node then has any amount of it.
pub(super) fn unlimited_nodes<'a>(
    nodes: &'a [GivenObject],
    given: impl Iterator<Item = &'a GivenObject>,
) -> impl Iterator<Item = NotModeled> {
    const LIMITING: [&str; 3] = ["cpu", "memory", "ephemeral-storage"];
    const PODS: &str = "pods";
    let requested = requested_resources(given);
    nodes.iter().flat_map(move |node| {
        let (room, path) = match NodeForm::of(&node.object) {
            NodeForm::Scenario => (Some(&node.object), String::new()),
            form => (at(&node.object, &["status", form.room()]), format!("status.{}.", form.room())),
        };
        let is_object = !path.is_empty();
        let others = if is_object { room } else { field(&node.object, "resources") };
        let has_field = |resource: &str| room.is_some_and(|room| field(room, resource).is_some());
        let has =
            |resource: &str| has_field(resource) || others.is_some_and(|others| field(others, resource).is_some());
        let has_others = others.and_then(Value::as_object).is_some_and(|others| others.keys().any(|key| key != PODS));
        let names_any = has_others || has_field("cpu") || has_field("memory");
        if !names_any && !has_field(PODS) {
            let field = if is_object { path.trim_end_matches('.') } else { PODS };
            let why = "without an amount like 4cpu, 16Gi or 110pods, the node takes any number of pods";
            return Vec::from([of_node(node, field, why)]);
        }
        let is_limiting = |resource: &str| LIMITING.contains(&resource) || !names_any;
        let missing = requested.iter().filter(|resource| is_limiting(resource) && !has(resource));
        let why = "pods request it, but the node doesn't say how much it has, so it takes any number of them";
        let mut missing: Vec<NotModeled> =
            missing.map(|resource| of_node(node, &format!("{path}{resource}"), why)).collect();
        if is_object && !has_field(PODS) {
            let why = "the node doesn't say how many pods it takes, so it takes any number of them";
            missing.push(of_node(node, &format!("{path}{PODS}"), why));
        }
        missing
    })
}

/// A field of a node, which may be given as a scenario has it.
fn of_node(node: &GivenObject, field: &str, why: &str) -> NotModeled {
    let left_out = NotModeled::field_of(node, field, why);
    match NodeForm::of(&node.object) {
        NodeForm::Scenario => {
            NotModeled { kind: Kind::Node.name().into(), name: string(&node.object, "name").into(), ..left_out }
        }
        NodeForm::Object | NodeForm::Capacity => left_out,
    }
}

/// The resources that these objects' pods request, or have a limit of.
fn requested_resources<'a>(given: impl Iterator<Item = &'a GivenObject>) -> BTreeSet<&'a str> {
    let mut requested = BTreeSet::new();
    for (template, _) in given.flat_map(|source| pod_templates(&source.object)) {
        requested.extend(amounts(&template).into_iter().flat_map(|(_, amounts)| amounts.keys().map(String::as_str)));
    }
    requested
}

/// The requests and limits in a pod template, each with its path in the object.
fn amounts<'a>(template: &PodTemplate<'a>) -> Vec<(String, &'a Map<String, Value>)> {
    let spec = template.spec();
    let containers = ["containers", "initContainers"].into_iter().flat_map(|key| {
        list(spec, key).iter().enumerate().map(move |(index, container)| (format!("{key}[{index}]."), container))
    });
    let of_holder = |(path, holder): (String, &'a Value)| {
        ["requests", "limits"].map(|key| {
            let amounts = at(holder, &["resources", key])?.as_object()?;
            Some((format!("{}spec.{path}resources.{key}", template.path), amounts))
        })
    };
    containers.chain([(String::new(), spec)]).flat_map(of_holder).flatten().collect()
}

/// Refuses an amount of a resource beyond 64 bits: Kubernetes doesn't count so far, either.
pub(super) fn refuse_uncountable<'a>(given: impl Iterator<Item = &'a GivenObject>) -> Result<(), Problem> {
    let most = i128::from(i64::MAX).saturating_mul(ONE);
    for (source, (template, _)) in
        given.flat_map(|source| pod_templates(&source.object).into_iter().map(move |template| (source, template)))
    {
        for (path, amounts) in amounts(&template) {
            let is_large = |amount: &Value| nanos(amount).is_some_and(|amount| amount > most);
            if let Some((resource, amount)) = amounts.iter().find(|(_, amount)| is_large(amount)) {
                let message = format!("Invalid value: {}: must be at most {}", shortened(amount), i64::MAX);
                return Err(Problem::new(format!("{}.{path}[{resource}]", source.path), message));
            }
        }
    }
    Ok(())
}

/// The Nodes among the new objects that are not also given where nodes are read: a change does not bring nodes.
pub(super) fn ignored_nodes(new: &[GivenObject], nodes: &[GivenObject]) -> impl Iterator<Item = NotModeled> {
    let is_given = |node: &&GivenObject| nodes.iter().any(|given| name(&given.object) == name(&node.object));
    let why = "nodes of the new objects are not used: give them with the old ones, or as nodes";
    new.iter().filter(move |node| !is_given(node)).map(move |node| NotModeled::of(&node.object, node.path.clone(), why))
}

/// The taint of a node whose kubelet reports that it is not ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// The taint of a node that does not report, whose evictions are simulated.
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

impl NotModeled {
    pub(super) fn of(object: &Value, path: String, reason: &str) -> Self {
        Self {
            kind: string(object, "kind").into(),
            namespace: namespace(object).map(String::from),
            name: name(object).into(),
            path,
            reason: reason.into(),
        }
    }

    /// A field of an object that is not modeled.
    pub(super) fn field_of(source: &GivenObject, field: &str, reason: &str) -> Self {
        Self::of(&source.object, format!("{}.{field}", source.path), reason)
    }
}

/// Why an object is left out, with the field that decides that, if it is not its kind; none for one that is simulated, and for a
/// Node. What bears on which nodes take a pod is simulated where there are nodes.
fn why_not_modeled(object: &Value, has_nodes: bool) -> Option<(&'static str, &'static str)> {
    let kind = string(object, "kind");
    if PodAutoscaler::of(object).is_some() {
        return Some((
            "",
            "scaling is not simulated: only a Deployment or a StatefulSet without replicas gets its minReplicas",
        ));
    }
    if is_surrounding(object) {
        return (!has_nodes).then_some(("", NO_SUCH_OBJECTS));
    }
    if is_custom(object) || (!is_simulated(object) && kind != Kind::Node.name()) {
        return Some(("", NO_SUCH_OBJECTS));
    }
    if Kind::from_name(kind).and_then(Kind::predicted) == Some(Predicted::Never) {
        return Some(("", "only Deployments and Jobs are predicted"));
    }
    if is_helm_hook(object) && (kind == Kind::Pod.name() || !is_hook_of_upgrade(object)) {
        return Some(("", "a Helm hook that does not run in an upgrade"));
    }
    if is_argo_hook(object) && !is_hook_of_sync(object) {
        return Some(("", "an Argo CD hook that does not run in a sync that succeeds"));
    }
    let is_set = |value: &Value| !value.is_null() && value.as_array().is_none_or(|scopes| !scopes.is_empty());
    let scope = ["scopes", "scopeSelector"].iter().find(|scope| at(object, &["spec", scope]).is_some_and(is_set));
    let scope = scope.filter(|_| kind == Kind::ResourceQuota.name())?;
    let field = if *scope == "scopes" { ".spec.scopes" } else { ".spec.scopeSelector" };
    Some((field, "quotas with scopes are not simulated"))
}

/// Whether Helm runs a Job or a Pod at certain times, and replaces it each time.
fn is_helm_hook(object: &Value) -> bool {
    runs_once(object) && !annotation(object, HELM_HOOK).is_empty()
}

/// Whether Argo CD runs a Job or a Pod at certain times.
fn is_argo_hook(object: &Value) -> bool {
    runs_once(object) && !annotation(object, ARGO_HOOK).is_empty()
}

/// Whether a manifest is of a kind that hooks are of.
fn runs_once(object: &Value) -> bool {
    [Kind::Job.name(), Kind::Pod.name()].contains(&string(object, "kind")) && !is_stored(object)
}

/// Whether an Argo CD hook runs in a sync that succeeds.
fn is_hook_of_sync(object: &Value) -> bool {
    let times = annotation(object, ARGO_HOOK);
    times.split(',').any(|time| ["PreSync", "Sync", "PostSync"].contains(&time.trim()))
}

/// Whether a Helm hook runs in an upgrade or, where there is nothing yet, in an installation.
fn is_hook_of_upgrade(object: &Value) -> bool {
    let times = annotation(object, HELM_HOOK);
    times.split(',').any(|time| ["-upgrade", "-install"].iter().any(|end| time.trim().ends_with(end)))
}

/// Whether both are the same object.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    string(a, "kind") == string(b, "kind") && name(a) == name(b) && namespace(a) == namespace(b)
}

/// Whether an object is one that runs in a cluster: a workload or a pod that its API server gave a uid. Quotas, claims and nodes of a
/// cluster are also given beside manifests.
pub fn is_of_running_cluster(object: &Value) -> bool {
    let runs = |kind: Kind| kind.predicted().is_some() || kind == Kind::Pod;
    is_stored(object) && Kind::of(object).is_none_or(runs)
}

/// The object as a user writes it: without its status and what the API server puts into its metadata.
pub(super) fn as_written(object: &Value) -> Value {
    let keep = |(key, value): (&String, &Value)| match (key.as_str(), value) {
        ("status", _) => None,
        ("metadata", Value::Object(metadata)) => {
            let written = metadata.iter().filter(|(key, _)| WRITTEN.contains(&key.as_str()));
            let written: Map<String, Value> = written.map(|(key, value)| (key.clone(), value.clone())).collect_tree();
            Some((key.clone(), Value::Object(written)))
        }
        _ => Some((key.clone(), value.clone())),
    };
    let Value::Object(map) = object else { return object.clone() };
    Value::Object(map.iter().filter_map(keep).collect_tree())
}

/// The manifest that `kubectl apply` applied last.
pub(super) fn last_applied(object: &Value) -> Option<Value> {
    let text = at(object, &["metadata", "annotations", LAST_APPLIED])?.as_str()?;
    let mut last = as_written(&serde_json::from_str(text).ok()?);
    let metadata = map_at(&mut last, &["metadata"])?;
    metadata.insert("namespace".into(), namespace(object)?.into());
    Some(last)
}
