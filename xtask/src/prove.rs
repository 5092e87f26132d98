//! `make prove`: plays scenarios on a real control plane, and checks that the core explains what its controllers wrote.
//! Then lets it call the policy as a webhook while users run kubectl: in our server, and in Kubewarden's policy-server as its
//! controller configures it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

use crate::policy;
use crate::run;
use crate::workspace::Workspace;

/// The Go program that runs the control plane.
const CONTROL_PLANE: &str = "tests/controlplane";

/// The transcripts that `make test` replays.
const TRANSCRIPTS: &str = "tests/controlplane/transcripts";

/// Runs all parts, or only `PART`: `controllers`, `shards`, `webhook` or `policy`. `charts` is a part on its own.
///
/// # Errors
/// If something can't be built or played, a write is not explained, or a transcript differs.
pub fn prove(workspace: &Workspace) -> Result<()> {
    if run::command(workspace, "go", &["version"]).output().is_err() {
        bail!("go is not on the PATH: Go 1.26 builds the control plane");
    }
    let mut tests = run::command(workspace, "go", &["test", "./..."]);
    tests.current_dir(workspace.root.join(CONTROL_PLANE));
    run::run(tests)?;
    match word("PART").as_deref() {
        None => {
            controllers(workspace)?;
            shards(workspace)?;
            webhook(workspace)?;
            match policy_server(workspace) {
                Some(program) => policies(workspace, &program),
                None => {
                    println!("notice: policy-server is not installed, so nothing was proved about policies in it");
                    Ok(())
                }
            }
        }
        Some("controllers") => controllers(workspace),
        Some("shards") => shards(workspace),
        Some("webhook") => webhook(workspace),
        Some("policy") => match policy_server(workspace) {
            Some(program) => policies(workspace, &program),
            None => bail!("POLICY_SERVER: Required value: must be Kubewarden's policy-server, unless the PATH has it"),
        },
        Some("charts") => charts(workspace),
        Some(other) => {
            let supported = "\"charts\", \"controllers\", \"policy\", \"shards\", \"webhook\"";
            bail!("PART: Unsupported value: {other:?}: supported values: {supported}")
        }
    }
}

/// Builds the control plane (this takes minutes the first time). Records `SCENARIOS` (default: all) `RUNS` times (3) on
/// `LANES` control planes in parallel (2) into `OUT` (`controlplane/recordings` in the target folder), and explains the
/// recordings. The live states go into `STATES`, next to `OUT` by default.
fn controllers(workspace: &Workspace) -> Result<()> {
    let (out, states) = (folder(workspace, "OUT", "recordings"), folder(workspace, "STATES", "states"));
    if word("OUT").is_none() && out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("{} can't be removed", out.display()))?;
    }
    let mut go = control_plane(workspace, "record");
    go.arg("-out").arg(&out).arg("-states").arg(&states);
    go.args([
        "-runs",
        &word("RUNS").unwrap_or_else(|| "3".into()),
        "-lanes",
        &word("LANES").unwrap_or_else(|| "2".into()),
    ]);
    go.args(word("SCENARIOS").unwrap_or_default().split_whitespace());
    run::run(go).context("the control plane")?;
    let mut proof = run::cargo(workspace, &["run", "--quiet", "--release", "--package", "changeover-proof", "--"]);
    proof.arg("--control").arg(&out);
    run::run(proof)
}

/// Rolls out each chart in the folder `CHARTS` on the control plane, from `CHART/old.yaml` to `CHART/new.yaml`. Explains the
/// recordings, and compares them with what `predict` says.
fn charts(workspace: &Workspace) -> Result<()> {
    let Some(rendered) = word("CHARTS").map(|folder| workspace.root.join(folder)) else {
        bail!(
            "CHARTS: Required value: must be a folder with CHART/old.yaml and CHART/new.yaml, as helm template prints them"
        );
    };
    let out = workspace.target.join("controlplane/charts");
    if out.exists() {
        fs::remove_dir_all(&out).with_context(|| format!("{} can't be removed", out.display()))?;
    }
    let mut go = control_plane(workspace, "record");
    go.arg("-charts").arg(&rendered).arg("-out").arg(&out).args(["-runs", "1"]);
    go.args(["-lanes", &word("LANES").unwrap_or_else(|| "1".into())]);
    run::run(go).context("the control plane")?;
    let proof = || run::cargo(workspace, &["run", "--quiet", "--release", "--package", "changeover-proof", "--"]);
    let mut explained = proof();
    explained.arg(&out);
    run::run(explained)?;
    let mut compared = proof();
    compared.arg("--charts").arg(&rendered).arg(&out);
    run::run(compared)
}

/// Lets the Job controller create the pods of the Job in `docs/fleet-job.yaml`, and runs the command of each.
fn shards(workspace: &Workspace) -> Result<()> {
    run::run(run::cargo(workspace, &["build", "--quiet", "--release", "--package", "changeover-cli"]))?;
    let command = workspace.target.join("release").join(format!("changeover{}", env::consts::EXE_SUFFIX));
    let mut go = control_plane(workspace, "shards");
    go.arg("-changeover").arg(command);
    run::run(go).context("the control plane")
}

/// Plays `SESSIONS` (default: all) with the policy as a webhook: in our server, and in Kubewarden's policy-server if
/// `POLICY_SERVER` or the PATH has one. Writes the transcripts to `TRANSCRIPTS`. If it is not set, compares them with
/// the committed ones.
fn webhook(workspace: &Workspace) -> Result<()> {
    let policy = policy::build(workspace)?;
    run::run(run::cargo(workspace, &["build", "--quiet", "--release", "--bin", "changeover-www"]))?;
    let server = workspace.target.join("release").join(format!("changeover-www{}", env::consts::EXE_SUFFIX));
    let mut go = control_plane(workspace, "webhook");
    go.arg("-server").arg(server).arg("-policy").arg(&policy);
    match policy_server(workspace) {
        Some(program) => drop(go.arg("-policy-server").arg(program)),
        None => println!("notice: policy-server is not installed, so the policy is only served by our own server"),
    }
    if word("SESSIONS").is_none() {
        go.arg("-latency");
    }
    play(workspace, go)
}

/// Plays `SESSIONS` (default: all) with policies in policy-server, configured as Kubewarden's controller does it: several users,
/// monitor mode, a group, the audit scanner's requests, an API server that hangs. Handles the transcripts as [`webhook`].
fn policies(workspace: &Workspace, policy_server: &Path) -> Result<()> {
    policy::build(workspace)?;
    let mut go = control_plane(workspace, "policy");
    go.arg("-policy-server").arg(policy_server);
    play(workspace, go)
}

/// Plays sessions, and writes or compares their transcripts.
fn play(workspace: &Workspace, mut go: Command) -> Result<()> {
    go.arg("-annotated-policy").arg(workspace.artifact("annotated-policy.wasm"));
    go.arg("-out").arg(folder(workspace, "TRANSCRIPTS", "transcripts"));
    if word("TRANSCRIPTS").is_none() {
        go.arg("-compare").arg(workspace.root.join(TRANSCRIPTS));
    }
    go.args(word("SESSIONS").unwrap_or_default().split_whitespace());
    run::run(go).context("the control plane")
}

/// The command for the Go program that runs the control plane.
fn control_plane(workspace: &Workspace, verb: &str) -> Command {
    let mut go = run::command(workspace, "go", &["run", ".", verb]);
    go.current_dir(workspace.root.join(CONTROL_PLANE));
    go.arg("-cache").arg(workspace.target.join("controlplane/programs"));
    go.arg("-run").arg(workspace.target.join("controlplane/run"));
    go.args(["-port", &word("PORT").unwrap_or_else(|| "26440".into())]);
    go
}

/// An environment variable; an empty one counts as unset.
fn word(variable: &str) -> Option<String> {
    env::var(variable).ok().filter(|given| !given.is_empty())
}

/// The folder that a variable names, or one in the target folder.
fn folder(workspace: &Workspace, variable: &str, name: &str) -> PathBuf {
    let given = word(variable);
    given.map_or_else(|| workspace.target.join("controlplane").join(name), |given| workspace.root.join(given))
}

fn policy_server(workspace: &Workspace) -> Option<PathBuf> {
    if let Some(given) = word("POLICY_SERVER") {
        return Some(workspace.root.join(given));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join("policy-server")).find(|program| program.is_file())
}
