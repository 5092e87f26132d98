//! The sessions and the help in the documentation are some of the cases, word for word. `UPDATE_DOCUMENTATION=1` writes into the
//! pages what the cases print.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The pages that show sessions.
const PAGES: [&str; 3] = ["README.md", "docs/cli.md", "docs/tutorial.md"];

/// The page with the help of every command.
const REFERENCE: &str = "docs/cli.md";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The blocks of a text that show a session: a command, and what it prints.
fn sessions(text: &str) -> Vec<&str> {
    let blocks = text.split("```console\n").skip(1).filter_map(|rest| Some(rest.split_once("```")?.0));
    blocks.filter(|block| block.starts_with("$ changeover ")).collect()
}

/// The texts of the cases.
fn cases() -> Vec<String> {
    let files = fs::read_dir(root().join("tests/cli/cases")).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.is_file()).map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn shows_what_the_cases_print() {
    let cases = cases();
    let printed: Vec<&str> = cases.iter().flat_map(|case| sessions(case)).collect();
    for page in PAGES {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let mut updated = text.clone();
        assert!(!sessions(&text).is_empty(), "{page} has no session");
        for session in sessions(&text) {
            if printed.contains(&session) {
                continue;
            }
            let command = session.lines().next();
            let now = printed.iter().find(|other| other.lines().next() == command);
            let now = now.unwrap_or_else(|| panic!("{page}: no case has the command of\n{session}"));
            updated = updated.replace(session, now);
        }
        if env::var_os("UPDATE_DOCUMENTATION").is_some() {
            fs::write(root().join(page), &updated).unwrap();
        } else {
            assert_eq!(text, updated, "{page} (UPDATE_DOCUMENTATION=1 updates it)");
        }
    }
}

#[test]
fn shows_the_help_of_every_command() {
    let page = fs::read_to_string(root().join(REFERENCE)).unwrap();
    let shown = sessions(&page);
    for case in cases() {
        for help in sessions(&case).into_iter().filter(|session| session.lines().next().unwrap().ends_with(" -h")) {
            assert!(shown.contains(&help), "{REFERENCE} does not show\n{help}");
        }
    }
}
