//! `changeover review`

use changeover_core::apiserver::{ExistingObjects, Replaced};
use changeover_core::json::ToJson;
use changeover_core::review::{
    Applicability, ClusterReader, FieldChange, NoCluster, Settings, Verdict, admission_request, review_in_cluster,
    validate_settings,
};
use clap::Args;
use serde_json::Value;

use crate::Exit;
use crate::answer::Answer;
use crate::documents::read;
use crate::documents::{DocumentOptions, Documents, LeftOut};
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::{Manifest, kind, metadata};
use crate::options::{FileOptions, ReportFormat};
use crate::output::json::print;
use crate::style::{Role, Screen};

/// The version of the report's format.
const VERSION: u32 = 1;

/// Reviews requests as the Kubewarden policy would, with your settings.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  What would the policy say if these manifests were created?
    changeover review deploy/ --settings settings.yaml

  What would it say if they replaced the existing objects?
    changeover review new/ --old old/ --settings settings.yaml

  Review a recorded AdmissionReview:
    changeover review request.json

Exit codes: 0 if every request is allowed, 1 if one is denied or can't be read, 2 for wrong usage.")]
pub struct Arguments {
    /// The manifests, or AdmissionReviews: files, folders, or - for standard input
    #[arg(value_name = "PATH", required_unless_present = "files")]
    paths: Vec<String>,
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    documents: DocumentOptions,
    /// The policy's settings [default: none]
    #[arg(long, value_name = "PATH")]
    settings: Option<String>,
    /// The existing objects: an object with the same kind, name and namespace is an update, any other is created
    #[arg(long, value_name = "PATH")]
    old: Vec<String>,
    /// The user who makes the requests
    #[arg(long, value_name = "NAME", default_value = "kubernetes-admin")]
    user: String,
    /// The output format: text for people, or json for programs (review-report.schema.json describes it)
    #[arg(short, long, value_enum, default_value_t)]
    output: ReportFormat,
}

/// What `changeover review -o json` prints.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReviewReport {
    /// The version of this format: 1.
    pub version: u32,
    /// The verdict on each request.
    pub verdicts: Vec<VerdictReport>,
    /// The documents that are not reviewed: refused ones, which make the exit code 1, and skipped ones.
    pub left_out: Vec<LeftOut>,
}

/// The verdict on one request.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct VerdictReport {
    /// The object, as `Kind/name`.
    pub object: String,
    /// The file that the object is in.
    pub file: String,
    /// The line where the object begins, from 1.
    pub line: usize,
    /// Whether the request is allowed.
    pub allowed: bool,
    /// Why the policy doesn't look at the request, and so allows it; absent if it does.
    #[json(omitempty)]
    pub not_reviewed: Option<String>,
    /// Why not: one sentence for each violation.
    pub violations: Vec<String>,
    /// What the policy changes in the object.
    pub changes: Vec<String>,
    /// The policy's warnings: what is allowed but may surprise.
    pub warnings: Vec<String>,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments, screen: Screen) -> Result<Exit, Failure> {
    answer(host, arguments, screen, &[arguments.output]).map(|answer| answer.print(host))
}

/// The answer in these formats.
///
/// # Errors
/// Wrong use, and input that can't be read.
pub fn answer(
    host: &mut dyn Host,
    arguments: &Arguments,
    screen: Screen,
    formats: &[ReportFormat],
) -> Result<Answer, Failure> {
    let settings = read_settings(host, arguments.settings.as_deref())?;
    let paths = arguments.files.with(&arguments.paths);
    let documents = Documents::read(host, &paths, &arguments.documents)?;
    documents.print_refused(host);
    Documents::print_unknown_kinds(host, &documents.unknown_kinds);
    let Documents { manifests, left_out, .. } = documents;
    let old = Documents::read(host, &arguments.old, &arguments.documents)?.manifests;
    let existing = ExistingObjects::of(old.iter().map(|manifest| &manifest.document.value));
    let cluster: &dyn ClusterReader = if old.is_empty() { &NoCluster } else { &existing };
    let mut report = ReviewReport { version: VERSION, verdicts: Vec::new(), left_out: left_out.clone() };
    // Nobody has validated a manifest yet; the API server did it for a request that it sent.
    let of_manifests = settings.for_manifests();
    for manifest in &manifests {
        let request = request(manifest, &existing, &arguments.user)?;
        let is_sent = kind(&manifest.document.value) == "AdmissionReview";
        let settings = if is_sent { &settings } else { &of_manifests };
        let applicability = Applicability::of(&request, settings);
        let verdict = review_in_cluster(&request, settings, cluster);
        report.verdicts.push(verdict_report(manifest, &request, applicability, verdict));
    }
    let text = |format: &ReportFormat| match format {
        ReportFormat::Text => text(&report, screen),
        ReportFormat::Json => print(&report),
    };
    let is_denied = report.verdicts.iter().any(|verdict| !verdict.allowed);
    let is_found = is_denied || left_out.iter().any(LeftOut::is_refused);
    let exit = if is_found { Exit::Findings } else { Exit::Clean };
    Ok(Answer { texts: formats.iter().map(text).collect(), exit })
}

fn read_settings(host: &mut dyn Host, path: Option<&str>) -> Result<Settings, Failure> {
    let Some(path) = path else { return Ok(Settings::default()) };
    let manifests = read(host, path)?;
    let [settings] = manifests.as_slice() else {
        return Err(Failure::new(format!("{path}: must be one document with the settings")));
    };
    validate_settings(&settings.document.value).map_err(|problems| {
        Failure::of_lines(problems.iter().map(|problem| settings.locate(&problem.path, &problem.message)))
    })
}

/// A request as the API server sends it, but with the object as it is written: the policy knows manifests.
fn request(manifest: &Manifest, existing: &ExistingObjects<'_>, user: &str) -> Result<Value, Failure> {
    let object = &manifest.document.value;
    if kind(object) == "AdmissionReview" {
        let request = object.get("request").filter(|request| request.is_object());
        return request.cloned().ok_or_else(|| Failure::new(manifest.locate("request", "Required value")));
    }
    let replaced =
        existing.find(object).map_err(|problem| Failure::new(manifest.locate(&problem.path, &problem.message)))?;
    Ok(admission_request(object, replaced.map(|Replaced { object, .. }| object), user))
}

fn verdict_report(manifest: &Manifest, request: &Value, applies: Applicability, verdict: Verdict) -> VerdictReport {
    let (kind, name) = kind_and_name(request);
    let position = manifest.position("");
    VerdictReport {
        object: format!("{kind}/{name}"),
        file: position.map_or_else(String::new, |(file, _)| file.to_owned()),
        line: position.map_or(0, |(_, position)| position.line),
        allowed: verdict.allowed,
        not_reviewed: match applies {
            Applicability::Judged => None,
            Applicability::OtherSubresource => {
                Some(format!("the policy doesn't check the {} subresource", text_at(request, "/subResource")))
            }
            Applicability::OtherKind => Some(format!("the policy doesn't check objects of kind {kind}")),
            Applicability::OtherRequest => {
                Some("the policy doesn't check delete requests or objects that are being deleted".to_owned())
            }
        },
        violations: verdict.message.iter().flat_map(|message| message.lines().map(str::to_owned)).collect(),
        changes: verdict.patch.iter().map(FieldChange::to_string).collect(),
        warnings: verdict.warnings,
    }
}

/// The kind and the name of a request's object. A deletion has only the old object, or none.
fn kind_and_name(request: &Value) -> (&str, &str) {
    let mut objects = ["object", "oldObject"].into_iter().filter_map(|field| request.get(field));
    match objects.find(|object| object.is_object()) {
        Some(object) => (kind(object), metadata(object, "name")),
        None => (text_at(request, "/kind/kind"), text_at(request, "/name")),
    }
}

fn text_at<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

fn text(report: &ReviewReport, screen: Screen) -> String {
    let palette = screen.palette;
    let mut text = String::new();
    for verdict in &report.verdicts {
        let word = match &verdict.not_reviewed {
            Some(why) => palette.paint(Role::Aside, &format!("- not reviewed: {why}")),
            None if verdict.allowed => palette.paint(Role::Good, "✓ allowed"),
            None => palette.paint(Role::Bad, "✗ denied"),
        };
        let headline = format!("{}:{}: {} {word}", verdict.file, verdict.line, verdict.object.replace('/', " "));
        text.push_str(&format!("{}\n", screen.wrap(&headline, 2)));
        for (label, lines) in [("", &verdict.violations), ("sets ", &verdict.changes), ("warning: ", &verdict.warnings)]
        {
            lines.iter().for_each(|line| text.push_str(&format!("{}\n", screen.wrap(&format!("  {label}{line}"), 4))));
        }
    }
    text
}
