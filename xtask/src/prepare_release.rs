//! `make release`: sets the version in every file that names it, closes the changelog's section, commits and tags.
//! Pushing the tag starts the release workflow.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{run, size};

const PRESENT: &str = env!("CARGO_PKG_VERSION");
const CHANGELOG: &str = "CHANGELOG.md";
const UNRELEASED: &str = "## [Unreleased]";

/// Prepares the release of `VERSION`.
///
/// # Errors
/// If `VERSION` is not a version above the current one, the tree has changes, the changelog has nothing to release, or
/// a file does not name the current version.
pub fn prepare(workspace: &Workspace) -> Result<()> {
    let version = env::var("VERSION").unwrap_or_default();
    check_version(&version)?;
    if !run::output(run::command(workspace, "git", &["status", "--porcelain"]))?.is_empty() {
        bail!("the tree has changes: commit them first");
    }
    let date = run::output(run::command(workspace, "date", &["+%F"]))?;
    let changelog = workspace.root.join(CHANGELOG);
    let text = close_section(&fs::read_to_string(&changelog).context(CHANGELOG)?, &version, date.trim())?;
    fs::write(&changelog, text)?;
    for file in files_with_version(workspace)? {
        let text = fs::read_to_string(&file)?;
        let changed = text.replace(PRESENT, &version);
        if changed == text {
            bail!("{} does not name the version {PRESENT}", file.display());
        }
        fs::write(&file, changed)?;
    }
    run::run(run::cargo(workspace, &["update", "--workspace", "--quiet"]))?;
    let tag = format!("v{version}");
    run::run(run::command(workspace, "git", &["commit", "--quiet", "--all", "--message", &format!("release: {tag}")]))?;
    run::run(run::command(workspace, "git", &["tag", "--annotate", &tag, "--message", &tag]))?;
    println!("{tag} is committed and tagged. `git push --follow-tags` starts the release.");
    Ok(())
}

/// The files that name the version, except Cargo.lock.
fn files_with_version(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut files =
        ["Cargo.toml", "policy/metadata.yml", "tests/cli/cases/help.md"].map(|file| workspace.root.join(file)).to_vec();
    for example in size::files(&workspace.root.join("policy/examples"))? {
        if fs::read_to_string(&example)?.contains("  module: registry://") {
            files.push(example);
        }
    }
    Ok(files)
}

fn check_version(version: &str) -> Result<()> {
    let numbers = |text: &str| -> Option<[u32; 3]> {
        let parts: Vec<u32> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        parts.try_into().ok()
    };
    match (numbers(version), numbers(PRESENT)) {
        (Some(next), Some(present)) if next > present => Ok(()),
        _ => bail!("VERSION: Invalid value: {version:?}: must be three numbers, above {PRESENT}"),
    }
}

/// The changelog with the unreleased section renamed to the version, and a new empty unreleased section.
fn close_section(text: &str, version: &str, date: &str) -> Result<String> {
    let (before, after) =
        text.split_once(UNRELEASED).with_context(|| format!("{CHANGELOG} has no section {UNRELEASED}"))?;
    let changes = after.split("\n## ").next().unwrap_or_default();
    if changes.trim().is_empty() {
        bail!("{CHANGELOG}: nothing is listed under {UNRELEASED}");
    }
    Ok(format!("{before}{UNRELEASED}\n\n## [{version}] - {date}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_must_be_above_the_current_one() {
        assert!(check_version("9999.0.0").is_ok());
        for wrong in [PRESENT, "0.0.1", "1.0", "v1.0.0", "", "1.0.0-rc.1"] {
            assert!(check_version(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_unreleased_section_gets_version_and_date() {
        let text = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n";
        let closed = close_section(text, "0.2.0", "2026-02-01").unwrap();
        assert_eq!(
            closed,
            "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n"
        );
        assert!(close_section("## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- b\n", "0.2.0", "2026-02-01").is_err());
    }

    #[test]
    fn every_file_names_the_current_version() {
        for file in files_with_version(&Workspace::find().unwrap()).unwrap() {
            assert!(fs::read_to_string(&file).unwrap().contains(PRESENT), "{}", file.display());
        }
    }
}
