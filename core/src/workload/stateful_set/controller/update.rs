//! How pods of an old revision are replaced.

use alloc::rc::Rc;
use alloc::vec::Vec;

use super::identity::get_stateful_set_max_unavailable;
use super::known::{Facts, KnownPod};
use super::state::{SortedPods, Sync};
use crate::controller::Error;
use crate::object::{ConditionStatus, ControllerRevision, Pod, Time};
use crate::workload::stateful_set::decision::{Decision, WaitedFor};
use crate::workload::stateful_set::{StatefulSetCondition, StatefulSetStatus};

impl Sync<'_, '_> {
    /// The maximum of unavailable pods.
    pub(super) fn unavailable_limit(&self) -> Result<i64, Error> {
        let Some(rolling_update) = &self.set.spec.update_strategy.rolling_update else { return Ok(1) };
        let max_unavailable = rolling_update.max_unavailable.as_ref();
        Ok(get_stateful_set_max_unavailable(max_unavailable, self.set.spec.replicas)?)
    }

    /// How many replicas keep their revision.
    fn partition(&self) -> i32 {
        self.set.spec.update_strategy.rolling_update.as_ref().and_then(|rolling| rolling.partition).unwrap_or(0)
    }

    /// The replicas that are updated, from the top.
    fn targets<'p, 'k>(
        &self,
        replicas: &'p [KnownPod<'k>],
    ) -> impl Iterator<Item = &'p KnownPod<'k>> + Clone + use<'p, 'k> {
        replicas.iter().skip(usize::try_from(self.partition()).unwrap_or(0)).rev()
    }

    fn of(&self, pod: &Pod) -> WaitedFor {
        WaitedFor { set: self.set.metadata.name.clone(), pod: pod.metadata.name.clone() }
    }

    fn note_budget(&mut self, limit: i32, unavailable: i32) {
        let decision = Decision::UpdateWaitsForBudget { set: self.set.metadata.name.clone(), limit, unavailable };
        self.client.note(decision.into());
    }

    fn delete_for_update(
        &mut self,
        pod: &Pod,
        decision: Decision,
        status: &mut StatefulSetStatus,
    ) -> Result<(), Error> {
        self.delete_stateful_pod(pod, decision)?;
        status.current_replicas = status.current_replicas.saturating_sub(1);
        Ok(())
    }

    /// Deletes pods of an old revision from the top, as many as may be unavailable; those that are unavailable already first,
    /// if the podManagementPolicy is Parallel.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSetAfterInvariantEstablished`
    pub(super) fn update_after_invariant_established(
        &mut self,
        replicas: &[KnownPod<'_>],
        update: &ControllerRevision,
        status: &mut StatefulSetStatus,
    ) -> Result<(), Error> {
        let max_unavailable = self.unavailable_limit()?;
        let (seconds, now, parallel) = (self.set.spec.min_ready_seconds, self.now, self.set.allows_burst());
        let update = self.view.found.name(&update.metadata.name);
        let is_old = |pod: &KnownPod<'_>| pod.facts.revision != update;
        let unavailable_pods = replicas.iter().filter(|pod| pod.facts.is_unavailable(seconds, now));
        let needs_update = parallel && unavailable_pods.clone().any(|pod| is_old(pod) && !pod.facts.is_terminating);
        let unavailable = i64::try_from(unavailable_pods.count()).unwrap_or(i64::MAX);
        let count = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        if unavailable >= max_unavailable && !needs_update {
            if replicas.iter().any(is_old) {
                self.note_budget(count(max_unavailable), count(unavailable));
            }
            return Ok(());
        }
        let targets = self.targets(replicas);
        if parallel {
            let goes = |facts: &Facts| !facts.is_available(seconds, now) && !facts.is_terminating;
            for KnownPod { pod, .. } in targets.clone().filter(|pod| is_old(pod) && goes(&pod.facts)) {
                self.delete_for_update(pod, Decision::UpdateUnavailable(self.of(pod)), status)?;
            }
        }
        let budget = max_unavailable.saturating_sub(unavailable);
        let may_go = |pod: &&KnownPod<'_>| {
            let facts = &pod.facts;
            let is_kept = if parallel { facts.is_unavailable(seconds, now) } else { facts.is_terminating };
            is_old(pod) && !is_kept
        };
        let going = targets.clone().filter(may_go).take(usize::try_from(budget).unwrap_or(0));
        if budget <= 0 && targets.clone().any(|pod| may_go(&pod)) {
            self.note_budget(count(max_unavailable), count(unavailable));
        }
        for KnownPod { pod, .. } in going {
            let decision = Decision::Update {
                waited: self.of(pod),
                limit: count(max_unavailable),
                unavailable: count(unavailable),
                budget: count(budget),
            };
            self.delete_for_update(pod, decision, status)?;
        }
        let kept = replicas.iter().filter(|pod| is_old(pod)).count();
        if kept > 0 && !targets.clone().any(is_old) {
            let old = i32::try_from(kept).unwrap_or(i32::MAX);
            let (set, partition) = (self.set.metadata.name.clone(), self.partition());
            self.client.note(Decision::UpdateEndsAtPartition { set, old, partition }.into());
        }
        Ok(())
    }

    /// With the gate off: deletes the highest pod of an old revision, unless one above it is not available.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSet`, its end
    pub(super) fn update_one(
        &mut self,
        replicas: &[KnownPod<'_>],
        update: &ControllerRevision,
        status: &mut StatefulSetStatus,
    ) -> Result<(), Error> {
        let update = self.view.found.name(&update.metadata.name);
        for KnownPod { pod, facts } in self.targets(replicas) {
            if facts.revision != update && !facts.is_terminating {
                return self.delete_for_update(pod, Decision::UpdateOne(self.of(pod)), status);
            }
            if facts.is_unavailable(self.set.spec.min_ready_seconds, self.now) {
                self.client.note(Decision::UpdateWaits(self.of(pod)).into());
                return Ok(());
            }
        }
        Ok(())
    }

    /// Recreate: deletes all pods of an old revision. Says whether none of them is left.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go recreateDeleteAndWait`
    pub(super) fn recreate_delete_and_wait(
        &mut self,
        update: &ControllerRevision,
        pods: &SortedPods<'_>,
        status: &mut StatefulSetStatus,
    ) -> Result<bool, Error> {
        let update = self.view.found.name(&update.metadata.name);
        let is_old = |facts: &Facts| facts.is_created() && facts.revision != update;
        let all: Vec<KnownPod<'_>> = pods.all().cloned().collect();
        let goes = |facts: &Facts| is_old(facts) && !facts.is_terminating;
        self.run_in_batches(&all, goes, |sync, KnownPod { pod, facts }| {
            if goes(facts) {
                sync.delete_stateful_pod(pod, Decision::Recreate(sync.of(pod)))?;
            }
            Ok(false)
        })?;
        let old = all.iter().filter(|pod| is_old(&pod.facts)).count();
        if old == 0 {
            return Ok(true);
        }
        let (set, old) = (self.set.metadata.name.clone(), i32::try_from(old).unwrap_or(i32::MAX));
        self.client.note(Decision::RecreateWaits { set, old }.into());
        let message = "Deleting old revision pods";
        set_progressing_condition(status, ConditionStatus::True, "RecreateInProgress", message, self.now);
        Ok(false)
    }
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go setProgressingCondition` and `setStatefulSetCondition`
pub(super) fn set_progressing_condition(
    status: &mut StatefulSetStatus,
    condition_status: ConditionStatus,
    reason: &str,
    message: &str,
    now: Time,
) {
    let mut condition = StatefulSetCondition {
        type_: "Progressing".into(),
        status: condition_status,
        last_transition_time: Some(now.truncated()),
        reason: reason.into(),
        message: message.into(),
    };
    let conditions = Rc::make_mut(&mut status.conditions);
    let Some(existing) = conditions.iter_mut().find(|existing| existing.type_ == condition.type_) else {
        conditions.push(condition);
        return;
    };
    if existing.status == condition.status {
        condition.last_transition_time = existing.last_transition_time;
    }
    *existing = condition;
}
