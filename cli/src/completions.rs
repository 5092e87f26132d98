//! `changeover completions`

use clap::builder::PossibleValue;
use clap::{Args, Command, ValueEnum};
use clap_complete::{Shell, generate};

use crate::Exit;
use crate::host::Host;

/// Prints completions for a shell, or the script with which kubectl completes its plugin.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  changeover completions bash > ~/.local/share/bash-completion/completions/changeover
  changeover completions fish > ~/.config/fish/completions/changeover.fish
  changeover completions zsh > \"${fpath[1]}/_changeover\"
  changeover completions kubectl > ~/.local/bin/kubectl_complete-changeover")]
pub struct Arguments {
    /// The shell, or kubectl
    #[arg(value_enum)]
    completer: Completer,
}

/// What completes the command.
#[derive(Clone, Copy, Debug)]
enum Completer {
    Shell(Shell),
    /// kubectl, which asks a script beside the plugin.
    Kubectl,
}

impl ValueEnum for Completer {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Shell(Shell::Bash),
            Self::Shell(Shell::Elvish),
            Self::Shell(Shell::Fish),
            Self::Kubectl,
            Self::Shell(Shell::PowerShell),
            Self::Shell(Shell::Zsh),
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        match self {
            Self::Shell(shell) => shell.to_possible_value(),
            Self::Kubectl => Some(PossibleValue::new("kubectl")),
        }
    }
}

/// The script that kubectl runs, in bash.
///
/// Upstream: `k8s.io/kubectl/pkg/cmd/plugin/plugin_completion.go`
const KUBECTL_COMPLETE: &str = include_str!("kubectl_complete.sh");

/// Prints the completions of a command line.
pub fn run(host: &mut dyn Host, arguments: &Arguments, mut command: Command) -> Exit {
    match arguments.completer {
        Completer::Shell(shell) => {
            let mut script = Vec::new();
            generate(shell, &mut command, "changeover", &mut script);
            host.print(&String::from_utf8_lossy(&script));
        }
        Completer::Kubectl => host.print(KUBECTL_COMPLETE),
    }
    Exit::Clean
}
