//! What changes the requests of pods while they are created, and is not simulated.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::estimates::object_name;
use super::given_objects::{GivenObject, name};
use super::pod_templates::pod_template;
use super::verdict::{Reason, ReasonKind};
use crate::object::unstructured::{at, field, map, string};

/// The kinds of what changes them.
const CHANGING: [&str; 2] = ["RuntimeClass", VERTICAL_POD_AUTOSCALER];

const VERTICAL_POD_AUTOSCALER: &str = "VerticalPodAutoscaler";

/// Whether a ResourceQuota limits what is changed here.
pub(super) fn limits_requests(quota: &Value) -> bool {
    let hard = field(quota, "spec").and_then(|spec| map(spec, "hard"));
    let is_changed = |resource: &String| {
        let resource = resource.strip_prefix("requests.").or(resource.strip_prefix("limits.")).unwrap_or(resource);
        ["cpu", "memory"].contains(&resource)
    };
    hard.is_some_and(|hard| hard.keys().any(is_changed))
}

/// Why it is not known what the new pods of these workloads request. The namespaces are those that `namespace_of` gives.
pub(super) fn changed_requests<'a>(
    workloads: impl Iterator<Item = &'a GivenObject>,
    objects: &[&Value],
    namespace_of: &dyn Fn(&Value) -> String,
) -> Vec<Reason> {
    let changing: Vec<&Value> =
        objects.iter().copied().filter(|object| CHANGING.contains(&string(object, "kind"))).collect();
    let mut reasons = Vec::new();
    for source in workloads {
        let workload = &source.object;
        let is_its = |other: &&Value| resizes(other, workload) && namespace_of(other) == namespace_of(workload);
        let autoscaler = changing.iter().copied().find(is_its).map(|autoscaler| {
            format!(
                "VerticalPodAutoscaler {} changes what its new pods request, which is not simulated.",
                name(autoscaler)
            )
        });
        let class = unknown_overhead(workload, &changing)
            .map(|class| format!("What RuntimeClass {class} adds to its pods' requests is not simulated."));
        reasons.extend(autoscaler.into_iter().chain(class).map(|message| {
            let reason = Reason::new(ReasonKind::NotModeledField, message);
            reason.about(object_name(workload)).at(source.path.clone())
        }));
    }
    reasons
}

/// Whether an object is a VerticalPodAutoscaler that sets the requests of a workload's pods, as it does by default.
fn resizes(object: &Value, workload: &Value) -> bool {
    let target = |key: &str| at(object, &["spec", "targetRef", key]).and_then(Value::as_str).unwrap_or_default();
    string(object, "kind") == VERTICAL_POD_AUTOSCALER
        && target("kind") == string(workload, "kind")
        && target("name") == name(workload)
        && at(object, &["spec", "updatePolicy", "updateMode"]).and_then(Value::as_str) != Some("Off")
}

/// The RuntimeClass that may add an overhead to a workload's pods: one with an overhead, or one that is not given.
fn unknown_overhead<'a>(workload: &'a Value, objects: &[&Value]) -> Option<&'a str> {
    let spec = pod_template(workload)?.spec();
    let class = Some(string(spec, "runtimeClassName")).filter(|class| !class.is_empty())?;
    let has_overhead = field(spec, "overhead").is_some();
    let is_it = |object: &&&Value| string(object, "kind") == "RuntimeClass" && name(object) == class;
    let adds_nothing = objects.iter().find(is_it).is_some_and(|given| field(given, "overhead").is_none());
    (!has_overhead && !adds_nothing).then_some(class)
}
