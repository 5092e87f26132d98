//! `make dist`: what is given to users.

use std::fs;

use anyhow::Result;

use crate::house::House;
use crate::size::Sizes;
use crate::{package, page, policy, size};

/// Fills `dist/` and prints what it weighs.
///
/// # Errors
/// When something does not build, or is too large.
pub fn dist(house: &House) -> Result<()> {
    let policy = policy::build(house)?;
    let site = page::build(house)?;
    let package = package::build(house)?;
    let folder = house.root.join("dist");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    fs::copy(policy, folder.join("policy.wasm"))?;
    fs::copy(house.made("annotated-policy.wasm"), folder.join("annotated-policy.wasm"))?;
    page::copy(&site, &folder.join("site"))?;
    let archive = format!("changeover-{}.tgz", env!("CARGO_PKG_VERSION"));
    fs::copy(package.archive, folder.join(&archive))?;

    size::print_head();
    let mut excess = size::judge("policy.wasm", &folder.join("policy.wasm"), &policy::BUDGET)?;
    excess.extend(page::judge(&folder.join("site"))?);
    excess.extend(size::judge("npm's changeover.wasm", &package.module, &package::BUDGET)?);
    Sizes::of(&folder.join(&archive))?.print(&archive);
    size::verdict(&excess)
}
