//! One pod more or less among very many. Timed by hand: a million pods are too many to create for each sample.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may panic, and prints what it measured")]

use std::time::{Duration as Span, Instant};

use changeover_core::cluster::Simulation;
use changeover_core::scenario::Scenario;
use serde_json::{Value, json};

/// A Deployment of `pods` pods, which run but are never ready (that saves a million statuses before the measurement).
/// It is scaled by one pod, up or down, at the end of each hour.
fn start(pods: i64, by: i64, nodes: usize, times: i64) -> Simulation {
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web" },
        "spec": {
            "replicas": pods,
            "progressDeadlineSeconds": i32::MAX,
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "app", "image": "web:v1" }] },
            },
        },
    });
    let scale = |hour: i64| {
        let replicas = pods.saturating_add(by.saturating_mul(hour));
        json!({ "at": format!("{hour}h"), "scale": { "name": "web", "replicas": replicas } })
    };
    let mut actions = vec![json!({ "at": "0s", "create": deployment })];
    actions.extend((1..=times).map(scale));
    let nodes: Vec<Value> = (0..nodes).map(|index| json!({ "name": format!("node-{index}") })).collect();
    let scenario = json!({
        "version": 1,
        "nodes": nodes,
        "kubelet": [{ "ready": "never" }],
        "actions": actions,
        "limits": { "time": "1000h", "steps": u32::MAX, "pods": u32::MAX, "bytes": u64::MAX },
    });
    let scenario = Scenario::from_value(&scenario).expect("the scenario is valid");
    let mut simulation = Simulation::start(scenario).expect("the scenario is valid");
    until(&mut simulation, 0, 1800);
    simulation
}

fn until(simulation: &mut Simulation, hour: i64, seconds: i64) {
    let time = simulation.scenario().start.plus_seconds(hour.saturating_mul(3600).saturating_add(seconds));
    simulation.run_until(time).expect("the scenario is valid");
}

/// The time and memory of a step: the median of `times` steps. Memory is only known if the system reports it, and only
/// grows when the process needs more: memory freed by an earlier measurement is used first.
fn measure(what: &str, pods: i64, by: i64, nodes: usize, times: i64) -> Span {
    let mut simulation = start(pods, by, nodes, times);
    let before = simulation.steps().len();
    let memory = resident();
    let mut spans = Vec::new();
    for hour in 1..=times {
        let (steps, began) = (simulation.steps().len(), Instant::now());
        until(&mut simulation, hour, 1800);
        let took = began.elapsed();
        let steps = u32::try_from(simulation.steps().len().saturating_sub(steps)).unwrap_or(u32::MAX);
        spans.push(took.checked_div(steps).expect("there are steps"));
    }
    spans.sort_unstable();
    let steps = simulation.steps().len().saturating_sub(before);
    let bytes = resident()
        .zip(memory)
        .and_then(|(now, then)| now.saturating_sub(then).checked_div(steps))
        .filter(|bytes| *bytes > 0);
    let middle = spans.get(spans.len() / 2).copied().unwrap_or_default();
    let bytes = bytes.map_or_else(|| "unknown".into(), |bytes| bytes.to_string());
    println!("| {what}, {pods} pods | {middle:.1?} | {bytes} |");
    middle
}

/// The resident memory of this process.
fn resident() -> Option<usize> {
    let pages: usize = std::fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    pages.checked_mul(4096)
}

fn main() {
    println!("## Scaled by one\n\n| what | a step | bytes a step |\n|---|---|---|");
    let few = measure("scaled up by one", 1_000, 1, 0, 101);
    let many = measure("scaled up by one", 1_000_000, 1, 0, 101);
    println!("| times as long among a million | {:.1} | |", many.as_secs_f64() / few.as_secs_f64());
    measure("scaled down by one, all pods alike", 1_000_000, -1, 0, 101);
    measure("scaled down by one, pods on 10 nodes", 1_000, -1, 10, 101);
    measure("scaled down by one, pods on 10 nodes", 1_000_000, -1, 10, 5);
}
