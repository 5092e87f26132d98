//! Everything that the scheduler looks at: nodes, their pods, and objects that bear on them.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;

use super::node::Node;
use super::node_info::NodeInfo;
use super::pod_shape::PodShape;
use super::surrounding::{Surrounding, Surroundings};
use crate::object::{Pod, PodSpecFields};

/// The domain of each node by one label: nodes with the same value have the same one.
#[derive(Debug, Default)]
pub struct Domains {
    of_node: Vec<Option<usize>>,
    /// How many there are.
    pub(super) count: usize,
}

impl Domains {
    /// The domain of a node; none if it lacks the label.
    pub(super) fn of(&self, node: usize) -> Option<usize> {
        self.of_node.get(node).copied().flatten()
    }
}

/// A shape of a snapshot, by its number.
#[derive(Clone, Debug)]
pub struct Shape {
    /// What its pods share.
    pub shape: Rc<PodShape>,
    /// Its number.
    pub id: usize,
}

/// A pod that takes room of a node without being there yet.
#[derive(Clone, Debug)]
pub struct Nominated {
    /// The pod, by something that tells it from others.
    pub key: String,
    /// What it asks for.
    pub shape: Shape,
    /// Its node.
    pub node: usize,
}

/// Upstream: `pkg/scheduler/backend/cache/snapshot.go Snapshot`
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    nodes: Vec<NodeInfo>,
    /// The nodes that exist, in the order in which they are looked at.
    order: Vec<usize>,
    /// The numbers of the nodes by their names.
    by_name: BTreeMap<Rc<str>, usize>,
    shapes: Vec<Rc<PodShape>>,
    /// Whether pods of some shape keep others away.
    has_anti_affinity: bool,
    /// The shapes by the spec that they were read from.
    by_fields: BTreeMap<usize, Vec<usize>>,
    /// Keeps the specs of `by_fields` alive, so that no other spec gets their address.
    kept: Vec<Rc<PodSpecFields>>,
    domains: RefCell<Vec<(String, Rc<Domains>)>>,
    /// The pods that have been promised a node.
    pub nominated: Vec<Nominated>,
    /// Objects that bear on where pods run.
    pub surroundings: Surroundings,
}

impl Snapshot {
    /// A snapshot of these nodes, numbered from 0 on, without pods.
    pub fn of_nodes(nodes: impl Iterator<Item = Rc<Node>>) -> Self {
        let mut snapshot = Self { nodes: nodes.map(NodeInfo::new).collect(), ..Self::default() };
        snapshot.refresh();
        snapshot
    }

    /// Adds a node, which gets the next number.
    pub fn add_node(&mut self, node: Rc<Node>) {
        self.nodes.push(NodeInfo::new(node));
        self.refresh();
    }

    /// Removes the node that was added last, which has no pods.
    pub(crate) fn remove_last_node(&mut self) {
        self.nodes.pop();
        self.refresh();
    }

    /// Changes a node.
    pub(crate) fn update_node(&mut self, index: usize, node: Rc<Node>, exists: bool) {
        if let Some(info) = self.nodes.get_mut(index) {
            info.node = node;
            info.exists = exists;
        }
        self.refresh();
    }

    fn refresh(&mut self) {
        self.domains.borrow_mut().clear();
        self.order = self.zones_in_turn();
        self.by_name.clear();
        for (index, info) in self.nodes.iter().enumerate() {
            self.by_name.entry(info.node.name.clone()).or_insert(index);
        }
    }

    /// The nodes that exist, one of each zone in turn.
    ///
    /// Upstream: `pkg/scheduler/backend/cache/node_tree.go nodeTree.list`
    fn zones_in_turn(&self) -> Vec<usize> {
        let mut zones: Vec<((&str, &str), Vec<usize>)> = Vec::new();
        for (index, info) in self.nodes.iter().enumerate().filter(|(_, info)| info.exists) {
            let key = info.node.zone_key();
            match zones.iter_mut().find(|(zone, _)| *zone == key) {
                Some((_, nodes)) => nodes.push(index),
                None => zones.push((key, Vec::from([index]))),
            }
        }
        let longest = zones.iter().map(|(_, nodes)| nodes.len()).max().unwrap_or(0);
        let turn = |turn: usize| zones.iter().filter_map(move |(_, nodes)| nodes.get(turn).copied());
        (0..longest).flat_map(turn).collect()
    }

    /// The nodes, also those without a Node object.
    pub fn nodes(&self) -> &[NodeInfo] {
        &self.nodes
    }

    /// A node by its number.
    pub fn node(&self, index: usize) -> Option<&NodeInfo> {
        self.nodes.get(index)
    }

    /// The number of the node with that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The nodes that exist, in the order in which they are looked at, with their numbers.
    pub fn in_order(&self) -> impl Iterator<Item = (usize, &NodeInfo)> {
        self.order.iter().filter_map(|index| Some((*index, self.nodes.get(*index)?)))
    }

    /// How many nodes exist.
    pub fn node_count(&self) -> usize {
        self.order.len()
    }

    /// How many shapes have been seen.
    pub(super) fn shape_count(&self) -> usize {
        self.shapes.len()
    }

    /// Whether pods of some shape keep others away.
    pub(super) const fn has_anti_affinity(&self) -> bool {
        self.has_anti_affinity
    }

    /// The domains of the nodes by a label.
    pub(super) fn domains(&self, key: &str) -> Rc<Domains> {
        let mut known = self.domains.borrow_mut();
        if let Some((_, domains)) = known.iter().find(|(its, _)| its == key) {
            return domains.clone();
        }
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut of_node = Vec::with_capacity(self.nodes.len());
        for info in &self.nodes {
            let next = numbers.len();
            of_node.push(info.node.label(key).map(|value| *numbers.entry(value).or_insert(next)));
        }
        let domains = Rc::new(Domains { of_node, count: numbers.len() });
        known.push((key.to_owned(), domains.clone()));
        domains
    }

    /// Takes these objects in place of those that were there.
    pub(crate) fn replace_surroundings<'a>(&mut self, surroundings: impl Iterator<Item = &'a Surrounding>) {
        self.surroundings.replace(surroundings);
        for shape in &self.shapes {
            self.surroundings.know_namespace(&shape.namespace);
        }
    }

    /// What the scheduler reads of a pod.
    pub fn shape_of(&mut self, pod: &Pod) -> Shape {
        let address = address(&pod.spec.fields);
        let ids = self.by_fields.entry(address).or_default();
        for id in ids.iter() {
            if let Some(shape) = self.shapes.get(*id).filter(|shape| shape.shares_metadata(pod)) {
                return Shape { shape: shape.clone(), id: *id };
            }
        }
        // Pods that were read one by one have equal specs in different places.
        let recent = self.shapes.iter().enumerate().rev().take(COMPARED);
        if let Some((id, shape)) = recent.into_iter().find(|(_, shape)| shape.equals(pod)) {
            ids.push(id);
            self.kept.push(pod.spec.fields.clone());
            return Shape { shape: shape.clone(), id };
        }
        let mut shape = PodShape::of(pod);
        self.surroundings.put_priority(pod, &mut shape);
        self.surroundings.know_namespace(&shape.namespace);
        self.has_anti_affinity |= shape.has_required_anti_affinity();
        let (shape, id) = (Rc::new(shape), self.shapes.len());
        ids.push(id);
        self.shapes.push(shape.clone());
        Shape { shape, id }
    }

    /// Counts a pod on a node.
    pub fn add_pod(&mut self, node: usize, shape: &Shape, is_terminating: bool) {
        if let Some(info) = self.nodes.get_mut(node) {
            info.add_pod(&shape.shape, shape.id, is_terminating);
        }
    }

    /// Counts a pod on a node no more.
    pub(crate) fn remove_pod(&mut self, node: usize, shape: &Shape, is_terminating: bool) {
        if let Some(info) = self.nodes.get_mut(node) {
            info.remove_pod(&shape.shape, shape.id, is_terminating);
        }
    }
}

/// How many shapes a pod is compared with whose spec is in none of their places.
const COMPARED: usize = 16;

/// Where a spec is: the shapes keep theirs, so no other gets the place.
fn address(fields: &Rc<PodSpecFields>) -> usize {
    Rc::as_ptr(fields).addr()
}
