//! The command line.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use glob::Pattern;
use lexopt::prelude::*;

use crate::{Report, Selection, load, replay};

const HELP: &str = "\
Replays conformance cases against the core.

Usage: changeover-conformance [--op GLOB] [--name GLOB] [--passed] PATH...

PATH is a file or a folder: *.jsonl has a case a line, *.json an array of cases.
--op GLOB    only the operations that match, like 'deployment.*'
--name GLOB  only the cases whose name matches, like 'table 3/*'
--passed     print the names of the cases that pass, one a line, instead of the report

Exit code: 0 when nothing failed, 1 when a case failed, 2 when the cases could not be read.
";

enum Command {
    Help,
    Replay { paths: Vec<PathBuf>, selection: Selection, output: Output },
}

/// The output of a replay.
enum Output {
    Report,
    Passed,
}

impl Output {
    fn of(&self, report: &Report) -> String {
        match self {
            Self::Report => report.to_string(),
            Self::Passed => report.passed_names().map(|name| format!("{name}\n")).collect(),
        }
    }
}

/// Reads the arguments, replays the cases, and prints the report.
pub fn main() -> ExitCode {
    let outcome = match command(lexopt::Parser::from_env()) {
        Ok(Command::Help) => return print(HELP, ExitCode::SUCCESS),
        Ok(Command::Replay { paths, selection, output }) => {
            load(&paths).map(|cases| (replay(&cases, &selection), output))
        }
        Err(error) => Err(format!("{error}; try --help")),
    };
    match outcome {
        Ok((report, output)) => print(&output.of(&report), ExitCode::from(u8::from(report.failed() > 0))),
        Err(message) => {
            eprintln!("changeover-conformance: {message}");
            ExitCode::from(2)
        }
    }
}

/// A closed pipe (`| head`) must not cause a panic.
fn print(text: &str, code: ExitCode) -> ExitCode {
    match io::stdout().lock().write_all(text.as_bytes()) {
        Ok(()) => code,
        Err(_) => ExitCode::from(2),
    }
}

fn command(mut parser: lexopt::Parser) -> Result<Command, lexopt::Error> {
    let mut paths = Vec::new();
    let mut selection = Selection::default();
    let mut output = Output::Report;
    while let Some(argument) = parser.next()? {
        match argument {
            Long("op") => selection.op = Some(pattern(&mut parser)?),
            Long("name") => selection.name = Some(pattern(&mut parser)?),
            Long("passed") => output = Output::Passed,
            Short('h') | Long("help") => return Ok(Command::Help),
            Value(path) => paths.push(path.into()),
            other => return Err(other.unexpected()),
        }
    }
    if paths.is_empty() {
        return Err("no file or folder with cases is given".into());
    }
    Ok(Command::Replay { paths, selection, output })
}

fn pattern(parser: &mut lexopt::Parser) -> Result<Pattern, lexopt::Error> {
    let text = parser.value()?.string()?;
    Pattern::new(&text).map_err(|error| format!("{text:?} is not a pattern: {error}").into())
}
