//! The JSON Schemas of the npm package, generated from the Rust types and kept in the repository, where a change shows.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::workspace::Workspace;
use crate::{run, size};

const FOLDER: &str = "npm/schema";

/// Writes `npm/schema` again.
///
/// # Errors
/// When core does not build.
pub fn write(workspace: &Workspace) -> Result<()> {
    generate(workspace, &workspace.root.join(FOLDER))
}

/// Compares `npm/schema` with what the types are now.
///
/// # Errors
/// When they differ.
pub fn check(workspace: &Workspace) -> Result<()> {
    let fresh = workspace.artifact("schema");
    if fresh.exists() {
        fs::remove_dir_all(&fresh)?;
    }
    generate(workspace, &fresh)?;
    let kept = workspace.root.join(FOLDER);
    for path in size::files(&fresh)? {
        let name = path.strip_prefix(&fresh)?;
        if fs::read(&path)? != fs::read(kept.join(name)).unwrap_or_default() {
            bail!("{FOLDER}/{} is not what the Rust types are now: run `make schema`", name.display());
        }
    }
    Ok(())
}

fn generate(workspace: &Workspace, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut command = run::program(workspace, "run", "changeover-schema");
    command.args(["--quiet", "--features", "changeover-npm/schema", "--"]).arg(folder);
    run::run(command)
}
