use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::cluster::PlayedRollout;
use crate::feature_gates::FeatureGates;
use crate::json::ToJson;
use crate::object::{Object, Pod, PodTemplateSpec, Time};
use crate::timeline::{Follow, Marks};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{
    equal_ignore_hash, find_new_replica_set, has_all_pods, has_just_created_replica_set, is_reported_complete, limit,
    min_available,
};
use crate::workload::replica_set::ReplicaSet;

/// How far the present rollout of a Deployment is. A rollout begins when the pod template changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct RolloutState {
    /// Pods that hold resources and were made from another template: old pods, terminating ones included.
    pub old: i32,
    /// Whether the controller has reported the rollout as complete, and all pods have been available since the Deployment was
    /// scaled. It stays so when the Deployment is paused later, or loses pods.
    pub complete: bool,
}

/// Follows a Deployment's rollouts from write to write.
#[derive(Default)]
pub(crate) struct RolloutTracker {
    deployment: Option<Rc<Deployment>>,
    /// The ReplicaSets of the Deployment and those that there were, each with its uid.
    replica_sets: Vec<(Rc<str>, Option<Rc<ReplicaSet>>)>,
    /// The uid of the ReplicaSet with the present template.
    new: Option<Rc<str>>,
    /// Whether the controller has reported the present rollout as complete.
    is_rolled_out: bool,
    /// Whether the pods of the last scaling are not all there. The condition Progressing says nothing of them.
    is_scaling: bool,
}

impl RolloutTracker {
    /// The Deployment as it is now, with the controller manager's gates.
    fn observe_deployment(&mut self, deployment: &Rc<Deployment>, gates: FeatureGates) {
        let before = self.deployment.replace(deployment.clone());
        let is_scaled = before.as_ref().is_some_and(|before| before.spec.replicas != deployment.spec.replicas);
        let begins = before.is_none_or(|before| !same_template(&before.spec.template, &deployment.spec.template));
        if begins {
            self.find_new();
        }
        // A new ReplicaSet begins a rollout even where the last status had not yet noticed the template before.
        let restarts = begins || has_just_created_replica_set(&deployment.status);
        self.is_rolled_out = (self.is_rolled_out && !restarts) || is_reported_complete(deployment, gates);
        self.is_scaling = (self.is_scaling || is_scaled) && !has_all_pods(deployment, gates);
    }

    /// Forgets the Deployment, not its ReplicaSets.
    fn remove_deployment(&mut self) {
        self.deployment = None;
        self.is_rolled_out = false;
    }

    /// A ReplicaSet as it is now.
    fn observe_replica_set(&mut self, replica_set: &Rc<ReplicaSet>) {
        let uid = &replica_set.metadata.uid;
        if let Some((_, known)) = self.replica_sets.iter_mut().find(|(known, _)| known == uid) {
            *known = Some(replica_set.clone());
        } else if self.owns(replica_set) {
            self.replica_sets.push((uid.clone(), Some(replica_set.clone())));
            self.find_new();
        }
    }

    /// A ReplicaSet is gone. Its pods may still be there.
    fn remove_replica_set(&mut self, replica_set: &ReplicaSet) {
        let known = self.replica_sets.iter_mut().find(|(known, _)| *known == replica_set.metadata.uid);
        if let Some((_, known)) = known {
            *known = None;
            self.find_new();
        }
    }

    fn owns(&self, replica_set: &ReplicaSet) -> bool {
        self.deployment.as_ref().is_some_and(|owner| replica_set.metadata.is_controlled_by(&owner.metadata))
    }

    fn find_new(&mut self) {
        let there: Vec<_> = self.replica_sets.iter().filter_map(|(_, replica_set)| replica_set.clone()).collect();
        let new = self.deployment.as_ref().and_then(|owner| find_new_replica_set(owner, &there));
        self.new = new.map(|new| new.metadata.uid.clone());
    }
}

impl Follow for RolloutTracker {
    fn observe(&mut self, before: Option<&Object>, after: Option<&Object>, gates: FeatureGates) -> Option<Marks> {
        match (before, after) {
            (_, Some(Object::Deployment(deployment))) => {
                self.observe_deployment(deployment, gates);
                return Some(Marks::of(deployment));
            }
            (_, Some(Object::ReplicaSet(replica_set))) => self.observe_replica_set(replica_set),
            (Some(Object::Deployment(_)), None) => self.remove_deployment(),
            (Some(Object::ReplicaSet(gone)), None) => self.remove_replica_set(gone),
            _ => {}
        }
        None
    }

    fn part_of(&mut self, pod: &Pod) -> Option<usize> {
        let owner = pod.metadata.controller()?;
        self.replica_sets.iter().position(|(known, _)| *known == owner.uid)
    }

    fn is_new(&self, replica_set: usize) -> bool {
        self.replica_sets.get(replica_set).is_some_and(|(uid, _)| self.new.as_ref() == Some(uid))
    }

    fn is_complete(&self) -> bool {
        self.is_rolled_out && !self.is_scaling
    }

    fn min_ready_seconds(&self) -> i32 {
        self.deployment.as_ref().map_or(0, |deployment| deployment.spec.min_ready_seconds)
    }
}

impl Marks {
    /// The marks of a Deployment.
    pub fn of(deployment: &Deployment) -> Self {
        Self { desired: deployment.spec.replicas, limit: limit(deployment), min_available: min_available(deployment) }
    }
}

/// Whether a change is complete: at the start, and after each step about the Deployment or its ReplicaSets.
pub(crate) fn completions(played: &PlayedRollout) -> Vec<(Time, bool)> {
    let mut tracker = RolloutTracker::default();
    for object in played.initial() {
        tracker.observe(None, Some(&object), played.gates);
    }
    let mut completions = Vec::from([(played.start, tracker.is_complete())]);
    for step in &played.steps {
        if let Some(change) = &step.change {
            tracker.observe(change.before.as_ref(), change.after.as_ref(), played.gates);
        }
        completions.push((step.time, tracker.is_complete()));
    }
    completions
}

fn same_template(a: &Rc<PodTemplateSpec>, b: &Rc<PodTemplateSpec>) -> bool {
    Rc::ptr_eq(a, b) || equal_ignore_hash(a, b)
}
