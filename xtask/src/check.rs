//! `make check`: a quick answer while you work. `make test` checks everything.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::run;
use crate::stages::Stages;
use crate::test::conformance;
use crate::workspace::Workspace;

/// Checks the format, runs clippy and the unit tests of the changed crates, and replays the conformance cases.
///
/// # Errors
/// If one of them fails.
pub fn check(workspace: &Workspace) -> Result<()> {
    let changed = changed_crates(workspace)?;
    let packages: Vec<&str> = changed.iter().flat_map(|name| ["--package", name]).collect();
    let mut stages = Stages::default();
    stages.run("format", || run::run(run::cargo(workspace, &["fmt", "--all", "--check"])));
    if changed.is_empty() {
        println!("\nNo crate has changes since {}: clippy and the unit tests are skipped.", base(workspace));
    } else {
        println!("\nCrates with changes since {}: {}", base(workspace), join(&changed));
        stages.run("clippy of what changed", || {
            let mut clippy = run::cargo(workspace, &["clippy", "--quiet", "--all-targets"]);
            clippy.args(&packages).args(["--", "--deny", "warnings"]);
            run::run(clippy)
        });
        stages.run("everything compiles", || run::run(run::cargo(workspace, &["check", "--quiet", "--workspace"])));
        stages.run("unit tests of what changed", || {
            let mut tests = run::cargo(workspace, &["test", "--quiet", "--lib", "--bins"]);
            tests.args(&packages);
            run::run(tests)
        });
    }
    stages.run("conformance", || conformance(workspace));
    stages.finish()
}

fn join(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The commit to compare with: where the branch left `main`, or else the last commit.
fn base(workspace: &Workspace) -> String {
    let merge_base = run::command(workspace, "git", &["merge-base", "HEAD", "main"]).output();
    let commit = merge_base.ok().filter(|output| output.status.success());
    let text = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().chars().take(12).collect());
    text.unwrap_or_else(|| String::from("HEAD"))
}

/// The crates with files that are new or changed since the base.
fn changed_crates(workspace: &Workspace) -> Result<BTreeSet<String>> {
    let changed = run::output(run::command(workspace, "git", &["diff", "--name-only", &base(workspace)]))?;
    let new = run::output(run::command(workspace, "git", &["ls-files", "--others", "--exclude-standard"]))?;
    let crates = crates(workspace)?;
    let owners = changed.lines().chain(new.lines()).filter_map(|file| owner(&crates, Path::new(file)));
    Ok(owners.map(str::to_owned).collect())
}

/// A crate's name and folder, relative to the root.
type Crate = (String, PathBuf);

fn crates(workspace: &Workspace) -> Result<Vec<Crate>> {
    let metadata = run::output(run::cargo(workspace, &["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("the output of cargo metadata is not JSON")?;
    let packages = metadata.get("packages").and_then(Value::as_array).into_iter().flatten();
    let crates = packages.filter_map(|package| {
        let folder = Path::new(package.get("manifest_path")?.as_str()?).parent()?;
        Some((package.get("name")?.as_str()?.to_owned(), folder.strip_prefix(&workspace.root).ok()?.to_owned()))
    });
    Ok(crates.collect())
}

/// The crate whose folder is the innermost one that contains the file.
fn owner<'a>(crates: &'a [Crate], file: &Path) -> Option<&'a str> {
    let around = crates.iter().filter(|(_, folder)| file.starts_with(folder));
    around.max_by_key(|(_, folder)| folder.components().count()).map(|(name, _)| name.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_innermost_crate() {
        let crates = [("core", "core"), ("derive", "core/derive"), ("web", "web")]
            .map(|(name, folder)| (name.to_owned(), PathBuf::from(folder)));
        assert_eq!(owner(&crates, Path::new("core/src/lib.rs")), Some("core"));
        assert_eq!(owner(&crates, Path::new("core/derive/src/lib.rs")), Some("derive"));
        assert_eq!(owner(&crates, Path::new("website/index.html")), None);
    }
}
