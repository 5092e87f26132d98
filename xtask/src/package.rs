//! The npm package.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Result;
use serde_json::{Value, json};

use crate::page::copy;
use crate::release::Release;
use crate::size::{Budget, Sizes};
use crate::workspace::Workspace;
use crate::{file_age, man, notices, parallel, run, size, wasm};

/// The limit for the package's module. BENCHMARKS.md explains where the bytes go.
pub const BUDGET: Budget = Budget { raw: Some(5_830_000), brotli: None };

/// The limit for the module of the package's command, which users of the library never load.
pub const COMMAND_BUDGET: Budget = Budget { raw: Some(4_970_000), brotli: None };

/// The result of [`build`].
pub struct Package {
    /// `changeover-VERSION.tgz`.
    pub archive: PathBuf,
    /// The module inside it.
    pub module: PathBuf,
    /// The module of its command.
    pub command_module: PathBuf,
}

impl Package {
    /// Prints the sizes of the modules and returns a message for each limit that is exceeded.
    ///
    /// # Errors
    /// If one can't be read.
    pub fn print_and_check(&self) -> Result<Vec<String>> {
        let modules = [
            ("npm's changeover.wasm", &self.module, BUDGET),
            ("npm's bin/command.wasm", &self.command_module, COMMAND_BUDGET),
        ];
        // Brotli takes ten seconds for each.
        let sizes = parallel::map(&modules, |(_, module, _)| Sizes::of(module))?;
        let mut excess = Vec::new();
        for ((name, _, budget), sizes) in modules.iter().zip(sizes) {
            sizes.print(name);
            excess.extend(budget.excess(name, sizes));
        }
        Ok(excess)
    }
}

/// The command of the last built package.
pub fn command(workspace: &Workspace) -> PathBuf {
    workspace.artifact("npm/package/bin/changeover.mjs")
}

/// Builds and packs the package.
///
/// # Errors
/// If it does not build.
pub fn build(workspace: &Workspace) -> Result<Package> {
    let modules = [wasm::PACKAGE, wasm::COMMAND];
    let built = wasm::build_all(workspace, &modules)?;
    let work = workspace.artifact("npm");
    let raw = work.join("raw");
    let archive = work.join(format!("changeover-{}.tgz", env!("CARGO_PKG_VERSION")));
    let package = Package { archive, module: raw.join("changeover.wasm"), command_module: raw.join("command.wasm") };
    if is_fresh(workspace, &package, &built)? {
        return Ok(package);
    }
    fs::create_dir_all(&raw)?;
    for (module, built) in modules.iter().zip(&built) {
        let script = format!("{}.js", module.name);
        fs::copy(module.bound_folder(workspace).join(&script), raw.join(&script))?;
        fs::copy(built, raw.join(format!("{}.wasm", module.name)))?;
    }
    assemble(workspace, &raw, &work.join("package"))?;
    pack(workspace, &work)?;
    Ok(package)
}

/// Whether the archive is newer than its sources.
fn is_fresh(workspace: &Workspace, package: &Package, modules: &[PathBuf]) -> Result<bool> {
    let mut inputs = modules.to_vec();
    inputs.push(workspace.root.join("package-lock.json"));
    for folder in ["npm/js", "npm/schema"] {
        inputs.extend(size::files(&workspace.root.join(folder))?);
    }
    inputs.extend(
        ["bin/changeover.mjs", "bin/machine.mjs", "build.mjs", "package.json", "README.md"]
            .map(|file| workspace.root.join("npm").join(file)),
    );
    inputs.extend(
        [
            "cli/src/bin/man.rs",
            "docs/cli.md",
            "docs/mcp.md",
            "docs/predict.md",
            "docs/scenario.md",
            "Cargo.toml",
            "Cargo.lock",
            "NOTICE",
        ]
        .map(|file| workspace.root.join(file)),
    );
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    Ok(file_age::is_up_to_date(&package.archive, &inputs))
}

/// Writes the man pages, bundles the JavaScript, and writes the types with `npm/build.mjs`.
fn assemble(workspace: &Workspace, raw: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    notices::write(workspace, folder, &["changeover-npm", "changeover-npm-bin"], notices::WASM)?;
    // What npm/build.mjs bundles, and the functions with which the bundler begins its files.
    let packages = ["fflate", "rolldown"].map(|name| workspace.root.join("node_modules").join(name));
    let mut licenses = fs::OpenOptions::new().append(true).open(folder.join(notices::FILE))?;
    licenses.write_all(notices::of_packages(&BTreeSet::from(packages))?.as_bytes())?;
    copy(&workspace.root.join("npm/schema"), folder)?;
    let pages = man::build(workspace, &folder.join("man"))?;
    let mut script = run::node(workspace, &workspace.root.join("npm/build.mjs"), &[]);
    script.arg(raw).arg(folder).arg(fields(workspace, &pages)?.to_string());
    run::run(script)
}

/// The fields of package.json that come from elsewhere.
fn fields(workspace: &Workspace, pages: &[PathBuf]) -> Result<Value> {
    let Release { home, source, issues, funding, author, .. } = Release::read(workspace)?;
    let pages = pages.iter().filter_map(|page| page.file_name());
    let man: Vec<String> = pages.map(|name| format!("./man/{}", name.to_string_lossy())).collect();
    Ok(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "author": author,
        "homepage": home,
        "repository": { "type": "git", "url": format!("git+{source}.git"), "directory": "npm" },
        "bugs": issues,
        "funding": funding,
        "man": man,
    }))
}

fn pack(workspace: &Workspace, work: &Path) -> Result<()> {
    let mut npm = run::command(workspace, "npm", &["pack", "--silent", "--loglevel", "error", "--pack-destination"]);
    npm.arg(work).current_dir(work.join("package"));
    run::output(npm).map(drop)
}
