//! The versions of the ReplicaSets: each different one once.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::replica_sets::Side;
use crate::feature_gates::FeatureGates;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{complete_rule, is_rolling_update};
use crate::workload::replica_set::{ReplicaSet, ReplicaSetStatus};

/// The uids of the two ReplicaSets.
pub(super) const OLD_UID: &str = "old";
pub(super) const NEW_UID: &str = "new";

/// A version of a ReplicaSet, or that there is none yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct VersionId(u16);

impl VersionId {
    /// The cache does not show the ReplicaSet yet, or there is none.
    pub(super) const ABSENT: Self = Self(0);
}

/// What the Deployment controller reads of a ReplicaSet's status. The rest is left out of the versions: a write that only
/// changes the rest changes no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// Only how many pods are available: a rolling update in today's releases.
    Available,
    /// All counts: Recreate waits until they are 0, and TerminationComplete counts terminating pods.
    AllCounts,
}

impl Reads {
    pub(super) fn of(deployment: &Deployment, gates: FeatureGates) -> Self {
        if is_rolling_update(deployment) && !complete_rule(deployment, gates) {
            Self::Available
        } else {
            Self::AllCounts
        }
    }
}

/// All versions that were met.
pub(super) struct Versions {
    reads: Reads,
    list: Vec<Rc<ReplicaSet>>,
}

impl Versions {
    pub(super) const fn new(reads: Reads) -> Self {
        Self { reads, list: Vec::new() }
    }

    pub(super) fn get(&self, id: VersionId) -> Option<&Rc<ReplicaSet>> {
        self.list.get(usize::from(id.0.checked_sub(1)?))
    }

    /// The version with this content; `None` if there are too many.
    pub(super) fn id_of(&mut self, replica_set: &ReplicaSet) -> Option<VersionId> {
        let content = self.content(replica_set);
        let is_same = |known: &Rc<ReplicaSet>| {
            known.spec.replicas == content.spec.replicas
                && known.status == content.status
                && known.metadata == content.metadata
                && known.spec == content.spec
        };
        let index = self.list.iter().position(is_same).unwrap_or_else(|| {
            self.list.push(Rc::new(content));
            self.list.len().saturating_sub(1)
        });
        u16::try_from(index.saturating_add(1)).ok().map(VersionId)
    }

    /// The version that a status leads to.
    pub(super) fn with_status(&mut self, id: VersionId, status: &ReplicaSetStatus) -> Option<VersionId> {
        let replica_set = ReplicaSet { status: status.clone(), ..(**self.get(id)?).clone() };
        self.id_of(&replica_set)
    }

    /// A ReplicaSet without what no decision about pods depends on.
    fn content(&self, replica_set: &ReplicaSet) -> ReplicaSet {
        let mut content = replica_set.clone();
        let metadata = Rc::make_mut(&mut content.metadata);
        metadata.generation = 1;
        metadata.resource_version = "".into();
        let status = &content.status;
        content.status = match self.reads {
            Reads::Available => ReplicaSetStatus {
                available_replicas: status.available_replicas,
                terminating_replicas: Some(0),
                ..ReplicaSetStatus::default()
            },
            Reads::AllCounts => ReplicaSetStatus { conditions: Rc::default(), ..status.clone() },
        };
        content.status.observed_generation = 1;
        content
    }
}

/// Which ReplicaSet this is.
pub(super) fn side_of(replica_set: &ReplicaSet) -> Side {
    if &*replica_set.metadata.uid == OLD_UID { Side::Old } else { Side::New }
}
