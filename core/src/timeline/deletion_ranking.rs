//! The ranking that a ReplicaSet's deletions followed: which pods went first, and why.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::controller_gates::ControllerGates;
use super::{Step, Timeline};
use crate::controller::Verb;
use crate::controller::rank::{Ranking, rank};
use crate::controller::replica_set::get_indirectly_related_pods;
use crate::object::{Kind, Object, Pod};

/// All pods among which a ReplicaSet chose, in the order in which they would go.
#[derive(Clone, Debug)]
pub struct DeletionRanking {
    /// The pods that were ranked.
    pub pods: Vec<Rc<Pod>>,
    /// Their order, and what decided between neighbours.
    pub ranking: Ranking,
    /// How many of them went: the first ones.
    pub count: usize,
}

impl Timeline {
    /// The ranking behind a step in which a ReplicaSet deletes a pod; none for another step, or if all pods went and nothing
    /// was chosen.
    pub fn deletion_ranking(&self, step: usize) -> Option<DeletionRanking> {
        let chosen = self.steps.get(step).filter(|step| deletes(step))?;
        let same = |other: &&Step| deletes(other) && other.time == chosen.time && other.about == chosen.about;
        let before = self.steps.get(..step).unwrap_or_default().iter().rev().take_while(same).count();
        let after = self.steps.get(step..).unwrap_or_default().iter().take_while(same).count();
        let mut cursor = self.cursor();
        cursor.seek(self, step.saturating_sub(before));
        let Some(Object::ReplicaSet(replica_set)) = cursor.state().get(&chosen.about) else { return None };
        let state = cursor.state();
        let pods: Vec<Rc<Pod>> = state.pods_of(replica_set).filter(|pod| pod.is_active()).cloned().collect();
        let active = state.pods().filter(|pod| pod.is_active());
        let related = get_indirectly_related_pods(replica_set, state.replica_sets(), active);
        let count = before.saturating_add(after);
        (count < pods.len()).then(|| {
            let mut gates = ControllerGates::at_start(&self.scenario);
            gates.advance(chosen.time);
            let ranking = rank(&pods, &related, chosen.time, gates.now());
            DeletionRanking { pods, ranking, count }
        })
    }
}

fn deletes(step: &Step) -> bool {
    let deleted =
        step.change.as_ref().is_some_and(|change| change.verb == Verb::Delete && change.key.kind == Kind::Pod);
    deleted && step.about.kind == Kind::ReplicaSet
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::controller::rank::Rule;
    use crate::scenario::Scenario;

    fn timeline() -> Timeline {
        let scenario = json!({
            "version": 1,
            "nodes": [{"name": "a", "pods": 3}, {"name": "b"}],
            "actions": [
                {"at": "0s", "create": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
                    "replicas": 7, "selector": {"matchLabels": {"app": "web"}},
                    "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:v1"}]}},
                }}},
                {"at": "30s", "scale": {"name": "web", "replicas": 4}},
                {"at": "90s", "scale": {"name": "web", "replicas": 0}},
            ],
        });
        Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap()
    }

    #[test]
    fn the_first_of_the_ranking_are_those_that_went() {
        let timeline = timeline();
        let steps: Vec<usize> = (0..timeline.len()).filter(|step| deletes(&timeline.steps[*step])).collect();
        let went = |step: usize| timeline.steps[step].change.as_ref().unwrap().key.name.clone();
        let first = timeline.deletion_ranking(steps[0]).unwrap();
        assert_eq!((first.pods.len(), first.count), (7, 3));
        let ranked: Vec<_> = first.ranking.order.iter().map(|index| first.pods[*index].metadata.name.clone()).collect();
        assert_eq!(ranked[..3], [went(steps[0]), went(steps[1]), went(steps[2])]);
        // Asked of any step of the decision, the answer is the same.
        assert_eq!(timeline.deletion_ranking(steps[2]).unwrap().ranking, first.ranking);
        assert!(first.ranking.decided.iter().any(|pair| pair.rule == Rule::RelatedPods));
        // Where all go nothing is chosen.
        assert!(timeline.deletion_ranking(steps[3]).is_none());
        assert!(timeline.deletion_ranking(0).is_none());
    }
}
