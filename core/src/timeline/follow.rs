use super::Marks;
use crate::feature_gates::FeatureGates;
use crate::object::{Object, Pod};

/// Follows the rollouts of a workload from write to write. A rollout begins when the pod template changes; that of a
/// StatefulSet also when its replicas change.
pub(crate) trait Follow {
    /// The workload, or an object that it may own besides pods, before and after a write, with the controller manager's gates.
    /// Returns the marks of the workload as it is written.
    fn observe(&mut self, before: Option<&Object>, after: Option<&Object>, gates: FeatureGates) -> Option<Marks>;

    /// The part that a pod belongs to: its ReplicaSet, or its revision. None for a pod of something else.
    fn part_of(&mut self, pod: &Pod) -> Option<usize>;

    /// Whether the pods of this part have the present template.
    fn is_new(&self, part: usize) -> bool;

    /// Whether the present rollout is complete.
    fn is_complete(&self) -> bool;

    fn min_ready_seconds(&self) -> i32;
}
