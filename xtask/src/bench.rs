//! `make bench`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::workspace::Workspace;
use crate::{package, page, policy, run, tools};

/// Above this load, other programs distort what is measured.
const MAX_LOAD: f64 = 0.5;

/// Runs the benchmarks of `tests/benches`, the package in Node, the policy in its host, the page in Chromium, and the
/// rollouts of the real controllers. At the end, prints all tables and writes them to a file.
///
/// # Errors
/// If one of them fails.
pub fn bench(workspace: &Workspace) -> Result<()> {
    compile(workspace)?;
    let mut report = machine();
    println!("{report}");
    let parts = [natively, in_node, in_the_host, in_the_browser, with_the_real_controllers];
    for part in parts {
        report.push_str(&part(workspace)?);
    }
    let path = workspace.artifact("benchmarks.md");
    fs::write(&path, &report)?;
    println!("\n{report}\nThese tables, for BENCHMARKS.md, are in {}", path.display());
    Ok(())
}

/// Compiles everything before anything is measured, so that the machine is idle by then.
fn compile(workspace: &Workspace) -> Result<()> {
    package::build(workspace)?;
    page::build(workspace)?;
    policy::build(workspace)?;
    policy::empty_guest(workspace)?;
    for mut benches in [native_benches(workspace), host_bench(workspace)] {
        benches.arg("--no-run");
        run::run(benches)?;
    }
    Ok(())
}

/// The processor and the machine's load. Only Linux tells us both.
fn machine() -> String {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let processors = read("/proc/cpuinfo");
    let model = processors.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split(": ").nth(1));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let load = read("/proc/loadavg").split(' ').next().and_then(|load| load.parse::<f64>().ok()).unwrap_or_default();
    let notice = if load > MAX_LOAD { ", so these figures say little" } else { "" };
    format!("{}, {threads} threads, load {load} when it began{notice}\n", model.unwrap_or("unknown processor"))
}

fn native_benches(workspace: &Workspace) -> Command {
    run::cargo(workspace, &["bench", "--profile", "measured", "--package", "changeover-benches"])
}

/// Runs the core's native benchmarks.
fn natively(workspace: &Workspace) -> Result<String> {
    let others = run::tables(native_benches(workspace))?;
    let mut tables = String::from("\n## The core, natively\n\n| what | processor time |\n|---|---|\n");
    for (group, name) in [
        ("rollout one by one", "100"),
        ("rollout one by one", "1000"),
        ("rollout one by one", "1000 on 5 nodes"),
        ("rollout one by one", "10000"),
        ("start at rest", "10000"),
    ] {
        let milliseconds = median(workspace, &format!("{group}/{name}"))? / 1e6;
        tables.push_str(&format!("| {group}, {name} replicas | {milliseconds:.2} ms |\n"));
    }
    let microseconds = median(workspace, "review a Deployment")? / 1e3;
    tables.push_str(&format!("| review a Deployment | {microseconds:.1} µs |\n"));
    for name in ["50 Deployments", "2000 documents"] {
        let milliseconds = median(workspace, &format!("changeover predict/{name}"))? / 1e6;
        tables.push_str(&format!("| `changeover predict` of two folders, {name} each | {milliseconds:.0} ms |\n"));
    }
    Ok(tables + &others)
}

/// The rollouts with the real controllers, over the recorder's store.
fn with_the_real_controllers(workspace: &Workspace) -> Result<String> {
    if Command::new("go").arg("version").output().is_err() {
        println!("The real controllers are not timed: Go is not installed.");
        return Ok(String::new());
    }
    let mut go =
        run::command(workspace, "go", &["test", "-count=1", "-timeout=0", "-v", "-run", "^TestTimeRollout$", "."]);
    go.current_dir(workspace.root.join("tests/recorder")).env("TIME", "1");
    let mut table = String::from(
        "\n## The real controllers\n\n| from one run | real controllers | in the store | core | ratio | ratio without the store |\n|---|---|---|---|---|---|\n",
    );
    for line in run::output(go)?.lines().filter_map(|line| line.strip_prefix("rollout ")) {
        table.push_str(&compare(workspace, line)?);
    }
    Ok(table)
}

/// The package in Node: rollouts next to the same work natively, and other calls.
fn in_node(workspace: &Workspace) -> Result<String> {
    package::build(workspace)?;
    let mut tables = String::new();
    for script in ["tests/benches/simulate.mjs", "tests/benches/package_calls.mjs"] {
        let mut node = run::command(workspace, "node", &["--expose-gc", script]);
        node.env("CHANGEOVER_PACKAGE", workspace.artifact("npm/package"));
        node.env("CHANGEOVER_CRITERION", criterion(workspace));
        tables.push_str(&run::tables(node)?);
    }
    Ok(tables)
}

/// The folder of criterion's results.
fn criterion(workspace: &Workspace) -> PathBuf {
    workspace.target.join("criterion")
}

/// The median of a finished criterion benchmark, in nanoseconds.
fn median(workspace: &Workspace, name: &str) -> Result<f64> {
    let path = criterion(workspace).join(name).join("new/estimates.json");
    let text = fs::read_to_string(&path).with_context(|| format!("{} can't be read", path.display()))?;
    let estimates: Value = serde_json::from_str(&text)?;
    estimates.pointer("/median/point_estimate").and_then(Value::as_f64).context("criterion has no median")
}

fn host_bench(workspace: &Workspace) -> Command {
    run::cargo(workspace, &["bench", "--package", "changeover-tests-policy", "--bench", "host"])
}

/// The policy, next to a guest that accepts everything.
///
/// # Errors
/// If one of them does not build or fails.
pub fn in_the_host(workspace: &Workspace) -> Result<String> {
    let (policy, empty) = (policy::build(workspace)?, policy::empty_guest(workspace)?);
    let mut host = host_bench(workspace);
    host.env("CHANGEOVER_POLICY_WASM", policy).env("CHANGEOVER_EMPTY_GUEST", empty);
    run::tables(host)
}

/// How smoothly the page plays, and its player next to the same work natively.
fn in_the_browser(workspace: &Workspace) -> Result<String> {
    let (site, chromium) = (page::build(workspace)?, tools::chromium(workspace)?);
    tools::node_modules(workspace)?;
    let mut node = run::node(workspace, &workspace.root.join("tests/web/bench.mjs"), &[]);
    node.env("CHROMIUM", chromium).env("CHANGEOVER_SITE", site).env("CHANGEOVER_CRITERION", criterion(workspace));
    run::tables(node)
}

/// The recorder's measurements (replicas, total nanoseconds, nanoseconds in the store, syncs) next to criterion's for
/// the same rollout.
fn compare(workspace: &Workspace, line: &str) -> Result<String> {
    let numbers: Vec<f64> = line.split(' ').filter_map(|number| number.parse().ok()).collect();
    let [replicas, real, store, syncs] = numbers.as_slice() else {
        anyhow::bail!("the recorder printed {line:?}: must be four numbers");
    };
    let ours = median(workspace, &format!("rollout one by one/{replicas}"))?;
    let milliseconds = |nanoseconds: f64| nanoseconds / 1e6;
    Ok(format!(
        "| {replicas} replicas, {syncs} syncs | {:.0} ms | {:.0} ms | {:.2} ms | {:.0} | {:.0} |\n",
        milliseconds(*real),
        milliseconds(*store),
        milliseconds(ours),
        real / ours,
        (real - store) / ours
    ))
}
