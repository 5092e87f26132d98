//! The objects of an argument, with the place that each came from.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::answer::NotModeled;
use super::pod_autoscalers::PodAutoscaler;
use super::pod_templates::{is_custom, pod_template};
use crate::Problem;
use crate::object::unstructured::{at, existing_map, field, list, map, map_at, string};
pub(super) use crate::object::unstructured::{name, namespace};
use crate::object::{Kind, require_kind};
use crate::scenario::{is_simulated, other_taints};

/// The metadata of a manifest that a user writes; the rest is the API server's.
const WRITTEN: [&str; 6] = ["name", "generateName", "namespace", "labels", "annotations", "finalizers"];

/// The annotation of a manifest that `helm upgrade` does not apply with the others.
const HELM_HOOK: &str = "helm.sh/hook";

/// The annotation in which `kubectl apply` keeps the last manifest.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

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
    /// Sorts the objects of an argument. Objects that name no namespace get the one that `namespace_of` says.
    ///
    /// # Errors
    /// What is no object.
    pub(super) fn read(
        argument: &str,
        objects: &[&Value],
        namespace_of: &dyn Fn(&Value) -> String,
    ) -> Result<Self, Problem> {
        let put_namespace = |object: &mut Value| {
            let namespace = namespace_of(object);
            // A manifest without metadata stays so: the API server says what is missing.
            if let Some(metadata) = existing_map(object, &["metadata"]) {
                metadata.insert("namespace".into(), namespace.into());
            }
        };
        let mut given = Self::default();
        for (index, object) in objects.iter().copied().enumerate() {
            let path = format!("{argument}[{index}]");
            require_kind(object, &path)?;
            if let Some((field, why)) = why_not_modeled(object) {
                given.pod_autoscalers.extend(PodAutoscaler::of(object));
                given.not_modeled.push(NotModeled::of(object, format!("{path}{field}"), why));
                if pod_template(object).is_some() && !is_helm_hook(object) {
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
}

/// The nodes of which the taints are left out, unless the pods of all these objects tolerate them.
pub(super) fn tainted_nodes<'a>(
    nodes: &'a [GivenObject],
    given: impl Iterator<Item = &'a GivenObject>,
) -> impl Iterator<Item = NotModeled> {
    let specs: Vec<Value> = given.filter_map(|source| Some(pod_template(&source.object)?.spec().clone())).collect();
    let is_tolerated = move |taint: &Value| {
        !specs.is_empty() && specs.iter().all(|spec| list(spec, "tolerations").iter().any(|it| tolerates(it, taint)))
    };
    let tainted = nodes.iter().filter(move |node| other_taints(&node.object).any(|taint| !is_tolerated(taint)));
    tainted.map(|node| {
        let why = "taints are not simulated, so pods that don't tolerate them may run there";
        NotModeled::field_of(node, "spec.taints", why)
    })
}

/// Whether a toleration is for a taint, and not only for some time.
///
/// Upstream: `k8s.io/api/core/v1/toleration.go ToleratesTaint`, without the comparisons of numbers
fn tolerates(toleration: &Value, taint: &Value) -> bool {
    let (effect, key) = (string(toleration, "effect"), string(toleration, "key"));
    let is_for_some_time = string(taint, "effect") == "NoExecute" && field(toleration, "tolerationSeconds").is_some();
    let is_of_value = match string(toleration, "operator") {
        "" | "Equal" => string(toleration, "value") == string(taint, "value"),
        "Exists" => true,
        _ => false,
    };
    (effect.is_empty() || effect == string(taint, "effect"))
        && (key.is_empty() || key == string(taint, "key"))
        && is_of_value
        && !is_for_some_time
}

/// The LimitRanges of which the bounds are left out.
pub(super) fn limit_ranges_with_bounds(objects: &[GivenObject]) -> impl Iterator<Item = NotModeled> {
    let is_bounded = |item: &Value| {
        ["Container", "Pod"].contains(&string(item, "type"))
            && ["max", "maxLimitRequestRatio", "min"].iter().any(|bound| field(item, bound).is_some())
    };
    let limit_ranges = objects.iter().filter(|source| string(&source.object, "kind") == Kind::LimitRange.name());
    limit_ranges.filter_map(move |source| {
        let items = field(&source.object, "spec").map_or_else(Default::default, |spec| list(spec, "limits"));
        items
            .iter()
            .any(is_bounded)
            .then(|| NotModeled::field_of(source, "spec.limits", about_bounds(items.iter().any(max_is_default_limit))))
    })
}

/// What is simulated of a LimitRange with bounds.
const fn about_bounds(max_is_default_limit: bool) -> &'static str {
    if max_is_default_limit {
        "only its defaults are simulated, and its max becomes the default limit: a pod with a container that requests more than \
         its limit is refused, but no other pod outside of its bounds"
    } else {
        "only its defaults are simulated: pods outside of its bounds are not refused"
    }
}

/// Whether the maximum of a resource is also the limit of containers without their own.
///
/// Upstream: `pkg/apis/core/v1/defaults.go SetDefaults_LimitRangeItem`
fn max_is_default_limit(item: &Value) -> bool {
    let default = map(item, "default");
    let has_no_default = |resource: &String| default.is_none_or(|default| !default.contains_key(resource));
    string(item, "type") == "Container" && map(item, "max").is_some_and(|max| max.keys().any(has_no_default))
}

impl NotModeled {
    fn of(object: &Value, path: String, reason: &str) -> Self {
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
/// Node.
fn why_not_modeled(object: &Value) -> Option<(&'static str, &'static str)> {
    let kind = string(object, "kind");
    if PodAutoscaler::of(object).is_some() {
        return Some(("", "scaling is not simulated: only a Deployment without replicas gets its minReplicas"));
    }
    if is_custom(object) || (!is_simulated(object) && kind != Kind::Node.name()) {
        return Some(("", "objects of this kind are not simulated"));
    }
    if kind == Kind::CronJob.name() {
        return Some(("", "only Deployments and Jobs are predicted"));
    }
    if is_helm_hook(object) && !is_hook_of_upgrade(object) {
        return Some(("", "a Helm hook that does not run in an upgrade"));
    }
    let scope = ["scopes", "scopeSelector"].iter().find(|scope| at(object, &["spec", scope]).is_some());
    let scope = scope.filter(|_| kind == Kind::ResourceQuota.name())?;
    let field = if *scope == "scopes" { ".spec.scopes" } else { ".spec.scopeSelector" };
    Some((field, "quotas with scopes are not simulated"))
}

/// Whether Helm runs a Job at certain times, and replaces it each time.
fn is_helm_hook(object: &Value) -> bool {
    string(object, "kind") == Kind::Job.name() && !is_stored(object) && annotation(object, HELM_HOOK).is_some()
}

/// Whether a Helm hook runs in an upgrade or, where there is nothing yet, in an installation.
fn is_hook_of_upgrade(object: &Value) -> bool {
    let times = annotation(object, HELM_HOOK).unwrap_or_default();
    times.split(',').any(|time| ["-upgrade", "-install"].iter().any(|end| time.trim().ends_with(end)))
}

fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    at(object, &["metadata", "annotations", key])?.as_str()
}

/// Whether both are the same object.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    string(a, "kind") == string(b, "kind") && name(a) == name(b) && namespace(a) == namespace(b)
}

/// Whether a running cluster gave this object: the API server gives each its uid.
pub(super) fn is_stored(object: &Value) -> bool {
    at(object, &["metadata", "uid"]).is_some()
}

/// The object as a user writes it: without its status and what the API server puts into its metadata.
pub(super) fn as_written(object: &Value) -> Value {
    let keep = |(key, value): (&String, &Value)| match (key.as_str(), value) {
        ("status", _) => None,
        ("metadata", Value::Object(metadata)) => {
            let written = metadata.iter().filter(|(key, _)| WRITTEN.contains(&key.as_str()));
            let written: Map<String, Value> = written.map(|(key, value)| (key.clone(), value.clone())).collect();
            Some((key.clone(), Value::Object(written)))
        }
        _ => Some((key.clone(), value.clone())),
    };
    let Value::Object(map) = object else { return object.clone() };
    Value::Object(map.iter().filter_map(keep).collect())
}

/// The manifest that `kubectl apply` applied last.
pub(super) fn last_applied(object: &Value) -> Option<Value> {
    let text = at(object, &["metadata", "annotations", LAST_APPLIED])?.as_str()?;
    let mut last = as_written(&serde_json::from_str(text).ok()?);
    let metadata = map_at(&mut last, &["metadata"])?;
    metadata.insert("namespace".into(), namespace(object)?.into());
    Some(last)
}
