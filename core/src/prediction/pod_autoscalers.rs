//! HorizontalPodAutoscalers: how many pods a Deployment has at rest that leaves its `replicas` to one, and within which bounds it
//! keeps them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::object::unstructured::{at, existing_map, field, integer, list, name, namespace, set_default, string};
use crate::object::{Kind, ObjectKey};

/// The API versions of HorizontalPodAutoscalers.
const API_VERSIONS: [&str; 2] = ["autoscaling/v1", "autoscaling/v2"];

/// The API server's default of `minReplicas`.
const DEFAULT_MIN_REPLICAS: i64 = 1;

/// The HorizontalPodAutoscaler of a Deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PodAutoscaler {
    name: String,
    /// The namespace that it names; without one, it is in that of its Deployment.
    namespace: Option<String>,
    /// The name of the Deployment.
    deployment: String,
    min_replicas: i32,
    max_replicas: i64,
    /// The first metric for which it counts the pods of a surge as replicas, like `External queue_length`.
    metric_of_surge: Option<String>,
}

impl PodAutoscaler {
    /// None for any other object, and for one that the API server refuses.
    pub(super) fn of(object: &Value) -> Option<Self> {
        let is_autoscaler =
            string(object, "kind") == "HorizontalPodAutoscaler" && API_VERSIONS.contains(&string(object, "apiVersion"));
        let spec = field(object, "spec").filter(|_| is_autoscaler)?;
        let target =
            field(spec, "scaleTargetRef").filter(|target| string(target, "kind") == Kind::Deployment.name())?;
        let min_replicas = i32::try_from(integer(spec, "minReplicas").unwrap_or(DEFAULT_MIN_REPLICAS)).ok();
        Some(Self {
            name: name(object).into(),
            namespace: namespace(object).map(String::from),
            deployment: string(target, "name").into(),
            min_replicas: min_replicas.filter(|replicas| *replicas >= 0)?,
            max_replicas: integer(spec, "maxReplicas").unwrap_or_default(),
            metric_of_surge: list(spec, "metrics").iter().find_map(metric_of_surge),
        })
    }

    /// Its name and its bounds: `HorizontalPodAutoscaler web (minReplicas 3, maxReplicas 12)`.
    pub(super) fn with_bounds(&self) -> String {
        let Self { name, min_replicas, max_replicas, .. } = self;
        format!("HorizontalPodAutoscaler {name} (minReplicas {min_replicas}, maxReplicas {max_replicas})")
    }

    /// Whether these replicas are within its bounds.
    pub(super) fn allows(&self, replicas: i32) -> bool {
        (self.min_replicas..).contains(&replicas) && i64::from(replicas) <= self.max_replicas
    }

    /// Whether it never changes the number of replicas.
    pub(super) fn is_fixed_at(&self, replicas: i32) -> bool {
        self.min_replicas == replicas && self.max_replicas == i64::from(replicas)
    }

    /// How many replicas it may keep of a rollout with this many pods at once, and the metric because of which it does; none if it
    /// counts no surge.
    pub(super) fn adopted_surge(&self, replicas: i32, limit: i32) -> Option<(i64, &str)> {
        let adopted = i64::from(limit).min(self.max_replicas);
        let metric = self.metric_of_surge.as_deref()?;
        (adopted > i64::from(replicas)).then_some((adopted, metric))
    }

    /// Whether it scales an object.
    fn scales(&self, object: &Value) -> bool {
        string(object, "kind") == Kind::Deployment.name()
            && self.targets(name(object), namespace(object).unwrap_or_default())
    }

    /// Whether it scales the Deployment with this name.
    pub(super) fn targets(&self, deployment: &str, in_namespace: &str) -> bool {
        self.deployment == deployment && self.namespace.as_deref().is_none_or(|own| own == in_namespace)
    }
}

/// A metric whose target is an average per pod and that is not measured on the pods themselves: while it is near its target, the
/// autoscaler keeps as many replicas as the status counts, and that includes the surge of a rollout.
///
/// Upstream: `pkg/controller/podautoscaler/replica_calculator.go GetExternalPerPodMetricReplicas`, `GetObjectPerPodMetricReplicas`
fn metric_of_surge(metric: &Value) -> Option<String> {
    let kind = string(metric, "type");
    let key = match kind {
        "External" => "external",
        "Object" => "object",
        _ => return None,
    };
    let source = field(metric, key)?;
    let is_average = at(source, &["target", "averageValue"]).is_some_and(|value| !value.is_null());
    let metric_name = at(source, &["metric", "name"]).and_then(Value::as_str).unwrap_or_default();
    is_average.then(|| format!("{kind} metric {metric_name}"))
}

/// That a Deployment without `replicas` has those of an autoscaler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AssumedReplicas {
    deployment: ObjectKey,
    autoscaler: String,
    replicas: i32,
}

impl AssumedReplicas {
    /// Whether it is about this Deployment.
    pub(super) fn is_of(&self, deployment: &ObjectKey) -> bool {
        self.deployment == *deployment
    }

    fn sentence(&self) -> String {
        let Self { deployment, autoscaler, replicas } = self;
        format!(
            " Deployment {} has no replicas, so it runs the minReplicas of HorizontalPodAutoscaler {autoscaler}: {replicas}.",
            deployment.name
        )
    }
}

/// Gives the Deployments without `replicas` the `minReplicas` of their autoscalers, the first one that fits each: as many as they
/// have without load.
pub(super) fn put_min_replicas<'a>(
    objects: impl Iterator<Item = &'a mut Value>,
    autoscalers: &[PodAutoscaler],
) -> Vec<AssumedReplicas> {
    let free = objects.filter(|object| at(object, &["spec", "replicas"]).is_none());
    free.filter_map(|object| {
        let autoscaler = autoscalers.iter().find(|autoscaler| autoscaler.scales(object))?;
        set_default(existing_map(object, &["spec"])?, "replicas", autoscaler.min_replicas);
        Some(AssumedReplicas {
            deployment: ObjectKey::of_manifest(Kind::Deployment, object),
            autoscaler: autoscaler.name.clone(),
            replicas: autoscaler.min_replicas,
        })
    })
    .collect()
}

/// What is assumed of them, as sentences after others; empty without any.
pub(super) fn assumed_replicas(assumed: &[AssumedReplicas]) -> String {
    let mut sentences: Vec<String> = assumed.iter().map(AssumedReplicas::sentence).collect();
    sentences.sort_unstable();
    // The old objects and the new ones may say the same.
    sentences.dedup();
    sentences.concat()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn autoscaler(api_version: &str, kind: &str, min_replicas: &Value) -> Value {
        json!({
            "apiVersion": api_version, "kind": "HorizontalPodAutoscaler", "metadata": { "name": "scaler" },
            "spec": { "scaleTargetRef": { "kind": kind, "name": "web" }, "minReplicas": min_replicas },
        })
    }

    fn web(replicas: &Value) -> Value {
        json!({
            "kind": "Deployment", "metadata": { "name": "web", "namespace": "shop" }, "spec": { "replicas": replicas },
        })
    }

    /// The replicas of `web`, and what is said of them.
    fn replicas(of: &Value, autoscaler: &Value) -> (Option<i64>, String) {
        let mut web = web(of);
        let autoscalers: Vec<PodAutoscaler> = PodAutoscaler::of(autoscaler).into_iter().collect();
        let assumed = put_min_replicas([&mut web].into_iter(), &autoscalers);
        (at(&web, &["spec", "replicas"]).and_then(Value::as_i64), assumed_replicas(&assumed))
    }

    #[test]
    fn a_deployment_without_replicas_has_those_of_its_autoscaler() {
        let sentence = |replicas: i32| {
            format!(
                " Deployment web has no replicas, so it runs the minReplicas of HorizontalPodAutoscaler scaler: {replicas}."
            )
        };
        for (api_version, min_replicas, expected) in [
            ("autoscaling/v2", json!(6), 6),
            ("autoscaling/v1", json!(6), 6),
            ("autoscaling/v2", json!(0), 0),
            ("autoscaling/v2", Value::Null, 1),
        ] {
            let found = replicas(&Value::Null, &autoscaler(api_version, "Deployment", &min_replicas));
            assert_eq!(found, (Some(expected.into()), sentence(expected)), "{api_version} {min_replicas}");
        }
    }

    #[test]
    fn other_deployments_are_left_alone() {
        let mut elsewhere = autoscaler("autoscaling/v2", "Deployment", &json!(6));
        elsewhere["metadata"]["namespace"] = json!("other");
        for (of, autoscaler) in [
            (json!(3), autoscaler("autoscaling/v2", "Deployment", &json!(6))),
            (Value::Null, autoscaler("autoscaling/v2", "StatefulSet", &json!(6))),
            (Value::Null, autoscaler("autoscaling.example.com/v1", "Deployment", &json!(6))),
            (Value::Null, autoscaler("autoscaling/v2", "Deployment", &json!(-1))),
            (Value::Null, elsewhere),
        ] {
            assert_eq!(replicas(&of, &autoscaler), (of.as_i64(), String::new()), "{autoscaler}");
        }
    }
}
