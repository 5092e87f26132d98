//! Compiles a crate to a small WebAssembly module: cargo, wasm-bindgen if JavaScript calls it, wasm-opt.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, bail};
use wasm_bindgen_cli_support::Bindgen;

use crate::workspace::Workspace;
use crate::{run, tools};

const TARGET: &str = "wasm32-unknown-unknown";

/// A crate to compile to a module.
pub struct Module {
    /// Its file name, without the extension.
    pub name: &'static str,
    pub krate: &'static str,
    /// The profile in Cargo.toml: small, balanced or fast.
    pub profile: &'static str,
    /// Whether JavaScript calls it, through the code that wasm-bindgen generates.
    pub is_bound: bool,
}

pub const POLICY: Module =
    Module { name: "policy", krate: "changeover-policy", profile: "wasm-small", is_bound: false };

/// The page at the addresses of the stories.
pub const STORIES: Module =
    Module { name: "stories", krate: "changeover-stories", profile: "wasm-small", is_bound: true };

/// The page at all other addresses.
pub const SANDBOX: Module =
    Module { name: "sandbox", krate: "changeover-sandbox", profile: "wasm-small", is_bound: true };

/// The module that runs in the page's workers.
pub const PLAYER: Module =
    Module { name: "player", krate: "changeover-player", profile: "wasm-balanced", is_bound: true };

/// The module that runs in the page's workers once the user has entered manifests.
pub const WORKBENCH: Module =
    Module { name: "workbench", krate: "changeover-workbench", profile: "wasm-balanced", is_bound: true };

/// The npm package's module.
pub const PACKAGE: Module =
    Module { name: "changeover", krate: "changeover-npm", profile: "wasm-fast", is_bound: true };

/// The module of the package's command.
pub const COMMAND: Module =
    Module { name: "command", krate: "changeover-npm-bin", profile: "wasm-balanced", is_bound: true };

/// A guest that accepts everything: the baseline for the policy's size and speed.
pub const EMPTY_GUEST: Module =
    Module { name: "empty-guest", krate: "changeover-tests-empty-guest", profile: "wasm-small", is_bound: false };

/// The guest in which wasmtime plays scenarios, for `tests/bytes`.
pub const BYTES: Module =
    Module { name: "bytes", krate: "changeover-tests-bytes", profile: "wasm-small", is_bound: false };

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

/// Compiles crates of different profiles at the same time: link-time optimization uses one core, and cargo locks one profile.
///
/// # Errors
/// If one does not compile.
pub fn compile_all(workspace: &Workspace, modules: &[Module]) -> Result<()> {
    tools::targets(workspace)?;
    let mut profiles: BTreeMap<&str, Vec<&Module>> = BTreeMap::new();
    for module in modules {
        profiles.entry(module.profile).or_default().push(module);
    }
    let compile = |modules: Vec<&Module>| modules.into_iter().try_for_each(|it| compile(workspace, it).map(drop));
    thread::scope(|scope| {
        let threads: Vec<_> = profiles.into_values().map(|modules| scope.spawn(move || compile(modules))).collect();
        let results = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| bail!("a thread panicked")));
        results.collect()
    })
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
///
/// # Errors
/// If wasm-opt rejects the module.
pub fn optimize(workspace: &Workspace, input: &Path, output: &Path) -> Result<()> {
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
    // take almost three times as long and save a quarter of a percent.
    let mut command = run::node(workspace, &script, &["-Oz", "--low-memory-unused"]);
    command.args(options).args(FEATURES).arg(input).arg("-o").arg(output);
    println!("  Optimizing {}", output.file_name().unwrap_or_default().display());
    run::run(command)
}
