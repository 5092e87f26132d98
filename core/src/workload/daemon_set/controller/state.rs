//! What one sync works with.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefMut;

use serde_json::Value;

use super::backoff::BackOff;
use super::known::{Found, KnownPod, KnownPods, PodsByNode, Suits, Version};
use super::template::get_template_generation;
use crate::controller::controller_ref::ControllerRefManager;
use crate::controller::expectations::Expectations;
use crate::controller::{Client, Error};
use crate::json::{FromJson, LiteMap, ToJson};
use crate::object::{ControllerRevision, Kind, LabelSelector, ObjectMeta, Pod, Time};
use crate::scheduler::Node;
use crate::workload::daemon_set::DaemonSet;
use crate::workload::daemon_set::decision::{Decision, OfPod, OnNode, PodOnNode};

/// What a sync of a DaemonSet sees.
pub struct View<'a> {
    /// The DaemonSet.
    pub daemon_set: &'a Rc<DaemonSet>,
    /// The nodes.
    pub nodes: &'a Rc<[Rc<Node>]>,
    /// The pods to delete and the nodes that get one which come first where upstream goes by the order of a Go map. The others
    /// follow by the names of their nodes.
    pub first: &'a [Rc<str>],
    /// The pods that it owns by name, then those of its namespace that have no controller, by name: as a cache shows them, which a sync
    /// asks more than once.
    pub pods: &'a dyn Fn() -> Rc<Vec<Rc<Pod>>>,
    /// The revisions of its namespace.
    pub revisions: &'a [Rc<ControllerRevision>],
    /// Lowers the expectations by what event handlers have seen, whenever a sync looks at them.
    pub observe: &'a dyn Fn(&mut Option<Expectations>),
    /// What earlier syncs have found out.
    pub found: &'a Found,
}

/// What the controller remembers of a DaemonSet between its syncs.
#[derive(Clone, Debug, Default, PartialEq, Eq, ToJson, FromJson)]
#[serde(rename_all = "camelCase", default)]
pub struct Memory {
    /// Creations and deletions that it has asked for and not yet seen.
    #[json(omitempty)]
    pub expectations: Option<Expectations>,
    /// The back-off of failed pods, by the DaemonSet's uid and observed generation, and the node.
    #[json(omitempty)]
    pub failed_pods_backoff: LiteMap<String, BackOff>,
}

/// One sync.
pub(super) struct Sync<'a, 'v> {
    pub(super) client: &'a mut dyn Client,
    pub(super) view: &'a View<'v>,
    pub(super) memory: &'a mut Memory,
    pub(super) set: Rc<DaemonSet>,
    pub(super) now: Time,
    /// What a revision of the present template keeps.
    pub(super) data: Rc<Value>,
    /// Of each node, whether it should get a pod, and whether a pod that is there may stay.
    suits: Rc<[Suits]>,
    /// After how many nanoseconds to look again.
    pub(super) after: Option<i64>,
}

impl<'a, 'v> Sync<'a, 'v> {
    pub(super) fn new(client: &'a mut dyn Client, view: &'a View<'v>, memory: &'a mut Memory) -> Self {
        let (now, set) = (client.now(), view.daemon_set.clone());
        let (data, suits) = view.found.of_template(&set, view.nodes);
        Self { client, view, memory, set, now, data, suits, after: None }
    }

    /// The nodes of the view, each with whether it should get a pod, and whether a pod that is there may stay; and with its pods.
    pub(super) fn nodes<'p>(
        &self,
        by_node: &'p PodsByNode,
    ) -> impl Iterator<Item = (&'v Rc<Node>, Suits, Option<&'p [KnownPod]>)> + use<'p, 'v> {
        let (nodes, suits) = (self.view.nodes, self.suits.clone());
        // Both are sorted by the names of the nodes, nearly always.
        let mut next = by_node.iter().peekable();
        nodes.iter().enumerate().map(move |(index, node)| {
            while next.next_if(|(name, _)| **name < node.name).is_some() {}
            let pods = match next.next_if(|(name, _)| **name == node.name) {
                Some((_, pods)) => Some(pods),
                None => by_node.get(&node.name),
            };
            (node, suits.get(index).copied().unwrap_or_default(), pods.map(Vec::as_slice))
        })
    }

    /// Where a pod or a node stands when upstream goes by the order of a Go map.
    pub(super) fn place_of(&self, name: &Rc<str>) -> usize {
        self.view.first.iter().position(|first| first == name).unwrap_or(usize::MAX)
    }

    pub(super) fn name(&self) -> Rc<str> {
        self.set.metadata.name.clone()
    }

    pub(super) fn on_node(&self, node: &Rc<str>) -> OnNode {
        OnNode { set: self.name(), node: node.clone() }
    }

    pub(super) fn pod_on_node(&self, pod: &Pod, node: &Rc<str>) -> PodOnNode {
        PodOnNode { set: self.name(), pod: pod.metadata.name.clone(), node: node.clone() }
    }

    /// Whether a pod is available.
    pub(super) fn is_available(&self, pod: &KnownPod) -> bool {
        pod.is_available(self.set.spec.min_ready_seconds, self.now)
    }

    pub(super) fn is_satisfied(&mut self) -> bool {
        (self.view.observe)(&mut self.memory.expectations);
        self.memory.expectations.is_none_or(|expectations| expectations.is_satisfied(self.now))
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller.go enqueueDaemonSetAfter`
    pub(super) fn look_again_after(&mut self, nanoseconds: i64) {
        self.after = Some(self.after.map_or(nanoseconds, |after| after.min(nanoseconds)));
    }

    /// The DaemonSet's pods: those that match. Others that it owns are released, and matching ones without an owner adopted.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go getDaemonPods`
    pub(super) fn get_daemon_pods(&mut self, listed: &[Rc<Pod>]) -> Result<Vec<Rc<Pod>>, Error> {
        let set = self.set.clone();
        let selector = LabelSelector::to_selector(set.spec.selector.as_deref())?;
        let pods = listed.iter().map(|pod| (pod.clone(), selector.matches(&pod.metadata.labels)));
        let decide = |adopts: bool, pod: &mut ObjectMeta| {
            let of = OfPod { set: set.metadata.name.clone(), pod: pod.name.clone() };
            if adopts { Decision::Adopt(of) } else { Decision::Release(of) }.into()
        };
        let (key, controller) = (set.key(), &set.metadata);
        ControllerRefManager { key, controller, kind: Kind::DaemonSet, decide: &decide }.claim(self.client, pods)
    }

    /// Brings up to date what is known of the pods.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go getNodesToDaemonPods`
    pub(super) fn know_pods(&mut self, hash: &str) -> Result<RefMut<'v, KnownPods>, Error> {
        let listed = (self.view.pods)();
        let version = Version { hash: hash.into(), generation: get_template_generation(&self.set) };
        let mut known = self.view.found.pods.borrow_mut();
        let selector = LabelSelector::to_selector(self.view.daemon_set.spec.selector.as_deref());
        let keeps_all = selector.is_ok_and(|selector| known.see(&self.set, &selector, &listed, &version));
        if !keeps_all {
            let claimed = self.get_daemon_pods(&listed).map_err(|error| {
                let name = &self.set.metadata.name;
                Error::Other(format!("couldn't get node to daemon pod mapping for daemon set \"{name}\": {error}"))
            })?;
            known.replace(&claimed, &version);
        }
        Ok(known)
    }

    /// The pods by node, without those that have ended and are being deleted.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go getNodesToDaemonPods`
    pub(super) fn get_nodes_to_daemon_pods(&mut self, hash: &str) -> Result<Rc<PodsByNode>, Error> {
        Ok(self.know_pods(hash)?.by_node())
    }
}

/// A number of pods or nodes.
pub(super) fn count(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}
