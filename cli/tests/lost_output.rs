//! Output that can't be written.
#![cfg(target_os = "linux")]

use std::env;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The native command, and the npm package's where it is named.
fn commands() -> impl Iterator<Item = Command> {
    let native = PathBuf::from(env!("CARGO_BIN_EXE_changeover"));
    let npm = env::var_os("CHANGEOVER_NPM_COMMAND").map(PathBuf::from);
    core::iter::once(native).chain(npm).map(|path| {
        let mut command = Command::new(path);
        command.arg("--help").stderr(Stdio::piped());
        command
    })
}

#[test]
fn a_full_disk_is_an_error() {
    for mut command in commands() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = command.stdout(full).output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
        let why = errors.strip_prefix("error: the output can't be written: ").unwrap().to_lowercase();
        assert!(why.contains("no space left on device"), "{errors}");
    }
}

#[test]
fn a_reader_that_has_gone_is_none() {
    for mut command in commands() {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    }
}
