//! `changeover advise`

use core::ops::ControlFlow;

use changeover_core::Problem;
use changeover_core::object::ObjectName;
use changeover_core::prediction::{
    Advice, AdviseOptions, AdvisedSetting, ConstraintKind, Constraints, RelaxedConstraint, advise_watched,
};
use changeover_core::scenario::Duration;
use clap::Args;

use crate::Exit;
use crate::cluster;
use crate::documents::{DocumentOptions, Documents, LeftOut, read, take_refused};
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::{Manifest, flag_of, located, metadata, objects, shell_quoted};
use crate::options::{AssumptionOptions, ClusterOptions, FileOptions, ReportFormat, parse_duration};
use crate::output::json;
use crate::output::table::Table;
use crate::program::Program;
use crate::progress::Progress;
use crate::read_time::read_time;
use crate::style::{Palette, Role};
use crate::time_format::clock;

/// Lists the settings of a Deployment that meet your constraints, and what each one costs.
///
/// Each setting is simulated with a rollout that replaces all pods: maxSurge and maxUnavailable, Recreate, minReadySeconds, and the
/// proposed podReplacementPolicy, which is in no release. Other Deployments don't change meanwhile.
#[derive(Args, Debug)]
#[command(override_usage = "\
changeover advise [OPTIONS] PATH...
       changeover advise [OPTIONS] --cluster")]
#[command(after_help = "\
Examples:
  Never more than 16 pods, terminating ones included:
    changeover advise deploy.yaml --max-pods 16

  Fit a quota, and keep 9 pods available:
    changeover advise deploy.yaml --quota quota.yaml --min-available 9

  Get advice for a running Deployment, within the quotas of its namespace:
    changeover advise --cluster --namespace shop --deployment web --fit-quotas

Exit codes: 0 if a setting of today's releases meets the constraints, 1 if none does or a document
is refused, 2 for wrong usage.")]
pub struct Arguments {
    /// The Deployment and the objects around it: files, folders, or - for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    documents: DocumentOptions,
    /// The Deployment, as name or namespace/name; not needed if there is only one
    #[arg(long, value_name = "NAME")]
    deployment: Option<String>,
    /// The nodes: Node objects, or one { name, pods, cpu, memory } in each document. They run only the given pods: with
    /// --cluster, add -A to read those of all namespaces. Without nodes, every pod can be scheduled
    #[arg(long, value_name = "PATH")]
    nodes: Option<String>,
    /// The output format: text for people, or json for programs (advice.schema.json describes it)
    #[arg(short, long, value_enum, default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    constraints: ConstraintOptions,
    #[command(flatten)]
    assumptions: AssumptionOptions,
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// What the rollout should keep to: at least one.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
#[command(next_help_heading = "Constraints")]
struct ConstraintOptions {
    /// The most pods at once, terminating ones included
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_pods: Option<i32>,
    /// The fewest pods that are available at any time
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    min_available: Option<i32>,
    /// The rollout is complete within this time
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    within: Option<Duration>,
    /// The rollout fits these ResourceQuotas; can be repeated
    #[arg(long = "quota", value_name = "PATH")]
    quotas: Vec<String>,
    /// The rollout fits the ResourceQuotas among the objects
    #[arg(long)]
    fit_quotas: bool,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments, program: Program, palette: Palette) -> Result<Exit, Failure> {
    let paths = arguments.files.with(&arguments.paths);
    let documents = Documents::read(host, &paths, &arguments.documents)?;
    documents.print_refused(host);
    let Documents { mut manifests, mut left_out } = documents;
    let mut namespace = arguments.cluster.namespace.clone();
    if arguments.cluster.cluster {
        let written = arguments.deployment.as_deref().map(|written| ObjectName::parse(written, &[]));
        let named = written.and_then(|written| written.namespace);
        let (objects, current) = cluster::read_for(host, &arguments.cluster, named, &manifests)?;
        manifests.extend(objects);
        namespace = current;
    } else if manifests.is_empty() {
        return Err(Failure::new(format!(
            "give a file with the Deployment, or use --cluster (see {program} advise --help)"
        )));
    }
    let mut quotas = Vec::new();
    for path in &arguments.constraints.quotas {
        quotas.extend(read(host, path)?);
    }
    let nodes = arguments.nodes.as_ref().map_or_else(|| Ok(Vec::new()), |path| read(host, path))?;
    let now = read_time(host, arguments.assumptions.now, &manifests);
    let options = AdviseOptions {
        deployment: arguments.deployment.clone(),
        quotas: objects(&quotas),
        nodes: objects(&nodes),
        namespace,
        assumptions: arguments.assumptions.to_assumptions(now),
    };
    let constraints = Constraints {
        max_pods: arguments.constraints.max_pods,
        min_available: arguments.constraints.min_available,
        within: arguments.constraints.within,
        quotas: arguments.constraints.fit_quotas || !quotas.is_empty(),
    };
    let advice = loop {
        let advice = {
            let mut progress = Progress::new(host);
            advise_watched(&objects(&manifests), &constraints, &options, &mut |done, of| {
                progress.finished("setting", done, of);
                ControlFlow::Continue(())
            })
        };
        let problem = match advice {
            Ok(advice) => break advice,
            Err(problem) => problem,
        };
        // Advice about something else is possible without what the API server refuses.
        let Some(refused) = take_refused(&problem, &mut [("objects", &mut manifests)]) else {
            return Err(Failure::of_problem(&problem, |problem| locate(problem, &manifests, &quotas, &nodes)));
        };
        refused.iter().for_each(|refused| host.print_error(&format!("{}\n", refused.sentence())));
        left_out.extend(refused);
    };
    host.print(&match arguments.output {
        ReportFormat::Text => text(&advice, arguments, is_namespace_known(&advice, &manifests, &options), palette),
        ReportFormat::Json => json::print(&advice),
    });
    let has_refused = left_out.iter().any(LeftOut::is_refused);
    Ok(if keeping(&advice).next().is_some() && !has_refused { Exit::Clean } else { Exit::Findings })
}

/// The settings of today's releases that meet the constraints.
fn keeping(advice: &Advice) -> impl Iterator<Item = &AdvisedSetting> {
    let all = core::iter::once(&advice.as_it_is).chain(&advice.fits);
    all.filter(|advised| advised.fits && !advised.proposed)
}

fn locate(problem: &Problem, objects: &[Manifest], quotas: &[Manifest], nodes: &[Manifest]) -> String {
    let lists = [("objects", objects), ("quotas", quotas), ("nodes", nodes)];
    located(problem, &lists).unwrap_or_else(|| {
        let Problem { path, message, .. } = problem;
        match path.split_once('.') {
            // A quota is a constraint by itself.
            Some(("constraints", "quotas")) => format!("--fit-quotas: {message}"),
            Some(("constraints" | "assumptions", field)) => format!("{}: {message}", flag_of(field)),
            None if path == "deployment" => format!("--deployment: {message}"),
            None if path == "objects" => format!("the objects: {message}"),
            _ => problem.to_string(),
        }
    })
}

/// Whether the namespace is more than a default: the manifest or the user names it.
fn is_namespace_known(advice: &Advice, manifests: &[Manifest], options: &AdviseOptions) -> bool {
    let names_it = |manifest: &Manifest| {
        let object = &manifest.document.value;
        metadata(object, "name") == advice.name && metadata(object, "namespace") == advice.namespace
    };
    options.namespace.is_some() || manifests.iter().any(names_it)
}

fn text(advice: &Advice, arguments: &Arguments, names_namespace: bool, palette: Palette) -> String {
    let mut table = Table::new(["setting", "pods", "available", "complete", "old gone", ""]);
    let mut push = |advised: &AdvisedSetting, note: String| {
        let after = |time: Option<i64>| time.map_or_else(|| "never".to_owned(), clock);
        table.push([
            advised.setting.to_string(),
            advised.outcome.peak.to_string(),
            advised.outcome.lowest_available.to_string(),
            after(advised.outcome.complete),
            after(advised.outcome.last_old_pod_gone),
            note,
        ]);
    };
    let with_refusals = |advised: &&AdvisedSetting| completes_after_refusals(advised, &arguments.constraints);
    let missed = |advised: &AdvisedSetting, otherwise: &str| {
        let missed = if with_refusals(&advised) { "completes after refusals; " } else { otherwise };
        format!("{missed}{}", verdict(advised, palette))
    };
    push(&advice.as_it_is, format!("current; {}", missed(&advice.as_it_is, "")));
    for advised in &advice.fits {
        push(advised, verdict(advised, palette));
    }
    for advised in &advice.close {
        push(advised, missed(advised, "close; "));
    }
    for relaxation in &advice.relax {
        let constraints: Vec<String> = relaxation.constraints.iter().map(relaxed).collect();
        push(&relaxation.setting, constraints.join(" and "));
    }
    let heading =
        format!("{}, {} replica{}", advice.name, advice.replicas, if advice.replicas == 1 { "" } else { "s" });
    let mut text = format!("{}\n\n", palette.paint(Role::Heading, &heading));
    table.lines().iter().for_each(|line| text.push_str(&format!("{line}\n")));
    if advice.relax.iter().any(|relaxation| relaxation.constraints.len() > 1) {
        text.push_str("\nRelaxing one constraint is not enough: relax all that a line names.\n");
    }
    let namespace = if names_namespace { format!(" --namespace {}", advice.namespace) } else { String::new() };
    let kubectl = arguments.cluster.kubectl();
    let patches = |heading: &str, settings: Vec<&AdvisedSetting>| {
        let patch = |advised: &&AdvisedSetting| {
            let patch = shell_quoted(&advised.patch.to_string());
            let command = format!("{kubectl} patch deployment {}{namespace} --type merge -p {patch}", advice.name);
            format!("  # {}\n  {command}\n", advised.setting)
        };
        let patches: String = settings.iter().map(patch).collect();
        if patches.is_empty() { patches } else { format!("\n{heading}\n{patches}") }
    };
    let fits = advice.fits.iter().filter(|advised| !advised.proposed);
    text.push_str(&patches("Patches, fastest first:", fits.collect()));
    let mut refused: Vec<&AdvisedSetting> = advice.close.iter().filter(with_refusals).collect();
    refused.sort_by_key(|advised| advised.outcome.complete);
    text.push_str(&patches(
        "Patches whose rollouts complete, although the quota refuses some pods until others are gone:",
        refused,
    ));
    let misses_pods_of_nodes = arguments.nodes.is_some() && arguments.cluster.misses_pods();
    let flags: &[&str] = if misses_pods_of_nodes { &["-A"] } else { &[] };
    let assumed = arguments.assumptions.describe(&advice.assumed, flags);
    let assumed = format!("{assumed} {} settings were simulated.", advice.simulated);
    text.push_str(&format!("\n{}\n", palette.paint(Role::Aside, &assumed)));
    text
}

/// `relax --max-pods to 17`
fn relaxed(RelaxedConstraint { constraint, to }: &RelaxedConstraint) -> String {
    match constraint {
        ConstraintKind::MaxPods => format!("relax --max-pods to {to}"),
        ConstraintKind::MinAvailable => format!("relax --min-available to {to}"),
        ConstraintKind::Within => format!("relax --within to {to}"),
        ConstraintKind::Quotas => format!("raise the quota: {to}"),
    }
}

/// Whether a setting misses only the quotas of the cluster, and completes within them: the controllers try again what is refused. The
/// outcome does not show what other quotas refuse.
fn completes_after_refusals(advised: &AdvisedSetting, constraints: &ConstraintOptions) -> bool {
    constraints.quotas.is_empty()
        && !advised.misses.is_empty()
        && advised.misses.iter().all(|miss| miss.constraint == ConstraintKind::Quotas)
        && advised.outcome.complete.is_some()
}

/// `fits`, or what is missed.
fn verdict(advised: &AdvisedSetting, palette: Palette) -> String {
    if advised.fits {
        return palette.paint(Role::Good, if advised.proposed { "fits (not in any release yet)" } else { "fits" });
    }
    advised.misses.iter().map(|miss| miss.message.as_str()).collect::<Vec<_>>().join("; ")
}
