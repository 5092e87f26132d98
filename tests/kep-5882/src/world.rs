//! A Deployment and its ReplicaSets as plain numbers: everything that the KEP's text and today's code depend on.

use core::fmt;

use crate::settlement::{Settlement, Settlements};

/// A number of pods, or a percentage of `spec.replicas`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// A number of pods.
    Pods(i32),
    /// A percentage.
    Percent(i32),
}

/// `spec.strategy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// RollingUpdate.
    RollingUpdate {
        /// `maxSurge`.
        surge: Amount,
        /// `maxUnavailable`.
        unavailable: Amount,
    },
    /// Recreate.
    Recreate,
}

/// `spec.podReplacementPolicy`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// The field is not set.
    Nil,
    /// TerminationStarted.
    Started,
    /// TerminationComplete.
    Complete,
}

/// The annotations that scaling leaves on a ReplicaSet, as text, because users can write anything there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScalingAnnotations {
    /// `desired-replicas`.
    pub desired: Option<String>,
    /// `max-replicas`.
    pub max: Option<String>,
    /// `replicaset-replicas-before-scale`.
    pub before: Option<String>,
}

/// The feature gates of one component (API server or controller manager).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates {
    /// DeploymentReplicaSetTerminatingReplicas.
    pub terminating_replicas: bool,
    /// DeploymentPodReplacementPolicy.
    pub pod_replacement_policy: bool,
}

impl Gates {
    /// True if the policy can be used.
    ///
    /// KEP: "Enable DeploymentPodReplacementPolicy and DeploymentReplicaSetTerminatingReplicas to be able to use this
    /// field."
    pub fn allow_policy(self) -> bool {
        self.terminating_replicas && self.pod_replacement_policy
    }
}

/// The pods of a ReplicaSet as the pod lister sees them. Pods in the phase Succeeded or Failed are not among them.
///
/// KEP: "Terminating pods are running pods with a deletionTimestamp."
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pods {
    /// Pods without a deletionTimestamp.
    pub running: i64,
    /// Pods with a deletionTimestamp.
    pub terminating: i64,
}

/// A ReplicaSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplicaSet {
    /// Its name.
    pub name: String,
    /// When it was created, in seconds.
    pub created: i64,
    /// Its revision; 0 if it has none. Unreadable revisions are left out: with them, today's order of the cleanup is
    /// inconsistent, and the result depends on Go's sort.
    pub revision: i64,
    /// `spec.replicas`.
    pub replicas: i64,
    /// `status.replicas`: pods that are not terminating.
    pub status_replicas: i64,
    /// `status.readyReplicas`.
    pub ready: i64,
    /// `status.availableReplicas`.
    pub available: i64,
    /// `status.terminatingReplicas`.
    pub terminating: Option<i64>,
    /// `metadata.generation`.
    pub generation: i64,
    /// `status.observedGeneration`.
    pub observed_generation: i64,
    /// True if it has a deletionTimestamp.
    pub being_deleted: bool,
    /// Its pods.
    pub pods: Pods,
    /// The annotations that scaling uses.
    pub annotations: ScalingAnnotations,
}

impl ReplicaSet {
    /// Today: `FilterActiveReplicaSets` (controller_utils.go), "replica sets that have (or at least ought to have)
    /// pods".
    pub fn is_active(&self) -> bool {
        self.replicas > 0
    }
}

/// The status of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionStatus {
    /// True.
    True,
    /// False.
    False,
    /// Unknown.
    Unknown,
}

/// The reasons of the Progressing condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// NewReplicaSetCreated.
    NewReplicaSetCreated,
    /// FoundNewReplicaSet.
    FoundNewReplicaSet,
    /// ReplicaSetUpdated.
    ReplicaSetUpdated,
    /// NewReplicaSetAvailable, which the KEP calls by the name of its Go constant, NewRSAvailable.
    NewReplicaSetAvailable,
    /// ProgressDeadlineExceeded.
    ProgressDeadlineExceeded,
    /// ReplicaSetCreateError.
    ReplicaSetCreateError,
    /// DeploymentPaused.
    DeploymentPaused,
    /// DeploymentResumed.
    DeploymentResumed,
}

/// The Progressing condition. Times are seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Its status.
    pub status: ConditionStatus,
    /// Its reason.
    pub reason: Reason,
    /// `lastUpdateTime`: the progress deadline counts from here.
    pub last_update: i64,
    /// `lastTransitionTime`.
    pub last_transition: i64,
}

/// The status of a Deployment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// `observedGeneration`.
    pub observed_generation: i64,
    /// `replicas`.
    pub replicas: i64,
    /// `updatedReplicas`.
    pub updated: i64,
    /// `readyReplicas`.
    pub ready: i64,
    /// `availableReplicas`.
    pub available: i64,
    /// `unavailableReplicas`.
    pub unavailable: i64,
    /// `terminatingReplicas`.
    pub terminating: Option<i64>,
    /// The Progressing condition.
    pub progressing: Option<Condition>,
}

/// A Deployment with everything that decides about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// `spec.replicas` of the Deployment.
    pub replicas: i64,
    /// Its strategy.
    pub strategy: Strategy,
    /// `spec.podReplacementPolicy`.
    pub policy: Policy,
    /// The gates of the controller manager.
    pub gates: Gates,
    /// `spec.paused`.
    pub paused: bool,
    /// `spec.progressDeadlineSeconds`.
    pub progress_deadline_seconds: Option<i64>,
    /// `spec.revisionHistoryLimit`.
    pub revision_history_limit: Option<i64>,
    /// `metadata.generation`.
    pub generation: i64,
    /// The stored status.
    pub status: Status,
    /// Its ReplicaSets.
    pub sets: Vec<ReplicaSet>,
    /// The index of the ReplicaSet with the Deployment's template.
    pub new: Option<usize>,
    /// The time, in whole seconds as conditions have it.
    pub now: i64,
    /// The nanoseconds since then.
    pub nanoseconds: i64,
    /// The settlements that replace the reading of the text.
    pub settlements: Settlements,
}

impl World {
    /// The policy in force: Nil if the policy can't be used.
    ///
    /// KEP: "The current behavior remains unchanged when the DeploymentReplicaSetTerminatingReplicas and
    /// DeploymentPodReplacementPolicy feature gate is disabled or PodReplacementPolicy is nil."
    pub fn policy_in_force(&self) -> Policy {
        if self.gates.allow_policy() { self.policy } else { Policy::Nil }
    }

    /// True under TerminationComplete.
    pub fn counts_terminating(&self) -> bool {
        self.policy_in_force() == Policy::Complete
    }

    /// True if the strategy is RollingUpdate.
    pub fn is_rolling(&self) -> bool {
        matches!(self.strategy, Strategy::RollingUpdate { .. })
    }

    /// The new ReplicaSet.
    pub fn new_set(&self) -> Option<&ReplicaSet> {
        self.new.map(|index| &self.sets[index])
    }

    /// A newly created ReplicaSet with this name, before it gets a size.
    pub fn created_set(&self, name: &str) -> ReplicaSet {
        let latest = self.sets.iter().map(|set| set.revision).max().unwrap_or(0);
        ReplicaSet {
            name: name.to_owned(),
            created: self.now,
            revision: latest + 1,
            replicas: 0,
            status_replicas: 0,
            ready: 0,
            available: 0,
            terminating: None,
            generation: 1,
            observed_generation: 0,
            being_deleted: false,
            pods: Pods::default(),
            annotations: ScalingAnnotations::default(),
        }
    }

    /// True if a settlement decides, and not the reading of the text.
    pub fn is_settled(&self, settlement: Settlement) -> bool {
        self.settlements.contain(settlement)
    }

    /// The positions of the old ReplicaSets.
    pub fn old(&self) -> Vec<usize> {
        (0..self.sets.len()).filter(|index| Some(*index) != self.new).collect()
    }
}

/// A ReplicaSet that the controller has seen doesn't say how many of its pods are terminating, so no room can be
/// computed. The sync fails, nothing is scaled, and the controller tries again.
///
/// The KEP is silent. The comment on upstream's `GetTerminatingReplicaCountForReplicaSets` says: "or returns an error
/// if any replica sets have been synced by the controller but do not report their terminating count."
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCount;

/// The ReplicaSets after a decision, in the world's order. A new one is the last.
pub type Outcome = Result<Vec<ReplicaSet>, UnknownCount>;

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { replicas, strategy, policy, gates, paused, status, sets, new, now, nanoseconds, .. } = self;
        let Gates { terminating_replicas, pod_replacement_policy } = gates;
        writeln!(
            f,
            "replicas {replicas}, {strategy:?}, policy {policy:?}, paused {paused}, time {now}.{nanoseconds:09}"
        )?;
        writeln!(f, "gates: terminating replicas {terminating_replicas}, policy {pod_replacement_policy}")?;
        let (deadline, history) = (self.progress_deadline_seconds, self.revision_history_limit);
        writeln!(f, "progress deadline {deadline:?}, history limit {history:?}, generation {}", self.generation)?;
        writeln!(f, "{status:?}\nnew {new:?}")?;
        for set in sets {
            writeln!(f, "  {set:?}")?;
        }
        Ok(())
    }
}
