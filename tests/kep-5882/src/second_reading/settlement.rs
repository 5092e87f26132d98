//! The places where Changeover does not decide as the second reading does: each is a question about the KEP's text, and
//! `docs/kep-5882.md` says how it is settled.
//!
//! The list is complete: with all settlements in force the reading and the core decide alike in every world, and a test
//! shows for each settlement that they differ without it.

/// A question of the text that is settled differently from this reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// KEP: "At T2, a ful scale was done for RS1", which still gets leftover pods at T3 and T4.
    ///
    /// Reading: a ReplicaSet is fully scaled once it has its proportion. Settled: once it has its proportion and its
    /// leftover pods. The rule has one case instead of two, and it is what the author's tests expect.
    LeftoverCountsAsOwed,
    /// KEP: "TerminationStarted: Current behaviour", and the same for a nil policy.
    ///
    /// Reading: the annotation means nothing to them, and a write removes it. Settled: the size that it notes is the
    /// base of the next scaling under every policy, and then it goes, also if the size stays. A partial scaling that ends
    /// under another policy ends in the sizes that it was for (table 2: 71/35/24 and not 70/35/25).
    AnnotationCountsUnderEveryPolicy,
    /// KEP: "This annotation will be removed once the partial scaling is complete."
    ///
    /// Reading: only that annotation ends a scaling whose size is there already. Settled: `desired-replicas` is written
    /// too under TerminationComplete. With today's code alone the Deployment has a scaling event forever: 8 of 10 new pods
    /// wait for terminating ones, and the Deployment is scaled to 8.
    ReachedSizeEndsScaling,
    /// KEP: the annotation "will be added to the Deployment's ReplicaSets that are being partially scaled".
    ///
    /// Reading: also to the only ReplicaSet, of size 0, if there is no room for a single pod. Settled: an inactive
    /// ReplicaSet stays as it is. Its annotation would make no scaling event.
    InactiveReplicaSetIsNotAnnotated,
    /// KEP: "This annotation will be removed once the partial scaling is complete."
    ///
    /// Reading: a Recreate Deployment with several active ReplicaSets is not scaled, as today, so the annotation stays
    /// and nothing goes on. Settled: without proportions nothing is owed, so the scaling is complete.
    RecreateEndsPartialScaling,
    /// KEP: "Terminated (TerminationComplete): Current behaviour" of a Recreate rollout, but "The total number of the
    /// Deployment Pods is limited by the Deployment's .spec.replicas and the DeploymentStrategy".
    ///
    /// Reading: the first sentence, so the new ReplicaSet grows past its own terminating pods. Settled: the second
    /// sentence limits it, and an unknown count of its own is an error.
    RecreateCountsNewTerminatingPods,
    /// KEP: "Wait until all the pods are at least terminating", of a Recreate rollout under TerminationStarted.
    ///
    /// Reading: until no pod without a deletionTimestamp is left. Settled: until `status.replicas` is 0, which counts
    /// exactly these pods; the pods themselves are not listed.
    StartedWaitsForReplicaCount,
    /// KEP: "update the LastUpdateTime of the DeploymentProgressing condition when the number of terminating pods
    /// decreases to reset the progress deadline".
    ///
    /// Reading: while scaling, only that time changes. Settled: it is progress as in a rollout, so a deadline that has
    /// passed is taken back as well.
    ScalingProgressIsRolloutProgress,
    /// The same sentence, of a paused Deployment.
    ///
    /// Reading: the time changes. Settled: the condition stays, since no deadline runs that could be reset.
    PausedDeploymentHasNoDeadline,
    /// The KEP has no word about the clean-up of old ReplicaSets, but "we should consider terminating pods of all
    /// ReplicaSets".
    ///
    /// Reading: as today. Settled: while the gates are on, an old ReplicaSet with terminating pods, or with an unknown
    /// number of them, stays: once it is deleted, nobody counts its pods.
    CleanUpWaitsForTerminatingPods,
}

impl Settlement {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::LeftoverCountsAsOwed,
        Self::AnnotationCountsUnderEveryPolicy,
        Self::ReachedSizeEndsScaling,
        Self::InactiveReplicaSetIsNotAnnotated,
        Self::RecreateEndsPartialScaling,
        Self::RecreateCountsNewTerminatingPods,
        Self::StartedWaitsForReplicaCount,
        Self::ScalingProgressIsRolloutProgress,
        Self::PausedDeploymentHasNoDeadline,
        Self::CleanUpWaitsForTerminatingPods,
    ];
}

/// The settlements that are in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlements {
    /// None: the reading of the text alone.
    None,
    /// All: what Changeover does.
    All,
    /// All but one, which shows what that one changes.
    AllBut(Settlement),
}

impl Settlements {
    /// True if this one is in force.
    pub fn contain(self, settlement: Settlement) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::AllBut(left_out) => left_out != settlement,
        }
    }
}
