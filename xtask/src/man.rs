//! The man pages of the command line.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::workspace::Workspace;
use crate::{run, size};

/// Writes a page for each command into a folder, in place of what it contains, and returns the pages.
///
/// # Errors
/// If the generator fails.
pub fn build(workspace: &Workspace, folder: &Path) -> Result<Vec<PathBuf>> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let mut man = run::program(workspace, "run", "changeover-man");
    man.args(["--quiet", "--features", "changeover-cli/man", "--"]).arg(folder);
    run::run(man)?;
    size::files(folder)
}

/// Writes the pages, and checks that each command has one with what its help says.
///
/// # Errors
/// If a page is missing or incomplete.
pub fn check(workspace: &Workspace) -> Result<()> {
    let folder = workspace.artifact("man");
    build(workspace, &folder)?;
    let read = |name: &str| fs::read_to_string(folder.join(name)).with_context(|| format!("man page {name}"));
    let main = read("changeover.1")?;
    let commands = commands(&main);
    if commands.is_empty() {
        bail!("man page changeover.1 lists no command");
    }
    for command in commands {
        let page = read(&format!("changeover-{command}.1"))?;
        for part in [".SH SYNOPSIS", ".SH OPTIONS", "Examples:"] {
            ensure!(page.contains(part), "man page changeover-{command}.1 has no {part}");
        }
    }
    Ok(())
}

/// The commands that a page refers to: `changeover\-predict(1)`.
fn commands(page: &str) -> Vec<&str> {
    let lines = page.lines().filter_map(|line| line.strip_prefix("changeover\\-"));
    lines.filter_map(|line| line.strip_suffix("(1)")).collect()
}
