//! The objects at each resource version, as a controller's caches could have held them.

use std::rc::Rc;

use changeover_core::object::{ControllerRevision, Kind, Object, ObjectMeta, PersistentVolumeClaim, Pod, Typed};
use changeover_core::scheduler::Node;
use changeover_core::workload::cron_job::CronJob;
use changeover_core::workload::daemon_set::DaemonSet;
use changeover_core::workload::deployment::Deployment;
use changeover_core::workload::job::Job;
use changeover_core::workload::replica_set::ReplicaSet;
use changeover_core::workload::stateful_set::StatefulSet;

use crate::recording::{Recording, Stored};

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
    /// Of ReplicationControllers, in the form of ReplicaSets.
    pub replication_controllers: Timeline<ReplicaSet>,
    /// Of Pods.
    pub pods: Timeline<Pod>,
    /// Of Jobs.
    pub jobs: Timeline<Job>,
    /// Of CronJobs.
    pub cron_jobs: Timeline<CronJob>,
    /// Of StatefulSets.
    pub stateful_sets: Timeline<StatefulSet>,
    /// Of DaemonSets.
    pub daemon_sets: Timeline<DaemonSet>,
    /// Of ControllerRevisions.
    pub revisions: Timeline<ControllerRevision>,
    /// Of PersistentVolumeClaims.
    pub claims: Timeline<PersistentVolumeClaim>,
    /// Of Nodes.
    pub nodes: Timeline<StoredNode>,
}

/// A Node.
pub struct StoredNode {
    metadata: ObjectMeta,
    /// What controllers and the scheduler see of it.
    pub node: Rc<Node>,
}

impl World {
    /// The timelines of a recording.
    pub fn new(recording: &Recording) -> Self {
        Self {
            deployments: Timeline::of(recording),
            replica_sets: Timeline::of(recording),
            replication_controllers: Timeline::named(recording, Kind::ReplicationController),
            pods: Timeline::of(recording),
            cron_jobs: Timeline::of(recording),
            jobs: Timeline::of(recording),
            stateful_sets: Timeline::of(recording),
            daemon_sets: Timeline::of(recording),
            revisions: Timeline::of(recording),
            claims: Timeline::of(recording),
            nodes: Timeline::new(recording, "Node/", StoredNode::read),
        }
    }
}

impl StoredNode {
    fn read(stored: &Stored) -> Option<Rc<Self>> {
        let value = stored.value.as_ref()?;
        let metadata = serde_json::from_value(value.get("metadata")?.clone()).ok()?;
        Some(Rc::new(Self { metadata, node: Rc::new(Node::of(value)) }))
    }
}

impl<T: HasMetadata + Typed> Timeline<T> {
    fn of(recording: &Recording) -> Self {
        Self::named(recording, T::KIND)
    }

    /// The objects with the name of a kind.
    fn named(recording: &Recording, kind: Kind) -> Self {
        let prefix = format!("{}/", kind.name());
        Self::new(recording, &prefix, |stored| stored.object.as_ref().and_then(Object::typed).cloned())
    }
}

impl<T: HasMetadata> Timeline<T> {
    fn new(recording: &Recording, prefix: &str, read: impl Fn(&Stored) -> Option<Rc<T>>) -> Self {
        let of_prefix = recording.stored.iter().filter(|(key, _)| key.starts_with(prefix));
        let mut changes: Vec<(i64, &str, Option<Rc<T>>)> = of_prefix
            .flat_map(|(key, versions)| {
                let name = key.get(prefix.len()..).unwrap_or_default();
                versions.iter().map(move |stored| (stored.version, name, stored))
            })
            .map(|(version, name, stored)| (version, name, read(stored)))
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

    /// The resource versions of all changes.
    pub fn versions(&self) -> &[i64] {
        &self.versions
    }

    /// The objects before and after the changes between two positions.
    pub fn changes(&self, after: usize, up_to: usize) -> &[[Option<Rc<T>>; 2]] {
        self.changes.get(after..up_to).unwrap_or_default()
    }

    /// The objects at a position, by name.
    pub fn at(&self, position: usize) -> &[Rc<T>] {
        self.states.get(position).map_or(&[], |objects| objects)
    }

    /// The object with this uid at a position.
    pub fn find(&self, position: usize, uid: &str) -> Option<&Rc<T>> {
        self.at(position).iter().find(|object| *object.metadata().uid == *uid)
    }

    /// Those of the positions at which the object with this uid is there, in this version if one is named.
    pub fn in_version(&self, mut positions: Vec<usize>, uid: &str, version: Option<&str>) -> Vec<usize> {
        let is_in = |object: &Rc<T>| version.is_none_or(|version| *object.metadata().resource_version == *version);
        positions.retain(|position| self.find(*position, uid).is_some_and(is_in));
        positions
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

/// The changes of two kinds, as positions among those of both.
pub fn together(one: &[i64], other: &[i64]) -> Vec<usize> {
    let mut positions: Vec<usize> = one.iter().chain(other).map(|version| position(*version)).collect();
    positions.sort_unstable();
    positions
}

/// A resource version as a position in the changes of several kinds.
pub fn position(version: i64) -> usize {
    usize::try_from(version).unwrap_or(usize::MAX)
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

impl HasMetadata for StatefulSet {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for DaemonSet {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for ControllerRevision {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for PersistentVolumeClaim {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}

impl HasMetadata for StoredNode {
    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }
}
