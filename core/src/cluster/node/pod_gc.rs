//! The pod garbage collector: it removes pods that no kubelet will remove.

use alloc::rc::Rc;
use alloc::vec::Vec;

use crate::cluster::decision::{Fate, NodeDecision};
use crate::cluster::disruption_condition::disrupted;
use crate::cluster::event_queue::SimEvent;
use crate::cluster::pod_status::fail;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::controller::Verb;
use crate::object::{Pod, PodPhase, Time};

/// Upstream: `pkg/controller/podgc/gc_controller.go gcCheckPeriod`
const COLLECTION_PERIOD: i64 = 20 * Time::SECOND;
/// Upstream: `pkg/controller/podgc/gc_controller.go quarantineTime`
const QUARANTINE: i64 = 40 * Time::SECOND;
/// Why the pods of a node that is gone are deleted, and in what words.
///
/// Upstream: `pkg/controller/podgc/gc_controller.go gcOrphaned`
const BY_POD_GC: (&str, &str) = ("DeletionByPodGC", "PodGC: node no longer exists");

/// Whether no kubelet has the pod. One that a scenario describes as running has a node, though it may not be named.
pub(crate) fn is_unscheduled(pod: &Pod) -> bool {
    pod.spec.node_name.is_none() && pod.status.phase != PodPhase::Running
}

impl Cluster {
    /// Plans the next run of the pod garbage collector that will find something.
    pub(crate) fn plan_pod_collection(&mut self) {
        let mut times = Vec::new();
        for node in self.nodes.iter() {
            times.extend(node.deleted.map(|since| since.plus(QUARANTINE)).filter(|time| *time >= self.now));
            times.extend(node.is_out_of_service().then_some(self.now));
        }
        times.into_iter().for_each(|time| self.plan_pod_collection_from(time));
    }

    /// Plans the next run of the pod garbage collector from a time on.
    pub(crate) fn plan_pod_collection_from(&mut self, time: Time) {
        let since = time.since(self.scenario.start);
        let after = since.saturating_neg().rem_euclid(COLLECTION_PERIOD);
        self.events.push(time.plus(after), SimEvent::CollectPods);
    }

    /// Upstream: `pkg/controller/podgc/gc_controller.go gc`
    pub(crate) fn collect_pods(&mut self) {
        for index in 0..self.nodes.len() {
            let Some(node) = self.nodes.get(index) else { continue };
            let missing = node.deleted.is_some_and(|since| since.plus(QUARANTINE) <= self.now);
            if !missing && !node.is_out_of_service() {
                continue;
            }
            let name = node.name.clone();
            for (_, pod) in self.pods_on(index) {
                if missing || pod.metadata.deletion_timestamp.is_some() {
                    let (name, node) = (pod.metadata.name.clone(), name.clone());
                    let fate = if pod.metadata.finalizers.is_empty() { Fate::Removed } else { Fate::Failed };
                    let decision = match missing {
                        true => NodeDecision::Orphaned { pod: name, fate, node },
                        false => NodeDecision::OutOfService { pod: name, fate, node },
                    };
                    self.fail_and_delete(&pod, missing.then_some(BY_POD_GC), decision);
                }
            }
        }
        self.collect_unscheduled_pods();
    }

    /// Upstream: `pkg/controller/podgc/gc_controller.go gcUnscheduledTerminating`
    fn collect_unscheduled_pods(&mut self) {
        let is_meant = |pod: &Rc<Pod>| pod.is_terminating() && is_unscheduled(pod);
        let pods: Vec<_> =
            self.store.borrow().pods().filter(|(_, pod)| is_meant(pod)).map(|(_, pod)| pod.clone()).collect();
        for pod in pods {
            let decision = NodeDecision::Unscheduled { pod: pod.metadata.name.clone() };
            self.fail_and_delete(&pod, None, decision);
        }
    }

    /// Removes a pod, or if its finalizers keep it lets it fail.
    ///
    /// Upstream: `pkg/controller/podgc/gc_controller.go markFailedAndDeletePodWithCondition`
    fn fail_and_delete(&mut self, pod: &Rc<Pod>, condition: Option<(&str, &str)>, decision: NodeDecision) {
        let key = pod.key();
        let mut failed = pod.clone();
        if !pod.is_terminal() {
            if let Some(condition) = condition {
                failed = disrupted(pod, condition, self.now);
            }
            fail(Rc::make_mut(&mut failed), self.now);
        }
        let after = self.deleted_at_once(&failed);
        self.commit(Actor::PodGarbageCollector, &key, Verb::Delete, &key, after, decision);
    }
}
