//! The committed recordings of a real control plane, explained; and writes that were not made, which must not be.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use changeover_proof::proof::{Control, prove};
use changeover_proof::recording::Recording;

/// Of spoiled writes so many in a thousand may be explained: a count that is one more can be what an older cache gives.
const MISTAKEN_IN_THOUSAND: usize = 10;
/// The control searches everything in vain, so only recordings of so many bytes are asked.
const SMALL: u64 = 6_000;

fn recordings() -> Vec<PathBuf> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../controlplane/recordings");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_write_and_event_is_explained() {
    let mut scenarios = BTreeSet::new();
    let (mut writes, mut events, mut problems) = (0, 0, Vec::new());
    let files = recordings();
    for file in &files {
        let recording = Recording::read(file).unwrap();
        let outcome = prove(&recording, Control::Off);
        writes += outcome.explained.values().sum::<usize>();
        events += outcome.events;
        problems.extend(outcome.problems.iter().map(|problem| format!("{}: {problem}", recording.name)));
        scenarios.insert(recording.about);
    }
    println!("{} recordings: {writes} writes and {events} events are explained", files.len());
    assert!(problems.is_empty(), "{} are not:\n{}", problems.len(), problems.join("\n"));
    assert!(scenarios.len() >= 40 && files.len() >= 3 * scenarios.len() && writes > 10_000, "recordings are missing");
}

#[test]
fn a_write_with_another_number_word_or_order_is_not_explained() {
    let (mut spoiled, mut mistaken) = (0, Vec::new());
    let small = |file: &PathBuf| {
        let first_run = file.to_str().is_some_and(|file| file.ends_with("-1.jsonl.gz"));
        first_run && fs::metadata(file).unwrap().len() < SMALL
    };
    for file in recordings().into_iter().filter(small) {
        let recording = Recording::read(&file).unwrap();
        let outcome = prove(&recording, Control::On);
        spoiled += outcome.spoiled.values().map(|(tried, _)| tried).sum::<usize>();
        mistaken.extend(outcome.mistaken.iter().map(|mistake| format!("{}: {mistake}", recording.name)));
    }
    println!("{spoiled} spoiled writes, {} of them explained", mistaken.len());
    assert!(spoiled > 1000, "only {spoiled} writes were spoiled");
    let few = spoiled * MISTAKEN_IN_THOUSAND / 1000;
    assert!(mistaken.len() <= few, "{} of {spoiled} are explained:\n{}", mistaken.len(), mistaken.join("\n"));
}
