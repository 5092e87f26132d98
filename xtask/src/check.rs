//! `make check`: a quick answer while you work. `make test` checks everything.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::run;
use crate::stages::Stages;
use crate::test::{conformance, format};
use crate::workspace::Workspace;

/// Checks the format, runs clippy and the unit tests of the changed crates, and replays the conformance cases.
///
/// # Errors
/// If one of them fails.
pub fn check(workspace: &Workspace) -> Result<()> {
    let files = changed_files(workspace)?;
    let crates = crates(workspace)?;
    let changed: BTreeSet<&Crate> = files.iter().filter_map(|file| owner(&crates, Path::new(file))).collect();
    let mut stages = Stages::default();
    stages.run("format", || format(workspace));
    if changed.is_empty() {
        println!("\nNo crate has changes since {}: clippy and the unit tests are skipped.", base(workspace));
    } else {
        println!("\nCrates with changes since {}: {}", base(workspace), join(&changed));
        stages.run("clippy of what changed", || {
            let mut clippy = run::cargo(workspace, &["clippy", "--quiet", "--all-targets"]);
            clippy.args(packages(&changed)).args(["--", "--deny", "warnings"]);
            run::run(clippy)
        });
        stages.run("everything compiles", || run::run(run::cargo(workspace, &["check", "--quiet", "--workspace"])));
        // Each selection of packages with wasmtime compiles its own, so those without unit tests are not selected, and programs
        // are selected by name, as in `run::program`.
        let with = |tests: UnitTests| changed.iter().copied().filter(move |it| it.unit_tests == tests);
        let (libraries, programs): (BTreeSet<&Crate>, BTreeSet<&Crate>) =
            (with(UnitTests::Library).collect(), with(UnitTests::Program).collect());
        if !libraries.is_empty() {
            stages.run("unit tests of what changed", || {
                let mut tests = run::cargo(workspace, &["test", "--quiet", "--lib", "--bins"]);
                tests.args(packages(&libraries));
                run::run(tests)
            });
        }
        if !programs.is_empty() {
            stages.run("unit tests of the programs that changed", || {
                let mut tests = run::cargo(workspace, &["test", "--quiet"]);
                tests.args(programs.iter().flat_map(|it| ["--bin", it.name.as_str()]));
                run::run(tests)
            });
        }
    }
    if files.iter().any(|file| file.starts_with("www/scenarios/")) {
        stages.run("stories", || {
            run::run(run::cargo(workspace, &["test", "--quiet", "--package", "changeover-core", "--test", "stories"]))
        });
    }
    stages.run("conformance", || conformance(workspace));
    stages.finish()
}

fn join(crates: &BTreeSet<&Crate>) -> String {
    crates.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The arguments that select the crates.
fn packages<'a>(crates: &BTreeSet<&'a Crate>) -> Vec<&'a str> {
    crates.iter().flat_map(|it| ["--package", it.name.as_str()]).collect()
}

/// The commit to compare with: where the branch left `main`, or else the last commit.
fn base(workspace: &Workspace) -> String {
    let merge_base = run::command(workspace, "git", &["merge-base", "HEAD", "main"]).output();
    let commit = merge_base.ok().filter(|output| output.status.success());
    let text = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().chars().take(12).collect());
    text.unwrap_or_else(|| String::from("HEAD"))
}

/// The files that are new or changed since the base.
fn changed_files(workspace: &Workspace) -> Result<Vec<String>> {
    let changed = run::output(run::command(workspace, "git", &["diff", "--name-only", &base(workspace)]))?;
    let new = run::output(run::command(workspace, "git", &["ls-files", "--others", "--exclude-standard"]))?;
    Ok(changed.lines().chain(new.lines()).map(str::to_owned).collect())
}

/// A crate of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    /// Relative to the root.
    folder: PathBuf,
    unit_tests: UnitTests,
}

/// Which target of a crate has unit tests. `test = false` in the manifest says that a target has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum UnitTests {
    None,
    /// Only the program with the crate's name.
    Program,
    Library,
}

fn crates(workspace: &Workspace) -> Result<Vec<Crate>> {
    let metadata = run::output(run::cargo(workspace, &["metadata", "--no-deps", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).context("the output of cargo metadata is not JSON")?;
    let packages = metadata.get("packages").and_then(Value::as_array).into_iter().flatten();
    Ok(packages.filter_map(|package| read_crate(package, &workspace.root)).collect())
}

fn read_crate(package: &Value, root: &Path) -> Option<Crate> {
    let folder = Path::new(package.get("manifest_path")?.as_str()?).parent()?;
    let targets = package.get("targets")?.as_array()?;
    let is_tested = |is_wanted: fn(&str) -> bool| {
        targets.iter().any(|target| {
            let mut kinds =
                target.get("kind").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
            kinds.any(is_wanted) && target.get("test").and_then(Value::as_bool).unwrap_or_default()
        })
    };
    Some(Crate {
        name: package.get("name")?.as_str()?.to_owned(),
        folder: folder.strip_prefix(root).ok()?.to_owned(),
        unit_tests: match (
            is_tested(|kind| kind.ends_with("lib") || kind == "proc-macro"),
            is_tested(|kind| kind == "bin"),
        ) {
            (true, _) => UnitTests::Library,
            (false, true) => UnitTests::Program,
            (false, false) => UnitTests::None,
        },
    })
}

/// The crate that the file is a source of: the innermost one that contains the file. Other files in its folder, such as the
/// stories in `www`, have nothing that clippy and unit tests could check.
fn owner<'a>(crates: &'a [Crate], file: &Path) -> Option<&'a Crate> {
    let around = crates.iter().filter(|it| file.starts_with(&it.folder));
    let innermost = around.max_by_key(|it| it.folder.components().count())?;
    let inside = file.strip_prefix(&innermost.folder).ok()?;
    let is_source = ["src", "tests", "benches", "Cargo.toml"].iter().any(|start| inside.starts_with(start));
    is_source.then_some(innermost)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn named(name: &str, folder: &str) -> Crate {
        Crate { name: name.to_owned(), folder: PathBuf::from(folder), unit_tests: UnitTests::Library }
    }

    #[test]
    fn a_source_belongs_to_the_innermost_crate() {
        let crates = [named("core", "core"), named("derive", "core/derive"), named("web", "web"), named("www", "www")];
        let name_of = |file: &str| owner(&crates, Path::new(file)).map(|it| it.name.as_str());
        for (file, expected) in [
            ("core/src/lib.rs", Some("core")),
            ("core/src/cluster/token_bucket.tsv", Some("core")),
            ("core/tests/stories/facts.rs", Some("core")),
            ("core/derive/src/lib.rs", Some("derive")),
            ("core/Cargo.toml", Some("core")),
            ("core/DEVIATIONS.md", None),
            ("www/scenarios/fifteen.json", None),
            ("website/src/lib.rs", None),
        ] {
            assert_eq!(name_of(file), expected, "{file}");
        }
    }

    #[test]
    fn a_crate_has_unit_tests_unless_its_targets_say_otherwise() {
        let unit_tests = |targets: &[(&str, bool)]| {
            let targets: Vec<Value> =
                targets.iter().map(|(kind, test)| json!({ "kind": [kind], "test": test })).collect();
            let package = json!({ "name": "a", "manifest_path": "/workspace/a/Cargo.toml", "targets": targets });
            read_crate(&package, Path::new("/workspace")).unwrap().unit_tests
        };
        assert_eq!(unit_tests(&[("lib", true), ("bin", true)]), UnitTests::Library);
        assert_eq!(unit_tests(&[("cdylib", true)]), UnitTests::Library);
        assert_eq!(unit_tests(&[("bin", true), ("test", true)]), UnitTests::Program);
        assert_eq!(unit_tests(&[("lib", false), ("bin", false), ("test", true)]), UnitTests::None);
    }
}
