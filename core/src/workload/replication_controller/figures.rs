//! How far a ReplicationController is from the pods that it should have, from write to write.

use alloc::rc::Rc;

use super::ReplicationController;
use crate::feature_gates::FeatureGates;
use crate::object::{Object, Pod};
use crate::timeline::{Follow, Marks};

/// Follows the number of a ReplicationController's pods. Nothing replaces those of an older template.
#[derive(Default)]
pub(crate) struct ReplicasTracker {
    controller: Option<Rc<ReplicationController>>,
    /// Its uid, also when it is gone: its pods may still be there.
    uid: Rc<str>,
    complete: bool,
}

impl Follow for ReplicasTracker {
    fn observe(&mut self, before: Option<&Object>, after: Option<&Object>, _: FeatureGates) -> Option<Marks> {
        match (before, after) {
            (_, Some(Object::ReplicationController(controller))) => {
                let before = self.controller.replace(controller.clone());
                self.uid = controller.metadata.uid.clone();
                let replicas = controller.spec.replicas;
                let restarts = before.is_none_or(|before| before.spec.replicas != replicas);
                self.complete = (self.complete && !restarts) || has_its_pods(controller);
                Some(Marks { desired: replicas, limit: replicas, min_available: replicas })
            }
            (Some(Object::ReplicationController(_)), None) => {
                self.controller = None;
                self.complete = false;
                None
            }
            _ => None,
        }
    }

    fn part_of(&mut self, pod: &Pod) -> Option<usize> {
        pod.metadata.controller().filter(|owner| !self.uid.is_empty() && owner.uid == self.uid)?;
        Some(0)
    }

    fn is_new(&self, _: usize) -> bool {
        true
    }

    fn is_complete(&self) -> bool {
        self.complete
    }

    fn min_ready_seconds(&self) -> i32 {
        self.controller.as_ref().map_or(0, |controller| controller.spec.min_ready_seconds)
    }
}

/// Whether the controller has seen the spec, and all pods that it wants are available, and no others are left.
fn has_its_pods(controller: &ReplicationController) -> bool {
    let (status, replicas) = (&controller.status, controller.spec.replicas);
    let is_observed = status.observed_generation > 0 && status.observed_generation >= controller.metadata.generation;
    is_observed && status.replicas == replicas && status.available_replicas == replicas
}
