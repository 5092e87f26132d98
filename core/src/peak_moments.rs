//! The moments with the most pods of a change: a quota may count the pods of the old template and those of the new one
//! differently, so none of them alone is the one that matters.

use alloc::vec::Vec;

/// The pods of one moment, terminating ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PodMoment {
    /// Of the old template. Where the template stays, these are all.
    pub old: i64,
    /// Of the new template.
    pub new: i64,
}

impl PodMoment {
    /// Both together.
    pub const fn total(self) -> i64 {
        self.old.saturating_add(self.new)
    }

    /// Whether there are at least as many of both.
    const fn covers(self, other: Self) -> bool {
        self.old >= other.old && self.new >= other.new
    }
}

/// The moments with the most pods: no other moment has as many of both templates. Whatever a pod of each weighs, the heaviest
/// moment is one of them. From one to the next there are more old pods and fewer new ones.
///
/// For example, of 3 old and 0 new pods, 2 and 2, 1 and 2, and 0 and 3, the third has no more of either than the second:
///
/// ```
/// use changeover_core::worst_case::{PeakMoments, PodMoment};
///
/// let moments = [(3, 0), (2, 2), (1, 2), (0, 3)].map(|(old, new)| PodMoment { old, new });
/// let peaks: PeakMoments = moments.into_iter().collect();
/// let peaks: Vec<_> = peaks.iter().map(|moment| (moment.old, moment.new)).collect();
/// assert_eq!(peaks, [(0, 3), (2, 2), (3, 0)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeakMoments(Vec<PodMoment>);

impl PeakMoments {
    pub(crate) fn add(&mut self, pods: PodMoment) {
        let with_fewer_old = self.0.partition_point(|moment| moment.old < pods.old);
        if self.0.get(with_fewer_old).is_some_and(|moment| moment.covers(pods)) {
            return;
        }
        // Those that this moment covers stand in a row.
        let with_more_new = self.0.partition_point(|moment| moment.new > pods.new);
        let covered = self.0.iter().skip(with_more_new).take_while(|moment| pods.covers(**moment)).count();
        self.0.splice(with_more_new..with_more_new.saturating_add(covered), [pods]);
    }

    /// From the fewest old pods to the most.
    pub fn iter(&self) -> impl Iterator<Item = PodMoment> {
        self.0.iter().copied()
    }
}

impl FromIterator<PodMoment> for PeakMoments {
    fn from_iter<I: IntoIterator<Item = PodMoment>>(moments: I) -> Self {
        let mut peaks = Self::default();
        moments.into_iter().for_each(|pods| peaks.add(pods));
        peaks
    }
}
