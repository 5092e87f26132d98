//! Volumes that are in a zone.

use alloc::format;
use alloc::vec::Vec;

use super::node::Node;
use super::node::{REGION, ZONE};
use super::pod_shape::PodShape;
use super::snapshot::Snapshot;
use super::status::{Plugin, Status};
use super::volume::PodVolume;

/// Upstream: `pkg/scheduler/framework/plugins/volumezone/volume_zone.go ErrReasonConflict`
pub(crate) const OTHER_ZONE: &str = "node(s) had no available volume zone";

/// Upstream: `pkg/scheduler/framework/plugins/volumezone/volume_zone.go topologyLabels` and `translateToGALabel`, the old name of
/// each with the one that replaces it
const LABELS: [(&str, &str); 4] = [
    ("failure-domain.beta.kubernetes.io/zone", ZONE),
    ("failure-domain.beta.kubernetes.io/region", REGION),
    (ZONE, ZONE),
    (REGION, REGION),
];

/// What separates the zones of a volume that has several.
const DELIMITER: &str = "__";

/// The zones and regions of a pod's volumes: for each label, which values it may have.
///
/// Upstream: `pkg/scheduler/framework/plugins/volumezone/volume_zone.go stateData`
#[derive(Clone, Debug, Default)]
pub(super) struct ZoneState<'a> {
    topologies: Vec<(&'static str, &'static str, Vec<&'a str>)>,
}

impl<'a> ZoneState<'a> {
    /// # Errors
    /// A volume that there is not.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumezone/volume_zone.go VolumeZone.getPVbyPod` and `VolumeZone.getPVTopologies`
    pub(super) fn new(snapshot: &'a Snapshot, shape: &PodShape) -> Result<Self, Status> {
        let surroundings = &snapshot.surroundings;
        let mut state = Self::default();
        for name in shape.volumes.iter().filter_map(PodVolume::claim) {
            let Some(claim) = surroundings.claim(&shape.namespace, name) else { continue };
            if claim.volume.is_empty() {
                continue;
            }
            let Some(volume) = surroundings.volumes.iter().find(|volume| volume.name == claim.volume) else {
                if surroundings.is_complete {
                    let reason = format!("persistentvolume \"{}\" not found", claim.volume);
                    return Err(Status::unresolvable(Plugin::VolumeZone, reason));
                }
                continue;
            };
            for (label, stable) in LABELS {
                let Some(value) = volume.labels.get(label) else { continue };
                let values: Vec<&str> = value.split(DELIMITER).map(str::trim).collect();
                // A label that can't be read is ignored.
                if values.iter().all(|value| !value.is_empty()) {
                    state.topologies.push((label, stable, values));
                }
            }
        }
        Ok(state)
    }

    /// Upstream: `pkg/scheduler/framework/plugins/volumezone/volume_zone.go VolumeZone.Filter`
    pub(super) fn filter(&self, node: &Node) -> Option<Status> {
        if self.topologies.is_empty() || LABELS.iter().all(|(label, _)| node.label(label).is_none()) {
            return None;
        }
        let is_there = |(label, stable, values): &(&str, &str, Vec<&str>)| {
            node.label(label).or_else(|| node.label(stable)).is_some_and(|value| values.contains(&value))
        };
        let fits = self.topologies.iter().all(is_there);
        (!fits).then(|| Status::unresolvable(Plugin::VolumeZone, OTHER_ZONE))
    }
}
