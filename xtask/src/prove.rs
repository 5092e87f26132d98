//! `make prove`: a real control plane plays scenarios, and the core explains what its controllers wrote.

use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::run;
use crate::workspace::Workspace;

/// Builds the control plane (minutes the first time), records `SCENARIOS` (all of them) `RUNS` times (3) on `LANES` control
/// planes at once (2) into `OUT` (`controlplane/recordings` in the target folder), and explains the recordings. The live
/// states go into `STATES`, beside it.
///
/// # Errors
/// When something can't be built or played, or a write is not explained.
pub fn prove(workspace: &Workspace) -> Result<()> {
    if run::command(workspace, "go", &["version"]).output().is_err() {
        bail!("go is not on the PATH: Go 1.26 builds the control plane");
    }
    let folder = |variable: &str, name: &str| {
        let given = env::var_os(variable).filter(|given| !given.is_empty());
        given.map_or_else(|| workspace.target.join("controlplane").join(name), |given| workspace.root.join(given))
    };
    let (out, states) = (folder("OUT", "recordings"), folder("STATES", "states"));
    let word = |variable: &str, otherwise: &str| {
        env::var(variable).ok().filter(|given| !given.is_empty()).unwrap_or_else(|| otherwise.to_owned())
    };
    if env::var_os("OUT").is_none_or(|given| given.is_empty()) && out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("{} can't be removed", out.display()))?;
    }
    let mut go = run::command(workspace, "go", &["run", ".", "record"]);
    go.current_dir(workspace.root.join("tests/controlplane"));
    go.arg("-cache").arg(workspace.target.join("controlplane/programs"));
    go.arg("-run").arg(workspace.target.join("controlplane/run"));
    go.arg("-out").arg(&out).arg("-states").arg(&states);
    go.args(["-runs", &word("RUNS", "3"), "-lanes", &word("LANES", "2"), "-port", &word("PORT", "26440")]);
    go.args(word("SCENARIOS", "").split_whitespace());
    run::run(go).context("the control plane")?;
    let mut proof = run::cargo(workspace, &["run", "--quiet", "--release", "--package", "changeover-proof", "--"]);
    proof.arg("--control").arg(&out);
    run::run(proof)
}
