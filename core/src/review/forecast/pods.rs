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

    /// Whether there are at least as many of both.
    const fn covers(self, other: Self) -> bool {
        self.old >= other.old && self.new >= other.new
    }
}

/// The moments with the most pods: whatever the two templates weigh, the heaviest moment is one of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::review) struct Heights(Vec<Pods>);

impl Heights {
    pub(super) fn add(&mut self, pods: Pods) {
        if self.0.iter().any(|height| height.covers(pods)) {
            return;
        }
        self.0.retain(|height| !pods.covers(*height));
        self.0.push(pods);
    }

    /// In no order.
    pub(in crate::review) fn iter(&self) -> impl Iterator<Item = Pods> {
        self.0.iter().copied()
    }
}

impl FromIterator<Pods> for Heights {
    fn from_iter<I: IntoIterator<Item = Pods>>(moments: I) -> Self {
        let mut heights = Self::default();
        moments.into_iter().for_each(|pods| heights.add(pods));
        heights
    }
}
