//! What the status says.

use alloc::format;
use alloc::rc::Rc;

use super::manage::compare_pods;
use super::state::Sync;
use crate::controller::{ApiError, Error, Write};
use crate::object::{Object, Time};
use crate::workload::daemon_set::decision::Decision;
use crate::workload::daemon_set::{DaemonSet, DaemonSetStatus};

/// How often a refused status is written once more.
///
/// Upstream: `pkg/controller/daemon/daemon_controller.go StatusUpdateRetries`
const STATUS_UPDATE_RETRIES: u32 = 1;

impl Sync<'_, '_> {
    /// Upstream: `pkg/controller/daemon/daemon_controller.go updateDaemonSetStatus`
    pub(super) fn update_daemon_set_status(&mut self, hash: &str, observed: bool) -> Result<(), Error> {
        let by_node = self.get_nodes_to_daemon_pods(hash)?;
        let mut status = self.set.status.clone();
        let (mut desired, mut current, mut misscheduled) = (0_i32, 0_i32, 0_i32);
        let (mut ready, mut updated, mut available) = (0_i32, 0_i32, 0_i32);
        for (_, (should_run, _), pods) in self.nodes(&by_node) {
            if !should_run {
                misscheduled = misscheduled.saturating_add(i32::from(pods.is_some()));
                continue;
            }
            desired = desired.saturating_add(1);
            let Some(pods) = pods else { continue };
            current = current.saturating_add(1);
            let Some(pod) = pods.iter().min_by(|a, b| compare_pods(&a.pod, &b.pod)) else { continue };
            ready = ready.saturating_add(i32::from(pod.is_ready));
            available = available.saturating_add(i32::from(self.is_available(pod)));
            updated = updated.saturating_add(i32::from(pod.is_updated));
        }
        status.desired_number_scheduled = desired;
        status.current_number_scheduled = current;
        status.number_misscheduled = misscheduled;
        status.number_ready = ready;
        status.updated_number_scheduled = updated;
        status.number_available = available;
        status.number_unavailable = desired.saturating_sub(available);
        self.store_daemon_set_status(&status, observed).map_err(|error| {
            Error::Other(format!("error storing status for daemon set {}: {error}", self.set.metadata.name))
        })?;
        let seconds = self.set.spec.min_ready_seconds;
        if seconds > 0 && ready != available {
            self.look_again_after(i64::from(seconds).saturating_mul(Time::SECOND));
        }
        Ok(())
    }

    /// Writes the counts, if they or the observed generation have changed. A refused status is written once more, to the object as
    /// it is stored now.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go storeDaemonSetStatus`
    fn store_daemon_set_status(&mut self, status: &DaemonSetStatus, observed: bool) -> Result<(), ApiError> {
        let set = self.set.clone();
        if *status == set.status && set.status.observed_generation >= set.metadata.generation {
            return Ok(());
        }
        let decision = Decision::Status {
            set: self.name(),
            desired: status.desired_number_scheduled,
            current: status.current_number_scheduled,
            ready: status.number_ready,
            available: status.number_available,
            updated: status.updated_number_scheduled,
            misscheduled: status.number_misscheduled,
        };
        let (mut base, mut tries) = (set.clone(), 0_u32);
        loop {
            let mut update = (*base).clone();
            let DaemonSetStatus { observed_generation, collision_count, unknown, .. } = base.status.clone();
            let observed_generation = if observed { set.metadata.generation } else { observed_generation };
            update.status = DaemonSetStatus { observed_generation, collision_count, unknown, ..status.clone() };
            let error = match self.client.write(Write::UpdateStatus(update.into()), decision.clone().into()) {
                Ok(_) => return Ok(()),
                Err(error) => error,
            };
            if tries >= STATUS_UPDATE_RETRIES {
                return Err(error);
            }
            tries = tries.saturating_add(1);
            base = self.fresh()?;
        }
    }

    fn fresh(&mut self) -> Result<Rc<DaemonSet>, ApiError> {
        let key = self.set.key();
        match self.client.get(&key) {
            Some(Object::DaemonSet(fresh)) => Ok(fresh),
            _ => Err(ApiError::not_found(&key)),
        }
    }
}
