//! What the ReplicaSet controller decides: values with the numbers that were used, for the write and for its explanation.

use alloc::boxed::Box;
use alloc::rc::Rc;

use crate::controller::rank::{Comparison, DeletionRanking};

/// A decision of the ReplicaSet controller: the reason of a write, or of writing nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Adopts a pod that has no controller and whose labels match.
    Adopt {
        /// The pod's name.
        pod: Rc<str>,
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
    },
    /// Releases a pod whose labels no longer match.
    Release {
        /// The pod's name.
        pod: Rc<str>,
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
    },
    /// Does nothing: the selector can't be read.
    SelectorUnreadable {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
    },
    /// Creates one of the missing pods.
    Create {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// Its spec.replicas.
        wanted: i32,
        /// Its pods that neither ended nor terminate.
        active: i32,
        /// The pods that are missing.
        missing: i32,
        /// How many of them this sync creates.
        count: i32,
    },
    /// Deletes one of the pods that are too many.
    Delete(Box<Delete>),
    /// Writes a new status.
    Status {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// What the status counts now.
        counts: Counts,
        /// The condition ReplicaFailure, if it changed.
        failure: Option<Failure>,
    },
    /// Reports that a new spec was seen; no count changed.
    Observed {
        /// The ReplicaSet's name.
        replica_set: Rc<str>,
        /// Its metadata.generation.
        generation: i64,
    },
}

impl Decision {
    /// The name of the pod or ReplicaSet that it is about.
    pub fn subject(&self) -> &Rc<str> {
        match self {
            Self::Adopt { pod, .. } | Self::Release { pod, .. } => pod,
            Self::Delete(delete) => &delete.pod,
            Self::SelectorUnreadable { replica_set }
            | Self::Create { replica_set, .. }
            | Self::Status { replica_set, .. }
            | Self::Observed { replica_set, .. } => replica_set,
        }
    }
}

/// A pod that goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// The ReplicaSet's name.
    pub replica_set: Rc<str>,
    /// Its spec.replicas.
    pub wanted: i32,
    /// Its pods that neither ended nor terminate.
    pub active: i32,
    /// The pods that are too many: active − wanted.
    pub surplus: i32,
    /// How many of them this sync deletes.
    pub count: i32,
    /// The pod's name.
    pub pod: Rc<str>,
    /// What decided between it and the first pod that stays; none if all pods go.
    pub chosen: Option<Chosen>,
    /// The ranking that the pods of this choice share; none if all pods go or compare equal.
    pub ranking: Option<Rc<DeletionRanking>>,
}

/// What decided between a pod that goes and the first one that stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The name of the pod that stays.
    pub stays: Rc<str>,
    /// The comparison of the two.
    pub comparison: Comparison,
}

/// The counts of a ReplicaSet's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// spec.replicas, for comparison.
    pub wanted: i32,
    /// status.replicas
    pub replicas: i32,
    /// status.readyReplicas
    pub ready: i32,
    /// status.availableReplicas
    pub available: i32,
    /// status.terminatingReplicas; none with the gate off.
    pub terminating: Option<i32>,
}

/// A change of the condition ReplicaFailure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Pods could not be created.
    CreateFailed,
    /// Pods could not be deleted.
    DeleteFailed,
    /// Nothing failed this time.
    Over,
}
