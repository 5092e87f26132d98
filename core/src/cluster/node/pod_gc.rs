//! The pod garbage collector: it removes pods that no kubelet will remove.

use alloc::vec::Vec;

use crate::cluster::decision::NodeDecision;
use crate::cluster::event_queue::SimEvent;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::controller::Verb;
use crate::object::Time;

/// Upstream: `pkg/controller/podgc/gc_controller.go gcCheckPeriod`
const COLLECTION_PERIOD: i64 = 20 * Time::SECOND;
/// Upstream: `pkg/controller/podgc/gc_controller.go quarantineTime`
const QUARANTINE: i64 = 40 * Time::SECOND;

impl Cluster {
    /// Plans the next run of the pod garbage collector that will find something.
    pub(crate) fn plan_pod_collection(&mut self) {
        let mut times = Vec::new();
        for node in &self.nodes {
            times.extend(node.deleted.map(|since| since.plus(QUARANTINE)).filter(|time| *time >= self.now));
            times.extend(node.is_out_of_service().then_some(self.now));
        }
        for time in times {
            let since = time.since(self.scenario.start);
            let after = since.saturating_neg().rem_euclid(COLLECTION_PERIOD);
            self.events.push(time.plus(after), SimEvent::CollectPods);
        }
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
                    let key = pod.key();
                    let (pod, node) = (pod.metadata.name.clone(), name.clone());
                    let decision = match missing {
                        true => NodeDecision::Orphaned { pod, node },
                        false => NodeDecision::OutOfService { pod, node },
                    };
                    self.commit(Actor::PodGarbageCollector, &key, Verb::Delete, &key, None, decision);
                }
            }
        }
    }
}
