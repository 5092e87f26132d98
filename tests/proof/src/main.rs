//! `changeover-proof [--control] PATH...`: explains recordings, files or folders of them, and prints the figures. The control
//! asks the same of writes that were not made.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use changeover_proof::proof::{Control, prove};
use changeover_proof::recording::Recording;

/// The control looks only at recordings of fewer bytes: its searches find nothing, so they are long.
const CONTROLLED: u64 = 30_000;

fn main() -> ExitCode {
    let mut control = Control::Off;
    let mut paths = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--control" => control = Control::On,
            path => paths.push(PathBuf::from(path)),
        }
    }
    match run(&paths, control) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("changeover-proof: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn run(paths: &[PathBuf], control: Control) -> Result<bool, String> {
    let mut explained: BTreeMap<String, usize> = BTreeMap::new();
    let mut spoiled: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut events, mut problems, mut open_choices, mut files) = (0_usize, 0_usize, 0_usize, 0_usize);
    for path in files_of(paths)? {
        let recording = Recording::read(&path)?;
        let small = path.metadata().is_ok_and(|metadata| metadata.len() < CONTROLLED);
        let outcome = prove(&recording, if small { control } else { Control::Off });
        files = files.saturating_add(1);
        open_choices = open_choices.saturating_add(outcome.open_choice);
        events = events.saturating_add(outcome.events);
        problems = problems.saturating_add(outcome.problems.len());
        for (kind, count) in outcome.explained {
            add(explained.entry(kind).or_default(), count);
        }
        for (what, (tried, mistaken)) in outcome.spoiled {
            let sums = spoiled.entry(what).or_default();
            add(&mut sums.0, tried);
            add(&mut sums.1, mistaken);
        }
        for problem in outcome.problems.iter().chain(&outcome.mistaken) {
            println!("{}: {problem}", recording.name);
        }
    }
    println!("{files} recordings");
    for (kind, count) in &explained {
        println!("{count:>7} {kind}");
    }
    println!("{:>7} writes and {events} events are explained, {problems} are not", explained.values().sum::<usize>());
    println!("{open_choices:>7} syncs made a choice between pods that the rules leave open");
    for (what, (tried, mistaken)) in &spoiled {
        println!("{tried:>7} writes with {what} changed, {mistaken} of them explained");
    }
    Ok(problems == 0)
}

fn add(sum: &mut usize, more: usize) {
    *sum = sum.saturating_add(more);
}

/// The recordings in files and folders, by name.
fn files_of(paths: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let error = |problem: std::io::Error| format!("{}: {problem}", path.display());
        for entry in path.read_dir().map_err(error)? {
            files.push(entry.map_err(error)?.path());
        }
    }
    files.retain(|file: &PathBuf| is_recording(file));
    files.sort();
    Ok(files)
}

fn is_recording(path: &Path) -> bool {
    path.to_str().is_some_and(|path| path.ends_with(".jsonl.gz"))
}
