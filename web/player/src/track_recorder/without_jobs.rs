//! What a build without the feature `jobs` has instead of the lanes of Jobs: its core has none.

use std::rc::Rc;

use changeover_core::object::{Kind, Object, Pod, Time};
use changeover_core::timeline::{Change, State, Step, Timeline};
use changeover_core::workload::cron_job::CronJob;
use changeover_core::workload::job::Job;
use changeover_wire::Totals;

use super::TrackRecorder;

/// Only Deployments are shown.
pub(crate) const fn shown_kind(_: &Timeline) -> Kind {
    Kind::Deployment
}

/// No Job has conditions.
pub(crate) const fn changes_condition(_: &Change) -> bool {
    false
}

/// There are no Jobs.
pub(crate) const fn shown_objects(_: &State, _: &Object) -> Vec<Object> {
    Vec::new()
}

/// There are no Jobs.
pub(crate) fn totals(_: &Timeline, _: &Object, _: Time) -> Totals {
    Totals::default()
}

impl TrackRecorder {
    /// There are no CronJobs.
    pub(crate) fn record_cron_job(&mut self, _: &Rc<CronJob>, _: i32, _: Time) {}

    /// There are no Jobs.
    pub(crate) fn record_job(&mut self, _: &Rc<Job>, _: i32, _: Time) {}

    /// No pod has an index.
    pub(crate) fn record_index(&mut self, _: &Pod, _: i32, _: Time) {}

    /// No Job waits.
    pub(crate) fn record_back_off(&mut self, _: &Step) {}

    /// No CronJob skips a run.
    pub(crate) fn record_skipped_runs(&mut self, _: &Timeline) {}
}
