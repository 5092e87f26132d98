//! Installs missing tools: Rust's targets, the packages of package.json, cargo-deny, mdBook, twiggy, Chromium.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{run, wasm};

/// The targets of rust-toolchain.toml: the page, the package and the policy; the proof that core needs no std.
const TARGETS: [&str; 2] = ["wasm32-unknown-unknown", "thumbv7em-none-eabi"];

const CARGO_DENY: &str = "0.20.2";

const MDBOOK: &str = "0.5.4";

const TWIGGY: &str = "0.8.0";

/// Where Debian's package puts it. `CHROMIUM` names another one.
const CHROMIUM: &str = "/usr/bin/chromium";

/// Rust's targets. rustup installs them with the toolchain, but not into a toolchain that was there before.
///
/// # Errors
/// When one is missing and rustup can't install it.
pub fn targets(workspace: &Workspace) -> Result<()> {
    ensure_targets(workspace, &TARGETS)
}

/// These targets of Rust.
///
/// # Errors
/// Likewise.
pub fn ensure_targets(workspace: &Workspace, targets: &[&str]) -> Result<()> {
    let libraries = sysroot(workspace)?.join("lib/rustlib");
    let missing: Vec<&str> = targets.iter().copied().filter(|target| !libraries.join(target).exists()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut command = run::command(workspace, "rustup", &["target", "add"]);
    command.args(&missing);
    run::run(command).with_context(|| format!("Rust's targets {} are missing", missing.join(", ")))
}

/// Where rustc has its libraries.
fn sysroot(workspace: &Workspace) -> Result<PathBuf> {
    let printed = run::output(run::command(workspace, "rustc", &["--print", "sysroot"]))?;
    Ok(PathBuf::from(printed.trim()))
}

/// Where cargo keeps the sources of the dependencies.
///
/// # Errors
/// When neither the environment nor the user's home says where that is.
pub fn cargo_home() -> Result<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| env::home_dir().map(|home| home.join(".cargo"))).context("CARGO_HOME is not set")
}

/// The packages of package-lock.json.
///
/// # Errors
/// When npm can't install them.
pub fn node_modules(workspace: &Workspace) -> Result<()> {
    let lock = workspace.root.join("package-lock.json");
    let installed = workspace.root.join("node_modules/.package-lock.json");
    if wasm::is_newer(&installed, &[&lock]) {
        return Ok(());
    }
    println!("npm ci");
    run::run(run::command(workspace, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel", "error"]))?;
    // npm keeps the time of what it unpacks; this says when it was.
    touch(&installed)
}

fn touch(path: &Path) -> Result<()> {
    let file = fs::File::options().append(true).open(path).with_context(|| format!("{} is missing", path.display()))?;
    Ok(file.set_modified(std::time::SystemTime::now())?)
}

/// cargo-deny.
///
/// # Errors
/// When it can't be built.
pub fn cargo_deny(workspace: &Workspace) -> Result<PathBuf> {
    install(workspace, "cargo-deny", CARGO_DENY)
}

/// mdBook, which makes a site of the documentation.
///
/// # Errors
/// When it can't be built.
pub fn mdbook(workspace: &Workspace) -> Result<PathBuf> {
    install(workspace, "mdbook", MDBOOK)
}

/// twiggy, which breaks down a module's bytes.
///
/// # Errors
/// When it can't be built.
pub fn twiggy(workspace: &Workspace) -> Result<PathBuf> {
    install(workspace, "twiggy", TWIGGY)
}

/// A program of that crate, built once into the target folder, unoptimised: it runs for a second and compiles for
/// minutes.
fn install(workspace: &Workspace, name: &str, version: &str) -> Result<PathBuf> {
    let root = workspace.target.join("tools");
    let binary = root.join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    if has_version(&binary, version) {
        return Ok(binary);
    }
    println!("cargo install {name}@{version} (once)");
    let mut install = run::cargo(workspace, &["install", name, "--version", version, "--locked", "--debug"]);
    install.args(["--quiet", "--force", "--root"]).arg(&root);
    install.env("CARGO_TARGET_DIR", root.join("build")).env("CARGO_PROFILE_DEV_DEBUG", "0");
    run::run(install)?;
    // Half a gigabyte that nothing needs any more.
    fs::remove_dir_all(root.join("build"))?;
    Ok(binary)
}

fn has_version(binary: &Path, version: &str) -> bool {
    let answer = Command::new(binary).arg("--version").stderr(Stdio::null()).output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains(version))
}

/// Chromium, from Debian where that is what runs here and the user may install it.
///
/// # Errors
/// When there is none: what to install.
pub fn chromium(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM").map(PathBuf::from) {
        if path.exists() {
            return Ok(path);
        }
        bail!("CHROMIUM={} is not there", path.display());
    }
    let path = PathBuf::from(CHROMIUM);
    if path.exists() || install_chromium(workspace) && path.exists() {
        return Ok(path);
    }
    bail!("the browser tests need Chromium: `sudo apt-get install chromium`, or CHROMIUM=/path/to/chromium");
}

fn install_chromium(workspace: &Workspace) -> bool {
    let apt = |arguments: &[&str]| {
        let mut command = run::command(workspace, "apt-get", arguments);
        command.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        run::run(command).is_ok()
    };
    println!("apt-get install chromium");
    apt(&["update", "-q"]) && apt(&["install", "-q", "-y", "--no-install-recommends", "chromium"])
}
