//! `make release`: sets the version in every file that names it, closes the changelog's section and commits. Then commits the
//! bundle of the GitHub Action on top, and tags that commit: the tag is what `uses:` names. Pushing it starts the release workflow.

use std::env;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use semver::Version;

use crate::workspace::Workspace;
use crate::{action, release, run};

const PRESENT: &str = env!("CARGO_PKG_VERSION");
const CHANGELOG: &str = "CHANGELOG.md";
const UNRELEASED: &str = "## [Unreleased]";

/// Files whose versions are those of other projects or releases, or examples.
const OTHER_VERSIONS: [&str; 7] =
    ["*.lock", "package-lock.json", "*go.mod", "*go.sum", "xtask/src", ".github", CHANGELOG];

/// Prepares the release of `VERSION`.
///
/// # Errors
/// If `VERSION` is not a version above all tagged ones, an address is a placeholder, the tree has changes, the changelog has nothing
/// to release, or the action does not build.
pub fn prepare(workspace: &Workspace) -> Result<()> {
    let tags = run::output(run::command(workspace, "git", &["tag", "--list", "v*"]))?;
    let version = next_version(&env::var("VERSION").unwrap_or_default(), &tags)?;
    release::check_addresses(workspace)?;
    if !run::output(run::command(workspace, "git", &["status", "--porcelain"]))?.is_empty() {
        bail!("the tree has changes: commit them first");
    }
    // What a candidate has is not released yet.
    if version.pre.is_empty() {
        let date = run::output(run::command(workspace, "date", &["+%F"]))?;
        let changelog = workspace.root.join(CHANGELOG);
        let text = close_section(&fs::read_to_string(&changelog).context(CHANGELOG)?, &version, date.trim())?;
        fs::write(&changelog, text)?;
    }
    for file in files_with_version(workspace)? {
        let text = fs::read_to_string(&file)?;
        fs::write(&file, replace_version(&text, PRESENT, &version.to_string()))?;
    }
    run::run(run::cargo(workspace, &["update", "--workspace", "--offline", "--quiet"]))?;
    let tag = format!("v{version}");
    run::run(run::command(workspace, "git", &["commit", "--quiet", "--all", "--message", &format!("release: {tag}")]))?;
    let commit = commit_bundle(workspace, &tag)?;
    run::run(run::command(workspace, "git", &["tag", "--annotate", &tag, &commit, "--message", &tag]))?;
    println!("{tag} is committed and tagged. `git push origin HEAD {tag}` starts the release.");
    Ok(())
}

/// Builds the action's bundle, and commits it on top of the branch without moving the branch. Returns the commit.
fn commit_bundle(workspace: &Workspace, tag: &str) -> Result<String> {
    // Not by this program, which has the previous version.
    let mut build = run::program(workspace, "run", "xtask");
    build.args(["--quiet", "--", "action"]);
    run::run(build)?;
    let git = |arguments: &[&str]| run::output(run::command(workspace, "git", arguments));
    git(&["add", "--force", action::FOLDER])?;
    let tree = git(&["write-tree"])?;
    git(&["reset", "--quiet"])?;
    let message = format!("release: the bundle of the action {tag}");
    Ok(git(&["commit-tree", tree.trim(), "-p", "HEAD", "-m", &message])?.trim().to_owned())
}

/// The files that name the version.
fn files_with_version(workspace: &Workspace) -> Result<Vec<PathBuf>> {
    let mut search =
        run::command(workspace, "git", &["grep", "--files-with-matches", "--fixed-strings", PRESENT, "--"]);
    search.args(OTHER_VERSIONS.map(|files| format!(":!{files}")));
    Ok(run::output(search)?.lines().map(|file| workspace.root.join(file)).collect())
}

/// Replaces a version where it is not a part of another one: 0.1.1 is not in 0.1.10 or 10.1.1.
fn replace_version(text: &str, present: &str, next: &str) -> String {
    let mut parts = text.split(present);
    let mut replaced = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let continues = |letter: char| letter.is_ascii_digit();
        let is_part = replaced.ends_with(|letter| continues(letter) || letter == '.') || part.starts_with(continues);
        replaced.extend([if is_part { present } else { next }, part]);
    }
    replaced
}

/// Reads a version, which must be above those of all tags, one in each line.
fn next_version(text: &str, tags: &str) -> Result<Version> {
    let Ok(version) = Version::parse(text) else {
        bail!("VERSION: Invalid value: {text:?}: must be a version, such as 0.2.0 or 0.2.0-rc.1");
    };
    let tagged = tags.lines().filter_map(|tag| Version::parse(tag.strip_prefix('v')?).ok());
    match tagged.max() {
        Some(newest) if version <= newest => bail!("VERSION: Invalid value: {text:?}: must be above {newest}"),
        _ => Ok(version),
    }
}

/// The changelog with the unreleased section renamed to the version, and a new empty unreleased section.
fn close_section(text: &str, version: &Version, date: &str) -> Result<String> {
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
    fn a_version_is_above_all_tags() {
        let is_next = |version: &str, tags: &str| next_version(version, tags).is_ok();
        assert!(is_next("0.1.0", "") && is_next("0.1.0-rc.1", ""));
        assert!(
            is_next("0.1.0", "v0.1.0-rc.1\nv0.1.0-rc.10\n") && is_next("0.1.0-rc.11", "v0.1.0-rc.2\nv0.1.0-rc.10\n")
        );
        // v0 is the tag that moves.
        assert!(is_next("0.10.0", "v0\nv0.1.0\nv0.9.0\n"));
        for wrong in ["0.1.0", "0.1.0-rc.3", "0.0.9", "0.2", "v0.2.0", ""] {
            assert!(!is_next(wrong, "v0.1.0\n"), "{wrong}");
        }
    }

    #[test]
    fn the_unreleased_section_gets_version_and_date() {
        let text = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n";
        let closed = close_section(text, &Version::new(0, 2, 0), "2026-02-01").unwrap();
        assert_eq!(
            closed,
            "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-02-01\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-01-01\n\n- b\n"
        );
        let nothing = "## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- b\n";
        assert!(close_section(nothing, &Version::new(0, 2, 0), "2026-02-01").is_err());
    }

    #[test]
    fn files_name_the_version() {
        let workspace = Workspace::find().unwrap();
        let files = files_with_version(&workspace).unwrap();
        for file in [
            "Cargo.toml",
            "docs/action.md",
            "docs/fleet-job.yaml",
            "policy/metadata/rollouts.yml",
            "policy/examples/batch.yml",
            "tests/cli/cases/help.md",
            "tests/controlplane/sessions/policies.yaml",
        ] {
            assert!(files.contains(&workspace.root.join(file)), "{file}");
        }
        for file in ["Cargo.lock", "tests/controlplane/go.mod", CHANGELOG] {
            assert!(!files.contains(&workspace.root.join(file)), "{file}");
        }
    }

    #[test]
    fn only_the_whole_version_is_replaced() {
        let replaced = replace_version("v0.1.1, =0.1.10, 10.1.1, 2.0.1.1: 0.1.1", "0.1.1", "0.2.0");
        assert_eq!(replaced, "v0.2.0, =0.1.10, 10.1.1, 2.0.1.1: 0.2.0");
        assert_eq!(replace_version("0.1.0-rc.1 0.1.0-rc.10", "0.1.0-rc.1", "0.1.0"), "0.1.0 0.1.0-rc.10");
    }
}
