//! The modules' work, natively: the same functions with the same inputs as in Node (`simulate.mjs`) and in the page's
//! worker (`tests/web/bench.mjs`). `make bench` shows them next to each other.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a benchmark may panic")]

use changeover_benches::{CpuTime, criterion};
use changeover_npm::Timeline;
use changeover_player::Player;
use changeover_wire::{LaneSource, PlayRequest, Request};
use criterion::{BatchSize, Criterion, SamplingMode, criterion_group, criterion_main};
use mimalloc::MiMalloc;
use serde_json::{Value, json};

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The inputs, which the scripts read too.
const INPUT: &str = include_str!("../one-by-one.json");

const SIZES: [i64; 3] = [100, 1_000, 10_000];

/// A Deployment of that many replicas, the changes to it, and the options of the simulation.
fn input(replicas: i64) -> [Value; 3] {
    let mut input: Value = serde_json::from_str(INPUT).expect("JSON");
    let mut deployment = input["deployment"].take();
    deployment["spec"]["replicas"] = replicas.into();
    [deployment, input["changes"].take(), input["options"].take()]
}

/// The package's `simulate`, starting from the scenario's text.
fn simulate(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("simulate");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for replicas in SIZES {
        let [deployment, changes, options] = input(replicas).map(|value| value.to_string());
        let scenario = changeover_npm::scenario(&deployment, &changes, &options);
        let scenario = scenario.expect("the inputs are valid");
        group.bench_function(replicas.to_string(), |bencher| {
            let simulate = |()| Timeline::new(&scenario).expect("the scenario is valid");
            // Each timeline is dropped before the next run, outside the measurement.
            bencher.iter_batched(|| (), simulate, BatchSize::PerIteration);
        });
    }
    group.finish();
}

/// An answer of the page's player, which replaces the one before.
fn play(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("play");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for replicas in SIZES {
        let [deployment, mut changes, options] = input(replicas);
        // The page has both in one map.
        changes["limits"] = options["limits"].clone();
        let mut questions = (1..).map(|generation| {
            let (deployment, changes) = (deployment.clone(), changes.clone());
            let request = Request::Play(PlayRequest {
                generation,
                lane: 0,
                shown: 0,
                source: LaneSource::Rollout { deployment, changes, surroundings: json!({}) },
                workload: None,
                begin: 0,
                forks: Vec::new(),
                pins: Vec::new(),
            });
            serde_json::to_string(&request).expect("JSON")
        });
        let mut player = Player::new();
        group.bench_function(replicas.to_string(), |bencher| {
            let question = || questions.next().expect("there is always one more");
            let answer = |question: String| {
                let answer = player.answer(&question, None).expect("the question is well formed");
                assert!(answer.starts_with("{\"played\":"), "{answer}");
                (answer, player.take_track())
            };
            bencher.iter_batched(question, answer, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = criterion();
    targets = simulate, play
}
criterion_main!(benches);
