//! The commands, as one function of the arguments and a [`Host`]. The native binary and the npm package both run it.
#![forbid(unsafe_code)]

mod advise;
mod answer;
mod arguments;
mod cluster;
mod completions;
mod documents;
mod explain;
mod failure;
mod finding;
mod host;
mod manifests;
mod mcp;
mod merge;
mod options;
mod output;
mod play;
mod predict;
mod program;
mod progress;
mod rank;
mod read_time;
mod report;
mod review;
mod style;
mod time_format;
mod validate;

use clap::FromArgMatches;

pub use host::{Finished, FolderEntry, Host, HostError, PathContent, Terminals};
pub use progress::CLEAR_LINE;

/// What commands print with `-o json`.
pub mod reports {
    pub use crate::documents::{LeftOut, LeftOutReason};
    pub use crate::finding::{Finding, FindingKind};
    pub use crate::output::json::PredictReport;
    pub use crate::review::{ReviewReport, VerdictReport};
    pub use crate::validate::{FieldReport, Severity, UncheckedField, ValidateReport};
}

use arguments::{Arguments, ColorChoice, Command};
use manifests::{STDIN, STDIN_NAME};
use program::Program;
use style::{Palette, Screen};

/// How a command ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Without findings.
    Clean,
    /// With findings.
    Findings,
    /// Wrong use, input that can't be read, or output that can't be written.
    Unusable,
}

impl Exit {
    /// The exit code of the process.
    pub const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Unusable => 2,
        }
    }
}

/// The command line, for what is made from it.
pub fn command() -> clap::Command {
    arguments::command(Program::Changeover)
}

/// Runs a command. The first argument is the name of the program.
pub fn run(host: &mut dyn Host, given: &[String]) -> Exit {
    let program = Program::of(given.first().map_or("", String::as_str));
    let given = &with_flags(given);
    let arguments = match parse(program, given) {
        Ok(arguments) => arguments,
        Err(error) => {
            let text = error.render().to_string();
            if error.use_stderr() {
                host.print_error(&text);
                return Exit::Unusable;
            }
            host.print(&text);
            return Exit::Clean;
        }
    };
    if given.iter().filter(|argument| *argument == STDIN).count() > 1 {
        host.print_error(&format!("{STDIN_NAME}: Too many: can only be read once\n"));
        return Exit::Unusable;
    }
    let palette = palette(host, arguments.color);
    let screen = Screen { palette, width: host.columns().unwrap_or(Screen::DEFAULT_WIDTH) };
    let result = match arguments.command {
        Command::Predict(arguments) => predict::run(host, &arguments, program, screen),
        Command::Advise(arguments) => advise::run(host, &arguments, program, screen),
        Command::Merge(arguments) => merge::run(host, &arguments),
        Command::Explain(arguments) => explain::run(host, &arguments, program, screen),
        Command::Play(arguments) => play::run(host, &arguments, palette),
        Command::Completions(arguments) => Ok(completions::run(host, &arguments, command())),
        Command::Rank(arguments) => rank::run(host, &arguments, program, screen),
        Command::Validate(arguments) => validate::run(host, &arguments, screen),
        Command::Review(arguments) => review::run(host, &arguments, screen),
        Command::Mcp(arguments) => mcp::run(host, &arguments),
    };
    result.unwrap_or_else(|failure| {
        host.print_error(&failure.to_string());
        Exit::Unusable
    })
}

/// The commands `help` and `version` as flags: `help predict` is `predict --help`, and `help version` just `--help`.
fn with_flags(given: &[String]) -> Vec<String> {
    match given {
        [program, word, rest @ ..] if word == "help" => {
            let of_command = rest.iter().filter(|word| !["help", "version"].contains(&word.as_str())).cloned();
            core::iter::once(program.clone()).chain(of_command).chain(["--help".to_owned()]).collect()
        }
        [program, word] if word == "version" => vec![program.clone(), "--version".to_owned()],
        _ => given.to_vec(),
    }
}

fn parse(program: Program, arguments: &[String]) -> Result<Arguments, clap::Error> {
    let mut command = arguments::command(program);
    let matches = command.try_get_matches_from_mut(arguments)?;
    Arguments::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
}

/// Colors only on a terminal, as <https://no-color.org> asks.
fn palette(host: &dyn Host, choice: ColorChoice) -> Palette {
    let is_set = |name: &str| host.variable(name).is_some_and(|value| !value.is_empty());
    let is_dumb = || host.variable("TERM").is_some_and(|terminal| terminal == "dumb");
    match choice {
        ColorChoice::Always => Palette::Colored,
        ColorChoice::Auto if host.terminals().output && !is_set("NO_COLOR") && !is_dumb() => Palette::Colored,
        ColorChoice::Auto | ColorChoice::Never => Palette::Plain,
    }
}
