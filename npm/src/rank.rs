//! `rank` and `rankFor`: the order in which a workload deletes pods.

use std::collections::BTreeSet;
use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::apiserver::is_pod_spec_field;
use changeover_core::deletion_order::{RankedObjects, order_pods};
use changeover_core::explain::RankReport;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::object::{ObjectMeta, Pod, Time};
use serde_json::Value;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{
    ErrorCode, Failure, parse_gates, parse_json, parse_options, reading_time_or, to_json, to_problem_error,
    to_problem_error_at,
};
use crate::objects::{Source, Sources, parse_argument_objects, parse_sources};

/// Options for ranking pods.
#[derive(ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankOptions {
    /// How many pods are deleted; 0 by default.
    #[serde(default)]
    count: u32,
    /// The time at which pods are compared, as in RFC 3339; by default the time of the call, or the newest time in the objects if that is more
    /// than ten minutes older, or later.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    now: Option<Time>,
    /// The active pods of all ReplicaSets of the same owner, which are counted on each node; the ranked pods by default.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<changeover_core::scenario::schema::Manifest>>"))]
    related_pods: Option<Value>,
    /// Feature gates that differ from Kubernetes 1.37's defaults.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::collections::BTreeMap<String, bool>>"))]
    #[serde(default)]
    feature_gates: Value,
}

/// The pods in the order in which a ReplicaSet deletes them, at the time `now`, unless the objects are older
/// or the options give another.
///
/// # Errors
/// A problem of the pods or the options.
#[wasm_bindgen]
pub fn rank(list: &str, options: &str, now: &str) -> Result<String, Failure> {
    let options: RankOptions = parse_options(options)?;
    let RankOptions { count, related_pods, feature_gates, .. } = options;
    let gates = parse_gates(&feature_gates)?;
    let mut sources = Sources::default();
    let list = parse_argument_objects(ErrorCode::InvalidPods, "", list, &mut sources)?;
    let now = reading_time_or(options.now, &list, now)?;
    let ranked = parse_pods(ErrorCode::InvalidPods, &list, "", &sources)?;
    let related = match related_pods {
        Some(related) => {
            let mut sources = Sources::default();
            let related = sources.add("relatedPods", parse_sources(ErrorCode::InvalidOptions, "relatedPods", related)?);
            parse_pods(ErrorCode::InvalidOptions, &related, "relatedPods", &sources)?
        }
        None => ranked.clone(),
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    Ok(to_json(&RankReport::new(order_pods(&ranked, &related, count, now, gates), now)))
}

/// Options for ranking the pods of a workload.
#[derive(ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankForOptions {
    /// How many pods are deleted; by default, as many as are active beyond spec.replicas of a ReplicaSet, or beyond the
    /// parallelism of a Job or the completions that it has left.
    #[serde(default)]
    count: Option<u32>,
    /// The time at which pods are compared, as in RFC 3339; by default the time of the call, or the newest time in the objects if that is more
    /// than ten minutes older, or later.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    now: Option<Time>,
    /// Feature gates that differ from Kubernetes 1.37's defaults.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::collections::BTreeMap<String, bool>>"))]
    #[serde(default)]
    feature_gates: Value,
}

/// The pods of a workload in the order in which it deletes them, at the time `now`, unless the objects are older
/// or the options give another.
///
/// # Errors
/// A problem of the ReplicaSet, the objects or the options.
#[wasm_bindgen(js_name = rankFor)]
pub fn rank_for(workload: &str, objects: &str, options: &str, now: &str) -> Result<String, Failure> {
    let options: RankForOptions = parse_options(options)?;
    let RankForOptions { count, feature_gates, .. } = options;
    let gates = parse_gates(&feature_gates)?;
    let mut sources = Sources::default();
    let objects = parse_argument_objects(ErrorCode::InvalidObjects, "", objects, &mut sources)?;
    let now = reading_time_or(options.now, &objects, now)?;
    let objects =
        RankedObjects::read(&objects).map_err(|problem| sources.error(ErrorCode::InvalidObjects, &problem))?;
    let (workload, source) = one_workload(parse_json(ErrorCode::InvalidWorkload, workload)?)?;
    let place = |path: &str| source.as_ref()?.place(path);
    let workload =
        objects.find(&workload).map_err(|problem| to_problem_error_at(ErrorCode::InvalidWorkload, place, &problem))?;
    Ok(to_json(&RankReport::new(objects.order(&workload, count, now, gates), now)))
}

/// The workload of an argument and where it comes from, or its name, in which there is no colon.
fn one_workload(given: Value) -> Result<(Value, Option<Source>), Failure> {
    if given.as_str().is_some_and(|text| !text.contains(':')) {
        return Ok((given, None));
    }
    let mut objects = parse_sources(ErrorCode::InvalidWorkload, "", given)?;
    match (objects.pop(), objects.len()) {
        (Some(only), 0) => Ok((only.document.value.clone(), Some(only))),
        (_, others) => {
            let count = others.saturating_add(1);
            let problem = Problem::new("", format!("Too many: {count} objects: must be exactly one workload"));
            Err(to_problem_error(ErrorCode::InvalidWorkload, &problem))
        }
    }
}

/// Active pods.
fn parse_pods(code: ErrorCode, values: &[Value], path: &str, sources: &Sources) -> Result<Vec<Rc<Pod>>, Failure> {
    let mut names = BTreeSet::new();
    let pod = |(index, value)| {
        let path = format!("{path}[{index}]");
        let pod = parse_pod(value, &path)?;
        let ObjectMeta { namespace, name, .. } = &*pod.metadata;
        if !names.insert((namespace.clone(), name.clone())) {
            let message = format!("Duplicate value: {name:?}: a pod with this name is already given");
            return Err(Problem::new(format!("{path}.metadata.name"), message));
        }
        Ok(Rc::new(pod))
    };
    let pods = values.iter().enumerate().map(pod).collect::<Result<_, _>>();
    pods.map_err(|problem| sources.error(code, &problem))
}

fn parse_pod(value: &Value, path: &str) -> Result<Pod, Problem> {
    let kind = value.get("kind").unwrap_or(&Value::Null);
    if !kind.is_null() && kind != "Pod" {
        return Err(Problem::new(
            format!("{path}.kind"),
            format!("Unsupported value: {kind}: supported values: \"Pod\""),
        ));
    }
    let pod: Pod = decode(value, path)?;
    if pod.metadata.name.is_empty() {
        return Err(Problem::new(format!("{path}.metadata.name"), "Required value: must be the pod's name"));
    }
    let spec = value.get("spec").and_then(Value::as_object).into_iter().flatten();
    if kind.is_null()
        && let Some((field, _)) = spec.into_iter().find(|(field, _)| !is_pod_spec_field(field))
    {
        let message =
            format!("Unsupported value: {field:?}: must be a field of a Pod's spec, or the kind must be \"Pod\"");
        return Err(Problem::new(format!("{path}.spec.{field}"), message));
    }
    if let Some(deleted) = pod.metadata.deletion_timestamp {
        let message = format!("Invalid value: \"{deleted}\": must be absent: only active pods are ranked");
        return Err(Problem::new(format!("{path}.metadata.deletionTimestamp"), message));
    }
    if !pod.is_active() {
        let message = "Invalid value: must not have ended: only active pods are ranked";
        return Err(Problem::new(format!("{path}.status.phase"), message));
    }
    Ok(pod)
}

#[cfg(test)]
mod tests {
    use changeover_core::feature_gates::FeatureGates;

    use super::*;

    fn pod(name: &str, cost: &str) -> Value {
        serde_json::json!({
            "metadata": {"name": name, "annotations": {"controller.kubernetes.io/pod-deletion-cost": cost}},
            "spec": {"nodeName": "a"},
        })
    }

    fn ranked(count: usize) -> Vec<(usize, bool, bool)> {
        let Ok(pods) = parse_pods(
            ErrorCode::InvalidPods,
            &[pod("web-1", "10"), pod("web-2", "-1"), pod("web-3", "5")],
            "",
            &Sources::default(),
        ) else {
            panic!("these are pods")
        };
        let order = order_pods(&pods, &pods, count, Time(0), FeatureGates::default());
        order.into_iter().map(|pod| (pod.index, pod.deleted, pod.because.is_some())).collect()
    }

    #[test]
    fn the_cheapest_goes_first() {
        assert_eq!(ranked(1), [(1, true, true), (2, false, true), (0, false, false)]);
    }

    #[test]
    fn without_a_choice_nothing_is_compared() {
        assert_eq!(ranked(3), [(0, true, false), (1, true, false), (2, true, false)]);
    }
}
