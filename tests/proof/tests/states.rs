//! Reads what `kubectl get -o yaml` showed of a real cluster, and compares the prediction with what happened next.
//! `UPDATE_STATES=1` writes the tables.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{env, fs, iter};

use changeover_core::object::{Kind, Object, ObjectKey};
use changeover_core::prediction::{
    Assumptions, JobOutcome, Outcome, PredictOptions, Predicted, RolloutPlan, Steps, predict_plan,
};
use changeover_core::scenario::{Duration, Scenario};
use changeover_core::timeline::{Timeline, Totals};
use changeover_core::workload::job::{JobSeries, JobTotals};
use changeover_proof::recording::{Recording, Stored};
use changeover_proof::rehearsal::timeline;
use changeover_text::parse;
use serde_json::Value;

const DEPLOYMENTS: &str = "\
# Predictions for live states, and what happened

Each row is a state of `tests/controlplane/states`. It shows what `predict` says about the state and, after the arrow, what the recording
shows from then on, until someone acts or the recording ends. Without an arrow, both are the same. Times start at the state.
The predictions make the default assumptions: pods become ready as fast as those that are ready did, or after 5 s if none is, and
those of Jobs run for 10 s.
`UPDATE_STATES=1 cargo test -p changeover-proof --test states` writes this file.

## Deployments

`next` is the first ReplicaSet that is scaled.

| state | next | pods at most | available at least | complete after | last old pod gone after |
|---|---|---|---|---|---|
";

const JOBS: &str = "
## Jobs

`condition` is the Job's last one, and `succeeded` and `failed` are the pods that it has counted.

| state | pods at most | condition | finished after | succeeded | failed |
|---|---|---|---|---|---|
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../controlplane")
}

#[test]
fn the_changes_after_each_live_state_are_predicted() {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join("states")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut deployments, mut jobs) = (DEPLOYMENTS.to_owned(), JOBS.to_owned());
    for path in &paths {
        let documents = parse(&fs::read_to_string(path).unwrap()).unwrap();
        let objects: Vec<Value> = documents.into_iter().map(|document| document.value).collect();
        assert!(objects.iter().any(|object| object["kind"] == "Pod"), "{}", path.display());
        let recorded = Recorded::of(&objects);
        let now = Some(recorded.timeline.scenario.start);
        let options =
            PredictOptions { assumptions: Assumptions { now, ..Assumptions::default() }, ..PredictOptions::default() };
        let plan = RolloutPlan::new(&objects, &[], &options);
        let predicted = plan.and_then(|plan| predict_plan(&plan, &options, Steps::Kept, &mut |_| {}));
        assert!(predicted.is_ok(), "{}: {:?}", path.display(), predicted.err());
        let predicted = predicted.unwrap();
        let (table, predicted, happened) = match recorded.workload.kind {
            Kind::Job => (&mut jobs, predicted_job(&predicted), recorded.job()),
            _ => (&mut deployments, predicted_deployment(&predicted), recorded.deployment()),
        };
        let cells = predicted.into_iter().zip(happened).map(|(predicted, happened)| {
            if predicted == happened { predicted } else { format!("{predicted} → {happened}") }
        });
        let name = path.file_stem().unwrap().display().to_string();
        table.push_str(&format!("| {} |\n", iter::once(name).chain(cells).collect::<Vec<_>>().join(" | ")));
    }
    assert!(paths.len() >= 12, "only {} states", paths.len());
    let tables = deployments + &jobs;
    let file = root().join("states.md");
    if env::var_os("UPDATE_STATES").is_some() {
        fs::write(&file, &tables).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), tables, "set UPDATE_STATES=1 and read the difference");
}

fn time(nanoseconds: Option<i64>) -> String {
    nanoseconds.map_or_else(|| "never".to_owned(), |nanoseconds| Duration(nanoseconds).in_words())
}

/// The cells of a Deployment.
fn deployment_cells(timeline: &Timeline, [peak, available]: [i32; 2], times: [Option<i64>; 2]) -> [String; 5] {
    let scaled = timeline.steps.iter().find_map(|step| {
        let change = step.change.as_ref()?;
        scaling(change.before.as_ref(), change.after.as_ref()?)
    });
    let [complete, last_old_pod_gone] = times.map(time);
    let next = scaled.unwrap_or_else(|| "nothing".to_owned());
    [next, peak.to_string(), available.to_string(), complete, last_old_pod_gone]
}

/// The cells of a Job.
fn job_cells(peak: i32, condition: Option<&str>, finished: Option<i64>, [succeeded, failed]: [i32; 2]) -> [String; 5] {
    let condition = condition.unwrap_or("none").to_owned();
    [peak.to_string(), condition, time(finished), succeeded.to_string(), failed.to_string()]
}

fn predicted_deployment(Predicted { prediction, today, with_quotas, .. }: &Predicted) -> [String; 5] {
    let workload = prediction.workloads.first().unwrap();
    let Outcome { peak, lowest_available, complete, last_old_pod_gone, .. } =
        workload.with_quotas.as_ref().unwrap_or(&workload.outcome);
    let timeline = with_quotas.as_ref().unwrap_or(today);
    deployment_cells(timeline, [*peak, *lowest_available], [*complete, *last_old_pod_gone])
}

fn predicted_job(Predicted { prediction, .. }: &Predicted) -> [String; 5] {
    let job = prediction.jobs.first().unwrap();
    let JobOutcome { peak, condition, finished, succeeded, failed, .. } =
        job.with_quotas.as_ref().unwrap_or(&job.outcome);
    job_cells(*peak, condition.as_deref(), *finished, [*succeeded, *failed])
}

/// `web-7c9d5f6b8 2 to 3`, if that is the change.
fn scaling(before: Option<&Object>, after: &Object) -> Option<String> {
    let Object::ReplicaSet(after) = after else { return None };
    let before = match before {
        Some(Object::ReplicaSet(before)) => before.spec.replicas,
        _ => 0,
    };
    let is_scaled = before != after.spec.replicas;
    is_scaled.then(|| format!("{} {before} to {}", after.metadata.name, after.spec.replicas))
}

/// What a recording shows from a state on.
struct Recorded {
    workload: ObjectKey,
    /// It starts with the state, and ends before someone acts.
    timeline: Timeline,
}

impl Recorded {
    /// The recording of the state's namespace.
    fn of(objects: &[Value]) -> Self {
        let workload = |kind: Kind| {
            let object = objects.iter().find(|object| object["kind"] == kind.name())?;
            let [namespace, name] = ["namespace", "name"].map(|field| object["metadata"][field].as_str().unwrap());
            Some(ObjectKey::new(kind, namespace, name))
        };
        let workload = workload(Kind::Deployment).or_else(|| workload(Kind::Job)).unwrap();
        let namespace = &*workload.namespace;
        let of_namespace = objects.iter().filter(|object| object["metadata"]["namespace"] == namespace);
        let versions = of_namespace.map(|object| object["metadata"]["resourceVersion"].as_str().unwrap());
        let version: i64 = versions.map(|version| version.parse().unwrap()).max().unwrap();

        let path = root().join(format!("recordings/{namespace}.jsonl.gz"));
        let recording = Recording::read(&path).unwrap();
        let is_known = |stored: &Stored| stored.version <= version;
        let known = recording.stored.values().flatten().filter(|stored| is_known(stored));
        let now = known.map(|stored| stored.at).max().unwrap();
        // The user acts, which a prediction can't know.
        let is_act = |arguments: &[String]| !arguments.starts_with(&["rollout".into(), "status".into()]);
        let acts = recording.commands.iter().filter(|command| is_act(&command.arguments));
        let acts = acts.map(|command| command.at).filter(|at| *at > now).min();
        let timeline_of = |is_wanted: &dyn Fn(&Stored) -> bool| {
            let mut recording = Recording::read(&path).unwrap();
            recording.stored.values_mut().for_each(|versions| versions.retain(is_wanted));
            timeline(&recording)
        };
        let seen = timeline_of(&is_known).len();
        let mut timeline = timeline_of(&|stored| is_known(stored) || acts.is_none_or(|acts| stored.at < acts));
        let mut cursor = timeline.cursor();
        cursor.seek(&timeline, seen);
        timeline.initial = Rc::new(cursor.state().clone());
        timeline.steps.drain(..seen);
        timeline.scenario = Rc::new(Scenario { start: now, ..(*timeline.scenario).clone() });
        Self { workload, timeline }
    }

    fn deployment(&self) -> [String; 5] {
        let Self { workload, timeline } = self;
        let Totals { peak, lowest_available, complete, last_old_pod_gone, .. } =
            timeline.totals(&workload.namespace, &workload.name, timeline.scenario.start);
        // Of one that is deleted, nothing but its pods has to go.
        let is_deleted = |object: &Object| object.metadata().deletion_timestamp.is_some() && object.key() == *workload;
        let complete = if timeline.initial.objects().any(is_deleted) { last_old_pod_gone } else { complete };
        deployment_cells(timeline, [peak, lowest_available], [complete, last_old_pod_gone])
    }

    fn job(&self) -> [String; 5] {
        let Self { workload, timeline } = self;
        let (namespace, name) = (&workload.namespace, &workload.name);
        let JobTotals { peak, finished, .. } = timeline.job_totals(namespace, name, timeline.scenario.start);
        let points = JobSeries::of(timeline, namespace, name).points;
        // One that is over may be deleted.
        let status = points.iter().rev().find_map(|point| point.status.clone()).unwrap_or_default();
        job_cells(peak, status.condition.as_deref(), finished, [status.succeeded, status.failed])
    }
}
