//! The policy: the guest that Kubewarden loads.

use std::fs;
use std::path::PathBuf;

use anyhow::Result;

use crate::house::House;
use crate::size::Budget;
use crate::{annotate, wasm};

/// What the policy may have.
pub const BUDGET: Budget = Budget { raw: Some(320_000), brotli: Some(122_000) };

/// Builds `policy.wasm`, and beside it `annotated-policy.wasm`, and returns where it is.
///
/// # Errors
/// When it does not build.
pub fn build(house: &House) -> Result<PathBuf> {
    // Without WASI: the guest needs nothing of it, and is a fifth smaller.
    let module = wasm::compile(house, &wasm::POLICY)?;
    let policy = house.made("policy.wasm");
    if !wasm::is_made(&policy, &[&module]) {
        fs::create_dir_all(house.made(""))?;
        wasm::optimise(house, &module, &policy)?;
    }
    annotate::annotate(house, &policy, &house.made("annotated-policy.wasm"))?;
    Ok(policy)
}

/// Builds the guest that only accepts, in the same way.
///
/// # Errors
/// When it does not build.
pub fn empty_guest(house: &House) -> Result<PathBuf> {
    let module = wasm::compile(house, &wasm::EMPTY_GUEST)?;
    let guest = house.made("empty-guest.wasm");
    if !wasm::is_made(&guest, &[&module]) {
        fs::create_dir_all(house.made(""))?;
        wasm::optimise(house, &module, &guest)?;
    }
    Ok(guest)
}
