//! The real controllers, one sync at a time. Equal syncs are run once.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::pods::{Stage, StageCounts};
use super::replica_sets::{Pair, Side};
use super::versions::{NEW_UID, OLD_UID, Reads, VersionId, Versions, side_of};
use crate::controller::{ApiError, Client, Decision, Event, Write};
use crate::feature_gates::FeatureGates;
use crate::object::{
    ConditionStatus, Object, ObjectKey, ObjectMeta, OwnerReference, Pod, PodCondition, PodPhase, PodSpec, PodStatus,
    Time, Unknown,
};
use crate::workload::deployment::{Deployment, controller as deployment};
use crate::workload::replica_set::controller::{PodCounts, Pods};
use crate::workload::replica_set::{ReplicaSet, ReplicaSetStatus, controller as replica_set};

/// When the old pods became ready, and the present: between the two, every pod that is to be available has become so.
const LONG_AGO: Time = Time(0);
const NOW: Time = Time(i64::MAX.div_euclid(2));

/// What a sync of the Deployment sees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct DeploymentView {
    pub(super) seen: Pair<VersionId>,
    pub(super) current: Pair<VersionId>,
    /// Whether a ReplicaSet is seen as it is stored: only then it can be updated.
    pub(super) is_current: Pair<bool>,
    /// How many pods there are, terminating ones included. Only Recreate asks.
    pub(super) running: Pair<i32>,
}

/// What a sync of a ReplicaSet sees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ReplicaSetView {
    pub(super) seen: VersionId,
    pub(super) pods: StageCounts,
    pub(super) placement: Placement,
}

/// Where the pods are: ready pods that share a node with others are deleted before those that don't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Placement {
    /// Each on a node of its own.
    Apart,
    /// The available ones are all on one node.
    AvailableTogether,
}

/// What a sync of a ReplicaSet does.
#[derive(Clone, Debug, Default)]
pub(super) struct PodWrites {
    pub(super) created: u8,
    pub(super) deleted: StageCounts,
    /// The status, if it is written.
    pub(super) status: Option<ReplicaSetStatus>,
}

/// The controllers, with what they did before.
pub(super) struct Controllers {
    gates: FeatureGates,
    deployment: Rc<Deployment>,
    versions: Versions,
    deployment_syncs: BTreeMap<DeploymentView, Rc<[(Side, VersionId)]>>,
    replica_set_syncs: BTreeMap<ReplicaSetView, Rc<PodWrites>>,
    status_writes: BTreeMap<(VersionId, [i32; 5]), VersionId>,
}

impl Controllers {
    /// Controllers of this Deployment, and the ReplicaSet of a settled one; none if it has none.
    pub(super) fn new(
        before: &Deployment,
        after: &Deployment,
        gates: FeatureGates,
        reads: Reads,
    ) -> Option<(Self, VersionId)> {
        let mut settled = before.clone();
        Rc::make_mut(&mut settled.spec).paused = false;
        let mut controllers = Self {
            gates,
            deployment: Rc::new(settled),
            versions: Versions::new(reads),
            deployment_syncs: BTreeMap::new(),
            replica_set_syncs: BTreeMap::new(),
            status_writes: BTreeMap::new(),
        };
        // It creates its first ReplicaSet.
        let settled = controllers.settled()?;
        let id = controllers.versions.id_of(&settled)?;
        controllers.deployment = Rc::new(after.clone());
        Some((controllers, id))
    }

    /// The ReplicaSet that the controller makes of the Deployment, with all its pods.
    fn settled(&self) -> Option<ReplicaSet> {
        let mut client = DeploymentClient::new(self, Pair::default(), Pair::default());
        let view = deployment::View { deployment: &self.deployment, replica_sets: &[], running: &|_: &ReplicaSet| 0 };
        // Its first status is refused or not: the ReplicaSet is there.
        let _ = deployment::sync_deployment(&mut client, &view);
        let (_, created) = client.written.pop()?;
        let mut settled = (*created).clone();
        let metadata = Rc::make_mut(&mut settled.metadata);
        metadata.uid = OLD_UID.into();
        metadata.creation_timestamp = Some(LONG_AGO);
        let replicas = self.deployment.spec.replicas;
        Rc::make_mut(&mut settled.spec).replicas = replicas;
        settled.status = ReplicaSetStatus {
            replicas,
            fully_labeled_replicas: replicas,
            ready_replicas: replicas,
            available_replicas: replicas,
            terminating_replicas: Some(0),
            ..ReplicaSetStatus::default()
        };
        Some(settled)
    }

    pub(super) fn version(&self, id: VersionId) -> Option<&Rc<ReplicaSet>> {
        self.versions.get(id)
    }

    /// For how long a pod of this ReplicaSet has to be ready until it is available, in nanoseconds.
    pub(super) fn min_ready(&self, id: VersionId) -> i64 {
        self.version(id)
            .map_or(0, |replica_set| i64::from(replica_set.spec.min_ready_seconds).saturating_mul(Time::SECOND))
    }

    /// The versions that a sync of the Deployment writes, in their order; none if they are too many.
    pub(super) fn sync_deployment(&mut self, view: DeploymentView) -> Option<Rc<[(Side, VersionId)]>> {
        let running = if deployment::is_rolling_update(&self.deployment) { Pair::default() } else { view.running };
        let view = DeploymentView { running, ..view };
        if let Some(known) = self.deployment_syncs.get(&view) {
            return Some(known.clone());
        }
        let object = |id: &VersionId| self.versions.get(*id).cloned();
        let current = Pair { old: object(&view.current.old), new: object(&view.current.new) };
        let mut client = DeploymentClient::new(self, current, view.is_current);
        let replica_sets: Vec<_> = [&view.seen.old, &view.seen.new].into_iter().filter_map(object).collect();
        let running = |replica_set: &ReplicaSet| *view.running.get(side_of(replica_set));
        let seen = deployment::View { deployment: &self.deployment, replica_sets: &replica_sets, running: &running };
        // A sync that fails is tried again, like every other one.
        let _ = deployment::sync_deployment(&mut client, &seen);
        let mut current = view.current;
        let mut written = Vec::new();
        for (side, object) in client.written {
            let id = self.versions.id_of(&object)?;
            // What changes nothing is no new version.
            if core::mem::replace(current.get_mut(side), id) != id {
                written.push((side, id));
            }
        }
        let written: Rc<[_]> = written.into();
        self.deployment_syncs.insert(view, written.clone());
        Some(written)
    }

    /// What a sync of a ReplicaSet does.
    pub(super) fn sync_replica_set(&mut self, view: ReplicaSetView) -> Option<Rc<PodWrites>> {
        if let Some(known) = self.replica_set_syncs.get(&view) {
            return Some(known.clone());
        }
        let object = self.versions.get(view.seen)?.clone();
        let pods = SeenPods::new(&object, view);
        let mut client = ReplicaSetClient { gates: self.gates, writes: PodWrites::default() };
        let seen = replica_set::View { replica_set: &object, pods: &pods };
        let _ = replica_set::sync_replica_set(&mut client, &seen);
        let writes = Rc::new(client.writes);
        self.replica_set_syncs.insert(view, writes.clone());
        Some(writes)
    }

    /// The version that writing a status leads to; none if they are too many.
    pub(super) fn with_status(&mut self, id: VersionId, status: &ReplicaSetStatus) -> Option<VersionId> {
        let counts = [
            status.replicas,
            status.fully_labeled_replicas,
            status.ready_replicas,
            status.available_replicas,
            status.terminating_replicas.unwrap_or(-1),
        ];
        if let Some(known) = self.status_writes.get(&(id, counts)) {
            return Some(*known);
        }
        let written = self.versions.with_status(id, status)?;
        self.status_writes.insert((id, counts), written);
        Some(written)
    }
}

/// The API server as a sync of the Deployment meets it.
struct DeploymentClient {
    gates: FeatureGates,
    deployment: Rc<Deployment>,
    current: Pair<Option<Rc<ReplicaSet>>>,
    is_current: Pair<bool>,
    written: Vec<(Side, Rc<ReplicaSet>)>,
}

impl DeploymentClient {
    fn new(controllers: &Controllers, current: Pair<Option<Rc<ReplicaSet>>>, is_current: Pair<bool>) -> Self {
        let (gates, deployment) = (controllers.gates, controllers.deployment.clone());
        Self { gates, deployment, current, is_current, written: Vec::new() }
    }

    fn store(&mut self, side: Side, object: Rc<ReplicaSet>) -> Object {
        *self.current.get_mut(side) = Some(object.clone());
        *self.is_current.get_mut(side) = true;
        self.written.push((side, object.clone()));
        Object::ReplicaSet(object)
    }
}

impl Client for DeploymentClient {
    fn now(&self) -> Time {
        NOW
    }

    fn gates(&self) -> FeatureGates {
        self.gates
    }

    fn get(&mut self, key: &ObjectKey) -> Option<Object> {
        if *key == self.deployment.key() {
            return Some(Object::Deployment(self.deployment.clone()));
        }
        let stored = [&self.current.old, &self.current.new].into_iter().flatten();
        stored.map(|object| Object::ReplicaSet(object.clone())).find(|object| object.key() == *key)
    }

    fn write(&mut self, write: Write, _: Decision) -> Result<Option<Object>, ApiError> {
        let key = write.key();
        match write {
            // No decision about pods depends on the Deployment's own status.
            Write::UpdateStatus(object @ Object::Deployment(_)) => Ok(Some(object)),
            Write::Create(Object::ReplicaSet(_)) if self.get(&key).is_some() => Err(ApiError::already_exists(&key)),
            Write::Create(Object::ReplicaSet(mut object)) => {
                let created = Rc::make_mut(&mut object);
                let metadata = Rc::make_mut(&mut created.metadata);
                metadata.uid = NEW_UID.into();
                metadata.creation_timestamp = Some(NOW);
                created.status = ReplicaSetStatus::default();
                Ok(Some(self.store(Side::New, object)))
            }
            Write::Update(Object::ReplicaSet(object)) if *self.is_current.get(side_of(&object)) => {
                Ok(Some(self.store(side_of(&object), object)))
            }
            _ => Err(ApiError::conflict(&key)),
        }
    }

    fn event(&mut self, _: &ObjectKey, _: Event) {}

    fn note(&mut self, _: Decision) {}
}

/// The API server as a sync of a ReplicaSet meets it.
struct ReplicaSetClient {
    gates: FeatureGates,
    writes: PodWrites,
}

impl Client for ReplicaSetClient {
    fn now(&self) -> Time {
        NOW
    }

    fn gates(&self) -> FeatureGates {
        self.gates
    }

    fn get(&mut self, _: &ObjectKey) -> Option<Object> {
        None
    }

    fn write(&mut self, write: Write, _: Decision) -> Result<Option<Object>, ApiError> {
        let PodWrites { created, deleted, status } = &mut self.writes;
        match write {
            Write::Create(object) => {
                *created = created.saturating_add(1);
                Ok(Some(object))
            }
            Write::Delete { key, .. } => {
                let count = match SeenPods::stage_of(&key.name) {
                    Some(Stage::Starting) => &mut deleted.starting,
                    Some(Stage::Ready) => &mut deleted.ready,
                    Some(Stage::Terminating) => &mut deleted.terminating,
                    None => &mut deleted.available,
                };
                *count = count.saturating_add(1);
                Ok(None)
            }
            // A status that is refused is written again, over the object as it is then.
            Write::UpdateStatus(Object::ReplicaSet(object)) => {
                *status = Some(object.status.clone());
                Ok(Some(Object::ReplicaSet(object)))
            }
            write => Err(ApiError::conflict(&write.key())),
        }
    }

    fn event(&mut self, _: &ObjectKey, _: Event) {}

    fn note(&mut self, _: Decision) {}
}

/// The pods of a ReplicaSet as its sync sees them.
struct SeenPods(Vec<Rc<Pod>>);

impl SeenPods {
    const STARTING: &str = "starting-";
    const READY: &str = "ready-";
    const AVAILABLE: &str = "available-";
    const TERMINATING: &str = "terminating-";

    fn new(owner: &ReplicaSet, view: ReplicaSetView) -> Self {
        let StageCounts { starting, ready, available, terminating } = view.pods;
        let groups = [
            (Self::STARTING, starting),
            (Self::READY, ready),
            (Self::AVAILABLE, available),
            (Self::TERMINATING, terminating),
        ];
        let pods = groups.into_iter().flat_map(|(prefix, count)| (0..count).map(move |index| (prefix, index)));
        Self(pods.map(|(prefix, index)| Rc::new(Self::pod(owner, view.placement, prefix, index))).collect())
    }

    fn pod(owner: &ReplicaSet, placement: Placement, prefix: &str, index: u8) -> Pod {
        let is_available = prefix == Self::AVAILABLE;
        let since = if is_available { LONG_AGO } else { NOW };
        let name = format!("{prefix}{index}");
        let metadata = ObjectMeta {
            namespace: owner.metadata.namespace.clone(),
            uid: name.as_str().into(),
            creation_timestamp: Some(since),
            deletion_timestamp: (prefix == Self::TERMINATING).then_some(NOW),
            labels: owner.spec.template.metadata.labels.clone(),
            owner_references: Rc::new(Vec::from([OwnerReference::controller(
                "apps/v1",
                "ReplicaSet",
                &owner.metadata,
            )])),
            name: name.as_str().into(),
            ..ObjectMeta::default()
        };
        let is_together = is_available && placement == Placement::AvailableTogether;
        let node = if is_together { "shared" } else { &*name };
        let ready = PodCondition {
            type_: "Ready".into(),
            status: if prefix == Self::STARTING { ConditionStatus::False } else { ConditionStatus::True },
            last_transition_time: Some(since),
            unknown: Unknown::default(),
        };
        Pod {
            spec: PodSpec { node_name: Some(node.into()), fields: owner.spec.template.spec.fields.clone() },
            status: PodStatus { phase: PodPhase::Running, conditions: Vec::from([ready]), ..PodStatus::default() },
            metadata: Rc::new(metadata),
        }
    }

    /// The stage that a pod's name tells; none for an available one.
    fn stage_of(name: &str) -> Option<Stage> {
        let stages =
            [(Self::STARTING, Stage::Starting), (Self::READY, Stage::Ready), (Self::TERMINATING, Stage::Terminating)];
        stages.into_iter().find(|(prefix, _)| name.starts_with(prefix)).map(|(_, stage)| stage)
    }

    fn all_active(&self) -> Vec<Rc<Pod>> {
        self.0.iter().filter(|pod| pod.is_active()).cloned().collect()
    }
}

impl Pods for SeenPods {
    fn counts(&self, replica_set: &ReplicaSet, now: Time) -> PodCounts {
        let mut counts = PodCounts::default();
        self.0.iter().for_each(|pod| counts.count(pod, replica_set, now));
        counts
    }

    fn unclaimed(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        Vec::new()
    }

    fn active(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.all_active()
    }

    fn related(&self, _: &ReplicaSet) -> Vec<Rc<Pod>> {
        self.all_active()
    }
}
