//! A review of one admission request, natively.

use changeover_benches::{CpuTime, criterion};
use changeover_core::review::{Settings, review};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

fn deployment(criterion: &mut Criterion<CpuTime>) {
    let request = json!({
        "uid": "1",
        "operation": "CREATE",
        "kind": { "group": "apps", "version": "v1", "kind": "Deployment" },
        "object": {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": { "name": "web", "namespace": "default" },
            "spec": {
                "replicas": 3,
                "podReplacementPolicy": "TerminationComplete",
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": "web" } },
                    "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
                },
            },
        },
    });
    let settings = Settings::default();
    criterion.bench_function("review a Deployment", |bencher| bencher.iter(|| review(&request, &settings)));
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = deployment
}
criterion_main!(benches);
