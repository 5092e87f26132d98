//! The numbers of a film: entries, one after the other. Each begins with what it is and its time, as seconds and
//! nanoseconds after the picture's beginning; what follows is said below. A frame is the number of steps before it.

use changeover_core::timeline::PodState;

/// A step: whether it is worth a stop, as [`Notable::number`], or 0.
pub const STEP: i32 = 0;
/// A pod is another from now on: frame, pod, state (−1: gone), ReplicaSet, row, deletion cost (`i32::MIN`: none), seconds
/// of grace.
pub const POD_KEYFRAME: i32 = 1;
/// The marks on the ruler: frame, desired, limit, least available.
pub const MARKS_KEYFRAME: i32 = 2;
/// Of a ReplicaSet: frame, which, what it wants (−1: gone), its revision; where pods are grouped by node, of a node: frame,
/// which, whether it is there (1 or −1), and whether it was before.
pub const ROW_KEYFRAME: i32 = 3;

/// What a mark on the time axis is about, the more important first.
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
    /// Its number in a film.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::User => 1,
            Self::Condition => 2,
            Self::Decision => 3,
        }
    }

    /// What it says.
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

/// The states, in the order of their numbers, which is the order of the ruler's parts.
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

/// A state's number in a film.
#[must_use]
pub fn state_number(state: PodState) -> i32 {
    let place = STATES.iter().position(|other| *other == state).unwrap_or(0);
    i32::try_from(place).unwrap_or(0)
}
