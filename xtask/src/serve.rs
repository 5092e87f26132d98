//! `make serve`.

use std::ffi::OsString;
use std::process::Command;
use std::{env, iter, thread};

use anyhow::{Result, bail};

use crate::wasm::{self, Module};
use crate::workspace::Workspace;
use crate::{page, policy, run};

/// The request whose `curl` line the server prints.
const EXAMPLE: &str = "policy/examples/deployment.json";

/// Builds the policy and the page, then becomes the server.
///
/// # Errors
/// If something does not build.
pub fn serve(workspace: &Workspace) -> Result<()> {
    println!(
        "Two steps: build the modules and the server, then assemble the policy and the page. On two cores, they take 5 to 9 minutes the first time, and seconds after that."
    );
    println!("\n[1/2] build the modules of the policy and the page, and the server, at the same time");
    build(workspace)?;
    println!("\n[2/2] assemble the policy and the page");
    let policy = policy::build(workspace)?;
    let site = page::build(workspace)?;
    let binary = workspace.target.join("debug").join(format!("changeover-www{}", env::consts::EXE_SUFFIX));
    let mut server = run::command(workspace, binary, &["--example", EXAMPLE]);
    server.arg("--policy").arg(policy).arg("--site").arg(site);
    server.args(options(|variable| env::var_os(variable)));
    exec(server)
}

/// Builds the modules and the server at the same time. They have different profiles, so cargo's locks don't make one
/// wait for another, and a module's link-time optimization, which uses one core, leaves the other cores to the server.
fn build(workspace: &Workspace) -> Result<()> {
    let modules: Vec<Module> = iter::once(wasm::POLICY).chain(page::MODULES).collect();
    let mut server = run::program(workspace, "build", "changeover-www");
    // Several progress bars would overwrite each other. The lines about compiled crates remain.
    server.env("CARGO_TERM_PROGRESS_WHEN", "never");
    thread::scope(|scope| {
        let server = scope.spawn(|| run::run(server));
        let modules = wasm::build_all(workspace, &modules);
        let server = server.join().unwrap_or_else(|_| bail!("a thread panicked"));
        modules.and(server)
    })
}

/// The server options that the environment variables set.
fn options(variable: impl Fn(&str) -> Option<OsString>) -> Vec<OsString> {
    let mut options = Vec::new();
    let known = [
        ("ADDR", "--addr"),
        ("SETTINGS", "--settings"),
        ("CONTEXT", "--context"),
        ("CERT", "--cert"),
        ("KEY", "--key"),
    ];
    for (name, option) in known {
        if let Some(value) = variable(name).filter(|value| !value.is_empty()) {
            options.extend([option.into(), value]);
        }
    }
    options
}

/// Replaces this process with the server, so that Ctrl-C and the exit code are the server's.
#[cfg(unix)]
fn exec(mut command: Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn exec(mut command: Command) -> Result<()> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::options;

    #[test]
    fn the_environment_becomes_options() {
        let environment = |name: &str| match name {
            "ADDR" => Some("0.0.0.0:8443".into()),
            "SETTINGS" => Some("".into()),
            "CERT" => Some("tls.crt".into()),
            "KEY" => Some("tls.key".into()),
            _ => None,
        };
        assert_eq!(options(environment), ["--addr", "0.0.0.0:8443", "--cert", "tls.crt", "--key", "tls.key"]);
        assert!(options(|_| None).is_empty());
    }
}
