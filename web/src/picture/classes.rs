//! The CSS classes and the fills that the parts of the picture share.

use changeover_core::timeline::PodState;
use changeover_wire::Mark;

use super::group::Group;
use crate::playback::Band;

/// The class of a part of the picture.
pub const fn mark_class(mark: Mark) -> &'static str {
    match mark {
        Mark::Limit => "limit",
        Mark::Desired => "desired",
        Mark::MinAvailable => "minimum",
        Mark::Terminating => "terminating",
        Mark::Available => "available",
        Mark::Total => "total",
        Mark::ReplicaSet => "replica-set",
    }
}

/// The class of a band.
pub const fn band_class(band: Band) -> &'static str {
    match band {
        Band::Available => "available",
        Band::Starting => "starting",
        Band::Pending => "pending",
        Band::Unknown => "unknown",
        Band::Terminating => "terminating",
        Band::Ended => "ended",
    }
}

/// The class of a pod's state.
pub const fn state_class(state: PodState) -> &'static str {
    match state {
        PodState::Available => "available",
        PodState::Ready => "ready",
        PodState::Starting => "starting",
        PodState::Pending => "pending",
        PodState::Terminating => "terminating",
        PodState::Unknown => "unknown",
        PodState::Failed => "failed",
        PodState::Succeeded => "succeeded",
    }
}

/// The class of a ReplicaSet's color.
pub fn hue_class(replica_set: usize) -> String {
    format!("r{}", replica_set % 4)
}

/// The fill of a group: its hue says the version, its pattern the state.
pub fn fill(group: Group) -> String {
    match group.band {
        Band::Starting => format!("url(#dots-{})", group.replica_set % 4),
        Band::Terminating => format!("url(#hatch-{})", group.replica_set % 4),
        Band::Available | Band::Pending | Band::Unknown | Band::Ended => String::from("currentColor"),
    }
}
