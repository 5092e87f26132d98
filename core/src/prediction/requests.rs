//! The user's requests to workloads in a simulation, and the deadlines that Deployments report.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::answer::{ImageChange, JobChange, WorkloadChange};
use crate::controller::Event;
use crate::feature_gates::FeatureGates;
use crate::object::{Kind, Object, ObjectKey, PodTemplateSpec, Time};
use crate::scenario::refusal_in;
use crate::timeline::{Actor, State, Step};
use crate::workload::daemon_set::DaemonSet;
use crate::workload::daemon_set::figures as daemon_set;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{equal_ignore_hash, get_deployment_condition, limit, min_available};
use crate::workload::job::Job;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replication_controller::ReplicationController;
use crate::workload::stateful_set::StatefulSet;
use crate::workload::stateful_set::figures as stateful_set;

/// What the user asks of the Deployments, and what they report of their deadline.
#[derive(Debug)]
pub(super) struct Requests {
    start: Time,
    initial: Rc<State>,
    /// The ReplicaSets at the start, by their uids, each with the Deployment that it belongs to.
    old_replica_sets: BTreeMap<Rc<str>, (ObjectKey, Rc<ReplicaSet>)>,
    /// Each Deployment as the user's request leaves it.
    asked: BTreeMap<Rc<ObjectKey>, Rc<Deployment>>,
    /// Each StatefulSet as the user's request leaves it.
    stateful_sets: BTreeMap<Rc<ObjectKey>, Rc<StatefulSet>>,
    /// Each DaemonSet that the user asks for something, as it is at the end.
    daemon_sets: BTreeMap<Rc<ObjectKey>, Rc<DaemonSet>>,
    /// Each ReplicationController as the user's request leaves it.
    replication_controllers: BTreeMap<Rc<ObjectKey>, Rc<ReplicationController>>,
    /// Each Job as the user's request leaves it.
    jobs: BTreeMap<Rc<ObjectKey>, Rc<Job>>,
    /// When a Deployment reports that its deadline has passed, for the first time.
    deadlines: BTreeMap<Rc<ObjectKey>, i64>,
    /// Why workloads can't create pods, in the API server's words.
    failures: BTreeMap<Rc<ObjectKey>, String>,
    /// How many pods the ReplicaSets that were there before create after the user's request, and when the first one.
    created: BTreeMap<ObjectKey, (Rc<ReplicaSet>, i32, i64)>,
}

impl Requests {
    /// Those of a simulation, before its first step.
    pub(super) fn new(start: Time, initial: &Rc<State>) -> Self {
        let owned = |replica_set: &Rc<ReplicaSet>| {
            let deployment = replica_set.metadata.controller_key(Kind::Deployment)?;
            Some((replica_set.metadata.uid.clone(), (deployment, replica_set.clone())))
        };
        Self {
            start,
            initial: initial.clone(),
            old_replica_sets: initial.replica_sets().filter_map(owned).collect(),
            asked: BTreeMap::new(),
            stateful_sets: BTreeMap::new(),
            daemon_sets: BTreeMap::new(),
            replication_controllers: BTreeMap::new(),
            jobs: BTreeMap::new(),
            deadlines: BTreeMap::new(),
            failures: BTreeMap::new(),
            created: BTreeMap::new(),
        }
    }

    /// The next step.
    pub(super) fn observe(&mut self, step: &Step) {
        let since_start = step.time.since(self.start);
        let is_silent = |about: &ObjectKey| about.kind.is_predicted() && about.kind.creates() == Some(Kind::Pod);
        let refusals = step.events.iter().filter(|(about, _)| is_silent(about));
        let refusals = refusals.filter_map(|(about, Event { reason, message, .. })| {
            Some((about.clone(), String::from(refusal_in(reason, message)?)))
        });
        let Some(change) = &step.change else {
            self.failures.extend(refusals);
            return;
        };
        // The status of these says nothing of it. An event follows the last step, whatever that is about.
        if matches!((&change.before, &change.after), (None, Some(Object::Pod(_)))) {
            self.failures.remove(&*step.about);
        }
        self.failures.extend(refusals);
        let is_asked = step.actor == Actor::User;
        match &change.after {
            Some(Object::Job(after)) if is_asked => {
                self.jobs.entry(change.key.clone()).or_insert_with(|| after.clone());
            }
            Some(Object::StatefulSet(after)) if is_asked => {
                self.stateful_sets.entry(change.key.clone()).or_insert_with(|| after.clone());
            }
            Some(Object::ReplicationController(after)) if is_asked => {
                self.replication_controllers.entry(change.key.clone()).or_insert_with(|| after.clone());
            }
            Some(Object::DaemonSet(after)) if is_asked || self.daemon_sets.contains_key(&change.key) => {
                self.daemon_sets.insert(change.key.clone(), after.clone());
            }
            Some(Object::Pod(pod)) if change.before.is_none() => {
                if let Some(owner) = pod.metadata.controller()
                    && let Some((deployment, replica_set)) = self.old_replica_sets.get(&owner.uid)
                    && self.asked.contains_key(deployment)
                {
                    let created = self.created.entry(deployment.clone());
                    let (_, count, _) = created.or_insert_with(|| (replica_set.clone(), 0, since_start));
                    *count = count.saturating_add(1);
                }
            }
            Some(Object::Deployment(after)) => {
                if is_asked {
                    self.asked.entry(change.key.clone()).or_insert_with(|| after.clone());
                }
                match get_deployment_condition(&after.status, "ReplicaFailure") {
                    Some(failure) => self.failures.insert(change.key.clone(), String::from(&*failure.message)),
                    None => self.failures.remove(&change.key),
                };
                let progressing = get_deployment_condition(&after.status, "Progressing");
                if progressing.is_some_and(|condition| &*condition.reason == "ProgressDeadlineExceeded") {
                    self.deadlines.entry(change.key.clone()).or_insert(since_start);
                }
            }
            _ => {}
        }
    }

    /// How many pods of the old version a Deployment starts because its change also scales it, when the first one, and their image.
    pub(super) fn old_version_pods(&self, key: &ObjectKey) -> Option<(i32, i64, &str)> {
        let (replica_set, count, at) = self.created.get(key)?;
        let template = &replica_set.spec.template;
        let is_old = !equal_ignore_hash(template, &self.asked.get(key)?.spec.template);
        let image = template.spec.fields.containers.first().map_or("", |container| container.image.as_str());
        is_old.then_some((*count, *at, image))
    }

    /// The Deployments at the start.
    pub(super) fn deployments_before(&self) -> impl Iterator<Item = &Deployment> {
        self.initial.deployments().map(|deployment| &**deployment)
    }

    /// The Deployment at the start.
    pub(super) fn before(&self, key: &ObjectKey) -> Option<&Deployment> {
        match self.initial.get(key) {
            Some(Object::Deployment(before)) => Some(before),
            _ => None,
        }
    }

    /// The StatefulSet at the start.
    pub(super) fn set_before(&self, key: &ObjectKey) -> Option<&StatefulSet> {
        match self.initial.get(key) {
            Some(Object::StatefulSet(before)) => Some(before),
            _ => None,
        }
    }

    /// The StatefulSet as the user's request leaves it, or, without one, as it is at the start.
    pub(super) fn set_after(&self, key: &ObjectKey) -> Option<&StatefulSet> {
        self.stateful_sets.get(key).map(|asked| &**asked).or_else(|| self.set_before(key))
    }

    /// The DaemonSet at the start.
    fn daemon_set_before(&self, key: &ObjectKey) -> Option<&DaemonSet> {
        match self.initial.get(key) {
            Some(Object::DaemonSet(before)) => Some(before),
            _ => None,
        }
    }

    /// The DaemonSet at the end, or, if nothing was asked of it, at the start.
    pub(super) fn daemon_set_after(&self, key: &ObjectKey) -> Option<&DaemonSet> {
        self.daemon_sets.get(key).map(|asked| &**asked).or_else(|| self.daemon_set_before(key))
    }

    /// The ReplicationController as the user's request leaves it, or, without one, as it is at the start.
    pub(super) fn replication_controller_after(&self, key: &ObjectKey) -> Option<&ReplicationController> {
        let asked = self.replication_controllers.get(key).map(|asked| &**asked);
        asked.or_else(|| self.replication_controller_before(key))
    }

    /// The ReplicationController at the start.
    pub(super) fn replication_controller_before(&self, key: &ObjectKey) -> Option<&ReplicationController> {
        match self.initial.get(key) {
            Some(Object::ReplicationController(before)) => Some(before),
            _ => None,
        }
    }

    /// The change of a Job, if there is one.
    pub(super) fn job_change(&self, key: &ObjectKey) -> Option<JobChange> {
        let after = self.jobs.get(key)?;
        let before = match self.initial.get(key) {
            Some(Object::Job(before)) => Some(before),
            _ => None,
        };
        let parallelism = |job: &Job| job.spec.parallelism.unwrap_or(1);
        let is_suspended = |job: &Job| job.spec.suspend == Some(true);
        Some(JobChange {
            created: before.is_none(),
            deleted: false,
            parallelism_before: before.map_or(0, |before| parallelism(before)),
            parallelism: parallelism(after),
            completions: after.spec.completions,
            suspended_before: before.is_some_and(|before| is_suspended(before)),
            suspended: is_suspended(after),
        })
    }

    /// The deletion of a Job.
    pub(super) fn job_deletion(&self, key: &ObjectKey) -> Option<JobChange> {
        let Some(Object::Job(before)) = self.initial.get(key) else { return None };
        Some(JobChange {
            created: false,
            deleted: true,
            parallelism_before: before.spec.parallelism.unwrap_or(1),
            parallelism: 0,
            completions: before.spec.completions,
            suspended_before: before.spec.suspend == Some(true),
            suspended: false,
        })
    }

    /// The Deployment as the user's request leaves it, or, without one, as it is at the start.
    pub(super) fn after(&self, key: &ObjectKey) -> Option<&Deployment> {
        self.asked.get(key).map(|asked| &**asked).or_else(|| self.before(key))
    }

    /// The Deployment as the user's request leaves it.
    pub(super) fn changed(&self, key: &ObjectKey) -> Option<&Deployment> {
        self.asked.get(key).map(|asked| &**asked)
    }

    /// Why it can't create pods, in the API server's words.
    pub(super) fn failure(&self, key: &ObjectKey) -> Option<&str> {
        self.failures.get(key).map(String::as_str)
    }

    /// When it reports that its deadline has passed.
    pub(super) fn deadline_exceeded(&self, key: &ObjectKey) -> Option<i64> {
        self.deadlines.get(key).copied()
    }

    /// The change of a workload whose pods don't end, if there is one.
    pub(super) fn change(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        match key.kind {
            Kind::StatefulSet => return self.set_change(key),
            Kind::DaemonSet => return self.daemon_set_change(key),
            Kind::ReplicationController => return self.replication_controller_change(key),
            _ => {}
        }
        let (after, before) = (self.asked.get(key)?, self.before(key));
        Some(WorkloadChange {
            created: before.is_none(),
            deleted: false,
            rollout: before.is_some_and(|before| !equal_ignore_hash(&before.spec.template, &after.spec.template)),
            replicas_before: before.map_or(0, |before| before.spec.replicas),
            replicas: after.spec.replicas,
            limit: limit(after),
            min_available: min_available(after),
            images: image_changes(before.map(|before| &*before.spec.template), &after.spec.template),
        })
    }

    fn set_change(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        let (after, before) = (self.stateful_sets.get(key)?, self.set_before(key));
        Some(WorkloadChange {
            created: before.is_none(),
            deleted: false,
            rollout: before.is_some_and(|before| before.spec.template != after.spec.template),
            replicas_before: before.map_or(0, |before| before.spec.replicas),
            replicas: after.spec.replicas,
            limit: after.spec.replicas,
            min_available: stateful_set::fewest_available(after, FeatureGates::default()),
            images: image_changes(before.map(|before| &*before.spec.template), &after.spec.template),
        })
    }

    /// Its pods are those of the nodes that suit them.
    fn daemon_set_change(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        let (after, before) = (self.daemon_sets.get(key)?, self.daemon_set_before(key));
        Some(WorkloadChange {
            created: before.is_none(),
            deleted: false,
            rollout: before.is_some_and(|before| before.spec.template != after.spec.template),
            replicas_before: before.map_or(0, |before| before.status.desired_number_scheduled),
            replicas: after.status.desired_number_scheduled,
            limit: daemon_set::most_pods(after),
            min_available: daemon_set::fewest_available(after),
            images: image_changes(before.map(|before| &*before.spec.template), &after.spec.template),
        })
    }

    /// Nothing replaces its pods.
    fn replication_controller_change(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        let (after, before) = (self.replication_controllers.get(key)?, self.replication_controller_before(key));
        let replicas_before = before.map_or(0, |before| before.spec.replicas);
        Some(WorkloadChange {
            created: before.is_none(),
            deleted: false,
            rollout: false,
            replicas_before,
            replicas: after.spec.replicas,
            limit: after.spec.replicas,
            min_available: replicas_before.min(after.spec.replicas),
            images: image_changes(before.map(|before| &*before.spec.template), &after.spec.template),
        })
    }

    /// The deletion of a workload whose pods don't end.
    pub(super) fn deletion(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        Some(WorkloadChange {
            created: false,
            deleted: true,
            rollout: false,
            replicas_before: match key.kind {
                Kind::StatefulSet => self.set_before(key)?.spec.replicas,
                Kind::DaemonSet => self.daemon_set_before(key)?.status.desired_number_scheduled,
                Kind::ReplicationController => self.replication_controller_before(key)?.spec.replicas,
                _ => self.before(key)?.spec.replicas,
            },
            replicas: 0,
            limit: 0,
            min_available: 0,
            images: Vec::new(),
        })
    }
}

/// The images of the containers that are new or have another one.
fn image_changes(before: Option<&PodTemplateSpec>, after: &PodTemplateSpec) -> Vec<ImageChange> {
    let containers = before.map(|before| &before.spec.fields.containers);
    let changes = after.spec.fields.containers.iter().filter_map(|container| {
        let from = containers.into_iter().flatten().find(|other| other.name == container.name);
        let change = ImageChange {
            container: container.name.clone(),
            from: from.map(|from| from.image.clone()),
            to: container.image.clone(),
        };
        (change.from.as_ref() != Some(&change.to)).then_some(change)
    });
    changes.collect()
}
