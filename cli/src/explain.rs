//! `changeover explain`

use std::collections::BTreeMap;

use changeover_core::Problem;
use changeover_core::controller::deployment::get_deployment_condition;
use changeover_core::json::ToJson;
use changeover_core::object::{Deployment, Kind, Object, ObjectKey, Time};
use changeover_core::prediction::{PredictOptions, Predicted, Prediction, predict};
use changeover_core::scenario::{Duration, HeldUpPod, HoldUp, held_up_pods};
use changeover_core::timeline::{Point, Series, Timeline, Totals};
use clap::Args;

use crate::Exit;
use crate::arguments::{AssumptionOptions, ClusterOptions, ReportFormat, parse_duration};
use crate::cluster;
use crate::failure::Failure;
use crate::finding::pods_in_words;
use crate::host::Host;
use crate::manifests::{Manifest, located, objects, read};
use crate::output::{json, picture};
use crate::span::{clock, length};
use crate::style::{Palette, Role};

/// The version of the report's format.
const VERSION: u32 = 1;

/// How many of the next decisions are shown.
const NEXT: usize = 3;

/// The rules that decide how many pods there are, and how a rollout ends. What a controller writes in a status decides nothing.
const SHOWN_RULES: [&str; 8] = [
    "deployment.create",
    "deployment.new",
    "deployment.old",
    "deployment.recreate",
    "deployment.scale",
    "deployment.timed-out",
    "deployment.complete",
    "replicaset.create",
];

/// Shows the state of each rollout in a running cluster, what comes next and why, and what is stuck.
#[derive(Args, Debug)]
#[command(override_usage = "\
changeover explain [OPTIONS] [deploy/NAME] -f PATH
       changeover explain [OPTIONS] [deploy/NAME] --cluster")]
#[command(after_help = "\
Examples:
  Find out why a rollout is stuck:
    changeover explain deploy/web --cluster

  Wait for a rollout in a pipeline (on a terminal, with a picture):
    kubectl apply -f deploy.yaml && changeover explain deploy/web --cluster --watch

  Explain a saved state, with the time at which it was saved:
    kubectl get deployments,replicasets,pods,resourcequotas -o json > state.json
    changeover explain -f state.json --now 2026-01-01T12:00:00Z

Exit codes: 0 if every rollout is complete or in progress, 1 if one is stuck, 2 for wrong usage or input that can't be read.")]
pub struct Arguments {
    /// The Deployment: its name, or namespace/name, with or without deploy/ before it [default: all]
    #[arg(value_name = "deploy/NAME")]
    deployment: Option<String>,
    /// The state of the cluster, as kubectl get -o json prints it; can be repeated
    #[arg(short, long = "filename", value_name = "PATH")]
    files: Vec<String>,
    /// Reads the cluster repeatedly until each rollout is complete or reports that its deadline has passed
    #[arg(long, requires = "cluster", conflicts_with = "output")]
    watch: bool,
    /// How long to wait before reading the cluster again
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_duration)]
    interval: Duration,
    /// The output format: text for people, or json for programs (explain-report.schema.json describes it)
    #[arg(short, long, value_enum, default_value_t)]
    output: ReportFormat,
    #[command(flatten)]
    assumptions: AssumptionOptions,
    #[command(flatten)]
    cluster: ClusterOptions,
}

/// What `changeover explain -o json` prints. Times are nanoseconds from now on.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct ExplainReport {
    /// The version of this format: 1.
    pub version: u32,
    /// When the state was read, as in RFC 3339.
    pub now: String,
    /// Each Deployment, by namespace and name.
    pub rollouts: Vec<Rollout>,
}

/// Where the rollout of a Deployment stands.
#[derive(Debug, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rollout {
    /// The Deployment's namespace.
    pub namespace: String,
    /// The Deployment's name.
    pub name: String,
    /// How it stands.
    pub standing: Standing,
    /// The desired pods.
    pub desired: i32,
    /// The available pods.
    pub available: i32,
    /// The pods of the present template, terminating ones included.
    pub new: i32,
    /// The pods of older templates, terminating ones included.
    pub old: i32,
    /// When the rollout will be complete; absent if it never is by itself.
    #[json(omitempty)]
    pub complete: Option<i64>,
    /// When the last old pod will be gone; absent if one stays.
    #[json(omitempty)]
    pub last_old_pod_gone: Option<i64>,
    /// Whether it reports that its progress deadline has passed.
    pub deadline_exceeded: bool,
    /// What holds it up.
    pub obstacles: Vec<Obstacle>,
    /// What its controllers decide next.
    pub next: Vec<NextStep>,
}

/// How a rollout stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub enum Standing {
    /// The controller has reported it as complete.
    Complete,
    /// It goes on by itself.
    Progressing,
    /// Somebody paused it.
    Paused,
    /// It is never complete by itself.
    Stuck,
}

/// Something that holds a rollout up.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Obstacle {
    /// What it is.
    pub why: String,
    /// What would free the rollout; absent where nobody can tell.
    #[json(omitempty)]
    pub remedy: Option<String>,
}

/// A decision that a controller will make.
#[derive(Clone, Debug, PartialEq, Eq, ToJson)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct NextStep {
    /// When.
    pub at: i64,
    /// The rule's id.
    pub rule: String,
    /// The decision and its numbers, in one sentence.
    pub sentence: String,
}

pub fn run(host: &mut dyn Host, arguments: &Arguments, palette: Palette) -> Result<Exit, Failure> {
    let mut manifests = Vec::new();
    for path in &arguments.files {
        manifests.extend(read(host, path)?);
    }
    if arguments.cluster.cluster {
        let current = cluster::current_namespace(host, &arguments.cluster)?;
        manifests.extend(cluster::read_for(host, &arguments.cluster, &current, &[])?);
        if arguments.watch {
            return watch(host, arguments, &current, manifests, palette);
        }
    } else if manifests.is_empty() {
        return Err(Failure::new(
            "give the state of the cluster with -f, or --cluster (see changeover explain --help)",
        ));
    }
    let outlook = Outlook::of(&manifests, arguments, host.now())?;
    let report = outlook.report(arguments.deployment.as_deref())?;
    host.print(&match arguments.output {
        ReportFormat::Text => text(&outlook, &report, palette),
        ReportFormat::Json => json::print(&report),
    });
    let is_stuck = report.rollouts.iter().any(|rollout| rollout.standing == Standing::Stuck);
    Ok(if is_stuck { Exit::Findings } else { Exit::Clean })
}

/// Shows the cluster until nothing more is to come.
fn watch(
    host: &mut dyn Host,
    arguments: &Arguments,
    namespace: &str,
    mut manifests: Vec<Manifest>,
    palette: Palette,
) -> Result<Exit, Failure> {
    const CLEAR_SCREEN: &str = "\u{1b}[2J\u{1b}[H";
    let interval = core::time::Duration::from_nanos(u64::try_from(arguments.interval.0).unwrap_or_default());
    let is_terminal = host.terminals().output;
    let mut shown = String::new();
    loop {
        let outlook = Outlook::of(&manifests, arguments, host.now())?;
        let report = outlook.report(arguments.deployment.as_deref())?;
        if is_terminal {
            host.print(&format!("{CLEAR_SCREEN}{}", text(&outlook, &report, palette)));
        } else {
            // A log needs only what is new.
            let lines: String = report.rollouts.iter().map(|rollout| headline(rollout, palette)).collect();
            if lines != shown {
                host.print(&lines);
            }
            shown = lines;
        }
        if report.rollouts.iter().all(|rollout| rollout.standing == Standing::Complete) {
            return Ok(Exit::Clean);
        }
        if report.rollouts.iter().any(|rollout| rollout.deadline_exceeded) {
            return Ok(Exit::Findings);
        }
        host.sleep(interval);
        manifests = cluster::read_again(host, &arguments.cluster, namespace)?;
    }
}

/// A running cluster, and what becomes of it by itself.
struct Outlook {
    timeline: Timeline,
    series: Vec<(ObjectKey, Series)>,
    /// What holds pods up that don't become ready by themselves, by their Deployment.
    held_up: BTreeMap<ObjectKey, Vec<Obstacle>>,
    prediction: Prediction,
}

impl Outlook {
    fn of(manifests: &[Manifest], arguments: &Arguments, now: Time) -> Result<Self, Failure> {
        let failure = |problem: Problem| {
            Failure::of_problem(&problem, |problem| {
                let lists = ["objects", "old", ""].map(|list| (list, manifests));
                located(problem, &lists).unwrap_or_else(|| problem.to_string())
            })
        };
        let all = objects(manifests);
        let mut held_up: BTreeMap<ObjectKey, Vec<Obstacle>> = BTreeMap::new();
        for pod in held_up_pods(&all) {
            let obstacle = Obstacle::of(&pod);
            let obstacles = held_up.entry(pod.deployment).or_default();
            if !obstacles.contains(&obstacle) {
                obstacles.push(obstacle);
            }
        }
        let assumptions = arguments.assumptions.to_assumptions(now);
        let options = PredictOptions { assumptions, ..PredictOptions::default() };
        let Predicted { prediction, today, with_quotas, .. } = predict(&all, &[], &options).map_err(failure)?;
        let timeline = with_quotas.unwrap_or(today);
        Ok(Self { series: Series::of_all(&timeline), timeline, held_up, prediction })
    }

    fn report(&self, named: Option<&str>) -> Result<ExplainReport, Failure> {
        let named = named.map(|named| {
            let prefixes = ["deploy/", "deployment/", "deployments/", "deployment.apps/"];
            prefixes.iter().find_map(|prefix| named.strip_prefix(prefix)).unwrap_or(named)
        });
        let is_meant = |key: &ObjectKey| match named.map(|named| named.split_once('/').ok_or(named)) {
            None => true,
            Some(Ok((namespace, name))) => *key.namespace == *namespace && *key.name == *name,
            Some(Err(name)) => *key.name == *name,
        };
        let meant = self.series.iter().filter(|(key, _)| is_meant(key));
        let rollouts: Vec<Rollout> = meant.filter_map(|(key, series)| self.rollout(key, series)).collect();
        if rollouts.is_empty() {
            let among: Vec<String> =
                self.series.iter().map(|(key, _)| format!("\"{}/{}\"", key.namespace, key.name)).collect();
            return Err(Failure::new(match named {
                Some(named) => format!("Not found: {named:?}: must be one of {}", among.join(", ")),
                None => "the state has no Deployment".to_owned(),
            }));
        }
        let now = self.timeline.scenario.start.to_string();
        Ok(ExplainReport { version: VERSION, now, rollouts })
    }

    fn rollout(&self, key: &ObjectKey, series: &Series) -> Option<Rollout> {
        let Some(Object::Deployment(deployment)) = self.timeline.initial.get(key) else { return None };
        let Point { counts, marks, rollout, .. } = series.points.first()?;
        let (start, end) = (self.timeline.scenario.start, self.timeline.time_at(self.timeline.len()));
        let totals = Totals::of(&series.points, start, end);
        let obstacles = self.obstacles(key, deployment, totals.complete);
        let standing = match totals.complete {
            Some(0) => Standing::Complete,
            _ if deployment.spec.paused => Standing::Paused,
            Some(_) => Standing::Progressing,
            None => Standing::Stuck,
        };
        Some(Rollout {
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            standing,
            desired: marks.desired,
            available: counts.available,
            new: counts.holding().saturating_sub(rollout.old),
            old: rollout.old,
            complete: totals.complete,
            last_old_pod_gone: totals.last_old_pod_gone,
            deadline_exceeded: is_deadline_exceeded(deployment),
            obstacles,
            next: self.next(key),
        })
    }

    fn obstacles(&self, key: &ObjectKey, deployment: &Deployment, complete: Option<i64>) -> Vec<Obstacle> {
        let (namespace, name) = (&*key.namespace, &*key.name);
        let mut obstacles = self.held_up.get(key).cloned().unwrap_or_default();
        let workload = format!("{namespace}/{name}");
        for quota in &self.prediction.quotas {
            let Some(refusals) = quota.refusals.as_ref().filter(|refusals| refusals.workloads.contains(&workload))
            else {
                continue;
            };
            let needed: Vec<String> = quota
                .today
                .exceeded
                .iter()
                .map(|exceeded| format!("{} to {}", exceeded.resource, exceeded.needed))
                .collect();
            let remedy = if needed.is_empty() {
                refusals.message.clone()
            } else {
                let tries = format!("the controller tries again after at most {}", length(refusals.longest_wait));
                format!("raise quota {}: {}; {tries}", quota.name, needed.join(", "))
            };
            obstacles.push(Obstacle {
                why: format!("the API server refuses pods: {}", refusals.message),
                remedy: Some(remedy),
            });
        }
        if deployment.spec.paused && complete != Some(0) {
            let remedy = format!("kubectl rollout resume deployment/{name} --namespace {namespace}");
            obstacles.push(Obstacle { why: "it is paused".to_owned(), remedy: Some(remedy) });
        }
        if let Some(deadline) = deployment.spec.progress_deadline_seconds.filter(|_| is_deadline_exceeded(deployment)) {
            let why = format!("it reports ProgressDeadlineExceeded: no progress for {deadline} s");
            obstacles.push(Obstacle { why, remedy: None });
        }
        obstacles
    }

    /// What the controllers of a Deployment and of its ReplicaSets write next.
    fn next(&self, key: &ObjectKey) -> Vec<NextStep> {
        let is_its = |about: &ObjectKey, object: Option<&Object>| match about.kind {
            Kind::Deployment => about == key,
            Kind::ReplicaSet => {
                let object = object.or_else(|| self.timeline.initial.get(about));
                object
                    .and_then(|object| object.metadata().controller_key(Kind::Deployment))
                    .is_some_and(|own| own == *key)
            }
            _ => false,
        };
        let mut next: Vec<NextStep> = Vec::new();
        for step in &self.timeline.steps {
            let written = step.change.as_ref().and_then(|change| change.after.as_ref());
            if !is_its(&step.about, written) {
                continue;
            }
            let reason = step.reason();
            if !SHOWN_RULES.iter().any(|rules| reason.rule.id.starts_with(rules))
                || next.iter().any(|known| known.rule == reason.rule.id)
            {
                continue;
            }
            next.push(NextStep {
                at: step.time.since(self.timeline.scenario.start),
                rule: reason.rule.id.to_owned(),
                sentence: reason.sentence(),
            });
            if next.len() == NEXT {
                break;
            }
        }
        next
    }
}

/// Whether a Deployment reports that its progress deadline has passed.
fn is_deadline_exceeded(deployment: &Deployment) -> bool {
    let progressing = get_deployment_condition(&deployment.status, "Progressing");
    progressing.is_some_and(|condition| &*condition.reason == "ProgressDeadlineExceeded")
}

impl Obstacle {
    /// What holds a pod up, and what to look at.
    fn of(pod: &HeldUpPod) -> Self {
        let (name, deployment) = (&pod.name, &pod.deployment);
        let namespace = &deployment.namespace;
        match &pod.cause {
            HoldUp::Container { name: container, reason, message } => {
                let details = if message.is_empty() { String::new() } else { format!(": {message}") };
                let remedy = if reason == "CrashLoopBackOff" {
                    format!("kubectl logs {name} --container {container} --previous --namespace {namespace}")
                } else {
                    let undo = format!("kubectl rollout undo deployment/{} --namespace {namespace}", deployment.name);
                    format!("fix it, or go back: {undo}")
                };
                Self { why: format!("container {container} waits, {reason}{details}"), remedy: Some(remedy) }
            }
            HoldUp::Unready => Self {
                why: "pods run and don't become ready".to_owned(),
                remedy: Some(format!(
                    "see what their readiness waits for: kubectl describe pod {name} --namespace {namespace}"
                )),
            },
            HoldUp::NoNode { message } => Self {
                why: format!("no node for a pod: {message}"),
                remedy: Some("add a node, free room on one, or request less".to_owned()),
            },
        }
    }
}

fn text(outlook: &Outlook, report: &ExplainReport, palette: Palette) -> String {
    let mut blocks = Vec::new();
    for rollout in &report.rollouts {
        let mut block = headline(rollout, palette);
        for Obstacle { why, remedy } in &rollout.obstacles {
            block.push_str(&format!("  why   {why}\n"));
            block.extend(remedy.iter().map(|remedy| format!("  do    {remedy}\n")));
        }
        for NextStep { at, sentence, .. } in &rollout.next {
            block.push_str(&format!("  {:<5} {sentence}\n", clock(*at)));
        }
        let key = ObjectKey::new(Kind::Deployment, rollout.namespace.as_str(), rollout.name.as_str());
        let series = outlook.series.iter().find(|(its, _)| *its == key);
        if let Some((_, series)) = series.filter(|_| rollout.standing != Standing::Complete) {
            let lines = picture::lines(series, outlook.timeline.scenario.start, palette);
            block.push('\n');
            lines.iter().for_each(|line| block.push_str(&format!("  {line}\n")));
        }
        blocks.push(block);
    }
    let assumed = &outlook.prediction.assumed;
    blocks.push(format!("{}\n", palette.paint(Role::Aside, &format!("Assumed: {assumed}"))));
    blocks.join("\n")
}

fn headline(rollout: &Rollout, palette: Palette) -> String {
    let Rollout { name, standing, desired, available, new, old, complete, last_old_pod_gone, .. } = rollout;
    let (role, word) = match standing {
        Standing::Complete => (Role::Good, "is complete"),
        Standing::Progressing => (Role::Warning, "goes on"),
        Standing::Paused => (Role::Warning, "is paused"),
        Standing::Stuck => (Role::Bad, "is stuck"),
    };
    let pods = match old {
        0 => pods_in_words(*new),
        old => format!("{new} new and {old} old pods"),
    };
    let complete = match (standing, complete) {
        (Standing::Progressing, Some(complete)) => format!("; complete in {}", length(*complete)),
        _ => String::new(),
    };
    let gone = match last_old_pod_gone {
        Some(0) => String::new(),
        Some(gone) => format!("; the last old pod is gone in {}", length(*gone)),
        None => "; an old pod stays".to_owned(),
    };
    format!(
        "{} {}: {pods}, {available} of {desired} available{complete}{gone}\n",
        palette.paint(Role::Heading, name),
        palette.paint(role, word)
    )
}
