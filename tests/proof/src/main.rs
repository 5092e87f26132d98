//! `changeover-proof [--control] PATH...`: explains recordings, given as files or folders, and prints the figures. The
//! control also tries to explain writes that were never made.
//!
//! `changeover-proof --predictions FOLDER`: prints the recorded figures of each rollout next to the predicted ones.
//!
//! `changeover-proof --compare-recordings EARLIER FOLDER`: compares the recorded figures of each rollout with those of earlier
//! recordings instead: how well real runs predict other real runs.
//!
//! `changeover-proof --charts RENDERED RECORDINGS`: prints what `predict` says about two versions of each chart of a folder next
//! to what was recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use changeover_core::prediction::Range;
use changeover_core::scenario::Mode;
use changeover_proof::charts::{ChartRollout, rollouts};
use changeover_proof::pod_choice::{Alternative, ExplainedAt};
use changeover_proof::prediction::{Comparison, Figure, compare, compare_recordings, scenarios, table};
use changeover_proof::proof::{Control, SpoiledWrites, prove};
use changeover_proof::recording::Recording;
use changeover_proof::rehearsal::RequestTime;
use changeover_proof::request_times::{mean, median, request_times};
use changeover_proof::spoil::Spoil;

/// The control only uses recordings below this size in bytes: its searches fail, which takes long.
const CONTROLLED: u64 = 30_000;

/// What to do with the recordings.
enum Task {
    Explain(Control),
    Predict,
    CompareRecordings,
    Charts,
}

fn main() -> ExitCode {
    let mut task = Task::Explain(Control::Off);
    let mut paths = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--control" => task = Task::Explain(Control::On),
            "--predictions" => task = Task::Predict,
            "--compare-recordings" => task = Task::CompareRecordings,
            "--charts" => task = Task::Charts,
            path => paths.push(PathBuf::from(path)),
        }
    }
    let done = match task {
        Task::Explain(control) => run(&paths, control),
        Task::Predict => paths.iter().try_for_each(|folder| print_predictions(folder)).map(|()| true),
        Task::CompareRecordings => match paths.as_slice() {
            [earlier, folder] => print_recording_comparison(earlier, folder).map(|()| true),
            _ => Err("--compare-recordings takes two folders: EARLIER FOLDER".to_owned()),
        },
        Task::Charts => match paths.as_slice() {
            [rendered, recordings] => print_charts(rendered, recordings),
            _ => Err("--charts takes two folders: RENDERED RECORDINGS".to_owned()),
        },
    };
    match done {
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
    let mut spoiled: BTreeMap<Spoil, SpoiledWrites> = BTreeMap::new();
    let mut alternatives: BTreeMap<(Alternative, ExplainedAt), usize> = BTreeMap::new();
    let (mut events, mut problems, mut open_choices, mut files) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut failures = 0_usize;
    let mut times: Vec<i64> = Vec::new();
    for path in files_of(paths)? {
        let recording = Recording::read(&path)?;
        let small = path.metadata().is_ok_and(|metadata| metadata.len() < CONTROLLED);
        let outcome = prove(&recording, if small { control } else { Control::Off });
        times.extend(request_times(&recording));
        let control_failures = outcome.control_failures();
        failures = failures.saturating_add(control_failures.len());
        files = files.saturating_add(1);
        open_choices = open_choices.saturating_add(outcome.open_choice);
        events = events.saturating_add(outcome.events);
        problems = problems.saturating_add(outcome.problems.len());
        for (kind, count) in outcome.explained {
            add(explained.entry(kind).or_default(), count);
        }
        for (what, writes) in outcome.spoiled {
            spoiled.entry(what).or_default().add(writes);
        }
        for (alternative, count) in outcome.alternatives {
            add(alternatives.entry(alternative).or_default(), count);
        }
        for problem in outcome.problems.iter().chain(&outcome.mistaken).chain(&control_failures) {
            println!("{}: {problem}", recording.name);
        }
    }
    println!("{files} recordings");
    for (kind, count) in &explained {
        println!("{count:>7} {kind}");
    }
    println!("{:>7} writes and {events} events are explained, {problems} are not", explained.values().sum::<usize>());
    times.sort_unstable();
    if let Some((median, mean)) = median(&times).zip(mean(&times)) {
        let [median, mean] = [median, mean].map(|nanoseconds| nanoseconds.div_euclid(1000));
        println!("{median:>7} µs is the median time of a request, {mean} µs the mean");
    }
    println!("{open_choices:>7} syncs made a choice between pods that the rules leave open");
    for (what, SpoiledWrites { tried, explained, gave_up }) in &spoiled {
        println!("{tried:>7} writes with {} changed, {explained} of them explained, {gave_up} given up", what.name());
    }
    if control == Control::On {
        print_alternatives(&alternatives);
    }
    Ok(problems == 0 && failures == 0)
}

/// Prints a table of the reasons why deletions of other objects than the recorded ones are explained.
fn print_alternatives(counts: &BTreeMap<(Alternative, ExplainedAt), usize>) {
    println!("\n| why the other one may be deleted | in the same state of the caches | only in another state |");
    println!("|---|---|---|");
    let reasons: BTreeSet<Alternative> = counts.keys().map(|(reason, _)| *reason).collect();
    for reason in reasons {
        let [same, other] = [ExplainedAt::SameState, ExplainedAt::OtherState]
            .map(|at| counts.get(&(reason, at)).copied().unwrap_or_default());
        println!("| {reason} | {same} | {other} |");
    }
}

/// Prints a table of all rollouts: the figures of the runs, and the median of the predictions.
fn print_predictions(folder: &Path) -> Result<(), String> {
    let mut comparisons = Vec::new();
    for scenario in scenarios(folder)? {
        comparisons.extend(compare(folder, &scenario, Mode::Realistic, RequestTime::Assumed)?);
    }
    print!("{}", table(&comparisons));
    Ok(())
}

/// Prints how many medians of earlier runs are outside the range of the later ones, for each figure.
fn print_recording_comparison(earlier: &Path, folder: &Path) -> Result<(), String> {
    println!("| figure | compared | outside |\n|---|---|---|");
    let mut all = Vec::new();
    for scenario in scenarios(folder)? {
        all.extend(compare_recordings(folder, earlier, &scenario)?);
    }
    for figure in Figure::ALL {
        let of_figure: Vec<&Comparison> = all.iter().filter(|comparison| comparison.figure == figure).collect();
        let outside = of_figure.iter().filter(|comparison| !comparison.is_inside()).count();
        println!("| {figure:?} | {} | {outside} |", of_figure.len());
    }
    Ok(())
}

/// Prints a table of the rollouts of all charts, and returns whether each was as predicted.
fn print_charts(rendered: &Path, recordings: &Path) -> Result<bool, String> {
    let error = |problem: std::io::Error| format!("{}: {problem}", rendered.display());
    let entries = rendered.read_dir().map_err(error)?.map(|entry| entry.map(|entry| entry.path()).map_err(error));
    let mut charts: Vec<PathBuf> = entries.collect::<Result<_, _>>()?;
    charts.retain(|path| path.is_dir());
    charts.sort();
    println!(
        "| chart | Deployment | pods | at most: predicted | real | available: predicted | real | seconds: predicted | real |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut is_as_predicted = true;
    for chart in charts {
        for rollout in rollouts(&chart, recordings)? {
            is_as_predicted &= rollout.is_as_predicted();
            println!("{}", chart_row(&rollout));
        }
    }
    Ok(is_as_predicted)
}

fn chart_row(rollout: &ChartRollout) -> String {
    let ChartRollout { chart, versions: [old, new], deployment, replicas, predicted, recorded } = rollout;
    let milliseconds = |nanoseconds: i64| Figure::Milliseconds.shown(nanoseconds.div_euclid(1_000_000));
    let between = |range: Range, shown: &dyn Fn(i64) -> String| {
        let [least, most] = [range.least, range.most].map(shown);
        if least == most { least } else { format!("{least} to {most}") }
    };
    let never = || "never".to_owned();
    let mark = if rollout.is_as_predicted() { "" } else { " ✗" };
    let change = if old.is_empty() { chart.clone() } else { format!("{chart} {old} → {new}") };
    format!(
        "| {change} | {deployment} | {replicas} | {} | {} | {} | {} | {} | {}{mark} |",
        between(predicted.peak, &|pods| pods.to_string()),
        recorded.peak,
        between(predicted.lowest_available, &|pods| pods.to_string()),
        recorded.lowest_available,
        predicted.complete.map_or_else(never, |range| between(range, &milliseconds)),
        recorded.complete.map_or_else(never, milliseconds),
    )
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
