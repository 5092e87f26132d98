//! A Job of 10,000 completions, 100 at once, with the whole timeline kept: its memory.

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a benchmark may panic, and prints what it measured")]

use changeover_benches::{job, peak_memory};
use changeover_core::cluster::Simulation;
use mimalloc::MiMalloc;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() {
    // cargo bench passes filters; this is a single measurement.
    let simulation = Simulation::start(job(10_000, 100, "Indexed", 0)).expect("the scenario is valid");
    let before = peak_memory();
    let outcome = simulation.finish().expect("the scenario is valid");
    println!("| a Job of 10,000 completions, 100 at once | {} steps |", outcome.steps.len());
    if let (Some(before), Some(bytes)) = (before, peak_memory()) {
        println!(
            "| memory at its peak, before and then | {} and {} MB |",
            before.div_euclid(1_000_000),
            bytes.div_euclid(1_000_000)
        );
    }
}
