use std::rc::Rc;

use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::Object;
use changeover_core::workload::job::Job;
use changeover_core::workload::job::ttl_after_finished::controller::process_job;

use super::{Op, Outcome, error_of};
use crate::case::Case;
use crate::recorder::{Recorder, Refusal};

pub const OPS: &[(&str, Op)] = &[("ttl.sync", sync)];

/// A Job in the cache.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Input {
    job: Rc<Job>,
    stored: Option<Stored>,
    refuse: Option<Vec<Refusal>>,
}

/// The API server's Job, if it differs from the cache.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Stored {
    job: Option<Rc<Job>>,
}

fn sync(case: &Case) -> Result<Outcome, String> {
    let Input { job, stored, refuse } = case.input()?;
    let stored = stored.map_or_else(|| Some(job.clone()), |stored| stored.job);
    let objects = stored.map(Object::Job);
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);
    let result = process_job(&mut recorder, &job);
    let again = result.as_ref().ok().map(|again| again.map_or(-1, |after| after.0));
    let Recorder { writes, explained, .. } = recorder;
    let outcome = Outcome::new([
        ("error", error_of(&result)),
        ("deleted", (!writes.is_empty()).into()),
        ("nanoseconds", again.into()),
    ])?;
    Ok(Outcome { explained, ..outcome })
}
