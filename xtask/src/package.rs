//! The npm package.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::house::House;
use crate::page::copy;
use crate::size::Budget;
use crate::{run, size, tools, wasm};

/// What the package's module may have.
pub const BUDGET: Budget = Budget { raw: Some(1_400_000), brotli: None };

/// What [`build`] made.
pub struct Package {
    /// `changeover-VERSION.tgz`.
    pub archive: PathBuf,
    /// The module inside it.
    pub module: PathBuf,
}

/// Builds and packs the package.
///
/// # Errors
/// When it does not build.
pub fn build(house: &House) -> Result<Package> {
    tools::node_modules(house)?;
    let module = wasm::compile(house, &wasm::PACKAGE)?;
    let work = house.made("npm");
    let archive = work.join(format!("changeover-{}.tgz", env!("CARGO_PKG_VERSION")));
    let package = Package { archive, module: work.join("raw/changeover.wasm") };
    if is_fresh(house, &package, &module)? {
        return Ok(package);
    }
    let bound = work.join("bound");
    wasm::bind(&module, &bound, "changeover", true)?;
    let raw = work.join("raw");
    fs::create_dir_all(&raw)?;
    fs::copy(bound.join("changeover.js"), raw.join("changeover.js"))?;
    wasm::optimise(house, &bound.join("changeover_bg.wasm"), &package.module)?;
    assemble(house, &raw, &work.join("package"))?;
    pack(house, &work)?;
    Ok(package)
}

/// Whether the archive was made from the sources as they are.
fn is_fresh(house: &House, package: &Package, module: &Path) -> Result<bool> {
    let mut inputs = vec![module.to_path_buf(), house.root.join("package-lock.json")];
    for folder in ["npm/js", "npm/schema"] {
        inputs.extend(size::files(&house.root.join(folder))?);
    }
    inputs.extend(["build.mjs", "package.json", "README.md"].map(|file| house.root.join("npm").join(file)));
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    Ok(wasm::is_made(&package.archive, &inputs))
}

/// Bundles the JavaScript and writes the types: `npm/build.mjs`.
fn assemble(house: &House, raw: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    for paper in ["LICENSE", "NOTICE"] {
        fs::copy(house.root.join(paper), folder.join(paper)).with_context(|| format!("{paper} is missing"))?;
    }
    copy(&house.root.join("npm/schema"), folder)?;
    let mut script = run::node(house, &house.root.join("npm/build.mjs"), &[]);
    script.arg(raw).arg(folder).arg(env!("CARGO_PKG_VERSION"));
    run::run(script)
}

fn pack(house: &House, work: &Path) -> Result<()> {
    let mut npm = run::command(house, "npm", &["pack", "--silent", "--loglevel", "error", "--pack-destination"]);
    npm.arg(work).current_dir(work.join("package"));
    run::output(npm).map(drop)
}
