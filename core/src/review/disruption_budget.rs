//! PodDisruptionBudgets don't limit rollouts. Evictions wait while a rollout leaves fewer available pods than a budget wants.

use alloc::format;
use alloc::string::String;

use serde_json::Value;

use super::cluster_reader::{Cluster, Freshness, Lookup};
use crate::object::unstructured::{at, field, integer};
use crate::object::{IntOrString, Kind, LabelSelector, Rounding, Strings, read_strings};

const FIELDS: &[&str] = &["spec.maxUnavailable", "spec.minAvailable", "spec.selector"];

/// A sentence for each budget that wants more available pods than a changed Deployment will have.
pub(super) fn sentences(
    object: &Value,
    namespace: &str,
    available: i64,
    cluster: &mut Cluster<'_>,
) -> impl Iterator<Item = String> {
    let lookup =
        Lookup { kind: Kind::PodDisruptionBudget, namespace, name: "", fields: FIELDS, freshness: Freshness::Cached };
    let budgets = cluster.list(&lookup, "evictions are not forecast").unwrap_or_default();
    let labels = read_strings(at(object, &["spec", "template", "metadata", "labels"]).and_then(Value::as_object));
    let replicas = field(object, "spec").and_then(|spec| integer(spec, "replicas")).unwrap_or(1);
    let replicas = i32::try_from(replicas).unwrap_or(i32::MAX);
    budgets.into_iter().filter_map(move |(name, budget)| {
        // One that wants all pods never allows an eviction.
        let is_missed = |wanted: &i64| available < *wanted && *wanted < i64::from(replicas);
        let wanted = wanted(&budget, &labels, replicas).filter(is_missed)?;
        Some(format!(
            "PodDisruptionBudget {name} wants {wanted} available pods, the rollout may leave {available}: evictions wait"
        ))
    })
}

/// How many of the pods a budget wants; none for a budget that is not about them.
///
/// Upstream: `pkg/controller/disruption/disruption.go DisruptionController.getExpectedPodCount`
fn wanted(budget: &Value, labels: &Strings, replicas: i32) -> Option<i64> {
    let spec = field(budget, "spec")?;
    let selector = field(spec, "selector").map(LabelSelector::of_value);
    LabelSelector::to_selector(selector.as_ref()).ok().filter(|selector| selector.matches(labels))?;
    let of = |key| {
        let bound = match field(spec, key)? {
            Value::String(text) => IntOrString::String(text.clone()),
            number => IntOrString::Int(i32::try_from(number.as_i64()?).ok()?),
        };
        bound.scaled(replicas, Rounding::Up).ok()
    };
    let most = of("maxUnavailable").map(|most| i64::from(replicas).saturating_sub(most).max(0));
    most.or_else(|| of("minAvailable"))
}
