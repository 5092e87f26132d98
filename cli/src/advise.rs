//! `changeover advise`

use core::ops::ControlFlow;

use changeover_core::Problem;
use changeover_core::foreign_text::isolated;
use changeover_core::object::ObjectName;
use changeover_core::prediction::{
    Advice, AdviseOptions, AdvisedSetting, ConstraintKind, Constraints, RelaxedConstraint, advise_watched, shell_quoted,
};
use changeover_core::scenario::Duration;
use clap::Args;

use crate::Exit;
use crate::answer::Answer;
use crate::cluster;
use crate::documents::{DocumentOptions, Documents, LeftOut, read_nodes, read_quotas, take_refused};
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::{Manifest, flag_of, located, metadata, objects};
use crate::options::{AssumptionOptions, ClusterOptions, FileOptions, NodeOptions, ReportFormat, parse_duration};
use crate::output::json;
use crate::output::table::Table;
use crate::program::Program;
use crate::progress::Progress;
use crate::read_time::read_time;
use crate::style::{Role, Screen};
use crate::time_format::clock;

/// Lists the settings of a Deployment, a StatefulSet or a DaemonSet that meet your constraints, and what each one costs.
///
/// Each setting is simulated with a rollout that replaces all pods: maxSurge and maxUnavailable, minReadySeconds, Recreate for a
/// Deployment, and the partition and podManagementPolicy of a StatefulSet. Other workloads don't change meanwhile.
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

  Update a StatefulSet within 10 minutes, with 2 pods available:
    changeover advise --cluster --statefulset db --min-available 2 --within 10m

Exit codes: 0 if a setting of today's releases meets the constraints, 1 if none does or a document
is refused, 2 for wrong usage.")]
pub struct Arguments {
    /// The workload and the objects around it: files, folders, or - for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    documents: DocumentOptions,
    #[command(flatten)]
    workload: WorkloadOptions,
    #[command(flatten)]
    nodes: NodeOptions,
    /// Also lists settings with the proposed podReplacementPolicy: TerminationComplete; it is not in any release yet
    #[arg(long)]
    proposed: bool,
    /// Shows the patch of each setting, and all that is assumed
    #[arg(short, long)]
    verbose: bool,
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

/// The workload whose settings are searched: at most one.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct WorkloadOptions {
    /// The Deployment, as name or namespace/name; not needed if there is only one
    #[arg(long, value_name = "NAME")]
    deployment: Option<String>,
    /// The StatefulSet; not needed if there is only one, and no Deployment
    #[arg(long, value_name = "NAME")]
    statefulset: Option<String>,
    /// The DaemonSet; not needed if there is only one, and no Deployment and no StatefulSet. Needs nodes
    #[arg(long, value_name = "NAME")]
    daemonset: Option<String>,
}

impl WorkloadOptions {
    /// What is written.
    fn written(&self) -> Option<&str> {
        [&self.deployment, &self.statefulset, &self.daemonset].into_iter().find_map(|written| written.as_deref())
    }
}

/// What the rollout should keep to: at least one.
#[derive(Args, Debug)]
#[group(required = true, multiple = true)]
#[command(next_help_heading = "Constraints")]
struct ConstraintOptions {
    /// The most pods at once, terminating ones included
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    max_pods: Option<i32>,
    /// The fewest pods that are available at any time [default: 1, if the current settings keep one available]
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

impl Arguments {
    const fn shows_proposed(&self) -> bool {
        self.proposed || self.verbose
    }
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
    if !arguments.cluster.cluster {
        documents.check_some()?;
    }
    documents.print_refused(host);
    Documents::print_unknown_kinds(host, &documents.unknown_kinds);
    let Documents { mut manifests, mut left_out, .. } = documents;
    let mut namespace = arguments.cluster.namespace.clone();
    if arguments.cluster.cluster {
        let written = arguments.workload.written().map(|written| ObjectName::parse(written, &[]));
        let named = written.and_then(|written| written.namespace);
        let (objects, current) = cluster::read_for(host, &arguments.cluster, named, &manifests)?;
        manifests.extend(objects);
        namespace = current;
    } else if manifests.is_empty() {
        return Err(Failure::new(match program {
            Program::Tool => "objects: must contain the workload".to_owned(),
            _ => format!("give a file with the workload, or use --cluster (see {program} advise --help)"),
        }));
    }
    let mut quotas = Vec::new();
    for path in &arguments.constraints.quotas {
        quotas.extend(read_quotas(host, path)?);
    }
    let nodes = arguments.nodes.path.as_ref().map_or_else(|| Ok(Vec::new()), |path| read_nodes(host, path))?;
    let now = read_time(host, arguments.assumptions.now, &manifests);
    let options = AdviseOptions {
        deployment: arguments.workload.deployment.clone(),
        stateful_set: arguments.workload.statefulset.clone(),
        daemon_set: arguments.workload.daemonset.clone(),
        quotas: objects(&quotas),
        nodes: objects(&nodes),
        namespace,
        assumptions: arguments.assumptions.to_assumptions(now),
    };
    let constraints = Constraints {
        max_pods: arguments.constraints.max_pods,
        min_available: arguments.constraints.min_available,
        within: arguments.constraints.within,
        quotas: arguments.constraints.fit_quotas,
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
        refused.iter().for_each(|refused| refused.print(host));
        left_out.extend(refused);
    };
    let text = |format: &ReportFormat| match format {
        ReportFormat::Text => {
            isolated(&text(&advice, arguments, is_namespace_known(&advice, &manifests, &options), screen))
        }
        ReportFormat::Json => json::print(&advice),
    };
    let has_refused = left_out.iter().any(LeftOut::is_refused);
    let exit = if keeping(&advice).next().is_some() && !has_refused { Exit::Clean } else { Exit::Findings };
    Ok(Answer { texts: formats.iter().map(text).collect(), exit })
}

/// The settings of today's releases that meet the constraints.
fn keeping(advice: &Advice) -> impl Iterator<Item = &AdvisedSetting> {
    let all = core::iter::once(&advice.current).chain(&advice.fits);
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
            None if ["deployment", "statefulSet", "daemonSet"].contains(&path.as_str()) => {
                format!("--{}: {message}", path.to_lowercase())
            }
            None if path == "nodes" => format!("--nodes: {message}"),
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

fn text(advice: &Advice, arguments: &Arguments, names_namespace: bool, screen: Screen) -> String {
    let mut text = format!("{}\n\n", screen.wrap(&verdict(advice, screen), 2));
    text.push_str(&table(advice, arguments, screen));
    if advice.relax.iter().any(|relaxation| relaxation.constraints.len() > 1) {
        text.push_str("\nRelaxing one constraint is not enough: relax all that a line names.\n");
    }
    text.push_str(&patches(advice, arguments, names_namespace));
    let assumed = if arguments.verbose {
        let misses_pods_of_nodes = arguments.nodes.misses_pods(&arguments.cluster);
        let flags: &[&str] = if misses_pods_of_nodes { &["-A"] } else { &[] };
        arguments.assumptions.describe(&advice.assumed, flags)
    } else {
        AssumptionOptions::describe_briefly(&advice.assumed)
    };
    let assumed = format!("{assumed} {} settings were simulated.", advice.simulated);
    text.push_str(&format!("\n{}\n", screen.wrap(&screen.palette.paint(Role::Aside, &assumed), 2)));
    text
}

/// Whether a setting meets the constraints, and which one is the best.
fn verdict(advice: &Advice, screen: Screen) -> String {
    let replicas =
        format!("{}, {} replica{}", advice.name, advice.replicas, if advice.replicas == 1 { "" } else { "s" });
    let found = match keeping(advice).next() {
        Some(_) if advice.current.fits => "the current settings fit".to_owned(),
        Some(best) if best.outcome.lowest_available == 0 => {
            format!("{} fits, but for a while, no pod is available", best.setting)
        }
        Some(best) => format!("{} fits", best.setting),
        None => "no setting fits".to_owned(),
    };
    let (mark, role) = if keeping(advice).next().is_some() { ("✓", Role::Good) } else { ("✗", Role::Bad) };
    let found = screen.palette.paint(role, &format!("{mark} {found}"));
    format!("{}: {found}", screen.palette.paint(Role::Heading, &replicas))
}

/// The settings, each with what it costs, and below it what it misses.
fn table(advice: &Advice, arguments: &Arguments, screen: Screen) -> String {
    let headings = ["  setting", "pods", "available", "complete"].into_iter();
    // The last column is aligned to the left.
    let mut table = Table::new(headings.chain(arguments.verbose.then_some("old gone")).chain([""]));
    let mut notes = vec![String::new()];
    let mut push = |advised: &AdvisedSetting, note: String| {
        let after = |time: Option<i64>| time.map_or_else(|| "never".to_owned(), clock);
        let mark = if advised.fits { "✓" } else { " " };
        let cells = [
            format!("{mark} {}", advised.setting),
            advised.outcome.peak.to_string(),
            advised.outcome.lowest_available.to_string(),
            after(advised.outcome.complete),
        ];
        let old_gone = arguments.verbose.then(|| after(advised.outcome.last_old_pod_gone));
        table.push(cells.into_iter().chain(old_gone).chain([String::new()]));
        notes.push(note);
    };
    let missed = |advised: &AdvisedSetting| {
        let is_refused = completes_after_refusals(advised, &arguments.constraints);
        let misses: Vec<&str> = advised.misses.iter().map(|miss| miss.message.as_str()).collect();
        let before = if is_refused { "completes after refusals; " } else { "" };
        format!("{before}{}", misses.join("; "))
    };
    let is_shown = |advised: &&AdvisedSetting| !advised.proposed || arguments.shows_proposed();
    let current = missed(&advice.current);
    push(&advice.current, if current.is_empty() { "current".to_owned() } else { format!("current: {current}") });
    for advised in advice.fits.iter().filter(is_shown) {
        push(advised, if advised.proposed { "not in any release yet".to_owned() } else { String::new() });
    }
    for advised in advice.nearest.iter().filter(is_shown) {
        push(advised, missed(advised));
    }
    for relaxation in advice.relax.iter().filter(|relaxation| is_shown(&&relaxation.setting)) {
        let constraints: Vec<String> = relaxation.constraints.iter().map(relaxed).collect();
        push(&relaxation.setting, constraints.join(" and "));
    }
    let row = |(index, (lines, note)): (usize, (&Vec<String>, &String))| {
        let line = match index {
            0 => screen.palette.paint(Role::Heading, &lines.join("\n")),
            _ => lines.join("\n").replace('✓', &screen.palette.paint(Role::Good, "✓")),
        };
        let note = if note.is_empty() { String::new() } else { screen.wrap(&format!("    {note}"), 4) + "\n" };
        format!("{line}\n{note}")
    };
    table.rows_within(screen.width).iter().zip(&notes).enumerate().map(row).collect()
}

/// What to commit, and the commands for a running workload: the first one, or all of them.
fn patches(advice: &Advice, arguments: &Arguments, names_namespace: bool) -> String {
    let namespace = if names_namespace { format!(" --namespace {}", advice.namespace) } else { String::new() };
    let kubectl = arguments.cluster.kubectl();
    let patches = |heading: &str, settings: &[&AdvisedSetting]| {
        let patch = |advised: &&AdvisedSetting| {
            let object = format!("{} {}{namespace}", advice.kind.to_lowercase(), advice.name);
            if advised.needs_new_object {
                let command = format!("{kubectl} delete {object} --cascade=orphan");
                return format!(
                    "  # {}: delete only the {}, then apply it again\n  {command}\n",
                    advised.setting, advice.kind
                );
            }
            let patch = shell_quoted(&advised.patch.to_string());
            format!("  # {}\n  {kubectl} patch {object} --type merge -p {patch}\n", advised.setting)
        };
        let shown = if arguments.verbose { settings.len() } else { 1 };
        let patches: String = settings.iter().take(shown).map(patch).collect();
        if patches.is_empty() { patches } else { format!("\n{heading}\n{patches}") }
    };
    let fits: Vec<&AdvisedSetting> = advice.fits.iter().filter(|advised| !advised.proposed).collect();
    let mut refused: Vec<&AdvisedSetting> =
        advice.nearest.iter().filter(|advised| completes_after_refusals(advised, &arguments.constraints)).collect();
    refused.sort_by_key(|advised| advised.outcome.complete);
    let first = fits.first().or(refused.first());
    let manifest = first.map_or_else(String::new, |advised| {
        let fields: String = advised.yaml.lines().map(|line| format!("  {line}\n")).collect();
        format!("\nTo commit, for {}:\n{fields}", advised.setting)
    });
    let patches = [
        patches(&format!("For the running {}, fastest first:", advice.kind), &fits),
        patches(
            &format!(
                "For the running {}; the rollout completes, although the quota refuses some pods until others are gone:",
                advice.kind
            ),
            &refused,
        ),
    ];
    format!("{manifest}{}", patches.concat())
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
