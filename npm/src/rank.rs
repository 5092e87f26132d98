//! `rank`: the order in which a ReplicaSet deletes pods.

use std::rc::Rc;

use changeover_core::Problem;
use changeover_core::controller::rank::{Comparison, get_pods_to_delete, rank as core_rank};
use changeover_core::explain::ranking::why;
use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::{FromJson, Path, ToJson, decode, wrong};
use changeover_core::object::{Pod, Time};
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::error::{ErrorCode, parse_argument, parse_json, to_json, to_problem_error};

/// How pods are ranked.
#[derive(ToJson, FromJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RankOptions {
    /// How many pods are to be deleted; 0 by default.
    #[serde(default)]
    count: u32,
    /// When, as in RFC 3339; the time of the call by default.
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    now: Time,
    /// The active pods of all ReplicaSets of the same owner, which are counted on each node; the ranked pods by default.
    #[serde(default)]
    related_pods: Option<Vec<Value>>,
    /// Feature gates that differ from Kubernetes 1.36's defaults.
    #[serde(default)]
    feature_gates: Value,
}

/// A pod's place in the order of deletion.
#[derive(ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RankedPod {
    /// Its position in the list that was handed in.
    index: usize,
    /// Its name.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    name: Rc<str>,
    /// Whether it is among those that are to be deleted.
    deleted: bool,
    /// What decided between it and the next in the order; absent for the last, and where all pods go.
    #[json(omitempty)]
    decided: Option<Comparison>,
    /// The same, as the end of a sentence about this pod.
    #[json(omitempty)]
    why: Option<String>,
}

/// The pods in the order in which a ReplicaSet deletes them.
///
/// # Errors
/// A problem of the pods or the options.
#[wasm_bindgen]
pub fn rank(list: &str, options: &str) -> Result<String, JsValue> {
    let options: RankOptions = parse_argument(ErrorCode::InvalidOptions, options)?;
    let gates = FeatureGates::parse(&options.feature_gates, "featureGates").map_err(|problems| {
        let first = problems
            .into_iter()
            .next()
            .unwrap_or_else(|| Problem::new("featureGates", "Invalid value: must be a map of true and false"));
        to_problem_error(ErrorCode::InvalidOptions, &first)
    })?;
    let list = parse_json(ErrorCode::InvalidPods, list)?;
    let Value::Array(list) = list else {
        return Err(to_problem_error(ErrorCode::InvalidPods, &wrong(&list, &Path::Root(""), "a list of pods")));
    };
    let ranked = parse_pods(ErrorCode::InvalidPods, &list, "")?;
    let related = match &options.related_pods {
        Some(related) => parse_pods(ErrorCode::InvalidOptions, related, "relatedPods")?,
        None => ranked.clone(),
    };
    let count = usize::try_from(options.count).unwrap_or(usize::MAX);
    Ok(to_json(&rank_pods(&ranked, &related, count, options.now, gates)))
}

fn parse_pods(code: ErrorCode, values: &[Value], path: &str) -> Result<Vec<Rc<Pod>>, JsValue> {
    let pod = |(index, value)| decode(value, &format!("{path}[{index}]")).map(Rc::new);
    values.iter().enumerate().map(pod).collect::<Result<_, _>>().map_err(|problem| to_problem_error(code, &problem))
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
