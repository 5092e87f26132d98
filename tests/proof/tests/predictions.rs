//! What the simulated cluster predicts of each recorded scenario, beside what three runs of a real control plane showed.

use std::path::{Path, PathBuf};

use changeover_core::scenario::Mode;
use changeover_proof::recording::Recording;
use changeover_proof::rehearsal::{Figures, Rehearsal};

const RUNS: [u32; 3] = [1, 2, 3];

fn recording(scenario: &str, run: u32) -> Recording {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../controlplane/recordings");
    Recording::read(&folder.join(format!("{scenario}-{run}.jsonl.gz"))).unwrap()
}

fn show(f: &Figures) -> String {
    format!("{} {} {} {:?} {}", f.peak, f.lowest_available, f.size_changes, f.complete.map(|t| t / 1_000_000), f.settled / 1_000_000)
}

#[test]
fn table() {
    let only = std::env::var("ONLY").unwrap_or_default();
    let seeds: u64 = std::env::var("SEEDS").map_or(1, |n| n.parse().unwrap());
    let mut outside = 0;
    for scenario in only.split(' ') {
        let rehearsals = RUNS.map(|run| Rehearsal::new(&recording(scenario, run)));
        let real: Vec<_> = rehearsals.iter().map(Rehearsal::recorded).collect();
        let mut here = Vec::new();
        for rehearsal in &rehearsals {
            for seed in 0..seeds {
                here.push(rehearsal.simulated(Mode::Realistic, seed).unwrap());
            }
        }
        let names: Vec<_> = real[0].keys().map(|key| key.name.clone()).collect();
        for (index, name) in names.iter().enumerate() {
            let real: Vec<Figures> = real.iter().map(|run| *run.values().nth(index).unwrap()).collect();
            let here: Vec<Figures> = here.iter().map(|run| *run.values().nth(index).unwrap()).collect();
            let mut problems = Vec::new();
            let mut check = |what: &str, of: &dyn Fn(&Figures) -> i64, slack: i64| {
                let mut sim: Vec<i64> = here.iter().map(of).collect();
                sim.sort_unstable();
                let median = sim[sim.len() / 2];
                let (low, high) = (real.iter().map(of).min().unwrap(), real.iter().map(of).max().unwrap());
                if median < low - low * slack / 100 || median > high + high * slack / 100 {
                    problems.push(format!("{what} {median} not in {low}..{high}"));
                }
            };
            check("peak", &|f| f.peak.into(), 0);
            check("lowest", &|f| f.lowest_available.into(), 0);
            check("sizes", &|f| f.size_changes.into(), 0);
            check("time", &|f| match f.complete { Some(0) => f.settled / 1_000_000, Some(t) => t / 1_000_000, None => 999_999 }, 15);
            outside += problems.len();
            println!("{scenario} {name}: {}", problems.join(", "));
            if !problems.is_empty() || std::env::var("ALL").is_ok() {
                println!("    real {}", real.iter().map(show).collect::<Vec<_>>().join(" | "));
                println!("    here {}", here.iter().map(show).collect::<Vec<_>>().join(" | "));
            }
        }
    }
    println!("OUTSIDE {outside}");
}
