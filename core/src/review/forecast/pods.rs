//! How many pods there are of the old template and of the new one: a quota may count them differently.

use alloc::vec::Vec;

/// Pods at one moment, terminating ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::review) struct Pods {
    /// Of the old template. Where the template stays, these are all.
    pub(in crate::review) old: i64,
    /// Of the new template.
    pub(in crate::review) new: i64,
}

impl Pods {
    pub(super) const fn total(self) -> i64 {
        self.old.saturating_add(self.new)
    }

    pub(super) const fn plus(self, other: Self) -> Self {
        Self { old: self.old.saturating_add(other.old), new: self.new.saturating_add(other.new) }
    }

    pub(super) const fn minus(self, other: Self) -> Self {
        Self { old: self.old.saturating_sub(other.old), new: self.new.saturating_sub(other.new) }
    }

    /// How many fewer there are in `other`, where there are fewer.
    pub(super) fn fewer(self, other: Self) -> Self {
        let Self { old, new } = self.minus(other);
        Self { old: old.max(0), new: new.max(0) }
    }

    /// Whether there are at least as many of both.
    const fn covers(self, other: Self) -> bool {
        self.old >= other.old && self.new >= other.new
    }
}

/// The moments with the most pods: whatever the two templates weigh, the heaviest moment is one of them. From one to the next
/// there are more old pods and fewer new ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::review) struct ParetoFront(Vec<Pods>);

impl ParetoFront {
    pub(super) fn add(&mut self, pods: Pods) {
        let with_fewer_old = self.0.partition_point(|moment| moment.old < pods.old);
        if self.0.get(with_fewer_old).is_some_and(|moment| moment.covers(pods)) {
            return;
        }
        // Those that this moment covers stand in a row.
        let with_more_new = self.0.partition_point(|moment| moment.new > pods.new);
        let covered = self.0.iter().skip(with_more_new).take_while(|moment| pods.covers(**moment)).count();
        self.0.splice(with_more_new..with_more_new.saturating_add(covered), [pods]);
    }

    /// The most pods at once; none if there are no moments.
    pub(super) fn peak(&self) -> Option<i64> {
        self.iter().map(Pods::total).max()
    }

    /// From the fewest old pods to the most.
    pub(in crate::review) fn iter(&self) -> impl Iterator<Item = Pods> {
        self.0.iter().copied()
    }
}

impl FromIterator<Pods> for ParetoFront {
    fn from_iter<I: IntoIterator<Item = Pods>>(moments: I) -> Self {
        let mut pareto_front = Self::default();
        moments.into_iter().for_each(|pods| pareto_front.add(pods));
        pareto_front
    }
}
