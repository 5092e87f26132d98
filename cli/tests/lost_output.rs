//! Output that can't be written.
#![cfg(target_os = "linux")]

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

fn changeover() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_changeover"));
    command.arg("--help").stderr(Stdio::piped());
    command
}

#[test]
fn a_full_disk_is_an_error() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let output = changeover().stdout(full).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), errors.lines().count()), (Some(2), 1), "{errors}");
    assert!(errors.starts_with("error: the output can't be written: No space left on device"), "{errors}");
}

#[test]
fn a_reader_that_has_gone_is_none() {
    let mut child = changeover().stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}
