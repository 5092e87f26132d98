//! The objects of an argument, with the place that each came from.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::answer::NotModeled;
use super::options::validate_count;
use super::pod_autoscalers::PodAutoscaler;
use crate::Problem;
use crate::object::unstructured::{at, existing_map, field, list, map, string};
pub(super) use crate::object::unstructured::{name, namespace};
use crate::object::{Kind, require_kind};
use crate::scenario::{has_other_taint, is_simulated};

/// The metadata of a manifest that a user writes; the rest is the API server's.
const WRITTEN: [&str; 6] = ["name", "generateName", "namespace", "labels", "annotations", "finalizers"];

/// The annotation of a manifest that `helm upgrade` does not apply with the others.
const HELM_HOOK: &str = "helm.sh/hook";

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
    /// All others.
    pub(super) not_modeled: Vec<NotModeled>,
}

impl GivenObjects {
    /// Sorts the objects of an argument. Objects that name no namespace get the one that `namespace_of` says.
    ///
    /// # Errors
    /// What is no object, and too many objects.
    pub(super) fn read(
        argument: &str,
        objects: &[Value],
        namespace_of: &dyn Fn(&Value) -> String,
    ) -> Result<Self, Problem> {
        validate_count(argument, objects.len())?;
        let mut given = Self::default();
        for (index, object) in objects.iter().enumerate() {
            let path = format!("{argument}[{index}]");
            require_kind(object, &path)?;
            if let Some(why) = why_not_modeled(object) {
                given.pod_autoscalers.extend(PodAutoscaler::of(object));
                given.not_modeled.push(not_modeled(object, why));
                continue;
            }
            let mut object = object.clone();
            if string(&object, "kind") == Kind::Node.name() {
                given.nodes.push(GivenObject { object, path });
                continue;
            }
            let namespace = namespace_of(&object);
            // A manifest without metadata stays so: the API server says what is missing.
            if let Some(metadata) = existing_map(&mut object, &["metadata"]) {
                metadata.insert("namespace".into(), namespace.into());
            }
            given.simulated.push(GivenObject { object, path });
        }
        Ok(given)
    }
}

/// The nodes of which the taints are left out.
pub(super) fn tainted_nodes(nodes: &[GivenObject]) -> impl Iterator<Item = NotModeled> {
    let tainted = nodes.iter().map(|node| &node.object).filter(|node| has_other_taint(node));
    tainted.map(|node| not_modeled(node, "taints are not simulated, so pods that don't tolerate them may run there"))
}

/// The LimitRanges of which the bounds are left out.
pub(super) fn limit_ranges_with_bounds(objects: &[GivenObject]) -> impl Iterator<Item = NotModeled> {
    let is_bounded = |item: &Value| {
        ["Container", "Pod"].contains(&string(item, "type"))
            && ["max", "maxLimitRequestRatio", "min"].iter().any(|bound| field(item, bound).is_some())
    };
    let limit_ranges = objects.iter().map(|source| &source.object);
    let limit_ranges = limit_ranges.filter(|object| string(object, "kind") == Kind::LimitRange.name());
    limit_ranges.filter_map(move |object| {
        let items = field(object, "spec").map_or_else(Default::default, |spec| list(spec, "limits"));
        items.iter().any(is_bounded).then(|| not_modeled(object, about_bounds(items.iter().any(max_is_default_limit))))
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

fn not_modeled(object: &Value, why: &str) -> NotModeled {
    NotModeled {
        kind: string(object, "kind").into(),
        namespace: namespace(object).map(String::from),
        name: name(object).into(),
        why: why.into(),
    }
}

/// Why an object is left out; none for one that is simulated, and for a Node.
fn why_not_modeled(object: &Value) -> Option<&'static str> {
    let kind = string(object, "kind");
    if PodAutoscaler::of(object).is_some() {
        return Some("scaling is not simulated: only a Deployment without replicas gets its minReplicas");
    }
    let is_custom = string(object, "apiVersion").split_once('/').is_some_and(|(group, _)| group.contains('.'));
    if is_custom || (!is_simulated(object) && kind != Kind::Node.name()) {
        return Some("objects of this kind are not simulated");
    }
    if kind == Kind::CronJob.name() {
        return Some("predictions cover Deployments and Jobs; the Jobs of a CronJob count once they exist");
    }
    if kind == Kind::Job.name() && !is_stored(object) && at(object, &["metadata", "annotations", HELM_HOOK]).is_some() {
        return Some("a Helm hook, which Helm runs and replaces separately");
    }
    let has_scope = || ["scopes", "scopeSelector"].iter().any(|scope| at(object, &["spec", scope]).is_some());
    (kind == Kind::ResourceQuota.name() && has_scope()).then_some("quotas with scopes are not simulated")
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
