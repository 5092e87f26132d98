//! What the user asks of the Deployments and Jobs in a timeline, and what they report of their deadline: in one pass for all.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::answer::{ImageChange, JobChange, WorkloadChange};
use super::rollout_plan::RolloutPlan;
use crate::object::{Kind, Object, ObjectKey};
use crate::timeline::{Actor, Change, Timeline};
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{equal_ignore_hash, get_deployment_condition, limit, min_available};
use crate::workload::job::Job;
use crate::workload::replica_set::ReplicaSet;

/// What the user asks of the Deployments, and what they report of their deadline.
#[derive(Debug)]
pub(super) struct Requests<'a> {
    timeline: &'a Timeline,
    /// Each Deployment as the user's request leaves it.
    asked: BTreeMap<&'a ObjectKey, &'a Deployment>,
    /// Each Job as the user's request leaves it.
    jobs: BTreeMap<&'a ObjectKey, &'a Job>,
    /// When a Deployment reports that its deadline has passed, for the first time.
    deadlines: BTreeMap<&'a ObjectKey, i64>,
    /// Why Deployments can't create pods, in the API server's words.
    failures: BTreeMap<&'a ObjectKey, &'a str>,
    /// How many pods the ReplicaSets that were there before create after the user's request, and when the first one.
    created: BTreeMap<ObjectKey, (&'a ReplicaSet, i32, i64)>,
    /// The Deployments whose change never starts.
    pub(super) not_started: BTreeSet<&'a ObjectKey>,
}

impl<'a> Requests<'a> {
    pub(super) fn of(timeline: &'a Timeline, plan: &'a RolloutPlan) -> Self {
        let (mut asked, mut jobs, mut deadlines) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (replica_sets, mut created) = (old_replica_sets(timeline), BTreeMap::new());
        let mut failures = BTreeMap::new();
        for step in &timeline.steps {
            if let Some(Change { key, after: Some(Object::Job(after)), .. }) = &step.change
                && step.actor == Actor::User
            {
                jobs.entry(&**key).or_insert(&**after);
            }
            if let Some(Change { before: None, after: Some(Object::Pod(pod)), .. }) = &step.change
                && let Some(owner) = pod.metadata.controller()
                && let Some((deployment, replica_set)) = replica_sets.get(&owner.uid)
                && asked.contains_key(deployment)
            {
                let since = step.time.since(timeline.scenario.start);
                let (_, count, _) = created.entry(deployment.clone()).or_insert((*replica_set, 0_i32, since));
                *count = count.saturating_add(1);
            }
            let Some(change) = step.change.as_ref().filter(|change| change.key.kind == Kind::Deployment) else {
                continue;
            };
            let Some(Object::Deployment(after)) = &change.after else { continue };
            if step.actor == Actor::User {
                asked.entry(&*change.key).or_insert(&**after);
            }
            match get_deployment_condition(&after.status, "ReplicaFailure") {
                Some(failure) => failures.insert(&*change.key, &*failure.message),
                None => failures.remove(&*change.key),
            };
            let progressing = get_deployment_condition(&after.status, "Progressing");
            if progressing.is_some_and(|condition| &*condition.reason == "ProgressDeadlineExceeded") {
                deadlines.entry(&*change.key).or_insert(step.time.since(timeline.scenario.start));
            }
        }
        let not_started = plan.waiting(timeline.scenario.actions.len()).collect();
        Self { timeline, asked, jobs, deadlines, failures, created, not_started }
    }

    /// How many pods of the old version a Deployment starts because its change also scales it, when the first one, and their image.
    pub(super) fn old_version_pods(&self, key: &ObjectKey) -> Option<(i32, i64, &'a str)> {
        let (replica_set, count, at) = self.created.get(key)?;
        let template = &replica_set.spec.template;
        let is_old = !equal_ignore_hash(template, &self.asked.get(key)?.spec.template);
        let image = template.spec.fields.containers.first().map_or("", |container| container.image.as_str());
        is_old.then_some((*count, *at, image))
    }

    /// The Deployments at the start.
    pub(super) fn deployments_before(&self) -> impl Iterator<Item = &'a Deployment> {
        self.timeline.initial.deployments().map(|deployment| &**deployment)
    }

    /// The Deployment at the start.
    pub(super) fn before(&self, key: &ObjectKey) -> Option<&'a Deployment> {
        match self.timeline.initial.get(key) {
            Some(Object::Deployment(before)) => Some(before),
            _ => None,
        }
    }

    /// The change of a Job, if there is one.
    pub(super) fn job_change(&self, key: &ObjectKey) -> Option<JobChange> {
        let after = self.jobs.get(key)?;
        let before = match self.timeline.initial.get(key) {
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
        let Some(Object::Job(before)) = self.timeline.initial.get(key) else { return None };
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
    pub(super) fn after(&self, key: &ObjectKey) -> Option<&'a Deployment> {
        self.asked.get(key).copied().or_else(|| self.before(key))
    }

    /// The Deployment as the user's request leaves it.
    pub(super) fn changed(&self, key: &ObjectKey) -> Option<&'a Deployment> {
        self.asked.get(key).copied()
    }

    /// Why it can't create pods, in the API server's words.
    pub(super) fn failure(&self, key: &ObjectKey) -> Option<&'a str> {
        self.failures.get(key).copied()
    }

    /// When it reports that its deadline has passed.
    pub(super) fn deadline_exceeded(&self, key: &ObjectKey) -> Option<i64> {
        self.deadlines.get(key).copied()
    }

    /// The change of a Deployment, if there is one.
    pub(super) fn change(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        let (after, before) = (self.asked.get(key)?, self.before(key));
        let images = after.spec.template.spec.fields.containers.iter().filter_map(|container| {
            let containers = before.map(|before| &before.spec.template.spec.fields.containers);
            let from = containers.into_iter().flatten().find(|other| other.name == container.name);
            let change = ImageChange {
                container: container.name.clone(),
                from: from.map(|from| from.image.clone()),
                to: container.image.clone(),
            };
            (change.from.as_ref() != Some(&change.to)).then_some(change)
        });
        Some(WorkloadChange {
            created: before.is_none(),
            deleted: false,
            rollout: before.is_some_and(|before| !equal_ignore_hash(&before.spec.template, &after.spec.template)),
            replicas_before: before.map_or(0, |before| before.spec.replicas),
            replicas: after.spec.replicas,
            limit: limit(after),
            min_available: min_available(after),
            images: images.collect(),
        })
    }

    /// The deletion of a Deployment.
    pub(super) fn deletion(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        Some(WorkloadChange {
            created: false,
            deleted: true,
            rollout: false,
            replicas_before: self.before(key)?.spec.replicas,
            replicas: 0,
            limit: 0,
            min_available: 0,
            images: Vec::new(),
        })
    }
}

/// The ReplicaSets at the start, by their uids, each with the Deployment that it belongs to.
fn old_replica_sets(timeline: &Timeline) -> BTreeMap<&Rc<str>, (ObjectKey, &ReplicaSet)> {
    let replica_sets = timeline.initial.objects().filter_map(|object| match object {
        Object::ReplicaSet(replica_set) => Some(&**replica_set),
        _ => None,
    });
    replica_sets
        .filter_map(|replica_set| {
            let deployment = replica_set.metadata.controller_key(Kind::Deployment)?;
            Some((&replica_set.metadata.uid, (deployment, replica_set)))
        })
        .collect()
}
