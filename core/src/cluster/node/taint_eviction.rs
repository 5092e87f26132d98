//! The taint eviction controller: pods that do not tolerate a taint of their node are deleted.

use alloc::format;

use serde_json::Value;

use crate::cluster::decision::NodeDecision;
use crate::cluster::disruption_condition::disrupted;
use crate::cluster::event_queue::SimEvent;
use crate::cluster::state::Cluster;
use crate::cluster::step::Actor;
use crate::cluster::store::Id;
use crate::controller::{Event, Verb};
use crate::object::{self, Object, Pod, Time};

/// A taint with the effect NoExecute, and for how many seconds a pod without a toleration of its own tolerates it.
#[derive(Clone, Copy)]
pub(super) struct Taint<'a> {
    pub(super) key: &'a str,
    value: &'a str,
    tolerated: i64,
}

impl<'a> Taint<'a> {
    /// A taint of the user. The API server lets pods tolerate two of them for a while.
    fn of(taint: &'a object::Taint) -> Self {
        let is_of_condition = [UNREACHABLE.key, NOT_READY].contains(&taint.key.as_str());
        let tolerated = if is_of_condition { UNREACHABLE.tolerated } else { 0 };
        Self { key: &taint.key, value: &taint.value, tolerated }
    }
}

/// The taint of a node whose kubelet reports that it is not ready.
const NOT_READY: &str = "node.kubernetes.io/not-ready";

/// Upstream: `plugin/pkg/admission/defaulttolerationseconds/admission.go Admit`, which gives each pod the toleration
pub(super) const UNREACHABLE: Taint<'static> =
    Taint { key: "node.kubernetes.io/unreachable", value: "", tolerated: 300 };
const OUT_OF_SERVICE: Taint<'static> =
    Taint { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", tolerated: 0 };

/// Why, and in what words.
///
/// Upstream: `pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod`
const BY_TAINT: (&str, &str) = ("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint");

impl Cluster {
    pub(crate) fn taint_out_of_service(&mut self, index: usize) {
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.out_of_service_taint.get_or_insert(self.now);
        self.plan_evictions(index, &OUT_OF_SERVICE, self.now);
        self.plan_pod_collection();
    }

    pub(crate) fn untaint_out_of_service(&mut self, index: usize) {
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.out_of_service_taint = None;
        self.retry_unschedulable();
    }

    /// Plans the evictions of a node's pods. `since`: when the controller saw the taint. Pods whose time is over are evicted now.
    ///
    /// Upstream: `pkg/controller/tainteviction/taint_eviction.go processPodOnNode`
    pub(super) fn plan_evictions(&mut self, index: usize, taint: &Taint<'_>, since: Time) {
        for (id, pod) in self.pods_on(index) {
            if let Some(seconds) = tolerated_for(&pod, taint) {
                self.events.push(since.plus_seconds(seconds).max(self.now), SimEvent::EvictByTaint(id));
            }
        }
    }

    /// Plans the evictions of a node's pods by a taint that the user adds now.
    pub(crate) fn plan_evictions_by(&mut self, index: usize, taint: &object::Taint) {
        if taint.effect == "NoExecute" {
            self.plan_evictions(index, &Taint::of(taint), self.now);
        }
    }

    /// Plans the eviction of a pod that gets a node whose taints it tolerates only for some time.
    ///
    /// Upstream: `pkg/controller/tainteviction/taint_eviction.go handlePodUpdate`
    pub(crate) fn plan_eviction_of_bound(&mut self, id: Id, pod: &Pod, node: &str) {
        let Some(node) = self.position_of_node(node).and_then(|index| self.nodes.get(index)) else { return };
        let tolerated = node.evicting_taints.iter().filter_map(|(taint, _)| tolerated_for(pod, &Taint::of(taint)));
        if let Some(seconds) = tolerated.min() {
            self.events.push(self.now.plus_seconds(seconds), SimEvent::EvictByTaint(id));
        }
    }

    /// Deletes a pod that tolerates its node's taint no more, unless the taint has gone meanwhile.
    ///
    /// Upstream: `pkg/controller/tainteviction/taint_eviction.go deletePodHandler`
    pub(crate) fn evict_if_not_tolerated(&mut self, id: Id) {
        let Some(pod) = self.pod(id).filter(|pod| pod.metadata.deletion_timestamp.is_none()) else { return };
        let Some(node) = self.nodes.iter().find(|node| pod.spec.node_name.as_ref() == Some(&node.name)) else { return };
        let own = [(OUT_OF_SERVICE, node.out_of_service_taint), (UNREACHABLE, node.unreachable_taint)];
        let of_user = node.evicting_taints.iter().map(|(taint, since)| (Taint::of(taint), Some(*since)));
        let due = own.into_iter().chain(of_user).find_map(|(taint, since)| {
            let seconds = tolerated_for(&pod, &taint)?;
            (since?.plus_seconds(seconds) <= self.now).then_some((taint, seconds))
        });
        let Some((taint, seconds)) = due else { return };
        let decision = NodeDecision::Evict {
            pod: pod.metadata.name.clone(),
            seconds,
            node: node.name.clone(),
            taint: taint.key.rsplit('/').next().unwrap_or_default().into(),
        };
        let key = pod.key();
        let after = self.deleted(&Object::Pod(disrupted(&pod, BY_TAINT, self.now)), None);
        self.commit(Actor::TaintEvictionController, &key, Verb::Delete, &key, after, decision);
        let message = format!("Marking for deletion Pod {}/{}", key.namespace, key.name);
        self.event(&key, Event::normal("TaintManagerEviction", &message));
    }
}

/// For how many seconds the pod tolerates the taint; none: forever.
///
/// Upstream: `pkg/controller/tainteviction/taint_eviction.go getMinTolerationTime`
fn tolerated_for(pod: &Pod, taint: &Taint<'_>) -> Option<i64> {
    let tolerations = pod.spec.fields.unknown.get("tolerations").and_then(Value::as_array);
    let tolerations = || tolerations.into_iter().flatten();
    if !tolerations().any(|toleration| speaks_of(toleration, taint)) {
        return Some(taint.tolerated);
    }
    let mut matching = tolerations().filter(|toleration| tolerates(toleration, taint)).peekable();
    if matching.peek().is_none() {
        return Some(0);
    }
    let seconds = matching.filter_map(|toleration| toleration.get("tolerationSeconds").and_then(Value::as_i64));
    seconds.min().map(|seconds| seconds.max(0))
}

fn text<'a>(toleration: &'a Value, key: &str) -> &'a str {
    toleration.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn speaks_of(toleration: &Value, taint: &Taint<'_>) -> bool {
    ["", taint.key].contains(&text(toleration, "key")) && ["", "NoExecute"].contains(&text(toleration, "effect"))
}

/// Upstream: `k8s.io/api/core/v1/toleration.go ToleratesTaint`
fn tolerates(toleration: &Value, taint: &Taint<'_>) -> bool {
    speaks_of(toleration, taint)
        && match text(toleration, "operator") {
            "Exists" => true,
            "" | "Equal" => text(toleration, "value") == taint.value,
            _ => false,
        }
}
