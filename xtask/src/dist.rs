//! `make dist`: builds the files for users.

use std::fs;

use anyhow::Result;

use crate::size::Sizes;
use crate::workspace::Workspace;
use crate::{action, book, man, package, page, policy, reference, size};

/// Fills `dist/` and prints the sizes.
///
/// # Errors
/// If something does not build or is too large.
pub fn dist(workspace: &Workspace) -> Result<()> {
    let policy = policy::build(workspace)?;
    let site = page::build(workspace)?;
    let package = package::build(workspace)?;
    let folder = workspace.root.join("dist");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    fs::copy(policy, folder.join("policy.wasm"))?;
    fs::copy(workspace.artifact("annotated-policy.wasm"), folder.join("annotated-policy.wasm"))?;
    page::copy(&site, &folder.join("site"))?;
    book::build(workspace, &folder.join("site/docs"))?;
    let archive = format!("changeover-{}.tgz", env!("CARGO_PKG_VERSION"));
    fs::copy(&package.archive, folder.join(&archive))?;
    action::install(workspace)?;
    page::copy(&reference::build(workspace)?, &folder.join("reference"))?;
    man::build(workspace, &folder.join("man"))?;

    size::print_head();
    let mut excess = size::print_and_check("policy.wasm", &folder.join("policy.wasm"), &policy::BUDGET)?;
    excess.extend(page::print_and_check(&folder.join("site"))?);
    excess.extend(package.print_and_check()?);
    Sizes::of(&folder.join(&archive))?.print(&archive);
    size::ensure_within_budget(&excess)
}
