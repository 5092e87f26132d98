use std::rc::Rc;

use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{Object, Time};
use changeover_core::workload::cron_job::CronJob;
use changeover_core::workload::cron_job::controller::{View, sync as sync_cron_job, upcoming};
use changeover_core::workload::job::Job;

use super::{Op, Outcome, error_of};
use crate::case::Case;
use crate::recorder::{Recorder, Refusal};

pub const OPS: &[(&str, Op)] = &[("cronJob.sync", sync), ("cronJob.next", next)];

/// A namespace in the caches: a CronJob and all Jobs.
#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Namespace {
    cron_job: Rc<CronJob>,
    jobs: Option<Vec<Rc<Job>>>,
    stored: Option<Stored>,
    refuse: Option<Vec<Refusal>>,
}

/// The API server's objects that differ from the caches.
#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Stored {
    cron_job: Option<Rc<CronJob>>,
    jobs: Option<Vec<Rc<Job>>>,
}

fn sync(case: &Case) -> Result<Outcome, String> {
    let Namespace { cron_job, jobs, stored, refuse } = case.input()?;
    let mut jobs = jobs.unwrap_or_default();
    jobs.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let stored = stored.unwrap_or_else(|| Stored { cron_job: Some(cron_job.clone()), jobs: Some(jobs.clone()) });
    let objects = stored.jobs.into_iter().flatten().map(Object::Job);
    let objects = objects.chain(stored.cron_job.map(Object::CronJob));
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);
    let is_owned = |job: &Rc<Job>| job.metadata.is_controlled_by(&cron_job.metadata);
    jobs.retain(is_owned);
    let result = sync_cron_job(&mut recorder, &View { cron_job: &cron_job, jobs: &jobs });
    let again = result.as_ref().ok().map(|again| again.map_or(-1, |after| after.0));
    let Recorder { writes, events, explained, .. } = recorder;
    let outcome = Outcome::new([
        ("error", error_of(&result)),
        ("writes", writes.into()),
        ("events", events.into()),
        ("nanoseconds", again.into()),
    ])?;
    Ok(Outcome { explained, ..outcome })
}

/// A schedule and a time.
#[derive(FromJson, ToJson)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Asked {
    schedule: String,
    #[serde(default)]
    time_zone: Option<String>,
    after: Time,
}

fn next(case: &Case) -> Result<Outcome, String> {
    /// How many times of a schedule a case lists.
    const TIMES: usize = 5;
    let Asked { schedule, time_zone, after } = case.input()?;
    let result = upcoming(&schedule, time_zone.as_deref(), after, TIMES);
    let times = result.as_ref().ok().map(|times| times.iter().map(ToString::to_string).collect::<Vec<_>>());
    Outcome::new([("error", error_of(&result)), ("times", times.into())])
}
