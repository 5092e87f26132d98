//! `changeover validate`

use changeover_core::apiserver::{DryRun, ExistingObjects};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::json::ToJson;
use clap::{Args, ValueEnum};

use crate::Exit;
use crate::documents::{DocumentOptions, Documents, LeftOut};
use crate::failure::Failure;
use crate::finding::shortened;
use crate::host::Host;
use crate::manifests::Manifest;
use crate::options::FileOptions;
use crate::output::{github, json};

/// The version of the report's format.
const VERSION: u32 = 1;

/// Validates manifests as the API server would, and prints its errors and warnings.
///
/// Validates the fields of Deployments, ReplicaSets, Jobs, CronJobs, StatefulSets, DaemonSets, ReplicationControllers and
/// Pods that affect replicas, rollouts, replacement and deletion. Other fields are listed as not checked. A field that
/// Kubernetes doesn't know is an error, as with kubectl. Other kinds are not checked.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  Check manifests before they are applied:
    changeover validate deploy/
    helm template web ./chart | changeover validate -

  Check the update of what exists: some fields are immutable
    changeover validate new/ --old old/

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
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Form {
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
    /// The version of this format: 1.
    pub version: u32,
    /// The fields that the API server refuses, if kubectl sends the object, and its warnings.
    pub problems: Vec<FieldReport>,
    /// How many objects were read.
    pub objects: usize,
    /// The objects of other kinds, which were not checked, as `Kind/name`.
    pub not_checked: Vec<String>,
    /// The fields of the other objects that were not checked. They may be invalid. If a field of an object has the wrong type,
    /// these are all fields of that object.
    pub not_looked_at: Vec<UncheckedField>,
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

pub fn run(host: &mut dyn Host, arguments: &Arguments) -> Result<Exit, Failure> {
    let gates = read_gates(&arguments.feature_gates)?;
    let paths = arguments.files.with(&arguments.paths);
    let Documents { manifests, left_out } = Documents::read(host, &paths, &arguments.documents)?;
    let old = Documents::read(host, &arguments.old, &arguments.documents)?.manifests;
    let existing = ExistingObjects::of(old.iter().map(|manifest| &manifest.document.value));
    let mut report = ValidateReport {
        version: VERSION,
        problems: left_out.iter().filter(|left_out| left_out.is_refused()).map(unread).collect(),
        objects: manifests.len(),
        not_checked: Vec::new(),
        not_looked_at: Vec::new(),
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
            report.not_looked_at.extend(unchecked_fields(manifest, &outcome));
        }
        report.problems.extend(reports(manifest, &outcome));
    }
    host.print(&match arguments.output {
        Form::Text => text(&report),
        Form::Json => json::print(&report),
        Form::Github => report.problems.iter().map(annotation).collect(),
    });
    let is_refused = report.problems.iter().any(|problem| problem.severity == Severity::Error);
    Ok(if is_refused { Exit::Findings } else { Exit::Clean })
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

fn text(report: &ValidateReport) -> String {
    let mut text = String::new();
    for FieldReport { severity, file, line, column, message, .. } in &report.problems {
        let warning = if *severity == Severity::Warning { "warning: " } else { "" };
        text.push_str(&format!("{file}:{line}:{column}: {warning}{}\n", shortened(message)));
    }
    let refused = report.problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    let checked = report.objects.saturating_sub(report.not_checked.len());
    text.push_str(&match refused {
        0 => format!("{checked} of {} objects checked: nothing is refused.\n", report.objects),
        1 => "1 problem\n".to_owned(),
        count => format!("{count} problems\n"),
    });
    for fields in report.not_looked_at.chunk_by(|a, b| (&a.file, &a.object) == (&b.file, &b.object)) {
        let paths: Vec<&str> = fields.iter().map(|field| field.path.as_str()).collect();
        if let Some(UncheckedField { object, file, .. }) = fields.first() {
            text.push_str(&format!("Not checked in {object} ({file}): {}\n", paths.join(", ")));
        }
    }
    text
}

fn annotation(report: &FieldReport) -> String {
    let level = if report.severity == Severity::Error { "error" } else { "warning" };
    github::command(level, Some((&report.file, report.line, report.column)), &shortened(&report.message))
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
