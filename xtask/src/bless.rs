//! `make bless`: writes every file that tests compare with what the code does now, and prints which of them changed.

use std::{env, fs};

use anyhow::Result;

use crate::workspace::Workspace;
use crate::{ceilings, run, schema, test};

/// The variables with which tests write their files.
const WRITE: [(&str, &str); 7] = [
    ("INSTA_UPDATE", "always"),
    ("TRYCMD", "overwrite"),
    ("UPDATE_CHARTS", "1"),
    ("UPDATE_DOCUMENTATION", "1"),
    ("UPDATE_PICTURE", "1"),
    ("UPDATE_STATES", "1"),
    ("UPDATE_PICTURES", "1"),
];

/// The tests that write, each with its program. Others have programs of the same names, and need more than was built.
const TESTS: [(&str, &str); 7] = [
    ("reasons", "every_rule_has_an_example"),
    ("cases", "natively"),
    ("charts", "what_is_said_of_each_chart_stands_beside_it"),
    ("causes", "each_cause_has_its_sentence_and_its_remedy"),
    ("predictions", "predictions_are_within_the_range_of_three_real_runs"),
    ("states", "the_changes_after_each_live_state_are_predicted"),
    ("terminal_pictures", "the_picture_of_"),
];

/// The test that copies the sessions of `cases` into the documentation.
const DOCUMENTATION: (&str, &str) = ("documentation", "shows_what_the_cases_print");

/// The tests in Chromium that write pictures.
const PICTURES: [&str; 2] = ["layout.spec.mjs", "previews.spec.mjs"];

/// The tests in Go that write what the core has from the mirrored release, with `UPDATE`.
const GO_TESTS: &str = "^(TestTypes|TestAPITypes|TestTokenBucket)$";

/// Writes schemas, the table of ceilings, snapshots, sessions, charts, tables of states and the documentation, and, unless `WHAT` is
/// `texts`, the pictures of the page and of the package.
///
/// # Errors
/// If something does not build, or a test fails that writes nothing.
pub fn bless(workspace: &Workspace) -> Result<()> {
    let before = run::output(run::command(workspace, "git", &["stash", "create"]))?;
    schema::write(workspace)?;
    ceilings::write(workspace)?;
    for tests in [TESTS.as_slice(), &[DOCUMENTATION]] {
        let mut cargo = run::cargo(workspace, &["test", "--quiet", "--workspace", "--no-fail-fast"]);
        cargo.args(tests.iter().flat_map(|(program, _)| ["--test", program]));
        cargo.arg("--").args(tests.iter().map(|(_, test)| test)).envs(WRITE);
        run::run(cargo)?;
    }
    write_with_go(workspace)?;
    if env::var("WHAT").as_deref() != Ok("texts") {
        let mut page = test::playwright(workspace)?;
        page.args(PICTURES).envs(WRITE);
        run::run(page)?;
        let mut package = test::node(workspace)?;
        package.arg("tests/npm/examples.test.mjs").envs(WRITE);
        run::run(package)?;
    }
    let before = if before.is_empty() { "HEAD" } else { before.trim() };
    println!("\nChanged:");
    run::run(run::command(workspace, "git", &["--no-pager", "diff", "--stat", before]))?;
    run::run(run::command(workspace, "git", &["ls-files", "--others", "--exclude-standard"]))
}

/// Writes the lists of types and of upstream's names, and the table of the rate limiter, if Go is installed.
fn write_with_go(workspace: &Workspace) -> Result<()> {
    if run::command(workspace, "go", &["version"]).output().is_err() {
        println!("notice: Go is not installed, so the lists of types and of upstream's names were not written");
        return Ok(());
    }
    let go = |arguments: &[&str]| {
        let mut go = run::command(workspace, "go", arguments);
        go.current_dir(workspace.root.join("tests/recorder")).env("UPDATE", "1");
        go
    };
    run::run(go(&["test", "-run", GO_TESTS, "."]))?;
    let names = run::output(go(&["run", "./upstream"]))?;
    Ok(fs::write(workspace.root.join("tests/conformance/upstream.txt"), names)?)
}
