//! Compares what the simulated cluster predicts for each recorded scenario, in the realistic mode, with three runs on a
//! real control plane: the maximum number of pods, the minimum number of available pods, how often ReplicaSets were
//! resized, and the time.
//!
//! The median of three predictions, each with the durations of one run's pods, must be in the range of the runs; times
//! may be 15 % outside.

#![expect(clippy::unwrap_used, clippy::arithmetic_side_effects, reason = "a test fails by panicking")]

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::thread;

use changeover_core::scenario::Mode;
use changeover_proof::prediction::{Comparison, Figure, compare, scenarios};
use changeover_proof::rehearsal::RequestTime;

/// A figure outside the range of the runs.
struct Outside {
    scenario: &'static str,
    workload: &'static str,
    figure: Figure,
    why: &'static str,
}

const OUTSIDE: [Outside; 3] = [
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

/// The figures of all scenarios that are outside the range in a mode with requests that take that long.
fn outside_of_all(mode: Mode, request_time: RequestTime) -> Vec<Comparison> {
    let scenarios: Vec<String> = scenarios(&recordings()).unwrap().into_iter().collect();
    assert!(scenarios.len() > 50, "recordings are missing: {scenarios:?}");
    let outside = |scenario: &String| {
        let mut comparisons = compare(&recordings(), scenario, mode, request_time).unwrap();
        comparisons.retain(|comparison| !comparison.is_inside());
        comparisons
    };
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    thread::scope(|scope| {
        let parts = scenarios.chunks(scenarios.len().div_ceil(4 * processors));
        let threads: Vec<_> =
            parts.map(|part| scope.spawn(move || part.iter().flat_map(outside).collect::<Vec<_>>())).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    })
}

fn text(comparison: &Comparison) -> String {
    let Comparison { scenario, workload, figure, recorded, predicted } = comparison;
    format!("{scenario} {workload}: {figure:?}: predicted {predicted:?}, recorded {recorded:?}\n")
}

#[test]
fn predictions_are_within_the_range_of_three_real_runs() {
    let outside = outside_of_all(Mode::Realistic, RequestTime::Assumed);
    let is_known = |outside: &&Comparison| OUTSIDE.iter().any(|known| known.is(outside));
    let (known, new): (Vec<&Comparison>, Vec<&Comparison>) = outside.iter().partition(is_known);
    let texts = |outside: &[&Comparison]| outside.iter().copied().map(text).collect::<String>();
    println!("{}", texts(&known));
    assert!(new.is_empty(), "{} predictions are outside:\n{}", new.len(), texts(&new));
    let is_inside = |outside: &&Outside| !known.iter().any(|comparison| outside.is(comparison));
    let texts = |outside: &Outside| format!("{} {}: {}", outside.scenario, outside.workload, outside.why);
    let inside: Vec<String> = OUTSIDE.iter().filter(is_inside).map(texts).collect();
    assert!(inside.is_empty(), "these are inside now: {inside:?}");
}

#[test]
#[ignore = "shows how far the order of the mode exact is from what happens"]
fn exact() {
    print_outside(&outside_of_all(Mode::Exact, RequestTime::Assumed));
}

#[test]
#[ignore = "shows what changes if requests take as long as the recorded ones"]
fn realistic_with_the_recorded_request_times() {
    print_outside(&outside_of_all(Mode::Realistic, RequestTime::Recorded));
}

fn print_outside(outside: &[Comparison]) {
    println!("{} figures are outside", outside.len());
    print!("{}", outside.iter().map(text).collect::<String>());
}
