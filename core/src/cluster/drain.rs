//! `kubectl drain`.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::Cluster;
use super::node::node_key;
use super::queue::Happening;
use super::user::{Refusal, said};
use crate::object::{Kind, Time};
use crate::reason::user as rule;
use crate::scenario::Drain;
use crate::timeline::{Actor, Id};

/// After how long an eviction that was refused is asked for again.
///
/// Upstream: `k8s.io/kubectl/pkg/cmd/drain/drain.go NewDrainCmdOptions`
const RETRY_DELAY: i64 = 5 * Time::SECOND;

/// A node that is being drained.
pub(super) struct Draining {
    node: Rc<str>,
    since: Time,
    pods: Vec<Pending>,
    /// Whether there is a pod that will stay.
    failed: bool,
}

/// A pod that is to go.
struct Pending {
    id: Id,
    /// Whether its eviction has been refused, and is not to be asked for again yet.
    refused: bool,
}

impl Cluster {
    pub(super) fn cordon(&mut self, index: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.cordoned = true;
        }
    }

    pub(super) fn uncordon(&mut self, index: usize) {
        if let Some(node) = self.nodes.get_mut(index) {
            node.cordoned = false;
        }
        self.retry_unschedulable();
    }

    /// Upstream: `k8s.io/kubectl/pkg/cmd/drain/drain.go DrainCmdOptions.RunDrain`
    pub(super) fn drain(&mut self, drain: &Drain) -> Result<(), Refusal> {
        let index = self.target_node(&drain.name, &rule::DRAIN)?;
        self.cordon(index);
        let key = node_key(&drain.name);
        let pods = self.pods_on(index);
        let mut bare = String::new();
        for (_, pod) in pods.iter().filter(|(_, pod)| pod.metadata.controller().is_none() && !pod.is_terminal()) {
            bare.push_str(if bare.is_empty() { "" } else { ", " });
            bare.push_str(&format!("{}/{}", pod.metadata.namespace, pod.metadata.name));
        }
        if !bare.is_empty() && !drain.force {
            let detail = format!("Pods that declare no controller (use --force to override): {bare}");
            self.tell(Actor::User, &key, said(&rule::DRAIN_STOPS, &key, &detail));
            return Ok(());
        }
        let mut pending = Vec::new();
        for (id, _) in &pods {
            if let Some(refused) = self.evict_from(*id, &drain.name) {
                pending.push(Pending { id: *id, refused });
            }
        }
        let failed = pending.len() < pods.len();
        self.drains.push(Draining { node: drain.name.as_str().into(), since: self.now, pods: pending, failed });
        Ok(())
    }

    /// Asks for the eviction of a pod: whether it is to be asked for again; none where that is no use.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/drain/drain.go Helper.evictPods`
    fn evict_from(&mut self, id: Id, node: &str) -> Option<bool> {
        let pod = self.current(id)?;
        if pod.metadata.deletion_timestamp.is_some() {
            return Some(false);
        }
        match self.evict_pod(&pod, &rule::DRAIN_EVICT, node) {
            Ok(()) => Some(false),
            Err(refused) => {
                self.note(Actor::User, &pod.metadata.key(Kind::Pod), refused.reason);
                refused.again.then_some(true)
            }
        }
    }

    pub(super) fn retry_eviction(&mut self, id: Id) {
        let nodes: Vec<Rc<str>> = self.drains.iter().map(|drain| drain.node.clone()).collect();
        for (index, node) in nodes.into_iter().enumerate() {
            let waits = |pending: &Pending| pending.id == id && !pending.refused;
            if !self.drains.get(index).is_some_and(|drain| drain.pods.iter().any(waits)) {
                continue;
            }
            let refused = self.evict_from(id, &node);
            if let Some(drain) = self.drains.get_mut(index) {
                match refused {
                    Some(refused) => {
                        drain.pods.iter_mut().filter(|other| other.id == id).for_each(|other| other.refused = refused)
                    }
                    None => drain.pods.retain(|other| other.id != id),
                }
            }
        }
    }

    /// Who drains asks every 5 s. Here that is planned once it will help.
    pub(super) fn look_at_drains(&mut self) {
        for index in (0..self.drains.len()).rev() {
            let Some(mut drain) = self.drains.get_mut(index).map(|drain| core::mem::take(&mut drain.pods)) else {
                continue;
            };
            drain.retain(|pending| self.current(pending.id).is_some());
            let since = self.drains.get(index).map_or(self.now, |drain| drain.since);
            for pending in drain.iter_mut().filter(|pending| pending.refused) {
                if self.current(pending.id).is_some_and(|pod| self.check_budgets(&pod).is_ok()) {
                    let waited = self.now.since(since).rem_euclid(RETRY_DELAY);
                    pending.refused = false;
                    self.queue
                        .push(self.now.plus(RETRY_DELAY.saturating_sub(waited)), Happening::RetryEviction(pending.id));
                }
            }
            if drain.is_empty() {
                let done = self.drains.remove(index);
                let key = node_key(&done.node);
                if !done.failed {
                    self.tell(Actor::User, &key, said(&rule::DRAINED, &key, ""));
                }
            } else if let Some(there) = self.drains.get_mut(index) {
                there.pods = drain;
            }
        }
    }
}
