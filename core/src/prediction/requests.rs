//! The user's requests to Deployments, StatefulSets, DaemonSets and Jobs in a timeline, and the deadlines that Deployments report:
//! in one pass for all.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::answer::{ImageChange, JobChange, WorkloadChange};
use super::rollout_plan::RolloutPlan;
use crate::collect_tree::CollectTree;
use crate::controller::Event;
use crate::feature_gates::FeatureGates;
use crate::object::{Kind, Object, ObjectKey, PodTemplateSpec};
use crate::scenario::refusal_in;
use crate::timeline::{Actor, Change, Timeline};
use crate::workload::daemon_set::DaemonSet;
use crate::workload::daemon_set::figures as daemon_set;
use crate::workload::deployment::Deployment;
use crate::workload::deployment::controller::{equal_ignore_hash, get_deployment_condition, limit, min_available};
use crate::workload::job::Job;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::stateful_set::StatefulSet;
use crate::workload::stateful_set::figures as stateful_set;

/// What the user asks of the Deployments, and what they report of their deadline.
#[derive(Debug)]
pub(super) struct Requests<'a> {
    timeline: &'a Timeline,
    /// Each Deployment as the user's request leaves it.
    asked: BTreeMap<&'a ObjectKey, &'a Deployment>,
    /// Each StatefulSet as the user's request leaves it.
    stateful_sets: BTreeMap<&'a ObjectKey, &'a StatefulSet>,
    /// Each DaemonSet that the user asks for something, as it is at the end.
    daemon_sets: BTreeMap<&'a ObjectKey, &'a DaemonSet>,
    /// Each Job as the user's request leaves it.
    jobs: BTreeMap<&'a ObjectKey, &'a Job>,
    /// When a Deployment reports that its deadline has passed, for the first time.
    deadlines: BTreeMap<&'a ObjectKey, i64>,
    /// Why workloads can't create pods, in the API server's words.
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
        let (mut failures, mut stateful_sets) = (BTreeMap::new(), BTreeMap::new());
        let mut daemon_sets = BTreeMap::new();
        for step in &timeline.steps {
            // The status of these says nothing of it. An event follows the last step, whatever that is about.
            if matches!(&step.change, Some(Change { before: None, after: Some(Object::Pod(_)), .. })) {
                failures.remove(&*step.about);
            }
            let is_silent = |about: &ObjectKey| about.kind.is_predicted() && about.kind.creates() == Some(Kind::Pod);
            let refusals = step.events.iter().filter(|(about, _)| is_silent(about));
            failures.extend(
                refusals.filter_map(|(about, Event { reason, message, .. })| {
                    Some((&**about, refusal_in(reason, message)?))
                }),
            );
            if let Some(Change { key, after: Some(Object::Job(after)), .. }) = &step.change
                && step.actor == Actor::User
            {
                jobs.entry(&**key).or_insert(&**after);
            }
            if let Some(Change { key, after: Some(Object::StatefulSet(after)), .. }) = &step.change
                && step.actor == Actor::User
            {
                stateful_sets.entry(&**key).or_insert(&**after);
            }
            if let Some(Change { key, after: Some(Object::DaemonSet(after)), .. }) = &step.change
                && (step.actor == Actor::User || daemon_sets.contains_key(&**key))
            {
                daemon_sets.insert(&**key, &**after);
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
        let not_started = plan.waiting(timeline.scenario.actions.len()).collect_tree();
        Self { timeline, asked, stateful_sets, daemon_sets, jobs, deadlines, failures, created, not_started }
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

    /// The StatefulSet at the start.
    fn set_before(&self, key: &ObjectKey) -> Option<&'a StatefulSet> {
        match self.timeline.initial.get(key) {
            Some(Object::StatefulSet(before)) => Some(before),
            _ => None,
        }
    }

    /// The StatefulSet as the user's request leaves it, or, without one, as it is at the start.
    pub(super) fn set_after(&self, key: &ObjectKey) -> Option<&'a StatefulSet> {
        self.stateful_sets.get(key).copied().or_else(|| self.set_before(key))
    }

    /// The DaemonSet at the start.
    fn daemon_set_before(&self, key: &ObjectKey) -> Option<&'a DaemonSet> {
        match self.timeline.initial.get(key) {
            Some(Object::DaemonSet(before)) => Some(before),
            _ => None,
        }
    }

    /// The DaemonSet at the end, or, if nothing was asked of it, at the start.
    pub(super) fn daemon_set_after(&self, key: &ObjectKey) -> Option<&'a DaemonSet> {
        self.daemon_sets.get(key).copied().or_else(|| self.daemon_set_before(key))
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

    /// The change of a Deployment, a StatefulSet or a DaemonSet, if there is one.
    pub(super) fn change(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        match key.kind {
            Kind::StatefulSet => return self.set_change(key),
            Kind::DaemonSet => return self.daemon_set_change(key),
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

    /// The deletion of a Deployment, a StatefulSet or a DaemonSet.
    pub(super) fn deletion(&self, key: &ObjectKey) -> Option<WorkloadChange> {
        Some(WorkloadChange {
            created: false,
            deleted: true,
            rollout: false,
            replicas_before: match key.kind {
                Kind::StatefulSet => self.set_before(key)?.spec.replicas,
                Kind::DaemonSet => self.daemon_set_before(key)?.status.desired_number_scheduled,
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
        .collect_tree()
}
