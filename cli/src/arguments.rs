//! The command line.

use clap::builder::StyledStr;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};

use crate::program::Program;
use crate::{advise, completions, explain, mcp, merge, play, predict, rank, review, validate};

/// Predicts, explains and checks what Kubernetes does while it replaces old pods with new ones.
///
/// It makes the same decisions as the controllers and the API server of Kubernetes 1.37, and needs no cluster. With --cluster, it reads
/// a running cluster through your own kubectl, and changes nothing.
#[derive(Debug, Parser)]
#[command(
    name = "changeover",
    version,
    disable_help_subcommand = true,
    term_width = 100,
    after_help = "Exit codes: 0 without findings, 1 with findings, 2 for wrong usage or input that can't be read."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// When to use color: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true, hide_possible_values = true)]
    pub color: ColorChoice,
}

/// When text is colored.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Predict(predict::Arguments),
    Merge(merge::Arguments),
    Advise(advise::Arguments),
    Explain(explain::Arguments),
    Rank(rank::Arguments),
    Validate(validate::Arguments),
    Review(review::Arguments),
    Play(play::Arguments),
    Mcp(mcp::Arguments),
    Completions(completions::Arguments),
}

/// The command line of a program. Its help runs the program as the user does.
pub fn command(program: Program) -> clap::Command {
    let command = Arguments::command().bin_name(program.name());
    match program {
        Program::Changeover | Program::Tool => command,
        Program::KubectlPlugin => command.mut_subcommands(|command| rename_in_help(program, command)),
    }
}

/// Usage and examples are written for `changeover`.
fn rename_in_help(program: Program, command: clap::Command) -> clap::Command {
    let rename = |text: &StyledStr| text.to_string().replace("changeover ", &format!("{program} "));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_help_of_the_plugin_names_another_program() {
        let mut command = command(Program::KubectlPlugin);
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
