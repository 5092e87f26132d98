//! Nodes, and what becomes of the pods of one that is lost: the node controller, taint eviction, pod garbage collection.
//!
//! Upstream's loops look around every few seconds. Here each happening is planned for when they would see it, so that a
//! timeline comes to rest.

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::{Map, Value};

use super::Cluster;
use super::containers::runs_nothing;
use super::disruption::disrupted;
use super::kubelet::ready_condition;
use super::queue::Happening;
use super::scheduler::{Amounts, reserve};
use crate::controller::{Event, Verb};
use crate::object::{ConditionStatus, Kind, ObjectKey, Pod, Time};
use crate::reason::{Reason, cluster as rule};
use crate::scenario::Scenario;
use crate::timeline::{Actor, Id};

/// Upstream: `pkg/controller/nodelifecycle/config/v1alpha1/defaults.go RecommendedDefaultNodeLifecycleControllerConfiguration`, in
/// seconds
const GRACE_PERIOD: i64 = 50;
/// From one node's taint to the next.
///
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: node-eviction-rate, 0.1 a second
const TAINT_PACE: i64 = 10 * Time::SECOND;
/// The same while most nodes of a large cluster are unreachable.
///
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: secondary-node-eviction-rate, 0.01 a
/// second
const SLOW_TAINT_PACE: i64 = 100 * Time::SECOND;
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: large-cluster-size-threshold
const LARGE_CLUSTER: usize = 50;
/// Upstream: `cmd/kube-controller-manager/app/options/nodelifecyclecontroller.go AddFlags`: unhealthy-zone-threshold, in percent
const UNHEALTHY: usize = 55;
/// Upstream: `pkg/controller/podgc/gc_controller.go gcCheckPeriod`
const COLLECTION_PERIOD: i64 = 20 * Time::SECOND;
/// Upstream: `pkg/controller/podgc/gc_controller.go quarantineTime`
const QUARANTINE: i64 = 40 * Time::SECOND;

/// A taint with the effect NoExecute, and for how many seconds a pod tolerates it that says nothing of it.
struct Taint {
    key: &'static str,
    value: &'static str,
    tolerated: i64,
}

/// Upstream: `plugin/pkg/admission/defaulttolerationseconds/admission.go Admit`, which gives each pod the toleration
const UNREACHABLE: Taint = Taint { key: "node.kubernetes.io/unreachable", value: "", tolerated: 300 };
const OUT_OF_SERVICE: Taint = Taint { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", tolerated: 0 };

/// Why, and in what words.
///
/// Upstream: `pkg/controller/tainteviction/taint_eviction.go addConditionAndDeletePod`
const BY_TAINT: (&str, &str) = ("DeletionByTaintManager", "Taint manager: deleting due to NoExecute taint");

/// The node that there is where the scenario names none.
pub(super) const NODE: &str = "node";

/// A node, and how many pods are on it.
pub(super) struct NodeState {
    pub(super) name: Rc<str>,
    room: Option<u32>,
    pub(super) pods: u32,
    /// What there is for its pods, and what they ask for.
    pub(super) allocatable: Amounts,
    pub(super) reserved: [i128; 2],
    /// Since when its kubelet is not heard of.
    lost: Option<Time>,
    /// The node controller has noticed that.
    unreachable: bool,
    /// Since when it has the taint [`UNREACHABLE`].
    tainted: Option<Time>,
    /// Since when it has the taint [`OUT_OF_SERVICE`].
    out_of_service: Option<Time>,
    /// Since when there is no such Node object.
    deleted: Option<Time>,
    /// Whether its spec says that it is unschedulable.
    pub(super) cordoned: bool,
    /// Since when it has been empty, where an autoscaler asks.
    pub(super) idle: Option<Time>,
    /// What its kubelet has to say once it is heard of again.
    unheard: Vec<Happening>,
}

impl NodeState {
    /// A node that is well and empty.
    pub(super) fn new(name: &str, room: Option<u32>) -> Self {
        Self {
            name: name.into(),
            room,
            pods: 0,
            allocatable: [None; 2],
            reserved: [0; 2],
            lost: None,
            unreachable: false,
            tainted: None,
            out_of_service: None,
            deleted: None,
            cordoned: false,
            idle: None,
            unheard: Vec::new(),
        }
    }

    /// The nodes of the scenario; without any, one without bounds.
    pub(super) fn all(scenario: &Scenario) -> Vec<Self> {
        if scenario.nodes.is_empty() {
            return Vec::from([Self::new(NODE, None)]);
        }
        scenario.nodes.iter().map(|node| Self::new(&node.name, node.pods)).collect()
    }

    /// Whether there is such a Node object.
    pub(super) const fn exists(&self) -> bool {
        self.deleted.is_none()
    }

    /// Whether it has a taint that keeps pods from it.
    pub(super) const fn is_tainted(&self) -> bool {
        self.unreachable || self.out_of_service.is_some()
    }

    /// Whether it has as many pods as fit.
    pub(super) fn is_full(&self) -> bool {
        self.room.is_some_and(|room| self.pods >= room)
    }

    /// Whether its terminating pods are removed by force.
    fn is_given_up(&self) -> bool {
        self.unreachable && self.out_of_service.is_some() && self.deleted.is_none()
    }
}

/// How the node controller goes on, seeing how many nodes are unreachable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Disruption {
    None,
    Partial,
    Full,
}

impl Cluster {
    /// The place of the node of that name, which has not been deleted.
    pub(super) fn find_node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| *node.name == *name && node.deleted.is_none())
    }

    /// Counts a pod that came to its node (1), or left it (-1), and what it asks for. A node that the scenario does not
    /// name has no room to count.
    pub(super) fn count_on_node(&mut self, pod: &Pod, by: i32) {
        self.refusal = None;
        let name = &pod.spec.node_name;
        if let Some(node) = self.nodes.iter_mut().find(|node| name.as_ref() == Some(&node.name)) {
            node.pods = node.pods.saturating_add_signed(by);
            reserve(node, pod, by);
        }
    }

    /// A pod was told to stop: that of a node which is not heard of goes on.
    pub(super) fn terminate_on_node(&mut self, id: Id, pod: &Pod, grace_seconds: i64) {
        if self.lost_node_of(pod).is_some() {
            self.queue.push(self.now, Happening::Stop(id));
            self.plan_collection();
        } else if runs_nothing(pod) {
            self.plan_end(id, 0);
        } else if let Some(after) = self.end_with_hook(id, pod, grace_seconds) {
            self.plan_end(id, after);
        } else {
            self.terminate(id, pod, grace_seconds);
        }
    }

    /// The pod's node, if it is not heard of.
    pub(super) fn lost_node_of(&self, pod: &Pod) -> Option<usize> {
        let name = pod.spec.node_name.as_ref()?;
        self.nodes.iter().position(|node| node.name == *name && node.lost.is_some())
    }

    /// Whether the node of that name is not heard of, and nobody says that it is out of service: a taint that goes with its
    /// Node object.
    ///
    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.hasOutOfServiceTaint`
    pub(super) fn is_unheard(&self, name: &str) -> bool {
        let node = self.nodes.iter().find(|node| *node.name == *name);
        node.is_some_and(|node| node.lost.is_some() && !(node.exists() && node.out_of_service.is_some()))
    }

    /// What happens, unless it is the word of a kubelet that is not heard of: that waits until it is.
    pub(super) fn heard_of(&mut self, happening: Happening) -> Option<Happening> {
        let (Happening::Start(id)
        | Happening::BackOffPull(id)
        | Happening::Crash(id)
        | Happening::Restart(id)
        | Happening::PreStopped(id, _)
        | Happening::Ready(id)
        | Happening::Gone(id)
        | Happening::Stop(id)
        | Happening::ReadyAgain(id, _)) = &happening
        else {
            return Some(happening);
        };
        let lost =
            self.current(*id).and_then(|pod| self.lost_node_of(&pod)).and_then(|index| self.nodes.get_mut(index));
        match lost {
            Some(node) => {
                node.unheard.push(happening);
                None
            }
            None => Some(happening),
        }
    }

    pub(super) fn lose_node(&mut self, index: usize) {
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.lost.get_or_insert(self.now);
        self.queue.push(self.now.plus_seconds(GRACE_PERIOD), Happening::Monitor);
    }

    pub(super) fn return_node(&mut self, index: usize) {
        let before = self.disruption();
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.lost = None;
        for happening in core::mem::take(&mut node.unheard) {
            self.queue.push(self.now, happening);
        }
        if core::mem::take(&mut node.unreachable) {
            node.tainted = None;
            let key = node_key(&node.name);
            let reason = Reason::new(&rule::REACHABLE, [(&node.name).into()]);
            self.tell(Actor::NodeLifecycleController, &key, reason);
            self.handle_disruption(before);
            self.retry_unschedulable();
        }
    }

    pub(super) fn delete_node(&mut self, index: usize) {
        let before = self.disruption();
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.deleted = Some(self.now);
        self.plan_collection();
        self.handle_disruption(before);
    }

    pub(super) fn taint_out_of_service(&mut self, index: usize) {
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.out_of_service.get_or_insert(self.now);
        self.plan_evictions(index, &OUT_OF_SERVICE);
        self.plan_collection();
    }

    pub(super) fn untaint_out_of_service(&mut self, index: usize) {
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.out_of_service = None;
        self.retry_unschedulable();
    }

    /// Takes the nodes for unreachable that were not heard of for too long, and their pods for not ready.
    ///
    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go monitorNodeHealth`
    pub(super) fn monitor_node_health(&mut self) {
        let before = self.disruption();
        let limit = self.now.plus_seconds(GRACE_PERIOD.saturating_neg());
        for index in 0..self.nodes.len() {
            let Some(node) = self.nodes.get_mut(index) else { continue };
            if node.unreachable || node.deleted.is_some() || node.lost.is_none_or(|lost| lost > limit) {
                continue;
            }
            node.unreachable = true;
            let name = node.name.clone();
            let reason = Reason::new(&rule::UNREACHABLE, [(&name).into(), GRACE_PERIOD.into()]);
            self.tell(Actor::NodeLifecycleController, &node_key(&name), reason);
            self.mark_pods_not_ready(index);
        }
        self.plan_collection();
        self.handle_disruption(before);
    }

    /// Upstream: `pkg/controller/util/node/controller_utils.go MarkPodsNotReady`
    fn mark_pods_not_ready(&mut self, index: usize) {
        for (id, pod) in self.pods_on(index).into_iter().filter(|(_, pod)| pod.is_ready()) {
            let key = pod.metadata.key(Kind::Pod);
            let node = pod.spec.node_name.clone().unwrap_or_default();
            let since = pod.ready_condition().and_then(|condition| condition.last_transition_time);
            if let Some(node) = self.nodes.get_mut(index) {
                node.unheard.push(Happening::ReadyAgain(id, since));
            }
            let mut marked = (*pod).clone();
            for condition in marked.status.conditions.iter_mut().filter(|condition| &*condition.type_ == "Ready") {
                *condition = ready_condition(ConditionStatus::False, self.now);
            }
            // What its kubelet said last stays: so it is told from a pod that is not ready yet.
            for status in &mut marked.status.container_statuses {
                let mut said: Map<String, Value> = status.unknown.iter().map(owned).collect();
                said.insert("ready".into(), true.into());
                status.unknown = said.into();
            }
            let reason = Reason::new(&rule::NOT_READY, [(&pod.metadata.name).into(), (&node).into()]);
            let (actor, about) = (Actor::NodeLifecycleController, node_key(&node));
            self.commit(actor, &about, Verb::UpdateStatus, &key, Some(marked.into()), reason);
            self.event(&key, Event::warning("NodeNotReady", "Node is not ready"));
        }
    }

    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go ComputeZoneState`, with one zone
    fn disruption(&self) -> Disruption {
        let (unready, nodes) = self.count_unready();
        if unready > 0 && unready == nodes {
            Disruption::Full
        } else if unready > 2 && unready.saturating_mul(100) >= nodes.saturating_mul(UNHEALTHY) {
            Disruption::Partial
        } else {
            Disruption::None
        }
    }

    fn count_unready(&self) -> (usize, usize) {
        let nodes = || self.nodes.iter().filter(|node| node.deleted.is_none());
        (nodes().filter(|node| node.unreachable).count(), nodes().count())
    }

    /// How long the node controller lets pass from one taint to the next; none: it taints no node.
    fn taint_pace(&self) -> Option<i64> {
        match self.disruption() {
            Disruption::None => Some(TAINT_PACE),
            Disruption::Partial if self.count_unready().1 > LARGE_CLUSTER => Some(SLOW_TAINT_PACE),
            Disruption::Partial | Disruption::Full => None,
        }
    }

    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go handleDisruption`
    fn handle_disruption(&mut self, before: Disruption) {
        let after = self.disruption();
        if after == Disruption::Full {
            self.nodes.iter_mut().filter(|node| node.deleted.is_none()).for_each(|node| node.tainted = None);
        }
        if let Some(pace) = self.taint_pace() {
            if before != Disruption::None && after != before {
                // The pace begins anew.
                self.next_taint = self.now.plus(pace);
            }
            self.queue.push(self.now.max(self.next_taint), Happening::Taint);
        } else if after != before {
            let (unready, nodes) = self.count_unready();
            let [unready, nodes] = [unready, nodes].map(|count| i64::try_from(count).unwrap_or(i64::MAX).into());
            let reason = Reason::new(&rule::NO_EVICTIONS, [unready, nodes]);
            let Some(node) = self.nodes.iter().rfind(|node| node.unreachable) else { return };
            self.tell(Actor::NodeLifecycleController, &node_key(&node.name), reason);
        }
    }

    /// Taints the node that has been lost for longest.
    ///
    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go doNoExecuteTaintingPass`
    pub(super) fn taint_next_node(&mut self) {
        let Some(pace) = self.taint_pace().filter(|_| self.now >= self.next_taint) else { return };
        let waits = |node: &NodeState| node.unreachable && node.tainted.is_none() && node.deleted.is_none();
        let nodes = self.nodes.iter().enumerate().filter(|(_, node)| waits(node));
        let Some((index, _)) = nodes.min_by_key(|(_, node)| node.lost) else { return };
        let Some(node) = self.nodes.get_mut(index) else { return };
        node.tainted = Some(self.now);
        let key = node_key(&node.name);
        let taint = alloc::format!("{}:NoExecute", UNREACHABLE.key);
        let reason = Reason::new(&rule::TAINTED, [(&node.name).into(), taint.into()]);
        self.tell(Actor::NodeLifecycleController, &key, reason);
        self.plan_evictions(index, &UNREACHABLE);
        self.next_taint = self.now.plus(pace);
        self.queue.push(self.next_taint, Happening::Taint);
    }

    /// Upstream: `pkg/controller/tainteviction/taint_eviction.go processPodOnNode`
    fn plan_evictions(&mut self, index: usize, taint: &Taint) {
        for (id, pod) in self.pods_on(index) {
            if let Some(seconds) = tolerated_for(&pod, taint) {
                self.queue.push(self.now.plus_seconds(seconds), Happening::Evict(id));
            }
        }
    }

    /// Deletes a pod that tolerates its node's taint no more, unless the taint has gone meanwhile.
    ///
    /// Upstream: `pkg/controller/tainteviction/taint_eviction.go deletePodHandler`
    pub(super) fn evict_if_not_tolerated(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.metadata.deletion_timestamp.is_none()) else { return };
        let Some(node) = self.nodes.iter().find(|node| pod.spec.node_name.as_ref() == Some(&node.name)) else { return };
        let taints = [(&OUT_OF_SERVICE, node.out_of_service), (&UNREACHABLE, node.tainted)];
        let due = taints.into_iter().find_map(|(taint, since)| {
            let seconds = tolerated_for(&pod, taint)?;
            (since?.plus_seconds(seconds) <= self.now).then_some((taint, seconds))
        });
        let Some((taint, seconds)) = due else { return };
        let word = taint.key.rsplit('/').next().unwrap_or_default();
        let values = [(&pod.metadata.name).into(), seconds.into(), (&node.name).into(), word.into()];
        let reason = Reason::new(&rule::EVICTED, values);
        let key = pod.metadata.key(Kind::Pod);
        let after = self.deleted(&disrupted(&pod, BY_TAINT, self.now), None);
        self.commit(Actor::TaintEvictionController, &key, Verb::Delete, &key, after, reason);
        let message = alloc::format!("Marking for deletion Pod {}/{}", key.namespace, key.name);
        self.event(&key, Event::normal("TaintManagerEviction", &message));
    }

    /// Lets the pod garbage collector look around when it will find something.
    pub(super) fn plan_collection(&mut self) {
        let mut times = Vec::new();
        for node in &self.nodes {
            times.extend(node.deleted.map(|since| since.plus(QUARANTINE)).filter(|time| *time >= self.now));
            times.extend(node.is_given_up().then_some(self.now));
        }
        for time in times {
            let since = time.since(self.scenario.start);
            let after = since.saturating_neg().rem_euclid(COLLECTION_PERIOD);
            self.queue.push(time.plus(after), Happening::CollectPods);
        }
    }

    /// Upstream: `pkg/controller/podgc/gc_controller.go gc`
    pub(super) fn collect_pods(&mut self) {
        for index in 0..self.nodes.len() {
            let Some(node) = self.nodes.get(index) else { continue };
            let missing = node.deleted.is_some_and(|since| since.plus(QUARANTINE) <= self.now);
            let rule = match missing {
                true => &rule::ORPHANED_POD,
                false if node.is_given_up() => &rule::OUT_OF_SERVICE,
                false => continue,
            };
            let name = node.name.clone();
            for (_, pod) in self.pods_on(index) {
                if missing || pod.metadata.deletion_timestamp.is_some() {
                    let key = pod.metadata.key(Kind::Pod);
                    let reason = Reason::new(rule, [(&pod.metadata.name).into(), (&name).into()]);
                    self.commit(Actor::PodGarbageCollector, &key, Verb::Delete, &key, None, reason);
                }
            }
        }
    }

    pub(super) fn pods_on(&self, index: usize) -> Vec<(Id, Rc<Pod>)> {
        let Some(node) = self.nodes.get(index) else { return Vec::new() };
        let store = self.store.borrow();
        let mut pods = Vec::new();
        for (id, pod) in store.pods() {
            if pod.spec.node_name.as_ref() == Some(&node.name) {
                pods.push((id, pod.clone()));
            }
        }
        pods
    }
}

fn owned((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

pub(super) fn node_key(name: &str) -> ObjectKey {
    ObjectKey { kind: Kind::Node, namespace: "".into(), name: name.into() }
}

/// For how many seconds the pod tolerates the taint; none: for ever.
///
/// Upstream: `pkg/controller/tainteviction/taint_eviction.go getMinTolerationTime`
fn tolerated_for(pod: &Pod, taint: &Taint) -> Option<i64> {
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

fn speaks_of(toleration: &Value, taint: &Taint) -> bool {
    ["", taint.key].contains(&text(toleration, "key")) && ["", "NoExecute"].contains(&text(toleration, "effect"))
}

/// Upstream: `k8s.io/api/core/v1/toleration.go ToleratesTaint`
fn tolerates(toleration: &Value, taint: &Taint) -> bool {
    speaks_of(toleration, taint)
        && match text(toleration, "operator") {
            "Exists" => true,
            "" | "Equal" => text(toleration, "value") == taint.value,
            _ => false,
        }
}
