//! The API reference of the npm package: TypeDoc's pages for its declarations.

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{file_age, package, run};

/// Writes the pages and returns their folder.
///
/// # Errors
/// If the package does not build, or TypeDoc reports an export or a field without a comment, or a broken link.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let package = package::build(workspace)?;
    let script = workspace.root.join("npm/reference.mjs");
    let folder = workspace.artifact("npm/reference");
    if !file_age::is_newer(&folder.join("index.html"), &[&package.archive, &script]) {
        let mut typedoc = run::node(workspace, &script, &[]);
        typedoc.arg(workspace.artifact("npm/package")).arg(&folder);
        run::run(typedoc)?;
    }
    Ok(folder)
}
