//! What the simulated cluster predicts of each recorded scenario, beside what three runs of a real control plane showed.

use std::path::{Path, PathBuf};

use changeover_proof::recording::Recording;
use changeover_proof::rehearsal::{Figures, Rehearsal};

const RUNS: [u32; 3] = [1, 2, 3];

fn recording(scenario: &str, run: u32) -> Recording {
    let folder: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../controlplane/recordings");
    Recording::read(&folder.join(format!("{scenario}-{run}.jsonl.gz"))).unwrap()
}

#[test]
fn table() {
    let only = std::env::var("ONLY").unwrap_or_default();
    for scenario in only.split(' ') {
        let rehearsals = RUNS.map(|run| Rehearsal::new(&recording(scenario, run)));
        for (run, rehearsal) in RUNS.into_iter().zip(&rehearsals) {
            for ((key, real), (_, here)) in rehearsal.recorded().iter().zip(rehearsal.simulated(run.into()).unwrap()) {
                let show = |f: &Figures| format!("{} {} {} {:?} {}", f.peak, f.lowest_available, f.size_changes, f.complete.map(|t| t / 1_000_000), f.settled / 1_000_000);
                println!("{scenario}-{run} {}: {} | {}", key.name, show(real), show(&here));
            }
        }
    }
}
