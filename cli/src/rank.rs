//! `changeover rank`

use changeover_core::deletion_order::RankedObjects;
use changeover_core::explain::{RankReport, RankedPod};
use changeover_core::feature_gates::FeatureGates;
use changeover_core::object::{Kind, ObjectName, Time};
use clap::Args;
use serde_json::Value;

use crate::Exit;
use crate::answer::Answer;
use crate::cluster::{Reader, Scope};
use crate::documents::{DocumentOptions, Documents, LeftOut};
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::{Manifest, kind, located, metadata, objects};
use crate::options::{ClusterOptions, FileOptions, ReportFormat, parse_time};
use crate::output::json;
use crate::output::table::Table;
use crate::program::Program;
use crate::read_time::read_time;
use crate::style::Screen;

/// Shows which pods are deleted first when a ReplicaSet, a ReplicationController, a StatefulSet or a Job shrinks, and why.
#[derive(Args, Debug)]
#[command(override_usage = "\
changeover rank [OPTIONS] KIND/NAME PATH
       changeover rank [OPTIONS] KIND/NAME --cluster")]
#[command(after_help = "\
Examples:
  Which three pods would go?
    changeover rank rs/web-7779857d8d --count 3 --cluster

  Read a file that kubectl wrote:
    kubectl get replicasets,jobs,pods -o json > state.json
    changeover rank job/train --count 2 -f state.json

  Which pod of a StatefulSet goes first?
    changeover rank sts/db --count 1 --cluster

Exit codes: 0, 1 if a document can't be read, 2 for wrong usage.")]
pub struct Arguments {
    /// The workload: its name, or namespace/name, with or without rs/, rc/, sts/ or job/ before it
    #[arg(value_name = "KIND/NAME")]
    workload: String,
    /// The workloads and Pods, as kubectl get -o json prints them
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    documents: DocumentOptions,
    /// How many pods to delete [default: the active pods beyond spec.replicas, or beyond what a Job runs at once]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    count: Option<u32>,
    /// When the pods are compared, like 2026-01-01T12:00:00Z [default: now; for a file whose newest time is more than
    /// 10 minutes ago, that time]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    now: Option<Time>,
    /// The output format: text for people, or json for programs (rank-report.schema.json describes it)
    #[arg(short, long, value_enum, default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    cluster: ClusterOptions,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments, program: Program, screen: Screen) -> Result<Exit, Failure> {
    answer(host, arguments, program, screen, &[arguments.output]).map(|answer| answer.print(host))
}

/// The answer in these formats.
///
/// # Errors
/// Wrong use, and input that can't be read.
pub fn answer(
    host: &mut dyn Host,
    arguments: &Arguments,
    program: Program,
    screen: Screen,
    formats: &[ReportFormat],
) -> Result<Answer, Failure> {
    let paths = arguments.files.with(&arguments.paths);
    let documents = Documents::read(host, &paths, &arguments.documents)?;
    documents.print_refused(host);
    Documents::print_unknown_kinds(host, &documents.unknown_kinds);
    let Documents { mut manifests, left_out, .. } = documents;
    if arguments.cluster.cluster {
        let scope = Scope::of(host, &arguments.cluster, ObjectName::parse(&arguments.workload, &Kind::ALL).namespace)?;
        manifests.extend(Reader::new(&arguments.cluster, scope).read(host)?);
    } else if manifests.is_empty() {
        return Err(Failure::new(format!("give the objects with -f, or use --cluster (see {program} rank --help)")));
    }
    let ranked = RankedObjects::read(&objects(&manifests)).map_err(|problem| {
        let problem = problem.map_paths(&|path| format!("objects{path}"));
        Failure::of_problem(&problem, |problem| {
            located(problem, &[("objects", manifests.as_slice())]).unwrap_or_else(|| problem.to_string())
        })
    })?;
    let workload = ranked.find(&Value::from(arguments.workload.as_str())).map_err(|problem| {
        owner_failure(&arguments.workload, &manifests)
            .unwrap_or_else(|| Failure::of_problem(&problem, ToString::to_string))
    })?;
    let now = read_time(host, arguments.now, &manifests);
    let report = RankReport::new(ranked.order(&workload, arguments.count, now, FeatureGates::default()), now);
    let text = |format: &ReportFormat| match format {
        ReportFormat::Text => text(&report.pods, screen),
        ReportFormat::Json => json::print(&report),
    };
    let exit = if left_out.iter().any(LeftOut::is_refused) { Exit::Findings } else { Exit::Clean };
    Ok(Answer { texts: formats.iter().map(text).collect(), exit })
}

/// The error if the user names an owner, which deletes no pods itself: it lists the owner's ReplicaSets or Jobs.
fn owner_failure(written: &str, manifests: &[Manifest]) -> Option<Failure> {
    let owner = ObjectName::parse(written, &Kind::ALL);
    let owned_kind = owner.kind?.creates().filter(|owned| *owned != Kind::Pod)?.name();
    let owner_kind = owner.kind?.name();
    let is_owned = |object: &&Value| {
        let owners = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
        let is =
            |reference: &Value, field: &str, text: &str| reference.get(field).and_then(Value::as_str) == Some(text);
        let is_owner = |reference: &Value| is(reference, "kind", owner_kind) && is(reference, "name", owner.name);
        let is_there = owner.namespace.is_none_or(|namespace| namespace == namespace_of(object));
        is_there && owners.into_iter().flatten().any(is_owner)
    };
    let has_pods = |object: &&Value| object.pointer("/spec/replicas").and_then(Value::as_i64) != Some(0);
    let parts = |object| {
        let word = match kind(object) {
            "ReplicaSet" => "rs",
            "Job" => "job",
            _ => return None,
        };
        Some((word, namespace_of(object), metadata(object, "name")))
    };
    let objects = manifests.iter().map(|manifest| &manifest.document.value);
    let written_name = |(word, namespace, name)| {
        let namesakes = objects.clone().filter_map(parts).filter(|other| (other.0, other.2) == (word, name));
        if namesakes.count() > 1 { format!("\"{word}/{namespace}/{name}\"") } else { format!("\"{word}/{name}\"") }
    };
    let owned = objects.clone().filter(is_owned).filter(has_pods).filter_map(parts);
    let names: Vec<String> = owned.map(written_name).collect();
    let of_it = if names.is_empty() { String::new() } else { format!(": {}", names.join(" or ")) };
    Some(Failure::new(format!("Not found: {written:?}: must be a {owned_kind} of the {owner_kind}{of_it}")))
}

fn namespace_of(object: &Value) -> &str {
    match metadata(object, "namespace") {
        "" => "default",
        namespace => namespace,
    }
}

fn text(order: &[RankedPod], screen: Screen) -> String {
    if order.is_empty() {
        return "There are no active pods.\n".to_owned();
    }
    let mut table = Table::new(["pod", "", "why it goes before the next pod"]);
    for pod in order {
        table.push([
            pod.name.to_string(),
            if pod.deleted { "goes" } else { "stays" }.to_owned(),
            pod.why.clone().unwrap_or_default(),
        ]);
    }
    let names = order.iter().map(|pod| pod.name.chars().count()).max().unwrap_or(0);
    // Below the column of the reasons, if that leaves room for some words.
    let indent = names.saturating_add("  stays  ".len()).min(screen.width.saturating_div(2));
    table.lines().iter().map(|line| format!("{}\n", screen.wrap(line, indent))).collect()
}
