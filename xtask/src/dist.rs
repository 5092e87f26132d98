//! `make dist`: builds the files for users.

use std::fs;

use anyhow::Result;

use crate::size::Sizes;
use crate::workspace::Workspace;
use crate::{action, book, man, notices, package, page, policy, reference, size};

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
    for name in policy::POLICIES.iter().map(policy::Policy::annotated) {
        fs::copy(workspace.artifact(&name), folder.join(&name))?;
    }
    for part in &policy::PARTS {
        fs::copy(part.path(workspace), folder.join(format!("{}.wasm", part.name)))?;
    }
    notices::write(workspace, &folder, &["changeover-policy"], notices::WASM)?;
    page::copy(&site, &folder.join("site"))?;
    book::build(workspace, &folder.join("site/docs"))?;
    let archive = format!("changeover-{}.tgz", env!("CARGO_PKG_VERSION"));
    fs::copy(&package.archive, folder.join(&archive))?;
    action::install(workspace)?;
    page::copy(&reference::build(workspace)?, &folder.join("reference"))?;
    man::build(workspace, &folder.join("man"))?;

    size::print_head();
    let mut excess = size::print_and_check("policy.wasm", &folder.join("policy.wasm"), &policy::BUDGET)?;
    let small = folder.join("small-policy.wasm");
    excess.extend(size::print_and_check("small-policy.wasm", &small, &policy::SMALL_BUDGET)?);
    excess.extend(page::print_and_check(&folder.join("site"))?);
    excess.extend(package.print_and_check()?);
    Sizes::of(&folder.join(&archive))?.print(&archive);
    size::ensure_within_budget(&excess)
}
