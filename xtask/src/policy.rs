//! The policy: the guest that Kubewarden loads.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::size::Budget;
use crate::workspace::Workspace;
use crate::{annotate, wasm};

/// The limit for the policy.
pub const BUDGET: Budget = Budget { raw: Some(320_000), brotli: Some(122_000) };

/// Builds `policy.wasm`, and beside it `annotated-policy.wasm`, and returns where it is.
///
/// # Errors
/// When it does not build.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    // Without WASI: the guest needs nothing of it, and is a fifth smaller.
    let module = wasm::compile(workspace, &wasm::POLICY)?;
    let policy = workspace.artifact("policy.wasm");
    if !wasm::is_up_to_date(&policy, &[&module]) {
        fs::create_dir_all(workspace.artifact(""))?;
        wasm::optimise(workspace, &module, &policy)?;
    }
    annotate::annotate(workspace, &policy, &workspace.artifact("annotated-policy.wasm"))?;
    Ok(policy)
}

/// Builds the guest that only accepts, in the same way.
///
/// # Errors
/// When it does not build.
pub fn empty_guest(workspace: &Workspace) -> Result<PathBuf> {
    let module = wasm::compile(workspace, &wasm::EMPTY_GUEST)?;
    let guest = workspace.artifact("empty-guest.wasm");
    if !wasm::is_up_to_date(&guest, &[&module]) {
        fs::create_dir_all(workspace.artifact(""))?;
        wasm::optimise(workspace, &module, &guest)?;
    }
    Ok(guest)
}
