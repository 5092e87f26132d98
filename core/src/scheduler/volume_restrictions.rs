//! Disks that one node, and claims that one pod may use.

use alloc::format;
use alloc::vec::Vec;

use super::node_info::NodeInfo;
use super::pod_shape::PodShape;
use super::snapshot::Snapshot;
use super::status::{Plugin, Status};
use super::volume::PodVolume;

/// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go ErrReasonReadWriteOncePodConflict`
pub(crate) const CLAIM_IN_USE: &str =
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod";

/// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go ErrReasonDiskConflict`
pub(crate) const DISK_IN_USE: &str = "node(s) had no available disk";

/// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go preFilterState`
#[derive(Clone, Debug)]
pub(super) struct RestrictionState<'a> {
    /// The pod's claims that only one pod may use.
    claims: Vec<&'a str>,
    /// How many other pods use them.
    users: i64,
    has_disks: bool,
}

impl<'a> RestrictionState<'a> {
    /// None where nothing is restricted.
    ///
    /// # Errors
    /// A claim that there is not.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go VolumeRestrictions.PreFilter`
    pub(super) fn new(snapshot: &Snapshot, shape: &'a PodShape) -> Result<Option<Self>, Status> {
        let has_disks = shape.volumes.iter().any(|volume| matches!(volume, PodVolume::Disk(_)));
        let mut claims: Vec<&str> = Vec::new();
        for name in shape.volumes.iter().filter_map(PodVolume::claim) {
            match snapshot.surroundings.claim(&shape.namespace, name) {
                Some(claim) if claim.is_for_one_pod && !claims.contains(&name) => claims.push(name),
                None if snapshot.surroundings.is_complete => {
                    let reason = format!("persistentvolumeclaim \"{name}\" not found");
                    return Err(Status::unresolvable(Plugin::VolumeRestrictions, reason));
                }
                _ => {}
            }
        }
        let is_used = |claim: &&&str| {
            let uses = |other: &PodShape| {
                other.namespace == shape.namespace
                    && other.volumes.iter().filter_map(PodVolume::claim).any(|its| its == **claim)
            };
            snapshot.in_order().any(|(_, info)| info.groups.iter().any(|group| uses(&group.shape)))
        };
        let users = i64::try_from(claims.iter().filter(is_used).count()).unwrap_or(i64::MAX);
        Ok((has_disks || users > 0).then_some(Self { claims, users, has_disks }))
    }

    /// Counts a pod of a node, or counts it no more.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go preFilterState.updateWithPod`
    pub(super) fn update_with_pod(&mut self, other: &PodShape, by: i64) {
        let claims = other.volumes.iter().filter_map(PodVolume::claim);
        let conflicts = claims.filter(|claim| self.claims.contains(claim)).count();
        let conflicts = i64::try_from(conflicts).unwrap_or(i64::MAX);
        self.users = self.users.saturating_add(conflicts.saturating_mul(by));
    }

    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go VolumeRestrictions.Filter`
    pub(super) fn filter(&self, shape: &PodShape, info: &NodeInfo) -> Option<Status> {
        let disks = |shape: &PodShape| -> Vec<_> {
            let disk = |volume: &PodVolume| match volume {
                PodVolume::Disk(disk) => Some(disk.clone()),
                _ => None,
            };
            shape.volumes.iter().filter_map(disk).collect()
        };
        if self.has_disks {
            let own = disks(shape);
            let clashes = |other: &PodShape| disks(other).iter().any(|its| own.iter().any(|own| own.clashes_with(its)));
            if info.groups.iter().any(|group| clashes(&group.shape)) {
                return Some(Status::unschedulable(Plugin::VolumeRestrictions, DISK_IN_USE));
            }
        }
        (self.users > 0).then(|| Status::unschedulable(Plugin::VolumeRestrictions, CLAIM_IN_USE))
    }
}
