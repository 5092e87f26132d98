//! The worst that any order of events does to a rollout.

use changeover_core::Problem;
use changeover_core::prediction::{PredictOptions, WorstOutcome, WorstProof, predict};
use changeover_wire::{AskedRollout, WorstCase, WorstCases};
use serde_json::Value;

use crate::advice::{LaneCluster, assumptions, deployment_key};
use crate::manifests::{Texts, first, node_values};

/// The image that the controls roll out: which one it is makes no difference.
const NEW_IMAGE: &str = "example/web:v2";

/// The worst of a rollout.
///
/// # Errors
/// What is wrong with the Deployment or its surroundings, with its path; or that the rollout has already begun.
pub(crate) fn worst_cases(rollout: &AskedRollout) -> Result<WorstCases, Problem> {
    let (old, new, options, shown) = match rollout {
        AskedRollout::Lane(source) => {
            let LaneCluster { objects, options, .. } = LaneCluster::of(source)?;
            let shown = objects.first().and_then(deployment_key);
            let new = objects.first().cloned().map(with_new_image);
            (objects, new.into_iter().collect(), options, shown)
        }
        AskedRollout::Manifests(manifests) => {
            let texts = Texts::read(manifests).map_err(first)?;
            let mut assumptions = assumptions(&texts);
            assumptions.kubelet.push(texts.surroundings.others());
            let nodes = node_values(texts.assumed_nodes());
            let options = PredictOptions { nodes, assumptions, ..PredictOptions::default() };
            (texts.old(), texts.changed(), options, texts.shown_deployment())
        }
    };
    let options = PredictOptions { worst: true, ..options };
    let below = |path: &str| path.strip_prefix("old[0].").unwrap_or(path).to_owned();
    let prediction = predict(&old, &new, &options).map_err(|problem| problem.map_paths(&below))?.prediction;
    let mut workloads = prediction.workloads.into_iter().filter(|workload| {
        shown.as_ref().is_none_or(|shown| *shown.namespace == *workload.namespace && *shown.name == *workload.name)
    });
    let worst = workloads.find_map(|workload| workload.worst);
    let worst = worst.ok_or_else(|| Problem::new("", "The rollout has already begun, or nothing changes."))?;
    Ok(WorstCases { today: worst_case(worst.outcome), proposed: worst.proposed.map(worst_case) })
}

/// A Deployment that rolls out something.
fn with_new_image(mut deployment: Value) -> Value {
    if let Some(image) = deployment.pointer_mut("/spec/template/spec/containers/0/image") {
        *image = Value::from(NEW_IMAGE);
    }
    deployment
}

fn worst_case(WorstOutcome { proof, peak, lowest_available, longest, orders, .. }: WorstOutcome) -> WorstCase {
    let [peak_order, lowest_order, longest_order] = ["peak", "lowestAvailable", "longest"].map(|number| {
        let order = orders.iter().find(|order| order.number == number);
        order.map_or_else(Vec::new, |order| order.steps.clone())
    });
    let count = |count: i64| i32::try_from(count).unwrap_or(i32::MAX);
    let (peak, lowest_available) = (count(peak), count(lowest_available));
    let is_bound = proof == WorstProof::Bound;
    WorstCase { peak, lowest_available, is_bound, longest, peak_order, lowest_order, longest_order }
}

#[cfg(test)]
mod tests {
    use changeover_wire::{LaneSource, Manifests};
    use serde_json::json;

    use super::*;

    fn deployment(replicas: i32) -> Value {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web", "namespace": "default" },
            "spec": {
                "replicas": replicas,
                "strategy": { "type": "RollingUpdate", "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "containers": [{ "name": "web", "image": "example/web:v1" }] },
                },
            },
        })
    }

    fn lane(replicas: i32) -> AskedRollout {
        let changes =
            json!({ "at": "0s", "image": "example/web:v2", "nodes": [{ "name": "node-a" }], "kubelet": [{}] });
        AskedRollout::Lane(LaneSource::Rollout { deployment: deployment(replicas), changes, surroundings: json!({}) })
    }

    fn own(text: &Value) -> AskedRollout {
        let surroundings = json!({ "nodes": [{ "name": "node-a" }], "kubelet": [{}], "mode": "realistic" });
        AskedRollout::Manifests(Manifests::new(text.to_string(), surroundings))
    }

    #[test]
    fn small_rollouts_are_explored_and_large_ones_have_a_bound() {
        for rollout in [lane(2), own(&deployment(2))] {
            let WorstCases { today, proposed } = worst_cases(&rollout).unwrap();
            assert_eq!((today.peak, today.lowest_available, today.is_bound), (4, 2, false));
            assert!(today.peak_order.len() > 2, "{:?}", today.peak_order);
            assert!(today.lowest_order.is_empty(), "{:?}", today.lowest_order);
            assert_eq!(proposed.unwrap().peak, 3);
        }
        let timed = json!([{ "ready": "4s", "terminate": "20s" }]);
        let mut lane_with_times = lane(2);
        if let AskedRollout::Lane(LaneSource::Rollout { changes, .. }) = &mut lane_with_times {
            changes["kubelet"] = timed.clone();
        }
        let mut own_with_times = own(&deployment(2));
        if let AskedRollout::Manifests(manifests) = &mut own_with_times {
            manifests.surroundings["kubelet"] = timed;
        }
        for rollout in [lane_with_times, own_with_times] {
            let WorstCases { today, .. } = worst_cases(&rollout).unwrap();
            assert_eq!((today.peak, today.longest), (4, Some(10_000_000_000)));
            let last = today.longest_order.last().unwrap();
            assert!(last.starts_with("10 s: "), "{last}");
        }
        let WorstCases { today, proposed } = worst_cases(&lane(20)).unwrap();
        assert_eq!((today.peak, today.lowest_available, today.is_bound), (40, 20, true));
        assert!(today.peak_order.is_empty());
        assert_eq!(proposed.map(|proposed| (proposed.peak, proposed.is_bound)), Some((21, true)));
    }

    #[test]
    fn what_is_wrong_has_the_path_of_the_form() {
        assert_eq!(worst_cases(&lane(-1)).unwrap_err().path, "spec.replicas");
        assert!(worst_cases(&own(&json!({ "kind": "Deployment" }))).is_err());
    }
}
