//! The name of the program, as its user types it.

use std::fmt;

use clap::builder::StyledStr;
use clap::{Command, CommandFactory};

use crate::arguments::Arguments;

/// How the user runs the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// By its own name.
    Changeover,
    /// As a plugin of kubectl, which finds its plugins by their names.
    KubectlPlugin,
}

impl Program {
    /// The program at this path.
    pub fn of(path: &str) -> Self {
        let file = path.rsplit(['/', '\\']).next().unwrap_or_default();
        if file.trim_end_matches(".exe") == "kubectl-changeover" { Self::KubectlPlugin } else { Self::Changeover }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Changeover => "changeover",
            Self::KubectlPlugin => "kubectl changeover",
        }
    }

    /// The command line. Its help runs the program as the user does.
    pub fn command(self) -> Command {
        let command = Arguments::command().bin_name(self.name());
        if self == Self::Changeover { command } else { command.mut_subcommands(|command| self.rename_in_help(command)) }
    }

    /// Usage and examples are written for `changeover`.
    fn rename_in_help(self, command: Command) -> Command {
        let rename = |text: &StyledStr| text.to_string().replace("changeover ", &format!("{self} "));
        let usage = command.get_overridden_usage().map(rename);
        let examples = command.get_after_help().map(rename);
        let command = match usage {
            Some(usage) => command.override_usage(usage),
            None => command,
        };
        match examples {
            Some(examples) => command.after_help(examples),
            None => command,
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubectl_finds_its_plugins_by_their_names() {
        for path in ["kubectl-changeover", "/home/me/.krew/bin/kubectl-changeover", "C:\\krew\\kubectl-changeover.exe"]
        {
            assert_eq!(Program::of(path), Program::KubectlPlugin, "{path}");
        }
        for path in ["changeover", "/usr/bin/changeover", "C:\\bin\\changeover.exe", ""] {
            assert_eq!(Program::of(path), Program::Changeover, "{path}");
        }
    }

    #[test]
    fn no_help_of_the_plugin_names_another_program() {
        let mut command = Program::KubectlPlugin.command();
        command.build();
        for command in command.get_subcommands_mut() {
            let help = command.render_long_help().to_string();
            let own = format!("kubectl changeover {}", command.get_name());
            assert!(help.contains(&format!("Usage: {own} ")), "{help}");
            let others = help.replace("kubectl changeover ", "");
            assert!(!others.contains("changeover "), "{others}");
        }
    }
}
