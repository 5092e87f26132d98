//! `changeover predict`

use std::collections::BTreeSet;
use std::rc::Rc;

use changeover_core::foreign_text::isolated;
use changeover_core::object::Kind;
use changeover_core::prediction::{
    Assumptions, NotRead, PredictOptions, PredictProgress, Predicted, Prediction, QuotaPrediction, Shard, Steps,
    UnsettledPlan, WarningKind, WorkloadPrediction, predict_plan, shell_word,
};
use changeover_core::scenario::{Delay, Scenario};
use clap::Args;
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::documents::{DocumentOptions, Documents, LeftOut, read_nodes, read_quotas, take_refused};
use crate::failure::Failure;
use crate::finding::{FailOn, Job, Workload, verdict};
use crate::host::Host;
use crate::manifests::{Manifest, STDIN, is_of_running_cluster, kind, objects, objects_in};
use crate::options::{AssumptionOptions, ClusterOptions, FileOptions, NodeOptions, OutputFormat, parse_delay};
use crate::program::Program;
use crate::progress::Progress;
use crate::read_time::read_time;
use crate::report::{Inputs, Report};
use crate::style::Screen;
use crate::{Exit, cluster, output};

/// Predicts what a change needs before you make it, and whether it fits.
///
/// The first line is the verdict: it fits what limits it (quotas, nodes), it does not fit, or that is not judged.
///
/// For each Deployment and StatefulSet, and for all together: the most pods and resources at once, including terminating pods; the fewest
/// available pods; when it is complete. For each Job: its pods, and when it finishes. For each ResourceQuota: whether the
/// change fits, and what happens if it does not.
#[derive(Args, Clone, Debug)]
#[command(override_usage = "\
changeover predict [OPTIONS] OLD NEW
       changeover predict [OPTIONS] --cluster [NEW]
       changeover predict [OPTIONS] STATE
       changeover predict [OPTIONS] NEW")]
#[command(after_help = "\
Examples:
  Compare two versions of your manifests (files, folders, or - for standard input):
    changeover predict old/ new/ --quota quota.yaml
    helm template web ./chart | changeover predict old.yaml -

  Compare what runs in the cluster with what you are about to apply:
    kubectl kustomize overlays/prod | changeover predict --cluster -

  Predict what happens next in a running cluster if you change nothing:
    kubectl get deployments,jobs,replicasets,pods,resourcequotas,limitranges -o json > state.json
    changeover predict state.json

  Predict a fleet in four parts that run at the same time, on one machine or several:
    changeover predict old/ new/ --mode exact --shard 0/4 -o json > results/0.json

  Fail a pipeline if a Deployment ever has more than 120% of its pods, or no available pod:
    changeover predict old/ new/ --fail-on quota,peak=120%,unavailable

Findings for --fail-on, separated by commas:
  quota            a ResourceQuota is exceeded
  pending          pods find no node, and none will have room later, or they preempt pods of others
                   (with --nodes)
  incomplete       a rollout never completes, or a Job fails or never ends
  within=10m       a rollout or a Job takes longer than this
  peak=120%, =15   a workload has more pods at once than this share or number
  outage           a workload that has available pods has none at some point, although it is not
                   scaled to 0, its strategy is not Recreate, and it is not a StatefulSet of one pod
  unavailable      the same, also with these
  unavailable=25%  more than this share or number of its pods are unavailable at some point
  replicas         the change removes or resets the replicas that an autoscaler has set
  worst            with --worst, some order of events exceeds a quota or meets another condition
                   that you list
  not-judged       something that changes, or that decides, is not judged: a workload that is not
                   predicted, one that only OLD has, a field that is not simulated
  warning          any warning
  no-limit         no quota and no nodes are given, or there is nothing to predict
  refused          a document can't be read, or the API server refuses an object
  none             never: findings are shown, and the exit code is 0

Exit codes: 0 without findings, 1 with findings, 2 for wrong usage.")]
pub struct Arguments {
    /// The manifests before and after: files, folders, or - for standard input. With --cluster, only those after. A
    /// single path is the state of a running cluster, as kubectl get -o json prints it, or a new application
    #[arg(value_name = "PATH", num_args = 0..=2)]
    pub paths: Vec<String>,
    #[command(flatten)]
    pub files: FileOptions,
    #[command(flatten)]
    pub documents: DocumentOptions,
    /// Deletes the workloads that only OLD has, as Helm does, and as Argo CD and Flux do if they prune. Objects without pods, such as
    /// quotas, stay
    #[arg(long)]
    pub prune: bool,
    /// Adds ResourceQuotas that the rollout must fit; can be repeated
    #[arg(long = "quota", value_name = "PATH")]
    pub quotas: Vec<String>,
    #[command(flatten)]
    pub nodes: NodeOptions,
    /// How long the pods of a Job run until they end with exit code 0, or never [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_delay)]
    pub run_for: Option<Delay>,
    /// How many rollouts run at once: the next one starts when one is complete [default: all start together]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub concurrent: Option<u32>,
    /// Simulates this many seeds and prints the ranges of the results; needs --jitter
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub runs: u32,
    /// Adds the worst case over all orders of events: explored exactly up to 6 replicas, and a bound above that
    #[arg(long)]
    pub worst: bool,
    /// Predicts one of several parts of a fleet, like 3/64; the first one is 0/64. `changeover merge` merges the parts and
    /// sets the exit code. Needs --mode exact and -o json
    #[arg(long, value_name = "INDEX/COUNT", value_parser = parse_shard)]
    pub shard: Option<Shard>,
    /// The findings that set the exit code to 1, separated by commas (see below)
    #[arg(long, value_name = "FINDINGS", default_value = FailOn::DEFAULT, value_parser = FailOn::parse)]
    pub fail_on: FailOn,
    /// Also shows what the proposed podReplacementPolicy: TerminationComplete would change; it is not in any release yet
    #[arg(long)]
    pub proposed: bool,
    /// Shows everything: each moment, each resource, the orders of --worst, and all that is assumed
    #[arg(short, long)]
    pub verbose: bool,
    /// The output format
    #[arg(short, long, value_enum, default_value_t)]
    pub output: OutputFormat,
    #[command(flatten)]
    pub assumptions: AssumptionOptions,
    #[command(flatten)]
    pub cluster: ClusterOptions,
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
    formats: &[OutputFormat],
) -> Result<Answer, Failure> {
    if arguments.runs == 0 {
        return Err(Failure::new("--runs: Invalid value: 0: must be at least 1"));
    }
    if arguments.shard.is_some() && arguments.output != OutputFormat::Json {
        return Err(Failure::new("--shard: must be used with -o json, which `changeover merge` reads"));
    }
    if !arguments.paths.is_empty() && !arguments.files.files.is_empty() {
        return Err(Failure::new(
            "-f: must not be mixed with paths as arguments: give OLD and NEW in one way, in this order",
        ));
    }
    let arguments = &Arguments { paths: arguments.files.with(&arguments.paths), ..arguments.clone() };
    let (mut inputs, namespace) = read_inputs(host, arguments, program)?;
    let now = read_time(host, arguments.assumptions.now, &inputs.old);
    let mut options = PredictOptions {
        quotas: objects(&inputs.quotas),
        nodes: objects(&inputs.nodes),
        namespace,
        prune: arguments.prune,
        shard: arguments.shard,
        worst: arguments.worst,
        // What is in no release yet, few people ask for.
        proposed: Some(arguments.proposed || arguments.verbose || formats == [OutputFormat::Json]),
        not_read: not_read(&inputs.left_out),
        assumptions: Assumptions {
            run_for: arguments.run_for,
            runs: arguments.runs,
            concurrent: arguments.concurrent,
            ..arguments.assumptions.to_assumptions(now)
        },
    };
    let mut predicted = predicted(host, &mut inputs, &mut options)?;
    for warning in predicted.prediction.warnings.iter_mut().filter(|warning| warning.kind == WarningKind::Unrelated) {
        if let Some(words) = explanation(arguments, &inputs, &warning.object) {
            warning.message = format!("{}: {}", warning.message.trim_end_matches('.'), command_line(program, &words));
        }
    }

    let workloads: Vec<Workload<'_>> = predicted
        .prediction
        .workloads
        .iter()
        .zip(&predicted.series)
        .map(|(prediction, series)| Workload { prediction, series })
        .collect();
    let jobs: Vec<Job<'_>> = predicted
        .prediction
        .jobs
        .iter()
        .zip(&predicted.job_series)
        .map(|(prediction, series)| Job::new(prediction, series))
        .collect();
    let mut findings = arguments.fail_on.refusals(&inputs.left_out);
    findings.extend(arguments.fail_on.findings(&predicted.prediction, &workloads, &jobs));
    let verdict = verdict(&predicted.prediction, &findings);
    let advice = advice(arguments, &inputs, &predicted.prediction).map(|words| command_line(program, &words));
    let held_up = held_up(&predicted.prediction).and_then(|object| explanation(arguments, &inputs, &object));
    let explanation = held_up.map(|words| command_line(program, &words));
    let report = Report {
        predicted: &predicted,
        verdict: &verdict,
        workloads: &workloads,
        jobs: &jobs,
        findings: &findings,
        is_verbose: arguments.verbose,
        inputs: &inputs,
        assumptions: &arguments.assumptions,
        misses_pods_of_nodes: arguments.nodes.misses_pods(&arguments.cluster),
        advice: advice.as_deref(),
        explanation: explanation.as_deref(),
    };
    let text = |format: &OutputFormat| match format {
        OutputFormat::Text => isolated(&output::text::predict(&report, screen)),
        OutputFormat::Json => output::json::predict(&report),
        OutputFormat::Markdown => isolated(&output::markdown::predict(&report)),
        OutputFormat::Github => output::github::predict(&report),
        OutputFormat::Junit => output::junit::predict(&report),
    };
    // Of a part alone, nothing follows.
    let fails = arguments.shard.is_none() && findings.iter().any(|finding| finding.fails);
    let exit = if fails { Exit::Findings } else { Exit::Clean };
    Ok(Answer { texts: formats.iter().map(text).collect(), exit })
}

/// The prediction of what the API server takes. What it refuses is left out.
fn predicted(host: &mut dyn Host, inputs: &mut Inputs, options: &mut PredictOptions) -> Result<Predicted, Failure> {
    loop {
        let predicted = {
            let mut progress = Progress::new(host);
            let plan = UnsettledPlan::new(objects_in(&inputs.old), objects_in(&inputs.new), options);
            plan.and_then(|plan| {
                let packed = [&mut inputs.old, &mut inputs.new].map(|manifests| pack(manifests));
                let predicted = plan.settle().and_then(|plan| {
                    predict_plan(&plan, options, Steps::Dropped, &mut |done| match done {
                        PredictProgress::Runs { done, of } => progress.finished("run", done, of),
                        PredictProgress::Exploring { number, of } => {
                            progress.begins("exploring Deployment", number, of)
                        }
                    })
                });
                if predicted.is_err() {
                    for (manifests, packed) in [&mut inputs.old, &mut inputs.new].into_iter().zip(packed) {
                        unpack(manifests, packed);
                    }
                }
                predicted
            })
        };
        let problem = match predicted {
            Ok(predicted) => return Ok(without_objects(predicted)),
            Err(problem) => problem,
        };
        // The API server refuses an object, and nothing else changes.
        let lists = &mut [("old", &mut inputs.old), ("new", &mut inputs.new)];
        match take_refused(&problem, lists) {
            Some(refused) => {
                options.not_read.extend(not_read(&refused));
                inputs.left_out.extend(refused);
            }
            None => return Err(Failure::of_problem(&problem, |problem| inputs.locate(problem))),
        }
    }
}

/// The prediction without the objects of its timelines, which the reports don't need.
fn without_objects(mut predicted: Predicted) -> Predicted {
    predicted.today.initial = Rc::default();
    predicted.with_quotas = None;
    let scenario = &mut predicted.today.scenario;
    *scenario = Rc::new(Scenario { start: scenario.start, ..Scenario::default() });
    predicted
}

/// More objects than these are packed.
const FLEET: usize = 2_000;

/// Leaves only the names of the objects of a fleet, and returns all of them as texts: as values, they take ten times the memory, which
/// the simulation needs. Fewer objects stay as they are.
fn pack(manifests: &mut [Manifest]) -> Vec<String> {
    if manifests.len() <= FLEET {
        return Vec::new();
    }
    let pack = |manifest: &mut Manifest| {
        let value = &mut manifest.document.value;
        let of_metadata = |field: &&str| Some(((*field).to_owned(), value.get("metadata")?.get(*field)?.clone()));
        let metadata: Map<String, Value> = ["name", "namespace", "uid"].iter().filter_map(of_metadata).collect();
        let named = json!({ "kind": kind(value), "metadata": metadata });
        core::mem::replace(value, named).to_string()
    };
    manifests.iter_mut().map(pack).collect()
}

/// Restores what was packed.
fn unpack(manifests: &mut [Manifest], packed: Vec<String>) {
    for (manifest, text) in manifests.iter_mut().zip(packed) {
        if let Ok(value) = serde_json::from_str(&text) {
            manifest.document.value = value;
        }
    }
}

fn parse_shard(text: &str) -> Result<Shard, String> {
    let numbers = text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    numbers
        .map(|(index, count)| Shard { index, count })
        .ok_or_else(|| "must be INDEX/COUNT, like 3/64, where the first index is 0".to_owned())
}

/// The refused documents as reasons for the verdict.
fn not_read(left_out: &[LeftOut]) -> Vec<NotRead> {
    left_out.iter().filter(|left_out| left_out.is_refused()).map(LeftOut::to_not_read).collect()
}

/// The arguments of the command that looks for settings with which the first refused Deployment fits its quotas; none where it would not see
/// them, and for Jobs, which have no such settings.
fn advice(arguments: &Arguments, inputs: &Inputs, prediction: &Prediction) -> Option<Vec<String>> {
    // No setting needs fewer objects.
    let is_of_pods = |resource: &str| !resource.starts_with("count/") || resource == "count/pods";
    let is_meant = |quota: &&QuotaPrediction| {
        quota.demand.exceeded.iter().any(|exceeded| is_of_pods(&exceeded.resource))
            && !prediction.is_unrelated(&quota.object())
    };
    let refused = prediction.quotas.iter().filter(is_meant);
    let workloads = refused.filter_map(|quota| quota.refusals.as_ref()).flat_map(|refusals| &refusals.workloads);
    // No setting of a rollout changes how many pods a scaling adds.
    let is_rolled_out = |refused: &&String| {
        let mut all = prediction.workloads.iter().filter(|workload| workload.object() == **refused);
        all.any(|workload| workload.change.as_ref().is_none_or(|change| change.rollout && !change.created))
    };
    let deployment = workloads.filter(is_rolled_out).find_map(|workload| workload.strip_prefix("Deployment/"))?;
    let has_quota =
        |manifests: &[Manifest]| manifests.iter().any(|manifest| kind(&manifest.document.value) == "ResourceQuota");
    // Standard input is read already.
    if arguments.quotas.iter().chain(&arguments.nodes.path).any(|path| path == STDIN) {
        return None;
    }
    let (input, sees_quotas) = match arguments.paths.as_slice() {
        // Of a running cluster, only what runs can be searched.
        _ if arguments.cluster.cluster => ("--cluster", true),
        [.., last] if last == STDIN => return None,
        [_, new] => (new.as_str(), has_quota(&inputs.new)),
        [state] => (state.as_str(), true),
        _ => return None,
    };
    let mut words: Vec<String> = ["advise", input].map(str::to_owned).to_vec();
    words.extend(arguments.cluster.flags());
    words.extend(["--deployment", deployment].map(str::to_owned));
    if let Some(nodes) = &arguments.nodes.path {
        words.extend(["--nodes".to_owned(), nodes.clone()]);
    }
    match arguments.quotas.as_slice() {
        [] if sees_quotas => words.push("--fit-quotas".to_owned()),
        [] => return None,
        quotas => words.extend(quotas.iter().flat_map(|quota| ["--quota".to_owned(), quota.clone()])),
    }
    words.extend(arguments.assumptions.flags());
    Some(words)
}

/// What the user types to run the program with these arguments.
fn command_line(program: Program, arguments: &[String]) -> String {
    if let (Program::Tool, [command, ..]) = (program, arguments) {
        return format!("the tool {command}");
    }
    let arguments: Vec<String> = arguments.iter().map(|argument| shell_word(argument)).collect();
    format!("{program} {}", arguments.join(" "))
}

/// The first workload that does not change and never completes by itself, although nothing else says so.
fn held_up(prediction: &Prediction) -> Option<String> {
    let is_held_up =
        |workload: &&WorkloadPrediction| workload.change.is_none() && workload.in_cluster().complete.is_none();
    let mut held_up = prediction.workloads.iter().filter(is_held_up).map(WorkloadPrediction::object);
    held_up.find(|object| !prediction.is_unrelated(object))
}

/// The arguments of the command that explains what holds up a workload of a running cluster, as `Kind/namespace/name`.
fn explanation(arguments: &Arguments, inputs: &Inputs, workload: &str) -> Option<Vec<String>> {
    let files: Vec<&String> = arguments.quotas.iter().chain(&arguments.nodes.path).collect();
    // Standard input is read already, and only predict knows the short form of a node.
    let is_object = |manifest: &Manifest| !kind(&manifest.document.value).is_empty();
    if files.iter().any(|path| *path == STDIN) || !inputs.nodes.iter().all(is_object) {
        return None;
    }
    let (kind, name) = workload.split_once('/')?;
    let is_explained = Kind::from_name(kind).is_some_and(|kind| kind.rolls_out() || kind == Kind::Job);
    if !is_explained || !inputs.old.iter().any(is_of_running_cluster) {
        return None;
    }
    let mut words: Vec<String> = ["explain", name].map(str::to_owned).to_vec();
    match arguments.paths.as_slice() {
        _ if arguments.cluster.cluster => words.push("--cluster".to_owned()),
        [state] | [state, _] if state != STDIN => words.extend(["-f".to_owned(), state.clone()]),
        _ => return None,
    }
    words.extend(files.into_iter().flat_map(|path| ["-f".to_owned(), path.clone()]));
    words.extend(arguments.cluster.kubectl_flags());
    if arguments.nodes.path.is_some() && arguments.cluster.all_namespaces {
        // Pods of all namespaces fill the nodes.
        words.push("--all-namespaces".to_owned());
    }
    words.extend(arguments.assumptions.flags());
    Some(words)
}

/// The objects of a path that must have some, if only refused ones.
fn with_objects(path: &str, documents: Documents) -> Result<Vec<Manifest>, Failure> {
    if documents.is_empty() {
        return Err(Failure::new(format!("{path}: must contain .yaml, .yml or .json files with objects")));
    }
    Ok(documents.manifests)
}

fn read_inputs(
    host: &mut dyn Host,
    arguments: &Arguments,
    program: Program,
) -> Result<(Inputs, Option<String>), Failure> {
    let mut inputs = Inputs::default();
    let mut unknown_kinds: Option<BTreeSet<String>> = None;
    let mut documents = |host: &mut dyn Host, path: &String, left_out: &mut Vec<LeftOut>| {
        let documents = Documents::read(host, [path], &arguments.documents)?;
        left_out.extend(documents.left_out.iter().cloned());
        let unknown = &documents.unknown_kinds;
        unknown_kinds = Some(unknown_kinds.take().map_or_else(|| unknown.clone(), |others| &others & unknown));
        Ok::<_, Failure>(documents)
    };
    let mut namespace = arguments.cluster.namespace.clone();
    match (arguments.cluster.cluster, arguments.paths.as_slice()) {
        (false, [old, new]) => {
            // A new application has no old manifests.
            inputs.old = documents(host, old, &mut inputs.left_out)?.manifests;
            let documents = documents(host, new, &mut inputs.left_out)?;
            // Pruning may delete everything.
            let is_pruned = arguments.prune && !inputs.old.is_empty();
            inputs.new = if is_pruned {
                documents.manifests
            } else {
                with_objects(new, documents)
                    .map_err(|failure| failure.with_hint("to delete everything that OLD has, add --prune"))?
            };
        }
        (false, [state]) => {
            let read = with_objects(state, documents(host, state, &mut inputs.left_out)?)?;
            if read.iter().any(is_of_running_cluster) {
                inputs.old = read;
            } else {
                host.print_error(&format!(
                    "{state}: has no object of a running cluster, which has a uid: predicting a new application (to compare manifests, give OLD and NEW)\n"
                ));
                inputs.new = read;
            }
        }
        (true, new @ ([_] | [])) => {
            if let [new] = new {
                inputs.new = with_objects(new, documents(host, new, &mut inputs.left_out)?)?;
            }
            (inputs.old, namespace) = cluster::read_for(host, &arguments.cluster, None, &inputs.new)?;
        }
        (true, _) => return Err(Failure::new("--cluster replaces OLD: give only NEW")),
        (false, _) => {
            return Err(Failure::new(format!(
                "give OLD and NEW or the state of a running cluster, or use --cluster (see {program} predict --help)"
            )));
        }
    }
    Documents::print_unknown_kinds(host, &unknown_kinds.unwrap_or_default());
    for path in &arguments.quotas {
        inputs.quotas.extend(read_quotas(host, path)?);
    }
    if let Some(path) = &arguments.nodes.path {
        inputs.nodes = read_nodes(host, path)?;
    }
    Ok((inputs, namespace))
}
