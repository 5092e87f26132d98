//! The nodes, and what their pods take of them.

#[cfg(feature = "explain")]
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
#[cfg(feature = "sets")]
use core::cell::RefCell;
use core::ops::{Deref, DerefMut};

use litemap::LiteMap;

use super::event_queue::SimEvent;
use crate::Problem;
use crate::collect_tree::CollectTree;
use crate::go::quoted;
use crate::object::quantity::nanos;
use crate::object::{Kind, Object, ObjectKey, Taint, Time};
use crate::problem::shortened;
use crate::scenario::{Manifest, Node, Scenario, nodes_lost_by_pods};
use crate::scheduler::{self, ARCHITECTURE, HOSTNAME, OS, Resources, UNLIMITED};

/// The taint of a node that does not report.
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// The taint of a cordoned node.
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// The taint with which a user says that a node is gone for good.
const OUT_OF_SERVICE: &str = "node.kubernetes.io/out-of-service";

/// Upstream: `pkg/controller/nodelifecycle/config/v1alpha1/defaults.go RecommendedDefaultNodeLifecycleControllerConfiguration`, in
/// seconds
pub(super) const GRACE_PERIOD: i64 = 50;

/// The node that there is where the scenario names none.
pub(super) const NODE: &str = "node";

/// A node, and what its pods take of it.
#[derive(Debug)]
pub(super) struct NodeState {
    pub(super) name: Rc<str>,
    /// What the scheduler reads of it, without the taints that follow from what is below.
    given: Rc<scheduler::Node>,
    pub(super) pods: u32,
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
    /// How it was described, if it joined later.
    #[cfg(feature = "explain")]
    pub(super) added: Option<Box<Node>>,
    /// The taints with the effect NoExecute that the user has added, and since when it has each.
    pub(super) evicting_taints: Vec<(Taint, Time)>,
    /// How often its labels and taints have changed.
    changes: u32,
}

/// The nodes of a cluster.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    states: Vec<NodeState>,
    /// How often something of them may have changed, besides the number of their pods.
    changes: u64,
    /// Those that exist, by name, and how often the nodes had changed then.
    #[cfg(feature = "sets")]
    listed: RefCell<(u64, Rc<[Rc<scheduler::Node>]>)>,
}

impl Nodes {
    /// Those that exist, by name: the same list as long as nothing of them may have changed.
    #[cfg(feature = "sets")]
    pub(super) fn list(&self) -> Rc<[Rc<scheduler::Node>]> {
        let (changes, listed) = &mut *self.listed.borrow_mut();
        if core::mem::replace(changes, self.changes) != self.changes {
            let existing = self.states.iter().filter(|node| node.exists());
            let mut nodes: Vec<Rc<scheduler::Node>> = existing.map(NodeState::node).collect();
            nodes.sort_by(|a, b| a.name.cmp(&b.name));
            *listed = nodes.into();
        }
        listed.clone()
    }

    /// How often something of them may have changed, besides the number of their pods.
    pub(super) const fn changes(&self) -> u64 {
        self.changes
    }

    pub(super) fn push(&mut self, node: NodeState) {
        self.changes = self.changes.wrapping_add(1);
        self.states.push(node);
    }

    /// Counts a pod that comes to a node (1) or leaves it (-1).
    pub(super) fn count_pod(&mut self, index: usize, by: i32) {
        if let Some(node) = self.states.get_mut(index) {
            node.pods = node.pods.saturating_add_signed(by);
        }
    }
}

impl From<Vec<NodeState>> for Nodes {
    fn from(states: Vec<NodeState>) -> Self {
        Self { states, changes: 1, ..Self::default() }
    }
}

impl Deref for Nodes {
    type Target = [NodeState];

    fn deref(&self) -> &[NodeState] {
        &self.states
    }
}

impl DerefMut for Nodes {
    fn deref_mut(&mut self) -> &mut [NodeState] {
        self.changes = self.changes.wrapping_add(1);
        &mut self.states
    }
}

/// What can change of what the scheduler reads of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct NodeCondition {
    pub(super) exists: bool,
    cordoned: bool,
    unreachable: bool,
    out_of_service: bool,
    changes: u32,
}

/// The latest time at which a node reported that the controller notices to be unreachable at this time.
pub(super) fn unreported_since(noticed: Time) -> Time {
    noticed.plus_seconds(GRACE_PERIOD.saturating_neg())
}

impl NodeState {
    /// A node that is healthy and empty.
    pub(super) fn new(given: scheduler::Node) -> Self {
        Self {
            name: given.name.clone(),
            given: Rc::new(given),
            pods: 0,
            lost: None,
            unreachable: false,
            unreachable_taint: None,
            out_of_service_taint: None,
            deleted: None,
            cordoned: false,
            empty_since: None,
            held_back: Vec::new(),
            #[cfg(feature = "explain")]
            added: None,
            evicting_taints: Vec::new(),
            changes: 0,
        }
    }

    /// A node that joins the cluster.
    ///
    /// # Errors
    /// As [`NodeState::with_capacity`].
    pub(super) fn added(node: &Node, path: &str) -> Result<Self, Problem> {
        let state = Self::with_capacity(&node.name, node, path)?;
        Ok(Self {
            cordoned: node.cordoned,
            #[cfg(feature = "explain")]
            added: Some(Box::new(node.clone())),
            ..state
        })
    }

    /// The node is another one from now on, but keeps the pods that nobody has removed.
    pub(super) fn replace(&mut self, other: Self) {
        let (pods, changes) = (self.pods, self.changes.saturating_add(1));
        *self = Self { pods, changes, ..other };
    }

    /// Adds a taint, in place of one with the same key and effect.
    pub(super) fn put_taint(&mut self, taint: Taint, now: Time) {
        let is_same = |other: &Taint| other.key == taint.key && other.effect == taint.effect;
        self.remove_taints(is_same);
        if taint.effect == "NoExecute" {
            self.evicting_taints.push((taint.clone(), now));
        }
        Rc::make_mut(&mut self.given).taints.push(taint);
    }

    /// Removes taints.
    pub(super) fn remove_taints(&mut self, is_meant: impl Fn(&Taint) -> bool) {
        self.changes = self.changes.saturating_add(1);
        self.evicting_taints.retain(|(taint, _)| !is_meant(taint));
        Rc::make_mut(&mut self.given).taints.retain(|taint| !is_meant(taint));
    }

    /// Sets labels, or removes those without a value.
    pub(super) fn put_labels(&mut self, labels: &LiteMap<String, Option<String>>) {
        self.changes = self.changes.saturating_add(1);
        let own = Rc::make_mut(&mut Rc::make_mut(&mut self.given).labels);
        for (key, value) in labels.iter() {
            match value {
                Some(value) => drop(own.insert(key.clone(), value.clone())),
                None => drop(own.remove(key.as_str())),
            }
        }
    }

    /// A node as the scenario describes it.
    ///
    /// # Errors
    /// An amount that can't be read, and a key without effect, with its path.
    pub(super) fn with_capacity(name: &str, node: &Node, path: &str) -> Result<Self, Problem> {
        node.validate(path)?;
        let mut allocatable = Resources {
            milli_cpu: UNLIMITED,
            memory: UNLIMITED,
            ephemeral_storage: UNLIMITED,
            pods: node.pods.map_or(UNLIMITED, i64::from),
            ..Resources::default()
        };
        let amounts = amounts(node, path)?;
        for (name, amount) in &amounts {
            match *name {
                "cpu" => allocatable.milli_cpu = 0,
                "memory" => allocatable.memory = 0,
                "ephemeral-storage" => allocatable.ephemeral_storage = 0,
                _ => {}
            }
            allocatable.put(name, *amount);
        }
        let mut labels = node.labels.clone();
        for (key, value) in [(HOSTNAME, name), (OS, "linux"), (ARCHITECTURE, "amd64")] {
            if labels.get(key).is_none() {
                Rc::make_mut(&mut labels).insert(key.into(), value.into());
            }
        }
        Ok(Self::new(scheduler::Node {
            name: name.into(),
            labels,
            taints: node.taints.clone(),
            unschedulable: false,
            allocatable,
            has_anything: amounts.is_empty(),
            images: Vec::new(),
        }))
    }

    /// A node that stands for any number of them.
    pub(super) fn of_any_size(name: &str) -> Self {
        let node = Node { name: name.into(), ..Node::default() };
        Self::with_capacity(name, &node, "").unwrap_or_else(|_| Self::new(scheduler::Node::default()))
    }

    /// What the scheduler reads of it now.
    ///
    /// Upstream: `pkg/controller/nodelifecycle/node_lifecycle_controller.go Controller.doNoScheduleTaintingPass`
    pub(super) fn node(&self) -> Rc<scheduler::Node> {
        let unschedulable = self.cordoned.then(|| Taint::new(UNSCHEDULABLE, "NoSchedule"));
        let unreachable = self.unreachable.then(|| Taint::new(UNREACHABLE, "NoSchedule"));
        let out_of_service = self
            .out_of_service_taint
            .map(|_| Taint { value: "nodeshutdown".into(), ..Taint::new(OUT_OF_SERVICE, "NoExecute") });
        if unschedulable.is_none() && unreachable.is_none() && out_of_service.is_none() {
            return self.given.clone();
        }
        let mut node = (*self.given).clone();
        node.unschedulable = self.cordoned;
        node.taints.extend(unschedulable.into_iter().chain(unreachable).chain(out_of_service));
        Rc::new(node)
    }

    /// What can change of what the scheduler reads of it.
    pub(super) const fn condition(&self) -> NodeCondition {
        NodeCondition {
            exists: self.exists(),
            cordoned: self.cordoned,
            unreachable: self.unreachable,
            out_of_service: self.out_of_service_taint.is_some(),
            changes: self.changes,
        }
    }

    /// The labels that it has been given, and the one with its name.
    #[cfg(feature = "explain")]
    pub(super) fn labels(&self) -> &crate::object::StringMap {
        &self.given.labels
    }

    /// The taints that it has been given.
    pub(super) fn taints(&self) -> &[Taint] {
        &self.given.taints
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
            let names = scenario.objects.iter().filter_map(node_name).collect_tree::<BTreeSet<_>>();
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
        let (mut nodes, mut names) = (Vec::with_capacity(scenario.nodes.len()), BTreeSet::new());
        for (index, node) in scenario.nodes.iter().enumerate() {
            let path = format!("nodes[{index}]");
            if node.name.is_empty() {
                return Err(Problem::new(format!("{path}.name"), "Required value: must be the node's name"));
            }
            if !names.insert(node.name.as_str()) {
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

/// What a node of the scenario has of each resource that it names, in billionths.
fn amounts<'a>(node: &'a Node, path: &str) -> Result<Vec<(&'a str, i128)>, Problem> {
    let (mut amounts, mut wrong) = (Vec::new(), Vec::new());
    let own = [("cpu", &node.cpu), ("memory", &node.memory)];
    let own = own.into_iter().filter_map(|(name, given)| Some((name, format!("{path}.{name}"), given.as_ref()?)));
    let others = node.resources.iter().map(|(name, given)| (name.as_str(), format!("{path}.resources[{name}]"), given));
    for (name, path, given) in own.chain(others) {
        if let Some(amount) = nanos(given).filter(|amount| *amount >= 0) {
            amounts.push((name, amount));
        } else {
            let message = format!("Invalid value: {}: must be an amount like 4, 500m or 16Gi", shortened(given));
            wrong.push(Problem::new(path, message));
        }
    }
    Problem::check(wrong)?;
    Ok(amounts)
}
