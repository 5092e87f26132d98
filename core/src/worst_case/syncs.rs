//! The syncs of the controllers that may come next, from each version that their caches may show.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::TooLarge;
use super::caches::{History, Reader};
use super::controllers::{Controllers, DeploymentView, Placement, PodWrites, ReplicaSetView};
use super::pods::StageCounts;
use super::replica_sets::{Pair, Side};
use super::step::{OrderStep, SizeChange};
use super::versions::VersionId;
use crate::feature_gates::{Feature, FeatureGates};

/// What a sync changes.
pub(super) struct Synced {
    pub(super) step: OrderStep,
    /// What is stored after it, and what caches may show of that.
    pub(super) sets: Pair<History>,
    /// The pods that it creates and deletes, and whose.
    pub(super) pods: Option<(Side, Rc<PodWrites>)>,
}

/// The controllers, whose caches may be this many versions behind.
pub(super) struct Syncs {
    pub(super) controllers: Controllers,
    lag: u8,
    /// Whether the ReplicaSet controller waits until its cache shows its own writes.
    is_consistent: bool,
}

impl Syncs {
    pub(super) const fn new(controllers: Controllers, gates: FeatureGates, lag: u8) -> Self {
        let is_consistent = gates.enabled(Feature::StaleControllerConsistencyReplicaSet);
        Self { controllers, lag, is_consistent }
    }

    /// How many pods a ReplicaSet wants.
    pub(super) fn size(&self, sets: &Pair<History>, side: Side) -> i32 {
        let version = self.controllers.version(sets.get(side).current());
        version.map_or(0, |replica_set| replica_set.spec.replicas)
    }

    /// All syncs that change something.
    pub(super) fn next(&mut self, sets: Pair<History>, pods: Pair<StageCounts>) -> Result<Vec<Synced>, TooLarge> {
        let mut next = Vec::new();
        for side in Side::BOTH {
            self.sync_replica_set(sets, *pods.get(side), side, &mut next)?;
        }
        self.sync_deployment(sets, pods, &mut next)?;
        Ok(next)
    }

    /// The ReplicaSet controller syncs, from each version that its cache may show.
    fn sync_replica_set(
        &mut self,
        sets: Pair<History>,
        pods: StageCounts,
        of: Side,
        next: &mut Vec<Synced>,
    ) -> Result<(), TooLarge> {
        let has_choice = pods.ready > 0 && pods.available > 1;
        let placements = [Some(Placement::Apart), has_choice.then_some(Placement::AvailableTogether)];
        for (behind, seen) in sets.get(of).visible(Reader::ReplicaSet) {
            if seen == VersionId::ABSENT {
                continue;
            }
            for placement in placements.into_iter().flatten() {
                let writes = self.controllers.sync_replica_set(ReplicaSetView { seen, pods, placement });
                let writes = writes.ok_or(TooLarge)?;
                let mut after = sets;
                let set = after.get_mut(of);
                set.saw(Reader::ReplicaSet, behind);
                let mut is_new_status = false;
                if let Some(status) = &writes.status {
                    let current = set.current();
                    let version = self.controllers.with_status(current, status).ok_or(TooLarge)?;
                    is_new_status = version != current;
                    if is_new_status {
                        set.push(version, self.lag);
                        if self.is_consistent {
                            set.saw(Reader::ReplicaSet, 0);
                        }
                    }
                }
                let deleted = writes.deleted;
                let deleted = deleted.starting.saturating_add(deleted.ready).saturating_add(deleted.available);
                let created = writes.created;
                if !is_new_status && created == 0 && deleted == 0 {
                    continue;
                }
                set.trim();
                let step = OrderStep::SyncReplicaSet { of, behind, created, deleted };
                next.push(Synced { step, sets: after, pods: Some((of, writes)) });
            }
        }
        Ok(())
    }

    /// The Deployment controller syncs, from each pair of versions that its cache may show.
    fn sync_deployment(
        &mut self,
        sets: Pair<History>,
        pods: Pair<StageCounts>,
        next: &mut Vec<Synced>,
    ) -> Result<(), TooLarge> {
        let current = Pair { old: sets.old.current(), new: sets.new.current() };
        let running = Pair { old: pods.old.all(), new: pods.new.all() };
        for (old_behind, old) in sets.old.visible(Reader::Deployment) {
            for (new_behind, new) in sets.new.visible(Reader::Deployment) {
                let is_current = Pair { old: old_behind == 0, new: new_behind == 0 };
                let view = DeploymentView { seen: Pair { old, new }, current, is_current, running };
                let written = self.controllers.sync_deployment(view).ok_or(TooLarge)?;
                if written.is_empty() {
                    continue;
                }
                let mut after = sets;
                after.old.saw(Reader::Deployment, old_behind);
                after.new.saw(Reader::Deployment, new_behind);
                let mut resized = Vec::new();
                for (side, version) in written.iter() {
                    let set = after.get_mut(*side);
                    let size = |id| self.controllers.version(id).map(|replica_set| replica_set.spec.replicas);
                    resized.push(SizeChange { of: *side, from: size(set.current()), to: size(*version).unwrap_or(0) });
                    set.push(*version, self.lag);
                }
                after.old.trim();
                after.new.trim();
                let behind = Pair { old: old_behind, new: new_behind };
                next.push(Synced { step: OrderStep::SyncDeployment { behind, resized }, sets: after, pods: None });
            }
        }
        Ok(())
    }
}
