//! Reads of the running cluster, with the user's own kubectl.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::failure::Failure;
use crate::host::{Finished, Host, HostError};
use crate::manifests::{Manifest, kind, metadata, parse_cluster};
use crate::options::ClusterOptions;

/// What is always read.
const KINDS: [&str; 13] = [
    "deployments",
    "statefulsets",
    "daemonsets",
    "controllerrevisions",
    "jobs",
    "replicasets",
    "replicationcontrollers",
    "pods",
    "resourcequotas",
    "limitranges",
    "poddisruptionbudgets",
    "persistentvolumeclaims",
    "horizontalpodautoscalers",
];

/// What is read besides if all namespaces are: the nodes, and what affects which of them take a pod. With the pods of only some
/// namespaces, nodes would look emptier than they are.
const OF_NODES: [&str; 6] =
    ["nodes", "persistentvolumes", "storageclasses", "priorityclasses", "namespaces", "services"];

/// The kinds without which every answer would be wrong. Without the others, an answer lacks what they limit.
const REQUIRED: [&str; 3] = ["deployments", "replicasets", "pods"];

/// The Events of the last hour that say why pods don't start or don't become ready: all others would only take time to read.
const WARNINGS: [&str; 2] = ["--field-selector", "type=Warning"];

/// The Events that say why claims are not bound: few of them are warnings.
const OF_CLAIMS: [&str; 2] = ["--field-selector", "involvedObject.kind=PersistentVolumeClaim,type!=Warning"];

/// The Events that say that an image is being pulled, which may take long.
const OF_PULLS: [&str; 2] = ["--field-selector", "involvedObject.kind=Pod,reason=Pulling"];

/// How kubectl begins the message of what the user may not read.
const FORBIDDEN: &str = "Error from server (Forbidden)";

/// The namespaces that are read together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// This one.
    Namespace(String),
    /// All of the cluster.
    AllNamespaces,
}

impl Scope {
    /// The namespaces that the user's flags name, then this one, or else the one of kubectl's current context.
    ///
    /// # Errors
    /// When kubectl can't say.
    pub fn of(host: &mut dyn Host, options: &ClusterOptions, named: Option<&str>) -> Result<Self, Failure> {
        match named {
            Some(namespace) => Ok(Self::Namespace(namespace.to_owned())),
            None if options.all_namespaces => Ok(Self::AllNamespaces),
            None => current_namespace(host, options).map(Self::Namespace),
        }
    }

    fn flags(&self) -> Vec<&str> {
        match self {
            Self::Namespace(namespace) => vec!["--namespace", namespace],
            Self::AllNamespaces => vec!["--all-namespaces"],
        }
    }
}

/// Some namespaces of the cluster, and what the user may read there.
#[derive(Debug)]
pub struct Reader<'a> {
    options: &'a ClusterOptions,
    scope: Scope,
    kinds: Vec<&'static str>,
    reads_warnings: bool,
}

impl<'a> Reader<'a> {
    pub fn new(options: &'a ClusterOptions, scope: Scope) -> Self {
        let mut kinds = KINDS.to_vec();
        if scope == Scope::AllNamespaces {
            kinds.extend(OF_NODES);
        }
        Self { options, scope, kinds, reads_warnings: false }
    }

    /// Reads the warnings among the Events, too, and the CronJobs that wait for their Jobs.
    pub fn with_warnings(mut self) -> Self {
        self.kinds.push("cronjobs");
        Self { reads_warnings: true, ..self }
    }

    /// The objects, with each command that is run. What the user may not read is left out from then on, and named.
    ///
    /// # Errors
    /// What kubectl says when it fails, or when the user may not read what every answer needs.
    pub fn read(&mut self, host: &mut dyn Host) -> Result<Vec<Manifest>, Failure> {
        let mut objects = self.read_kinds(host)?;
        for command in self.get_events(&objects) {
            let finished = announced_kubectl(host, self.options, &command)?;
            if !finished.success {
                host.print_error(&format!("kubectl: {}: continuing without events\n", finished.stderr.trim_end()));
                self.reads_warnings = false;
                break;
            }
            objects.extend(parse_cluster(&finished.stdout)?);
        }
        Ok(objects)
    }

    fn read_kinds(&mut self, host: &mut dyn Host) -> Result<Vec<Manifest>, Failure> {
        let all = announced_kubectl(host, self.options, &self.get(&self.kinds))?;
        if all.success || !all.stderr.contains(FORBIDDEN) {
            return parse_cluster(&printed(all)?);
        }
        let mut objects = Vec::new();
        for kind in core::mem::take(&mut self.kinds) {
            let finished = announced_kubectl(host, self.options, &self.get(&[kind]))?;
            if !finished.success && finished.stderr.contains(FORBIDDEN) && !REQUIRED.contains(&kind) {
                host.print_error(&format!("kubectl: {}: continuing without {kind}\n", finished.stderr.trim_end()));
                continue;
            }
            objects.extend(parse_cluster(&printed(finished)?)?);
            self.kinds.push(kind);
        }
        Ok(objects)
    }

    /// The objects once more, without a word.
    ///
    /// # Errors
    /// What kubectl says when it fails.
    pub fn read_again(&self, host: &mut dyn Host) -> Result<Vec<Manifest>, Failure> {
        let mut read = |command: &[String]| parse_cluster(&printed(kubectl(host, &arguments(self.options, command))?)?);
        let mut objects = read(&self.get(&self.kinds))?;
        for command in self.get_events(&objects) {
            objects.extend(read(&command)?);
        }
        Ok(objects)
    }

    fn get(&self, kinds: &[&str]) -> Vec<String> {
        self.get_with(kinds, &[])
    }

    /// The commands that read the Events that are of use beside these objects.
    fn get_events(&self, objects: &[Manifest]) -> Vec<Vec<String>> {
        let is_unbound = |manifest: &Manifest| {
            let object = &manifest.document.value;
            let phase = object.pointer("/status/phase");
            kind(object) == "PersistentVolumeClaim" && phase.is_some_and(|phase| phase != "Bound")
        };
        let of_claims = objects.iter().any(is_unbound).then_some(OF_CLAIMS);
        let of_pulls = objects.iter().any(|manifest| is_creating(&manifest.document.value)).then_some(OF_PULLS);
        let selected = [WARNINGS].into_iter().chain(of_claims).chain(of_pulls).filter(|_| self.reads_warnings);
        selected.map(|flags| self.get_with(&["events"], &flags)).collect()
    }

    fn get_with(&self, kinds: &[&str], flags: &[&str]) -> Vec<String> {
        let kinds = kinds.join(",");
        let words = ["get", &kinds].into_iter().chain(flags.iter().copied()).chain(self.scope.flags());
        words.chain(["--output", "json"]).map(str::to_owned).collect()
    }
}

/// Whether a container of a pod is being created, as its image is pulled.
fn is_creating(object: &Value) -> bool {
    let statuses = ["/status/initContainerStatuses", "/status/containerStatuses"].into_iter();
    let statuses = statuses.filter_map(|path| object.pointer(path)?.as_array()).flatten();
    let reasons = statuses.filter_map(|status| status.pointer("/state/waiting/reason")?.as_str());
    kind(object) == "Pod"
        && reasons.into_iter().any(|reason| ["ContainerCreating", "PodInitializing"].contains(&reason))
}

/// The namespace that the user's flags or kubectl's current context name.
///
/// # Errors
/// When kubectl can't say.
fn current_namespace(host: &mut dyn Host, options: &ClusterOptions) -> Result<String, Failure> {
    if let Some(namespace) = &options.namespace {
        return Ok(namespace.clone());
    }
    let view = ["config", "view", "--minify", "--output", "jsonpath={..namespace}"].map(str::to_owned);
    let printed = announced_kubectl(host, options, &view)
        .and_then(printed)
        .map_err(|failure| failure.with_hint("name it with --namespace"))?;
    let namespace = String::from_utf8_lossy(&printed).trim().to_owned();
    Ok(if namespace.is_empty() { "default".to_owned() } else { namespace })
}

/// The objects of the namespaces that manifests are for: those that they name, and this one or else the current one, which
/// is returned, too. With `--all-namespaces`, those of all.
///
/// # Errors
/// As [`Reader::read`].
pub fn read_for(
    host: &mut dyn Host,
    options: &ClusterOptions,
    namespace: Option<&str>,
    manifests: &[Manifest],
) -> Result<(Vec<Manifest>, Option<String>), Failure> {
    if options.all_namespaces && namespace.is_none() && manifests.is_empty() {
        return Ok((Reader::new(options, Scope::AllNamespaces).read(host)?, None));
    }
    let current = namespace.map_or_else(|| current_namespace(host, options), |namespace| Ok(namespace.to_owned()))?;
    if options.all_namespaces {
        return Ok((Reader::new(options, Scope::AllNamespaces).read(host)?, Some(current)));
    }
    let named = manifests.iter().map(|manifest| metadata(&manifest.document.value, "namespace"));
    let mut namespaces: BTreeSet<&str> = named.filter(|namespace| !namespace.is_empty()).collect();
    let is_in_current = |manifest: &Manifest| metadata(&manifest.document.value, "namespace").is_empty();
    if manifests.is_empty() || manifests.iter().any(is_in_current) {
        namespaces.insert(&current);
    }
    let mut objects = Vec::new();
    for namespace in namespaces {
        objects.extend(Reader::new(options, Scope::Namespace(namespace.to_owned())).read(host)?);
    }
    Ok((objects, Some(current)))
}

fn arguments(options: &ClusterOptions, arguments: &[String]) -> Vec<String> {
    let mut all = options.kubectl_flags();
    all.extend(arguments.iter().cloned());
    all
}

/// Runs kubectl, and says so.
fn announced_kubectl(
    host: &mut dyn Host,
    options: &ClusterOptions,
    arguments_of_command: &[String],
) -> Result<Finished, Failure> {
    let arguments = arguments(options, arguments_of_command);
    host.print_error(&format!("Running: kubectl {}\n", arguments.join(" ")));
    kubectl(host, &arguments)
}

fn kubectl(host: &mut dyn Host, arguments: &[String]) -> Result<Finished, Failure> {
    host.run_kubectl(arguments).map_err(|error| match error {
        HostError::NotFound => Failure::new("kubectl: not found: --cluster needs it on the PATH"),
        other => Failure::new(format!("kubectl: {other}")),
    })
}

/// What a kubectl that succeeded printed.
fn printed(finished: Finished) -> Result<Vec<u8>, Failure> {
    if finished.success {
        return Ok(finished.stdout);
    }
    Err(Failure::new(format!("kubectl: {}", finished.stderr.trim_end())))
}
