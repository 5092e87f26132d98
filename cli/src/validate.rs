//! `changeover validate`

use changeover_core::apiserver::{DryRun, ExistingObjects};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::ToJson;
use clap::{Args, ValueEnum};

use crate::Exit;
use crate::answer::Answer;
use crate::documents::{DocumentOptions, Documents, LeftOut};
use crate::failure::Failure;
use crate::finding::shortened;
use crate::host::Host;
use crate::manifests::Manifest;
use crate::options::FileOptions;
use crate::output::{github, json};
use crate::style::Screen;

/// The version of the report's format.
const VERSION: u32 = 3;

/// Validates manifests as the API server would, and prints its errors and warnings.
///
/// Checks Deployments, ReplicaSets, Jobs, CronJobs, StatefulSets, DaemonSets, ReplicationControllers, PodTemplates and Pods:
/// the name and type of every field, as strictly as the API server does for kubectl, and most of their values. The first
/// line says how many fields, and objects of other kinds, were not checked; -v lists them. A field that no release has is
/// an error, unless --feature-gate turns on the gate that adds it.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  Check manifests before they are applied:
    changeover validate deploy/
    helm template web ./chart | changeover validate -

  Check the update of what exists: some fields are immutable
    changeover validate new/ --old old/

  Allow the field that KEP-5882 proposes:
    changeover validate web.yaml --feature-gate DeploymentPodReplacementPolicy=true

Exit codes: 0 if nothing is refused, 1 if something is, 2 for wrong usage.")]
pub struct Arguments {
    /// The manifests: files, folders, or - for standard input
    #[arg(value_name = "PATH", required_unless_present = "files")]
    paths: Vec<String>,
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    documents: DocumentOptions,
    /// The existing objects: an object with the same kind, name and namespace is an update
    #[arg(long, value_name = "PATH")]
    old: Vec<String>,
    /// Turns a feature gate on or off, like PodDeletionCost=false; can be repeated
    #[arg(long = "feature-gate", value_name = "NAME=BOOL")]
    feature_gates: Vec<String>,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    output: Form,
    /// Lists the fields and objects that were not checked
    #[arg(short, long)]
    verbose: bool,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum Form {
    /// For people and editors: path:line:column: problem
    #[default]
    Text,
    /// For programs: validate-report.schema.json describes it
    Json,
    /// Annotations for GitHub Actions, on the lines of the manifests
    Github,
}

/// What `changeover validate -o json` prints.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ValidateReport {
    /// The version of this format: 3.
    pub version: u32,
    /// What is known about all objects together.
    pub verdict: Verdict,
    /// The fields that the API server refuses, if kubectl sends the object, and its warnings.
    pub problems: Vec<FieldReport>,
    /// How many objects were read.
    pub objects: usize,
    /// The documents that are no Kubernetes objects, which were not checked.
    pub skipped: Vec<LeftOut>,
    /// The objects of other kinds, which were not checked, as `Kind/name`.
    pub not_checked: Vec<String>,
    /// The fields of the other objects that were not checked. They may be invalid. If a field of an object has the wrong type,
    /// these are all fields of that object.
    pub unchecked_fields: Vec<UncheckedField>,
}

/// What is known about all objects together, from the worst to the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ValidateVerdict"))]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// The API server refuses at least one of them.
    Refused,
    /// Nothing that was checked is refused, but not everything was checked.
    NotFullyChecked,
    /// Everything was checked, and nothing is refused.
    NotRefused,
}

/// Something that the API server would say.
#[derive(Clone, Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct FieldReport {
    /// Whether it refuses the object or warns.
    pub severity: Severity,
    /// The file that the object is in.
    pub file: String,
    /// The line of the field, from 1.
    pub line: usize,
    /// The character within the line, from 1.
    pub column: usize,
    /// The field's path; empty for a warning.
    pub path: String,
    /// The message, in the API server's words. For a field that Kubernetes doesn't know, the known field that was probably meant
    /// comes last.
    pub message: String,
}

/// A field that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct UncheckedField {
    /// The object, as `Kind/name`.
    pub object: String,
    /// The file that the object is in.
    pub file: String,
    /// The line of the field, from 1.
    pub line: usize,
    /// The character within the line, from 1.
    pub column: usize,
    /// The field's path.
    pub path: String,
}

/// The severity of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    /// The object is refused.
    Error,
    /// The API server accepts the object, and warns.
    Warning,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments, screen: Screen) -> Result<Exit, Failure> {
    answer(host, arguments, screen, &[arguments.output]).map(|answer| answer.print(host))
}

/// The answer in these formats.
///
/// # Errors
/// Wrong use, and input that can't be read.
pub fn answer(host: &mut dyn Host, arguments: &Arguments, screen: Screen, formats: &[Form]) -> Result<Answer, Failure> {
    let gates = read_gates(&arguments.feature_gates)?;
    let paths = arguments.files.with(&arguments.paths);
    let Documents { manifests, left_out, unknown_kinds, .. } = Documents::read(host, &paths, &arguments.documents)?;
    Documents::print_unknown_kinds(host, &unknown_kinds);
    if manifests.is_empty() && left_out.is_empty() {
        let paths = paths.join(", ");
        return Err(Failure::new(format!("{paths}: must contain .yaml, .yml or .json files with objects")));
    }
    let old = Documents::read(host, &arguments.old, &arguments.documents)?.manifests;
    let existing = ExistingObjects::of(old.iter().map(|manifest| &manifest.document.value));
    let (refused, skipped): (Vec<LeftOut>, Vec<LeftOut>) = left_out.into_iter().partition(LeftOut::is_refused);
    let mut report = ValidateReport {
        version: VERSION,
        verdict: Verdict::NotRefused,
        problems: refused.iter().map(unread).collect(),
        objects: manifests.len(),
        skipped,
        not_checked: Vec::new(),
        unchecked_fields: Vec::new(),
    };
    for manifest in &manifests {
        let outcome = match existing.dry_run(&manifest.document.value, &gates) {
            Ok(outcome) => outcome,
            Err(problem) => {
                let left_out = LeftOut::refused(manifest, &problem.path, &problem.message);
                report.problems.push(unread(&left_out));
                continue;
            }
        };
        if is_unknown_kind(&outcome) {
            report.not_checked.push(manifest.name());
        } else {
            report.unchecked_fields.extend(unchecked_fields(manifest, &outcome));
        }
        report.problems.extend(reports(manifest, &outcome));
    }
    report.verdict = verdict(&report);
    let text = |format: &Form| match format {
        Form::Text => text(&report, arguments.verbose, screen),
        Form::Json => json::verdict_first(report.to_json()),
        Form::Github => annotations(&report, arguments.verbose),
    };
    let exit = if report.verdict == Verdict::Refused { Exit::Findings } else { Exit::Clean };
    Ok(Answer { texts: formats.iter().map(text).collect(), exit })
}

fn verdict(report: &ValidateReport) -> Verdict {
    if report.problems.iter().any(|problem| problem.severity == Severity::Error) {
        Verdict::Refused
    } else if report.not_checked.len() == report.objects
        || !(report.not_checked.is_empty() && report.unchecked_fields.is_empty() && report.skipped.is_empty())
    {
        Verdict::NotFullyChecked
    } else {
        Verdict::NotRefused
    }
}

/// The verdict in words, and how much was not checked.
fn headline(report: &ValidateReport) -> String {
    let counted = |count: usize, name: &str| match count {
        0 => None,
        1 => Some(format!("1 {name}")),
        _ => Some(format!("{count} {name}s")),
    };
    let refused = report.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let verdict = match report.verdict {
        Verdict::Refused => counted(refused, "problem").unwrap_or_default(),
        Verdict::NotFullyChecked if report.not_checked.len() == report.objects => "nothing was checked".to_owned(),
        Verdict::NotFullyChecked => "nothing that is checked is refused".to_owned(),
        Verdict::NotRefused => "nothing is refused".to_owned(),
    };
    let unchecked = [
        counted(report.unchecked_fields.len(), "field"),
        counted(report.not_checked.len(), "object"),
        counted(report.skipped.len(), "document"),
    ];
    let unchecked: Vec<String> = unchecked.into_iter().flatten().collect();
    if unchecked.is_empty() { verdict } else { format!("{verdict}; not checked: {}", unchecked.join(", ")) }
}

/// What was not checked, by object, and where.
fn unchecked(report: &ValidateReport) -> impl Iterator<Item = (&UncheckedField, String)> {
    let fields = report.unchecked_fields.chunk_by(|a, b| (&a.file, &a.object) == (&b.file, &b.object));
    fields.filter_map(|fields| {
        let paths: Vec<&str> = fields.iter().map(|field| field.path.as_str()).collect();
        fields.first().map(|first| (first, paths.join(", ")))
    })
}

/// A document that could not be read.
fn unread(left_out: &LeftOut) -> FieldReport {
    FieldReport {
        severity: Severity::Error,
        file: left_out.file.clone(),
        line: left_out.line.unwrap_or(1),
        column: left_out.column.unwrap_or(1),
        path: String::new(),
        message: left_out.message.clone(),
    }
}

/// Whether nothing of the object was looked at.
fn is_unknown_kind(outcome: &DryRun) -> bool {
    outcome.object.is_none() && outcome.errors.is_empty()
}

fn unchecked_fields(manifest: &Manifest, outcome: &DryRun) -> Vec<UncheckedField> {
    let field = |path: &String| {
        let (file, position) = manifest.position(path)?;
        let (line, column) = (position.line, position.column);
        Some(UncheckedField { object: manifest.name(), file: file.to_owned(), line, column, path: path.clone() })
    };
    outcome.unvalidated.iter().filter_map(field).collect()
}

fn reports(manifest: &Manifest, outcome: &DryRun) -> Vec<FieldReport> {
    let report = |severity: Severity, path: &str, message: String| {
        let (file, position) = manifest.position(path)?;
        let (line, column) = (position.line, position.column);
        Some(FieldReport { severity, file: file.to_owned(), line, column, path: path.to_owned(), message })
    };
    let unknown = outcome.unknown.iter().filter_map(|field| report(Severity::Error, &field.path, field.sentence()));
    let errors = outcome.errors.iter().filter_map(|error| report(Severity::Error, &error.path, error.to_string()));
    // A client sees warnings only if nothing is refused.
    let is_accepted = outcome.unknown.is_empty() && outcome.errors.is_empty();
    let warnings = outcome.warnings.iter().filter(|_| is_accepted);
    let warnings = warnings.filter_map(|warning| report(Severity::Warning, "", warning.clone()));
    let mut reports: Vec<FieldReport> = unknown.chain(errors).chain(warnings).collect();
    reports.sort_by_key(|report| (report.line, report.column));
    reports
}

fn text(report: &ValidateReport, verbose: bool, screen: Screen) -> String {
    let mut lines = vec![headline(report)];
    for FieldReport { severity, file, line, column, message, .. } in &report.problems {
        let warning = if *severity == Severity::Warning { "warning: " } else { "" };
        lines.push(format!("{file}:{line}:{column}: {warning}{}", shortened(message)));
    }
    if verbose {
        for (UncheckedField { object, file, .. }, paths) in unchecked(report) {
            lines.push(format!("Not checked in {object} ({file}): {paths}"));
        }
        if !report.not_checked.is_empty() {
            lines.push(format!("Not checked: {}", report.not_checked.join(", ")));
        }
    }
    lines.iter().map(|line| format!("{}\n", screen.wrap(line, 2))).collect()
}

fn annotations(report: &ValidateReport, verbose: bool) -> String {
    let mut text = github::command("notice", None, &headline(report));
    for FieldReport { severity, file, line, column, message, .. } in &report.problems {
        let level = if *severity == Severity::Error { "error" } else { "warning" };
        text.push_str(&github::command(level, Some((file, *line, *column)), &shortened(message)));
    }
    if verbose {
        for (UncheckedField { object, file, line, column, .. }, paths) in unchecked(report) {
            let message = format!("Not checked in {object}: {paths}");
            text.push_str(&github::command("notice", Some((file, *line, *column)), &message));
        }
        if !report.not_checked.is_empty() {
            let message = format!("Not checked: {}", report.not_checked.join(", "));
            text.push_str(&github::command("notice", None, &message));
        }
    }
    text
}

/// Reads `PodDeletionCost=false` and the like.
fn read_gates(texts: &[String]) -> Result<FeatureGates, Failure> {
    let gate = |text: &String| {
        let (name, value) = text.split_once('=')?;
        Some((name.to_owned(), value.parse::<bool>().ok()?.into()))
    };
    let gates: Option<serde_json::Map<_, _>> = texts.iter().map(gate).collect();
    let gates = gates.ok_or_else(|| Failure::new("--feature-gate: must be like PodDeletionCost=false"))?;
    FeatureGates::parse(&gates.into(), "").map_err(|problems| {
        Failure::of_lines(problems.iter().map(|problem| format!("--feature-gate: {}", problem.message)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_keep_their_start_and_end() {
        assert_eq!(shortened("spec.replicas: Required value"), "spec.replicas: Required value");
        let long = format!("spec.template: Invalid value: {}: field is immutable", "ä".repeat(3000));
        let short = shortened(&long);
        assert!(short.starts_with("spec.template: Invalid value: ä"), "{short}");
        assert!(short.ends_with("ä: field is immutable"), "{short}");
        assert_eq!(short.chars().count(), 160 + 5 + 80);
    }
}
