//! The tests that passed in this run of `make test`, as FILE::NAME: each runner leaves a file, a test a line. They are the
//! proofs that the lists of sentences name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run;
use crate::workspace::Workspace;

/// What runs tests.
#[derive(Clone, Copy)]
pub enum Runner {
    Rust,
    Node,
    Playwright,
}

impl Runner {
    /// The file with the tests that passed.
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

/// Removes what an earlier run left: a runner that fails before its first test proves nothing.
///
/// # Errors
/// When it can't be removed.
pub fn clear(workspace: &Workspace) -> Result<()> {
    let folder = folder(workspace);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    Ok(fs::create_dir_all(&folder)?)
}

/// The tests that passed. Of a runner that did not run there are none.
pub fn read(workspace: &Workspace) -> BTreeSet<String> {
    let text = |runner: Runner| fs::read_to_string(runner.file(workspace)).unwrap_or_default();
    let files = [Runner::Rust, Runner::Node, Runner::Playwright].map(text);
    files.iter().flat_map(|passed| passed.lines()).map(str::to_owned).collect()
}

/// Runs `cargo test` on the workspace, prints all but the lines of the tests that pass, and keeps the names of those.
///
/// # Errors
/// When a test fails.
pub fn run_rust(workspace: &Workspace, environment: &[(&str, PathBuf)]) -> Result<()> {
    let roots = roots(workspace)?;
    let mut command = run::cargo(workspace, &["test", "--workspace", "--no-fail-fast", "--color", "never"]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    // One pipe for both: cargo names a program on stderr, and the program its tests on stdout.
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    let mut child = command.spawn().context("cargo test can't be started")?;
    // It holds the pipe's writing ends, without which the pipe ends with the child.
    drop(command);
    let mut output = Output { roots: &roots, root: None };
    let mut passed = String::new();
    for line in BufReader::new(reader).lines() {
        let line = line.context("cargo test printed what is not UTF-8")?;
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

/// The roots of the crates of the test programs, by the file name of the program.
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

/// What `cargo test` prints, line by line.
struct Output<'a> {
    roots: &'a BTreeMap<String, String>,
    /// The root of the program whose tests are printed; none for examples in the documentation.
    root: Option<&'a String>,
}

impl Output<'_> {
    /// The test of a line that says that one passed.
    fn passed(&mut self, line: &str) -> Option<String> {
        let trimmed = line.trim_start();
        if let Some((_, program)) = trimmed.strip_prefix("Running ").and_then(|rest| rest.rsplit_once(" (")) {
            self.root = self.roots.get(file_name(program.trim_end_matches(')')));
        } else if trimmed.starts_with("Doc-tests ") {
            self.root = None;
        }
        let name = line.strip_prefix("test ")?.strip_suffix(" ... ok")?;
        let name = name.strip_suffix(" - should panic").unwrap_or(name);
        self.root.map(|root| format!("{root}::{name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_passed_is_named_with_the_root_of_its_crate() {
        let program = |name: &str, root: &str| (name.to_owned(), root.to_owned());
        let roots = [program("core-0a", "core/src/lib.rs"), program("core-0b", "core/tests/core.rs")].into();
        let mut output = Output { roots: &roots, root: None };
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
                "core/tests/core.rs::passes"
            ]
        );
    }
}
