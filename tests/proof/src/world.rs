//! The objects at each resource version, as a controller's caches could have held them.

use std::rc::Rc;

use changeover_core::object::{Object, ObjectMeta, Pod};
use changeover_core::workload::cron_job::CronJob;
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::job::Job;
use changeover_core::workload::replica_set::ReplicaSet;

use crate::recording::Recording;

/// The history of all objects of a kind. A position in it is the number of changes that a cache has seen.
pub struct Timeline<T> {
    versions: Vec<i64>,
    /// The object before and after each change.
    changes: Vec<[Option<Rc<T>>; 2]>,
    /// The objects by name, before the first change and after each one.
    states: Vec<Rc<[Rc<T>]>>,
}

/// The timelines of the kinds that the core has.
pub struct World {
    /// Of Deployments.
    pub deployments: Timeline<Deployment>,
    /// Of ReplicaSets.
    pub replica_sets: Timeline<ReplicaSet>,
    /// Of Pods.
    pub pods: Timeline<Pod>,
    /// Of Jobs.
    pub jobs: Timeline<Job>,
    /// Of CronJobs.
    pub cron_jobs: Timeline<CronJob>,
}

impl World {
    /// The timelines of a recording.
    pub fn new(recording: &Recording) -> Self {
        Self {
            deployments: Timeline::new(recording, "Deployment/", |object| object.typed().cloned()),
            replica_sets: Timeline::new(recording, "ReplicaSet/", |object| object.typed().cloned()),
            pods: Timeline::new(recording, "Pod/", |object| object.typed().cloned()),
            cron_jobs: Timeline::new(recording, "CronJob/", |object| object.typed().cloned()),
            jobs: Timeline::new(recording, "Job/", |object| object.typed().cloned()),
        }
    }
}

impl<T: HasMetadata> Timeline<T> {
    fn new(recording: &Recording, prefix: &str, of_kind: impl Fn(&Object) -> Option<Rc<T>>) -> Self {
        let of_prefix = recording.stored.iter().filter(|(key, _)| key.starts_with(prefix));
        let mut changes: Vec<(i64, &str, Option<Rc<T>>)> = of_prefix
            .flat_map(|(key, versions)| {
                let name = key.get(prefix.len()..).unwrap_or_default();
                versions.iter().map(move |stored| (stored.version, name, stored.object.as_ref()))
            })
            .map(|(version, name, object)| (version, name, object.and_then(&of_kind)))
            .collect();
        changes.sort_by_key(|(version, ..)| *version);
        let mut timeline = Self { versions: Vec::new(), changes: Vec::new(), states: vec![Rc::from([])] };
        let mut objects: Vec<Rc<T>> = Vec::new();
        for (version, name, after) in changes {
            let place = objects.binary_search_by(|object| (*object.metadata().name).cmp(name));
            let before = place.ok().and_then(|place| objects.get(place)).cloned();
            match (place, &after) {
                (Ok(place), Some(after)) => objects.splice(place..=place, [after.clone()]).for_each(drop),
                (Ok(place), None) => drop(objects.remove(place)),
                (Err(place), Some(after)) => objects.insert(place, after.clone()),
                (Err(_), None) => {}
            }
            timeline.versions.push(version);
            timeline.changes.push([before, after]);
            timeline.states.push(objects.as_slice().into());
        }
        timeline
    }

    /// The number of changes before a resource version.
    pub fn before(&self, version: i64) -> usize {
        self.versions.partition_point(|known| *known < version)
    }

    /// The number of changes up to and including a resource version.
    pub fn up_to(&self, version: i64) -> usize {
        self.versions.partition_point(|known| *known <= version)
    }

    /// The objects at a position, by name.
    pub fn at(&self, position: usize) -> &[Rc<T>] {
        self.states.get(position).map_or(&[], |objects| objects)
    }

    /// The object with this uid at a position.
    pub fn find(&self, position: usize, uid: &str) -> Option<&Rc<T>> {
        self.at(position).iter().find(|object| *object.metadata().uid == *uid)
    }

    /// The positions after the changes of relevant objects.
    pub fn positions(&self, matters: impl Fn(&T) -> bool) -> Vec<usize> {
        let matters = |change: &[Option<Rc<T>>; 2]| change.iter().flatten().any(|object| matters(object));
        let of_change = self.changes.iter().enumerate().filter(|(_, change)| matters(change));
        of_change.map(|(index, _)| index.saturating_add(1)).collect()
    }
}

/// The first position and the given ones after it, up to the last.
pub fn within(positions: &[usize], first: usize, last: usize) -> Vec<usize> {
    let later = positions.iter().copied().filter(|position| (first < *position) && (*position <= last));
    (first <= last).then_some(first).into_iter().chain(later).collect()
}

/// Whether an owner with this uid considers the object: it owns it, or the object has no controller.
pub fn is_claimable(metadata: &ObjectMeta, uid: &str) -> bool {
    metadata.controller().is_none_or(|owner| *owner.uid == *uid)
}

/// An object with metadata.
pub trait HasMetadata {
    /// The metadata.
    fn metadata(&self) -> &ObjectMeta;
}

impl HasMetadata for Deployment {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for ReplicaSet {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for Pod {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for CronJob {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for Job {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}
