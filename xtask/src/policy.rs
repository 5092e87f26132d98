//! The policy: the guest that Kubewarden loads.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::annotate::Metadata;
use crate::file_age;
use crate::size::Budget;
use crate::wasm::{self, Module};
use crate::workspace::Workspace;

/// The limit for the policy's size.
pub const BUDGET: Budget = Budget { raw: Some(375_000), brotli: Some(145_000) };

/// Builds `policy.wasm` and, next to it, `annotated-policy.wasm`. Returns the path of the first.
///
/// # Errors
/// If it does not build.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let policy = guest(workspace, &wasm::POLICY)?;
    let read = |name: &str| fs::read_to_string(workspace.root.join("policy").join(name)).context(name.to_owned());
    let metadata = Metadata::parse(&read("metadata.yml")?)?;
    metadata.annotate(read("README.md")?, &policy, &workspace.artifact("annotated-policy.wasm"))?;
    Ok(policy)
}

/// Builds the guest that accepts everything, with the same options.
///
/// # Errors
/// If it does not build.
pub fn empty_guest(workspace: &Workspace) -> Result<PathBuf> {
    guest(workspace, &wasm::EMPTY_GUEST)
}

/// Compiles and optimizes a guest. It needs nothing from WASI, and is a fifth smaller without it.
fn guest(workspace: &Workspace, module: &Module) -> Result<PathBuf> {
    let compiled = wasm::compile(workspace, module)?;
    let guest = workspace.artifact(&format!("{}.wasm", module.name));
    if !file_age::is_up_to_date(&guest, &[&compiled]) {
        fs::create_dir_all(workspace.artifact(""))?;
        wasm::optimize(workspace, &compiled, &guest)?;
    }
    Ok(guest)
}
