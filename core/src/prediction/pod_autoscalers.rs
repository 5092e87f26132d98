//! HorizontalPodAutoscalers: how many pods a Deployment has at rest that leaves its `replicas` to one.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use crate::object::unstructured::{at, existing_map, field, integer, name, namespace, set_default, string};
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
        })
    }

    /// Whether it scales an object.
    fn scales(&self, object: &Value) -> bool {
        string(object, "kind") == Kind::Deployment.name()
            && name(object) == self.deployment
            && self.namespace.as_deref().is_none_or(|own| namespace(object) == Some(own))
    }
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
