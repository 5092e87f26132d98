//! What one sync works with.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::OnceCell;

use serde_json::Value;

use super::backoff::BackOff;
use super::nodes::NodeNeed;
use super::template::get_target_node_name;
use crate::controller::controller_ref::ControllerRefManager;
use crate::controller::expectations::Expectations;
use crate::controller::{Client, Error};
use crate::json::{FromJson, LiteMap, ToJson};
use crate::object::{ControllerRevision, Kind, LabelSelector, ObjectMeta, Pod, Time};
use crate::scheduler::Node;
use crate::workload::daemon_set::DaemonSet;
use crate::workload::daemon_set::decision::{Decision, OfPod, OnNode, PodOnNode};

/// Pods, as a cache shows them at some time.
type Pods = Rc<[Rc<Pod>]>;

/// What a sync of a DaemonSet sees.
pub struct View<'a> {
    /// The DaemonSet.
    pub daemon_set: &'a Rc<DaemonSet>,
    /// The nodes.
    pub nodes: &'a [Rc<Node>],
    /// The pods to delete and the nodes that get one which come first where upstream goes by the order of a Go map. The others
    /// follow by the names of their nodes.
    pub first: &'a [Rc<str>],
    /// The pods that it owns by name, then those of its namespace that have no controller, by name: as a cache shows them, which a sync
    /// asks more than once.
    pub pods: &'a dyn Fn() -> Rc<[Rc<Pod>]>,
    /// The revisions of its namespace.
    pub revisions: &'a [Rc<ControllerRevision>],
    /// Lowers the expectations by what event handlers have seen, whenever a sync looks at them.
    pub observe: &'a dyn Fn(&mut Option<Expectations>),
    /// What a sync has found out about these: one that goes on later, after it had to wait, finds the same.
    pub found: &'a Found,
}

/// What a sync finds out about the objects that it sees.
#[derive(Debug, Default)]
pub struct Found {
    /// What a revision of the template keeps.
    pub(super) data: OnceCell<Value>,
    /// Of each node, whether it should get a pod, and whether a pod that is there may stay.
    should_run: OnceCell<Vec<(bool, bool)>>,
    /// The DaemonSet's pods, if none is adopted or released, and the same by node; each with the pods that the cache has shown.
    claimed: OnceCell<(Pods, Pods)>,
    by_node: OnceCell<(Pods, Rc<PodsByNode>)>,
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
    /// After how many nanoseconds to look again.
    pub(super) after: Option<i64>,
}

/// The pods by the nodes that they are on, or wait for.
pub(super) type PodsByNode = BTreeMap<Rc<str>, Vec<Rc<Pod>>>;

impl<'a, 'v> Sync<'a, 'v> {
    pub(super) fn new(client: &'a mut dyn Client, view: &'a View<'v>, memory: &'a mut Memory) -> Self {
        let (now, set) = (client.now(), view.daemon_set.clone());
        Self { client, view, memory, set, now, after: None }
    }

    /// The nodes of the view, each with whether it should get a pod, and whether a pod that is there may stay.
    pub(super) fn suited_nodes(&self) -> impl Iterator<Item = (&'v Rc<Node>, (bool, bool))> + Clone + use<'v> {
        let View { nodes, found, .. } = *self.view;
        let should_run = found.should_run.get_or_init(|| {
            let need = NodeNeed::of(&self.set);
            nodes.iter().map(|node| need.should_run(node)).collect()
        });
        nodes.iter().zip(should_run.iter().copied())
    }

    /// The nodes of the view, each with whether it should get a pod.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (&'v Rc<Node>, bool)> + Clone + use<'v> {
        self.suited_nodes().map(|(node, (should_run, _))| (node, should_run))
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
    pub(super) fn is_available(&self, pod: &Pod) -> bool {
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

    /// The DaemonSet's pods. Where none of them is adopted or released, a sync finds the same ones each time.
    fn claimed_pods(&mut self, listed: &Pods) -> Result<Pods, Error> {
        if let Some((of, claimed)) = self.view.found.claimed.get()
            && Rc::ptr_eq(of, listed)
        {
            return Ok(claimed.clone());
        }
        let claimed = self.get_daemon_pods(listed).map_err(|error| {
            let name = &self.set.metadata.name;
            Error::Other(format!("couldn't get node to daemon pod mapping for daemon set \"{name}\": {error}"))
        })?;
        let is_own = |pod: &Rc<Pod>| pod.metadata.controller().is_some_and(|owner| owner.uid == self.set.metadata.uid);
        let is_settled = listed.len() == claimed.len() && listed.iter().all(is_own);
        let claimed: Pods = claimed.into();
        if is_settled {
            self.view.found.claimed.get_or_init(|| (listed.clone(), claimed.clone()));
        }
        Ok(claimed)
    }

    /// The pods by node, without those that have ended and are being deleted.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go getNodesToDaemonPods`
    pub(super) fn get_nodes_to_daemon_pods(&mut self) -> Result<Rc<PodsByNode>, Error> {
        let listed = (self.view.pods)();
        if let Some((of, by_node)) = self.view.found.by_node.get()
            && Rc::ptr_eq(of, &listed)
        {
            return Ok(by_node.clone());
        }
        let mut by_node = PodsByNode::new();
        for pod in &*self.claimed_pods(&listed)? {
            if pod.is_terminal() && pod.metadata.deletion_timestamp.is_some() {
                continue;
            }
            if let Some(node) = get_target_node_name(pod) {
                by_node.entry(node).or_default().push(pod.clone());
            }
        }
        let by_node = Rc::new(by_node);
        if self.view.found.claimed.get().is_some_and(|(of, _)| Rc::ptr_eq(of, &listed)) {
            self.view.found.by_node.get_or_init(|| (listed, by_node.clone()));
        }
        Ok(by_node)
    }

    /// The pods that are on a node, or wait for one, with those that have ended.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go getNodesToDaemonPods`
    pub(super) fn pods_of_nodes(&mut self) -> Result<Vec<Rc<Pod>>, Error> {
        let claimed = self.claimed_pods(&(self.view.pods)())?;
        Ok(claimed.iter().filter(|pod| get_target_node_name(pod).is_some()).cloned().collect())
    }
}

/// A number of pods or nodes.
pub(super) fn count(number: impl TryInto<i32>) -> i32 {
    number.try_into().unwrap_or(i32::MAX)
}
