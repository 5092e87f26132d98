//! HorizontalPodAutoscalers, and KEDA's ScaledObjects: how many pods a Deployment or a StatefulSet has at rest that leaves its `replicas` to one, and within
//! which bounds it keeps them.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::verdict::{Reason, ReasonKind};
use crate::apiserver::not_registered;
use crate::object::unstructured::{
    at, existing_map, field, integer, is_stored, list, name, namespace, set_default, string,
};
use crate::object::{Kind, ObjectKey};

/// The API group of HorizontalPodAutoscalers.
const API_GROUP: &str = "autoscaling";

/// The API server's default of `minReplicas`.
const DEFAULT_MIN_REPLICAS: i64 = 1;

/// KEDA's default of `maxReplicaCount`.
const DEFAULT_MAX_REPLICA_COUNT: i64 = 100;

/// The kind of object that bounds the replicas of a Deployment, and how it calls its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scaler {
    HorizontalPodAutoscaler,
    /// KEDA makes a HorizontalPodAutoscaler of it.
    ScaledObject,
}

impl Scaler {
    fn of(object: &Value) -> Option<Self> {
        let group = string(object, "apiVersion").split('/').next().unwrap_or_default();
        match (group, string(object, "kind")) {
            (API_GROUP, "HorizontalPodAutoscaler") => Some(Self::HorizontalPodAutoscaler),
            ("keda.sh", "ScaledObject") => Some(Self::ScaledObject),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::HorizontalPodAutoscaler => "HorizontalPodAutoscaler",
            Self::ScaledObject => "ScaledObject",
        }
    }

    /// The fields with its bounds.
    const fn bounds(self) -> [&'static str; 2] {
        match self {
            Self::HorizontalPodAutoscaler => ["minReplicas", "maxReplicas"],
            Self::ScaledObject => ["minReplicaCount", "maxReplicaCount"],
        }
    }
}

/// The HorizontalPodAutoscaler of a Deployment or a StatefulSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PodAutoscaler {
    scaler: Scaler,
    name: String,
    /// The namespace that it names; without one, it is in that of its target.
    namespace: Option<String>,
    /// The kind of what it scales.
    kind: Kind,
    /// The name of what it scales.
    target: String,
    min_replicas: i32,
    max_replicas: i64,
    /// The first metric for which it counts the pods of a surge as replicas, like `External queue_length`.
    metric_of_surge: Option<String>,
    /// Whether a running cluster gave it.
    is_stored: bool,
    /// Whether the API server serves its version.
    is_served: bool,
}

impl PodAutoscaler {
    /// None for any other object, and for one that the API server refuses.
    pub(super) fn of(object: &Value) -> Option<Self> {
        let scaler = Scaler::of(object)?;
        let spec = field(object, "spec")?;
        let target = field(spec, "scaleTargetRef")?;
        let kind = match string(target, "kind") {
            "" if scaler == Scaler::ScaledObject => Kind::Deployment,
            named => [Kind::Deployment, Kind::StatefulSet].into_iter().find(|kind| kind.name() == named)?,
        };
        let [min, max] = scaler.bounds();
        let min_replicas = i32::try_from(integer(spec, min).unwrap_or(DEFAULT_MIN_REPLICAS)).ok()?;
        let max_replicas = match scaler {
            Scaler::HorizontalPodAutoscaler => integer(spec, max)?,
            Scaler::ScaledObject => integer(spec, max).unwrap_or(DEFAULT_MAX_REPLICA_COUNT),
        };
        let is_valid = min_replicas >= 0 && max_replicas >= 1 && max_replicas >= i64::from(min_replicas);
        is_valid.then(|| Self {
            scaler,
            name: name(object).into(),
            namespace: namespace(object).map(String::from),
            kind,
            target: string(target, "name").into(),
            min_replicas,
            max_replicas,
            metric_of_surge: list(spec, "metrics").iter().find_map(metric_of_surge),
            is_stored: is_stored(object),
            is_served: not_registered(object).is_none(),
        })
    }

    /// Whether a running cluster gave it.
    pub(super) const fn is_stored(&self) -> bool {
        self.is_stored
    }

    /// Whether the API server serves the version in which it is given.
    pub(super) const fn is_served(&self) -> bool {
        self.is_served || self.is_stored
    }

    /// Whether both are the same object.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        (self.scaler, &self.namespace, &self.name) == (other.scaler, &other.namespace, &other.name)
    }

    /// Its name and its bounds: `HorizontalPodAutoscaler web (minReplicas 3, maxReplicas 12)`.
    pub(super) fn with_bounds(&self) -> String {
        let Self { scaler, name, min_replicas, max_replicas, .. } = self;
        let [min, max] = scaler.bounds();
        format!("{} {name} ({min} {min_replicas}, {max} {max_replicas})", scaler.name())
    }

    /// The most replicas that it allows.
    pub(super) fn most(&self) -> i32 {
        i32::try_from(self.max_replicas).unwrap_or(i32::MAX)
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
        string(object, "kind") == self.kind.name() && self.is_at(name(object), namespace(object).unwrap_or_default())
    }

    /// Whether it scales the object with this key.
    pub(super) fn targets(&self, key: &ObjectKey) -> bool {
        key.kind == self.kind && self.is_at(&key.name, &key.namespace)
    }

    fn is_at(&self, target: &str, in_namespace: &str) -> bool {
        self.target == target && self.namespace.as_deref().is_none_or(|own| own == in_namespace)
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

/// That a Deployment or a StatefulSet has the replicas that an autoscaler gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AssumedReplicas {
    target: ObjectKey,
    autoscaler: PodAutoscaler,
    /// Those that its manifest names.
    named: Option<i32>,
    replicas: i32,
}

impl AssumedReplicas {
    /// Whether it is about this object.
    pub(super) fn is_of(&self, target: &ObjectKey) -> bool {
        self.target == *target
    }

    /// The Deployment whose manifest names other replicas, and these.
    pub(super) fn outside(&self) -> Option<(ObjectKey, i32)> {
        let named = self.named.filter(|_| self.target.kind == Kind::Deployment)?;
        Some((self.target.clone(), named))
    }

    fn sentence(&self) -> String {
        let Self { target, autoscaler, named, replicas } = self;
        let target = format!("{} {}", target.kind, target.name);
        let PodAutoscaler { scaler, name, .. } = autoscaler;
        let [min, _] = scaler.bounds();
        if let Some(named) = named {
            let scaler = scaler.name();
            return format!(" {scaler} {name} scales {target} from {named} to {replicas} at once.");
        }
        format!(" {target} does not set replicas, so it runs the {min} of {} {name}: {replicas}.", scaler.name())
    }
}

/// Gives the Deployments and StatefulSets without `replicas` the `minReplicas` of their autoscalers, the first one that fits each: as many as they
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
            target: ObjectKey::of_manifest(autoscaler.kind, object),
            autoscaler: autoscaler.clone(),
            named: None,
            replicas: autoscaler.min_replicas,
        })
    })
    .collect()
}

/// Gives the Deployments and StatefulSets that keep their `replicas` the nearest number within the bounds of an autoscaler that is new or has new
/// bounds: it scales them right after the change.
pub(super) fn put_within_new_bounds<'a>(
    objects: impl Iterator<Item = &'a mut Value>,
    named_before: &dyn Fn(&Value) -> Option<i32>,
    [before, after]: [&[PodAutoscaler]; 2],
) -> Vec<AssumedReplicas> {
    objects
        .filter_map(|object| {
            let named = at(object, &["spec"]).and_then(|spec| integer(spec, "replicas"));
            let named = i32::try_from(named?).ok().filter(|named| named_before(object) == Some(*named))?;
            let autoscaler = after.iter().find(|autoscaler| autoscaler.scales(object))?;
            let was_outside = before.iter().any(|before| before.scales(object) && !before.allows(named));
            // It does not scale what has no replicas.
            if named == 0 || was_outside || autoscaler.allows(named) {
                return None;
            }
            let replicas = named.max(autoscaler.min_replicas).min(autoscaler.most());
            existing_map(object, &["spec"])?.insert("replicas".into(), replicas.into());
            Some(AssumedReplicas {
                target: ObjectKey::of_manifest(autoscaler.kind, object),
                autoscaler: autoscaler.clone(),
                named: Some(named),
                replicas,
            })
        })
        .collect()
}

/// That autoscalers among these objects scale StatefulSets with these names (`namespace/name`), which is not simulated.
pub(super) fn scaled_sets(
    objects: &[&Value],
    namespace_of: &dyn Fn(&Value) -> String,
    sets: &BTreeSet<String>,
) -> Vec<Reason> {
    let mut reasons: BTreeMap<String, Reason> = BTreeMap::new();
    for object in objects {
        let (Some(scaler), Some(spec)) = (Scaler::of(object), field(object, "spec")) else { continue };
        let Some(target) = field(spec, "scaleTargetRef") else { continue };
        let about = format!("{}/{}/{}", string(target, "kind"), namespace_of(object), string(target, "name"));
        if !sets.contains(&about) {
            continue;
        }
        let message = format!("{} {} scales it, which is not simulated.", scaler.name(), name(object));
        reasons.insert(about.clone(), Reason::new(ReasonKind::AutoscaledReplicas, message).about(about));
    }
    reasons.into_values().collect()
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
            "spec": {
                "scaleTargetRef": { "kind": kind, "name": "web" }, "minReplicas": min_replicas, "maxReplicas": 9,
            },
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
                " Deployment web does not set replicas, so it runs the minReplicas of HorizontalPodAutoscaler scaler: {replicas}."
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
            (Value::Null, autoscaler("autoscaling/v2", "ReplicaSet", &json!(6))),
            (Value::Null, autoscaler("autoscaling.example.com/v1", "Deployment", &json!(6))),
            (Value::Null, autoscaler("autoscaling/v2", "Deployment", &json!(-1))),
            (Value::Null, autoscaler("autoscaling/v2", "Deployment", &json!(10))),
            (Value::Null, elsewhere),
        ] {
            assert_eq!(replicas(&of, &autoscaler), (of.as_i64(), String::new()), "{autoscaler}");
        }
    }
}
