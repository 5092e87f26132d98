//! The DaemonSet controller: a pod on each node that suits it.

mod backoff;
mod history;
mod known;
mod manage;
mod nodes;
mod rolling;
mod state;
mod status;
mod surge;
mod template;

use alloc::format;
use alloc::rc::Rc;
use alloc::vec::Vec;

pub use backoff::BackOff;
pub use history::revision_of_template;
pub use known::Found;
pub use nodes::{NodeNeed, NodeView, sync_node_update};
pub use state::{Memory, View};
pub use template::get_target_node_name;
pub(crate) use template::{get_template_generation, is_pod_updated};

use crate::controller::client::record;
use crate::controller::{Client, Error, Event};
use crate::object::{ControllerRevision, Duration, LabelSelector};
use crate::workload::daemon_set::decision::Decision;
use crate::workload::daemon_set::{DAEMON_SET_UNIQUE_LABEL, UpdateStrategyType};
use state::Sync;

/// One sync. Returns after what time to look again: because a pod becomes available then, or a back-off ends.
///
/// # Errors
/// A refused write, or a field that can't be read; the sync is tried again.
///
/// Upstream: `pkg/controller/daemon/daemon_controller.go syncDaemonSet`
pub fn sync_daemon_set(
    client: &mut dyn Client,
    view: &View<'_>,
    memory: &mut Memory,
) -> Result<Option<Duration>, Error> {
    let set = view.daemon_set;
    if set.spec.selector.as_deref().is_some_and(|selector| *selector == LabelSelector::default()) {
        record(client, &set.key(), || {
            let message = "This daemon set is selecting all pods. A non-empty selector is required.";
            Event::warning("SelectingAll", message)
        });
        client.note(Decision::SelectsAll { set: set.metadata.name.clone() }.into());
        return Ok(None);
    }
    if set.metadata.deletion_timestamp.is_some() {
        return Ok(None);
    }
    let mut sync = Sync::new(client, view, memory);
    sync.run()?;
    Ok(sync.after.map(Duration))
}

impl Sync<'_, '_> {
    /// What is synced of a DaemonSet that is not being deleted.
    ///
    /// Upstream: `pkg/controller/daemon/daemon_controller.go syncDaemonSet`
    fn run(&mut self) -> Result<(), Error> {
        let (current, old) = self
            .construct_history()
            .map_err(|error| Error::Other(format!("failed to construct revisions of DaemonSet: {error}")))?;
        let hash = current.metadata.labels.get(DAEMON_SET_UNIQUE_LABEL).map_or("", |hash| hash.as_str());
        if !self.is_satisfied() {
            self.client.note(Decision::WaitForExpectations { set: self.name() }.into());
            return self.update_daemon_set_status(hash, false);
        }
        let updated = self.update_daemon_set(hash, old);
        let status = self.update_daemon_set_status(hash, true);
        updated.and(status)
    }

    /// Upstream: `pkg/controller/daemon/daemon_controller.go updateDaemonSet`
    fn update_daemon_set(&mut self, hash: &str, old: Vec<Rc<ControllerRevision>>) -> Result<(), Error> {
        self.manage(hash)?;
        if self.is_satisfied() {
            match self.set.spec.update_strategy.type_ {
                UpdateStrategyType::OnDelete => self.note_old_pods(hash),
                UpdateStrategyType::RollingUpdate => self.rolling_update(hash)?,
            }
        }
        self.cleanup_history(hash, old)
            .map_err(|error| Error::Other(format!("failed to clean up revisions of DaemonSet: {error}")))
    }
}
