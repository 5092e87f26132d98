//! Updates of StatefulSets and DaemonSets, with the whole timeline kept.

#![expect(clippy::expect_used, reason = "a benchmark may panic")]

use changeover_benches::{CpuTime, criterion, daemon_set, stateful_set};
use changeover_core::cluster::{PlayedScenario, Simulation};
use changeover_core::scenario::Scenario;
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn play(scenario: Scenario) -> PlayedScenario {
    Simulation::start(scenario).and_then(Simulation::finish).expect("the scenario is valid")
}

fn sets(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("the update of");
    group.sample_size(10);
    for (name, scenario) in [
        ("a StatefulSet of 1,000 in order", stateful_set(1_000)),
        ("a DaemonSet on 5,000 nodes, 10% at once", daemon_set(5_000, "10%")),
    ] {
        group.bench_function(name, |bencher| {
            bencher.iter_batched(|| scenario.clone(), play, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = sets
}
criterion_main!(benches);
