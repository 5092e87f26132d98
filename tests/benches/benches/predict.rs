//! `predict`: one Deployment that is rolled out one by one, from its manifests and from the state of a cluster in which no two pods
//! are alike, and fleets of small Deployments.

#![expect(clippy::expect_used, reason = "a benchmark may panic")]

use changeover_benches::{CpuTime, criterion, fleet, live_state};
use changeover_core::prediction::{PredictOptions, Predicted, predict};
use criterion::{Criterion, criterion_group, criterion_main};
use mimalloc::MiMalloc;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn predicted(old: &[Value], new: &[Value]) -> Predicted {
    predict(old, new, &PredictOptions::default()).expect("the objects are valid")
}

fn one_by_one(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("predict one by one");
    group.sample_size(10);
    let strategy = json!({ "rollingUpdate": { "maxSurge": 1, "maxUnavailable": 0 } });
    for replicas in [1_000, 2_000, 4_000, 10_000] {
        let [old, new] = ["web:1", "web:2"].map(|image| fleet(1, replicas, image, &strategy));
        let live = live_state(&old);
        for (name, before) in [("manifests", &old), ("live state", &live)] {
            group.bench_function(format!("{replicas} {name}"), |bencher| bencher.iter(|| predicted(before, &new)));
        }
    }
    group.finish();
}

fn fleets(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("predict a fleet");
    group.sample_size(10);
    for deployments in [500, 1_000, 2_000] {
        let [old, new] = ["web:1", "web:2"].map(|image| fleet(deployments, 3, image, &json!({})));
        let live = live_state(&old);
        for (name, before) in [("manifests", &old), ("live state", &live)] {
            let name = format!("{deployments} Deployments of 3, {name}");
            group.bench_function(name, |bencher| bencher.iter(|| predicted(before, &new)));
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = one_by_one, fleets
}
criterion_main!(benches);
