//! What the Deployment controller decides: values with the numbers that were used, for the write and for its explanation.

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::mem::discriminant;

/// A decision of the Deployment controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Adopts a ReplicaSet that has no controller and whose labels match.
    Adopt {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// The Deployment's name.
        deployment: Rc<str>,
    },
    /// Releases a ReplicaSet whose labels no longer match.
    Release {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// The Deployment's name.
        deployment: Rc<str>,
    },
    /// Does nothing: the selector is empty.
    SelectingAll {
        /// The Deployment's name.
        deployment: Rc<str>,
    },
    /// Fails: the selector can't be read.
    SelectorUnreadable {
        /// The Deployment's name.
        deployment: Rc<str>,
    },
    /// Fails: there is no such strategy.
    StrategyUnknown {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// spec.strategy.type
        strategy: Rc<str>,
    },
    /// Fails: a count of terminating pods is needed and unknown.
    TerminatingUnknown {
        /// The ReplicaSet that does not report it.
        replica_set: Rc<str>,
    },
    /// Fails: maxSurge is neither a number nor a percentage.
    SurgeUnreadable {
        /// The Deployment's name.
        deployment: Rc<str>,
    },
    /// Creates the ReplicaSet of a new pod template.
    Create {
        /// The new ReplicaSet's name.
        replica_set: Rc<str>,
        /// Its size.
        size: NewSize,
    },
    /// Tries another hash: an object of the new ReplicaSet's name exists.
    Collision {
        /// The name that is taken.
        replica_set: Rc<str>,
        /// The new status.collisionCount.
        count: i32,
    },
    /// Reports that the new ReplicaSet could not be created.
    CreateFailed {
        /// Its name.
        replica_set: Rc<str>,
    },
    /// Reports that the new ReplicaSet was created, which starts the progress deadline.
    Created {
        /// The Deployment and the ReplicaSet.
        new: Box<NewRevision>,
        /// spec.progressDeadlineSeconds
        deadline: i32,
    },
    /// Reports that a ReplicaSet of the template was found, which starts the progress deadline.
    Found {
        /// The Deployment and the ReplicaSet.
        new: Box<NewRevision>,
        /// spec.progressDeadlineSeconds
        deadline: i32,
    },
    /// Takes over the revision of the new ReplicaSet.
    TakeOverRevision(Box<NewRevision>),
    /// Brings the new ReplicaSet's revision, minReadySeconds and annotations up to date.
    SyncNew(Box<SyncNew>),
    /// Sets a ReplicaSet's size, or keeps it.
    Resize(Resize),
    /// Takes no pod from the old ReplicaSets.
    KeepOld {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// Sum of spec.replicas of all ReplicaSets.
        wanted: i32,
        /// spec.replicas − maxUnavailable
        min_available: i32,
        /// Pods of the new ReplicaSet that are not available.
        unavailable: i32,
        /// How many pods may go: wanted − minimum available − unavailable, which is not above 0.
        max_scaled_down: i32,
    },
    /// Takes no pod from the old ReplicaSets: one still counts more available pods than its size.
    OldSurplus {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// Its spec.replicas.
        size: i32,
        /// Its status.availableReplicas.
        available: i32,
    },
    /// Recreate: creates nothing while old pods are there.
    WaitForOldPods {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// Which pods it waits for.
        pods: OldPods,
    },
    /// Does nothing: the only ReplicaSet has its size, but its annotation notes another desired number.
    ScaleStuck {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// spec.replicas of the Deployment.
        desired: i32,
        /// The annotation desired-replicas.
        noted: i32,
    },
    /// Scales none of several active ReplicaSets: the strategy is Recreate.
    ScaleNone {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// spec.replicas of the Deployment.
        desired: i32,
    },
    /// Deletes an old ReplicaSet beyond the history limit.
    CleanUp {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// Old ReplicaSets that are not being deleted.
        old: i32,
        /// spec.revisionHistoryLimit
        limit: i32,
        /// How many are too many: old − limit.
        surplus: i32,
    },
    /// Rolls back to the template of an older revision.
    Rollback {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// The ReplicaSet of that revision.
        replica_set: Rc<str>,
        /// The revision.
        revision: i64,
        /// The annotation's number; 0 means the revision before.
        asked: i64,
        /// Whether the template differs from the one that is there.
        differs: bool,
    },
    /// Only removes the annotation: no ReplicaSet has that revision.
    RollbackUnknown {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// The revision.
        revision: i64,
    },
    /// Only removes the annotation: there is no revision before the last one.
    RollbackNone {
        /// The Deployment's name.
        deployment: Rc<str>,
    },
    /// Reports that the Deployment is paused.
    Pause {
        /// The Deployment's name.
        deployment: Rc<str>,
    },
    /// Reports that the Deployment goes on, which restarts the progress deadline.
    Resume {
        /// The Deployment's name.
        deployment: Rc<str>,
        /// spec.progressDeadlineSeconds
        deadline: i32,
    },
    /// Writes a new status.
    Status(Box<StatusUpdate>),
}

impl Decision {
    /// Whether both are about the same question: for a size, also for the same reason.
    pub(crate) fn has_topic_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Resize(one), Self::Resize(other)) => discriminant(&one.because) == discriminant(&other.because),
            _ => discriminant(self) == discriminant(other),
        }
    }

    /// The name of the ReplicaSet or Deployment that it is about.
    pub const fn subject(&self) -> &Rc<str> {
        match self {
            Self::Adopt { replica_set, .. }
            | Self::Release { replica_set, .. }
            | Self::TerminatingUnknown { replica_set }
            | Self::Create { replica_set, .. }
            | Self::Collision { replica_set, .. }
            | Self::CreateFailed { replica_set }
            | Self::Resize(Resize { replica_set, .. })
            | Self::OldSurplus { replica_set, .. }
            | Self::ScaleStuck { replica_set, .. }
            | Self::CleanUp { replica_set, .. } => replica_set,
            Self::SyncNew(sync) => &sync.replica_set,
            Self::Created { new, .. } | Self::Found { new, .. } | Self::TakeOverRevision(new) => &new.deployment,
            Self::SelectingAll { deployment }
            | Self::SelectorUnreadable { deployment }
            | Self::StrategyUnknown { deployment, .. }
            | Self::SurgeUnreadable { deployment }
            | Self::KeepOld { deployment, .. }
            | Self::WaitForOldPods { deployment, .. }
            | Self::ScaleNone { deployment, .. }
            | Self::Rollback { deployment, .. }
            | Self::RollbackUnknown { deployment, .. }
            | Self::RollbackNone { deployment }
            | Self::Pause { deployment }
            | Self::Resume { deployment, .. } => deployment,
            Self::Status(update) => &update.deployment,
        }
    }
}

/// The size of the new ReplicaSet.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go NewRSNewReplicas`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NewSize {
    /// The desired size: Recreate creates all pods at once, and a rolling update counts nothing once it is reached.
    Desired {
        /// spec.replicas of the Deployment.
        desired: i32,
    },
    /// As many pods as the limit leaves room for.
    Limited {
        /// The size.
        replicas: i32,
        /// spec.replicas of the Deployment.
        desired: i32,
        /// desired + maxSurge.
        limit: i32,
        /// The slots that are taken.
        taken: Taken,
        /// limit − taken; none if nothing is left.
        room: Option<i32>,
    },
}

impl NewSize {
    /// The size.
    pub const fn replicas(self) -> i32 {
        match self {
            Self::Desired { desired } => desired,
            Self::Limited { replicas, .. } => replicas,
        }
    }
}

/// Slots of the limit that are taken.
///
/// Source: KEP-5882, Deployment Behavior Changes
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The sum of spec.replicas of all ReplicaSets: terminating pods do not count.
    Wanted(i32),
    /// The complete rule: terminating pods count.
    Held(Held),
    /// The complete rule for Recreate: only the new ReplicaSet's own pods count.
    HeldByNew(Held),
}

impl Taken {
    /// How many.
    pub const fn slots(self) -> i32 {
        match self {
            Self::Wanted(wanted) => wanted,
            Self::Held(held) | Self::HeldByNew(held) => held.taken,
        }
    }
}

/// Slots taken under the complete rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// max(spec.replicas, status.replicas) of each ReplicaSet.
    pub held: i32,
    /// Sum of status.terminatingReplicas.
    pub terminating: i32,
    /// Both together.
    pub taken: i32,
}

/// A Deployment and its new ReplicaSet's revision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRevision {
    /// The Deployment's name.
    pub deployment: Rc<str>,
    /// The new ReplicaSet's name.
    pub replica_set: Rc<str>,
    /// Its revision, as its annotation has it.
    pub revision: Rc<str>,
}

/// What changes in the new ReplicaSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyncNew {
    /// The Deployment's name.
    pub deployment: Rc<str>,
    /// The new ReplicaSet's name.
    pub replica_set: Rc<str>,
    /// Its revision afterwards.
    pub revision: Option<Rc<str>>,
    /// The highest revision of the others, if it got one above that.
    pub above: Option<i64>,
    /// spec.minReadySeconds before and afterwards.
    pub min_ready_seconds: (i32, i32),
}

/// The size of a ReplicaSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resize {
    /// Its name.
    pub replica_set: Rc<str>,
    /// Its spec.replicas.
    pub from: i32,
    /// The size that it gets.
    pub to: i32,
    /// Why that size.
    pub because: Because,
}

/// Why a ReplicaSet gets its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Because {
    /// RollingUpdate: the new ReplicaSet has more pods than desired.
    NewDown {
        /// spec.replicas of the Deployment.
        desired: i32,
    },
    /// The new ReplicaSet grows as far as the strategy allows.
    NewUp(NewSize),
    /// RollingUpdate: old pods that are not available go first.
    OldUnhealthy {
        /// status.availableReplicas of the ReplicaSet.
        available: i32,
        /// Its other pods.
        unhealthy: i32,
        /// How many pods that are not available may go from all old ReplicaSets.
        max_cleanup: i32,
        /// How many of them this sync has already removed from older ReplicaSets.
        gone: i32,
        /// How many may still go: max cleanup − gone.
        remaining: i32,
    },
    /// RollingUpdate: available old pods go down to the minimum.
    OldDown {
        /// Available pods of all ReplicaSets with pods.
        available: i32,
        /// spec.replicas − maxUnavailable
        min_available: i32,
        /// How many pods may go from all old ReplicaSets: available − minimum available.
        total_scale_down_count: i32,
        /// How many of them this sync has already removed from older ReplicaSets.
        gone: i32,
    },
    /// Recreate: all old pods go.
    RecreateDown,
    /// Scaling: the only ReplicaSet gets the Deployment's size.
    ScaleOnly {
        /// spec.replicas of the Deployment.
        desired: i32,
    },
    /// Scaling under the complete rule: the only ReplicaSet gets what there is room for.
    ScaleOnlyInRoom {
        /// spec.replicas of the Deployment.
        desired: i32,
        /// The room.
        room: Room,
    },
    /// Scaling: the new ReplicaSet is saturated, so the old ones go.
    Saturated {
        /// spec.replicas of the Deployment.
        desired: i32,
    },
    /// Scaling: several ReplicaSets share the pods that are added or removed.
    Proportional(Box<Share>),
    /// The size stays, its annotations are brought up to date.
    Annotations {
        /// spec.replicas of the Deployment.
        desired: i32,
        /// desired + maxSurge
        max: i32,
    },
}

impl Because {
    /// Whether a size that stays is a ReplicaSet that waits for room.
    pub(crate) const fn waits_for_room(&self) -> bool {
        match self {
            Self::NewUp(NewSize::Limited { .. }) | Self::ScaleOnlyInRoom { .. } => true,
            Self::Proportional(share) => share.room.is_some(),
            _ => false,
        }
    }
}

/// The slots that are free for a scaling event under the complete rule.
///
/// Source: KEP-5882, Deployment Scaling Changes and a New Annotation for ReplicaSets
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// desired + maxSurge; 0 if nothing is desired.
    pub limit: i32,
    /// Sum of spec.replicas of all ReplicaSets.
    pub wanted: i32,
    /// Sum of status.terminatingReplicas of all ReplicaSets.
    pub terminating: i32,
    /// Pods above spec.replicas that were not deleted yet.
    pub surplus: i32,
    /// limit − wanted − terminating − surplus, not below 0.
    pub free: i32,
}

/// A ReplicaSet's whole share when a Deployment is scaled in the middle of a rollout.
///
/// Upstream: `pkg/controller/deployment/util/deployment_util.go getReplicaSetFraction`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fraction {
    /// The size that the share is computed from.
    pub base: i32,
    /// The limit that the base belongs to; 0 if unknown.
    pub max_before: i32,
    /// limit ÷ limit before in thousandths; none if the limit before is unknown, or nothing is desired.
    pub ratio: Option<i64>,
    /// The share: round(base × limit ÷ limit before) − size.
    pub pods: i32,
}

/// A ReplicaSet's share when a Deployment is scaled in the middle of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// spec.replicas of the Deployment.
    pub desired: i32,
    /// desired + maxSurge.
    pub max: i32,
    /// The same, but 0 if nothing is desired.
    pub limit: i32,
    /// Sum of spec.replicas of the active ReplicaSets.
    pub wanted: i32,
    /// limit − wanted
    pub to_add: i32,
    /// Its whole share.
    pub fraction: Fraction,
    /// What the ReplicaSets before it left.
    pub left: i32,
    /// The share: the whole share, cut to what is left.
    pub share: i32,
    /// What all shares leave, for the first ReplicaSet; 0 for the others.
    pub leftover: i32,
    /// Its size once the scaling is finished.
    pub full: i32,
    /// The pods that it is owed then: full size − size now.
    pub owed: i32,
    /// Under the complete rule, growing: the room there is now. `left`, `share` and `leftover` are of that room.
    pub room: Option<Room>,
}

/// Old pods that a Recreate rollout waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OldPods {
    /// The old ReplicaSets' statuses count some: the sum of status.replicas.
    Counted(i32),
    /// The same sum with the policy TerminationStarted, which waits for nothing else.
    NotTerminating(i32),
    /// Pods of other ReplicaSets than the new one, terminating ones included, have not ended.
    Running(i32),
}

/// A new status of a Deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusUpdate {
    /// The Deployment's name.
    pub deployment: Rc<str>,
    /// What the status counted before.
    pub before: Counts,
    /// What it counts now.
    pub after: Counts,
    /// What the sync found of the rollout.
    pub rollout: RolloutCheck,
    /// The condition Available, if it changed.
    pub availability: Option<Availability>,
    /// The condition ReplicaFailure, if it changed.
    pub failure: Option<Failure>,
}

/// The counts of a Deployment's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// status.replicas
    pub replicas: i32,
    /// status.updatedReplicas
    pub updated: i32,
    /// status.readyReplicas
    pub ready: i32,
    /// status.availableReplicas
    pub available: i32,
    /// status.terminatingReplicas, if known.
    pub terminating: Option<i32>,
}

/// What a sync found of a rollout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RolloutCheck {
    /// It did not look.
    NotWatched,
    /// The Deployment is being deleted.
    Deleting,
    /// It was complete before.
    Settled,
    /// There is no progress deadline any more.
    DeadlineRemoved,
    /// It runs against its progress deadline.
    Watched {
        /// How it went on.
        progress: Progress,
        /// spec.progressDeadlineSeconds
        deadline: i32,
        /// Whether terminating pods count, as with TerminationComplete.
        complete_rule: bool,
    },
}

/// How a rollout went on since the last sync.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// It is complete now.
    Complete,
    /// It made progress.
    Made,
    /// It made no progress, and the deadline is not over.
    Waiting,
    /// The deadline is over.
    TimedOut,
    /// The deadline was over before.
    StillTimedOut,
}

/// A change of the condition Available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Availability {
    /// Whether enough pods are available.
    pub enough: bool,
    /// How many are needed: spec.replicas − maxUnavailable.
    pub needed: i32,
}

/// A change of the condition ReplicaFailure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// This ReplicaSet could not create or delete pods.
    Began {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
    },
    /// None fails any more.
    Over,
}
