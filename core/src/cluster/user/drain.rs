//! `kubectl drain`.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::request::ActionError;
use crate::cluster::decision::UserDecision;
use crate::cluster::event_queue::SimEvent;
use crate::cluster::state::{Cluster, Draining, PendingEviction};
use crate::cluster::step::Actor;
use crate::cluster::store::Id;
use crate::object::{Kind, ObjectKey, Time};
use crate::scenario::Drain;

/// After how long an eviction that was refused is asked for again.
///
/// Upstream: `k8s.io/kubectl/pkg/cmd/drain/drain.go NewDrainCmdOptions`
const RETRY_DELAY: i64 = 5 * Time::SECOND;

/// What comes of a request for an eviction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EvictionAnswer {
    /// The pod terminates.
    Granted,
    /// A budget is against it for now.
    AskAgain,
    /// The pod will stay.
    Failed,
}

impl Cluster {
    /// The pods of DaemonSets stay, as with `--ignore-daemonsets`.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/cmd/drain/drain.go DrainCmdOptions.RunDrain`
    pub(super) fn drain(&mut self, drain: &Drain) -> Result<(), ActionError> {
        let index = self.target_node(&drain.name, |object| UserDecision::Drain { object })?;
        self.cordon(index);
        let key = ObjectKey::new(Kind::Node, "", drain.name.as_str());
        let mut pods = self.pods_on(index);
        pods.retain(|(_, pod)| {
            pod.metadata.controller().is_none_or(|owner| *owner.kind != *Kind::DaemonSet.name()) || pod.is_terminal()
        });
        let mut bare = String::new();
        for (_, pod) in pods.iter().filter(|(_, pod)| pod.metadata.controller().is_none() && !pod.is_terminal()) {
            bare.push_str(if bare.is_empty() { "" } else { ", " });
            bare.push_str(&format!("{}/{}", pod.metadata.namespace, pod.metadata.name));
        }
        if !bare.is_empty() && !drain.force {
            let message = format!("Pods that declare no controller (use --force to override): {bare}").into();
            self.report_user_action(&key, |object| UserDecision::DrainStops { object, message });
            return Ok(());
        }
        let mut pending = Vec::new();
        for (id, _) in &pods {
            match self.evict_from(*id, &drain.name) {
                EvictionAnswer::Granted => pending.push(PendingEviction { id: *id, refused: false }),
                EvictionAnswer::AskAgain => pending.push(PendingEviction { id: *id, refused: true }),
                EvictionAnswer::Failed => {}
            }
        }
        let failed = pending.len() < pods.len();
        self.drains.push(Draining { node: drain.name.as_str().into(), since: self.now, pods: pending, failed });
        Ok(())
    }

    /// Asks for the eviction of a pod.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/drain/drain.go Helper.evictPods`
    fn evict_from(&mut self, id: Id, node: &str) -> EvictionAnswer {
        let Some(pod) = self.pod(id) else { return EvictionAnswer::Failed };
        if pod.metadata.deletion_timestamp.is_some() {
            return EvictionAnswer::Granted;
        }
        match self.evict_pod(&pod, |object| UserDecision::DrainEvicts { object, node: node.into() }) {
            Ok(()) => EvictionAnswer::Granted,
            Err(refused) => {
                let about = self.store.borrow().shared_key(&pod.key());
                self.note(Actor::User, &about, refused.decision);
                if refused.again { EvictionAnswer::AskAgain } else { EvictionAnswer::Failed }
            }
        }
    }

    pub(crate) fn retry_eviction(&mut self, id: Id) {
        let nodes: Vec<Rc<str>> = self.drains.iter().map(|drain| drain.node.clone()).collect();
        for (index, node) in nodes.into_iter().enumerate() {
            let waits = |pending: &PendingEviction| pending.id == id && !pending.refused;
            if !self.drains.get(index).is_some_and(|drain| drain.pods.iter().any(waits)) {
                continue;
            }
            let answer = self.evict_from(id, &node);
            let Some(drain) = self.drains.get_mut(index) else { continue };
            if answer == EvictionAnswer::Failed {
                drain.pods.retain(|pending| pending.id != id);
            }
            for pending in drain.pods.iter_mut().filter(|pending| pending.id == id) {
                pending.refused = answer == EvictionAnswer::AskAgain;
            }
        }
    }

    /// `kubectl drain` asks every 5 s. Here that is planned once it will help.
    pub(crate) fn plan_drain_retries(&mut self) {
        for mut drain in core::mem::take(&mut self.drains).into_iter().rev() {
            drain.pods.retain(|pending| self.pod(pending.id).is_some());
            for pending in drain.pods.iter_mut().filter(|pending| pending.refused) {
                if self.pod(pending.id).is_some_and(|pod| self.check_budgets(&pod).is_ok()) {
                    let waited = self.now.since(drain.since).rem_euclid(RETRY_DELAY);
                    pending.refused = false;
                    self.plan(RETRY_DELAY.saturating_sub(waited), SimEvent::RetryEviction(pending.id));
                }
            }
            if !drain.pods.is_empty() {
                self.drains.push(drain);
            } else if !drain.failed {
                let key = ObjectKey::new(Kind::Node, "", drain.node);
                self.report_user_action(&key, |object| UserDecision::Drained { object });
            }
        }
        self.drains.reverse();
    }
}
