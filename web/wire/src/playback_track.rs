//! The encoding of a playback track: all that a lane will show, as a list of numbers. Each entry begins with its type and its
//! time (seconds and nanoseconds); the constants say what follows. A frame is the number of steps before it.

use changeover_core::timeline::PodState;

/// A step: [`Milestone::number`], or 0 if it is no milestone.
pub const STEP: i32 = 0;
/// A pod's new state: frame, pod, state (−1: gone), ReplicaSet, ControllerRevision or Job, node (−1: none), deletion cost (`i32::MIN`: none), grace
/// period in seconds.
pub const POD_KEYFRAME: i32 = 1;
/// New marks: frame, desired, limit, minimum available.
pub const MARKS_KEYFRAME: i32 = 2;
/// The new revision of a ReplicaSet or ControllerRevision: its number, revision.
pub const REVISION_KEYFRAME: i32 = 3;
/// A node comes or goes: frame, node, 1 (it is there) or 0.
pub const NODE_KEYFRAME: i32 = 4;

/// The completion index of a pod, its ordinal, or the number of the node that it is for: pod, index. It stands before the pod's
/// first state; other pods have none.
pub const POD_INDEX: i32 = 5;
/// What the status of a Job says: frame, Job, completions (−1: none), succeeded, failed, [`JobEnd::number`] or 0.
pub const JOB_KEYFRAME: i32 = 6;
/// A Job waits before it creates pods again: Job, index (−1: any), the failure's time and until when it waits, as seconds and
/// nanoseconds.
pub const BACK_OFF: i32 = 7;

/// What a StatefulSet wants: frame, first ordinal, replicas, partition (0: none), the number of the revision that pods get (−1: not
/// known yet).
pub const ORDINALS_KEYFRAME: i32 = 10;
/// The controller of a StatefulSet waits for a pod: frame, ordinal.
pub const AWAITED_KEYFRAME: i32 = 11;
/// The claims of an ordinal: frame, ordinal, how many there are.
pub const CLAIMS_KEYFRAME: i32 = 12;

/// How many pods a ResourceQuota allows at the start: pods.
pub const POD_QUOTA: i32 = 8;

/// Something was refused or skipped: [`Setback::number`]. The time of a skipped run is the one at which it was due. These
/// entries are in no order.
pub const SETBACK: i32 = 9;

/// What was refused or skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setback {
    /// A quota refused an object that a controller wanted to create.
    Creation,
    /// The API server refused a request of the user, or the eviction of a pod.
    Request,
    /// A CronJob started no Job for a time of its schedule.
    Run,
}

impl Setback {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Creation, Self::Request, Self::Run];

    /// Its number in a track.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Creation => 1,
            Self::Request => 2,
            Self::Run => 3,
        }
    }

    /// The setback with that number.
    #[must_use]
    pub fn of(number: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|setback| setback.number() == number)
    }
}

/// How a Job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum JobEnd {
    /// As many pods succeeded as it wants.
    Complete,
    /// It gave up.
    Failed,
}

impl JobEnd {
    /// Its number in a track.
    #[must_use]
    pub const fn number(self) -> i32 {
        match self {
            Self::Complete => 1,
            Self::Failed => 2,
        }
    }

    /// The end with that number.
    #[must_use]
    pub const fn of(number: i32) -> Option<Self> {
        match number {
            1 => Some(Self::Complete),
            2 => Some(Self::Failed),
            _ => None,
        }
    }
}

/// Why a step is worth a stop, the most important reason first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Milestone {
    /// The user acted.
    User,
    /// A condition of the Deployment or of a Job changed.
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

/// How many numbers an entry has after its type, by type.
const LENGTHS: [usize; 13] = [3, 9, 6, 4, 5, 4, 8, 8, 3, 3, 7, 4, 5];

/// A track whose numbers are differences from the entry of the same type before: they take few bytes when compressed.
#[must_use]
pub fn pack(track: &[i32]) -> Vec<i32> {
    changed(track, |number, last| {
        let difference = number.wrapping_sub(*last);
        *last = number;
        difference
    })
}

/// The track that [`pack`] has packed.
#[must_use]
pub fn unpack(packed: &[i32]) -> Vec<i32> {
    changed(packed, |difference, last| {
        *last = last.wrapping_add(difference);
        *last
    })
}

/// Changes each number after the types, given the number in the same place of the entry of the same type before.
fn changed(numbers: &[i32], change: impl Fn(i32, &mut i32) -> i32) -> Vec<i32> {
    let mut lasts = LENGTHS.map(|length| vec![0; length]);
    let mut result = Vec::with_capacity(numbers.len());
    let mut rest = numbers.iter();
    while let Some(entry_type) = rest.next() {
        let Some(last) = usize::try_from(*entry_type).ok().and_then(|entry_type| lasts.get_mut(entry_type)) else {
            break;
        };
        result.push(*entry_type);
        result.extend(last.iter_mut().zip(rest.by_ref()).map(|(last, number)| change(*number, last)));
    }
    result
}
