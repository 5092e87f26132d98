//! `rank`: the order in which a ReplicaSet deletes pods.

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::controller::rank::{Comparison, get_pods_to_delete, rank as core_rank};
use changeover_core::controller::replica_set::get_indirectly_related_pods;
use changeover_core::explain::ranking::why;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::{FromJson, ToJson, decode};
use changeover_core::object::{Pod, ReplicaSet, Time};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_argument, parse_gates, parse_json, time_or, to_json, to_problem_error};
use crate::objects::parse_objects;

/// Options for ranking pods.
#[derive(ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankOptions {
    /// How many pods are deleted; 0 by default.
    #[serde(default)]
    count: u32,
    /// The time at which pods are compared, as in RFC 3339; the time of the call by default.
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

/// A pod's position in the order of deletion.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RankedPod {
    /// The pod's position in the list of objects that was given.
    index: usize,
    /// The pod's name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    name: Rc<str>,
    /// Whether the pod is among those that are deleted.
    deleted: bool,
    /// The comparison with the next pod; absent for the last pod, and where all pods are deleted.
    #[json(omitempty)]
    decided: Option<Comparison>,
    /// The same in words, as the end of a sentence about this pod.
    #[json(omitempty)]
    why: Option<String>,
}

/// The pods in the order in which a ReplicaSet deletes them, at the time `now` unless the options give another.
///
/// # Errors
/// A problem of the pods or the options.
#[wasm_bindgen]
pub fn rank(list: &str, options: &str, now: &str) -> Result<String, JsValue> {
    let options: RankOptions = parse_argument(ErrorCode::InvalidOptions, options)?;
    let RankOptions { count, related_pods, feature_gates, .. } = options;
    let now = time_or(options.now, now)?;
    let gates = parse_gates(&feature_gates)?;
    let list = parse_objects(ErrorCode::InvalidPods, "", parse_json(ErrorCode::InvalidPods, list)?)?;
    let ranked = parse_pods(ErrorCode::InvalidPods, &list, "")?;
    let related = match related_pods {
        Some(related) => {
            let related = parse_objects(ErrorCode::InvalidOptions, "relatedPods", related)?;
            parse_pods(ErrorCode::InvalidOptions, &related, "relatedPods")?
        }
        None => ranked.clone(),
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    Ok(to_json(&rank_pods(&ranked, &related, count, now, gates)))
}

/// Options for ranking the pods of a ReplicaSet.
#[derive(ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankForOptions {
    /// How many pods are deleted; by default, as many as are active beyond spec.replicas.
    #[serde(default)]
    count: Option<u32>,
    /// The time at which pods are compared, as in RFC 3339; the time of the call by default.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    now: Option<Time>,
    /// Feature gates that differ from Kubernetes 1.37's defaults.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::collections::BTreeMap<String, bool>>"))]
    #[serde(default)]
    feature_gates: Value,
}

/// The pods of a ReplicaSet in the order in which it deletes them, at the time `now` unless the options give another.
///
/// # Errors
/// A problem of the ReplicaSet, the objects or the options.
#[wasm_bindgen(js_name = rankFor)]
pub fn rank_for(replica_set: &str, objects: &str, options: &str, now: &str) -> Result<String, JsValue> {
    let options: RankForOptions = parse_argument(ErrorCode::InvalidOptions, options)?;
    let RankForOptions { count, feature_gates, .. } = options;
    let now = time_or(options.now, now)?;
    let gates = parse_gates(&feature_gates)?;
    let objects = parse_json(ErrorCode::InvalidObjects, objects)?;
    let objects = parse_objects(ErrorCode::InvalidObjects, "", objects)?;
    let of_kind = |kind: &'static str| {
        let objects = objects.iter().enumerate();
        objects.filter(move |(_, object)| object.get("kind").is_some_and(|named| named == kind))
    };
    let invalid = |problem: Problem| to_problem_error(ErrorCode::InvalidObjects, &problem);
    let replica_sets: Vec<Rc<ReplicaSet>> = of_kind("ReplicaSet")
        .map(|(index, object)| decode(object, &format!("[{index}]")).map(Rc::new))
        .collect::<Result<_, _>>()
        .map_err(invalid)?;
    let pods: Vec<(usize, Rc<Pod>)> = of_kind("Pod")
        .map(|(index, object)| Ok((index, Rc::new(decode::<Pod>(object, &format!("[{index}]"))?))))
        .collect::<Result<_, Problem>>()
        .map_err(invalid)?;
    let replica_set = find_replica_set(&parse_json(ErrorCode::InvalidReplicaSet, replica_set)?, &replica_sets)
        .map_err(|problem| to_problem_error(ErrorCode::InvalidReplicaSet, &problem))?;

    let active = pods.iter().filter(|(_, pod)| pod.is_active());
    let (indexes, own): (Vec<usize>, Vec<Rc<Pod>>) =
        active.clone().filter(|(_, pod)| pod.metadata.is_controlled_by(&replica_set.metadata)).cloned().unzip();
    let related = get_indirectly_related_pods(&replica_set, replica_sets.iter(), active.map(|(_, pod)| pod));
    let desired = usize::try_from(replica_set.spec.replicas).unwrap_or(0);
    let surplus = own.len().saturating_sub(desired);
    let count = count.map_or(surplus, |count| usize::try_from(count).unwrap_or(usize::MAX));
    let mut ranking = rank_pods(&own, &related, count, now, gates);
    for pod in &mut ranking {
        pod.index = indexes.get(pod.index).copied().unwrap_or(pod.index);
    }
    Ok(to_json(&ranking))
}

/// The ReplicaSet that is meant: given whole, or by its name (`name` or `namespace/name`) among the objects.
fn find_replica_set(given: &Value, replica_sets: &[Rc<ReplicaSet>]) -> Result<Rc<ReplicaSet>, Problem> {
    let Value::String(named) = given else {
        let kind = given.get("kind").and_then(Value::as_str).unwrap_or_default();
        if kind != "ReplicaSet" {
            let message = format!("Unsupported value: {kind:?}: supported values: \"ReplicaSet\"");
            return Err(Problem::new("kind", message));
        }
        return decode(given, "").map(Rc::new);
    };
    let (namespace, name) = named.split_once('/').map_or((None, named.as_str()), |(space, name)| (Some(space), name));
    let is_meant = |replica_set: &&Rc<ReplicaSet>| {
        *replica_set.metadata.name == *name
            && namespace.is_none_or(|namespace| *replica_set.metadata.namespace == *namespace)
    };
    match *replica_sets.iter().filter(is_meant).collect::<Vec<_>>() {
        [one] => Ok(one.clone()),
        [] => Err(Problem::new("", format!("Not found: {named:?}: must be a ReplicaSet among the objects"))),
        _ => Err(Problem::new(
            "",
            format!("Invalid value: {named:?}: must be namespace/name, since several have this name"),
        )),
    }
}

/// Active pods.
fn parse_pods(code: ErrorCode, values: &[Value], path: &str) -> Result<Vec<Rc<Pod>>, JsValue> {
    let pod = |(index, value)| parse_pod(value, &format!("{path}[{index}]")).map(Rc::new);
    values.iter().enumerate().map(pod).collect::<Result<_, _>>().map_err(|problem| to_problem_error(code, &problem))
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

fn rank_pods(pods: &[Rc<Pod>], related: &[Rc<Pod>], count: usize, now: Time, gates: FeatureGates) -> Vec<RankedPod> {
    let name = |index: usize| pods.get(index).map_or_else(|| Rc::from(""), |pod| pod.metadata.name.clone());
    if count >= pods.len() {
        // All pods go, so none are compared.
        let deletions = get_pods_to_delete(pods, related, count, now, gates).into_iter().enumerate();
        let all = deletions.map(|(index, deletion)| (index, deletion.pod.metadata.name.clone()));
        return all.map(|(index, name)| RankedPod { index, name, deleted: true, decided: None, why: None }).collect();
    }
    let ranking = core_rank(pods, related, now, gates);
    let next_names = ranking.order.iter().skip(1).map(|index| Some(name(*index))).chain([None]);
    let decided = ranking.decided.into_iter().map(Some).chain([None]);
    let ranks = ranking.order.iter().enumerate().zip(decided).zip(next_names);
    ranks
        .map(|(((rank_index, index), decided), next)| {
            let why = decided.as_ref().zip(next).map(|(decided, next)| why(decided, &next));
            RankedPod { index: *index, name: name(*index), deleted: rank_index < count, decided, why }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod(name: &str, cost: &str) -> Value {
        serde_json::json!({
            "metadata": {"name": name, "annotations": {"controller.kubernetes.io/pod-deletion-cost": cost}},
            "spec": {"nodeName": "a"},
        })
    }

    fn ranked(count: usize) -> Vec<(usize, bool, bool)> {
        let Ok(pods) =
            parse_pods(ErrorCode::InvalidPods, &[pod("web-1", "10"), pod("web-2", "-1"), pod("web-3", "5")], "")
        else {
            panic!("these are pods")
        };
        let order = rank_pods(&pods, &pods, count, Time(0), FeatureGates::default());
        order.into_iter().map(|pod| (pod.index, pod.deleted, pod.why.is_some())).collect()
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
