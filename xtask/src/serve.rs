//! `make serve`.

use std::env;
use std::process::Command;

use anyhow::Result;

use crate::house::House;
use crate::{page, policy, run};

/// The request whose `curl` line the server prints.
const EXAMPLE: &str = "policy/examples/deployment.json";

/// Builds the policy and the page, and becomes the server.
///
/// # Errors
/// When something does not build.
pub fn serve(house: &House) -> Result<()> {
    let policy = policy::build(house)?;
    let site = page::build(house)?;
    run::run(run::program(house, "build", "changeover-www"))?;
    let binary = house.target.join("debug").join(format!("changeover-www{}", env::consts::EXE_SUFFIX));
    let mut server = run::command(house, binary, &["--example", EXAMPLE]);
    server.arg("--policy").arg(policy).arg("--site").arg(site);
    for (variable, option) in [("ADDR", "--addr"), ("SETTINGS", "--settings")] {
        if let Some(value) = env::var_os(variable).filter(|value| !value.is_empty()) {
            server.arg(option).arg(value);
        }
    }
    become_it(server)
}

/// The server takes this process's place, so that Ctrl-C and the exit code are its own.
#[cfg(unix)]
fn become_it(mut command: Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec().into())
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<()> {
    let status = command.status()?;
    std::process::exit(status.code().unwrap_or(1))
}
