//! The sessions of `tests/cli/cases`, in which each command prints what stands there: natively, and with the command of the
//! npm package where `CHANGEOVER_NPM_COMMAND` names it (`xtask` does).

use std::env;
use std::path::Path;

/// The cases. The sessions in the documentation are some of them (`documentation.rs` compares them).
const SESSIONS: &str = "../tests/cli/cases/*.md";

fn run_sessions(command: &Path) {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/tools");
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = [tools].into_iter().chain(env::split_paths(&path));
    let path = env::join_paths(folders).unwrap_or(path);
    let cases = trycmd::TestCases::new();
    cases.case(SESSIONS);
    cases.env("PATH", path.to_string_lossy()).env("NO_COLOR", "1").register_bin("changeover", command.to_path_buf());
    cases.run();
}

#[test]
fn natively() {
    run_sessions(Path::new(env!("CARGO_BIN_EXE_changeover")));
}

#[test]
fn from_the_npm_package() {
    if let Some(command) = env::var_os("CHANGEOVER_NPM_COMMAND") {
        run_sessions(Path::new(&command));
    }
}
