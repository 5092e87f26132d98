//! A rolling update of 1,000 replicas on 500 nodes in three zones, with topology spread and anti-affinity.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may panic, and prints what it measured")]

use changeover_benches::{cpu_time, spread_over_nodes};
use changeover_core::cluster::Simulation;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    // cargo bench passes filters; this is a single measurement.
    let (replicas, nodes) = (1_000, 500);
    let simulation = Simulation::start(spread_over_nodes(replicas, nodes)).expect("the scenario is valid");
    let started = cpu_time();
    let outcome = simulation.finish().expect("the scenario is valid");
    let seconds = cpu_time().saturating_sub(started).as_secs_f64();
    println!("| {replicas} replicas spread over {nodes} nodes, {} steps | {seconds:.2} s |", outcome.steps.len());
}
