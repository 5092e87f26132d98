//! The eviction API, which keeps to PodDisruptionBudgets.

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::aux_objects::AuxSpec;
use super::disruption_condition::disrupted;
use super::state::Cluster;
use super::step::Actor;
use crate::cluster::decision::{EvictionDecision, UserDecision};
use crate::controller::Verb;
use crate::object::{
    IntOrString, Kind, LabelSelector, Object, ObjectKey, Pod, PodDisruptionBudgetSpec, PodPhase, Rounding,
};
use crate::workload::deployment::Deployment;
use crate::workload::replica_set::ReplicaSet;
use crate::workload::replication_controller::ReplicationController;
use crate::workload::stateful_set::StatefulSet;

/// Why an evicted pod goes, and in what words.
///
/// Upstream: `pkg/registry/core/pod/storage/eviction.go addConditionAndDeletePod`
const BY_EVICTION: (&str, &str) = ("EvictionByEvictionAPI", "Eviction API: evicting");

/// Why a pod may not be evicted, and whether it may be worth while to ask again.
pub(super) struct Refused {
    pub(super) decision: EvictionDecision,
    pub(super) again: bool,
}

/// Upstream: `k8s.io/api/policy/v1/types.go PodDisruptionBudgetStatus`
pub(super) struct BudgetStatus {
    current_healthy: i64,
    desired_healthy: i64,
    pub(super) allowed: i64,
}

impl Cluster {
    /// Deletes a pod, if no budget is against it. Without `grace`, it has its own grace period, in seconds.
    ///
    /// Upstream: `pkg/registry/core/pod/storage/eviction.go EvictionREST.Create`
    pub(super) fn evict_pod(
        &mut self,
        pod: &Rc<Pod>,
        grace: Option<i64>,
        decide: impl FnOnce(ObjectKey) -> UserDecision,
    ) -> Result<(), Refused> {
        self.check_budgets(pod)?;
        let key = pod.key();
        let after = self.deleted(&Object::Pod(disrupted(pod, BY_EVICTION, self.now)), grace);
        let decision = decide(key.clone());
        self.commit(Actor::User, &key, Verb::Delete, &key, after, decision);
        Ok(())
    }

    /// Upstream: `pkg/registry/core/pod/storage/eviction.go EvictionREST.checkAndDecrement`
    pub(super) fn check_budgets(&self, pod: &Pod) -> Result<(), Refused> {
        // It is not disrupted any more than it is already.
        let pending = matches!(pod.status.phase, PodPhase::Pending | PodPhase::Unset);
        if pending || !pod.is_active() {
            return Ok(());
        }
        let mut budgets = Vec::new();
        for object in &self.aux_objects {
            if let AuxSpec::PodDisruptionBudget(budget) = &object.spec
                && selects(&object.key, budget, pod)
            {
                budgets.push((&object.key, budget));
            }
        }
        let [(key, budget)] = budgets.as_slice() else {
            let why_not =
                "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
            let decision = EvictionDecision::Impossible { pod: pod.metadata.name.clone(), why_not: why_not.into() };
            return if budgets.is_empty() { Ok(()) } else { Err(Refused { decision, again: false }) };
        };
        let status = self.budget_status(key, budget);
        let healthy_enough = status.current_healthy >= status.desired_healthy && status.desired_healthy > 0;
        let always = budget.unhealthy_pod_eviction_policy.as_deref() == Some("AlwaysAllow");
        if status.allowed > 0 || (!pod.is_ready() && (always || healthy_enough)) {
            return Ok(());
        }
        let pod = pod.metadata.name.clone();
        let decision = if status.current_healthy <= status.desired_healthy {
            EvictionDecision::BudgetRefuses {
                pod,
                budget: key.name.clone(),
                needed: status.desired_healthy,
                healthy: status.current_healthy,
            }
        } else {
            let why_not = format!("The disruption budget {} does not allow evicting pods currently", key.name);
            EvictionDecision::Impossible { pod, why_not: why_not.into() }
        };
        Err(Refused { decision, again: true })
    }

    /// What the disruption controller would say of a budget now.
    ///
    /// Upstream: `pkg/controller/disruption/disruption.go DisruptionController.trySync`
    pub(super) fn budget_status(&self, key: &ObjectKey, budget: &PodDisruptionBudgetSpec) -> BudgetStatus {
        let store = self.store.borrow();
        // Those of the pods, and the controllers that have a size, each once.
        let mut owners: Vec<&str> = Vec::new();
        let mut scaled: Vec<ObjectKey> = Vec::new();
        let (mut pods, mut scale, mut current_healthy) = (0_i64, 0_i64, 0_i64);
        for object in store.of_kind(Kind::Pod, &key.namespace) {
            let Object::Pod(pod) = object else { continue };
            if !selects(key, budget, pod) {
                continue;
            }
            pods = pods.saturating_add(1);
            if pod.metadata.deletion_timestamp.is_none() && pod.is_ready() {
                current_healthy = current_healthy.saturating_add(1);
            }
            if let Some(owner) = pod.metadata.controller()
                && !owners.contains(&&*owner.uid)
            {
                owners.push(&owner.uid);
                let found = self.controller_and_scale(pod).filter(|(key, _)| !scaled.contains(key));
                if let Some((key, replicas)) = found {
                    scaled.push(key);
                    scale = scale.saturating_add(replicas.into());
                }
            }
        }
        let whole = i32::try_from(scale).unwrap_or(i32::MAX);
        let of = |bound: &IntOrString| bound.scaled(whole, Rounding::Up).unwrap_or(0);
        let (expected, desired_healthy) = match (&budget.max_unavailable, &budget.min_available) {
            (Some(most), _) => (scale, scale.saturating_sub(of(most)).max(0)),
            (None, Some(IntOrString::Int(least))) => (pods, i64::from(*least)),
            (None, Some(least)) => (scale, of(least)),
            (None, None) => (0, 0),
        };
        let allowed = if expected <= 0 { 0 } else { current_healthy.saturating_sub(desired_healthy).max(0) };
        BudgetStatus { current_healthy, desired_healthy, allowed }
    }

    /// The controller that says how many pods like this one there are to be: its Deployment, its ReplicaSet, its StatefulSet or
    /// its ReplicationController.
    ///
    /// Upstream: `pkg/controller/disruption/disruption.go DisruptionController.getPodDeployment`,
    /// `DisruptionController.getPodReplicaSet`, `DisruptionController.getPodStatefulSet` and
    /// `DisruptionController.getPodReplicationController`
    fn controller_and_scale(&self, pod: &Pod) -> Option<(ObjectKey, i32)> {
        let store = self.store.borrow();
        if let Some(set) = store.controller_of::<StatefulSet>(pod) {
            return Some((set.key(), set.spec.replicas));
        }
        if let Some(controller) = store.controller_of::<ReplicationController>(pod) {
            return Some((controller.key(), controller.spec.replicas));
        }
        let replica_set = store.controller_of::<ReplicaSet>(pod)?;
        let Some(key) = replica_set.metadata.controller_key(Kind::Deployment) else {
            return Some((replica_set.key(), replica_set.spec.replicas));
        };
        let replicas = store.typed::<Deployment>(&key)?.spec.replicas;
        Some((key, replicas))
    }
}

fn selects(key: &ObjectKey, budget: &PodDisruptionBudgetSpec, pod: &Pod) -> bool {
    key.namespace == pod.metadata.namespace
        && LabelSelector::to_selector(budget.selector.as_ref())
            .is_ok_and(|selector| selector.matches(&pod.metadata.labels))
}
