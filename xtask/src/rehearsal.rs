//! `make rehearse`: builds everything that a release publishes, installs each part in an empty folder, and runs its first command.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::{env, process};

use anyhow::{Context, Result, bail, ensure};

use crate::stages::Stages;
use crate::workspace::Workspace;
use crate::{archives, dist, notices, policy_release, run};

/// The version that each command prints.
const VERSION: &str = concat!("changeover ", env!("CARGO_PKG_VERSION"), "\n");

/// The manifests of the first commands.
const MANIFESTS: &str = "tests/cli/cases/predict.in";

/// Builds, installs and runs all parts.
///
/// # Errors
/// If one fails.
pub fn rehearse(workspace: &Workspace) -> Result<()> {
    let mut stages = Stages::default();
    stages.run("build", || {
        dist::dist(workspace)?;
        policy_release::release(workspace)?;
        archives::build(workspace)
    });
    stages.run("archive", || archive(workspace));
    stages.run("npm package", || package(workspace));
    stages.run("policy", || policy(workspace));
    stages.run("GitHub Action", || action(workspace));
    stages.run("page", || page(workspace));
    stages.run("crates", || crates(workspace));
    stages.finish()
}

/// A new empty folder outside of the repository, so that nothing in it is found by chance.
fn empty_folder(name: &str) -> Result<PathBuf> {
    let folder = env::temp_dir().join(format!("changeover-rehearsal-{}", process::id())).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// The only file of `dist` whose name has this start and this end.
fn built(workspace: &Workspace, folder: &str, start: &str, end: &str) -> Result<PathBuf> {
    let folder = workspace.root.join(folder);
    let files = crate::size::files(&folder)?.into_iter().filter(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        file.parent() == Some(&folder) && name.starts_with(start) && name.ends_with(end)
    });
    let files: Vec<PathBuf> = files.collect();
    match <[PathBuf; 1]>::try_from(files) {
        Ok([file]) => Ok(file),
        Err(files) => bail!("{}: expected one {start}*{end}, not {files:?}", folder.display()),
    }
}

/// Runs the command's first two lines.
fn try_command(workspace: &Workspace, command: &Path) -> Result<()> {
    let printed = run::output(run::command(workspace, command, &["--version"]))?;
    ensure!(printed == VERSION, "{printed:?} is not {VERSION:?}");
    let mut predict = run::command(workspace, command, &["predict", "old", "new"]);
    predict.current_dir(workspace.root.join(MANIFESTS));
    run::run(predict)
}

/// Unpacks the archive for this machine.
fn archive(workspace: &Workspace) -> Result<()> {
    let folder = empty_folder("archive")?;
    let archive = built(workspace, archives::FOLDER, "changeover-", &archives::of_this_machine()?)?;
    let mut tar = run::command(workspace, "tar", &["-xzf"]);
    tar.arg(archive).arg("-C").arg(&folder);
    run::run(tar)?;
    notices::check(&folder)?;
    try_command(workspace, &folder.join(format!("changeover{}", env::consts::EXE_SUFFIX)))
}

/// Installs the package as a project does.
fn package(workspace: &Workspace) -> Result<()> {
    let folder = empty_folder("package")?;
    fs::write(folder.join("package.json"), "{ \"private\": true }\n")?;
    let mut npm = run::command(workspace, "npm", &["install", "--offline", "--no-audit", "--no-fund"]);
    npm.arg(built(workspace, "dist", "changeover-", ".tgz")?).current_dir(&folder);
    run::run(npm)?;
    notices::check(&folder.join("node_modules/changeover"))?;
    try_command(workspace, &folder.join("node_modules/.bin/changeover"))?;
    let program = "import { validateSettings } from 'changeover'; console.log(validateSettings({}))";
    let mut node = run::command(workspace, "node", &["--input-type=module", "--eval", program]);
    node.current_dir(&folder);
    run::run(node)
}

/// Gives the annotated module to kwctl.
fn policy(workspace: &Workspace) -> Result<()> {
    notices::check(&workspace.root.join("dist/policy"))?;
    let folder = empty_folder("policy")?;
    let module = folder.join("annotated-policy.wasm");
    fs::copy(workspace.root.join("dist/policy/annotated-policy.wasm"), &module)?;
    let mut kwctl = run::command(workspace, "kwctl", &["run", "--request-path", "policy/examples/job.json"]);
    kwctl.args(["--settings-path", "policy/examples/settings.yml"]).arg(&module);
    let answer = run::output(kwctl).context("https://github.com/kubewarden/adm-controller/releases has kwctl")?;
    ensure!(answer.contains("\"allowed\":true"), "{answer}");
    Ok(())
}

/// Runs the bundle as GitHub's runner does, without a comment.
fn action(workspace: &Workspace) -> Result<()> {
    let folder = empty_folder("action")?;
    crate::page::copy(&workspace.root.join("dist/action"), &folder)?;
    notices::check(&folder)?;
    let outputs = folder.join("outputs");
    fs::write(&outputs, "")?;
    let mut node = run::node(workspace, &folder.join("index.mjs"), &[]);
    node.current_dir(workspace.root.join(MANIFESTS)).env("GITHUB_OUTPUT", &outputs).env("RUNNER_TEMP", &folder);
    for (input, value) in
        [("BASE", "old"), ("HEAD", "new"), ("FAIL-ON", "quota"), ("COMMENT", "false"), ("NAME", "changeover")]
    {
        node.env(format!("INPUT_{input}"), value);
    }
    run::run(node)?;
    let outputs = fs::read_to_string(outputs)?;
    ensure!(outputs.contains("verdict<<"), "{outputs}");
    Ok(())
}

/// Serves the page from a copy.
fn page(workspace: &Workspace) -> Result<()> {
    let folder = empty_folder("page")?;
    crate::page::copy(&workspace.root.join("dist/site"), &folder)?;
    notices::check(&folder)?;
    run::run(run::program(workspace, "build", "changeover-www"))?;
    let binary = workspace.target.join("debug").join(format!("changeover-www{}", env::consts::EXE_SUFFIX));
    let mut server =
        run::command(workspace, binary, &["--addr", "127.0.0.1:0", "--policy", "dist/policy.wasm", "--site"]);
    let mut server = server.arg(&folder).stdout(Stdio::piped()).spawn().context("changeover-www can't be started")?;
    let answers = page_and_modules(&mut server);
    server.kill()?;
    server.wait()?;
    answers
}

/// Asks a server for what a first visit loads.
fn page_and_modules(server: &mut Child) -> Result<()> {
    let mut lines = BufReader::new(server.stdout.take().context("the server has an output")?).lines();
    let address = lines.find_map(|line| {
        let line = line.ok()?;
        let (_, rest) = line.split_once("http://")?;
        Some(rest.split(['/', ' ']).next()?.to_owned())
    });
    let address = address.context("the server prints its address")?;
    for path in ["/", "/sandbox/", "/pkg/stories_bg.wasm", "/pkg/player_bg.wasm", "/LICENSES.txt", "/docs/"] {
        let mut stream = TcpStream::connect(&address)?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        ensure!(answer.starts_with(b"HTTP/1.1 200 "), "{path}: {}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

/// Packs the crates that can be published, and compiles what was packed.
fn crates(workspace: &Workspace) -> Result<()> {
    let mut cargo = run::cargo(workspace, &["package", "--quiet", "--allow-dirty"]);
    cargo.args(["--package", "changeover-derive", "--package", "changeover-core"]);
    run::run(cargo)?;
    let package = format!("changeover-core-{}", env!("CARGO_PKG_VERSION"));
    for file in notices::OWN {
        ensure!(workspace.target.join("package").join(&package).join(file).is_file(), "{package} has no {file}");
    }
    Ok(())
}
