//! Options that several commands share.

use changeover_core::json::{ToJson, decode};
use changeover_core::object::Time;
use changeover_core::prediction::{Assumptions, shell_word};
use changeover_core::scenario::{Delay, Duration, Mode};
use clap::{Args, ValueEnum};

/// Paths after a flag, as kubectl takes them.
#[derive(Args, Clone, Debug, Default)]
pub struct FileOptions {
    /// A path, as for kubectl: the same as an argument without -f; can be repeated
    #[arg(short, long = "filename", value_name = "PATH")]
    pub files: Vec<String>,
}

impl FileOptions {
    /// All paths.
    pub fn with(&self, paths: &[String]) -> Vec<String> {
        paths.iter().chain(&self.files).cloned().collect()
    }
}

/// The nodes that pods may run on.
#[derive(Args, Clone, Debug)]
pub struct NodeOptions {
    /// The nodes: Node objects, or one { name, pods, cpu, memory } in each document, or in short: '3x 4cpu,16Gi zone=a,b,c'.
    /// They run only the given pods: with --cluster, add -A to read those of all namespaces. Without nodes, every pod can be
    /// scheduled
    #[arg(long = "nodes", value_name = "PATH")]
    pub path: Option<String>,
}

impl NodeOptions {
    /// Whether pods may be on the nodes that are not read.
    pub fn misses_pods(&self, cluster: &ClusterOptions) -> bool {
        self.path.is_some() && cluster.misses_pods()
    }
}

/// Where a running cluster is.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Running cluster")]
pub struct ClusterOptions {
    /// Reads the running cluster with your kubectl
    #[arg(long)]
    pub cluster: bool,
    /// The namespace of objects that don't name one, and the one that --cluster reads
    /// [default: kubectl's current one with --cluster, otherwise default]
    #[arg(short, long)]
    pub namespace: Option<String>,
    /// Reads all namespaces, and the nodes
    #[arg(short = 'A', long, requires = "cluster", conflicts_with = "namespace")]
    pub all_namespaces: bool,
    /// The kubeconfig context to use
    #[arg(long, requires = "cluster")]
    pub context: Option<String>,
    /// The kubeconfig file to use
    #[arg(long, requires = "cluster", value_name = "PATH")]
    pub kubeconfig: Option<String>,
}

impl ClusterOptions {
    /// The flags with which kubectl, or another of our commands, finds the same cluster.
    pub fn kubectl_flags(&self) -> Vec<String> {
        let flags = [("--kubeconfig", &self.kubeconfig), ("--context", &self.context)];
        flags
            .into_iter()
            .flat_map(|(flag, value)| value.iter().flat_map(move |it| [flag.to_owned(), it.clone()]))
            .collect()
    }

    /// The flags with which another of our commands reads the same namespaces of the same cluster.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = self.kubectl_flags();
        match &self.namespace {
            Some(namespace) => flags.extend(["--namespace".to_owned(), namespace.clone()]),
            None if self.all_namespaces => flags.push("--all-namespaces".to_owned()),
            None => {}
        }
        flags
    }

    /// `kubectl` with the flags that find the same cluster, as a user types it.
    pub fn kubectl(&self) -> String {
        let words = self.kubectl_flags();
        let words = core::iter::once("kubectl".to_owned()).chain(words.iter().map(|word| shell_word(word)));
        words.collect::<Vec<_>>().join(" ")
    }

    /// Whether pods of other namespaces are not read, which may fill the nodes.
    pub fn misses_pods(&self) -> bool {
        self.cluster && !self.all_namespaces
    }
}

/// What is assumed of pods.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Assumptions")]
pub struct AssumptionOptions {
    /// How long after its creation a pod is ready, or never [default: as long as the running cluster's ready pods took;
    /// for manifests, its probes decide; 5s without probes]
    #[arg(long, value_name = "TIME", value_parser = parse_delay)]
    pub ready_after: Option<Delay>,
    /// How long a pod takes to stop, at most its grace period [default: the whole grace period]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub stop_after: Option<Duration>,
    /// How closely to follow the timing of a real control plane
    #[arg(long, value_enum, default_value_t)]
    pub mode: ModeChoice,
    /// How much longer each stage of a pod's life may take, drawn at random from the seed
    #[arg(long, value_name = "PERCENT", default_value = "0%", value_parser = parse_percent, allow_negative_numbers = true)]
    pub jitter: u32,
    /// The seed of the jitter
    #[arg(long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    pub seed: u64,
    /// When the objects of a running cluster were read, like 2026-01-01T12:00:00Z [default: now; for a file whose newest
    /// time is more than 10 minutes ago, that time]
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub now: Option<Time>,
}

impl AssumptionOptions {
    /// The flags that set assumptions in each command.
    const FLAGS: [&str; 3] = ["--ready-after", "--stop-after", "--jitter"];

    /// What is assumed, in one line, with the flags that change it: those here and some of the command.
    pub fn describe(&self, assumed: &str, of_command: &[&str]) -> String {
        let mut flags: Vec<&str> = Self::FLAGS.into_iter().chain(of_command.iter().copied()).collect();
        let last = flags.pop().unwrap_or_default();
        let requests = match self.mode {
            ModeChoice::Realistic => "--mode exact, requests take no time and have no limit",
            ModeChoice::Exact => "--mode realistic, requests take time and wait for their limits",
        };
        format!("Assumed: {assumed} Change that with {} and {last}; with {requests}.", flags.join(", "))
    }

    /// The first sentence of what is assumed, which is about pods.
    pub fn describe_briefly(assumed: &str) -> String {
        let pods = assumed.split_inclusive(". ").next().unwrap_or_default().trim_end();
        format!("Assumed: {pods} To see all, add -v.")
    }

    /// The flags with which another command assumes the same.
    pub fn flags(&self) -> Vec<String> {
        let times = [
            ("--ready-after", self.ready_after.map(|time| time.to_json())),
            ("--stop-after", self.stop_after.map(|time| time.to_json())),
            ("--now", self.now.map(|time| time.to_json())),
        ];
        let times = times.iter().filter_map(|(flag, time)| Some((*flag, time.as_ref()?.as_str()?.to_owned())));
        let jitter = (self.jitter != 0).then(|| ("--jitter", format!("{}%", self.jitter)));
        let seed = (self.seed != 0).then(|| ("--seed", self.seed.to_string()));
        let mode = matches!(self.mode, ModeChoice::Exact).then(|| ("--mode", "exact".to_owned()));
        let flags = times.chain(jitter).chain(seed).chain(mode);
        flags.flat_map(|(flag, value)| [flag.to_owned(), value]).collect()
    }

    /// The core's assumptions, for objects that were read at this time.
    pub fn to_assumptions(&self, now: Time) -> Assumptions {
        Assumptions {
            ready_after: self.ready_after,
            stop_after: self.stop_after,
            mode: Some(self.mode.into()),
            jitter: self.jitter,
            seed: self.seed,
            now: Some(now),
            ..Assumptions::default()
        }
    }
}

/// How closely a real control plane is followed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ModeChoice {
    /// Each change is seen at once, and requests take no time
    Exact,
    /// Requests take time, wait for kube-controller-manager's rate limits, and combine changes
    #[default]
    Realistic,
}

impl From<ModeChoice> for Mode {
    fn from(choice: ModeChoice) -> Self {
        match choice {
            ModeChoice::Exact => Self::Exact,
            ModeChoice::Realistic => Self::Realistic,
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

/// The form of an answer for people or for programs.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ReportFormat {
    #[default]
    Text,
    Json,
}

pub fn parse_duration(text: &str) -> Result<Duration, String> {
    Duration::parse(text).ok_or_else(|| "must be a duration like 90s, 1m30s or 250ms".to_owned())
}

pub fn parse_delay(text: &str) -> Result<Delay, String> {
    decode(&text.into(), "").map_err(|_| "must be a duration like 90s, or never".to_owned())
}

fn parse_percent(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    number.parse().map_err(|_| "must be a percentage like 20%".to_owned())
}

pub fn parse_time(text: &str) -> Result<Time, String> {
    Time::parse(text).ok_or_else(|| "must be an RFC 3339 time, like 2026-01-01T12:00:00Z".to_owned())
}
