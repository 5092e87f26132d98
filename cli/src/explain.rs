//! `changeover explain`

use std::collections::BTreeMap;

use changeover_core::Problem;
use changeover_core::cluster::live;
use changeover_core::controller::deployment::get_deployment_condition;
use changeover_core::json::ToJson;
use changeover_core::object::{Deployment, Kind, Object, ObjectKey, Time};
use changeover_core::prediction::{PredictOptions, Prediction, predict};
use changeover_core::scenario::{Delay, Duration, Timing};
use changeover_core::timeline::{Point, Series, Timeline, Totals};
use clap::Args;
use serde_json::Value;

use crate::Exit;
use crate::arguments::{AssumptionOptions, ClusterOptions, ReportFormat, parse_duration};
use crate::cluster;
use crate::failure::Failure;
use crate::finding::pods_in_words;
use crate::host::Host;
use crate::manifests::{Manifest, kind, located, metadata, objects, read};
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

/// What a container waits for while everything is fine.
const PATIENT: [&str; 3] = ["ContainerCreating", "PodInitializing", ""];

/// Says where each rollout of a running cluster stands, what comes next and why, and what is stuck.
#[derive(Args, Debug)]
#[command(override_usage = "\
changeover explain [OPTIONS] [deploy/NAME] -f PATH
       changeover explain [OPTIONS] [deploy/NAME] --cluster")]
#[command(after_help = "\
Examples:
  Why does it not go on?
    changeover explain deploy/web --cluster

  Wait for it in a pipeline, with a picture where it is a terminal:
    kubectl apply -f deploy.yaml && changeover explain deploy/web --cluster --watch

  From a file that kubectl wrote, at the time when it did:
    kubectl get deployments,replicasets,pods,resourcequotas -o json > state.json
    changeover explain -f state.json --now 2026-01-01T12:00:00Z

Exit codes: 0 if every rollout is complete or goes on, 1 if one is stuck, 2 for wrong use or input that can't be read.")]
pub struct Arguments {
    /// The Deployment: its name, or namespace/name, with or without deploy/ before it [default: all]
    #[arg(value_name = "deploy/NAME")]
    deployment: Option<String>,
    /// The state of the cluster, as kubectl get -o json prints it; may be given several times
    #[arg(short, long = "filename", value_name = "PATH")]
    files: Vec<String>,
    /// Reads the cluster again and again until each rollout is complete, or reports that its deadline has passed
    #[arg(long, requires = "cluster", conflicts_with = "output")]
    watch: bool,
    /// How long to wait before the cluster is read again
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = parse_duration)]
    interval: Duration,
    /// The form of the answer: text for people, or json for programs (explain-report.schema.json describes it)
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
        let assumptions = arguments.assumptions.to_assumptions(now);
        let start = assumptions.now.unwrap_or(now);
        let all = objects(manifests);
        let owners = Owners::of(&all);
        let mut held_up: BTreeMap<ObjectKey, Vec<Obstacle>> = BTreeMap::new();
        let timing = assumptions.timing();
        let mut timings = Vec::new();
        for (key, image, obstacle) in all.iter().filter_map(|pod| held_up_pod(pod, &owners)) {
            // Such a pod, and one like it, never becomes ready.
            timings.push(Timing {
                deployment: Some(key.name.to_string()),
                image: Some(image),
                ready: Some(Delay::Never),
                ..timing.clone()
            });
            let obstacles = held_up.entry(key).or_default();
            if !obstacles.contains(&obstacle) {
                obstacles.push(obstacle);
            }
        }
        timings.push(timing);
        let mut scenario = live(all.clone(), start).map_err(failure)?;
        scenario.kubelet = timings;
        scenario.seed = assumptions.seed;
        let timeline = Timeline::run(scenario).map_err(failure)?;
        let options = PredictOptions { assumptions, ..PredictOptions::default() };
        let prediction = predict(&all, &[], &options).map_err(failure)?.prediction;
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

/// The Deployment of each ReplicaSet, by its uid.
struct Owners(BTreeMap<String, ObjectKey>);

impl Owners {
    fn of(objects: &[Value]) -> Self {
        let replica_sets = objects.iter().filter(|object| kind(object) == "ReplicaSet");
        let owner = |object: &Value| {
            let (_, name) = controller(object, "Deployment")?;
            let key = ObjectKey::new(Kind::Deployment, metadata(object, "namespace"), name);
            Some((metadata(object, "uid").to_owned(), key))
        };
        Self(replica_sets.filter_map(owner).collect())
    }
}

/// The uid and the name of an object's controller of that kind.
fn controller<'a>(object: &'a Value, its_kind: &str) -> Option<(&'a str, &'a str)> {
    let references = object.get("metadata")?.get("ownerReferences")?.as_array()?;
    let is_controller =
        |reference: &&Value| kind(reference) == its_kind && reference.get("controller") == Some(&Value::Bool(true));
    let reference = references.iter().find(is_controller)?;
    Some((reference.get("uid")?.as_str()?, reference.get("name")?.as_str()?))
}

/// A pod that does not become ready by itself: its Deployment, its image and what holds it up.
fn held_up_pod(pod: &Value, owners: &Owners) -> Option<(ObjectKey, String, Obstacle)> {
    if kind(pod) != "Pod" || !metadata(pod, "deletionTimestamp").is_empty() {
        return None;
    }
    let (uid, _) = controller(pod, "ReplicaSet")?;
    let key = owners.0.get(uid)?.clone();
    let image = pod.get("spec")?.get("containers")?.get(0)?.get("image")?.as_str()?.to_owned();
    let (name, namespace) = (metadata(pod, "name"), metadata(pod, "namespace"));
    let obstacle = match (waiting_container(pod), unschedulable(pod)) {
        (Some((container, reason, message)), _) => {
            let details = if message.is_empty() { String::new() } else { format!(": {message}") };
            let look = if reason == "CrashLoopBackOff" {
                format!("kubectl logs {name} --container {container} --previous --namespace {namespace}")
            } else {
                format!("fix it, or go back: kubectl rollout undo deployment/{} --namespace {namespace}", key.name)
            };
            Obstacle { why: format!("container {container} waits, {reason}{details}"), remedy: Some(look) }
        }
        (None, Some(message)) => {
            let remedy = "add a node, free room on one, or request less".to_owned();
            Obstacle { why: format!("no node for a pod: {message}"), remedy: Some(remedy) }
        }
        (None, None) => return None,
    };
    Some((key, image, obstacle))
}

/// The first container that waits for something else than its start: its name, the reason and the message.
fn waiting_container(pod: &Value) -> Option<(&str, &str, &str)> {
    let status = pod.get("status")?;
    let lists =
        ["initContainerStatuses", "containerStatuses"].into_iter().filter_map(|list| status.get(list)?.as_array());
    lists.flatten().find_map(|container| {
        let waiting = container.get("state")?.get("waiting")?;
        let field = |name: &str| waiting.get(name).and_then(Value::as_str).unwrap_or_default();
        let reason = field("reason");
        (!PATIENT.contains(&reason)).then_some((container.get("name")?.as_str()?, reason, field("message")))
    })
}

/// Why the scheduler finds no node for the pod.
fn unschedulable(pod: &Value) -> Option<&str> {
    let conditions = pod.get("status")?.get("conditions")?.as_array()?;
    let condition = conditions.iter().find(|condition| {
        condition.get("type").is_some_and(|its| its == "PodScheduled")
            && condition.get("status").is_some_and(|its| its == "False")
    })?;
    condition.get("message")?.as_str()
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
