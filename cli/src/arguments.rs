//! The command line.

use changeover_core::json::decode;
use changeover_core::object::Time;
use changeover_core::prediction::Assumptions;
use changeover_core::scenario::{Delay, Duration};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::finding::FailOn;

/// Predicts, explains and checks what Kubernetes does between the old pods and the new ones.
///
/// It decides as the controllers and the API server of Kubernetes 1.37 do, without a cluster. Only --cluster reads a
/// running one, with your own kubectl, and changes nothing.
#[derive(Debug, Parser)]
#[command(
    name = "changeover",
    version,
    disable_help_subcommand = true,
    term_width = 100,
    after_help = "Exit codes: 0 without findings, 1 with findings, 2 for wrong use or input that can't be read."
)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// When to color: auto (on a terminal, unless NO_COLOR is set), always or never
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", global = true, hide_possible_values = true)]
    pub color: ColorChoice,
}

/// When text is colored.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    Predict(PredictArguments),
}

/// Says what a change takes before you make it: does it fit?
///
/// For each Deployment, and for all together: the most pods and resources at once, terminating pods included; the fewest
/// available pods; when it is complete. For each ResourceQuota: whether it fits, and what happens if it does not.
#[derive(Args, Debug)]
#[command(override_usage = "\
changeover predict [OPTIONS] OLD NEW
       changeover predict [OPTIONS] --cluster [NEW]
       changeover predict [OPTIONS] STATE")]
#[command(after_help = "\
Examples:
  Compare two versions of your manifests (files, folders, or - for standard input):
    changeover predict old/ new/ --quota quota.yaml
    helm template web ./chart | changeover predict old.yaml -

  Compare what runs in the cluster with what you are about to apply:
    kubectl kustomize overlays/prod | changeover predict --cluster -

  Ask what comes next by itself in a running cluster:
    kubectl get deployments,replicasets,pods,resourcequotas -o json > state.json
    changeover predict state.json --now \"$(date -u +%FT%TZ)\"

  Fail a pipeline if a Deployment ever has more than 120% of its pods, or none that is available:
    changeover predict old/ new/ --fail-on quota,peak=120%,unavailable

Findings that --fail-on takes, separated by commas:
  quota            a ResourceQuota is exceeded
  pending          pods find no node, and nothing makes room (with --nodes)
  incomplete       a rollout is never complete
  within=10m       a rollout takes longer than this
  peak=120%, =15   a Deployment has more pods at once than this share of the desired ones, or this many
  unavailable      a Deployment has no available pod at some time
  unavailable=25%  more than this share of its pods, or this many, are not available at some time
  warning          any warning
  none             nothing: the exit code is 0 whatever comes out

Exit codes: 0 without findings, 1 with findings, 2 for wrong use or input that can't be read.")]
pub struct PredictArguments {
    /// The manifests before and after: files, folders, or - for standard input. With --cluster only those after. A single
    /// one is the state of a running cluster, as kubectl get -o json prints it
    #[arg(value_name = "PATH", num_args = 0..=2)]
    pub paths: Vec<String>,
    /// Adds ResourceQuotas that the rollout must fit; may be given several times
    #[arg(long = "quota", value_name = "PATH")]
    pub quotas: Vec<String>,
    /// The nodes: Node objects, or one { name, pods, cpu, memory } in each document. Without any, each pod finds a node
    #[arg(long, value_name = "PATH")]
    pub nodes: Option<String>,
    /// How many rollouts run at a time: the next one starts when one is complete [default: all start together]
    #[arg(long, value_name = "N")]
    pub concurrent: Option<u32>,
    /// Simulates this many seeds and prints the ranges of the results; needs --jitter
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub runs: u32,
    /// The findings that make the exit code 1, separated by commas (see below)
    #[arg(long, value_name = "FINDINGS", default_value = FailOn::DEFAULT, value_parser = FailOn::parse)]
    pub fail_on: FailOn,
    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t)]
    pub output: OutputFormat,
    #[command(flatten)]
    pub assumptions: AssumptionOptions,
    #[command(flatten)]
    pub cluster: ClusterOptions,
}

/// Where a running cluster is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Running cluster")]
pub struct ClusterOptions {
    /// Reads the running cluster with your kubectl
    #[arg(long)]
    pub cluster: bool,
    /// The namespace of objects that name none
    #[arg(short, long)]
    pub namespace: Option<String>,
    /// The context of kubectl's configuration
    #[arg(long, requires = "cluster")]
    pub context: Option<String>,
    /// The file of kubectl's configuration
    #[arg(long, requires = "cluster", value_name = "PATH")]
    pub kubeconfig: Option<String>,
}

/// What is assumed of pods.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Assumptions")]
pub struct AssumptionOptions {
    /// How long after its creation a pod is ready, or never [default: its probes decide, 5s without any]
    #[arg(long, value_name = "TIME", value_parser = parse_delay)]
    pub ready_after: Option<Delay>,
    /// How long a pod takes to stop, at most its grace period [default: all of it]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub stop_after: Option<Duration>,
    /// Up to how much longer each stage of a pod's life takes, drawn from the seed
    #[arg(long, value_name = "PERCENT", default_value = "0%", value_parser = parse_percent)]
    pub jitter: u32,
    /// The seed of the jitter
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// When the objects of a running cluster were read, like 2026-01-01T12:00:00Z [default: now]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub now: Option<Time>,
}

impl AssumptionOptions {
    /// The core's assumptions.
    pub fn to_assumptions(&self, now: Time) -> Assumptions {
        Assumptions {
            ready_after: self.ready_after,
            stop_after: self.stop_after,
            jitter: self.jitter,
            seed: self.seed,
            now: Some(self.now.unwrap_or(now)),
            ..Assumptions::default()
        }
    }
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For people
    #[default]
    Text,
    /// For programs: predict-report.schema.json describes it
    Json,
    /// For a comment on a pull request
    Markdown,
    /// Annotations for GitHub Actions, on the lines of the manifests
    Github,
    /// A report that most CI systems show
    Junit,
}

fn parse_duration(text: &str) -> Result<Duration, String> {
    Duration::parse(text).ok_or_else(|| "must be a duration like 90s, 1m30s or 250ms".to_owned())
}

fn parse_delay(text: &str) -> Result<Delay, String> {
    decode(&text.into(), "").map_err(|_| "must be a duration like 90s, or never".to_owned())
}

fn parse_percent(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    number.parse().map_err(|_| "must be a percentage like 20%".to_owned())
}

fn parse_time(text: &str) -> Result<Time, String> {
    Time::parse(text).ok_or_else(|| "must be a time as in RFC 3339, like 2026-01-01T12:00:00Z".to_owned())
}
