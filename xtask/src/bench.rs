//! `make bench`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::Workspace;
use crate::{package, page, policy, run, tools};

/// Runs the benchmarks of `tests/benches`, then the package in Node, the policy in its host, the page in Chromium, and then
/// the rollouts with the real controllers.
///
/// # Errors
/// When one fails.
pub fn bench(workspace: &Workspace) -> Result<()> {
    run::run(run::cargo(workspace, &["bench", "--profile", "measured", "--package", "changeover-benches"]))?;
    in_node(workspace)?;
    in_the_host(workspace)?;
    in_the_browser(workspace)?;
    if Command::new("go").arg("version").output().is_err() {
        println!("The real controllers are not timed: Go is not installed.");
        return Ok(());
    }
    println!("The same rollouts with the real controllers over the recorder's store:");
    let mut go =
        run::command(workspace, "go", &["test", "-count=1", "-timeout=0", "-v", "-run", "^TestTimeRollout$", "."]);
    go.current_dir(workspace.root.join("tests/recorder")).env("TIME", "1");
    for line in run::output(go)?.lines().filter_map(|line| line.strip_prefix("rollout ")) {
        println!("{}", compare(workspace, line)?);
    }
    Ok(())
}

/// The package in Node, beside the same natively.
fn in_node(workspace: &Workspace) -> Result<()> {
    package::build(workspace)?;
    let mut node = run::command(workspace, "node", &["--expose-gc", "tests/benches/simulate.mjs"]);
    node.env("CHANGEOVER_PACKAGE", workspace.artifact("npm/package")).env("CHANGEOVER_CRITERION", criterion(workspace));
    run::run(node)
}

/// Where criterion leaves what it measured.
fn criterion(workspace: &Workspace) -> PathBuf {
    workspace.target.join("criterion")
}

/// The policy beside a guest that only accepts.
///
/// # Errors
/// When one does not build, or fails.
pub fn in_the_host(workspace: &Workspace) -> Result<()> {
    let (policy, empty) = (policy::build(workspace)?, policy::empty_guest(workspace)?);
    let mut host = run::cargo(workspace, &["bench", "--package", "changeover-tests-policy", "--bench", "host"]);
    host.env("CHANGEOVER_POLICY_WASM", policy).env("CHANGEOVER_EMPTY_GUEST", empty);
    run::run(host)
}

/// How fluid the page is, and its player beside the same natively.
fn in_the_browser(workspace: &Workspace) -> Result<()> {
    let (site, chromium) = (page::build(workspace)?, tools::chromium(workspace)?);
    tools::node_modules(workspace)?;
    let mut node = run::node(workspace, &workspace.root.join("tests/web/bench.mjs"), &[]);
    node.env("CHROMIUM", chromium).env("CHANGEOVER_SITE", site).env("CHANGEOVER_CRITERION", criterion(workspace));
    run::run(node)
}

/// What the recorder measured (replicas, nanoseconds, nanoseconds of them in the store, syncs) beside what criterion
/// measured of the same rollout.
fn compare(workspace: &Workspace, line: &str) -> Result<String> {
    let numbers: Vec<f64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [replicas, real, store, syncs] = numbers.as_slice() else {
        anyhow::bail!("the recorder printed {line:?}: must be four numbers");
    };
    let path = criterion(workspace).join(format!("rollout one by one/{replicas}/new/estimates.json"));
    let text = fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))?;
    let estimates: Value = serde_json::from_str(&text)?;
    let ours =
        estimates.pointer("/median/point_estimate").and_then(Value::as_f64).context("criterion has no median")?;
    let milliseconds = |nanoseconds: f64| nanoseconds / 1e6;
    Ok(format!(
        "{replicas} replicas: {:.1} ms in {syncs} syncs ({:.1} ms of it in the store), here {:.2} ms: {:.0} times as fast, without the store {:.0} times",
        milliseconds(*real),
        milliseconds(*store),
        milliseconds(ours),
        real / ours,
        (real - store) / ours
    ))
}
