//! Tool calls: each runs the command of the same name.

use std::collections::BTreeMap;

use clap::Args;
use serde_json::{Map, Value, json};

use super::tool::{CLUSTER, Parameter, ParameterKind, Place, Tool};
use super::tool_host::ToolHost;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::flag_of;
use crate::options::{ClusterOptions, OutputFormat, ReportFormat};
use crate::program::Program;
use crate::style::{Palette, Screen};
use crate::{advise, explain, predict, rank, review, validate};

/// The width of a line, in columns: agents can read wide ones.
const WIDTH: usize = 120;

/// The most lines of text; the report has all of it.
const MAX_LINES: usize = 200;

/// How many characters of a long error are left at its beginning and at its end: it may quote an argument.
const ENDS_OF_ERROR: usize = 1_000;

/// What a tool answers.
#[derive(Debug)]
pub struct ToolResult {
    /// The answer for people.
    pub text: String,
    /// The answer for programs.
    pub report: Value,
}

/// Calls a tool.
///
/// # Errors
/// What the agent should do differently.
pub fn call(
    host: &mut dyn Host,
    cluster: &ClusterOptions,
    tool: Tool,
    arguments: &Map<String, Value>,
) -> Result<ToolResult, Failure> {
    let command_line = CommandLine::of(tool, cluster, arguments)?;
    let mut host = ToolHost { host, cluster, pasted: command_line.pasted, notes: String::new() };
    let answer = answer(&mut host, tool, command_line.words).map_err(|failure| {
        Failure::new(with_names(tool.parameters(true), failure.to_string().trim_end().to_owned()))
    })?;
    let [text, report] = answer.texts.as_slice() else { return Err(Failure::new("no answer")) };
    let report = serde_json::from_str(report).map_err(|error| Failure::new(error.to_string()))?;
    let verdict = if tool == Tool::Rank { deleted_first(&report) } else { String::new() };
    Ok(ToolResult { text: format!("{verdict}{}", for_agent(tool, in_short(text, &host.notes))), report })
}

/// Runs the command of a tool, for a text and for a report.
fn answer(host: &mut dyn Host, tool: Tool, words: Vec<String>) -> Result<Answer, Failure> {
    const FORMATS: [ReportFormat; 2] = [ReportFormat::Text, ReportFormat::Json];
    let program = Program::Tool;
    let screen = Screen { palette: Palette::Plain, width: WIDTH };
    match tool {
        Tool::Predict => {
            predict::answer(host, &parse(tool, words)?, program, screen, &[OutputFormat::Text, OutputFormat::Json])
        }
        Tool::Advise => advise::answer(host, &parse(tool, words)?, program, screen, &FORMATS),
        Tool::Explain => explain::answer(host, &parse(tool, words)?, program, screen, &FORMATS),
        Tool::Validate => {
            validate::answer(host, &parse(tool, words)?, screen, &[validate::Form::Text, validate::Form::Json])
        }
        Tool::Rank => rank::answer(host, &parse(tool, words)?, program, screen, &FORMATS),
        Tool::Review => review::answer(host, &parse(tool, words)?, screen, &FORMATS),
    }
}

/// The verdict of a ranking, whose command prints only a table.
fn deleted_first(report: &Value) -> String {
    let pods = report.get("pods").and_then(Value::as_array).into_iter().flatten();
    let is_deleted = |pod: &&Value| pod.get("deleted") == Some(&Value::Bool(true));
    let names: Vec<&str> = pods.filter(is_deleted).filter_map(|pod| pod.get("name")?.as_str()).collect();
    match names.as_slice() {
        [] => "No pod is deleted.\n\n".to_owned(),
        names => format!("Deleted, in this order: {}\n\n", names.join(", ")),
    }
}

/// The arguments of a command, as its own command line has them.
fn parse<A: Args>(tool: Tool, words: Vec<String>) -> Result<A, Failure> {
    let mut command = A::augment_args(clap::Command::new(tool.name()));
    let words = core::iter::once(tool.name().to_owned()).chain(words);
    let parsed = command.try_get_matches_from_mut(words).and_then(|matches| A::from_arg_matches(&matches));
    parsed.map_err(|error| {
        // Below it are hints about the command line.
        let text = error.render().to_string();
        let sentence = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        Failure::new(sentence.split_whitespace().collect::<Vec<_>>().join(" "))
    })
}

/// The text as an agent reads it, who has parameters in place of flags. The commands of kubectl in it keep theirs.
fn for_agent(tool: Tool, text: String) -> String {
    const OF_KUBECTL: [&str; 3] = ["allNamespaces", "namespace", "objects"];
    let own = tool.parameters(true).filter(|parameter| !OF_KUBECTL.contains(&parameter.name));
    let text = with_names(own, text);
    // The line may be wrapped there.
    ["add -v.", "add\n  -v."].into_iter().fold(text, |text, flag| text.replace(flag, "read structuredContent."))
}

/// A text with the names of these parameters in place of their flags.
fn with_names<'a>(parameters: impl Iterator<Item = &'a Parameter>, text: String) -> String {
    parameters.fold(text, |text, parameter| match parameter.place {
        Place::Argument => text,
        Place::Flag => text.replace(&flag_of(parameter.name), parameter.name),
        Place::FlagNamed(flag) => text.replace(flag, parameter.name),
    })
}

/// An error without the middle of what it quotes if that is long.
pub fn error_in_short(error: &str) -> String {
    let error = error.trim_end();
    let left_out = error.chars().count().saturating_sub(ENDS_OF_ERROR.saturating_mul(2));
    if left_out == 0 {
        return error.to_owned();
    }
    let (first, last) = (error.chars().take(ENDS_OF_ERROR), error.chars().skip(ENDS_OF_ERROR.saturating_add(left_out)));
    first.chain(['…']).chain(last).collect()
}

/// The first lines of the text, since a fleet may have thousands, and the notes.
fn in_short(text: &str, notes: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let mut short = lines.get(..MAX_LINES).unwrap_or(&lines).join("\n");
    let left_out = lines.len().saturating_sub(MAX_LINES);
    if left_out > 0 {
        short.push_str(&format!("\n{left_out} more lines: structuredContent has everything"));
    }
    if !notes.is_empty() {
        short.push_str(&format!("\n\nNotes:\n{}", notes.trim_end()));
    }
    short
}

/// What a call becomes on the command line.
#[derive(Debug, Default)]
struct CommandLine {
    words: Vec<String>,
    /// The texts that the agent pasted, by the names under which the command reads them.
    pasted: BTreeMap<String, String>,
}

impl CommandLine {
    fn of(tool: Tool, cluster: &ClusterOptions, arguments: &Map<String, Value>) -> Result<Self, Failure> {
        let has_cluster = cluster.cluster;
        let names: Vec<&str> = tool.parameters(has_cluster).map(|parameter| parameter.name).collect();
        if let Some(unknown) = arguments.keys().find(|name| !names.contains(&name.as_str())) {
            if unknown == CLUSTER && tool.parameters(true).any(|parameter| parameter.name == CLUSTER) {
                return Err(Failure::new("cluster: Forbidden: the user must start the server with --cluster"));
            }
            return Err(Failure::new(format!("{unknown}: Unknown argument: must be one of {}", names.join(", "))));
        }
        let is_given = |name: &&&str| !matches!(arguments.get(**name), None | Some(Value::Null | Value::Bool(false)));
        for group in tool.needs() {
            if !group.iter().any(|name| is_given(&name)) {
                let group: Vec<&str> = group.iter().copied().filter(|name| names.contains(name)).collect();
                return Err(Failure::new(match group.as_slice() {
                    [name] => format!("{name}: Required value"),
                    several => format!("Required value: at least one of {}", several.join(", ")),
                }));
            }
        }
        let mut command_line = Self::default();
        let mut positional = Vec::new();
        for parameter in tool.parameters(has_cluster) {
            let Some(value) = arguments.get(parameter.name).filter(|value| !value.is_null()) else { continue };
            for word in command_line.values(parameter, value)? {
                match parameter.place {
                    Place::Argument => positional.push(word),
                    Place::Flag => command_line.push(&flag_of(parameter.name), &word),
                    Place::FlagNamed(flag) => command_line.push(flag, &word),
                }
            }
        }
        if is_given(&&CLUSTER) {
            command_line.words.extend(cluster.kubectl_flags());
            if !(is_given(&&"namespace") || is_given(&&"allNamespaces")) {
                let is_of_kubectl = cluster.kubectl_flags().len();
                command_line.words.extend(cluster.flags().into_iter().skip(is_of_kubectl));
            }
        }
        command_line.words.push("--".to_owned());
        command_line.words.extend(positional);
        Ok(command_line)
    }

    /// Adds a flag, with its value unless it has none. Whatever the value is, it can't be another flag.
    fn push(&mut self, flag: &str, value: &str) {
        self.words.push(if value.is_empty() { flag.to_owned() } else { format!("{flag}={value}") });
    }

    /// The values of an argument, as words; an empty one for a flag without a value.
    fn values(&mut self, parameter: &Parameter, value: &Value) -> Result<Vec<String>, Failure> {
        let name = parameter.name;
        let wrong = |expected: &str| Err(Failure::new(format!("{name}: Invalid value: {value}: must be {expected}")));
        match (parameter.kind, value) {
            (ParameterKind::Objects, _) => self.sources(parameter, value),
            (ParameterKind::Text | ParameterKind::Integer, Value::String(text)) if !text.is_empty() => {
                Ok(vec![text.clone()])
            }
            (ParameterKind::Duration, Value::String(text)) if !text.is_empty() => Ok(vec![text.clone()]),
            (ParameterKind::Duration, Value::Number(milliseconds)) => Ok(vec![format!("{milliseconds}ms")]),
            (ParameterKind::Text, Value::Number(number)) => Ok(vec![number.to_string()]),
            (ParameterKind::Integer, Value::Number(number)) if !number.is_f64() => Ok(vec![number.to_string()]),
            (ParameterKind::Text, _) => wrong("a string"),
            (ParameterKind::Duration, _) => wrong("a duration like 90s, or a number of milliseconds"),
            (ParameterKind::Integer, _) => wrong("an integer"),
            (ParameterKind::Texts, Value::Array(items)) if items.iter().all(Value::is_string) => {
                Ok(items.iter().filter_map(Value::as_str).map(str::to_owned).collect())
            }
            (ParameterKind::Texts, _) => wrong("a list of strings"),
            (ParameterKind::Boolean, Value::Bool(true)) => Ok(vec![String::new()]),
            (ParameterKind::Boolean, Value::Bool(false)) => Ok(Vec::new()),
            (ParameterKind::Boolean, _) => wrong("true or false"),
        }
    }

    /// The paths of objects. Some models send objects in place of their text, or several paths.
    fn sources(&mut self, parameter: &Parameter, value: &Value) -> Result<Vec<String>, Failure> {
        let name = parameter.name;
        let wrong = || {
            let expected = "must be a path, or YAML or JSON text";
            Err(Failure::new(format!("{name}: Invalid value: {expected}")))
        };
        match value {
            Value::String(text) if text.trim().is_empty() => wrong(),
            Value::String(text) if is_text(text) => Ok(vec![self.paste(name.to_owned(), text.clone())]),
            Value::String(path) => Ok(vec![path.clone()]),
            Value::Object(_) => Ok(vec![self.paste(name.to_owned(), value.to_string())]),
            Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_object) => {
                let list = json!({ "apiVersion": "v1", "kind": "List", "items": items });
                Ok(vec![self.paste(name.to_owned(), list.to_string())])
            }
            Value::Array(items) if !items.is_empty() && items.iter().all(Value::is_string) => {
                if items.len() > 1 && name != "objects" && parameter.place == Place::Argument {
                    return Err(Failure::new(format!("{name}: Too many: must be one path, such as a folder")));
                }
                let texts = items.iter().filter_map(Value::as_str).enumerate();
                let path = |(index, text): (usize, &str)| match is_text(text) {
                    true => self.paste(format!("{name}[{index}]"), text.to_owned()),
                    false => text.to_owned(),
                };
                Ok(texts.map(path).collect())
            }
            _ => wrong(),
        }
    }

    /// Keeps a text, and returns the name under which it is read. No path looks like it.
    fn paste(&mut self, name: String, text: String) -> String {
        let name = format!("<{name}>");
        self.pasted.insert(name.clone(), text);
        name
    }
}

/// Whether this is the text of objects, not a path.
fn is_text(text: &str) -> bool {
    text.contains('\n') || text.contains(": ") || text.trim_start().starts_with(['{', '['])
}
