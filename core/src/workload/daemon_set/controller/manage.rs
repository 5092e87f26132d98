//! Which pods are missing, and which are too many, whatever their template.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use super::backoff::BackOff;
use super::known::{KnownPod, PodsByNode, Suits};
use super::state::{Sync, count};
use super::template::{create_pod_template, get_template_generation, replace_node_name_node_affinity};
use crate::collect_tree::CollectTree;
use crate::controller::client::record;
use crate::controller::controller_ref::aggregate;
use crate::controller::expectations::{Expectations, creation_observed, deletion_observed};
use crate::controller::pod_control::{create_pod, delete_pod, get_pod_from_template};
use crate::controller::{Client, Error, Event};
use crate::object::{Kind, OwnerReference, Pod, PodPhase, PodTemplateSpec, Time};
use crate::scheduler::Node;
use crate::workload::daemon_set::DAEMON_SET_UNIQUE_LABEL;
use crate::workload::daemon_set::decision::Decision;

/// Upstream: `pkg/controller/daemon/daemon_controller.go BurstReplicas`
const BURST_REPLICAS: usize = 250;

/// The pods that a sync creates and deletes.
#[derive(Default)]
pub(super) struct Plan {
    /// The nodes that get a pod.
    pub(super) create: Vec<(Rc<str>, Decision)>,
    pub(super) delete: Vec<(Rc<Pod>, Decision)>,
}

impl Sync<'_, '_> {
    /// Upstream: `pkg/controller/daemon/daemon_controller.go manage`
    pub(super) fn manage(&mut self, hash: &str) -> Result<(), Error> {
        let by_node = self.get_nodes_to_daemon_pods(hash)?;
        let (mut plan, mut with_pods) = (Plan::default(), 0_usize);
        for (node, suits, pods) in self.nodes(&by_node) {
            with_pods = with_pods.saturating_add(pods.is_some().into());
            self.pods_should_be_on_node(node, suits, pods, hash, &mut plan);
        }
        if with_pods < by_node.len() {
            self.unscheduled_pods_without_node(&by_node, &mut plan);
        }
        // A write changes the pods.
        drop(by_node);
        self.sync_nodes(plan, hash)
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller.go getUnscheduledPodsWithoutNode`
    fn unscheduled_pods_without_node(&self, by_node: &PodsByNode, plan: &mut Plan) {
        let nodes: BTreeSet<&str> = self.view.nodes.iter().map(|node| &*node.name).collect_tree();
        for (node, pods) in by_node.iter().filter(|(node, _)| !nodes.contains(&***node)) {
            for KnownPod { pod, .. } in pods.iter().filter(|pod| !pod.is_bound) {
                plan.delete.push((pod.clone(), Decision::DeleteWithoutNode(self.pod_on_node(pod, node))));
            }
        }
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller.go podsShouldBeOnNode`
    fn pods_should_be_on_node(
        &mut self,
        node: &Node,
        (should_run, should_continue_running): Suits,
        pods: Option<&[KnownPod]>,
        hash: &str,
        plan: &mut Plan,
    ) {
        if let Some([pod]) = pods
            && should_continue_running
            && !pod.is_terminating
            && !pod.has_ended
        {
            // Most nodes: the pod is neither missing nor too much.
            return;
        }
        if should_run && pods.is_none() {
            plan.create.push((node.name.clone(), Decision::Create(self.on_node(&node.name))));
            return;
        }
        let stays = pods.into_iter().flatten().filter(|pod| !pod.is_terminating).map(|known| &known.pod);
        if !should_continue_running {
            for pod in stays {
                plan.delete.push((pod.clone(), Decision::DeleteUnsuitable(self.pod_on_node(pod, &node.name))));
            }
            return;
        }
        let mut running = Vec::new();
        for pod in stays {
            match pod.status.phase {
                PodPhase::Failed => self.delete_failed(pod, &node.name, plan),
                PodPhase::Succeeded => {
                    self.report_ended(pod, "succeeded", "delete", &node.name);
                    plan.delete.push((pod.clone(), Decision::DeleteSucceeded(self.pod_on_node(pod, &node.name))));
                }
                _ => running.push(pod.clone()),
            }
        }
        // A pod that is bound comes first, then the oldest one.
        running.sort_by(compare_pods);
        if self.set.allows_surge() {
            if running.is_empty() && should_run {
                plan.create.push((node.name.clone(), Decision::Create(self.on_node(&node.name))));
            }
            self.keep_old_and_new(&running, &node.name, hash, plan);
        } else {
            for pod in running.iter().skip(1) {
                plan.delete.push((pod.clone(), Decision::DeleteExcess(self.pod_on_node(pod, &node.name))));
            }
        }
    }

    /// A failed pod is deleted, unless others have failed on the node shortly before.
    fn delete_failed(&mut self, pod: &Rc<Pod>, node: &Rc<str>, plan: &mut Plan) {
        let key = self.failed_pods_backoff_key(node);
        let before = self.memory.failed_pods_backoff.get(&key).copied();
        if let Some(entry) = before.filter(|entry| entry.is_in_back_off(self.now)) {
            self.look_again_after(entry.backoff);
            let (of, seconds) = (Box::new(self.pod_on_node(pod, node)), count(entry.backoff / Time::SECOND));
            self.client.note(Decision::WaitForBackOff { of, seconds }.into());
            return;
        }
        let entry = BackOff::next(before, self.now);
        self.memory.failed_pods_backoff.insert(key, entry);
        self.report_ended(pod, "failed", "kill", node);
        let (of, seconds) = (Box::new(self.pod_on_node(pod, node)), count(entry.backoff / Time::SECOND));
        plan.delete.push((pod.clone(), Decision::DeleteFailed { of, seconds }));
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller.go failedPodsBackoffKey`
    fn failed_pods_backoff_key(&self, node: &str) -> String {
        format!("{}/{}/{node}", self.set.metadata.uid, self.set.status.observed_generation)
    }

    fn report_ended(&mut self, pod: &Pod, how: &str, verb: &str, node: &str) {
        record(self.client, &self.set.key(), || {
            let (namespace, name) = (&pod.metadata.namespace, &pod.metadata.name);
            let message = format!("Found {how} daemon pod {namespace}/{name} on node {node}, will try to {verb} it");
            match how {
                "failed" => Event::warning("FailedDaemonPod", &message),
                _ => Event::normal("SucceededDaemonPod", &message),
            }
        });
    }

    /// Of the pods of a node, at most the first old one and the first new one stay; the old one until the new one is available, or
    /// it is not ready itself.
    fn keep_old_and_new(&self, running: &[Rc<Pod>], node: &Rc<str>, hash: &str, plan: &mut Plan) {
        if running.len() <= 1 {
            return;
        }
        let (mut oldest_new, mut oldest_old) = (None, None);
        for pod in running {
            let is_new = pod.metadata.labels.get(DAEMON_SET_UNIQUE_LABEL).map_or("", String::as_str) == hash;
            let first = if is_new { &mut oldest_new } else { &mut oldest_old };
            if first.is_none() {
                *first = Some(pod);
            } else {
                plan.delete.push((pod.clone(), Decision::DeleteExcess(self.pod_on_node(pod, node))));
            }
        }
        let (Some(new), Some(old)) = (oldest_new, oldest_old) else { return };
        let of = self.pod_on_node(old, node);
        if !old.is_ready() {
            plan.delete.push((old.clone(), Decision::DeleteUnready(of)));
        } else if new.is_available(self.set.spec.min_ready_seconds, self.now) {
            plan.delete.push((old.clone(), Decision::DeleteReplaced(of)));
        }
    }

    /// Creates and deletes pods, at most 250 of each. Creations come in batches that double, as long as none is refused.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go syncNodes`
    pub(super) fn sync_nodes(&mut self, plan: Plan, hash: &str) -> Result<(), Error> {
        let create = plan.create.get(..plan.create.len().min(BURST_REPLICAS)).unwrap_or_default();
        let delete = plan.delete.get(..plan.delete.len().min(BURST_REPLICAS)).unwrap_or_default();
        let number = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        let (add, del) = (number(create.len()), number(delete.len()));
        self.memory.expectations = Some(Expectations { add, del, timestamp: self.now });
        let mut errors = self.create_in_batches(create, hash);
        let about = self.set.key();
        for (pod, decision) in to_send(self.client, delete) {
            match delete_pod(self.client, &about, pod, decision.clone().into()) {
                Ok(()) => {}
                Err(error) => {
                    deletion_observed(&mut self.memory.expectations);
                    if !matches!(&error, Error::Api(error) if error.is_not_found()) {
                        errors.push(error);
                    }
                }
            }
        }
        aggregate(errors)
    }

    fn create_in_batches(&mut self, create: &[(Rc<str>, Decision)], hash: &str) -> Vec<Error> {
        let mut errors = Vec::new();
        if create.is_empty() {
            return errors;
        }
        let template = create_pod_template(&self.set.spec.template, get_template_generation(&self.set), hash);
        let (mut rest, mut size) = (create, 1_usize);
        while !rest.is_empty() && errors.is_empty() {
            let (batch, behind) = rest.split_at(size.min(rest.len()));
            for (node, decision) in to_send(self.client, batch) {
                if let Err(error) = self.create_daemon_pod(&template, node, decision.clone()) {
                    creation_observed(&mut self.memory.expectations);
                    errors.push(error);
                }
            }
            if !errors.is_empty()
                && let Some(expectations) = &mut self.memory.expectations
            {
                let skipped = i64::try_from(behind.len()).unwrap_or(i64::MAX);
                expectations.add = expectations.add.saturating_sub(skipped);
            }
            rest = behind;
            size = size.saturating_mul(2);
        }
        errors
    }

    /// In a namespace that is being deleted, no creation is an error, and none will ever be seen.
    fn create_daemon_pod(&mut self, template: &PodTemplateSpec, node: &str, decision: Decision) -> Result<(), Error> {
        let set = self.set.clone();
        let owner = OwnerReference::controller(Kind::DaemonSet.api_version(), Kind::DaemonSet.name(), &set.metadata);
        let mut pod = get_pod_from_template(template, &set.metadata, owner);
        pod.spec.fields = Rc::new(replace_node_name_node_affinity(&pod.spec.fields, node));
        match create_pod(self.client, &set.key(), pod, decision.into()) {
            Err(Error::Api(error)) if error.is_namespace_terminating() => Ok(()),
            result => result,
        }
    }
}

/// The requests of a batch that are sent at once: if the client has a rate limit, not those that this sync has sent before.
fn to_send<'a, T>(client: &mut dyn Client, batch: &'a [T]) -> impl Iterator<Item = &'a T> + use<'a, T> {
    let range = if batch.is_empty() { 0..0 } else { client.in_batch(count(batch.len())) };
    let [start, end] = [range.start, range.end].map(|index| usize::try_from(index).unwrap_or(0));
    batch.get(start..end).unwrap_or_default().iter()
}

/// Those that are bound first, then the oldest, then by name.
///
/// Upstream: `pkg/controller/daemon/daemon_controller.go podByCreationTimestampAndPhase.Less`
pub(super) fn compare_pods(a: &Rc<Pod>, b: &Rc<Pod>) -> Ordering {
    let key = |pod: &Pod| (pod.spec.node_name.is_none(), pod.metadata.creation_timestamp);
    key(a).cmp(&key(b)).then_with(|| a.metadata.name.cmp(&b.metadata.name))
}
