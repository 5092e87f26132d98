//! Where the rollouts of the StatefulSets and DaemonSets of a running cluster stand, and what holds them up.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use serde_json::json;

use super::next_steps::next_steps;
use super::obstacle::{Obstacle, Rollback};
use super::outlook::{Outlook, RolloutOutlook, Standing, unseen_change};
use super::remedy::PodInTheWay;
use super::workload_status::UnplacedDaemonSet;
use crate::cluster::Decision;
use crate::controller;
use crate::object::{ControllerRevision, Kind, Object, ObjectKey, Pod};
use crate::scenario::{StuckCause, StuckPod};
use crate::timeline::{Series, Totals};
use crate::workload::daemon_set::controller::{get_template_generation, is_pod_updated};
use crate::workload::daemon_set::{DAEMON_SET_UNIQUE_LABEL, UpdateStrategyType as DaemonSetStrategy};
use crate::workload::stateful_set::controller::{first_updated_ordinal, get_ordinal, get_pod_revision};
use crate::workload::stateful_set::decision as stateful_set;
use crate::workload::stateful_set::{PodManagementPolicy, UpdateStrategyType as StatefulSetStrategy};

/// What a set has in common with others for its outlook.
struct Set<'a> {
    generation: i64,
    observed_generation: i64,
    is_deleting: bool,
    /// Whether its controller replaces a pod only once all before it are ready.
    is_ordered: bool,
    /// The revision of its template; empty if that is unknown.
    update_revision: &'a str,
    /// Whether its status says that it ran another template before.
    has_older_revision: bool,
    /// The ordinals that it wants.
    ordinals: Range<i64>,
    /// The first ordinal whose pod gets the template.
    first_updated: i64,
    /// Whether its controller replaces no pods: a user deletes them.
    is_on_delete: bool,
}

impl<'a> Set<'a> {
    /// None for an object of another kind.
    fn of(object: &'a Object) -> Option<Self> {
        let metadata = object.metadata();
        let (generation, is_deleting) = (metadata.generation, metadata.deletion_timestamp.is_some());
        match object {
            Object::StatefulSet(set) => Some(Self {
                generation,
                observed_generation: set.status.observed_generation,
                is_deleting,
                is_ordered: set.spec.pod_management_policy == PodManagementPolicy::OrderedReady,
                update_revision: &set.status.update_revision,
                has_older_revision: set.status.current_revision != set.status.update_revision,
                ordinals: {
                    let start = i64::from(set.start_ordinal());
                    start..start.saturating_add(set.spec.replicas.into())
                },
                first_updated: first_updated_ordinal(set),
                is_on_delete: set.spec.update_strategy.type_ == StatefulSetStrategy::OnDelete,
            }),
            Object::DaemonSet(set) => Some(Self {
                generation,
                observed_generation: set.status.observed_generation,
                is_deleting,
                is_ordered: false,
                update_revision: "",
                has_older_revision: false,
                ordinals: 0..i64::MAX,
                first_updated: 0,
                is_on_delete: set.spec.update_strategy.type_ == DaemonSetStrategy::OnDelete,
            }),
            _ => None,
        }
    }
}

impl Set<'_> {
    /// Whether its controller waits for a pod that never becomes ready, although another template could help it. A pod below the partition
    /// comes back as it was.
    fn waits_for(&self, pod: &StuckPod, is_old: bool) -> bool {
        let depends_on_template = match pod.cause {
            StuckCause::Container { .. }
            | StuckCause::InitRuns { .. }
            | StuckCause::Unready { .. }
            | StuckCause::NoNode { .. } => true,
            StuckCause::Gated { .. } | StuckCause::Untouched { .. } | StuckCause::Refused { .. } => false,
        };
        let is_replaced = |ordinal| self.ordinals.contains(&ordinal) && (!is_old || ordinal >= self.first_updated);
        depends_on_template && ordinal_of(pod).is_some_and(is_replaced)
    }
}

/// The ordinal of a StatefulSet's pod.
fn ordinal_of(pod: &StuckPod) -> Option<i64> {
    pod.name.rsplit_once('-').and_then(|(_, ordinal)| ordinal.parse().ok())
}

impl Outlook {
    /// The state of the rollout of a StatefulSet or a DaemonSet; none for another kind.
    pub(super) fn set_rollout(&self, key: &ObjectKey, series: &Series) -> Option<RolloutOutlook> {
        let initial = &self.timeline.initial;
        let set = Set::of(initial.get(key)?)?;
        let point = series.points.first()?;
        let end = self.timeline.time_at(self.timeline.len());
        let Totals { complete, last_old_pod_gone, .. } = Totals::of(&series.points, self.timeline.scenario.start, end);
        let lacks_pods = self.sets_without_pods.contains(key);
        // A simulation creates pods of a set whatever its Events say.
        let is_unplayed = self.stuck_pods_of(key).any(StuckPod::is_refused);
        let complete = complete.filter(|_| !is_unplayed);
        let idle = self.idle_controller(key, set.generation, set.observed_generation).filter(|_| !set.is_deleting);
        let waiting = self.waiting_controller(key).filter(|_| idle.is_none() && !set.is_deleting);
        let is_forecast = !is_unplayed && idle.is_none() && waiting.is_none() && !lacks_pods;
        let complete = complete.filter(|_| is_forecast);
        let standing = match complete {
            _ if lacks_pods => Standing::Unknown,
            _ if set.is_deleting => Standing::Deleting,
            Some(0) => Standing::Complete,
            Some(_) => Standing::Progressing,
            None if waiting.is_some() && !is_unplayed => Standing::Progressing,
            None => Standing::Stuck,
        };
        let obstacles = match (standing, idle) {
            (_, Some(idle)) => [idle].into_iter().chain(self.failed_pods_of(key)).collect(),
            (Standing::Unknown, _) => {
                Vec::from([Obstacle::new("its pods were not given, so only its status is known")
                    .with_remedy("read its pods, too")
                    .with_command(self.kubectl.get_pods(key))])
            }
            _ => self.obstacles_of_set(key, &set, complete, point.rollout.old).into_iter().chain(waiting).collect(),
        };
        let new_terminating = self.pods_of_set(key).filter(|pod| pod.metadata.deletion_timestamp.is_some());
        let new_terminating = new_terminating.filter(|pod| get_pod_revision(pod) == set.update_revision).count();
        // Of a DaemonSet, only the number of old pods is known.
        let new_terminating = match key.kind {
            Kind::DaemonSet => point.counts.terminating.saturating_sub(point.rollout.old).max(0),
            _ => i32::try_from(new_terminating).unwrap_or(i32::MAX).min(point.counts.terminating),
        };
        Some(RolloutOutlook {
            complete,
            last_old_pod_gone: last_old_pod_gone.filter(|_| is_forecast),
            autoscaler: self.autoscaler_of(key),
            obstacles,
            next: match is_forecast {
                true => next_steps(&self.timeline, |step| *step.about == *key),
                false => Vec::new(),
            },
            is_forecast,
            assumed: self.assumed(key, &self.pods_of_set(key).collect::<Vec<&Pod>>()),
            ..RolloutOutlook::at(key, standing, point, new_terminating)
        })
    }

    /// The state of a DaemonSet without nodes. Nothing is forecast from its status.
    pub(super) fn unplaced_rollout(&self, set: &UnplacedDaemonSet) -> RolloutOutlook {
        let key = &set.key;
        let stuck = self.one_of_each_kind(key, |_| false).into_iter().map(|pod| self.obstacle_of(pod, None));
        let mut obstacles: Vec<Obstacle> = stuck.chain(self.failed_pods_of(key)).collect();
        let is_stuck = !obstacles.is_empty();
        let standing = match set.is_complete() {
            _ if is_stuck => Standing::Stuck,
            true => Standing::Complete,
            false => Standing::Unknown,
        };
        if set.is_on_delete && set.counts.old > 0 {
            obstacles.push(Obstacle::of_pods_until_deletion(set.counts.old));
        }
        if standing != Standing::Complete {
            let missing = Obstacle::new("its nodes were not given, so its status is all that is known");
            obstacles.push(missing.with_remedy("read them, too").with_command(self.kubectl.get_pods(key)));
        }
        RolloutOutlook { obstacles, is_forecast: false, ..RolloutOutlook::of_status(key, standing, set.counts) }
    }

    /// The pods of a StatefulSet or a DaemonSet.
    pub(super) fn pods_of_set<'a>(&'a self, key: &'a ObjectKey) -> impl Iterator<Item = &'a Pod> {
        let is_its = |pod: &&Pod| pod.metadata.controller_key(key.kind).is_some_and(|owner| owner == *key);
        self.timeline.initial.pods().map(|pod| &**pod).filter(is_its)
    }

    /// `old`: how many of its pods have an older template.
    fn obstacles_of_set(&self, key: &ObjectKey, set: &Set<'_>, complete: Option<i64>, old: i32) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        let is_old = |stuck: &StuckPod| self.is_of_older_revision(stuck, set);
        let undo = self.has_older_revision(key, set).then(|| Rollback::new(key, 0, &self.kubectl));
        for pod in self.one_of_each_kind(key, is_old) {
            // The rollout replaces it as it is.
            if is_old(pod) && complete.is_some() {
                continue;
            }
            let blocks = set.is_ordered && complete.is_none() && !set.is_deleting;
            let in_the_way = blocks.then(|| self.pod_in_the_way(pod, is_old(pod), set)).flatten();
            // A rollback is not enough where a pod is in the way.
            let undo = undo.as_ref().filter(|_| !is_old(pod)).map(|undo| match in_the_way {
                Some(_) => undo.with_deletion(&pod.name, &self.kubectl.delete_pods(&key.namespace, &[&pod.name])),
                None => undo.clone(),
            });
            let obstacle = self.obstacle_of(pod, undo.as_ref());
            // The template of an old pod is repaired already.
            match is_old(pod) {
                true => obstacles.extend(in_the_way.into_iter().chain([obstacle.of_old_pods()])),
                false => obstacles.extend([obstacle].into_iter().chain(in_the_way)),
            }
        }
        obstacles.extend(self.failed_pods_of(key));
        obstacles.extend(self.obstacle_of_scale_down(key, set));
        obstacles.extend(self.obstacles_of_claims(key).filter(|_| complete.is_none()));
        let pods: Vec<&Pod> = self.pods_of_set(key).collect();
        obstacles.extend(self.obstacles_of_new_pods(key, &pods, complete));
        obstacles.extend(self.obstacles_of_overdue_pods(&pods));
        // Its controller creates the pod of an ordinal or a node once the old one is gone.
        obstacles.extend(self.obstacle_of_finalizers(&pods, |_| true));
        obstacles.extend(self.lost_nodes(&pods));
        if set.is_deleting {
            obstacles.push(Obstacle::new("it is being deleted, so its rollout has stopped"));
        }
        obstacles.extend(self.obstacle_of_old_pods(key, set, &pods, old).filter(|_| !set.is_deleting));
        obstacles.extend(self.obstacle_of_budget(key, &pods));
        if obstacles.is_empty() {
            obstacles.extend(unseen_change(set.generation, set.observed_generation));
        }
        self.usable_obstacles(obstacles)
    }

    /// Whether a pod is of another revision than the one of its set's template.
    fn is_of_older_revision(&self, stuck: &StuckPod, set: &Set<'_>) -> bool {
        let key = &stuck.deployment;
        let is_known = match key.kind {
            Kind::StatefulSet => !set.update_revision.is_empty(),
            _ => self.revisions_of(key).next().is_some(),
        };
        let pod = self.pods_of_set(key).find(|pod| *pod.metadata.name == *stuck.name);
        is_known && pod.is_some_and(|pod| self.has_older_template(key, set, pod))
    }

    /// The pods that a StatefulSet waits for before it replaces or deletes them.
    pub(super) fn pods_in_the_way<'a>(&'a self, key: &'a ObjectKey) -> Vec<PodInTheWay<'a>> {
        let Some(set) = self.timeline.initial.get(key).and_then(Set::of).filter(|set| set.is_ordered) else {
            return Vec::new();
        };
        let waits_for_template = |pod: &&StuckPod| set.waits_for(pod, self.is_of_older_revision(pod, &set));
        let replaced = self.stuck_pods_of(key).filter(waits_for_template);
        let replaced =
            replaced.map(|pod| PodInTheWay { name: &pod.name, is_unwanted: self.is_of_older_revision(pod, &set) });
        let (_, blocked) = self.blocked_scale_down(key, &set);
        replaced.chain(blocked.into_iter().map(|name| PodInTheWay { name, is_unwanted: true })).collect()
    }

    /// The pods that are not wanted any more and that a StatefulSet does not delete: they are not available, and another one that is not,
    /// the first of the answer, has a lower ordinal.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go processCondemned`
    fn blocked_scale_down<'a>(&'a self, key: &'a ObjectKey, set: &Set<'_>) -> (Option<&'a str>, Vec<&'a str>) {
        let mut stuck: Vec<&StuckPod> = self.stuck_pods_of(key).filter(|pod| ordinal_of(pod).is_some()).collect();
        stuck.sort_by_key(|pod| ordinal_of(pod));
        let Some((first, others)) = stuck.split_first().filter(|_| set.is_ordered) else { return (None, Vec::new()) };
        let is_unwanted = |pod: &&&StuckPod| ordinal_of(pod).is_some_and(|ordinal| !set.ordinals.contains(&ordinal));
        (Some(&*first.name), others.iter().filter(is_unwanted).map(|pod| &*pod.name).collect())
    }

    /// That a StatefulSet does not delete pods that it no longer wants.
    fn obstacle_of_scale_down(&self, key: &ObjectKey, set: &Set<'_>) -> Option<Obstacle> {
        let (first, blocked) = self.blocked_scale_down(key, set);
        let first = first.filter(|_| !blocked.is_empty() && !set.is_deleting)?;
        let (pods, them) = match blocked.as_slice() {
            [pod] => (String::from(*pod), "it"),
            pods => (pods.join(", "), "them"),
        };
        let why = format!(
            "its controller does not delete {pods}, because {first}, which is not available either, has a lower ordinal"
        );
        let command = self.kubectl.delete_pods(&key.namespace, &blocked);
        Some(Obstacle::new(why).with_remedy(format!("delete {them}")).with_command(command))
    }

    /// That a StatefulSet creates no pod because of a claim.
    fn obstacles_of_claims<'a>(&'a self, key: &'a ObjectKey) -> impl Iterator<Item = Obstacle> + 'a {
        let mut named: BTreeSet<&str> = BTreeSet::new();
        let its_steps = self.timeline.steps.iter().filter(move |step| *step.about == *key);
        let waits = its_steps.filter_map(move |step| match &step.decision {
            Decision::Controller(controller::Decision::StatefulSet(decision)) => match decision {
                stateful_set::Decision::WaitForClaim { pod, claim } => Some((
                    claim,
                    format!("{pod} is not created before its claim {claim} is gone, which is being deleted"),
                    "see which finalizers keep the claim, and let their controllers remove them",
                )),
                stateful_set::Decision::WaitForStaleClaim { pod, claim } => Some((
                    claim,
                    format!("{pod} is not created before its claim {claim} is gone, which goes with the former {pod}"),
                    "wait for the garbage collector; to keep the data, remove the claim's ownerReferences",
                )),
                _ => None,
            },
            _ => None,
        });
        waits.filter(move |(claim, ..)| named.insert(&***claim)).map(move |(claim, why, remedy)| {
            let claim = ObjectKey::new(Kind::PersistentVolumeClaim, key.namespace.clone(), claim.clone());
            let finalizers = self.timeline.initial.get(&claim).map(|claim| claim.metadata().finalizers.join(", "));
            let finalizers = finalizers.filter(|finalizers| !finalizers.is_empty());
            let why = finalizers.map_or_else(|| why.clone(), |finalizers| format!("{why} (finalizers: {finalizers})"));
            Obstacle::new(why).with_remedy(remedy).with_command(self.kubectl.describe_claim(&claim))
        })
    }

    /// That pods keep an older template until a user does something.
    fn obstacle_of_old_pods(&self, key: &ObjectKey, set: &Set<'_>, pods: &[&Pod], old: i32) -> Option<Obstacle> {
        if old <= 0 {
            return None;
        }
        if set.is_on_delete {
            let is_old =
                |pod: &&&Pod| pod.metadata.deletion_timestamp.is_none() && self.has_older_template(key, set, pod);
            let last = pods.iter().filter(is_old).max_by_key(|pod| get_ordinal(pod))?;
            let command = self.kubectl.delete_pods(&key.namespace, &[&last.metadata.name]);
            return Some(Obstacle::of_pods_until_deletion(old).with_command(command));
        }
        let is_kept = |pod: &&&Pod| {
            get_ordinal(pod).is_some_and(|ordinal| i64::from(ordinal) < set.first_updated)
                && self.has_older_template(key, set, pod)
        };
        let below = match pods.iter().filter(is_kept).count() {
            0 => return None,
            1 => format!("1 pod with an ordinal below {} keeps", set.first_updated),
            kept => format!("{kept} pods with an ordinal below {} keep", set.first_updated),
        };
        let why = format!("{below} an older template: the partition says so");
        let patch = json!({ "spec": { "updateStrategy": { "rollingUpdate": { "partition": 0 } } } });
        let remedy = "set the partition to 0 to update them, too";
        Some(Obstacle::new(why).with_remedy(remedy).with_command(self.kubectl.patch(key, &patch)))
    }

    /// Whether a rollback of a set may help: neither its older template nor the API server holds up its pods.
    pub(super) fn can_undo_set(&self, key: &ObjectKey) -> bool {
        let Some(set) = self.timeline.initial.get(key).and_then(Set::of) else { return false };
        self.stuck_pods_of(key).all(|pod| !pod.is_refused() && !self.is_of_older_revision(pod, &set))
    }

    /// Whether kubectl can roll a set back.
    fn has_older_revision(&self, key: &ObjectKey, set: &Set<'_>) -> bool {
        set.has_older_revision || self.revisions_of(key).nth(1).is_some()
    }

    /// The revisions of a set that are given.
    pub(super) fn revisions_of<'a>(&'a self, key: &'a ObjectKey) -> impl Iterator<Item = &'a ControllerRevision> {
        let revisions = self.timeline.initial.objects().filter_map(|object| match object {
            Object::ControllerRevision(revision) => Some(&**revision),
            _ => None,
        });
        revisions.filter(|it| it.metadata.controller_key(key.kind).is_some_and(|owner| owner == *key))
    }

    /// Whether a pod of a set is not of its current template.
    fn has_older_template(&self, key: &ObjectKey, set: &Set<'_>, pod: &Pod) -> bool {
        if key.kind == Kind::StatefulSet {
            return get_pod_revision(pod) != set.update_revision;
        }
        let Some(Object::DaemonSet(owner)) = self.timeline.initial.get(key) else { return false };
        let newest = self.revisions_of(key).max_by_key(|revision| revision.spec.revision);
        let hash = newest.and_then(|newest| newest.metadata.labels.get(DAEMON_SET_UNIQUE_LABEL));
        !is_pod_updated(pod, hash.map_or("", String::as_str), get_template_generation(owner))
    }

    /// That a StatefulSet does not recover by itself from a bad template: its controller waits for this pod before it replaces any.
    fn pod_in_the_way(&self, pod: &StuckPod, is_old: bool, set: &Set<'_>) -> Option<Obstacle> {
        let StuckPod { name, deployment: key, .. } = pod;
        // The advice about the scheduler's reasons says it.
        let is_said = matches!(pod.cause, StuckCause::NoNode { .. }) && !is_old;
        if is_said || !set.waits_for(pod, is_old) {
            return None;
        }
        let delete = self.kubectl.delete_pods(&key.namespace, &[name]);
        if is_old {
            let why = format!(
                "its controller replaces pod {name} only once it is ready, and with its old template it never is"
            );
            let remedy = "delete the pod: it comes back with the new template";
            return Some(Obstacle::new(why).with_remedy(remedy).with_command(delete));
        }
        let why = format!("its controller replaces pod {name} only once it is ready, even after a rollback");
        let remedy = "repair the template or roll back, and then delete the pod";
        let command = match self.has_older_revision(key, set) {
            true => format!("{} && {delete}", self.kubectl.rollout("undo", key)),
            false => delete,
        };
        Some(Obstacle::new(why).with_remedy(remedy).with_command(command))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::prediction::{Assumptions, PredictOptions};

    const NOW: &str = "2026-01-01T01:00:00Z";

    fn pod(set: &str, ordinal: usize, revision: &str, status: &Value) -> Value {
        let owner =
            json!({ "apiVersion": "apps/v1", "kind": "StatefulSet", "name": set, "uid": set, "controller": true });
        let labels = json!({ "app": set, "controller-revision-hash": revision, "statefulset.kubernetes.io/pod-name": format!("{set}-{ordinal}"), "apps.kubernetes.io/pod-index": format!("{ordinal}") });
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "name": format!("{set}-{ordinal}"), "namespace": "shop", "uid": format!("{set}-{ordinal}"), "creationTimestamp": "2026-01-01T00:00:00Z", "labels": labels, "ownerReferences": [owner] },
            "spec": { "containers": [{ "name": "db", "image": "db:1" }], "nodeName": "node-1", "hostname": format!("{set}-{ordinal}") },
            "status": status,
        })
    }

    /// A StatefulSet in the middle of an update whose last pod has the template of `last`, and crashes.
    fn state(last: &str) -> Vec<Value> {
        let template = json!({ "metadata": { "labels": { "app": "db" } }, "spec": { "containers": [{ "name": "db", "image": "db:3" }] } });
        let ready = json!({ "phase": "Running", "conditions": [{ "type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z" }] });
        let crashed = json!({ "phase": "Running", "containerStatuses": [{
            "name": "db", "ready": false, "restartCount": 9,
            "state": { "waiting": { "reason": "CrashLoopBackOff" } },
            "lastState": { "terminated": { "reason": "Error", "exitCode": 1 } },
        }] });
        let set = json!({
            "apiVersion": "apps/v1", "kind": "StatefulSet",
            "metadata": { "name": "db", "namespace": "shop", "uid": "db", "generation": 3, "creationTimestamp": "2026-01-01T00:00:00Z" },
            "spec": {
                "replicas": 3, "serviceName": "db", "selector": { "matchLabels": { "app": "db" } }, "template": template,
                "podManagementPolicy": "OrderedReady", "updateStrategy": { "type": "RollingUpdate", "rollingUpdate": { "partition": 0 } },
            },
            "status": { "observedGeneration": 3, "replicas": 3, "readyReplicas": 2, "currentReplicas": 2, "currentRevision": "db-1", "updateRevision": "db-3" },
        });
        Vec::from([set, pod("db", 0, "db-1", &ready), pod("db", 1, "db-1", &ready), pod("db", 2, last, &crashed)])
    }

    fn rollout(objects: &[Value]) -> RolloutOutlook {
        let assumptions = Assumptions { now: crate::object::Time::parse(NOW), ..Assumptions::default() };
        let options = PredictOptions { assumptions, ..PredictOptions::default() };
        let outlook = Outlook::of(objects, &options).unwrap();
        let [rollout] = outlook.rollouts().collect::<Vec<_>>().try_into().unwrap();
        rollout
    }

    #[test]
    fn a_pod_of_a_bad_template_blocks_the_repaired_one() {
        let rollout = rollout(&state("db-2"));
        assert_eq!(rollout.standing, Standing::Stuck, "{rollout:?}");
        let command = "kubectl delete pod db-2 --namespace shop";
        assert!(rollout.obstacles.iter().any(|it| it.command.as_deref() == Some(command)), "{rollout:?}");
    }

    #[test]
    fn a_rollback_alone_does_not_help() {
        let rollout = rollout(&state("db-3"));
        let command =
            "kubectl rollout undo statefulset/db --namespace shop && kubectl delete pod db-2 --namespace shop";
        assert!(rollout.obstacles.iter().any(|it| it.command.as_deref() == Some(command)), "{rollout:?}");
    }

    #[test]
    fn a_pod_below_the_partition_is_not_deleted() {
        let mut objects = state("db-2");
        objects[0]["spec"]["updateStrategy"]["rollingUpdate"]["partition"] = json!(3);
        let rollout = rollout(&objects);
        assert!(rollout.obstacles.iter().all(|it| !it.why.contains("only once it is ready")), "{rollout:?}");
    }

    #[test]
    fn a_crashing_pod_of_a_daemon_set_is_an_obstacle() {
        let [_, _, _, mut crashing] = <[Value; 4]>::try_from(state("agent-1")).unwrap();
        crashing["metadata"] = json!({
            "name": "agent-x", "namespace": "shop", "uid": "agent-x", "creationTimestamp": "2026-01-01T00:00:00Z", "labels": { "app": "agent", "controller-revision-hash": "1" },
            "ownerReferences": [{ "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "agent", "uid": "agent", "controller": true }],
        });
        let template = json!({ "metadata": { "labels": { "app": "agent" } }, "spec": { "containers": [{ "name": "db", "image": "db:1" }] } });
        let set = json!({
            "apiVersion": "apps/v1", "kind": "DaemonSet",
            "metadata": { "name": "agent", "namespace": "shop", "uid": "agent", "generation": 1, "creationTimestamp": "2026-01-01T00:00:00Z" },
            "spec": { "selector": { "matchLabels": { "app": "agent" } }, "template": template },
            "status": { "observedGeneration": 1, "currentNumberScheduled": 1, "desiredNumberScheduled": 1, "numberMisscheduled": 0, "numberReady": 0 },
        });
        let node = json!({
            "apiVersion": "v1", "kind": "Node", "metadata": { "name": "node-1", "uid": "node-1" },
            "status": { "allocatable": { "cpu": "4", "memory": "8Gi", "pods": "110" }, "conditions": [{ "type": "Ready", "status": "True" }] },
        });
        let rollout = rollout(&[set, crashing, node]);
        assert_eq!((rollout.kind.as_str(), rollout.standing), ("DaemonSet", Standing::Stuck), "{rollout:?}");
        assert!(rollout.obstacles[0].why.starts_with("container db fails again and again"), "{rollout:?}");
    }

    #[test]
    fn only_events_say_that_pods_of_a_set_are_refused() {
        let event = json!({
            "apiVersion": "v1", "kind": "Event", "metadata": { "name": "db.1", "namespace": "shop" }, "type": "Warning", "reason": "FailedCreate",
            "involvedObject": { "kind": "StatefulSet", "name": "db", "namespace": "shop", "uid": "db" }, "lastTimestamp": "2026-01-01T00:59:00Z",
            "message": "create Pod db-2 in StatefulSet db failed error: Internal error occurred: failed calling webhook \"inject.example\": connection refused",
        });
        let [mut set, first, second, _] = <[Value; 4]>::try_from(state("db-2")).unwrap();
        set["status"]["replicas"] = json!(2);
        let objects = [set, first, second, event];
        let refused = rollout(&objects);
        assert_eq!((refused.standing, refused.next.len()), (Standing::Stuck, 0), "{refused:?}");
        assert!(refused.obstacles[0].why.contains("failed calling webhook"), "{refused:?}");
        let [set, first, mut second, event] = objects;
        second["metadata"]["creationTimestamp"] = json!("2026-01-01T00:59:30Z");
        let created_since = rollout(&[set, first, second, event]);
        assert_eq!(created_since.standing, Standing::Progressing, "{created_since:?}");
    }

    #[test]
    fn a_set_waits_for_a_pod_on_a_node_that_is_gone() {
        let [set, first, second, mut third] = <[Value; 4]>::try_from(state("db-2")).unwrap();
        third["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:10:00Z");
        third["metadata"]["deletionGracePeriodSeconds"] = json!(30);
        third["spec"]["nodeName"] = json!("node-2");
        let rollout = rollout(&[set, first, second, third]);
        assert_eq!(rollout.standing, Standing::Stuck, "{rollout:?}");
        assert!(rollout.obstacles.iter().any(|it| it.why.contains("does its node node-2 answer?")), "{rollout:?}");
    }

    #[test]
    fn a_set_without_its_pods_is_not_judged() {
        let rollout = rollout(&state("db-2")[..1]);
        assert_eq!((rollout.standing, rollout.complete), (Standing::Unknown, None));
        assert!(rollout.next.is_empty());
    }
}
