//! `changeover play`

use changeover_core::foreign_text::isolated;
use changeover_core::scenario::{Mode, Scenario};
use changeover_core::scheduler::{NodeReport, RejectedNode, ScoredNode};
use changeover_core::timeline::{Step, Timeline};
use clap::{Args, ValueEnum};

use crate::Exit;
use crate::documents::read;
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::STDIN;
use crate::options::ModeChoice;
use crate::output;
use crate::output::table::Table;
use crate::style::{Palette, Role};
use crate::time_format::clock_with_tenths;

/// Plays a scenario and prints each step with its reason.
///
/// A scenario describes a cluster and what happens to it: objects, nodes, how fast pods start, and actions with their times.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  Play a scenario, as JSON or YAML:
    changeover play scenario.json

  Write a story: print the rules that its captions can refer to:
    changeover play www/scenarios/fifteen.json --rules

  View it in a browser, or share it: one file with the pods over time and the steps:
    changeover play scenario.json -o html > rollout.html

Exit codes: 0, or 2 for wrong usage or input that can't be read.")]
pub struct Arguments {
    /// The scenario: a file, or - for standard input
    #[arg(value_name = "PATH", required_unless_present = "file")]
    path: Option<String>,
    /// The scenario, as for kubectl: the same as the argument without -f
    #[arg(short, long = "filename", value_name = "PATH", conflicts_with = "path")]
    file: Option<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    output: PlayFormat,
    /// Prints the id of each step's rule, which stories refer to (text only)
    #[arg(long)]
    rules: bool,
    /// Shows for each pod that gets a node, or finds none, how the scheduler judged each node: its scores, or what rules it out (text only)
    #[arg(short, long)]
    verbose: bool,
    /// How closely to follow the timing of a real control plane [default: as the scenario says]
    #[arg(long, value_enum)]
    mode: Option<ModeChoice>,
}

/// The form in which a scenario is shown.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum PlayFormat {
    /// The steps
    #[default]
    Text,
    /// A self-contained page with a picture and the steps
    Html,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments, palette: Palette) -> Result<Exit, Failure> {
    let path = arguments.path.as_ref().or(arguments.file.as_ref()).map_or(STDIN, String::as_str);
    let documents = read(host, path)?;
    let [scenario] = documents.as_slice() else {
        return Err(Failure::new(format!("{path}: must be one document with a scenario")));
    };
    let with_mode =
        |scenario: Scenario| Scenario { mode: arguments.mode.map(Mode::from).or(scenario.mode), ..scenario };
    let timeline = Scenario::from_value(&scenario.document.value)
        .map(with_mode)
        .and_then(Timeline::run)
        .map_err(|problem| Failure::of_problem(&problem, |problem| scenario.locate(&problem.path, &problem.message)))?;
    host.print(&match arguments.output {
        PlayFormat::Text => isolated(&text(&timeline, arguments, palette)),
        PlayFormat::Html => html(&timeline),
    });
    Ok(Exit::Clean)
}

fn text(timeline: &Timeline, arguments: &Arguments, palette: Palette) -> String {
    let times: Vec<String> =
        timeline.steps.iter().map(|step| clock_with_tenths(step.time.since(timeline.scenario.start))).collect();
    let width = times.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for (index, (step, time)) in timeline.steps.iter().zip(&times).enumerate() {
        let actor = palette.paint(Role::Aside, &format!("{:<22}", step.actor.name()));
        let reason = step.reason();
        text.push_str(&format!("{time:>width$}  {actor}  {}", reason.sentence()));
        if arguments.rules {
            text.push_str(&palette.paint(Role::Aside, &format!("  [{}]", reason.rule.id)));
        }
        text.push('\n');
        let report = timeline.node_report(index).filter(|_| arguments.verbose);
        for line in report.into_iter().flat_map(lines_of_report) {
            text.push_str(&format!("{:width$}  {line}\n", ""));
        }
    }
    text.push_str(&format!("\n{}\n", timeline.end.message));
    text
}

/// What the scheduler made of each node: the sums of the plugins' scores, and what is in the way on nodes that don't take the pod.
fn lines_of_report(report: &NodeReport) -> Vec<String> {
    let mut table = Table::new([]);
    for ScoredNode { name, scores, total } in &report.scored {
        let added = report.plugins.iter().zip(scores).filter(|(_, score)| **score != 0);
        let sum: Vec<String> = added.map(|(plugin, score)| format!("{score} {}", plugin.name())).collect();
        let (total, sum) = match sum.as_slice() {
            [] => (String::new(), String::from("takes the pod")),
            sum => (total.to_string(), format!("= {}", sum.join(" + "))),
        };
        table.push([name.to_string(), total, sum]);
    }
    for RejectedNode { name, said, why, helps } in &report.rejected {
        let helps = if helps.is_empty() { String::new() } else { format!(" (would help: {helps})") };
        table.push([name.to_string(), String::from("-"), format!("{said}: {why}{helps}")]);
    }
    let mut lines: Vec<String> = table.lines().into_iter().skip(1).collect();
    if report.others > 0 {
        lines.push(format!("and {} more", report.others));
    }
    lines
}

fn html(timeline: &Timeline) -> String {
    let step = |step: &Step| {
        let time = clock_with_tenths(step.time.since(timeline.scenario.start));
        [time, step.actor.name().to_owned(), step.reason().sentence()]
    };
    let steps: Vec<[String; 3]> = timeline.steps.iter().map(step).collect();
    let title = &timeline.scenario.title;
    output::html::timeline(timeline, if title.is_empty() { "Changeover" } else { title }, &steps)
}
