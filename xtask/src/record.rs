//! `make record`: records the real controllers and the API server's strategies. Needs Go.

use std::env;

use anyhow::{Context, Result};

use crate::run;
use crate::workspace::Workspace;

/// The available recordings, each with the recorder test that makes it.
const RECORDINGS: [(&str, &str); 12] = [
    ("controllers", "^TestRecord$"),
    ("jobs", "^TestRecordJobs$"),
    ("cronjobs", "^TestRecordCronJobs$"),
    ("statefulsets", "^TestRecordStatefulSets$"),
    ("daemonsets", "^TestRecordDaemonSets$"),
    ("scheduler", "^TestRecordScheduler$"),
    ("apiserver", "^TestRecordStrategies$"),
    ("named", "^TestRecordNamed$"),
    ("scrambled", "^TestRecordScrambled$"),
    ("hashes", "^TestRecordHashes$"),
    ("requests", "^TestRecordRequests$"),
    ("rerecord", "^TestRerecord$"),
];

/// Records `WHAT` (default: the controllers) with `SEED`, `CASES` and `BUDGET` into the folder `OUT` (default:
/// `recording` in the target folder). `rerecord` records the cases of the file `IN` once more.
///
/// # Errors
/// If there is no such recording, or the recorder can't be built or fails.
pub fn record(workspace: &Workspace) -> Result<()> {
    let out = env::var_os("OUT").filter(|out| !out.is_empty());
    let out = out.map_or_else(|| workspace.target.join("recording"), |out| workspace.root.join(out));
    let what = env::var("WHAT").ok().filter(|what| !what.is_empty()).unwrap_or_else(|| String::from("controllers"));
    let (_, test) = RECORDINGS.iter().find(|(name, _)| *name == what).with_context(|| {
        let names: Vec<&str> = RECORDINGS.iter().map(|(name, _)| *name).collect();
        format!("WHAT: Invalid value: {what:?}: must be one of {}", names.join(", "))
    })?;
    let mut go = run::command(workspace, "go", &["test", "-count=1", "-timeout=0", "-v", "-run", test, "."]);
    go.current_dir(workspace.root.join("tests/recorder")).env("OUT", &out);
    if let Some(cases) = env::var_os("IN") {
        go.env("IN", workspace.root.join(cases));
    }
    println!("recording into {}", out.display());
    run::run(go)
}
