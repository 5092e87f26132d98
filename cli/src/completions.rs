//! `changeover completions`

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::Exit;
use crate::arguments;
use crate::host::Host;

/// Prints completions for a shell.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  changeover completions bash > ~/.local/share/bash-completion/completions/changeover
  changeover completions fish > ~/.config/fish/completions/changeover.fish
  changeover completions zsh > \"${fpath[1]}/_changeover\"")]
pub struct Arguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments) -> Exit {
    let mut script = Vec::new();
    generate(arguments.shell, &mut arguments::Arguments::command(), "changeover", &mut script);
    host.print(&String::from_utf8_lossy(&script));
    Exit::Clean
}
