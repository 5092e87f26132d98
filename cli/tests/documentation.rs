//! The sessions in the documentation are some of the cases, word for word.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

/// The pages that show sessions.
const PAGES: [&str; 2] = ["README.md", "docs/cli.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The blocks of a page that show a session.
fn sessions(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0.to_owned()));
    blocks.filter(|block| block.starts_with("$ changeover ")).collect()
}

#[test]
fn shows_what_the_cases_print() {
    let cases = fs::read_dir(root().join("tests/cli/cases")).unwrap().map(|entry| entry.unwrap().path());
    let cases: Vec<String> =
        cases.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).unwrap()).collect();
    for page in PAGES {
        let sessions = sessions(page);
        assert!(!sessions.is_empty(), "{page} has no session");
        for session in sessions {
            assert!(cases.iter().any(|case| case.contains(&session)), "{page}: no case is\n{session}");
        }
    }
}
