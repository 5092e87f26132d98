//! A Deployment and its ReplicaSets as plain numbers: all that the rules of KEP-5882 look at.

use core::fmt;

/// A number of pods, or a percentage of the desired ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many.
    Pods(i32),
    /// So many of a hundred.
    Percent(i32),
}

/// How old pods make way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Side by side.
    RollingUpdate {
        /// maxSurge.
        surge: Amount,
        /// maxUnavailable.
        unavailable: Amount,
    },
    /// All old ones first.
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

/// What scaling leaves on a ReplicaSet, as text: users can write anything there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// desired-replicas.
    pub desired: Option<String>,
    /// max-replicas.
    pub max: Option<String>,
    /// replicaset-replicas-before-scale.
    pub before: Option<String>,
}

/// A ReplicaSet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Its name.
    pub name: String,
    /// When it was created, in seconds.
    pub created: i64,
    /// `spec.replicas`.
    pub spec: i32,
    /// `status.replicas`.
    pub stat: i32,
    /// `status.terminatingReplicas`.
    pub term: Option<i32>,
    /// `status.availableReplicas`.
    pub available: i32,
    /// `status.observedGeneration`.
    pub observed: i64,
    /// How many of its pods have not ended.
    pub running: i32,
    /// Its annotations.
    pub notes: Notes,
}

/// All of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// `spec.replicas` of the Deployment.
    pub n: i32,
    /// Its strategy.
    pub strategy: Strategy,
    /// Its policy.
    pub policy: Policy,
    /// DeploymentReplicaSetTerminatingReplicas.
    pub terminating_gate: bool,
    /// DeploymentPodReplacementPolicy.
    pub policy_gate: bool,
    /// `spec.paused`.
    pub paused: bool,
    /// `status.replicas` of the Deployment.
    pub status_replicas: i32,
    /// Its ReplicaSets.
    pub sets: Vec<Set>,
    /// Which of them has the Deployment's template.
    pub new: Option<usize>,
}

/// What a decision left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Left {
    /// It failed, and nothing was scaled.
    Error,
    /// Size and annotations of each ReplicaSet, in the world's order; one that was created is the last.
    Sets(Vec<(i32, Notes)>),
}

impl World {
    /// What is there when nothing is written.
    pub fn unchanged(&self) -> Left {
        Left::Sets(self.sets.iter().map(|set| (set.spec, set.notes.clone())).collect())
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n, strategy, policy, terminating_gate, policy_gate, paused, status_replicas, sets, new } = self;
        writeln!(f, "n {n}, {strategy:?}, {policy:?}, gates {terminating_gate} {policy_gate}, paused {paused}")?;
        writeln!(f, "status.replicas {status_replicas}, new {new:?}")?;
        for Set { name, created, spec, stat, term, available, observed, running, notes } in sets {
            write!(f, "  {name} at {created}: spec {spec} stat {stat} term {term:?} available {available} ")?;
            let Notes { desired, max, before } = notes;
            writeln!(f, "observed {observed} running {running} desired {desired:?} max {max:?} before {before:?}")?;
        }
        Ok(())
    }
}
