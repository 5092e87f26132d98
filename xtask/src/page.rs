//! The page: the static shell of `www` with the Yew app of `web`.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::house::House;
use crate::size::{self, Budget};
use crate::{shapes, wasm};

/// What has been reached, stories, tables, the cluster's models and "what if" included; it only goes down. The goal is 600,000 bytes
/// raw and 200,000 with Brotli.
pub const BUDGET: Budget = Budget { raw: 767_000, brotli: Some(280_000) };

/// The app's module inside the site.
pub const MODULE: &str = "pkg/changeover_bg.wasm";

/// Where the stories lie inside the site.
const STORIES: &str = "scenarios";

/// Builds the site and returns its folder.
///
/// # Errors
/// When it does not build.
pub fn build(house: &House) -> Result<PathBuf> {
    let module = wasm::compile(house, "changeover-web")?;
    let shell = house.root.join("www/static");
    let stories = house.root.join("www/scenarios");
    let site = house.made("site");
    let mut inputs = size::files(&shell)?;
    inputs.extend(size::files(&stories)?);
    inputs.push(module.clone());
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let stamp = house.made("site.stamp");
    if wasm::is_made(&stamp, &inputs) && same_files(&shell, &stories, &site)? {
        return Ok(site);
    }
    if site.exists() {
        fs::remove_dir_all(&site)?;
    }
    copy(&shell, &site)?;
    let index = site.join("index.html");
    fs::write(&index, shapes::expand(&fs::read_to_string(&index)?)?)?;
    copy(&stories, &site.join(STORIES))?;
    let bound = house.made("page");
    wasm::bind(&module, &bound, "changeover", false)?;
    copy(&bound, &site.join("pkg"))?;
    wasm::optimise(house, &bound.join("changeover_bg.wasm"), &site.join(MODULE))?;
    size::precompress(&site)?;
    fs::write(&stamp, "")?;
    Ok(site)
}

/// Whether every file of the shell and of the stories is in the site, and none of the site's was left over from before.
fn same_files(shell: &Path, stories: &Path, site: &Path) -> Result<bool> {
    if !site.exists() {
        return Ok(false);
    }
    let mut shell: Vec<PathBuf> = relative(shell)?;
    shell.extend(relative(stories)?.iter().map(|path| Path::new(STORIES).join(path)));
    shell.sort();
    let site: Vec<PathBuf> = relative(site)?;
    let made = |path: &Path| path.starts_with("pkg") || path.extension().is_some_and(|end| end == "br" || end == "gz");
    Ok(site.into_iter().filter(|path| !made(path)).eq(shell))
}

fn relative(folder: &Path) -> Result<Vec<PathBuf>> {
    let files = size::files(folder)?;
    files.iter().map(|path| Ok(path.strip_prefix(folder)?.to_path_buf())).collect()
}

/// Copies a folder's files into another.
///
/// # Errors
/// When a file can't be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    for path in relative(from)? {
        let target = to.join(&path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::copy(from.join(&path), &target).with_context(|| format!("{} can't be written", target.display()))?;
    }
    Ok(())
}
