//! Reads what `kubectl get -o yaml` showed of a real cluster, and compares the prediction with what happened next.
//! `UPDATE_STATES=1` writes the table.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use changeover_core::object::{Deployment, Object, Time};
use changeover_core::prediction::{Assumptions, PredictOptions, Predicted, predict};
use changeover_core::timeline::Timeline;
use changeover_proof::recording::{Recording, Stored};
use changeover_text::parse;
use serde_json::Value;

const HEAD: &str = "\
# Predictions for live states, and what happened

Each row is a state of `tests/controlplane/states`. It shows what `predict` says about the state and, after the arrow, what the recording
shows from then on, until someone acts or the recording ends. Without an arrow, both are the same. `next` is the first ReplicaSet that is
scaled. A test writes this table with the default assumptions: pods are ready after 5 s.

| state | next | pods at most | complete |
|---|---|---|---|
";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../controlplane")
}

/// How a Deployment goes on.
#[derive(PartialEq)]
struct Course {
    next: String,
    peak: usize,
    complete: bool,
}

#[test]
fn the_changes_after_each_live_state_are_predicted() {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(root().join("states")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut states, mut table) = (0, HEAD.to_owned());
    for path in paths {
        let documents = parse(&fs::read_to_string(&path).unwrap()).unwrap();
        let objects: Vec<Value> = documents.into_iter().map(|document| document.value).collect();
        let of_kind = |kind: &str| objects.iter().filter(|object| object["kind"] == kind).count();
        assert!(of_kind("Pod") > 0 && of_kind("Deployment") + of_kind("Job") > 0, "{}", path.display());
        states += 1;
        let recorded = Recorded::of(&objects);
        let assumptions = Assumptions { now: recorded.as_ref().map(|recorded| recorded.now), ..Assumptions::default() };
        let options = PredictOptions { assumptions, ..PredictOptions::default() };
        let predicted = predict(&objects, &[], &options);
        assert!(predicted.is_ok(), "{}: {:?}", path.display(), predicted.err());
        let Some(recorded) = recorded else { continue };
        let (predicted, happened) = (predicted_course(&predicted.unwrap()), recorded.course());
        let cell = |predicted: String, happened: String| {
            if predicted == happened { predicted } else { format!("{predicted} → {happened}") }
        };
        table += &format!(
            "| {} | {} | {} | {} |\n",
            path.file_stem().unwrap().display(),
            cell(predicted.next, happened.next),
            cell(predicted.peak.to_string(), happened.peak.to_string()),
            cell(yes_or_no(predicted.complete), yes_or_no(happened.complete)),
        );
    }
    assert!(states >= 12, "only {states} states");
    let file = root().join("states.md");
    if env::var_os("UPDATE_STATES").is_some() {
        fs::write(&file, &table).unwrap();
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), table, "set UPDATE_STATES=1 and read the difference");
}

fn yes_or_no(is: bool) -> String {
    if is { "yes" } else { "no" }.to_owned()
}

fn predicted_course(Predicted { prediction, today, with_quotas, .. }: &Predicted) -> Course {
    let timeline: &Timeline = with_quotas.as_ref().unwrap_or(today);
    let workload = prediction.workloads.first().unwrap();
    let outcome = workload.with_quotas.as_ref().unwrap_or(&workload.today);
    let scaled = timeline.steps.iter().find_map(|step| {
        let change = step.change.as_ref()?;
        scaling(change.before.as_ref(), change.after.as_ref()?)
    });
    Course {
        next: scaled.unwrap_or_else(|| "nothing".to_owned()),
        peak: usize::try_from(outcome.peak).unwrap(),
        complete: outcome.complete.is_some(),
    }
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
    recording: Recording,
    /// The resource version of the state.
    version: i64,
    /// When it was written.
    now: Time,
}

impl Recorded {
    /// The recording of the state's namespace; none for a state of Jobs.
    fn of(objects: &[Value]) -> Option<Self> {
        let deployment = objects.iter().find(|object| object["kind"] == "Deployment")?;
        let namespace = deployment["metadata"]["namespace"].as_str().unwrap();
        let recording = Recording::read(&root().join(format!("recordings/{namespace}.jsonl.gz"))).unwrap();
        let of_namespace = objects.iter().filter(|object| object["metadata"]["namespace"] == namespace);
        let versions = of_namespace.map(|object| object["metadata"]["resourceVersion"].as_str().unwrap());
        let version = versions.map(|version| version.parse().unwrap()).max().unwrap();
        let until = |stored: &&Stored| stored.version <= version;
        let now = recording.stored.values().flatten().filter(until).map(|stored| stored.at).max().unwrap();
        Some(Self { recording, version, now })
    }

    fn course(&self) -> Course {
        // The user acts, which a prediction can't know.
        let acts = self
            .recording
            .commands
            .iter()
            .filter(|command| !command.arguments.starts_with(&["rollout".into(), "status".into()]));
        let acts = acts.map(|command| command.at).filter(|at| *at > self.now).min();
        let mut later: Vec<(&String, &Stored)> = self
            .recording
            .stored
            .iter()
            .flat_map(|(object, versions)| versions.iter().map(move |stored| (object, stored)))
            .filter(|(_, stored)| acts.is_none_or(|acts| stored.at < acts))
            .collect();
        later.sort_by_key(|(_, stored)| stored.version);

        let mut pods = BTreeSet::new();
        let mut course = Course { next: "nothing".to_owned(), peak: 0, complete: false };
        for (object, stored) in later {
            let is_later = stored.version > self.version;
            match &stored.object {
                Some(Object::Pod(pod)) if !pod.is_terminal() => drop(pods.insert(object)),
                Some(Object::Deployment(deployment)) => course.complete = is_complete(deployment),
                Some(after @ Object::ReplicaSet(_)) if is_later && course.next == "nothing" => {
                    let before =
                        self.recording.before(object, stored.version).and_then(|before| before.object.as_ref());
                    course.next = scaling(before, after).unwrap_or(course.next);
                }
                _ if object.starts_with("Pod/") => drop(pods.remove(object)),
                _ => {}
            }
            course.peak = if is_later { course.peak.max(pods.len()) } else { pods.len() };
        }
        course
    }
}

fn is_complete(deployment: &Deployment) -> bool {
    let (wanted, status) = (deployment.spec.replicas, &deployment.status);
    status.observed_generation >= deployment.metadata.generation
        && [status.updated_replicas, status.replicas, status.available_replicas] == [wanted; 3]
}
