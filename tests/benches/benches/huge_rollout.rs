//! A rolling update of 100,000 replicas, one by one, with the whole timeline kept: its time and its memory.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may panic, and prints what it measured")]

use changeover_benches::{cpu_time, one_by_one, peak_memory};
use changeover_core::cluster::Simulation;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    // cargo bench passes filters; this is a single measurement.
    let replicas = 100_000;
    let simulation = Simulation::start(one_by_one(replicas, 0)).expect("the scenario is valid");
    let started = cpu_time();
    let outcome = simulation.finish().expect("the scenario is valid");
    let seconds = cpu_time().saturating_sub(started).as_secs_f64();
    println!("| rollout one by one, {replicas} replicas, {} steps | {seconds:.2} s |", outcome.steps.len());
    if let Some(bytes) = peak_memory() {
        println!("| its memory at its peak | {} MB |", bytes.div_euclid(1_000_000));
    }
}
