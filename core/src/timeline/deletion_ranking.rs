//! The ranking that a ReplicaSet's deletions followed: which pods went first, and why.

use super::Timeline;
use crate::cluster::decision::Decision;
use crate::controller;
use crate::controller::rank::DeletionRanking;

impl Timeline {
    /// The ranking behind a step in which a ReplicaSet deletes a pod; none for another step, or if nothing was chosen: all
    /// pods went, or they compared equal.
    pub fn deletion_ranking(&self, step: usize) -> Option<&DeletionRanking> {
        match &self.steps.get(step)?.decision {
            Decision::Controller(controller::Decision::ReplicaSet(decision)) => decision.deletion()?.ranking.as_deref(),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use serde_json::json;

    use super::*;
    use crate::controller::Verb;
    use crate::controller::rank::Criterion;
    use crate::object::Kind;
    use crate::scenario::Scenario;
    use crate::timeline::Step;

    fn deletes(step: &Step) -> bool {
        let deleted =
            step.change.as_ref().is_some_and(|change| change.verb == Verb::Delete && change.key.kind == Kind::Pod);
        deleted && step.about.kind == Kind::ReplicaSet
    }

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
        assert_eq!((first.pods().count(), first.total, first.count), (7, 7, 3));
        let ranked: Vec<_> = first.pods().map(|pod| pod.metadata.name.clone()).collect();
        assert_eq!(ranked[..3], [went(steps[0]), went(steps[1]), went(steps[2])]);
        // Asked of any step of the decision, the answer is the same.
        assert_eq!(timeline.deletion_ranking(steps[2]).unwrap(), first);
        assert!(first.decided().any(|pair| pair.criterion == Criterion::RelatedPods));
        // Where all go nothing is chosen.
        assert!(timeline.deletion_ranking(steps[3]).is_none());
        assert!(timeline.deletion_ranking(0).is_none());
    }

    #[test]
    fn a_choice_whose_deletions_wait_for_the_rate_limit_is_one_choice() {
        let scenario = json!({
            "version": 1,
            "nodes": [{"name": "a", "pods": 3}, {"name": "b"}],
            "controllerManager": {"qps": 1, "burst": 1},
            "actions": [
                {"at": "0s", "create": {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": {
                    "replicas": 7, "selector": {"matchLabels": {"app": "web"}},
                    "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web:v1"}]}},
                }}},
                {"at": "90s", "scale": {"name": "web", "replicas": 4}},
            ],
        });
        let timeline = Timeline::run(Scenario::from_value(&scenario).unwrap()).unwrap();
        let steps: Vec<usize> = (0..timeline.len()).filter(|step| deletes(&timeline.steps[*step])).collect();
        assert_eq!(steps.len(), 3);
        assert!(timeline.steps[steps[0]].time < timeline.steps[steps[2]].time);
        for step in steps {
            let ranking = timeline.deletion_ranking(step).unwrap();
            assert_eq!((ranking.total, ranking.count), (7, 3));
        }
    }
}
