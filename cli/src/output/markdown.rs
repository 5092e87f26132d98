//! Answers as a comment on a pull request.

use std::collections::BTreeSet;

use changeover_core::object::Time;
use changeover_core::prediction::{Prediction, QuotaDemand, QuotaPrediction, Warning, WorstQuota};

use super::figures::{self, FigureSource, Figures};
use super::phrases::{self, Names, Unended};
use super::picture;
use crate::finding::{Job, Workload};
use crate::report::{QuotaStanding, Report};
use crate::style::{Palette, Screen};

/// The most workloads that get a picture each.
const MAX_PICTURES: usize = 5;

/// A prediction.
pub fn predict(report: &Report<'_>) -> String {
    let prediction = &report.predicted.prediction;
    let names = Names::of(prediction);
    let nothing = phrases::nothing_predicted(prediction);
    let mut text = format!("### {}\n", cell(&phrases::marked_verdict(report)));
    if !report.findings.is_empty() {
        text.push('\n');
        for finding in report.findings {
            let object = cell(&names.object(&finding.object));
            let about = if object.is_empty() { object } else { format!("**{object}**: ") };
            text.push_str(&format!("- {about}{}\n", cell(&finding.message)));
        }
    }
    let is_active = |workload: &&Workload<'_>| report.shows(&workload.object(), workload.is_active());
    let active: Vec<&Workload<'_>> = report.workloads.iter().filter(is_active).collect();
    let rows: Vec<Vec<Figures>> = active.iter().map(|workload| figures_of(workload, prediction)).collect();
    text.push_str(&deployments(&active, &rows, names));
    let active_jobs: Vec<&Job<'_>> =
        report.jobs.iter().filter(|job| report.shows(&job.object(), job.is_active())).collect();
    text.push_str(&jobs(&active_jobs, prediction, names));
    let several = prediction.workloads.len().saturating_add(prediction.jobs.len()) > 1;
    if several && !(active.is_empty() && active_jobs.is_empty()) {
        text.push_str(&together(prediction));
    }
    if active.len() <= MAX_PICTURES {
        let start = report.predicted.today.scenario.start;
        active.iter().for_each(|workload| text.push_str(&picture(workload, names, start)));
    }
    if nothing.is_none() {
        text.push_str(&quotas(report, names));
    }
    let warnings: Vec<&Warning> = report.other_warnings().collect();
    if !warnings.is_empty() {
        text.push('\n');
        for warning in warnings {
            text.push_str(&format!("- ⚠ {}: {}\n", cell(&names.object(&warning.object)), cell(&warning.message)));
        }
    }
    let mut notes = vec![format!("Assumed: {}", prediction.assumed)];
    notes.extend(phrases::estimates(prediction).map(|estimates| cell(&estimates)));
    notes.extend(phrases::only_in_old(prediction).map(|old| cell(&old)));
    notes.extend(phrases::not_modeled(prediction).map(|left_out| cell(&left_out)));
    notes.extend(prediction.why_cut_short());
    notes.extend(figures::legend(&sources(&rows, prediction)));
    text.push_str(&format!("\n<sub>{}</sub>\n", notes.join("<br>")));
    text
}

fn figures_of(workload: &Workload<'_>, prediction: &Prediction) -> Vec<Figures> {
    Figures::of_workload(workload.prediction, Unended::rollout(prediction, &workload.object()))
}

/// Where the figures of all rows come from.
fn sources(workloads: &[Vec<Figures>], prediction: &Prediction) -> Vec<FigureSource> {
    let together = Figures::of_together(prediction);
    let figures = workloads.iter().flatten().chain(&together).map(|figures| figures.source);
    let of_quotas = prediction.quotas.iter().flat_map(|quota| {
        let worst = quota.worst.as_ref().map(|worst| FigureSource::Worst(worst.proof));
        worst.into_iter().chain(quota.proposed.as_ref().map(|_| FigureSource::Proposed))
    });
    figures.chain(of_quotas).collect()
}

/// The bars over time; GitHub shows no SVG in comments. Empty if nothing moves.
fn picture(workload: &Workload<'_>, names: Names, start: Time) -> String {
    let lines = picture::lines(workload.series, start, Palette::Plain, Screen::DEFAULT_WIDTH);
    if lines.len() < 2 {
        return String::new();
    }
    let name = cell(&names.name(&workload.prediction.namespace, &workload.prediction.name));
    let demand = if workload.prediction.with_quotas.is_some() { ", as if there were no quotas" } else { "" };
    format!("\n**{name}** over time{demand}:\n\n<pre>\n{}\n</pre>\n", lines.join("\n"))
}

/// A table: its headings, of which the first `left` ones are aligned to the left, and its rows.
fn table(headings: &[&str], left: usize, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let marks: String = (0..headings.len()).map(|index| if index < left { "---|" } else { "--:|" }).collect();
    let body: String = rows.into_iter().map(line).collect();
    format!("\n{}|{marks}\n{body}", line(headings.iter().map(|heading| cell(heading)).collect()))
}

/// The first cell of a row that is not the first one of its object.
fn label(source: FigureSource) -> String {
    format!("↳ {}", source.label())
}

/// The table of the Deployments; empty without any.
fn deployments(workloads: &[&Workload<'_>], rows: &[Vec<Figures>], names: Names) -> String {
    if workloads.is_empty() {
        return String::new();
    }
    let resources = figures::resources(rows.iter().flatten());
    let row = |workload: &Workload<'_>, figures: &Figures| {
        let prediction = workload.prediction;
        let [first, change, pods] = match figures.source {
            FigureSource::Today => [
                cell(&names.workload(prediction)),
                cell(&phrases::change_or_state(workload)),
                format!("{} ({} desired)", figures.pods, workload.desired().1),
            ],
            source => [label(source), String::new(), figures.pods.clone()],
        };
        [vec![first, change, pods], demand(figures, &resources)].concat()
    };
    let rows =
        workloads.iter().zip(rows).flat_map(|(workload, rows)| rows.iter().map(|figures| row(workload, figures)));
    let headings = [&["Deployment", "change", "pods at most"][..], &demand_headings(&resources)].concat();
    table(&headings, 2, rows)
}

/// The table of all together.
fn together(prediction: &Prediction) -> String {
    let rows = Figures::of_together(prediction);
    let resources = figures::resources(&rows);
    let title = phrases::together(prediction);
    let row =
        |figures: &Figures| [vec![figures.source.label(), figures.pods.clone()], demand(figures, &resources)].concat();
    let headings = [&[title.as_str(), "pods at most"][..], &demand_headings(&resources)].concat();
    table(&headings, 1, rows.iter().map(row))
}

/// What follows the number of pods in the row of a Deployment, or of all together.
fn demand(figures: &Figures, resources: &BTreeSet<String>) -> Vec<String> {
    let Figures { available, complete, last_old_pod_gone, .. } = figures;
    [figures.requests(resources), [available, complete, last_old_pod_gone].map(String::clone).to_vec()].concat()
}

fn demand_headings(resources: &BTreeSet<String>) -> Vec<&str> {
    let names = resources.iter().map(String::as_str);
    names.chain(["available at least", "complete after", "last old pod gone"]).collect()
}

/// The table of the Jobs that change or run; empty without any.
fn jobs(jobs: &[&Job<'_>], prediction: &Prediction, names: Names) -> String {
    if jobs.is_empty() {
        return String::new();
    }
    let figures_of = |job: &Job<'_>| Figures::of_job(job.prediction, Unended::job(prediction, &job.object()));
    let rows: Vec<(&Job<'_>, Vec<Figures>)> = jobs.iter().map(|job| (*job, figures_of(job))).collect();
    let resources = figures::resources(rows.iter().flat_map(|(_, rows)| rows));
    let row = |job: &Job<'_>, figures: &Figures| {
        let job = job.prediction;
        let first = match figures.source {
            FigureSource::Today => {
                vec![cell(&names.name(&job.namespace, &job.name)), cell(&phrases::job_change_or_state(job))]
            }
            source => vec![label(source), String::new()],
        };
        let ended = figures.ended.into_iter().flatten().map(|count| count.to_string()).collect();
        let [pods, end] = [&figures.pods, &figures.complete].map(|text| vec![text.clone()]);
        [first, pods, figures.requests(&resources), end, ended].concat()
    };
    let of_resources: Vec<&str> = resources.iter().map(String::as_str).collect();
    let headings = [&["Job", "change", "pods at most"][..], &of_resources, &["ends", "succeeded", "failed"]].concat();
    table(&headings, 2, rows.iter().flat_map(|(job, rows)| rows.iter().map(|figures| row(job, figures))))
}

/// The table of the quotas; empty without any.
fn quotas(report: &Report<'_>, names: Names) -> String {
    let prediction = &report.predicted.prediction;
    if prediction.quotas.is_empty() {
        return String::new();
    }
    let runs = prediction.assumptions.runs;
    let rows = prediction.quotas.iter().flat_map(|quota| quota_rows(quota, report.standing(quota), runs, names));
    table(&["ResourceQuota", "fits", "resource", "allowed", "needed"], 3, rows.map(Vec::from))
}

fn quota_rows(quota: &QuotaPrediction, standing: QuotaStanding, runs: u32, names: Names) -> Vec<[String; 5]> {
    let name = cell(&names.name(&quota.namespace, &quota.name));
    let QuotaPrediction { demand, proposed, fits_in_runs, worst, .. } = quota;
    let mut rows = demand_rows(&name, demand, standing);
    let verdict = |label: String, verdict: String| [label, verdict, String::new(), String::new(), String::new()];
    rows.extend(fits_in_runs.map(|fits| verdict(label(FigureSource::Runs(runs)), format!("in {fits} of {runs}"))));
    let of_proposed = |demand: &QuotaDemand| if demand.fits { QuotaStanding::Fits } else { QuotaStanding::Exceeded };
    rows.extend(
        proposed.iter().flat_map(|demand| demand_rows(&label(FigureSource::Proposed), demand, of_proposed(demand))),
    );
    if let Some(WorstQuota { proof, exceeded }) = worst {
        let label = label(FigureSource::Worst(*proof));
        if exceeded.is_empty() {
            rows.push(verdict(label.clone(), "✓".to_owned()));
        }
        let row = |resource: &str, needed: &str| {
            [label.clone(), "✗".to_owned(), cell(resource), String::new(), needed.to_owned()]
        };
        rows.extend(exceeded.iter().map(|exceeded| row(&exceeded.resource, &exceeded.needed)));
    }
    let not_known = phrases::worst_not_known(quota, names).map(|why| cell(&why));
    rows.extend(not_known.map(|why| verdict("↳ worst".to_owned(), why)));
    rows
}

/// What is needed of a quota: a row for each resource that is exceeded, or one if it fits.
fn demand_rows(label: &str, demand: &QuotaDemand, standing: QuotaStanding) -> Vec<[String; 5]> {
    let row = |mark: &str, [resource, allowed, needed]: [String; 3]| {
        [label.to_owned(), mark.to_owned(), resource, allowed, needed]
    };
    match standing {
        QuotaStanding::Fits => return vec![row("✓", Default::default())],
        QuotaStanding::PartlyCounted => return vec![row("by what is modeled", Default::default())],
        QuotaStanding::Unmatched => return vec![row("limits nothing", Default::default())],
        QuotaStanding::ExceededAlready => return vec![row("exceeded with or without the change", Default::default())],
        QuotaStanding::Exceeded => {}
    }
    let exceeded = demand.exceeded.iter();
    let exceeded = exceeded.map(|exceeded| [cell(&exceeded.resource), exceeded.hard.clone(), exceeded.needed.clone()]);
    let unspecified = demand.unspecified.iter();
    let unspecified =
        unspecified.map(|missing| [cell(&missing.to_string()), String::new(), "must be specified".to_owned()]);
    let mut rows: Vec<_> = exceeded.chain(unspecified).map(|cells| row("✗", cells)).collect();
    if rows.is_empty() {
        rows.push(row("✗", Default::default()));
    }
    rows
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
