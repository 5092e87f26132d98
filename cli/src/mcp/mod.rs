//! `changeover mcp`
//!
//! The messages are read and written here: the official Rust SDK needs an async runtime, which the module of the npm package
//! can't run.

mod call;
mod description;
mod jsonrpc;
mod protocol;
mod tool;
mod tool_host;

use clap::Args;

use crate::Exit;
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::STDIN_NAME;
use crate::options::ClusterOptions;
use protocol::Server;

/// Serves the commands as tools for AI agents, over the Model Context Protocol (MCP).
///
/// An agent starts this command, and calls predict, advise, explain, validate, rank and review as tools. They never change
/// anything. They read the files that the agent names, and the cluster only with --cluster, through your own kubectl; with
/// --namespace, only that namespace.
#[derive(Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  Add it to Claude Code:
    claude mcp add changeover -- changeover mcp

  Let the agent also read one namespace of the current cluster:
    claude mcp add changeover -- changeover mcp --cluster --namespace shop

docs/mcp.md shows the settings of other agents.")]
pub struct Arguments {
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// Answers the messages on standard input, one per line, until it ends.
pub fn run(host: &mut dyn Host, arguments: &Arguments) -> Result<Exit, Failure> {
    if host.terminals().output {
        host.print_error("Waiting for messages from an agent; press Ctrl-D to stop\n");
    }
    let server = Server::new(&arguments.cluster);
    loop {
        match host.read_line() {
            Ok(Some(line)) => {
                if let Some(answer) = server.answer(host, &line) {
                    host.print(&format!("{answer}\n"));
                }
            }
            Ok(None) => return Ok(Exit::Clean),
            Err(error) => return Err(Failure::new(format!("{STDIN_NAME}: {error}"))),
        }
    }
}
