//! Claims, and the nodes that can have their volumes.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::node::Node;
use super::pod_shape::PodShape;
use super::snapshot::Snapshot;
use super::status::{Plugin, Status};
use super::volume::{PodVolume, StorageClass, TopologyLabel, TopologySelectorTerm, Volume};

/// Upstream: `pkg/scheduler/framework/plugins/volumebinding/binder.go ErrReasonNodeConflict`
pub(crate) const OTHER_NODES: &str = "node(s) didn't match PersistentVolume's node affinity";

/// Upstream: `pkg/scheduler/framework/plugins/volumebinding/binder.go ErrReasonBindConflict`
pub(crate) const NO_VOLUMES: &str = "node(s) didn't find available persistent volumes to bind";

/// Upstream: `pkg/scheduler/framework/plugins/volumebinding/volume_binding.go VolumeBinding.PreFilter`
pub(crate) const UNBOUND: &str = "pod has unbound immediate PersistentVolumeClaims";

/// The provisioner of classes that make no volumes.
///
/// Upstream: `k8s.io/component-helpers/storage/volume/pv_helpers.go NotSupportedProvisioner`
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// What a pod's claims need.
#[derive(Clone, Debug, Default)]
pub(super) struct BindingState<'a> {
    bound: Vec<&'a Volume>,
    /// The classes of claims whose volumes are yet to be made.
    to_provision: Vec<&'a StorageClass>,
}

impl<'a> BindingState<'a> {
    /// # Errors
    /// A claim that is not there, not usable, or not bound.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumebinding/volume_binding.go VolumeBinding.PreFilter` and
    /// `VolumeBinding.podHasPVCs`, `pkg/scheduler/framework/plugins/volumebinding/binder.go volumeBinder.GetPodVolumeClaims`
    pub(super) fn new(snapshot: &'a Snapshot, shape: &PodShape) -> Result<Self, Status> {
        let surroundings = &snapshot.surroundings;
        let refuse = |reason: String| Err(Status::unresolvable(Plugin::VolumeBinding, reason));
        let mut claims = Vec::new();
        for volume in &shape.volumes {
            let (name, is_ephemeral) = match volume {
                PodVolume::Claim(name) => (name, false),
                PodVolume::Ephemeral(name) => (name, true),
                PodVolume::Disk(_) => continue,
            };
            match surroundings.claim(&shape.namespace, name) {
                None if !surroundings.is_complete => {}
                None if is_ephemeral => {
                    return refuse(format!(
                        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{name}\""
                    ));
                }
                None => return refuse(format!("persistentvolumeclaim \"{name}\" not found")),
                Some(claim) if claim.is_lost => {
                    let volume = &claim.volume;
                    return refuse(format!(
                        "persistentvolumeclaim \"{name}\" bound to non-existent persistentvolume \"{volume}\""
                    ));
                }
                Some(claim) if claim.is_deleted => {
                    return refuse(format!("persistentvolumeclaim \"{name}\" is being deleted"));
                }
                Some(claim) => claims.push(claim),
            }
        }
        let mut state = Self::default();
        for claim in claims {
            let class = surroundings.storage_classes.iter().find(|class| class.name == claim.class);
            // A claim that names its volume is bound to it soon.
            if !claim.volume.is_empty() && (claim.is_bound || !surroundings.is_complete) {
                state.bound.extend(surroundings.volumes.iter().find(|volume| volume.name == claim.volume));
            } else if let Some(class) = class.filter(|class| class.waits_for_consumer && claim.volume.is_empty()) {
                state.to_provision.push(class);
            } else if surroundings.is_complete {
                return refuse(UNBOUND.into());
            }
        }
        Ok(state)
    }

    /// Upstream: `pkg/scheduler/framework/plugins/volumebinding/binder.go volumeBinder.FindPodVolumes`
    pub(super) fn filter(&self, node: &Node) -> Option<Status> {
        let mut reasons = Vec::new();
        let matches = |volume: &Volume| {
            let terms = volume.node_affinity.as_ref();
            terms.is_none_or(|terms| {
                terms.node_selector_terms.iter().any(|term| term.matches_labels(&node.labels, None))
            })
        };
        if !self.bound.iter().all(|volume| matches(volume)) {
            reasons.push(OTHER_NODES.into());
        }
        if !self.to_provision.iter().all(|class| can_provision(class, node)) {
            reasons.push(NO_VOLUMES.into());
        }
        let status = Status::unresolvable(Plugin::VolumeBinding, "");
        (!reasons.is_empty()).then_some(Status { reasons, ..status })
    }
}

/// Whether a class makes volumes for a node.
///
/// Upstream: `pkg/scheduler/framework/plugins/volumebinding/binder.go volumeBinder.checkVolumeProvisions`,
/// `pkg/apis/core/v1/helper/helpers.go MatchTopologySelectorTerms`
fn can_provision(class: &StorageClass, node: &Node) -> bool {
    let matches = |TopologySelectorTerm { match_label_expressions: labels }: &TopologySelectorTerm| {
        let has = |TopologyLabel { key, values }: &TopologyLabel| {
            node.label(key).is_some_and(|label| values.iter().any(|value| value == label))
        };
        !labels.is_empty() && labels.iter().all(has)
    };
    let makes_volumes = !["", NO_PROVISIONER].contains(&class.provisioner.as_str());
    makes_volumes && (class.topologies.is_empty() || class.topologies.iter().any(matches))
}
