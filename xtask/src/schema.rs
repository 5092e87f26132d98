//! The JSON Schemas of the npm package, generated from the Rust types and committed, so that changes show up in review.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use crate::workspace::Workspace;
use crate::{run, size};

const FOLDER: &str = "npm/schema";

/// Nothing else uses the core with the feature `schema`, and to write the schemas, it need not be fast.
const QUICK_CORE: &str = "profile.dev.package.changeover-core.opt-level=0";

/// Updates `npm/schema`.
///
/// # Errors
/// If core does not build.
pub fn write(workspace: &Workspace) -> Result<()> {
    generate(workspace, &workspace.root.join(FOLDER))
}

/// Compares `npm/schema` with the types.
///
/// # Errors
/// If they differ.
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
            bail!("{FOLDER}/{} does not match the Rust types: run `make bless`", name.display());
        }
    }
    Ok(())
}

fn generate(workspace: &Workspace, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut command = run::program(workspace, "run", "changeover-schema");
    command.args(["--quiet", "--features", "changeover-npm/schema", "--config", QUICK_CORE, "--"]).arg(folder);
    run::run(command)
}
