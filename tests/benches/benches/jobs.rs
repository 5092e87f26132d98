//! A Job from its creation to its end, with the whole timeline kept.

#![expect(clippy::expect_used, reason = "a benchmark may panic")]

use changeover_benches::{CpuTime, criterion, job};
use changeover_core::cluster::{PlayedScenario, Simulation};
use changeover_core::scenario::Scenario;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn play(scenario: Scenario) -> PlayedScenario {
    Simulation::start(scenario).and_then(Simulation::finish).expect("the scenario is valid")
}

fn jobs(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("a job of");
    group.sample_size(10);
    for (completions, parallelism, mode, jitter) in [
        (100, 10, "NonIndexed", 0),
        (1_000, 100, "NonIndexed", 0),
        (10_000, 100, "NonIndexed", 0),
        (10_000, 100, "Indexed", 0),
        (10_000, 100, "Indexed", 50),
        (10_000, 10_000, "Indexed", 0),
    ] {
        let scenario = job(completions, parallelism, mode, jitter);
        group.bench_function(format!("{completions}, {parallelism} at once, {mode}, jitter {jitter}"), |bencher| {
            bencher.iter_batched(|| scenario.clone(), play, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = jobs
}
criterion_main!(benches);
