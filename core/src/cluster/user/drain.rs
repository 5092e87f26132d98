//! `kubectl drain`.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::request::ActionError;
use crate::cluster::decision::UserDecision;
use crate::cluster::event_queue::SimEvent;
use crate::cluster::state::{Cluster, Draining, PendingEviction, Removal};
use crate::cluster::step::Actor;
use crate::cluster::store::Id;
use crate::controller::Verb;
use crate::object::unstructured::field;
use crate::object::{Kind, Object, ObjectKey, Pod, Time};
use crate::scenario::Drain;

/// After how long an eviction that was refused is asked for again.
///
/// Upstream: `k8s.io/kubectl/pkg/cmd/drain/drain.go NewDrainCmdOptions`
const RETRY_DELAY: i64 = 5 * Time::SECOND;

/// Upstream: `k8s.io/kubectl/pkg/drain/filters.go daemonSetFatal`
const DAEMON_SET_PODS: &str = "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)";

/// Upstream: `k8s.io/kubectl/pkg/drain/filters.go localStorageFatal`
const LOCAL_STORAGE: &str = "Pods with local storage (use --delete-emptydir-data to override)";

/// Upstream: `k8s.io/kubectl/pkg/drain/filters.go unmanagedFatal`
const NO_CONTROLLER: &str = "Pods that declare no controller (use --force to override)";

/// The annotation of a pod that a kubelet runs from a file, and that the API server only shows.
const MIRROR_POD: &str = "kubernetes.io/config.mirror";

/// What a drain does with a pod.
///
/// Upstream: `k8s.io/kubectl/pkg/drain/filters.go PodDeleteStatus`
enum PodDeleteStatus {
    Delete,
    Skip,
    /// The drain stops, for this reason.
    Error(String),
}

/// Upstream: `k8s.io/kubectl/pkg/drain/filters.go hasLocalStorage`
fn has_local_storage(pod: &Pod) -> bool {
    let volumes = pod.spec.fields.unknown.get("volumes").and_then(Value::as_array);
    volumes.into_iter().flatten().any(|volume| field(volume, "emptyDir").is_some())
}

/// kubectl's message about the pods that stop a drain. Upstream, the reasons are in the order of a Go map.
///
/// Upstream: `k8s.io/kubectl/pkg/drain/filters.go PodDeleteList.errors`
fn cannot_delete(errors: &[(String, Rc<Pod>)]) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    for (why, _) in errors {
        if !reasons.contains(&why.as_str()) {
            reasons.push(why);
        }
    }
    let message = |reason: &&str| {
        let pods = errors.iter().filter(|(why, _)| why == reason);
        let names = pods.map(|(_, pod)| format!("{}/{}", pod.metadata.namespace, pod.metadata.name));
        format!("cannot delete {reason}: {}", names.collect::<Vec<_>>().join(", "))
    };
    let messages: Vec<String> = reasons.iter().map(message).collect();
    match messages.as_slice() {
        [message] => message.clone(),
        messages => format!("[{}]", messages.join(", ")),
    }
}

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
    /// Cordons a node and evicts its pods.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/cmd/drain/drain.go DrainCmdOptions.RunDrain`
    pub(super) fn drain(&mut self, drain: &Drain) -> Result<(), ActionError> {
        let index = self.target_node(&drain.name, |object| UserDecision::Drain { object })?;
        self.cordon(index);
        let key = ObjectKey::new(Kind::Node, "", drain.name.as_str());
        let (mut pods, mut errors) = (Vec::new(), Vec::new());
        for (id, pod) in self.pods_on(index) {
            match self.filter_pod(drain, &pod) {
                PodDeleteStatus::Delete => pods.push(id),
                PodDeleteStatus::Skip => {}
                PodDeleteStatus::Error(why) => errors.push((why, pod)),
            }
        }
        if !errors.is_empty() {
            let message = cannot_delete(&errors).into();
            self.report_user_action(&key, |object| UserDecision::DrainStops { object, message });
            return Ok(());
        }
        // As kubectl's own default, a negative period is that of each pod.
        let grace = drain.grace_period_seconds.filter(|seconds| *seconds >= 0);
        let removal = Removal { evicts: !drain.disable_eviction, grace };
        let mut pending = Vec::new();
        for id in &pods {
            match self.remove_from(*id, &drain.name, removal) {
                EvictionAnswer::Granted => pending.push(PendingEviction { id: *id, refused: false }),
                EvictionAnswer::AskAgain => pending.push(PendingEviction { id: *id, refused: true }),
                EvictionAnswer::Failed => {}
            }
        }
        let failed = pending.len() < pods.len();
        let node = drain.name.as_str().into();
        self.drains.push(Draining { node, since: self.now, pods: pending, failed, removal });
        Ok(())
    }

    /// What becomes of a pod of the node. The first filter that lets it stay decides.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/drain/filters.go Helper.makeFilters`, `Helper.daemonSetFilter`, `Helper.mirrorPodFilter`,
    /// `Helper.localStorageFilter` and `Helper.unreplicatedFilter`
    fn filter_pod(&self, drain: &Drain, pod: &Pod) -> PodDeleteStatus {
        let is_finished = pod.is_terminal();
        let controller = pod.metadata.controller();
        if let Some(owner) = controller.filter(|owner| *owner.kind == *Kind::DaemonSet.name() && !is_finished) {
            let key = ObjectKey::new(Kind::DaemonSet, pod.metadata.namespace.clone(), owner.name.clone());
            if self.find(&key).is_some() {
                return match drain.ignore_daemon_sets.unwrap_or(true) {
                    true => PodDeleteStatus::Skip,
                    false => PodDeleteStatus::Error(DAEMON_SET_PODS.into()),
                };
            } else if !drain.force {
                return PodDeleteStatus::Error(format!("daemonsets.apps \"{}\" not found", owner.name));
            }
        }
        if pod.metadata.annotation(MIRROR_POD).is_some() {
            return PodDeleteStatus::Skip;
        }
        if !is_finished && !drain.delete_empty_dir_data.unwrap_or(true) && has_local_storage(pod) {
            return PodDeleteStatus::Error(LOCAL_STORAGE.into());
        }
        if !is_finished && controller.is_none() && !drain.force {
            return PodDeleteStatus::Error(NO_CONTROLLER.into());
        }
        PodDeleteStatus::Delete
    }

    /// Asks for the eviction or the deletion of a pod.
    ///
    /// Upstream: `k8s.io/kubectl/pkg/drain/drain.go Helper.evictPods` and `Helper.deletePods`
    fn remove_from(&mut self, id: Id, node: &str, removal: Removal) -> EvictionAnswer {
        let Some(pod) = self.pod(id) else { return EvictionAnswer::Failed };
        let stops_as_fast = |grace| pod.metadata.deletion_grace_period_seconds.is_some_and(|left| left <= grace);
        if pod.metadata.deletion_timestamp.is_some() && removal.grace.is_none_or(stops_as_fast) {
            return EvictionAnswer::Granted;
        }
        if !removal.evicts {
            let key = pod.key();
            let after = self.deleted(&Object::Pod(pod), removal.grace);
            let decision = UserDecision::DrainDeletes { object: key.clone(), node: node.into() };
            self.commit(Actor::User, &key, Verb::Delete, &key, after, decision);
            return EvictionAnswer::Granted;
        }
        let decide = |object| UserDecision::DrainEvicts { object, node: node.into() };
        match self.evict_pod(&pod, removal.grace, decide) {
            Ok(()) => EvictionAnswer::Granted,
            Err(refused) => {
                let about = self.store.borrow().shared_key(&pod.key());
                self.note(Actor::User, &about, refused.decision);
                if refused.again { EvictionAnswer::AskAgain } else { EvictionAnswer::Failed }
            }
        }
    }

    pub(crate) fn retry_eviction(&mut self, id: Id) {
        let drains: Vec<(Rc<str>, Removal)> =
            self.drains.iter().map(|drain| (drain.node.clone(), drain.removal)).collect();
        for (index, (node, removal)) in drains.into_iter().enumerate() {
            let waits = |pending: &PendingEviction| pending.id == id && !pending.refused;
            if !self.drains.get(index).is_some_and(|drain| drain.pods.iter().any(waits)) {
                continue;
            }
            let answer = self.remove_from(id, &node, removal);
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
