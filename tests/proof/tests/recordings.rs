//! The committed recordings of a real control plane are explained; spoiled writes are not.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::path::PathBuf;
use std::rc::Rc;
use std::{fs, io, thread};

use changeover_core::controller::rank::Criterion;
use changeover_proof::pod_choice::{Alternative, ExplainedAt};
use changeover_proof::proof::{Control, prove};
use changeover_proof::recording::{Recording, Request};

/// How many of a thousand spoiled writes may be explained: a count that is one higher can come from another cache.
const MISTAKEN_IN_THOUSAND: usize = 10;
/// The control only uses recordings below this size in bytes: its searches fail, which takes long.
const SMALL: u64 = 6_000;

fn recordings() -> io::Result<Vec<PathBuf>> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../controlplane/recordings");
    let files = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files = files.collect::<io::Result<Vec<PathBuf>>>()?;
    files.sort();
    Ok(files)
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

#[test]
fn every_write_and_event_is_explained() {
    let files = recordings().unwrap();
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    let sums = thread::scope(|scope| {
        let parts: Vec<_> = files.chunks(files.len().div_ceil(4 * processors)).collect();
        let threads: Vec<_> = parts.into_iter().map(|part| scope.spawn(|| explain(part))).collect();
        threads.into_iter().fold(Sums::default(), |mut sums, part| {
            let part = part.join().unwrap().unwrap();
            sums.scenarios.extend(part.scenarios);
            sums.problems.extend(part.problems);
            Sums { writes: sums.writes + part.writes, events: sums.events + part.events, ..sums }
        })
    });
    let Sums { scenarios, writes, events, problems } = sums;
    println!("{} recordings: {writes} writes and {events} events are explained", files.len());
    assert!(problems.is_empty(), "{} are not:\n{}", problems.len(), problems.join("\n"));
    assert!(scenarios.len() >= 40 && files.len() >= 3 * scenarios.len() && writes > 10_000, "recordings are missing");
}

#[test]
fn a_write_with_another_number_word_order_or_object_is_not_explained() {
    let (mut spoiled, mut mistaken) = (0, Vec::new());
    let small = |file: &PathBuf| {
        let first_run = file.to_str().is_some_and(|file| file.ends_with("-1.jsonl.gz"));
        first_run && fs::metadata(file).unwrap().len() < SMALL
    };
    for file in recordings().unwrap().into_iter().filter(small) {
        let recording = Recording::read(&file).unwrap();
        let outcome = prove(&recording, Control::On);
        spoiled += outcome.spoiled.values().map(|(tried, _)| tried).sum::<usize>();
        for (alternative, at) in outcome.alternatives.keys() {
            let breaks_a_rule = |criterion| *at == ExplainedAt::SameState && criterion < Criterion::ReadyTime;
            let is_wrong = matches!(alternative, Alternative::First(criterion) if breaks_a_rule(*criterion));
            assert!(!is_wrong, "{}: the recorded deletion is wrong, since {alternative}", recording.name);
        }
        mistaken.extend(outcome.mistaken.iter().map(|mistake| format!("{}: {mistake}", recording.name)));
    }
    println!("{spoiled} spoiled writes, {} of them explained", mistaken.len());
    assert!(spoiled > 500, "only {spoiled} writes were spoiled");
    let few = spoiled * MISTAKEN_IN_THOUSAND / 1000;
    assert!(mistaken.len() <= few, "{} of {spoiled} are explained:\n{}", mistaken.len(), mistaken.join("\n"));
}

#[test]
fn an_unexplained_write_names_the_closest_rule_and_both_values() {
    let file = recordings().unwrap().into_iter().find(|file| file.ends_with("create-1.jsonl.gz")).unwrap();
    let mut recording = Recording::read(&file).unwrap();
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
