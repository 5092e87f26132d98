//! The encoding of a playback track: all that a lane will show, as a list of numbers. Each entry begins with its type and its
//! time (seconds and nanoseconds); the constants say what follows. A frame is the number of steps before it.

use changeover_core::timeline::PodState;

/// A step: [`Milestone::number`], or 0 if it is no milestone.
pub const STEP: i32 = 0;
/// A pod's new state: frame, pod, state (−1: gone), ReplicaSet, node (−1: none), deletion cost (`i32::MIN`: none), grace period
/// in seconds.
pub const POD_KEYFRAME: i32 = 1;
/// New marks: frame, desired, limit, minimum available.
pub const MARKS_KEYFRAME: i32 = 2;
/// A ReplicaSet's new revision: ReplicaSet, revision.
pub const REVISION_KEYFRAME: i32 = 3;
/// A node comes or goes: frame, node, 1 (it is there) or 0.
pub const NODE_KEYFRAME: i32 = 4;

/// Why a step is worth a stop, the most important reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Milestone {
    /// The user acted.
    User,
    /// A condition of the Deployment changed.
    Condition,
    /// A controller computed something.
    Decision,
}

impl Milestone {
    /// Its number in a track.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::User => 1,
            Self::Condition => 2,
            Self::Decision => 3,
        }
    }

    /// The milestone with that number.
    #[must_use]
    pub const fn of(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::User),
            2 => Some(Self::Condition),
            3 => Some(Self::Decision),
            _ => None,
        }
    }
}

/// The pod states in the order of their numbers, which is also their order on the ruler.
pub const STATES: [PodState; 8] = [
    PodState::Available,
    PodState::Ready,
    PodState::Starting,
    PodState::Pending,
    PodState::Unknown,
    PodState::Terminating,
    PodState::Failed,
    PodState::Succeeded,
];

/// A pod state's number in a track.
#[must_use]
pub fn state_number(state: PodState) -> i32 {
    let index = STATES.iter().position(|other| *other == state).unwrap_or(0);
    i32::try_from(index).unwrap_or(0)
}
