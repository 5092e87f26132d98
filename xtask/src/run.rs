//! Runs other programs.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// A command that runs in the repository.
pub fn command<S: AsRef<std::ffi::OsStr>>(workspace: &Workspace, program: S, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&workspace.root);
    command
}

/// The cargo that runs this program, so that the toolchain of `rust-toolchain.toml` is used.
pub fn cargo(workspace: &Workspace, arguments: &[&str]) -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    command(workspace, cargo, arguments)
}

/// Runs cargo on one program of the workspace (`build` or `run`). It does not name the package: cargo unifies features
/// over the named packages, so each selection would compile its own wasmtime.
pub fn program(workspace: &Workspace, verb: &str, name: &str) -> Command {
    cargo(workspace, &[verb, "--bin", name])
}

/// Node with a script.
pub fn node(workspace: &Workspace, script: &Path, arguments: &[&str]) -> Command {
    let mut node = command(workspace, "node", &[]);
    node.arg(script).args(arguments);
    node
}

/// Runs a command to its end.
///
/// # Errors
/// If it can't be started, or fails.
pub fn run(mut command: Command) -> Result<()> {
    let shown = shown(&command);
    let status = command.status().with_context(|| format!("{shown} can't be started"))?;
    if !status.success() {
        bail!("{shown} failed ({status})");
    }
    Ok(())
}

/// Runs a command to its end and returns its output. Its errors go to the terminal.
///
/// # Errors
/// If it can't be started, fails, or its output is not UTF-8.
pub fn output(mut command: Command) -> Result<String> {
    let shown = shown(&command);
    command.stderr(Stdio::inherit());
    let output = command.output().with_context(|| format!("{shown} can't be started"))?;
    if !output.status.success() {
        bail!("{shown} failed ({})", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("the output of {shown} is not UTF-8"))
}

/// Runs a command to its end, shows its output, and returns the Markdown tables in it with their headings.
///
/// # Errors
/// If it can't be started, fails, or its output is not UTF-8.
pub fn tables(mut command: Command) -> Result<String> {
    let shown = shown(&command);
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("{shown} can't be started"))?;
    let mut tables = String::new();
    for line in BufReader::new(child.stdout.take().context("it has an output")?).lines() {
        let line = line.with_context(|| format!("the output of {shown} is not UTF-8"))?;
        println!("{line}");
        // Markdown needs an empty line before a table.
        if line.starts_with('#') {
            tables.push_str(&format!("\n{line}\n\n"));
        } else if line.starts_with('|') {
            tables.push_str(&format!("{line}\n"));
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("{shown} failed ({status})");
    }
    Ok(tables)
}

fn shown(command: &Command) -> String {
    let name = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let mut shown = name.to_string_lossy().into_owned();
    for argument in command.get_args() {
        shown.push(' ');
        shown.push_str(&argument.to_string_lossy());
    }
    shown
}
