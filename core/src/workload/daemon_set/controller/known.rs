//! What syncs find out about nodes and pods. Most of them are the same at the next sync, which need not ask again.

use alloc::collections::BTreeMap;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::RefCell;
use core::mem;

use serde_json::Value;

use super::nodes::NodeNeed;
use super::template::{get_target_node_name, is_pod_updated};
use crate::controller::history::revision_data;
use crate::object::{LabelSelector, Pod, PodTemplateSpec, Selector, Time};
use crate::scheduler::Node;
use crate::workload::daemon_set::DaemonSet;

/// What syncs of a DaemonSet have found out. One that begins with nothing finds the same.
#[derive(Debug, Default)]
pub struct Found {
    pub(super) pods: RefCell<KnownPods>,
    template: RefCell<Option<KnownTemplate>>,
}

/// A pod template, with what a revision of it keeps, and which nodes it suits.
#[derive(Debug)]
struct KnownTemplate {
    template: Rc<PodTemplateSpec>,
    data: Rc<Value>,
    nodes: Rc<[Rc<Node>]>,
    suits: Rc<[Suits]>,
}

/// Whether a node should get a pod, and whether a pod that is there may stay.
pub(super) type Suits = (bool, bool);

impl Found {
    /// What a revision of the DaemonSet's template keeps, and for each node whether it suits.
    pub(super) fn of_template(&self, set: &DaemonSet, nodes: &Rc<[Rc<Node>]>) -> (Rc<Value>, Rc<[Suits]>) {
        let mut known = self.template.borrow_mut();
        let template = &set.spec.template;
        let same = known.take().filter(|known| Rc::ptr_eq(&known.template, template));
        let same_nodes = same.as_ref().filter(|known| Rc::ptr_eq(&known.nodes, nodes));
        let suits = same_nodes.map_or_else(
            || {
                let need = NodeNeed::of(set);
                nodes.iter().map(|node| need.should_run(node)).collect()
            },
            |known| known.suits.clone(),
        );
        let data = same.map_or_else(|| Rc::new(revision_data(template)), |known| known.data);
        let (template, nodes) = (template.clone(), nodes.clone());
        *known = Some(KnownTemplate { template, data: data.clone(), nodes, suits: suits.clone() });
        (data, suits)
    }
}

/// A pod, with what syncs ask of it.
#[derive(Clone, Debug)]
pub(super) struct KnownPod {
    pub(super) pod: Rc<Pod>,
    pub(super) is_bound: bool,
    pub(super) is_terminating: bool,
    /// Whether its containers have ended for good.
    pub(super) has_ended: bool,
    pub(super) is_ready: bool,
    /// Since when it has been ready, if that is known.
    ready_since: Option<Time>,
    /// Whether it has the present template.
    pub(super) is_updated: bool,
}

impl KnownPod {
    fn of(pod: &Rc<Pod>, version: &Version) -> Self {
        Self {
            pod: pod.clone(),
            is_bound: pod.spec.node_name.is_some(),
            is_terminating: pod.metadata.deletion_timestamp.is_some(),
            has_ended: pod.is_terminal(),
            is_ready: pod.is_ready(),
            ready_since: pod.ready_condition().and_then(|condition| condition.last_transition_time),
            is_updated: is_pod_updated(pod, &version.hash, version.generation),
        }
    }

    /// Upstream: `pkg/api/v1/pod/util.go IsPodAvailable`
    pub(super) fn is_available(&self, min_ready_seconds: i32, now: Time) -> bool {
        let since = |since: Time| since.plus_seconds(min_ready_seconds.into());
        self.is_ready && (min_ready_seconds == 0 || self.ready_since.is_some_and(|ready| since(ready) <= now))
    }
}

/// The present version of the template, by which pods are updated or old.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) hash: String,
    pub(super) generation: Option<i64>,
}

/// The pods by the nodes that they are on, or wait for.
pub(super) type PodsByNode = BTreeMap<Rc<str>, Vec<KnownPod>>;

/// The pods of a DaemonSet.
#[derive(Debug, Default)]
pub(super) struct KnownPods {
    uid: Rc<str>,
    selector: Option<Rc<LabelSelector>>,
    version: Version,
    /// In the order of a sync's list, each with the node that it is on or waits for.
    listed: Vec<(Rc<Pod>, Option<Rc<str>>)>,
    by_node: Rc<PodsByNode>,
}

impl KnownPods {
    /// Looks at the pods that were not there or not the same before. Says whether the DaemonSet keeps all of them: if it has to adopt or
    /// release one, nothing is known.
    pub(super) fn see(
        &mut self,
        set: &DaemonSet,
        selector: &Selector<'_>,
        listed: &[Rc<Pod>],
        version: &Version,
    ) -> bool {
        let is_same = self.uid == set.metadata.uid && self.selector == set.spec.selector && self.version == *version;
        if !is_same {
            *self = Self {
                uid: set.metadata.uid.clone(),
                selector: set.spec.selector.clone(),
                version: version.clone(),
                ..Self::default()
            };
        }
        let is_known = |((known, _), pod): (&(Rc<Pod>, _), &Rc<Pod>)| Rc::ptr_eq(known, pod);
        if self.listed.len() == listed.len() && self.listed.iter().zip(listed).all(is_known) {
            return true;
        }
        let mut before = mem::take(&mut self.listed).into_iter().peekable();
        self.listed.reserve(listed.len());
        for pod in listed {
            let comes_before =
                |(known, _): &(Rc<Pod>, _)| !Rc::ptr_eq(known, pod) && known.metadata.name <= pod.metadata.name;
            while let Some((gone, node)) = before.next_if(comes_before) {
                self.remove(&gone, node.as_ref());
            }
            if let Some(known) = before.next_if(|(known, _)| Rc::ptr_eq(known, pod)) {
                self.listed.push(known);
            } else if pod.metadata.is_controlled_by(&set.metadata) && selector.matches(&pod.metadata.labels) {
                self.add(pod);
            } else {
                *self = Self::default();
                return false;
            }
        }
        before.for_each(|(gone, node)| self.remove(&gone, node.as_ref()));
        true
    }

    /// Knows these pods instead, which a sync has claimed.
    pub(super) fn replace(&mut self, claimed: &[Rc<Pod>], version: &Version) {
        *self = Self { version: version.clone(), ..Self::default() };
        claimed.iter().for_each(|pod| self.add(pod));
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller.go getNodesToDaemonPods`
    fn add(&mut self, pod: &Rc<Pod>) {
        let node = get_target_node_name(pod);
        if let Some(node) = node.as_ref().filter(|_| !is_left_out(pod)) {
            let pods = Rc::make_mut(&mut self.by_node).entry(node.clone()).or_default();
            pods.push(KnownPod::of(pod, &self.version));
            // Of a node's pods, those that were seen earlier may come later in the list.
            pods.sort_by(|a, b| a.pod.metadata.name.cmp(&b.pod.metadata.name));
        }
        self.listed.push((pod.clone(), node));
    }

    fn remove(&mut self, pod: &Rc<Pod>, node: Option<&Rc<str>>) {
        let Some(node) = node else { return };
        let by_node = Rc::make_mut(&mut self.by_node);
        let Some(pods) = by_node.get_mut(node) else { return };
        pods.retain(|known| !Rc::ptr_eq(&known.pod, pod));
        if pods.is_empty() {
            by_node.remove(node);
        }
    }

    /// The pods by node, without those that have ended and are being deleted.
    pub(super) fn by_node(&self) -> Rc<PodsByNode> {
        self.by_node.clone()
    }

    /// The pods that are on a node, or wait for one, with those that have ended.
    pub(super) fn of_nodes(&self) -> impl Iterator<Item = &Rc<Pod>> {
        self.listed.iter().filter(|(_, node)| node.is_some()).map(|(pod, _)| pod)
    }
}

/// Whether a pod is no longer counted on its node: it has ended, and is being deleted.
fn is_left_out(pod: &Pod) -> bool {
    pod.is_terminal() && pod.metadata.deletion_timestamp.is_some()
}
