//! A node, and what its pods take of it.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::node::Node;
use super::node_ports::HostPort;
use super::pod_resources::NonZero;
use super::pod_shape::PodShape;
use super::resource::Resources;

/// The pods of one shape that a node has.
#[derive(Clone, Debug)]
pub struct PodGroup {
    /// What they share.
    pub shape: Rc<PodShape>,
    /// The number of the shape in its snapshot.
    pub id: usize,
    /// How many are there to stay.
    pub active: u32,
    /// How many terminate.
    pub terminating: u32,
}

impl PodGroup {
    /// How many there are.
    pub(super) fn all(&self) -> u32 {
        self.active.saturating_add(self.terminating)
    }
}

/// Upstream: `pkg/scheduler/framework/types.go NodeInfo`
#[derive(Clone, Debug)]
pub struct NodeInfo {
    /// The node.
    pub node: Rc<Node>,
    /// Whether there is such a Node object: without one, it takes no pods.
    pub exists: bool,
    /// Its pods.
    pub groups: Vec<PodGroup>,
    /// What they request.
    pub requested: Resources,
    /// What they count for where nodes are compared.
    pub non_zero: NonZero,
    /// How many they are.
    pub pods: i64,
    /// The ports that they have taken. A port that one of them gives back is free, even if another one has it.
    ports: Vec<HostPort>,
}

impl NodeInfo {
    pub(super) fn new(node: Rc<Node>) -> Self {
        Self {
            node,
            exists: true,
            groups: Vec::new(),
            requested: Resources::default(),
            non_zero: NonZero::default(),
            pods: 0,
            ports: Vec::new(),
        }
    }

    /// Upstream: `pkg/scheduler/framework/types.go NodeInfo.AddPodInfo`
    pub(super) fn add_pod(&mut self, shape: &Rc<PodShape>, id: usize, is_terminating: bool) {
        let index = self.groups.iter().position(|group| group.id == id).unwrap_or_else(|| {
            self.groups.push(PodGroup { shape: shape.clone(), id, active: 0, terminating: 0 });
            self.groups.len().saturating_sub(1)
        });
        if let Some(group) = self.groups.get_mut(index) {
            let count = if is_terminating { &mut group.terminating } else { &mut group.active };
            *count = count.saturating_add(1);
        }
        for port in &shape.ports {
            if !self.ports.contains(port) {
                self.ports.push(port.clone());
            }
        }
        self.take(shape, 1);
    }

    /// Upstream: `pkg/scheduler/framework/types.go NodeInfo.RemovePod`
    pub(super) fn remove_pod(&mut self, shape: &PodShape, id: usize, is_terminating: bool) {
        let Some(index) = self.groups.iter().position(|group| group.id == id) else { return };
        if let Some(group) = self.groups.get_mut(index) {
            let count = if is_terminating { &mut group.terminating } else { &mut group.active };
            *count = count.saturating_sub(1);
            if group.all() == 0 {
                self.groups.swap_remove(index);
            }
        }
        self.ports.retain(|port| !shape.ports.contains(port));
        self.take(shape, -1);
    }

    fn take(&mut self, shape: &PodShape, times: i64) {
        let add = |own: &mut i64, others: i64| *own = own.saturating_add(others.saturating_mul(times));
        add(&mut self.pods, 1);
        add(&mut self.non_zero.milli_cpu, shape.non_zero.milli_cpu);
        add(&mut self.non_zero.memory, shape.non_zero.memory);
        self.requested.add(&shape.requests, times);
    }

    /// The ports that the pods have taken.
    ///
    /// Upstream: `k8s.io/kube-scheduler/framework/types.go HostPortInfo`
    pub(super) fn ports(&self) -> &[HostPort] {
        &self.ports
    }
}
