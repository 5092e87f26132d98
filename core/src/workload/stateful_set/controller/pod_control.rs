//! What the controller does with one pod and its claims.

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::claims::{
    claim_key, get_persistent_volume_claims, has_stale_owner_ref, has_unexpected_controller, is_claim_owner_up_to_date,
    update_claim_owner_ref_for_set_and_pod,
};
use super::identity::{get_ordinal, identity_matches, storage_matches, update_identity, update_storage};
use super::state::Sync;
use crate::controller::client::record;
use crate::controller::controller_ref::aggregate;
use crate::controller::{ApiError, DeletionPropagation, Error, Event, Write};
use crate::object::{Kind, Object, ObjectKey, PersistentVolumeClaim, Pod};
use crate::workload::stateful_set::ClaimRetention;
use crate::workload::stateful_set::decision::Decision;

/// How often an update of a pod is sent that conflicts.
///
/// Upstream: `k8s.io/client-go/util/retry/util.go DefaultBackoff`
const MAX_UPDATES: u32 = 4;

/// What happens to a pod or a claim, in an event.
#[derive(Clone, Copy)]
enum Verb {
    Create,
    Update,
    Delete,
}

impl Verb {
    const fn title(self) -> &'static str {
        match self {
            Self::Create => "Create",
            Self::Update => "Update",
            Self::Delete => "Delete",
        }
    }

    const fn reason(self, has_failed: bool) -> &'static str {
        match (self, has_failed) {
            (Self::Create, false) => "SuccessfulCreate",
            (Self::Create, true) => "FailedCreate",
            (Self::Update, false) => "SuccessfulUpdate",
            (Self::Update, true) => "FailedUpdate",
            (Self::Delete, false) => "SuccessfulDelete",
            (Self::Delete, true) => "FailedDelete",
        }
    }
}

impl Sync<'_, '_> {
    /// The claim as the controller's cache has it, which shows what this sync has written.
    fn claim(&self, key: &ObjectKey) -> Option<Rc<PersistentVolumeClaim>> {
        self.claims.get(&key.name).cloned().or_else(|| (self.view.claim)(key))
    }

    fn keep_claim(&mut self, stored: Option<Object>, sent: PersistentVolumeClaim) {
        let claim = match stored {
            Some(Object::PersistentVolumeClaim(claim)) => claim,
            _ => Rc::new(sent),
        };
        self.claims.insert(claim.metadata.name.clone(), claim);
    }

    /// Creates a pod, after its claims.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go CreateStatefulPod`
    pub(super) fn create_stateful_pod(&mut self, pod: &Pod, decision: Decision) -> Result<(), Error> {
        if let Err(error) = self.create_persistent_volume_claims(pod) {
            self.record_pod_event(Verb::Create, pod, Some(&error));
            return Err(error);
        }
        let created = self.client.write(Write::Create(pod.clone().into()), decision.into());
        if let Err(error) = &created
            && error.is_already_exists()
        {
            return Err(error.clone().into());
        }
        if let Err(error) = self.update_pod_claim_for_retention_policy(pod) {
            self.record_pod_event(Verb::Update, pod, Some(&error));
            return Err(error);
        }
        let result = created.map(|_| ()).map_err(Error::from);
        self.record_pod_event(Verb::Create, pod, result.as_ref().err());
        result
    }

    /// Gives a pod what it should have: its labels, its volumes, its claims with their owners. After a conflict, it tries again with
    /// the pod as it is then.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go UpdateStatefulPod`
    pub(super) fn update_stateful_pod(&mut self, pod: &Pod) -> Result<(), Error> {
        let mut pod = pod.clone();
        let mut updated = None;
        for _ in 0..MAX_UPDATES {
            if self.correct(&mut pod)? {
                updated = updated.map(|_| Ok(()));
                break;
            }
            let decision = Decision::UpdatePod {
                set: self.set.metadata.name.clone(),
                pod: pod.metadata.name.clone(),
                ordinal: get_ordinal(&pod).unwrap_or(-1),
            };
            let answer = self.client.write(Write::Update(pod.clone().into()), decision.into());
            let is_outdated = answer.as_ref().is_err_and(ApiError::is_conflict);
            updated = Some(answer.map(|_| ()).map_err(Error::from));
            if !is_outdated {
                break;
            }
            if let Some(Object::Pod(stored)) = self.client.get(&pod.key()) {
                pod = (*stored).clone();
            }
        }
        let Some(result) = updated else { return Ok(()) };
        self.record_pod_event(Verb::Update, &pod, result.as_ref().err());
        result
    }

    /// Corrects a copy of a pod, and its claims. Says whether nothing had to be.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go UpdateStatefulPod`, before it sends the update
    fn correct(&mut self, pod: &mut Pod) -> Result<bool, Error> {
        let mut consistent = true;
        if !identity_matches(&self.set, pod) {
            update_identity(&self.set, pod);
            consistent = false;
        }
        if !storage_matches(&self.set, pod) {
            update_storage(&self.set, pod);
            consistent = false;
            if let Err(error) = self.create_persistent_volume_claims(pod) {
                self.record_pod_event(Verb::Update, pod, Some(&error));
                return Err(error);
            }
        }
        if !self.claims_match_retention_policy(pod) {
            if let Err(error) = self.update_pod_claim_for_retention_policy(pod) {
                self.record_pod_event(Verb::Update, pod, Some(&error));
                return Err(error);
            }
            consistent = false;
        }
        Ok(consistent)
    }

    /// Deletes a pod. That there is none is a success.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go DeleteStatefulPod`
    pub(super) fn delete_stateful_pod(&mut self, pod: &Pod, decision: Decision) -> Result<(), Error> {
        let delete = Write::Delete { key: pod.key(), propagation: DeletionPropagation::Background };
        match self.client.write(delete, decision.into()) {
            Err(error) if !error.is_not_found() => {
                let error = Error::from(error);
                self.record_pod_event(Verb::Delete, pod, Some(&error));
                Err(error)
            }
            _ => {
                self.record_pod_event(Verb::Delete, pod, None);
                Ok(())
            }
        }
    }

    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go ClaimsMatchRetentionPolicy`
    pub(super) fn claims_match_retention_policy(&self, pod: &Pod) -> bool {
        let set = &self.set;
        let claims = set.spec.volume_claim_templates.iter().filter_map(|claim| self.claim(&claim_key(set, claim, pod)));
        claims.into_iter().all(|claim| is_claim_owner_up_to_date(&claim, set, pod))
    }

    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go UpdatePodClaimForRetentionPolicy`
    pub(super) fn update_pod_claim_for_retention_policy(&mut self, pod: &Pod) -> Result<(), Error> {
        let set = self.set.clone();
        for template in &set.spec.volume_claim_templates {
            let key = claim_key(&set, template, pod);
            let Some(claim) = self.claim(&key) else { continue };
            let name = key.name;
            if has_unexpected_controller(&claim, &set, pod) {
                record(self.client, &set.key(), || {
                    let message = format!(
                        "PersistentVolumeClaim {name} has a conflicting OwnerReference that acts as a manging controller, \
                         the retention policy is ignored for this claim"
                    );
                    Event::warning("ConflictingController", &message)
                });
            }
            if is_claim_owner_up_to_date(&claim, &set, pod) {
                continue;
            }
            let (claim, fate) = update_claim_owner_ref_for_set_and_pod(&claim, &set, pod);
            let decision = Decision::ClaimOwner {
                claim: name.clone(),
                pod: pod.metadata.name.clone(),
                fate,
                set: set.metadata.name.clone(),
            };
            match self.client.write(Write::Update(claim.clone().into()), decision.into()) {
                Ok(stored) => self.keep_claim(stored, claim),
                Err(error) => {
                    return Err(Error::Other(format!(
                        "could not update claim {name} for delete policy ownerRefs: {error}"
                    )));
                }
            }
        }
        Ok(())
    }

    /// The claim of a former pod of the name, which is to go with that.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go PodClaimIsStale`
    pub(super) fn stale_claim(&self, pod: &Pod) -> Option<Rc<str>> {
        if self.set.claim_retention_policy().when_scaled == ClaimRetention::Retain {
            return None;
        }
        let mut claims = get_persistent_volume_claims(&self.set, pod).into_iter().map(|claim| claim.key());
        let is_stale = |key: &ObjectKey| {
            self.claim(key).is_some_and(|claim| has_stale_owner_ref(&claim, &pod.metadata, Kind::Pod))
        };
        claims.find(is_stale).map(|key| key.name)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go recordPodEvent`
    fn record_pod_event(&mut self, verb: Verb, pod: &Pod, error: Option<&Error>) {
        let (set, pod) = (&self.set.metadata.name, &pod.metadata.name);
        record(self.client, &self.set.key(), || match error {
            None => {
                let message = format!("{} Pod {pod} in StatefulSet {set} successful", verb.title());
                Event::normal(verb.reason(false), &message)
            }
            Some(error) => {
                let message = format!("{} Pod {pod} in StatefulSet {set} failed error: {error}", verb.title());
                Event::warning(verb.reason(true), &message)
            }
        });
    }

    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go recordClaimEvent`
    fn record_claim_event(&mut self, pod: &Pod, claim: &str, error: Option<&ApiError>) {
        let (set, pod) = (&self.set.metadata.name, &pod.metadata.name);
        record(self.client, &self.set.key(), || match error {
            None => {
                let message = format!("Create Claim {claim} Pod {pod} in StatefulSet {set} success");
                Event::normal(Verb::Create.reason(false), &message)
            }
            Some(error) => {
                let message = format!("Create Claim {claim} for Pod {pod} in StatefulSet {set} failed error: {error}");
                Event::warning(Verb::Create.reason(true), &message)
            }
        });
    }

    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go createMissingPersistentVolumeClaims`
    pub(super) fn create_missing_persistent_volume_claims(&mut self, pod: &Pod) -> Result<(), Error> {
        self.create_persistent_volume_claims(pod)?;
        let updated = self.update_pod_claim_for_retention_policy(pod);
        if let Err(error) = &updated {
            self.record_pod_event(Verb::Update, pod, Some(error));
        }
        updated
    }

    /// Upstream: `pkg/controller/statefulset/stateful_pod_control.go createPersistentVolumeClaims`
    fn create_persistent_volume_claims(&mut self, pod: &Pod) -> Result<(), Error> {
        let mut errors = Vec::new();
        for claim in get_persistent_volume_claims(&self.set, pod) {
            let key = claim.key();
            let name = key.name.clone();
            if let Some(stored) = self.claim(&key) {
                if stored.metadata.deletion_timestamp.is_some() {
                    errors.push(Error::Other(format!("pvc {name} is being deleted")));
                    let decision = Decision::WaitForClaim { pod: pod.metadata.name.clone(), claim: name };
                    self.client.note(decision.into());
                }
                continue;
            }
            let decision = Decision::CreateClaim {
                set: self.set.metadata.name.clone(),
                claim: name.clone(),
                pod: pod.metadata.name.clone(),
            };
            match self.client.write(Write::Create(claim.clone().into()), decision.into()) {
                Ok(stored) => {
                    self.keep_claim(stored, claim);
                    self.record_claim_event(pod, &name, None);
                }
                Err(error) => {
                    errors.push(Error::Other(format!("failed to create PVC {name}: {error}")));
                    if !error.is_already_exists() {
                        self.record_claim_event(pod, &name, Some(&error));
                    }
                }
            }
        }
        aggregate(errors)
    }
}
