//! `make test`: runs every check.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use anyhow::{Result, anyhow, bail};

use crate::passed_tests::Runner;
use crate::stages::Stages;
use crate::wasm::Module;
use crate::workspace::Workspace;
use crate::{
    action, man, package, page, passed_tests, policy, reference, run, schema, sentences, size, tools, upstream_diff,
    wasm,
};

/// A target without std: what compiles for it does not need std.
const BARE_METAL: &str = "thumbv7em-none-eabi";

/// What the tests run. Built together, they keep all cores busy; of each profile, what takes longest to optimize comes early.
const MODULES: [Module; 10] = [
    wasm::POLICY,
    wasm::ROLLOUTS_POLICY,
    wasm::SMALL_POLICY,
    wasm::STORIES,
    wasm::SANDBOX,
    wasm::WORKBENCH,
    wasm::COMMAND,
    wasm::BYTES,
    wasm::PLAYER,
    wasm::PACKAGE,
];

const ACTIONLINT: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/// Runs every stage.
///
/// # Errors
/// If one fails.
pub fn test(workspace: &Workspace) -> Result<()> {
    passed_tests::clear(workspace)?;
    let mut stages = Stages::default();
    stages.run("tools", || tools(workspace));
    stages.run("format", || format(workspace));
    stages.run_lanes(&[&|stages| checks(workspace, stages), &|stages| modules(workspace, stages)]);
    stages.run("unit, property and host tests", || {
        passed_tests::run_rust(workspace, &[("CHANGEOVER_NPM_COMMAND", package::command(workspace))])
    });
    stages.run("conformance", || conformance(workspace));
    stages.run("npm package from its tarball", || tarball(workspace));
    stages.run("page in Chromium", || browser(workspace));
    stages.run_lanes(&[&|stages| around_the_package(workspace, stages), &|stages| {
        stages.run("page in Firefox and WebKitGTK", || engines(workspace));
    }]);
    stages.run("each sentence has a proof that passed", || sentences::check(workspace));
    stages.finish()
}

/// The compiler reads most crates one after the other, and does not optimize them.
fn checks(workspace: &Workspace, stages: &mut Stages) {
    stages.run("lint", || lint(workspace));
    stages.run("dependencies: bans, licenses, sources, advisories", || dependencies(workspace));
    stages.run("documentation", || documentation(workspace));
    stages.run("core needs no std", || no_std(workspace));
    stages.run("schema is the one of the Rust types", || schema::check(workspace));
}

/// What users download, with its sizes. Link-time optimization uses one core for each module.
fn modules(workspace: &Workspace, stages: &mut Stages) {
    stages.run("modules", || wasm::build_all(workspace, &MODULES).map(drop));
    stages.run("policy.wasm", || {
        let policy = policy::build(workspace)?;
        size::print_head();
        size::ensure_within_budget(&size::print_and_check("policy.wasm", &policy, &policy::BUDGET)?)
    });
    stages.run("page", || {
        let site = page::build(workspace)?;
        size::print_head();
        size::ensure_within_budget(&page::print_and_check(&site)?)
    });
    stages.run("npm package", || {
        let package = package::build(workspace)?;
        size::print_head();
        size::ensure_within_budget(&package.print_and_check()?)
    });
    stages.run("man pages", || man::check(workspace));
}

/// What runs for seconds on one core.
fn around_the_package(workspace: &Workspace, stages: &mut Stages) {
    stages.run("GitHub Action from its bundle", || github_action(workspace));
    stages.run("workflows", || workflows(workspace));
    stages.run("comparison of Kubernetes releases", || upstream_diff::test(workspace));
    stages.run("reference of the npm package", || reference::build(workspace).map(drop));
}

fn tools(workspace: &Workspace) -> Result<()> {
    tools::targets(workspace)?;
    tools::node_modules(workspace)
}

/// Runs clippy, with warnings as errors, for each target that a crate is built for.
///
/// # Errors
/// If clippy reports something.
pub fn lint(workspace: &Workspace) -> Result<()> {
    let mut wasm = vec!["--target", "wasm32-unknown-unknown"];
    for krate in [
        "changeover-stories",
        "changeover-sandbox",
        "changeover-player",
        "changeover-workbench",
        "changeover-npm",
        "changeover-npm-bin",
        "changeover-policy",
    ] {
        wasm.extend(["--package", krate]);
    }
    // With the programs that only the build tools compile.
    let all = ["--workspace", "--all-targets", "--features", "changeover-npm/schema,changeover-cli/man"];
    for what in [all.as_slice(), &wasm] {
        let mut clippy = run::cargo(workspace, &["clippy", "--quiet"]);
        clippy.args(what).args(["--", "--deny", "warnings"]);
        run::run(clippy)?;
    }
    Ok(())
}

/// Runs cargo-deny. If the advisory database can't be reached, that part is skipped with a notice.
fn dependencies(workspace: &Workspace) -> Result<()> {
    let deny = tools::cargo_deny(workspace)?;
    run::run(run::command(workspace, &deny, &["--locked", "check", "bans", "licenses", "sources"]))?;
    let fetched = run::command(workspace, &deny, &["--locked", "fetch", "db"]).output()?;
    if !fetched.status.success() {
        println!("notice: the advisory database can't be reached, so advisories were not checked");
        return Ok(());
    }
    run::run(run::command(workspace, &deny, &["--locked", "--offline", "check", "advisories"]))
}

/// Runs rustdoc, with warnings as errors.
fn documentation(workspace: &Workspace) -> Result<()> {
    let options = ["doc", "--quiet", "--workspace", "--no-deps", "--document-private-items"];
    let mut doc = run::cargo(workspace, &options);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    run::run(doc)
}

/// Checks core for a target without std, and that no dependency enables its `std` feature.
fn no_std(workspace: &Workspace) -> Result<()> {
    run::run(run::cargo(workspace, &["check", "--quiet", "--package", "changeover-core", "--target", BARE_METAL]))?;
    let tree =
        ["tree", "--package", "changeover-core", "--target", BARE_METAL, "--edges", "normal", "--prefix", "none"];
    let mut tree = run::cargo(workspace, &tree);
    tree.args(["--format", "{p}|{f}"]);
    let tree = run::output(tree)?;
    let with_std: Vec<&str> = tree.lines().filter(|line| asks_for_std(line)).collect();
    if with_std.is_empty() {
        return Ok(());
    }
    bail!("core's dependencies enable std: {}", with_std.join(", "))
}

/// Reads a line of cargo tree, such as `serde v1.0.229|alloc,std`.
fn asks_for_std(line: &str) -> bool {
    let features = line.trim_end_matches(" (*)").split_once('|').map_or("", |(_, features)| features);
    features.split(',').any(|feature| feature == "std")
}

/// Checks the format of the Rust sources.
///
/// # Errors
/// If a file has another one.
pub fn format(workspace: &Workspace) -> Result<()> {
    run::run(run::cargo(workspace, &["fmt", "--all", "--check"])).map_err(|error| anyhow!("{error:#}: run `make fmt`"))
}

/// The environment variable with a folder of more cases to replay.
const CASES: &str = "CHANGEOVER_CASES";

/// Replays the project's cases, and those of `CHANGEOVER_CASES`.
///
/// # Errors
/// If one differs.
pub fn conformance(workspace: &Workspace) -> Result<()> {
    let mut folders = vec![workspace.root.join("tests/conformance/cases")];
    folders.extend(env::var_os(CASES).map(PathBuf::from));
    let mut runner = run::program(workspace, "run", "changeover-conformance");
    runner.args(["--quiet", "--"]).args(folders);
    run::run(runner)
}

/// The Playwright tests of `tests/web`, with the built page.
///
/// # Errors
/// If the page does not build, or there is no Chromium.
pub fn playwright(workspace: &Workspace) -> Result<Command> {
    let chromium = tools::chromium(workspace)?;
    let site = page::build(workspace)?;
    tools::node_modules(workspace)?;
    let playwright = workspace.root.join("node_modules/@playwright/test/cli.js");
    let mut command = run::node(workspace, &playwright, &["test"]);
    command.current_dir(workspace.root.join("tests/web"));
    command.env("CHROMIUM", chromium).env("CHANGEOVER_SITE", site);
    Ok(command)
}

/// Runs the Playwright tests.
fn browser(workspace: &Workspace) -> Result<()> {
    let mut command = playwright(workspace)?;
    command.env("CHANGEOVER_PASSED", Runner::Playwright.file(workspace));
    // Playwright prints failures far above its summary. Remove the file of the last run, so that it isn't shown as this
    // one's.
    let failures = workspace.root.join("target/web-tests/failures.txt");
    if failures.exists() {
        fs::remove_file(&failures)?;
    }
    run::run(command).map_err(|error| {
        let failures = fs::read_to_string(&failures).unwrap_or_default();
        anyhow::anyhow!("{error:#}\n{}", failures.trim_end())
    })
}

/// Runs the WebDriver tests on the site. Only Linux has WebKitGTK.
fn engines(workspace: &Workspace) -> Result<()> {
    if !cfg!(target_os = "linux") {
        println!("notice: the page was not tried in Firefox and WebKitGTK, which needs Linux");
        return Ok(());
    }
    let site = page::build(workspace)?;
    let engines = tools::engines(workspace)?;
    let mut command = run::command(workspace, "node", &["--test"]);
    command.args(node_tests(workspace, "tests/web")?);
    command.env("CHANGEOVER_SITE", site).env("GECKODRIVER", tools::geckodriver(workspace)?);
    command.env("FIREFOX", engines.firefox).env("WEBKIT_DRIVER", engines.webkit_driver);
    command.env("MINI_BROWSER", engines.mini_browser);
    run::run(command)
}

/// Runs the Node tests on the packed package.
fn tarball(workspace: &Workspace) -> Result<()> {
    let mut command = node(workspace)?;
    command.args(["--test-reporter", "spec", "--test-reporter-destination", "stdout"]);
    command.args(["--test-reporter", "./tests/npm/passed.mjs", "--test-reporter-destination"]);
    command.arg(Runner::Node.file(workspace));
    command.args(node_tests(workspace, "tests/npm")?);
    run::run(command)
}

/// Node's test runner, with the packed package.
///
/// # Errors
/// If the package does not build, or there is no Chromium.
pub fn node(workspace: &Workspace) -> Result<Command> {
    let chromium = tools::chromium(workspace)?;
    let package = package::build(workspace)?;
    // Node leaves one core idle, and two-core machines then run one file after the other.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut command = run::command(workspace, "node", &["--test"]);
    command.arg(format!("--test-concurrency={cores}"));
    command.env("CHROMIUM", chromium).env("CHANGEOVER_TARBALL", package.archive);
    command.env("CHANGEOVER_SITE", workspace.artifact("site"));
    // The tests of the workspace build it.
    let native = workspace.target.join("debug/changeover");
    if native.exists() {
        command.env("CHANGEOVER_COMMAND", native);
    }
    Ok(command)
}

/// Runs the Node tests on the bundle that GitHub's runner starts.
fn github_action(workspace: &Workspace) -> Result<()> {
    let mut command = run::command(workspace, "node", &["--test"]);
    command.args(node_tests(workspace, "tests/action")?).env("CHANGEOVER_ACTION", action::build(workspace)?);
    run::run(command)
}

fn node_tests(workspace: &Workspace, folder: &str) -> Result<Vec<PathBuf>> {
    let mut files = size::files(&workspace.root.join(folder))?;
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    Ok(files)
}

/// Runs actionlint on our workflows, and on the one in which `tests/action` uses the action. It needs the complete
/// action.
fn workflows(workspace: &Workspace) -> Result<()> {
    action::install(workspace)?;
    let mut files = size::files(&workspace.root.join(".github/workflows"))?;
    files.push(workspace.root.join("tests/action/workflow.yml"));
    let mut actionlint = run::command(workspace, "go", &["run", ACTIONLINT, "-color"]);
    actionlint.args(files);
    run::run(actionlint)
}

#[cfg(test)]
mod tests {
    use super::asks_for_std;

    #[test]
    fn reads_the_features_of_cargo_tree() {
        assert!(asks_for_std("serde v1.0.229|alloc,std"));
        assert!(asks_for_std("serde v1.0.229|std (*)"));
        assert!(!asks_for_std("serde v1.0.229|alloc,derive,rc"));
        assert!(!asks_for_std("std v1.0.0|"));
    }
}
