//! The tests that passed in this run of `make test`, as FILE::NAME. Each runner writes a file with one test per line; a test
//! that passed without testing anything is followed by a tab and the program that it lacks. The sentence lists name these
//! tests as proofs.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run;
use crate::workspace::Workspace;

/// A test runner.
#[derive(Clone, Copy)]
pub enum Runner {
    Rust,
    Node,
    Playwright,
}

impl Runner {
    /// The file that lists the tests that passed.
    pub fn file(self, workspace: &Workspace) -> PathBuf {
        folder(workspace).join(match self {
            Self::Rust => "rust.txt",
            Self::Node => "node.txt",
            Self::Playwright => "playwright.txt",
        })
    }
}

fn folder(workspace: &Workspace) -> PathBuf {
    workspace.artifact("passed")
}

/// Removes the files of an earlier run: a runner that fails before its first test proves nothing.
///
/// # Errors
/// If one can't be removed.
pub fn clear(workspace: &Workspace) -> Result<()> {
    let folder = folder(workspace);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    Ok(fs::create_dir_all(&folder)?)
}

/// The tests of a run.
#[derive(Default)]
pub struct Tests {
    /// Those that passed.
    pub passed: BTreeSet<String>,
    /// Those that tested nothing, and the program that they lack.
    pub untested: BTreeMap<String, String>,
}

/// The tests of the last run. A runner that did not run has none.
pub fn read(workspace: &Workspace) -> Tests {
    let mut tests = Tests::default();
    for runner in [Runner::Rust, Runner::Node, Runner::Playwright] {
        for line in fs::read_to_string(runner.file(workspace)).unwrap_or_default().lines() {
            match line.split_once('\t') {
                Some((test, program)) => drop(tests.untested.insert(test.to_owned(), program.to_owned())),
                None => drop(tests.passed.insert(line.to_owned())),
            }
        }
    }
    tests
}

/// The seed of the property tests. It is the same in each run, so that a change is not refused for a case that has
/// nothing to do with it. The weekly workflow sets another one, and so does `cargo test`.
const PROPERTY_SEED: (&str, &str) = ("PROPTEST_RNG_SEED", "1");

/// Runs `cargo test` on the workspace, prints everything except the lines of passing tests, and records their names.
///
/// # Errors
/// If a test fails.
pub fn run_rust(workspace: &Workspace, environment: &[(&str, PathBuf)]) -> Result<()> {
    let roots = roots(workspace)?;
    let mut command = run::cargo(workspace, &["test", "--workspace", "--no-fail-fast", "--color", "never"]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    let (name, seed) = PROPERTY_SEED;
    command.env(name, env::var_os(name).unwrap_or_else(|| seed.into()));
    // One pipe for both: cargo names a test program on stderr, and the program prints its tests on stdout.
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().context("cargo test can't be started")?;
    // The command owns the pipe's write ends. Without them, the pipe ends when the child does.
    drop(command);
    let mut output = Output { roots: &roots, root: None, notices: BTreeMap::new() };
    let mut passed = String::new();
    for line in BufReader::new(reader).lines() {
        let line = line.context("the output of cargo test is not UTF-8")?;
        match output.passed(&line) {
            Some(test) => passed.push_str(&format!("{test}\n")),
            None if line.is_empty() || line.ends_with(" ... ok") => {}
            None => println!("{line}"),
        }
    }
    let status = child.wait()?;
    fs::create_dir_all(folder(workspace))?;
    fs::write(Runner::Rust.file(workspace), passed)?;
    if !status.success() {
        bail!("cargo test failed ({status})");
    }
    Ok(())
}

/// The root files of the test programs' crates, by the file name of the program.
fn roots(workspace: &Workspace) -> Result<BTreeMap<String, String>> {
    let options = ["test", "--workspace", "--quiet", "--no-run", "--message-format", "json"];
    let messages = run::output(run::cargo(workspace, &options))?;
    let mut roots = BTreeMap::new();
    for message in messages.lines() {
        let message: Value = serde_json::from_str(message)?;
        let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str);
        let is_test = message.pointer("/profile/test") == Some(&Value::Bool(true));
        if let (true, Some(program), Some(root)) = (is_test, text("/executable"), text("/target/src_path")) {
            let root = Path::new(root).strip_prefix(&workspace.root)?;
            roots.insert(file_name(program).to_owned(), root.to_string_lossy().into_owned());
        }
    }
    Ok(roots)
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Reads the output of `cargo test` line by line.
struct Output<'a> {
    roots: &'a BTreeMap<String, String>,
    /// The root file of the program whose tests are being printed; none for documentation examples.
    root: Option<&'a String>,
    /// The program that a test lacks, by the test's name.
    notices: BTreeMap<String, String>,
}

impl Output<'_> {
    /// The test that a line reports as passed, as its runner's file has it.
    fn passed(&mut self, line: &str) -> Option<String> {
        let trimmed = line.trim_start();
        if let Some((test, notice)) = trimmed.strip_prefix("notice: ").and_then(|rest| rest.split_once(": ")) {
            let program = notice.split(' ').next().unwrap_or_default();
            self.notices.insert(test.to_owned(), program.to_owned());
        } else if let Some((_, program)) = trimmed.strip_prefix("Running ").and_then(|rest| rest.rsplit_once(" (")) {
            self.root = self.roots.get(file_name(program.trim_end_matches(')')));
            self.notices.clear();
        } else if trimmed.starts_with("Doc-tests ") {
            self.root = None;
        }
        let name = line.strip_prefix("test ")?.strip_suffix(" ... ok")?;
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        let lacks = self.notices.get(name).map(|program| format!("\t{program}")).unwrap_or_default();
        self.root.map(|root| format!("{root}::{name}{lacks}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_passed_is_named_with_the_root_of_its_crate() {
        let program = |name: &str, root: &str| (name.to_owned(), root.to_owned());
        let roots = [program("core-0a", "core/src/lib.rs"), program("core-0b", "core/tests/core.rs")].into();
        let mut output = Output { roots: &roots, root: None, notices: BTreeMap::new() };
        let printed = "   Compiling core v0.1.0 (/src/core)
test before::any::program ... ok
     Running unittests src/lib.rs (target/debug/deps/core-0a)
running 5 tests
test rank::tests::passes ... ok
test rank::tests::fails ... FAILED
test rank::tests::is_ignored ... ignored
test rank::tests::is_ignored_too ... ignored, since it is slow
test rank::tests::panics - should panic ... ok
test result: FAILED. 2 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.26s
     Running tests/core.rs (target\\debug\\deps\\core-0b)
test passes ... ok
notice: hosts::tests_nothing: kwctl is not installed, so nothing was tested with it: https://example.com has it
test hosts::tests_nothing ... ok
     Running tests/other.rs (target/debug/deps/other-0c)
test passes_too ... ok
   Doc-tests core
test core/src/lib.rs - (line 3) ... ok
";
        let passed: Vec<String> = printed.lines().filter_map(|line| output.passed(line)).collect();
        assert_eq!(
            passed,
            [
                "core/src/lib.rs::rank::tests::passes",
                "core/src/lib.rs::rank::tests::panics",
                "core/tests/core.rs::passes",
                "core/tests/core.rs::hosts::tests_nothing\tkwctl",
            ]
        );
    }
}
