//! The nodes, and what their pods take of them.

use alloc::boxed::Box;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::event_queue::SimEvent;
use super::host_ports::{HostPort, host_ports};
use super::pod_resources::{List, is_extended, of_pod};
use crate::Problem;
use crate::go::quoted;
use crate::object::quantity::nanos;
use crate::object::{Kind, Object, ObjectKey, Pod, Time};
use crate::problem::shortened;
use crate::scenario::{Manifest, Node, Scenario, nodes_lost_by_pods};

/// Upstream: `pkg/controller/nodelifecycle/config/v1alpha1/defaults.go RecommendedDefaultNodeLifecycleControllerConfiguration`, in
/// seconds
pub(super) const GRACE_PERIOD: i64 = 50;

/// The node that there is where the scenario names none.
pub(super) const NODE: &str = "node";

/// What a node has of a resource, and what its pods request of it, in billionths.
#[derive(Clone, Debug, Default)]
struct Room {
    allocatable: i128,
    requested: i128,
}

/// How a node lacks a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shortage {
    /// Its pods leave too little.
    Taken,
    /// It would not have enough without any pods.
    Never,
}

/// A node, and what its pods take of it.
#[derive(Debug)]
pub(super) struct NodeState {
    pub(super) name: Rc<str>,
    max_pods: Option<u32>,
    pub(super) pods: u32,
    /// The resources of which it has a limit.
    rooms: BTreeMap<Box<str>, Room>,
    /// The ports that its pods have taken; none where the node stands for any number of nodes.
    ports: Option<Vec<HostPort>>,
    /// Since when its kubelet does not report.
    pub(super) lost: Option<Time>,
    /// The node lifecycle controller has noticed that.
    pub(super) unreachable: bool,
    /// Since when it has the taint `node.kubernetes.io/unreachable`.
    pub(super) unreachable_taint: Option<Time>,
    /// Since when it has the taint `node.kubernetes.io/out-of-service`.
    pub(super) out_of_service_taint: Option<Time>,
    /// Since when there is no such Node object.
    pub(super) deleted: Option<Time>,
    /// `spec.unschedulable`
    pub(super) cordoned: bool,
    /// Since when it has been empty, where there is an autoscaler.
    pub(super) empty_since: Option<Time>,
    /// What its kubelet will do once it reports again.
    pub(super) held_back: Vec<SimEvent>,
}

/// The latest time at which a node reported that the controller notices to be unreachable at this time.
pub(super) fn unreported_since(noticed: Time) -> Time {
    noticed.plus_seconds(GRACE_PERIOD.saturating_neg())
}

impl NodeState {
    /// A node that is healthy and empty.
    pub(super) fn new(name: &str, max_pods: Option<u32>) -> Self {
        Self {
            name: name.into(),
            max_pods,
            pods: 0,
            rooms: BTreeMap::new(),
            ports: Some(Vec::new()),
            lost: None,
            unreachable: false,
            unreachable_taint: None,
            out_of_service_taint: None,
            deleted: None,
            cordoned: false,
            empty_since: None,
            held_back: Vec::new(),
        }
    }

    /// A node as the scenario describes it.
    ///
    /// # Errors
    /// An amount that can't be read, and a key without effect, with its path.
    pub(super) fn with_capacity(name: &str, node: &Node, path: &str) -> Result<Self, Problem> {
        node.validate(path)?;
        Ok(Self { rooms: rooms(node, path)?, ..Self::new(name, node.pods) })
    }

    /// A node that stands for any number of them.
    fn of_any_size(name: &str) -> Self {
        Self { ports: None, ..Self::new(name, None) }
    }

    /// The nodes of the scenario, as they are at its start. Without any, there are those that its pods are on, and another one if
    /// the pods say that all of these are lost; they have no bounds.
    ///
    /// # Errors
    /// A name that is missing or not unique, and those of [`NodeState::with_capacity`].
    pub(super) fn all(scenario: &Scenario) -> Result<Vec<Self>, Problem> {
        let lost_if = |is_lost: bool| is_lost.then(|| unreported_since(scenario.start));
        if scenario.nodes.is_empty() {
            // A pod that says so is not stored.
            let lost = nodes_lost_by_pods(scenario.objects.iter().filter_map(Manifest::given));
            let names = scenario.objects.iter().filter_map(node_name).collect::<BTreeSet<_>>();
            let node = |name: &str| {
                let since = lost.get(name).copied().flatten().map(|since| since.min(scenario.start));
                Self { lost: lost_if(lost.contains_key(name)), unreachable_taint: since, ..Self::of_any_size(name) }
            };
            let mut nodes: Vec<_> = names.into_iter().map(node).collect();
            if nodes.iter().all(Self::is_lost) {
                // A lost node may have the usual name.
                let is_taken = nodes.iter().any(|node| &*node.name == NODE);
                nodes.push(Self::of_any_size(if is_taken { "other-node" } else { NODE }));
            }
            return Ok(nodes);
        }
        let mut nodes: Vec<Self> = Vec::with_capacity(scenario.nodes.len());
        for (index, node) in scenario.nodes.iter().enumerate() {
            let path = format!("nodes[{index}]");
            if node.name.is_empty() {
                return Err(Problem::new(format!("{path}.name"), "Required value: must be the node's name"));
            }
            if nodes.iter().any(|other| *other.name == *node.name) {
                let message = format!("Duplicate value: {}: must be unique", quoted(&node.name));
                return Err(Problem::new(format!("{path}.name"), message));
            }
            let healthy = Self::with_capacity(&node.name, node, &path)?;
            let since = node.tainted_for.map(|tainted| scenario.start.plus(tainted.0.saturating_neg()));
            nodes.push(Self { cordoned: node.cordoned, lost: lost_if(node.lost), unreachable_taint: since, ..healthy });
        }
        Ok(nodes)
    }

    pub(super) fn key(&self) -> ObjectKey {
        ObjectKey::new(Kind::Node, "", self.name.clone())
    }

    /// Whether there is such a Node object.
    pub(super) const fn exists(&self) -> bool {
        self.deleted.is_none()
    }

    /// Whether its kubelet does not report.
    pub(super) const fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Whether it has a taint that keeps pods from it.
    pub(super) const fn is_tainted(&self) -> bool {
        self.unreachable || self.out_of_service_taint.is_some()
    }

    /// Whether it has as many pods as fit.
    pub(super) fn is_full(&self) -> bool {
        self.max_pods.is_some_and(|max| self.pods >= max)
    }

    /// Whether it may still use its volumes: it does not report, and has no taint (which goes with the Node object) that says
    /// that it is out of service.
    ///
    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.hasOutOfServiceTaint`
    pub(super) const fn may_use_volumes(&self) -> bool {
        self.is_lost() && !(self.exists() && self.out_of_service_taint.is_some())
    }

    /// Whether its terminating pods are removed by force.
    pub(super) const fn is_out_of_service(&self) -> bool {
        self.unreachable && self.out_of_service_taint.is_some() && self.exists()
    }

    /// Keeps what its kubelet would do until it reports again.
    pub(super) fn hold_back(&mut self, event: SimEvent) {
        self.held_back.push(event);
    }

    /// How the node lacks a resource of which a pod requests that much. A node that names no resource has any amount of each;
    /// otherwise, it has no extended resource that it does not name.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/noderesources/fit.go fitsRequest`
    pub(super) fn shortage(&self, resource: &str, requested: i128) -> Option<Shortage> {
        let room = match self.rooms.get(resource) {
            Some(room) => room.clone(),
            None if is_extended(resource) && !self.rooms.is_empty() => Room::default(),
            None => return None,
        };
        if requested <= 0 || requested <= room.allocatable.saturating_sub(room.requested) {
            return None;
        }
        Some(if requested > room.allocatable { Shortage::Never } else { Shortage::Taken })
    }

    /// Whether another pod has taken one of these ports.
    pub(super) fn has_taken(&self, ports: &[HostPort]) -> bool {
        let is_taken = |port: &HostPort| self.ports.iter().flatten().any(|taken| taken.clashes_with(port));
        ports.iter().any(is_taken)
    }

    /// Counts a pod that comes to the node (1) or leaves it (-1), what it requests, and its ports.
    pub(super) fn count(&mut self, pod: &Pod, by: i32) {
        self.pods = self.pods.saturating_add_signed(by);
        for (resource, room) in &mut self.rooms {
            let amount = of_pod(pod, List::Requests, resource).saturating_mul(i128::from(by));
            room.requested = room.requested.saturating_add(amount);
        }
        let Some(taken) = &mut self.ports else { return };
        for port in host_ports(pod) {
            if by > 0 {
                taken.push(port);
            } else if let Some(index) = taken.iter().position(|other| *other == port) {
                taken.swap_remove(index);
            }
        }
    }
}

/// The node that a manifest's pod is on.
fn node_name(manifest: &Manifest) -> Option<&str> {
    let name = match manifest {
        Manifest::Stored(Object::Pod(pod)) => pod.spec.node_name.as_deref(),
        Manifest::Stored(_) => None,
        given => given.given()?.pointer("/spec/nodeName")?.as_str(),
    };
    name.filter(|name| manifest.kind() == Kind::Pod.name() && !name.is_empty())
}

/// What a node of the scenario has of each resource that it names.
fn rooms(node: &Node, path: &str) -> Result<BTreeMap<Box<str>, Room>, Problem> {
    let (mut rooms, mut wrong) = (BTreeMap::new(), Vec::new());
    let own = [("cpu", &node.cpu), ("memory", &node.memory)];
    let own = own.into_iter().filter_map(|(name, given)| Some((name, format!("{path}.{name}"), given.as_ref()?)));
    let others = node.resources.iter().map(|(name, given)| (name.as_str(), format!("{path}.resources[{name}]"), given));
    for (name, path, given) in own.chain(others) {
        if let Some(allocatable) = nanos(given).filter(|amount| *amount >= 0) {
            rooms.insert(name.into(), Room { allocatable, requested: 0 });
        } else {
            let message = format!("Invalid value: {}: must be an amount like 4, 500m or 16Gi", shortened(given));
            wrong.push(Problem::new(path, message));
        }
    }
    Problem::check(wrong)?;
    Ok(rooms)
}
