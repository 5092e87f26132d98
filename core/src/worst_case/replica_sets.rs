/// One of the two ReplicaSets that a change has to do with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The one that is there before the change.
    Old,
    /// The one of the changed template.
    New,
}

/// Something of each ReplicaSet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair<T> {
    /// The old one's.
    pub old: T,
    /// The new one's.
    pub new: T,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Old, Self::New];
}

impl<T> Pair<T> {
    pub(super) const fn get(&self, side: Side) -> &T {
        match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        }
    }

    pub(super) const fn get_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Old => &mut self.old,
            Side::New => &mut self.new,
        }
    }
}
