//! Volumes that only one node, or only one pod, may use at a time.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::Cluster;
use super::containers::waiting;
use super::kubelet::Span;
use super::others::Spec;
use super::queue::Happening;
use crate::controller::{Event, Verb};
use crate::object::unstructured::{at, string};
use crate::object::{ContainerStatus, Kind, ObjectKey, Pod, Time};
use crate::reason::{Reason, cluster as rule};
use crate::timeline::{Actor, Id};

/// How long a volume stays attached to a node that is not heard of, once no pod needs it.
///
/// Upstream: `pkg/controller/volume/attachdetach/attach_detach_controller.go DefaultTimerConfig`
const MAX_WAIT_FOR_UNMOUNT: i64 = 360 * Time::SECOND;

/// A claim's volume that is attached to a node, for its pods there.
pub(super) struct Attached {
    claim: ObjectKey,
    node: Rc<str>,
    pods: Vec<Id>,
    /// Since when no pod needs it.
    unused: Option<Time>,
}

/// A volume that a pod needs and another node has, for these pods.
struct Taken {
    volume: String,
    node: Rc<str>,
    pods: Vec<Rc<str>>,
}

/// The access modes of volumes that only one node has at a time.
///
/// Upstream: `pkg/volume/util/util.go IsMultiAttachAllowed`
const SINGLE_NODE: [&str; 2] = ["ReadWriteOnce", "ReadWriteOncePod"];

impl Cluster {
    /// The pod's claims with one of these access modes, and the names of their volumes. A claim that the scenario does not
    /// have keeps no pod from anything.
    fn claims(&self, pod: &Pod, modes: &[&str]) -> Vec<(ObjectKey, String)> {
        let mut claims = Vec::new();
        let volumes = pod.spec.fields.unknown.get("volumes").and_then(Value::as_array);
        for volume in volumes.into_iter().flatten() {
            let Some(claim) = at(volume, &["persistentVolumeClaim"]) else { continue };
            let name = string(claim, "claimName");
            for other in &self.others {
                let Spec::Claim(spec) = &other.spec else { continue };
                let found = *other.key.name == *name && other.key.namespace == pod.metadata.namespace;
                if found && spec.access_modes.iter().all(|mode| modes.contains(&mode.as_str())) {
                    let volume = match spec.volume_name.as_str() {
                        "" => format!("pvc-{name}"),
                        volume => volume.into(),
                    };
                    claims.push((other.key.clone(), volume));
                }
            }
        }
        claims
    }

    /// Whether another pod uses a claim of this one's that only one pod may use.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go VolumeRestrictions.PreFilter`
    pub(super) fn is_claim_in_use(&self, pod: &Pod) -> bool {
        let claims = self.claims(pod, &["ReadWriteOncePod"]);
        let used = |attached: &Attached| claims.iter().any(|(claim, _)| *claim == attached.claim);
        self.attached.iter().any(|attached| !attached.pods.is_empty() && used(attached))
    }

    /// A pod has got its node: its volumes are attached there, unless another node has one of them.
    ///
    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.attachDesiredVolumes`
    pub(super) fn attach_volumes(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| !pod.is_terminal()) else { return };
        match self.taken(&pod) {
            Some(taken) => {
                self.unattached.push(id);
                self.report_multi_attach_error(id, pod, &taken);
            }
            None => self.attach(id, &pod),
        }
    }

    /// What of the pod's volumes another node has.
    fn taken(&self, pod: &Pod) -> Option<Taken> {
        let claims = self.claims(pod, &SINGLE_NODE);
        claims.into_iter().find_map(|(claim, volume)| {
            let elsewhere =
                |other: &&Attached| other.claim == claim && pod.spec.node_name.as_ref() != Some(&other.node);
            let other = self.attached.iter().find(elsewhere)?;
            let pods = other.pods.iter().filter_map(|id| Some(self.current(*id)?.metadata.name.clone()));
            Some(Taken { volume, node: other.node.clone(), pods: pods.collect() })
        })
    }

    fn attach(&mut self, id: Id, pod: &Pod) {
        let Some(node) = &pod.spec.node_name else { return };
        for (claim, _) in self.claims(pod, &SINGLE_NODE) {
            if let Some(attached) = self.attached.iter_mut().find(|attached| attached.claim == claim) {
                attached.pods.push(id);
                attached.unused = None;
            } else {
                self.attached.push(Attached { claim, node: node.clone(), pods: Vec::from([id]), unused: None });
            }
        }
    }

    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reportMultiAttachError`
    fn report_multi_attach_error(&mut self, id: Id, pod: Rc<Pod>, taken: &Taken) {
        let Taken { volume, node, pods } = taken;
        let key = pod.metadata.key(Kind::Pod);
        let reason =
            Reason::new(&rule::MULTI_ATTACH, [(&pod.metadata.name).into(), volume.as_str().into(), node.into()]);
        self.tell(Actor::AttachDetachController, &key, reason);
        let why = match pods.as_slice() {
            [] => "Volume is already exclusively attached to one node and can't be attached to another".into(),
            pods => format!("Volume is already used by pod(s) {}", pods.join(", ")),
        };
        let message = format!("Multi-Attach error for volume \"{volume}\" {why}");
        self.event(&key, Event::warning("FailedAttachVolume", &message));
        let mut after = (*pod).clone();
        let names = pod.spec.fields.containers.iter().map(|container| container.name.clone());
        let status =
            |name| ContainerStatus { name, unknown: waiting("ContainerCreating", ""), ..ContainerStatus::default() };
        after.status.container_statuses = names.map(status).collect();
        let reason = Reason::new(&rule::CONTAINER_CREATING, [(&pod.metadata.name).into(), volume.as_str().into()]);
        self.commit_pod(id, (Actor::Kubelet, Verb::UpdateStatus), pod, Some(after), reason);
    }

    /// Whether the pod waits for a volume.
    pub(super) fn is_unattached(&self, id: Id) -> bool {
        self.unattached.contains(&id)
    }

    /// Attaches what the pods need that are there at the start.
    pub(super) fn attach_all(&mut self) {
        let ids: Vec<Id> = self.store.borrow().pods().map(|(id, _)| id).collect();
        ids.into_iter().for_each(|id| self.attach_volumes(id));
    }

    /// Detaches what no pod needs any more, and attaches it where it is waited for.
    ///
    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reconcile`
    pub(super) fn look_at_volumes(&mut self) {
        let mut free = false;
        for mut attached in core::mem::take(&mut self.attached) {
            attached.pods.retain(|id| self.current(*id).is_some_and(|pod| !pod.is_terminal()));
            let since = attached.unused.unwrap_or(self.now);
            let waits = self.is_unheard(&attached.node) && self.now.since(since) < MAX_WAIT_FOR_UNMOUNT;
            if attached.pods.is_empty() && !waits {
                free = true;
                continue;
            }
            if attached.pods.is_empty() && attached.unused.is_none() {
                attached.unused = Some(self.now);
                self.queue.push(self.now.plus(MAX_WAIT_FOR_UNMOUNT), Happening::LookAround);
            }
            self.attached.push(attached);
        }
        if free {
            for id in core::mem::take(&mut self.unattached) {
                self.attach_again(id);
            }
        }
    }

    fn attach_again(&mut self, id: Id) {
        let Some(pod) = self.current(id).filter(|pod| pod.is_active()) else { return };
        if self.taken(&pod).is_some() {
            self.unattached.push(id);
            return;
        }
        self.attach(id, &pod);
        let key = pod.metadata.key(Kind::Pod);
        let node = pod.spec.node_name.clone().unwrap_or_default();
        for (_, volume) in self.claims(&pod, &SINGLE_NODE) {
            let values = [volume.as_str().into(), (&node).into(), (&pod.metadata.name).into()];
            self.tell(Actor::AttachDetachController, &key, Reason::new(&rule::ATTACHED, values));
            let message = format!("AttachVolume.Attach succeeded for volume \"{volume}\" ");
            self.event(&key, Event::normal("SuccessfulAttachVolume", &message));
        }
        if let Some(after) = self.span(id, &pod, Span::Start) {
            self.queue.push(self.now.plus(after), Happening::Start(id));
        }
    }
}
