//! The GitHub Action: one JavaScript file that contains the command's module.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{file_age, notices, package, run, size};

/// Where `action.yml` expects the bundle. `make release` puts this folder into the tagged commit.
pub const FOLDER: &str = "dist/action";

/// Bundles the action and returns the path of its entry point.
///
/// # Errors
/// If a part of it does not build.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let package = package::build(workspace)?;
    let folder = workspace.artifact("action");
    let entry = folder.join("index.mjs");
    if !is_fresh(workspace, &entry, &package.command_module)? {
        fs::create_dir_all(&folder)?;
        let raw = package.command_module.parent().unwrap_or(&folder);
        let mut script = run::node(workspace, &workspace.root.join("action/build.mjs"), &[]);
        script.arg(raw).arg(&folder);
        run::run(script)?;
        // The script has written those of npm's packages.
        let packages = fs::read_to_string(folder.join(notices::FILE))?;
        notices::write(workspace, &folder, &["changeover-npm-bin"], notices::WASM)?;
        let mut licenses = fs::OpenOptions::new().append(true).open(folder.join(notices::FILE))?;
        licenses.write_all(format!("\n{}\n{packages}", "-".repeat(80)).as_bytes())?;
    }
    Ok(entry)
}

/// Builds the action where `action.yml` expects it, so that this checkout can be used as an action.
///
/// # Errors
/// If a part of it does not build.
pub fn install(workspace: &Workspace) -> Result<()> {
    let entry = build(workspace)?;
    let folder = workspace.root.join(FOLDER);
    fs::create_dir_all(&folder)?;
    for name in ["index.mjs", notices::FILE].into_iter().chain(notices::OWN) {
        fs::copy(entry.with_file_name(name), folder.join(name))?;
    }
    Ok(())
}

/// Whether the bundle is newer than its sources.
fn is_fresh(workspace: &Workspace, entry: &Path, module: &Path) -> Result<bool> {
    let mut inputs = size::files(&workspace.root.join("action"))?;
    inputs.extend(["NOTICE", "npm/bin/machine.mjs", "package-lock.json"].map(|file| workspace.root.join(file)));
    inputs.push(module.to_path_buf());
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    Ok(file_age::is_newer(entry, &inputs))
}
