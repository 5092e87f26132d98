//! What one sync works with.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::View;
use super::known::KnownPod;
use crate::controller::Client;
use crate::object::{PersistentVolumeClaim, Time};
use crate::workload::stateful_set::StatefulSet;

/// One sync.
pub(super) struct Sync<'a, 'v> {
    pub(super) client: &'a mut dyn Client,
    pub(super) view: &'a View<'v>,
    pub(super) set: Rc<StatefulSet>,
    /// The claims that this sync has written, by name.
    pub(super) claims: BTreeMap<Rc<str>, Rc<PersistentVolumeClaim>>,
    pub(super) now: Time,
}

impl<'a, 'v> Sync<'a, 'v> {
    pub(super) fn new(client: &'a mut dyn Client, view: &'a View<'v>) -> Self {
        let now = client.now();
        Self { client, view, set: view.set.clone(), claims: BTreeMap::new(), now }
    }
}

/// A set's pods, as a sync sorts them.
pub(super) struct SortedPods<'k> {
    /// One for each wanted ordinal, which may not be created yet.
    pub(super) replicas: Vec<KnownPod<'k>>,
    /// Those outside of the range, the highest ordinal first.
    pub(super) condemned: Vec<KnownPod<'k>>,
    /// The name of the unavailable pod with the lowest ordinal, if there are pods outside of the range; those within it come first.
    pub(super) first_unavailable: Option<Rc<str>>,
}

impl<'k> SortedPods<'k> {
    pub(super) fn all(&self) -> impl Iterator<Item = &KnownPod<'k>> {
        self.replicas.iter().chain(&self.condemned)
    }
}
