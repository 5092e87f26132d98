//! Compares what the simulated cluster predicts for each recorded scenario, in the realistic mode, with three runs on a
//! real control plane: the maximum number of pods, the minimum number of available pods, how often ReplicaSets were
//! resized, and the time.
//!
//! The median of three predictions, each with the durations of one run's pods, must be in the range of the runs; times
//! may be 15 % outside.

#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a test fails by panicking")]

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use changeover_core::scenario::Mode;
use changeover_proof::prediction::{Comparison, Figure, compare, scenarios, table};
use changeover_proof::rehearsal::RequestTime;

/// The beginning of the page with all figures.
const PAGE: &str = "\
# Rollouts of a real control plane, and their predictions

`make prove` recorded each scenario three times, and `tests/proof` played it in the simulated cluster ([how](../../docs/proof-method.md#predictions)).
\"Real\" is the minimum and the maximum of the three runs, \"predicted\" the median of the predictions in the mode `realistic`. Seconds are from the change until the
rollout is complete or the Job has finished, or, where nothing is rolled out or the object is deleted, until the last pod has come or gone.
`UPDATE_STATES=1 cargo test -p changeover-proof --test predictions` writes this file.

These figures are outside of what the runs showed. In each scenario, someone interferes in mid-rollout, so milliseconds decide what a sync sees, or the order of a Go map which node comes next:

| scenario | figure | recorded | predicted |
|---|---|---|---|
";

/// A figure outside the range of the runs.
struct Outside {
    scenario: &'static str,
    workload: &'static str,
    figure: Figure,
    why: &'static str,
}

const OUTSIDE: [Outside; 4] = [
    Outside {
        scenario: "daemon-node-goes",
        workload: "agent",
        figure: Figure::Milliseconds,
        why: "faster: which node is next depends on the order of a Go map, and one is deleted",
    },
    Outside {
        scenario: "delete-foreground-in-rollout",
        workload: "web",
        figure: Figure::SizeChanges,
        why: "one fewer: the Deployment is deleted while pods become ready",
    },
    Outside {
        scenario: "pods-deleted-in-rollout",
        workload: "web",
        figure: Figure::Peak,
        why: "one pod fewer: all pods are deleted while new ones are created",
    },
    Outside {
        scenario: "scale-up-in-rollout",
        workload: "web",
        figure: Figure::Peak,
        why: "one pod more: the Deployment is scaled while old pods end",
    },
];

impl Outside {
    fn is(&self, comparison: &Comparison) -> bool {
        let Self { scenario, workload, figure, .. } = *self;
        (scenario, workload, figure) == (&comparison.scenario, &comparison.workload, comparison.figure)
    }
}

fn recordings() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../controlplane/recordings")
}

/// The figures of all scenarios in a mode with requests that take that long.
fn compare_all(mode: Mode, request_time: RequestTime) -> Vec<Comparison> {
    let scenarios: Vec<String> = scenarios(&recordings()).unwrap().into_iter().collect();
    assert!(scenarios.len() > 50, "recordings are missing: {scenarios:?}");
    let compared = |scenario: &String| compare(&recordings(), scenario, mode, request_time).unwrap();
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let parts = scenarios.chunks(scenarios.len().div_ceil(4 * processors));
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().flat_map(compared).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

/// Those that are outside the range.
fn outside(comparisons: &[Comparison]) -> Vec<&Comparison> {
    comparisons.iter().filter(|comparison| !comparison.is_inside()).collect()
}

fn text(comparison: &Comparison) -> String {
    let Comparison { scenario, workload, figure, recorded, predicted } = comparison;
    format!("{scenario} {workload}: {figure:?}: predicted {predicted:?}, recorded {recorded:?}\n")
}

#[test]
fn predictions_are_within_the_range_of_three_real_runs() {
    let comparisons = compare_all(Mode::Realistic, RequestTime::Assumed);
    let is_known = |outside: &&Comparison| OUTSIDE.iter().any(|known| known.is(outside));
    let (known, new): (Vec<&Comparison>, Vec<&Comparison>) = outside(&comparisons).into_iter().partition(is_known);
    let texts = |outside: &[&Comparison]| outside.iter().copied().map(text).collect::<String>();
    println!("{}", texts(&known));
    assert!(new.is_empty(), "{} predictions are outside:\n{}", new.len(), texts(&new));
    let is_inside = |outside: &&Outside| !known.iter().any(|comparison| outside.is(comparison));
    let texts = |outside: &Outside| format!("{} {}: {}", outside.scenario, outside.workload, outside.why);
    let inside: Vec<String> = OUTSIDE.iter().filter(is_inside).map(texts).collect();
    assert!(inside.is_empty(), "these are inside now: {inside:?}");
    the_documentation_shows(&comparisons, &known);
}

/// Writes the page with all figures if `UPDATE_STATES` is set, and checks it and what other pages say about them.
fn the_documentation_shows(comparisons: &[Comparison], outside: &[&Comparison]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    let values =
        |figure: Figure, values: &[i64]| values.iter().map(|value| figure.shown(*value)).collect::<Vec<_>>().join(", ");
    let rows: String = outside
        .iter()
        .map(|Comparison { scenario, workload, figure, recorded, predicted }| {
            let [recorded, predicted] = [recorded, predicted].map(|all| values(*figure, all));
            let name = match figure {
                Figure::Peak => "most pods",
                Figure::LowestAvailable => "fewest available",
                Figure::SizeChanges => "changes of size",
                Figure::Milliseconds => "seconds",
            };
            format!("| {scenario} ({workload}) | {name} | {recorded} | {predicted} |\n")
        })
        .collect();
    let page = format!("{PAGE}{rows}\n{}", table(comparisons));
    if env::var_os("UPDATE_STATES").is_some() {
        fs::write(root.join("tests/controlplane/predictions.md"), &page).unwrap();
    }
    assert_eq!(read("tests/controlplane/predictions.md"), page, "set UPDATE_STATES=1 and read the difference");
    let (all, inside) = (comparisons.len(), comparisons.len() - outside.len());
    let sentence = format!(
        "Of {all} predicted figures (pods, times, changes of size), {inside} are within what the real runs showed."
    );
    assert!(read("docs/proof.md").contains(&sentence), "docs/proof.md must say: {sentence}");
}

#[test]
#[ignore = "shows how far the order of the mode exact is from what happens"]
fn exact() {
    print_outside(&compare_all(Mode::Exact, RequestTime::Assumed));
}

#[test]
#[ignore = "shows what changes if requests take as long as the recorded ones"]
fn realistic_with_the_recorded_request_times() {
    print_outside(&compare_all(Mode::Realistic, RequestTime::Recorded));
}

fn print_outside(comparisons: &[Comparison]) {
    let outside = outside(comparisons);
    println!("{} figures are outside", outside.len());
    print!("{}", outside.into_iter().map(text).collect::<String>());
}
