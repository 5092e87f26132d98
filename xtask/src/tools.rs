//! Installs missing tools: Rust's targets, the packages of package.json, cargo-deny, mdBook, twiggy, browsers.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{file_age, run};

/// The targets in rust-toolchain.toml: one for the page, the package and the policy, and one that proves that core
/// needs no std.
const TARGETS: [&str; 2] = ["wasm32-unknown-unknown", "thumbv7em-none-eabi"];

/// The environment variable with a folder for the programs that cargo compiles here; without it, they are in the target folder.
const FOLDER: &str = "CHANGEOVER_TOOLS";

const CARGO_DENY: &str = "0.20.2";

const MDBOOK: &str = "0.5.4";

const TWIGGY: &str = "0.8.0";

const GECKODRIVER: &str = "0.37.1";

/// Debian's Chromium without windows: tests need less than half of the processor time that they need in `chromium`, which also
/// draws a window for each page.
const HEADLESS_SHELL: &str = "chromium-headless-shell";

/// Where Debian's packages install browsers.
const BROWSERS: &str = "/usr/bin";

/// Installs Rust's targets. rustup installs them with the toolchain, but not into an existing one.
///
/// # Errors
/// If one is missing and rustup can't install it.
pub fn targets(workspace: &Workspace) -> Result<()> {
    ensure_targets(workspace, &TARGETS)
}

/// Installs the given targets.
///
/// # Errors
/// If one is missing and rustup can't install it.
pub fn ensure_targets(workspace: &Workspace, targets: &[&str]) -> Result<()> {
    let libraries = sysroot(workspace)?.join("lib/rustlib");
    let missing: Vec<&str> = targets.iter().copied().filter(|target| !libraries.join(target).exists()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let mut command = run::command(workspace, "rustup", &["target", "add"]);
    command.args(&missing);
    run::run(command).with_context(|| format!("Rust's targets {} are missing", missing.join(", ")))
}

/// The folder of rustc's libraries.
fn sysroot(workspace: &Workspace) -> Result<PathBuf> {
    let printed = run::output(run::command(workspace, "rustc", &["--print", "sysroot"]))?;
    Ok(PathBuf::from(printed.trim()))
}

/// The folder in which cargo keeps the sources of dependencies.
///
/// # Errors
/// If neither `CARGO_HOME` nor a home folder is set.
pub fn cargo_home() -> Result<PathBuf> {
    let named = env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| env::home_dir().map(|home| home.join(".cargo"))).context("CARGO_HOME is not set")
}

/// Installs the packages of package-lock.json.
///
/// # Errors
/// If npm can't install them.
pub fn node_modules(workspace: &Workspace) -> Result<()> {
    let lock = workspace.root.join("package-lock.json");
    let installed = workspace.root.join("node_modules/.package-lock.json");
    if file_age::is_newer(&installed, &[&lock]) {
        return Ok(());
    }
    println!("npm ci");
    run::run(run::command(workspace, "npm", &["ci", "--no-audit", "--no-fund", "--loglevel", "error"]))?;
    // npm keeps the timestamps of the files it unpacks. Touch this one to record the time of the installation.
    touch(&installed)
}

fn touch(path: &Path) -> Result<()> {
    let file = fs::File::options().append(true).open(path).with_context(|| format!("{} is missing", path.display()))?;
    Ok(file.set_modified(std::time::SystemTime::now())?)
}

/// Installs cargo-deny.
///
/// # Errors
/// If it can't be built.
pub fn cargo_deny(workspace: &Workspace) -> Result<PathBuf> {
    install(workspace, "cargo-deny", CARGO_DENY)
}

/// Installs mdBook, which renders the documentation.
///
/// # Errors
/// If it can't be built.
pub fn mdbook(workspace: &Workspace) -> Result<PathBuf> {
    install(workspace, "mdbook", MDBOOK)
}

/// Installs twiggy, which breaks down a module's size.
///
/// # Errors
/// If it can't be built.
pub fn twiggy(workspace: &Workspace) -> Result<PathBuf> {
    install(workspace, "twiggy", TWIGGY)
}

/// Installs geckodriver, through which WebDriver controls Firefox. Debian has no package of it.
///
/// # Errors
/// If it can't be built.
pub fn geckodriver(workspace: &Workspace) -> Result<PathBuf> {
    install(workspace, "geckodriver", GECKODRIVER)
}

/// Builds a crate's program once, unoptimized: it runs for a second, but an optimized build takes minutes.
fn install(workspace: &Workspace, name: &str, version: &str) -> Result<PathBuf> {
    let root = env::var_os(FOLDER).map_or_else(|| workspace.target.join("tools"), PathBuf::from);
    let binary = root.join("bin").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    if has_version(&binary, version) {
        return Ok(binary);
    }
    println!("cargo install {name}@{version} (once)");
    let mut install = run::cargo(workspace, &["install", name, "--version", version, "--locked", "--debug"]);
    install.args(["--quiet", "--force", "--root"]).arg(&root);
    install.env("CARGO_TARGET_DIR", root.join("build")).env("CARGO_PROFILE_DEV_DEBUG", "0");
    run::run(install)?;
    // Half a gigabyte that is no longer needed.
    fs::remove_dir_all(root.join("build"))?;
    Ok(binary)
}

fn has_version(binary: &Path, version: &str) -> bool {
    let answer = Command::new(binary).arg("--version").stderr(Stdio::null()).output();
    answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).contains(version))
}

/// Finds Chromium, or installs Debian's package if the system is Debian and the user may install packages.
///
/// # Errors
/// If there is none, with how to install it.
pub fn chromium(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM").map(PathBuf::from) {
        if path.exists() {
            return Ok(path);
        }
        bail!("CHROMIUM={}: not found", path.display());
    }
    let browsers = Path::new(BROWSERS);
    let [shell, chromium] = [browsers.join(HEADLESS_SHELL), browsers.join("chromium")];
    if shell.exists() || apt_install(workspace, &[HEADLESS_SHELL]) && shell.exists() {
        return Ok(shell);
    }
    if chromium.exists() {
        return Ok(chromium);
    }
    bail!("the browser tests need Chromium: `sudo apt-get install {HEADLESS_SHELL}`, or CHROMIUM=/path/to/chromium");
}

/// Debian's Firefox, the browser and the driver of WebKitGTK, and the display without a screen that this browser needs.
const ENGINES: [&str; 3] = ["firefox-esr", "webkit2gtk-driver", "xvfb"];

/// Browsers with other engines than Chromium's.
pub struct Engines {
    /// Firefox.
    pub firefox: PathBuf,
    /// The driver of WebKitGTK.
    pub webkit_driver: PathBuf,
    /// The browser of WebKitGTK.
    pub mini_browser: PathBuf,
}

/// Finds Firefox and WebKitGTK, or installs Debian's packages if the system is Debian and the user may install packages.
///
/// # Errors
/// If one is missing, with how to install it.
pub fn engines(workspace: &Workspace) -> Result<Engines> {
    if let Some(engines) = find_engines() {
        return Ok(engines);
    }
    apt_install(workspace, &ENGINES);
    find_engines()
        .with_context(|| format!("the tests in other engines need them: `sudo apt-get install {}`", ENGINES.join(" ")))
}

fn find_engines() -> Option<Engines> {
    let browsers = Path::new(BROWSERS);
    // In a folder that is named after the machine's architecture.
    let mini_browser = fs::read_dir("/usr/lib").ok()?.flatten().find_map(|entry| {
        let browser = entry.path().join("webkit2gtk-4.1/MiniBrowser");
        browser.exists().then_some(browser)
    });
    let [firefox, webkit_driver, display] = ["firefox-esr", "WebKitWebDriver", "Xvfb"].map(|name| browsers.join(name));
    let all_exist = firefox.exists() && webkit_driver.exists() && display.exists();
    mini_browser.filter(|_| all_exist).map(|mini_browser| Engines { firefox, webkit_driver, mini_browser })
}

fn apt_install(workspace: &Workspace, packages: &[&str]) -> bool {
    let apt = |arguments: &[&str]| {
        let mut command = run::command(workspace, "apt-get", arguments);
        command.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        run::run(command).is_ok()
    };
    println!("apt-get install {}", packages.join(" "));
    apt(&["update", "-q"]) && apt(&[&["install", "-q", "-y", "--no-install-recommends"], packages].concat())
}
