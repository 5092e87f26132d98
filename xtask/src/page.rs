//! The page: the Yew app of `web`, its player, the recordings of its stories, and the files and HTML pages of `www`.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::html::{self, Audience, Page, PageSources};
use crate::offline;
use crate::release::Release;
use crate::size::{self, Budget, Sizes};
use crate::wasm::{self, Module};
use crate::workspace::Workspace;
use crate::{file_age, notices, recordings, run, tools};

/// The site's modules: `pkg/NAME.js` and `pkg/NAME_bg.wasm`. The workbench, which takes longest to optimize, is compiled before
/// the player.
pub const MODULES: [Module; 4] = [wasm::STORIES, wasm::SANDBOX, wasm::WORKBENCH, wasm::PLAYER];

/// The profile in Cargo.toml for quick builds.
const QUICK: &str = "wasm-quick";

/// The limit for what a first visit loads: the module of the stories, and the largest recording. Idiomatic Yew has its price, and
/// readers only wait for the static text.
pub const STORIES_BUDGET: Budget = Budget { raw: None, brotli: Some(440_000) };

/// The limit for the player, which loads when something is played that is not recorded.
pub const PLAYER_BUDGET: Budget = Budget { raw: None, brotli: Some(470_000) };

/// The limit for the module of the sandbox.
pub const SANDBOX_BUDGET: Budget = Budget { raw: None, brotli: Some(530_000) };

/// The limit for the workbench, which loads only when users enter their own manifests.
pub const WORKBENCH_BUDGET: Budget = Budget { raw: None, brotli: Some(1_280_000) };

/// The sources that are served unchanged, beside those of the HTML pages.
const STATIC: &str = "www/static";
const PREVIEWS: &str = "www/previews";

/// The manifest editor and its bundle.
const EDITOR: &str = "web/editor";
const EDITOR_BUNDLE: &str = "editor.js";

/// The comment at the top of the bundle.
const EDITOR_LICENSE: &str = "--banner:js=/* LICENSES.txt has the licenses of this file. */";

/// Where a browser says whether input is pending, CodeMirror parses for up to 100 ms at a time, and no frame is drawn meanwhile.
/// Without that, it stops at the end of the browser's idle time.
const EDITOR_SLICES: &str = "--define:navigator.scheduling=undefined";

/// The limit for the editor, which loads when the YAML view first opens.
pub const EDITOR_BUDGET: Budget = Budget { raw: None, brotli: Some(130_000) };

/// Builds the site and returns its folder.
///
/// # Errors
/// If it does not build.
pub fn build(workspace: &Workspace) -> Result<PathBuf> {
    let site = workspace.artifact("site");
    let mut inputs = wasm::build_all(workspace, &MODULES)?;
    for folder in [STATIC, PREVIEWS, EDITOR, offline::SOURCES] {
        inputs.extend(size::files(&workspace.root.join(folder))?);
    }
    let PageSources { templates, scenarios, topics, pictures, proof } = PageSources::of(&workspace.root);
    let recordings = recordings::build(workspace, &scenarios)?;
    for folder in [&templates, &scenarios, &pictures, &recordings] {
        inputs.extend(size::files(folder)?);
    }
    inputs.extend([topics, proof]);
    inputs.extend(["Cargo.lock", "NOTICE"].map(|file| workspace.root.join(file)));
    // The names are part of the stamp, so that a removed file is noticed.
    let stamp = workspace.artifact("site.stamp");
    let names: String = inputs.iter().map(|path| format!("{}\n", path.display())).collect();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    if site.exists() && file_age::is_up_to_date(&stamp, &inputs) && fs::read_to_string(&stamp)? == names {
        return Ok(site);
    }
    let modules: Vec<PathBuf> = MODULES.iter().map(|module| module.path(workspace)).collect();
    let editor = write(workspace, &site, &recordings, Audience::Public, &lengths(&modules)?)?;
    for module in &MODULES {
        copy(&module.bound_folder(workspace), &site.join("pkg"))?;
        copy_file(&module.path(workspace), &site.join("pkg").join(module.bound_file()))?;
    }
    offline::add(&workspace.root.join(offline::SOURCES), &site, Audience::Public)?;
    // After the list of what is kept for offline use.
    notices::write(workspace, &site, &MODULES.map(|module| module.krate), notices::WASM)?;
    let mut licenses = fs::OpenOptions::new().append(true).open(site.join(notices::FILE))?;
    licenses.write_all(notices::of_packages(&editor)?.as_bytes())?;
    size::precompress(&site)?;
    fs::write(&stamp, names)?;
    Ok(site)
}

/// Builds the site quickly for its developer, without optimized modules or compressed files. Returns its folder.
///
/// # Errors
/// If it does not build.
pub fn build_quickly(workspace: &Workspace) -> Result<PathBuf> {
    let site = workspace.artifact("site-dev");
    let bound = workspace.artifact("pkg-dev");
    for module in &MODULES {
        let compiled = wasm::compile_with(workspace, module, QUICK)?;
        if !file_age::is_up_to_date(&bound.join(module.bound_file()), &[&compiled]) {
            wasm::bind(&compiled, &bound, module.name, true)?;
        }
    }
    let modules: Vec<PathBuf> = MODULES.iter().map(|module| bound.join(module.bound_file())).collect();
    let recordings = recordings::build(workspace, &PageSources::of(&workspace.root).scenarios)?;
    write(workspace, &site, &recordings, Audience::Developer, &lengths(&modules)?)?;
    copy(&bound, &site.join("pkg"))?;
    offline::add(&workspace.root.join(offline::SOURCES), &site, Audience::Developer)?;
    Ok(site)
}

/// Writes everything except the modules into an empty folder. Returns the folders of npm's packages in the editor.
fn write(
    workspace: &Workspace,
    site: &Path,
    recordings: &Path,
    audience: Audience,
    lengths: &str,
) -> Result<BTreeSet<PathBuf>> {
    let sources = PageSources::of(&workspace.root);
    let pages = html::pages(&sources, audience, &Release::read(workspace)?, lengths)?;
    if site.exists() {
        fs::remove_dir_all(site)?;
    }
    copy(&workspace.root.join(STATIC), site)?;
    let packages = bundle_editor(workspace, site)?;
    copy(&sources.scenarios, &site.join("scenarios"))?;
    copy(recordings, &site.join("scenarios"))?;
    copy(&workspace.root.join(PREVIEWS), &site.join("previews"))?;
    for Page { path, text } in pages {
        let file = site.join(path);
        create_parent(&file)?;
        fs::write(&file, text).with_context(|| format!("{} can't be written", file.display()))?;
    }
    Ok(packages)
}

/// How long the modules are, by name: `player:12 stories:34`. The files are in the order of [`MODULES`].
fn lengths(files: &[PathBuf]) -> Result<String> {
    let lengths = MODULES.iter().zip(files).map(|(module, file)| {
        let length = fs::metadata(file).with_context(|| format!("{} can't be read", file.display()))?.len();
        Ok(format!("{}:{length}", module.name))
    });
    Ok(lengths.collect::<Result<Vec<_>>>()?.join(" "))
}

/// Bundles the manifest editor into the site. Returns the folders of npm's packages in it.
fn bundle_editor(workspace: &Workspace, site: &Path) -> Result<BTreeSet<PathBuf>> {
    tools::node_modules(workspace)?;
    let esbuild = workspace.root.join("node_modules/.bin/esbuild");
    let inputs = workspace.artifact("editor.json");
    let format = ["--bundle", "--minify", "--format=esm", "--target=es2022", "--log-level=warning"];
    let mut bundle = run::command(workspace, esbuild, &[&format!("{EDITOR}/editor.mjs")]);
    bundle
        .args(format)
        .args([EDITOR_LICENSE, EDITOR_SLICES])
        .arg(format!("--metafile={}", inputs.display()))
        .arg(format!("--outfile={}", site.join(EDITOR_BUNDLE).display()));
    run::run(bundle)?;
    let inputs: Value = serde_json::from_str(&fs::read_to_string(&inputs)?)?;
    let files = inputs.get("inputs").and_then(Value::as_object).into_iter().flatten().map(|(file, _)| file);
    Ok(files.filter_map(|file| package_of(file)).map(|package| workspace.root.join(package)).collect())
}

/// The folder of the npm package that a file belongs to.
fn package_of(file: &str) -> Option<PathBuf> {
    let (folder, path) = file.rsplit_once("node_modules/")?;
    let depth = if path.starts_with('@') { 2 } else { 1 };
    Some(Path::new(folder).join("node_modules").join(path.split('/').take(depth).collect::<PathBuf>()))
}

/// Prints the sizes of a site's modules and returns a message for each limit that is exceeded.
///
/// # Errors
/// If one can't be read.
pub fn print_and_check(site: &Path) -> Result<Vec<String>> {
    let mut messages = Vec::new();
    let loads = [
        ("first visit", wasm::STORIES, Some(largest_recording(site)?), STORIES_BUDGET),
        ("player", wasm::PLAYER, None, PLAYER_BUDGET),
        ("sandbox", wasm::SANDBOX, None, SANDBOX_BUDGET),
        ("workbench", wasm::WORKBENCH, None, WORKBENCH_BUDGET),
    ];
    for (name, module, recording, budget) in loads {
        let mut all = Vec::new();
        for file in
            [format!("pkg/{}.js", module.name), format!("pkg/{}", module.bound_file())].into_iter().chain(recording)
        {
            let sizes = Sizes::of_precompressed(&site.join(&file))?;
            sizes.print(&file);
            all.push(sizes);
        }
        let all = all.into_iter().sum::<Sizes>();
        all.print(name);
        messages.extend(budget.excess(name, all));
    }
    let editor = Sizes::of_precompressed(&site.join(EDITOR_BUNDLE))?;
    editor.print(EDITOR_BUNDLE);
    messages.extend(EDITOR_BUDGET.excess("editor", editor));
    Ok(messages)
}

/// The largest recording of a story, as a path in the site.
fn largest_recording(site: &Path) -> Result<String> {
    let mut largest = (0, None);
    for path in size::files(&site.join("scenarios"))? {
        let name = path.strip_prefix(site)?.to_string_lossy().into_owned();
        if name.ends_with(recordings::ENDING) {
            largest = largest.max((Sizes::of_precompressed(&path)?.brotli, Some(name)));
        }
    }
    largest.1.context("the site has no recording")
}

/// Copies the files of one folder into another.
///
/// # Errors
/// If a file can't be read or written.
pub fn copy(from: &Path, to: &Path) -> Result<()> {
    for path in size::files(from)? {
        copy_file(&path, &to.join(path.strip_prefix(from)?))?;
    }
    Ok(())
}

fn copy_file(from: &Path, to: &Path) -> Result<()> {
    create_parent(to)?;
    fs::copy(from, to).with_context(|| format!("{} can't be written", to.display()))?;
    Ok(())
}

fn create_parent(file: &Path) -> Result<()> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("{} can't be created", folder.display()))?;
    }
    Ok(())
}
