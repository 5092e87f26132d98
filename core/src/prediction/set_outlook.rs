//! Where the rollouts of the StatefulSets and DaemonSets of a running cluster stand, and what holds them up.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::next_steps::next_steps;
use super::obstacle::Obstacle;
use super::outlook::{Outlook, RolloutOutlook, Standing, unseen_change};
use crate::object::{Kind, Object, ObjectKey, Pod};
use crate::scenario::{StuckCause, StuckPod};
use crate::timeline::{Series, Totals};
use crate::workload::stateful_set::PodManagementPolicy;
use crate::workload::stateful_set::controller::{first_updated_ordinal, get_pod_revision};

/// What a set has in common with others for its outlook.
struct Set<'a> {
    generation: i64,
    observed_generation: i64,
    is_deleting: bool,
    /// Whether its controller replaces a pod only once all before it are ready.
    is_ordered: bool,
    /// The revision of its template; empty if that is unknown.
    update_revision: &'a str,
    /// Whether it ran another template before.
    has_older_revision: bool,
    /// The first ordinal whose pod gets the template.
    first_updated: i64,
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
                first_updated: first_updated_ordinal(set),
            }),
            Object::DaemonSet(set) => Some(Self {
                generation,
                observed_generation: set.status.observed_generation,
                is_deleting,
                is_ordered: false,
                update_revision: "",
                has_older_revision: false,
                first_updated: 0,
            }),
            _ => None,
        }
    }
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
        // A simulation takes the pods of a DaemonSet for healthy, and creates pods of a set whatever its Events say.
        let is_unplayed = self.stuck_pods_of(key).any(|pod| key.kind == Kind::DaemonSet || pod.is_refused());
        let complete = complete.filter(|_| !is_unplayed);
        let standing = match complete {
            _ if lacks_pods => Standing::Unknown,
            _ if set.is_deleting => Standing::Deleting,
            Some(0) => Standing::Complete,
            Some(_) => Standing::Progressing,
            None => Standing::Stuck,
        };
        let obstacles = match standing {
            Standing::Unknown => Vec::from([Obstacle::new("its pods were not given, so only its status is known")
                .with_remedy("read its pods, too")
                .with_command(self.kubectl.get_pods(key))]),
            _ => self.obstacles_of_set(key, &set, complete),
        };
        let new_terminating = self.pods_of_set(key).filter(|pod| pod.metadata.deletion_timestamp.is_some());
        let new_terminating = new_terminating.filter(|pod| get_pod_revision(pod) == set.update_revision).count();
        // Of a DaemonSet, only the number of old pods is known.
        let new_terminating = match key.kind {
            Kind::DaemonSet => point.counts.terminating.saturating_sub(point.rollout.old).max(0),
            _ => i32::try_from(new_terminating).unwrap_or(i32::MAX).min(point.counts.terminating),
        };
        Some(RolloutOutlook {
            complete: complete.filter(|_| !lacks_pods),
            last_old_pod_gone: last_old_pod_gone.filter(|_| !lacks_pods && !is_unplayed),
            autoscaler: self.autoscaler_of(key),
            obstacles,
            next: match standing {
                Standing::Unknown => Vec::new(),
                _ if is_unplayed => Vec::new(),
                _ => next_steps(&self.timeline, |step| *step.about == *key),
            },
            ..RolloutOutlook::at(key, standing, point, new_terminating)
        })
    }

    /// The pods of a StatefulSet or a DaemonSet.
    fn pods_of_set<'a>(&'a self, key: &'a ObjectKey) -> impl Iterator<Item = &'a Pod> {
        let is_its = |pod: &&Pod| pod.metadata.controller_key(key.kind).is_some_and(|owner| owner == *key);
        self.timeline.initial.pods().map(|pod| &**pod).filter(is_its)
    }

    fn obstacles_of_set(&self, key: &ObjectKey, set: &Set<'_>, complete: Option<i64>) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        if set.is_deleting {
            obstacles.push(Obstacle::new("it is being deleted, so its rollout has stopped"));
        }
        let revisions: BTreeMap<&str, &str> =
            self.pods_of_set(key).map(|pod| (&*pod.metadata.name, get_pod_revision(pod))).collect();
        let is_old = |stuck: &StuckPod| {
            !set.update_revision.is_empty()
                && revisions.get(stuck.name.as_str()).is_some_and(|revision| *revision != set.update_revision)
        };
        let failed = self.failed_pods.iter().filter(|failed| failed.deployment == *key);
        obstacles.extend(failed.map(Obstacle::of_failed_pods));
        for pod in self.one_of_each_kind(key, is_old) {
            let obstacle = self.obstacle_of(pod, None);
            let blocks = set.is_ordered && complete.is_none() && !set.is_deleting;
            let in_the_way = blocks.then(|| self.pod_in_the_way(pod, is_old(pod), set)).flatten();
            // The template of an old pod is repaired already.
            match is_old(pod) {
                true => obstacles.extend(in_the_way.into_iter().chain([obstacle.of_old_pods()])),
                false => obstacles.extend([obstacle].into_iter().chain(in_the_way)),
            }
        }
        let pods: Vec<&Pod> = self.pods_of_set(key).collect();
        obstacles.extend(self.obstacles_of_new_pods(key, &pods, complete));
        obstacles.extend(self.obstacles_of_overdue_pods(&pods));
        // Its controller creates the pod of an ordinal or a node once the old one is gone.
        obstacles.extend(self.obstacle_of_finalizers(&pods, |_| true));
        obstacles.extend(self.lost_nodes(&pods));
        if obstacles.is_empty() {
            obstacles.extend(unseen_change(set.generation, set.observed_generation));
        }
        self.usable_obstacles(obstacles)
    }

    /// That a StatefulSet does not recover by itself from a bad template: its controller waits for this pod before it replaces any.
    fn pod_in_the_way(&self, pod: &StuckPod, is_old: bool, set: &Set<'_>) -> Option<Obstacle> {
        let StuckPod { name, deployment: key, .. } = pod;
        match pod.cause {
            StuckCause::Container { .. } | StuckCause::InitRuns { .. } | StuckCause::Unready { .. } => {}
            // Another template would not help.
            StuckCause::Gated { .. }
            | StuckCause::NoNode { .. }
            | StuckCause::Untouched { .. }
            | StuckCause::Refused { .. } => return None,
        }
        let delete = self.kubectl.delete_pod(&key.namespace, name);
        if is_old {
            // A pod below the partition comes back as it was.
            let ordinal = name.rsplit_once('-').and_then(|(_, ordinal)| ordinal.parse::<i64>().ok());
            ordinal.filter(|ordinal| *ordinal >= set.first_updated)?;
            let why = format!(
                "its controller replaces pod {name} only once it is ready, and with its old template it never is"
            );
            let remedy = "delete the pod: it comes back with the new template";
            return Some(Obstacle::new(why).with_remedy(remedy).with_command(delete));
        }
        let why = format!("its controller replaces pod {name} only once it is ready, even after a rollback");
        let remedy = "repair the template or roll back, and then delete the pod";
        let command = match set.has_older_revision {
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
