//! The policy: the guest that Kubewarden loads.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::annotate::Metadata;
use crate::size::Budget;
use crate::wasm;
use crate::workspace::Workspace;

/// The limit for the policy's size.
pub const BUDGET: Budget = Budget { raw: Some(495_000), brotli: Some(185_000) };

/// Builds `policy.wasm` and, next to it, `annotated-policy.wasm`. Returns the path of the first.
///
/// # Errors
/// If it does not build.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let policy = wasm::build(workspace, &wasm::POLICY)?;
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
    wasm::build(workspace, &wasm::EMPTY_GUEST)
}
