//! The questions about the KEP's text that Changeover answers differently from the second reading. `docs/kep-5882.md`
//! explains how each is settled.
//!
//! The list is complete: with all settlements in force, the second reading and the core make the same decisions in
//! every world, and a test shows for each settlement that they differ without it.

/// A question that is settled differently from this reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settlement {
    /// KEP: "At T2, a ful scale was done for RS1", which still gets leftover pods at T3 and T4.
    ///
    /// Reading: a ReplicaSet is fully scaled once it has its proportion. Settled: once it has its proportion and its
    /// leftover pods. The rule has one case instead of two, and it is what the author's tests expect.
    LeftoverCountsAsOwed,
    /// KEP: "TerminationStarted: Current behaviour", and the same for a nil policy.
    ///
    /// Reading: the annotation has no effect under them, and a write removes it. Settled: the size in the annotation is
    /// the base of the next scaling under every policy; then the annotation is removed, even if the size stays. A
    /// partial scaling that ends under another policy reaches the sizes it was meant for (table 2: 71/35/24 and not
    /// 70/35/25).
    AnnotationCountsUnderEveryPolicy,
    /// KEP: "This annotation will be removed once the partial scaling is complete."
    ///
    /// Reading: only that annotation ends a scaling whose size is there already. Settled: `desired-replicas` is written
    /// too under TerminationComplete. With today's code alone the Deployment has a scaling event forever: 8 of 10 new pods
    /// wait for terminating ones, and the Deployment is scaled to 8.
    ReachedSizeEndsScaling,
    /// KEP: the annotation "will be added to the Deployment's ReplicaSets that are being partially scaled".
    ///
    /// Reading: this includes an only ReplicaSet of size 0 when there is no room for a single pod. Settled: an inactive
    /// ReplicaSet stays as it is, because its annotation would not make a scaling event.
    InactiveReplicaSetIsNotAnnotated,
    /// KEP: "This annotation will be removed once the partial scaling is complete."
    ///
    /// Reading: a Recreate Deployment with several active ReplicaSets is not scaled, as today, so the annotation stays
    /// and the scaling never ends. Settled: without proportions nothing is owed, so the scaling is complete.
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
    /// The same sentence, for a paused Deployment.
    ///
    /// Reading: the time changes. Settled: the condition stays, since there is no running deadline to reset.
    PausedDeploymentHasNoDeadline,
    /// The KEP does not mention the cleanup of old ReplicaSets, but says "we should consider terminating pods of all
    /// ReplicaSets".
    ///
    /// Reading: as today. Settled: while the gates are on, an old ReplicaSet with terminating pods, or with an unknown
    /// number of them, stays: once it is deleted, its pods are no longer counted.
    CleanUpWaitsForTerminatingPods,
}

impl Settlement {
    /// All settlements.
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
    /// All: the core's decisions.
    All,
    /// All but one, to show what that one changes.
    AllBut(Settlement),
}

impl Settlements {
    /// True if this settlement is in force.
    pub fn contain(self, settlement: Settlement) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::AllBut(left_out) => left_out != settlement,
        }
    }
}
