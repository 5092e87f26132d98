//! A rolling update of 100,000 replicas one by one, with the whole timeline kept: its time, and the memory that it takes.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may panic, and prints what it measured")]

use std::time::Instant;

use changeover_benches::{one_by_one, peak_memory};
use changeover_core::cluster::Simulation;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    // cargo bench names what it wants to run; this is one measurement.
    let replicas = 100_000;
    let simulation = Simulation::start(one_by_one(replicas, 0)).expect("the scenario is valid");
    let started = Instant::now();
    let outcome = simulation.finish().expect("the scenario is valid");
    let seconds = started.elapsed().as_secs_f64();
    println!("rollout one by one, {replicas} replicas: {} steps in {seconds:.2} s", outcome.steps.len());
    if let Some(bytes) = peak_memory() {
        println!("peak memory: {} MB", bytes.div_euclid(1_000_000));
    }
}
