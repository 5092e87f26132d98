use std::rc::Rc;

use changeover_core::controller::expectations::Expectations;
use changeover_core::controller::{Client, filter_pods_by_owner};
use changeover_core::json::{FromJson, ToJson};
use changeover_core::object::{Object, Pod};
use changeover_core::workload::job::Job;
use changeover_core::workload::job::controller::{BackoffRecord, Memory, View, handle_single_orphan_pod, sync_job};
use serde_json::Value;

use super::{Op, Outcome, error_of};
use crate::case::Case;
use crate::recorder::{Recorder, Refusal};

pub const OPS: &[(&str, Op)] = &[("job.sync", sync), ("job.orphan", orphan)];

/// A namespace: a Job and all pods.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Namespace {
    job: Rc<Job>,
    pods: Option<Vec<Rc<Pod>>>,
    refuse: Option<Vec<Refusal>>,
}

/// The controller's memory of a Job, without default values.
#[derive(Default, FromJson, ToJson)]
#[serde(deny_unknown_fields, default)]
struct Remembered {
    #[json(omitempty)]
    backoff: Option<BackoffRecord>,
    #[json(omitempty)]
    expectations: Option<Expectations>,
    #[json(omitempty)]
    finalizers: Vec<Rc<str>>,
    #[json(omitempty)]
    finished: bool,
}

impl From<Remembered> for Memory {
    fn from(remembered: Remembered) -> Self {
        let Remembered { backoff, expectations, finalizers, finished } = remembered;
        Self { backoff, expectations, finalizers: finalizers.into_iter().collect(), finished }
    }
}

impl From<Memory> for Remembered {
    fn from(memory: Memory) -> Self {
        Self {
            backoff: memory.backoff.filter(|record| record.last_failure_time.is_some()),
            expectations: memory.expectations.filter(|expectations| !expectations.is_fulfilled()),
            finalizers: memory.finalizers.into_iter().collect(),
            finished: memory.finished,
        }
    }
}

fn sync(case: &Case) -> Result<Outcome, String> {
    let Namespace { job, pods, refuse } = case.input()?;
    let mut memory: Memory = case.memory::<Remembered>()?.unwrap_or_default().into();
    let mut pods = pods.unwrap_or_default();
    pods.sort_by(|a, b| a.metadata.name.cmp(&b.metadata.name));
    let objects = pods.iter().cloned().map(Object::Pod).chain([Object::Job(job.clone())]);
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, objects).refusing(refuse);
    let pods = filter_pods_by_owner(&job.key(), &job.metadata.uid, &pods);
    let result = sync_job(&mut recorder, &View { job: &job, pods: &pods }, &mut memory);
    let again = result.as_ref().ok().map(|again| again.map_or(-1, |after| after.0.max(0)));
    let status = recorder.get(&job.key()).and_then(|job| job.to_value().get("status").cloned());
    let Recorder { writes, events, explained, .. } = recorder;
    let is = |write: &Value, key: &str, value: &str| write.get(key).is_some_and(|its| its == value);
    let pods = |verb| writes.iter().filter(|write| is(write, "resource", "pods") && is(write, "verb", verb)).count();
    let outcome = Outcome::new([
        ("error", error_of(&result)),
        ("creations", pods("create").into()),
        ("deletions", pods("delete").into()),
        ("podPatches", pods("patch").into()),
        ("createdIndexes", created_indexes(&writes).into()),
        ("status", status.into()),
        ("writes", writes.into()),
        ("events", events.into()),
        ("memory", Remembered::from(memory).to_json()),
        ("nanoseconds", again.into()),
    ])?;
    Ok(Outcome { explained, ..outcome })
}

/// The indexes of the created pods, sorted.
fn created_indexes(writes: &[Value]) -> Vec<i64> {
    let annotation = |write: &Value| {
        let annotations = write.pointer("/object/metadata/annotations")?;
        annotations.get("batch.kubernetes.io/job-completion-index")?.as_str()?.parse().ok()
    };
    let mut indexes: Vec<i64> = writes.iter().filter_map(annotation).collect();
    indexes.sort_unstable();
    indexes
}

/// A pod, and the Jobs of its namespace.
#[derive(FromJson, ToJson)]
#[serde(deny_unknown_fields)]
struct Orphan {
    pod: Rc<Pod>,
    jobs: Option<Vec<Rc<Job>>>,
    refuse: Option<Vec<Refusal>>,
}

fn orphan(case: &Case) -> Result<Outcome, String> {
    let Orphan { pod, jobs, refuse } = case.input()?;
    let jobs = jobs.unwrap_or_default();
    let mut recorder = Recorder::new(case.now()?, case.gates.controller_manager, [Object::Pod(pod.clone())]);
    recorder = recorder.refusing(refuse);
    let named = |job: &&Rc<Job>| pod.metadata.controller().is_some_and(|owner| owner.name == job.metadata.name);
    let result = handle_single_orphan_pod(&mut recorder, &pod, jobs.iter().find(named).map(|job| &**job));
    let Recorder { writes, events, explained, .. } = recorder;
    let outcome =
        Outcome::new([("error", error_of(&result)), ("writes", writes.into()), ("events", Value::from(events))])?;
    Ok(Outcome { explained, ..outcome })
}
