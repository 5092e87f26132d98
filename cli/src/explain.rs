//! `changeover explain`

use changeover_core::Problem;
use changeover_core::foreign_text::isolated;
use changeover_core::object::{Kind, ObjectKey, ObjectName, Time};
use changeover_core::prediction::{
    ExplainReport, JobOutlook, MAX_WITH_REMEDIES, NextStep, Obstacle, Outlook, PredictOptions, Remedy, RolloutOutlook,
    RolloutReport, Standing, sizes_of_owned, stuck_ones,
};
use changeover_core::scenario::Duration;
use clap::Args;

use crate::Exit;
use crate::answer::Answer;
use crate::cluster::{Reader, Scope};
use crate::documents::{DocumentOptions, Documents, LeftOut, take_refused};
use crate::failure::Failure;
use crate::host::Host;
use crate::manifests::{Manifest, STDIN, kind, located, metadata, objects};
use crate::options::{AssumptionOptions, ClusterOptions, FileOptions, ReportFormat, parse_duration};
use crate::output::phrases::Names;
use crate::output::{json, picture};
use crate::program::Program;
use crate::progress::Progress;
use crate::read_time::time_of_reading;
use crate::style::{Palette, Role, Screen};
use crate::time_format::{clock, length};

/// What stands in place of a command if a tool applies the manifest.
const IN_MANIFEST: &str = "in its manifest";

/// How wide the column of the labels (`why`, `do`, `try`, and times) is at least.
const LABEL_WIDTH: usize = 5;

/// How many reads in a row may fail: a minute of them.
const MAX_FAILED_READS: u32 = 30;

/// Shows the state of each rollout in a running cluster: what comes next and why, and what is stuck. For Jobs, it shows only those
/// that failed or make no progress.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "\
changeover explain [OPTIONS] [deploy/NAME] PATH
       changeover explain [OPTIONS] [deploy/NAME] --cluster")]
#[command(after_help = "\
Examples:
  Find out why a rollout is stuck:
    changeover explain deploy/web --cluster

  Wait for a rollout in a pipeline (on a terminal, with a picture):
    kubectl apply -f deploy.yaml && changeover explain deploy/web --cluster --watch --timeout 10m

  Explain a saved state:
    kubectl get deploy,sts,ds,jobs,cj,rs,controllerrevisions,po,pvc,quota,limits,hpa,pdb,no,ev -o json > state.json
    changeover explain -f state.json

Exit codes: 0 if no rollout is stuck or can't be judged, no Job has failed or waits for a user, and no workload is being deleted, 1 otherwise, 2 for wrong usage or input that can't be read.
With --watch, 0 when every rollout is complete, 1 if one exceeds its progress deadline or if --timeout passes.")]
pub struct Arguments {
    /// The Deployment, StatefulSet, DaemonSet or Job: its name, or namespace/name, with or without deploy/, sts/, ds/ or job/ before it
    /// [default: all]; and the state of the
    /// cluster, as kubectl get -o json prints it: files, folders, or - for standard input
    #[arg(value_name = "deploy/NAME|PATH")]
    words: Vec<String>,
    /// The Deployment, where a name could be that of a file
    #[arg(long, value_name = "NAME", hide = true)]
    deployment: Option<String>,
    #[command(flatten)]
    files: FileOptions,
    #[command(flatten)]
    documents: DocumentOptions,
    /// Reads the cluster repeatedly until every rollout completes, or one exceeds its progress deadline
    #[arg(long, requires = "cluster", conflicts_with = "output")]
    watch: bool,
    /// With --watch, how long to wait before reading the cluster again
    #[arg(long, value_name = "TIME", requires = "watch", default_value = "2s", value_parser = parse_duration)]
    interval: Duration,
    /// With --watch, gives up after this time and exits with code 1 [default: never]
    #[arg(long, value_name = "TIME", requires = "watch", value_parser = parse_duration)]
    timeout: Option<Duration>,
    /// The output format: text for people, or json for programs (explain-report.schema.json describes it)
    #[arg(short, long, value_enum, default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    assumptions: AssumptionOptions,
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// The kinds that run Jobs.
const JOBS: [Kind; 2] = [Kind::Job, Kind::CronJob];

/// Reads the name of a workload, with or without kubectl's name of the kind.
fn parse_name(written: &str) -> ObjectName<'_> {
    let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|kind| kind.rolls_out() || JOBS.contains(kind)).collect();
    ObjectName::parse(written, &kinds)
}

/// A rollout's workload.
fn key(rollout: &RolloutOutlook) -> ObjectKey {
    let kind = Kind::from_name(&rollout.kind).unwrap_or(Kind::Deployment);
    ObjectKey::new(kind, rollout.namespace.as_str(), rollout.name.as_str())
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
    let (names, paths) = split_words(host, &arguments.words);
    if let [_, other, ..] = names.as_slice() {
        return Err(Failure::new(format!("{other}: not found: give one Deployment, and paths of files")));
    }
    let deployment = names.into_iter().next().or_else(|| arguments.deployment.clone());
    let arguments = &Arguments { deployment, ..arguments.clone() };
    let paths = arguments.files.with(&paths);
    let documents = Documents::read(host, &paths, &arguments.documents)?;
    if !arguments.cluster.cluster {
        documents.check_some()?;
    }
    documents.print_refused(host);
    Documents::print_unknown_kinds(host, &documents.unknown_kinds);
    let Documents { manifests: files, mut left_out, .. } = documents;
    let mut manifests = files.clone();
    if arguments.cluster.cluster {
        let named = arguments.deployment.as_deref().and_then(|written| parse_name(written).namespace);
        let scope = Scope::of(host, &arguments.cluster, named)?;
        let mut reader = Reader::new(&arguments.cluster, scope).with_warnings();
        manifests.extend(reader.read(host)?);
        if arguments.watch {
            let exit = watch(host, arguments, &reader, &files, manifests, program, screen)?;
            return Ok(Answer { texts: Vec::new(), exit });
        }
    } else if manifests.is_empty() {
        return Err(Failure::new(match program {
            Program::Tool => "objects: must contain the state of a cluster".to_owned(),
            _ if !paths.is_empty() => {
                format!("{}: has no objects: check the namespace (-n NAME, or -A for all)", paths.join(", "))
            }
            _ => format!("give the state of the cluster, or use --cluster (see {program} explain --help)"),
        }));
    }
    let (now, note) = time_of_reading(host.now(), arguments.assumptions.now, &manifests);
    let outlook = loop {
        let problem = match outlook(&manifests, arguments, now) {
            Ok(outlook) => break outlook,
            Err(problem) => problem,
        };
        let lists = &mut [("objects", &mut manifests)];
        let Some(refused) = take_refused(&problem, lists) else { return Err(failure(&problem, &manifests, &paths)) };
        refused.iter().for_each(|refused| refused.print(host));
        left_out.extend(refused);
    };
    let jobs = jobs(&outlook, arguments.deployment.as_deref());
    let rollouts = match rollouts(&outlook, arguments.deployment.as_deref(), &manifests, program) {
        Err(_) if !jobs.is_empty() => Vec::new(),
        rollouts => rollouts?,
    };
    let has_findings = rollouts
        .iter()
        .any(|rollout| matches!(rollout.standing, Standing::Stuck | Standing::Deleting | Standing::Unknown))
        || jobs.iter().any(JobOutlook::is_held_up);
    let report = {
        let mut progress = Progress::new(host);
        report(&outlook, rollouts, jobs, |number, of| progress.begins("finding remedies for rollout", number, of))?
    };
    let text = |format: &ReportFormat| match format {
        ReportFormat::Text => {
            let text = text(&outlook, &report, arguments, program, screen);
            // Last: the first lines are for what is stuck.
            let note =
                note.as_ref().map(|note| format!("\n{}\n", screen.palette.paint(Role::Aside, &screen.wrap(note, 0))));
            isolated(&(text + &note.unwrap_or_default()))
        }
        ReportFormat::Json => json::print(&report),
    };
    let has_refused = left_out.iter().any(LeftOut::is_refused);
    let exit = if has_findings || has_refused { Exit::Findings } else { Exit::Clean };
    let texts = formats.iter().map(text).collect();
    Ok(Answer { texts, exit })
}

/// The names of workloads and the paths among the arguments: a path exists, or has the ending of one.
fn split_words(host: &mut dyn Host, words: &[String]) -> (Vec<String>, Vec<String>) {
    let is_path = |word: &String| {
        word == STDIN
            || [".yaml", ".yml", ".json"].iter().any(|ending| word.ends_with(ending))
            || host.read(word).is_ok()
    };
    let (paths, names) = words.iter().cloned().partition(is_path);
    (names, paths)
}

/// Shows the cluster until nothing more is to come. Objects of files, such as nodes, are read only once.
fn watch(
    host: &mut dyn Host,
    arguments: &Arguments,
    reader: &Reader<'_>,
    files: &[Manifest],
    mut manifests: Vec<Manifest>,
    program: Program,
    screen: Screen,
) -> Result<Exit, Failure> {
    const CLEAR_SCREEN: &str = "\u{1b}[2J\u{1b}[H";
    let interval = to_sleep(arguments.interval.0);
    let until = arguments.timeout.map(|timeout| Time(host.now().0.saturating_add(timeout.0)));
    let is_terminal = host.terminals().output;
    let mut shown: Vec<LoggedState> = Vec::new();
    loop {
        let now = arguments.assumptions.now.unwrap_or_else(|| host.now());
        let outlook = outlook(&manifests, arguments, now).map_err(|problem| failure(&problem, &manifests, &[]))?;
        let rollouts = rollouts(&outlook, arguments.deployment.as_deref(), &manifests, program)?;
        let is_exceeded = rollouts.iter().any(|rollout| rollout.deadline_exceeded);
        let names = Names::of(&outlook.prediction);
        let incomplete = rollouts.iter().filter(|rollout| rollout.standing != Standing::Complete);
        let incomplete: Vec<String> = incomplete.map(|rollout| rollout.workload(names.with_namespace)).collect();
        if is_terminal {
            // A picture that is drawn again every few seconds needs no bar.
            let report = report(&outlook, rollouts, Vec::new(), |_, _| {})?;
            let text = isolated(&text(&outlook, &report, arguments, program, screen));
            host.print(&format!("{CLEAR_SCREEN}{text}"));
        } else {
            let states: Vec<LoggedState> = rollouts.iter().map(LoggedState::of).collect();
            let news = rollouts.iter().zip(&states).filter(|(_, state)| !shown.contains(state));
            let lines: String =
                news.map(|(rollout, _)| format!("{}\n", headline(rollout, names, screen.palette))).collect();
            if !lines.is_empty() {
                host.print(&isolated(&lines));
            }
            shown = states;
        }
        if incomplete.is_empty() {
            return Ok(Exit::Clean);
        }
        if is_exceeded {
            return Ok(Exit::Findings);
        }
        let Some(newer) = read_after(host, reader, interval, until)? else {
            let timeout = arguments.timeout.map_or_else(String::new, |timeout| length(timeout.0));
            host.print_error(&format!("timed out after {timeout}: not complete: {}\n", incomplete.join(", ")));
            return Ok(Exit::Findings);
        };
        manifests = files.iter().cloned().chain(newer).collect();
    }
}

/// The state of a rollout that a log has a line for. Remaining times are not part of it, because they change with each
/// read.
#[derive(PartialEq, Eq)]
struct LoggedState {
    kind: String,
    namespace: String,
    name: String,
    standing: Standing,
    pods: [i32; 4],
}

impl LoggedState {
    fn of(rollout: &RolloutOutlook) -> Self {
        let RolloutOutlook { kind, namespace, name, standing, desired, available, new, old, .. } = rollout;
        let pods = [*desired, *available, *new, *old];
        Self { kind: kind.clone(), namespace: namespace.clone(), name: name.clone(), standing: *standing, pods }
    }
}

/// Reads the cluster after a while; none if the time is over. An API server that restarts is no reason to give up, and one
/// that never returns is.
fn read_after(
    host: &mut dyn Host,
    reader: &Reader<'_>,
    interval: core::time::Duration,
    until: Option<Time>,
) -> Result<Option<Vec<Manifest>>, Failure> {
    let mut failed = 0_u32;
    loop {
        let left = until.map(|until| until.since(host.now()));
        if left.is_some_and(|left| left <= 0) {
            return Ok(None);
        }
        host.sleep(left.map_or(interval, |left| interval.min(to_sleep(left))));
        match reader.read_again(host) {
            Ok(manifests) => return Ok(Some(manifests)),
            Err(failure) => {
                failed = failed.saturating_add(1);
                if failed >= MAX_FAILED_READS {
                    return Err(failure);
                }
                host.print_error(&failure.with_hint("trying again").to_string());
            }
        }
    }
}

fn to_sleep(nanos: i64) -> core::time::Duration {
    core::time::Duration::from_nanos(u64::try_from(nanos).unwrap_or_default())
}

/// The outlook of what was read.
fn outlook(manifests: &[Manifest], arguments: &Arguments, now: Time) -> Result<Outlook, Problem> {
    let assumptions = arguments.assumptions.to_assumptions(now);
    let options = PredictOptions { assumptions, ..PredictOptions::default() };
    // Each list is the one of the objects.
    let to_objects = |path: &str| match path.strip_prefix("old").unwrap_or(path) {
        below if below.is_empty() || below.starts_with('[') => format!("objects{below}"),
        _ => path.to_owned(),
    };
    let outlook = Outlook::of(&objects(manifests), &options).map_err(|problem| problem.map_paths(&to_objects))?;
    Ok(outlook.with_kubectl(arguments.cluster.kubectl()))
}

/// The failure for a problem; one with all objects is one with their paths.
fn failure(problem: &Problem, manifests: &[Manifest], paths: &[String]) -> Failure {
    let lists = [("objects", manifests)];
    Failure::of_problem(problem, |problem| match located(problem, &lists) {
        Some(located) => located,
        None if problem.path == "objects" && !paths.is_empty() => {
            format!("{}: {}", paths.join(", "), problem.message)
        }
        None => problem.to_string(),
    })
}

/// The Jobs of the report, or the one that is named.
fn jobs(outlook: &Outlook, named: Option<&str>) -> Vec<JobOutlook> {
    let Some(written) = named.map(parse_name) else { return outlook.jobs_in_report().collect() };
    let is_meant = |job: &JobOutlook| {
        JOBS.iter().any(|kind| job.kind == kind.name() && written.matches(*kind, &job.namespace, &job.name))
    };
    outlook.jobs().filter(is_meant).collect()
}

/// The rollouts of all Deployments, or of the one that is named.
fn rollouts(
    outlook: &Outlook,
    named: Option<&str>,
    manifests: &[Manifest],
    program: Program,
) -> Result<Vec<RolloutOutlook>, Failure> {
    let written = named.map(parse_name);
    let is_meant = |rollout: &RolloutOutlook| {
        written.is_none_or(|written| written.matches(key(rollout).kind, &rollout.namespace, &rollout.name))
    };
    let rollouts: Vec<RolloutOutlook> = outlook.rollouts().filter(is_meant).collect();
    if rollouts.is_empty() {
        let among: Vec<String> = outlook.rollouts().map(|its| format!("\"{}/{}\"", its.namespace, its.name)).collect();
        let hint = format!("{} (to see how Jobs end, use {program} predict)", found(manifests));
        return Err(Failure::new(match named {
            Some(named) if among.is_empty() => {
                format!("Not found: {named:?}: the state has no Deployment, StatefulSet or DaemonSet{hint}")
            }
            Some(named) => format!("Not found: {named:?}: must be one of {}", among.join(", ")),
            None => format!("the state has no Deployment, StatefulSet or DaemonSet{hint}"),
        }));
    }
    Ok(rollouts)
}

/// What there is instead of a Deployment: `, only Job team-a/migrate`. Of what owns ReplicaSets, these are listed, too.
fn found(manifests: &[Manifest]) -> String {
    const NAMED: usize = 5;
    let workload = |manifest: &Manifest| {
        let object = &manifest.document.value;
        let namespace = match metadata(object, "namespace") {
            "" => "default",
            namespace => namespace,
        };
        let name = format!("{} {namespace}/{}", kind(object), metadata(object, "name"));
        let sizes = sizes_of_owned(manifests.iter().map(|manifest| &manifest.document.value), object);
        ["Canary", "CronJob", "DaemonSet", "Job", "Rollout"].contains(&kind(object)).then(|| match sizes.as_slice() {
            [] => name,
            sizes => format!("{name} (its ReplicaSets: {})", sizes.join(", ")),
        })
    };
    let names: Vec<String> = manifests.iter().filter_map(workload).collect();
    match names.as_slice() {
        [] => String::new(),
        names if names.len() <= NAMED => format!(", only {}", names.join(", ")),
        names => format!(", only {} other workloads", names.len()),
    }
}

/// The report of these rollouts.
fn report(
    outlook: &Outlook,
    rollouts: Vec<RolloutOutlook>,
    jobs: Vec<JobOutlook>,
    mut begins: impl FnMut(usize, usize),
) -> Result<ExplainReport, Failure> {
    outlook
        .report(rollouts, jobs, &mut begins, &mut |_, _| {})
        .map_err(|problem| Failure::of_problem(&problem, ToString::to_string))
}

fn text(outlook: &Outlook, report: &ExplainReport, arguments: &Arguments, program: Program, screen: Screen) -> String {
    let names = Names::of(&outlook.prediction);
    let palette = screen.palette;
    let paragraph = |text: &str| format!("{}\n", screen.wrap(text, 2));
    let mut blocks = Vec::new();
    let rollouts = report.rollouts.iter().map(|report| &report.rollout);
    let mut stuck_ones = stuck_ones(rollouts, names.with_namespace);
    let mut jobs = report.jobs.iter().map(|job| view_job(job, names, screen));
    for RolloutReport { rollout, remedies } in &report.rollouts {
        // What has failed comes before what is well.
        if rollout.standing == Standing::Complete && rollout.obstacles.is_empty() {
            blocks.extend(jobs.by_ref());
        }
        let remedies: Vec<Line> = remedies.iter().map(|remedy| in_words(remedy, &rollout.obstacles)).collect();
        let lines = lines(&rollout.obstacles, remedies, &rollout.next, screen);
        let headline = match stuck_ones.take() {
            Some(stuck_ones) => format!("{} has {}", palette.paint(Role::Bad, &stuck_ones), rollout.summary()),
            None => headline(rollout, names, palette),
        };
        let mut block = format!("{}{lines}", paragraph(&headline));
        let series = outlook.series.iter().find(|(its, _)| *its == key(rollout));
        let is_drawn = rollout.is_forecast && rollout.standing != Standing::Complete;
        if let Some((_, series)) = series.filter(|_| is_drawn) {
            let lines =
                picture::lines(series, outlook.timeline.scenario.start, palette, screen.width.saturating_sub(2));
            block.push('\n');
            lines.iter().for_each(|line| block.push_str(&format!("  {line}\n")));
        }
        blocks.push(block);
    }
    blocks.extend(jobs);
    let held_up = report.rollouts.iter().filter(|report| report.rollout.is_held_up()).count();
    if held_up > MAX_WITH_REMEDIES {
        blocks.push(paragraph(&format!(
            "Remedies were simulated for the first {MAX_WITH_REMEDIES} of {held_up} rollouts that are held up. \
             For another one, give its name."
        )));
    }
    if arguments.deployment.is_none() && outlook.timeline.initial.jobs().next().is_some() {
        let about_jobs = format!("To see how Jobs end, use {program} predict.");
        blocks.push(paragraph(&palette.paint(Role::Aside, &about_jobs)));
    }
    // Nodes, which are among the files, may also run pods that were not read.
    let misses_pods = outlook.prediction.pending.is_some() && arguments.cluster.misses_pods();
    let flags: &[&str] = if misses_pods { &["-A"] } else { &[] };
    let assumed = arguments.assumptions.describe(&outlook.prediction.assumed, flags);
    blocks.push(paragraph(&palette.paint(Role::Aside, &assumed)));
    blocks.join("\n")
}

fn view_job(job: &JobOutlook, names: Names, screen: Screen) -> String {
    let role = if job.is_held_up() { Role::Bad } else { Role::Warning };
    let name = screen.palette.paint(Role::Heading, &format!("{} {}", job.kind, names.name(&job.namespace, &job.name)));
    let predicate = screen.palette.paint(role, job.predicate());
    let lines = lines(&job.obstacles, Vec::new(), &job.next, screen);
    format!("{}\n{lines}", screen.wrap(&format!("{name} {predicate}: {}", job.summary), 2))
}

/// A line below a headline.
struct Line {
    label: String,
    text: String,
    /// What follows the text, and stays in one line.
    command: Option<String>,
    /// YAML that follows it.
    manifest: Option<String>,
}

impl Line {
    fn new(label: impl Into<String>, text: String) -> Self {
        Self { label: label.into(), text, command: None, manifest: None }
    }

    /// The line, where labels have this width.
    fn print(&self, width: usize, screen: Screen) -> String {
        let Self { label, text, command, manifest } = self;
        let line =
            screen.wrap_with_command(&format!("  {label:<width$} {text}"), command.as_deref(), width.saturating_add(3));
        let margin = " ".repeat(width.saturating_add(5));
        let manifest: String =
            manifest.iter().flat_map(|yaml| yaml.lines()).map(|line| format!("{margin}{line}\n")).collect();
        format!("{line}\n{manifest}")
    }
}

/// The lines below a headline: why and what to do, what to try, and what comes next.
fn lines(obstacles: &[Obstacle], remedies: Vec<Line>, next: &[NextStep], screen: Screen) -> String {
    let mut lines = Vec::new();
    for Obstacle { why, remedy, command, manifest, .. } in obstacles {
        lines.push(Line::new("why", why.clone()));
        let in_manifest = manifest.as_ref().map(|_| IN_MANIFEST.to_owned());
        let mut advice = [remedy, command, &in_manifest].into_iter().flatten().cloned();
        if let Some(text) = advice.next() {
            let command = advice.reduce(|command, next| format!("{command}: {next}"));
            lines.push(Line { command, manifest: manifest.clone(), ..Line::new("do", text) });
        }
    }
    lines.extend(remedies);
    lines.extend(next.iter().map(|next| Line::new(clock(next.at), next.sentence.clone())));
    let width = lines.iter().map(|line| line.label.len()).max().unwrap_or(0).max(LABEL_WIDTH);
    lines.iter().map(|line| line.print(width, screen)).collect()
}

/// `Raise quota few: complete 10 s after the next try`, or
/// `Roll back: complete in 10 s, the last old pod is gone in 40 s: kubectl rollout undo ...`, without a command that an
/// obstacle names already.
fn in_words(remedy: &Remedy, obstacles: &[Obstacle]) -> Line {
    let Remedy { what, command, manifest, cost, complete, last_old_pod_gone, after_next_try, .. } = remedy;
    let when = |nanos: i64| {
        let time = length(nanos);
        if *after_next_try { format!("{time} after the next try") } else { format!("in {time}") }
    };
    let mut outcome: Vec<String> = Vec::new();
    match *complete {
        // A rollout that is complete already waits only for its old pods.
        0 => {}
        1..Time::SECOND if *after_next_try => outcome.push("complete at the next try".to_owned()),
        1..Time::SECOND => outcome.push("complete at once".to_owned()),
        complete => outcome.push(format!("complete {}", when(complete))),
    }
    match last_old_pod_gone {
        Some(gone) if *gone > *complete => outcome.push(format!("the last old pod is gone {}", when(*gone))),
        Some(_) if outcome.is_empty() => outcome.push("the last old pod is gone at once".to_owned()),
        Some(_) => {}
        None => outcome.push("old pods remain".to_owned()),
    }
    let cost = cost.as_ref().map_or_else(String::new, |cost| format!(" ({cost})"));
    let is_known = |obstacle: &Obstacle| obstacle.command == *command && obstacle.manifest == *manifest;
    let is_new = !obstacles.iter().any(is_known);
    let manifest = manifest.clone().filter(|_| is_new);
    let in_manifest = manifest.as_ref().map(|_| IN_MANIFEST.to_owned());
    let command = command.clone().filter(|_| is_new).or(in_manifest);
    Line { command, manifest, ..Line::new("try", format!("{what}: {}{cost}", outcome.join(", "))) }
}

fn headline(rollout: &RolloutOutlook, names: Names, palette: Palette) -> String {
    let role = match rollout.standing {
        Standing::Complete => Role::Good,
        Standing::Progressing | Standing::Paused | Standing::Unknown => Role::Warning,
        Standing::Stuck | Standing::Deleting => Role::Bad,
    };
    let name = rollout.workload(names.with_namespace);
    let standing = palette.paint(role, rollout.predicate());
    format!("{} {standing}: {}", palette.paint(Role::Heading, &name), rollout.summary())
}
