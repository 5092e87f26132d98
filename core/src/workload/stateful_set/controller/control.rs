//! The order of things: pods within the range, pods outside of it, and then the update.

use alloc::borrow::Cow;
use alloc::rc::Rc;
use alloc::vec::Vec;

use super::identity::{first_updated_ordinal, get_ordinal, index_in_range, new_versioned_stateful_set_pod};
use super::known::{Facts, KnownPod, KnownPods, RevisionName};
use super::revisions::Revisions;
use super::state::{SortedPods, Sync};
use super::update::set_progressing_condition;
use crate::controller::client::record;
use crate::controller::controller_ref::aggregate;
use crate::controller::history::sort_controller_revisions;
use crate::controller::{Error, Event, Write};
use crate::feature_gates::Feature;
use crate::object::{ConditionStatus, ControllerRevision, Pod, PodPhase};
use crate::workload::stateful_set::decision::{Decision, NewPod, StatusCounts, WaitedFor};
use crate::workload::stateful_set::{StatefulSet, StatefulSetStatus, UpdateStrategyType};

/// The most requests that are sent at once.
///
/// Upstream: `pkg/controller/statefulset/stateful_set_control.go MaxBatchSize`
const MAX_BATCH_SIZE: usize = 500;

/// What [`Sync::run_for_all`] does with one pod: whether the sync ends there.
type Processed = Result<bool, Error>;

impl Sync<'_, '_> {
    fn waited(&self, pod: &Pod) -> WaitedFor {
        WaitedFor { set: self.set.metadata.name.clone(), pod: pod.metadata.name.clone() }
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go UpdateStatefulSet`
    pub(super) fn update_stateful_set(
        &mut self,
        pods: &KnownPods,
        mut revisions: Vec<Rc<ControllerRevision>>,
    ) -> Result<StatefulSetStatus, Error> {
        sort_controller_revisions(&mut revisions);
        let mut live = Revisions::default();
        let updated = self.perform_update(pods, &revisions, &mut live);
        let truncated = self.truncate_history(pods, &revisions, &live);
        match updated {
            Ok(status) => truncated.map(|()| status),
            Err(error) => {
                aggregate([error].into_iter().chain(truncated.err()).collect())?;
                Ok(StatefulSetStatus::default())
            }
        }
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go performUpdate`
    fn perform_update(
        &mut self,
        pods: &KnownPods,
        revisions: &[Rc<ControllerRevision>],
        live: &mut Revisions,
    ) -> Result<StatefulSetStatus, Error> {
        let (current, update, collision_count) = self.get_stateful_set_revisions(revisions)?;
        *live = Revisions { current: Some(current.clone()), update: Some(update.clone()) };
        let (mut status, result) = self.update_pods(&current, &update, collision_count, pods)?;
        // The status is written even if pods could not be created or deleted.
        let written = self.update_stateful_set_status(&mut status);
        result?;
        written?;
        Ok(status)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatus`
    fn update_status(
        &self,
        status: &mut StatefulSetStatus,
        current: RevisionName,
        update: RevisionName,
        pods: impl Iterator<Item = Facts>,
    ) {
        let seconds = self.set.spec.min_ready_seconds;
        let mut counts = [0_i32; 5];
        let [replicas, ready, available, current_replicas, updated] = &mut counts;
        let count = |number: &mut i32, is_counted: bool| *number = number.saturating_add(is_counted.into());
        for facts in pods {
            let stays = facts.is_created() && !facts.is_terminating;
            count(replicas, facts.is_created());
            count(ready, facts.is_running_and_ready);
            count(available, facts.is_running_and_ready && facts.is_available(seconds, self.now));
            count(current_replicas, stays && facts.revision == current);
            count(updated, stays && facts.revision == update);
        }
        [
            status.replicas,
            status.ready_replicas,
            status.available_replicas,
            status.current_replicas,
            status.updated_replicas,
        ] = counts;
    }

    /// The status, and what ended the sync. Without a status nothing is written.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSet`
    fn update_pods(
        &mut self,
        current: &Rc<ControllerRevision>,
        update: &Rc<ControllerRevision>,
        collision_count: i32,
        pods: &KnownPods,
    ) -> Result<(StatefulSetStatus, Result<(), Error>), Error> {
        let set = self.set.clone();
        let strategy = set.spec.update_strategy.type_;
        if strategy == UpdateStrategyType::Recreate
            && !self.client.gates().enabled(Feature::StatefulSetRecreateStrategy)
        {
            return Err(self.recreate_disabled());
        }
        let mut status = StatefulSetStatus {
            observed_generation: set.metadata.generation,
            current_revision: current.metadata.name.clone(),
            update_revision: update.metadata.name.clone(),
            collision_count: Some(collision_count),
            conditions: set.status.conditions.clone(),
            ..StatefulSetStatus::default()
        };
        let [current_name, update_name] =
            [current, update].map(|revision| self.view.found.name(&revision.metadata.name));
        if set.metadata.deletion_timestamp.is_some() {
            self.update_status(&mut status, current_name, update_name, pods.iter().map(|pod| pod.facts));
            return Ok((status, Ok(())));
        }
        let sorted = self.sort_pods(current, update, pods);
        if strategy == UpdateStrategyType::Recreate {
            match self.recreate_delete_and_wait(update, &sorted, &mut status) {
                Ok(true) => {}
                other => {
                    self.update_status(&mut status, current_name, update_name, sorted.all().map(|pod| pod.facts));
                    return Ok((status, other.map(|_| ())));
                }
            }
            if current.metadata.name != update.metadata.name {
                let message = "Waiting for new-revision pods to be created";
                set_progressing_condition(&mut status, ConditionStatus::True, "RecreateInProgress", message, self.now);
            }
        }
        let processed = self.process_pods(&sorted);
        self.update_status(&mut status, current_name, update_name, sorted.all().map(|pod| pod.facts));
        if processed != Ok(false) {
            return Ok((status, processed.map(|_| ())));
        }
        let result = match strategy {
            UpdateStrategyType::OnDelete => {
                let is_old = |pod: &&KnownPod<'_>| pod.facts.revision != update_name;
                let old = i32::try_from(sorted.replicas.iter().filter(is_old).count()).unwrap_or(i32::MAX);
                if old > 0 {
                    let decision = Decision::UpdateOnDelete { set: set.metadata.name.clone(), old };
                    self.client.note(decision.into());
                }
                Ok(())
            }
            UpdateStrategyType::Recreate => Ok(()),
            UpdateStrategyType::RollingUpdate if self.client.gates().enabled(Feature::MaxUnavailableStatefulSet) => {
                self.update_after_invariant_established(&sorted.replicas, update, &mut status)
            }
            UpdateStrategyType::RollingUpdate => self.update_one(&sorted.replicas, update, &mut status),
        };
        Ok((status, result))
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSet`, the branch for Recreate with its gate off
    fn recreate_disabled(&mut self) -> Error {
        let (namespace, name) = (&self.set.metadata.namespace, &self.set.metadata.name);
        let message = alloc::format!(
            "statefulset {namespace}/{name} uses Recreate strategy but feature gate StatefulSetRecreateStrategy is disabled"
        );
        record(self.client, &self.set.key(), || Event::warning("UnknownStrategy", &message));
        self.client.note(Decision::RecreateDisabled { set: name.clone() }.into());
        Error::Other(message)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSet`, where it sorts the pods
    fn sort_pods<'k>(
        &self,
        current: &ControllerRevision,
        update: &ControllerRevision,
        pods: &'k KnownPods,
    ) -> SortedPods<'k> {
        let (set, found) = (&self.set, self.view.found);
        let mut replicas: Vec<Option<KnownPod<'k>>> = Vec::new();
        replicas.resize(usize::try_from(set.spec.replicas).unwrap_or(0), None);
        let mut condemned = Vec::new();
        for pod in pods.iter() {
            // A name without an ordinal is ignored.
            let Some(ordinal) = pod.facts.ordinal else { continue };
            match index_in_range(set, ordinal).and_then(|index| replicas.get_mut(index)) {
                Some(place) => *place = Some(pod),
                None => condemned.push(pod),
            }
        }
        condemned.sort_by_key(|pod| core::cmp::Reverse(pod.facts.ordinal));
        let new = |index: usize| {
            let (current_set, update_set) = (found.apply_revision(set, current), found.apply_revision(set, update));
            let ordinal = i64::from(set.start_ordinal()).saturating_add(i64::try_from(index).unwrap_or(i64::MAX));
            let (current, update) = (&current.metadata.name, &update.metadata.name);
            new_versioned_stateful_set_pod(&current_set, &update_set, current, update, ordinal)
        };
        let known = |pod: Pod| KnownPod { facts: found.facts(set, &pod, true), pod: Cow::Owned(Rc::new(pod)) };
        // In order, a sync ends with the first pod that is missing: of the others, only the place is needed.
        let mut place = None;
        let replicas: Vec<KnownPod<'k>> = replicas
            .into_iter()
            .enumerate()
            .map(|(index, pod)| match (pod, &place) {
                (Some(pod), _) => pod,
                (None, Some(place)) if !set.allows_burst() => KnownPod::clone(place),
                (None, _) => {
                    place.get_or_insert_with(|| known(Pod::default()));
                    known(new(index))
                }
            })
            .collect();
        let first = || {
            let is_unavailable = |pod: &&KnownPod<'_>| pod.facts.is_unavailable(set.spec.min_ready_seconds, self.now);
            replicas.iter().chain(condemned.iter().rev()).find(is_unavailable)
        };
        let first = if condemned.is_empty() { None } else { first() };
        let first_unavailable = first.map(|known| known.pod.metadata.name.clone());
        SortedPods { replicas, condemned, first_unavailable }
    }

    /// Creates what is missing and deletes what is too much. Says whether the sync ends there.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSet`, where it runs for all pods
    fn process_pods(&mut self, pods: &SortedPods<'_>) -> Processed {
        let SortedPods { replicas, condemned, first_unavailable } = pods;
        if self.run_for_all(replicas, |facts| !facts.is_created(), Self::process_replica)? {
            return Ok(true);
        }
        let fix_pod_claim = |sync: &mut Self, KnownPod { pod, .. }: &KnownPod<'_>| {
            if !sync.claims_match_retention_policy(pod) {
                sync.update_pod_claim_for_retention_policy(pod)?;
            }
            Ok(false)
        };
        if self.run_for_all(condemned, |_| false, fix_pod_claim)? {
            return Ok(true);
        }
        let process_condemned =
            |sync: &mut Self, pod: &KnownPod<'_>| sync.process_condemned(first_unavailable.as_ref(), pod);
        self.run_for_all(condemned, |facts| !facts.is_terminating, process_condemned)
    }

    /// Does something with all pods: one after the other, until the sync ends with one; or at once, in batches that double. A
    /// failure ends the batches, not the batch.
    ///
    /// `writes`: whether this is one write for a pod, which goes out at the same time as the others of its batch.
    ///
    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go runForAll` and `slowStartBatch`
    fn run_for_all(
        &mut self,
        pods: &[KnownPod<'_>],
        writes: impl Fn(&Facts) -> bool,
        process: impl FnMut(&mut Self, &KnownPod<'_>) -> Processed,
    ) -> Processed {
        if self.set.allows_burst() {
            self.run_in_batches(pods, writes, process)
        } else {
            self.run_in_order(pods, process)
        }
    }

    fn run_in_order(
        &mut self,
        pods: &[KnownPod<'_>],
        mut process: impl FnMut(&mut Self, &KnownPod<'_>) -> Processed,
    ) -> Processed {
        for pod in pods {
            if process(self, pod)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go slowStartBatch`
    pub(super) fn run_in_batches(
        &mut self,
        pods: &[KnownPod<'_>],
        writes: impl Fn(&Facts) -> bool,
        mut process: impl FnMut(&mut Self, &KnownPod<'_>) -> Processed,
    ) -> Processed {
        let mut rest = pods;
        let mut batch_size = 1_usize;
        let has_claims = !self.set.spec.volume_claim_templates.is_empty();
        while !rest.is_empty() {
            let (batch, behind) = rest.split_at(batch_size.min(rest.len()));
            let at_once = batch.iter().filter(|pod| !has_claims && writes(&pod.facts)).count();
            if at_once > 1 {
                self.client.in_parallel(i32::try_from(at_once).unwrap_or(i32::MAX));
            }
            aggregate(batch.iter().filter_map(|pod| process(self, pod).err()).collect())?;
            rest = behind;
            batch_size = batch_size.saturating_mul(2).min(MAX_BATCH_SIZE);
        }
        Ok(false)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go processReplica`
    fn process_replica(&mut self, KnownPod { pod, facts }: &KnownPod<'_>) -> Processed {
        let monotonic = !self.set.allows_burst();
        let seconds = self.set.spec.min_ready_seconds;
        if matches!(facts.phase, PodPhase::Failed | PodPhase::Succeeded) {
            if !facts.is_terminating {
                self.delete_stateful_pod(pod, Decision::DeleteEnded(self.waited(pod)))?;
            }
            return Ok(true);
        }
        if !facts.is_created() {
            if let Some(claim) = self.stale_claim(pod) {
                let decision = Decision::WaitForStaleClaim { pod: pod.metadata.name.clone(), claim };
                self.client.note(decision.into());
                return Ok(true);
            }
            let decision = self.creation(pod);
            self.create_stateful_pod(pod, decision)?;
            if monotonic {
                return Ok(true);
            }
        }
        if facts.phase == PodPhase::Pending {
            self.create_missing_persistent_volume_claims(pod)?;
        }
        if monotonic {
            let wait = if facts.is_terminating {
                Some(Decision::WaitForTermination(self.waited(pod)))
            } else if !facts.is_running_and_ready {
                Some(Decision::WaitForReady(self.waited(pod)))
            } else if !facts.is_available(seconds, self.now) {
                Some(Decision::WaitForAvailable { waited: self.waited(pod), seconds })
            } else {
                None
            };
            if let Some(wait) = wait {
                self.client.note(wait.into());
                return Ok(true);
            }
        }
        if !facts.is_consistent || !self.claims_match_retention_policy(pod) {
            self.update_stateful_pod(pod)?;
        }
        Ok(false)
    }

    /// Why a pod is created at the revision that it has.
    fn creation(&self, pod: &Pod) -> Decision {
        let new = NewPod { set: self.set.metadata.name.clone(), pod: pod.metadata.name.clone() };
        let (ordinal, bound) = (get_ordinal(pod).unwrap_or(0), first_updated_ordinal(&self.set));
        if i64::from(ordinal) < bound {
            let bound = i32::try_from(bound).unwrap_or(i32::MAX);
            Decision::CreateAtCurrent { new, ordinal, bound }
        } else if self.set.allows_burst() {
            Decision::CreateInParallel(new)
        } else {
            Decision::Create(new)
        }
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go processCondemned`
    fn process_condemned(&mut self, first_unavailable: Option<&Rc<str>>, known: &KnownPod<'_>) -> Processed {
        let KnownPod { pod, facts } = known;
        let monotonic = !self.set.allows_burst();
        let waited = self.waited(pod);
        if facts.is_terminating {
            if monotonic {
                self.client.note(Decision::ScaleDownWaits(waited).into());
            }
            return Ok(monotonic);
        }
        let is_available = facts.is_running_and_ready && facts.is_available(self.set.spec.min_ready_seconds, self.now);
        if monotonic && !is_available && first_unavailable.is_none_or(|first| *first != pod.metadata.name) {
            self.client.note(Decision::ScaleDownBlocked(waited).into());
            return Ok(true);
        }
        let (replicas, start) = (self.set.spec.replicas, self.set.start_ordinal());
        self.delete_stateful_pod(pod, Decision::ScaleDown { waited, replicas, start })?;
        Ok(true)
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_control.go updateStatefulSetStatus`
    fn update_stateful_set_status(&mut self, status: &mut StatefulSetStatus) -> Result<(), Error> {
        let is_complete = self.complete_update(status);
        if self.client.gates().enabled(Feature::MaxUnavailableStatefulSet) {
            self.unavailable_limit()?;
        }
        if !inconsistent_status(&self.set, status) {
            return Ok(());
        }
        let counts = StatusCounts {
            set: self.set.metadata.name.clone(),
            replicas: status.replicas,
            ready: status.ready_replicas,
            available: status.available_replicas,
            updated: status.updated_replicas,
        };
        let completes = is_complete && self.set.status.current_revision != status.current_revision;
        let decision = if completes && !self.set.status.current_revision.is_empty() {
            Decision::Complete { counts, revision: status.current_revision.clone() }
        } else {
            Decision::Status(counts)
        };
        let set = StatefulSet { status: status.clone(), ..(*self.set).clone() };
        self.client.write(Write::UpdateStatus(set.into()), decision.into())?;
        Ok(())
    }

    /// Upstream: `pkg/controller/statefulset/stateful_set_utils.go completeUpdate`
    fn complete_update(&self, status: &mut StatefulSetStatus) -> bool {
        let wanted = self.set.spec.replicas;
        if [status.updated_replicas, status.ready_replicas, status.replicas] != [wanted; 3] {
            return false;
        }
        status.current_replicas = status.updated_replicas;
        status.current_revision = status.update_revision.clone();
        let has_condition = status.conditions.iter().any(|condition| &*condition.type_ == "Progressing");
        if has_condition
            && self.set.spec.update_strategy.type_ == UpdateStrategyType::Recreate
            && self.client.gates().enabled(Feature::StatefulSetRecreateStrategy)
        {
            let message = "All pods recreated successfully";
            set_progressing_condition(status, ConditionStatus::False, "RecreateCompleted", message, self.now);
        }
        true
    }
}

/// Upstream: `pkg/controller/statefulset/stateful_set_utils.go inconsistentStatus`
fn inconsistent_status(set: &StatefulSet, status: &StatefulSetStatus) -> bool {
    let old = &set.status;
    let seen = StatefulSetStatus {
        observed_generation: status.observed_generation,
        collision_count: status.collision_count,
        ..old.clone()
    };
    status.observed_generation > old.observed_generation || seen != *status
}
