//! The attach-detach controller: volumes that only one node, or only one pod, may use at a time.

use alloc::format;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use serde_json::Value;

use super::event_queue::SimEvent;
use super::kubelet::timing::Stage;
use super::node_state::NodeState;
use super::pod_status::{container_statuses, waiting};
use super::state::{AttachedVolume, Cluster};
use super::step::Actor;
use super::store::Id;
use crate::cluster::decision::{KubeletDecision, VolumeDecision};
use crate::controller::{Event, Verb};
use crate::object::unstructured::{at, string};
use crate::object::{Kind, Object, ObjectKey, PersistentVolumeClaim, Pod, Time};

/// How long a volume stays attached to a node that does not report, once no pod needs it.
///
/// Upstream: `pkg/controller/volume/attachdetach/attach_detach_controller.go DefaultTimerConfig`
const MAX_WAIT_FOR_UNMOUNT: i64 = 360 * Time::SECOND;

/// A volume that a pod needs and another node has, for these pods.
struct VolumeInUse {
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
        let store = self.store.borrow();
        let volumes = pod.spec.fields.unknown.get("volumes").and_then(Value::as_array);
        for volume in volumes.into_iter().flatten() {
            let Some(claim) = at(volume, &["persistentVolumeClaim"]) else { continue };
            let name = string(claim, "claimName");
            let key = ObjectKey::new(Kind::PersistentVolumeClaim, pod.metadata.namespace.clone(), name);
            let Some(claim) = store.typed::<PersistentVolumeClaim>(&key) else { continue };
            if claim.spec.access_modes.iter().all(|mode| modes.contains(&mode.as_str())) {
                let volume = match claim.spec.volume_name.as_str() {
                    "" => format!("pvc-{name}"),
                    volume => volume.into(),
                };
                claims.push((key, volume));
            }
        }
        claims
    }

    /// Whether another pod uses a claim of this one's that only one pod may use.
    ///
    /// Upstream: `pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go VolumeRestrictions.PreFilter`
    pub(super) fn is_claim_in_use(&self, pod: &Pod) -> bool {
        let claims = self.claims(pod, &["ReadWriteOncePod"]);
        let used = |attached: &AttachedVolume| claims.iter().any(|(claim, _)| *claim == attached.claim);
        self.volumes.attached.iter().any(|attached| !attached.pods.is_empty() && used(attached))
    }

    /// A pod has got its node: its volumes are attached there, unless another node has one of them.
    ///
    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.attachDesiredVolumes`
    pub(super) fn attach_volumes(&mut self, id: Id) {
        let Some(pod) = self.pod(id).filter(|pod| !pod.is_terminal()) else { return };
        match self.in_use(&pod) {
            Some(in_use) => {
                self.volumes.waiting.push(id);
                self.report_multi_attach_error(id, pod, &in_use);
            }
            None => self.attach(id, &pod),
        }
    }

    /// What of the pod's volumes another node has.
    fn in_use(&self, pod: &Pod) -> Option<VolumeInUse> {
        let claims = self.claims(pod, &SINGLE_NODE);
        claims.into_iter().find_map(|(claim, volume)| {
            let elsewhere =
                |other: &&AttachedVolume| other.claim == claim && pod.spec.node_name.as_ref() != Some(&other.node);
            let other = self.volumes.attached.iter().find(elsewhere)?;
            let pods = other.pods.iter().filter_map(|id| Some(self.pod(*id)?.metadata.name.clone()));
            Some(VolumeInUse { volume, node: other.node.clone(), pods: pods.collect() })
        })
    }

    fn attach(&mut self, id: Id, pod: &Pod) {
        let Some(node) = &pod.spec.node_name else { return };
        for (claim, _) in self.claims(pod, &SINGLE_NODE) {
            if let Some(attached) = self.volumes.attached.iter_mut().find(|attached| attached.claim == claim) {
                attached.pods.push(id);
                attached.unused_since = None;
            } else {
                self.volumes.attached.push(AttachedVolume {
                    claim,
                    node: node.clone(),
                    pods: Vec::from([id]),
                    unused_since: None,
                });
            }
        }
    }

    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reportMultiAttachError`
    fn report_multi_attach_error(&mut self, id: Id, pod: Rc<Pod>, in_use: &VolumeInUse) {
        let VolumeInUse { volume, node, pods } = in_use;
        let key = pod.key();
        let (name, volume_name): (_, Rc<str>) = (&pod.metadata.name, volume.as_str().into());
        let decision =
            VolumeDecision::MultiAttach { pod: name.clone(), volume: volume_name.clone(), other_node: node.clone() };
        self.report(Actor::AttachDetachController, &key, decision);
        let why = match pods.as_slice() {
            [] => "Volume is already exclusively attached to one node, waiting on detach before it can be attached to another node".into(),
            pods => format!("Volume is already used by pod(s) {}", pods.join(", ")),
        };
        let message = format!("Waiting for detach for volume \"{volume}\" {why}");
        self.event(&key, Event::warning("FailedAttachVolume", &message));
        let mut after = (*pod).clone();
        after.status.container_statuses = container_statuses(&pod, &waiting("ContainerCreating", ""));
        let decision = KubeletDecision::ContainerCreating { pod: name.clone(), volume: volume_name };
        self.update_pod_status(id, pod.clone(), after, decision);
    }

    fn may_use_volumes(&self, node: &str) -> bool {
        self.nodes.iter().find(|state| *state.name == *node).is_some_and(NodeState::may_use_volumes)
    }

    /// Attaches what the pods need that are there at the start.
    pub(super) fn attach_initial_volumes(&mut self) {
        let ids: Vec<Id> = self.store.borrow().pods().map(|(id, _)| id).collect();
        ids.into_iter().for_each(|id| self.attach_volumes(id));
    }

    /// Whether a pod with a node has the claim.
    ///
    /// Upstream: `pkg/controller/volume/pvcprotection/pvc_protection_controller.go podUsesPVCForDeletion`
    fn pod_uses_claim(&self, claim: &ObjectKey) -> bool {
        let store = self.store.borrow();
        store.all_in::<Pod>(&claim.namespace).any(|pod| {
            let volumes = pod.spec.fields.unknown.get("volumes").and_then(Value::as_array);
            let names = volumes.into_iter().flatten().filter_map(|volume| at(volume, &["persistentVolumeClaim"]));
            pod.spec.node_name.is_some() && names.into_iter().any(|of| string(of, "claimName") == &*claim.name)
        })
    }

    /// A claim after a request to delete it: gone, unless a pod uses it.
    ///
    /// Upstream: `plugin/pkg/admission/storage/storageobjectinuseprotection/admission.go admitPVC`, whose finalizer keeps it
    pub(super) fn deleted_claim(&mut self, claim: &Rc<PersistentVolumeClaim>) -> Option<Object> {
        let key = claim.key();
        if !self.pod_uses_claim(&key) {
            return None;
        }
        let now = self.now.truncated();
        let marked = Object::PersistentVolumeClaim(claim.clone()).with_metadata(|metadata| {
            if metadata.deletion_timestamp.is_none() {
                metadata.deletion_timestamp = Some(now);
                metadata.deletion_grace_period_seconds = Some(0);
                metadata.finalizers.push("kubernetes.io/pvc-protection".into());
            }
        });
        if !self.volumes.deleted_claims.contains(&key) {
            self.volumes.deleted_claims.push(key);
        }
        Some(marked)
    }

    /// Removes deleted claims that no pod uses any more.
    ///
    /// Upstream: `pkg/controller/volume/pvcprotection/pvc_protection_controller.go processPVCsByNamespace`
    fn release_claims(&mut self) {
        for key in core::mem::take(&mut self.volumes.deleted_claims) {
            if self.pod_uses_claim(&key) {
                self.volumes.deleted_claims.push(key);
                continue;
            }
            let claim = key.name.clone();
            self.commit(
                Actor::AttachDetachController,
                &key,
                Verb::Update,
                &key,
                None,
                VolumeDecision::Release { claim },
            );
        }
    }

    /// Detaches what no pod needs any more, and attaches it where it is waited for.
    ///
    /// Upstream: `pkg/controller/volume/attachdetach/reconciler/reconciler.go reconciler.reconcile`
    pub(super) fn reconcile_volumes(&mut self) {
        self.release_claims();
        let mut free = false;
        for mut attached in core::mem::take(&mut self.volumes.attached) {
            attached.pods.retain(|id| self.pod(*id).is_some_and(|pod| !pod.is_terminal()));
            let since = attached.unused_since.unwrap_or(self.now);
            let waits = self.may_use_volumes(&attached.node) && self.now.since(since) < MAX_WAIT_FOR_UNMOUNT;
            if attached.pods.is_empty() && !waits {
                free = true;
                continue;
            }
            if attached.pods.is_empty() && attached.unused_since.is_none() {
                attached.unused_since = Some(self.now);
                self.plan(MAX_WAIT_FOR_UNMOUNT, SimEvent::ForceDetach);
            }
            self.volumes.attached.push(attached);
        }
        if free {
            for id in core::mem::take(&mut self.volumes.waiting) {
                self.attach_again(id);
            }
        }
    }

    fn attach_again(&mut self, id: Id) {
        let Some(pod) = self.pod(id).filter(|pod| pod.is_active()) else { return };
        if self.in_use(&pod).is_some() {
            self.volumes.waiting.push(id);
            return;
        }
        self.attach(id, &pod);
        let key = pod.key();
        let node = pod.spec.node_name.clone().unwrap_or_default();
        for (_, volume) in self.claims(&pod, &SINGLE_NODE) {
            let pod = pod.metadata.name.clone();
            let decision = VolumeDecision::Attach { volume: volume.as_str().into(), node: node.clone(), pod };
            self.report(Actor::AttachDetachController, &key, decision);
            let message = format!("AttachVolume.Attach succeeded for volume \"{volume}\" ");
            self.event(&key, Event::normal("SuccessfulAttachVolume", &message));
        }
        self.plan_stage(id, &pod, Stage::Start, self.now, SimEvent::StartContainers(id));
    }
}
