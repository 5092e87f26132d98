//! What the controllers' caches may show of a ReplicaSet.

use super::versions::VersionId;

/// The most versions that a cache may be behind.
const MAX_LAG: u8 = 3;

/// One more than [`MAX_LAG`].
const SLOTS: usize = 4;

/// The versions of a ReplicaSet that a cache may still show, the current one last, and the oldest that each controller may
/// see: caches never go backwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct History {
    versions: [VersionId; SLOTS],
    last: u8,
    by_deployment: u8,
    by_own: u8,
}

/// Whose cache it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    Deployment,
    ReplicaSet,
}

impl History {
    pub(super) const fn new(version: VersionId) -> Self {
        let none = VersionId::ABSENT;
        Self { versions: [version, none, none, none], last: 0, by_deployment: 0, by_own: 0 }
    }

    pub(super) fn current(&self) -> VersionId {
        self.at(self.last)
    }

    fn at(&self, index: u8) -> VersionId {
        self.versions.get(usize::from(index)).copied().unwrap_or_default()
    }

    const fn floor(&self, reader: Reader) -> u8 {
        match reader {
            Reader::Deployment => self.by_deployment,
            Reader::ReplicaSet => self.by_own,
        }
    }

    /// The versions that a reader may see, with how far they are behind; the current one first.
    pub(super) fn visible(&self, reader: Reader) -> impl Iterator<Item = (u8, VersionId)> {
        (self.floor(reader)..=self.last).rev().map(|index| (self.last.saturating_sub(index), self.at(index)))
    }

    /// A reader has seen the version that is this far behind.
    pub(super) const fn saw(&mut self, reader: Reader, behind: u8) {
        let seen = self.last.saturating_sub(behind);
        match reader {
            Reader::Deployment => self.by_deployment = seen,
            Reader::ReplicaSet => self.by_own = seen,
        }
    }

    /// A new version, which no cache shows yet. Caches that are further behind than `lag` catch up.
    pub(super) fn push(&mut self, version: VersionId, lag: u8) {
        let lag = lag.min(MAX_LAG);
        if lag == 0 {
            *self = Self::new(version);
            return;
        }
        if self.last >= lag {
            self.versions.rotate_left(1);
            self.last = self.last.saturating_sub(1);
            self.by_deployment = self.by_deployment.saturating_sub(1);
            self.by_own = self.by_own.saturating_sub(1);
        }
        self.last = self.last.saturating_add(1);
        if let Some(slot) = self.versions.get_mut(usize::from(self.last)) {
            *slot = version;
        }
    }

    /// Drops the versions that no controller may see again.
    pub(super) fn trim(&mut self) {
        let unseen = self.by_deployment.min(self.by_own);
        self.versions.rotate_left(unseen.into());
        self.last = self.last.saturating_sub(unseen);
        self.by_deployment = self.by_deployment.saturating_sub(unseen);
        self.by_own = self.by_own.saturating_sub(unseen);
        for slot in self.versions.iter_mut().skip(usize::from(self.last).saturating_add(1)) {
            *slot = VersionId::ABSENT;
        }
    }
}
