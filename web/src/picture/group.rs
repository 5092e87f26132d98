//! What the picture draws in one color.

use crate::playback::Band;

/// Pods of one ReplicaSet in one band.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Group {
    /// The band.
    pub band: Band,
    /// The ReplicaSet.
    pub replica_set: usize,
}
