//! Builds small WebAssembly modules from crates: cargo, wasm-bindgen if JavaScript calls the module, wasm-opt.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread::{self, Scope, ScopedJoinHandle};

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::workspace::Workspace;
use crate::{file_age, run, tools};

/// The policy needs nothing from WASI, and is a fifth smaller without it.
const TARGET: &str = "wasm32-unknown-unknown";

/// A crate to compile to a module.
pub struct Module {
    /// Its file name, without the extension.
    pub name: &'static str,
    pub krate: &'static str,
    /// The profile in Cargo.toml: small, balanced or fast.
    pub profile: &'static str,
    pub finish: Finish,
}

/// How a compiled module becomes the one to use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// JavaScript calls it through the code that wasm-bindgen generates. wasm-opt makes it smaller.
    BindAndOptimize,
    /// A host of WebAssembly calls it. wasm-opt makes it smaller.
    Optimize,
    /// Its size doesn't matter.
    Copy,
}

impl Module {
    /// The file name of the module beside its JavaScript.
    pub fn bound_file(&self) -> String {
        format!("{}_bg.wasm", self.name)
    }

    /// The folder in which wasm-bindgen writes `NAME.js`.
    pub fn bound_folder(&self, workspace: &Workspace) -> PathBuf {
        workspace.artifact("bound").join(self.name)
    }

    /// The finished module.
    pub fn path(&self, workspace: &Workspace) -> PathBuf {
        workspace.artifact(&format!("{}.wasm", self.name))
    }
}

pub const POLICY: Module =
    Module { name: "policy", krate: "changeover-policy", profile: "wasm-small", finish: Finish::Optimize };

/// The same without the simulation: for the policies of deletion costs and of Jobs.
pub const SMALL_POLICY: Module = Module { name: "small-policy", krate: "changeover-policy-small", ..POLICY };

/// The same without the settings that change objects: for the policy of rollouts.
pub const ROLLOUTS_POLICY: Module = Module { name: "rollouts-policy", krate: "changeover-policy-rollouts", ..POLICY };

/// The page at the addresses of the stories.
pub const STORIES: Module =
    Module { name: "stories", krate: "changeover-stories", profile: "wasm-small", finish: Finish::BindAndOptimize };

/// The page at all other addresses.
pub const SANDBOX: Module =
    Module { name: "sandbox", krate: "changeover-sandbox", profile: "wasm-small", finish: Finish::BindAndOptimize };

/// The module that runs in the page's workers.
pub const PLAYER: Module =
    Module { name: "player", krate: "changeover-player", profile: "wasm-balanced", finish: Finish::BindAndOptimize };

/// The module that runs in the page's workers once the user has entered manifests.
pub const WORKBENCH: Module = Module {
    name: "workbench",
    krate: "changeover-workbench",
    profile: "wasm-balanced",
    finish: Finish::BindAndOptimize,
};

/// The npm package's module.
pub const PACKAGE: Module =
    Module { name: "changeover", krate: "changeover-npm", profile: "wasm-fast", finish: Finish::BindAndOptimize };

/// The module of the package's command.
pub const COMMAND: Module =
    Module { name: "command", krate: "changeover-npm-bin", profile: "wasm-balanced", finish: Finish::BindAndOptimize };

/// A guest that accepts everything: the baseline for the policy's size and speed.
pub const EMPTY_GUEST: Module = Module {
    name: "empty-guest",
    krate: "changeover-tests-empty-guest",
    profile: "wasm-small",
    finish: Finish::Optimize,
};

/// The guest in which wasmtime plays scenarios, for `tests/bytes`. Only its output matters, so it has the command's profile, and
/// shares its compiled core.
pub const BYTES: Module =
    Module { name: "bytes", krate: "changeover-tests-bytes", profile: "wasm-balanced", finish: Finish::Copy };

/// The features that wasm-opt may use: the ones that all browsers, Node 20 and wasmtime support.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-multivalue",
    "--enable-reference-types",
];

/// Compiles a crate and returns the path of the module.
///
/// # Errors
/// If the crate does not compile, or has no WebAssembly output.
pub fn compile(workspace: &Workspace, module: &Module) -> Result<PathBuf> {
    compile_with(workspace, module, module.profile)
}

/// Compiles and finishes a module, and returns its path.
///
/// # Errors
/// If the crate does not compile, or a later step fails.
pub fn build(workspace: &Workspace, module: &Module) -> Result<PathBuf> {
    finish(workspace, module, &compile(workspace, module)?)?;
    Ok(module.path(workspace))
}

/// Builds modules at the same time, and returns their paths in the given order. Link-time optimization uses one core, and cargo
/// locks one profile, so modules of the same profile are compiled one after the other. Each is finished while the next one is
/// compiled, so a module that takes long to finish should come early.
///
/// # Errors
/// If one of them can't be built.
pub fn build_all(workspace: &Workspace, modules: &[Module]) -> Result<Vec<PathBuf>> {
    // Installs them now, so that no two threads install the same one.
    tools::targets(workspace)?;
    tools::node_modules(workspace)?;
    let mut profiles: BTreeMap<&str, Vec<&Module>> = BTreeMap::new();
    for module in modules {
        profiles.entry(module.profile).or_default().push(module);
    }
    thread::scope(|scope| {
        let start = |modules| scope.spawn(move || build_in_turn(scope, workspace, modules));
        let threads: Vec<_> = profiles.into_values().map(start).collect();
        threads.into_iter().try_for_each(join)
    })?;
    Ok(modules.iter().map(|module| module.path(workspace)).collect())
}

/// Compiles modules one after the other, and finishes each in a thread of its own.
fn build_in_turn<'scope, 'env>(
    scope: &'scope Scope<'scope, 'env>,
    workspace: &'env Workspace,
    modules: Vec<&'env Module>,
) -> Result<()> {
    let mut finishing = Vec::new();
    for module in modules {
        let compiled = compile(workspace, module)?;
        finishing.push(scope.spawn(move || finish(workspace, module, &compiled)));
    }
    finishing.into_iter().try_for_each(join)
}

fn join(thread: ScopedJoinHandle<'_, Result<()>>) -> Result<()> {
    thread.join().unwrap_or_else(|_| bail!("a thread panicked"))
}

/// Makes the finished module from the compiled one, unless it is newer.
fn finish(workspace: &Workspace, module: &Module, compiled: &Path) -> Result<()> {
    let finished = module.path(workspace);
    if file_age::is_up_to_date(&finished, &[compiled]) {
        return Ok(());
    }
    fs::create_dir_all(workspace.artifact(""))?;
    match module.finish {
        Finish::BindAndOptimize => {
            let bound = module.bound_folder(workspace);
            bind(compiled, &bound, module.name, true)?;
            optimize(workspace, &bound.join(module.bound_file()), &finished)
        }
        Finish::Optimize => optimize(workspace, compiled, &finished),
        Finish::Copy => {
            fs::copy(compiled, &finished).with_context(|| format!("{} can't be written", finished.display()))?;
            Ok(())
        }
    }
}

/// Like [`compile`], with another profile.
///
/// # Errors
/// As [`compile`].
pub fn compile_with(workspace: &Workspace, module: &Module, profile: &str) -> Result<PathBuf> {
    tools::targets(workspace)?;
    // Benchmarks and tests use some of these crates as libraries. If cargo also builds a library, it skips link-time
    // optimization, which costs a sixth of the size.
    let mut command = run::cargo(workspace, &["rustc", "--lib", "--crate-type", "cdylib", "--package", module.krate]);
    command.args(["--target", TARGET, "--profile", profile, "--message-format", "json-render-diagnostics"]);
    // Panic messages contain source paths. Without this machine's paths, every machine builds the same bytes.
    let cargo_home = tools::cargo_home()?;
    command.env("CARGO_ENCODED_RUSTFLAGS", format!("--remap-path-prefix={}=cargo", cargo_home.display()));
    output(&run::output(command)?, module.krate)
}

fn output(messages: &str, krate: &str) -> Result<PathBuf> {
    let mut modules = messages.lines().filter_map(|line| module_of(line, krate));
    modules.next_back().with_context(|| format!("{krate} has no WebAssembly output: it needs a cdylib or a binary"))
}

/// The path of the module in one of cargo's messages, if it belongs to this crate.
fn module_of(message: &str, krate: &str) -> Option<PathBuf> {
    let message: serde_json::Value = serde_json::from_str(message).ok()?;
    if message.get("reason")? != "compiler-artifact" {
        return None;
    }
    let target = message.get("target")?.get("name")?.as_str()?;
    if target.replace('-', "_") != krate.replace('-', "_") {
        return None;
    }
    let files = message.get("filenames")?.as_array()?;
    files.iter().filter_map(|file| file.as_str()).find(|file| file.ends_with(".wasm")).map(PathBuf::from)
}

/// Generates the JavaScript bindings of a module: the ES module `NAME.js` next to `NAME_bg.wasm`.
///
/// `alone` is for code that passes in the bytes itself and replaces an instance that trapped. It leaves out the
/// module's default address, and adds a function that creates a new instance.
///
/// # Errors
/// If the module was not built for wasm-bindgen, or the folder can't be written.
pub fn bind(module: &Path, folder: &Path, name: &str, alone: bool) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(module).out_name(name).web(true)?.typescript(false);
    // wasm-opt strips the names.
    bindgen.remove_producers_section(true).omit_default_module_path(alone);
    bindgen.reset_state_function(alone);
    bindgen.generate(folder).with_context(|| format!("wasm-bindgen refuses {}", module.display()))
}

/// Makes a module smaller.
fn optimize(workspace: &Workspace, input: &Path, output: &Path) -> Result<()> {
    wasm_opt(workspace, &["--strip-debug", "--strip-producers"], input, output)
}

/// Like [`optimize`], but keeps the names of the functions.
///
/// # Errors
/// If wasm-opt rejects the module.
pub fn optimize_with_names(workspace: &Workspace, input: &Path, output: &Path) -> Result<()> {
    wasm_opt(workspace, &["--debuginfo"], input, output)
}

fn wasm_opt(workspace: &Workspace, options: &[&str], input: &Path, output: &Path) -> Result<()> {
    tools::node_modules(workspace)?;
    let script = workspace.root.join("node_modules/binaryen/bin/wasm-opt");
    // The first kilobyte is unused: it is the end of the stack, which grows downward. Repeating the passes (--converge) would
    // take almost three times as long and save a quarter of a percent. Functions of like names are alike: side by side, they
    // compress better.
    let mut command = run::node(workspace, &script, &["-Oz", "--low-memory-unused", "--reorder-functions-by-name"]);
    command.args(options).args(FEATURES).arg(input).arg("-o").arg(output);
    println!("  Optimizing {}", output.file_name().unwrap_or_default().display());
    run::run(command)
}
