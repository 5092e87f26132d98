//! The committed recordings of a real control plane are explained; spoiled writes are not.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{fs, io, thread};

use changeover_proof::proof::{Control, Outcome, SpoiledWrites, prove};
use changeover_proof::recording::{Recording, Request};
use changeover_proof::spoil::Spoil;

/// How many of a thousand writes with another number may be explained: a count that is one higher can come from another
/// cache.
const MISTAKEN_IN_THOUSAND: usize = 10;
/// The control only uses recordings below this size in bytes: its searches fail, which takes long.
const SMALL: u64 = 6_000;
/// Larger ones that it uses as well, since no small one has a rolling update or is scaled down.
const ALSO_CONTROLLED: [&str; 2] = ["rolling-1.jsonl.gz", "scale-down-1.jsonl.gz"];

fn recordings() -> io::Result<Vec<PathBuf>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../controlplane/recordings");
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
}

/// Checks the files in parts, on all processors.
fn in_parallel<T: Send + 'static>(files: &[PathBuf], check: fn(&[PathBuf]) -> T) -> Vec<T> {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let size = files.len().div_ceil(processors.saturating_mul(4)).max(1);
    thread::scope(|scope| {
        let threads: Vec<_> = files.chunks(size).map(|part| scope.spawn(move || check(part))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// The sums of several recordings.
#[derive(Default)]
struct Sums {
    scenarios: BTreeSet<String>,
    writes: usize,
    events: usize,
    problems: Vec<String>,
}

fn explain(files: &[PathBuf]) -> Result<Sums, String> {
    let mut sums = Sums::default();
    for file in files {
        let recording = Recording::read(file)?;
        let outcome = prove(&recording, Control::Off);
        sums.writes = outcome.explained.values().fold(sums.writes, |sum, count| sum.saturating_add(*count));
        sums.events = sums.events.saturating_add(outcome.events);
        sums.problems.extend(outcome.problems.iter().map(|problem| format!("{}: {problem}", recording.name)));
        sums.scenarios.insert(recording.about);
    }
    Ok(sums)
}

/// What the control finds in each recording, by its name.
fn control(files: &[PathBuf]) -> Result<Vec<(String, Outcome)>, String> {
    let outcome = |recording: Recording| (recording.name.clone(), prove(&recording, Control::On));
    files.iter().map(|file| Recording::read(file).map(outcome)).collect()
}

#[test]
fn every_write_and_event_is_explained() {
    let files = recordings().unwrap();
    let sums = in_parallel(&files, explain).into_iter().fold(Sums::default(), |mut sums, part| {
        let part = part.unwrap();
        sums.scenarios.extend(part.scenarios);
        sums.problems.extend(part.problems);
        Sums { writes: sums.writes + part.writes, events: sums.events + part.events, ..sums }
    });
    let Sums { scenarios, writes, events, problems } = sums;
    println!("{} recordings: {writes} writes and {events} events are explained", files.len());
    assert!(problems.is_empty(), "{} are not:\n{}", problems.len(), problems.join("\n"));
    assert!(scenarios.len() >= 40 && files.len() >= 3 * scenarios.len() && writes > 10_000, "recordings are missing");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let [writes, events] = [writes, events].map(|count| format!("{},{:03}", count / 1000, count % 1000));
    let scenarios = files.len() / 3;
    for (page, figure) in [
        ("README.md", format!("{scenarios} scenarios on a real control plane")),
        ("docs/proof.md", format!("wrote in {scenarios} scenarios")),
        ("docs/proof.md", format!("**explained** | **all {writes}**")),
        ("docs/proof.md", format!("recorded events | all {events} explained")),
    ] {
        assert!(fs::read_to_string(root.join(page)).unwrap().contains(&figure), "{page} must say: {figure}");
    }
}

#[test]
fn a_write_with_another_number_word_order_or_object_is_not_explained() {
    let mut files = recordings().unwrap();
    files.retain(|file| {
        let first_run = file.to_str().is_some_and(|file| file.ends_with("-1.jsonl.gz"));
        let small = first_run && fs::metadata(file).unwrap().len() < SMALL;
        small || ALSO_CONTROLLED.iter().any(|name| file.ends_with(name))
    });
    let outcomes: Vec<(String, Outcome)> = in_parallel(&files, control).into_iter().flat_map(Result::unwrap).collect();
    let mut sums: BTreeMap<Spoil, SpoiledWrites> = BTreeMap::new();
    let (mut mistaken, mut failures) = (String::new(), String::new());
    for (name, outcome) in &outcomes {
        outcome.spoiled.iter().for_each(|(what, writes)| sums.entry(*what).or_default().add(*writes));
        mistaken.extend(outcome.mistaken.iter().map(|mistake| format!("{name}: {mistake}\n")));
        failures.extend(outcome.control_failures().iter().map(|failure| format!("{name}: {failure}\n")));
    }
    println!("{sums:?}\n{mistaken}");
    assert!(failures.is_empty(), "{failures}\n{mistaken}");
    let spoiled: usize = sums.values().map(|writes| writes.tried).sum();
    assert!(spoiled > 500 && sums.len() == Spoil::ALL.len(), "only these writes were spoiled: {sums:?}");
    assert!(sums.values().all(|writes| writes.gave_up == 0), "a search that gave up proves nothing: {sums:?}");
    let numbers = sums[&Spoil::Number];
    let few = numbers.tried * MISTAKEN_IN_THOUSAND / 1000;
    assert!(numbers.explained <= few, "more than {few} numbers are explained:\n{mistaken}");
}

/// The first run of a scenario.
fn first_run(scenario: &str) -> Result<Recording, String> {
    let name = format!("{scenario}-1.jsonl.gz");
    let files = recordings().map_err(|error| error.to_string())?;
    let file = files.into_iter().find(|file| file.ends_with(&name)).ok_or_else(|| format!("{name}: not found"))?;
    Recording::read(&file)
}

#[test]
fn neither_another_node_nor_another_reason_of_the_scheduler_is_explained() {
    for (place, value, said) in [
        ("/target/name", "gpu-1-b", "the best nodes are [\"gpu-1-a\"]"),
        (
            "/status/conditions/0/message",
            "0/2 nodes are available: 2 Insufficient cpu.",
            "2 Insufficient nvidia.com/gpu",
        ),
    ] {
        let mut recording = first_run("gpu").unwrap();
        let has_place = |request: &&mut Rc<Request>| {
            request.user == "kube-scheduler" && request.sent.pointer(place).is_some_and(|sent| sent.is_string())
        };
        let request = recording.requests.iter_mut().find(has_place).unwrap();
        *Rc::make_mut(request).sent.pointer_mut(place).unwrap() = value.into();
        let problems = prove(&recording, Control::Off).problems;
        assert!(problems.len() == 1 && problems[0].contains(said), "{problems:?}");
    }
}

#[test]
fn an_unexplained_write_names_the_closest_rule_and_both_values() {
    let mut recording = first_run("create").unwrap();
    let of_ready = |request: &&mut Rc<Request>| {
        request.object.starts_with("ReplicaSet/") && request.sent.pointer("/status/readyReplicas") == Some(&5.into())
    };
    let request = recording.requests.iter_mut().find(of_ready).unwrap();
    *Rc::make_mut(request).sent.pointer_mut("/status/readyReplicas").unwrap() = 6.into();
    let problems = prove(&recording, Control::Off).problems;
    let problem = problems.first().unwrap();
    assert!(problem.contains("closest: replicaset.status"), "{problem}");
    assert!(problem.contains("/status/readyReplicas: sent 6, the core 5"), "{problem}");
}
