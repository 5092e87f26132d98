//! A rolling update of N replicas one by one, with the whole timeline kept.

#![expect(clippy::expect_used, reason = "a benchmark may panic")]

use changeover_benches::{CpuTime, criterion, one_by_one};
use changeover_core::cluster::{PlayedScenario, Simulation};
use changeover_core::scenario::Scenario;
use changeover_core::timeline::{Series, Timeline};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use mimalloc::MiMalloc;

/// The allocator is the host's choice; the modules also have their own. With the system's allocator, this takes a sixth
/// longer.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn start(scenario: Scenario) -> Simulation {
    Simulation::start(scenario).expect("the scenario is valid")
}

fn finish(simulation: Simulation) -> PlayedScenario {
    simulation.finish().expect("the scenario is valid")
}

/// From the new image to the end. The start is timed separately; the timing of the real controllers leaves it out too.
fn rollout(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("rollout one by one");
    group.sample_size(10);
    for replicas in [100, 1_000, 10_000] {
        let scenario = one_by_one(replicas, 0);
        group.bench_function(replicas.to_string(), |bencher| {
            bencher.iter_batched(|| start(scenario.clone()), finish, BatchSize::PerIteration);
        });
    }
    // Pods on several nodes differ, so each scale down ranks them all.
    let scenario = one_by_one(1_000, 5);
    group.bench_function("1000 on 5 nodes", |bencher| {
        bencher.iter_batched(|| start(scenario.clone()), finish, BatchSize::PerIteration);
    });
    group.finish();
}

/// Reading the initial objects.
fn begin(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("start at rest");
    group.sample_size(10);
    for replicas in [100, 1_000, 10_000] {
        let scenario = one_by_one(replicas, 0);
        group.bench_function(replicas.to_string(), |bencher| {
            bencher.iter_batched(|| scenario.clone(), start, BatchSize::PerIteration);
        });
    }
    group.finish();
}

fn scrub(criterion: &mut Criterion<CpuTime>) {
    let timeline = Timeline::run(one_by_one(100, 0)).expect("the scenario is valid");
    criterion.bench_function("scrub a rollout of 100 to its end and back", |bencher| {
        let mut cursor = timeline.cursor();
        bencher.iter(|| {
            cursor.seek(&timeline, timeline.len());
            cursor.seek(&timeline, 0);
        });
    });
    criterion.bench_function("series of a rollout of 100", |bencher| {
        bencher.iter(|| Series::of(&timeline, "default", "web"));
    });
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = rollout, begin, scrub
}
criterion_main!(benches);
