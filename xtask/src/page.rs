//! The page: the static shell of `www` with the Yew app of `web`, and the player that it asks.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::pod_symbols;
use crate::size::{self, Budget, Sizes};
use crate::wasm::{self, Module};
use crate::workspace::Workspace;

/// The site's modules: `pkg/NAME.js` and `pkg/NAME_bg.wasm`.
const MODULES: [Module; 2] = [wasm::PAGE, wasm::PLAYER];

/// The limit for both modules together.
const BUDGET: Budget = Budget { raw: None, brotli: Some(450_000) };

/// Where the stories lie inside the site.
const STORIES: &str = "scenarios";

/// Builds the site and returns its folder.
///
/// # Errors
/// When it does not build.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let modules = MODULES.iter().map(|module| wasm::compile(workspace, module));
    let modules: Vec<PathBuf> = modules.collect::<Result<_>>()?;
    let shell = workspace.root.join("www/static");
    let stories = workspace.root.join("www/scenarios");
    let site = workspace.artifact("site");
    let mut inputs = size::files(&shell)?;
    inputs.extend(size::files(&stories)?);
    inputs.extend(modules.iter().cloned());
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let stamp = workspace.artifact("site.stamp");
    if wasm::is_up_to_date(&stamp, &inputs) && same_files(&shell, &stories, &site)? {
        return Ok(site);
    }
    if site.exists() {
        fs::remove_dir_all(&site)?;
    }
    copy(&shell, &site)?;
    let index = site.join("index.html");
    fs::write(&index, pod_symbols::expand(&fs::read_to_string(&index)?)?)?;
    copy(&stories, &site.join(STORIES))?;
    for (Module { name, .. }, compiled) in MODULES.iter().zip(&modules) {
        let bound = workspace.artifact(name);
        wasm::bind(compiled, &bound, name, true)?;
        copy(&bound, &site.join("pkg"))?;
        let file = format!("{name}_bg.wasm");
        wasm::optimise(workspace, &bound.join(&file), &site.join("pkg").join(file))?;
    }
    size::precompress(&site)?;
    fs::write(&stamp, "")?;
    Ok(site)
}

/// Prints the sizes of a site's modules and returns those over the budget.
///
/// # Errors
/// When one can't be read.
pub fn print_and_check(site: &Path) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for Module { name, .. } in &MODULES {
        for file in [format!("pkg/{name}.js"), format!("pkg/{name}_bg.wasm")] {
            let sizes = Sizes::of(&site.join(&file))?;
            sizes.print(&file);
            all.push(sizes);
        }
    }
    let all = all.into_iter().sum::<Sizes>();
    all.print("page and player");
    Ok(BUDGET.excess("page and player", all))
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
