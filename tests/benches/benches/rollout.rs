//! A rolling update of N replicas one by one, with the whole timeline kept.

#![expect(clippy::expect_used, reason = "a benchmark may panic")]

use changeover_core::cluster::{Changes, Outcome, Simulation, steady_state};
use changeover_core::scenario::{Duration, Limits, Scenario};
use changeover_core::timeline::{Series, Timeline};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use mimalloc::MiMalloc;
use serde_json::json;

/// The allocator is the host's choice; the modules have one of their own as well. With the system's it takes a sixth more.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// maxSurge 1, maxUnavailable 0: each pod is replaced on its own.
fn one_by_one(replicas: i32, nodes: usize) -> Scenario {
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": replicas,
            "strategy": { "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } },
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
            },
        },
    });
    let limits = Limits { time: Duration::seconds(1_000_000), steps: 10_000_000, bytes: u64::MAX, ..Limits::default() };
    let node = |index| serde_json::from_value(json!({ "name": format!("node-{index}") })).expect("a node");
    let nodes = (0..nodes).map(node).collect();
    let changes = Changes { image: Some("web:v2".into()), nodes, limits, ..Changes::default() };
    steady_state(&deployment, &changes).expect("the manifest is valid")
}

fn start(scenario: Scenario) -> Simulation {
    Simulation::start(scenario).expect("the scenario is valid")
}

fn finish(simulation: Simulation) -> Outcome {
    simulation.finish().expect("the scenario is valid")
}

/// From the new image to the end. The start is timed apart, as the real controllers' is left out too.
fn rollout(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rollout one by one");
    group.sample_size(10);
    for replicas in [100, 1_000, 10_000] {
        let scenario = one_by_one(replicas, 0);
        group.bench_function(replicas.to_string(), |bencher| {
            bencher.iter_batched(|| start(scenario.clone()), finish, BatchSize::PerIteration);
        });
    }
    // Pods on several nodes differ, so each scale-down ranks them all.
    let scenario = one_by_one(1_000, 5);
    group.bench_function("1000 on 5 nodes", |bencher| {
        bencher.iter_batched(|| start(scenario.clone()), finish, BatchSize::PerIteration);
    });
    group.finish();
}

/// Reading what is there at the start.
fn begin(criterion: &mut Criterion) {
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

fn scrub(criterion: &mut Criterion) {
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

criterion_group!(benches, rollout, begin, scrub);
criterion_main!(benches);
