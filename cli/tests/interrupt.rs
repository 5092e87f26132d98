//! Ctrl-C on a terminal, natively and in the npm package's command.
#![cfg(target_os = "linux")]

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::{env, io};

use changeover_cli::CLEAR_LINE;
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// What a command writes to the terminal until it ends, and the signal that ends it. Ctrl-C is pressed once it has written the cue.
fn interrupted(command: &Path, cue: &str) -> io::Result<(String, Option<i32>)> {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&controller)?;
    unlockpt(&controller)?;
    let name = ptsname(&controller, Vec::new())?;
    let terminal = File::options().read(true).write(true).open(OsStr::from_bytes(name.to_bytes()))?;
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli/cases/predict.in");
    let many_runs = ["predict", "six-old.yaml", "six-new.yaml", "--jitter", "50%", "--runs", "1000"];
    let mut child = Command::new(command)
        .args(many_runs)
        .current_dir(cases)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(terminal)
        .spawn()?;
    let mut controller = File::from(controller);
    let (mut written, mut is_pressed) = (Vec::new(), false);
    let mut bytes = [0; 4096];
    // Once the command has ended, nobody has the terminal open, and reading fails.
    while let Ok(count @ 1..) = controller.read(&mut bytes) {
        written.extend(bytes.iter().take(count));
        if !is_pressed && String::from_utf8_lossy(&written).contains(cue) {
            kill_process(Pid::from_child(&child), Signal::INT)?;
            is_pressed = true;
        }
    }
    Ok((String::from_utf8_lossy(&written).into_owned(), child.wait()?.signal()))
}

fn removes_the_progress_bar(command: &Path) -> io::Result<()> {
    let (written, signal) = interrupted(command, "run 1 of 1000")?;
    assert_eq!(signal, Some(Signal::INT.as_raw()), "{written}");
    assert!(!written.contains("run 1000 of 1000"), "{written}");
    assert!(written.ends_with(CLEAR_LINE), "{written}");
    Ok(())
}

#[test]
fn natively() {
    removes_the_progress_bar(Path::new(env!("CARGO_BIN_EXE_changeover"))).unwrap();
}

#[test]
fn from_the_npm_package() {
    if let Some(command) = env::var_os("CHANGEOVER_NPM_COMMAND") {
        removes_the_progress_bar(Path::new(&command)).unwrap();
    }
}
