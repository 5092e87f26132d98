//! `make upstream-diff`: how another release of Kubernetes differs in the code that the core mirrors.

use std::env;

use anyhow::{Result, ensure};

use crate::run;
use crate::workspace::Workspace;

/// Compares the release in the recorder's go.mod with `VERSION` from the Go proxy, and prints which mirrored functions,
/// texts, defaults and gates differ.
///
/// # Errors
/// If `VERSION` is not a release, or Go or its proxy fails.
pub fn upstream_diff(workspace: &Workspace) -> Result<()> {
    let version = env::var("VERSION").unwrap_or_default();
    let version = version.trim_start_matches('v');
    ensure!(
        version.starts_with("1.") && version.split('.').count() == 3,
        "VERSION: Invalid value: {version:?}: must be a release such as 1.38.0"
    );
    go(workspace, &["run", "./upstream", "-against", version])
}

/// Tests the comparison on two small releases.
///
/// # Errors
/// If a test fails.
pub fn test(workspace: &Workspace) -> Result<()> {
    go(workspace, &["test", "./upstream"])
}

fn go(workspace: &Workspace, arguments: &[&str]) -> Result<()> {
    let mut go = run::command(workspace, "go", arguments);
    go.current_dir(workspace.root.join("tests/recorder"));
    run::run(go)
}
