//! Answers as a comment on a pull request.

use changeover_core::object::Time;

use super::phrases::{self, Names};
use super::picture;
use crate::finding::{Job, Workload};
use crate::predict::Report;
use crate::span::clock;
use crate::style::Palette;

/// The most workloads that get a picture each.
const MAX_PICTURES: usize = 5;

/// A prediction.
pub fn predict(report: &Report<'_>) -> String {
    let prediction = &report.predicted.prediction;
    let names = Names::of(prediction);
    let mut text = match report.findings.len() {
        0 => "### ✓ The rollout fits\n".to_owned(),
        count => format!("### ✗ The rollout has {}\n", phrases::findings(count)),
    };
    if !report.findings.is_empty() {
        text.push('\n');
        for finding in report.findings {
            text.push_str(&format!("- **{}**: {}\n", cell(&names.object(&finding.object)), cell(&finding.message)));
        }
    }
    let active: Vec<&Workload<'_>> = report.workloads.iter().filter(|workload| workload.is_active()).collect();
    if !active.is_empty() {
        text.push_str(
            "\n| Deployment | change | pods at most | available at least | complete after | last old pod gone |\n\
             |---|---|--:|--:|--:|--:|\n",
        );
        active.iter().for_each(|workload| text.push_str(&row(workload, names)));
    }
    text.push_str(&jobs(report.jobs, names));
    if active.len() <= MAX_PICTURES {
        let start = report.predicted.today.scenario.start;
        active.iter().for_each(|workload| text.push_str(&picture(workload, names, start)));
    }
    if !prediction.quotas.is_empty() {
        text.push_str("\n| ResourceQuota | fits | resource | allowed | needed |\n|---|---|---|--:|--:|\n");
        for quota in &prediction.quotas {
            let name = cell(&names.name(&quota.namespace, &quota.name));
            if quota.today.fits && quota.refusals.is_none() {
                text.push_str(&format!("| {name} | ✓ | | | |\n"));
            }
            for exceeded in &quota.today.exceeded {
                let resource = cell(&exceeded.resource);
                text.push_str(&format!("| {name} | ✗ | {resource} | {} | {} |\n", exceeded.hard, exceeded.needed));
            }
            if let Some(missing) = &quota.today.unspecified {
                text.push_str(&format!("| {name} | ✗ | {} | | must be specified |\n", cell(missing)));
            }
        }
    }
    if !prediction.warnings.is_empty() {
        text.push('\n');
        for warning in &prediction.warnings {
            text.push_str(&format!("- ⚠ {}: {}\n", cell(&names.object(&warning.object)), cell(&warning.message)));
        }
    }
    let mut notes = vec![format!("Assumed: {}", prediction.assumed)];
    notes.extend(
        phrases::not_modeled(&prediction.not_modeled).map(|left_out| format!("Not modeled: {}", cell(&left_out))),
    );
    notes.extend(phrases::cut_short(prediction));
    text.push_str(&format!("\n<sub>{}</sub>\n", notes.join("<br>")));
    text
}

/// The bars over time; GitHub shows no SVG in comments. Empty if nothing moves.
fn picture(workload: &Workload<'_>, names: Names, start: Time) -> String {
    let lines = picture::lines(workload.series, start, Palette::Plain);
    if lines.len() < 2 {
        return String::new();
    }
    let name = cell(&names.name(&workload.prediction.namespace, &workload.prediction.name));
    let demand = if workload.prediction.with_quotas.is_some() { ", as if there were no quotas" } else { "" };
    format!("\n**{name}** over time{demand}:\n\n<pre>\n{}\n</pre>\n", lines.join("\n"))
}

fn row(workload: &Workload<'_>, names: Names) -> String {
    let prediction = workload.prediction;
    let name = cell(&names.name(&prediction.namespace, &prediction.name));
    let change = cell(&phrases::change_or_state(workload));
    let (_, desired) = workload.desired();
    let outcome = workload.outcome();
    let after = |time: Option<i64>| time.map_or_else(|| "never".to_owned(), clock);
    format!(
        "| {name} | {change} | {} ({desired} desired) | {} | {} | {} |\n",
        prediction.today.peak,
        outcome.lowest_available,
        after(outcome.complete),
        after(outcome.last_old_pod_gone)
    )
}

/// The table of the Jobs that change or run; empty without any.
fn jobs(jobs: &[Job<'_>], names: Names) -> String {
    let active: Vec<&Job<'_>> = jobs.iter().filter(|job| job.is_active()).collect();
    if active.is_empty() {
        return String::new();
    }
    let mut text =
        String::from("\n| Job | change | pods at most | ends | succeeded | failed |\n|---|---|--:|--:|--:|--:|\n");
    for (job, outcome) in active.iter().map(|job| (job.prediction, job.outcome())) {
        text.push_str(&format!(
            "| {} | {} | {} | {} | {} | {} |\n",
            cell(&names.name(&job.namespace, &job.name)),
            phrases::job_change_or_state(job),
            job.today.peak,
            phrases::job_end(outcome),
            outcome.succeeded,
            outcome.failed
        ));
    }
    for job in active.iter().map(|job| job.prediction) {
        if let Some(other) = &job.other_policy {
            let name = cell(&names.name(&job.namespace, &job.name));
            text.push_str(&format!(
                "\n**{name}** with the other podReplacementPolicy: {}\n",
                phrases::job_outcome(other)
            ));
        }
    }
    text
}

/// Text that can't end a cell or begin something else.
fn cell(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '|' | '*' | '_' | '`' | '<' | '>' | '[' | ']' | '\\' => escaped.extend(['\\', character]),
            '\n' | '\r' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}
